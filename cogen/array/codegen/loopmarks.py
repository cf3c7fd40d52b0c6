"""What iterations of a loop need of one another, as its mark says it."""

from __future__ import annotations

from collections.abc import Iterable

from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.reductionoperators import all_known
from cogen.array.ir.generators import (
    Collect,
    Reduce,
)
from cogen.array.loops import tree
from cogen.array.loops.tree import Var


def mark_of(code: LoopParts) -> tree.Mark | None:
    """What iterations need of one another, if that is known."""
    if code.node.body.effects:
        return None
    scans = [o for o in code.outputs if o.yielded.generator.gives_each]
    kept = [o for o in code.outputs if o.yielded.generator.gives_all and o.counted]
    rest = [o for o in code.outputs if o not in scans and o not in kept]
    if not all(map(_is_apart, rest)) or (kept and not scans):
        return None
    if any(o.yielded.before for o in scans):
        return None
    if not scans:
        return tree.Apart(combinations(code, rest))
    if any(o.yielded.conditional or not all_known(o.known) for o in scans):
        return None
    counts = tuple([o.count for o in kept if isinstance(o.count, Var)])
    return tree.Running(combinations(code, scans), combinations(code, rest), counts)


def combinations(code: LoopParts, outputs: Iterable[Output]) -> Combinations:
    """The accumulators of some generators, and how they are combined."""
    found: list[tuple[tree.Combination, Var]] = []
    for output in outputs:
        if output.variables is not None:
            for name, known in zip(output.variables.names, output.known, strict=True):
                assert known is not None
                assert isinstance(name, Var)
                found.append((known, name))
    return tuple(found)


def _is_apart(output: Output) -> bool:
    """Whether all that a generator needs of other iterations are accumulators that are known."""
    match output.yielded.generator:
        case Collect():
            return output.yielded.one_each
        case Reduce():
            return all_known(output.known)
    return False


Combinations = tuple[tuple[tree.Combination, Var], ...]
