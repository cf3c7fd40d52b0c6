"""Room that grows while a loop runs: what streams are put behind, and tables of keys.

A Collect of streams puts each behind those before; so does a Bucket that collects with its rows. A
hashed Bucket has accumulators for the keys that there are so far, and looks a key up once in a
place, whoever needs its number there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.codegen import accumulatorrows as rows
from cogen.array.codegen import representations
from cogen.array.codegen.combining import combined
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.representations import Array, Handle, MemoryRep, Rep, ScalarRep
from cogen.array.ir.graphtypes import ScalarType
from cogen.array.ir.node import Literal
from cogen.array.loops import tree
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    choose,
    convert,
    less,
    natural,
    plus,
    same,
    size_of,
    times,
)
from cogen.array.loops.tree import BLOCK, I64, Address, Data, Expr, Var

LEAST_ROOM: Final = 16
"""How many elements there is room for at first, at least."""


def growing(code: LoopParts, output: Output, t: ScalarType) -> MemoryRep:
    """An array without a size, which has a block of its own that may be exchanged. At first there
    is room for as many elements in each iteration as are taken if none is left out, or for one."""
    e = code.emitter
    name = e.fresh_pair("y")
    owner = Var(f"{name}_block", BLOCK)
    least = natural(LEAST_ROOM)
    taken = output.yielded.taken[0]
    few = len(taken.operands) if isinstance(taken, Literal) else 1
    expected = times(code.size, natural(max(few, 1)))
    size = choose(less(expected, least), least, expected)
    e.add(tree.Variable(owner, e.region("room", e.element_type(t), size)))
    handle = Handle(owner)
    e.hold(handle)
    return representations.dense(t, Var(name, e.pointer_type(t)), (ZERO,), handle)


class GrowingArrays:
    """What puts a stream behind those before, in room that grows: what a Collect gives, or the rows
    of a Bucket that collects."""

    def __init__(self, code: LoopParts, output: Output) -> None:
        self._code = code
        self._output = output
        self._now: list[MemoryRep] = []

    @property
    def directly(self) -> bool:
        """Whether a part of a stream may be made where it is put."""
        return self._output.numbered is None

    @property
    def _arrays(self) -> Sequence[MemoryRep]:
        return self._output.gathered or self._output.arrays

    @property
    def _count(self) -> Expr:
        """How many elements there are."""
        return self._output.taken if self._output.gathered else self._output.count

    def reserve(self, more: Expr) -> None:
        """Make room for so many more elements, at most."""
        e = self._code.emitter
        for array in self._arrays:
            size = convert(I64, size_of(e.element_type(array.element)))
            used = times(self._count, size)
            e.try_("room", Address(block_of(array)), used, times(more, size))

    def ends(self, more: Expr) -> list[MemoryRep]:
        """Where there is room for so many more elements."""
        return [self._at(array, "end", self._count, more) for array in self._arrays]

    def _at(self, array: MemoryRep, name: str, start: Expr, size: Expr) -> MemoryRep:
        e = self._code.emitter
        data = e.point(array.element, name, plus(data_of(self._code, array), start))
        return representations.dense(array.element, data, (size,))

    def added(self, more: Expr) -> None:
        """So many elements have been put there."""
        self._code.emitter.assign(self._count, more, "+")

    def copy(self, arrays: Sequence[Array]) -> None:
        """Put the elements of arrays there."""
        more = arrays[0].shape[0]
        self.reserve(more)
        for end, array in zip(self.ends(more), arrays, strict=True):
            self._code.emitter.copy(end, array)
        self.added(more)

    def begin(self, more: Expr) -> None:
        """At most so many elements are put there one by one."""
        self.reserve(more)
        self._now = [self._at(array, "now", ZERO, ZERO) for array in self._arrays]

    def __call__(self, values: Sequence[Rep]) -> None:
        """Put an element there."""
        row = numbered(self._code, self._output, values)
        for array, value in zip(self._now, row, strict=True):
            self._code.emitter.put(array, [self._count], value)
        self.added(ONE)


def numbered(code: LoopParts, output: Output, row: Sequence[Rep]) -> Sequence[Rep]:
    """What is stored of a row: the number of its key stands for that, if it has one."""
    owner, keys = output.numbered, output.yielded.generator.keys
    if owner is None:
        return row
    return [ScalarRep(number_of(code, owner, row[:keys])), *row[keys:]]


def combine(code: LoopParts, output: Output, values: Sequence[Rep]) -> Expr:
    """Combine values with what there is of their key, which the first ones are; its number."""
    e, y = code.emitter, output.yielded
    width = y.generator.keys
    found = number_of(code, output, values[:width])
    if output.operator is None:
        return found
    places = rows.by_number(output)
    old: list[Rep] = [
        e.scalar(representations.element(place, [found]), place.element, "old") for place in places
    ]

    def finish(new: Sequence[Rep]) -> None:
        for place, rep in zip(places, new, strict=True):
            e.put(place, [found], rep)

    combined(code, output, old, values[width:], finish)
    return found


def number_of(code: LoopParts, output: Output, row: Sequence[Rep]) -> Expr:
    """The number of a key, which has accumulators from here on; it is looked up once in a place."""
    e = code.emitter
    assert output.tables is not None
    keys = [rep.value for rep in row if isinstance(rep, ScalarRep)]
    if output.number is not None:
        place, known, number = output.number
        if place is e.out and known == keys:
            return number
    found = output.tables.number(keys)
    output.number = e.out, keys, found
    with e.gathered() as made:
        rows.add(code, output)
        e.assign(output.count, ONE, "+")
    e.when(same(found, output.count), made)
    return found


def block_of(array: MemoryRep) -> Var:
    assert array.handle is not None
    block = array.handle.owner
    assert isinstance(block, Var)
    return block


def data_of(code: LoopParts, array: MemoryRep) -> Expr:
    """Where an array in a region that grows is now."""
    return Data(block_of(array), code.emitter.pointer_type(array.element))
