"""Array programs in the Scheme-like language that assign variables, and change arrays and"
     " records: they
mean what they mean there, and give the loops of their functional twins."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array import of_scheme
from cogen.array.report.fusionreport import report
from cogen.array.schedule.showschedule import show
from cogen.lang.datum import NIL, Pair
from cogen.lang.errors import LimitationError
from cogen.lang.interp import Interpreter

pytestmark = pytest.mark.quick


def as_data(value: Any) -> Any:
    """A result as lists; tuples of the language are tuples."""
    if isinstance(value, Pair):
        return (as_data(value.car), *as_data(value.cdr))
    if value is NIL:
        return ()
    if isinstance(value, tuple):
        return tuple(map(as_data, value))
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list):
        return [as_data(item) for item in value]
    return value


def meant(text: str, *arguments: Any) -> Any:
    """What the interpreter of the language gives."""
    interpreter = Interpreter(cogen.loads(text, "p.scm"))
    interpreter.run()
    copies = [[*map(list, a)] if a and isinstance(a, list) and isinstance(a[0], list)
              else list(a) if isinstance(a, list) else a for a in arguments]  # fmt: skip
    return as_data(interpreter.call("main", copies))


ROWS = "(define-array (main (m (array (array int)))) "
ARRAY = "(define-array (main (a (array int))) "
SIZE = "(define-array (main (n int)) "

PROGRAMS: list[tuple[str, list[Any]]] = [
    (ARRAY + "(let ((x 7)) (set! x 5) (array-map (lambda (y) (+ x y)) a)))", [[1, 2]]),
    ("(define-array (main (a (array int)) (c bool)) (let ((x (array-size a))) (if c (set! x 5))"
     " (array-map (lambda (y) (+ x y)) a)))", [[1, 2], True]),
    (ARRAY + "(let ((s 0) (t 1)) (do ((i 0 (+ i 1))) ((= i (array-size a)) (tuple s t))"
     " (if (even? (vector-ref a i)) (set! s (+ s (vector-ref a i)))"
     " (begin (set! t (* t (vector-ref a i))) (set! s (- s 1)))))))", [[1, 2, 3, 4]]),
    (ARRAY + "(let* ((s 0) (add! (lambda (x) (set! s (+ s x)))))"
     " (do ((i 0 (+ i 1))) ((= i (array-size a)) s) (add! (array-ref a i)))))", [[1, 2, 3]]),
    (ARRAY + "(let ((s 0)) (vector-for-each (lambda (x) (set! s (+ (* 2 s) x))) a) s))", [[1,
     2, 3]]),
    ("(define-array (main (a (array int)) (k (array int))) (let ((h (make-vector 10 0)))"
     " (do ((i 0 (+ i 1))) ((= i (array-size k)) h) (vector-set! h (vector-ref k i)"
     " (+ (vector-ref a i) (vector-ref h (vector-ref k i)))))))", [[1, 2, 3], [4, 4, 9]]),
    ("(define-array (main (n int) (m int)) (let ((h (make-vector n 0.0))) (do ((i 0 (+ i 1)))"
     " ((= i n))"
     " (let ((s 0.0)) (do ((j 0 (+ j 1))) ((= j m)) (set! s (+ s (inexact (* i j)))))"
     " (vector-set! h i s))) h))", [3, 4]),
    (ARRAY + "(let ((v (vector-copy a))) (let ((t (vector-ref v 0))) (vector-set! v 0"
     " (vector-ref v 1))"
     " (vector-set! v 1 t) (tuple v a))))", [[1, 2, 3]]),
    (ARRAY + "(let ((v (vector-copy a)) (n (vector-length a))) (do ((i 0 (+ i 1))) ((= i n) v)"
     " (do ((j 0 (+ j 1))) ((>= j (- n 1 i))) (if (> (vector-ref v j) (vector-ref v (+ j 1)))"
     " (let ((t (vector-ref v j))) (vector-set! v j (vector-ref v (+ j 1)))"
     " (vector-set! v (+ j 1) t)))))))", [[3, 1, 2]]),
    (SIZE + "(let ((s (make-vector n #t))) (do ((i 2 (+ i 1))) ((>= i n) (array-map"
     " (lambda (b) (if b 1 0)) s)) (if (vector-ref s i) (do ((j 0 (+ j 1))) ((>= j (quotient (-"
     " n 1) i)))"
     " (let ((k (* i (+ j 2)))) (if (< k n) (vector-set! s k #f))))))))", [12]),
    (SIZE + "(let loop ((i 0) (cur (array-iota n)) (next (array-replicate n 0))) (if (= i 3)"
     " cur (begin"
     " (do ((j 0 (+ j 1))) ((= j n)) (vector-set! next j (+ (vector-ref cur j)"
     " (vector-ref cur (modulo (+ j 1) n))))) (loop (+ i 1) next cur)))))", [5]),
    ("(define-array (main (n int) (c bool)) (let* ((h (array-iota n)) (g (if c h"
     " (array-replicate n 1))))"
     " (vector-set! g 0 7) (+ (vector-ref g 0) (vector-ref g 1))))", [4, True]),
    ("(define-array (main (c bool) (n int)) (let ((cur (array-iota n)) (other (array-replicate"
     " n 5)))"
     " (if c (set! cur other)) (vector-set! cur 0 100) (vector-ref cur 0)))", [True, 3]),
    ("(define-array (main (a (array int)) (k int)) (let ((add! (lambda (v i x) (vector-set! v i"
     " (+ x (vector-ref v i))))) (v (vector-copy a))) (add! v k 10) (add! v 0 20) v))", [[1, 2,
     3], 2]),
    ("(define (bump! v k) (vector-set! v k (+ 1 (vector-ref v k)))) (define-array (main (a"
     " (array int))"
     " (k int)) (let ((v (vector-copy a))) (do ((i 0 (+ i 1))) ((= i k) v) (bump! v i))))",
     [[1, 2, 3], 2]),
    (ARRAY + "(let ((v (vector-copy a 1 3)) (w (vector-copy a 2))) (vector-fill! v 0)"
     " (vector-append v w)))", [[1, 2, 3, 4]]),
    (ARRAY + "(array-map (lambda (x) (let ((v (make-vector 3 x))) (vector-set! v 1 (* x 2))"
     " (do ((i 0 (+ i 1))) ((= i x)) (vector-set! v 2 (+ i (vector-ref v 2))))"
     " (+ (vector-ref v 1) (vector-ref v 2)))) a))", [[1, 2, 3]]),
    (ROWS + "(let ((r (vector-ref m 1)) (q (vector-ref m 0))) (vector-set! r 0 9)"
     " (vector-set! (vector-ref m 0) 1 8) (tuple m r q)))", [[[1, 2], [3, 4]]]),
    (ROWS + "(let ((r (vector-ref m 1)) (s (vector-copy (vector-ref m 0)))) (vector-set! m 1 s)"
     " (tuple m r)))", [[[1, 2], [3, 4]]]),
    (ROWS + "(let ((r (vector-ref m 0))) (vector-fill! r 7) (vector-set! m 1 (vector-copy r)) m))",
     [[[1, 2], [3, 4]]]),
    ("(define-array (main (n int) (m int)) (let ((t (array-map (lambda (i) (array-replicate m i))"
     " (array-iota n)))) (do ((i 0 (+ i 1))) ((= i n) t) (vector-set! (vector-ref t i)"
     " (modulo i m) 100))))", [3, 4]),
    ("(define-record-type acc (make-acc sum count) acc? (sum acc-sum set-sum!) (count acc-count"
     " set-count!)) (define-array (main (a (array int))) (let ((r (make-acc 0 (vector-ref a 0))))"
     " (do ((i 0 (+ i 1))) ((= i (array-size a))) (set-sum! r (+ (acc-sum r) (array-ref a i)))"
     " (if (odd? (array-ref a i)) (set-count! r (+ (acc-count r) 1))))"
     " (tuple (acc-sum r) (acc-count r))))", [[1, 2, 3, 4]]),
    ("(define-record-type pos (make-pos x y) pos? (x pos-x set-x!) (y pos-y)) (define-array"
     " (main (a (array int)) (c bool)) (let* ((p (make-pos (vector-ref a 0) 1)) (q (if c p"
     " (make-pos 5 6)))) (set-x! q (+ 1 (pos-x q))) (tuple (pos-x q) (pos-y q))))", [[3], True]),
]  # fmt: skip


@pytest.mark.one_in(10)
@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_changes_mean_what_they_mean_in_the_language(number: int) -> None:
    text, arguments = PROGRAMS[number]
    program = of_scheme(cogen.loads(text, "p.scm"))
    assert as_data(program.run(*arguments)) == meant(text, *arguments)


@pytest.mark.slow
def test_changes_are_in_place_in_c() -> None:
    for number in (8, 17):
        text, arguments = PROGRAMS[number]
        compiled = of_scheme(cogen.loads(text, "p.scm")).compile()
        found = as_data(compiled(*[np.array(a) if isinstance(a, list) else a for a in arguments]))
        assert found == meant(text, *arguments)


REFUSED: list[tuple[str, str, tuple[int, int], tuple[int, int]]] = [
    ("(define-array (main (n int) (c bool))\n(let* ((h (array-iota n)) (g (if c h"
     " (array-replicate n 1))))\n"
     "(vector-set! g 0 7)\n(+ (vector-ref g 0) (vector-ref h 0))))",
     "`h` may be, or share a part with, an array that was changed under another name", (4, 21),
     (3, 1)),
    (ROWS + "\n(let ((s (vector-copy (vector-ref m 0))))\n(vector-set! m 1 s)\n(vector-set! s 0"
     " 5)\n"
     "(vector-ref m 0)))",
     "`m` may be, or share a part with, an array that was changed under another name", (5, 1),
     (4, 1)),
    (SIZE + "\n(let ((m (array-replicate n (array-replicate n 0))))\n(vector-set! (vector-ref m"
     " 0) 0 1)\nm))",
     "this row may be at several places of its array", (3, 1), (2, 10)),
    (ARRAY + "\n(let ((s 0))\n(array-map (lambda (x)\n(set! s (+ s x)) s) a)))",
     "the function of array-map changes what there was before", (3, 1), (4, 1)),
    (ROWS + "\n(array-map (lambda (r)\n(vector-set! r 0 1) r) m))",
     "the function may not change what array-map gives it", (3, 1), (2, 1)),
    ("(define-array (main (n int))\n(let ((a (array-iota n)))\n(let loop ((i 0) (cur a) (next"
     " (array-replicate n 0)))\n"
     "(if (= i n) (vector-ref a 0)\n(begin\n(vector-set! cur 0 (vector-ref next 1))\n(loop (+ i"
     " 1) next cur))))))",
     "`a` may be, or share a part with, an array that was changed under another name", (4, 13),
     (6, 1)),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_may_be_shared_is_refused_with_both_places(number: int) -> None:
    text, message, place, other = REFUSED[number]
    with pytest.raises(LimitationError) as caught:
        of_scheme(cogen.loads(text, "p.scm"))
    found = caught.value
    assert found.message == message
    assert found.span is not None
    assert (found.span.line, found.span.column) == place
    assert found.notes[0].span is not None
    assert (found.notes[0].span.line, found.notes[0].span.column) == other


TWINS = [
    (ARRAY + "(let ((x 7)) (set! x 5) (array-map (lambda (y) (+ x y)) a)))",
     ARRAY + "(array-map (lambda (y) (+ 5 y)) a))"),
    (ARRAY + "(let ((s 0)) (do ((i 0 (+ i 1))) ((= i (array-size a)) s) (set! s (+ s (array-ref"
     " a i))))))",
     ARRAY + "(array-loop ((s 0)) (i (array-size a)) (+ s (array-ref a i))))"),
    (SIZE + "(let ((h (make-vector n 0))) (do ((i 0 (+ i 1))) ((= i n)) (vector-set! h i (* i i)))"
     " (array-reduce + 0 h)))",
     SIZE + "(array-reduce + 0 (array-loop ((h (array-replicate n 0))) (i n) (array-with h i (*"
     " i i)))))"),
    (ARRAY + "(let ((v (vector-copy a))) (vector-set! v 0 1) (vector-set! v 0 2) (vector-ref v"
     " 0)))",
     ARRAY + "(vector-ref (array-with (array-with a 0 1) 0 2) 0))"),
    ("(define-array (main (a (array int)) (c bool)) (let ((x 0)) (if c (set! x (vector-ref a 0))"
     " (set! x (vector-ref a 1))) (array-map (lambda (y) (+ x y)) a)))",
     "(define-array (main (a (array int)) (c bool)) (let ((x (if c (vector-ref a 0) (vector-ref"
     " a 1))))"
     " (array-map (lambda (y) (+ x y)) a)))"),
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", range(len(TWINS)))
def test_imperative_programs_give_the_graph_of_their_functional_twins(number: int) -> None:
    graphs = []
    for text in TWINS[number]:
        program = of_scheme(cogen.loads(text, "p.scm"))
        found = report(program, "main").json()
        loops = [(loop["kind"], loop["path"]) for loop in found["soacs"]]
        graphs.append((loops, found["arrays"], show(program.graph("main"))))
    assert graphs[0] == graphs[1]


class Generator:
    """Random programs that assign two variables and change two arrays of `n` elements, and the"
     " names
    for them."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def int(self, depth: int, names: tuple[str, ...]) -> str:
        choice = self.random.randrange(6 if depth else 3)
        if choice == 0:
            return str(self.random.randrange(-3, 4))
        if choice == 1:
            return self.random.choice(["x", "y", "n", *names])
        if choice == 2:
            return f"(vector-ref {self.array()} {self.index(names)})"
        operator = self.random.choice(["+", "-", "max", "min"])
        return f"({operator} {self.int(depth - 1, names)} {self.int(depth - 1, names)})"

    def index(self, names: tuple[str, ...]) -> str:
        return f"(modulo {self.random.choice(['x', 'y', *names])} n)"

    def array(self) -> str:
        return self.random.choice(["v", "w", "u"])

    def statements(self, depth: int, names: tuple[str, ...]) -> str:
        count = self.random.randrange(1, 4)
        return " ".join([self.statement(depth, names) for _ in range(count)])

    def statement(self, depth: int, names: tuple[str, ...]) -> str:
        choice = self.random.randrange(9 if depth else 5)
        if choice < 2:
            return f"(set! {self.random.choice('xy')} (lift {self.int(2, names)}))"
        if choice < 4:
            return f"(vector-set! {self.array()} {self.index(names)} {self.int(2, names)})"
        if choice == 4:
            new = self.random.choice(
                ["(vector-copy v)", "w", f"(array-map (lambda (e) (+ e x)) {self.array()})"]
            )
            return f"(set! u {new})"
        if choice < 7:
            test = f"(< {self.int(1, names)} {self.int(1, names)})"
            arms = [self.statements(depth - 1, names) for _ in range(2)]
            return f"(if {test} (begin {arms[0]}) (begin {arms[1]}))"
        i = f"i{len(names)}"
        inner = self.statements(depth - 1, (*names, i))
        return f"(do (({i} (lift 0) (+ {i} 1))) ((>= {i} n)) {inner})"

    def program(self) -> str:
        return (
            "(define-array (main (n int) (a (array int)))"
            " (let* ((x n) (y 1) (v (vector-copy a)) (w (array-iota n)) (u v))"
            f" {self.statements(3, ())} (tuple x y {self.array()})))"
        )


def differs(seed: int) -> bool | None:
    """Whether a random program means something else as an array program; None if it is refused."""
    text = Generator(Random(seed)).program()
    arguments = [3, [5, -1, 2]]
    try:
        program = of_scheme(cogen.loads(text, "p.scm"))
    except LimitationError as error:
        if "changed under another name" in error.message:
            return None
        raise
    return as_data(program.run(*arguments)) != meant(text, *arguments)


@pytest.mark.slow
def test_random_imperative_programs() -> None:
    found = [differs(seed) for seed in range(8)]
    assert [seed for seed, wrong in enumerate(found) if wrong] == []
    assert found.count(None) < 6
