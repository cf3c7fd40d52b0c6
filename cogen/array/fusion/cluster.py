"""Groups the loops of a block that become one, without computing anything twice.

A reduction of the dependency graph in the manner of T1/T2 (seed 003, section 7.4): a producer and
a consumer become one node where the rules of `legal` allow it, no path leads from one to the other
through a third, and no array that one reads is consumed in between. Because a loop has several
generators, a producer may have several consumers, and be needed otherwise as well: they all become
one loop, and what they share is computed once. Then loops of equal size join that have nothing to
do with each other (horizontal fusion), those with a common input first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.fusionsteps import FusionSteps
from cogen.array.fusion.legal import (
    CONSUMPTION,
    DUPLICATES,
    EFFECTS,
    SIZE,
    Context,
    Refusal,
    contexts,
    vertical,
    writes,
)
from cogen.array.fusion.mergedgenerators import part_key
from cogen.array.fusion.mergeloops import owner_of
from cogen.array.fusion.nodeplaces import Places
from cogen.array.fusion.rulenames import generator_word, loop_word
from cogen.array.ir.node import (
    Block,
    Multiloop,
    Node,
)


class Clusters:
    """The groups of one block, while they are formed. Loops that are `waiting` for one thing are
    not put side by side."""

    def __init__(
        self,
        places: Places,
        consumption: Consumption,
        block: Block,
        loops: list[Multiloop],
        waiting: Mapping[Node, Collection[Node]] | None = None,
    ) -> None:
        self.waiting = waiting or {}
        self.places = places
        self.consumption = consumption
        self.loops = loops
        self.flow = DataFlow(places, block)
        self.consumers = self._find_consumers()

    def form(self, steps: FusionSteps) -> list[list[Multiloop]]:
        """The groups of several loops."""
        producers: dict[Multiloop, list[Multiloop]] = {}
        for producer in reversed(self.loops):
            for consumer in self.consumers[producer]:
                producers.setdefault(consumer, []).append(producer)
        for consumer in self.loops:
            for producer in producers.get(consumer, ()):
                self._join(producer, consumer, rule_of(producer, consumer), steps)
        self._join_horizontally(steps)
        return self.flow.groups()

    def _find_consumers(self) -> dict[Multiloop, set[Multiloop]]:
        """For each loop those of the block that use a result of it."""
        loops = set(self.loops)
        found: dict[Multiloop, set[Multiloop]] = {}
        for producer in self.loops:
            users = [
                user for part in self.places.parts(producer) for user in self.places.uses[part]
            ]
            items = {self.places.item(user, self.flow.block) for user in users}
            found[producer] = {item for item in items if item in loops}
        return found

    def _join(self, a: Multiloop, b: Multiloop, rule: str, steps: FusionSteps) -> None:
        if self.flow.group(a) is self.flow.group(b) or self.refusal(a, b) is not None:
            return
        if steps.take(rule, a, b):
            self.flow.join(a, b)

    def refusal(self, a: Multiloop, b: Multiloop) -> Refusal | None:
        """Why the groups of two loops may not become one, if they may not."""
        left, right = self.flow.members(a), self.flow.members(b)
        for producers, consumers in ((left, right), (right, left)):
            for producer in producers:
                for consumer in self.consumers[producer].intersection(consumers):
                    refusal = vertical(self.places, producer, consumer)
                    if refusal is not None:
                        return refusal
        members = sorted([*left, *right], key=lambda loop: loop.number)
        found = contexts(self.places, members)
        if isinstance(found, Refusal):
            return found
        if not _same_size(members, found):
            return Refusal(SIZE, b)
        blocker = self.consumption.between(left, right, self.flow)
        if blocker is not None:
            return Refusal(CONSUMPTION, blocker)
        blocker = self.flow.obstacle(a, b)
        if blocker is not None:
            return Refusal(DUPLICATES, blocker)
        return self._effects_in_order(members)

    def _effects_in_order(self, members: list[Multiloop]) -> Refusal | None:
        """Traces keep their order: one loop that writes joins others where nothing else does."""
        writing = [effect for effect in self.flow.block.effects if writes_itself(effect)]
        inside = [effect for effect in writing if effect in members]
        if inside and len(writing) > 1:
            return Refusal(EFFECTS, inside[-1])
        return None

    def _join_horizontally(self, steps: FusionSteps) -> None:
        for sharing in (True, False):
            by_size: dict[Node, list[Multiloop]] = {}
            for loop in self.loops:
                for other in by_size.setdefault(loop.size, []):
                    if self.flow.depends(loop, other) or self.flow.depends(other, loop):
                        continue
                    if not set(self.waiting.get(loop, ())).isdisjoint(self.waiting.get(other, ())):
                        continue
                    shared = not set(loop.inputs).isdisjoint(other.inputs)
                    if shared if sharing else is_plain(loop) == is_plain(other):
                        self._join(other, loop, "horizontal", steps)
                by_size[loop.size].append(loop)


def is_plain(loop: Multiloop) -> bool:
    """Whether iterations do not depend on each other, save by reductions: such a loop gains nothing
    by joining one that is not, without a common input."""
    return all(y.generator.in_any_order and y.one_each for y in loop.yields())


def writes_itself(effect: Node) -> bool:
    """Whether an effect is, or has within, a trace or a call."""
    return effect.may_write or writes(effect)


def _same_size(members: list[Multiloop], context: dict[Multiloop, Context]) -> bool:
    """Whether all members that run in every iteration have one size: the same node, or linked by
    an array that one makes and the other reads."""
    free = [member for member in members if context[member] is None]
    links: dict[Node, list[Node]] = {member: [member.size] for member in free}
    for member in free:
        links.setdefault(member.size, []).append(member)
        for key in map(part_key, member.inputs):
            if key is not None and key[0] in links:
                links[member].append(key[0])
                links[key[0]].append(member)
    found: set[Node] = set()
    stack: list[Node] = [free[0]]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += links[node]
    return found.issuperset(free)


def size_of(members: list[Multiloop], context: dict[Multiloop, Context]) -> Node:
    """The size of the loop that some become: a constant if one has that, or what is known first."""
    sizes = [member.size for member in members if context[member] is None]
    return min(sizes, key=lambda n: (not n.is_known, n.number))


def rule_of(producer: Multiloop, consumer: Multiloop) -> str:
    """The vertical rule by which a consumer joins a producer."""
    for array in consumer.inputs:
        key = part_key(array)
        if key is not None and key[0] is producer:
            y = owner_of(producer, key[1])
            return f"{generator_word(y)}-{loop_word(consumer)}"
    return f"{loop_word(producer)}-{loop_word(consumer)}"
