"""Deterministic automata -> the data that the matcher in the language is specialized to.

The automaton is data, no code: a table that tells, by the state and what comes, the next state.
What makes it fast:

* strides: the classes of several bytes are found side by side and are one index of a larger table,
  so that only one load of several bytes waits for the one before (the state);
* filters: a state that stays what it is as long as bytes of a set come is not gone through byte by
  byte; blocks are looked at as a whole, in vectors, for a byte of another set.  In the state to
  start a search in, a filter asks for bytes at two or three places where each match has one of few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from cogen.regex.automaton import Automaton
from cogen.regex.tree import ALL, ranges_of

TABLE_BYTES: Final = 24 << 10
"""How large the table of strides is at most: it should stay in the first cache."""

STEP: Final = 16
"""How many bytes are stepped over between tests for an early end."""

BLOCK: Final = 512
"""The bytes that a filter looks at at once."""

MOST_FILTERS: Final = 3
MOST_RANGES: Final = 3
MOST_PLACES: Final = 8
"""How many of the first bytes of a match a filter may look at."""

RARE: Final = 0.02
"""A place is worth looking for if it is expected to be as rare."""

Windows = list[tuple[int, list[tuple[int, int]]]]
"""Offsets, and the ranges that the byte there is in."""


def _weights() -> list[float]:
    """About how often bytes occur in texts, of 1 in all."""
    weights = [0.1] * 256
    for byte in range(33, 127):
        weights[byte] = 0.5
    for text, weight in (("abcdefghijklmnopqrstuvwxyz", 2.5), ("etaoinsrhl", 6.0), ("\n", 2.0)):
        for letter in text:
            weights[ord(letter)] = weight
    for digit in b"0123456789":
        weights[digit] = 1.5
    weights[32] = 14.0
    return [weight / sum(weights) for weight in weights]


WEIGHTS: Final = _weights()


def weight(bytes_: int) -> float:
    """About which part of a text's bytes is in a set."""
    return sum(WEIGHTS[byte] for byte in range(256) if bytes_ >> byte & 1)


@dataclass(frozen=True, slots=True)
class Filter:
    """In a state: blocks are passed if all their bytes are in the ranges (`stays`), or if at no
    place all windows are as told."""

    state: int
    stays: bool
    windows: Windows

    @property
    def reach(self) -> int:
        """How many bytes behind a block are looked at."""
        return max(offset for offset, _ in self.windows)


def filters(automaton: Automaton, first: Windows | None = None) -> list[Filter]:
    """The filters of an automaton's states; `first` are the windows of the state to start in."""
    found: list[Filter] = []
    start = automaton.starts[0]
    if first:
        found.append(Filter(start, False, first))
    others = []
    for state in range(min(automaton.dead, automaton.states)):
        stays = automaton.stay(state)
        if stays and not (first and state == start):
            others.append((weight(stays), state, stays))
    for _, state, stays in sorted(others, key=lambda item: (-item[0], item[1])):
        inside, outside = ranges_of(stays), ranges_of(ALL & ~stays)
        if len(found) == MOST_FILTERS or min(len(inside), len(outside)) > MOST_RANGES:
            continue
        if not outside or len(inside) <= len(outside):
            found.append(Filter(state, True, [(0, inside)]))
        else:
            found.append(Filter(state, False, [(0, outside)]))
    return found


def windows(whole: Automaton, states: Sequence[int] | None = None) -> Windows:
    """What bytes of each match are at its first places, of those places that are rarest together;
    none if they are not rare.

    `whole` is the automaton that decides whether all of a text matches, and looks at no places.
    """
    here = {whole.starts[0]}
    sets: list[int] = []
    live = _live(whole)
    while len(sets) < MOST_PLACES and not any(_matches(whole, state) for state in here):
        following: set[int] = set()
        set_ = 0
        for state in here:
            for byte, c in enumerate(whole.classes.of_byte):
                to = int(whole.next[c, state])
                if live[to]:
                    set_ |= 1 << byte
                    following.add(to)
        if not following:
            break
        sets.append(set_)
        here = following
    usable = [
        (weight(set_), offset, ranges_of(set_))
        for offset, set_ in enumerate(sets)
        if len(ranges_of(set_)) <= MOST_RANGES and set_ != ALL
    ]
    best: tuple[float, float, Windows] | None = None
    for count in (1, 2, 3):
        for chosen in combinations(usable, count):
            part = float(np.prod([one for one, _, _ in chosen]))
            cost = part * BLOCK + 0.1 * sum(len(ranges) for _, _, ranges in chosen)
            if part <= RARE and (best is None or cost < best[0]):
                best = cost, part, [(offset, ranges) for _, offset, ranges in chosen]
    return best[2] if best else []


def _matches(automaton: Automaton, state: int) -> bool:
    return automaton.matched <= state < automaton.dead


def _live(automaton: Automaton) -> list[bool]:
    """Whether a state can come to a match."""
    live = np.zeros(automaton.states, bool)
    live[automaton.matched : automaton.dead] = True
    while True:
        more = live | live[automaton.next].any(axis=0)
        if (more == live).all():
            return [bool(one) for one in live]
        live = more


def stride_of(states: int, classes: int) -> int:
    """How many bytes one load of the table steps over; STEP is a multiple of it."""
    return max(
        stride
        for stride in (1, 2, 4)
        if stride == 1 or (states <= 256 and states * classes**stride <= TABLE_BYTES)
    )


def several(one: Any, stride: int) -> bytes:
    """The table of a stride, of that of one byte: by the classes of the bytes, of which the first
    counts most, and the state."""
    table = one
    for _ in range(stride - 1):
        table = one[:, table].swapaxes(0, 1).reshape(-1, one.shape[1])
    return _packed(table)


def absorbed(automaton: Automaton, absorbing: int) -> Any:
    """The next states by class and state, where states from `absorbing` on stay: so that what has
    been reached in a stride is still seen."""
    states = np.arange(automaton.states)
    return np.where(states >= absorbing, states, _of_bytes(automaton))


def noting(automaton: Automaton) -> Any:
    """The next states of twice as many: those that are greater by the number of states say that
    there was a match since, too."""
    count = automaton.states
    one = _of_bytes(automaton)
    flagged = (one >= automaton.matched) & (one < automaton.dead)
    return np.hstack([np.where(flagged, one + count, one), one + count])


def _of_bytes(automaton: Automaton) -> Any:
    return automaton.next[: max(automaton.classes.of_byte) + 1].astype(np.int64)


def _packed(table: Any) -> bytes:
    """In one byte each, or in two where there are many states."""
    kind = np.uint8 if table.shape[1] <= 256 else np.dtype("<u2")
    return bytes(np.ascontiguousarray(table, kind).tobytes())


def _by_class(states: tuple[int, ...]) -> list[Any]:
    """The state that most classes have, then the classes with others, and those."""
    usual = max(states, key=states.count)
    return [usual, *([c, state] for c, state in enumerate(states) if state != usual)]


def machine(automaton: Automaton, absorbing: int, first: Windows | None = None) -> list[Any]:
    """What the matcher is specialized to; its order is that of matcher.scm.

    In blocks, states from `absorbing` on end the search.
    """
    classes = automaton.classes
    count = max(classes.of_byte) + 1
    stride = stride_of(automaton.states, count)
    longer = stride_of(2 * automaton.states, count)
    shown = [
        [one.state, one.stays, [[offset, *map(list, ranges)] for offset, ranges in one.windows]]
        for one in filters(automaton, first)
    ]
    reach = max((one.reach for one in filters(automaton, first)), default=0)
    return [
        automaton.states,
        classes.of_byte,
        _packed(automaton.next),
        stride,
        count,
        several(absorbed(automaton, absorbing), stride),
        absorbing,
        automaton.matched,
        automaton.dead,
        _by_class(automaton.starts),
        _by_class(automaton.again),
        automaton.lag,
        classes.edge,
        classes.edge - 1 if classes.last else False,
        shown,
        reach,
        BLOCK,
        STEP,
        several(noting(automaton), longer),
        longer,
    ]
