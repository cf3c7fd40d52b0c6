"""What loops are called, and the rules by which they are made one.

A loop is called after its generators: map (a Collect), filter (one under a condition), append (one
of Elements), reduce, redomap (a Reduce of something computed), scan, bucket, scatter, group,
distinct, joined by + where they differ. A vertical rule is called after what the producer gives and
what the consumer makes of it.
"""

from __future__ import annotations

from typing import Final

from cogen.array.ir.generators import groups
from cogen.array.ir.node import (
    Multiloop,
    Node,
    Yield,
)

PRODUCERS: Final = ("map", "filter", "scan")
CONSUMERS: Final = (
    "map", "filter", "reduce", "scan", "bucket", "scatter", "append", "group", "distinct",
)  # fmt: skip
NEVER: Final = ("filter-group",)
"""What is not fused: groups are sorted by where the iterations are."""

VERTICAL: Final = tuple(
    [f"{p}-{c}" for p in PRODUCERS for c in CONSUMERS if f"{p}-{c}" not in NEVER]
)
OTHERS: Final = (
    "horizontal",
    "expression-input",
    "duplicate",
    "into-branches",
    "same-condition",
    "split-condition",
    "delay",
    "index-inline",
    "pull-transpose",
    "push-transpose",
    "pull-reshape",
    "pull-slice",
    "one-pass",
    "iswim",
    "group-reduce",
    "group-bucket",
    "hash-bucket",
    "scan-last",
    "each",
    "chain",
    "chain-streams",
    "concat",
    "choice",
    "elements",
)
RULES: Final = (*VERTICAL, *OTHERS)
"""All rules, each of which can be switched off by name."""


def generator_word(y: Yield) -> str:
    """What a generator is called in the names of rules."""
    generator = y.generator
    if generator.gives_all:
        return "append" if y.spread else "filter" if y.conditional else "map"
    if generator.gives_one:
        return "reduce"
    if generator.gives_each:
        return "scan"
    if generator.by_key and not groups(generator):
        return "bucket" if generator.values else "distinct"
    if generator.by_key:
        return "group"
    return type(generator).__name__.lower()


def loop_word(loop: Multiloop) -> str:
    """What a loop is called in the names of rules: after its first generator."""
    words = [generator_word(y) for y in loop.yields()]
    return words[0] if words else "map"


def kind(loop: Multiloop) -> str:
    """What a loop is called in reports."""
    words: list[str] = []
    for y in loop.yields():
        if y.before:
            continue  # what another loop goes on from
        word = generator_word(y)
        if word == "reduce" and not _is_plain(loop, y):
            word = "redomap"
        if word not in words:
            words.append(word)
    return "+".join(words) or "map"


def _is_plain(loop: Multiloop, y: Yield) -> bool:
    """Whether a reduction takes nothing but elements of the loop's inputs."""
    elements: set[Node] = set(loop.elements)
    return y.condition is None and all(value in elements for value in y.values)
