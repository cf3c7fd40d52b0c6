"""The specializer of a generating extension: that of all programs, with one compiled in."""

from __future__ import annotations

from collections.abc import Sequence

from cogen.binding_times import BT, cyclic_leaves
from cogen.generating.machine import CompiledMachine
from cogen.generating.support import CodeOfProcedures
from cogen.lang import il
from cogen.lang.errors import Warnings
from cogen.residual import ResidualProgram
from cogen.specializer.analyses.analyses import Analyses
from cogen.specializer.specialization import Specializer
from cogen.specializer.versions.options import SpecializerOptions


class CompiledSpecializer(Specializer):
    """One specialization by a generating extension."""

    machine: CompiledMachine

    def __init__(
        self,
        code: CodeOfProcedures,
        program: il.Program,
        options: SpecializerOptions,
        warnings: Warnings,
        analyses: Analyses | None,
    ) -> None:
        self._code = code
        super().__init__(program, options, warnings, analyses)

    def make_machine(self) -> CompiledMachine:
        return CompiledMachine(self.parts, self._code)

    def run(self, entry: str, bts: Sequence[BT]) -> ResidualProgram:
        context = self.context
        context.cyclic = context.auto.enabled or any(map(cyclic_leaves, bts))
        return super().run(entry, bts)

    def _drain(self) -> None:
        parts = self.parts
        self.machine.calls.ready = not (self.context.options.generalize or parts.sites.enabled)
        super()._drain()
