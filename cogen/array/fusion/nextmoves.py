"""Finds the transposition, reshape or scan that should be moved next, so that loops can fuse.

What is moved is a `Replacement`; `Move.replaces` are the nodes that it stands for. The rules are in
`views` and `iswim`; here is when they pay: where a loop reads the moved array by element, and
nothing, or only cheap work, is computed more often than before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.cost import DUPLICATION_LIMIT, cost
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.fusionsteps import FusionSteps
from cogen.array.fusion.groupbuckets import Regroup
from cogen.array.fusion.groupbuckets import find as find_group
from cogen.array.fusion.groupcounts import GroupCounts, find_counts
from cogen.array.fusion.iswim import interchange
from cogen.array.fusion.lasts import last
from cogen.array.fusion.mergedgenerators import Key, part_key
from cogen.array.fusion.mirror import Replacement, captured
from cogen.array.fusion.moveviews import (
    Pull,
    Push,
    Unshape,
    Unslice,
    can_unshape,
    depth_of,
    reads_elements,
)
from cogen.array.fusion.nested import Nested, find_nested
from cogen.array.fusion.nodeplaces import Places
from cogen.array.fusion.onepass import columns
from cogen.array.fusion.perfectnests import KEPT, Nest, find, kept, outermost
from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Block,
    Multiloop,
    Node,
    Rearrange,
    Reshape,
    Slice,
    shape,
)
from cogen.lang.eachonce import each_once


@dataclass(frozen=True, slots=True)
class FusionMove:
    """A transformation that opens a way for fusion.

    `near` are the loops that it looks at, or that something is changed of; those of one block may
    be made at once that have none of these in common. Empty: it is made alone.
    """

    rule: str
    loop: Multiloop
    replaces: tuple[Node, ...]
    replacement: Replacement
    near: frozenset[Node] = frozenset()


G = TypeVar("G", Regroup, GroupCounts, Nested)


@dataclass(slots=True, eq=False, repr=False)
class Moves:
    """The moves that a function offers."""

    graph: Graph
    places: Places
    consumption: Consumption
    steps: FusionSteps
    _flows: dict[Block, DataFlow] = field(default_factory=dict, init=False)

    def _flow(self, block: Block) -> DataFlow:
        """What depends on what in a block."""
        if block not in self._flows:
            self._flows[block] = DataFlow(self.places, block)
        return self._flows[block]

    def scans(self) -> Iterator[FusionMove]:
        """Scans to be interchanged with their operators."""
        for node in self.places.multiloops:
            if not self.steps.allows("iswim"):
                continue
            found = interchange(node)
            if found is None:
                continue
            depth = len(found.nest.levels) + 1
            if self._is_made_by_nest(node, depth, found.retypes()) or self._is_read_by_nest(
                node, depth
            ):
                yield FusionMove("iswim", node, tuple(self.places.parts(node)), found)

    def lasts(self) -> Iterator[FusionMove]:
        """Scans of which the last element is needed only."""
        for node in self.places.multiloops:
            if not self.steps.allows("scan-last"):
                continue
            found = last(self.graph, self.places, node)
            if found is not None and not self.consumption.is_contested(node):
                yield FusionMove("scan-last", node, tuple([read for _, read in found.reads]), found)

    def _is_made_by_nest(self, scan: Multiloop, depth: int, retypes: bool) -> bool:
        """Whether a nest makes a scan's rows; one that can be of other sizes, if it must."""
        for array in scan.inputs:
            key = part_key(array.array if isinstance(array, Rearrange) else array)
            nest = None if key is None else find(key[0], [key], depth)
            if key is not None and nest is not None:
                every = tuple(range(depth))
                plain = all(nest.sources[parameter][1] == every for parameter in nest.used)
                if retypes and not (plain and not nest.uses_index()):
                    return False
                return self.places.place[key[0]] is self.places.place[scan]
        return False

    def _is_read_by_nest(self, scan: Multiloop, depth: int) -> bool:
        for part in self.places.parts(scan):
            for user in self.places.readers(part):
                keys = [(user, other.index) for other in self.places.parts(user)]
                if keys and find(user, keys, depth) is not None:
                    return True
        return False

    def groups(self) -> Iterator[FusionMove]:
        """Reductions of groups to become reductions by key."""
        for node in self.places.multiloops:
            found: Regroup | GroupCounts | None
            found = self._over_groups("group-reduce", node, find_group)
            if found is None:
                found = self._over_groups("group-reduce", node, find_counts)
            if found is not None:
                near = frozenset([node, found.group, *found.makers])
                yield FusionMove("group-reduce", node, tuple(self.places.parts(node)), found, near)

    def tables(self) -> Iterator[FusionMove]:
        """Tables in each group to become one."""
        for node in self.places.multiloops:
            found = self._over_groups("group-bucket", node, find_nested)
            if found is not None:
                yield FusionMove("group-bucket", node, found.replaces(self.places), found)

    def _over_groups(
        self, rule: str, node: Multiloop, find: Callable[[Multiloop, Places], G | None]
    ) -> G | None:
        """What a rule finds of a loop over groups, if it may be done."""
        found = find(node, self.places) if self.steps.allows(rule) else None
        if found is None or not self._may(rule, self._price_of(found)):
            return None
        return found if self._may_go_to(node, found) else None

    def _may_go_to(self, node: Multiloop, found: Regroup | GroupCounts | Nested) -> bool:
        """Whether groups may be made where a loop goes through them: nothing between consumes what
        they are made of."""
        flow = self._flow(self.places.place[node])
        loops = (found.group, *found.makers)
        return all(self.consumption.crosses(loop, node, flow) is None for loop in loops)

    def _price_of(self, found: Regroup | GroupCounts | Nested) -> float:
        """What is computed once more because it is needed otherwise, too."""
        loops = {found.loop, *found.makers}
        total: float = 0
        if not self._only_for(found.group, loops):
            assert found.key.key is not None
            total += cost([found.key.key, *found.key.values], found.group.body.binds)
        for source in found.sources:
            if source.loop is None or source.value is None:
                continue
            if not self._only_for(source.loop, loops):
                total += cost([source.value], source.loop.body.binds)
        return total

    def _only_for(self, loop: Multiloop, others: set[Multiloop]) -> bool:
        """Whether only some loops of a block use the results of another one."""
        block = self.places.place[loop]
        users = [user for part in self.places.parts(loop) for user in self.places.uses[part]]
        return all(self.places.item(user, block) in others for user in users)

    def views(self) -> Iterator[FusionMove]:
        """Transpositions and reshapes between loops."""
        for node in self.places.nodes:
            if not node.is_another_form:
                continue
            key = part_key(node.operands[0])
            if key is None or not self._is_read(node):
                continue
            if isinstance(node, Reshape):
                yield from self._unshape(key, node)
                continue
            if not isinstance(node, Rearrange):
                continue
            pulled = self._pull(key, node)
            if pulled is not None:
                yield pulled
            else:
                yield from self._pushes(key, node)

    def slices(self) -> Iterator[FusionMove]:
        """Loops of whose results only slices are needed."""
        for node in self.places.multiloops:
            if not node.effectful:
                found = self._unslice(node)
                if found is not None:
                    yield found

    def columns(self) -> Iterator[FusionMove]:
        """Loops over columns of what another loop goes through by rows."""
        for node in self.places.multiloops:
            found = columns(self.places, node)
            if found is None or found.price >= KEPT or not self._may("one-pass", found.price):
                continue
            if not self.consumption.is_contested(found.loop):
                yield FusionMove(
                    "one-pass", found.loop, tuple(self.places.parts(found.loop)), found
                )

    def _unslice(self, producer: Multiloop) -> FusionMove | None:
        views: list[tuple[Key, Slice]] = []
        block = self.places.place[producer]
        for part in self.places.parts(producer):
            for user in self.places.uses[part]:
                if not isinstance(user, Slice) or self.places.place[user] is not block:
                    return None
                if self.consumption.crosses(producer, user, self._flow(block)) is not None:
                    return None
                views.append(((producer, part.index), user))
            if part in self.places.type_uses:
                return None
        places = dict.fromkeys([(view.start, view.length) for _, view in views])
        if not places or (len(places) > 1 and not any(self._is_read(view) for _, view in views)):
            return None
        nest = find(producer, dict.fromkeys([key for key, _ in views]), 1)
        if nest is None:
            return None
        apart = self._are_apart(list(places))
        price = 0 if apart else cost(nest.values.values(), nest.bound) * (len(places) - 1)
        if not self._may("pull-slice", price):
            return None
        return FusionMove(
            "pull-slice", producer, tuple([view for _, view in views]), Unslice(nest, views)
        )

    def _are_apart(self, places: list[tuple[Node, Node]]) -> bool:
        """Whether slices have no row in common: each begins where the one before ends."""
        ends = [self.graph.operation("int.add", start, length) for start, length in places]
        starts = [start for start, _ in places]
        return all(start is end for start, end in zip(starts[1:], ends, strict=False))

    def _is_read(self, view: Node, block: Block | None = None) -> bool:
        """Whether a loop, of a given block if one is given, reads a view, or a view of it, by
        element."""
        stack = [view]
        while stack:
            node = stack.pop()
            for user in self.places.uses[node]:
                if isinstance(user, Block) or not reads_elements(user, node):
                    if isinstance(user, Node) and user.is_another_form:
                        stack.append(user)
                elif block is None or self.places.place[user] is block:
                    return True
        return False

    def _price(self, nest: Nest, stays: bool, keeps: bool = True) -> float:
        """What a rebuilt nest computes more often for each element than the old one: what outer
        levels compute, but for what is kept, and everything if the old one stays."""
        values = nest.values.values()
        if stays:
            return cost(values, nest.bound)
        outer = {p for loop in nest.levels[:-1] for p in loop.body.binds}
        inner = set(nest.levels[-1].body.binds)
        again = outermost(values, inner)
        if keeps:
            stored = {node for node, _ in kept(nest)}
            again = [node for node in again if node not in stored]
        return cost(again, outer)

    def _may(self, rule: str, price: float) -> bool:
        """Whether a rule is on, and its price may be paid."""
        if price > 0 and not self.steps.allows("duplicate"):
            return False
        return price <= DUPLICATION_LIMIT and self.steps.allows(rule)

    def _pull(self, key: Key, view: Rearrange) -> FusionMove | None:
        producer, order = key[0], view.order
        depth = depth_of(order)
        views: dict[Key, Rearrange] = {}
        stays = False
        for part in self.places.parts(producer):
            for user in self.places.uses[part]:
                same = isinstance(user, Rearrange) and user.order[:depth] == order[:depth]
                if isinstance(user, Rearrange) and same and depth_of(user.order) == depth:
                    views[producer, part.index] = user
                else:
                    stays = True
        if stays and not self._is_read(view, self.places.place[producer]):
            return None
        nest = find(producer, views, depth)
        if nest is None or not self._may("pull-transpose", self._price(nest, stays)):
            return None
        pull = Pull(nest, views)
        near = self._neighbours(producer)
        return FusionMove("pull-transpose", producer, tuple(views.values()), pull, near)

    def _neighbours(self, loop: Multiloop) -> frozenset[Node]:
        """A loop, those that it reads from, and those that read it, as it is or through views."""
        found: set[Node] = {loop}
        stack: list[Node] = [*loop.inputs, *captured(loop)]
        for array in each_once(stack):
            key = part_key(array)
            found.update(() if key is None else key[:1])
            stack += array.operands[:1] if array.is_another_form else ()
        stack = [*self.places.parts(loop)]
        for array in each_once(stack):
            users = [user for user in self.places.uses[array] if not isinstance(user, Block)]
            found.update([user for user in users if isinstance(user, Multiloop)])
            stack += [user for user in users if user.is_another_form]
        return frozenset(found)

    def _pushes(self, key: Key, view: Rearrange) -> Iterator[FusionMove]:
        producer = key[0]
        depth = depth_of(view.order)
        for user in self.places.uses[view]:
            if not isinstance(user, Multiloop) or not self.steps.allows("push-transpose"):
                continue
            keys = [(user, part.index) for part in self.places.parts(user)]
            nest = find(user, keys, depth) if keys else None
            if nest is None or not self._only_as(nest, producer, view):
                continue
            if not self._may("push-transpose", self._price(nest, False)):
                continue
            block = self.places.place[producer]
            if self.places.place[user] is not block:
                continue
            if self.consumption.crosses(producer, user, self._flow(block)) is None:
                parts = tuple(self.places.parts(user))
                yield FusionMove("push-transpose", user, parts, Push(nest, view.order[:depth]))

    def _only_as(self, nest: Nest, producer: Multiloop, view: Rearrange) -> bool:
        """Whether a nest reads what a producer makes by element only, transposed like a view."""
        every = tuple(range(len(nest.levels)))
        for parameter in nest.used:
            array, levels = nest.sources[parameter]
            inner = array.array if isinstance(array, Rearrange) else array
            key = part_key(inner)
            if key is None or key[0] is not producer:
                continue
            if not isinstance(array, Rearrange) or array.order != view.order or levels != every:
                return False
        return True

    def _unshape(self, key: Key, view: Reshape) -> Iterator[FusionMove]:
        producer = key[0]
        users = [user for part in self.places.parts(producer) for user in self.places.uses[part]]
        stays = any(user is not view for user in users)
        if stays and not self._is_read(view, self.places.place[producer]):
            return
        for depth in range(1, len(shape(view.array)) + 1):
            nest = find(producer, [key], depth)
            if nest is None:
                return
            price = self._price(nest, stays, keeps=False)
            if can_unshape(nest, key, view) and self._may("pull-reshape", price):
                yield FusionMove("pull-reshape", producer, (view,), Unshape(nest, key, view))
                return
