"""Lists as arguments: their elements in arrays, one for each number of an element.

[Person(30, 2.5), Person(41, 3.0)]      [30, 41], [2.5, 3.0]

So only a run knows how long they are, and one program takes lists of any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cogen.array.l0.types import BOOL, REAL, Basic, Type, array_of
from cogen.staging.listelements import leaves_of
from cogen.staging.stagedarrays import Array, known
from cogen.staging.stagedconstants import KINDS
from cogen.staging.stagedlists import ListRows, StagedList
from cogen.staging.stagedscalars import DTYPES


@dataclass(frozen=True, slots=True)
class LeafKind:
    """What a leaf is: its elements' type and its number of dimensions; `ones` are those of size 1,
    which NumPy stretches.  `text`: it is a string, as the codes of its characters.  `layout`: how
    it lies in memory, where that is not as programs compute."""

    element: Basic
    ndim: int = 0
    ones: tuple[bool, ...] = ()
    text: bool = False
    layout: str | None = None

    @property
    def type(self) -> Type:
        """Its type in L0."""
        return array_of(self.element, self.ndim)


def as_rows(every: Sequence[tuple[Any, list[Any]]]) -> tuple[Any, list[Any]] | None:
    """The kind of a list, and its arrays, of the kinds and numbers of its elements; None where
    these are not alike."""
    kind = every[0][0]
    if any(_without_numbers(own) != _without_numbers(kind) for own, _ in every):
        return None
    try:
        columns = [np.array(column) for column in zip(*[own for _, own in every], strict=True)]
    except ValueError:  # lists of several lengths
        return None
    if any(column.dtype.kind not in KINDS for column in columns):
        return None
    leaves = [LeafKind(KINDS[c.dtype.kind], c.ndim, tuple([n == 1 for n in c.shape]))
              for c in columns]  # fmt: skip
    return ("rows", kind, tuple(leaves)), columns


def is_row(kind: Any) -> bool:
    """Whether an element of a list is made of numbers."""
    if isinstance(kind, LeafKind):
        return kind.ndim == 0 and not kind.text
    if kind[0] in ("tuple", "named", "dict", "dataclass"):
        return bool(kind[-1]) and all(map(is_row, kind[-1]))
    return bool(kind[0] == "rows" and isinstance(kind[1], LeafKind))


def _without_numbers(kind: Any) -> Any:
    """A kind without what its numbers are: ints may stand among reals."""
    if isinstance(kind, LeafKind):
        return kind.element == BOOL, kind.ndim
    return tuple(map(_without_numbers, kind)) if isinstance(kind, tuple) else kind


def list_of(element: Any, arrays: Sequence[Array]) -> StagedList:
    """A list of elements like one, whose numbers are in arrays."""
    _, build, shape = leaves_of(element)
    return StagedList((), ListRows(tuple(arrays), build, shape))


def some_of(kind: LeafKind) -> Any:
    """A value of a kind."""
    if kind.ndim:
        return known(np.zeros(1, DTYPES[kind.element]))
    return {REAL: 0.0, BOOL: False}.get(kind.element, 0)
