"""Sizes that the heads of L0's functions name."""

from __future__ import annotations

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import Assert
from cogen.array.optimise.optimise import optimise
from cogen.lang.errors import CogenError

pytestmark = pytest.mark.quick

PREDICT = (
    "fun [n]int main([n][m]int rows, [m]int weights) =\n"
    "  map(fn int ([int] r) => reduce(op +, 0, map(op *, zip(r, weights))) + m, rows)"
)


def test_sizes_are_checked_and_are_ints() -> None:
    program = loads(PREDICT)
    for call in (program.run, program.compile()):
        assert call(np.array([[1, 2], [3, 4]]), np.array([1, 10])).tolist() == [23, 45]
        assert call(np.zeros((0, 5), int), np.array([1, 10])).tolist() == []
        with pytest.raises(CogenError) as caught:
            call(np.ones((2, 3), int), np.array([1, 10]))
        assert caught.value.message == "a size of `rows` is not m: 3 2"
        assert caught.value.span is not None
        assert (caught.value.span.line, caught.value.span.column) == (1, 21)


def test_what_a_head_says_needs_no_check_in_the_body() -> None:
    _, module = optimise(loads(PREDICT).facts, "main")
    checks = [node for node in all_nodes(module.entry.body) if isinstance(node, Assert)]
    assert [check.message for check in checks] == ["a size of `rows` is not m: {} {}"]


@pytest.mark.parametrize(
    ("text", "values", "result"),
    [
        ("fun [n]int main(int n) = iota(n)", "3", "[0, 1, 2]"),
        ("fun int main([3]int a, [k]{int, real} b, int k) = k + size(a)",
         "[1, 2, 3] [{1, 2.0}] 1", "4"),
        ("fun *[n]int main(*[n]int a) = let a[0] = n in a", "[7, 8]", "[2, 8]"),
        ("record point {int x, int y}\n"
         "fun [n]int main([point] ps, [n]int a) = map(fn int (int i) => i + ps[0].x, a)",
         "[{1, 2}] [3, 4]", "[4, 5]"),
        ("fun int size_of([n][n]int a) = n\nfun int main([[int]] a) = size_of(a)",
         "[[1, 2], [3, 4]]", "2"),
    ],
)  # fmt: skip
def test_heads(text: str, values: str, result: str) -> None:
    assert loads(text).run_text(values) == result
    assert loads(loads(text).text).run_text(values) == result


@pytest.mark.parametrize(
    ("text", "values", "message", "column"),
    [
        ("fun [n]int main(int n) = iota(n + 1)", "2", "a size of the result is not n: 3 2", 6),
        ("fun int main([2]int a) = 1", "[1]", "a size of `a` is not 2: 1 2", 15),
        ("fun int main([n][n]int a) = n", "[[1, 2]]", "a size of `a` is not n: 2 1", 18),
        ("fun [n]int main([int] a) = a", "[1]", "no parameter has the size `n`", 6),
        ("fun int main([n]int a, real n) = 1", "[1] 1.0",
         "`n` is a size here, and a parameter that is no int", 15),
        ("fun int main([int] a) = size(map(fn [k]int (int x) => [x], a))", "[1]",
         "sizes are named only in the arrays that a function takes and gives", 38),
        ("fun int main({[k]int, int} a) = 1", "{[1], 1}",
         "sizes are named only in the arrays that a function takes and gives", 16),
    ],
)  # fmt: skip
def test_refusals(text: str, values: str, message: str, column: int) -> None:
    with pytest.raises(CogenError) as caught:
        loads(text).run_text(values)
    assert caught.value.message == message
    assert caught.value.span is not None
    assert caught.value.span.column == column
