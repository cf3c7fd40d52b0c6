"""Programs in L0 on an OpenCL device: the schedule is walked on the host, loops are kernels.

Scalars outside of loops are computed on the host; arrays stay on the device between kernels.
Sequential loops around parallel ones, conditionals and recursive functions run on the host. Which
loop becomes which kernels says `cogen.array.codegen.kernels`; a loop that no kernel can do is
interpreted (`cogen.array.evaluate`).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from cogen.array.codegen.bucketkernels import FUNCTIONS
from cogen.array.codegen.device import Device, device
from cogen.array.codegen.emitter import Program
from cogen.array.codegen.frames import key
from cogen.array.codegen.host import Host, too_deep
from cogen.array.codegen.hostvalues import (
    HostArray,
    copy_text,
)
from cogen.array.codegen.kernelemitter import PREAMBLE, KernelUnit
from cogen.array.codegen.kernels import plan
from cogen.array.codegen.plan import Plan
from cogen.array.codegen.runtime import OPERATIONS
from cogen.array.codegen.survey import all_statements
from cogen.array.compiled import Native, Tracer
from cogen.array.marshal import LeafValue
from cogen.array.node import (
    Call,
    If,
    Loop,
    Multiloop,
    Region,
    Scatter,
    Update,
)
from cogen.array.optimisations import Options
from cogen.array.pipeline import Prepared, prepare
from cogen.array.program import Program as Source
from cogen.array.schedule import Scheduled, Statement
from cogen.array.types import ArrayType
from cogen.target import ctree as ct
from lang.deep import on_deep_stack
from lang.errors import InternalError


class DeviceCode:
    """The kernels of a program, and their text; needs no device."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.program = Program(spans=dict(prepared.spans))
        functions = [prepared.entry, *prepared.functions.values()]
        self.overwrites = any(
            isinstance(s.node, (Update, Call))
            or (
                isinstance(s.node, Multiloop)
                and any(isinstance(g, Scatter) for g in s.node.generators)
            )
            for function in functions
            for s in all_statements(function)
        )
        self.plans: dict[Statement, Plan] = {}
        unit = KernelUnit(self.program, self.overwrites)
        for function in functions:
            self._plan(unit, function, set())
        helpers = [text for name, text in OPERATIONS.items() if name in self.program.helpers]
        if any("grouped" in found.kernels for found in self.plans.values()):
            helpers.append(FUNCTIONS)
        items = [ct.Text(text) for text in (PREAMBLE, *helpers, copy_text())]
        self.text = ct.print_unit(ct.Unit((*items, *unit.texts)))

    def _plan(self, unit: KernelUnit, block: Scheduled, outside: set[object]) -> None:
        """Make the kernels of the loops that the host comes to."""
        here = outside | {key(p) for p in block.block.parameters}
        for statement in block.statements:
            node = statement.node
            found = None
            if isinstance(node, (Multiloop, Loop)):
                found = plan(unit, statement, here)
            if found is not None:
                self.plans[statement] = found
            elif isinstance(node, (If, Loop)):
                for inner in statement.blocks:
                    self._plan(unit, inner, here)
            here.add(key(node))
            if isinstance(node, Region):
                here.update([(node, number) for number in range(len(node.results))])


def device_text(program: Source, entry: str) -> str:
    """The text of the kernels."""
    return DeviceCode(prepare(program.facts, entry)).text


def device_program(program: Source, entry: str, options: Options | None = None) -> Native:
    """A function of a program on a device.  CogenError if there is no device."""
    return DeviceProgram(DeviceCode(prepare(program.facts, entry, options)), device())


class DeviceProgram(Native):
    """A program built for a device; calls take turns.

    Fewer iterations than `part` are not a part of their own.
    """

    part = 256
    grouped = False
    """Whether the items of a group share buckets on a processor, too."""

    def __init__(self, code: DeviceCode, on: Device) -> None:
        self.code = code
        self.source = code.text
        self.device = on
        self.lock = threading.Lock()
        try:
            self.built = on.cl.Program(on.context, code.text).build()
        except on.cl.Error as error:
            raise InternalError(f"the OpenCL compiler refuses the kernels: {error}") from None

    def __call__(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        with self.lock:
            if self.code.prepared.functions:
                return on_deep_stack(self._run, leaves, sizes, trace)
            return self._run(leaves, sizes, trace)

    def _run(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        host = Host(self, trace)
        function = self.code.prepared.module.entry
        arguments: list[Any] = list(sizes)
        for parameter, leaf in zip(function.parameters, leaves, strict=True):
            if not isinstance(parameter.type, ArrayType):
                arguments.append(leaf)
                continue
            bring = host.memory.upload if parameter.unique else host.memory.borrow
            arguments.append(bring(leaf, parameter.type.element))
        try:
            found = host.function(function, self.code.prepared.entry, arguments)
        except RecursionError:
            raise too_deep(function.span) from None
        results = found[function.result_sizes :]
        return [
            host.memory.download(value) if isinstance(value, HostArray) else value
            for value in results
        ]
