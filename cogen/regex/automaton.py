"""Nondeterministic automata -> deterministic ones, with as few states as possible.

A state is what the text so far leaves to be done: a list of steps in their order, of which those
that are worse than a match that has been found are left out.  So the state after which nothing is
left tells that the match that was found last is the one that `re` finds.

Bytes that all sets treat alike are one class.  Where an expression looks at places (`\\b`, `$`), a
step over a byte is what tells of the place before it, so a state says of the place *before* the
last byte whether a match ends there: `lag` is 1.  Two classes are no bytes then: the edge of the
text, and the newline that it ends with, which `$` may stand before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from cogen.lang.errors import LimitationError
from cogen.regex.nfa import Nfa, Transition, build
from cogen.regex.tree import NEWLINE, WORD, LookKind, Regex, looks

MOST_STATES: Final = 10_000
"""How many states an automaton has at most, before equal ones are one."""

Purpose = Literal["whole", "first", "backward"]
"""What is found: whether the whole text matches; the end of the first match; how far back a match
reaches that ends at a place."""

Kind = Literal["edge", "line", "last line", "word", "other"]
"""What a place has at its side: the text's edge, a newline, the one that the text ends with, a
character of words, or another."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The class of each byte; `kinds` has one entry for each class, those that are no bytes last:
    the last newline (if `last`) and the edge."""

    of_byte: bytes
    kinds: tuple[Kind, ...]
    last: bool
    looks: bool

    @property
    def edge(self) -> int:
        """The class of the text's edge."""
        return len(self.kinds) - 1


@dataclass(frozen=True, slots=True)
class Automaton:
    """`next[class, state]`; states are numbered so that those where nothing has matched come first,
    then from `matched` on those with a match, of which those from `settled` on match whatever
    comes, and then, from `dead` on, the one after which nothing can match.

    `starts` are the states to start in, by the class of what stands beside the start, or one for
    all; `again` the same where a match must not be empty.
    """

    next: NDArray[np.int32]
    matched: int
    settled: int
    dead: int
    starts: tuple[int, ...]
    again: tuple[int, ...]
    lag: int
    classes: Classes

    @property
    def states(self) -> int:
        return int(self.next.shape[1])

    def stay(self, state: int) -> int:
        """The set of the bytes that lead from a state to itself."""
        stays = self.next[:, state] == state
        return sum(1 << byte for byte, c in enumerate(self.classes.of_byte) if stays[c])


def classes_of(nfa: Nfa, regex: Regex) -> Classes:
    """The classes of bytes that the automaton of an expression tells apart."""
    asked = looks(regex)
    sets = {node.set for node in nfa.nodes if isinstance(node, Transition)}
    if asked:
        sets |= {NEWLINE, WORD}
    numbers: dict[tuple[bool, ...], int] = {}
    ordered = sorted(sets)
    of_byte = []
    kinds: list[Kind] = []
    for byte in range(256):
        alike = tuple(bool(one >> byte & 1) for one in ordered)
        if alike not in numbers:
            numbers[alike] = len(numbers)
            kinds.append(_kind(byte))
        of_byte.append(numbers[alike])
    last = "last" in asked
    if last:
        kinds.append("last line")
    if asked:
        kinds.append("edge")
    return Classes(bytes(of_byte), tuple(kinds), last, bool(asked))


def _kind(byte: int) -> Kind:
    return "line" if NEWLINE >> byte & 1 else "word" if WORD >> byte & 1 else "other"


def determinise(regex: Regex, purpose: Purpose) -> Automaton:
    """The automaton of an expression for a purpose; that of its reverse, for going backward.

    LimitationError if it has too many states.
    """
    nfa = build(regex)
    return _Determinising(nfa, classes_of(nfa, regex), purpose).automaton()


Todo = tuple[tuple[int, ...], bool, Kind]
"""A state while it is made: what is to be done (nodes, or steps if nothing looks at places),
whether a match has been found, and what stands before."""


class _Determinising:
    def __init__(self, nfa: Nfa, classes: Classes, purpose: Purpose) -> None:
        self.nfa = nfa
        self.classes = classes
        self.purpose: Purpose = purpose
        self.numbers: dict[Todo, int] = {}
        self.order: list[Todo] = []
        first = nfa.start if purpose != "first" else nfa.anywhere
        self.first = first
        self.samples = self._samples()
        self.known: dict[tuple[int, ...], Todo] = {}

    def _samples(self) -> list[int]:
        """A byte of each class; the newline for the last one."""
        found = {c: byte for byte, c in reversed(list(enumerate(self.classes.of_byte)))}
        count = max(self.classes.of_byte) + 1
        return [found[c] for c in range(count)] + ([10] if self.classes.last else [])

    def automaton(self) -> Automaton:
        if self.classes.looks:
            starts = [self.number(((self.first,), False, kind)) for kind in self.classes.kinds]
            again = [self.again(kind) for kind in self.classes.kinds]
            step: Callable[[Todo], list[int]] = self.looking
        else:
            starts = [self.number(self.closed((self.first,)))]
            again = [self.again("edge")]
            step = self.plain
        rows: list[list[int]] = []
        while len(rows) < len(self.order):
            rows.append(step(self.order[len(rows)]))
        table = np.array(rows, np.int32).T.copy()
        matches = np.array([found for _, found, _ in self.order])
        lag = int(self.classes.looks)
        return _minimal(table, matches, tuple(starts), tuple(again), lag, self.classes)

    def number(self, todo: Todo) -> int:
        found = self.numbers.get(todo)
        if found is None:
            found = self.numbers[todo] = len(self.order)
            self.order.append(todo)
            if found >= MOST_STATES:
                raise LimitationError(
                    f"the automaton of this regular expression has over {MOST_STATES} states",
                    hint="make the numbers of repetitions after a choice or a `.` smaller",
                )
        return found

    def again(self, kind: Kind) -> int:
        """The state to start in if the match must not be empty."""
        if self.purpose != "first":
            return 0
        if not self.classes.looks:
            steps, _ = self.nfa.closure((self.first,), _nowhere, without_match=True)
            return self.number((steps, False, "other"))
        return self.number(((~self.first,), False, kind))

    # Without looks: a state's list is of steps

    def closed(self, nodes: tuple[int, ...]) -> Todo:
        made = self.known.get(nodes)
        if made is None:
            find = self.nfa.closure if self.purpose == "first" else self.nfa.all_steps
            made = self.known[nodes] = (*find(nodes, _nowhere), "other")
        return made

    def plain(self, todo: Todo) -> list[int]:
        return [self.number(self.closed(self.after(todo[0], byte))) for byte in self.samples]

    def after(self, steps: Sequence[int], byte: int) -> tuple[int, ...]:
        """Where steps lead with a byte; in order of their numbers if the order does not matter."""
        found: list[int] = []
        for number in steps:
            node = self.nfa.nodes[number]
            if isinstance(node, Transition) and node.set >> byte & 1:
                found.append(node.next)
        unique = dict.fromkeys(found)
        return tuple(unique) if self.purpose == "first" else tuple(sorted(unique))

    # With looks: a state's list is of nodes, which the next byte, or the edge, decides on

    def looking(self, todo: Todo) -> list[int]:
        nodes, _, before = todo
        found = []
        for c, kind in enumerate(self.classes.kinds):
            admits = self.admits(before, kind)
            empty = bool(nodes) and nodes[0] < 0
            started = tuple(~n if n < 0 else n for n in nodes)
            if empty:
                steps, matches = self.nfa.closure(started, admits, without_match=True)[0], False
            elif self.purpose == "first":
                steps, matches = self.nfa.closure(started, admits)
            else:
                steps, matches = self.nfa.all_steps(started, admits)
            if c == self.classes.edge:
                found.append(self.number(((), matches, "edge")))
                continue
            if self.purpose == "whole":
                matches = False
            after = self.after(steps, self.samples[c])
            stands: Kind = kind if after else "edge"
            found.append(self.number((after, matches, stands)))
        return found

    def admits(self, before: Kind, after: Kind) -> Callable[[LookKind], bool]:
        if self.purpose == "backward":
            before, after = after, before
        return lambda kind: _admits(kind, before, after)


def _nowhere(kind: LookKind) -> bool:
    raise AssertionError(kind)


def _admits(kind: LookKind, before: Kind, after: Kind) -> bool:
    """Whether a place between two others is of a kind."""
    match kind:
        case "start":
            return before == "edge"
        case "end":
            return after == "edge"
        case "last":
            return after in ("edge", "last line")
        case "line start":
            return before in ("edge", "line", "last line")
        case "line end":
            return after in ("edge", "line", "last line")
        case "word":
            return (before == "word") != (after == "word")
        case "no word":  # not in the empty text, as in Python before 3.14
            return (before == "word") == (after == "word") and {before, after} != {"edge"}
    raise AssertionError(kind)


def _minimal(
    table: NDArray[np.int32],
    matches: NDArray[np.bool_],
    starts: tuple[int, ...],
    again: tuple[int, ...],
    lag: int,
    classes: Classes,
) -> Automaton:
    """The automaton with equal states made one (Moore 1956), in the order that `Automaton` says."""
    labels = matches.astype(np.int64)
    count = len(np.unique(labels))
    while True:
        signature = np.vstack([labels, labels[table]])
        _, labels = np.unique(signature, axis=1, return_inverse=True)
        labels = labels.reshape(-1)
        found = int(labels.max()) + 1
        if found == count:
            break
        count = found
    chosen = np.zeros(count, np.int64)
    chosen[labels] = np.arange(len(labels))  # a state of each group
    merged = labels[table[:, chosen]]
    flags = matches[chosen]
    own = np.arange(count)
    loops = (merged == own).all(axis=0)
    groups = np.select([flags & loops, flags, loops], [2, 1, 3], 0)
    order = np.argsort(groups, kind="stable")
    rank = np.empty(count, np.int64)
    rank[order] = own
    sizes = np.bincount(groups, minlength=4)
    matched, settled = int(sizes[0]), int(sizes[0] + sizes[1])
    return Automaton(
        rank[merged[:, order]].astype(np.int32),
        matched,
        settled,
        settled + int(sizes[2]),
        tuple(int(rank[labels[s]]) for s in starts),
        tuple(int(rank[labels[s]]) for s in again),
        lag,
        classes,
    )
