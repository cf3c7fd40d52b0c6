"""Programs in L0 as native code: checked program -> graph -> fused and scheduled -> C or OpenCL.

A compiled function takes and gives what `Program.run` takes and gives, and fails as it fails. It
may be called from several threads at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cogen.array.codegen.runnable import Native
from cogen.array.ir.marshal import LeafValue, from_leaves, to_leaves
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.pythonvalues import to_python
from cogen.array.l0.types import Type as Layout
from cogen.array.l0.types import show_type
from cogen.array.l0.values import Value
from cogen.array.l0.valuetext import show_value
from cogen.array.programs.targettext import no_target
from cogen.boundary import public_methods
from cogen.lang.errors import CogenError
from cogen.lang.shown import brief

if TYPE_CHECKING:
    from cogen.array.c.plaincall import PlainCall
    from cogen.array.optimise.optimisations import Options
    from cogen.array.programs.arrayprogram import Program


Trace = Callable[[str], None]


def to_standard_error(text: str) -> None:
    """What becomes of traced values if nothing else is said."""
    print(text, file=sys.stderr)


@public_methods
@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A function of a program, compiled."""

    program: Program
    entry: str
    target: str
    native: Native
    arithmetic: Arithmetic = WIDE
    plain: PlainCall | None = None
    """How it is called where nothing is to be converted."""

    def __repr__(self) -> str:
        types = ", ".join([show_type(t) for t in self.program.parameters(self.entry)])
        result = show_type(self.program.result(self.entry))
        return f"<native {brief(f'{self.entry}({types}) -> {result}')}, {self.target}>"

    @property
    def source(self) -> str:
        """The text of the generated code."""
        return self.native.source

    def __call__(self, *values: object, trace: Trace = to_standard_error) -> Any:
        """The result: int, float, bool, str, tuples, NumPy arrays that own their memory.

        CogenError where a value does not have its parameter's type, or the program fails. Arrays
        are not copied where they have no gaps and elements of the dtypes that the function
        computes with, except those that the function consumes: a call never changes its arguments.
        With `device=True` arrays of the result stay on the device
        (`cogen.array.opencl.resident.Resident`), and as arguments they are used there.
        """
        if self.plain is not None and len(values) == self.plain.count:
            given = self.plain(values)
            if given is not None:
                return self.plain.result(given)
        a = self.arithmetic
        result = self.program.result(self.entry)
        found = self._on_device(values) if self.target == "opencl" else None
        if found is None:
            found = self._leaves(self.program.arguments(values, self.entry, a))
        return to_python(self._call(*found, trace), result, copy=False, a=a)

    def _on_device(self, values: Sequence[object]) -> tuple[list[LeafValue], list[int]] | None:
        """The leaves of arguments and their sizes, where arrays on the device are used there."""
        from cogen.array.opencl.resident import StandIns, on_host

        stand_ins = StandIns()
        standing = list(map(stand_ins.value, values))
        if not stand_ins.residents:
            return None
        arguments = self.program.arguments
        try:
            leaves, sizes = self._leaves(arguments(standing, self.entry, self.arithmetic))
            found = stand_ins.leaves(leaves)
            if found is not None:
                return found, sizes
        except CogenError:  # told of what is really there
            pass
        given = list(map(on_host, values))
        return self._leaves(arguments(given, self.entry, self.arithmetic))

    def run_text(self, text: str, name: str = "<values>", trace: Trace = to_standard_error) -> str:
        """The same with values as text, and the result as text."""
        arguments = self.program.arguments_of_text(text, self.entry, name, self.arithmetic)
        found = self._call(*self._leaves(arguments), trace)
        return show_value(found, self.program.result(self.entry))

    def _leaves(self, arguments: Sequence[Value]) -> tuple[list[LeafValue], list[int]]:
        leaves: list[LeafValue] = []
        sizes: list[int] = []
        for value, t in zip(arguments, self.program.parameters(self.entry), strict=True):
            found, dimensions = to_leaves(value, t)
            leaves += found
            sizes += dimensions
        return leaves, sizes

    def _call(self, leaves: list[LeafValue], sizes: list[int], trace: Trace) -> Value:
        def traced(layout: Layout, values: list[LeafValue]) -> None:
            trace(show_value(from_leaves(values, layout), layout))

        return from_leaves(self.native(leaves, sizes, traced), self.program.result(self.entry))


def compile_program(
    program: Program,
    target: str,
    entry: str,
    threads: int | None = None,
    options: Options | None = None,
    arithmetic: Arithmetic = WIDE,
    device: bool = False,
) -> Compiled:
    """A function of a program for a target; with `device` its results stay there."""
    program.function(entry)
    if device and target == "c":
        raise CogenError(
            "the target c has no device on which results could stay",
            hint='compile("opencl", device=True)',
        )
    if target == "c":
        from cogen.array.c.nativeprogram import native_program
        from cogen.array.c.plaincall import plain_call

        native = native_program(program, entry, threads, options, arithmetic)
        plain = plain_call(native, program.function(entry), arithmetic)
        return Compiled(program, entry, target, native, arithmetic, plain)
    if target == "opencl":
        from cogen.array.opencl.deviceprogram import device_program

        native = device_program(program, entry, options, arithmetic, device)
        return Compiled(program, entry, target, native, arithmetic)
    raise no_target(target)
