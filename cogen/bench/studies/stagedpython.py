"""Functions as people write them in Python, with lists, dictionaries and strings, staged, against
Python itself."""

from __future__ import annotations

import functools
import heapq
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

import cogen
from cogen.bench.studies.study import OURS, Study, Way
from cogen.staging.convertfunctions import convert


def _ways(function: Callable[..., Any], *arguments: Any) -> Mapping[str, Way]:
    """A function staged, on one thread, and as it is."""
    rewritten = convert(function)  # type: ignore[arg-type]  # the package's own are not otherwise
    staged = cogen.stage(rewritten).program(*arguments).compile(threads=1)
    return {OURS: lambda: staged(*arguments), "Python": lambda: function(*arguments)}


def _graph(nodes: int, edges: int) -> tuple[Any, ...]:
    random = np.random.default_rng(1)
    return nodes, *random.integers(0, nodes, (2, edges)), random.random(edges)


def neighbours_ways(nodes: int = 1000, edges: int = 20_000) -> Mapping[str, Way]:
    """The neighbours of each node in a list of its own, gone through."""

    def gone_through(nodes: Any, starts: Any, ends: Any, lengths: Any) -> Any:
        near: list[Any] = [[] for _ in range(nodes)]
        for k in range(len(starts)):
            near[starts[k]].append((ends[k], lengths[k]))
        found = 0.0
        for u in range(nodes):
            for v, length in near[u]:
                found += length * v
        return found

    return _ways(gone_through, *_graph(nodes, edges))


def distances_ways(nodes: int = 1000, edges: int = 10_000) -> Mapping[str, Way]:
    """The shortest ways from a node to all others, with a heap."""

    def distances(nodes: Any, starts: Any, ends: Any, lengths: Any) -> Any:
        near: list[Any] = [[] for _ in range(nodes)]
        for k in range(len(starts)):
            near[starts[k]].append((ends[k], lengths[k]))
        far, heap = [1e9] * nodes, [(0.0, 0)]
        far[0] = 0.0
        while heap:
            d, u = heapq.heappop(heap)
            if d > far[u]:
                continue
            for v, length in near[u]:
                if d + length < far[v]:
                    far[v] = d + length
                    heapq.heappush(heap, (far[v], v))
        return sum(far)

    return _ways(distances, *_graph(nodes, edges))


def text_ways(size: int = 100_000) -> Mapping[str, Way]:
    """A text with its letters moved by three places, character by character."""

    def moved(text: Any) -> Any:
        out = ""
        for c in text:
            if c.islower():
                out += chr((ord(c) - ord("a") + 3) % 26 + ord("a"))
            elif c.isupper():
                out += chr((ord(c) - ord("A") + 3) % 26 + ord("A"))
            else:
                out += c
        return out

    random = np.random.default_rng(1)
    return _ways(moved, "".join(random.choice(list("abc XYZ,."), size).tolist()))


def cached_ways(size: int = 60) -> Mapping[str, Way]:
    """How many ways there are through a grid, by a function that keeps its results."""

    def ways_through(size: Any) -> Any:
        @functools.cache
        def ways(i: Any, j: Any) -> Any:
            if i == 0 or j == 0:
                return 1
            return (ways(i - 1, j) + ways(i, j - 1)) % 1_000_003

        return ways(size, size)

    return _ways(ways_through, size)


CASES: Final = (
    Study("neighbours in lists", neighbours_ways, {"Python": 5.0}),
    Study("shortest ways by a heap", distances_ways, {"Python": 5.0}),
    Study("text, letter by letter", text_ways, {"Python": 5.0}),
    Study("results that are kept", cached_ways, {"Python": 1.0}),
)
