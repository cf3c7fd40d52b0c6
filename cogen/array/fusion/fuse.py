"""Fuses loops: function -> function with fewer loops and fewer arrays in memory.

    b = map(f, a), reduce(g, e, b)   ->   one loop, which keeps no b

Every round looks at all blocks, outer ones first, and rebuilds the function; inner loops that have
come to stand side by side join in the next. The rules are modules of `cogen.array.fusion`, named in
`names.RULES`; each can be switched off, and `limit` bounds the number of steps. Sources: seed 003,
chapters 7 to 10; Rompf 2013, section on loop fusion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from cogen.array.fusion.chained import chaineds, sides_of
from cogen.array.fusion.choices import choices, elements
from cogen.array.fusion.cluster import Clusters, rule_of, size_of
from cogen.array.fusion.concatenated import aparts
from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.delay import delays
from cogen.array.fusion.fusionsteps import FusionSteps
from cogen.array.fusion.hashing import hashings
from cogen.array.fusion.inlineelements import Inlining
from cogen.array.fusion.inputs import is_expression
from cogen.array.fusion.joinbranches import joins, splits
from cogen.array.fusion.legal import Refusal, contexts
from cogen.array.fusion.mergeloops import Merge, has_dead, has_same, live_results
from cogen.array.fusion.mirror import Makers, Mirror, Replacement
from cogen.array.fusion.nextmoves import FusionMove, Moves
from cogen.array.fusion.nodeplaces import Places, containing
from cogen.array.fusion.rulenames import RULES
from cogen.array.fusion.streams import eaches
from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Block,
    Function,
    If,
    Node,
)
from cogen.lang.deep import on_deep_stack


@dataclass(frozen=True, slots=True)
class FusionOptions:
    """How far fusion goes.

    `duplicate`: cheap work may be done twice where that keeps an array out of memory. `off` are
    names of rules (`RULES`) that are not applied; `limit` is the greatest number of steps.
    """

    duplicate: bool = True
    off: frozenset[str] = frozenset()
    limit: int | None = None

    def __post_init__(self) -> None:
        unknown = sorted(self.off.difference(RULES))
        if unknown:
            raise ValueError(f"no fusion rule is called {', '.join(unknown)}")


@dataclass(slots=True)
class Fused:
    """A fused function, and how it came about."""

    function: Function
    steps: FusionSteps


def fuse(
    graph: Graph,
    function: Function,
    options: FusionOptions | None = None,
    functions: Mapping[str, Function] | None = None,
) -> Fused:
    """A function that computes the same with fewer loops and arrays.

    `functions` are those that it calls, by name; what is not there may consume its arguments.
    Effects keep their order, except that of several failing checks another may be reported.
    """
    return on_deep_stack(_fuse, graph, function, options or FusionOptions(), functions or {})


def _fuse(
    graph: Graph, function: Function, options: FusionOptions, functions: Mapping[str, Function]
) -> Fused:
    off = options.off | (frozenset() if options.duplicate else frozenset({"duplicate"}))
    steps = FusionSteps(graph.origins, off, options.limit)
    note_places(graph, function)
    steps.splits = sum([len(node.results) for node in Places(function).nodes
                        if isinstance(node, If)])  # fmt: skip
    while True:
        found = _round(graph, function, steps, functions)
        if found is None:
            return Fused(function, steps)
        function = found


def note_places(graph: Graph, function: Function) -> None:
    """Let the loops of a function stand where the operations stand that they were made of."""
    for node in Places(function).multiloops:
        origin = graph.origins.get(node, frozenset())
        if len(origin) == 1:
            (operation,) = origin
            graph.spans[node] = graph.sources[operation].span


def _round(
    graph: Graph, function: Function, steps: FusionSteps, functions: Mapping[str, Function]
) -> Function | None:
    """The function after one round; None if nothing is left to do."""
    places = Places(function)
    consumption = Consumption(places, graph.spans, functions)
    moves = Moves(graph, places, consumption, steps)
    found = (
        _move(places, moves.lasts(), steps)
        or _move(places, moves.scans(), steps)
        or _move(places, moves.groups(), steps)
        or _move(places, moves.tables(), steps)
        or _merge(places, consumption, steps)
        or _streams(places, consumption, steps)
        or _split(places, steps)
        or _join(graph, places, consumption, steps)
        or _hash(places, consumption, steps, collecting=False)
        or _move(places, moves.views(), steps)
        or _move(places, moves.slices(), steps)
        or _move(places, moves.columns(), steps)
        or _inline(places, consumption, steps)
        or _delay(graph, places, consumption, steps)
        or _hash(places, consumption, steps, collecting=True)
        or _merge(places, consumption, steps, wait=False)
    )
    return rebuild(graph, function, places, found, steps.makers) if found else None


MOST_WAITING: Final = 4
"""Of so many concats, each of what a loop over the one before makes, the first becomes a loop; the
others wait for what it becomes, so that long chains need no more rounds than short ones."""

Replacements = dict[Node, Replacement]
"""What stands for which nodes."""


def _move(places: Places, moves: Iterator[FusionMove], steps: FusionSteps) -> Replacements:
    """The first move that was not made before, and those in its block that have nothing to do with
    it."""
    found: Replacements = {}
    near: set[Node] = set()
    block: Block | None = None
    for move in moves:
        key = move.rule, steps.origins.get(move.loop, frozenset()), len(move.replaces)
        own = places.place[move.loop]
        apart = bool(move.near) and own is block and near.isdisjoint(move.near)
        if key in steps.moved or (found and not apart) or not steps.take(move.rule, move.loop):
            continue
        steps.moved.add(key)
        found.update(dict.fromkeys(move.replaces, move.replacement))
        if not move.near:
            break
        block = own
        near |= move.near
    return found


def _merge(
    places: Places, consumption: Consumption, steps: FusionSteps, wait: bool = True
) -> Replacements:
    """The loops that become one, in all blocks that are not within such loops; the sides of a
    concat do not, if they `wait` for what becomes of that."""
    found: Replacements = {}
    waiting = sides_of(places) if wait and steps.allows("chain") else {}
    for block, loops in places.loops().items():
        if any(owner in found for owner, _ in places.path(block)):
            continue
        for members in Clusters(places, consumption, block, loops, waiting).form(steps):
            context = contexts(places, members)
            assert not isinstance(context, Refusal)
            merge = Merge(members, live_results(places, members), size_of(members, context))
            found.update(dict.fromkeys(members, merge))
        for loop in loops:
            if loop in found:
                continue
            live = live_results(places, [loop])
            simpler = any(is_expression(array) for array in loop.inputs)
            if (
                has_dead(loop, live)
                or (simpler and steps.take("expression-input", loop))
                or (has_same(loop) and steps.take("horizontal", loop))
            ):
                found[loop] = Merge([loop], live, loop.size)
    return found


def _streams(places: Places, consumption: Consumption, steps: FusionSteps) -> Replacements:
    """The first loop over what is put together of parts that becomes loops over the parts; of those
    over what flatMaps give, and of concats that become loops, all that have no loop in common."""
    found: Replacements = {}
    around: set[Node] = set()
    for each in eaches(places, consumption):
        outer = {owner for owner, _ in places.path(places.place[each.consumer])}
        if not found.keys().isdisjoint((*each.members, *outer)):
            continue
        if around.isdisjoint(each.members) and steps.take("each", *each.members):
            found.update(dict.fromkeys(each.members, each))
            around |= outer
            each.take()
    if found:
        return found
    for few in elements(places):
        if steps.take("elements", few.loop):
            return {few.loop: few}
    for choice in choices(places, consumption):
        if steps.take("choice", choice.loop):
            return dict.fromkeys((choice.node, choice.loop), choice)
    depths: dict[Node, int] = {}
    for chained in chaineds(places, consumption):
        outer = {owner for owner, _ in places.path(places.place[chained.concats[0]])}
        replaces = chained.replaces()
        read = [array for producer in chained.producers for array in producer.inputs]
        depth = max([1 + depths[array] for array in read if array in depths], default=0)
        depths.update(dict.fromkeys(chained.concats, depth))
        if depth % MOST_WAITING:
            continue  # the producers join the loop of what they read before
        if not found.keys().isdisjoint((*replaces, *outer)) or not around.isdisjoint(replaces):
            continue
        if steps.take(chained.rule, *chained.producers):
            found.update(dict.fromkeys(replaces, chained))
            around |= outer
    if found:
        return found
    for apart in aparts(places):
        if steps.take("concat", apart.loop):
            return {apart.loop: apart}
    return {}


def _hash(
    places: Places, consumption: Consumption, steps: FusionSteps, collecting: bool
) -> Replacements:
    """The reductions by number that become reductions by key, all that have no loop in common, and
    are not within such; groups when no rule is left that looks for them."""
    found: Replacements = {}
    around: set[Node] = set()
    for hashing in hashings(places, consumption, collecting):
        outer = {owner for owner, _ in places.path(places.place[hashing.reducing])}
        members = hashing.members
        if not found.keys().isdisjoint((*members, *outer)) or not around.isdisjoint(members):
            continue
        if steps.take("hash-bucket", *members):
            found.update(dict.fromkeys(members, hashing))
            around |= outer
            hashing.take()
    return found


def _split(places: Places, steps: FusionSteps) -> Replacements:
    """The first conditional that falls apart."""
    for split in splits(places):
        if steps.splits > 0 and steps.take("split-condition"):
            steps.splits -= 1
            return {split.node: split}
    return {}


def _join(
    graph: Graph, places: Places, consumption: Consumption, steps: FusionSteps
) -> Replacements:
    """The conditionals that become one, in all blocks that are not within such."""
    found: Replacements = {}
    if not steps.allows("same-condition"):
        return found
    for join in joins(graph, places, consumption):
        around = [owner for owner, _ in places.path(places.place[join.members[0]])]
        if not found.keys() & around and steps.take("same-condition"):
            found.update(dict.fromkeys(join.members, join))
    return found


def _inline(places: Places, consumption: Consumption, steps: FusionSteps) -> Replacements:
    """What computes producers where they are used: those at once that have no loop in common, and
    none in a loop of another's."""
    inlining = Inlining(places, consumption)
    found: Replacements = {}
    touched: set[Node] = set()
    around: set[Node] = set()
    for producer in places.multiloops:
        outer = {owner for owner, _ in places.path(places.place[producer])}
        plan = inlining.plan(producer) if touched.isdisjoint((producer, *outer)) else None
        if plan is None or not steps.allows(plan.rule):
            continue
        own = plan.touched(places) - outer
        if not own.isdisjoint(touched | around):
            continue
        if plan.price > 0 and not steps.allows("duplicate"):
            continue
        if not all(steps.allows(rule_of(producer, consumer)) for consumer in plan.consumers):
            continue
        if steps.take(plan.rule, producer, *plan.consumers):
            found.update(plan.replacements(places))
            touched |= own
            around |= outer
    return found


def _delay(
    graph: Graph, places: Places, consumption: Consumption, steps: FusionSteps
) -> Replacements:
    """What is computed only if one of several branches runs: the first that is found."""
    if not steps.allows("delay"):
        return {}
    for delay in delays(graph, places, consumption):
        if steps.take("delay"):
            return dict.fromkeys((delay.node, *delay.results), delay)
    return {}


def rebuild(
    graph: Graph,
    function: Function,
    places: Places,
    replacements: Replacements,
    makers: Makers | None = None,
) -> Function:
    """The function with some nodes replaced."""
    changed = containing(places.nodes, set(replacements))
    mirror = Mirror(graph, changed=changed, makers=makers)
    mirror.replacements.update(replacements)
    return mirror.function(function)
