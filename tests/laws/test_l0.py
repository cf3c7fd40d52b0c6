"""Laws of the forms of L0: the interpreter and NumPy agree on arrays of any shape."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.array import Program, loads

pytestmark = pytest.mark.quick

PROGRAM = """
fun [[[int]]] transposed([[[int]]] a) = transpose(a)
fun [[[int]]] far([[[int]]] a) = transpose(0, 2, a)
fun [[[int]]] back([[[int]]] a) = transpose(2, -2, a)
fun [int] flat([[[int]]] a) = reshape((size(0, a) * size(1, a) * size(2, a)), a)
fun [[[int]]] shaped(int l, int m, int n, [int] a) = reshape((l, m, n), a)
fun [[int]] halves(int n, [[int]] a) = let {x, y} = split(n, a) in concat(x, y)
fun {[int], [real]} apart([int] a, [real] b) = unzip(zip(a, b))
fun [int] sums([int] a) = scan(op +, 0, a)
fun int total([int] a) = reduce(op +, 0, a)
fun int folded([int] a) = redomap(op +, fn int (int x, int y) => x + y, 0, a)
fun {int} totalT([int] a) = reduceT(fn {int} (int x, int y) => {x + y}, {0}, a)
fun [int] squares([int] a) = map(fn int (int x) => x * x, a)
fun [int] doubled([int] a) = map(op *(2), a)
fun [int] both([int] a) = map(fn int (int x) => 2 * (x * x), a)
fun [int] positive([int] a) = filter(op <(0), a)
fun [int] rows([[int]] a) = map(total, a)
fun [int] columns([[int]] a) = map(total, transpose(a))
fun {[int], [int], [int]} update(*[int] a, int i, int v) =
  let c = copy(a) in
  let b = copy(a) in
  let b[i] = v in
  {a, b, c}
"""


@pytest.fixture(scope="module")
def program() -> Program:
    return loads(PROGRAM)


SMALL = st.integers(-1000, 1000)
VECTORS = st.lists(SMALL, max_size=8).map(lambda a: np.array(a, np.int64))


@st.composite
def arrays(draw: st.DrawFn, dimensions: int) -> np.ndarray[Any, Any]:
    shape = draw(st.lists(st.integers(0, 4), min_size=dimensions, max_size=dimensions))
    size = int(np.prod(shape))
    elements = draw(st.lists(SMALL, min_size=size, max_size=size))
    return np.array(elements, np.int64).reshape(shape)


def equal(found: Any, expected: np.ndarray[Any, Any]) -> bool:
    return found.shape == expected.shape and bool(np.array_equal(found, expected))


@given(a=arrays(3))
def test_transpositions(program: Program, a: np.ndarray[Any, Any]) -> None:
    assert equal(program.run(a, entry="transposed"), np.swapaxes(a, 0, 1))
    assert equal(program.run(a, entry="far"), np.moveaxis(a, 0, 2))
    assert equal(program.run(a, entry="back"), np.moveaxis(a, 2, 0))
    assert equal(program.run(program.run(a, entry="far"), entry="back"), a)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_rearrangements(order: tuple[int, ...]) -> None:
    a = np.arange(24).reshape(2, 3, 4)
    text = f"fun [[[int]]] main([[[int]]] a) = rearrange({order}, a)"
    assert equal(loads(text).run(a), a.transpose(order))


@given(a=arrays(3))
def test_reshaping_keeps_the_elements(program: Program, a: np.ndarray[Any, Any]) -> None:
    flat = program.run(a, entry="flat")
    assert equal(flat, a.ravel())
    assert equal(program.run(*a.shape, flat, entry="shaped"), a)


@given(a=arrays(2), data=st.data())
def test_concat_undoes_split(
    program: Program, a: np.ndarray[Any, Any], data: st.DataObject
) -> None:
    n = data.draw(st.integers(0, len(a)))
    assert equal(program.run(n, a, entry="halves"), a)


@given(a=VECTORS)
def test_unzip_undoes_zip(program: Program, a: np.ndarray[Any, Any]) -> None:
    b = a / 4
    x, y = program.run(a, b, entry="apart")
    assert equal(x, a)
    assert equal(y, b)


@given(a=VECTORS)
def test_folds_agree(program: Program, a: np.ndarray[Any, Any]) -> None:
    total = int(a.sum())
    assert program.run(a, entry="total") == program.run(a, entry="folded") == total
    assert program.run(a, entry="totalT") == (total,)
    assert equal(program.run(a, entry="sums"), np.cumsum(a))


@given(a=VECTORS)
def test_map_is_a_functor(program: Program, a: np.ndarray[Any, Any]) -> None:
    in_steps = program.run(program.run(a, entry="squares"), entry="doubled")
    assert equal(in_steps, program.run(a, entry="both"))
    assert equal(in_steps, 2 * a * a)


@given(a=VECTORS)
def test_filter_selects(program: Program, a: np.ndarray[Any, Any]) -> None:
    assert equal(program.run(a, entry="positive"), a[a > 0])


@given(a=arrays(2))
def test_rows_and_columns(program: Program, a: np.ndarray[Any, Any]) -> None:
    assert equal(program.run(a, entry="rows"), a.sum(axis=1))
    assert equal(program.run(a, entry="columns"), a.sum(axis=0))


@given(a=VECTORS.filter(lambda a: len(a) > 0), data=st.data())
def test_updates_are_seen_only_in_their_result(
    program: Program, a: np.ndarray[Any, Any], data: st.DataObject
) -> None:
    i, v = data.draw(st.integers(0, len(a) - 1)), data.draw(SMALL)
    before, after, copied = program.run(a, i, v, entry="update")
    expected = a.copy()
    expected[i] = v
    assert equal(after, expected)
    assert equal(before, a)
    assert equal(copied, a)


@given(x=st.integers(-(1 << 63), (1 << 63) - 1), y=st.integers(-(1 << 63), (1 << 63) - 1))
def test_integers_wrap_as_numpy_does(x: int, y: int) -> None:
    found = ARITHMETIC.run(x, y)
    with np.errstate(over="ignore"):
        a, b = np.int64(x), np.int64(y)
        expected = (a + b, a - b, a * b, -a, a & b, a | b, a ^ b)
    assert found == tuple([int(value) for value in expected])


ARITHMETIC = loads(
    "fun {int, int, int, int, int, int, int} main(int a, int b) = "
    "{a + b, a - b, a * b, -a, a & b, a | b, a ^ b}"
)
