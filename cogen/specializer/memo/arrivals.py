"""What paths that arrive at a block tell of its parameters, for all arrivals: bounds, kinds, fixed
parts, and which boxes they may be.

They are no part of the states that tell versions apart.  A new block begins with those of the first
arrival; later ones make them wider, and if the block has run relying on more, it starts again.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.interval import EVERYTHING, shifted
from cogen.kinds import ANYTHING, ATOMS, NUMBER
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Dynamic
from cogen.specializer.versions.memo import Leaf, ResidualBlock, Restart


def begin_known(path: Path, block: ResidualBlock, leaf: Leaf, parameter: Dynamic) -> None:
    """Note between which bounds a parameter of a new block lies, as its leaf, which of its parts
    are fixed, and of what kinds it is: where arms meet, not what a test in one of them tells."""
    name, offset = leaf
    known = path.facts.kinds.get(name, ANYTHING)
    if block.point[0] == "cont" and known & ~ATOMS:
        known = path.block.kinds.get(name, ANYTHING)
    if known != ANYTHING and not offset:
        block.kinds[parameter.name] = known
    begin_parts(path, block, name, parameter)
    bounds = shifted(path.facts.intervals.get(name, EVERYTHING), offset)
    if bounds != EVERYTHING:
        block.intervals[parameter.name] = bounds


def begin_parts(path: Path, block: ResidualBlock, name: str, parameter: Dynamic) -> None:
    """Note which parts of what a new block gets are fixed, and which boxes it may be."""
    facts = path.facts
    if name in facts.parts:
        block.parts[parameter.name] = facts.parts[name]
    if name in facts.variants:
        block.variants[parameter.name] = facts.variants[name]


def begin(path: Path, block: ResidualBlock) -> None:
    """A path that carries out a block knows what the block does of its parameters."""
    facts = path.facts
    facts.intervals, facts.kinds = dict(block.intervals), dict(block.kinds)
    facts.parts, facts.variants = dict(block.parts), dict(block.variants)


def arrive(path: Path, block: ResidualBlock, leaves: Sequence[Leaf]) -> None:
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
    arrive_parts(path, block, leaves)


def arrive_parts(path: Path, block: ResidualBlock, leaves: Sequence[Leaf]) -> None:
    """The same for parts that are fixed, and boxes."""
    if not block.parts and not block.variants:
        return
    broken = False
    for (name, _), parameter in zip(leaves, block.raw.parameters, strict=True):
        if parameter in block.parts:
            broken |= block.widen_parts(parameter, path.facts.parts.get(name, {}))
        if parameter in block.variants:
            broken |= block.widen_variants(parameter, path.facts.variants.get(name))
    if broken:
        raise Restart(block)
