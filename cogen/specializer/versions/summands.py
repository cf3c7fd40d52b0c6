"""Of which variables an integer is the sum."""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Final

from cogen.specializer.values.domain import Cyclic, Dynamic, Static, Value
from cogen.specializer.versions.memo import Way

MOST_STEPS: Final = 8
"""How many sums deep an integer is traced back to parameters."""


def summands(
    way: Way,
    x: Value,
    base: int,
    names: Container[str],
    sums: Mapping[str, tuple[str, tuple[Value, ...]]] = MappingProxyType({}),
) -> list[tuple[str, int]]:
    """The variables among `names` of which x is the sum, each with the factor it has in the sum;
    those whose factor is a multiple of the base do not matter."""
    found: list[tuple[str, int]] = []
    work: list[tuple[Value, int, int]] = [(x, 1, 0)]
    while work:
        value, factor, depth = work.pop()
        if isinstance(value, Cyclic):
            factor *= value.base
            value = value.quotient
        if not isinstance(value, Dynamic) or factor % base == 0:
            continue
        if value.name in names:
            found.append((value.name, factor))
        elif depth < MOST_STEPS:
            op, values = way.facts.definitions.get(value.name) or sums.get(value.name, ("", ()))
            if op == "*" and type(values[1]) is Static:
                work.append((values[0], factor * values[1].datum, depth + 1))
            elif op in ("+", "-"):
                work.extend((part, factor, depth + 1) for part in reversed(values))
    return found
