"""Expressions -> the data of nfa.scm: the automaton as it stands in the expression, with no work
done ahead; the specializer finds the deterministic one.

For comparison with `cogen.regex.compile`, and to see how a matcher becomes an automaton.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cogen
from cogen.lang.errors import LimitationError
from cogen.regex.automaton import classes_of
from cogen.regex.nfa import Transition, build
from cogen.regex.parse import parse
from cogen.regex.tree import looks, ranges_of

PROGRAM = Path(__file__).with_name("nfa.scm")


def residual(pattern: str | bytes, flags: int = 0) -> cogen.Residual:
    """The matcher of nfa.scm specialized to a pattern: from a buffer and the range of the text in
    it to whether all of that matches.

    CogenError for a wrong pattern; LimitationError for one that looks at places (`\\b`, `^`).
    """
    data = automaton(pattern, flags)
    memory, number = cogen.dynamic("memory"), cogen.dynamic("int")
    known = map(cogen.static, data)
    return cogen.specialize(
        cogen.load(PROGRAM), "match?", *known, memory, number, number, word_size=8
    )


def automaton(pattern: str | bytes, flags: int = 0) -> tuple[Any, ...]:
    """Positions, classes, the positions to start in, and whether the empty text matches."""
    regex = parse(pattern, flags)
    if looks(regex):
        raise LimitationError(
            "the naive matcher looks at no places", hint="use cogen.regex.compile"
        )
    nfa = build(regex)
    classes = classes_of(nfa, regex)
    count = max(classes.of_byte) + 1
    sets = [0] * count
    for byte, c in enumerate(classes.of_byte):
        sets[c] |= 1 << byte
    steps = [n for n, node in enumerate(nfa.nodes) if isinstance(node, Transition)]
    numbers = {step: k for k, step in enumerate(steps)}

    def following(node: int) -> tuple[list[int], bool]:
        found, accepts = nfa.all_steps((node,), lambda kind: False)
        return [numbers[step] for step in found], accepts

    positions = []
    for step in steps:
        node = nfa.nodes[step]
        assert isinstance(node, Transition)
        taken = [c for c in range(count) if sets[c] & node.set]
        behind, accepts = following(node.next)
        positions.append((taken, behind, accepts))
    start, accepts = following(nfa.start)
    return positions, [[list(r) for r in ranges_of(s)] for s in sets], start, accepts
