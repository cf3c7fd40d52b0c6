"""Values in a state made dynamic: the copy of the state that a path goes on with."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from cogen.lang import il
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Cyclic, Dynamic, Static, Test, Value
from cogen.specializer.values.freeze import Frozen, FrozenLeaf, FrozenSlot, static_token
from cogen.specializer.values.thaw import Thawed


def lift_slots(path: Path, copy: Thawed, slots: Iterable[FrozenSlot]) -> None:
    """Make what is in slots of a state dynamic in its copy, which the path goes on with: equal
    numbers as one variable, delayed tests in their operands; a variable is one of its own."""
    path.store, path.lifted = copy.store, copy.lifted
    numbers: dict[Hashable, Dynamic] = {}
    for slot in slots:
        value = copy.get(slot)
        if type(value) is Dynamic:
            copy.put(slot, path.let("lift", (il.Var(value.name),), value.type, "x", None))
        elif value is not None:
            copy.put(slot, lift(path, value, numbers))


def lift(path: Path, value: Value, numbers: dict[Hashable, Dynamic]) -> Value:
    """A value made dynamic: equal numbers as one variable, a delayed test in its operands."""
    if type(value) is Test:
        operands = [lift(path, part, numbers) for part in value.arguments]
        return Test(value.op, tuple(operands), value.fails, value.span)
    if type(value) is not Static or type(value.datum) not in (int, float):
        return path.dynamic(value)
    key = static_token(value.datum)
    if key not in numbers:
        numbers[key] = path.dynamic(value)
    return numbers[key]


def own_names(frozen: Frozen) -> dict[tuple[str, int], Dynamic | Cyclic]:
    """The leaves of a state as what they are."""
    return {(leaf.name, leaf.offset): _own(leaf) for leaf in frozen.leaves}


def _own(leaf: FrozenLeaf) -> Dynamic | Cyclic:
    if leaf.offset:
        return Cyclic(1, leaf.offset, Dynamic(leaf.name, "int"))
    return Dynamic(leaf.name, leaf.type)
