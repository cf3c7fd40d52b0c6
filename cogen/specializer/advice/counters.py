"""Advice: what counts while only a run decides how often, and which structures hold it.

    (define (loop state variables events)       events: only a run knows them
      ... (loop next (cons (cons x (+ n 1)) (cdr variables)) (cdr events)))

A number that is computed from itself, however it gets back (through calls, and in and out of
structures), is a *counter*.  Where it goes round and nothing that is static gets smaller, there is
a version of the program for each of its values; and if a list holds several, for each of their
combinations, those with the constants that the program starts with included.  The structure is
what is known of such a list, not the numbers: where it goes round, these are made dynamic
(integers to dynamic ones, lists to their shape).

What indexes something that is known is no counter, though it counts: a program counter.  Numbers
that meet data of the run are values like these, of which `advice.advise` knows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from cogen.lang.components import components
from cogen.specializer.advice.bounds import Bounds, Variable
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.values import DATA, DATA_KINDS, GROUND, Made, Slot

DEPTH: Final = 6
"""So many structures within each other are looked into for counters."""


class Counters:
    """The variables of a program that hold structures with counters in them, where they go round:
    `variables`.  Those that are counters themselves are `numbers`; if nothing asks for them,
    `versions.demand` knows of them."""

    def __init__(self, flow: Flow, bounds: Bounds) -> None:
        self._flow = flow
        self._counting = self._found()
        self.variables: list[Variable] = []
        self.numbers: list[Variable] = []
        if self._counting:
            self.variables = list(self._going_round(bounds, self._holds))
            self.numbers = list(self._going_round(bounds, self._counting.__contains__))

    def _found(self) -> set[Slot]:
        """The nodes of counters."""
        flow = self._flow
        links: dict[Slot, list[Slot]] = defaultdict(list)
        for node in flow.solution.all_nodes():
            links[node] += node.next
        for source, target in flow.scopes.refined:
            links[source].append(target)
        computed = dict.fromkeys(
            (one, result) for several, result in flow.computed for one in several
        )
        for operand, result in computed:
            links[operand].append(result)
        found: set[Slot] = set()
        for group in components(list(links), links.__getitem__):
            members = set(group)
            counts = any((a, b) in computed for a in group for b in links[a] if b in members)
            met = any(DATA in node.tokens for node in members)
            if counts and not met and not self._steers(members, links):
                found |= members
        return found

    def _steers(self, members: set[Slot], links: dict[Slot, list[Slot]]) -> bool:
        """Whether counters get to where something known is indexed."""
        indexing = {index for held, index in self._flow.indexed if _is_known(held)}
        seen, work = set(members), list(members)
        while work:
            node = work.pop()
            if node in indexing:
                return True
            fresh = [target for target in links[node] if target not in seen]
            seen.update(fresh)
            work += fresh
        return False

    def _going_round(self, bounds: Bounds, is_meant: Callable[[Slot], bool]) -> Iterator[Variable]:
        """Parameters of procedures that call each other in turn without an end that is known."""
        for function in bounds.unbounded():
            contexts = self._flow.contexts(function)
            rest = () if function.rest is None else (function.rest,)
            for name in (*function.parameters, *rest):
                if any(is_meant(self._flow.variable(c, name)) for c in contexts):
                    yield function, name

    def _holds(self, node: Slot) -> bool:
        """Whether a variable holds a structure with a counter in it."""
        seen: set[Slot] = set()
        level = [node]
        for _ in range(DEPTH):
            level = [
                part
                for one in level
                for token in one.tokens
                if type(token) is Made and token.kind in DATA_KINDS
                for part in token.parts.values()
                if part not in seen
            ]
            if not self._counting.isdisjoint(level):
                return True
            seen.update(level)
        return False


def _is_known(node: Slot) -> bool:
    """Whether a node holds structures that are static, or that the program makes."""
    return any(
        token == GROUND or (type(token) is Made and token.kind in DATA_KINDS)
        for token in node.tokens
    )
