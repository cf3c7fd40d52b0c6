"""Conditionals of one block that have the same condition become one, and fall apart where only a
branch elsewhere needs some of their results.

    x = if c then map(f, a) else a,  y = if c then reduce(g, e, x) else 0
    ->  {x, y} = if c then {map(f, a), reduce(g, e, map(f, a))} else {a, 0}

So loops in branches come to stand side by side, and fuse (Rompf 2012, "Splitting and combining
statements"; results of a conditional that nothing needs are left out by rewriting). What is between
two conditionals may not depend on the first while the second depends on it, unless only the second
needs it: then it goes into the branches, of which one runs.

    {s, t} = if c then {reduce(f, e, a), reduce(g, e, b)} else {0, 0},  if d then s + t else s
    ->  s = if c then reduce(f, e, a) else 0,
        if d then s + (if c then reduce(g, e, b) else 0) else s

if what they make has nothing costly in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cogen.array.fusion.consumption import Consumption, roots
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.legal import writes
from cogen.array.fusion.mirror import Mirror, captured, ordered_effects
from cogen.array.fusion.nodeplaces import Places, containing
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, GraphArray, Own, Type
from cogen.array.ir.graphtypes import shape as type_shape
from cogen.array.ir.node import (
    Block,
    If,
    Multiloop,
    Node,
    Operation,
    Part,
    Region,
    sizes_in,
)
from cogen.lang.eachonce import each_once


class BranchJoin:
    """The conditional that some with one condition are, ascending; a `Replacement` for them.

    `swapped` are those that have the negation as their condition.
    """

    def __init__(
        self, places: Places, members: Sequence[If], condition: Node, swapped: frozenset[If]
    ) -> None:
        self.members = members
        self.condition = condition
        self.swapped = swapped
        self.parts = {member: places.parts(member) for member in members}
        self.kept = {member: self._kept(places, member) for member in members}
        """The results that are needed outside of the members."""
        seeds: set[Node] = {part for parts in self.parts.values() for part in parts}
        self.inside = containing(places.nodes, seeds)
        """What depends on a member: in another one it is copied into the branches."""
        self.there = frozenset(places.nodes)
        """What the function computes; the sizes of what is within are found by its types again."""

    def _kept(self, places: Places, member: If) -> list[int]:
        block = places.place[member]
        own: set[object] = set(self.members)
        found: list[int] = []
        for part in self.parts[member]:
            waiting: list[Node] = [part]
            users: list[object] = [None] if part in places.type_uses else []
            while waiting:  # what is between members goes into the branches
                for user in places.uses[waiting.pop()]:
                    item = places.item(user, block)
                    if isinstance(item, Operation) and self._is_between(places, item, block):
                        waiting.append(item)
                    else:
                        users.append(item)
            if not own.issuperset(users):
                found.append(part.index)
        return with_sizes(member, found)

    def _is_between(self, places: Places, item: Node, block: Block) -> bool:
        """Whether an operation is needed for members only."""
        waiting = [item]
        while waiting:
            for user in places.uses[waiting.pop()]:
                found = places.item(user, block)
                if isinstance(found, Operation) and found is user:
                    waiting.append(found)
                elif found not in self.members:
                    return False
        return True

    def needs(self) -> Iterable[Node]:
        """What the members use from outside."""
        found: list[Node] = [self.condition]
        stack: list[Node] = []
        for member in self.members:
            stack += [*member.certs, *captured(member), *sizes_in(*member.results)]
        for node in each_once(stack):
            if node not in self.inside:
                found += [node] if node in self.there else []
            elif node.maker not in self.members:
                stack += [*node.operands, *node.certs, *captured(node)]
        return found

    def build(self, mirror: Mirror) -> None:
        """Lets the conditional and its results stand for the members and theirs."""
        graph = mirror.graph
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(self.members[0])
        graph.origin = frozenset().union(*[graph.origins.get(m, ()) for m in self.members])
        results: list[Type] = []
        numbers: dict[tuple[If, int], int] = {}
        for member in self.members:
            kept = self.kept[member]
            new = {old: Own(len(results) + i) for i, old in enumerate(kept)}
            numbers.update({(member, old): own.index for old, own in new.items()})
            results += [_renamed(mirror.type(member.results[i]), new) for i in kept]
        blocks = (self._block(mirror, True), self._block(mirror, False))
        certs = [mirror.node(cert) for member in self.members for cert in member.certs]
        made = graph.region(If, (), (mirror.node(self.condition),), certs, blocks, tuple(results))
        if made.effectful and all(member in graph.standing for member in self._with_token()):
            graph.standing.add(made)
        graph.at, graph.origin = saved
        for member in self.members:
            mirror.bind(member, made)
            for part in self.parts[member]:
                if (member, part.index) in numbers:
                    mirror.bind(part, graph.part(made, numbers[member, part.index]))

    def _with_token(self) -> list[If]:
        """The members that depend on the token of the block where one with effects stands."""
        tokens = {cert for m in self.members if m.effectful for cert in m.certs}
        tokens = {cert for cert in tokens if cert.is_bound}
        return [m for m in self.members if not tokens.isdisjoint(m.certs)]

    def _block(self, mirror: Mirror, holds: bool) -> Block:
        """The branches of all members where the condition holds, or does not."""
        graph = mirror.graph
        token = graph.parameter("here", CERT)
        env = Mirror(graph, mirror, self.inside)
        effects: list[Node] = []
        results: list[Node] = []
        for member in self.members:
            own = member.then if holds is not (member in self.swapped) else member.otherwise
            env.bind(own.token, token)
            effects += env.nodes(own.effects)
            found = env.nodes(own.results)
            for part in self.parts[member]:
                env.bind(part, found[part.index])
            results += [found[i] for i in self.kept[member]]
        return Block(token, (), ordered_effects(effects), tuple(results))


class Split:
    """A conditional without some results, which have one of their own; a `Replacement` for it."""

    def __init__(self, node: If, parts: Sequence[Part], apart: Sequence[Part]) -> None:
        self.node = node
        self.groups = (parts, apart)

    def needs(self) -> Iterable[Node]:
        """What the conditional uses from outside."""
        return [
            *self.node.operands,
            *self.node.certs,
            *captured(self.node),
            *sizes_in(*self.node.results),
        ]

    def build(self, mirror: Mirror) -> None:
        """Lets the results of both conditionals stand for those of the one."""
        graph, node = mirror.graph, self.node
        for parts in self.groups:
            chosen = with_sizes(node, [part.index for part in parts])
            new = {old: Own(i) for i, old in enumerate(chosen)}
            types = tuple([_renamed(mirror.type(node.results[i]), new) for i in chosen])
            blocks = []
            for block in node.blocks:
                token = graph.parameter("here", CERT)
                env = Mirror(graph, mirror)
                env.bind(block.token, token)
                blocks.append(Block(token, (), (), env.nodes([block.results[i] for i in chosen])))
            certs = mirror.certificates(node.certs)
            made = graph.region(If, (), mirror.nodes(node.operands), certs, tuple(blocks), types)
            for part in parts:
                mirror.bind(part, graph.part(made, chosen.index(part.index)))
        mirror.bind(node, made)


def with_sizes(node: Region, chosen: Iterable[int]) -> list[int]:
    """Some results, and those that are sizes of them, ascending."""
    found: set[int] = set()
    waiting = list(chosen)
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            t = node.results[index]
            waiting += [n.index for n in type_shape(t) if isinstance(n, Own)]
    return sorted(found)


def splits(places: Places) -> Iterator[Split]:
    """Conditionals of which some results are needed within a branch elsewhere only."""
    for node in places.nodes:
        if not isinstance(node, If) or node.effectful:
            continue
        home = places.place[node]
        parts = places.parts(node)
        apart = [part for part in parts if places.place[part] is not home]
        others = [part for part in parts if part not in apart]
        if apart and others and not _share(node, others, apart):
            yield Split(node, others, apart)


def _share(node: If, some: Sequence[Part], others: Sequence[Part]) -> bool:
    """Whether the branches compute something for two groups of results, but sizes and the like."""
    for block in node.blocks:
        inside, outside = (_inside(block, [p.index for p in group]) for group in (some, others))
        if any(not found.operation and found.maker is None for found in inside & outside):
            return True
    return False


def _inside(block: Block, chosen: Iterable[int]) -> set[Node]:
    """What results of a branch depend on, but constants and parameters."""
    found: set[Node] = set()
    stack = [block.results[i] for i in chosen]
    while stack:
        used = stack.pop()
        if used in found or used.is_atom:
            continue
        found.add(used)
        stack += used.operands
    return found


def _renamed(t: Type, new: Mapping[int, Own]) -> Type:
    """A type of a result, where other results have other numbers."""
    if not isinstance(t, GraphArray):
        return t
    sizes = [n.of(new[n.index]) if isinstance(n, Own) else n for n in t.shape]
    return GraphArray(t.element, tuple(sizes))


def joins(graph: Graph, places: Places, consumption: Consumption) -> Iterator[BranchJoin]:
    """The conditionals that may become one: of each block a group at most, outer blocks first."""
    looping = _with_loops(places)
    blocks: dict[Block, dict[Node, list[If]]] = {}
    for node in places.nodes:
        if isinstance(node, If):
            groups = blocks.setdefault(places.place[node], {})
            groups.setdefault(_key(graph, node.condition), []).append(node)
    for block, groups in sorted(blocks.items(), key=lambda entry: len(places.path(entry[0]))):
        inside = any(isinstance(owner, Multiloop) for owner, _ in places.path(block))
        candidates = [
            (condition, _worth_it(group, looping) if inside else group)
            for condition, group in groups.items()
        ]
        found = _first_group(places, consumption, block, candidates)
        if found is not None:
            yield found


def _worth_it(group: Sequence[If], looping: set[Region]) -> list[If]:
    """Those conditionals of an iteration that have loops in them, or that look at each other: the
    others are choices between scalars, which compilers like as they are."""
    alike = set(group)
    used = {node: {u.node for u in captured(node) if isinstance(u, Part)} & alike for node in group}
    looked_at = set().union(*used.values())
    return [node for node in group if node in looping or used[node] or node in looked_at]


def _first_group(
    places: Places,
    consumption: Consumption,
    block: Block,
    candidates: Sequence[tuple[Node, Sequence[If]]],
) -> BranchJoin | None:
    """The first conditionals of a block that may become one: others may depend on them."""
    flow: DataFlow | None = None
    for condition, group in candidates:
        if len(group) < 2:
            continue
        flow = flow or DataFlow(places, block)
        members = _joinable(places, consumption, flow, group)
        if len(members) < 2:
            continue
        swapped = frozenset([m for m in members if m.condition is not condition])
        found = BranchJoin(places, members, condition, swapped)
        if all(found.inside.isdisjoint(sizes_in(*member.results)) for member in members):
            return found
    return None


def _key(graph: Graph, condition: Node) -> Node:
    """A condition, or its negation: what was made first."""
    negated = graph.operation("bool.not", condition)
    return min(condition, negated, key=lambda node: node.number)


def _with_loops(places: Places) -> set[Region]:
    """The nodes in whose blocks there are loops, or calls."""
    return {
        owner
        for node in places.nodes
        if node.takes_time
        for owner, _ in places.path(places.place[node])
    }


def _joinable(
    places: Places, consumption: Consumption, flow: DataFlow, group: Sequence[If]
) -> list[If]:
    """Conditionals of a group that may become one."""
    found: list[If] = []
    for node in group:
        if writes(node) or _reads_contested(consumption, node):
            continue
        if all(_may_join(places, flow, member, node) for member in found):
            found.append(node)
    return found


def _reads_contested(consumption: Consumption, node: If) -> bool:
    """Whether something overwrites what a conditional reads."""
    return any(consumption.consumers.get(root) for used in captured(node) for root in roots(used))


def _may_join(places: Places, flow: DataFlow, first: If, second: If) -> bool:
    """Whether the second of two conditionals uses the first in its branches at most, and of what
    depends on the first only what nothing else needs."""
    between = [
        item
        for item in flow.items()
        if item not in (first, second) and flow.depends(item, first) and flow.depends(second, item)
    ]
    if flow.depends(first, second) or not all(isinstance(item, Operation) for item in between):
        return False
    given = {*places.parts(first), *between}
    if not given.isdisjoint([*second.operands, *second.certs]):
        return False
    allowed = {second, *between}
    users = [user for item in between for user in places.uses[item]]
    return all(places.item(user, flow.block) in allowed for user in users)
