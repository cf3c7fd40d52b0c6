"""Runs the kernels of one statement on the device."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cogen.array.ir.generators import (
    combines,
    groups,
)
from cogen.array.ir.graphtypes import CERT, INT, GraphArray, element
from cogen.array.ir.node import (
    Loop,
    Multiloop,
    Yield,
)
from cogen.array.loops.group_reductions import GROUP as TOGETHER
from cogen.array.opencl.groupkeys import MOST_ITERATIONS, Grouping
from cogen.array.opencl.hostgroups import grouped, numbered
from cogen.array.opencl.hostvalues import (
    DeviceArray,
    Env,
    HostFill,
    number,
    slice_rows,
)
from cogen.array.opencl.kernelplan import KernelBuffer, KernelPlan, is_finished_later
from cogen.backends.failures import DEVICE_SLOTS, Noted, error_of

if TYPE_CHECKING:
    from cogen.array.opencl.host import Host


MOST_ITEMS: Final = 1 << 16
"""The most work items of one kernel where each has memory of its own."""

TABLES: Final = 4
"""How many work groups with a table of their own each unit of the device has."""

GROUP: Final = 256
"""How many items are a work group, of a kernel that has so many."""

PARTS: Final = 4
"""How many parts each core of a processor gets: one may be busy otherwise."""

GROUPS: Final = 8
"""How many work groups for each unit of a device put their reductions together."""

MEMORY_OF_PARTS: Final = 1 << 28
"""The most bytes that all parts together may have for themselves."""


class Launch:
    """The kernels of one statement, run once."""

    def __init__(self, host: Host, plan: KernelPlan, env: Env) -> None:
        self.host = host
        self.plan = plan
        self.env = env
        self.memory = host.memory
        self.node = plan.statement.node
        self.free = [self._free(number) for number in range(len(plan.free))]
        self.form = "main"
        self.table = 0
        self.arrays: dict[tuple[str, int, int], DeviceArray] = {}
        """The arrays of buffers, by role, generator and number."""

    def _free(self, number: int) -> Any:
        """A value from outside, as its parameters were made for."""
        free = self.plan.free[number]
        value = self.host.value(free.node, self.env)
        if free.kind == "dense":
            return self.memory.dense(value)
        if free.kind == "strided" and not isinstance(value, DeviceArray):
            return self.memory.copy(value)
        return value

    def run(self) -> None:
        node = self.node
        if isinstance(node, Loop):
            self._task(node)
            return
        assert isinstance(node, Multiloop)
        self.size = self.host.value(node.size, self.env)
        self.yields = node.yields()
        kernels = self.plan.kernels
        self.table = self._bytes_of_table()
        self.form = self._form()
        self.parts = self._count_parts()
        self.tables = self.parts // self._sharing() if self.table else self.parts
        self._make_buffers()
        for what in ("totals", "before", self.form, "join"):
            if what in kernels and not self._has_nothing_to_do():
                self._launch(what, 1 if what in ("before", "join") else self.parts)
                if what in ("totals", self.form):
                    self._check()
        self.parts = self.tables
        if "merge" in kernels:
            most = max([a.shape[0] for a in self._buckets()], default=0)
            if most:
                self._launch("merge", most)
        if "finish" in kernels:
            self._make_room()
            self._launch("finish", self.parts)
        self._bind()

    def _form(self) -> str:
        """The form of the main kernel for this device."""
        owner, kernels = self.host.owner, self.plan.kernels
        if self.table:
            return "buckets"
        if owner.lanes:
            return "lanes" if "lanes" in kernels else "main"
        if "groups" in kernels and owner.device.group >= TOGETHER:
            return "groups"
        return "nest" if "nest" in kernels else "main"

    def _has_nothing_to_do(self) -> bool:
        """Whether there is no item at all: a map of nothing, or of rows without elements."""
        columns = self._scratch_size(self.plan.columns) if self.form == "nest" else 1
        return self.plan.plain and (self.size == 0 or columns == 0)

    def _count_parts(self) -> int:
        """How many items share the iterations; of groups, how many there are."""
        if not self.plan.shared:
            return 1
        device = self.host.owner.device
        if self.form == "groups":
            wanted = -(-int(self.size) // TOGETHER)
            return max(1, min(wanted, GROUPS * device.units))
        if self.form == "nest":
            return max(1, int(self.size * self._scratch_size(self.plan.columns)))
        if self.plan.plain and self.form == "main":
            most = MOST_ITEMS if self.plan.turns else max(1, self.size)
            wanted = self.size
        else:
            most = device.units * (PARTS if device.is_cpu else 512)
            wanted = self.size // self.host.owner.part
        if self.table:
            group = self._sharing()
            return max(1, min(int(wanted) // group, device.units * TABLES)) * group
        own = self._bytes_of_part()
        if own:
            most = min(most, MEMORY_OF_PARTS // own)
        return max(1, min(int(wanted), most))

    def _sharing(self) -> int:
        """How many items share a table of buckets."""
        return min(GROUP, self.host.owner.device.group)

    def _bytes_of_table(self) -> int:
        """How large the table is that the items of a group share; 0 where they do not."""
        owner = self.host.owner
        if "buckets" not in self.plan.kernels or (owner.device.is_cpu and not owner.grouped):
            return 0
        size = sum([8 * self.host.value(y.bound, self.env) * y.generator.values
                    for y in self.yields])  # fmt: skip
        return size if size <= owner.device.local // 2 else 0

    def _bytes_of_part(self) -> int:
        """How much memory each part has for itself."""
        total: int = sum(
            [self._scratch_size(s) * self.memory.dtype(t).itemsize for _, t, s in self.plan.scratch]
        )
        for buffer in self.plan.buffers:
            if buffer.role == "own":
                buckets = self.host.value(self.yields[buffer.output].bound, self.env)
                total += buckets * self.memory.dtype(buffer.element).itemsize
        return total

    def _scratch_size(self, sizes: Sequence[str]) -> int:
        return prod([int(s) if s.isdecimal() else self._named(s) for s in sizes])

    def _named(self, name: str) -> Any:
        """The value of a parameter for a value from outside."""
        place, what = self.plan.names[name]
        value = self.free[place]
        match what:
            case "value":
                return number(value.value if isinstance(value, HostFill) else value)
            case "data":
                return value.buffer
            case "start" | "offset":
                return getattr(value, what)
        numbers = value.shape if what.startswith("shape") else value.strides
        return numbers[int(what[5:] if what.startswith("shape") else what[6:])]

    # Buffers.

    def _make_buffers(self) -> None:
        for buffer in self.plan.buffers:
            if buffer.role != "moved":
                self.arrays[buffer.role, buffer.output, buffer.number] = self._make(buffer)

    def _make(self, buffer: KernelBuffer) -> DeviceArray:
        t, y = buffer.element, self.yields[buffer.output]
        match buffer.role:
            case "target":
                return self._target(buffer)
            case "parts":
                return self.memory.new(t, (self.parts,))
            case "counts":
                return self.memory.new(t, (self.parts + 1,))
            case "taken":
                rows = self.host.sizes(y.taken[buffer.number].type, self.env)
                return self.memory.new(t, (self.size, *rows))
            case "own":
                buckets = self.host.value(y.bound, self.env)
                return self.memory.new(t, (self.tables, buckets))
            case "row":
                shape = self.host.sizes(y.neutral[buffer.number].type, self.env)
                return self.memory.new(t, shape)
            case "output" if combines(y.generator):
                buckets = self.host.value(y.bound, self.env)
                rows = self.host.sizes(y.neutral[buffer.number].type, self.env)
                return self.memory.new(t, (buckets, *rows))
            case _:
                values = y.neutral if y.generator.has_operator else y.values
                rows = self.host.sizes(values[buffer.number].type, self.env)
                return self.memory.new(t, (self.size, *rows))

    def _target(self, buffer: KernelBuffer) -> DeviceArray:
        """What is scattered into: the array itself, or a copy."""
        node, statement = self.node, self.plan.statement
        assert isinstance(node, Multiloop)
        position = 1 + len(node.inputs) + buffer.number
        position += sum([len(y.extras) for y in self.yields[: buffer.output]])
        array = self.host.operand(statement, position, self.env)
        return self.memory.dense(self.host.to_overwrite(array))

    def _buckets(self) -> list[DeviceArray]:
        return [
            array
            for (role, output, _), array in self.arrays.items()
            if role == "output" and combines(self.yields[output].generator)
        ]

    def _make_room(self) -> None:
        """Room for what conditional generators keep, now that it has been counted."""
        for buffer in self.plan.buffers:
            if buffer.role == "moved":
                own = is_finished_later(self.yields[buffer.output].generator)
                role = "taken" if own else "output"
                source = self.arrays[role, buffer.output, buffer.number]
                shape = (self._kept(buffer.output), *source.shape[1:])
                made = self.memory.new(buffer.element, shape)
                self.arrays["moved", buffer.output, buffer.number] = made

    def _kept(self, output: int) -> int:
        """How many iterations a conditional generator kept."""
        counts = self.arrays["counts", output, 0]
        place = self.parts if "join" in self.plan.kernels else 0
        return int(self.memory.element(counts, [place]))

    # Kernels.

    def _launch(self, what: str, items: int) -> None:
        if what in ("totals", self.form):
            size = self.parts * DEVICE_SLOTS if self.plan.fails else 1
            self.errors = self.memory.raw(np.zeros(size, np.int64))
            self.scratch = {
                name: self.memory.new(t, (self.parts * self._scratch_size(sizes),))
                for name, t, sizes in self.plan.scratch
            }
        if what == "groups":
            items *= TOGETHER
        arguments = [np.int64(items if what == "groups" else self.parts), self.errors]
        by_name = {buffer.name: buffer for buffer in self.plan.buffers}
        for name in self.plan.parameters:
            buffer = by_name.get(name)
            if name in self.scratch:
                arguments.append(self.scratch[name].buffer)
            elif buffer is None:
                arguments.append(self._argument(name))
            else:
                found = self.arrays.get((buffer.role, buffer.output, buffer.number))
                arguments.append(None if found is None else found.buffer)
        if what == "buckets":
            arguments.append(self.memory.cl.LocalMemory(self.table))
        # kernels leave out the items that are too many
        group = self._group(what, items)
        whole = -(-items // group) * group
        self.memory.run(self.plan.kernels[what], (whole,), (group,), *arguments)

    def _group(self, what: str, items: int) -> int:
        """How many items are a work group; a processor's cores take the parts one by one."""
        device = self.host.owner.device
        if what == "groups":
            return TOGETHER
        if what == "buckets":
            return self._sharing()
        if device.is_cpu and items <= PARTS * device.units:
            return 1
        return max(1, min(items, GROUP, device.group))

    def _argument(self, name: str) -> Any:
        value = self._named(name)
        place, what = self.plan.names[name]
        if what == "data":
            return value
        t = element(self.plan.free[place].node.type)
        if what != "value" or t.kind == "int":
            return np.int64(value)
        return self.memory.dtype(t).type(value)

    def _check(self) -> None:
        """Raise the error of the earliest iteration that failed."""
        if not self.plan.fails:
            return
        errors = np.empty((self.parts, DEVICE_SLOTS), np.int64)
        self.memory.cl.enqueue_copy(self.memory.queue, errors, self.errors)
        failed = np.flatnonzero(errors[:, 0])
        if len(failed):
            first = failed[np.argmin(errors[failed, 1])]
            number, _, *details = errors[first].tolist()
            raise error_of(self.host.code.program.sites.listed, Noted(number, details))

    # Results.

    def _bind(self) -> None:
        found: list[Any] = []
        for place, y in enumerate(self.yields):
            generator = y.generator
            conditional = y.counts and y.conditional
            if y.gives == 0:
                continue
            if is_finished_later(generator):
                found += self._finished(place, y)
                continue
            if conditional:
                kept = self._kept(place)
                found.append(kept)
            for item in range(generator.values):
                if ("target", place, item) in self.arrays:
                    found.append(self.arrays["target", place, item])
                elif ("output", place, item) in self.arrays:
                    role = "moved" if ("moved", place, item) in self.arrays else "output"
                    array = self.arrays[role, place, item]
                    found.append(slice_rows(array, 0, kept) if conditional else array)
                elif ("row", place, item) in self.arrays:
                    found.append(self.arrays["row", place, item])
                else:
                    found.append(self.memory.element(self.arrays["parts", place, item], [0]))
        self.host.bind_results(self.node, found, self.env)

    def _finished(self, place: int, y: Yield) -> list[Any]:
        """What a generator gives, of which the kernels have stored the keys."""
        generator = y.generator
        size = self._kept(place) if y.conditional else self.size
        width = generator.keys + generator.values
        roles = ["moved" if ("moved", place, k) in self.arrays else "taken" for k in range(width)]
        stored = [self.arrays[role, place, k] for k, role in enumerate(roles)]
        taken = [self.memory.dense(slice_rows(array, 0, size)) for array in stored]
        if self.size <= MOST_ITERATIONS:
            return self._on_device(place, y, taken, size)
        keys, *values = [self.memory.download(array) for array in taken]
        if groups(generator):
            limits = self.host.value(y.bound, self.env)
            offsets, order = grouped(keys, limits)
            made = [self.memory.upload(offsets, INT)]
            for array, value in zip(taken[1:], values, strict=True):
                made.append(self.memory.upload(value[order], array.element))
            return [*made, *[size] * y.totals]
        count, different, numbers = numbered([keys, *values])
        found = [
            self.memory.upload(part, array.element)
            for part, array in zip(different, taken, strict=True)
        ]
        return [count, *found, self.memory.upload(numbers, INT)]

    def _on_device(self, place: int, y: Yield, taken: list[DeviceArray], size: int) -> list[Any]:
        """The same by kernels."""
        device = self.host.owner.device
        most = device.units * (PARTS if device.is_cpu else 512)
        parts = max(1, min(int(size) // self.host.owner.part, most))
        grouping = Grouping(self.memory, parts, min(GROUP, device.group))
        if groups(y.generator):
            limits = self.host.value(y.bound, self.env)
            begin, order = grouping.grouped(taken[0], limits)
            found = [begin, *[grouping.fetched(a, order, size) for a in taken[1:]]]
            return [*found, *[size] * y.totals]
        count, different, numbers = grouping.numbered(taken)
        return [count, *different, numbers]

    def _task(self, node: Loop) -> None:
        """A sequential loop as one item."""
        self.parts = 1
        for buffer in self.plan.buffers:
            shape: tuple[int, ...] = (1,)
            if buffer.role == "output":
                initial = self.host.value(node.initial[buffer.number], self.env)
                shape = initial.shape
            made = self.memory.new(buffer.element, shape)
            self.arrays[buffer.role, 0, buffer.number] = made
        self._launch("main", 1)
        self._check()
        found: list[Any] = []
        for place, t in enumerate(node.results):
            if t == CERT:
                found.append(True)
            elif isinstance(t, GraphArray):
                found.append(self.arrays["output", 0, place])
            else:
                found.append(self.memory.element(self.arrays["value", 0, place], [0]))
        self.host.bind_results(node, found, self.env)
