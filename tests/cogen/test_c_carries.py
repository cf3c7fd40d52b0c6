"""C for the highest bit of small sums, and for signs: comparisons, with the same meaning."""

from __future__ import annotations

import shutil

import pytest

import cogen
from cogen.backends.kernel.load import load

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

SOURCE = """
(define (carry buffer constant down mask)
  (bitwise-and (arithmetic-shift (+ (load-word buffer 0) constant) (- down)) mask))

(define (sign buffer level)
  (word-shift-right (- (load-word buffer 0) level) 63))
"""

#        constant down mask: the bit of the sum that is left is not always the highest one
CARRIES = [
    (1, 8, -1), (128, 8, -1), (256, 8, -1), (100, 8, 1), (100, 5, 8), (100, 5, 4), (128, 0, 256),
    (200, 7, 1), (200, 3, 32), (300, 8, 1), (300, 8, 2), (300, 9, 1), (-100, 8, 1), (0, 7, 1),
]  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("constant", "down", "mask"), CARRIES)
def test_a_bit_of_a_sum(constant: int, down: int, mask: int) -> None:
    residual = cogen.specialize(
        cogen.loads(SOURCE, "carries.scm"), "carry", cogen.dynamic("memory"),
        *map(cogen.static, (constant, down, mask)), word_size=8,
    )  # fmt: skip
    function = load(residual.program)
    for x in range(256):
        assert function(bytes([x])) == ((x + constant) >> down) & mask


def test_a_carry_is_a_comparison() -> None:
    residual = cogen.specialize(
        cogen.loads(SOURCE, "carries.scm"), "carry", cogen.dynamic("memory"),
        *map(cogen.static, (100, 8, 1)), word_size=8,
    )  # fmt: skip
    assert ">= 156" in residual.c


@pytest.mark.parametrize("level", [0, 1, 128, 256])
def test_a_sign(level: int) -> None:
    residual = cogen.specialize(
        cogen.loads(SOURCE, "carries.scm"),
        "sign",
        cogen.dynamic("memory"),
        cogen.static(level),
        word_size=8,
    )
    function = load(residual.program)
    for x in range(256):
        assert function(bytes([x])) == (x < level)
