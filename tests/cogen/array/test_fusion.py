"""Fusion on graphs that are built by hand, and its options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.fusion import fuse as fuse_module
from cogen.array.fusion.fuse import Fused, FusionOptions, fuse
from cogen.array.fusion.inputs import expression, moved
from cogen.array.fusion.mirror import Mirror
from cogen.array.fusion.nodeplaces import Places
from cogen.array.fusion.rulenames import RULES, kind
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.evaluate import Counts, evaluate
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Emit,
    Generator,
    Scatter,
    When,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT, array_of
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    Block,
    Function,
    Module,
    Multiloop,
    Node,
    Parameter,
)
from cogen.array.l0.types import INT as INT_LAYOUT
from cogen.array.l0.types import ArrayType as ArrayLayout
from cogen.array.lower.buildgraph import build
from cogen.array.optimise.optimise import optimise
from cogen.lang.errors import Source, Span

pytestmark = pytest.mark.quick


class Made:
    """A function of one vector that is being made."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.scope = BlockScope(self.graph)
        self.size = self.graph.parameter("n", INT)
        self.vector = self.graph.parameter("a", array_of(INT, self.size))

    def loop(
        self,
        inputs: Sequence[Node],
        generators: Sequence[Generator],
        body: Sequence[Node] | None = None,
        parameters: Sequence[Parameter] = (),
        extras: Sequence[Node] = (),
        operators: Sequence[Block] = (),
        where: Node | None = None,
    ) -> tuple[Node, ...]:
        """The results of a loop over vectors; `parameters` are the index and the elements; `where`:
        a condition under which generators take something."""
        inner = self.scope.inner()
        nodes = iter(body or ())
        rows = [Emit(tuple([next(nodes) for _ in range(g.keys + g.values)])) for g in generators]
        streams = [row if where is None else When(where, row) for row in rows]
        block = inner.body(parameters, streams)
        node = self.scope.multiloop(self.size, inputs, generators, extras, [block, *operators])
        return self.graph.parts(node)

    def map(self, array: Node, operation: str, operand: int) -> Node:
        i, x = self.graph.parameter("i", INT), self.graph.parameter("x", INT)
        value = self.graph.operation(operation, x, self.graph.integer(operand))
        return self.loop([array], [Collect(1)], [value], [i, x])[0]

    def addition(self) -> Block:
        a, b = self.graph.parameter("a", INT), self.graph.parameter("b", INT)
        return self.scope.inner().block([a, b], [self.graph.operation("int.add", a, b)])

    def function(self, *results: Node) -> Function:
        layout = ArrayLayout(INT_LAYOUT)
        span = Span(Source("made", "made"), 0, 4)
        return Function(
            "made",
            self.scope.block([self.size, self.vector], results),
            sizes=1,
            result_sizes=0,
            results=tuple([result.type for result in results]),
            parameter_names=("a",),
            parameter_layouts=(layout,),
            result_layout=layout,
            span=span,
            effectful=False,
        )


def run(function: Function, values: Sequence[int], counts: Counts | None = None) -> list[list[int]]:
    vector = np.array(values, np.int64)
    found = evaluate(
        Module(function, {}), [vector], [len(values)], lambda layout, value: None, counts
    )
    return [array.tolist() for array in found]


def loops(function: Function) -> list[str]:
    return [kind(node) for node in Places(function).nodes if isinstance(node, Multiloop)]


def histogram(made: Made, array: Node) -> Node:
    """Two buckets, by the lowest bit: the sums."""
    graph = made.graph
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    key = graph.operation("int.and", x, graph.integer(1))
    extras = [graph.integer(2), graph.integer(0)]
    (sums,) = made.loop([array], [Bucket(1)], [key, x], [i, x], extras, [made.addition()])
    return sums


def test_a_map_joins_buckets() -> None:
    made = Made()
    before = made.function(histogram(made, made.map(made.vector, "int.mul", 3)))
    fused = fuse(made.graph, before)
    assert fused.steps.taken == ["map-bucket"]
    assert loops(fused.function) == ["bucket"]
    assert run(fused.function, [1, 2, 3, 4]) == run(before, [1, 2, 3, 4]) == [[18, 12]]


def test_two_histograms_of_one_map_are_one_loop() -> None:
    made = Made()
    mapped = made.map(made.vector, "int.add", 1)
    before = made.function(histogram(made, mapped), histogram(made, made.map(mapped, "int.mul", 2)))
    old, new = Counts(), Counts()
    fused = fuse(made.graph, before).function
    assert loops(fused) == ["bucket"]
    assert run(fused, [1, 2, 3], new) == run(before, [1, 2, 3], old)
    assert new.operations == old.operations
    assert new.iterations == 3


def test_a_map_joins_a_filter_before_buckets() -> None:
    made = Made()
    graph = made.graph
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    keep = graph.operation("int.lt", graph.integer(2), x)
    count, kept = made.loop([made.vector], [Collect(1)], [x], [i, x], where=keep)
    made.size, size = count, made.size
    sums = histogram(made, kept)
    made.size = size  # type: ignore[assignment]  # the parameter again
    before = made.function(sums)
    fused = fuse(made.graph, before)
    assert "filter-bucket" in fused.steps.taken
    assert loops(fused.function) == ["bucket"]
    assert run(fused.function, [1, 2, 3, 4, 5]) == run(before, [1, 2, 3, 4, 5]) == [[4, 8]]


def scattered(made: Made, indices: Node, target: Node) -> Node:
    """A vector with 7 stored at some indices."""
    graph = made.graph
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    (found,) = made.loop([indices], [Scatter(1)], [x, graph.integer(7)], [i, x], [target])
    return found


def test_a_map_joins_a_scatter() -> None:
    made = Made()
    graph = made.graph
    target = graph.copy(made.vector)
    before = made.function(scattered(made, made.map(made.vector, "int.sub", 1), target))
    fused = fuse(graph, before)
    assert fused.steps.taken == ["map-scatter"]
    assert loops(fused.function) == ["scatter"]
    assert run(fused.function, [1, 3, 2]) == run(before, [1, 3, 2]) == [[7, 7, 7]]


def test_no_map_of_a_scatters_target_joins_it() -> None:
    """The map would read what the scatter has overwritten."""
    made = Made()
    doubled = made.map(made.vector, "int.mul", 2)
    before = made.function(doubled, scattered(made, made.graph.iota(made.size), made.vector))
    fused = fuse(made.graph, before, FusionOptions(off=frozenset({"expression-input"})))
    assert sorted(loops(fused.function)) == ["map", "scatter"]
    assert run(fused.function, [1, 3, 2]) == [[2, 6, 4], [7, 7, 7]]


def chain(length: int) -> tuple[Made, Function]:
    made = Made()
    array: Node = made.vector
    for k in range(length):
        array = made.map(array, "int.add", k + 1)
    return made, made.function(array)


@pytest.mark.parametrize("limit", range(4))
def test_a_limit_on_steps(limit: int) -> None:
    made, before = chain(4)
    fused = fuse(made.graph, before, FusionOptions(limit=limit))
    assert fused.steps.taken == ["map-map"] * limit
    assert len(loops(fused.function)) == 4 - limit
    assert run(fused.function, [0, 1]) == [[10, 11]]


def test_a_rule_that_is_off() -> None:
    made, before = chain(3)
    assert (
        len(loops(fuse(made.graph, before, FusionOptions(off=frozenset({"map-map"}))).function))
        == 3
    )


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(ValueError, match="no fusion rule is called map-mop"):
        FusionOptions(off=frozenset({"map-mop"}))


def test_rule_names_are_unique() -> None:
    assert len(set(RULES)) == len(RULES)


def test_long_chains_are_no_matter() -> None:
    made, before = chain(150)
    fused = fuse(made.graph, before)
    assert loops(fused.function) == ["map"]
    assert run(fused.function, [0]) == [[sum(range(151))]]


def test_fusion_is_deterministic() -> None:
    text = """
    fun {int, [int]} main([int] a) =
      let b = map(op +(1), a) in
      let c = filter(op <(2), b) in
      {reduce(op +, 0, c), scan(op +, 0, map(op *(2), b))}
    """

    def once() -> Fused:
        graph = Graph()
        return fuse(graph, build(loads(text).facts, "main", graph).entry)

    first, second = once(), once()
    assert first.steps.taken == second.steps.taken
    assert loops(first.function) == loops(second.function)


# What the rules stand on.


def test_a_mirror_copies_what_depends_on_what_is_bound() -> None:
    graph = Graph()
    x, y = graph.parameter("x", INT), graph.parameter("y", INT)
    one = graph.integer(1)
    inner = graph.operation("int.mul", y, one)
    node = graph.operation("int.add", x, inner)
    mirror = Mirror(graph)
    mirror.bind(x, graph.integer(5))
    assert mirror.node(node) is graph.operation("int.add", graph.integer(5), inner)
    assert mirror.node(inner) is inner


def test_elements_of_arrays_without_memory() -> None:
    graph = Graph()
    n, x, i = (graph.parameter(name, INT) for name in "nxi")
    row = graph.parameter("r", array_of(INT, n))
    replicated = graph.replicate(n, row)
    assert expression(graph, graph.iota(n), i) is i
    assert expression(graph, graph.replicate(n, x), i) is x
    assert expression(graph, replicated, i) is row
    turned = expression(graph, moved(graph, (1, 0), replicated), i)
    assert turned is graph.replicate(n, graph.index(row, i))
    assert expression(graph, row, i) is None


def test_orders_of_dimensions_compose() -> None:
    graph = Graph()
    n = graph.parameter("n", INT)
    cube = graph.parameter("c", array_of(INT, n, n, n))
    assert moved(graph, (0, 1, 2), cube) is cube
    assert moved(graph, (1, 2, 0), moved(graph, (2, 0, 1), cube)) is cube


def test_a_chain_of_permutations_takes_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is computed where it is used goes there in one round, wherever no loop is in common."""
    rounds = 0
    rebuild = fuse_module.rebuild

    def counting(*arguments: Any) -> Function:
        nonlocal rounds
        rounds += 1
        return rebuild(*arguments)

    monkeypatch.setattr(fuse_module, "rebuild", counting)
    found = []
    for count in (6, 48):
        rounds = 0
        lines = ["fun [int] main([int] a0) ="]
        for i in range(count):
            each = f"fn int (int i) => a{i}[size(a{i}) - 1 - i] + {i}"
            lines.append(f"  let a{i + 1} = map({each}, iota(size(a{i}))) in")
        program = loads("\n".join([*lines, f"  a{count}"]))
        fused = program.graph().entry
        assert len([n for n in all_nodes(fused.body) if isinstance(n, Multiloop)]) == 1
        found.append(rounds)
        values = np.array([5, 2, 9])
        total = sum(range(count))
        expected = values + total if count % 2 == 0 else values[::-1] + total
        assert list(program.compile()(values)) == list(expected)
    assert found[1] <= found[0] + 1


CHAINS = {
    "map": "map(op +({i}), {a})",
    "filter": "filter(op <({i}), {a})",
    "tests": "filter(fn bool (int x) => (x + {i}) % 7 < 6, {a})",
    "both": "filter(fn bool (int x) => x % 7 < 6, map(op +({i}), {a}))",
    "scan": "scan(op +, 0, {a})",
    "flatMap": "flatMap(fn [int] (int x) => [x, x + {i}], {a})",
    "concat": "concat({a}, a0)",
    "permutation": "map(fn int (int i) => {a}[size({a}) - 1 - i], iota(size({a})))",
    "halves": "let {{x{i}, y}} = split(size({a}) / 2, {a}) in y",
}


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("operation", CHAINS.values(), ids=CHAINS)
def test_long_chains_take_linear_work(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many operations are twice as many nodes to be made."""
    work = 0
    make = Graph.make

    def counted_make(*arguments: Any, **named: Any) -> Node:
        nonlocal work
        work += 1
        return make(*arguments, **named)

    monkeypatch.setattr(Graph, "make", counted_make)
    found = []
    for count in (20, 40):
        work = 0
        lines = [f"  let a{i + 1} = {operation.format(i=i, a=f'a{i}')} in" for i in range(count)]
        text = "\n".join(["fun [int] main([int] a0) =", *lines, f"  a{count}"])
        loads(text).graph()
        found.append(work)
    assert found[1] <= 2.2 * found[0], found


LINKS = {
    "group": "let {k, o, s} = groupBy(fn int (int x) => x % N, a) in "
    "let a = reduceSegments(op +, 0, o, s) in",
    "kept": "let {k, o, a} = groupBy(fn int (int x) => x % N, a) in",
    "filter": "let a = filter(fn bool (int x) => x % N < 2, a) in",
    "flatMap": "let a = flatMap(fn [int] (int x) => [x, x + N], a) in",
    "concat": "let a = concat(map(op +(N), a), a) in",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("link", LINKS)
def test_chains_take_few_rounds(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What may be done at once is, so time is in proportion to how long a chain is."""
    rounds: list[int] = []
    plain = fuse_module._round

    def counted(*given: Any) -> Any:
        rounds[-1] += 1
        return plain(*given)

    monkeypatch.setattr(fuse_module, "_round", counted)
    for length in (8, 16):
        rounds.append(0)
        chain = " ".join([LINKS[link].replace("N", str(n + 5)) for n in range(length)])
        program = loads(f"fun [int] main([int] a) = {chain} a")
        optimise(program.facts, "main")
    assert rounds[1] <= rounds[0] + 2, rounds
