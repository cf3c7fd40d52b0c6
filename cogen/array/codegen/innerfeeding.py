"""Which loops within an iteration need no arrays: what they collect is taken at once.

    loop { i => k, v <- loop { j => collect key(i, j), collect value(i, j) } ... } bucket by k of v

The inner loop's arrays are there for one generator only, which takes their elements one after the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cogen.array.ir.graphtypes import ArrayType, rank
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    Collect,
    Iota,
    Multiloop,
    Node,
    Operation,
    Part,
    Replicate,
    Scan,
    grows,
)
from cogen.array.schedule.schedule import Scheduled, Statement
from cogen.lang.errors import InternalError


@dataclass(frozen=True, slots=True)
class Feeding:
    """A loop within another that feeds generators of that."""

    inner: Multiloop
    rows: tuple[tuple[Node, ...], ...]
    """What each takes: values of the inner loop's body, its index, or scalars around."""
    spared: frozenset[Node]
    """Arrays that need not be made."""


def maker_of(taken: Sequence[Node]) -> Multiloop | None:
    """The loop that makes the first of some arrays that one makes."""
    found = next((n.node for n in taken if isinstance(n, Part)), None)
    return found if isinstance(found, Multiloop) else None


def feeding(
    loop: Multiloop, body: Scheduled, condition: Node | None, takers: Sequence[Sequence[Node]]
) -> Feeding | None:
    """The loop in the body of another whose results are needed for the arrays that generators with
    a condition take, and for nothing else; None if there is none."""
    taken = [node for own in takers for node in own]
    inner = maker_of(taken)
    if inner is None or not _has_rows(inner):
        return None
    spared = frozenset([n for n in taken if not _is_of(n, inner)])
    if not all(_is_spared(loop, inner, n, taken.count(n)) for n in spared):
        return None
    if any(isinstance(y.generator, Scan) for y in loop.yields()):
        return None  # an iteration may be computed again
    guarded = [g.statements for g in body.guarded if g.condition is condition]
    blocks = [body.statements] if condition is None else guarded
    if not any(_may_be_last(block, inner, spared) for block in blocks):
        return None
    if _uses(loop, lambda n: _is_of(n, inner)) != sum([_is_of(n, inner) for n in taken]):
        return None
    return Feeding(inner, tuple([tuple([_row(inner, n) for n in t]) for t in takers]), spared)


def _has_rows(inner: Multiloop) -> bool:
    """Whether all that a loop does is to collect values, or to append arrays, side by side."""
    yields = inner.yields()
    if len(yields) == 1 and grows(yields[0].generator):
        return yields[0].condition is None
    alike = {(y.condition, y.generator.spread) for y in yields}
    return (
        len(alike) == 1
        and not yields[0].generator.spread
        and all(isinstance(y.generator, Collect) for y in yields)
    )


def _is_spared(loop: Multiloop, inner: Multiloop, array: Node, taken: int) -> bool:
    """Whether the elements of an array are known without it, and nothing else needs it."""
    if isinstance(array, Iota):
        known = all(y.condition is None for y in inner.yields())
        known = known and not grows(inner.generators[0])
    else:
        known = isinstance(array, Replicate) and rank(array.type) == 1
    return known and _uses(loop, lambda n: n is array) == taken


def _may_be_last(block: Sequence[Statement], inner: Multiloop, spared: frozenset[Node]) -> bool:
    """Whether a loop is in a block, and may run after all else there."""
    nodes = [statement.node for statement in block]
    if inner not in nodes or not spared.issubset(nodes):
        return False
    later = nodes[nodes.index(inner) + 1 :]
    return not spared or all(isinstance(n, Operation) or n in spared for n in later)


def in_order(statements: Sequence[Statement], fed: Iterable[Feeding]) -> Sequence[Statement]:
    """The statements without the arrays that are spared; loops that feed with them come last."""
    moved = [one for one in fed if one.spared]
    spared = {node for one in moved for node in (*one.spared, one.inner)}
    last = {one.inner for one in moved}
    return [
        *[s for s in statements if s.node not in spared],
        *[s for s in statements if s.node in last],
    ]


def _row(inner: Multiloop, array: Node) -> Node:
    """The element of an array in an iteration of the inner loop."""
    if isinstance(array, Replicate):
        return array.value
    if isinstance(array, Iota):
        return inner.index
    assert isinstance(array, Part)
    for y in inner.yields():
        first = y.first + y.generator.leads
        if first <= array.index < first + len(y.values):
            return y.values[array.index - first]
    raise InternalError(f"loop {inner.number} has no array {array.index}")


def _uses(loop: Multiloop, is_it: Callable[[Node], bool]) -> int:
    """How often the body of a loop uses a node, beside its own type."""
    used = [*loop.body.results]
    for node in all_nodes(loop.body):
        used += [*node.operands, *node.certs]
        for block in node.blocks:
            used += [*block.results, *block.effects]
        if not is_it(node) and isinstance(node.type, ArrayType):
            used += [n for n in node.type.shape if isinstance(n, Node)]
    return sum(map(is_it, used))


def _is_of(node: Node, inner: Node) -> bool:
    return isinstance(node, Part) and node.node is inner
