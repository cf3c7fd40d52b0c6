"""A table by key in each group becomes one table, by the key of the group and the key in it.

    map over the groups of k(i) of h(hashed Bucket of l(j), f(j), for the elements j of the group)
    ->  T = hashed Bucket of (k(i), l(i)), f(i);  groups of T by its first key
        map over these groups of h(the slices of T's keys and values)

So a bucket may have a bucket in it (how many different values there are in each group, sums of the
greatest by two keys), and no group is in memory: what is grouped in the end is the table. What `h`
reduces of the slices becomes a reduction by key in turn (`cogen.array.fusion.groupbuckets`).

The keys of T are in the order in which they first occur. So are those of one group, as they were in
its own table, and so are the groups. Where the groups have numbers (of a table), the numbers of
T's first keys are the same as theirs, if each group has an element in T.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cogen.array.fusion.groupbuckets import (
    GroupSource,
    goes_through_all,
    group_of,
    iteration,
    loops_in,
    sources_of,
)
from cogen.array.fusion.mergedgenerators import addition, part_key, where
from cogen.array.fusion.mergeloops import owner_of
from cogen.array.fusion.mirror import Mirror, captured, ordered_effects
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.generators import (
    Bucket,
    Emit,
    Generator,
    groups,
    is_hashed,
    is_numbered,
    only_numbers,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, INT, row
from cogen.array.ir.node import (
    Block,
    Iota,
    Multiloop,
    Node,
    Operation,
    Parameter,
    Slice,
    Yield,
)


@dataclass(slots=True)
class Nested:
    """A loop over groups with a table in each; a `Replacement` for it and its results."""

    loop: Multiloop
    inner: Multiloop
    table: Yield
    group: Multiloop
    key: Yield
    sources: list[GroupSource]
    numbering: tuple[Multiloop, Yield] | None
    """The loop that gives the groups their numbers, if these are no keys of the program."""
    used: list[int]
    """Which results of the table, beside the number of keys, the loop looks at."""
    replaced: bool
    """Whether the groups are there for the table only, so that its first keys are theirs."""

    @property
    def makers(self) -> list[Multiloop]:
        """The loops over the order."""
        return [source.loop for source in self.sources if source.loop is not None]

    def replaces(self, places: Places) -> tuple[Node, ...]:
        """The nodes that the loops stand for."""
        loops = [self.loop]
        if self.replaced and self.numbering is not None:
            loops.append(self.numbering[0])
        return tuple([node for loop in loops for node in (loop, *places.parts(loop))])

    def needs(self) -> Iterable[Node]:
        """What the loops use from outside."""
        found: list[Node] = []
        numbering = [] if self.numbering is None else [self.numbering[0]]
        own = {self.loop, self.group, *self.makers, *numbering}
        for loop in own:
            found += [*loop.operands, *loop.certs, *captured(loop)]
        bounds = {extra for extra in self.key.extras if self.replaced}
        outside = [n for n in found if n.maker not in own]
        return [n for n in outside if n not in bounds]

    def build(self, mirror: Mirror) -> None:
        """Lets the loop over the groups of the table stand for that over the groups."""
        graph = mirror.graph
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(self.loop)
        graph.origin = frozenset().union(
            *[graph.origins.get(n, frozenset()) for n in (self.loop, self.inner, *self.makers)]
        )
        table = self._table(mirror)
        numbers = self._numbers(mirror, table)
        made = self._over(mirror, *self._groups(mirror, table, numbers))
        graph.at, graph.origin = saved
        mirror.bind(self.loop, made)
        if table.body.effects:
            mirror.before[self.loop] = (table,)
        for index in range(len(self.loop.results)):
            mirror.bind(graph.part(self.loop, index), graph.part(made, index))

    # The table.

    def _table(self, mirror: Mirror) -> Multiloop:
        """The one table; it gives how many keys, the key of the group, its own results."""
        graph = mirror.graph
        token, index = graph.parameter("here", CERT), graph.parameter("i", INT)
        inputs: dict[Node, Parameter] = {}
        effects: list[Node] = []
        env = self._row(mirror, self.group, token, index, inputs, effects)
        assert self.key.key is not None
        keys: list[Node] = [env.node(self.key.key)] if self.numbering is None else []
        if self.numbering is not None:
            loop, y = self.numbering
            keys += self._row(mirror, loop, token, index, inputs, effects).nodes(y.keys)
        read = [source.element(env, self.key.values, token) for source in self.sources]
        reading = iteration(mirror, [self.inner, self.loop], token, read)
        effects += reading.nodes(self.inner.body.effects)
        own = self.table
        condition = None if own.condition is None else reading.node(own.condition)
        stream = where(graph, condition, Emit((*keys, *reading.nodes(own.taken))))
        assert own.operator is not None
        width = len(keys) + len(own.keys)
        generator = Bucket(len(own.values), keys=width, hashed=True)
        used = [node for node in inputs if not isinstance(node, Iota)]
        parameters = [inputs[node] for node in used]
        done = ordered_effects(effects)
        body = Block(token, (index, *parameters), done, streams=(stream,))
        certs = [cert for n in (self.loop, self.group) for cert in n.certs]
        made = graph.region(
            Multiloop,
            (len(used), (generator,)),
            [mirror.node(self.group.size), *used, *mirror.nodes(own.neutral)],
            mirror.certificates(certs),
            (body, Mirror(graph, mirror).block(own.operator)),
        )
        return made

    def _row(
        self,
        mirror: Mirror,
        loop: Multiloop,
        token: Node,
        index: Node,
        inputs: dict[Node, Parameter],
        effects: list[Node],
    ) -> Mirror:
        """Where a loop's body can be copied to: an iteration, with the elements of its inputs."""
        graph = mirror.graph
        env = Mirror(graph, mirror)
        env.bind(loop.index, index)
        env.bind(loop.body.token, token)
        numbers = None if self.numbering is None else self.numbering[0]
        for array, old in zip(loop.inputs, loop.elements, strict=True):
            key = part_key(array)
            if key is not None and key[0] is numbers:
                continue  # the number of a row's group, in place of which its key is taken
            given = mirror.node(array)
            if isinstance(given, Iota):
                env.bind(old, index)
                continue
            if given not in inputs:
                inputs[given] = graph.parameter("x", row(given.type))
            env.bind(old, inputs[given])
        effects += env.nodes(loop.body.effects)
        return env

    # Its groups.

    def _numbers(self, mirror: Mirror, table: Multiloop) -> Node:
        """The numbers of the groups that the table's keys belong to."""
        graph = mirror.graph
        count, *rest = graph.parts(table)
        if self.numbering is None:
            return rest[0]
        loop, y = self.numbering
        width = len(y.keys)
        numbering = Bucket(0, keys=width, hashed=True, numbered=True)
        table_of = _over_arrays(graph, count, rest[:width], numbering, (), graph.nothing())
        made = graph.parts(table_of)
        if self.replaced:
            mirror.bind(loop, table)
            for k in range(1 + width):
                mirror.bind(graph.part(loop, y.first + k), made[k])
        return made[-1]

    def _groups(self, mirror: Mirror, table: Multiloop, numbers: Node) -> tuple[Node, list[Node]]:
        """Where the groups of the table begin, and what of it is used, in the order of groups; if
        nothing is, how many keys each group has, and nothing else."""
        graph = mirror.graph
        count, *rest = graph.parts(table)
        parts = 1 if self.numbering is None else len(self.numbering[1].keys)
        given = [numbers, *[rest[parts + k - 1] for k in self.used]]
        groups = mirror.node(self.loop.size)
        if not self.used:
            ones = [numbers, graph.replicate(count, graph.integer(1))]
            bounds = [groups, graph.integer(0)]
            made = _over_arrays(graph, count, ones, Bucket(1), bounds, addition(graph))
            return graph.part(made, 0), []
        generator = Bucket(len(self.used), collects=True)
        after = graph.operation("int.add", groups, graph.integer(1))
        made = _over_arrays(graph, count, given, generator, [after])
        offsets, *arrays = graph.parts(made)
        return offsets, list(arrays)

    def _over(self, mirror: Mirror, offsets: Node, arrays: Sequence[Node]) -> Multiloop:
        """The loop over the groups of the table."""
        graph, loop = mirror.graph, self.loop
        token, index = graph.parameter("here", CERT), graph.parameter("i", INT)
        env = Mirror(graph, mirror)
        env.bind(loop.body.token, token)
        for number in (loop.index, *loop.elements):
            env.bind(number, index)
        first = self.table.first
        own = graph.parameter("n", INT)
        by_element = not self.used and loops_in(loop) == [self.inner] and not self._others()
        begin = own if by_element else graph.index(offsets, index, certs=[token])
        length: Node = begin
        if self.used:
            after = graph.operation("int.add", index, graph.integer(1))
            end = graph.index(offsets, after, certs=[token])
            length = graph.operation("int.sub", end, begin)
        env.bind(graph.part(self.inner, first), length)
        for k, array in zip(self.used, arrays, strict=True):
            env.bind(graph.part(self.inner, first + k), graph.slice(array, begin, length, [token]))
        effects = self._bind_others(env) if self._others() else []
        effects += env.nodes([e for e in loop.body.effects if e is not self.inner])
        streams = env.streams(loop.body.streams)
        inputs, elements = ([offsets], (own,)) if by_element else ([], ())
        body = Block(token, (index, *elements), ordered_effects(effects), streams=streams)
        return mirror.like(loop, inputs, body, mirror.certificates(loop.certs))

    def _others(self) -> list[Yield]:
        """What else the inner loop makes."""
        return [y for y in self.inner.yields() if y.first != self.table.first]

    def _bind_others(self, env: Mirror) -> list[Node]:
        """The inner loop without the table; it, if it has effects."""
        graph, inner, others = env.graph, self.inner, self._others()
        copied = Mirror(graph, env).block(inner.body)
        pairs = zip(inner.yields(), copied.streams, strict=True)
        streams = tuple([stream for y, stream in pairs if y.first != self.table.first])
        generators: tuple[Generator, ...] = tuple([y.generator for y in others])
        made = graph.region(
            Multiloop,
            (len(inner.inputs), generators),
            [*env.nodes([inner.size, *inner.inputs]), *env.nodes(_extras(others))],
            env.certificates(inner.certs),
            (
                Block(copied.token, copied.parameters, copied.effects, streams=streams),
                *[Mirror(graph, env).block(y.operator) for y in others if y.operator is not None],
            ),
        )
        place = 0
        for y in others:
            for k in range(y.gives):
                env.bind(graph.part(inner, y.first + k), graph.part(made, place + k))
            place += y.gives
        return [made] if inner in self.loop.body.effects else []


def _extras(yields: Sequence[Yield]) -> list[Node]:
    return [extra for y in yields for extra in y.extras]


def _over_arrays(
    graph: Graph,
    count: Node,
    arrays: Sequence[Node],
    generator: Generator,
    extras: Sequence[Node] = (),
    *operators: Block,
) -> Multiloop:
    """A loop whose generator takes the elements of arrays."""
    token, index = graph.parameter("here", CERT), graph.parameter("i", INT)
    elements = [graph.parameter("x", row(array.type)) for array in arrays]
    body = Block(token, (index, *elements), (), streams=(Emit(tuple(elements)),))
    attributes = (len(arrays), (generator,))
    made = graph.region(Multiloop, attributes, [count, *arrays, *extras], [], (body, *operators))
    return made


def find_nested(loop: Multiloop, places: Places) -> Nested | None:
    """A table in each group that a loop goes through, if there is one."""
    if not all(isinstance(array, Iota) for array in loop.inputs) or loop.running:
        return None
    for inner in loops_in(loop):
        if places.place[inner] is loop.body:
            found = _nested(loop, inner, places)
            if found is not None:
                return found
    return None


def _nested(loop: Multiloop, inner: Multiloop, places: Places) -> Nested | None:
    yields = inner.yields()
    tables = [y for y in yields if is_hashed(y.generator)]
    if (
        len(tables) != 1
        or is_numbered(tables[0].generator)
        or groups(tables[0].generator)
        or any(y.spread for y in yields)
    ):
        return None
    others = [y.generator for y in yields if y not in tables]
    if not all(generator.in_any_order for generator in others):
        return None
    (table,) = tables
    group = group_of(loop, inner.size)
    if group is None or group[1].condition is not None or not goes_through_all(loop, group[1]):
        return None
    if not _stands_alone(loop, inner, table):
        return None
    sources = sources_of(loop, inner, *group)
    numbering = _numbering(*group)
    if sources is None or (numbering is not None and table.condition is not None):
        return None
    own = [loop for loop, _ in (group, *([] if numbering is None else [numbering]))]
    makers = [source.loop for source in sources if source.loop is not None]
    if any(places.place[other] is not places.place[loop] for other in (*own, *makers)):
        return None
    if any(other.running for other in own):
        return None
    checks = [effect for other in (*own, inner) for effect in other.body.effects]
    if not all(effect.only_checks for effect in checks):
        return None
    if checks and not loop.effectful:
        return None
    used = [k for k in range(1, table.gives) if _is_used(places, inner, table.first + k)]
    found = Nested(loop, inner, table, *group, sources, numbering, used, replaced=False)
    found.replaced = _is_for_table(places, found)
    return found


def _is_for_table(places: Places, found: Nested) -> bool:
    """Whether the numbers of groups, and the groups, are there for a table in each only."""
    if found.numbering is None or found.makers:
        return False
    loop, y = found.numbering
    last = y.first + y.gives - 1
    inner = found.inner
    if len(loop.generators) > 1 or len(inner.generators) > 1 or not only_numbers(y.generator):
        return False
    numbers = [part for part in places.parts(loop) if part.index == last]
    if any(user is not found.group for part in numbers for user in places.uses[part]):
        return False
    slices = {array for array in inner.inputs if isinstance(array, Slice)}
    length = inner.size
    within = {*slices, inner, length, *(length.operands if isinstance(length, Operation) else ())}
    users = [user for part in places.parts(found.group) for user in places.uses[part]]
    users += [user for node in (*slices, length) for user in places.uses[node]]
    return all(user in within for user in users)


def _is_used(places: Places, inner: Multiloop, index: int) -> bool:
    return any(part.index == index and places.uses[part] for part in places.parts(inner))


def _stands_alone(loop: Multiloop, inner: Multiloop, table: Yield) -> bool:
    """Whether a table in a loop's body is of its group's elements only, and its operator does
    nothing but combine."""
    bound = set(loop.body.binds) - {loop.body.token}
    own = {*bound, inner.index}
    if any(not n.free.isdisjoint(own) for n in (*inner.body.results, *inner.body.effects)):
        return False
    operator = table.operator
    if operator is None or operator.effects or not operator.free.isdisjoint(loop.body.binds):
        return False
    return all(n.free.isdisjoint(loop.body.binds) for n in table.neutral)


def _numbering(group: Multiloop, key: Yield) -> tuple[Multiloop, Yield] | None:
    """The loop that numbers the keys of groups, and its generator; None if there is no such."""
    for array, own in zip(group.inputs, group.elements, strict=True):
        found = part_key(array)
        if own is key.key and found is not None:
            y = owner_of(*found)
            if is_numbered(y.generator) and found[1] == y.first + y.gives - 1:
                return found[0], y
    return None
