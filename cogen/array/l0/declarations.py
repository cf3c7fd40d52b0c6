"""Declarations of records and unions, parsed -> their types and constructors.

    record point {real x, real y}
    union shape = circle {point centre, real radius} | square {point corner, real side} | nothing

Declarations stand in any order among the functions; none contains itself.  A record's name makes
it, and so does the name of each case: those are names of functions (`Constructor`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol

from cogen.array.l0 import tree
from cogen.array.l0.types import (
    BASIC_TYPES,
    CaseType,
    Declared,
    NamedTupleType,
    Type,
    has_uniqueness,
    limit_type,
    union_type,
)
from cogen.lang.errors import CogenError, Note, Span

if TYPE_CHECKING:
    from lark import Token, Tree

    Parsed = Tree[Token]

Fields = Sequence[tuple[str, Type]]


@dataclass(frozen=True, slots=True)
class Constructor:
    """What makes a record, or one case of a union; `number` is the case's."""

    type: Declared
    number: int
    span: Span

    @property
    def case(self) -> CaseType:
        return self.type.cases[self.number]


def constructors_of(declarations: Iterable[tree.Declaration]) -> dict[str, Constructor]:
    """The constructors by name.  CogenError where two have one name."""
    found: dict[str, Constructor] = {}
    for declaration in declarations:
        for number, case in enumerate(declaration.type.cases):
            made = Constructor(declaration.type, number, declaration.name.span)
            earlier = found.setdefault(case.name, made)
            if earlier is not made:
                raise CogenError(
                    f"`{case.name}` is declared twice",
                    declaration.name.span,
                    notes=[Note("the first declaration", earlier.span)],
                )
    return found


class Reading(Protocol):
    """What reads the parts of one file (`cogen.array.l0.parse`)."""

    def name(self, token: Any) -> tree.Name:
        """A name where it stands."""

    def parameters(self, parts: Any) -> tuple[tree.Parameter, ...]:
        """Types with names."""


class Declarations:
    """The types that a program declares, by name; made when they are asked for."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[Parsed, Reading]] = {}
        self._found: dict[str, Declared] = {}
        self._active: dict[str, Span] = {}

    def add(self, part: Parsed, reading: Reading) -> None:
        """A declaration of a file."""
        own = reading.name(part.children[0])
        if own.text in self._parts:
            first, before = self._parts[own.text]
            note = Note("the first declaration", before.name(first.children[0]).span)
            raise CogenError(f"`{own.text}` is declared twice", own.span, notes=[note])
        self._parts[own.text] = part, reading

    def all(self) -> tuple[tree.Declaration, ...]:
        """The declarations, in the order of the text."""
        made = []
        for text, (part, reading) in self._parts.items():
            name = reading.name(part.children[0])
            made.append(tree.Declaration(name.span, name, self.type(text, name.span)))
        return tuple(made)

    def type(self, text: str, span: Span) -> Declared:
        """The type of a name that stands at a place.  CogenError if it is none."""
        found = self._found.get(text)
        if found is None:
            if text in self._active:
                raise CogenError(
                    f"`{text}` contains itself",
                    span,
                    "records and unions lie in arrays side by side: use the index of an element",
                )
            self._active[text] = span
            found = self._made(*self._part(text, span))
            limit_type(found, span)
            del self._active[text]
            self._found[text] = found
        return found

    def _part(self, text: str, span: Span) -> tuple[Parsed, Reading]:
        part = self._parts.get(text)
        if part is None:
            near = get_close_matches(text, [*self._parts, *BASIC_TYPES], n=1)
            hint = f"did you mean `{near[0]}`?" if near else None
            raise CogenError(f"there is no type `{text}`", span, hint)
        return part

    def _made(self, part: Parsed, reading: Reading) -> Declared:
        head, *rest = [child for child in part.children if child is not None]
        name = reading.name(head)
        if part.data == "record":
            fields = _fields(rest, reading)
            names = tuple([field for field, _ in fields])
            return NamedTupleType(tuple([t for _, t in fields]), name.text, names)
        cases = [case for case in rest if not isinstance(case, str)]  # `|` is a token
        seen: dict[str, tree.Name] = {}
        made = []
        for case in cases:
            own = reading.name(case.children[0])
            _once(own, seen, "case")
            made.append((own.text, _fields(case.children[1:], reading)))
        return union_type(name.text, made)


def _fields(parts: Sequence[object], reading: Reading) -> Fields:
    fields = reading.parameters(parts)
    seen: dict[str, tree.Name] = {}
    for field in fields:
        _once(field.name, seen, "field")
        if has_uniqueness(field.type):
            raise CogenError("fields are not declared unique", field.name.span)
    return [(field.name.text, field.type) for field in fields]


def _once(name: tree.Name, seen: dict[str, tree.Name], what: str) -> None:
    earlier = seen.setdefault(name.text, name)
    if earlier is not name:
        note = Note("the first one", earlier.span)
        raise CogenError(f"the {what} `{name.text}` is there twice", name.span, notes=[note])


def no_field(name: tree.Name, fields: Sequence[str] | Mapping[str, object], of: str) -> CogenError:
    """The error for a field that there is not."""
    near = get_close_matches(name.text, [*fields], n=1)
    hint = f"did you mean `{near[0]}`?" if near else None
    if not near and fields:
        hint = f"its fields are {', '.join([f'`{field}`' for field in fields])}"
    return CogenError(f"{of} has no field `{name.text}`", name.span, hint)
