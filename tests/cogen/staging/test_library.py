"""Heaps, queues and searches of Python's library, and lists as arguments, in staged functions."""

from __future__ import annotations

import bisect
import heapq
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from tests.cogen.staging.test_programs import same

# What is tested is how people write.
# ruff: noqa: C416


def smallest(xs: Any, k: Any) -> Any:
    heap: Any = []
    for x in xs:
        heapq.heappush(heap, -x)
        if len(heap) > k:
            heapq.heappop(heap)
    return sorted(-x for x in heap), heap


def merged(xs: Any) -> Any:
    """What Huffman's code costs."""
    heap = [x for x in xs]
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        a = heapq.heappop(heap)
        b = heapq.heappop(heap)
        cost += a + b
        heapq.heappush(heap, a + b)
    return cost


def shortest(w: Any, start: Any) -> Any:
    """Dijkstra's algorithm with a heap of pairs."""
    n = len(w)
    dist = [1e9] * n
    dist[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v in range(n):
            if w[u, v] > 0 and d + w[u, v] < dist[v]:
                dist[v] = d + w[u, v]
                heapq.heappush(heap, (dist[v], v))
    return dist


def highest(a: Any, k: Any) -> Any:
    queue: Any = deque()
    out = []
    for i in range(len(a)):
        while queue and a[queue[-1]] <= a[i]:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - k:
            queue.popleft()
        if i >= k - 1:
            out.append(a[queue[0]])
    return out


def reached(adjacent: Any, start: Any) -> Any:
    n = adjacent.shape[0]
    dist = [-1] * n
    dist[start] = 0
    queue = deque([start])
    while queue:
        u = queue.popleft()
        for v in range(n):
            if adjacent[u, v] and dist[v] < 0:
                dist[v] = dist[u] + 1
                queue.append(v)
    return dist


def ends(xs: Any) -> Any:
    queue: Any = deque()
    for x in xs:
        if x % 2 == 0:
            queue.append(x)
        else:
            queue.appendleft(x)
    return queue, len(queue), 3 in queue


def placed(xs: Any, y: Any) -> Any:
    found: Any = []
    for x in xs:
        bisect.insort(found, x)
    return found, bisect.bisect_left(found, y), bisect.bisect_right(found, y)


def stacked(xs: Any) -> Any:
    """The next greater element of each."""
    stack: Any = []
    out = [-1] * len(xs)
    for i, x in enumerate(xs):
        while stack and xs[stack[-1]] < x:
            out[stack.pop()] = x
        stack.append(i)
    return out


I = np.array([5, 2, 9, 1, 7, 2])  # noqa: E741  # ints
W = np.array([[0, 4, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8.0], [0, 5, 8, 0]])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (smallest, [(I, 3), (I[:1], 2), ([3, 1, 2], 1)]),
        (merged, [(I,), (I[:1],), (np.array([1.5, 2.5, 0.5]),)]),
        (shortest, [(W, 0), (W, 3)]),
        (highest, [(I, 3), (I[:2], 3), (np.zeros(0, int), 1)]),
        (reached, [(W, 0), (np.zeros((2, 2)), 1)]),
        (ends, [(I,), (I[:0],)]),
        (placed, [(I, 2), ([3.5, 1.0], 2)]),
        (stacked, [(I,), ([1, 2, 3],), ([3],)]),
    ],
)
def test_the_library_gives_what_it_gives_in_python(function: Any, inputs: Any) -> None:
    staged = cogen.stage(function)
    for args in inputs:
        same(staged(*args), function(*args))


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9), st.integers(1, 4))
def test_heaps_of_any_numbers(xs: Any, k: Any) -> None:
    program = cogen.stage(smallest).program(np.array([1, 2]), 1)
    same(program.run(np.array(xs), k), smallest(xs, k))


@dataclass
class Person:
    age: int
    income: float


def older(people: Any, age: Any) -> Any:
    return sum(p.income for p in people if p.age >= age), len(people), people[len(people) // 2].age


def rows(table: Any) -> Any:
    best: Any = None
    for row in table:
        if best is None or row["b"] > best["b"]:
            best = row
    return best["a"], [row["a"] * 2 for row in table]


def nested(grid: Any) -> Any:
    total = 0
    for y in range(len(grid)):
        for x in range(len(grid[y])):
            total += grid[y][x] * (x + 1)
    return total, grid[-1][0], grid


def test_lists_are_arguments() -> None:
    people = [Person(30, 2.5), Person(50, 3), Person(70, 1.5)]
    staged = cogen.stage(older)
    for n in (1, 2, 3):
        assert staged(people[:n], 40) == older(people[:n], 40)
    assert len(staged._variants) == 2  # of one, which NumPy would stretch, and of several
    table = [{"a": 1, "b": 2.0}, {"a": 2, "b": 5.0}, {"a": 3, "b": 1.0}]
    same(cogen.stage(rows)(table), rows(table))
    same(cogen.stage(nested)([[1, 2], [3, 4], [5, 6]]), nested([[1, 2], [3, 4], [5, 6]]))


def test_lists_of_what_is_not_alike_are_known_in_length() -> None:
    staged = cogen.stage(lambda xs: [x * 2 for x in xs])
    assert staged([1, True]) == [2, 2]
    assert cogen.stage(lambda xs: len(xs[1]))([[1], [2, 3]]) == 2


@pytest.mark.parametrize("whole", [b" \t\n", "abc", range(10), range(9, -1, -3), bytes(range(100))])
def test_what_is_known_has_what_a_run_knows(whole: Any) -> None:
    def has(x: Any) -> Any:
        return x in whole, x not in whole

    staged = cogen.stage(has)
    for x in (0, 3, 9, 10, 32, 97, 99, -3):
        inside = chr(x) in whole if isinstance(whole, str) and x > 0 else x in list(whole)
        assert staged(x) == (inside, not inside)
