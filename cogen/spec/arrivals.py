"""What paths that arrive at a block tell of its parameters: bounds and kinds, for all arrivals.

They are no part of the states that tell versions apart.  A new block begins with those of the first
arrival; later ones make them wider, and if the block has run relying on more, it starts again.
"""

from __future__ import annotations

from collections.abc import Iterable

from cogen.interval import EVERYTHING, shifted
from cogen.kinds import ANYTHING, ATOMS, NUMBER
from cogen.spec.domain import Dynamic
from cogen.spec.memo import Block, Leaf, Restart
from cogen.spec.path import Path


def begin_known(path: Path, block: Block, leaf: Leaf, parameter: Dynamic) -> None:
    """Note between which bounds a parameter of a new block lies, as its leaf, and of what kinds
    it is: where arms meet, not what a test in one of them tells."""
    name, offset = leaf
    known = path.facts.kinds.get(name, ANYTHING)
    if block.point[0] == "cont" and known & ~ATOMS:
        known = path.block.kinds.get(name, ANYTHING)
    if known != ANYTHING and not offset:
        block.kinds[parameter.name] = known
    bounds = shifted(path.facts.intervals.get(name, EVERYTHING), offset)
    if bounds != EVERYTHING:
        block.intervals[parameter.name] = bounds


def arrive(path: Path, block: Block, leaves: Iterable[Leaf]) -> None:
    """Make what is known of parameters so wide that it holds for a further arrival, with these
    leaves for them, while the block waits for its turn; later it is taken away, and the block
    starts again."""
    broken = False
    for (name, offset), parameter in zip(leaves, block.raw.parameters, strict=True):
        leaf = Dynamic(name)
        if parameter in block.intervals:
            arriving = shifted(path.interval(leaf), offset)
            broken |= block.widen_interval(parameter, arriving)
        if parameter in block.kinds:
            broken |= block.widen_kinds(parameter, NUMBER if offset else path.kinds_of(leaf))
    if broken and not block.queued:
        raise Restart(block)
