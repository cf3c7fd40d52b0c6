"""Memory as loops see it when they are interpreted: regions, addresses, cells.

An address is a place in bytes or in slots, with the type of what is there. Bytes are the numbers
of arrays; slots are what has no size (variables, addresses, regions, tables). An access outside is
a fault of the loops: InternalError.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Final

from cogen.array.loops.tree import NUMBERS, Number, Pointer, Type
from cogen.lang.errors import InternalError

_FORMATS: Final = {
    "i64": "q", "i32": "i", "u32": "I", "u8": "B", "f64": "d", "f32": "f", "bool": "B",
    "thread": "i", "size": "Q",
}  # fmt: skip


def size_of(t: Type) -> int:
    """The bytes of an element; of what lies in slots, 8."""
    return struct.calcsize("=" + _FORMATS[t.name]) if isinstance(t, Number) else 8


@dataclass(eq=False, slots=True)
class MemoryRegion:
    """Memory with a count of references; the caller's has none, and is never given back."""

    data: bytearray | memoryview
    count: int = 1

    def use(self) -> bytearray | memoryview:
        if self.count <= 0:
            raise InternalError("a region is used after it was given back")
        return self.data


@dataclass(eq=False, slots=True)
class ElementSlots:
    """Places that are no bytes, of elements of a type."""

    values: list[Any]


@dataclass(slots=True)
class Numbering:
    """A table of different keys, of one or several ints, in the order in which they came."""

    values: list[int] = field(default_factory=list)
    numbers: dict[tuple[int, ...], int] = field(default_factory=dict)

    def number(self, *key: int) -> int:
        found = self.numbers.setdefault(key, len(self.numbers))
        if (found + 1) * len(key) > len(self.values):
            self.values += key
        return found


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """An address: so many bytes, or slots, after the first."""

    home: MemoryRegion | ElementSlots
    at: int
    target: Type

    def moved(self, count: int) -> MemoryPlace:
        """So many elements further."""
        unit = size_of(self.target) if isinstance(self.home, MemoryRegion) else 1
        return MemoryPlace(self.home, self.at + count * unit, self.target)

    def seen_as(self, target: Type) -> MemoryPlace:
        """The same place with other elements there."""
        return MemoryPlace(self.home, self.at, target)

    def load(self) -> Any:
        if isinstance(self.home, ElementSlots):
            self._check(1, len(self.home.values))
            return self.home.values[self.at]
        assert isinstance(self.target, Number)
        data = self.home.use()
        self._check(size_of(self.target), len(data))
        (found,) = struct.unpack_from("=" + _FORMATS[self.target.name], data, self.at)
        return bool(found) if self.target.name == "bool" else found

    def store(self, value: Any) -> None:
        if isinstance(self.home, ElementSlots):
            self._check(1, len(self.home.values))
            self.home.values[self.at] = value
            return
        assert isinstance(self.target, Number)
        data = self.home.use()
        self._check(size_of(self.target), len(data))
        struct.pack_into("=" + _FORMATS[self.target.name], data, self.at, value)

    def bytes(self, count: int) -> memoryview:
        """So many bytes from here on."""
        if not isinstance(self.home, MemoryRegion):
            raise InternalError("no bytes behind an address")
        data = self.home.use()
        self._check(count, len(data))
        return memoryview(data)[self.at : self.at + count]

    def _check(self, count: int, size: int) -> None:
        if not 0 <= self.at <= self.at + count <= size:
            raise InternalError(f"an access at {self.at} of a region of {size}")


def new_region(size: int) -> MemoryRegion:
    """So many bytes that are not set: they are no plausible numbers."""
    return MemoryRegion(bytearray(b"\xa5") * size)


def taken_over(region: MemoryRegion | None, first: MemoryPlace, size: int) -> MemoryRegion | None:
    """A region with one more reference, if that is the second, if an address is that of its first
    byte, and if it has so many."""
    if region is None or region.count != 1 or len(region.use()) < size:
        return None
    if first.home is not region or first.at:
        return None
    region.count += 1
    return region


def room(t: Type, size: int) -> MemoryPlace:
    """The address of elements of a function's own."""
    if isinstance(t, Number):
        return MemoryPlace(new_region(size * size_of(t)), 0, t)
    return MemoryPlace(ElementSlots([fresh(t) for _ in range(size)]), 0, t)


def fresh(t: Type) -> Any:
    """What a variable of a type has before anything is stored there."""
    return Numbering() if t == NUMBERS else None


def target_of(t: Type) -> Type:
    assert isinstance(t, Pointer)
    return t.target
