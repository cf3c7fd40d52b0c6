"""Which loops may be one: each rule of `legal` and `cluster`, on loops made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cogen.array import loads
from cogen.array.fusion import legal
from cogen.array.fusion.fuse import fuse
from cogen.array.fusion.legal import Refusal, contexts, vertical, writes
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Emit,
    Generator,
    Reduce,
    Scan,
    Scatter,
    emits,
    is_hashed,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT
from cogen.array.ir.node import (
    Function,
    Multiloop,
    Node,
    Part,
    Region,
)
from cogen.array.l0.types import INT as INT_LAYOUT
from cogen.array.lower.buildgraph import build
from tests.cogen.array.test_fusion import Made, loops, run

pytestmark = pytest.mark.quick


class Loops(Made):
    """Loops of which each reads vectors, and takes what a generator of its kind does."""

    def over(
        self,
        inputs: Sequence[Node],
        *generators: Generator,
        extras: Sequence[Node] | None = None,
        body: Sequence[Node] | None = None,
        value: Node | None = None,
        index: bool = False,
        where: bool = False,
    ) -> tuple[Node, ...]:
        """A loop; `value` is what its generators take beside its first element, `index` lets them
        take the index as well, `where` lets them take some only."""
        graph = self.graph
        i = graph.parameter("i", INT)
        elements = [graph.parameter("x", INT) for _ in inputs]
        one = graph.integer(1)
        taken = elements[0] if elements else i
        if value is not None:
            taken = graph.operation("int.add", taken, value)
        if index:
            taken = graph.operation("int.add", taken, i)
        results: list[Node] = []
        for generator in generators:
            results += [one] * generator.keys + [taken] * generator.values
        operators = [
            graph.nothing() if is_hashed(g) else self.addition()
            for g in generators
            if g.has_operator
        ]
        numbers = [one] * sum(g.extras for g in generators)
        return self.loop(
            inputs,
            generators,
            results if body is None else body,
            [i, *elements],
            numbers if extras is None else extras,
            operators,
            graph.operation("int.lt", one, taken) if where else None,
        )

    def __init__(self) -> None:
        super().__init__()
        self.n = self.size

    def resized(self, size: Node) -> None:
        """Loops have this size from here on."""
        self.size = size  # type: ignore[assignment]  # any number

    def function(self, *results: Node) -> Function:
        self.size, size = self.n, self.size
        try:
            return super().function(*results)
        finally:
            self.size = size

    def refusal(self, producer: Node, consumer: Node) -> tuple[str, Node] | None:
        """What `vertical` says of the loops that made two results."""
        return said(vertical(Places(self.function(producer, consumer)), of(producer), of(consumer)))

    def contexts(self, *results: Node) -> list[Node | None] | str:
        """What `contexts` says of the loops that made some results: a loop for each, or a rule."""
        members = [of(result) for result in results]
        found = contexts(Places(self.function(*results)), members)
        if isinstance(found, Refusal):
            assert found.blocker is members[-1]
            return found.rule
        return [None if entry is None else entry[0] for entry in found.values()]


def of(result: Node) -> Multiloop:
    assert isinstance(result, Part)
    assert isinstance(result.node, Multiloop)
    return result.node


def said(refusal: Refusal | None) -> tuple[str, Node] | None:
    return None if refusal is None else (refusal.rule, refusal.blocker)


def test_elements_that_are_read_in_order() -> None:
    made = Loops()
    mapped = made.map(made.vector, "int.add", 1)
    assert made.refusal(mapped, made.map(mapped, "int.mul", 2)) is None
    (scanned,) = made.over([made.vector], Scan(1))
    assert made.refusal(scanned, made.map(scanned, "int.mul", 2)) is None


def test_a_result_that_is_no_array() -> None:
    made = Loops()
    (total,) = made.over([made.vector], Reduce(1))
    consumer = made.over([made.vector], Collect(1), value=total)[0]
    assert made.refusal(total, consumer) == (legal.NEEDS_WHOLE, of(consumer))


def test_only_results_that_the_consumer_uses_count() -> None:
    made = Loops()
    total, mapped = made.over([made.vector], Reduce(1), Collect(1))
    consumer = made.map(mapped, "int.add", 1)
    places = Places(made.function(total, mapped, consumer))
    assert vertical(places, of(mapped), of(consumer)) is None
    consumer = made.over([mapped], Collect(1), value=total)[0]
    assert made.refusal(mapped, consumer) == (legal.NEEDS_WHOLE, of(consumer))
    mapped, total = made.over([made.vector], Collect(1), Reduce(1))
    consumer = made.over([mapped], Collect(1), value=total)[0]
    assert made.refusal(mapped, consumer) == (legal.NEEDS_WHOLE, of(consumer))


def filtered(made: Loops) -> tuple[Node, Node]:
    """The number and the elements of a filter; loops have that size from here on."""
    count, kept = made.over([made.vector], Collect(1), where=True)
    made.resized(count)
    return count, kept


def test_the_number_of_what_is_let_through_is_a_size() -> None:
    made = Loops()
    _, kept = filtered(made)
    assert made.refusal(kept, made.map(kept, "int.add", 1)) is None


def test_the_number_of_what_is_let_through_used_otherwise() -> None:
    made = Loops()
    count, kept = filtered(made)
    consumer = made.over([kept], Collect(1), value=count)[0]
    assert made.refusal(kept, consumer) == (legal.NEEDS_WHOLE, of(consumer))
    (total,) = made.over([kept], Reduce(1), extras=[count])
    assert made.refusal(kept, total) == (legal.NEEDS_WHOLE, of(total))
    (total,) = made.over([], Reduce(1), extras=[count])
    assert made.refusal(kept, total) == (legal.NEEDS_WHOLE, of(total))


def test_a_number_of_a_filter_of_another_size() -> None:
    made = Loops()
    count, _ = made.over([made.vector], Collect(1), where=True)
    consumer = made.over([made.vector], Collect(1), value=count)[0]
    assert made.refusal(count, consumer) == (legal.NEEDS_WHOLE, of(consumer))


def test_a_conditional_sum_as_size() -> None:
    made = Loops()
    (total,) = made.over([made.vector], Reduce(1), where=True)
    made.resized(total)
    consumer = made.over([], Collect(1))[0]
    assert made.refusal(total, consumer) == (legal.NEEDS_WHOLE, of(consumer))


def test_a_conditional_scan() -> None:
    made = Loops()
    count, scanned = made.over([made.vector], Scan(1), where=True)
    made.resized(count)
    consumer = made.map(scanned, "int.add", 1)
    assert made.refusal(scanned, consumer) is None
    assert made.refusal(count, made.over([], Collect(1))[0]) is None


def test_an_array_that_is_taken_whole() -> None:
    made = Loops()
    mapped = made.map(made.vector, "int.add", 1)
    two = made.graph.integer(2)
    consumer = made.over([made.vector], Bucket(1), extras=[two, made.graph.integer(0)])[0]
    assert made.refusal(mapped, consumer) is None
    (target,) = made.over([mapped], Scatter(1), extras=[mapped])
    assert made.refusal(mapped, target) == (legal.NEEDS_WHOLE, of(target))


def test_indices() -> None:
    made = Loops()
    graph = made.graph
    mapped = made.map(made.vector, "int.add", 1)
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    (same,) = made.loop([made.vector], [Collect(1)], [graph.index(mapped, i)], [i, x])
    assert made.refusal(mapped, same) is None
    (other,) = made.loop([made.vector], [Collect(1)], [graph.index(mapped, x)], [i, x])
    refusal = made.refusal(mapped, other)
    assert refusal == (legal.INDEXED, graph.index(mapped, x))
    piece = graph.slice(mapped, i, graph.integer(1))
    first = graph.index(piece, graph.integer(0))
    (sliced,) = made.loop([made.vector], [Collect(1)], [first], [i, x])
    assert made.refusal(mapped, sliced) == (legal.INTO_FUNCTION, piece)


def test_a_whole_array_as_a_row() -> None:
    made = Loops()
    graph = made.graph
    mapped = made.map(made.vector, "int.add", 1)
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    (rows,) = made.loop([made.vector], [Collect(1)], [mapped], [i, x])
    assert made.refusal(mapped, rows) == (legal.INTO_FUNCTION, of(rows))


def test_uses_outside_of_the_consumer_do_not_count() -> None:
    made = Loops()
    mapped = made.map(made.vector, "int.add", 1)
    first = made.graph.index(mapped, made.graph.integer(0))
    consumer = made.map(mapped, "int.mul", 2)
    function = made.function(mapped, first, consumer)
    assert vertical(Places(function), of(mapped), of(consumer)) is None


def test_uses_deep_inside_of_the_consumer_count() -> None:
    made = Loops()
    graph = made.graph
    mapped = made.map(made.vector, "int.add", 1)
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    j = graph.parameter("j", INT)
    value = graph.operation("int.add", graph.index(mapped, j), x)
    inner = made.scope.inner()
    outer = inner.inner()
    block = outer.inner().body([j], emits([value]))
    loop = outer.multiloop(made.size, [], [Reduce(1)], [graph.integer(0)], [block, made.addition()])
    body = outer.body([i, x], emits([graph.part(loop, 0)]))
    node = inner.multiloop(made.size, [made.vector], [Collect(1)], [], [body])
    assert made.refusal(mapped, graph.part(node, 0)) == (legal.INDEXED, graph.index(mapped, j))


# -- conditions ------------------------------------------------------------------------------------


def test_without_conditions_all_run_always() -> None:
    made = Loops()
    mapped = made.map(made.vector, "int.add", 1)
    assert made.contexts(mapped, made.map(mapped, "int.mul", 2)) == [None, None]


def test_what_reads_a_filter_runs_under_its_condition() -> None:
    made = Loops()
    _, kept = filtered(made)
    mapped = made.map(kept, "int.add", 1)
    both = made.over([kept, mapped], Collect(1))[0]
    assert made.contexts(kept, mapped, both) == [None, of(kept), of(kept)]


def test_a_filter_of_a_filter_has_a_condition_of_its_own() -> None:
    made = Loops()
    _, kept = filtered(made)
    _, again = made.over([kept], Collect(1), where=True)
    last = made.map(again, "int.add", 1)
    assert made.contexts(kept, again, last) == [None, of(kept), of(again)]
    both = made.over([kept, again], Collect(1))[0]
    assert made.contexts(kept, again, both) == legal.SIZE


def test_under_a_condition_all_inputs_are_made_under_it() -> None:
    made = Loops()
    _, kept = filtered(made)
    mixed = made.over([kept, made.vector], Collect(1))[0]
    assert made.contexts(kept, mixed) == legal.SIZE
    plain = made.map(made.vector, "int.add", 1)
    mixed = made.over([plain, kept], Collect(1))[0]
    assert made.contexts(kept, plain, mixed) == legal.SIZE


def test_under_a_condition_the_index_is_counted() -> None:
    made = Loops()
    _, kept = filtered(made)
    by_index = made.over([kept], Collect(1), index=True)[0]
    assert made.contexts(kept, by_index) == [None, of(kept)]


def test_under_a_condition_rows_are_not_numbered() -> None:
    generator = Bucket(0, hashed=True, numbered=True)
    made = Loops()
    _, kept = filtered(made)
    assert made.contexts(kept, made.over([kept], generator)[0]) == legal.CONDITIONAL
    assert made.contexts(kept, made.over([kept], Collect(1), generator)[0]) == legal.CONDITIONAL
    other = Loops()
    mapped = other.map(other.vector, "int.add", 1)
    found = other.over([mapped], generator)[0]
    assert other.contexts(mapped, found) == [None, None]


def test_under_a_condition_rows_are_put_into_groups() -> None:
    made = Loops()
    _, kept = filtered(made)
    found = made.over([kept], Bucket(1, collects=True))[0]
    assert made.contexts(kept, found) == [None, of(kept)]


def test_what_a_scan_under_a_condition_makes() -> None:
    made = Loops()
    _, kept = filtered(made)
    (scanned,) = made.over([kept], Scan(1))
    assert made.contexts(kept, scanned) == [None, of(kept)]
    mapped = made.map(scanned, "int.add", 1)
    assert made.contexts(kept, scanned, mapped) == [None, of(kept), of(kept)]
    other = Loops()
    (scanned,) = other.over([other.vector], Scan(1))
    assert other.contexts(scanned, other.map(scanned, "int.add", 1)) == [None, None]


def test_a_running_scan_under_a_condition() -> None:
    made = Loops()
    graph = made.graph
    _, kept = filtered(made)
    i, x, sum_ = (graph.parameter(name, INT) for name in "ixs")
    (running,) = made.loop(
        [kept], [Scan(1, running=True)], [x], [i, x, sum_], [graph.integer(0)], [made.addition()]
    )
    assert made.contexts(kept, running) == [None, of(kept)]
    both = [Scan(1, running=True), Collect(1)]
    zero = graph.integer(0)
    running, _ = made.loop([kept], both, [x, x], [i, x, sum_], [zero], [made.addition()])
    assert made.contexts(kept, running) == [None, of(kept)]


@pytest.mark.parametrize("effect", ["scalar", "row", "both"])
def test_rows_that_rely_on_where_they_are_computed(effect: str) -> None:
    made = Loops()
    graph = made.graph
    _, kept = filtered(made)
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    inner = made.scope.inner()
    inner.trace(INT_LAYOUT, [x])
    row = graph.replicate(graph.integer(2), x)
    values: dict[str, tuple[Node, ...]] = {"scalar": (x,), "row": (row,), "both": (x, row)}
    taken = values[effect]
    block = inner.body([i, x], [Emit(taken)])
    node = made.scope.multiloop(made.size, [kept], [Collect(len(taken))], [], [block])
    found = made.contexts(kept, graph.part(node, 0))
    assert found == ([None, of(kept)] if effect == "scalar" else legal.CONDITIONAL)


def test_rows_that_rely_on_nothing() -> None:
    made = Loops()
    graph = made.graph
    _, kept = filtered(made)
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    (quiet,) = made.loop([kept], [Collect(1)], [graph.replicate(graph.integer(2), x)], [i, x])
    assert made.contexts(kept, quiet) == [None, of(kept)]


# -- effects ---------------------------------------------------------------------------------------


def region(text: str) -> Region:
    """The first effect of a program."""
    graph = Graph()
    (effect, *_) = build(loads(text).facts, "main", graph).entry.body.effects
    assert isinstance(effect, Region)
    return effect


def test_what_writes() -> None:
    assert writes(region("fun [int] main([int] a) = map(fn int (int x) => trace(x), a)"))
    nested = "fun [int] main([int] a) = map(fn int (int x) => if x < 3 then trace(x) else x, a)"
    assert writes(region(nested))
    assert writes(region("fun [int] main([int] a) = map(fn int (int x) => a[x], a)")) is False


# -- groups ----------------------------------------------------------------------------------------


def test_loops_that_are_one_already_are_not_joined_again() -> None:
    """What a third loop reads of two that are one takes one step more."""
    made = Loops()
    first = made.map(made.vector, "int.mul", 3)
    second = made.map(first, "int.mul", 5)
    both = made.graph.parameter("y", INT)
    i, x = made.graph.parameter("i", INT), made.graph.parameter("x", INT)
    value = made.graph.operation("int.add", x, both)
    (sums,) = made.loop([first, second], [Collect(1)], [value], [i, x, both])
    fused = fuse(made.graph, made.function(sums))
    assert fused.steps.taken == ["map-map", "map-map"]
    assert run(fused.function, [1, 2]) == [[18, 36]]


WRITES = "map(fn int (int x) => trace(x + {0}), a)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"map(op *(2), {WRITES.format(1)})", ["map"]),
        (f"{{{WRITES.format(1)}, {WRITES.format(2)}}}", ["map", "map"]),
        (
            f"{{{WRITES.format(1)}, {WRITES.format(2)}, map(op *(3), map(op +(1), a))}}",
            ["map", "map", "map"],
        ),
        (f"{{map(op *(2), {WRITES.format(1)}), map(fn int (int x) => b[x], b)}}", ["map", "map"]),
        (f"map(op *(2), map(op -, zip({WRITES.format(1)}, {WRITES.format(2)})))", ["map"] * 3),
    ],
)
def test_loops_that_write_keep_their_order(body: str, expected: list[str]) -> None:
    """One joins what does not write, as long as no other writes; the others join as ever."""
    result = "[int]"
    if body.startswith("{"):
        result = "{" + ", ".join(["[int]"] * len(expected)) + "}"
    graph = Graph()
    function = build(
        loads(f"fun {result} main([int] a, [int] b) = {body}").facts, "main", graph
    ).entry
    assert loops(fuse(graph, function).function) == expected
