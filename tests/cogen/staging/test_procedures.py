"""Functions that call themselves and do something after it are called in the program."""

# They are what is tested, not examples of style.
# ruff: noqa: SIM110, RUF005

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import cogen
from tests.cogen.staging.test_programs import same

RNG = np.random.default_rng(3)
ADJ = np.array([[1, 2, -1], [3, -1, -1], [3, 4, -1], [5, -1, -1], [-1, -1, -1], [-1, -1, -1]])


def ri(n: int) -> Any:
    return RNG.integers(-50, 50, n)


def rf(n: int) -> Any:
    return RNG.normal(size=n)


class Walker:
    def __init__(self) -> None:
        self.calls = 0
        self.deepest = 0

    def walk(self, n: Any, depth: Any) -> Any:
        self.calls += 1
        if depth > self.deepest:
            self.deepest = depth
        if n <= 1:
            return 1
        return self.walk(n // 2, depth + 1) + self.walk(n - n // 2, depth + 1)


def ackermann(m: Any, n: Any) -> Any:
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def quicksort_lists(xs: Any) -> Any:
    if len(xs) <= 1:
        return xs
    p = xs[0]
    less = [x for x in xs[1:] if x < p]
    more = [x for x in xs[1:] if x >= p]
    return quicksort_lists(less) + [p] + quicksort_lists(more)


def merge_sort(a: Any) -> Any:
    if len(a) <= 1:
        return a
    m = len(a) // 2
    left, right = merge_sort(a[:m]), merge_sort(a[m:])
    out = np.zeros(len(a), a.dtype)
    i = j = 0
    for k in range(len(a)):
        if j >= len(right) or (i < len(left) and left[i] <= right[j]):
            out[k] = left[i]
            i += 1
        else:
            out[k] = right[j]
            j += 1
    return out


def queens(n: Any) -> Any:
    cols = [0] * n

    def ok(r: Any, c: Any) -> Any:
        for i in range(r):
            if cols[i] == c or abs(cols[i] - c) == r - i:
                return False
        return True

    def place(r: Any) -> Any:
        if r == n:
            return 1
        count = 0
        for c in range(n):
            if ok(r, c):
                cols[r] = c
                count += place(r + 1)
        return count

    return place(0)


def calc(text: Any) -> Any:
    pos = 0

    def peek() -> Any:
        return text[pos] if pos < len(text) else 0

    def factor() -> Any:
        nonlocal pos
        if peek() == ord("("):
            pos += 1
            v = expr()
            pos += 1
            return v
        v = 0
        while 48 <= peek() <= 57:
            v = v * 10 + peek() - 48
            pos += 1
        return v

    def term() -> Any:
        nonlocal pos
        v = factor()
        while peek() == ord("*"):
            pos += 1
            v *= factor()
        return v

    def expr() -> Any:
        nonlocal pos
        v = term()
        while peek() == ord("+") or peek() == ord("-"):
            op = peek()
            pos += 1
            w = term()
            v = v + w if op == ord("+") else v - w
        return v

    return expr()


def owner_changes(n: Any) -> Any:
    k = 1

    def go(i: Any) -> Any:
        if i == 0:
            return k
        return k * go(i - 1) + i

    a = go(n)
    k = 2
    b = go(n)
    for j in range(3):
        k = k + j
        b = b + go(j)
    return a, b, k


def subsets(n: Any) -> Any:
    out = []

    def go(i: Any, mask: Any) -> Any:
        if i == n:
            out.append(mask)
            return
        go(i + 1, mask)
        go(i + 1, mask | (1 << i))

    go(0, 0)
    return out


def fib_kept(n: Any) -> Any:
    """A dictionary that is empty at first."""
    memo = {}

    def go(k: Any) -> Any:
        if k < 2:
            return k
        if k in memo:
            return memo[k]
        memo[k] = go(k - 1) + go(k - 2)
        return memo[k]

    return go(n), len(memo)


def fib_cached(n: Any) -> Any:
    @functools.lru_cache(None)
    def go(k: Any) -> Any:
        return k if k < 2 else go(k - 1) + go(k - 2)

    return go(n), go(n // 2)


@functools.cache
def ways(i: int, j: int) -> int:
    return 1 if i == 0 or j == 0 else ways(i - 1, j) + ways(i, j - 1)


def cached_outside(n: Any) -> Any:
    return [ways(k, n) for k in range(3)]


def fib_memo(n: Any) -> Any:
    memo = {0: 0, 1: 1}

    def go(k: Any) -> Any:
        if k in memo:
            return memo[k]
        r = go(k - 1) + go(k - 2)
        memo[k] = r
        return r

    return go(n), len(memo)


def find_none(a: Any, x: Any) -> Any:
    def go(lo: Any, hi: Any) -> Any:
        if lo >= hi:
            return None
        m = (lo + hi) // 2
        if a[m] == x:
            return m
        left = go(lo, m)
        if left is not None:
            return left
        return go(m + 1, hi)

    return go(0, len(a))


def minmax(a: Any) -> Any:
    def go(lo: Any, hi: Any) -> Any:
        if hi - lo == 0:
            return 10**9, -(10**9)
        if hi - lo == 1:
            return a[lo], a[lo]
        m = (lo + hi) // 2
        l1, h1 = go(lo, m)
        l2, h2 = go(m, hi)
        return min(l1, l2), max(h1, h2)

    return go(0, len(a))


def sort_views(a: Any) -> Any:
    if len(a) < 2:
        return
    p, k = a[len(a) - 1], 0
    for i in range(len(a) - 1):
        if a[i] < p:
            t = a[i]
            a[i] = a[k]
            a[k] = t
            k += 1
    t = a[len(a) - 1]
    a[len(a) - 1] = a[k]
    a[k] = t
    sort_views(a[:k])
    sort_views(a[k + 1 :])


def sorting_views(a: Any) -> Any:
    a = a.copy()
    sort_views(a)
    return a


def methods(n: Any) -> Any:
    c = Walker()
    r = c.walk(n, 0)
    return r, c.calls, c.deepest


def in_map(xs: Any) -> Any:
    def f(n: Any) -> Any:
        return 1 if n < 2 else f(n - 1) + f(n - 2)

    out = np.zeros(len(xs))
    for i in range(len(xs)):
        out[i] = f(xs[i]) * 2
    return [f(x) for x in xs], out, sum(f(x) for x in xs)


def hanoi_moves(n: Any) -> Any:
    moves = []

    def go(k: Any, a: Any, b: Any, c: Any) -> Any:
        if k > 0:
            go(k - 1, a, c, b)
            moves.append((a, c))
            go(k - 1, b, a, c)

    go(n, 0, 1, 2)
    return moves


def msort_buffer(a: Any) -> Any:
    a = a.copy()
    tmp = np.zeros_like(a)

    def sort(lo: Any, hi: Any) -> Any:
        if hi - lo < 2:
            return
        m = (lo + hi) // 2
        sort(lo, m)
        sort(m, hi)
        i, j = lo, m
        for k in range(lo, hi):
            if j >= hi or (i < m and a[i] <= a[j]):
                tmp[k] = a[i]
                i += 1
            else:
                tmp[k] = a[j]
                j += 1
        for k in range(lo, hi):
            a[k] = tmp[k]

    sort(0, len(a))
    return a


def islands(grid: Any) -> Any:
    g = grid.copy()
    h, w = g.shape

    def sink(y: Any, x: Any) -> Any:
        if y < 0 or y >= h or x < 0 or x >= w or g[y, x] == 0:
            return 0
        g[y, x] = 0
        return 1 + sink(y + 1, x) + sink(y - 1, x) + sink(y, x + 1) + sink(y, x - 1)

    sizes = []
    for y in range(h):
        for x in range(w):
            if g[y, x]:
                sizes.append(sink(y, x))
    return sizes


def topo(adj: Any) -> Any:
    n = len(adj)
    seen = np.zeros(n, dtype=bool)
    order = []

    def visit(u: Any) -> Any:
        if seen[u]:
            return
        seen[u] = True
        for k in range(adj.shape[1]):
            if adj[u, k] >= 0:
                visit(adj[u, k])
        order.append(u)

    for u in range(n):
        visit(u)
    return order[::-1]


def counting(a: Any, b: Any) -> Any:
    n = [0]
    d = {"calls": 0}

    def go(i: Any) -> Any:
        n[0] += i
        d["calls"] += 1
        if i > 0:
            go(i - 1)
            go(i - 2)

    go(a)
    x = n[0]
    go(b)
    return x, n, d


def array_result(n: Any) -> Any:
    def go(k: Any) -> Any:
        if k == 0:
            return np.zeros(n)
        r = go(k - 1)
        r[k - 1] = k * 2
        return r + 1

    return go(n)


def reads_after_write(n: Any) -> Any:
    a = np.zeros(n)

    def go(i: Any) -> Any:
        if i == 0:
            return a[0]
        return go(i - 1) + a[i - 1]

    x = go(n)
    a[0] = 7
    y = go(n)
    b = a
    for i in range(n):
        b[i] += i
    return x, y, go(n), a


def two_results(n: Any, m: Any) -> Any:
    def go(i: Any) -> Any:
        if i == 0:
            return m, [m, m + 1]
        a, b = go(i - 1)
        return a + 1, [b[1], b[0] + i]

    return go(n)


def raising(n: Any) -> Any:
    def go(k: Any) -> Any:
        if k < 0:
            raise ValueError("negative")
        return 0 if k == 0 else k + go(k - 1)

    return go(n)


def bell(n: Any) -> Any:
    def go(k: Any) -> Any:
        total = 0
        if k == 0:
            return 1
        for i in range(k):
            total += go(i) * (i + 1)
        return total

    return go(n)


PROGRAMS: list[tuple[Any, list[tuple[Any, ...]]]] = [
    (ackermann, [(2, 3), (1, 1), (0, 5), (2, 0)]),
    (quicksort_lists, [([3, 1, 2, 5, 4],), ([],), ([1],), (list(map(int, ri(30))),)]),
    (merge_sort, [(ri(20),), (np.array([1]),), (rf(9),)]),
    (queens, [(6,), (1,), (4,)]),
    (calc, [(b"2*(3+4)-5",), (b"1",), (b"((7))*2",)]),
    (owner_changes, [(3,), (0,), (5,)]),
    (subsets, [(3,), (0,), (4,)]),
    (fib_kept, [(20,), (0,), (50,)]),
    (fib_cached, [(20,), (1,), (60,)]),
    (cached_outside, [(9,), (0,)]),
    (fib_memo, [(20,), (0,), (50,)]),
    (find_none, [(np.array([5, 2, 8, 1]), 3), (np.zeros(0, int), 1)]),
    (minmax, [(ri(20),), (np.zeros(0, int),), (np.array([1]),), (rf(30),)]),
    (sorting_views, [(ri(20),), (np.zeros(0, int),), (np.array([1]),), (rf(30),)]),
    (methods, [(13,), (1,), (100,)]),
    (in_map, [(np.array([3, 1, 2]),), (np.arange(6),)]),
    (hanoi_moves, [(4,), (1,), (0,)]),
    (msort_buffer, [(ri(17),), (np.zeros(0, int),), (rf(8),)]),
    (islands, [(np.array([[1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1]]),), (np.zeros((2, 2), int),)]),
    (topo, [(ADJ,), (np.full((1, 1), -1),)]),
    (counting, [(3, 4), (0, 0)]),
    (array_result, [(5,), (0,)]),
    (reads_after_write, [(5,), (1,)]),
    (two_results, [(3, 2), (0, 0)]),
    (raising, [(4,), (0,)]),
    (bell, [(4,), (0,)]),
]


def alike(a: Any, b: Any) -> None:
    """See that values are the same; None is."""
    if a is None or b is None:
        assert a is b
    else:
        same(a, b)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("function", "inputs"), PROGRAMS)
def test_a_recursion_gives_what_it_gives_in_python(function: Any, inputs: Any) -> None:
    staged = cogen.stage(function)
    for args in inputs:
        alike(staged(*args), function(*args))


def test_the_interpreter_gives_the_same() -> None:
    for function, inputs in PROGRAMS[::4]:
        program = cogen.stage(function).program(*inputs[0])
        alike(program.run(*inputs[0]), function(*inputs[0]))


def test_one_procedure_is_left_of_a_recursion() -> None:
    text = cogen.stage(queens).program(4).text
    assert text.count("fun ") == 2
    assert "place(r_" in text


def test_arrays_are_changed_where_they_lie() -> None:
    source = cogen.stage(msort_buffer).program(np.zeros(4)).compile().source
    body = source[source.index("/* sort") : source.index("/* msort_buffer")]
    assert "memcpy" not in body


def test_a_recursion_that_is_too_deep_is_told() -> None:
    @cogen.stage
    def count(n: Any) -> Any:
        def go(k: Any) -> Any:
            return 0 if k == 0 else 1 + go(k - 1)

        return go(n)

    assert count(20_000) == 20_000
    with pytest.raises(cogen.CogenError, match="nested too deeply"):
        count(10**9)


def test_without_an_end_it_is_told() -> None:
    @cogen.stage
    def forever(n: Any) -> Any:
        return 1 + forever(n + 1) if n > 0 else forever(n) + 1

    with pytest.raises(cogen.CogenError, match="without end"):
        forever(1)
