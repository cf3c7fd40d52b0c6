"""The accumulators of a hashed Bucket: a region that grows, in which those of a key lie side by
side (`cogen.array.loops.slots`), in the order of the keys' numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cogen.array.codegen import representations
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.representations import Handle, MemoryRep, ScalarRep
from cogen.array.ir.graphtypes import element
from cogen.array.loops import tree
from cogen.array.loops.expressions import ZERO, natural, times
from cogen.array.loops.slots import row_bytes, row_stride, slot_in, slot_type, slots_of
from cogen.array.loops.tree import BLOCK, Address, Data, Expr, Pointer, Var

FIRST_ROWS: Final = natural(256)
"""For how many keys there is room at first: memory that is not used costs time, too, where the
system clears large pages."""


def prepare(code: LoopParts, output: Output) -> None:
    """Make room before the loop."""
    e = code.emitter
    region = Var(e.fresh("rows"), BLOCK)
    types = tuple([e.element_type(element(neutral.type)) for neutral in output.yielded.neutral])
    e.add(tree.Variable(region, e.region("room", slot_type(types), slots_of(FIRST_ROWS, types))))
    address = Pointer(slot_type(types))
    output.rows = tree.AccumulatorRows(
        region, e.variable(address, "own", Data(region, address)), types
    )
    output.held = Handle(region)
    e.hold(output.held)


def by_number(output: Output, first: Expr | None = None) -> list[MemoryRep]:
    """The accumulators of the keys so far, by their numbers; `first` is where they are now."""
    rows = output.rows
    if rows is None:
        return []
    elements = [element(neutral.type) for neutral in output.yielded.neutral]
    count = len(elements)
    at = rows.first if first is None else first
    return [
        MemoryRep(
            own, slot_in(at, t, slot), (output.count,), (row_stride(t, count),), count == 1, None
        )
        for slot, (own, t) in enumerate(zip(elements, rows.types, strict=True))
    ]


def add(code: LoopParts, output: Output) -> None:
    """Let the accumulators of one more key be neutral."""
    rows = output.rows
    if rows is None:
        return
    e, size = code.emitter, row_bytes(rows.types)
    e.try_("room", Address(rows.region), times(output.count, size), size)
    e.assign(rows.first, Data(rows.region, rows.first.type))
    for array, neutral in zip(by_number(output), output.yielded.neutral, strict=True):
        e.put(array, [output.count], e.rep(neutral))


def taken_apart(code: LoopParts, output: Output, count: Expr) -> list[MemoryRep]:
    """The accumulators of so many keys, which are all: an array for each of their kinds."""
    e, rows = code.emitter, output.rows
    if rows is None:
        return []
    first = e.define(rows.first.type, "first", Data(rows.region, rows.first.type))
    found = by_number(output, first)
    if len(found) == 1:
        return [replace(found[0], shape=(count,), handle=output.held)]
    arrays = [e.allocate(own.element, (count,), "bucket") for own in found]
    index = e.index("i")
    with e.gathered() as made:
        for array, own in zip(arrays, found, strict=True):
            e.put(array, [index], ScalarRep(representations.element(own, [index])))
    e.count(index, ZERO, count, made)
    return arrays
