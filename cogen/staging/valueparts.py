"""Values of several parts: tuples, lists, dictionaries, dataclasses and records, taken apart.

flatten((1, {"x": a}))  ->  [1, a] and a function that puts other leaves together so
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cogen.staging.pooledlists import PooledList, one_pool
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedcomplex import as_complex, complex_of, is_complex, parts_of_number
from cogen.staging.stagedlists import OPERATIONS, StagedList
from cogen.staging.stagedoptionals import StagedOptional, optional
from cogen.staging.stagedrecords import Records, StagedRecord
from cogen.staging.stagedscalars import Scalar, is_number
from cogen.staging.stagedtables import StagedTable
from cogen.staging.stagedtexts import StagedCharacter, StagedText, is_text, string_of, text_like
from cogen.staging.stagedunions import UnionCase

Build = Callable[[Iterator[Any]], Any]
"""Takes the leaves that it needs, in order."""


def is_dataclass_value(value: Any) -> bool:
    """Whether a value is an object of a dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def parts_of(value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """The parts of a value and what makes such a value of others; None for a leaf."""
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return list(value), lambda parts: type(value)(*parts)
        return list(value), tuple
    if isinstance(value, StagedList):
        return _parts_of_list(value)
    if isinstance(value, StagedTable):
        return value.parts(), value.of
    if isinstance(value, PooledList):
        pool = value.pool
        return [value.handle], lambda parts: PooledList(pool, *parts)
    if type(value) is list:
        return list(value), list
    if type(value) is dict:
        keys = list(value)
        return list(value.values()), lambda parts: dict(zip(keys, parts, strict=True))
    if isinstance(value, StagedRecord | Records):
        names = list(value.fields)
        kind, others = type(value), value.others
        made = list(value.fields.values())
        return made, lambda parts: kind(dict(zip(names, parts, strict=True)), others)
    if isinstance(value, StagedOptional):
        return [value.is_there, value.value], lambda parts: optional(*parts)
    if is_complex(value):
        return list(parts_of_number(value)), lambda parts: complex_of(*parts)
    if isinstance(value, StagedCharacter):
        return [value.code], lambda parts: string_of(*parts)
    if isinstance(value, StagedText):
        return [value.array, value.length], lambda parts: string_of(*parts)
    if isinstance(value, UnionCase):
        return [value.case, *value.bodies], lambda parts: UnionCase(parts[0], parts[1:])
    if is_dataclass_value(value):
        fields = [f.name for f in dataclasses.fields(value)]
        return [getattr(value, f) for f in fields], lambda parts: with_fields(value, fields, parts)
    return None


def _parts_of_list(value: StagedList) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """The elements of a list that is known; else the arrays that hold them."""
    if value.is_known:
        return value.elements(), StagedList
    rows = value.rows
    assert rows is not None
    leaves: list[Any] = list(rows.leaves)
    if rows.count is not None:
        leaves.append(rows.count)

    def made(parts: list[Any]) -> Any:
        own = list(parts)
        count = own.pop() if rows.count is not None else None
        return StagedList((), rows.of(own, count))

    return leaves, made


def with_fields(value: Any, names: list[str], parts: list[Any]) -> Any:
    """An object like another, with other fields; nothing of the class runs."""
    made = copy.copy(value)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(made, name, part)
    return made


def shape_of(value: Any) -> Any:
    """What values of one structure have in common; None for a leaf."""
    if isinstance(value, tuple):
        return tuple, type(value), len(value)
    if isinstance(value, StagedList) and not value.is_known:
        assert value.rows is not None
        return StagedList, value.rows.shape, value.rows.count is None
    if isinstance(value, StagedList) or type(value) is list:
        return list, len(value)
    if isinstance(value, StagedTable):
        return value.shape()
    if isinstance(value, PooledList):
        return PooledList, value.pool.place
    if type(value) is dict:
        return dict, tuple(value)
    if isinstance(value, StagedRecord | Records):
        return type(value), tuple(value.fields)
    if isinstance(value, StagedOptional):
        return StagedOptional, shape_of(value.value)
    if is_complex(value):
        return complex, getattr(value, "ndim", 0)
    if isinstance(value, StagedCharacter | StagedText):
        return (type(value),)
    if isinstance(value, UnionCase):
        return UnionCase, value.kinds
    if is_dataclass_value(value):
        return type(value), tuple([f.name for f in dataclasses.fields(value)])
    return None


def flatten(value: Any) -> tuple[list[Any], Build]:
    """The leaves of a value, left to right, and what puts leaves together like it."""
    found = parts_of(value)
    if found is None:
        return [value], next
    parts, make = found
    leaves: list[Any] = []
    builds: list[Build] = []
    for part in parts:
        inner, build = flatten(part)
        leaves += inner
        builds.append(build)
    return leaves, lambda given: make([build(given) for build in builds])


def pools_of(value: Any) -> Iterator[Any]:
    """For each leaf of a value the pool, if it is the number of a list in one."""
    found = parts_of(value)
    if isinstance(value, PooledList):
        yield value.pool
    elif found is None:
        yield None
    else:
        for part in found[0]:
            yield from pools_of(part)


def rebuild(build: Build, leaves: list[Any]) -> Any:
    """The value of some leaves."""
    return build(iter(leaves))


def widened(value: Any, other: Any) -> Any:
    """A value with complex numbers in the place of reals where another one has them."""
    if isinstance(value, PooledList) or isinstance(other, PooledList):
        one_pool(value, other)
        return value
    if is_text(other):
        return text_like(value, other)
    if is_complex(other):
        return as_complex(value) if _is_real(value) else value
    is_range = isinstance(value, range) or hasattr(type(value), "at")
    if isinstance(other, StagedList) and (isinstance(value, StagedList) or is_range):
        value = OPERATIONS["widened"](value, other)
    found, wanted = parts_of(value), parts_of(other)
    if found is None or wanted is None or shape_of(value) != shape_of(other):
        return value
    pairs = zip(found[0], wanted[0], strict=True)
    parts = [widened(a, b) for a, b in pairs]
    same = all(a is b for a, b in zip(parts, found[0], strict=True))
    return value if same else found[1](parts)


def _is_real(value: Any) -> bool:
    """Whether a value is a number or an array, but not of complex numbers."""
    real = isinstance(value, Scalar | Array | np.ndarray) or is_number(value)
    return real and not is_complex(value)
