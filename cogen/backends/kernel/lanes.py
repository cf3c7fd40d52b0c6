"""Structured code -> the variables that are bytes in C.

    least = 255; for (j = 0; j < 256; j++) { least = min(least, buf[i + j] ^ 102); }

A counted loop that combines bytes into one that stays one keeps it, and all that it computes and
that fits, in `uint8_t`: then a vector register holds as many of them as of the bytes that were
loaded.  With `int32_t` gcc 12 does not find the least of bytes in vectors at all (256 bytes that
are searched: 30 times as fast).  So does one that makes bytes of bytes and stores them: gcc then
compares them as bytes (base 64, whose letters are sums of comparisons: 4 times as fast).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cogen.backends.kernel import structured as st
from cogen.interval import Interval, within
from cogen.lang import il
from cogen.lang.prims import BITWISE, CHOOSING

BYTE: Final[Interval] = (0, 255)

BY_LANE: Final = frozenset(BITWISE) | frozenset(CHOOSING)
"""What combines lanes of vectors without wider ones between."""


@dataclass(frozen=True, slots=True)
class ByteLanes:
    """The loops that combine or store bytes, and the variables that they combine them into."""

    loops: set[st.KernelLoop]
    variables: set[str]


def byte_lanes(
    procedure: st.KernelProcedure, bounds: Mapping[str, Interval], word_size: int
) -> ByteLanes:
    """The counted loops without branches that load bytes, and store bytes or combine them lane by
    lane."""
    definitions = {s.name: s for s in st.walk(procedure.body) if isinstance(s, st.Op)}
    found = ByteLanes(set(), set())
    if word_size != 8:
        return found
    for loop in st.walk(procedure.body):
        if not isinstance(loop, st.KernelLoop) or loop.counted is None or not _is_straight(loop):
            continue
        if any(isinstance(s, st.Op) and s.op == "store-word!" for s in loop.body):
            found.loops.add(loop)
        for move in loop.counted.rounds:
            for name, atom in move.pairs:
                made = definitions.get(atom.name) if isinstance(atom, il.Var) else None
                if made is None or made.op not in BY_LANE or il.Var(name) not in made.arguments:
                    continue
                if name in bounds and within(bounds[name], BYTE):
                    found.loops.add(loop)
                    found.variables.add(name)
    return found


def _is_straight(loop: st.KernelLoop) -> bool:
    """Whether the body is the test at the head, and operations, of which one loads."""
    branches = [s for s in loop.body if isinstance(s, st.Branch)]
    loads = any(isinstance(s, st.Op) and s.op == "load-word" for s in loop.body)
    return loads and len(branches) == 1 and not any(isinstance(s, st.KernelLoop) for s in loop.body)
