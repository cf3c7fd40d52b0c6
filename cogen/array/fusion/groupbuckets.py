"""A reduction of each group becomes a reduction by key, without groups (Rompf 2013, bucketReduce).

    b = Bucket of k(i) which collects a[i],  c = map(f, b)
    map over the groups of reduce(op, e, what c has from offsets[g] to offsets[g + 1])
    ->  Bucket of k(i), f(a[i]) with operator op, neutral e

What `find` finds is a loop over groups that does nothing but reduce slices, each of an array of a
Bucket that collects, or of what a loop makes of such arrays by element; the check that the segments
lie within the array is not needed. Elements of a group keep their order, so the results are the
same.

    map over the groups of h(reduce(op, e, slice), the slice's size)
    ->  Bucket ..., Bucket of k(i), 1 with +, 0;  map of h over the buckets

What else the loop computes of the reductions, and of the number of elements, is a loop after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cogen.array.fusion.mergedgenerators import addition, part_key, where
from cogen.array.fusion.mergeloops import owner_of
from cogen.array.fusion.mirror import Mirror, captured, contents, ordered_effects
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir import node as ir
from cogen.array.ir.generators import (
    Bucket,
    Emit,
    Generator,
    groups,
)
from cogen.array.ir.graphtypes import CERT, INT, row
from cogen.array.l0.extensions import BAD_SEGMENT
from cogen.array.rules.groups import is_next
from cogen.lang.eachonce import each_once


@dataclass(frozen=True, slots=True)
class GroupSource:
    """What an element of a slice is: a value that the Bucket takes, or what a loop collects for
    such values, by its parameters; or, without a loop, a value that is the same everywhere."""

    number: int
    loop: ir.Multiloop | None = None
    value: ir.Node | None = None
    numbers: tuple[tuple[ir.Parameter, int], ...] = ()
    """The values' numbers, of the parameters of the loop."""

    def element(self, group: Mirror, values: Sequence[ir.Node], token: ir.Parameter) -> ir.Node:
        """An element of a slice, in the iteration of the Bucket that it comes from, which takes
        these values."""
        if self.value is None:
            return group.node(values[self.number])
        if self.loop is None:
            return group.node(self.value)
        env = Mirror(group.graph, group.outer)
        for parameter, number in self.numbers:
            env.bind(parameter, group.node(values[number]))
        env.bind(self.loop.body.token, token)
        return env.node(self.value)


@dataclass(frozen=True, slots=True)
class Rest:
    """What a loop over groups computes of their reductions, which are `used`, and, if it `counts`,
    of the number of their elements, `length`; and what it checks."""

    used: tuple[ir.Part, ...]
    length: ir.Node
    counts: bool
    effects: tuple[ir.Node, ...]

    def build(
        self, mirror: Mirror, loop: ir.Multiloop, inner: ir.Multiloop, made: ir.Multiloop
    ) -> ir.Multiloop:
        """A loop that does so, over what the loop with the buckets gives."""
        graph = mirror.graph
        token, index = graph.parameter("here", CERT), graph.parameter("i", INT)
        env = Mirror(graph, mirror)
        env.bind(loop.body.token, token)
        for number in (loop.index, *loop.elements):
            env.bind(number, index)
        arrays: list[ir.Node] = [graph.part(made, part.index) for part in self.used]
        elements = [graph.parameter("x", row(array.type)) for array in arrays]
        for part, element in zip(self.used, elements, strict=True):
            env.bind(part, element)
        if self.counts:
            arrays.append(graph.part(made, len(inner.results)))
            elements.append(graph.parameter("n", INT))
            env.bind(self.length, elements[-1])
        effects = ordered_effects(env.nodes(self.effects))
        streams = env.streams(loop.body.streams)
        body = ir.Block(token, (index, *elements), effects, streams=streams)
        return mirror.like(loop, arrays, body)


@dataclass(slots=True)
class Regroup:
    """A loop over groups, taken apart; a `Replacement` for it and its results."""

    loop: ir.Multiloop
    inner: ir.Multiloop
    group: ir.Multiloop
    key: ir.Yield
    sources: list[GroupSource]
    """Of each input of the inner loop."""
    rest: Rest | None = None
    """What the loop does with the reductions, if that is anything."""

    @property
    def makers(self) -> list[ir.Multiloop]:
        """The loops over the order."""
        return [source.loop for source in self.sources if source.loop is not None]

    def needs(self) -> Iterable[ir.Node]:
        """What the loops use from outside."""
        own = {self.loop, self.group, *self.makers}
        found: list[ir.Node] = []
        for loop in (self.loop, self.group, *self.makers):
            found += [*loop.operands, *loop.certs, *captured(loop)]
        return [n for n in found if n.maker not in own]

    def build(self, mirror: Mirror) -> None:
        """Lets the buckets stand for what the groups were reduced to."""
        graph = mirror.graph
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(self.loop)
        graph.origin = frozenset().union(
            *[graph.origins.get(n, frozenset()) for n in (self.loop, self.inner, *self.makers)]
        )
        body, inputs = self._body(mirror)
        extras: list[ir.Node] = []
        generators: list[Generator] = []
        operators: list[ir.Block] = []
        for y in self.inner.yields():
            assert y.operator is not None
            generators.append(Bucket(y.generator.values))
            extras += [mirror.node(self.loop.size), *mirror.nodes(y.neutral)]
            operators.append(Mirror(graph, mirror).block(y.operator))
        if self.rest is not None and self.rest.counts:
            generators.append(Bucket(1))
            extras += [mirror.node(self.loop.size), graph.integer(0)]
            operators.append(addition(graph))
        certs = mirror.certificates([*self.loop.certs, *self.group.certs])
        made = graph.region(
            ir.Multiloop,
            (len(inputs), tuple(generators)),
            [mirror.node(self.group.size), *inputs, *extras],
            certs,
            (body, *operators),
        )
        if self.rest is not None:
            made = self.rest.build(mirror, self.loop, self.inner, made)
            graph.at, graph.origin = saved
            mirror.bind(self.loop, made)
            for index in range(len(self.loop.results)):
                mirror.bind(graph.part(self.loop, index), graph.part(made, index))
            return
        graph.at, graph.origin = saved
        mirror.bind(self.loop, made)
        for index, value in enumerate(self.loop.body.results):
            assert isinstance(value, ir.Part)
            mirror.bind(graph.part(self.loop, index), graph.part(made, value.index))

    def _body(self, mirror: Mirror) -> tuple[ir.Block, list[ir.Node]]:
        """What an iteration gives to the buckets, and the arrays that it reads by element."""
        again = KeyedIteration(mirror, self.group, self.key)
        read = [s.element(again.env, self.key.values, again.token) for s in self.sources]
        reading = iteration(mirror, [self.inner, self.loop], again.token, read)
        rows = [reading.nodes(y.values) for y in self.inner.yields()]
        if self.rest is not None and self.rest.counts:
            rows.append((mirror.graph.integer(1),))
        return again.block(rows, reading.nodes(self.inner.body.effects)), again.inputs


class KeyedIteration:
    """What an iteration of a loop with a Bucket takes, once more: its key, under its condition."""

    def __init__(self, mirror: Mirror, loop: ir.Multiloop, y: ir.Yield) -> None:
        graph = mirror.graph
        self.token, self.index = graph.parameter("here", CERT), graph.parameter("i", INT)
        self.env = Mirror(graph, mirror)
        self.env.bind(loop.index, self.index)
        self.env.bind(loop.body.token, self.token)
        self.inputs = list(mirror.nodes(loop.inputs))
        self.elements = [graph.parameter("x", row(array.type)) for array in self.inputs]
        for old, new in zip(loop.elements, self.elements, strict=True):
            self.env.bind(old, new)
        self.effects = list(self.env.nodes(loop.body.effects))
        assert y.key is not None
        self.key = self.env.node(y.key)
        self.condition = None if y.condition is None else self.env.node(y.condition)

    def block(self, rows: Iterable[Sequence[ir.Node]], effects: Iterable[ir.Node] = ()) -> ir.Block:
        """The body that gives each row of values to its key."""
        graph = self.env.graph
        emits = [Emit((self.key, *values)) for values in rows]
        return ir.Block(
            self.token,
            (self.index, *self.elements),
            ordered_effects([*self.effects, *effects]),
            streams=tuple([where(graph, self.condition, emit) for emit in emits]),
        )


def iteration(
    mirror: Mirror, nest: Sequence[ir.Multiloop], token: ir.Parameter, elements: Sequence[ir.Node]
) -> Mirror:
    """What makes an iteration of a nest of loops, the innermost one first, of these elements of its
    inputs, in the block with that token."""
    env = Mirror(mirror.graph, mirror)
    for loop in nest:
        env.bind(loop.body.token, token)
    for parameter, element in zip(nest[0].elements, elements, strict=True):
        env.bind(parameter, element)
    return env


def find(loop: ir.Multiloop, places: Places) -> Regroup | None:
    """The loop over groups that a loop is, if it is one."""
    inner = _reductions(loop)
    if inner is None or not all(isinstance(array, ir.Iota) for array in loop.inputs):
        return None
    group = group_of(loop, inner.size)
    if group is None or not goes_through_all(loop, group[1]):
        return None
    rest = None
    if not _only_reductions(loop, inner):
        rest = _rest(loop, inner, group[0])
        if rest is None:
            return None
    sources = sources_of(loop, inner, *group)
    if sources is None:
        return None
    made = Regroup(loop, inner, group[0], group[1], sources, rest)
    return made if _may_move(made, places) else None


def goes_through_all(loop: ir.Multiloop, y: ir.Yield) -> bool:
    """Whether a loop has as many iterations as a Bucket has buckets: fewer buckets would not do for
    the keys that there are."""
    return is_next(y.bound, loop.size)


def sources_of(
    loop: ir.Multiloop, inner: ir.Multiloop, group: ir.Multiloop, y: ir.Yield
) -> list[GroupSource] | None:
    """How the inputs are made of a loop over a group's elements; None if one is something else."""
    begin = inner.size.operands[1]
    found: list[GroupSource] = []
    for array in inner.inputs:
        source: GroupSource | None = None
        if isinstance(array, ir.Replicate) and array.value.free.isdisjoint(loop.body.binds):
            source = GroupSource(-1, None, array.value)
        elif isinstance(array, ir.Slice) and array.length is inner.size and array.start is begin:
            source = _source(array.array, group, y)
        if source is None:
            return None
        found.append(source)
    return found


def _reductions(loop: ir.Multiloop) -> ir.Multiloop | None:
    """The one loop of unconditional reductions in a loop."""
    if loop.running:
        return None
    loops = loops_in(loop)
    if len(loops) != 1:
        return None
    (inner,) = loops
    if any(not y.generator.gives_one or y.conditional for y in inner.yields()):
        return None
    bound = set(loop.body.binds) - {loop.body.token}
    own = {*bound, inner.index}
    for block in inner.blocks:
        if any(not n.free.isdisjoint(own) for n in (*block.results, *block.effects)):
            return None
    neutral = [n for y in inner.yields() for n in y.neutral]
    operators = [y.operator for y in inner.yields() if y.operator is not None]
    inside = {*loop.body.binds}
    if any(not n.free.isdisjoint(inside) for n in neutral):
        return None
    if any(not block.free.isdisjoint(inside) for block in operators):
        return None
    return inner


def loops_in(loop: ir.Multiloop) -> list[ir.Multiloop]:
    """The loops in the body of one, but for those that do not depend on its iteration."""
    inside = {*loop.body.binds}
    found: dict[ir.Multiloop, None] = {}
    seen: set[ir.Node] = set()
    stack: list[ir.Node] = [*loop.body.results, *loop.body.effects]
    while stack:
        node = stack.pop()
        if node in seen or node.free.isdisjoint(inside):
            continue
        seen.add(node)
        if isinstance(node, ir.Multiloop):
            found[node] = None
        else:
            stack += [n for block in node.blocks for n in (*block.results, *block.effects)]
        stack += contents(node)
    return list(found)


def _only_reductions(loop: ir.Multiloop, inner: ir.Multiloop) -> bool:
    """Whether a loop gives its reductions as they are, and checks nothing but the segments."""
    if any(not y.generator.gives_all or not y.one_each for y in loop.yields()):
        return False
    return all(value.maker is inner for value in loop.body.results) and all(
        effect is inner or _is_of_segment(effect) for effect in loop.body.effects
    )


def _is_of_segment(effect: ir.Node) -> bool:
    """Whether an effect is the check that a group lies within the array, as it always does."""
    return isinstance(effect, ir.Assert) and effect.message == BAD_SEGMENT


def _rest(loop: ir.Multiloop, inner: ir.Multiloop, group: ir.Multiloop) -> Rest | None:
    """What a loop does with the reductions, if it looks at nothing else of the groups."""
    effects = [e for e in loop.body.effects if e is not inner and not _is_of_segment(e)]
    if not all(effect.only_checks for effect in effects):
        return None
    used: dict[ir.Part, None] = {}
    counts = False
    inside = {*loop.body.binds}
    stack: list[ir.Node] = [*loop.body.results, *effects]
    for node in each_once(stack):
        if node is inner.size:
            counts = True
        elif isinstance(node, ir.Part) and node.node is inner:
            used[node] = None
        elif node is inner or isinstance(node, ir.Slice) or _is_part_of(node, group):
            return None
        elif not node.free.isdisjoint(inside):
            stack += [n for block in node.blocks for n in (*block.results, *block.effects)]
            stack += contents(node)
    found = tuple(sorted(used, key=lambda part: part.index))
    return Rest(found, inner.size, counts, tuple(effects))


def _is_part_of(node: ir.Node, loop: ir.Multiloop) -> bool:
    return node.maker is loop


def group_of(loop: ir.Multiloop, length: ir.Node) -> tuple[ir.Multiloop, ir.Yield] | None:
    """The loop with the Bucket whose g-th segment has a length, in iteration g of a loop."""
    numbers = {loop.index, *loop.elements}  # which are elements of iota
    if length.operation != "int.sub":
        return None
    end, start = length.operands
    if not isinstance(start, ir.Index) or len(start.indices) != 1:
        return None
    (number,) = start.indices
    key = part_key(start.array)
    if key is None or number not in numbers:
        return None
    y = owner_of(*key)
    own = y.generator
    if not groups(own) or own.hashed or y.spread or key[1] != y.first:
        return None
    if not isinstance(end, ir.Index) or end.array is not start.array:
        return None
    (following,) = end.indices
    if following.operation != "int.add":
        return None
    one = [n for n in following.operands if n is not number]
    if len(one) != 1 or one[0].known != 1:
        return None
    return key[0], y


def _source(array: ir.Node, group: ir.Multiloop, y: ir.Yield) -> GroupSource | None:
    """How elements of an array in the order of a Bucket are made."""

    def number(found: ir.Node) -> int | None:
        key = part_key(found)
        mine = key is not None and key[0] is group and owner_of(*key).first == y.first
        return key[1] - y.first - 1 if mine and key is not None and key[1] > y.first else None

    own = number(array)
    if own is not None:
        return GroupSource(own)
    key = part_key(array)
    if key is None:
        return None
    loop = key[0]
    made = owner_of(*key)
    if not made.generator.gives_all or not made.one_each or loop.effectful:
        return None
    value = made.values[key[1] - made.first]
    numbers = [(p, number(found)) for found, p in zip(loop.inputs, loop.elements, strict=True)]
    known = tuple([(p, n) for p, n in numbers if n is not None])
    others = set(loop.body.binds) - {loop.body.token, *[p for p, _ in known]}
    if not value.free.isdisjoint(others):
        return None
    return GroupSource(-1, loop, value, known)


def _may_move(made: Regroup, places: Places) -> bool:
    """Whether the loops stand in one block, and nothing of the group's own needs its loop."""
    block = places.place[made.loop]
    if any(places.place[other] is not block for other in made.makers):
        return False
    if not may_be_taken_again(made.loop, made.group, made.key, places):
        return False
    return made.loop.effectful or not made.inner.effectful


def may_be_taken_again(
    loop: ir.Multiloop, group: ir.Multiloop, y: ir.Yield, places: Places
) -> bool:
    """Whether both loops stand in one block, and what the one's Bucket takes does not need its
    loop."""
    assert y.key is not None
    condition = [] if y.condition is None else [y.condition]
    taken = (*condition, y.key, *y.values)
    if any(not n.free.isdisjoint(group.running) for n in taken):
        return False
    if any(not effect.only_checks for effect in group.body.effects):
        return False
    return places.place[loop] is places.place[group] and (loop.effectful or not group.body.effects)
