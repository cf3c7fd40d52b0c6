"""The kinds of processors that kernels have vectors for, and what of their operations GCC has no
words for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cogen.backends.ctree.helpers import parts


@dataclass(frozen=True, slots=True)
class VectorMachine:
    """A kind of processor: what the C compiler calls it, the bytes of a vector, those within which
    bytes change places, the sizes of lanes, and of those whose shifts may differ."""

    test: str
    vector: int
    granule: int
    sizes: tuple[int, ...]
    shifting: tuple[int, ...]
    tested: str
    """A template: which bytes have a bit of their mask, as the bits of one integer."""
    single: str
    """A template: 1 for each byte that is not 0."""
    reached: str
    """A template: which bytes are as great as another's, as the bits of one integer."""
    sums: str = ""
    """A template, if there are windows: for each word of 64 the sum of its bytes."""
    windows: str = ""
    """A template, if there is such an operation: for each byte eight bits of its word of 64, from
    the bit on that another vector has for it."""


MACHINES: Final = (
    VectorMachine(
        "defined __AVX512VBMI__ && defined __AVX512BW__", 64, 64, (16, 32, 64), (16, 32, 64),
        "cogen_tested64((cogen_bytes64){0}, (cogen_bytes64){1})",
        "cogen_single64((cogen_bytes64){0})",
        "cogen_reached64((cogen_bytes64){0}, (cogen_bytes64){1})",
        "cogen_sums64((cogen_bytes64){0})",
        "cogen_windows64((cogen_bytes64){0}, (cogen_bytes64){1})",
    ),
    VectorMachine(
        "defined __AVX2__", 32, 16, (16, 32, 64), (32, 64),
        "cogen_tested32((cogen_bytes32){0}, (cogen_bytes32){1})",
        "cogen_single32((cogen_bytes32){0})",
        "cogen_reached32((cogen_bytes32){0}, (cogen_bytes32){1})",
    ),
)  # fmt: skip
COMPILERS: Final = "(defined __clang__ || __GNUC__ >= 12)"

_TEXTS: Final = parts(Path(__file__).with_name("vectors.h"))

LIBRARY: Final = {
    ("cogen_tested", "cogen_single", "cogen_reached"): _TEXTS["byte_tests"],
    ("cogen_windows",): _TEXTS["windows"],
    ("cogen_sums",): _TEXTS["sums"],
}
"""What of C's library the templates of machines use."""
