"""Programs in L0 as native code: checked program -> graph -> fused and scheduled -> C or OpenCL.

A compiled function takes and gives what `Program.run` takes and gives, and fails as it fails. It
may be called from several threads at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cogen.array.convert import to_python
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.types import Type as Layout
from cogen.array.l0.types import show_type
from cogen.array.l0.values import Value
from cogen.array.l0.valuetext import show_value
from cogen.array.marshal import LeafValue, from_leaves, to_leaves
from cogen.array.runnable import Native
from cogen.array.targettext import no_target
from cogen.boundary import public_methods
from cogen.lang.shown import brief

if TYPE_CHECKING:
    from cogen.array.optimisations import Options
    from cogen.array.program import Program


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
        """
        a = self.arithmetic
        arguments = self.program.arguments(values, self.entry, a)
        result = self.program.result(self.entry)
        return to_python(self._call(arguments, trace), result, copy=False, a=a)

    def run_text(self, text: str, name: str = "<values>", trace: Trace = to_standard_error) -> str:
        """The same with values as text, and the result as text."""
        arguments = self.program.arguments_of_text(text, self.entry, name, self.arithmetic)
        return show_value(self._call(arguments, trace), self.program.result(self.entry))

    def _call(self, arguments: Sequence[Value], trace: Trace) -> Value:
        leaves: list[LeafValue] = []
        sizes: list[int] = []
        for value, t in zip(arguments, self.program.parameters(self.entry), strict=True):
            found, dimensions = to_leaves(value, t)
            leaves += found
            sizes += dimensions

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
) -> Compiled:
    """A function of a program for a target."""
    program.function(entry)
    if target == "c":
        from cogen.array.codegen.native import native_program

        native = native_program(program, entry, threads, options, arithmetic)
        return Compiled(program, entry, target, native, arithmetic)
    if target == "opencl":
        from cogen.array.codegen.opencl import device_program

        native = device_program(program, entry, options, arithmetic)
        return Compiled(program, entry, target, native, arithmetic)
    raise no_target(target)
