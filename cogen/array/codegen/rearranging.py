"""Loops for the generators whose results are known only after the loop.

Collect     of streams: room that grows; what is made elsewhere is copied behind what is there
Bucket      that collects: keys are kept and counted; after the loop, a counting sort of the
            indices. A hashed one: tables of the different keys so far, by hash, or by value where
            they are small, with the accumulators of each key, in room that grows. One that is both
            keeps the numbers of keys, which are counted after the loop; Buckets with the same keys
            have one table
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cogen.array.codegen import accumulatorrows as rows
from cogen.array.codegen import representations as reps
from cogen.array.codegen.combining import combined
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.keytables import KeyTables, Limits
from cogen.array.codegen.representations import Array, Handle, MemoryRep, PackedRep, Rep, ScalarRep
from cogen.array.codegen.sharingout import tallied
from cogen.array.ir.graphtypes import CERT, INT, element, rank
from cogen.array.ir.graphtypes import Scalar as ScalarType
from cogen.array.ir.node import Bucket, Collect, Node, is_hashed
from cogen.array.loops import tree
from cogen.array.loops.expressions import (
    ONE,
    TRUE,
    ZERO,
    bytes_of,
    choose,
    convert,
    less,
    load,
    natural,
    plus,
    same,
    size_of,
    times,
)
from cogen.array.loops.expressions import more as is_more
from cogen.array.loops.tree import (
    BLOCK,
    F64,
    I64,
    Address,
    Const,
    Data,
    Expr,
    Var,
)

LEAST_ROOM: Final = 16
"""How many elements there is room for at first, at least."""

MOST_SMALL: Final = 16
"""Keys that are samples of so many bits are packed into one int."""


def prepare(code: LoopParts, output: Output) -> None:
    """Make room before the loop."""
    e, y = code.emitter, output.yielded
    match y.generator:
        case Collect():
            output.count = e.variable(I64, "count", ZERO)
            for value in y.values:
                output.arrays.append(_growing(code, element(value.type)))
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
    for other in code.outputs:
        same_keys = is_hashed(other.yielded.generator) and other.yielded.generator.one_each
        if same_keys and other.yielded.keys == output.yielded.keys:
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


def _growing(code: LoopParts, t: ScalarType) -> MemoryRep:
    """An array without a size, which has a block of its own that may be exchanged."""
    e = code.emitter
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
    e, y = code.emitter, output.yielded
    if output.finished_later:
        for array, value in zip(output.arrays, y.taken, strict=True):
            e.put(array, [index], e.rep(value))
        return
    match y.generator:
        case Collect():
            GrowingArrays(code, output).copy([e.array(value) for value in y.values])
        case Bucket():
            for node, array in output.stored.items():
                e.put(array, [index], e.rep(node))
            if y.key is not None:
                place = load(output.arrays[0].data, e.scalar_of(y.key))
                e.assign(place, Const(1, place.type), "+")
            elif output.tables is not None:
                number = combine(code, output, [e.rep(value) for value in y.taken])
                if output.numbers is not None:
                    e.put(output.numbers, [index], ScalarRep(number))


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


def clear(e: Emitter, offsets: MemoryRep) -> None:
    """No element has any key so far."""
    e.do("clear", offsets.data, bytes_of(offsets.shape[0], e.element_type(INT)))


def _sort(code: LoopParts, output: Output, offsets: MemoryRep) -> None:
    """A counting sort, of what has been counted in the places of the offsets."""
    limits = offsets.shape[0]
    code.emitter.do("starts", offsets.data, limits)
    _place_elements(code, output, offsets.data)
    code.emitter.do("ends", offsets.data, limits)


def _counted(code: LoopParts, numbers: MemoryRep, count: Expr) -> MemoryRep:
    """Offsets in whose places so many keys are counted, of which each iteration has stored one."""
    e = code.emitter
    offsets = e.allocate(INT, (plus(count, ONE),), "offsets")
    clear(e, offsets)
    index = e.index("i")
    with e.gathered() as made:
        place = load(offsets.data, reps.element(numbers, [index]))
        e.assign(place, Const(1, place.type), "+")
    shared = None
    if e.shares:
        shared = tree.Sharing(convert(F64, code.size), e.no_memory(), (tallied(offsets),))
    e.add(tree.For(index, ZERO, code.size, ONE, tuple(made), None, shared))
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
        return e.scalar(reps.element(array, [index]), element(value.type), "x")

    with e.gathered() as made:
        if output.numbered is not None:
            assert output.numbered.numbers is not None
            own = reps.element(output.numbered.numbers, [index])
            end = load(ends, e.define(I64, "number", convert(I64, own)))
        else:
            assert y.key is not None
            key = there(y.key)
            assert isinstance(key, ScalarRep)
            end = load(ends, key.value)
        place = e.define(I64, "place", convert(I64, end))
        e.assign(end, Const(1, end.type), "+")
        for array, value in zip(output.sorted, y.values, strict=True):
            e.put(array, [place], there(value))
    e.count(index, ZERO, code.size, made)


class GrowingArrays:
    """What puts a stream behind those before, in room that grows."""

    def __init__(self, code: LoopParts, output: Output) -> None:
        self._code = code
        self._output = output
        self._now: list[MemoryRep] = []

    def reserve(self, more: Expr) -> None:
        """Make room for so many more elements, at most."""
        e, output = self._code.emitter, self._output
        for array in output.arrays:
            size = convert(I64, size_of(e.element_type(array.element)))
            used = times(output.count, size)
            e.try_("room", Address(_block(array)), used, times(more, size))

    def ends(self, more: Expr) -> list[MemoryRep]:
        """Where there is room for so many more elements."""
        return [self._at(array, "end", self._output.count, more) for array in self._output.arrays]

    def _at(self, array: MemoryRep, name: str, start: Expr, size: Expr) -> MemoryRep:
        e = self._code.emitter
        data = e.point(array.element, name, plus(_data(self._code, array), start))
        return reps.dense(array.element, data, (size,))

    def added(self, more: Expr) -> None:
        """So many elements have been put there."""
        self._code.emitter.assign(self._output.count, more, "+")

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
        self._now = [self._at(array, "now", ZERO, ZERO) for array in self._output.arrays]

    def __call__(self, values: Sequence[Rep]) -> None:
        """Put an element there."""
        for array, value in zip(self._now, values, strict=True):
            self._code.emitter.put(array, [self._output.count], value)
        self.added(ONE)


def combine(code: LoopParts, output: Output, values: Sequence[Rep]) -> Expr:
    """Combine values with what there is of their key, which the first ones are; its number."""
    e, y = code.emitter, output.yielded
    assert output.tables is not None
    width = y.generator.keys
    keys = [rep.value for rep in values[:width] if isinstance(rep, ScalarRep)]
    found = output.tables.number(keys)
    with e.gathered() as made:
        rows.add(code, output)
        e.assign(output.count, ONE, "+")
    e.when(same(found, output.count), made)
    if output.operator is None:
        return found
    places = rows.by_number(output)
    old: list[Rep] = [
        e.scalar(reps.element(place, [found]), place.element, "old") for place in places
    ]

    def finish(new: Sequence[Rep]) -> None:
        for place, rep in zip(places, new, strict=True):
            e.put(place, [found], rep)

    combined(code, output, old, values[width:], finish)
    return found


def _block(array: MemoryRep) -> Var:
    assert array.handle is not None
    block = array.handle.owner
    assert isinstance(block, Var)
    return block


def _data(code: LoopParts, array: MemoryRep) -> Expr:
    """Where an array in a region that grows is now."""
    return Data(_block(array), code.emitter.pointer_type(array.element))


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
        offsets = _counted(code, owner.numbers, count)
        _sort(code, output, offsets)
        arrays = [offsets, *output.sorted]
    else:
        arrays = rows.taken_apart(code, output, count)
    if generator.numbered:
        assert owner.numbers is not None
        arrays.append(owner.numbers)
    e.bind_key((node, y.first), ScalarRep(count))
    for place, array in zip(output.places, (*owner.keys, *arrays), strict=True):
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
        case Bucket(hashed=False):
            (offsets,) = output.arrays
            _sort(code, output, offsets)
            for place, array in zip(output.places, (offsets, *output.sorted), strict=True):
                e.bind_key((node, place), array)
        case Bucket():
            _bind_table(code, output, y.generator)
