"""Arrays of objects of several dataclasses as arguments: the number of each object's class, and an
array for each field of each class, with 0 where an object is of another one.

    [Cartesian(1.0, 2.0), Polar(3.0, 0.5)]      numbers 0 1; re 1.0 0.0, im 2.0 0.0; r 0.0 3.0, ...
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from cogen.lang.errors import CogenError
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stagedunions import UnionCase, number_of
from cogen.staging.valueparts import is_dataclass_value

Columns = list[np.ndarray[Any, Any]]


def variants_of(value: Any, what: str) -> tuple[tuple[type, ...], Columns] | None:
    """The classes of an array of objects, in the order of their names, and the numbers and fields;
    None for what is no such array.  CogenError for fields that are no numbers."""
    if not (isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 1):
        return None
    objects = list(value)
    if not objects or not all(map(is_dataclass_value, objects)):
        return None
    classes = sorted({*map(type, objects)}, key=lambda kind: (kind.__module__, kind.__qualname__))
    numbers = np.array([classes.index(type(one)) for one in objects], np.int64)
    columns = [numbers]
    for number, kind in enumerate(classes):
        places = np.flatnonzero(numbers == number)
        for field in dataclasses.fields(kind):
            given = np.array([getattr(objects[place], field.name) for place in places])
            if given.dtype.kind not in "bif" or given.ndim != 1:
                raise CogenError(
                    f"{what} has objects of `{kind.__name__}`, whose `{field.name}` is no number",
                    hint="objects in arrays have numbers and truth values for fields",
                )
            wide = {"b": np.bool_, "i": np.int64, "f": np.float64}[given.dtype.kind]
            column: np.ndarray[Any, Any] = np.zeros(len(objects), wide)
            column[places] = given
            columns.append(column)
    return tuple(classes), columns


def prototypes(classes: tuple[type, ...], fields: list[Any]) -> list[Any]:
    """An object of each class, with arrays for its fields."""
    rest = iter(fields)
    made = []
    for kind in classes:
        one: Any = object.__new__(kind)
        for field in dataclasses.fields(kind):
            object.__setattr__(one, field.name, next(rest))
        made.append(one)
    return made


def variant(classes: tuple[type, ...], case: Array, fields: list[Any]) -> UnionCase:
    """The staged array of such objects."""
    numbers = [number_of(kind) for kind in classes]
    if numbers != list(range(len(numbers))):  # the program has others, too
        case = as_array(np.array(numbers))[case]
    bodies = prototypes(classes, fields)
    return UnionCase(case, sorted(bodies, key=lambda body: number_of(type(body))))
