"""Loops for the nodes without blocks: scalars, and the forms on arrays.

Rows, slices, rearrangements, iota and replicate make views where they can; concat, literal and copy
make arrays; an update stores into its array.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from cogen.array.codegen import representations
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.errorsites import TracePoint
from cogen.array.codegen.representations import CounterRep, FillRep, MemoryRep, PackedRep, ScalarRep
from cogen.array.codegen.slotbits import as_slot
from cogen.array.ir.graphtypes import INT, element, rank
from cogen.array.ir.node import (
    Assert,
    Concat,
    Copy,
    Index,
    Iota,
    Literal,
    Node,
    Operation,
    Rearrange,
    Replicate,
    Reshape,
    Slice,
    Trace,
    Update,
)
from cogen.array.ir.operations import TABLE
from cogen.array.loops.expressions import ONE, ZERO, convert, load, natural, negated, plus, times
from cogen.array.loops.tree import I64, Expr
from cogen.array.schedule.schedule import Statement


def operation(e: Emitter, statement: Statement, node: Operation) -> None:
    value = e.operation(node.name, e.scalars_of(node.operands))
    e.bind(node, e.scalar(value, TABLE[node.name].result))


def assertion(e: Emitter, statement: Statement, node: Assert) -> None:
    condition = negated(e.scalar_of(node.condition))
    e.fail_if(condition, node.message, node.span, e.scalars_of(node.arguments))


def trace(e: Emitter, statement: Statement, node: Trace) -> None:
    """Call the tracer with the leaves: values of scalars, pointers and sizes of arrays."""
    slots: list[Expr] = []
    for operand in node.operands:
        rep = e.rep(operand)
        if isinstance(rep, ScalarRep):
            slots.append(as_slot(rep.value))
        else:
            array = e.in_memory(rep)
            slots += [convert(I64, array.data), *array.shape]
    e.program.traces.append(TracePoint(node.layout))
    room = e.room(I64, "slots", natural(max(1, len(slots))))
    for place, slot in enumerate(slots):
        e.assign(load(room, natural(place)), slot)
    e.do("trace", natural(len(e.program.traces) - 1), room)


def index(e: Emitter, statement: Statement, node: Index) -> None:
    array, indices = e.array(node.array), e.scalars_of(node.indices)
    if rank(node.type):
        e.bind(node, e.row(array, indices))
        return
    e.bind(node, e.scalar(representations.element(array, indices), element(node.type), "x"))


def slice_(e: Emitter, statement: Statement, node: Slice) -> None:
    array, start, length = e.array(node.array), e.extent(node.start), e.extent(node.length)
    shape = (length, *array.shape[1:])
    if isinstance(array, FillRep):
        e.bind(node, replace(array, shape=shape))
        return
    place = times(start, array.strides[0])
    if isinstance(array, (CounterRep, PackedRep)):
        e.bind(node, replace(array, shape=shape, start=plus(array.start, place)))
        return
    data = array.data
    if place != ZERO:
        data = e.point(array.element, "part", plus(data, place))
    e.bind(node, replace(array, shape=shape, data=data))


def rearrange(e: Emitter, statement: Statement, node: Rearrange) -> None:
    made = representations.rearranged(e.array(node.array), node.order)
    turned = statement.turned and e.counts_references
    if turned and isinstance(made, MemoryRep) and made.strides[-1] != ONE:
        made = e.materialised(made, "turned")
    e.bind(node, made)


def reshape(e: Emitter, statement: Statement, node: Reshape) -> None:
    array, sizes = e.array(node.array), tuple([e.extent(size) for size in node.sizes])
    if isinstance(array, FillRep):
        e.bind(node, replace(array, shape=sizes))
        return
    if isinstance(array, (CounterRep, PackedRep)) and array.strides == representations.row_major(
        array.shape
    ):
        e.bind(node, replace(array, shape=sizes, strides=representations.row_major(sizes)))
        return
    whole = e.in_memory(array)
    e.bind(node, replace(whole, shape=sizes, strides=representations.row_major(sizes)))


def concat(e: Emitter, statement: Statement, node: Concat) -> None:
    left, right = e.array(node.left), e.array(node.right)
    size = e.define(I64, "size", plus(left.shape[0], right.shape[0]))
    rows = left.shape[1:] if left.shape[0] != ZERO else right.shape[1:]
    made = e.allocate(element(node.type), (size, *rows), "a")
    e.copy(replace(made, shape=(left.shape[0], *rows)), left)
    rest = e.row(made, [left.shape[0]], "rest")
    assert isinstance(rest, MemoryRep)
    e.copy(replace(made, data=rest.data, shape=(right.shape[0], *rows)), right)
    e.bind(node, made)


def iota(e: Emitter, statement: Statement, node: Iota) -> None:
    e.bind(node, CounterRep(INT, ZERO, (e.extent(node.size),), (ONE,)))


def replicate(e: Emitter, statement: Statement, node: Replicate) -> None:
    size, value = e.extent(node.size), e.rep(node.value)
    if isinstance(value, ScalarRep):
        e.bind(node, FillRep(element(node.type), value.value, (size,)))
    elif e.overwrites and isinstance(value, MemoryRep):
        made = e.allocate(value.element, (size, *value.shape), "a")
        e.fill(made, value)
        e.bind(node, made)
    else:
        e.bind(node, representations.repeated(value, size))


def literal(e: Emitter, statement: Statement, node: Literal) -> None:
    values = [e.rep(operand) for operand in node.operands]
    rows = e.sizes(node.type)[1:]
    made = e.allocate(element(node.type), (natural(len(values)), *rows), "a")
    for number, value in enumerate(values):
        e.put(made, [natural(number)], value)
    e.bind(node, made)


def copy(e: Emitter, statement: Statement, node: Copy) -> None:
    array = e.array(node.array)
    made = e.allocate(array.element, e.shape(node, array), "copy")
    e.copy(made, array)
    e.bind(node, made)


def update(e: Emitter, statement: Statement, node: Update) -> None:
    target = to_overwrite(e, statement, 0)
    value = e.rep(node.value)
    if isinstance(value, MemoryRep) and not value.dense and value.handle is target.handle:
        value = e.materialised(value)  # it may overlap the row that it replaces
    e.put(target, e.scalars_of(node.indices), value)
    e.bind(node, target)


def to_overwrite(e: Emitter, statement: Statement, position: int) -> MemoryRep:
    """The memory of an operand that is overwritten, copied before if it has to be."""
    operand = statement.node.operands[position]
    array = e.array(operand)
    if isinstance(array, MemoryRep) and position not in statement.copies and _distinct(array):
        return array
    made = e.allocate(array.element, e.shape(operand, array), "copy")
    e.copy(made, array)
    return made


def _distinct(array: MemoryRep) -> bool:
    """Whether each element has a place of its own."""
    return ZERO not in array.strides or array.dense


SIMPLE: Final[dict[type[Node], Callable[[Emitter, Statement, Any], None]]] = {
    Operation: operation,
    Assert: assertion,
    Trace: trace,
    Index: index,
    Slice: slice_,
    Rearrange: rearrange,
    Reshape: reshape,
    Concat: concat,
    Iota: iota,
    Replicate: replicate,
    Literal: literal,
    Copy: copy,
    Update: update,
}
"""The code of each kind of node without blocks; each takes a node of its kind."""
