"""Options of the compiler for arrays: what the code relies on, and what suits the processor."""

from __future__ import annotations

import platform
from functools import lru_cache
from pathlib import Path
from typing import Final

OPTIONS: Final = ("-fopenmp", "-fwrapv", "-fno-math-errno", "-fno-trapping-math")
"""Further options of the compiler. None changes a result: ints wrap around; nobody looks at errno
and at floating point exceptions."""

WIDE: Final = "-mprefer-vector-width=512"
"""gcc uses half of the vectors of processors with AVX-512 unless it is asked for all. With half it
does not vectorise loops over bools and reals either: the conversion of masks is missing."""

TUNED: Final = "-mtune=sapphirerapids"
"""gcc tunes for the processor's model number, which a virtual machine may hide. What has half
floats in vectors (avx512_fp16) is no older than this; multiplications of ints there wait for the
old contents of their target, unless the compiler knows that."""


@lru_cache(maxsize=1)
def for_this_processor() -> tuple[str, ...]:
    """Options that make code faster here; a compiler that does not know them can do without."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ()
    return (WIDE, TUNED) if "avx512_fp16" in _features() else (WIDE,)


def attempts() -> list[tuple[str, ...]]:
    """Sets of options, from the best to the one that any compiler takes."""
    plain = tuple(option for option in OPTIONS if option != "-fopenmp")
    return [(*OPTIONS, *for_this_processor()), OPTIONS, plain]


def _features() -> list[str]:
    """What Linux calls the features of the processor; elsewhere none."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return next((line.split() for line in lines if line.startswith("flags")), [])
