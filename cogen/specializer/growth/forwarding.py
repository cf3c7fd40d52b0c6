"""A block that is to serve for more -> the more general state that it goes on with.

Such a block was made before that was known.  Started again, it only makes dynamic what is to be,
or tests remainders, and goes on to other blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from cogen.specializer.growth.ontrial import OnTrial
from cogen.specializer.memo.remainders import by_remainders
from cogen.specializer.paths.lifting import lift_slots
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Dynamic
from cogen.specializer.values.freeze import FrozenSlot
from cogen.specializer.values.thaw import Thawed, thaw
from cogen.specializer.values.value_facts import type_of
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.memo import ResidualBlock, Roots, Wider, identity_names


def generalized(
    path: Path, block: ResidualBlock, wider: Wider, freezing: Freezing, on_trial: OnTrial
) -> Roots:
    """The roots of the block's state, made as general as is asked for."""
    frozen = freezing.frozen(block)
    replaced: dict[int, Dynamic] = {}
    for position, leader in sorted(wider.positions.items()):
        if leader in replaced:
            replaced[position] = replaced[leader]
            continue
        value = frozen.places[position]
        atom = path.atom(value)
        replaced[position] = path.let("lift", (atom,), type_of(value), "x", None)
    names = identity_names(frozen, wider.types)
    copy = Thawed(frozen, names, replaced, wider.opened)
    slots = [FrozenSlot(None, index) for index in sorted(wider.roots)]
    cyclic = on_trial.make_cyclic(path, block, copy)
    slots += [slot for slot in wider.slots if slot not in cyclic]
    lift_slots(path, copy, slots)
    on_trial.forwarded(block, copy)
    return copy.roots[: len(copy.roots) - freezing.cell_count()]


def split(
    path: Path, block: ResidualBlock, wider: Wider, freezing: Freezing
) -> Iterator[tuple[Path, Roots, bool]]:
    """The paths and states that the block goes on with, by the remainders of its integers; of each
    whether nothing is to be split from there on."""
    frozen = freezing.frozen(block)
    names = {**identity_names(frozen, wider.types)}
    for arm, known, whole in by_remainders(path, block, wider, names):
        roots, arm.store, arm.lifted = thaw(frozen, known)
        yield arm, roots[: len(roots) - freezing.cell_count()], whole
