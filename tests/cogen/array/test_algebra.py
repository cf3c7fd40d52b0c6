"""Laws of single operations: each as a row of a table, and all of them against what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import pytest

from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import BOOL, CERT, CHAR, INT, REAL, ScalarType, array_of
from cogen.array.ir.node import (
    Constant,
    Node,
    Operation,
)
from cogen.array.ir.operations import TABLE, Row, table
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.operators import Fault
from cogen.array.optimise.optimisations import combine
from cogen.array.optimise.steplimit import Steps
from cogen.array.rules import algebra

pytestmark = pytest.mark.quick

NARROW = Arithmetic(32, 32)
LIMIT = WIDE.max_elements

Term = str | int | float | bool | tuple["Term", ...]
"""A variable, a constant, or an operation: its name, and its operands."""

NAMES: Mapping[str, ScalarType] = {
    **dict.fromkeys("abc", INT), **dict.fromkeys("rs", REAL), **dict.fromkeys("pq", BOOL),
    **dict.fromkeys("uv", CHAR),
}  # fmt: skip
"""The variables, in the order in which they are made; `element` is that of an array."""

LESS: Term = ("int.lt", "a", "b")

LAWS: list[tuple[Term, Term]] = [
    # One order of operands: what was made first, constants last.
    (("int.mul", "b", "a"), ("int.mul", "a", "b")),
    (("int.mul", 7, "a"), ("int.mul", "a", 7)),
    (("real.add", 2.0, "r"), ("real.add", "r", 2.0)),
    (("bool.and", ("bool.or", "p", "q"), "p"), ("bool.and", "p", ("bool.or", "p", "q"))),
    # Neutral and absorbing operands.
    (("int.div", "a", 1), "a"),
    (("int.mod", "a", 1), 0),
    (("int.pow", "a", 0), 1),
    (("int.pow", "a", 1), "a"),
    (("int.and", "a", "a"), "a"),
    (("int.and", "a", -1), "a"),
    (("int.and", -1, "a"), "a"),
    (("int.and", "a", 0), 0),
    (("int.or", "a", "a"), "a"),
    (("int.or", "a", 0), "a"),
    (("int.or", "a", -1), -1),
    (("int.xor", "a", "a"), 0),
    (("int.xor", "a", 0), "a"),
    (("int.shl", "a", 0), "a"),
    (("int.shl", 0, "a"), 0),
    (("int.shr", "a", 0), "a"),
    (("int.shr", 0, "a"), 0),
    (("bool.and", "p", "p"), "p"),
    (("bool.and", "p", True), "p"),
    (("bool.and", "p", False), False),
    (("bool.or", "p", "p"), "p"),
    (("bool.or", "p", False), "p"),
    (("bool.or", "p", True), True),
    (("real.add", "r", -0.0), "r"),
    (("real.sub", "r", 0.0), "r"),
    (("real.mul", "r", 1.0), "r"),
    (("real.mul", 1.0, "r"), "r"),
    (("real.div", "r", 1.0), "r"),
    # Comparisons, the less and the greater.
    (("int.eq", "a", "a"), True),
    (("int.lt", "a", "a"), False),
    (("int.le", "a", "a"), True),
    (("int.min", "a", "a"), "a"),
    (("int.max", "a", "a"), "a"),
    # Negations.
    (("bool.not", ("bool.not", "p")), "p"),
    (("int.neg", ("int.neg", "a")), "a"),
    (("real.neg", ("real.neg", "r")), "r"),
    (("bool.not", LESS), ("int.le", "b", "a")),
    (("bool.not", ("int.le", "a", "b")), ("int.lt", "b", "a")),
    # Areas: sizes in one order, the constant last; 0 counts as 1.
    (("int.area", "b", "a"), ("int.area", "a", "b")),
    (("int.area", "c", ("int.area", "b", "a")), ("int.area", ("int.area", "a", "b"), "c")),
    (("int.area", "element", "a"), ("int.area", "a", "element")),
    (("int.area", 0, "a"), ("int.area", "a", 1)),
    (("int.area", -3, 4), 4),
    (("int.area", ("int.area", "a", 1), "b"), ("int.area", "a", "b")),
    (
        ("int.area", ("int.area", 2, "a"), ("int.area", "b", 1)),
        ("int.area", ("int.area", "a", "b"), 2),
    ),
    (("int.area", ("int.area", "a", 3), 4), ("int.area", "a", 12)),
    (("int.area", ("int.area", "a", LIMIT), 2), ("int.area", "a", LIMIT + 1)),
    (("int.area", 3, 4), 12),
    (("int.area", LIMIT, LIMIT), LIMIT + 1),
    (("int.le", ("int.area", "a", 1), LIMIT), ("int.le", "a", LIMIT)),
]
"""What the rules make of a term; of both sides each variable is one node."""

KEPT: list[Term] = [
    ("int.add", 1, "a"),  # the order of sums is that of another module
    ("int.sub", "b", "a"),
    ("int.shl", "b", "a"),
    ("int.area", ("int.area", "a", "b"), "c"),
    ("int.area", "a", "b"),
    ("int.area", "a", 2),
    ("int.div", "a", 2),
    ("int.mod", "a", 2),
    ("int.pow", "a", 2),
    ("int.and", "a", "b"),
    ("int.or", "a", "b"),
    ("int.xor", "a", "b"),
    ("int.shr", "a", "b"),
    ("int.eq", "a", "b"),
    ("int.lt", "a", "b"),
    ("int.le", "a", "b"),
    ("int.le", 3, "a"),
    ("int.le", "a", LIMIT),
    ("int.le", ("int.area", "a", "b"), LIMIT),
    ("int.le", ("int.area", "a", 2), LIMIT),
    ("int.le", ("int.area", "a", 1), LIMIT - 1),
    ("int.le", ("int.max", "a", 1), LIMIT),
    ("int.min", "a", "b"),
    ("int.max", "a", "b"),
    ("bool.and", "p", "q"),
    ("bool.or", "p", "q"),
    ("bool.and", LESS, ("int.lt", "b", "a")),
    ("bool.not", "p"),
    ("bool.not", ("bool.and", "p", "q")),
    ("bool.not", ("real.lt", "r", "s")),  # not (s <= r), where one is nan
    ("int.abs", ("int.abs", "a")),
    ("int.neg", ("int.abs", "a")),
    ("int.abs", ("int.neg", "a")),
    ("real.sqrt", ("real.sqrt", "r")),
    ("real.add", "r", 0.0),  # 0.0, where r is -0.0
    ("real.sub", "r", -0.0),
    ("real.sub", "r", "r"),
    ("real.mul", "r", 0.0),
    ("real.mul", "r", "s"),
    ("real.div", "r", "s"),
    ("real.div", "r", "r"),
    ("real.eq", "r", "r"),
]
"""What stays as it is."""


class Terms:
    """Terms as nodes of a graph, and what the graph's rules make of them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.variables: dict[Term, Node] = {n: graph.parameter(n, t) for n, t in NAMES.items()}
        array = graph.parameter("array", array_of(INT, graph.integer(1)))
        self.variables["element"] = graph.index(array, graph.integer(0))

    def simplified(self, term: Term) -> Term:
        return self._shown(self._node(term))

    def _node(self, term: Term) -> Node:
        if isinstance(term, tuple):
            name, *operands = term
            return self.graph.operation(str(name), *map(self._node, operands))
        if isinstance(term, str):
            return self.variables[term]
        if isinstance(term, float):
            return self.graph.real(term)
        return self.graph.boolean(term) if isinstance(term, bool) else self.graph.integer(term)

    def _shown(self, node: Node) -> Term:
        """The term that a node stands for."""
        if isinstance(node, Constant):
            return node.value
        if isinstance(node, Operation):
            return (node.name, *map(self._shown, node.operands))
        (name,) = [name for name, variable in self.variables.items() if variable is node]
        return name


@pytest.mark.parametrize(("term", "becomes"), LAWS, ids=str)
def test_a_law(term: Term, becomes: Term) -> None:
    assert repr(Terms(Graph(algebra.RULES)).simplified(term)) == repr(becomes)


@pytest.mark.parametrize("term", KEPT, ids=str)
def test_what_no_law_changes(term: Term) -> None:
    assert repr(Terms(Graph(algebra.RULES)).simplified(term)) == repr(term)


def test_the_order_keeps_certificates() -> None:
    graph = Graph(algebra.RULES)
    a, b, cert = graph.parameter("a", INT), graph.parameter("b", INT), graph.parameter("c", CERT)
    made = graph.operation("int.mul", b, a, certs=[cert])
    assert (made.operands, made.certs) == ((a, b), (cert,))


# What the rules make of an operation means the same.


def operands(t: ScalarType, limit: int) -> list[Term]:
    """What an operation may have: variables, constants that have laws, operations that have."""
    if t == INT:
        compound: list[Term] = [("int.neg", "a"), ("int.area", "a", 1), ("int.area", "b", "a")]
        return ["a", "b", 0, 1, -1, 2, limit, *compound]
    if t == REAL:
        return ["r", "s", 0.0, -0.0, 1.0, ("real.neg", "r")]
    if t == CHAR:
        return ["u", "v", ("char.chr", "a")]
    return ["p", "q", True, False, ("bool.not", "p"), LESS, ("int.le", "b", "a")]


def operations(limit: int) -> Iterator[Term]:
    for row in TABLE.values():
        for chosen in product(*[operands(t, limit) for t in row.operands]):
            yield (row.name, *chosen)


def environments(a: Arithmetic) -> Iterator[dict[str, object]]:
    """Values of the variables."""
    nan, inf = float("nan"), float("inf")
    ints = [(0, 1), (-1, 3), (5, 5), (a.least, a.greatest), (a.max_elements, -2), (70, 0)]
    reals = [(0.0, -0.0), (-0.0, 2.5), (nan, 1.0), (inf, -inf), (3.0, 3.0), (-1.5, nan)]
    bools = [(False, False), (True, False), (False, True)] * 2
    for (x, y), (r, s), (p, q) in zip(ints, reals, bools, strict=True):
        yield {"a": x, "b": y, "r": r, "s": s, "p": p, "q": q, "u": "x", "v": chr(max(x, 0) % 200)}


def value(term: Term, environment: Mapping[str, object], meanings: Mapping[str, Row]) -> object:
    if isinstance(term, tuple):
        name, *operands = term
        values = [value(operand, environment, meanings) for operand in operands]
        return meanings[str(name)].meaning(*values)
    return environment.get(term, term) if isinstance(term, str) else term


@pytest.mark.parametrize("off", [(), ("sums", "fold")], ids=["all-rules", "algebra"])
@pytest.mark.parametrize("arithmetic", [WIDE, NARROW], ids=["wide", "narrow"])
def test_an_operation_keeps_its_value(arithmetic: Arithmetic, off: tuple[str, ...]) -> None:
    """Where it has one: what fails has a certificate that it does not."""
    terms = Terms(Graph(combine(frozenset(off), Steps()), arithmetic))
    meanings = table(arithmetic)
    tried = list(environments(arithmetic))
    changed = 0
    for term in operations(arithmetic.max_elements):
        made = terms.simplified(term)
        changed += repr(made) != repr(term)
        for environment in tried:
            try:
                wanted = value(term, environment, meanings)
            except Fault:
                continue
            assert repr(value(made, environment, meanings)) == repr(wanted), (term, environment)
    assert changed > 500
