"""What the C functions of one procedure, or one top-level item, have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogen.backends.native.frames import FrameLayout
from cogen.backends.native.module import ProgramText
from cogen.backends.native.procedures import CompiledProcedure
from cogen.backends.native.regions import START, CodeNode, CodeRegions, returned_to
from cogen.backends.native.unboxed import unboxed_variables
from cogen.lang import il
from cogen.lang.ilutil import tail_atoms
from cogen.lang.usage import Usage

SELF: Final = "\0self"
"""Stands for the closure among the variables that are needed."""


class NativeContext:
    """What procedures and top-level items have in common: `procedure` is None for an item."""

    def __init__(
        self,
        module: ProgramText,
        procedure: CompiledProcedure | None,
        body: il.Block,
        exit: str,
        label: str,
    ) -> None:
        self.module = module
        self.procedure = procedure
        self.exit = exit
        self.label = label
        self.in_library = procedure is not None and procedure.in_library
        self.usage = Usage(body)
        self.regions = CodeRegions(body, exit, self._mentions, self.frame_site, self._starts())
        self.frames = FrameLayout(self.regions)
        self.floats = module.floats
        self.unboxed = unboxed_variables(self.regions, module.floats)
        self.codes: dict[str, str] = {}
        for name, node in self.regions.nodes.items():
            if node.is_function and name != START:
                self.codes[name] = module.names.fresh(f"{label} {name}")
        for name in sorted(self.regions.returns):
            self.codes[name] = module.names.fresh(f"{label} {returned_to(name)}")

    def _starts(self) -> frozenset[str]:
        return frozenset() if self.procedure is None else self.procedure.starts

    def frame_site(self, call: il.Call) -> int:
        """The site that the frame of a call tells; code that was a procedure's has no frame of its
        own for its tail calls, but for those that lead into a library."""
        if call.returned is None:
            return self.module.site(call.span)
        callee = self.module.procedures.called(call)
        into_library = isinstance(call.function, il.Prim) or (callee and callee.in_library)
        passes = into_library and not self.in_library
        return self.module.site(call.span if passes else call.returned)

    # What a block needs

    def resolve(self, name: str) -> str:
        """The variable, or SELF if the closure holds it."""
        procedure = self.procedure
        if procedure is None or not procedure.is_closed:
            return name
        return SELF if name in (*procedure.needs, procedure.function.name) else name

    def _needed(self, atom: il.Atom) -> Iterator[str]:
        """The variables that the value of an atom needs."""
        if not isinstance(atom, il.Var):
            return
        other = self.module.procedures.of_variable.get(atom.name)
        if other is None or other.is_closed:
            yield self.resolve(atom.name)

    def _mentions(self, block: il.Block) -> Iterator[str]:
        for binding in block.bindings:
            match binding:
                case il.Let(arguments=arguments):
                    for atom in arguments:
                        yield from self._needed(atom)
                case il.Fix(functions):
                    for function in functions:
                        made = self.module.procedures.of_variable[function.name]
                        if made.is_closed:
                            yield from map(self.resolve, made.needs)
        tail = block.tail
        if isinstance(tail, il.Call):
            procedures = self.module.procedures
            callee = procedures.called(tail) or procedures.receiver(tail)
            if callee is not None and not callee.escapes:
                yield from map(self.resolve, callee.needs)
        for atom in tail_atoms(tail):
            yield from self._needed(atom)

    def parameters_of(self, node: CodeNode) -> list[str]:
        """What the C function of a continuation takes."""
        return [*node.parameters, *self.frames.passed[node.name]]
