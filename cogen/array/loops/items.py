"""Interprets kernels: work items, what their groups share, and errors.

    launch(machine, kernel, 512, 256, arguments)

The items of a work group are threads where they wait for each other, and else come one after the
other. The errors of items are left where the kernel's host finds them.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from cogen.array.loops import tree, treewalk
from cogen.array.loops.interpret import Failed, LoopCall, LoopMachine
from cogen.array.loops.meanings import number
from cogen.array.loops.memory import MemoryPlace, new_region, size_of, target_of
from cogen.array.loops.tree import (
    ERRORS,
    F64,
    I64,
    Kernel,
    Pointer,
    Statement,
    Type,
    Var,
    Vector,
)
from cogen.backends.failures import DEVICE_SLOTS


def launch(
    machine: LoopMachine, kernel: Kernel, items: int, group: int, arguments: Sequence[Any]
) -> None:
    """Run a kernel by so many items in groups of a size. An int as argument for an address that
    is local to a group is how many bytes it has there."""
    waits = any(map(_waits, treewalk.all_statements(kernel.body)))
    for first in range(0, items, group):
        shared = _WorkGroup(first // group, group, threading.Barrier(group))
        given = {
            p.name: shared.room(p.name, p.type, a) if _is_local(p.type) else a
            for p, a in zip(kernel.parameters, arguments, strict=True)
        }
        calls = [_Item(machine, {**given, kernel.part.name: first + n}, shared, n)
                 for n in range(group)]  # fmt: skip
        if waits:
            with ThreadPoolExecutor(group) as pool:
                list(pool.map(lambda call: call.run(kernel), calls))
            continue
        for call in calls:
            call.run(kernel)


@dataclass(slots=True)
class _WorkGroup:
    """What the items of a work group share."""

    number: int
    size: int
    barrier: threading.Barrier
    rooms: dict[str, MemoryPlace] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def room(self, name: str, t: Type, size: int) -> MemoryPlace:
        """The address of `size` bytes that the items share."""
        with self.lock:
            if name not in self.rooms:
                self.rooms[name] = MemoryPlace(new_region(size), 0, target_of(t))
            return self.rooms[name]


def _is_local(t: Type) -> bool:
    return isinstance(t, Pointer) and t.space == "local"


def _waits(statement: Statement) -> bool:
    """Whether an item waits for the others of its group here."""
    return isinstance(statement, tree.Do) and statement.value.function == "barrier"


class _Item(LoopCall):
    """A work item: a call of a kernel, `local` of its group."""

    def __init__(
        self, machine: LoopMachine, values: dict[str, Any], group: _WorkGroup, local: int
    ) -> None:
        super().__init__(machine, values)
        self.group = group
        self.local = local

    def run(self, kernel: Kernel) -> None:
        """Do what the kernel says, if there is anything to do for this item."""
        part = self.get(kernel.part)
        self.errors = self.get(ERRORS).moved(part * DEVICE_SLOTS)
        if kernel.items is None or part < self.value(kernel.items):
            with suppress(Failed):
                self.block(kernel.body)

    def note(self, failed: Failed) -> None:
        for at, detail in enumerate((failed.site, *failed.details)):
            self.errors.moved(at).store(detail)

    def room(self, variable: Var, size: int) -> MemoryPlace:
        if not _is_local(variable.type):
            return super().room(variable, size)
        bytes_ = size * size_of(target_of(variable.type))
        return self.group.room(variable.name, variable.type, bytes_)

    def invoke(self, function: str, arguments: Sequence[Any], t: Type) -> Any:
        match function, arguments:
            case "group", _:
                return self.group.number
            case "local_item", _:
                return self.local
            case "local_items", _:
                return self.group.size
            case "barrier", _:
                return self.group.barrier.wait()
            case "slot", (value,):
                pattern = "<i" if self.machine.arithmetic.real_bits == 32 else "<q"
                real = "<f" if pattern == "<i" else "<d"
                return struct.unpack(pattern, struct.pack(real, value))[0]
            case "real", (slot,):
                pattern = "<i" if self.machine.arithmetic.real_bits == 32 else "<q"
                real = "<f" if pattern == "<i" else "<d"
                return struct.unpack(real, struct.pack(pattern, slot))[0]
            case "vload", (place,):
                assert isinstance(t, Vector)
                return tuple([place.moved(lane).load() for lane in range(t.lanes)])
            case "vstore", (lanes, place):
                for lane, value in enumerate(lanes):
                    place.moved(lane).store(value)
                return None
            case "counting", _:
                assert isinstance(t, Vector)
                return tuple(range(t.lanes))
            case "lane", (lanes, lane):
                return lanes[lane]
        if function.startswith("into_"):
            return self.into(function, *arguments)
        return super().invoke(function, arguments, t)

    def into(self, function: str, place: MemoryPlace, value: Any) -> None:
        """Combine what is in a slot of the group's table with a value, in one step."""
        _, kind, word = function.split("_")
        meaning = self.machine.rows[f"{kind}.{word}"].meaning
        with self.group.lock:
            if kind == "int":
                place.store(number(I64, meaning(place.load(), value)))
                return
            old = self.invoke("real", [place.load()], F64)
            place.store(self.invoke("slot", [meaning(old, value)], I64))
