"""Kernels that finish groups, and numbers of keys, of the keys that a loop's kernels stored.

Group: the items count the keys of their parts of the iterations; sums over parts and keys tell each
where its iterations go, in order, so sorting is stable.

    count     counts[part][key]          begin    where those of a key begin
    sum       ... of the parts before    place    order[begin[key] + counts[part][key]++] = i

Numbers: a table by hash has for each key the iteration that came first to its slot, put there by
an atomic operation, and the first of all, by another; those are numbered in order. A table that
gets too full is made again, larger.

    insert    slots, firsts, where[i]    named    which slot has which number, and its iteration
    firsts    how many in each part      give     numbers[i]

Keys of several parts lie side by side in rows of 64 bits. Then rows are fetched in the new order.
What has more than 2^31 iterations is left to the host (`cogen.array.opencl.hostgroups`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from cogen.array.ir.graphtypes import CHAR, INT
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.opencl.devicememory import Memory
from cogen.array.opencl.hostvalues import DeviceArray
from cogen.array.opencl.preamble import RUNTIME
from cogen.backends.ctree.helpers import parts

FIRST_TABLE: Final = 1 << 12
"""The slots of the first table; it is made larger where keys collide often."""

LARGER: Final = 16
MOST_PROBES: Final = 32
"""So many slots are looked at before a table is too full."""

MOST_SUMS: Final = 512
"""Each item of a sum adds up what those before have found."""

MOST_ITERATIONS: Final = (1 << 31) - 1
MEMORY_OF_COUNTS: Final = 1 << 27
"""The most bytes of the counts of all parts."""

_WORDS: Final = {1: "uint8_t", 4: "int32_t", 8: "int64_t"}


def functions(a: Arithmetic) -> str:
    """The text of the kernels, for ints of a width."""
    file = RUNTIME / "grouping.cl"
    words = {"INT": f"int{a.int_bits}_t", "MOST_PROBES": MOST_PROBES}
    names = ("", "group_key_", "group_fetch_")
    each = [{f"{name}TYPE": f"{name}{t}" for name in names} for t in _WORDS.values()]
    return "\n".join([*[parts(file, of)["keys"] for of in each], parts(file, words)["common"]])


class Grouping:
    """Groups and numbers keys on a device; `parts` items share what goes in order."""

    def __init__(self, memory: Memory, parts: int, group: int) -> None:
        self.memory = memory
        self.parts = parts
        self.group = group
        """The items of a work group."""
        self.alone = 1 if memory.device.is_cpu else group
        """The same of kernels whose items have parts, which a processor's cores take one by one."""

    def grouped(self, key: DeviceArray, limits: int) -> tuple[DeviceArray, DeviceArray]:
        """Where each key's iterations begin, and the iterations in the order of their keys."""
        memory, count, buckets = self.memory, key.shape[0], limits - 1
        parts = max(1, min(self.parts, MEMORY_OF_COUNTS // (4 * max(1, buckets))))
        keys = self.keys([key])
        counts, order = self.small(parts * buckets), self.small(count)
        begin = memory.new(INT, (limits,))
        self.fill(counts, 0)
        sizes = np.int64(count), np.int64(parts)
        self.run("count", parts, keys, *sizes, counts.buffer, np.int64(buckets))
        memory.set_element(begin, [0], 0)
        self.run("sum", buckets, counts.buffer, np.int64(buckets), np.int64(parts), begin.buffer)
        self.sums(begin)
        self.run(
            "place", parts, keys, *sizes, counts.buffer, np.int64(buckets), begin.buffer,
            order.buffer,
        )  # fmt: skip
        return begin, order

    def numbered(self, taken: Sequence[DeviceArray]) -> tuple[int, list[DeviceArray], DeviceArray]:
        """The different tuples as they first occur: how many, which, and each one's number."""
        memory, count = self.memory, taken[0].shape[0]
        parts = max(1, min(self.parts, count))
        keys = self.keys(taken)
        slots, firsts, where = self.inserted(keys, len(taken), count)
        totals = memory.new(INT, (parts,))
        order = self.small(count)
        given = firsts.buffer, where.buffer, np.int64(count), np.int64(parts), totals.buffer
        self.run("firsts", parts, *given)
        self.sums(totals)
        found = int(memory.element(totals, [parts - 1])) if count else 0
        self.run("named", parts, *given, slots.buffer, order.buffer)
        numbers = memory.new(INT, (count,))
        self.run("give", count, slots.buffer, where.buffer, np.int64(count), numbers.buffer)
        return found, [self.fetched(array, order, found) for array in taken], numbers

    def inserted(
        self, keys: Any, width: int, count: int
    ) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
        """A table of the keys: its slots, their first iterations, and the slot of each one."""
        size = FIRST_TABLE
        where, full = self.small(count), self.small(1)
        while True:
            slots, firsts = self.small(size), self.small(size)
            self.fill(slots, -1)
            self.fill(firsts, MOST_ITERATIONS)
            self.fill(full, 0)
            self.run(
                "insert", count, keys, np.int64(width), np.int64(count), slots.buffer,
                firsts.buffer, np.int64(size - 1), where.buffer, full.buffer,
            )  # fmt: skip
            if not self.memory.download(full)[0]:
                return slots, firsts, where
            size *= LARGER

    def small(self, count: int) -> DeviceArray:
        """So many ints of 32 bits: chars have as many."""
        return self.memory.new(CHAR, (count,))

    def keys(self, taken: Sequence[DeviceArray]) -> Any:
        """Keys as rows of words of 64 bits."""
        memory, count = self.memory, taken[0].shape[0]
        if len(taken) == 1 and self.width(taken[0]) == 8:
            return memory.dense(taken[0]).buffer
        made = memory.buffer(8 * count * len(taken))
        for place, array in enumerate(taken):
            self.run(
                f"key_{_WORDS[self.width(array)]}", count, made, np.int64(len(taken)),
                np.int64(place), array.buffer, np.int64(count),
            )  # fmt: skip
        return made

    def fetched(self, array: DeviceArray, order: DeviceArray, count: int) -> DeviceArray:
        """Rows of an array in an order."""
        made = self.memory.new(array.element, (count, *array.shape[1:]))
        width = prod(array.shape[1:])
        self.run(
            f"fetch_{_WORDS[self.width(array)]}", count * width, made.buffer, array.buffer,
            order.buffer, np.int64(width), np.int64(count * width),
        )  # fmt: skip
        return made

    def sums(self, array: DeviceArray) -> None:
        """Each element becomes the sum of those up to it."""
        count = array.shape[0]
        parts = max(1, min(self.parts, MOST_SUMS, count // 64))
        totals = self.memory.new(INT, (parts,))
        given = array.buffer, np.int64(count), np.int64(parts), totals.buffer
        self.run("totals", parts, *given)
        self.run("sums", parts, *given)

    def fill(self, array: DeviceArray, value: int) -> None:
        count = array.shape[0]
        self.run("fill", count, array.buffer, np.int32(value), np.int64(count))

    def width(self, array: DeviceArray) -> int:
        """The bytes of an element."""
        return int(self.memory.dtype(array.element).itemsize)

    def run(self, name: str, items: int, *arguments: Any) -> None:
        """A kernel with so many items."""
        if items <= 0:
            return
        group = max(1, min(items, self.group))
        if items == self.parts:
            group = min(group, self.alone)
        whole = -(-items // group) * group
        self.memory.run(f"group_{name}", (whole,), (group,), *arguments)
