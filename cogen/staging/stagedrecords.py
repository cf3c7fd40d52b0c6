"""Staged records.

StagedRecord  one record: its fields by name
Records       an array of records: an array for each field
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedcomplex import ComplexArray
from cogen.staging.stagedscalars import (
    Staged,
)

NONE: Final[Mapping[str, str]] = {}


class StagedRecord(Staged):
    """One record: its fields by name."""

    __slots__ = ("fields", "others")

    def __init__(self, fields: Mapping[str, Any], others: Mapping[str, str] = NONE) -> None:
        self.fields = dict(fields)
        self.others = others

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, int):
            return list(self.fields.values())[name]
        return _field(self.fields, name, self.others)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _field(self.fields, name, self.others)

    def __iter__(self) -> Any:
        return iter(self.fields.values())

    def __copy__(self) -> Any:
        """Another record with the same fields."""
        return StagedRecord({name: copy.copy(x) for name, x in self.fields.items()}, self.others)


def _field(fields: Mapping[str, Any], name: Any, others: Mapping[str, str] = NONE) -> Any:
    if name in others:
        fail(others[name])
    if name not in fields:
        fail(f"there is no field {name!r}", f"there are {', '.join(fields)}")
    return fields[name]


class Records(Staged):
    """An array of records, kept as an array for each field; `others` says of fields that cannot be
    read why."""

    __slots__ = ("fields", "others")

    def __init__(self, fields: Mapping[str, Any], others: Mapping[str, str] = NONE) -> None:
        self.fields = dict(fields)
        self.others = others

    def first(self) -> Array:
        """The array of the first field."""
        found = next(iter(self.fields.values()))
        while isinstance(found, Records | ComplexArray):
            found = found.first()
        assert isinstance(found, Array)
        return found

    @property
    def dtype(self) -> Any:
        """What NumPy calls the type of the records."""
        return np.dtype([(str(name), a.dtype) for name, a in self.fields.items()])

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes."""
        return self.first().shape[: self.ndim]

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return int(min([a.ndim for a in self.fields.values()]))

    def __copy__(self) -> Any:
        """Another array with the same records."""
        return self.copy()

    @property
    def size(self) -> Any:
        """How many records there are."""
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return _field(self.fields, index, self.others)
        if isinstance(index, list) and index and all(isinstance(x, str) for x in index):
            return Records({name: _field(self.fields, name) for name in index})
        found = {name: field[index] for name, field in self.fields.items()}
        whole = all(isinstance(x, Array | Records | ComplexArray) for x in found.values())
        return Records(found, self.others) if whole else StagedRecord(found, self.others)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, str):
            self.fields[index][...] = value
            return
        for name, field in self.fields.items():
            field[index] = value[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "copy":
            return lambda: Records({n: a.copy() for n, a in self.fields.items()}, self.others)
        return _field(self.fields, name, self.others)
