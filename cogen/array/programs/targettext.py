"""A checked array program -> the text that it is compiled to, and the loops under that."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from cogen import kept_programs
from cogen.lang.errors import CogenError

if TYPE_CHECKING:
    from cogen.array.l0.checked import CheckedProgram

TARGETS: Final = ("c", "opencl")


def source_text(
    program: CheckedProgram,
    target: str,
    entry: str = "main",
    real: str = "float64",
    int: str = "int64",
    loops: bool = False,
) -> str:
    """The text that a function of a program is compiled to; needs no compiler and no device. Or the
    `loops` that it is printed from, as `cogen.array.loops.read` reads them."""
    make = partial(_loops_text if loops else _source_text, program, target, entry, real, int)
    key = ("loops", target) if loops else (target,)
    return kept_programs.made("text", program.digest, *key, entry, real, int, make=make)


loops_text: Final = partial(source_text, loops=True)


def _source_text(program: CheckedProgram, target: str, entry: str, real: str, int: str) -> str:
    program.function(entry)
    a = program.arithmetic(real, int, entry)
    if target == "c":
        from cogen.array.c.nativeprogram import c_text

        return c_text(program, entry, arithmetic=a).text
    if target == "opencl":
        from cogen.array.opencl.deviceprogram import device_text

        return device_text(program, entry, a)
    raise no_target(target)


def _loops_text(program: CheckedProgram, target: str, entry: str, real: str, int: str) -> str:
    from cogen.array.loops.show import show
    from cogen.array.optimise.preparing import prepare

    program.function(entry)
    a = program.arithmetic(real, int, entry)
    if target == "c":
        from cogen.array.c.cprogram import loop_program

        return show(loop_program(prepare(program.facts, entry, arithmetic=a)).functions)
    if target == "opencl":
        from cogen.array.opencl.deviceprogram import DeviceCode, for_device

        ready = prepare(program.facts, entry, for_device(None), a)
        return show(DeviceCode(ready).kernels)
    raise no_target(target)


def no_target(target: str) -> CogenError:
    """The error of a target that there is not."""
    return CogenError(f"there is no target `{target}`", hint=f"there are {', '.join(TARGETS)}")
