"""What is known of the arguments of calls: those of which the same is known call one procedure
(`cogen.staging.stagedprocedures`).

f(n, 3, a)      n: a slot; 3: a number that is known; a: this array

Numbers and arrays that are others in each call are *handed over*, as slots are: `paths` says where
in the arguments these are.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

import numpy as np

from cogen.staging.carriedvalues import structure
from cogen.staging.joinvalues import is_array
from cogen.staging.listelements import changeable_parts
from cogen.staging.stagedarrays import as_array
from cogen.staging.stagedscalars import Scalar, is_number, scalar
from cogen.staging.stagedtables import StagedTable
from cogen.staging.valueparts import parts_of

Path = tuple[Any, ...]


@dataclass(slots=True, eq=False)
class CallKey:
    """What is known of the arguments of a call: of each part its place, its kind, what tells it
    from others of its kind, and itself."""

    leaves: list[tuple[Path, str, Any, Any]]

    @property
    def rest(self) -> list[tuple[Path, str, Any]]:
        """All but which numbers, arrays and lists they are."""
        return [(path, kind, type(x) if kind == "number" else told)
                for path, kind, told, x in self.leaves]  # fmt: skip

    def differing(self, other: CallKey) -> tuple[set[Path], set[Path]]:
        """The known numbers, and the arrays and lists, that are others in another call."""
        pairs = list(zip(self.leaves, other.leaves, strict=True))
        numbers = {a[0] for a, b in pairs if a[1] == "number" and repr(a[3]) != repr(b[3])}
        return numbers, {a[0] for a, b in pairs if a[1] in HELD and a[3] is not b[3]}


HELD: Final = ("array", "list")
"""Kinds of what may be changed: the same one is known, and others are handed over."""


def call_key(f: FunctionType, args: Any, options: Any, paths: set[Path]) -> CallKey:
    """What is known of the arguments of a call."""
    bound = inspect.signature(f).bind(*args, **options)
    bound.apply_defaults()
    return CallKey([x for name, value in bound.arguments.items()
                    for x in key_parts(value, (name,), paths)])  # fmt: skip


def key_parts(value: Any, path: Path, paths: set[Path]) -> Iterator[tuple[Path, str, Any, Any]]:
    """What is known of a part of an argument, as `CallKey.leaves` has it."""
    if is_array(value):
        a = as_array(value)
        yield path, "array", (a.element.name, a.ndim, a.ones), value
        return
    found = parts_of(value)
    if found is not None and (is_value(value) or path in paths):
        yield (*path, "shape"), "shape", str(structure(value)), None
        for name, part in zip(part_names(value, found[0]), found[0], strict=True):
            yield from key_parts(part, (*path, name), paths)
    elif found is not None:
        yield path, "list", str(structure(value)), value
    elif isinstance(value, Scalar):
        yield path, "slot", value.type.name, value
    elif isinstance(value, bool | np.bool_) or not is_number(value):
        plain = isinstance(value, str | bytes | bool | np.bool_ | type(None))
        yield path, "known", (type(value), value if plain else id(value)), value
    else:
        yield path, "number", (type(value), repr(value)), value


def is_value(x: Any) -> bool:
    """Whether nothing may change it."""
    return not isinstance(x, list | dict | StagedTable) and next(changeable_parts(x), None) is not x


def part_names(value: Any, parts: Sequence[Any]) -> Sequence[Any]:
    """How the parts of a value are told from each other."""
    return list(value) if type(value) is dict else range(len(parts))


def is_handed(path: Path, kind: str, paths: set[Path]) -> bool:
    """Whether a part of an argument is handed over."""
    if kind == "array":
        return path in paths
    return kind == "slot" or (kind == "number" and path in paths)


def handed_parts(key: CallKey, paths: set[Path]) -> list[Any]:
    """The parts of arguments that are handed over."""
    return [
        scalar(x) if kind != "array" else as_array(x)
        for path, kind, _, x in key.leaves
        if is_handed(path, kind, paths)
    ]


def known_parts(key: CallKey, paths: set[Path]) -> list[Any]:
    """What is known of arguments: calls that have this in common call one procedure."""
    found: list[Any] = []
    for path, kind, told, x in key.leaves:
        if kind in HELD and not is_handed(path, kind, paths):
            found.append((path, kind, id(x)))
        elif kind == "number" and path in paths:
            found.append((path, "slot", scalar(x).type.name))
        else:
            found.append((path, kind, told))
    return found


def is_same_function(one: FunctionType, other: FunctionType) -> bool:
    """Whether two functions have one text, and share the variables around them."""
    cells = one.__closure__ or (), other.__closure__ or ()
    return one.__code__ is other.__code__ and all(a is b for a, b in zip(*cells, strict=True))
