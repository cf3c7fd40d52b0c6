"""The passes on loops, in their order: functions -> functions, kernels -> kernels.

Each can be switched off by its name (`cogen.array.optimise.optimisations.CODE`); with `verify` the
loops are checked before the first and after each, and an error names the pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from cogen.array.loops import tree
from cogen.array.loops.aim import aim
from cogen.array.loops.arrange import arrange
from cogen.array.loops.block_filters import block_filters
from cogen.array.loops.block_keys import block_keys
from cogen.array.loops.block_scans import block_scans
from cogen.array.loops.check import check
from cogen.array.loops.choose import choose
from cogen.array.loops.compact import compact
from cogen.array.loops.interchange import interchange
from cogen.array.loops.jam import jam
from cogen.array.loops.join_columns import join_columns
from cogen.array.loops.look_ahead import look_ahead
from cogen.array.loops.preallocate import preallocate
from cogen.array.loops.prune import prune, prune_kernels
from cogen.array.loops.release import release
from cogen.array.loops.reuse import reuse
from cogen.array.loops.scalarise import scalarise
from cogen.array.loops.settle import settle, settle_whiles
from cogen.array.loops.share import share
from cogen.array.loops.skim import skim
from cogen.array.loops.split_rows import split_rows
from cogen.array.loops.split_short import split_short
from cogen.array.loops.split_sides import split_sides
from cogen.array.loops.stack import stack
from cogen.array.loops.stream import stream
from cogen.array.loops.strip_mine import strip_mine
from cogen.array.loops.take_turns import take_turns
from cogen.array.loops.tile import tile
from cogen.array.loops.tree import Kernel
from cogen.array.loops.vectorise import vectorise
from cogen.lang.errors import InternalError

Part = TypeVar("Part", tree.Function, Kernel)


@dataclass(frozen=True, slots=True)
class LoopPass(Generic[Part]):
    """A pass by the name that switches it off."""

    name: str
    run: Callable[[Sequence[Part]], Sequence[Part]]


PASSES: Final[tuple[LoopPass[tree.Function], ...]] = (
    LoopPass("compact", compact),  # of whole bodies, whose counters are as they were made
    LoopPass("choose", choose),  # before all that asks what loops do
    LoopPass("aim", aim),  # of whole bodies: what is not there needs not be given back, nor divided
    LoopPass("release", release),  # of whole bodies, before what stands beside loops is looked at
    LoopPass("settle", settle),  # of whole bodies, before these are divided
    LoopPass("whiles", settle_whiles),  # those that only this ends, should all others go on
    LoopPass("scalars", scalarise),  # of what is known to be used last, before it has other memory
    LoopPass("reuse", reuse),  # of whole loops, when it is known which of them end early
    LoopPass("stack", stack),  # of regions that nothing else has taken over
    LoopPass("rows", split_rows),  # of whole loops, whose rows are in tiles
    LoopPass("tiles", tile),  # of whole loops, before what they read is in strips
    LoopPass("strips", strip_mine),  # of whole loops: what they share out afterwards are strips
    LoopPass("share", share),  # of whole loops, whose parts the others divide
    LoopPass("sides", split_sides),  # of parts, too, and of each side what comes after
    LoopPass("columns", join_columns),  # before their scans and reductions are vectors'
    LoopPass("skim", skim),  # of loops whose choices are made
    LoopPass("filters", block_filters),  # before scans and keys of what passes are divided
    LoopPass("ahead", look_ahead),  # of loops over what passes, too
    LoopPass("blocks", block_scans),
    LoopPass("keys", block_keys),  # of whole loops: before their tables are taken in turn
    LoopPass("turns", take_turns),
    LoopPass("lanes", interchange),
    LoopPass("vectors", vectorise),  # of loops that are innermost and not divided in another way
    LoopPass("depth", arrange),  # before iterations are copied
    LoopPass("jam", jam),  # of reductions that are not divided yet
    LoopPass("short", split_short),  # of reductions that are side by side already
    LoopPass("streams", stream),
    LoopPass("preallocate", preallocate),  # of loops whose iterations stay one after the other
    LoopPass("prune", prune),  # of all that those before have made, and need not
)
"""What is done to functions of C."""

KERNEL_PASSES: Final[tuple[LoopPass[Kernel], ...]] = (
    LoopPass("whiles", settle_whiles),
    LoopPass("prune", prune_kernels),
)
"""What is done to kernels."""


def transform(
    parts: Sequence[Part],
    passes: Sequence[LoopPass[Part]],
    off: frozenset[str] = frozenset(),
    verify: bool = False,
) -> Sequence[Part]:
    """Functions or kernels after all passes but those that are `off`."""
    if verify:
        check(parts)
    for step in passes:
        if step.name in off:
            continue
        parts = step.run(parts)
        if verify:
            try:
                check(parts)
            except InternalError as error:
                raise InternalError(f"after {step.name}: {error.message}") from None
    return parts
