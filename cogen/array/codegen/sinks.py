"""Results that are stored packed: which of them the loop that makes them stores word by word.

    y = map(f, a), stored as u12            for i: put(y, i, f(a[i]))

That is done where the loop is one of the entry's own, collects scalars in every iteration, and
nothing else uses the array; what else the loop does are reductions, also by key where samples are
whole bytes. Samples lie apart, walk up, and begin with a byte, so iterations that belong to one
period store bytes of their own (`cogen.array.loops.strip_mine`). Other results are arrays in
memory, and packed when they are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.representations import Handle, MemoryRep, row_major
from cogen.array.codegen.sources import bytes_needed
from cogen.array.codegen.survey import all_statements
from cogen.array.ir.generators import combines
from cogen.array.ir.graphtypes import element, rank
from cogen.array.ir.node import (
    Function,
    Multiloop,
    Node,
    Part,
)
from cogen.array.ir.packedboundary import Stored, sinks
from cogen.array.l0.storage import Storage
from cogen.array.loops import tree
from cogen.array.loops.expressions import ZERO, choose, same
from cogen.array.loops.samples import in_bytes
from cogen.array.loops.tree import BLOCK, I64, U8, Expr, Pointer, Var
from cogen.array.schedule.schedule import Scheduled


@dataclass(slots=True)
class Sink:
    """A packed result: the leaves that it is stored from, and the memory, once that is there."""

    storage: Storage
    first: int
    """The position of its first leaf among the results."""
    numbers: dict[Hashable, int] = field(default_factory=dict)
    """Results of the loop, and which leaves they are."""
    data: Var | None = None
    owner: Var | None = None
    size: Expr = ZERO


def sinks_of(function: Function, body: Scheduled) -> list[Sink]:
    """The results of an entry that are stored by the loop that makes them."""
    stored = sinks(function)
    found: list[Sink] = []
    uses = _uses(body)
    own = {statement.node for statement in body.statements}
    position = 0
    while position < len(stored):
        first = stored[position]
        count = 1 if first is None else len(first.storage.leaves)
        leaves = body.block.results[position : position + count]
        copied = any(at in body.copies for at in range(position, position + count))
        if first is not None and not copied and _is_suitable(first, leaves, uses, own):
            numbers: dict[Hashable, int] = {}
            for number, leaf in enumerate(leaves):
                assert isinstance(leaf, Part)
                numbers[leaf.node, leaf.index] = number
            found.append(Sink(first.storage, position, numbers))
        position += count
    return found


def _uses(body: Scheduled) -> Counter[Node]:
    """How often values are mentioned in a block and within it."""
    found: Counter[Node] = Counter(body.block.results)
    for statement in all_statements(body):
        found.update(statement.node.operands)
        for block in statement.node.blocks:
            found.update(block.results)
    return found


def _is_suitable(
    stored: Stored, leaves: Iterable[Node], uses: Counter[Node], own: set[Node]
) -> bool:
    storage = stored.storage
    if storage.step < 0 or storage.low < 0 or storage.offset % 8 or storage.overlaps:
        return False
    if any(samples.is_real and in_bytes(samples) is None for samples in storage.leaves):
        return False
    loops = {leaf.node if isinstance(leaf, Part) else None for leaf in leaves}
    if len(loops) != 1 or any(uses[leaf] != 1 for leaf in leaves):
        return False
    (loop,) = loops
    if not isinstance(loop, Multiloop) or loop not in own:
        return False
    collected: set[int] = set()
    whole = all(in_bytes(samples) is not None for samples in storage.leaves)
    for y in loop.yields():
        by_key = whole and combines(y.generator)
        if not by_key and not y.generator.in_any_order:
            return False
        if not y.one_each:
            return False
        if any(rank(value.type) for value in y.values):
            return False
        if y.generator.gives_all:
            collected.update(range(y.first, y.first + y.gives))
    return all(isinstance(leaf, Part) and leaf.index in collected for leaf in leaves)


def memory(e: Emitter, sink: Sink, leaf: Hashable, value: Node, size: Expr) -> MemoryRep:
    """The packed memory of a result with so many elements, as one of its leaves is stored there."""
    if sink.data is None:
        made = e.fresh_pair("packed")
        empty = same(size, ZERO)
        sink.size = e.define(I64, "bytes", choose(empty, ZERO, bytes_needed(sink.storage, size)))
        sink.owner = Var(f"{made}_block", BLOCK)
        e.add(tree.Allocate(sink.owner, U8, sink.size, e.no_memory()))
        sink.data = Var(made, Pointer(U8))
        e.add(tree.Let(sink.data, tree.Data(sink.owner, sink.data.type)))
        whole = all(in_bytes(samples) is not None for samples in sink.storage.leaves)
        if not (whole and sink.storage.is_dense and sink.storage.offset == 0):
            e.do("clear", sink.data, tree.Convert(tree.SIZE, sink.size))
        e.frames[-1].hold(Handle(sink.owner))
    assert sink.owner is not None
    samples = sink.storage.leaves[sink.numbers[leaf]]
    shape = (sink.size,)
    handle = next((h for h in e.frames[-1].handles if h.owner == sink.owner), None)
    return MemoryRep(element(value.type), sink.data, shape, row_major(shape), True, handle, samples)
