"""Generators of the loop that several loops become; what of them is left where parts are needed."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from cogen.array.fusion.mirror import Mirror
from cogen.array.ir import node as ir
from cogen.array.ir.generators import (
    NO_ROW,
    Bucket,
    Collect,
    Elements,
    Emit,
    Generator,
    Reduce,
    Scan,
    StreamValue,
    TakesStream,
    When,
    groups,
    grows,
    is_hashed,
    is_numbered,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import BOOL, CERT, INT, Own, ScalarType, Type, array_of, element, row
from cogen.array.ir.node import shape

Key = tuple[ir.Multiloop, int]
"""A result of a loop."""


def part_key(node: ir.Node) -> Key | None:
    """The loop and the index of a part of a loop."""
    match node:
        case ir.Part(node=ir.Multiloop() as loop, index=i):
            return loop, i
    return None


@dataclasses.dataclass(slots=True, eq=False)
class MadeGenerators(TakesStream):
    """A generator of the new loop, with the results of a member that its results are."""

    generator: Generator
    count: Key | None
    values: list[Key]
    extras: list[ir.Node]
    operator: ir.Block | None
    running: tuple[ir.Parameter, ...]
    is_running: bool
    stream: StreamValue = NO_ROW
    count_only: bool = False
    total: Key | None = None
    """Of a Bucket that collects: what says how many values it has, where that is a result."""

    @property
    def condition(self) -> ir.Node | None:
        """What must hold in an iteration that it takes something in."""
        return self.stream.condition

    @property
    def by(self) -> tuple[ir.Node, ...]:
        """What it takes as key."""
        return self.stream.taken[: self.generator.keys]

    @property
    def taken(self) -> tuple[ir.Node, ...]:
        """What it takes beside."""
        return self.stream.taken[self.generator.keys :]

    def takes(self, values: Sequence[ir.Node]) -> None:
        """Let it take other values beside its key."""
        self.stream = self.stream.of((*self.by, *values))

    @property
    def keys(self) -> list[Key]:
        return [*([self.count] if self.count else []), *self.values]

    @property
    def is_counting(self) -> bool:
        """Whether a result is the number of iterations in which its condition holds."""
        return self.counted is not None

    @property
    def counted(self) -> int | None:
        """Which of its results is that number, if one is."""
        if groups(self.generator) and self.conditional:
            return self.gives - 1
        first = (self.counts and self.leads) or self.count_only
        return 0 if first else None


def in_every_iteration(graph: Graph, made: MadeGenerators) -> list[MadeGenerators]:
    """A scan under a condition runs in every iteration: where the condition does not hold it takes
    neutral values. What of it is stored is collected under the condition.

        if (c) s <- scan(f, e, x)   ->   t <- scan(f, e, if c then x else e); if (c) s <- t
    """
    if not made.generator.gives_each or made.condition is None or not may_run(made):
        return [made]
    made.is_running = True
    stored = MadeGenerators(
        Collect(len(made.values)), made.count, made.values, [], None, (),
        False, When(made.condition, Emit(made.running)),
    )  # fmt: skip
    _take_neutral(graph, made)
    made.count, made.values = None, []
    return [made, stored] if stored.values else [made]


def without_condition(graph: Graph, made: MadeGenerators) -> None:
    """A reduction beside a running scan takes neutral values where its condition does not hold, so
    that iterations need no jumps. What counts stays, since it says how much is let through."""
    counts = all(node.is_known for node in made.taken)
    if made.generator.gives_one and not counts and may_run(made):
        _take_neutral(graph, made)


def _take_neutral(graph: Graph, made: MadeGenerators) -> None:
    """Let a generator run in every iteration, with neutral values where its condition fails."""
    if made.condition is None:
        return
    then = ir.Block(graph.parameter("here", CERT), (), (), made.taken)
    otherwise = ir.Block(graph.parameter("here", CERT), (), (), tuple(made.extras))
    types = tuple([node.type for node in made.taken])
    region = graph.region(ir.If, (), (made.condition,), (), (then, otherwise), types)
    made.stream = Emit(graph.parts(region))


def where(graph: Graph, condition: ir.Node | None, stream: StreamValue) -> StreamValue:
    """What is left of a stream where a condition holds; a second condition is computed only where
    the first does.

        If c (If d s Empty) Empty  ->  If (c and d) s Empty
    """
    if condition is None:
        return stream
    if not isinstance(stream, When):
        return When(condition, stream)
    then = ir.Block(graph.parameter("here", CERT), (), (), (stream.condition,))
    otherwise = ir.Block(graph.parameter("here", CERT), (), (), (graph.boolean(False),))
    both = graph.region(ir.If, (), (condition,), (), (then, otherwise), (BOOL,))
    return When(graph.part(both, 0), stream.stream)


def streams_where(
    graph: Graph, condition: ir.Node, streams: Sequence[ir.Node]
) -> tuple[ir.Node, ...]:
    """How many elements streams of one size have, and the streams: empty ones where a condition
    does not hold."""
    empty = [graph.literal(row(stream.type), ()) for stream in streams]
    blocks = [
        ir.Block(graph.parameter("here", CERT), (), (), tuple(found))
        for found in ([shape(streams[0])[0], *streams], [graph.integer(0), *empty])
    ]
    types = (INT, *[array_of(element(stream.type), Own(0)) for stream in streams])
    return graph.parts(graph.region(ir.If, (), (condition,), (), tuple(blocks), types))


def take_where(graph: Graph, made: Sequence[MadeGenerators]) -> None:
    """Generators that take streams do so in every iteration; those under one condition have one
    conditional, so that those that took the same still do."""
    found: dict[tuple[ir.Node, ir.Node], list[MadeGenerators]] = {}
    for own in made:
        if own.spread and own.condition is not None:
            size = shape(own.stream.taken[0])[0]
            found.setdefault((own.condition, size), []).append(own)
    for (condition, _), members in found.items():
        streams = list(dict.fromkeys([n for own in members for n in own.stream.taken]))
        _, *chosen = streams_where(graph, condition, streams)
        stands = dict(zip(streams, chosen, strict=True))
        for own in members:
            own.stream = Elements(tuple([stands[node] for node in own.stream.taken]))


def may_run(scan: MadeGenerators | ir.Yield) -> bool:
    """Whether a scan under a condition may take neutral values where that does not hold."""
    assert scan.operator is not None
    return not scan.operator.effects and all(isinstance(n.type, ScalarType) for n in scan.extras)


def is_pure(operator: ir.Block) -> bool:
    """Whether what an operator gives can be computed wherever its operands are."""
    free = [operator.token in result.free for result in operator.results]
    return not operator.effects and not any(free)


def applied(mirror: Mirror, operator: ir.Block, values: Sequence[ir.Node]) -> tuple[ir.Node, ...]:
    """What a pure operator gives for accumulators and as many values, which are copied already."""
    env = Mirror(mirror.graph, mirror)
    for old, new in zip(operator.parameters, values, strict=True):
        env.bind(old, new)
    env.bind(operator.token, mirror.graph.checked)
    return tuple(env.nodes(operator.results))


def addition(graph: Graph) -> ir.Block:
    """The operator that adds two ints."""
    a, b = graph.parameter("a", INT), graph.parameter("b", INT)
    total = graph.operation("int.add", a, b)
    return ir.Block(graph.parameter("here", CERT), (a, b), (), (total,))


def zero(graph: Graph, t: Type) -> ir.Node:
    """A value of a scalar type that is never looked at."""
    assert isinstance(t, ScalarType)
    values: dict[str, int | float | bool | str] = {
        "int": 0,
        "real": 0.0,
        "bool": False,
        "char": "\0",
        "cert": True,
    }
    return graph.constant(values[t.kind], t)


def is_needed(made: MadeGenerators, live: Collection[Key]) -> bool:
    """Whether anything of a generator is needed, if only a check that its operator makes; leaves
    out of it what is not."""
    checks = made.operator is not None and bool(made.operator.effects)
    wanted = [i for i, key in enumerate(made.values) if key in live]
    if isinstance(made.generator, Bucket):
        return _is_needed_by_key(made, made.generator, live)
    if made.generator.gives_all and wanted:
        made.generator = dataclasses.replace(made.generator, values=len(wanted))
        made.takes([made.taken[i] for i in wanted])
        made.values = [made.values[i] for i in wanted]
    if grows(made) and made.count in live:
        return True
    if isinstance(made.generator, Scan):
        stored = bool(wanted) or (checks and not made.is_running)
        made.generator = dataclasses.replace(made.generator, running=made.is_running, stored=stored)
        return stored or made.is_running
    return bool(wanted) or checks


def _is_needed_by_key(made: MadeGenerators, own: Bucket, live: Collection[Key]) -> bool:
    """The same of a Bucket: what is combined is kept with all the rest."""
    checks = made.operator is not None and bool(made.operator.effects)
    needed = any(key in live for key in (made.count, made.total, *made.values)) or checks
    if own.numbered and made.values[-1] not in live:
        own = dataclasses.replace(own, numbered=False)
        made.values = made.values[:-1]
    if own.collects and needed:
        end = len(made.values) - own.numbered
        first = end - own.values
        wanted = [k for k, key in enumerate(made.values[first:end]) if key in live]
        made.takes([made.taken[k] for k in wanted])
        rows = [made.values[first + k] for k in wanted]
        made.values = [*made.values[:first], *rows, *made.values[end:]]
        own = dataclasses.replace(own, values=len(wanted))
    made.generator = own
    return needed


def together(operators: list[ir.Block], graph: Graph) -> ir.Block:
    """One operator that does what several do."""
    token = graph.parameter("here", CERT)
    left: list[ir.Parameter] = []
    right: list[ir.Parameter] = []
    results: list[ir.Node] = []
    for operator in operators:
        env = Mirror(graph)
        copied = env.block(operator)
        half = len(copied.parameters) // 2
        left += copied.parameters[:half]
        right += copied.parameters[half:]
        results += copied.results
    return ir.Block(token, (*left, *right), (), tuple(results))


def shape_of(own: MadeGenerators | ir.Yield) -> tuple[object, ...] | None:
    """What must be equal for generators to be one: of tables their keys, of what is collected but
    by a map how many elements there are; None if a generator is neither, or its operator checks
    something."""
    generator, operator = own.generator, own.operator
    taken = own.taken if isinstance(own, MadeGenerators) else own.values
    keys = own.by if isinstance(own, MadeGenerators) else own.keys
    extras = own.extras
    if generator.gives_all and not own.one_each:
        return (own.condition, shape(taken[0])[0] if own.spread else None)
    if not generator.by_key or (operator is not None and operator.effects):
        return None
    if groups(generator):
        return (own.condition, own.spread, "collects", *extras, *keys)
    return (own.condition, own.spread, *keys) if is_hashed(generator) else None


def shared(
    graph: Graph, made: Sequence[MadeGenerators]
) -> tuple[list[MadeGenerators], dict[Key, Key]]:
    """Generators with one table for the same keys, and one Collect for what is let through or put
    one after the other side by side; and which results of those that are there no more are which
    others."""
    alike: dict[tuple[object, ...], list[MadeGenerators]] = {}
    for own in made:
        found = shape_of(own)
        if found is not None:
            alike.setdefault(found, []).append(own)
    same = {id(own): members for members in alike.values() for own in members}
    kept: list[MadeGenerators] = []
    stands: dict[Key, Key] = {}
    for own in made:
        members = same.get(id(own), [own])
        if own is members[0]:
            join = _one_table if own.operator is not None else _one_group
            join = _one_collect if own.generator.gives_all else join
            kept.append(own if len(members) == 1 else join(graph, members, stands))
    _one_key(kept, stands)
    return kept, stands


def _one_key(kept: Sequence[MadeGenerators], stands: dict[Key, Key]) -> None:
    """Of the generators with the same keys let one tell what they are."""
    told: dict[tuple[object, ...], Sequence[Key]] = {}
    for own in kept:
        head = _head(own)
        if not is_hashed(own.generator) or not head:
            continue
        of = (own.condition, own.spread, *own.by)
        if of in told:
            stands.update(zip(head, told[of], strict=True))
        told.setdefault(of, head)


def _head(own: MadeGenerators) -> list[Key]:
    """How many keys there are, and their parts, of a generator that tells that."""
    if own.count is None or not is_hashed(own.generator):
        return []
    return [own.count, *own.values[: own.generator.keys]]


def _one_collect(
    graph: Graph, members: Sequence[MadeGenerators], stands: dict[Key, Key]
) -> MadeGenerators:
    """The generator that collects what several do."""
    counts = [own.count for own in members if own.count is not None]
    stands.update(dict.fromkeys(counts[1:], counts[0]) if counts else {})
    taken = tuple([node for own in members for node in own.taken])
    return dataclasses.replace(
        members[0],
        generator=dataclasses.replace(members[0].generator, values=len(taken)),
        count=counts[0] if counts else None,
        values=[key for own in members for key in own.values],
        stream=members[0].stream.of(taken),
    )


def _one_group(
    graph: Graph, members: Sequence[MadeGenerators], stands: dict[Key, Key]
) -> MadeGenerators:
    """The generator that collects by key what several do."""
    heads = [head for head in map(_head, members) if head]
    first = members[0]
    assert first.generator.by_key
    offsets: list[Key] = []
    rows: list[Key] = []
    for own in members:
        start, *found = own.values[len(own.values) - 1 - own.generator.values :]
        offsets.append(start)
        rows += found
    for head in heads[1:]:
        stands.update(zip(head, heads[0], strict=True))
    stands.update(dict.fromkeys(offsets[1:], offsets[0]))
    totals = [own.total for own in members if own.total is not None]
    stands.update(dict.fromkeys(totals[1:], totals[0]) if totals else {})
    taken = tuple([value for own in members for value in own.taken])
    return dataclasses.replace(
        first,
        generator=dataclasses.replace(first.generator, values=len(taken)),
        count=heads[0][0] if heads else None,
        values=[*(heads[0][1:] if heads else []), offsets[0], *rows],
        stream=first.stream.of((*first.by, *taken)),
        total=totals[0] if totals else None,
    )


def _one_table(
    graph: Graph, tables: Sequence[MadeGenerators], stands: dict[Key, Key]
) -> MadeGenerators:
    """The table that has what several have for the same keys."""
    first = tables[0]
    assert is_hashed(first.generator)
    keys = first.generator.keys
    taken = tuple([value for own in tables for value in own.taken])
    buckets = [key for own in tables for key in own.values[keys : keys + own.generator.values]]
    numbers = [own.values[-1] for own in tables if is_numbered(own.generator)]
    for own in tables[1:]:
        stands.update(zip(_head(own), _head(first), strict=True))
    stands.update(dict.fromkeys(numbers[1:], numbers[0]) if numbers else {})
    return MadeGenerators(
        dataclasses.replace(first.generator, values=len(taken), numbered=bool(numbers)),
        first.count,
        [*first.values[:keys], *buckets, *numbers[:1]],
        [extra for own in tables for extra in own.extras],
        together([own.operator for own in tables if own.operator is not None], graph),
        (),
        False,
        first.stream.of((*first.by, *taken)),
    )


def is_count(y: ir.Yield) -> bool:
    """Whether a generator's first result is the number of iterations in which its condition holds:
    of what is let through, or a sum of ones."""
    if y.condition is None:
        return False
    if y.counts:
        return y.leads
    if not y.generator.gives_one or y.operator is None or len(y.values) != 1:
        return False
    (value,), (total,), (neutral,) = y.values, y.operator.results, y.extras
    return (
        value.is_known
        and value.known == 1
        and neutral.is_known
        and neutral.known == 0
        and isinstance(total, ir.Operation)
        and total.name == "int.add"
        and set(total.operands) == set(y.operator.parameters)
    )


def counting_only(graph: Graph, made: MadeGenerators) -> MadeGenerators:
    """Counts the iterations in which a generator's condition holds."""
    assert made.count is not None
    assert made.condition is not None
    return MadeGenerators(
        generator=Reduce(1),
        count=None,
        values=[made.count],
        extras=[graph.integer(0)],
        operator=addition(graph),
        running=(),
        is_running=False,
        stream=When(made.condition, Emit((graph.integer(1),))),
        count_only=True,
    )


def numbers_of(loop: ir.Multiloop, y: ir.Yield) -> Key | None:
    """The result that numbers the keys of iterations; None if there is none."""
    return (loop, y.first + y.gives - 1) if is_numbered(y.generator) else None
