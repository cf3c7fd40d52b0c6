"""The parts of objects that loops change: what they hold, and holding something else."""

from __future__ import annotations

from typing import Any

from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedcells import StagedCell
from cogen.staging.tracer import restore


def array_now(thing: Array) -> Array:
    """An array of its own that holds what one holds now."""
    now = Array(thing.value, thing.element, thing.ndim, thing.known, thing.ones)
    now.block = thing.block
    return now


def held(thing: Any) -> list[Any]:
    """The parts of an object as they are now."""
    if isinstance(thing, Array):
        return [array_now(thing)]
    if isinstance(thing, list):
        return list(thing)
    if isinstance(thing, StagedCell):
        return [thing.content()]
    return list(thing.values()) if isinstance(thing, dict) else list(vars(thing).values())


def hold(thing: Any, values: list[Any]) -> None:
    """Make an object have other parts."""
    if isinstance(thing, Array):
        (value,) = values
        restore(thing, value.content())
        if value.element != thing.element:
            fail("an array of ints would hold floats", "start with floats: np.zeros(n)")
    elif isinstance(thing, list):
        thing[:] = values
    elif isinstance(thing, StagedCell):
        thing.restore(*values)
    elif isinstance(thing, dict):
        for key, value in zip(list(thing), values, strict=True):
            thing[key] = value
    else:
        own = vars(thing)
        for key, value in zip(list(own), values, strict=True):
            own[key] = value
