"""Records of several types that meet in array programs of the Scheme-like language."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array import Program, of_scheme
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    Assert,
    Multiloop,
    Operation,
)
from cogen.lang.datum import Record
from cogen.lang.interp import Interpreter
from tests.cogen.array.targets import Ways
from tests.everyday import is_long

COMPLEX = """
(define-record-type cartesian (cart re im) cart? (re re) (im im))
(define-record-type polar (pol r phi) pol? (r r) (phi phi))
(define (->cart c) (if (cart? c) c (cart (* 2.0 (r c)) (+ (r c) (phi c)))))
"""


def program(text: str) -> Program:
    return of_scheme(cogen.loads(text, "u.scm"))


def test_the_listing_of_the_seed() -> None:
    """Rompf 2013, "unions and inheritance": the fields of both, null where absent."""
    text = COMPLEX + (
        "(define-array (main (xs (array bool)) (a float) (b float) (c float) (d float))"
        "  (array-map (lambda (x) (if x (cart a b) (pol c d))) xs))"
    )
    made = program(text)
    assert "if x then {0, a, b, 0.0, 0.0} else {1, 0.0, 0.0, c, d}" in made.text
    found = made.compile()([True, False], 1.0, 2.0, 3.0, 4.0)
    assert found.dtype.names == ("case", "re", "im", "r", "phi")
    assert found.tolist() == [("cartesian", 1.0, 2.0, 0.0, 0.0), ("polar", 0.0, 0.0, 3.0, 4.0)]


def test_no_union_is_left_of_what_is_consumed() -> None:
    """A test of a value that was just made is the test that made it."""
    text = COMPLEX + (
        "(define-array (main (xs (array float)))"
        "  (array-map (lambda (c) (re (->cart c)))"
        "    (array-map (lambda (x) (if (< x 0.0) (pol x 3.0) (cart x 0.0))) xs)))"
    )
    nodes = all_nodes(program(text).graph().entry.body)
    assert sum(isinstance(node, Multiloop) for node in nodes) == 1
    assert not any(isinstance(node, Assert) for node in nodes)
    assert [n.name for n in nodes if isinstance(n, Operation)] == ["real.lt", "real.mul"]


def test_the_type_of_a_record_that_is_known_is_not_asked_for() -> None:
    text = (
        COMPLEX + "(define-array (main (x float)) (->cart (if (< x 0.0) (cart x x) (cart 1.0 x))))"
    )
    assert "assert" not in program(text).text


CASES = {
    "literal": "(array (pol x 1.0) (cart x 2.0) (pol 2.0 x))",
    "three types": "(array-map (lambda (v) (let ((c (if (< 0.0 v) (cart v 1.0) (pol v 2.0))))"
    " (if (< v 2.0) c (one v 7)))) xs)",
    "three in one": "(array-map (lambda (v) (if (< v 2.0) (one v 7) (let ((c (if (< 0.0 v) (cart v "
    "1.0) (pol v 2.0)))) (if (< v 1.0) (->cart c) c)))) xs)",
    "filtered by type": "(array-map re (array-filter cart? (array-map mixed xs)))",
    "reduced": "(array-reduce (lambda (c d) (if (cart? c) (if (cart? d) (cart (+ (re c) (re d)) "
    "0.0) d) c)) (if (< 9.0 x) (pol 1.0 1.0) (cart 0.0 0.0)) (array-map mixed xs))",
    "reduced to one": "(array-reduce sum (cart 0.0 0.0) (array-map mixed xs))",
    "scanned": "(array-scan sum (cart 0.0 0.0) (array-map mixed xs))",
    "in tuples": "(array-map (lambda (t) (let-tuple (k c) t (if (= k 1) c (cart 1.0 1.0))))"
    " (array-map (lambda (v) (if (< 0.0 v) (tuple 1 (cart v 1.0)) (tuple 2 (pol v 2.0)))) xs))",
    "concatenated": "(array-concat (array-map (lambda (v) (cart v 1.0)) xs) (array-map mixed xs))",
    "arrays that meet": "(if (< x 1.0) (array-map (lambda (v) (array (cart v 1.0) (cart 1.0 v))) "
    "xs) (array-map (lambda (v) (array (pol v 1.0) (cart 2.0 v))) xs))",
    "pairs": "(array-map (lambda (p) (+ (car p) (cadr p) (cddr p) (if (pair? (cdr p)) 0.0 9.0)))"
    " (array-map (lambda (v) (cons v (cons 1.0 (* 2.0 v)))) xs))",
    "pairs and records": "(array-map (lambda (p) (if (pair? p) (car p) (re p))) (array-map (lambda "
    "(v) (if (< v 1.0) (cons v 2) (cart 0.5 v))) xs))",
    "pairs that are reduced": "(cdr (array-reduce (lambda (p q) (cons (+ (car p) (car q)) (max "
    "(cdr p) (cdr q)))) (cons 0.0 -9.0) (array-map (lambda (v) (cons v v)) xs)))",
    "pairs that are known": "(array-map (lambda (i) (cdr (vector-ref #((1 . 2.5) (3 . 4.5)) i))) "
    "(array 1 0 1))",
    "updated": "(let ((a (array-map mixed xs))) (vector-set! a 0 (pol 9.0 9.0)) "
    "(array-with a 1 (cart 8.0 8.0)))",
    "arrays in records": "(let ((c (if (< x 1.0) (many xs) (cart 1.0 2.0)))) (if (many? c) "
    "(array-reduce + 0.0 (all c)) (im c)))",
    "of the other type": "(array-map re (array-map mixed xs))",
    "one of no type here": "(array-map (lambda (c) (if (one? c) 1 0)) (array-map mixed xs))",
}
MORE = (
    COMPLEX
    + """
(define-record-type ones (one re k) one? (re one-re) (k k))
(define-record-type several (many xs) many? (xs all))
(define (real c) (if (cart? c) (re c) 0.5))
(define (sum c d) (cart (+ (real c) (real d)) 0.0))
(define (mixed v) (if (< 0.0 v) (cart v 1.0) (pol v 2.0)))
(define-array (main (xs (array float)) (x float)) {})
"""
)
XS = [1.5, -2.0, 0.5, 3.0, 0.0, -0.25]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("body", CASES.values(), ids=CASES.keys())
def test_records_of_several_types(body: str) -> None:
    ways = ("c-2", "c-plain") if is_long() or len(body) % 3 == 0 else ("c-2",)
    compare(MORE.format(body), [[XS, 0.5], [XS, 2.0]], ways)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["three types", "reduced", "arrays that meet"])
def test_records_of_several_types_on_devices(name: str) -> None:
    compare(MORE.format(CASES[name]), [[XS, 0.5]], ("opencl",))


def compare(text: str, calls: list[list[Any]], ways: tuple[str, ...]) -> None:
    """A program means the same in the language, interpreted as an array program, and compiled."""
    source = cogen.loads(text, "u.scm")
    made = of_scheme(source)
    interpreter, compiled = Interpreter(source), Ways(made)
    interpreter.run()
    for values in calls:
        failed = False
        try:
            expected = as_lists(interpreter.call("main", values))
        except cogen.CogenError:
            failed = True
        for call in (made.run, *[compiled(way) for way in ways]):
            if failed:
                with pytest.raises(cogen.CogenError, match="expected a record of type"):
                    call(*values)
                continue
            assert plain(call(*values)) == expected


def as_lists(x: Any) -> Any:
    """A datum as nested lists; a record as its type's name and its fields."""
    if isinstance(x, list):
        return [as_lists(e) for e in x]
    if isinstance(x, Record):
        return [x.type.name, *map(as_lists, x.values)]
    return x


FIELDS = {"cartesian": ("re", "im"), "polar": ("r", "phi"), "ones": ("re", "k")}


def plain(x: Any) -> Any:
    """A result likewise: of a union only the fields of the case."""
    if isinstance(x, np.void):
        return [str(x["case"]), *[x[name].item() for name in FIELDS[str(x["case"])]]]
    if isinstance(x, np.ndarray) and x.dtype.names:
        return [plain(e) for e in x]
    if isinstance(x, np.ndarray):
        return x.tolist()
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return [type(x).__name__, *map(plain, x)]
    return [plain(e) for e in x] if isinstance(x, tuple) else x


# Random programs: some types, functions that make and take values of several of them.

TYPES = {"a": ("x", "n"), "b": ("x", "y"), "c": ("n",)}
FLOATS = ("x", "y")


class Writer:
    """Writes expressions of records, and of floats."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def number(self, v: str) -> str:
        return self.random.choice([v, f"(+ {v} 1.0)", f"(* 2.0 {v})", "0.5"])

    def test(self, v: str) -> str:
        return f"(< {v} {self.random.choice(['-1.0', '0.0', '1.0', '2.0'])})"

    def record(self, v: str, depth: int, given: str = "") -> str:
        """A record of some type, of a number and maybe of another record."""
        choice = self.random.random()
        if given and choice < 0.3:
            return given
        if depth and choice < 0.7:
            then = self.record(v, depth - 1, given)
            otherwise = self.record(v, depth - 1, given)
            test = self.test(v)
            if given and self.random.random() < 0.6:
                test = f"({self.random.choice('abc')}? {given})"
            return f"(if {test} {then} {otherwise})"
        kind = self.random.choice("abc")
        fields = [self.number(v) if f in FLOATS else "7" for f in TYPES[kind]]
        return f"(make-{kind} {' '.join(fields)})"

    def looked_at(self, c: str, left: str = "abc") -> str:
        """A float by the type of a record."""
        if not left:
            return "-9.0"
        kind = self.random.choice(left)
        field = self.random.choice(TYPES[kind])
        own = f"({kind}-{field} {c})"
        own = own if field in FLOATS else f"(* 0.5 {own})"
        rest = left.replace(kind, "") if self.random.random() < 0.8 else ""
        return f"(if ({kind}? {c}) {own} {self.looked_at(c, rest)})"

    def program(self) -> str:
        types = "".join(
            [
                f"(define-record-type {k} (make-{k} {' '.join(fields)}) {k}? "
                f"{' '.join([f'({f} {k}-{f})' for f in fields])})"
                for k, fields in TYPES.items()
            ]
        )
        made = f"(array-map (lambda (v) {self.record('v', 3)}) xs)"
        again = f"(array-map (lambda (c v) {self.record('v', 2, 'c')}) {made} xs)"
        kept = f"(array-filter (lambda (c) (< {self.looked_at('c')} 2.0)) {again})"
        body = f"(array-map (lambda (c) {self.looked_at('c')}) {kept})"
        return f"{types}(define-array (main (xs (array float))) {body})"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(6))
def test_random_unions(seed: int) -> None:
    random = Random(seed)
    values = [random.randint(-8, 8) / 4 for _ in range(9)]
    compare(Writer(random).program(), [[values]], ("c-2",))


MISTAKES = {
    "(let ((c (array-ref (array-map mixed xs) 0))) (set-k! c 3) 1)": (
        "a record that may be of several types is changed"
    ),
    "(if (< x 0.0) (one 1.0 2) (one 1.0 2.0))": (
        "a conditional gives (record ones float int) in one arm and (record ones float float) in "
        "the other"
    ),
    "(array-typed '(union float (record ones float int)) x)": (
        "a union is of records of different names"
    ),
}


@pytest.mark.parametrize(("body", "message"), MISTAKES.items())
def test_what_does_not_meet_is_told(body: str, message: str) -> None:
    text = MORE.replace("(im im))", "(im im set-k!))", 1).format(body)
    with pytest.raises(cogen.CogenError) as told:
        program(text)
    assert told.value.message == message


def test_pairs_go_in_and_out() -> None:
    text = (
        "(define-array (main (ps (array (pair int float))))"
        "  (array-map (lambda (p) (cons (cdr p) (car p))) ps))"
    )
    made = program(text)
    for call in (made.run, made.compile()):
        found = call([{"car": 1, "cdr": 2.5}, {"car": 3, "cdr": 0.5}])
        assert found.dtype.names == ("car", "cdr")
        assert found.tolist() == [(2.5, 1), (0.5, 3)]


def test_a_union_is_a_type_of_parameters() -> None:
    declared = "(array (union (record polar float float) (record cartesian float float)))"
    text = COMPLEX + (
        f"(define-array (main (cs {declared})) (array-map (lambda (c) (if (pol? c) (r c) 1.0)) cs))"
    )
    values = [{"case": "polar", "r": 3.0, "phi": 2.0}, {"case": "cartesian", "re": 5.0, "im": 2.0}]
    assert program(text).compile()(values).tolist() == [3.0, 1.0]
    residual = cogen.specialize(
        cogen.loads(
            COMPLEX + "(define (f cs) (array-map (lambda (c) (if (pol? c) (r c) 1.0)) cs))"
        ),
        "f",
        cogen.dynamic(declared),
    )
    assert residual.to_array().run(values).tolist() == [3.0, 1.0]
