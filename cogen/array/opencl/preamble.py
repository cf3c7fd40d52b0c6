"""What stands before kernels, from the files of OpenCL C in `runtime/`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cogen.array.ir.operations import REAL_FUNCTIONS
from cogen.array.l0.arithmetic import Arithmetic
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.helpers import parts
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.types import INT

RUNTIME: Final = Path(__file__).with_name("runtime")

_OTHERS: Final = (
    "exp", "log", "pow", "sqrt", "fabs", "fmod", "copysign", "ldexp", "frexp", "atan2",
)  # fmt: skip
"""Functions of reals that code calls besides those that L0 names."""


def fp64() -> str:
    """What code with reals of 64 bits asks for."""
    return parts(RUNTIME / "preamble.cl")["fp64"]


def preamble(arithmetic: Arithmetic) -> str:
    """What stands before the kernels; nothing needs 64-bit floats where reals have 32 bits, and
    their functions have the names there that C has for them."""
    names = parts(RUNTIME / "preamble.cl")["names"]
    if arithmetic.real_bits == 64:
        return fp64() + names
    functions = [*_OTHERS, *dict.fromkeys(name for name, _ in REAL_FUNCTIONS.values())]
    defined = [ct.CDefine(f"{name}f", ct.CConstant(name, INT)) for name in functions]
    return names + print_unit(ct.CUnit(tuple(defined)))
