"""Loops for the generators whose results are known only after the loop.

Collect     of streams: room that grows; what is made elsewhere is copied behind what is there
Bucket      that collects: keys are kept and counted; after the loop, a counting sort of the
            indices. A hashed one: tables of the different keys so far, by hash, or by value where
            they are small, with the accumulators of each key, in room that grows. One that is both
            keeps the numbers of keys, which are counted after the loop; Buckets with the same keys
            have one table. Where not each iteration gives one row, those that come lie side by
            side, as a Collect has them, and are counted and sorted after the loop
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cogen.array.codegen import accumulatorrows as rows
from cogen.array.codegen import representations
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.growing import GrowingArrays, combine, data_of, growing, numbered
from cogen.array.codegen.keytables import KeyTables, Limits
from cogen.array.codegen.representations import Array, MemoryRep, PackedRep, Rep, ScalarRep
from cogen.array.codegen.sharingout import tallied
from cogen.array.codegen.streamplans import root_of
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    is_hashed,
)
from cogen.array.ir.graphtypes import CERT, INT, element, rank
from cogen.array.ir.node import Node
from cogen.array.loops import tree
from cogen.array.loops.expressions import (
    ONE,
    TRUE,
    ZERO,
    bytes_of,
    convert,
    load,
    natural,
    plus,
)
from cogen.array.loops.expressions import more as is_more
from cogen.array.loops.tree import (
    F64,
    I64,
    Const,
    Data,
    Expr,
    Var,
)

MOST_SMALL: Final = 16
"""Keys that are samples of so many bits are packed into one int."""


def prepare(code: LoopParts, output: Output) -> None:
    """Make room before the loop."""
    e, y = code.emitter, output.yielded
    match y.generator:
        case Collect():
            output.count = e.variable(I64, "count", ZERO)
            for value in y.values:
                output.arrays.append(growing(code, output, element(value.type)))
        case Bucket(hashed=False) if not y.one_each:
            _prepare_rows(code, output, y.taken)
        case Bucket(hashed=False):
            offsets = e.allocate(INT, (e.extent(y.bound),), "offsets")
            clear(e, offsets)
            output.arrays = [offsets]
            _prepare_group(code, output, y.taken)
        case Bucket():
            _prepare_table(code, output, y.generator)


def _prepare_table(code: LoopParts, output: Output, generator: Bucket) -> None:
    """The table of a hashed Bucket, unless another one has it, and what it has for the keys."""
    e, y = code.emitter, output.yielded
    if generator.collects:
        output.numbered = _with_same_keys(code, output)
        owner = output.numbered
        if not y.one_each:
            _prepare_rows(code, output, y.values, numbers=True)
            owner.numbers = output.gathered[0]
        else:
            if owner.numbers is None:
                owner.numbers = e.allocate(INT, (code.size,), "numbers")
            _prepare_group(code, output, y.values)
        if owner is not output:
            return
    elif generator.numbered:
        output.numbers = e.allocate(INT, (code.size,), "numbers")
    output.count = e.variable(I64, "count", ZERO)
    output.tables = _tables(code, y.keys)
    output.tables.begin(code.size)
    if y.neutral:
        rows.prepare(code, output)


def _with_same_keys(code: LoopParts, output: Output) -> Output:
    """The first Bucket with the same keys in each iteration."""
    own = output.yielded
    for other in code.outputs:
        y = other.yielded
        alike = y.condition is own.condition and y.spread == own.spread
        together = not own.spread or root_of(y.taken) == root_of(own.taken)
        if is_hashed(y.generator) and alike and together and y.keys == own.keys:
            return other
    return output


def _tables(code: LoopParts, keys: Sequence[Node]) -> KeyTables:
    """The tables for keys; those that are small samples of packed memory are known to be small."""
    inputs: dict[Node, Array] = dict(zip(code.node.elements, code.inputs, strict=True))
    limits = [_limits(inputs.get(key)) for key in keys]
    return KeyTables(code.emitter, [element(key.type) for key in keys], limits)


def _limits(array: Array | None) -> Limits | None:
    if not isinstance(array, PackedRep) or array.samples.is_real:
        return None
    if max(array.samples.sizes) > MOST_SMALL:
        return None
    found = [array.samples.limits(place) for place in range(len(array.samples.pieces))]
    return min([least for least, _ in found]), max([greatest for _, greatest in found])


def take(code: LoopParts, output: Output, index: Expr) -> None:
    """What a generator does in an iteration."""
    e, y = code.emitter, output.yielded
    if output.finished_later:
        for array, value in zip(output.arrays, y.taken, strict=True):
            e.put(array, [output.place(index)], e.rep(value))
        return
    match y.generator:
        case Collect():
            GrowingArrays(code, output).copy([e.array(value) for value in y.values])
        case Bucket(collects=True) if not y.one_each:
            take_row(code, output, [e.rep(value) for value in y.taken])
        case Bucket():
            for node, array in output.stored.items():
                e.put(array, [index], e.rep(node))
            if y.key is not None:
                place = load(output.arrays[0].data, e.scalar_of(y.key))
                e.assign(place, Const(1, place.type), "+")
            elif output.tables is not None:
                number = combine(code, output, [e.rep(value) for value in y.taken])
                if output.numbers is not None and y.one_each:
                    e.put(output.numbers, [index], ScalarRep(number))


def take_row(code: LoopParts, output: Output, row: Sequence[Rep]) -> None:
    """Put a row behind those before; of a hashed Bucket, the number of its key."""
    e = code.emitter
    for array, rep in zip(output.gathered, numbered(code, output, row), strict=True):
        e.put(array, [output.taken], rep)
    e.assign(output.taken, ONE, "+")


def _prepare_rows(
    code: LoopParts, output: Output, kept: Sequence[Node], numbers: bool = False
) -> None:
    """Room for the rows that come."""
    e = code.emitter
    output.taken = e.variable(I64, "taken", ZERO)
    grows = output.yielded.spread
    for t in (*[INT] * numbers, *[value.type for value in kept]):
        if grows:
            output.gathered.append(growing(code, output, element(t)))
        else:
            output.gathered.append(e.allocate(element(t), (code.size, *e.sizes(t)), "taken"))


def _prepare_group(code: LoopParts, output: Output, kept: Sequence[Node]) -> None:
    """The sorted arrays; of what is `kept`, what is no element of an input is stored meanwhile."""
    e, y = code.emitter, output.yielded
    for value in y.values:
        shape = (code.size, *e.sizes(value.type))
        output.sorted.append(e.allocate(element(value.type), shape, "sorted"))
    for value in kept:
        if value.type == CERT or value in code.node.elements or value in output.stored:
            continue
        shape = (code.size, *e.sizes(value.type))
        output.stored[value] = e.allocate(element(value.type), shape, "taken")


def _settle_rows(code: LoopParts, output: Output) -> None:
    """The rows that have come lie where they are from here on."""
    for array in output.gathered if output.yielded.spread else ():
        assert isinstance(array.data, Var)
        code.emitter.add(tree.Let(array.data, data_of(code, array)))


def _make_sorted(code: LoopParts, output: Output) -> None:
    """The sorted arrays, of as many rows as there are."""
    e = code.emitter
    for array in output.gathered[1:]:
        shape = (output.taken, *array.shape[1:])
        output.sorted.append(e.allocate(array.element, shape, "sorted"))


def clear(e: Emitter, offsets: MemoryRep) -> None:
    """No element has any key so far."""
    e.do("clear", offsets.data, bytes_of(offsets.shape[0], e.element_type(INT)))


def _sort(code: LoopParts, output: Output, offsets: MemoryRep) -> None:
    """A counting sort, of what has been counted in the places of the offsets."""
    limits = offsets.shape[0]
    code.emitter.do("starts", offsets.data, limits)
    _place_elements(code, output, offsets.data)
    code.emitter.do("ends", offsets.data, limits)


def _counted(code: LoopParts, numbers: MemoryRep, limits: Expr, amount: Expr) -> MemoryRep:
    """Offsets, so many, in whose places keys are counted, of which so many are stored."""
    e = code.emitter
    offsets = e.allocate(INT, (limits,), "offsets")
    clear(e, offsets)
    index = e.index("i")
    with e.gathered() as made:
        place = load(offsets.data, representations.element(numbers, [index]))
        e.assign(place, Const(1, place.type), "+")
    shared = None
    if e.shares:
        shared = tree.Sharing(convert(F64, amount), e.no_memory(), (tallied(offsets),))
    e.add(tree.For(index, ZERO, amount, ONE, tuple(made), None, shared))
    return offsets


def _place_elements(code: LoopParts, output: Output, ends: Expr) -> None:
    """Store what a Bucket has taken: `ends` has the place of the next element of each key."""
    e, y = code.emitter, output.yielded
    inputs = dict(zip(code.node.elements, code.inputs, strict=True))
    index = e.index("i")

    def there(value: Node) -> Rep:
        if value.type == CERT:
            return ScalarRep(TRUE)
        array = output.stored.get(value) or inputs[value]  # type: ignore[index]  # an element
        if rank(value.type):
            return e.row(array, [index])
        return e.scalar(representations.element(array, [index]), element(value.type), "x")

    with e.gathered() as made:
        if output.gathered:
            own = representations.element(output.gathered[0], [index])
            end = load(ends, e.define(I64, "number", convert(I64, own)))
        elif output.numbered is not None:
            assert output.numbered.numbers is not None
            own = representations.element(output.numbered.numbers, [index])
            end = load(ends, e.define(I64, "number", convert(I64, own)))
        else:
            assert y.key is not None
            key = there(y.key)
            assert isinstance(key, ScalarRep)
            end = load(ends, key.value)
        place = e.define(I64, "place", convert(I64, end))
        e.assign(end, Const(1, end.type), "+")
        kept = [there(value) for value in y.values] if not output.gathered else [
            e.row(array, [index]) if len(array.shape) > 1
            else e.scalar(representations.element(array, [index]), array.element, "x")
            for array in output.gathered[1:]
        ]  # fmt: skip
        for array, rep in zip(output.sorted, kept, strict=True):
            e.put(array, [place], rep)
    e.count(index, ZERO, _amount(code, output), made)


def _amount(code: LoopParts, output: Output) -> Expr:
    """How many rows a Bucket has collected."""
    return output.taken if output.gathered else code.size


def _find_keys(code: LoopParts, output: Output) -> list[MemoryRep]:
    """The arrays of the parts of all keys in a table, which is not needed any more."""
    e, tables = code.emitter, output.tables
    assert tables is not None
    count = tables.count()
    arrays = [e.allocate(t, (count,), "values") for t in tables.types]
    index = e.index("i")
    with e.gathered() as made:
        for array, part in zip(arrays, tables.key(index), strict=True):
            e.assign(load(array.data, index), convert(e.element_type(array.element), part))
    e.count(index, ZERO, count, made)
    tables.end()
    return arrays


def _bind_table(code: LoopParts, output: Output, generator: Bucket) -> None:
    """The results of a hashed Bucket."""
    e, y, node = code.emitter, output.yielded, code.node
    owner = output.numbered or output
    if owner is output:
        output.keys = _find_keys(code, output)
    count = owner.keys[0].shape[0]
    arrays: list[MemoryRep] = []
    if generator.collects:
        assert owner.numbers is not None
        _settle_rows(code, output)
        amount = _amount(code, output)
        offsets = _counted(code, owner.numbers, plus(count, ONE), amount)
        if output.gathered:
            _make_sorted(code, output)
        _sort(code, output, offsets)
        arrays = [offsets, *output.sorted]
    else:
        arrays = rows.taken_apart(code, output, count)
    if generator.numbered:
        assert owner.numbers is not None
        arrays.append(owner.numbers)
    e.bind_key((node, y.first), ScalarRep(count))
    if y.totals:
        e.bind_key((node, output.places[-1]), ScalarRep(output.taken))
    for place, array in zip(output.places, (*owner.keys, *arrays), strict=not y.totals):
        shared = owner is not output and (array in owner.keys or array is owner.numbers)
        if not shared:
            e.bind_key((node, place), array)
        elif e.frames[-1].uses((node, place)):
            e.bind_key((node, place), _copied(e, array))


def _copied(e: Emitter, array: MemoryRep) -> MemoryRep:
    """The same in memory of its own, as results may be overwritten one by one."""
    made = e.allocate(array.element, array.shape, "copy")
    e.copy(made, array)
    return made


def bind(code: LoopParts, output: Output) -> None:
    """What is done after the loop, and the results."""
    e, y, node = code.emitter, output.yielded, code.node
    match y.generator:
        case Collect():
            if e.program.arithmetic.int_bits < 64:
                most = natural(e.program.arithmetic.max_elements)
                message = "an array of size {} is too large"
                e.fail_if(is_more(output.count, most), message, e.span, [output.count])
            e.bind_key((node, y.first), ScalarRep(output.count))
            for place, array in zip(output.places, output.arrays, strict=True):
                assert array.handle is not None
                assert isinstance(array.data, Var)
                e.add(tree.Let(array.data, Data(array.handle.owner, array.data.type)))
                e.bind_key((node, place), replace(array, shape=(output.count,)))
        case Bucket(hashed=False) if not y.one_each:
            _settle_rows(code, output)
            offsets = _counted(code, output.gathered[0], e.extent(y.bound), output.taken)
            _make_sorted(code, output)
            _sort(code, output, offsets)
            *places, last = output.places
            for place, array in zip(places, (offsets, *output.sorted), strict=True):
                e.bind_key((node, place), array)
            e.bind_key((node, last), ScalarRep(output.taken))
        case Bucket(hashed=False):
            (offsets,) = output.arrays
            _sort(code, output, offsets)
            for place, array in zip(output.places, (offsets, *output.sorted), strict=True):
                e.bind_key((node, place), array)
        case Bucket():
            _bind_table(code, output, y.generator)
