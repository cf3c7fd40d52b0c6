"""Strongly connected components of a directed graph (Tarjan 1972), without recursion; and what is
reached in one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


def components(nodes: Iterable[T], successors: Callable[[T], Iterable[T]]) -> list[list[T]]:
    """The components in an order in which a component stands after all that it reaches.

    Inside a component, and between components that do not reach each other, the order is
    that of `nodes` as far as the search goes: it depends on nothing else.
    """
    found: list[list[T]] = []
    number: dict[T, int] = {}
    low: dict[T, int] = {}
    stack: list[T] = []
    on_stack: set[T] = set()
    position: dict[T, int] = {}
    for root in (ordered := list(nodes)):
        position[root] = len(position)
    for root in ordered:
        if root in number:
            continue
        work: list[tuple[T, Iterator[T]]] = []
        _enter(root, number, low, stack, on_stack, work, successors)
        while work:
            node, rest = work[-1]
            advanced = False
            for target in rest:
                if target not in number:
                    _enter(target, number, low, stack, on_stack, work, successors)
                    advanced = True
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            if advanced:
                continue
            work.pop()
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
            if low[node] == number[node]:
                component: list[T] = []
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    component.append(member)
                    if member == node:
                        break
                component.sort(key=lambda member: position.get(member, len(position)))
                found.append(component)
    return found


def _enter(
    node: T,
    number: dict[T, int],
    low: dict[T, int],
    stack: list[T],
    on_stack: set[T],
    work: list[tuple[T, Iterator[T]]],
    successors: Callable[[T], Iterable[T]],
) -> None:
    number[node] = low[node] = len(number)
    stack.append(node)
    on_stack.add(node)
    work.append((node, iter(successors(node))))


def reached(nodes: Iterable[T], *links: Mapping[T, Iterable[T]]) -> set[T]:
    """Some nodes, and all that links lead to from them."""
    work = list(nodes)
    found = set(work)
    for node in work:
        fresh = {other for one in links for other in one.get(node, ())} - found
        found |= fresh
        work += fresh
    return found
