"""How classes of trees are made: dataclasses with slots that the type checker keeps immutable.

At run time nothing keeps a field from being set: a frozen dataclass takes two to three times as
long to make, and passes make many nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def node(made: type[T]) -> type[T]:
    """A node that is equal to itself only."""
    return dataclass(slots=True, eq=False)(made)


@dataclass_transform(eq_default=True, frozen_default=True, field_specifiers=(field,))
def leaf(made: type[T]) -> type[T]:
    """A node that is equal to others with the same fields."""
    return dataclass(slots=True, unsafe_hash=True)(made)
