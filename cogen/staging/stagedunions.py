"""Staged unions: a value that is an object of one of several dataclasses, which one a run decides.

    p = Cartesian(x, 0.0) if x > 0.0 else Polar(-x, math.pi)

UnionCase   the number of the class, and an object of each; those of the others are of zeros

Objects of different dataclasses that meet after a staged conditional become one, and so do the
elements of what `cogen.map` gives then, whose array is a `UnionCase` of arrays.  `isinstance` and
`match` are tests of the number; a field is that of the class, an error where it has none.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cogen.array.l0.types import BOOL
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedscalars import Staged, bind, expression, scalar
from cogen.staging.tracer import current

CONDITIONAL: Final[list[Callable[..., Any]]] = []
"""What chooses values; set where it is (`cogen.staging.stagedconditionals`)."""


class UnionCase(Staged):
    """An object of one of several dataclasses, or an array of such."""

    __slots__ = ("bodies", "case")

    def __init__(self, case: Any, bodies: Sequence[Any]) -> None:
        self.case = case
        self.bodies = tuple(bodies)

    @property
    def kinds(self) -> tuple[type, ...]:
        """The classes, in the order of their numbers."""
        return tuple(map(type, self.bodies))

    @property
    def ndim(self) -> int:
        """The dimensions of an array of such; 0 of one."""
        return self.case.ndim if isinstance(self.case, Array) else 0

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes of an array of such."""
        return self.case.shape if isinstance(self.case, Array) else ()

    def __len__(self) -> Any:
        return len(self.case)

    def is_one_of(self, kinds: Sequence[type]) -> Any:
        """Whether it is of one of some of its classes."""
        if not kinds or len(kinds) == len(self.bodies):
            return bool(kinds)
        case = scalar(self.case)
        tests = [op("=", expression(case), constant(number_of(kind))) for kind in kinds]
        return bind(functools.reduce(lambda a, b: op("||", a, b), tests), BOOL)

    def is_instance(self, kinds: Any, others: Any = ()) -> Any:
        """What `isinstance` says of it, where it is of none of some others."""
        left = [kind for kind in self.kinds if not issubclass(kind, others)]
        found = [kind for kind in left if issubclass(kind, kinds)]
        return bool(found) if len(found) in (0, len(left)) else self.is_one_of(found)

    def as_instance(self, kind: type) -> Any:
        """It as an object of a class; itself where several are such."""
        found = [body for body in self.bodies if isinstance(body, kind)]
        return found[0] if len(found) == 1 else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if isinstance(self.case, Array):
            fail(
                f"`.{name}` is read of an array of several classes",
                "cogen.map a function that tests them",
            )
        having = [kind for kind in self.kinds if name in _fields(kind)]
        if not having:
            names = ", ".join([kind.__name__ for kind in self.kinds])
            fail(f"none of {names} has a field `{name}`", "methods are called after a `match`")
        if len(having) < len(self.bodies):
            names = ", ".join([kind.__name__ for kind in having])
            require(expression(self.is_one_of(having)), text(f"only {names} has a field {name}"))
        return self.chosen(having, name)

    def chosen(self, having: Sequence[type], name: str) -> Any:
        """The field of the class that it is of, among some."""
        first, *rest = having
        body = next(body for body in self.bodies if type(body) is first)
        if not rest:
            return getattr(body, name)
        return CONDITIONAL[0](
            self.is_one_of([first]),
            lambda: getattr(body, name),
            lambda: self.chosen(rest, name),
        )


def _fields(kind: type) -> list[str]:
    return [f.name for f in dataclasses.fields(kind)]


def meeting(
    a: Any, b: Any, like: Callable[[Any], Any], is_object: Callable[[Any], bool]
) -> tuple[UnionCase, UnionCase] | None:
    """Two objects of dataclasses, or what is one of several, as values of one form; None if they
    are no such.  `like` gives an object of the same class, whatever it holds."""
    if not all(isinstance(x, UnionCase) or is_object(x) for x in (a, b)):
        return None
    bodies: dict[type, Any] = {}
    for x in (a, b):
        for body in x.bodies if isinstance(x, UnionCase) else (x,):
            bodies.setdefault(type(body), body)
    kinds = sorted(bodies, key=number_of)

    def whole(x: Any) -> UnionCase:
        own = {type(body): body for body in (x.bodies if isinstance(x, UnionCase) else (x,))}
        every = [own[kind] if kind in own else like(bodies[kind]) for kind in kinds]
        return UnionCase(x.case if isinstance(x, UnionCase) else number_of(type(x)), every)

    return whole(a), whole(b)


def number_of(kind: type) -> int:
    """The number of a class in the program that is made."""
    classes = current().classes
    return classes.setdefault(kind, len(classes))


def giver(value: UnionCase) -> Callable[[Any, Sequence[Any]], Any]:
    """What makes of a number, or an array of such, and of an object of each class (or of what has
    arrays for its fields) an object, or an array of objects."""
    places = {number_of(kind): place for place, kind in enumerate(value.kinds)}

    def give(case: Any, bodies: Sequence[Any]) -> Any:
        if np.ndim(case) == 0:
            return bodies[places[int(case)]]
        found = np.empty(len(case), object)
        for k, number in enumerate(case):
            found[k] = _element(bodies[places[int(number)]], k)
        return found

    return give


def _element(body: Any, k: int) -> Any:
    one = object.__new__(type(body))
    for name in _fields(type(body)):
        object.__setattr__(one, name, getattr(body, name)[k])
    return one
