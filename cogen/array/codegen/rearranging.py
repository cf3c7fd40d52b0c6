"""Loops for the generators whose results are known only after the loop: Append, Group, Distinct.

Append      room that grows; the arrays of an iteration are copied behind what is there
Group       keys are kept and counted; after the loop, a counting sort of the indices
Distinct    a table of the different values so far, by hash, or by value where it is small
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cogen.array.codegen import reps
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.outputs import LoopParts, Output
from cogen.array.codegen.reps import Handle, Memory, Rep, Scalar
from cogen.array.codegen.sites import OUT_OF_MEMORY
from cogen.array.loops import tree
from cogen.array.loops.build import (
    TRUE,
    ZERO,
    bytes_of,
    choose,
    convert,
    less,
    load,
    natural,
    plus,
    size_of,
    times,
)
from cogen.array.loops.build import more as is_more
from cogen.array.loops.tree import (
    BLOCK,
    I64,
    NUMBERS,
    Address,
    Const,
    Data,
    Expr,
    Invoke,
    Var,
)
from cogen.array.node import Append, Distinct, Group, Node
from cogen.array.types import CERT, INT, element, rank
from cogen.array.types import Scalar as ScalarType

LEAST_ROOM: Final = 16
"""How many elements there is room for at first, at least."""


def prepare(code: LoopParts, output: Output) -> None:
    """Make room before the loop."""
    e, y = code.e, output.y
    match y.generator:
        case Append():
            output.count = e.variable(I64, "count", ZERO)
            for value in y.values:
                output.arrays.append(_growing(code, element(value.type)))
        case Group():
            _prepare_group(code, output)
        case Distinct():
            numbers = e.allocate(INT, (code.size,), "numbers")
            output.table = Address(e.variable(NUMBERS, "table"))
            e.try_("numbers_begin", output.table, code.size)
            output.arrays = [numbers]


def _growing(code: LoopParts, t: ScalarType) -> Memory:
    """An array without a size, which has a block of its own that may be exchanged."""
    e = code.e
    name = e.fresh_pair("y")
    owner = Var(f"{name}_block", BLOCK)
    least = natural(LEAST_ROOM)
    size = choose(less(code.size, least), least, code.size)
    e.add(tree.Variable(owner, e.region("room", e.element_type(t), size)))
    handle = Handle(owner)
    e.hold(handle)
    return reps.dense(t, Var(name, e.pointer_type(t)), (ZERO,), handle)


def take(code: LoopParts, output: Output, index: Expr) -> None:
    """What a generator does in an iteration."""
    e, y = code.e, output.y
    if output.finished_later:
        taken = y.values if y.key is None else (y.key, *y.values)
        for array, value in zip(output.arrays, taken, strict=True):
            e.put(array, [index], e.rep(value))
        return
    match y.generator:
        case Append():
            _append(code, output)
        case Group():
            assert y.key is not None
            key = e.scalar_of(y.key)
            for node, array in output.stored.items():
                e.put(array, [index], e.rep(node))
            place = load(output.arrays[0].data, key)
            e.assign(place, Const(1, place.type), "+")
        case Distinct():
            looked_up = convert(I64, e.scalar_of(y.values[0]))
            numbered = Invoke("number", (output.table, looked_up), I64)
            found = e.define(I64, "number", numbered)
            e.fail_if(less(found, ZERO), OUT_OF_MEMORY, e.span)
            e.put(output.arrays[0], [index], Scalar(found))


def _prepare_group(code: LoopParts, output: Output) -> None:
    """The offsets, and the sorted arrays; what is no element of an input is stored meanwhile."""
    e, y = code.e, output.y
    offsets = e.allocate(INT, (e.extent(y.extras[0]),), "offsets")
    clear(e, offsets)
    output.arrays = [offsets]
    for value in y.values:
        shape = (code.size, *e.sizes(value.type))
        output.arrays.append(e.allocate(element(value.type), shape, "sorted"))
    assert y.key is not None
    for value in (y.key, *y.values):
        if value.type == CERT or value in code.node.elements or value in output.stored:
            continue
        shape = (code.size, *e.sizes(value.type))
        output.stored[value] = e.allocate(element(value.type), shape, "taken")


def clear(e: Emitter, offsets: Memory) -> None:
    """No element has any key so far."""
    e.do("clear", offsets.data, bytes_of(offsets.shape[0], e.element_type(INT)))


def _sort(code: LoopParts, output: Output) -> None:
    """A counting sort."""
    offsets = output.arrays[0]
    limits = offsets.shape[0]
    code.e.do("starts", offsets.data, limits)
    _place_elements(code, output, offsets.data)
    code.e.do("ends", offsets.data, limits)


def _place_elements(code: LoopParts, output: Output, ends: Expr) -> None:
    """Store what a Group has taken: `ends` has the place of the next element of each key."""
    e, y = code.e, output.y
    results = output.arrays[1:]
    inputs = dict(zip(code.node.elements, code.inputs, strict=True))
    index = e.index("i")

    def there(value: Node) -> Rep:
        if value.type == CERT:
            return Scalar(TRUE)
        array = output.stored.get(value) or inputs[value]  # type: ignore[index]  # an element
        if rank(value.type):
            return e.row(array, [index])
        return e.scalar(reps.element(array, [index]), element(value.type), "x")

    with e.gathered() as made:
        assert y.key is not None
        key = there(y.key)
        assert isinstance(key, Scalar)
        end = load(ends, key.value)
        place = e.define(I64, "place", convert(I64, end))
        e.assign(end, Const(1, end.type), "+")
        for array, value in zip(results, y.values, strict=True):
            e.put(array, [place], there(value))
    e.count(index, ZERO, code.size, made)


def _append(code: LoopParts, output: Output) -> None:
    e = code.e
    more: Expr = ZERO
    for array, value in zip(output.arrays, output.y.values, strict=True):
        rep = e.array(value)
        more = rep.shape[0]
        assert array.handle is not None
        block = array.handle.owner
        assert isinstance(block, Var)
        size = convert(I64, size_of(e.element_type(array.element)))
        e.try_("room", Address(block), times(output.count, size), times(more, size))
        start = plus(Data(block, e.pointer_type(array.element)), output.count)
        end = e.point(array.element, "end", start)
        e.copy(reps.dense(array.element, end, (more,)), rep)
    e.assign(output.count, more, "+")


def bind(code: LoopParts, output: Output) -> None:
    """What is done after the loop, and the results."""
    e, y, node = code.e, output.y, code.node
    match y.generator:
        case Append():
            if e.program.arithmetic.int_bits < 64:
                most = natural(e.program.arithmetic.max_elements)
                message = "an array of size {} is too large"
                e.fail_if(is_more(output.count, most), message, e.span, [output.count])
            e.bind_key((node, y.first), Scalar(output.count))
            for place, array in zip(output.places, output.arrays, strict=True):
                assert array.handle is not None
                assert isinstance(array.data, Var)
                e.add(tree.Let(array.data, Data(array.handle.owner, array.data.type)))
                e.bind_key((node, place), replace(array, shape=(output.count,)))
        case Group():
            _sort(code, output)
            for place, array in zip(output.places, output.arrays, strict=True):
                e.bind_key((node, place), array)
        case Distinct():
            numbered = Invoke("numbers_count", (output.table,), I64)
            count = e.define(I64, "count", numbered)
            t = element(y.values[0].type)
            values = e.allocate(t, (count,), "values")
            index = e.index("i")
            kept = Invoke("numbers_value", (output.table, index), I64)
            own = tree.Store(values.data, index, convert(e.element_type(t), kept))
            e.count(index, ZERO, count, (own,))
            e.do("numbers_end", output.table)
            e.bind_key((node, y.first), Scalar(count))
            for place, array in zip(output.places, (values, output.arrays[0]), strict=True):
                e.bind_key((node, place), array)
