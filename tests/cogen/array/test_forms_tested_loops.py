"""Loops that tests end, in array programs of the Scheme-like language."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array import of_scheme
from cogen.lang.interp import Interpreter
from tests.cogen.array.targets import Ways

HEAD = """
(define-record-type cartesian (cart re im) cart? (re re) (im im))
(define-record-type polar (pol r phi) pol? (r r) (phi phi))
(define (half x) (if (even? x) (quotient x 2) (+ 1 (* 3 x))))
(define (steps n) (let next ((x (abs n)) (k 0)) (if (<= x 1) k (next (half x) (+ k 1)))))
(define-array (main (a (array int)) (n int) (z float)) {})
"""
CASES = {
    "whole": "(steps n)",
    "in a function": "(array-map steps a)",
    "in a reduction": "(array-reduce max 0 (array-map steps a))",
    "two ways out": "(let next ((i 0)) (if (= i (array-size a)) -1 (if (= n (array-ref a i)) i "
    "(next (+ i 1)))))",
    "three ways out": "(let next ((x z) (i (lift 0))) (cond ((< 30.0 x) (tuple x i 1)) ((= i n) "
    "(tuple z (* 2 i) 2)) ((< x 0.0) (tuple 0.0 i 3)) (else (next (+ x 1.5) (+ i 1)))))",
    "what the last round made": "(let next ((i (lift 0))) (let ((v (* 2 (array-ref a i)))) "
    "(if (< 7 v) (+ v 100) (next (+ i 1)))))",
    "in each other": "(let out ((i (lift 0)) (s 0)) (if (< 100 s) s (out (+ i 1) (let in ((j i) "
    "(t s)) (if (< (* j j) n) (in (+ j 1) (+ t j)) (+ t 1))))))",
    "a counted one in it": "(let out ((i (lift 0)) (s 0)) (if (< 100 s) (tuple i s) (out (+ i 1) "
    "(array-loop ((t s)) (j (+ i 1)) (+ t j)))))",
    "arrays": "(let next ((v a)) (if (< n (array-reduce + 0 v)) v (next (array-map (lambda (x) "
    "(+ x 1)) v))))",
    "arrays that grow": "(let next ((v a)) (if (< n (array-size v)) v (next (array-concat v a))))",
    "changes": "(let ((v (vector-copy a))) (let next ((i (lift 0)) (s 0)) (if (< n s) (tuple v s) "
    "(begin (vector-set! v (modulo i (array-size a)) s) (next (+ i 1) (+ s i))))))",
    "variables": "(let ((x n) (c 0)) (let next () (if (< 0 x) (begin (set! c (+ c (modulo x 2))) "
    "(set! x (quotient x 2)) (next)) (+ c 100))))",
    "do": "(do ((x n (quotient x 2)) (c 0 (+ c (modulo x 2)))) ((= x 0) c))",
    "bisection": "(let next ((lo 0.0) (hi (* z z))) (let ((m (/ (+ lo hi) 2.0))) (cond ((< (- hi "
    "lo) 1e-3) m) ((< (* m m) z) (next m hi)) (else (next lo m)))))",
    "records": "(let next ((c (cart z 0.0)) (i (lift 0))) (cond ((and (cart? c) (< 20.0 (re c))) c)"
    " ((= i n) c) ((cart? c) (next (pol (+ 3.0 (re c)) 1.0) (+ i 1))) (else (next (cart (+ (r c) "
    "(phi c)) 0.0) (+ i 1)))))",
    "an error": '(let next ((i (lift 0))) (if (= i (array-size a)) (error "not there:" n) (if (= '
    "n (array-ref a i)) i (next (+ i 1)))))",
    "greatest common divisors": "(array-map (lambda (x) (let next ((a (abs x)) (b n)) (if (= b 0) "
    "a (next b (modulo a b))))) a)",
    "changes in a function": "(array-map (lambda (x) (let ((v (vector-copy a))) (let next ((i "
    "(lift 0)) (s x)) (if (< n s) (+ s (vector-ref v 0)) (begin (vector-set! v (modulo i "
    "(array-size a)) s) (next (+ i 1) (+ 1 (abs s) i))))))) a)",
    "two arrays": "(let ((v (vector-copy a)) (w (vector-copy a))) (let next ((i (lift 0))) (if (< "
    "n (vector-ref v (modulo i 8))) (tuple v w) (begin (vector-set! v (modulo i (array-size a)) i) "
    "(vector-set! w 0 (vector-ref v 1)) (next (+ i 1))))))",
    "exchange": "(let next ((v a) (w (array-map (lambda (x) (* 2 x)) a)) (i (lift 0))) (if (< n i) "
    "(tuple v w) (next w v (+ i 1))))",
    "bubbles": "(let ((v (vector-copy a))) (let pass () (let inner ((i (lift 0)) (changed #f)) (if "
    "(< (+ i 1) (array-size a)) (let ((x (vector-ref v i)) (y (vector-ref v (+ i 1)))) (if (< y x) "
    "(begin (vector-set! v i y) (vector-set! v (+ i 1) x) (inner (+ i 1) #t)) (inner (+ i 1) "
    "changed))) (if changed (pass) v)))))",
    "sieve": "(let ((v (make-vector (+ n 1) 1))) (let next ((p 2)) (if (< n (* p p)) v (begin (let "
    "mark ((k (* p p))) (if (<= k n) (begin (vector-set! v k 0) (mark (+ k p))))) (next (+ p "
    "1))))))",
    "rows": "(let next ((m (array-replicate 2 a)) (i (lift 0))) (if (< n (* i i)) m (next "
    "(array-with m (modulo i 2) (array-map (lambda (x) (+ x i)) a)) (+ i 1))))",
}
HOST = ("whole", "in a function", "two ways out", "arrays that grow", "changes", "bubbles", "rows")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("body", CASES.values(), ids=CASES.keys())
def test_loops_that_tests_end(body: str) -> None:
    calls = [[[3, -1, 4, 1, 5, -9, 2, 6], n, 2.25] for n in (12, 5)]
    compare(HEAD.format(body), calls, ("c-2",))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", HOST)
def test_loops_that_tests_end_on_devices(name: str) -> None:
    compare(HEAD.format(CASES[name]), [[[3, -1, 4, 1, 5, -9, 2, 6], 12, 2.25]], ("opencl",))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["two ways out", "in each other", "changes", "an error"])
def test_constants_where_loops_begin_need_no_lift(name: str) -> None:
    """What only a run ends is no longer for a counter that starts as a constant."""
    lifted, plain_ = (
        of_scheme(cogen.loads(HEAD.format(CASES[name].replace("(lift 0)", start)), "w.scm")).text
        for start in ("(lift 0)", "0")
    )
    assert plain_ == lifted


def compare(text: str, calls: list[list[Any]], ways: tuple[str, ...]) -> None:
    """A program means the same in the language, interpreted as an array program, and compiled."""
    source = cogen.loads(text, "w.scm")
    program = of_scheme(source)
    interpreter, compiled = Interpreter(source), Ways(program)
    interpreter.run()
    for values in calls:
        expected: Any
        try:
            expected = as_lists(interpreter.call("main", values))
        except cogen.CogenError as error:
            expected = error.message.partition(":")[0]
        for call in (program.run, *[compiled(way) for way in ways]):
            if isinstance(expected, str):
                with pytest.raises(cogen.CogenError, match=expected):
                    call(*values)
            else:
                assert plain(call(*values)) == expected


def as_lists(x: Any) -> Any:
    """A datum as lists; a record as its fields."""
    if isinstance(x, list):
        return [as_lists(e) for e in x]
    if hasattr(x, "values"):
        return [as_lists(e) for e in x.values]
    if hasattr(x, "car"):
        return [as_lists(x.car), *(as_lists(x.cdr) if hasattr(x.cdr, "car") else [])]
    return x


def plain(x: Any) -> Any:
    """A result likewise."""
    if isinstance(x, np.ndarray):
        return x.tolist()
    return [plain(e) for e in x] if isinstance(x, tuple) else x


class Writer:
    """Writes loops of ints: what they carry, when they leave, and what they give then."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0

    def number(self, names: list[str], depth: int = 2) -> str:
        if not depth or self.random.random() < 0.3:
            return self.random.choice([*names, str(self.random.randint(0, 9))])
        left, right = self.number(names, depth - 1), self.number(names, depth - 1)
        return self.random.choice([
            f"(modulo (+ {left} {right}) 97)", f"(modulo (* 3 {left}) 89)", f"(min {left} {right})",
            f"(array-ref a (modulo {left} (array-size a)))", f"(if (< {left} {right}) {left} 5)",
        ])  # fmt: skip

    def loop(self, names: list[str], depth: int) -> str:
        """A loop that leaves after so many rounds at the latest."""
        self.count += 1
        name, fuel = f"loop{self.count}", f"f{self.count}"
        own = [f"{x}{self.count}" for x in ("x", "y")[: self.random.randint(1, 2)]]
        inside = [*names, *own]
        body = self.round(name, fuel, own, inside, depth)
        starts = " ".join([f"({x} {self.number(names)})" for x in own])
        limit = self.random.randint(2, 9)
        return f"(let {name} (({fuel} (lift {limit})) {starts}) {body})"

    def round(self, name: str, fuel: str, own: list[str], names: list[str], depth: int) -> str:
        random = self.random
        choice = random.random()
        if choice < 0.3:
            value = self.number(names)
            if depth and random.random() < 0.6:
                value = self.loop(names, depth - 1)
            fresh = f"v{self.count}_{len(names)}"
            return (
                f"(let (({fresh} {value})) {self.round(name, fuel, own, [*names, fresh], depth)})"
            )
        if choice < 0.6:
            left, right = self.number(names), self.number(names)
            way = self.number(names) if random.random() < 0.5 else random.choice(own)
            rest = self.round(name, fuel, own, names, depth)
            return f"(if (< {left} {right}) {way} {rest})"
        nexts = " ".join([self.number(names) for _ in own])
        again = f"({name} (- {fuel} 1) {nexts})"
        if random.random() < 0.3:
            other = " ".join([self.number(names) for _ in own])
            again = f"(if (< {own[0]} 30) {again} ({name} (- {fuel} 1) {other}))"
        return f"(if (< {fuel} 1) {random.choice(names)} {again})"

    def program(self) -> str:
        whole = self.loop(["n"], 1)
        if self.random.random() < 0.5:
            whole = f"(array-map (lambda (e) {self.loop(['n', 'e'], 1)}) a)"
        return HEAD.format(whole)


# The program of seed 1 takes 12 s, more than all others.
@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long), *range(2, 9)])
def test_random_loops(seed: int) -> None:
    random = Random(seed)
    values = [[random.randint(0, 40) for _ in range(6)], random.randint(0, 40), 0.5]
    compare(Writer(random).program(), [values], ("c-2",))


def test_what_never_ends_is_told() -> None:
    with pytest.raises(cogen.CogenError, match="this loop never ends"):
        of_scheme(cogen.loads(HEAD.format("(let next ((i n)) (next (+ i 1)))"), "w.scm"))


def test_what_leaves_with_what_is_carried_carries_no_more() -> None:
    text = of_scheme(cogen.loads(HEAD.format("(steps n)"), "w.scm")).text
    assert "loop ({more, k, x} = {True, 0, abs(n)})" in text
