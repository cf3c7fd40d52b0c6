"""Runs the loops of a program in their interpreter, called with leaves as compiled code is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cogen.array import Program
from cogen.array.c.cprogram import LoopProgram, loop_program
from cogen.array.c.entryfunction import consumed
from cogen.array.c.nativeprogram import padded, scalar_of
from cogen.array.codegen.runnable import Native, Tracer
from cogen.array.ir.graphtypes import CERT, GraphArray, ScalarType
from cogen.array.ir.layout import leaves_of
from cogen.array.ir.marshal import LeafValue, PackedLeaf
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.values import PackedValue
from cogen.array.loops import tree
from cogen.array.loops.expressions import number_type
from cogen.array.loops.interpret import Failed, LoopMachine
from cogen.array.loops.memory import ElementSlots, MemoryPlace, MemoryRegion
from cogen.array.loops.read import read
from cogen.array.loops.show import show
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.preparing import Prepared, prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.backends.failures import Noted, error_of
from cogen.lang.deep import on_deep_stack

EVERYTHING: Final = Options()


class Interpreted(Native):
    """The loops of a program, checked, written and read back."""

    def __init__(self, prepared: Prepared, off: frozenset[str], threads: int) -> None:
        self.function = prepared.module.entry
        self.arithmetic = prepared.arithmetic
        self.loops = loops_of(prepared, off)
        self.source = show(self.loops.functions)
        self.functions = read(self.source)
        assert self.functions == list(self.loops.functions)
        self.threads = threads

    def __call__(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        return on_deep_stack(self._run, leaves, sizes, trace)

    def _run(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        def traced(number: int, slots: MemoryPlace) -> None:
            layout = self.loops.program.traces[number].layout
            trace(layout, self._traced(layout, machine, slots))

        functions = [f for f in self.functions if isinstance(f, tree.Function)]
        machine = LoopMachine(functions, self.arithmetic, self.threads, traced)
        given, outs = self._arguments(leaves, sizes)
        kept = [value for at, value in enumerate(given) if at not in self.loops.gone]
        try:
            machine.call(functions[-1].name, kept)
        except Failed as failed:
            details = failed.details + [0] * 40
            sites = self.loops.program.sites.listed
            raise error_of(sites, Noted(failed.site, details)) from None
        found = [
            self._packed(out, self.loops.program.packed[at])
            if at in self.loops.program.packed
            else self._result(t, out)
            for at, (t, out) in enumerate(outs)
        ]
        return found[self.function.result_sizes :]

    def _packed(self, out: list[MemoryPlace], is_first: bool) -> LeafValue:
        if not is_first:
            return None
        size = out[2].load()
        data = np.frombuffer(bytes(out[0].load().bytes(size)), np.uint8)
        return PackedValue((size,), data, "")

    def _arguments(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int]
    ) -> tuple[list[Any], list[tuple[Any, list[MemoryPlace]]]]:
        """The arguments, and the places that results come to."""
        given: list[Any] = []
        for position, (parameter, value) in enumerate(
            zip(self.function.body.parameters, [*sizes, *leaves], strict=True)
        ):
            t = parameter.type
            if not isinstance(t, GraphArray):
                given.append(ord(value) if isinstance(value, str) else value)
                continue
            if isinstance(value, PackedLeaf):
                given += [
                    MemoryPlace(MemoryRegion(bytearray(padded(value.data)), 1), 0, tree.U8),
                    None,
                ]
                continue
            own = number_type(t.element.kind, self.arithmetic)
            data = np.ascontiguousarray(value, self.arithmetic.dtype(t.element.kind)).tobytes()
            taken = position in consumed(self.function)
            region = MemoryRegion(bytearray(data), 1)
            given += [MemoryPlace(region, 0, own), region if taken else None]
        outs: list[tuple[Any, list[MemoryPlace]]] = []
        for at, t in enumerate(self.function.results):
            packed = at in self.loops.program.packed
            places = [
                MemoryPlace(ElementSlots([None] * 8), 0, own) for own in self._types(t, packed)
            ]
            given += places
            outs.append((t, places))
        return given, outs

    def _types(self, t: Any, packed: bool = False) -> list[tree.Type]:
        """The types of what a result comes as."""
        if packed:
            return [tree.Pointer(tree.U8), tree.BLOCK, tree.I64]
        if isinstance(t, GraphArray):
            data = tree.Pointer(number_type(t.element.kind, self.arithmetic))
            return [data, tree.BLOCK, tree.I64]
        own = tree.BOOL if t.kind == "bool" else number_type(t.kind, self.arithmetic)
        return [] if t == CERT else [own]

    def _result(self, t: Any, out: list[MemoryPlace]) -> LeafValue:
        if not isinstance(t, GraphArray):
            found = out[0].load() if out else True
            return self._scalar(found, t)
        shape = [out[2].moved(k).load() for k in range(t.rank)]
        return self._array(out[0].load(), shape, t.element.kind)

    def _scalar(self, value: Any, t: Any) -> LeafValue:
        return chr(value) if isinstance(t, ScalarType) and t.kind == "char" else value

    def _array(self, place: MemoryPlace, shape: Sequence[int], kind: str) -> LeafValue:
        dtype = self.arithmetic.dtype(kind)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        return np.frombuffer(bytes(place.bytes(size)), dtype).reshape(shape).copy()

    def _traced(self, layout: Any, machine: LoopMachine, slots: MemoryPlace) -> list[LeafValue]:
        found: list[LeafValue] = []
        at = 0
        for leaf in leaves_of(layout).leaves:
            rank = len(leaf.dimensions)
            if not rank:
                found.append(scalar_of(slots.moved(at).load(), leaf.scalar.kind))
                at += 1
                continue
            shape = [slots.moved(at + 1 + k).load() for k in range(rank)]
            place = machine.addresses[slots.moved(at).load()]
            found.append(self._array(place, shape, leaf.scalar.kind))
            at += 1 + rank
        return found


def loops_of(prepared: Prepared, off: frozenset[str] = frozenset()) -> LoopProgram:
    return loop_program(prepared, off, verify=True)


def interpreted(
    program: Program,
    entry: str = "main",
    threads: int = 1,
    options: Options = EVERYTHING,
    arithmetic: Arithmetic = WIDE,
) -> Compiled:
    """A function of a program as loops, interpreted."""
    prepared = prepare(program.facts, entry, options, arithmetic)
    native = Interpreted(prepared, options.off, threads)
    return Compiled(program, entry, "loops", native, arithmetic=arithmetic)
