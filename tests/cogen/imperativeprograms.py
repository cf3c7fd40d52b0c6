"""Random programs that assign variables and change vectors in all places; they always end.

A program has variables and a vector at the top level, procedures that change them and their own,
and the entry `main` of two integers.  Loops count down from a number below four; what they add up
is kept below 1009.  No operation fails.
"""

from __future__ import annotations

from hypothesis import strategies as st

from tests.cogen.smallprograms import SmallProgram

ITEMS = 3
"""The size of all vectors."""


@st.composite
def imperative_programs(draw: st.DrawFn) -> SmallProgram:
    """A program with a division and arguments."""
    maker = _Maker(draw)
    procedures = [maker.procedure(f"p{number}") for number in range(draw(st.integers(0, 3)))]
    definitions = [
        "(define g 1)",
        "(define h (list 2))",
        f"(define w (make-vector {ITEMS} 5))",
        *procedures,
        maker.procedure("main"),
    ]
    division = draw(st.sampled_from(["sd", "ds", "ss", "dd"]))
    values = st.tuples(st.integers(0, 3), st.integers(0, 9))
    arguments = tuple(draw(values) for _ in range(draw(st.integers(1, 3))))
    return SmallProgram("\n".join(definitions), division, arguments)


class _Maker:
    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.count = 0
        self.procedures: list[str] = []

    def fresh(self, name: str) -> str:
        self.count += 1
        return f"{name}{self.count}"

    def pick(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def procedure(self, name: str) -> str:
        """One of two integers, which assigns its parameters, or variables of its own."""
        x, y, a, v = (self.fresh(base) for base in "xyav")
        ints, vectors = (x, y, a, "g"), (v, "w")
        body = self.block(ints, vectors, 2)
        result = self.result(ints, vectors)
        text = (
            f"(define ({name} {x} {y}) (let (({a} (modulo {x} 4)) ({v} (vector {y} 0 {x})))"
            f" {body} {result}))"
        )
        self.procedures.append(name)
        return text

    def result(self, ints: tuple[str, ...], vectors: tuple[str, ...]) -> str:
        e = self.expr(ints, vectors, 1)
        return self.pick(e, e, f"(begin (set! g {e}) {ints[2]})", f"(vector-ref {vectors[0]} 1)")

    def block(self, ints: tuple[str, ...], vectors: tuple[str, ...], depth: int) -> str:
        count = self.draw(st.integers(1, 3))
        return " ".join(self.statement(ints, vectors, depth) for _ in range(count))

    def statement(self, ints: tuple[str, ...], vectors: tuple[str, ...], depth: int) -> str:
        forms = ["set", "set", "put", "put", "fill", "display", "push", "pop"]
        if depth:
            forms += ["when", "choose", "count", "each", "go", "own"]
        form = self.pick(*forms)
        if form == "pop":
            return "(if (pair? (cdr h)) (set! h (cdr h)))"
        e = self.expr(ints, vectors, 2)
        match form:
            case "set":
                return f"(set! {self.pick(*ints)} {e})"
            case "put":
                return f"(vector-set! {self.pick(*vectors)} {self.index(ints)} {e})"
            case "fill":
                return f"(vector-fill! {self.pick(*vectors)} {e})"
            case "display":
                return f"(display {e})"
            case "push":
                return f"(set! h (cons {e} h))"
        inner = self.block(ints, vectors, depth - 1)
        i = self.fresh("i")
        match form:
            case "when":
                return f"(if {self.test(ints, vectors)} (begin {inner}))"
            case "choose":
                other = self.statement(ints, vectors, depth - 1)
                return f"(if {self.test(ints, vectors)} (begin {inner}) {other})"
            case "count":
                return f"(do (({i} 0 (+ {i} 1))) ((= {i} {ITEMS})) {inner})"
            case "each":
                return f"(for-each (lambda ({i}) {inner}) (list {e} 1))"
            case "go":
                again = f"(begin {inner} (loop (- {i} 1)))"
                return f"(let loop (({i} (modulo {e} 4))) (if (> {i} 0) {again}))"
            case _:
                return f"(let (({i} {e})) {inner} (set! {i} (+ {i} 1)) (display {i}))"

    def index(self, ints: tuple[str, ...]) -> str:
        return self.pick("0", "1", "2", f"(modulo {self.pick(*ints)} {ITEMS})")

    def test(self, ints: tuple[str, ...], vectors: tuple[str, ...]) -> str:
        a, b = self.expr(ints, vectors, 1), self.expr(ints, vectors, 1)
        return self.pick(f"(< {a} {b})", f"(= {a} {b})", f"(and (> {a} 0) (not (= {b} 1)))")

    def expr(self, ints: tuple[str, ...], vectors: tuple[str, ...], depth: int) -> str:
        forms = ["leaf", "leaf", "add", "item", "assign", "arm"] if depth else ["leaf"]
        form = self.pick(*forms, *(["call", "call"] if depth and self.procedures else []))
        if form == "leaf":
            return self.pick(*ints, "0", "7", "(car h)", "(length h)")
        if form == "item":
            return f"(vector-ref {self.pick(*vectors)} {self.index(ints)})"
        a, b = (self.expr(ints, vectors, depth - 1) for _ in range(2))
        match form:
            case "add":
                return f"(modulo (+ {a} (* 3 {b})) 1009)"
            case "call":
                return f"({self.pick(*self.procedures)} {a} {b})"
        y = self.pick(*ints)
        if form == "assign":
            return f"(begin (set! {y} {a}) (modulo (- {b} {y}) 101))"
        return f"(if (< {a} {b}) {y} (begin (set! {y} {a}) {b}))"
