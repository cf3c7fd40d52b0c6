"""Trees of regular expressions -> nondeterministic automata whose ways have an order.

    node ::= Step(set, next)         a byte of the set, then on
           | Fork((next ...))        any of the ways, the first preferred
           | Gate(kind, next)        on at places of a kind only
           | Enter(loop, next)       a round of a loop begins
           | Round(loop, again, out) it has ended: `again`, but `out` if it has read nothing
           | Match()

What a round that reads nothing does is what Python's `re` does: it ends the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cogen.lang.eachonce import each_once
from cogen.lang.errors import InternalError, LimitationError
from cogen.lang.node import leaf
from cogen.regex.tree import ALL, Bytes, Choice, Look, LookKind, Regex, Repeat, Sequence, nullable

MOST_NODES = 20_000
"""How many nodes an automaton has at most; repetitions by numbers are copies."""


@leaf
class Transition:
    """A byte of the set, then on."""

    set: int
    next: int


@leaf
class Fork:
    """Any of the ways, the first preferred."""

    ways: tuple[int, ...]


@leaf
class Gate:
    """On at places of a kind only."""

    kind: LookKind
    next: int


@leaf
class Enter:
    """A round of a loop begins."""

    loop: int
    next: int


@leaf
class Round:
    """A round has ended: `again`, but `out` if it has read nothing."""

    loop: int
    again: int
    out: int


@leaf
class Match:
    """The text matches."""


Node = Transition | Fork | Gate | Enter | Round | Match
Admits = Callable[[LookKind], bool]
"""Whether a place is of a kind."""


@dataclass(slots=True)
class Nfa:
    """The nodes by number, and the first; `anywhere` is the first of what starts at any later place
    too, with less preference."""

    nodes: list[Node] = field(default_factory=list)
    start: int = 0
    anywhere: int = 0

    def closure(
        self, starts: Iterable[int], admits: Admits, without_match: bool = False
    ) -> tuple[tuple[int, ...], bool]:
        """The steps that can be done next, in their order, and whether `Match` can be reached.

        Those after the match are left out, as they are worse; all are there if it is to be ignored.
        """
        steps: dict[int, None] = {}
        nothing: frozenset[int] = frozenset()
        work = [(start, nothing) for start in starts][::-1]
        for item in each_once(work):
            number, entered = item
            match self.nodes[number]:
                case Transition():
                    steps[number] = None
                case Fork(ways):
                    work.extend((way, entered) for way in reversed(ways))
                case Gate(kind, following):
                    if admits(kind):
                        work.append((following, entered))
                case Enter(loop, following):
                    work.append((following, entered | {loop}))
                case Round(loop, again, out):
                    work.append((out if loop in entered else again, entered - {loop}))
                case Match():
                    if not without_match:
                        return tuple(steps), True
        return tuple(steps), False

    def all_steps(self, starts: Iterable[int], admits: Admits) -> tuple[tuple[int, ...], bool]:
        """The same without an order: also what is worse than the match."""
        work = list(starts)
        _, matches = self.closure(work, admits)
        steps, _ = self.closure(work, admits, without_match=True)
        return tuple(sorted(steps)), matches


def build(regex: Regex) -> Nfa:
    """The automaton of an expression; LimitationError if it is too large."""
    nfa = Nfa()
    builder = _AutomatonBuilder(nfa)
    nfa.start = builder.regex(regex, builder.add(Match()))
    again = builder.reserve()
    skip = builder.add(Transition(ALL, again))
    nfa.nodes[again] = Fork((nfa.start, skip))
    nfa.anywhere = again
    return nfa


class _AutomatonBuilder:
    """Nodes are made from the end on: each knows what follows."""

    def __init__(self, nfa: Nfa) -> None:
        self.nodes = nfa.nodes
        self.loops = 0

    def add(self, node: Node) -> int:
        if len(self.nodes) >= MOST_NODES:
            raise LimitationError(
                "this regular expression is too large",
                hint="repetitions in braces are written out: make their numbers smaller",
            )
        self.nodes.append(node)
        return len(self.nodes) - 1

    def reserve(self) -> int:
        return self.add(Match())

    def regex(self, regex: Regex, following: int) -> int:
        match regex:
            case Bytes(set_):
                return self.add(Transition(set_, following))
            case Look(kind):
                return self.add(Gate(kind, following))
            case Sequence(parts):
                for part in reversed(parts):
                    following = self.regex(part, following)
                return following
            case Choice(parts):
                return self.add(Fork(tuple(self.regex(part, following) for part in parts)))
            case Repeat():
                return self.repeat(regex, following)
        raise InternalError(f"no regular expression: {regex!r}")

    def repeat(self, regex: Repeat, following: int) -> int:
        if regex.most is None:
            entry = self.loop(regex, following)
        else:
            entry = following
            for _ in range(regex.most - regex.least):
                entry = self.optional(regex, entry, following)
        for _ in range(regex.least):
            entry = self.regex(regex.part, entry)
        return entry

    def fork(self, regex: Repeat, inside: int, outside: int) -> int:
        return self.add(Fork((inside, outside) if regex.greedy else (outside, inside)))

    def loop(self, regex: Repeat, following: int) -> int:
        entry = self.reserve()
        inside = self.round(regex.part, entry, following)
        self.nodes[entry] = Fork((inside, following) if regex.greedy else (following, inside))
        return entry

    def optional(self, regex: Repeat, again: int, following: int) -> int:
        return self.fork(regex, self.round(regex.part, again, following), following)

    def round(self, part: Regex, again: int, out: int) -> int:
        """A round of a loop."""
        if not nullable(part):
            return self.regex(part, again)
        self.loops += 1
        loop = self.loops
        return self.add(Enter(loop, self.regex(part, self.add(Round(loop, again, out)))))
