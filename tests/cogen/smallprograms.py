"""Random programs of the subset that the specializer in the language takes; they always end.

A program is some procedures, each of which calls those before it, and the entry `main`, of
integers and lists of integers.  Variables, vectors, records and (in some) pairs are changed, and
data are written.  Loops count down from a number below four; what they add up
starts with `lift`, since data that grow in a loop that is not known would be specialised for
ever.  No operation fails.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from cogen.lang.datum import Datum, from_iterable

TYPES = ("int", "list")
Scope = tuple[tuple[str, str], ...]


RECORDS = """(define-record-type known (make-known a b) known? (a known-a) (b known-b))
(define-record-type changed (make-changed a b) changed? (a changed-a) (b changed-b set-b!))"""


@dataclass(frozen=True)
class SmallProgram:
    """The text, what is known of each parameter of `main` (s or d), arguments to try."""

    text: str
    division: str
    arguments: tuple[tuple[Datum, ...], ...]


@st.composite
def small_programs(draw: st.DrawFn) -> SmallProgram:
    """A program with a division and arguments."""
    maker = _Maker(draw)
    definitions = [maker.procedure(f"f{number}") for number in range(draw(st.integers(0, 3)))]
    definitions.append(maker.procedure("main"))
    types = maker.procedures[-1][1]
    division = "".join(draw(st.sampled_from("sd")) for _ in types)
    arguments = tuple(
        tuple(draw(_values(type_)) for type_ in types) for _ in range(draw(st.integers(1, 3)))
    )
    return SmallProgram("\n".join([RECORDS, *definitions]), division, arguments)


def _values(type_: str) -> st.SearchStrategy[Datum]:
    if type_ == "int":
        return st.integers(-9, 99)
    return st.lists(st.integers(-9, 99), max_size=3).map(from_iterable)


class _Maker:
    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.count = 0
        self.procedures: list[tuple[str, tuple[str, ...], str]] = []
        self.changes_pairs = draw(st.integers(0, 4)) == 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def pick(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def procedure(self, name: str) -> str:
        types = tuple(self.pick(*TYPES) for _ in range(self.draw(st.integers(1, 3))))
        scope = tuple((self.fresh(), type_) for type_ in types)
        result = self.pick(*TYPES)
        body = self.expr(result, scope, 3)
        self.procedures.append((name, types, result))
        return f"(define ({name} {' '.join(x for x, _ in scope)}) {body})"

    def expr(self, type_: str, scope: Scope, depth: int) -> str:
        if depth == 0:
            return self.leaf(type_, scope)
        forms = ["leaf", "if", "let", "apply", "loop", "own", "own", "choose", "effect", "record"]
        if any(result == type_ for _, _, result in self.procedures):
            forms += ["call", "call"]
        return str(getattr(self, self.pick(*forms))(type_, scope, depth - 1))

    def leaf(self, type_: str, scope: Scope, _depth: int = 0) -> str:
        known = [x for x, t in scope if t == type_]
        constant = self.pick("0", "1", "7") if type_ == "int" else self.pick("'()", "'(1 2)")
        return self.pick(*known, *known, constant)

    def own(self, type_: str, scope: Scope, depth: int) -> str:
        a, b = self.expr("int", scope, depth), self.expr("int", scope, depth)
        if type_ == "int":
            items = self.expr("list", scope, depth)
            return self.pick(
                f"(+ {a} {b})",
                f"(- {a} {b})",
                f"(modulo (* {a} {b}) 101)",
                f"(let ((l {items})) (if (pair? l) (car l) {a}))",
                f"(length {items})",
            )
        items = self.expr("list", scope, depth)
        x = self.fresh()
        return self.pick(
            f"(cons {a} {items})",
            f"(list {a} {b})",
            f"(append {items} '(3))",
            f"(map (lambda ({x}) (+ {x} {a})) {items})",
            f"(let ((l {items})) (if (null? l) l (cdr l)))",
        )

    def effect(self, type_: str, scope: Scope, depth: int) -> str:
        """Output, or something that is changed and looked at."""
        x, f, y = self.fresh(), self.fresh(), self.fresh()
        a, b, c = (self.expr("int", scope, depth) for _ in range(3))
        inner: Scope = ((x, "int"), *scope)
        forms = [
            f"(begin (display {a}) {self.expr(type_, scope, depth)})",
            f"(let ((v (vector {a} {b}))) (vector-set! v (modulo {c} 2) {b})"
            f" (let ((w v)) (let (({x} (vector-ref w 1))) {self.expr(type_, inner, depth)})))",
            f"(let (({x} {a})) (set! {x} {b}) {self.expr(type_, inner, depth)})",
            f"(let (({x} {a})) (let (({f} (lambda ({y}) (set! {x} (- {x} {y})) {x})))"
            f" (begin ({f} {b}) {self.expr(type_, inner, depth)})))",
            f"(let ((r (make-changed {a} {b}))) (set-b! r {c})"
            f" (let (({x} (changed-b r))) {self.expr(type_, inner, depth)}))",
        ]
        if self.changes_pairs:
            forms.append(
                f"(let ((p (cons {a} {b}))) (set-car! p {c}) (let (({x} (car p)))"
                f" {self.expr(type_, inner, depth)}))"
            )
        return self.pick(*forms)

    def record(self, type_: str, scope: Scope, depth: int) -> str:
        """A record that is taken apart, perhaps one of two."""
        r, x, y = self.fresh(), self.fresh(), self.fresh()
        parts = [self.expr(t, scope, depth) for t in (*TYPES, *TYPES)]
        other = self.pick(f"(make-known {parts[2]} {parts[3]})", "#f")
        made = f"(if {self.test(scope, depth)} (make-known {parts[0]} {parts[1]}) {other})"
        inner: Scope = ((x, "int"), (y, "list"), *scope)
        return (
            f"(let (({r} {made})) (let (({x} (if (known? {r}) (known-a {r}) 0))"
            f" ({y} (if (known? {r}) (known-b {r}) '()))) {self.expr(type_, inner, depth)}))"
        )

    def test(self, scope: Scope, depth: int) -> str:
        a, b = self.expr("int", scope, depth), self.expr("int", scope, depth)
        items = self.expr("list", scope, depth)
        return self.pick(f"(< {a} {b})", f"(= {a} {b})", f"(null? {items})", f"(not (< {b} {a}))")

    def if_(self, type_: str, scope: Scope, depth: int) -> str:
        then, otherwise = self.expr(type_, scope, depth), self.expr(type_, scope, depth)
        return f"(if {self.test(scope, depth)} {then} {otherwise})"

    def let(self, type_: str, scope: Scope, depth: int) -> str:
        x, other = self.fresh(), self.pick(*TYPES)
        body = self.expr(type_, ((x, other), *scope), depth)
        return f"(let (({x} {self.expr(other, scope, depth)})) {body})"

    def apply(self, type_: str, scope: Scope, depth: int) -> str:
        f, x, other = self.fresh(), self.fresh(), self.pick(*TYPES)
        body = self.expr(type_, ((x, other), *scope), depth)
        uses = [f"({f} {self.expr(other, scope, depth)})" for _ in range(2)]
        use = f"(+ {uses[0]} {uses[1]})" if type_ == "int" else f"(append {uses[0]} {uses[1]})"
        return f"(let (({f} (lambda ({x}) {body}))) {use})"

    def choose(self, type_: str, scope: Scope, depth: int) -> str:
        """A conditional between procedures."""
        x = self.fresh()
        arms = [f"(lambda ({x}) {self.expr(type_, ((x, 'int'), *scope), depth)})" for _ in range(2)]
        test, argument = self.test(scope, depth), self.expr("int", scope, depth)
        return f"((if {test} {arms[0]} {arms[1]}) {argument})"

    def loop(self, type_: str, scope: Scope, depth: int) -> str:
        loop, i, sum_ = self.fresh(), self.fresh(), self.fresh()
        step = self.expr(type_, ((i, "int"), (sum_, type_), *scope), depth)
        start = self.expr(type_, scope, depth)
        count = self.expr("int", scope, depth)
        bounded = step if type_ == "list" else f"(modulo {step} 1009)"
        return (
            f"(let {loop} (({i} (modulo {count} 4)) ({sum_} (lift {start}))) "
            f"(if (= {i} 0) {sum_} ({loop} (- {i} 1) {bounded})))"
        )

    def call(self, type_: str, scope: Scope, depth: int) -> str:
        fitting = [p for p in self.procedures if p[2] == type_]
        name, types, _ = fitting[self.draw(st.integers(0, len(fitting) - 1))]
        return f"({name} {' '.join(self.expr(t, scope, depth) for t in types)})"


setattr(_Maker, "if", _Maker.if_)
