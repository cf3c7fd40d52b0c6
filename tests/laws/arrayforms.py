"""Random array programs in the Scheme-like language, and values for them.

Ints stay below 1009 and floats are multiples of 1/4, so sums are exact in any order.
"""

from __future__ import annotations

from random import Random

PARAMETERS = (
    ("k", "int"),
    ("z", "float"),
    ("xs", "(array int)"),
    ("ys", "(array int)"),
    ("fs", "(array float)"),
    ("rows", "(array (array int))"),
)

Scope = tuple[tuple[str, str], ...]


class Writer:
    """Writes expressions of the types of `PARAMETERS`, and bool."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def make(self, kind: str, scope: Scope, depth: int) -> str:
        names = [name for name, t in scope if t == kind]
        if depth <= 0 or (names and self.random.random() < 0.15):
            if names and self.random.random() < 0.8:
                return self.random.choice(names)
            return self.leaf(kind, scope)
        choices = {
            "int": [self.arithmetic, self.choice, self.bound, self.reduce, self.element,
                    self.size, self.loop, self.divide],
            "float": [self.floats, self.choice, self.bound, self.convert, self.reduce],
            "bool": [self.compare, self.parity, self.negate],
            "(array int)": [self.map, self.map2, self.filter, self.scan, self.concat, self.update,
                            self.split, self.choice, self.bound, self.unzip, self.sums,
                            self.array_loop, self.literal, self.iota, self.replicate,
                            self.buckets, self.collected, self.groups, self.distinct,
                            self.flat_map, self.scatter],
            "(array float)": [self.map, self.floats_of, self.choice, self.bound, self.concat],
            "(array (array int))": [self.transpose, self.rows, self.choice, self.reshape,
                                    self.filter_rows],
        }[kind]  # fmt: skip
        return self.random.choice(choices)(kind, scope, depth - 1)

    def leaf(self, kind: str, scope: Scope) -> str:
        random = self.random
        if kind == "int":
            return str(random.randint(-5, 9))
        if kind == "float":
            return str(random.randint(-8, 8) / 4)
        if kind == "bool":
            return random.choice(["#t", "#f"])
        return next(name for name, t in scope if t == kind)

    def element_of(self, kind: str) -> str:
        return kind[len("(array ") : -1]

    # -- scalars -------------------------------------------------------------------------------

    def arithmetic(self, kind: str, scope: Scope, depth: int) -> str:
        op = self.random.choice(["+", "-", "*", "min", "max"])
        a, b = self.make("int", scope, depth), self.make("int", scope, depth)
        return f"(modulo ({op} {a} {b}) 1009)"

    def divide(self, kind: str, scope: Scope, depth: int) -> str:
        op = self.random.choice(["quotient", "remainder", "floor-quotient", "modulo"])
        divisor = self.random.choice([-3, -2, 2, 3, 7])
        return f"({op} {self.make('int', scope, depth)} {divisor})"

    def floats(self, kind: str, scope: Scope, depth: int) -> str:
        a = self.make("float", scope, depth)
        if self.random.random() < 0.3:
            return f"(* {self.random.choice(['2.0', '-1', '0.5', '3'])} (floor {a}))"
        op = self.random.choice(["+", "-", "min", "max"])
        return f"({op} {a} {self.make('float', scope, depth)})"

    def convert(self, kind: str, scope: Scope, depth: int) -> str:
        return f"(* 0.25 {self.make('int', scope, depth)})"

    def choice(self, kind: str, scope: Scope, depth: int) -> str:
        test = self.make("bool", scope, depth)
        return f"(if {test} {self.make(kind, scope, depth)} {self.make(kind, scope, depth)})"

    def bound(self, kind: str, scope: Scope, depth: int) -> str:
        t = self.random.choice(["int", "float", "(array int)"])
        name, value = self.fresh(), self.make(t, scope, depth)
        return f"(let (({name} {value})) {self.make(kind, (*scope, (name, t)), depth)})"

    def reduce(self, kind: str, scope: Scope, depth: int) -> str:
        array = self.make(f"(array {kind})", scope, depth)
        if kind == "float":
            return f"(array-reduce + 0.0 {array})"
        if self.random.random() < 0.5:
            name = self.fresh()
            body = self.make("int", (*scope, (name, "int")), depth)
            return f"(modulo (array-redomap + (lambda (s {name}) (+ s {body})) 0 {array}) 1009)"
        return f"(modulo (array-reduce {self.random.choice(['+', 'max'])} 0 {array}) 1009)"

    def element(self, kind: str, scope: Scope, depth: int) -> str:
        name, array = self.fresh(), self.make("(array int)", scope, depth)
        index = self.make("int", scope, depth)
        return (
            f"(let (({name} {array})) (if (< 0 (array-size {name}))"
            f" (array-ref {name} (modulo {index} (array-size {name}))) 7))"
        )

    def size(self, kind: str, scope: Scope, depth: int) -> str:
        rows = "(array (array int))"
        t = self.random.choice(["(array int)", "(array float)", rows, rows])
        dimension = self.random.choice(["", " 1"]) if t == rows else ""
        return f"(array-size {self.make(t, scope, depth)}{dimension})"

    def loop(self, kind: str, scope: Scope, depth: int) -> str:
        a, b, i = self.fresh(), self.fresh(), self.fresh()
        count = self.random.choice(["4", f"(modulo {self.make('int', scope, depth)} 5)"])
        inner = (*scope, (a, "int"), (i, "int"))
        if self.random.random() < 0.5:
            return (
                f"(array-loop (({a} {self.make('int', scope, depth)})) ({i} {count}) "
                f"{self.make('int', inner, depth)})"
            )
        inner = (*inner, (b, "int"))
        return (
            f"(let-tuple (p q) (array-loop (({a} 1) ({b} {self.make('int', scope, depth)}))"
            f" ({i} {count}) (tuple {self.make('int', inner, depth)} {a})) (- p q))"
        )

    def compare(self, kind: str, scope: Scope, depth: int) -> str:
        t = self.random.choice(["int", "float"])
        op = self.random.choice(["<", "<=", ">", ">=", "="])
        return f"({op} {self.make(t, scope, depth)} {self.make(t, scope, depth)})"

    def parity(self, kind: str, scope: Scope, depth: int) -> str:
        return f"({self.random.choice(['even?', 'odd?'])} {self.make('int', scope, depth)})"

    def negate(self, kind: str, scope: Scope, depth: int) -> str:
        a, b = self.make("bool", scope, depth), self.make("bool", scope, depth)
        return self.random.choice([f"(not {a})", f"(and {a} {b})", f"(or {a} {b})"])

    # -- arrays --------------------------------------------------------------------------------

    def map(self, kind: str, scope: Scope, depth: int) -> str:
        name, source = self.fresh(), self.random.choice(["int", "float"])
        body = self.make(self.element_of(kind), (*scope, (name, source)), depth)
        return (
            f"(array-map (lambda ({name}) {body}) {self.make(f'(array {source})', scope, depth)})"
        )

    def map2(self, kind: str, scope: Scope, depth: int) -> str:
        array, x, y = self.fresh(), self.fresh(), self.fresh()
        inner = (*scope, (x, "int"), (y, "int"))
        other = self.random.choice([array, f"(array-iota (array-size {array}))"])
        return (
            f"(let (({array} {self.make('(array int)', scope, depth)})) "
            f"(array-map (lambda ({x} {y}) {self.make('int', inner, depth)}) {array} {other}))"
        )

    def floats_of(self, kind: str, scope: Scope, depth: int) -> str:
        return f"(array-map inexact {self.make('(array int)', scope, depth)})"

    def filter(self, kind: str, scope: Scope, depth: int) -> str:
        name = self.fresh()
        test = self.make("bool", (*scope, (name, "int")), depth)
        return f"(array-filter (lambda ({name}) {test}) {self.make(kind, scope, depth)})"

    def scan(self, kind: str, scope: Scope, depth: int) -> str:
        return (
            "(array-map (lambda (s) (modulo s 1009)) "
            f"(array-scan + 0 {self.make(kind, scope, depth)}))"
        )

    def concat(self, kind: str, scope: Scope, depth: int) -> str:
        return f"(array-concat {self.make(kind, scope, depth)} {self.make(kind, scope, depth)})"

    def update(self, kind: str, scope: Scope, depth: int) -> str:
        name, i = self.fresh(), self.make("int", scope, depth)
        x = self.make("int", scope, depth)
        return (
            f"(let (({name} {self.make(kind, scope, depth)})) (if (< 0 (array-size {name}))"
            f" (array-with {name} (modulo {i} (array-size {name})) {x}) {name}))"
        )

    def split(self, kind: str, scope: Scope, depth: int) -> str:
        name = self.fresh()
        part = self.random.choice(["p", "q", "(array-concat q p)"])
        return (
            f"(let (({name} {self.make(kind, scope, depth)}))"
            f" (let-tuple (p q) (array-split {name} (quotient (array-size {name}) 2)) {part}))"
        )

    def unzip(self, kind: str, scope: Scope, depth: int) -> str:
        name = self.fresh()
        part = self.random.choice(["p", "(array-map (lambda (a b) (- a (exact (floor b)))) p q)"])
        return (
            f"(let (({name} {self.make(kind, scope, depth)})) (let-tuple (p q) (array-unzip"
            f" (array-zip {name} (array-map inexact {name})) 2) {part}))"
        )

    def sums(self, kind: str, scope: Scope, depth: int) -> str:
        rows = self.make("(array (array int))", scope, depth)
        return f"(array-map (lambda (r) (modulo (array-reduce + 0 r) 1009)) {rows})"

    def array_loop(self, kind: str, scope: Scope, depth: int) -> str:
        a, i = self.fresh(), self.fresh()
        body = self.make("int", (*scope, (a, kind), (i, "int")), depth)
        count = self.random.choice(["3", f"(array-size {self.make(kind, scope, 0)})"])
        return (
            f"(array-loop (({a} {self.make(kind, scope, depth)})) ({i} {count})"
            f" (if (< {i} (array-size {a})) (array-with {a} {i} {body}) {a}))"
        )

    def keyed(self, kind: str, scope: Scope, depth: int) -> tuple[str, str, str]:
        """An array by a name, a number of buckets, and keys for its elements."""
        name, x = self.fresh(), self.fresh()
        count = self.random.choice(["1", "3", f"(+ 1 (modulo {self.make('int', scope, depth)} 4))"])
        key = self.make("int", (*scope, (x, "int")), depth - 1)
        keys = f"(array-map (lambda ({x}) (modulo {key} n)) {name})"
        array = self.make(kind, scope, depth)
        return name, keys, f"(let* (({name} {array}) (n {count})) "

    def buckets(self, kind: str, scope: Scope, depth: int) -> str:
        name, keys, lets = self.keyed(kind, scope, depth)
        combine = self.random.choice(["+ 0", "max -9", "(lambda (x y) y) 5"])
        made = f"(array-bucket-reduce {combine} n {keys} {name})"
        return f"{lets}(array-map (lambda (s) (modulo s 1009)) {made}))"

    def collected(self, kind: str, scope: Scope, depth: int) -> str:
        name, keys, lets = self.keyed(kind, scope, depth)
        part = self.random.choice(["o", "b", "(array-reduce-segments max -9 o b)"])
        return f"{lets}(let-tuple (o b) (array-bucket-collect n {keys} {name}) {part}))"

    def groups(self, kind: str, scope: Scope, depth: int) -> str:
        x, array = self.fresh(), self.make(kind, scope, depth)
        key = self.make("int", (*scope, (x, "int")), depth - 1)
        part = self.random.choice(["k", "o", "b", "(array-reduce-segments + 0 o b)"])
        if self.random.random() < 0.5:
            key = f"(tuple (even? {x}) {key})"
            part = part if part != "k" else "(let-tuple (p q) (array-unzip k 2) q)"
        whole = f"(let-tuple (k o b) (array-group-by (lambda ({x}) {key}) {array}) {part})"
        return f"(array-map (lambda (s) (modulo s 1009)) {whole})"

    def distinct(self, kind: str, scope: Scope, depth: int) -> str:
        return f"(array-distinct {self.make(kind, scope, depth)})"

    def flat_map(self, kind: str, scope: Scope, depth: int) -> str:
        x, inner = self.fresh(), self.make("int", scope, depth - 1)
        part = self.random.choice(
            [
                f"(array-iota (modulo {x} 4))",
                f"(array {x} {inner})",
                f"(array-filter even? (array {x} 2))",
            ]
        )
        return f"(array-flat-map (lambda ({x}) {part}) {self.make(kind, scope, depth)})"

    def scatter(self, kind: str, scope: Scope, depth: int) -> str:
        name, x = self.fresh(), self.fresh()
        index = self.make("int", (*scope, (x, "int")), depth - 1)
        places = f"(array-map (lambda ({x}) (modulo {index} (array-size {name}))) {name})"
        return (
            f"(let (({name} {self.make(kind, scope, depth)})) (if (< 0 (array-size {name}))"
            f" (array-scatter {name} {places} {name}) {name}))"
        )

    def literal(self, kind: str, scope: Scope, depth: int) -> str:
        items = [self.make("int", scope, depth) for _ in range(self.random.randint(1, 3))]
        return f"(array {' '.join(items)})"

    def iota(self, kind: str, scope: Scope, depth: int) -> str:
        return f"(array-iota (+ 1 (modulo {self.make('int', scope, depth)} 5)))"

    def replicate(self, kind: str, scope: Scope, depth: int) -> str:
        x = self.make("int", scope, depth)
        return f"(array-replicate (+ 1 (modulo {self.make('int', scope, depth)} 4)) {x})"

    def rows(self, kind: str, scope: Scope, depth: int) -> str:
        x, y = self.fresh(), self.fresh()
        body = self.make("int", (*scope, (x, "int"), (y, "int")), depth)
        return (
            f"(array-map (lambda ({x}) (array-map (lambda ({y}) {body}) (array-iota 3)))"
            f" {self.make('(array int)', scope, depth)})"
        )

    def filter_rows(self, kind: str, scope: Scope, depth: int) -> str:
        name = self.fresh()
        test = self.make("bool", (*scope, (name, "(array int)")), depth)
        return f"(array-filter (lambda ({name}) {test}) {self.make(kind, scope, depth)})"

    def transpose(self, kind: str, scope: Scope, depth: int) -> str:
        return f"(array-transpose {self.make(kind, scope, depth)})"

    def reshape(self, kind: str, scope: Scope, depth: int) -> str:
        name = self.fresh()
        return (
            f"(let (({name} {self.make('(array int)', scope, depth)}))"
            f" (array-reshape (array-concat (array 1) {name}) 1 (+ 1 (array-size {name}))))"
        )


def program(random: Random, depth: int = 4) -> str:
    """The text of a program whose procedure `main` takes `PARAMETERS`."""
    writer = Writer(random)
    kinds = ["int", "float", *[t for _, t in PARAMETERS[2:]]]
    results = [writer.make(random.choice(kinds), PARAMETERS, depth) for _ in range(2)]
    heads = " ".join(f"({name} {t})" for name, t in PARAMETERS)
    return f"(define-array (main {heads})\n  (tuple {results[0]}\n         {results[1]}))\n"


def arguments(random: Random) -> list[object]:
    """Values for `PARAMETERS`: arrays are tuples."""

    def ints(least: int) -> tuple[int, ...]:
        return tuple(random.randint(-9, 99) for _ in range(random.randint(least, 5)))

    width = random.randint(0, 3)
    rows = tuple(
        tuple(random.randint(-9, 99) for _ in range(width)) for _ in range(random.randint(0, 3))
    )
    floats = tuple(random.randint(-20, 20) / 4 for _ in range(random.randint(1, 5)))
    return [random.randint(-3, 12), random.randint(-8, 8) / 4, ints(0), ints(0), floats, rows]
