"""Computes what a map makes where it is used, instead of putting it into memory.

    b = map(f, a), if c then map(g, b) else map(h, b)     into-branches: f is applied once
    ->  if c then map(g . f, a) else map(h . f, a)

    b = map(f, a), s = reduce(+, 0, b), map(g(s), b)      duplicate: f is applied twice,
    ->  s = redomap(+, + . f, 0, a), map(g(s) . f, a)     if that is cheap

    b = map(f, a), b[i]                                   index-inline: once more, if cheap
    ->  f(a[i])

    b = map(f, a), map(fn (i) => b[n - 1 - i], iota(n))   index-inline: each element at most once
    ->  map(fn (i) => f(a[n - 1 - i]), iota(n))

    b = map(f, a), map(fn (i) => b[i], is)                index-inline: if no dearer than a read
    ->  map(fn (i) => f(a[i]), is)

The first needs no leave: branches exclude each other (seed 003, figure 25). The others need
`Options.duplicate` and a function that costs no more than `cost.DUPLICATION_LIMIT` (the missed
cases of R1 and R2 in chapter 10, and section 9.2). All need that afterwards no use of b is left, as
otherwise b would be computed anyway, and that nothing overwrites what f reads before it is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.cost import DUPLICATION_LIMIT, cost, has_loops
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.inputs import expression
from cogen.array.fusion.mergedgenerators import Key
from cogen.array.fusion.mergeloops import Merge, live_results, owner_of
from cogen.array.fusion.mirror import Mirror, Replacement, captured
from cogen.array.fusion.nodeplaces import Places, User
from cogen.array.ir.linear import slope
from cogen.array.ir.node import (
    Block,
    Index,
    Multiloop,
    Node,
    Part,
)
from cogen.array.ir.operations import LOAD

GATHERED: Final = 10
"""What may be computed for each read of an element, in no order, rather than put into memory: about
what such a read costs."""


@dataclass(slots=True)
class InliningPlan:
    """How a producer is computed where it is used: in which loops, for which indexed elements.

    `keys` are the results that need no memory afterwards; `rule` is the rule's name.
    """

    producer: Multiloop
    keys: set[Key] = field(default_factory=set)
    consumers: list[Multiloop] = field(default_factory=list)
    elements: list[Index] = field(default_factory=list)
    gathers: list[Index] = field(default_factory=list)
    """Elements that the iterations of one loop read, by indices of their own."""
    rule: str = ""
    price: float = 0

    def touched(self, places: Places) -> set[Node]:
        """The producer, and the loops and conditionals that come to compute it, or are around."""
        found: set[Node] = {self.producer, *self.consumers}
        for node in (*self.consumers, *self.elements, *self.gathers):
            found.update([owner for owner, _ in places.path(places.place[node])])
        return found

    def replacements(self, places: Places) -> dict[Node, Replacement]:
        """What stands for the consumers and the elements."""
        found: dict[Node, Replacement] = {}
        for consumer in self.consumers:
            live = live_results(places, [consumer])
            members = [self.producer, consumer]
            found[consumer] = Merge(members, live, consumer.size, {self.producer: self.keys})
        for index in (*self.elements, *self.gathers):
            found[index] = Element(self.producer, index)
        return found


class Inlining:
    """Finds producers that can be computed where they are used."""

    def __init__(self, places: Places, consumption: Consumption) -> None:
        self.places = places
        self.consumption = consumption
        self._flows: dict[Block, DataFlow] = {}

    def plan(self, producer: Multiloop) -> InliningPlan | None:
        """How a producer's results can do without memory, if they can."""
        if producer.effectful:
            return None
        return self._in_place_of_all(producer) or self._in_some_branches(producer)

    def _in_some_branches(self, producer: Multiloop) -> InliningPlan | None:
        """How a producer is computed in consumers within branches, while other branches have it."""
        home = self.places.place[producer]
        plan = InliningPlan(producer, rule="into-branches")
        rest: Block | None = None
        for part in self.places.parts(producer):
            for user in self.places.uses[part]:
                consumer = self._consumer(part, user) if self._may_borrow(producer, part) else None
                if consumer is not None and self._may_join(producer, consumer):
                    plan.keys.add((producer, part.index))
                    if consumer not in plan.consumers:
                        plan.consumers.append(consumer)
                    continue
                block = user if isinstance(user, Block) else self.places.place[user]
                rest = block if rest is None else self.places.common(rest, block)
        if rest is None or not plan.consumers:
            return None
        rest = self._outside_loops(rest, home)
        return plan if rest is not home and self._times(plan, [rest]) == 1 else None

    def _outside_loops(self, block: Block, home: Block) -> Block:
        """The innermost block around a block that is in `home`, but in no loop within it."""
        best = block
        while block is not home:
            owner = self.places.owner[block]
            block = self.places.place[owner]
            if owner.is_loop:
                best = block
        return best

    def _in_place_of_all(self, producer: Multiloop) -> InliningPlan | None:
        """How all uses of some results can be computed where they stand."""
        plan = InliningPlan(producer)
        stays = False
        for part in self.places.parts(producer):
            if not self._add(plan, part):
                stays = True
        if plan.keys and plan.gathers:
            return None if stays else self._gathered(plan)
        if not plan.keys or not (plan.consumers or plan.elements):
            return None
        times = self._times(plan) + stays
        home = self.places.place[producer]
        if times <= 1 and not plan.elements:
            plan.rule = "into-branches"
            inside = all(self.places.place[consumer] is not home for consumer in plan.consumers)
            return plan if inside else None
        if times == 0 and len({index.indices[0] for index in plan.elements}) == 1:
            plan.rule = "index-inline"  # one iteration in place of all of them; there is that one
            return plan
        values = [_value(producer, key) for key in sorted(plan.keys, key=lambda key: key[1])]
        bound = producer.body.binds
        plan.price = cost(values, bound) * (max(times - 1, 0) + len(plan.elements))
        if plan.price > DUPLICATION_LIMIT:
            return None
        if plan.elements and has_loops(values, bound):
            return None
        plan.rule = "duplicate" if times > 1 else "index-inline"
        return plan

    def _gathered(self, plan: InliningPlan) -> InliningPlan | None:
        """A plan for elements that loops read by indices, if no more is computed than before, or
        what is computed for each read costs no more than the read."""
        producer = plan.producer
        plan.rule = "index-inline"
        if plan.consumers or plan.elements:
            return None
        if len(plan.gathers) == 1 and self._reads_once(plan.gathers[0]):
            return plan
        values = [_value(producer, key) for key in sorted(plan.keys, key=lambda key: key[1])]
        bound = producer.body.binds
        if has_loops(values, bound):
            return None
        free = frozenset().union(*[value.free for value in values])
        loads = LOAD * len(free.intersection(producer.elements))
        plan.price = (cost(values, bound) + loads) * len(plan.gathers)
        return plan if plan.price <= GATHERED else None

    def _reads_once(self, index: Index) -> bool:
        """Whether no two iterations of the loop around a read have the same index."""
        ((loop, body),) = self._loop_around(index)
        return slope(index.indices[0], loop.index, frozenset(body.binds)) in (1, -1)

    def _loop_around(self, node: Node) -> list[tuple[Multiloop, Block]]:
        """The innermost loop over arrays around a node, and which block of it; nothing if that is
        no such loop."""
        for owner, block in reversed(self.places.path(self.places.place[node])):
            if owner.is_loop:
                return [(owner, block)] if isinstance(owner, Multiloop) else []
        return []

    def _add(self, plan: InliningPlan, part: Part) -> bool:
        """Plan a result, if all its uses allow it."""
        producer = plan.producer
        if not self._may_borrow(producer, part):
            return False
        consumers: list[tuple[User, Multiloop]] = []
        own: list[tuple[User, Multiloop]] = []
        elements: list[Index] = []
        gathers: list[Index] = []
        for user in self.places.uses[part]:
            consumer = self._consumer(part, user)
            if consumer is not None and self._may_join(producer, consumer):
                (own if isinstance(user, Index) else consumers).append((user, consumer))
            elif self._is_gathered(producer, part, user):
                assert isinstance(user, Index)
                gathers.append(user)
            elif self._is_element(producer, part, user):
                assert isinstance(user, Index)
                elements.append(user)
            else:
                return False
        if gathers:
            gathers += [user for user, _ in own if isinstance(user, Index)]
        else:
            consumers += own
        plan.keys.add((producer, part.index))
        joined = dict.fromkeys([consumer for _, consumer in consumers])
        plan.consumers += [c for c in joined if c not in plan.consumers]
        plan.elements += elements
        plan.gathers += gathers
        return True

    def _may_borrow(self, producer: Multiloop, part: Part) -> bool:
        """Whether an element of a result can be computed by itself."""
        y = owner_of(producer, part.index)
        if not y.generator.gives_all or not y.one_each:
            return False
        (value,) = y.values
        return value.free.isdisjoint(producer.running) and part not in self.places.type_uses

    def _consumer(self, part: Part, user: User) -> Multiloop | None:
        """The loop by which a use is one of an element at the loop's index."""
        if isinstance(user, Index) and user.array is part and part not in user.indices:
            for owner, _ in reversed(self.places.path(self.places.place[user])):
                if isinstance(owner, Multiloop) and owner.index is user.indices[0]:
                    return owner if owner.size is part.node.operands[0] else None
            return None
        if not isinstance(user, Multiloop):
            return None
        others = (user.size, *user.operands[1 + len(user.inputs) :], *user.certs)
        return None if part in others else user

    def _may_join(self, producer: Multiloop, consumer: Multiloop) -> bool:
        """Whether only branches are between, and nothing that the producer reads is overwritten."""
        block, inner = self.places.place[producer], self.places.place[consumer]
        if not self._in_branches(inner, block):
            return False
        return self._is_unconsumed(producer, consumer)

    def _in_branches(self, inner: Block, block: Block) -> bool:
        while inner is not block:
            owner = self.places.owner.get(inner)
            if owner is None or owner.is_loop:
                return False
            inner = self.places.place[owner]
        return True

    def _is_element(self, producer: Multiloop, part: Part, user: User) -> bool:
        """Whether a use is of one element, outside of further loops."""
        if not isinstance(user, Index) or user.array is not part or part in user.indices:
            return False
        block = self.places.place[producer]
        if not self._in_branches(self.places.place[user], block):
            return False
        return self._is_unconsumed(producer, user)

    def _is_gathered(self, producer: Multiloop, part: Part, user: User) -> bool:
        """Whether a use is of one element in each iteration of a loop beside the producer."""
        if not isinstance(user, Index) or user.array is not part or part in user.indices:
            return False
        for loop, body in self._loop_around(user):
            if body is not loop.body:
                return False
            around = self.places.place[loop]
            if self._in_branches(around, self.places.place[producer]):
                return self._is_unconsumed(producer, user)
        return False

    def _is_unconsumed(self, producer: Multiloop, user: Node) -> bool:
        block = self.places.place[producer]
        item = self.places.item(user, block)
        if not isinstance(item, Node):
            return False
        if block not in self._flows:
            self._flows[block] = DataFlow(self.places, block)
        return not self.consumption.crosses(producer, item, self._flows[block])

    def _times(self, plan: InliningPlan, others: Iterable[Block] = ()) -> int:
        """How often, at most, the producer is computed in the loops of a plan, and in other
        blocks."""
        counts: dict[Block, int] = defaultdict(int)
        for block in (*[self.places.place[consumer] for consumer in plan.consumers], *others):
            counts[block] += 1
        home = self.places.place[plan.producer]
        while set(counts) - {home}:
            deepest = max(
                [block for block in counts if block is not home],
                key=lambda block: (len(self.places.path(block)), self.places.owner[block].number),
            )
            owner = self.places.owner[deepest]
            most = max([counts.pop(block, 0) for block in owner.blocks])
            counts[self.places.place[owner]] += most
        return counts[home]


def _value(producer: Multiloop, key: Key) -> Node:
    y = owner_of(producer, key[1])
    return y.values[key[1] - y.first]


class Element:
    """One element of what a producer makes, computed for itself; a `Replacement` of its Index."""

    def __init__(self, producer: Multiloop, index: Index) -> None:
        self.producer = producer
        self.index = index

    def needs(self) -> Iterable[Node]:
        """What the element is computed from."""
        found = [*self.index.indices, *self.index.certs, *self.producer.inputs]
        return [*found, *self.producer.certs, *captured(self.producer)]

    def build(self, mirror: Mirror) -> None:
        """Lets the element stand for its Index."""
        graph, producer = mirror.graph, self.producer
        certs = mirror.certificates([*self.index.certs, *producer.certs])
        first, *rest = mirror.nodes(self.index.indices)
        env = Mirror(graph, mirror)
        env.bind(producer.index, first)
        env.bind(producer.body.token, graph.conjoin(certs))
        for array, element in zip(producer.inputs, producer.elements, strict=True):
            copied = mirror.node(array)
            found = expression(graph, copied, first)
            if found is None:
                found = graph.index(copied, first, certs=certs)
            env.bind(element, found)
        part = self.index.array
        assert isinstance(part, Part)
        value = env.node(_value(producer, (producer, part.index)))
        mirror.bind(self.index, graph.index(value, *rest, certs=certs))
