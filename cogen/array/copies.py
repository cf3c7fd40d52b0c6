"""Finds what must be copied before it is overwritten: places in order -> positions of operands.

An operand that a node overwrites (`cogen.array.consuming`) need not be copied where none of its
roots

    is used later, except through what the node gives,
    belongs to someone else: the caller, or a loop around that comes back to it,
    is shared by another operand that the node (a loop) has, or that its blocks use.

A value that a loop carries must be copied at the end of an iteration, where the next iteration
overwrites it and it shares memory with something outside the body or another carried value.
The source's uniqueness makes these cases rare (seed 003, chapter 4), but passes may bring them
about, such as finding two equal arrays; so this is what makes updates in place right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cogen.array.consuming import Consuming
from cogen.array.node import (
    Block,
    If,
    Loop,
    Multiloop,
    Node,
    Parameter,
    Part,
    Region,
)
from cogen.array.order import Order
from cogen.array.placement import Place
from cogen.array.sharing import Sharing


class Copies:
    """The copies of one function: by node the operands, by block the results."""

    def __init__(self, top: Place, order: Order, sharing: Sharing, consuming: Consuming) -> None:
        self.order = order
        self.sharing = sharing
        self.consuming = consuming
        self.operands: dict[Node, tuple[int, ...]] = {}
        self.results: dict[Block, tuple[int, ...]] = {}
        self.origins: dict[Node, set[Node]] = {}
        """Of nodes that copy operands, the roots that these had before."""
        self.home: dict[Node, Place] = {}
        for place, nodes in order.nodes.items():
            for node in nodes:
                self.home[node] = place
        owned = frozenset([p for p in top.block.parameters if p.unique])
        self._place(top, owned, list(top.block.results))

    def _place(self, place: Place, owned: frozenset[Node], after: Sequence[Node]) -> None:
        """Decide for the nodes of a place, in order.

        `owned` are the roots bound outside that may be overwritten; `after` is used after the
        place's nodes.
        """
        later = _Later(self.sharing, self.order, self.origins, place, after)
        for node in self.order.nodes[place]:
            if node in self.consuming.consumed:
                self._node(node, place, owned, later)
            elif node in place.inner:
                self._inside(node, place, frozenset())

    def _node(self, node: Node, place: Place, owned: frozenset[Node], later: _Later) -> None:
        positions = self.consuming.positions.get(node, ())
        found = [
            position
            for position in positions
            if not self._free_to_take(node, position, place, owned, later)
        ]
        free: frozenset[Node] = frozenset()
        if isinstance(node, If):
            roots = self.consuming.consumed[node]
            free = frozenset([r for r in roots if self._is_free(r, node, place, owned, later)])
        if found:
            self.operands[node] = tuple(found)
            before = [self.sharing.roots(node.operands[position]) for position in found]
            self.origins[node] = set().union(*before)
            for position in found:
                self.sharing.copy(node, position)
        self._inside(node, place, free)

    def _free_to_take(
        self,
        node: Node,
        position: int,
        place: Place,
        owned: frozenset[Node],
        later: _Later,
    ) -> bool:
        roots = self.sharing.roots(node.operands[position])
        if not all(self._is_free(root, node, place, owned, later) for root in roots):
            return False
        if not isinstance(node, Region):
            return True
        others = [n for i, n in enumerate(node.operands) if i != position]
        others += self.order.inside[node]
        return all(self.sharing.roots(other).isdisjoint(roots) for other in others)

    def _is_free(
        self,
        root: Node,
        node: Node,
        place: Place,
        owned: frozenset[Node],
        later: _Later,
    ) -> bool:
        """Whether a node may overwrite the memory of a root."""
        if root not in owned and not self._made_within(root, place):
            return False
        return not later.uses(root, node)

    def _made_within(self, root: Node, place: Place) -> bool:
        """Whether memory is new each time that a place is entered."""
        if isinstance(root, Parameter):
            return False
        home = self.home.get(root)
        while home is not None:
            if home is place:
                return True
            home = home.outer
        return False

    def _inside(self, node: Node, place: Place, free: frozenset[Node]) -> None:
        """Decide for the blocks of a node; `free` are the roots bound outside it may overwrite."""
        for inner in place.inner.get(node, []):
            if inner.owner is not node or inner.outer is not place:
                continue
            block = inner.block
            carried = self.consuming.carried.get(block, frozenset())
            if isinstance(node, (Loop, Multiloop)) and inner.condition is None:
                self._carried(node, block, carried)
            guards = inner.guards()
            after = list(block.results)
            for guard in guards:
                self._place(guard, frozenset(), after)
                after += [used for n in self.order.nodes[guard] for used in self.order.reads[n]]
            self._place(inner, free | carried, after)

    def _carried(self, node: Node, block: Block, overwritten: frozenset[Node]) -> None:
        """Decide for the results of a body that the next iteration overwrites."""
        if isinstance(node, Loop):
            carried = node.carried
        elif isinstance(node, Multiloop) and block is not node.body:
            carried = block.parameters[: len(block.results)]
        else:
            return
        roots = [self.sharing.roots(result) for result in block.results]
        found = []
        for i, parameter in enumerate(carried):
            if parameter not in overwritten:
                continue
            others: set[Node] = set().union(*[r for k, r in enumerate(roots) if k != i])
            own = roots[i]
            foreign = any(not self._is_carried(root, carried, block) for root in own)
            if foreign or not own.isdisjoint(others):
                found.append(i)
        if found:
            self.results[block] = tuple(found)

    def _is_carried(self, root: Node, carried: Sequence[Parameter], block: Block) -> bool:
        """Whether a root is a carried value, or memory that the body makes."""
        if root in carried:
            return True
        home = self.home.get(root)
        while home is not None:
            if home.block is block:
                return True
            home = home.outer
        return False


class _Later:
    """What is used after a node of a place."""

    def __init__(
        self,
        sharing: Sharing,
        order: Order,
        origins: Mapping[Node, set[Node]],
        place: Place,
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
            for before in self._before_copies(root)
            for used, last in self.used.get(before, ())
        )

    def _before_copies(self, root: Node) -> set[Node]:
        """A root, and the roots of what it is a copy of: those of its users before it was one."""
        found: set[Node] = set()
        waiting = [root]
        while waiting:
            known = waiting.pop()
            if known not in found:
                found.add(known)
                waiting += self.origins.get(known.node if isinstance(known, Part) else known, ())
        return found

    def _from(self, node: Node) -> set[Node]:
        """The node and what depends on it."""
        if self._of is not node:
            self._of = node
            self._dependent = {node}
            for found in self.nodes[self.position[node] + 1 :]:
                if not self.order.reads[found].isdisjoint(self._dependent):
                    self._dependent.add(found)
        return self._dependent
