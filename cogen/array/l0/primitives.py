"""Functions of L0 that are primitives of the language: those whose rows say what L0 calls them.

Their types, their meanings and how they are lowered follow from the rows (`lang.primtable`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from cogen.array.l0.types import BOOL, INT, REAL, Type
from cogen.lang.prims import PRIMITIVES, PrimitiveRow

NAMED: Final[Mapping[str, PrimitiveRow]] = {
    row.array: row for row in PRIMITIVES.values() if row.array is not None
}
"""The primitives by their names in L0."""

TYPES: Final[Mapping[str, Type]] = {"int": INT, "float": REAL, "bool": BOOL}
"""The types of L0 that those of the table are."""


def operand(row: PrimitiveRow) -> Type:
    """The type of the one operand."""
    return TYPES[row.arguments[0]]


SIGNATURES: Final[Mapping[str, Mapping[Type, Type]]] = {
    name: {operand(row): TYPES[row.result]} for name, row in NAMED.items()
}

MEANINGS: Final[Mapping[tuple[str, Type], Callable[..., Any]]] = {
    (name, operand(row)): row.python for name, row in NAMED.items()
}

OPERATIONS: Final[Mapping[tuple[str, Type], str]] = {
    key: f"{'real' if key[1] == REAL else NAMED[key[0]].arguments[0]}.{key[0]}" for key in MEANINGS
}
"""The scalar operations of the array graph that they are."""
