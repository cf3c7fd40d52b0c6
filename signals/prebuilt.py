"""Kernels that platform wheels bring: machine code for the named formats, which needs no compiler.

    prebuilt/index.txt            a line for each kernel: the hash of its task
    prebuilt/LEVEL.so             all kernels, for processors of that level

The functions of a kernel are those of `cogen.signals.driver`, with its hash behind their names.
`buildhook/kernels.py` makes the files; a checkout and the pure wheel have none.
"""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cogen.signals.task import Task

FOLDER: Final = Path(__file__).with_name("prebuilt")
INDEX: Final = "index.txt"

_V2: Final = frozenset(["sse4_2", "ssse3", "popcnt", "cx16"])
_V3: Final = _V2 | {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm"}
_V4: Final = _V3 | {f"avx512{part}" for part in ("f", "bw", "cd", "dq", "vl", "vbmi", "_vbmi2")}

LEVELS: Final[dict[str, tuple[tuple[str, frozenset[str]], ...]]] = {
    "x86_64": (("x86-64-v4", _V4), ("x86-64-v3", _V3), ("x86-64-v2", _V2)),
    "aarch64": (("aarch64", frozenset()),),
}
"""For kinds of machines the levels of their processors, the best first, each with the flags of
/proc/cpuinfo that it needs."""


def key_of(task: Task) -> str:
    """What a kernel goes by: the same in every process of a release."""
    return hashlib.sha256(repr(task).encode()).hexdigest()[:16]


def prebuilt(task: Task) -> tuple[Path, str] | None:
    """The file that has a kernel for this processor, and what stands behind the names of its
    functions; None if there is none, or if CC or COGEN_CFLAGS ask for a compiler."""
    if os.environ.get("CC") or os.environ.get("COGEN_CFLAGS"):
        return None
    key = key_of(task)
    file = _file() if key in _index() else None
    return None if file is None else (file, f"_{key}")


@cache
def _index() -> frozenset[str]:
    try:
        return frozenset((FOLDER / INDEX).read_text(encoding="ascii").split())
    except OSError:
        return frozenset()


@cache
def _file() -> Path | None:
    """The file of the best level that this processor has."""
    flags = _flags()
    for level, needed in LEVELS.get(platform.machine(), ()):
        path = FOLDER / f"{level}.so"
        if needed <= flags and path.exists():
            return path
    return None


def _flags() -> frozenset[str]:
    """What the system says that the processor can do."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("flags"):
                    return frozenset(line.partition(":")[2].split())
    except OSError:
        pass
    return frozenset()
