"""Finds what must be copied before it is overwritten: places in order -> positions of operands.

An operand that a node overwrites (`cogen.array.schedule.overwriting`) need not be copied where none
of its roots

    is used later, except through what the node gives,
    belongs to someone else: the caller, or a loop around that comes back to it,
    is shared by another operand that the node (a loop) has, or that its blocks use.

A value that a loop carries must be copied at the end of an iteration, where the next iteration
overwrites it and it shares memory with something outside the body or another carried value.
The source's uniqueness makes these cases rare (seed 003, chapter 4), but passes may bring them
about, such as finding two equal arrays; so this is what makes updates in place right.

Copies are decided here, and are no pass on loops: what roots an array has, and what is used later,
is known of nodes, whose updates make new arrays; the stores of loops overwrite, so to which memory
they go has been decided.  Whether the memory of a copy need be allocated is a matter for passes on
loops (`cogen.array.loops.reuse`, `stack`, `scalarise`, `aim`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cogen.array.ir.memoryroots import MemorySharing
from cogen.array.ir.node import (
    Block,
    If,
    Loop,
    Multiloop,
    Node,
    Parameter,
    Part,
    Region,
)
from cogen.array.ir.placement import NodePlace
from cogen.array.schedule.orderstatements import Order
from cogen.array.schedule.overwriting import Overwriting


class Copies:
    """The copies of one function: by node the operands, by block the results."""

    def __init__(
        self,
        top: NodePlace,
        order: Order,
        sharing: MemorySharing,
        consuming: Overwriting,
        in_place: bool = True,
    ) -> None:
        self.in_place = in_place
        """Whether anything is overwritten but copies."""
        self.order = order
        self.sharing = sharing
        self.consuming = consuming
        self.operands: dict[Node, tuple[int, ...]] = {}
        self.results: dict[Block, tuple[int, ...]] = {}
        self.origins: dict[Node, set[Node]] = {}
        """Of nodes that copy operands, the roots that these had before any copies."""
        self.home: dict[Node, NodePlace] = {}
        for place, nodes in order.nodes.items():
            for node in nodes:
                self.home[node] = place
        owned = frozenset([p for p in top.block.parameters if p.unique])
        self._place(top, owned, list(top.block.results))

    def _place(self, place: NodePlace, owned: frozenset[Node], after: Sequence[Node]) -> None:
        """Decide for the nodes of a place, in order.

        `owned` are the roots bound outside that may be overwritten; `after` is used after the
        place's nodes.
        """
        later = _Later(self.sharing, self.order, self.origins, place, after)
        for node in self.order.nodes[place]:
            free: frozenset[Node] = frozenset()
            if node in self.consuming.consumed:
                free = self._node(node, place, owned, later)
            self._inside(node, place, free)

    def _node(
        self, node: Node, place: NodePlace, owned: frozenset[Node], later: _Later
    ) -> frozenset[Node]:
        """Decide for the operands of a node; gives what its branches may overwrite."""
        positions = self.consuming.positions.get(node, ())
        found = [
            position
            for position in positions
            if not self._free_to_take(node, position, place, owned, later)
        ]
        free: frozenset[Node] = frozenset()
        if node.blocks and not node.is_loop:
            roots = self.consuming.consumed[node]
            free = frozenset([r for r in roots if self._is_free(r, node, place, owned, later)])
        self.operands[node] = tuple(found)
        for position in found:
            for root in self.sharing.roots(node.operands[position]):
                self.origins.setdefault(node, set()).update(before_copies(self.origins, root))
        for position in found:
            self.sharing.copy(node, position)
        return free

    def _free_to_take(
        self, node: Node, position: int, place: NodePlace, owned: frozenset[Node], later: _Later
    ) -> bool:
        roots = self.sharing.roots(node.operands[position])
        free = self.in_place and all(
            self._is_free(root, node, place, owned, later) for root in roots
        )
        if not free or not isinstance(node, Region):
            return free
        others = [n for i, n in enumerate(node.operands) if i != position]
        others += self.order.inside[node]
        return all(self.sharing.roots(other).isdisjoint(roots) for other in others)

    def _is_free(
        self, root: Node, node: Node, place: NodePlace, owned: frozenset[Node], later: _Later
    ) -> bool:
        """Whether a node may overwrite the memory of a root."""
        mine = root in owned or place in self._around(root)
        return mine and not later.uses(root, node)

    def _around(self, root: Node) -> Iterator[NodePlace]:
        """The places in which a root is made: what one of them makes is new each time that it is
        entered.  None, of a parameter."""
        home = self.home.get(root)
        while home is not None:
            yield home
            home = home.outer

    def _inside(self, node: Node, place: NodePlace, free: frozenset[Node]) -> None:
        """Decide for the blocks of a node; `free` are the roots bound outside it may overwrite."""
        for inner in place.inner.get(node, []):
            block = inner.block
            carried = self.consuming.carried.get(block, frozenset())
            self._carried(node, block, carried)
            guards = inner.guards()
            after = list(block.results)
            for guard in guards:
                self._place(guard, frozenset(), after)
                after += [used for n in self.order.nodes[guard] for used in self.order.reads[n]]
            self._place(inner, free | carried, after)

    def _carried(self, node: Node, block: Block, overwritten: frozenset[Node]) -> None:
        """Decide for the results of a body that the next iteration overwrites."""
        if isinstance(node, Multiloop) and block is node.body:
            return
        carried = node.carried if isinstance(node, Loop) else block.parameters[: len(block.results)]
        found: set[int] = set()
        for results in ways(block.results):
            roots = [self.sharing.roots(result) for result in results]
            for i, parameter in enumerate(carried):
                if parameter not in overwritten:
                    continue
                others: set[Node] = set().union(*[r for k, r in enumerate(roots) if k != i])
                own = roots[i]
                foreign = any(not self._is_carried(root, carried, block) for root in own)
                if not self.in_place or foreign or not own.isdisjoint(others):
                    found.add(i)
        self.results[block] = tuple(sorted(found))

    def _is_carried(self, root: Node, carried: Sequence[Parameter], block: Block) -> bool:
        """Whether a root is a carried value, or memory that the body makes."""
        return root in carried or any(place.block is block for place in self._around(root))


MOST_WAYS: Final = 8
"""So many ways through conditionals are looked at one by one."""


def ways(results: Sequence[Node]) -> list[tuple[Node, ...]]:
    """The results of a block, way by way through the conditionals that give several of them: arrays
    that change places on one way are different on each, though either may be both."""
    found: list[tuple[Node, ...]] = [tuple(results)]
    done: list[tuple[Node, ...]] = []
    while found:
        one = found.pop()
        choices = [r.node for r in one if isinstance(r, Part) and isinstance(r.node, If)]
        choice = next((c for c in choices if choices.count(c) > 1), None)
        if choice is None or len(found) + len(done) >= MOST_WAYS:
            done.append(one)
            continue
        for arm in choice.blocks:
            found.append(
                tuple([
                    arm.results[r.index] if isinstance(r, Part) and r.node is choice else r
                    for r in one
                ])
            )  # fmt: skip
    return done


def before_copies(origins: Mapping[Node, set[Node]], root: Node) -> set[Node]:
    """A root, and the roots of what it is a copy of: those of its users before it was one."""
    return {root} | origins.get(root.node if isinstance(root, Part) else root, set())


class _Later:
    """What is used after a node of a place."""

    def __init__(
        self,
        sharing: MemorySharing,
        order: Order,
        origins: Mapping[Node, set[Node]],
        place: NodePlace,
        after: Sequence[Node],
    ) -> None:
        self.sharing = sharing
        self.order = order
        self.origins = origins
        self.nodes = order.nodes[place]
        self.position = {node: i for i, node in enumerate(self.nodes)}
        last: dict[Node, int] = {}
        for i, node in enumerate(self.nodes):
            last.update(dict.fromkeys(order.reads[node], i))
        last.update(dict.fromkeys(after, len(self.nodes)))
        self.used: dict[Node, list[tuple[Node, int]]] = {}
        """By root, the arrays that are used, and where last; as it was before any copies here."""
        for used, i in last.items():
            for root in sharing.roots(used):
                self.used.setdefault(root, []).append((used, i))
        self._of: Node | None = None
        self._dependent: set[Node] = set()

    def uses(self, root: Node, node: Node) -> bool:
        """Whether memory is used after a node by something that does not depend on the node."""
        position = self.position[node]
        return any(
            last > position and used not in self._from(node) and root in self.sharing.roots(used)
            for before in before_copies(self.origins, root)
            for used, last in self.used.get(before, ())
        )

    def _from(self, node: Node) -> set[Node]:
        """The node and what depends on it."""
        if self._of is not node:
            self._of = node
            self._dependent = {node}
            for found in self.nodes[self.position[node] :]:
                if not self.order.reads[found].isdisjoint(self._dependent):
                    self._dependent.add(found)
        return self._dependent
