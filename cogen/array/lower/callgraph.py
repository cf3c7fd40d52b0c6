"""Which functions call which: what is recursive, what becomes part of its callers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.facts import CheckedFacts
from cogen.lang.components import components

LIMIT: Final = 20_000
"""How many nodes of the tree a function may have after others were inlined in it."""

GROWTH: Final = 4
"""How many times as large as without inlining a program may become by it."""

SMALL: Final = 2_000
"""How many nodes of the tree a program may have by inlining in any case."""


class CallGraph:
    """The calls of a program. `inline` says whether functions become part of their callers."""

    def __init__(self, facts: CheckedFacts, inline: bool) -> None:
        self.facts = facts
        self.inline = inline
        self.callees: dict[str, list[str]] = {}
        """The functions of the program that each names, once for each time."""
        self.sizes: dict[str, int] = {}
        for name, definition in facts.definitions.items():
            nodes = list(walk(definition.body))
            called = [_callee(node) for node in nodes]
            self.callees[name] = [c for c in called if c is not None and c in facts.definitions]
            self.sizes[name] = len(nodes)
        self._recursive = {name for name in self.callees if name in self.reachable(name)}
        self._full: dict[str, int] = {}
        self._copies = Counter(chain.from_iterable(self.callees.values()))
        """How often the text of the program calls each function."""
        self._room = max(GROWTH * sum(self.sizes.values()), SMALL)
        self._kept: set[str] = set()
        """Functions that are called because their copies would be too many or too large."""
        self._keep_large()

    def reachable(self, name: str) -> set[str]:
        """The functions that a function leads to."""
        found: set[str] = set()
        waiting = [*self.callees[name]]
        while waiting:
            callee = waiting.pop()
            if callee not in found:
                found.add(callee)
                waiting.extend(self.callees[callee])
        return found

    def inlines(self, name: str) -> bool:
        """Whether calls of a function become its body."""
        if not self.inline or name in self._recursive:
            return False
        return name not in self._kept and self._size(name) <= LIMIT

    def _keep_large(self) -> None:
        """Find what is called so that the program stays within its room: callees first, each
        function that several calls name becomes part of them as long as there is room.

        What has one call is moved there, which costs nothing; a function's size has what was
        inlined in it, so functions that call one another in a row do not double at each step.
        """
        for group in components(list(self.callees), self.callees.__getitem__):
            for name in group:
                copies = self._copies[name] - 1
                if name in self._recursive or copies < 1:
                    continue
                added = copies * self._size(name)
                if added <= self._room:
                    self._room -= added
                else:
                    self._kept.add(name)

    def _size(self, name: str) -> int:
        """The size of a function's body with what it inlines; functions too large are calls."""
        waiting = [name]
        while waiting:
            function = waiting[-1]
            missing = [
                c for c in set(self.callees[function]) - self._recursive if c not in self._full
            ]
            if missing:
                waiting.extend(missing)
                continue
            waiting.pop()
            inlined = [self._full.get(c, 0) for c in self.callees[function] if c not in self._kept]
            self._full[function] = self.sizes[function] + sum([n for n in inlined if n <= LIMIT])
        return self._full[name]

    def effectful(self, name: str) -> bool:
        """Whether a call must happen even if its result is unused.

        It must where anything may fail, be traced, or not end; what that is, is not examined.
        """
        return name in self.callees


def walk(e: tree.Expression) -> Iterator[object]:
    """The expressions and function operands in an expression, itself included."""
    waiting: list[object] = [e]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(_children(node))))


def _children(node: object) -> Iterator[object]:
    """The expressions and function operands that a node consists of."""
    for field in getattr(node, "__slots__", ()):
        value = getattr(node, field)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, (tree.Expression, tree.Function)):
                yield part


def _callee(node: object) -> str | None:
    if isinstance(node, tree.CallExpression):
        return node.function.text
    if isinstance(node, tree.Named):
        return node.name.text
    return None
