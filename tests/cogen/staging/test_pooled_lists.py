"""Lists of any lengths as elements of others, in staged functions."""

from __future__ import annotations

import copy
import heapq
import random
from collections import defaultdict, deque
from typing import Any

import numpy as np
import pytest

import cogen


def neighbours(n: int, edges: Any) -> Any:
    near = [[] for _ in range(n)]
    for u, v, w in edges:
        near[u].append((v, w))
        near[v].append((u, w))
    return near, [len(x) for x in near], [sum(w for _, w in x) for x in near]


def shortest(n: int, edges: Any) -> Any:
    near = [[] for _ in range(n)]
    for u, v, w in edges:
        near[u].append((v, w))
    far = [1000] * n
    far[0] = 0
    heap = [(0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > far[u]:
            continue
        for v, w in near[u]:
            if d + w < far[v]:
                far[v] = d + w
                heapq.heappush(heap, (far[v], v))
    return far


def in_order(n: int, edges: Any) -> Any:
    before, after = [0] * n, defaultdict(list)
    for u, v, _ in edges:
        after[min(u, v)].append(max(u, v))
        before[max(u, v)] += 1
    queue, out = deque(i for i in range(n) if before[i] == 0), []
    while queue:
        u = queue.popleft()
        out.append(u)
        for v in after[u]:
            before[v] -= 1
            if before[v] == 0:
                queue.append(v)
    return out


def depth(n: int, edges: Any) -> int:
    below = [[] for _ in range(n)]
    for u, v, _ in edges:
        if u < v:
            below[u].append(v)

    def deepest(u: int) -> int:
        best = 0
        for v in below[u]:
            best = max(best, deepest(v))
        return best + 1

    return deepest(0)


def groups(n: int, edges: Any) -> Any:
    of = {}
    for u, v, w in edges:
        if w % 3 not in of:
            of[w % 3] = []
        of[w % 3].append(u * n + v)
    return of, {k: max(x) for k, x in of.items()}, [sorted(of[k]) == of[k] for k in of]


def runs(n: int, edges: Any) -> Any:
    out, run = [], []
    for _, _, w in edges:
        if run and run[-1] > w:
            out.append(run)
            run = []
        run.append(w)
    if run:
        out.append(run)
    return out, max(len(x) for x in out) if out else 0


def operations(n: int, edges: Any) -> Any:
    """One list under several names, and all that lists do."""
    a = [[] for _ in range(n)]
    own = a[1]
    own.append(5)
    a[1].append(6)
    a[0] = own
    own.append(7)
    x = a[0].pop()
    a[2].append(x)
    a[2].insert(0, 9)
    a[2].insert(-1, 8)
    a[2] += [1, 2]
    y = a[2].pop(1)
    a[2].extend(own)
    own[0] = 100
    own[-1] += 1
    a[2].remove(6)
    a[2].sort()
    b = a[2].copy()
    b.append(3)
    a[2].reverse()
    same = a[0] is a[1], a[0] is a[2], a[0] == [100, 7], a[2] != b
    return (
        a, own, x, y, b, same, bool(a[2]), not a[2], 9 in a[2], a[2][1:], a[2] + a[0], len(a[0]),
        a[2].index(9), a[2].count(9), list(reversed(a[2])), list(enumerate(a[2])), min(a[2]),
    )  # fmt: skip


def changed_between(n: int, edges: Any) -> Any:
    """What a function that calls itself sees is what was last put into the lists."""
    below = [[] for _ in range(n)]
    for u, v, _ in edges:
        if u < v:
            below[u].append(v)

    notes = [[] for _ in range(2)]

    def reached(u: int) -> int:
        found = 1
        for v in below[u]:
            found += reached(v)
        notes[u % 2].append(found)
        return found

    first = reached(0)
    below[0].clear()
    return first, reached(0), reached(1), below, notes


PROGRAMS = [neighbours, shortest, in_order, depth, groups, runs, operations, changed_between]


def edges_of(seed: int, n: int, count: int) -> list[tuple[int, int, int]]:
    choose = random.Random(seed)
    return [(choose.randrange(n), choose.randrange(n), choose.randrange(9)) for _ in range(count)]


@pytest.mark.parametrize("function", PROGRAMS)
def test_programs(function: Any) -> None:
    made = cogen.stage(function)
    for seed, n, count in [(1, 6, 12), (2, 4, 3), (3, 9, 30)]:
        given = n, edges_of(seed, n, count)
        if function is depth:
            given = n, [edge for edge in given[1] if edge[0] < edge[1]] or [(0, 1, 1)]
        assert made.program(*given).run(*copy.deepcopy(given)) == function(*copy.deepcopy(given))


def test_compiled() -> None:
    given = 50, edges_of(5, 50, 400)
    made = cogen.stage(lambda n, edges: (neighbours(n, edges), groups(n, edges)))
    assert made(*given) == (neighbours(*given), groups(*given))


def test_one_list_is_one_in_results() -> None:
    def f(n: int) -> Any:
        a = [[]] * n
        a[0].append(n)
        return a

    found = cogen.stage(f).program(3).run(3)
    assert found == [[3], [3], [3]]
    assert found[0] is found[2]


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (lambda a: a[1][0], "list index out of range"),
        (lambda a: a[1].pop(), "pop from empty list"),
        (lambda a: a[0].index(7), "what is not in the list"),
        (lambda a: [a[0].append(x) for x in a[0]], "grows or shrinks in a loop that goes through"),
        (lambda a: np.array(a), "lists of any lengths make no array"),
        (lambda a: sorted(a), "the keys of a sorted list"),
        (lambda a: copy.deepcopy(a[0]), "not copied with their elements"),
        (lambda a: {a[0][0]: 1}[a[0]], "cannot be a key"),
    ],
)
def test_what_they_refuse(after: Any, why: str) -> None:
    def f(n: int) -> Any:
        a = [[] for _ in range(n)]
        a[0].append(n)
        return after(a)

    with pytest.raises((cogen.CogenError, IndexError), match=why):
        cogen.stage(f).program(3).run(3)
