"""Programs in L0 on an OpenCL device: the schedule is walked on the host, loops are kernels.

Scalars outside of loops are computed on the host; arrays stay on the device between kernels.
Sequential loops around parallel ones, conditionals and recursive functions run on the host. Which
loop becomes which kernels says `cogen.array.opencl.loopsaskernels`; a loop that no kernel can do is
interpreted (`cogen.array.ir.evaluate`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from cogen.array.c.runtimetext import operations
from cogen.array.codegen.errorsites import CodeUnit
from cogen.array.codegen.runnable import Checked, Native, Tracer
from cogen.array.codegen.survey import all_statements
from cogen.array.ir.graphtypes import GraphArray
from cogen.array.ir.marshal import LeafValue, PackedLeaf
from cogen.array.ir.node import (
    Multiloop,
    Node,
    Parameter,
)
from cogen.array.ir.packedboundary import sinks
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.runerrors import OUT_OF_MEMORY, too_deep
from cogen.array.loops.kernel_forms import FormDone
from cogen.array.loops.passes import KERNEL_PASSES, transform
from cogen.array.loops.printopencl import print_kernels
from cogen.array.opencl.bucketkernels import functions as bucket_functions
from cogen.array.opencl.device import Device, device
from cogen.array.opencl.devicememory import Memory, copy_text
from cogen.array.opencl.groupkeys import functions as grouping_functions
from cogen.array.opencl.host import Host
from cogen.array.opencl.hostvalues import HostArray
from cogen.array.opencl.kernelemitter import KernelUnit
from cogen.array.opencl.kernelplan import KernelPlan, is_finished_later
from cogen.array.opencl.loopsaskernels import plan
from cogen.array.opencl.preamble import preamble
from cogen.array.opencl.resident import Resident
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.preparing import Prepared, prepare
from cogen.array.schedule.schedule import Scheduled, Statement
from cogen.array.schedule.usage import key
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.printer import print_unit
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, InternalError


class DeviceCode:
    """The kernels of a program, and their text; needs no device."""

    def __init__(
        self,
        prepared: Prepared,
        off: frozenset[str] = frozenset(),
        verify: bool = False,
        after: FormDone | None = None,
    ) -> None:
        self.prepared = prepared
        self.program = CodeUnit(spans=dict(prepared.spans), arithmetic=prepared.arithmetic)
        functions = [prepared.entry, *prepared.functions.values()]
        self.overwrites = any(
            s.node.overwrites for function in functions for s in all_statements(function)
        )
        self.plans: dict[Statement, KernelPlan] = {}
        unit = KernelUnit(self.program, self.overwrites, off, verify, after)
        for function in functions:
            self._plan(unit, function, set())
        arithmetic = prepared.arithmetic
        self.kernels = transform(unit.kernels, KERNEL_PASSES, off, verify)
        printed, needed = print_kernels(self.kernels, arithmetic)
        helpers = [text for name, text in operations(arithmetic).items() if name in needed]
        if any("buckets" in found.kernels for found in self.plans.values()):
            helpers.append(bucket_functions(arithmetic))
        if any(_finishes(statement.node) for statement in self.plans):
            helpers.append(grouping_functions(arithmetic))
        items = [ct.CLibrary(text) for text in (preamble(arithmetic), *helpers, copy_text())]
        self.text = print_unit(ct.CUnit((*items, *printed)))

    def _plan(self, unit: KernelUnit, block: Scheduled, outside: set[object]) -> None:
        """Make the kernels of the loops that the host comes to."""
        here = outside | {key(p) for p in block.block.parameters}
        for statement in block.statements:
            node = statement.node
            found = None
            if node.is_loop:
                found = plan(unit, statement, here)
            if found is not None:
                self.plans[statement] = found
            elif not isinstance(node, Multiloop):
                for inner in statement.blocks:
                    self._plan(unit, inner, here)
            here.add(key(node))
            here.update([(node, number) for number in range(len(node.results))])


def _finishes(node: Node) -> bool:
    """Whether a loop's kernels leave something to those of `cogen.array.opencl.groupkeys`."""
    return isinstance(node, Multiloop) and any(map(is_finished_later, node.generators))


def device_text(program: Checked, entry: str, arithmetic: Arithmetic = WIDE) -> str:
    """The text of the kernels."""
    return DeviceCode(prepare(program.facts, entry, for_device(None), arithmetic)).text


def for_device(options: Options | None) -> Options:
    """The options for a device: tables by key are on the host, which would go through all
    iterations, so keys are numbered there, and kernels reduce by number. What collects streams is
    on the host, too, so what is made otherwise does not join it."""
    options = options or Options()
    return replace(options, off=options.off | {"hash-bucket", "chain-streams"})


def device_program(
    program: Checked,
    entry: str,
    options: Options | None = None,
    arithmetic: Arithmetic = WIDE,
    stays: bool = False,
) -> Native:
    """A function of a program on a device, where arrays of its results stay if that is wanted.
    CogenError if there is no device."""
    off = frozenset() if options is None else options.off
    code = DeviceCode(prepare(program.facts, entry, for_device(options), arithmetic), off)
    made = DeviceProgram(code, device(arithmetic.real_bits))
    made.stays = stays
    return made


class DeviceProgram(Native):
    """A program built for a device; calls take turns.

    Fewer iterations than `part` are not a part of their own.
    """

    part = 256
    grouped = False
    """Whether the items of a group share buckets on a processor, too."""
    stays = False
    """Whether arrays of the result stay on the device."""
    lanes: bool
    """Whether loops are done in lanes (`cogen.array.loops.widen`): on processors."""

    def __init__(self, code: DeviceCode, on: Device) -> None:
        self.code = code
        self.source = code.text
        self.device = on
        self.lanes = on.is_cpu
        self.lock = threading.Lock()
        try:
            self.built = on.cl.Program(on.context, code.text).build(on.options)
        except on.cl.Error as error:
            raise InternalError(f"the OpenCL compiler refuses the kernels: {error}") from None
        self.memory = Memory(on, self.built, code.prepared.arithmetic)

    def __call__(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        with self.lock:
            if self.code.prepared.functions:
                return on_deep_stack(self._run, leaves, sizes, trace)
            return self._run(leaves, sizes, trace)

    def kernel_seconds(self, run: Callable[[], object]) -> float:
        """How long the device was busy with kernels while something ran that calls the program."""
        events: list[Any] = []
        self.memory.events = events
        try:
            run()
        finally:
            self.memory.events = None
        return float(sum([event.profile.end - event.profile.start for event in events]) * 1e-9)

    def _run(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        host = Host(self, trace)
        function = self.code.prepared.module.entry
        arguments: list[Any] = list(sizes)
        for parameter, leaf in zip(function.parameters, leaves, strict=True):
            if not isinstance(parameter.type, GraphArray):
                arguments.append(leaf)
                continue
            if isinstance(leaf, Resident):
                arguments.append(self._resident(leaf, parameter))
                continue
            if isinstance(leaf, PackedLeaf):
                leaf = leaf.array()
            bring = host.memory.upload if parameter.unique else host.memory.borrow
            arguments.append(bring(leaf, parameter.type.element))
        try:
            found = host.function(function, self.code.prepared.entry, arguments)
            nodes = function.body.results[function.result_sizes :]
            stored = sinks(function)
            return [
                self._staying(value)
                if self.stays and own is None and isinstance(value, HostArray)
                else self._result(host, value, node)
                for value, node, own in zip(
                    found[function.result_sizes :], nodes, stored, strict=True
                )
            ]
        except RecursionError:
            raise too_deep(function.span) from None
        finally:
            self.memory.end()

    def _resident(self, leaf: Resident, parameter: Parameter) -> HostArray:
        """An argument that may be on the device already."""
        element = parameter.type.element  # type: ignore[union-attr]  # an array
        if leaf.memory.device is not self.device or leaf.dtype != self.memory.dtype(element):
            return self.memory.upload(leaf.numpy(), element)
        if parameter.unique:
            return self.memory.copy(leaf.array)
        self.memory.keep(leaf.array)
        return leaf.array

    def _staying(self, value: HostArray) -> Resident:
        """A result that stays: all of a buffer that is no argument's."""
        array = self.memory.dense(value)
        if array.offset or self.memory.is_lent(array):
            array = self.memory.copy(array)
        return Resident(array, self.memory)

    def _result(self, host: Host, value: Any, node: Node) -> LeafValue:
        """A result as the caller gets it; its node says where there is no room for it."""
        if not isinstance(value, HostArray):
            return value
        try:
            return host.memory.download(value, own=True)
        except (CogenError, MemoryError) as error:
            span = self.code.program.spans.get(node, self.code.prepared.module.entry.span)
            message = error.message if isinstance(error, CogenError) else OUT_OF_MEMORY
            raise CogenError(message, span) from None
