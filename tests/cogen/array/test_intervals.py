"""What values ints can have: no more than is so, and comparisons that it decides are gone."""

from __future__ import annotations

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT
from cogen.array.ir.node import (
    Block,
    If,
    Node,
    Region,
)
from cogen.array.l0.arithmetic import WIDE
from cogen.array.l0.storage import storage_of
from cogen.array.optimise.intervals import Intervals
from cogen.array.optimise.optimisations import Options
from cogen.array.schedule.showschedule import show
from tests.cogen.array.loopways import interpreted
from tests.cogen.array.targets import same

pytestmark = pytest.mark.quick

BINARY = ("int.min", "int.max", "int.add", "int.sub", "int.mul", "int.mod", "int.div", "int.shr",
          "int.and", "int.or", "int.xor")  # fmt: skip
UNARY = ("int.neg", "int.abs")
LEAST, GREATEST = -(1 << 63), (1 << 63) - 1


def test_no_value_is_outside() -> None:
    graph = Graph({}, WIDE)
    random = np.random.default_rng(5)
    for _ in range(300):
        found = Intervals(WIDE)
        values: dict[Node, int] = {}
        nodes: list[Node] = []
        for _ in range(3):
            low, high = sorted(random.integers(-300, 300, 2).tolist())
            x = graph.parameter("x", INT)
            found.elements[x] = low, high
            values[x] = int(random.integers(low, high + 1))
            nodes.append(x)
        for _ in range(4):
            name = str(random.choice(BINARY))
            a = nodes[random.integers(len(nodes))]
            wide = name in ("int.mod", "int.div", "int.shr")
            b: Node = nodes[random.integers(len(nodes))]
            if wide:
                b = graph.integer(int(random.integers(1, 9)))
            made = graph.operation(name, a, b)
            value = graph.operations[name].meaning(values.get(a, 0), values.get(b, 0) if not wide
                                                   else b.value)  # type: ignore[attr-defined]  # fmt: skip
            values[made] = int(value)
            nodes.append(made)
            low, high = found.of(made)
            assert low <= value <= high, (name, found.of(a), found.of(b))
            test = graph.operation("int.lt", a, made)
            if test in values or found.decided(test) is None:
                continue
            assert found.decided(test) == (values.get(a, 0) < value)


def test_no_result_of_a_conditional_is_outside() -> None:
    """Conditionals of conditionals, whose conditions are about each other's results."""
    graph = Graph({}, WIDE)
    random = np.random.default_rng(7)
    for _ in range(300):
        found = Intervals(WIDE)
        nodes: list[Node] = [graph.integer(k) for k in (-4, 0, 9)]
        values = [-4, 0, 9]
        for _ in range(3):
            low, high = sorted(random.integers(-20, 20, 2).tolist())
            nodes.append(graph.parameter("x", INT))
            found.elements[nodes[-1]] = low, high
            values.append(int(random.integers(low, high + 1)))
        for _ in range(5):
            a, b, c, d = random.integers(0, len(nodes), 4).tolist()
            sign = str(random.choice(("int.lt", "int.le", "int.eq")))
            test = graph.operation(sign, nodes[a], nodes[b])
            token = graph.nothing().token
            branches = tuple([Block(token, (), (), (nodes[k],)) for k in (c, d)])
            made = graph.make(If, (), (test,), (), branches, (INT,))
            assert isinstance(made, Region)
            value = values[c if graph.operations[sign].meaning(values[a], values[b]) else d]
            nodes += [graph.part(made, 0), graph.operation("int.add", nodes[c], nodes[d])]
            values += [value, values[c] + values[d]]
            low, high = found.of(nodes[-2])
            assert low <= value <= high


def test_no_value_is_outside_at_the_ends_of_the_range() -> None:
    """Divisors of any sign, and ints that wrap around."""
    graph = Graph({}, WIDE)
    random = np.random.default_rng(6)
    ends = [LEAST, LEAST + 1, -8, -1, 0, 1, 3, 7, GREATEST - 1, GREATEST]
    for _ in range(600):
        found = Intervals(WIDE)
        nodes, values = [], []
        for _ in range(2):
            low, high = sorted(int(random.choice(ends)) for _ in range(2))
            x = graph.parameter("x", INT)
            found.elements[x] = low, high
            nodes.append(x)
            values.append(int(random.choice([low, high])))
        name = str(random.choice((*BINARY, *UNARY)))
        if name in UNARY:
            del nodes[1:], values[1:]
        if name in ("int.mod", "int.div") and values[1] == 0:
            continue
        value = graph.operations[name].meaning(*values)
        low, high = found.of(graph.operation(name, *nodes))
        assert low <= value <= high, (name, values, [found.of(node) for node in nodes])


def test_what_may_leave_the_range_of_int_may_be_anything() -> None:
    graph, found = Graph({}, WIDE), Intervals(WIDE)
    x = graph.parameter("x", INT)
    found.elements[x] = 0, 1 << 40
    assert found.of(graph.operation("int.mul", x, x)) == (WIDE.least, WIDE.greatest)
    assert found.of(graph.operation("int.add", x, graph.integer(1))) == (1, (1 << 40) + 1)


def test_arrays_of_reals_have_none() -> None:
    graph, found = Graph({}, WIDE), Intervals(WIDE)
    x, y = graph.parameter("x", INT), graph.parameter("y", INT)
    found.stored(x, storage_of("f32").leaves[0])
    found.stored(y, storage_of("u64").leaves[0])
    assert found.arrays == {}


PICTURE = """
fun {[packed "u8"], [int]} main([packed "raw12"] raw, [packed "u8"] table, int black) =
  let c = assert(size(table) = 4096) in
  let height = size(raw) / 128 in
  let y = map(fn int (int k) =>
    let at = k / 32 * 128 + k % 32 * 2 in
    let x = (raw[at] + raw[at + 65] - black) * 3 >> 1 in
    let low = if x < 0 then 0 else x in
    let x = if 4095 < low then 4095 else low in
    <c>(table[x]), iota(height * 32)) in
  {store("u8", y), bucketReduce(op +, 0, 256, y, map(fn int (int x) => 1, y))}
"""


@pytest.mark.slow
def test_a_picture_needs_no_checks_in_its_loop() -> None:
    """Rows and columns of an index, clipped values as an index, and bytes that are stored."""
    program = loads(PICTURE)
    text = show(program.graph())
    before = text.index("multiloop")
    assert "assert" in text[:before]
    assert "assert" not in text[before:]
    assert text.count("reduce") == 0
    assert "assert" in show(program.graph(options=Options(frozenset({"ranges"}))))[before:]
    random = np.random.default_rng(6)
    table = random.integers(0, 256, 4096, np.uint8).tobytes()
    for rows in (0, 1, 3, 40):
        raw = random.integers(0, 256, rows * 96, np.uint8).tobytes()
        wanted = program.run(raw, table, 64)
        for threads in (1, 2):
            assert same(program.compile(threads=threads)(raw, table, 64), wanted)
        if rows == 3:
            assert same(interpreted(program, threads=2)(raw, table, 64), wanted)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("width", [16, 640])
def test_loops_over_rows(width: int) -> None:
    """Also where the last row is not whole."""
    program = loads(f"""
fun {{[int], int}} main(int n) =
  let a = map(fn int (int i) => i / {width} * 1000 + i % {width}, iota(n)) in
  {{a, reduce(op +, 0, map(fn int (int x) => x * x, a))}}
""")
    off = program.compile(options=Options(frozenset({"rows"})))
    for n in (0, 5, width, 3 * width + 7):
        wanted = program.run(n)
        assert same(program.compile()(n), wanted)
        assert same(off(n), wanted)
    assert "/ " not in program.compile().source.split("for (")[1].split(";")[0]


def test_reductions_of_nothing_but_the_initial_value() -> None:
    program = loads("fun int main([int] a) = reduce(op +, 0, map(fn int (int x) => x - x, a))")
    assert "multiloop" not in show(program.graph())
    assert program.compile()(np.arange(3)) == 0


CLIPPED = [
    "if x < 0 then 0 else if x < 15 then x else 15",
    "if 15 < x then 15 else if x <= 0 then 0 else x",
    "if x < 0 then 0 - 1 + 1 else if 14 < x then 15 else if x = 7 then x + 1 else x",
    "if 0 <= x then (if x <= 15 then x else 15) else 0",
    "let y = x * 2 in if y < 16 then (if 0 - 1 < y then y / 2 else 0) else y & 15",
]


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("body", CLIPPED)
def test_branches_know_their_condition(body: str) -> None:
    """As people clip who know no `min`: such keys need no check."""
    program = loads(f"""
fun [int] main([packed "s12"] a, int by) =
  bucketReduce(op +, 0, 16, map(fn int (int x) => let x = x * by in {body}, a),
               replicate(size(a), 1))
""")
    assert "assert" not in show(program.graph())
    data = np.random.default_rng(8).integers(0, 256, 600, np.uint8).tobytes()
    for by in (0, 1, -3, 1 << 40, 1 << 62):
        assert same(program.compile(threads=1)(data, by), program.run(data, by))


def test_branches_may_leave_what_is_known() -> None:
    for body in ("if x < 0 then x else 3", "if x < 16 then x else 0", "if x = 3 then 0 else x"):
        text = f"""
fun [int] main([packed "s12"] a, int by) =
  bucketReduce(op +, 0, 16, map(fn int (int x) => let x = x * by in {body}, a),
               replicate(size(a), 1))
"""
        assert "assert" in show(loads(text).graph()), body


def test_what_an_int_is_in_a_branch_does_not_depend_on_what_was_asked_before() -> None:
    graph = Graph()
    scope = BlockScope(graph)
    x, one = graph.parameter("x", INT), graph.integer(1)
    following = graph.operation("int.add", x, one)
    known = graph.operation("int.lt", x, graph.integer(9))
    natural = graph.operation("int.lt", graph.integer(-1), x)
    inner = scope.inner()
    then = inner.if_(known, *[inner.inner().block((), (n,)) for n in (following, one)], (INT,))
    blocks = [inner.block((), (graph.part(then, 0),)), scope.inner().block((), (one,))]
    chosen = graph.part(scope.if_(natural, *blocks, (INT,)), 0)
    intervals = Intervals(graph.arithmetic)
    for _ in range(2):
        assert intervals.of(following) == intervals.whole
        assert intervals.of(chosen) == (1, 9)
