"""Which loops of a block become one, in which order, and what is said of those that do not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from cogen.array.fusion import legal
from cogen.array.fusion.cluster import Clusters, is_plain, rule_of, size_of, writes_itself
from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.fuse import fuse
from cogen.array.fusion.fusionsteps import FusionSteps
from cogen.array.fusion.legal import Refusal, contexts
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Emit,
    Generator,
    Reduce,
    Scan,
    Scatter,
    When,
    emits,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT, Type, array_of
from cogen.array.ir.node import (
    Block,
    Call,
    Function,
    Multiloop,
    Node,
    Parameter,
)
from cogen.array.l0.types import INT as INT_LAYOUT
from tests.cogen.array.test_fusion_legality import Loops, filtered, of

pytestmark = pytest.mark.quick


class Grouped(Loops):
    """Loops of the body of a function, and how they are grouped."""

    def __init__(self) -> None:
        super().__init__()
        self.more: list[Parameter] = []

    def parameter(self, name: str, t: Type = INT) -> Parameter:
        """A further parameter of the function."""
        self.more.append(self.graph.parameter(name, t))
        return self.more[-1]

    def function(self, *results: Node) -> Function:
        made = super().function(*results)
        old = made.body
        parameters = (*old.parameters, *self.more)
        return replace(made, body=Block(old.token, parameters, old.effects, old.results))

    def clusters(self, *results: Node) -> Clusters:
        function = self.function(*results)
        places = Places(function)
        block = function.body
        consumption = Consumption(places, self.graph.spans)
        return Clusters(places, consumption, block, places.loops()[block])

    def formed(
        self, *results: Node, off: Collection[str] = (), limit: int | None = None
    ) -> tuple[list[list[Multiloop]], list[str]]:
        """The groups, and the rules by which they came about."""
        steps = FusionSteps(self.graph.origins, frozenset(off), limit)
        return self.clusters(*results).form(steps), steps.taken

    def refused(
        self, a: Node, b: Node, *others: Node, joined: tuple[Node, Node] | None = None
    ) -> tuple[str, Node] | None:
        """What is said of the loops that made two results, after two others were joined."""
        clusters = self.clusters(a, b, *others)
        if joined is not None:
            clusters.flow.join(of(joined[0]), of(joined[1]))
        found = clusters.refusal(of(a), of(b))
        return None if found is None else (found.rule, found.blocker)

    def twice(self) -> Node:
        return self.map(self.vector, "int.mul", 2)

    def apart(self) -> Node:
        """A loop that has no input with others in common."""
        return self.map(self.graph.iota(self.size), "int.add", 1)

    def sums(self, *inputs: Node) -> Node:
        return self.over(inputs, Scan(1))[0]

    def writing(self, array: Node) -> Node:
        """A loop that writes its elements."""
        graph = self.graph
        i, x = graph.parameter("i", INT), graph.parameter("x", INT)
        inner = self.scope.inner()
        inner.trace(INT_LAYOUT, [x])
        body = inner.body([i, x], emits([x]))
        return graph.part(self.scope.multiloop(self.size, [array], [Collect(1)], [], [body]), 0)


# -- the order -------------------------------------------------------------------------------------


def test_the_nearest_producer_comes_first() -> None:
    made = Grouped()
    mapped, sums = made.twice(), made.sums(made.graph.iota(made.size))
    both = made.over([mapped, sums], Collect(1))[0]
    assert made.formed(both, limit=1) == ([[of(sums), of(both)]], ["scan-map"])
    groups, taken = made.formed(both)
    assert groups == [[of(mapped), of(sums), of(both)]]
    assert taken == ["scan-map", "map-map"]


def test_loops_with_a_common_input_come_first() -> None:
    made = Grouped()
    mapped, apart = made.twice(), made.apart()
    (total,) = made.over([made.vector], Reduce(1))
    assert made.formed(mapped, apart, total, limit=1)[0] == [[of(mapped), of(total)]]
    assert made.formed(mapped, apart, total)[0] == [[of(mapped), of(apart), of(total)]]


def test_a_common_input_joins_what_is_not_alike() -> None:
    made = Grouped()
    mapped, (_, kept) = made.twice(), made.over([made.vector], Collect(1), where=True)
    assert made.formed(mapped, kept) == ([[of(mapped), of(kept)]], ["horizontal"])
    sums = made.sums(made.graph.iota(made.size))
    assert made.formed(mapped, sums) == ([], [])


def test_what_is_alike_joins_without_a_common_input() -> None:
    made = Grouped()
    sums = made.sums(made.graph.iota(made.size))
    _, kept = made.over([made.vector], Collect(1), where=True)
    assert made.formed(sums, kept)[0] == [[of(sums), of(kept)]]


def test_loops_of_another_size_stay_apart() -> None:
    made = Grouped()
    mapped = made.twice()
    made.resized(made.graph.integer(3))
    assert made.formed(mapped, made.apart())[0] == []


@pytest.mark.parametrize("horizontal", [True, False])
def test_what_depends_joins_by_its_own_rule_only(horizontal: bool) -> None:
    made = Grouped()
    sums = made.sums(made.vector)
    mapped = made.over([sums, made.vector], Collect(1))[0]
    off = {"scan-map"} if horizontal else {"scan-map", "horizontal"}
    assert made.formed(mapped, off=off) == ([], [])


def test_what_a_group_depends_on_joins_by_its_own_rule_only() -> None:
    made = Grouped()
    mapped, sums = made.twice(), made.sums(made.vector)
    both = made.over([mapped, sums], Collect(1))[0]
    found = made.formed(mapped, sums, both, off={"scan-map"})
    assert found == ([[of(mapped), of(both)]], ["map-map"])


@pytest.mark.parametrize(
    ("generators", "where", "plain"),
    [
        ([], False, True),
        ([Collect(1)], False, True),
        ([Reduce(1)], False, True),
        ([Collect(1), Reduce(1)], False, True),
        ([Collect(1)], True, False),
        ([Reduce(1)], True, False),
        ([Scan(1)], False, False),
        ([Collect(1), Scan(1)], False, False),
        ([Bucket(1)], False, False),
    ],
    ids=str,
)
def test_plain_loops(generators: list[Generator], where: bool, plain: bool) -> None:
    made = Grouped()
    index = made.graph.parameter("i", INT)
    operators = [made.addition() for g in generators if g.has_operator]
    one, holds = made.graph.integer(1), made.graph.boolean(True)
    rows = [Emit((one,) * (g.keys + g.values)) for g in generators]
    streams = [When(holds, row) if where else row for row in rows]
    extras = [one] * sum(g.extras for g in generators)
    inner = made.scope.inner()
    blocks = [inner.body([index], streams), *operators]
    loop = made.scope.multiloop(made.size, [], generators, extras, blocks)
    assert isinstance(loop, Multiloop)
    assert is_plain(loop) is plain


# -- the name of a rule ----------------------------------------------------------------------------


def test_a_rule_is_called_after_what_is_read() -> None:
    made = Grouped()
    other, (mapped, sums) = made.apart(), made.over([made.vector], Collect(1), Scan(1))
    reading = made.over([other, sums], Reduce(1))[0]
    assert rule_of(of(mapped), of(reading)) == "scan-reduce"
    assert rule_of(of(other), of(reading)) == "map-reduce"
    assert rule_of(of(sums), of(made.map(mapped, "int.add", 1))) == "map-map"


def test_a_rule_of_what_is_indexed() -> None:
    made = Grouped()
    graph = made.graph
    sums, i, x = made.sums(made.vector), graph.parameter("i", INT), graph.parameter("x", INT)
    (read,) = made.loop([made.vector], [Collect(1)], [graph.index(sums, i)], [i, x])
    assert rule_of(of(sums), of(read)) == "scan-map"


# -- sizes -----------------------------------------------------------------------------------------


def size_after(made: Grouped, *results: Node) -> Node:
    members = [of(result) for result in results]
    found = contexts(Places(made.function(*results)), members)
    assert not isinstance(found, Refusal)
    return size_of(members, found)


def test_the_size_is_a_constant_or_what_was_first() -> None:
    made = Grouped()
    first, second = made.parameter("k"), made.parameter("l")
    loops = []
    for size in (second, first, made.graph.integer(3)):
        made.resized(size)
        loops.append(made.apart())
    assert size_after(made, *loops) is made.graph.integer(3)
    assert size_after(made, *loops[:2]) is first
    assert size_after(made, *reversed(loops[:2])) is first


def test_the_size_of_what_runs_under_a_condition_does_not_count() -> None:
    made = Grouped()
    _, kept = made.over([made.vector], Collect(1), where=True)
    made.resized(made.graph.integer(3))
    assert size_after(made, kept, made.map(kept, "int.add", 1)) is made.n


def linked(made: Grouped) -> tuple[Node, Node, Node]:
    """Loops over two sizes, and one that reads an array of each."""
    mapped = made.twice()
    size = made.parameter("m")
    made.resized(size)
    other = made.map(made.parameter("b", array_of(INT, size)), "int.mul", 3)
    made.resized(made.n)
    return mapped, other, made.over([mapped, other], Collect(1))[0]


def test_what_reads_arrays_of_two_sizes_links_them() -> None:
    made = Grouped()
    mapped, other, both = linked(made)
    assert made.refused(mapped, other, both) == (legal.SIZE, of(other))
    assert made.refused(other, mapped, both) == (legal.SIZE, of(mapped))
    assert made.refused(mapped, both, other) is None
    assert made.refused(other, both, mapped) is None
    assert made.refused(mapped, other, both, joined=(mapped, both)) is None
    assert made.refused(mapped, other, both, joined=(other, both)) is None
    assert made.formed(both)[0] == [[of(mapped), of(other), of(both)]]


def test_three_sizes_that_are_linked() -> None:
    """From the first one on, through the reader of each pair."""
    made = Grouped()
    arrays = []
    for name in "bcd":
        made.resized(made.parameter(name))
        arrays.append(made.apart())
    first, second, third = arrays
    pair = made.over([second, third], Collect(1))[0]
    made.resized(made.parameter("e"))
    last = made.over([first, pair], Collect(1))[0]
    groups, _ = made.formed(last)
    assert groups == [[of(first), of(second), of(third), of(pair), of(last)]]


def test_what_reads_other_loops_links_nothing() -> None:
    made = Grouped()
    mapped, other, both = linked(made)
    made.resized(made.parameter("k"))
    alone = made.apart()
    assert made.refused(both, alone, mapped, other) == (legal.SIZE, of(alone))


def test_a_size_under_a_condition_links_nothing() -> None:
    """As many iterations as a filter lets through, but not those."""
    made = Grouped()
    _, kept = filtered(made)
    mapped = made.map(kept, "int.add", 1)
    counting = made.apart()
    assert made.formed(mapped, counting, kept)[0] == [[of(kept), of(mapped)]]
    found = made.refused(kept, counting, mapped, joined=(kept, mapped))
    assert found == (legal.SIZE, of(counting))


# -- what is in the way ----------------------------------------------------------------------------


def test_what_the_consumer_does_otherwise_is_in_the_way() -> None:
    made = Grouped()
    (total,) = made.over([made.vector], Reduce(1))
    consumer = made.over([made.vector], Collect(1), value=total)[0]
    assert made.refused(total, consumer) == (legal.NEEDS_WHOLE, of(consumer))
    assert made.refused(consumer, total) == (legal.NEEDS_WHOLE, of(consumer))


def test_all_members_of_both_groups_count() -> None:
    made = Grouped()
    (total,) = made.over([made.vector], Reduce(1))
    mapped = made.twice()
    consumer = made.over([mapped], Collect(1), value=total)[0]
    third = made.apart()
    wanted = (legal.NEEDS_WHOLE, of(consumer))
    assert made.refused(mapped, third, consumer, total, joined=(mapped, consumer)) is None
    assert made.refused(mapped, total, consumer, joined=(mapped, consumer)) == wanted
    assert made.refused(mapped, consumer, total, joined=(mapped, total)) == wanted


def test_scans_of_what_was_let_through_are_not_in_the_way() -> None:
    made = Grouped()
    _, kept = filtered(made)
    (sums,) = made.over([kept], Scan(1))
    mapped = made.map(sums, "int.add", 1)
    assert made.refused(sums, mapped, kept) is None
    assert made.refused(sums, mapped, kept, joined=(kept, sums)) is None


def test_members_are_seen_in_order() -> None:
    """Under which condition a loop runs is known after that of what it reads."""
    made = Grouped()
    _, kept = filtered(made)
    mapped = made.map(kept, "int.add", 1)
    last = made.map(mapped, "int.mul", 2)
    assert made.refused(last, kept, mapped, joined=(mapped, last)) is None
    assert made.refused(mapped, kept, last, joined=(mapped, last)) is None


def test_what_lies_between_is_in_the_way() -> None:
    made = Grouped()
    graph = made.graph
    mapped = made.twice()
    first = graph.index(made.sums(mapped), graph.integer(0))
    last = made.over([mapped], Collect(1), value=first)[0]
    assert made.refused(mapped, last) == (legal.DUPLICATES, first)
    assert made.refused(last, mapped) == (legal.DUPLICATES, first)


def test_an_update_is_in_the_way() -> None:
    made = Grouped()
    mapped = made.twice()
    target = made.over([mapped], Scatter(1), extras=[made.vector])[0]
    assert made.refused(mapped, target) == (legal.CONSUMPTION, of(target))
    assert made.refused(target, mapped) == (legal.CONSUMPTION, of(target))


def test_which_loop_that_writes_is_in_the_way() -> None:
    made = Grouped()
    first, second = made.writing(made.vector), made.writing(made.vector)
    mapped = made.map(first, "int.add", 1)
    assert made.refused(first, second) == (legal.EFFECTS, of(second))
    assert made.refused(second, first) == (legal.EFFECTS, of(second))
    assert made.refused(first, mapped, second) == (legal.EFFECTS, of(first))
    assert made.refused(mapped, second, first) == (legal.EFFECTS, of(second))
    alone = Grouped()
    writing = alone.writing(alone.vector)
    assert alone.refused(writing, alone.map(writing, "int.add", 1)) is None
    quiet = alone.twice()
    assert alone.refused(quiet, alone.map(quiet, "int.add", 1), writing) is None


def test_a_trace_of_the_block_itself_keeps_its_order() -> None:
    made = Grouped()
    writing = made.writing(made.vector)
    mapped = made.map(writing, "int.add", 1)
    assert made.refused(writing, mapped) is None
    made.scope.trace(INT_LAYOUT, [made.graph.integer(1)])
    assert made.refused(writing, mapped) == (legal.EFFECTS, of(writing))


def test_what_writes_itself() -> None:
    graph = Graph()
    scope = BlockScope(graph)
    x = graph.parameter("x", INT)
    condition = graph.operation("int.lt", x, graph.integer(3))
    assert writes_itself(scope.trace(INT_LAYOUT, [x]))
    assert writes_itself(scope.region(Call, ("f", True), [x], results=(INT,), effectful=True))
    assert not writes_itself(scope.require(condition, "no"))
    checking, tracing = scope.inner(), scope.inner()
    checking.require(graph.operation("int.lt", x, graph.integer(2)), "no")
    tracing.trace(INT_LAYOUT, [x])
    for inner, writes in ((checking, False), (tracing, True)):
        body = inner.block([graph.parameter("i", INT)], ())
        assert writes_itself(scope.loop(x, (), body)) is writes


def test_a_group_is_not_joined_to_itself() -> None:
    made = Grouped()
    mapped = made.twice()
    again = made.over([mapped, made.vector], Collect(1))[0]
    assert made.formed(again) == ([[of(mapped), of(again)]], ["map-map"])
    assert fuse(made.graph, made.function(again)).steps.taken == ["map-map"]
