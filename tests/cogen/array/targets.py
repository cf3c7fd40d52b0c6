"""Ways to run a program in L0, for tests that compare them.

`way(program, entry, name)` gives a function that is called like `Compiled`. Loops are shared out
among threads, or parts of work items, however little they do, so that this is tested too.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pytest

from cogen.array import Program
from cogen.array.c.cprogram import c_program
from cogen.array.c.nativeprogram import CNative, NativeProgram
from cogen.array.codegen.runnable import Native
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.opencl.device import device
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram
from cogen.array.optimise.optimisations import NAMES, Options
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import CogenError

QUICK: Final = ("-O1",)
"""Compile quickly rather than well."""

LITTLE: Final = Options(off=frozenset(NAMES) - {"inline"})
"""No optimisations."""

WAYS: Final = ("c-1", "c-2", "c-plain", "opencl", "lanes")
"""C with one thread, with two, with two and without optimisations; OpenCL as on other devices than
processors, and in lanes."""


MOST_KEPT: Final = 32
"""So many compiled forms are kept for other tests of the same program."""

_MADE: dict[tuple[Hashable, ...], Native] = {}


@cache
def has_device() -> bool:
    try:
        device()
    except CogenError:
        return False
    return True


def need_device(way: str = "opencl") -> None:
    """Leave the test out if it wants a device (`way` is one of OpenCL) and there is none."""
    if way in ("opencl", "lanes") and not has_device():
        pytest.skip("there is no OpenCL device here; .ci/run installs one")


@dataclass
class Ways:
    """The compiled forms of one function."""

    program: Program
    entry: str = "main"
    arithmetic: Arithmetic = WIDE

    def __post_init__(self) -> None:
        self.made: dict[str, Native] = {}

    def __call__(self, name: str) -> Compiled:
        need_device(name)
        kind = name if name in ("opencl", "lanes", "c-plain") else "c"
        if kind not in self.made:
            self.made[kind] = self._found(kind)
        native = self.made[kind]
        if isinstance(native, CNative):
            native.threads = 1 if name == "c-1" else 2
        target = "opencl" if kind in ("opencl", "lanes") else "c"
        return Compiled(self.program, self.entry, target, native, self.arithmetic)

    def _found(self, kind: str) -> Native:
        """The form, or what was made of the same text: several tests of it make each form once."""
        source = self.program.source
        key = source.name, source.text, self.program.text, self.entry, self.arithmetic, kind
        native = _MADE.pop(key, None) or self._make(kind)
        _MADE[key] = native  # the last
        while len(_MADE) > MOST_KEPT:
            del _MADE[next(iter(_MADE))]
        return native

    def _make(self, kind: str) -> Native:
        a = self.arithmetic
        options = LITTLE if kind == "c-plain" else Options()
        ready = prepare(self.program.facts, self.entry, options, a)
        if kind in ("opencl", "lanes"):
            made = DeviceProgram(DeviceCode(ready), device(a.real_bits))
            made.lanes = kind == "lanes"
            made.part = 40 if made.lanes else 1
            return made
        off = options.off
        text = c_program(ready, off)
        code = NativeProgram(text, QUICK)
        code.grain = 0
        return CNative(code, 1)


def same(a: Any, b: Any) -> bool:
    """Whether two results are equal, in shape too; nan is nan."""
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        alike = a.dtype == b.dtype and a.shape == b.shape
        return alike and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    return type(a) is type(b) and (a == b or (a != a and b != b))
