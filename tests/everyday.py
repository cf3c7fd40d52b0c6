"""What is run every day: whether that is asked for, for helpers that have no request to ask, and
which cases of tests with the mark `one_in`."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")


def is_long() -> bool:
    """With --long?"""
    return settings().max_examples > 100


def some(items: Sequence[T], step: int) -> Sequence[T]:
    """One in so many every day, from the first on; all with --long."""
    return items if is_long() else items[::step]


def of_every_kind(cases: Mapping[str, Mapping[str, object]], n: int) -> set[str]:
    """Of the cases of a test, by their names, about one in `n`, and at least one: always the same
    ones, which have nothing in common but the checksums of their names.  Where a parameter has no
    more values than that, there is one of each value."""
    sums = {name: zlib.crc32(name.encode()) >> 8 for name in cases}
    stay = {name for name in cases if sums[name] % n == 0} or {next(iter(cases))}
    kinds = _kinds(cases, len(stay))
    missing = set[object]().union(*kinds.values()).difference(*[kinds[name] for name in stay])
    for name in sorted(cases, key=sums.__getitem__):
        if not kinds[name].isdisjoint(missing):
            stay.add(name)
            missing -= kinds[name]
    return stay


def _kinds(cases: Mapping[str, Mapping[str, object]], most: int) -> dict[str, set[object]]:
    """The values that each case has of parameters that have so many at most."""
    kinds: dict[str, set[object]] = {name: set() for name in cases}
    for parameter in dict.fromkeys(own for parameters in cases.values() for own in parameters):
        values = {name: repr(parameters.get(parameter)) for name, parameters in cases.items()}
        if len(set(values.values())) <= most:
            for name, value in values.items():
                kinds[name].add((parameter, value))
    return kinds
