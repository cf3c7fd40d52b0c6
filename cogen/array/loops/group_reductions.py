"""loop -> kernel: neighbouring items touch neighbouring elements, and reduce together.

Item k of n does the iterations k, k + n, k + 2n ...; the items of a work group put together what
they found in local memory, as a tree, and `join` what the groups found. That is for devices that
are no processors, and for reductions in any order that cannot fail: an item that leaves would never
come to the barrier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.cut import Cut, ReducedItem
from cogen.array.loops.expressions import ZERO, convert, less, load, more, natural, plus, same
from cogen.array.loops.printopencl import PART, PARTS
from cogen.array.loops.tree import (
    BOOL,
    I64,
    THREAD,
    Block,
    Combination,
    Const,
    Invoke,
    Pointer,
    Statement,
    Var,
)

GROUP: Final = 256
"""The items of a work group that put together what they found."""

MOST_SHARED: Final = 8
"""The most accumulators: each takes local memory."""

BARRIER: Final = tree.Do(Invoke("barrier", (), BOOL))
"""All items of the group have come so far."""


def grouped(cut: Cut) -> Block | None:
    """What an item does; None if the loop is none of this kind."""
    parts = [part for part in cut.parts if isinstance(part, ReducedItem)]
    if len(parts) < len(cut.parts) or treewalk.can_fail(cut.loop.body):
        return None
    if not all(part.operator.all_known for part in parts):
        return None
    if not 0 < sum([len(part.accumulators) for part in parts]) <= MOST_SHARED:
        return None
    loop = cut.own(PART, cut.items.size, PARTS)
    return (*cut.begin(), loop, *_put_together(cut, parts))


def _put_together(cut: Cut, parts: Sequence[ReducedItem]) -> list[Statement]:
    """Combine the accumulators of a group's items; the first item stores them."""
    item = cut.items.names.fresh("item", THREAD)
    made: list[Statement] = [tree.Let(item, Invoke("local_item", (), THREAD))]
    shared: list[tuple[Var, Combination, Var]] = []
    for part in parts:
        for own, how, buffer in zip(
            part.own.values(), part.operator.known, part.parts, strict=True
        ):
            assert how is not None
            room = cut.items.names.fresh("shared", Pointer(own.type, "local"))
            made += [tree.Room(room, natural(GROUP)), tree.Store(room, item, own)]
            shared.append((room, how, buffer))
    step = cut.items.names.fresh("step", THREAD)
    combined = [
        tree.Store(room, item, how.combine(load(room, item), load(room, plus(item, step))))
        for room, how, _ in shared
    ]
    halved = tree.Assign(step, Const(2, THREAD), "/")
    body = (tree.IfStatement(less(item, step), tuple(combined)), BARRIER, halved)
    group = Invoke("group", (), I64)
    stored = [
        tree.Store(buffer, group, convert(tree.target(buffer), load(room, ZERO)))
        for room, _, buffer in shared
    ]
    return [
        *made,
        BARRIER,
        tree.Variable(step, Const(GROUP // 2, THREAD)),
        tree.While(more(step, ZERO), body),
        tree.IfStatement(same(item, ZERO), tuple(stored)),
    ]
