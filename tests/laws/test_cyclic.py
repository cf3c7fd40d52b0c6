"""Laws of cyclic integers: division by multiples of the base is division of the quotient."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.lang.interp import Interpreter

pytestmark = pytest.mark.quick

SOURCE = """
(define (f x)
  (let ((y (+ x {k})))
    (+ (* 1000000 ({op} y {d})) ({op} (* {m} y) (* {m} {d})))))
"""
OPERATIONS = {"floor-quotient": lambda x, d: x // d, "floor-remainder": lambda x, d: x % d}


@pytest.mark.slow
@settings(max_examples=max(60, settings().max_examples // 13))
@given(
    op=st.sampled_from(sorted(OPERATIONS)), base=st.integers(2, 40), times=st.integers(1, 12),
    rest=st.integers(0, 39), k=st.integers(-100, 100), m=st.integers(1, 3),
    quotients=st.lists(st.integers(-50, 50), min_size=4, max_size=4),
)  # fmt: skip
def test_division_by_a_multiple_of_the_base(
    op: str, base: int, times: int, rest: int, k: int, m: int, quotients: list[int]
) -> None:
    d, rest = base * times, rest % base
    text = SOURCE.format(op=op, k=k, d=d, m=m)
    residual = cogen.specialize(cogen.loads(text), "f", cogen.cyclic(base, rest)).program
    interpreter = Interpreter(residual.program, 32)
    interpreter.run()
    divide = OPERATIONS[op]
    for q in quotients:
        y = base * q + rest + k
        expected = 1000000 * divide(y, d) + divide(m * y, m * d)
        assert interpreter.call(residual.entry, [base * q + rest]) == expected


def test_what_is_left_of_the_base_is_known() -> None:
    """A sample of 16 bits at any index lies in one word of 32: nothing of the test is left."""
    text = "(define (f x) (if (<= (+ (floor-remainder x 32) 16) 32) 1 2))"
    residual = cogen.specialize(cogen.loads(text), "f", cogen.cyclic(16, 0))
    assert residual.statistics["residual blocks"] == 1
    assert residual.to_python()(48) == 1
