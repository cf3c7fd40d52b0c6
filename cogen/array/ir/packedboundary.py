"""What of a function's parameters and results is stored packed, leaf by leaf.

The graph knows nothing of storage: a parameter that is stored packed is an array like others. This
is what code at the boundary is made with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cogen.array.ir.layout import leaves_of
from cogen.array.ir.node import Function
from cogen.array.l0.storage import Samples, Storage, storage_of, unpacked
from cogen.array.l0.types import TupleType, Type, packed_layout


class Stored(NamedTuple):
    """One leaf of what is stored packed."""

    storage: Storage
    number: int

    @property
    def samples(self) -> Samples:
        return self.storage.leaves[self.number]


def sources(function: Function) -> tuple[Stored | None, ...]:
    """For each leaf of the parameters, how it is stored; None for arrays in memory and scalars."""
    return _stored(function.parameter_layouts)


def sinks(function: Function) -> tuple[Stored | None, ...]:
    """The same for the leaves of the result."""
    return _stored([function.result_layout])


def _stored(types: Sequence[Type]) -> tuple[Stored | None, ...]:
    found: list[Stored | None] = []
    for t in types:
        layout = packed_layout(t)
        if layout is not None:
            storage = storage_of(layout)
            found += [Stored(storage, number) for number in range(len(storage.leaves))]
        elif isinstance(t, TupleType) and t.parts:
            found += _stored(t.parts)
        else:
            found += [None] * len(leaves_of(unpacked(t)).leaves)
    return tuple(found)
