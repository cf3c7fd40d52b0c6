"""What a template's function sees: texts that only a run knows, and records of them.

    text ::= str | bytes of it | Field | Each | a list or tuple of texts

A text that is not known is written into strings as a mark, so that f-strings, `%`, `+` and `join`
put it where it belongs; `split` finds the marks again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cogen.lang.errors import CogenError

MARK: Final = "\ufdd0{}\ufdd1"
"""Characters that no text has: they are none of Unicode's."""

_MARKS: Final = re.compile("\ufdd0([0-9]+)\ufdd1")


class TemplatePart:
    """Something that only a run knows: in strings, its mark."""

    def __init__(self, marks: list[TemplatePart]) -> None:
        self.marks = marks
        self.number = len(marks)
        marks.append(self)

    def __str__(self) -> str:
        return MARK.format(self.number)

    def __format__(self, specification: str) -> str:
        if specification:
            raise CogenError(f"a template cannot format a text by `{specification}`")
        return str(self)

    def __add__(self, other: Any) -> str:
        return f"{self}{text_of(other)}"

    def __radd__(self, other: Any) -> str:
        return f"{text_of(other)}{self}"

    def _refuse(self) -> CogenError:
        return CogenError(
            "a template's data are not known while it is made",
            hint="fields can be written into texts, and records gone through by map",
        )

    def __bool__(self) -> bool:
        raise self._refuse()

    def __iter__(self) -> Iterator[Any]:
        raise self._refuse()

    def __len__(self) -> int:
        raise self._refuse()


class CollectionField(TemplatePart):
    """A field of the records of a collection, or a parameter (then there is one record)."""

    def __init__(self, marks: list[TemplatePart], collection: str, name: str) -> None:
        super().__init__(marks)
        self.collection = collection
        self.name = name
        self.kind = "field"

    def __format__(self, specification: str) -> str:
        if specification == "d":
            return str(self.as_kind("number"))
        return super().__format__(specification)

    def as_kind(self, kind: str) -> CollectionField:
        """The same field, written in another way."""
        made = CollectionField(self.marks, self.collection, self.name)
        made.kind = kind
        return made


class EachRecord(TemplatePart):
    """A template for each record of a collection."""

    def __init__(self, marks: list[TemplatePart], collection: str, body: Any) -> None:
        super().__init__(marks)
        self.collection = collection
        self.body = body


class CollectionRecord:
    """A record of a collection: its attributes are its fields."""

    def __init__(self, marks: list[TemplatePart], collection: str) -> None:
        self._marks = marks
        self._collection = collection

    def __getattr__(self, name: str) -> CollectionField:
        if name.startswith("_"):
            raise AttributeError(name)
        return CollectionField(self._marks, self._collection, name)


class TemplateParameter(CollectionField):
    """A parameter: a text, or, if it is mapped over, a collection of records."""

    def __init__(self, marks: list[TemplatePart], name: str) -> None:
        super().__init__(marks, "", name)

    def map(self, body: Callable[[CollectionRecord], Any]) -> EachRecord:
        """What a function makes of each record, one after the other."""
        return EachRecord(self.marks, self.name, body(CollectionRecord(self.marks, self.name)))


def text_of(value: Any) -> str:
    """A template as a string with marks."""
    if isinstance(value, str):
        return value
    if isinstance(value, TemplatePart):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list | tuple):
        return "".join(map(text_of, value))
    raise CogenError(
        f"a template is a str, a field, or a list of templates, not {type(value).__name__}"
    )


def split(text: str, marks: list[TemplatePart]) -> list[str | TemplatePart]:
    """The known texts of a string, and the parts between them."""
    pieces = _MARKS.split(text)
    found: list[str | TemplatePart] = []
    for k, piece in enumerate(pieces):
        if k % 2:
            found.append(marks[int(piece)])
        elif piece:
            found.append(piece)
    return found


@dataclass(slots=True)
class ColumnLayout:
    """Which columns a template reads, in order, and which collections it goes through."""

    columns: list[tuple[str, str, bool]] = field(default_factory=list)
    """Collection, field, and whether it is of ints."""
    collections: list[str] = field(default_factory=list)

    def column(self, part: CollectionField) -> int:
        """The number of a field's column."""
        wanted = (part.collection, part.name, part.kind == "number")
        if (*wanted[:2], not wanted[2]) in self.columns:
            raise CogenError(f"the field {part.name} is written as a text and as a number")
        if wanted not in self.columns:
            self.columns.append(wanted)
        return self.columns.index(wanted)

    def collection(self, name: str) -> int:
        """The number of a collection."""
        if name not in self.collections:
            self.collections.append(name)
        return self.collections.index(name)
