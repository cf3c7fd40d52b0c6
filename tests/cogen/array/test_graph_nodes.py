"""Making nodes: hash-consing, types, the rules, and what the check refuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import cogen.array
from cogen.array import loads
from cogen.array.codegen.survey import all_statements
from cogen.array.ir import node as node_module
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.checkgraph import check
from cogen.array.ir.generators import (
    Collect,
    Reduce,
    emits,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import BOOL, CERT, CHAR, INT, REAL, GraphArray
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.memoryroots import MemorySharing
from cogen.array.ir.node import (
    Assert,
    Block,
    Function,
    If,
    Index,
    Loop,
    Module,
    Multiloop,
    Node,
    Operation,
    Parameter,
    Part,
    Trace,
    shape,
)
from cogen.array.ir.operations import TABLE
from cogen.array.l0.types import INT as INT_LAYOUT
from cogen.array.optimise.optimisations import combine
from cogen.array.optimise.steplimit import Steps
from cogen.array.schedule.schedule import schedule
from cogen.lang.errors import InternalError, Source, Span

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[3]


@pytest.fixture
def graph() -> Graph:
    return Graph(combine(frozenset(), Steps()))


def ints(graph: Graph, name: str = "a", *sizes: Node) -> Parameter:
    return graph.parameter(name, GraphArray(INT, sizes or (graph.parameter("n", INT),)))


def doubled(graph: Graph, array: Node, by: Node) -> Node:
    """map(op *(by), array)"""
    scope = BlockScope(graph)
    inner = scope.inner()
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    body = inner.body((i, x), emits([graph.operation("int.mul", x, by)]))
    return graph.part(scope.multiloop(shape(array)[0], [array], [Collect(1)], (), [body]), 0)


def test_equal_nodes_are_one(graph: Graph) -> None:
    x, y = graph.parameter("x", INT), graph.parameter("x", INT)
    assert graph.operation("int.xor", x, y) is graph.operation("int.xor", x, y)
    assert graph.real(0.0) is not graph.real(-0.0)
    assert graph.real(float("nan")) is graph.real(float("nan"))
    assert graph.integer(1) is not graph.boolean(True)


def test_blocks_are_equal_up_to_names(graph: Graph) -> None:
    a, by, other = ints(graph), graph.parameter("k", INT), graph.parameter("k", INT)
    assert doubled(graph, a, by) is doubled(graph, a, by)
    assert doubled(graph, a, by) is not doubled(graph, a, other)


def test_what_has_an_effect_is_never_one(graph: Graph) -> None:
    scope = BlockScope(graph)
    x = graph.parameter("x", INT)
    condition = graph.operation("int.lt", x, graph.integer(3))
    loops = []
    for _ in range(2):
        inner = scope.inner()
        inner.require(condition, "no")
        body = inner.block((graph.parameter("i", INT),), ())
        loops.append(scope.loop(x, (), body))
    assert loops[0] is not loops[1]
    assert scope.effects == loops
    assert all(scope.token in loop.certs and loop.effectful for loop in loops)


def test_an_assertion_is_made_once(graph: Graph) -> None:
    scope = BlockScope(graph)
    condition = graph.operation("int.lt", graph.parameter("x", INT), graph.integer(3))
    first = scope.require(condition, "no")
    assert isinstance(first, Assert)
    assert scope.require(condition, "no") is first
    assert scope.inner().require(condition, "no again") is first
    assert scope.effects == [first]


def test_sums_have_one_form(graph: Graph) -> None:
    a, b, c = [graph.parameter(name, INT) for name in "abc"]

    def add(*terms: Node) -> Node:
        total = terms[0]
        for term in terms[1:]:
            total = graph.operation("int.add", total, term)
        return total

    assert add(a, b, c) is add(c, add(b, a))
    assert graph.operation("int.sub", add(a, b), a) is b
    assert graph.operation("int.sub", a, a) is graph.integer(0)
    twice = graph.operation("int.mul", a, graph.integer(2))
    assert add(twice, a) is graph.operation("int.mul", a, graph.integer(3))
    assert graph.operation("int.sub", twice, a) is a
    assert graph.operation("int.shl", a, graph.integer(1)) is twice
    assert graph.operation("int.eq", add(a, graph.integer(1)), a) is graph.boolean(False)
    half = graph.operation("int.mul", a, graph.integer(1 << 63 >> 1))
    assert add(half, half, half, half) is graph.integer(0)


def test_reals_obey_few_laws(graph: Graph) -> None:
    x = graph.parameter("x", REAL)
    zero, one = graph.real(0.0), graph.real(1.0)
    assert graph.operation("real.mul", x, one) is x
    assert isinstance(graph.operation("real.add", x, zero), Operation)
    assert isinstance(graph.operation("real.mul", x, zero), Operation)
    assert isinstance(graph.operation("real.sub", x, x), Operation)


def test_division_by_zero_is_not_folded(graph: Graph) -> None:
    zero = graph.integer(0)
    assert isinstance(graph.operation("int.div", graph.integer(1), zero), Operation)


def test_indexing_what_is_known(graph: Graph) -> None:
    n, i, j = [graph.parameter(name, INT) for name in "nij"]
    a = ints(graph)
    rows = ints(graph, "m", n, shape(a)[0])
    assert graph.index(graph.iota(n), i) is i
    assert graph.index(graph.replicate(n, a), i, j) is graph.index(a, j)
    assert graph.index(graph.index(rows, i), j) is graph.index(rows, i, j)
    assert graph.index(graph.rearrange((1, 0), rows), i, j) is graph.index(rows, j, i)
    assert isinstance(graph.index(graph.rearrange((1, 0), rows), i), Index)
    assert graph.index(graph.slice(a, j, n), i) is graph.index(a, graph.operation("int.add", j, i))
    flat = graph.operation("int.add", graph.operation("int.mul", i, j), n)
    assert graph.index(graph.reshape(a, n, j), i, n) is graph.index(a, flat)
    assert graph.index(graph.literal(INT, (i, j)), graph.integer(1)) is j
    assert graph.index(graph.update(a, (i,), j), i) is j
    assert isinstance(graph.index(graph.update(a, (i,), j), n), Index)


def test_views_of_views(graph: Graph) -> None:
    n, m, k = [graph.parameter(name, INT) for name in "nmk"]
    cube = ints(graph, "c", n, m, k)
    turned = graph.rearrange((1, 2, 0), cube)
    assert shape(turned) == (m, k, n)
    assert graph.rearrange((2, 0, 1), turned) is cube
    assert graph.rearrange((1, 2, 0), turned) is graph.rearrange((2, 0, 1), cube)
    flat = graph.reshape(cube, graph.integer(24))
    assert graph.reshape(flat, n, m, k) is cube
    zero = graph.integer(0)
    assert graph.slice(cube, zero, n) is cube
    assert graph.slice(graph.slice(cube, m, k), n, m) is graph.slice(
        cube, graph.operation("int.add", m, n), m
    )
    assert graph.copy(graph.iota(n)) is graph.iota(n)
    assert graph.copy(cube) is not cube
    assert graph.concat(cube, graph.literal(INT, ())) is cube


def test_loops_that_make_what_is_there(graph: Graph) -> None:
    a, k = ints(graph), graph.parameter("k", INT)
    (n,) = shape(a)
    scope = BlockScope(graph)
    inner = scope.inner()
    i, x = graph.parameter("i", INT), graph.parameter("x", INT)
    body = inner.body((i, x), emits([x, k, i]))
    node = scope.multiloop(n, [a], [Collect(1)] * 3, (), [body])
    assert graph.parts(node) == (a, graph.replicate(n, k), graph.iota(n))


def test_the_less_of_two_ints(graph: Graph) -> None:
    x, y = graph.parameter("x", INT), graph.parameter("y", INT)
    scope = BlockScope(graph)

    def chosen(name: str, first: Node, second: Node) -> Node:
        then = scope.inner().block((), (first,))
        otherwise = scope.inner().block((), (second,))
        return graph.part(scope.if_(graph.operation(name, x, y), then, otherwise, (INT,)), 0)

    for name in ("int.lt", "int.le"):
        assert chosen(name, x, y) is graph.operation("int.min", x, y)
        assert chosen(name, y, x) is graph.operation("int.max", x, y)
        assert chosen(name, x, x) is x


def test_rows_say_whose_memory_an_array_is() -> None:
    graph = Graph()
    n = graph.parameter("n", INT)
    a = graph.parameter("a", GraphArray(INT, (n, n)))
    made = [
        graph.index(a, n), graph.slice(a, n, n), graph.rearrange((1, 0), a), graph.reshape(a, n, n),
        graph.concat(a, a), graph.iota(n), graph.replicate(n, n), graph.copy(a),
        graph.literal(INT, [n, n]), graph.update(a, [n, n], n),
    ]  # fmt: skip
    sharing = MemorySharing({})
    for node in made:
        assert node.shares_first != node.is_fresh, node
        assert sharing.roots(node) == {a if node.shares_first else node}
        assert not node.is_view or node.shares_first
    assert {type(node) for node in made} == {
        kind for kind in kinds_of(Node) if kind.shares_first or kind.is_fresh
    }


def test_rows_say_what_is_executed_and_repeated() -> None:
    text = """
        fun [int] main([int] a) =
          let n = trace(size(0, a)) in
          loop (x = a) = for i < n do map(op +(i), x) in
          if n < 3 then x else a"""
    graph = loads(text).graph()
    nodes = all_nodes(graph.entry.body)
    scheduled = all_statements(schedule(graph.entry, graph.functions))
    steps = {statement.node for statement in scheduled}
    assert {type(node) for node in nodes} >= {Loop, Multiloop, If, Trace, Part}
    for node in nodes:
        assert (node in steps) == (node.has_code and not node.is_atom), node
        assert node.effectful or not node.has_effect
        assert not node.is_loop or (node.takes_time and node.blocks)
        assert not node.is_atom or not node.operands


def kinds_of(kind: type[Node]) -> set[type[Node]]:
    return {kind}.union(*map(kinds_of, kind.__subclasses__()))


def test_passes_do_not_list_kinds() -> None:
    """What several kinds have in common is said by their rows; lists of kinds are for laws."""
    names = "|".join([kind.__name__ for kind in kinds_of(Node)] + ["Collect", "Reduce", "Scan"])
    lists = re.compile(rf"isinstance\([^()]*, \((?:{names}), ")
    folders = ("ir", "rules", "optimise", "fusion", "schedule", "lower", "codegen")
    files = [p for folder in folders for p in (ROOT / "cogen/array" / folder).glob("*.py")]
    found = [line for file in files for line in file.read_text().splitlines() if lists.search(line)]
    assert len(files) > 80
    assert len(found) <= 23, found


def test_rules_can_be_left_out() -> None:
    graph = Graph(combine(frozenset({"sums", "algebra"}), Steps()))
    x = graph.parameter("x", INT)
    zero = graph.integer(0)
    assert isinstance(graph.operation("int.add", x, zero), Operation)
    assert graph.operation("int.add", zero, zero) is zero
    assert isinstance(
        Graph(combine(frozenset(), Steps(0))).operation("int.add", zero, zero), Operation
    )


def test_every_operation_has_a_meaning_and_c() -> None:
    for name, row in TABLE.items():
        assert row.name == name
        assert "{0}" in row.c_text
        assert ("{1}" in row.c_text) == (len(row.operands) == 2)
        given = {INT: 3, REAL: 2.0, BOOL: True, CHAR: "c"}
        assert row.meaning(*[given[t] for t in row.operands]) is not None


# Malformed modules.


def module(
    *effects: Node, results: tuple[Node, ...] = (), token: Parameter | None = None
) -> Module:
    graph = Graph()
    block = Block(token or graph.parameter("here", CERT), (), effects, results)
    span = Span(Source("<test>", ""), 0, 0)
    return Module(Function("f", block, 0, 0, (), (), (), INT_LAYOUT, span, False), {})


def refused(found: Module) -> str:
    with pytest.raises(InternalError) as caught:
        check(found, "a pass")
    assert caught.value.message.startswith("after a pass, in `f`: ")
    return caught.value.message


def test_the_check_refuses_what_is_malformed(graph: Graph) -> None:
    x = graph.parameter("x", INT)
    assert "depends on" in refused(module(results=(x,)))
    plain = Graph()
    wrong = plain.operation("int.add", plain.integer(1), plain.real(1.0))
    assert "an operand of int.add" in refused(module(results=(wrong,)))
    one = graph.integer(1)
    scope = BlockScope(graph)
    checked = scope.require(graph.operation("int.lt", one, one), "no")
    divided = graph.operation("int.div", one, graph.integer(0), certs=[checked])
    body = scope.block((), (divided,))
    check(_with(body), "a pass")
    left_out = Block(scope.token, (), (), body.results)
    assert "stands in no block" in refused(_with(left_out))
    here = scope.inner()
    moved = Block(here.token, (), (checked,), ())
    node = scope.if_(graph.boolean(True), moved, scope.inner().block((), ()), ())
    assert "stands in another's block" in refused(_with(Block(scope.token, (), (node,), ())))


def test_the_check_refuses_a_loop_whose_operator_is_another(graph: Graph) -> None:
    scope = BlockScope(graph)
    inner, operator = scope.inner(), scope.inner()
    body = inner.body((graph.parameter("i", INT),), emits([graph.integer(1)]))
    parameters = [graph.parameter("x", INT), graph.parameter("y", REAL)]
    wrong = operator.block(parameters, (parameters[0],))
    zero = graph.integer(0)
    node = scope.multiloop(zero, (), [Reduce(1)], (zero,), [body, wrong])
    assert isinstance(node, Multiloop)
    assert "a value is" in refused(_with(scope.block((), (graph.part(node, 0),))))


def _with(body: Block) -> Module:
    span = Span(Source("<test>", ""), 0, 0)
    return Module(Function("f", body, 0, 0, (), (), (), INT_LAYOUT, span, False), {})


def test_a_program_is_checked_after_every_pass() -> None:
    program = loads("fun [int] main([int] a) = map(op +(1), a)")
    check(program.graph(), "the end")


MOST_LISTS: Final = 10
"""So many places outside of the graph's own modules list several kinds; fewer are better."""


def kinds_asked(path: Path) -> Iterator[set[str]]:
    """The kinds that each test of a module asks for, `isinstance(x, (ir.Loop, ir.If))`."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match call:
            case ast.Call(ast.Name("isinstance"), [_, asked]):
                names = {x.attr for x in ast.walk(asked) if isinstance(x, ast.Attribute)}
                names |= {x.id for x in ast.walk(asked) if isinstance(x, ast.Name)}
                yield {name for name in names if _is_kind(name)}


def _is_kind(name: str) -> bool:
    found = getattr(node_module, name, None)
    return isinstance(found, type) and issubclass(found, Node)


def test_passes_ask_the_row_of_a_kind_rather_than_list_kinds() -> None:
    """A list is closed: a further kind is missing in it."""
    package = Path(cogen.array.__file__).parent
    paths = [path for path in package.rglob("*.py") if path.parent.name != "ir"]
    lists = [(path.name, sorted(k)) for path in paths for k in kinds_asked(path) if len(k) > 1]
    assert len(lists) <= MOST_LISTS, lists


def test_what_a_node_costs_stands_in_its_row() -> None:
    graph = Graph()
    x = graph.parameter("x", REAL)
    for name in ("real.add", "real.exp"):
        operands = [x] * len(TABLE[name].operands)
        assert graph.operation(name, *operands).cost == TABLE[name].cost
    assert x.cost == 0
