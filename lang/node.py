"""How classes of trees are made: dataclasses with slots that the type checker keeps immutable.

At run time nothing keeps a field from being set: a frozen dataclass takes two to three times as
long to make, and passes make many nodes.  Nor has each class methods of its own where one does for
all: a `dataclass` compiles six, and a grammar of forty classes then takes as long to import as all
else that a command needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def node(made: type[T]) -> type[T]:
    """A node that is equal to itself only."""
    return dataclass(slots=True, eq=False, repr=False)(_shown(made))


@dataclass_transform(eq_default=True, frozen_default=True, field_specifiers=(field,))
def leaf(made: type[T]) -> type[T]:
    """A node that is equal to others of its class with the same fields, but for `compare=False`."""
    kind: Any = dataclass(slots=True, eq=False, repr=False)(_shown(made))
    key = _key(tuple(one.name for one in fields(kind) if one.compare))

    def equal(self: object, other: object) -> bool:
        return self is other or (
            key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented
        )

    kind.__eq__ = equal
    kind.__hash__ = lambda self: hash(key(self))
    return kind  # type: ignore[no-any-return]


def _key(names: tuple[str, ...]) -> Callable[[object], tuple[object, ...]]:
    """What the fields of these names are, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if names:
        only = attrgetter(names[0])
        return lambda one: (only(one),)
    return lambda one: ()


def _shown(made: type[T]) -> type[T]:
    """The class, with the text of a dataclass unless it has one of its own, and with a docstring: a
    dataclass without one is given its signature, which takes a third of the time to make it."""
    if "__repr__" not in vars(made):
        made.__repr__ = _text  # type: ignore[method-assign]
    if made.__doc__ is None:
        made.__doc__ = made.__name__
    return made


def _text(self: Any) -> str:
    parts = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({', '.join(parts)})"
