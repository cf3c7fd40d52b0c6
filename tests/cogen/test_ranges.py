"""Variables that loops carry are 32 bits wide in C where their bounds allow it."""

from __future__ import annotations

import pytest

from cogen.backends.kernel import c
from cogen.backends.kernel.load import load as load_native
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from tests.cogen.native import native, residual
from tests.cogen.textbook import residual_of

pytestmark = pytest.mark.quick

MEMORY, INT = "(dynamic memory)", "(dynamic int)"

LOOP = """
(define (f a n)
  (let loop ((i (lift 0)) (x (lift {start})))
    (if (< i n)
        (loop (+ i 1) {step})
        x)))
"""


@pytest.mark.slow
@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("start", "step", "narrow"),
    [
        ("0", "(max x (bitwise-and (load-word a i) 255))", True),
        ("255", "(min x (bitwise-and (load-word a i) 255))", True),
        ("0", "(max -500 (min 500 (- (load-word a i) x)))", True),
        ("7", "(if (> x 100) 0 (+ x 1))", True),
        ("7", "(if (< 3 x 100) (- x 1) 50)", True),
        ("1", "(bitwise-xor 1 x)", True),
        ("0", "(+ x (load-word a i))", False),
        ("0", "(max x (load-word a i))", False),
        ("0", "(- x 1)", False),
        ("1", "(if (> x 100) x (* 2 i))", False),
    ],
)
def test_accumulators(start: str, step: str, narrow: bool) -> None:
    text = LOOP.format(start=start, step=step)
    residual = residual_of(text, "f", MEMORY, INT)
    assert (f"int32_t x = {start};" in c.emit(residual).text) is narrow
    buffer = bytes(i * 73 % 256 for i in range(120))
    interpreter = Interpreter(loads(text))
    interpreter.run()
    for n in (0, 1, 5, 30):
        assert load_native(residual)(buffer, n) == interpreter.call("f", [bytearray(buffer), n])


def test_with_wide_words_they_stay_as_wide() -> None:
    text = LOOP.format(start="0", step="(max x (bitwise-and (load-word a i) 255))")
    residual = residual_of(text, "f", MEMORY, INT, word_size=64)
    assert "int64_t x = 0;" in c.emit(residual).text


def test_a_test_inside_a_loop_that_the_bounds_decide_is_no_test_in_c() -> None:
    text = LOOP.format(start="0", step="(if (> i 5) (bitwise-and x 255) (max x 200))")
    residual = residual_of(text, "f", MEMORY, INT)
    assert "int32_t x = 0;" in c.emit(residual).text
    assert load_native(residual)(bytes(4), 9) == 200


def test_what_a_parameter_is_first_counts() -> None:
    """A parameter that a loop assigns may be anything in the first round."""
    made = residual(
        """
        (define down
          (lambda (i n) k
            ((let end (<= i '0))
             (if end
                 ((jump k n))
                 ((let unused (word-shift-left '15 n))
                  (let j (- i '1))
                  (call (global down) (j '5) k))))))
        (define main (lambda (n) k ((call (global down) ('4 n) k))))
        """,
        "main",
        "int",
        checked=True,
    )
    assert native(made)(3) == 5
    with pytest.raises(CogenError, match="the shift count -1 is negative"):
        native(made)(-1)


RECURSION = """
(define (f n)
  (if (< n 1) 0 (if (even? n) (+ 1 (if (< n {least}) {given} (f (- n 1)))) (f (- n 1)))))
"""


@pytest.mark.parametrize(("least", "given"), [(1, 0), (3, 7), (1, -1)])
def test_what_is_a_constant_or_given_by_a_call_is_both(least: int, given: int) -> None:
    text = RECURSION.format(least=least, given=given)
    interpreter = Interpreter(loads(text))
    interpreter.run()
    compiled = load_native(residual_of(text, "f", INT))
    for n in range(9):
        assert compiled(n) == interpreter.call("f", [n])


JUMPED_TO = """
(define (count n) (if (<= n 0) 0 (count (- n 1))))
(define (f a x i)
  (define (last acc)
    (let loop ((j (bitwise-and x 3)) (acc acc))
      (if (<= j 0) acc (loop (- j 1) (bitwise-and i 1048575)))))
  (if (even? (last x)) (count (lift 3)) (last x)))
"""


def test_a_loop_behind_arms_that_all_leave_is_looked_at() -> None:
    """It is reached by jumps, two of them with one and the same number."""
    made = residual_of(JUMPED_TO, "f", MEMORY, "(cyclic 5 1)", INT)
    assert "while (true)" not in c.emit(made).text
    compiled, interpreter = load_native(made), Interpreter(loads(JUMPED_TO))
    interpreter.run()
    for x in range(1, 40, 5):
        for i in range(4):
            assert compiled(bytearray(4), x, i) == interpreter.call("f", [bytearray(4), x, i])
