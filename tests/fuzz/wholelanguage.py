"""Random programs over the whole language: what `tests.randomprograms` has, and vectors that are
changed, strings, characters, symbols, records, words, assigned closures, several values, `dynamic-
wind`, `guard` with clauses, `raise` of any value, string ports, `case`, `do`, promises.
"""

from __future__ import annotations

from typing import Final

from tests.choices import Choices
from tests.randomprograms import Env, Maker

PRELUDE: Final = """\
(define-record-type point (make-point px py) point? (px point-x set-point-x!) (py point-y))
"""
"""The definitions that every program begins with."""

PARAMETERS: Final = ("int", "int", "bool", "list", "pair", "str")
EVERYTHING: Final = ("int", "bool", "list", "pair", "str", "vec", "rec", "sym", "chr")
TEXTS: Final = ('""', '"a"', '"ab"', '"λx"', '"abc"')
CHARACTERS: Final = (r"#\a", r"#\b", r"#\λ", r"#\0")
SYMBOLS: Final = ("'a", "'b", "'odd", "'even")


class Whole(Maker):
    """Chooses expressions of the whole language."""

    types = EVERYTHING

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices, {"output", "assignment", "errors", "control", "procedures"})

    def literal(self, kind: str, env: Env) -> str:
        if kind == "str":
            return self.pick(*TEXTS)
        if kind == "chr":
            return self.pick(*CHARACTERS)
        if kind == "sym":
            return self.pick(*SYMBOLS)
        number = self.choices.integer(-3, 9)
        if kind == "vec":
            return f"(vector {number} {self.choices.integer(0, 5)})"
        if kind == "rec":
            return f"(make-point {number} '())"
        return super().literal(kind, env)

    def optional(self):  # type: ignore[no-untyped-def]
        more = [
            self.wind, self.several, self.switch, self.counting, self.closure_state, self.delayed,
            self.raising, self.generator, self.change,
        ]  # fmt: skip
        return super().optional() + more

    def int_expr(self, env: Env, fuel: int) -> str:
        shape = self.choices.integer(0, 19)
        if shape < 10:
            return super().int_expr(env, fuel)
        if shape == 10:
            return f"(string-length {self.operands('str', env, fuel)})"
        if shape == 11:
            return f"(vector-ref {self.operands('vec', env, fuel)} 1)"
        if shape == 12:
            return f"(point-x {self.operands('rec', env, fuel)})"
        if shape == 13:
            return f"(char->integer {self.operands('chr', env, fuel)})"
        if shape == 14:
            op = self.pick("bitwise-and", "bitwise-ior", "bitwise-xor")
            return f"({op} {self.operands('int int', env, fuel)})"
        if shape == 15:
            op = self.pick("word-add", "word-sub", "word-mul")
            return f"({op} {self.operands('int int', env, fuel)})"
        if shape == 16:
            by = self.choices.integer(-3, 4)
            return f"(arithmetic-shift {self.operands('int', env, fuel)} {by})"
        if shape == 17:
            return f"(vector-length {self.operands('vec', env, fuel)})"
        if shape == 18:
            found = f"(assv {self.operands('int', env, fuel)} '((1 . 2) (3 . 4)))"
            return f"(cond ({found} => cdr) (else 0))"
        return f"(or (string->number {self.operands('str', env, fuel)}) -1)"

    def bool_expr(self, env: Env, fuel: int) -> str:
        shape = self.choices.integer(0, 12)
        if shape < 6:
            return super().bool_expr(env, fuel)
        if shape == 6:
            op = self.pick("string=?", "string<?", "eqv?", "equal?")
            return f"({op} {self.operands('str str', env, fuel)})"
        if shape == 7:
            return f"(eq? {self.operands('sym sym', env, fuel)})"
        if shape == 8:
            kind = self.pick("vec", "rec", "str", "list", "int", "sym")
            op = self.pick("vector?", "point?", "string?", "symbol?", "procedure?", "integer?")
            return f"({op} {self.operands(kind, env, fuel)})"
        if shape == 9:
            return f"(and (memv {self.operands('int list', env, fuel)}) #t)"
        if shape == 10:
            return f"(char=? {self.operands('chr chr', env, fuel)})"
        if shape == 11:
            kind = self.pick("vec", "list", "pair", "rec")
            return f"({self.pick('equal?', 'eq?')} {self.operands(f'{kind} {kind}', env, fuel)})"
        return f"(zero? {self.operands('int', env, fuel)})"

    def list_expr(self, env: Env, fuel: int) -> str:
        shape = self.choices.integer(0, 11)
        if shape < 5:
            return super().list_expr(env, fuel)
        if shape == 5:
            return f"(vector->list {self.operands('vec', env, fuel)})"
        if shape == 6:
            return f"(map char->integer (string->list {self.operands('str', env, fuel)}))"
        if shape == 7:
            return f"(reverse {self.operands('list', env, fuel)})"
        if shape == 8:
            return f"(let ((l {self.operands('list', env, fuel)})) (if (pair? l) (cdr l) l))"
        if shape == 9:
            a, b = self.parts(fuel, 2)
            spliced, last = self.expr("list", env, b), self.expr("int", env, a)
            return f"`(1 ,@{spliced} ,{last})"
        if shape == 10:
            return f"(apply list {self.operands('int list', env, fuel)})"
        return f"(list-copy {self.operands('list', env, fuel)})"

    def str_expr(self, env: Env, fuel: int) -> str:
        shape = self.choices.integer(0, 7)
        if shape < 2:
            return f"(string-append {self.operands('str str', env, fuel)})"
        if shape == 2:
            return f"(number->string {self.operands('int', env, fuel)})"
        if shape == 3:
            return f"(symbol->string {self.operands('sym', env, fuel)})"
        if shape == 4:
            return f"(string {self.operands('chr chr', env, fuel)})"
        if shape == 5:
            text = self.operands("str", env, fuel)
            return f'(let ((s {text})) (if (string=? s "") s (string-copy s 1)))'
        if shape == 6:
            return f"(string-upcase {self.operands('str', env, fuel)})"
        datum = self.operands(self.pick("int", "list", "vec"), env, fuel)
        return f"(let ((p (open-output-string))) (write {datum} p) (get-output-string p))"

    def chr_expr(self, env: Env, fuel: int) -> str:
        if self.choices.boolean():
            return f'(string-ref (string-append {self.operands("str", env, fuel)} "z") 0)'
        return f"(integer->char (+ 97 (modulo {self.operands('int', env, fuel)} 26)))"

    def sym_expr(self, env: Env, fuel: int) -> str:
        if self.choices.boolean():
            return f"(string->symbol {self.operands('str', env, fuel)})"
        return f"(if (even? {self.operands('int', env, fuel)}) 'even 'odd)"

    def vec_expr(self, env: Env, fuel: int) -> str:
        shape = self.choices.integer(0, 4)
        if shape == 0:
            return f"(vector-map {self.operands('fun vec', env, fuel)})"
        if shape == 1:
            return f"(vector-append {self.operands('vec vec', env, fuel)})"
        if shape == 2:
            vector, item = self.operands("vec", env, fuel // 2), self.expr("int", env, fuel // 2)
            return f"(let ((v {vector})) (vector-set! v {self.choices.integer(0, 1)} {item}) v)"
        if shape == 3:
            return f"(make-vector {self.choices.integer(2, 3)} {self.operands('int', env, fuel)})"
        return f"(vector {self.operands('int int', env, fuel)})"

    def rec_expr(self, env: Env, fuel: int) -> str:
        if self.choices.boolean():
            return (
                f"(let ((p {self.operands('rec', env, fuel // 2)})) "
                f"(set-point-x! p {self.operands('int', env, fuel // 2)}) p)"
            )
        return f"(make-point {self.operands('int list', env, fuel)})"

    # Forms of any type

    def wind(self, kind: str, env: Env, fuel: int) -> str:
        a, b = self.parts(fuel, 2)
        return (
            f'(dynamic-wind (lambda () (display "<")) (lambda () {self.expr(kind, env, a)}) '
            f"(lambda () (write {self.expr('int', env, b)})))"
        )

    def several(self, kind: str, env: Env, fuel: int) -> str:
        a, b = self.parts(fuel, 2)
        x, y = self.fresh("x"), self.fresh("y")
        if x == y:
            return self.let(kind, env, fuel)
        inner = ((x, "int"), (y, "list"), *env)
        made = f"(values {self.operands('int list', env, a)})"
        return (
            f"(call-with-values (lambda () {made}) (lambda ({x} {y}) {self.expr(kind, inner, b)}))"
        )

    def switch(self, kind: str, env: Env, fuel: int) -> str:
        a, b, c = self.parts(fuel, 3)
        return (
            f"(case (modulo {self.expr('int', env, a)} 4) ((0 2) {self.expr(kind, env, b)}) "
            f"((1) {self.atom(kind, env)}) (else {self.expr(kind, env, c)}))"
        )

    def counting(self, kind: str, env: Env, fuel: int) -> str:
        i, acc = self.fresh("i"), self.fresh("acc")
        if i == acc:
            return self.let(kind, env, fuel)
        a, b = self.parts(fuel, 2)
        inner = ((acc, kind), (i, "int"), *env)
        return (
            f"(do (({i} 0 (+ {i} 1)) ({acc} {self.expr(kind, env, a)} {self.expr(kind, inner, b)}))"
            f" ((>= {i} {self.bound(env)}) {acc}))"
        )

    def closure_state(self, kind: str, env: Env, fuel: int) -> str:
        """A procedure with a state of its own, called a few times."""
        a, b, c = self.parts(fuel, 3)
        n, f = self.fresh("n"), self.fresh("f")
        if n == f:
            return self.let(kind, env, fuel)
        body = self.expr("int", ((n, "int"), *env), b)
        state = self.expr("int", env, a)
        step = f"(lambda (v) (set! {n} (+ v (modulo {body} 100))) {n})"
        return (
            f"(let (({f} (let (({n} {state})) {step})))"
            f" (begin ({f} 1) {self.expr(kind, ((f, 'fun'), *env), c)}))"
        )

    def delayed(self, kind: str, env: Env, fuel: int) -> str:
        p = self.fresh("p")
        return (
            f'(let (({p} (delay (begin (display "!") {self.expr("int", env, fuel // 2)})))) '
            f"(begin (force {p}) (force {p}) {self.expr(kind, env, fuel // 2)}))"
        )

    def raising(self, kind: str, env: Env, fuel: int) -> str:
        """A raised value and clauses that may take it."""
        a, b, c = self.parts(fuel, 3)
        value = self.expr(self.pick("int", "sym", "str"), env, a)
        test = self.expr("bool", env, b)
        body = self.expr(kind, env, c)
        clause = self.pick(
            "((symbol? e) => (lambda (v) {0}))", "((string? e) {0})", "((integer? e) {0})"
        )
        other = self.pick(f"(else {self.atom(kind, env)})", "")
        taken = clause.format(self.expr(kind, (("e", "raised"), *env), a))
        raised = self.pick("raise", "raise", "raise-continuable")
        return f"(guard (e {taken} {other}) (if {test} ({raised} {value}) {body}))"

    def generator(self, kind: str, env: Env, fuel: int) -> str:
        """An escape out of a loop over a list."""
        k, v = self.fresh("k"), self.fresh("v")
        if k == v:
            return self.let(kind, env, fuel)
        a, b, c = self.parts(fuel, 3)
        inner = ((v, "int"), (k, "continuation"), *env)
        test = self.expr("bool", inner, a)
        step = f"(lambda ({v}) (if {test} ({k} {self.expr(kind, inner, b)})))"
        return (
            f"(call/cc (lambda ({k}) (for-each {step}"
            f" {self.expr('list', env, c)}) {self.atom(kind, env)}))"
        )

    def change(self, kind: str, env: Env, fuel: int) -> str:
        """A change of an object that a variable holds."""
        known = [name for name, its in env if its in ("vec", "rec")]
        known = [
            name for name in known if next(n for n in env if n[0] == name)[1] in ("vec", "rec")
        ]
        if not known:
            return self.let(kind, env, fuel)
        name = self.pick(*known)
        is_vector = next(its for n, its in env if n == name) == "vec"
        value = self.expr("int", env, fuel // 2)
        change = (
            f"(vector-set! {name} 0 {value})" if is_vector else f"(set-point-x! {name} {value})"
        )
        return f"(begin {change} {self.expr(kind, env, fuel // 2)})"


def program(choices: Choices, size: int) -> tuple[str, tuple[str, ...], list[str]]:
    """The definitions without `PRELUDE`, the last one of `main`; its parameters' types; and rows of
    arguments as text."""
    maker = Whole(choices)
    lines = ["(define counter 0)"]
    for index in range(choices.integer(0, 2)):
        lines.append(maker.definition(f"helper{index}", size // 2))
    types = tuple(choices.pick(PARAMETERS) for _ in range(choices.integer(1, 3)))
    env = tuple(zip("xyz", types, strict=False))
    body = maker.expr(choices.pick(EVERYTHING), env, size)
    lines.append(f"(define (main {' '.join(name for name, _ in env)})\n  {body})")
    rows = [
        " ".join(_argument(choices, kind) for kind in types) for _ in range(choices.integer(1, 2))
    ]
    return "\n".join(lines) + "\n", types, rows


def _argument(choices: Choices, kind: str) -> str:
    if kind == "int":
        return str(choices.integer(-4, 9))
    if kind == "bool":
        return choices.pick(("#f", "#t"))
    if kind == "pair":
        return f"({choices.integer(-4, 9)} . {choices.integer(-4, 9)})"
    if kind == "str":
        return choices.pick(TEXTS)
    return "(" + " ".join(str(choices.integer(-4, 9)) for _ in range(choices.integer(0, 4))) + ")"


__all__ = ["PRELUDE", "Whole", "program"]
