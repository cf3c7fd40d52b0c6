"""Templates: a function that makes a text -> native code that render.scm becomes."""

from __future__ import annotations

import inspect
from array import array
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

import cogen
from cogen.boundary import public
from cogen.lang.errors import CogenError
from cogen.templates.parts import (
    CollectionField,
    ColumnLayout,
    EachRecord,
    TemplateParameter,
    TemplatePart,
    split,
    text_of,
)

PROGRAM: Final = Path(__file__).with_name("render.scm")

UNROLLED: Final = 64
"""The longest text that is written without a loop."""

LONGEST_ENTITY: Final = 5
MOST_DIGITS: Final = 20


def template(function: Callable[..., Any]) -> Template:
    """A template of a function of texts and collections of records, which gives a text.

    The function is called once, with what stands for its arguments: a parameter, and a field of a
    record, can be written into texts (as HTML: `&`, `<`, `>` and quotes are escaped); `map` of a
    collection gives what a function makes of each record.
    """
    return Template(function)


@public
def raw(field: Any) -> Any:
    """A field as it is, without escapes; CogenError for what is none."""
    if not isinstance(field, CollectionField):
        raise CogenError(f"raw takes a field, not {type(field).__name__}")
    return field.as_kind("raw")


class Template:
    """Called with keyword arguments: a text is a str, a collection a dictionary of columns, which
    are lists of str, or of ints where the template writes them as `{field:d}`.  The result is a
    str.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "template")
        self.__doc__ = function.__doc__

    def __repr__(self) -> str:
        return f"<template {self.__name__}>"

    @cached_property
    def _made(self) -> tuple[Any, ColumnLayout]:
        """The template as data, and the columns that it reads."""
        marks: list[TemplatePart] = []
        names = inspect.signature(self.function).parameters
        found = self.function(*[TemplateParameter(marks, name) for name in names])
        layout = ColumnLayout()
        return _data(text_of(found), "", marks, layout), layout

    @cached_property
    def residual(self) -> cogen.Residual:
        """The residual program: from the numbers of records, the columns and the output to how many
        bytes were written."""
        data, layout = self._made
        top = [k for k, (collection, _, _) in enumerate(layout.columns) if not collection]
        numbers = [cogen.dynamic("int") for _ in layout.collections]
        buffers = [cogen.dynamic("memory") for _ in layout.columns]
        return cogen.specialize(
            _program(), "render", cogen.static(_shown(data)), cogen.static(top),
            cogen.list_(*numbers), cogen.list_(*buffers), cogen.dynamic("memory"), word_size=8,
        )  # fmt: skip

    @cached_property
    def _native(self) -> Callable[..., Any]:
        return self.residual.compile()

    @cached_property
    def _known_bytes(self) -> Callable[[Sequence[int]], int]:
        data, _ = self._made
        return lambda counts: _size(data, counts)

    def __call__(self, **arguments: Any) -> str:
        """The text."""
        written, size = self._rendered(arguments)
        return str(written[:size], "utf-8")

    def bytes(self, **arguments: Any) -> bytes:
        """The text in UTF-8."""
        written, size = self._rendered(arguments)
        return bytes(written[:size])

    def _rendered(self, arguments: dict[str, Any]) -> tuple[memoryview, int]:
        _, layout = self._made
        counts = [_count(name, arguments) for name in layout.collections]
        columns = [_column(*column, arguments) for column in layout.columns]
        room = self._known_bytes(counts)
        for (_, _, of_ints), column in zip(layout.columns, columns, strict=True):
            room += column.size // 8 * MOST_DIGITS if of_ints else len(column) * LONGEST_ENTITY
        out = np.empty(self._uses * room + MOST_DIGITS, np.uint8)
        size = self._native(*counts, *columns, out)
        if size < 0:
            raise CogenError(f"{self.__name__}: a text has a character 0")
        return out.data, size

    @cached_property
    def _uses(self) -> int:
        """How often a column is written at most."""
        data, layout = self._made
        return max([1, *(_occurs(data, k) for k in range(len(layout.columns)))])


def _data(text: str, collection: str, marks: list[TemplatePart], layout: ColumnLayout) -> Any:
    """The template of a string with marks, inside of a repetition or of none."""
    parts: list[Any] = []
    for part in split(text, marks):
        if isinstance(part, str):
            known = part.encode()
            if len(known) <= UNROLLED:
                parts.append(["text", list(known)])
            else:
                parts.append(["long", known])
        elif isinstance(part, CollectionField):
            if part.collection not in ("", collection):
                raise CogenError(f"the field {part.name} is used outside of its map")
            if part.collection != collection:
                raise CogenError(f"the parameter {part.name} is used inside of a map")
            parts.append([part.kind, layout.column(part)])
        elif isinstance(part, EachRecord):
            if collection:
                raise CogenError("a map inside of a map goes through the records of another")
            body = _data(text_of(part.body), part.collection, marks, layout)
            used = [k for k, (of, _, _) in enumerate(layout.columns) if of == part.collection]
            used = [k for k in used if _occurs(body, k)]
            number = layout.collection(part.collection)
            parts.append(["each", number, used, body])
    return ["all", *parts]


def _shown(data: Any) -> Any:
    """The template as render.scm takes it: with symbols."""
    name, *rest = data
    if name == "all":
        rest = list(map(_shown, rest))
    elif name == "each":
        rest[-1] = _shown(rest[-1])
    return [cogen.symbol(name), *rest]


def _occurs(data: Any, column: int) -> int:
    """How often a template writes a column."""
    match data[0]:
        case "text" | "long":
            return 0
        case "all":
            return sum(_occurs(part, column) for part in data[1:])
        case "each":
            return _occurs(data[3], column)
    return int(data[1] == column)


def _size(data: Any, counts: Sequence[int]) -> int:
    """The bytes of a template's known texts."""
    match data[0]:
        case "text" | "long":
            return len(data[1])
        case "all":
            return sum(_size(part, counts) for part in data[1:])
        case "each":
            return int(counts[data[1]]) * _size(data[3], counts)
    return 0


def _count(name: str, arguments: dict[str, Any]) -> int:
    """The number of records of a collection, whose columns are as long as each other."""
    columns = _argument(name, arguments)
    if not isinstance(columns, dict):
        raise CogenError(f"{name} is a collection: a dictionary of columns")
    sizes = {field: len(column) for field, column in columns.items()}
    for (first, size), (second, other) in pairwise(sizes.items()):
        if size != other:
            raise CogenError(f"{name}: {first} has {size} records, {second} has {other}")
    return next(iter(sizes.values()), 0)


def _argument(name: str, arguments: dict[str, Any]) -> Any:
    if name not in arguments:
        raise CogenError(f"the argument {name} is missing")
    return arguments[name]


def _column(collection: str, name: str, of_ints: bool, arguments: dict[str, Any]) -> Any:
    """The buffer of a column: texts, each ended by a byte 0, or ints."""
    if collection:
        columns = _argument(collection, arguments)
        if name not in columns:
            raise CogenError(f"{collection} has no column {name}")
        values = columns[name]
    else:
        values = [_argument(name, arguments)]
    if of_ints:
        try:
            return np.frombuffer(array("q", values), np.uint8)
        except (TypeError, ValueError, OverflowError):
            raise CogenError(f"{name} is written as an int, and not all of it are") from None
    try:
        return "\0".join(values).encode()
    except TypeError:
        raise CogenError(f"{name} is a text, and not all of it are str") from None


@cache
def _program() -> Any:
    return cogen.load(PROGRAM)
