"""What rules of integers do with constants that an operation does not take."""

from __future__ import annotations

import pytest

from cogen.lang.errors import CogenError
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.rules import arith, compare
from tests.cogen.textbook import residual_of

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("op", [*arith.RULES, *compare.RULES])
def test_what_certainly_fails_is_told_at_once(op: str) -> None:
    constants = " ".join("'a" for _ in PRIMITIVES[op].arguments)
    with pytest.raises(CogenError, match="expected"):
        residual_of(f"(define (f x) ({op} {constants}))", "f", "_")
