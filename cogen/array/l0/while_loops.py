"""Loops of L0 that end when a truth value that they carry does not hold any more.

    loop ({more, x} = {c, a}) = for i < WHILE do if more then {..., ...} else {more, x} in x

L0 counts its loops; one that counts to `WHILE`, more than any can make, and leaves all as it is
once `more` does not hold, is what other languages write as `while`.  All that runs L0 ends such a
loop where nothing changes any more (`cogen.array.loops.settle`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

WHILE: Final = 1 << 56
"""The bound of such loops: more iterations than any loop makes (`Arithmetic.max_iterations`)."""


def is_settled(before: Any, after: Any) -> bool:
    """Whether a round of such a loop left all as it was, its truth value being false: what such
    loops carry is a truth value, or a tuple that begins with one; where sizes of arrays come before
    all else, the first one in it."""
    carried = after if isinstance(after, tuple) else (after,)
    first = next((x for x in carried if isinstance(x, bool | np.bool_)), True)
    return not first and _same(before, after)


def _same(before: Any, after: Any) -> bool:
    """Whether numbers are the same; what is left as it is may be another object (an array)."""
    if isinstance(before, tuple) and isinstance(after, tuple):
        return all(_same(a, b) for a, b in zip(before, after, strict=True))
    if isinstance(before, int | float | np.generic):
        return repr(before) == repr(after)
    return True
