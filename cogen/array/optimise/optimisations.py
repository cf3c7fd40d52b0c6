"""The optimisations by name, and how far they go: what may be switched off, and a limit of steps.

    Options(off={"sums", "hoist"}, limit=20)

Each is a module of `cogen.array.rules`, a pass of `cogen.array.optimise.optimise`, the prover of
checks, or a rule of fusion. With all switched off a program is only lowered. A limit on the number
of steps finds the step that makes a program wrong by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from cogen.array.fusion.rulenames import RULES as FUSION
from cogen.array.ir.graph import Graph, Rule, Rules
from cogen.array.ir.node import Node
from cogen.array.optimise.steplimit import Steps
from cogen.array.rules import algebra, conditionals, fold, groups, indexing, loops, sums, views
from cogen.lang.errors import CogenError

MODULES: Final[dict[str, Mapping[type[Node], Sequence[Rule]]]] = {
    "fold": fold.RULES,
    "algebra": algebra.RULES,
    "sums": sums.RULES,
    "indexing": indexing.RULES,
    "views": views.RULES,
    "conditionals": conditionals.RULES,
    "groups": groups.RULES,
    "loops": loops.RULES,
}
"""The modules by the names that switch them off, in the order in which their rules are tried."""


PASSES: Final[dict[str, str]] = {
    "inline": "functions that are not recursive become part of their callers",
    "ranges": "checks that are known to hold are left out",
    "laws": "calls of functions become what laws of the program say",
    "known": "conditions that are known choose their branch; loops of one iteration, or none; "
    "streams of one element, or none",
    "context": "conditions that a branch or a filter has decided are constants in it; values that "
    "a loop carries and never changes are its initial ones",
    "elementwise": "loops that write each element of an array once are maps",
    "dead": "results of loops that nothing uses are not computed",
    "hoist": "checks leave loops, as one check of all iterations",
    "fuse": "loops become one loop",
    "wraps": "remainders of indices that are moved by some places are sums, and not divided",
    "copies": "copies that are only updated, or of which only elements are read, are not made",
}
"""Further optimisations by name, with what they do."""

SCHEDULE: Final[dict[str, str]] = {
    "overwrite": "arrays are overwritten where they are, if nothing else needs them",
    "turn": "rearranged arrays that each iteration of a loop walks through are so in memory",
}
"""What is decided where the graph is put in order (`cogen.array.schedule`), with what it does."""

CODE: Final[dict[str, str]] = {
    "sinks": "results are stored packed by the loops that make them",
    "compact": "scalars that loops keep are stored always, and counted where they are kept",
    "choose": "few operations that only a condition asks for are done, and their results chosen",
    "aim": "rows are made where they are collected",
    "release": "memory is given back after its last use, or goes where it is used last",
    "scalars": "small arrays of a known size are scalars, and loops over them are unrolled",
    "reuse": "arrays are made in the memory of those that they are the last to read",
    "stack": "small arrays of a known size are on the stack",
    "rows": "loops that take their index apart by a known width are loops over rows",
    "tiles": "loops that read packed memory around their index take samples out once, tile by tile",
    "strips": "loops go through packed memory word by word",
    "share": "loops are shared out among threads",
    "sides": "loops that ask whether they have come to a place become one on either side of it",
    "skim": "loops that look for an extreme pass over blocks that have none",
    "filters": "iterations whose condition holds are found first, block by block",
    "ahead": "what keys are looked up for in large tables comes from memory before it is needed",
    "blocks": "scans take their values in vectors, block by block",
    "short": "reductions in loops are done without vectors where they turn out to be short",
    "streams": "reductions go through several parts of their iterations at once",
    "jam": "several iterations around a reduction become one",
    "keys": "keys of buckets are computed in vectors, block by block",
    "columns": "loops that go down columns go through many of them side by side",
    "lanes": "several iterations around sequential loops go through them side by side",
    "settle": "sequential loops end where nothing changes any more",
    "whiles": "loops that only a test ends are left when it fails, as without `settle` too",
    "turns": "iterations use several tables of buckets in turn",
    "vectors": "loops of plain operations are marked for vectors",
    "depth": "what vectors compute comes just before it is used",
    "preallocate": "memory that each iteration needs is asked for before the loop",
    "prune": "what the code computes and nothing uses is left out",
}
"""Optimisations of the C code, with what they do; graphs do not know them."""

KERNELS: Final[dict[str, str]] = {
    "cut": "the items of kernels share the iterations of loops out",
    "item-lanes": "items of kernels go through several iterations at once, in lanes of vectors",
    "item-groups": "work groups join what their items have reduced in memory of their own",
    "group-tables": "work groups have tables of buckets in memory of their own",
    "item-nests": "kernels have an item for each element of maps in maps",
}
"""What is made of loops for devices (`cogen.array.loops.kernel_forms`), with what it does."""

NAMES: Final = (*MODULES, *PASSES, *SCHEDULE, *CODE, *KERNELS)
"""The optimisations; the rules of fusion have names of their own,
`cogen.array.fusion.rulenames`."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which optimisations are switched `off`, and after how many steps no more are made."""

    off: frozenset[str] = frozenset()
    limit: int | None = None

    def __post_init__(self) -> None:
        known = {*NAMES, *FUSION}
        for name in sorted(self.off - known):
            near = get_close_matches(name, sorted(known), n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(NAMES)}"
            raise CogenError(f"no optimisation is called `{name}`", hint=hint)


def combine(off: frozenset[str], steps: Steps) -> Rules:
    """The rules of all modules but those switched off."""
    found: dict[type[Node], list[Rule]] = {}
    for name, rules in MODULES.items():
        if name in off:
            continue
        for kind, listed in rules.items():
            found.setdefault(kind, []).extend([_counted(rule, steps, name) for rule in listed])
    return found


def combine_late(rules: Rules, steps: Steps) -> Rules:
    """The rules with those that come after fusion."""
    late = {
        kind: [*rules.get(kind, ()), *(_counted(rule, steps, "views") for rule in listed)]
        for kind, listed in views.LATE_RULES.items()
    }
    return {**rules, **late}


def _counted(rule: Rule, steps: Steps, module: str) -> Rule:
    name = f"{module}.{rule.__name__}"

    def counted(graph: Graph, node: Node) -> Node | None:
        if steps.left == 0:
            return None
        found = rule(graph, node)
        if found is None or found is node:
            return None
        steps.take(name)
        return found

    return counted
