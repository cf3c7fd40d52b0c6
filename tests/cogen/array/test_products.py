"""What is proven of products of sizes, and what must not be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.array import loads
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.evaluate import Counts, EvaluationFrame, Evaluator
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT
from cogen.array.ir.node import (
    Block,
    Function,
    Module,
    Node,
)
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.operators import Fault
from cogen.array.l0.types import BOOL
from cogen.array.optimise.indexranges import Ranges
from cogen.array.optimise.optimisations import Options, combine
from cogen.array.optimise.steplimit import Steps
from cogen.array.schedule.showschedule import show
from cogen.lang.errors import CogenError, Source, Span

pytestmark = pytest.mark.quick

NARROW = Arithmetic(32, 64)


class Setting:
    """Sizes h, w, d; in a loop over i < h, within one over j < w; k is any int."""

    def __init__(self, rules: bool = True, arithmetic: Arithmetic = WIDE) -> None:
        graph = self.graph = Graph(combine(frozenset(), Steps()) if rules else None, arithmetic)
        self.scope = BlockScope(graph, prove=Ranges(graph, Steps()))
        self.h, self.w, self.d, self.i, self.j, self.k = self.atoms = [
            graph.parameter(name, INT) for name in "hwdijk"
        ]
        for size in (self.h, self.w, self.d):
            self.learn("int.le", 0, size)
            self.learn("int.le", size, arithmetic.max_elements)
        for index, size in ((self.i, self.h), (self.j, self.w)):
            self.scope = self.scope.inner()
            self.scope.learn_index(index, size)

    def op(self, name: str, *operands: Node | int) -> Node:
        nodes = [self.graph.integer(n) if isinstance(n, int) else n for n in operands]
        return self.graph.operation(name, *nodes)

    def learn(self, name: str, *operands: Node | int) -> None:
        self.scope.learn(self.op(name, *operands))

    def there_is(self, *sizes: Node) -> None:
        """There is an array of these sizes."""
        area, *rest = sizes
        for size in rest:
            area = self.op("int.area", area, size)
        self.learn("int.le", area, self.graph.arithmetic.max_elements)

    def times(self, *factors: Node | int) -> Node:
        first, *rest = factors
        for factor in rest:
            first = self.op("int.mul", first, factor)
        assert isinstance(first, Node)
        return first

    def at(self) -> Node:
        return self.op("int.add", self.times(self.i, self.w), self.j)

    def knows(self, name: str, *operands: Node | int) -> bool:
        return self.scope.holds(self.op(name, *operands)) is not None


@pytest.mark.slow
def test_an_index_of_a_matrix_in_a_vector() -> None:
    s = Setting()
    size = s.times(s.w, s.h)
    assert not s.knows("int.lt", s.at(), size)
    s.there_is(s.h, s.w)
    assert s.knows("int.lt", s.at(), size)
    assert s.knows("int.le", 0, s.at())
    assert s.knows("int.le", size, 1 << 47)
    assert s.knows("int.lt", s.op("int.sub", s.op("int.sub", size, 1), s.at()), size)
    assert not s.knows("int.lt", s.op("int.add", s.at(), 1), size)
    assert not s.knows("int.lt", s.op("int.add", s.times(s.i, s.h), s.j), size)
    assert not s.knows("int.lt", s.op("int.add", s.times(s.k, s.w), s.j), size)


def test_an_index_of_three_dimensions() -> None:
    s = Setting()
    s.there_is(s.h, s.w, s.d)
    s.learn("int.le", 0, s.k)
    s.learn("int.lt", s.k, s.d)
    at = s.op("int.add", s.times(s.at(), s.d), s.k)
    assert s.knows("int.lt", at, s.times(s.h, s.w, s.d))
    assert s.knows("int.lt", at, s.times(s.d, s.times(s.w, s.h)))
    assert not s.knows("int.lt", at, s.times(s.h, s.w))


def test_an_index_taken_apart() -> None:
    s = Setting()
    s.learn("int.le", 0, s.k)
    s.learn("int.lt", s.k, s.times(s.h, s.w))
    quotient = s.op("int.div", s.k, s.w)
    assert not s.knows("int.lt", quotient, s.h)
    s.there_is(s.h, s.w)
    assert s.knows("int.lt", quotient, s.h)
    assert s.knows("int.le", 0, quotient)
    assert s.knows("int.lt", s.op("int.mod", s.k, s.w), s.w)


VALUES = [0, 1, 2, 3, 7, 1 << 15, 1 << 16, (1 << 30) + 1, (1 << 31) - 2, 1 << 32, (1 << 47) - 1]


@st.composite
def sums(draw: st.DrawFn, atoms: Sequence[Node], s: Setting) -> Node:
    """x * y + z + c, x * y * z, x / y, ..."""
    x, y, z = draw(st.tuples(*[st.sampled_from(atoms)] * 3))
    shape = draw(
        st.sampled_from(["product", "index", "index", "cube", "quotient", "rest", "twice"])
    )
    made = {
        "product": lambda: s.times(x, y),
        "index": lambda: s.op("int.add", s.times(x, y), z),
        "cube": lambda: s.op("int.add", s.times(s.op("int.add", s.times(x, y), z), s.d), s.k),
        "quotient": lambda: s.op("int.div", x, y),
        "rest": lambda: s.op("int.mod", x, y),
        "twice": lambda: s.times(x, y, z),
    }
    shape = draw(st.sampled_from(["index", *made]))
    return s.op("int.add", made[shape](), draw(st.sampled_from([0, 0, 0, 1, -1])))


@pytest.mark.slow
@given(data=st.data(), arithmetic=st.sampled_from([WIDE, NARROW]), rules=st.booleans())
def test_what_is_proven_holds(data: st.DataObject, arithmetic: Arithmetic, rules: bool) -> None:
    s = Setting(rules, arithmetic)
    areas = data.draw(st.lists(st.sampled_from([(s.h, s.w), (s.h, s.w, s.d), (s.w, s.d)])))
    for sizes in areas:
        s.there_is(*sizes)
    for _ in range(data.draw(st.integers(0, 2))):
        bound = data.draw(st.one_of(st.sampled_from(s.atoms), sums(s.atoms, s)))
        s.learn("int.lt", data.draw(st.sampled_from(s.atoms)), bound)
    if data.draw(st.booleans()):
        s.learn("int.le", 0, s.k)
    goals = [
        s.op(
            data.draw(st.sampled_from(["int.lt", "int.le"])),
            data.draw(st.one_of(st.just(s.graph.integer(0)), sums(s.atoms, s))),
            data.draw(sums(s.atoms, s)),
        )
        for _ in range(4)
    ]
    goals.append(s.op("int.lt", s.at(), s.times(s.h, s.w)))
    proven = [goal for goal in goals if s.scope.holds(goal) is not None]
    for _ in range(12):
        values = [data.draw(st.sampled_from(VALUES)) for _ in s.atoms]
        values[3] = data.draw(st.integers(0, max(0, values[0] - 1)))
        values[4] = data.draw(st.integers(0, max(0, values[1] - 1)))
        if max(values) > arithmetic.greatest or not all(holds(s, known(s), values, False)):
            continue
        assert all(holds(s, proven, values, True))


def known(s: Setting) -> list[Node]:
    return [condition for scope in s.scope.chain() for condition in scope.known]


def holds(
    s: Setting, conditions: Sequence[Node], values: Sequence[int], divided: bool
) -> list[bool]:
    """Conditions on the atoms; `divided` where they divide by 0."""
    token = s.graph.parameter("here", s.scope.token.type)
    body = Block(token, tuple(s.atoms), (), tuple(conditions))  # type: ignore[arg-type]
    span = Span(Source("<test>", ""), 0, 0)
    function = Function("f", body, 0, 0, (), (), (), BOOL, span, False)
    module = Module(function, {})
    evaluator = Evaluator(module, lambda layout, shown: None, Counts(), s.graph.arithmetic)
    frame = EvaluationFrame(body, values, None)
    found = []
    for condition in conditions:
        try:
            found.append(bool(evaluator.value(condition, frame)))
        except Fault:
            found.append(divided)
    return found


CHECK = "is out of bounds"

DROPPED = {
    "a matrix in a vector": """
fun [[int]] main([[int]] m) =
  let h = size(0, m) in let w = size(1, m) in
  let flat = reshape((h * w), m) in
  map(fn [int] (int i) => map(fn int (int j) => flat[i * w + j], iota(w)), iota(h))""",
    "a vector as a matrix": """
fun [[int]] main([[int]] m) =
  let a = reshape((size(0, m) * size(1, m)), m) in
  let h = size(1, m) in let w = size(0, m) in
  let b = reshape((h, w), a) in
  map(fn [int] (int i) => map(fn int (int j) => a[i * w + j] + b[i, j], iota(w)), iota(h))""",
    "loops": """
fun int main([[int]] m) =
  let h = size(0, m) in let w = size(1, m) in
  let flat = reshape((h * w), m) in
  loop (s = 0) = for i < h do
    loop (t = s) = for j < w do t + flat[i * w + j] - flat[h * w - 1 - (i * w + j)] in t
  in s""",
    "an index taken apart": """
fun [int] main([[int]] m) =
  let h = size(0, m) in let w = size(1, m) in
  map(fn int (int k) => m[k / w, k % w], iota(h * w))""",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DROPPED)
def test_no_check_is_left(name: str) -> None:
    program = loads(DROPPED[name])
    assert CHECK not in show(program.graph())
    assert CHECK in show(program.graph(options=Options(off=frozenset(["ranges"]))))
    compiled = program.compile()
    for h, w in product([1, 2, 5], [1, 2, 3]):
        m = np.arange(h * w).reshape(h, w) * 7 % 5
        assert np.array_equal(compiled(m), program.run(m))


def test_a_product_that_may_wrap_around_keeps_its_check() -> None:
    program = loads(
        "fun int main([int] a, int h, int w, int i, int j) =\n"
        "  let c = assert(size(a) = h * w && 0 <= i && i < h && 0 <= j && j < w) in\n"
        "  <c>a[i * w + j]"
    )
    assert CHECK in show(program.graph())

    for target in (program.run, program.compile()):
        assert target(np.arange(6), 2, 3, 1, 2) == 5
        with pytest.raises(CogenError, match=CHECK):  # h * w is 4 modulo 2^64
            target(np.arange(4), 4, (1 << 62) + 1, 1, 0)


def test_sizes_come_in_pairs() -> None:
    """The parameters of a test are told apart."""
    s = Setting()
    assert all(a.number < b.number for a, b in pairwise(s.atoms))
