"""What a case study is measured by: ways to compute the same, and how far apart they should be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from cogen.array.c.flags import OPTIONS, for_this_processor
from cogen.backends.objectcode.cache import shared_object
from cogen.examplefiles import folder

Way = Callable[[], Any]
"""One run: everything that a user would wait for but the first call's compilation."""

OURS: Final = "cogen"
HAND: Final = "C by hand"


def same(found: Any, expected: Any) -> bool:
    """Whether two answers are equal but for rounding: numbers, arrays, bytes, and tuples, lists and
    dictionaries of these."""
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(same(found[key], value) for key, value in expected.items())
        )
    if isinstance(expected, tuple | list):
        return (
            isinstance(found, tuple | list)
            and len(found) == len(expected)
            and all(map(same, found, expected))
        )
    if isinstance(expected, str | bytes):
        return bool(found == expected)
    a, b = np.asarray(found), np.asarray(expected)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-9, atol=1e-9))


@dataclass(frozen=True, slots=True)
class Study:
    """A row of measurements: `ways` makes the data and gives the ways, ours (`OURS`) first.

    Ways whose package is not installed are left out.  `bars` says how many times as long as ours an
    opponent should take at least (1 / 1.1 for C by hand: ours may take 1.1 times as long).
    """

    title: str
    ways: Callable[[], Mapping[str, Way]]
    bars: Mapping[str, float] = field(default_factory=dict)
    same: Callable[[Any, Any], bool] = same


@cache
def example(name: str) -> ModuleType:
    """The module examples/cases/NAME.py; it imports its neighbours by their names, as when it is
    run."""
    cases = str(folder() / "cases")
    sys.path.insert(0, cases)
    try:
        return import_module(name)
    finally:
        sys.path.remove(cases)


@cache
def by_hand(name: str, prototypes: str) -> tuple[Any, Any]:
    """The foreign function interface, and the compiled opponents of c/NAME.c: the same compiler and
    flags as ours."""
    import cffi

    text = (Path(__file__).parents[1] / "c" / f"{name}.c").read_text(encoding="utf-8")
    ffi = cffi.FFI()
    ffi.cdef(prototypes)
    return ffi, ffi.dlopen(str(shared_object(text, (*OPTIONS, *for_this_processor()))))
