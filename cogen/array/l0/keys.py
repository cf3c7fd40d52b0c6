"""Values as keys: what is one key, of what values are compared by.

0.0, -0.0    the key 0.0
nan, -nan    one key, nan, though no such value equals itself
"""

from __future__ import annotations

import math
import struct
from typing import Final, TypeVar

T = TypeVar("T")


def as_key(value: T) -> T:
    """A value, or a tuple of values, such that equal keys are equal and have one hash."""
    if isinstance(value, tuple):
        return tuple(map(as_key, value))  # type: ignore[return-value]  # as many of the same types
    if isinstance(value, float):
        return math.nan if value != value else value + 0.0  # type: ignore[return-value]  # a float
    return value


def bits_of(x: float, width: int) -> int:
    """The bits of a real of a width as a key."""
    return int.from_bytes(struct.pack(REAL_FORMATS[width], as_key(x)), "little")


REAL_FORMATS: Final = {32: "<f", 64: "<d"}
"""What `struct` calls reals by their widths."""
