"""Checks what records and unions are made of, read by, and told apart by."""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.l0 import tree
from cogen.array.l0.declarations import Constructor, no_field
from cogen.array.l0.scopes import TypeScopes, conversion, plural
from cogen.array.l0.types import (
    INT,
    ArrayType,
    CaseType,
    NamedTupleType,
    Type,
    UnionType,
    limit_type,
    rank,
    row_type,
    show_type,
)
from cogen.lang.errors import CogenError, Note, Span


def readable_fields(t: NamedTupleType | UnionType) -> dict[str, int]:
    """The fields that a value has whatever its case is, and which parts they are."""
    first, *others = t.cases
    found = dict(zip(first.fields, first.places, strict=True))
    for case in others:
        own = set(zip(case.fields, case.places, strict=True))
        found = {name: place for name, place in found.items() if (name, place) in own}
    return found


def arm_case(arm: tree.Arm, t: NamedTupleType | UnionType) -> CaseType | None:
    """The case that an arm is for; None for all that are left.  CogenError if there is none."""
    if arm.name is None:
        return None
    for case in t.cases:
        if case.name == arm.name.text:
            return case
    listed = ", ".join([f"`{case.name}`" for case in t.cases])
    raise CogenError(
        f"`{t.name}` has no case `{arm.name.text}`", arm.name.span, f"its cases are {listed}"
    )


class NameCheck(TypeScopes):
    """The part of the check that concerns records and unions."""

    def field(self, e: tree.Field) -> Type:
        whole = self.expression(e.whole)
        dimensions = rank(whole)
        found = limit_type(_arrays(self.part(e.name, row_type(whole, dimensions)), whole), e.span)
        if dimensions > 1:
            raise CogenError(
                f"fields are read of one record or of an array of them, not of {show_type(whole)}",
                e.name.span,
                "map over its rows",
            )
        if not e.indices:
            return found
        if rank(found) < len(e.indices):
            raise CogenError(
                f"`{e.name.text}` is {show_type(found)} and takes at most "
                f"{plural(rank(found), 'index').replace('indexs', 'indices')}",
                e.span,
            )
        for index in e.indices:
            self.expect(index, INT, "an index")
        return row_type(found, len(e.indices))

    def part(self, name: tree.Name, t: Type) -> Type:
        """The type of a field of a value."""
        if not isinstance(t, (NamedTupleType, UnionType)):
            raise CogenError(
                f"only records have fields, but this is {show_type(t)}",
                name.span,
                "let {x, y} = e in ... gives names to the parts of a tuple",
            )
        fields = readable_fields(t)
        if name.text in fields:
            return t.parts[fields[name.text]]
        if isinstance(t, UnionType) and any(name.text in case.fields for case in t.cases):
            raise CogenError(
                f"not every `{t.name}` has a field `{name.text}`",
                name.span,
                "case e of {...} tells them apart",
            )
        raise no_field(name, fields, f"`{t.name}`")

    def made(self, e: tree.Made) -> Type:
        constructor = self.facts.constructors.get(e.name.text)
        if constructor is None:
            raise CogenError(f"there is no record or case `{e.name.text}`", e.name.span)
        case = constructor.case
        fields = dict(zip(case.fields, case.types, strict=True))
        self.given(e.fields, fields, f"`{case.name}`")
        named = {given.name.text for given in e.fields}
        missing = [name for name in case.fields if name not in named]
        if missing:
            raise _missing(missing, constructor, e.span)
        return constructor.type

    def changed(self, e: tree.Changed) -> Type:
        whole = self.expression(e.whole)
        for given in e.fields:
            self.part(given.name, whole)
        assert isinstance(whole, (NamedTupleType, UnionType))
        parts = readable_fields(whole)
        fields = {name: whole.parts[place] for name, place in parts.items()}
        self.given(e.fields, fields, f"`{whole.name}`")
        return whole

    def given(self, fields: Sequence[tree.Given], types: dict[str, Type], of: str) -> None:
        """Check what fields are given."""
        seen: dict[str, tree.Name] = {}
        for given in fields:
            name = given.name
            if name.text not in types:
                raise no_field(name, types, of)
            earlier = seen.setdefault(name.text, name)
            if earlier is not name:
                note = Note("the first one", earlier.span)
                raise CogenError(f"`{name.text}` is given twice", name.span, notes=[note])
            found = self.expression(given.value)
            if found != types[name.text]:
                raise CogenError(
                    f"the field `{name.text}` of {of} must be {show_type(types[name.text])}, "
                    f"but is {show_type(found)}",
                    tree.last(given.value).span,
                    conversion(types[name.text], found),
                )

    def case(self, e: tree.CaseExpression) -> Type:
        t = self.expression(e.value)
        if not isinstance(t, (NamedTupleType, UnionType)):
            raise CogenError(
                f"`case` tells the cases of a union apart, but this is {show_type(t)}",
                tree.last(e.value).span,
            )
        left = {case.name: case for case in t.cases}
        found: list[Type] = []
        for arm in e.arms:
            case = arm_case(arm, t)
            if not left or (case is not None and case.name not in left):
                raise CogenError("this arm is never reached", arm.span)
            found.append(self.under(self.arm_names(arm, case), arm.body))
            if found[-1] != found[0]:
                first = tree.last(e.arms[0].body).span
                note = Note(f"the first arm is {show_type(found[0])}", first)
                raise CogenError(
                    f"all arms have one type, but this one is {show_type(found[-1])}",
                    tree.last(arm.body).span,
                    conversion(found[0], found[-1]),
                    [note],
                )
            if case is None:
                left.clear()
            else:
                del left[case.name]
        if left:
            missing = ", ".join([f"`{name}`" for name in left])
            raise CogenError(f"no arm is for {missing}", e.span, "`_ => e` is for all the others")
        return found[0]

    def arm_names(self, arm: tree.Arm, case: CaseType | None) -> list[tuple[tree.Name, Type]]:
        """What an arm binds."""
        if case is None or arm.patterns is None:
            return []
        names = []
        for pattern, place in zip(arm.patterns, arm_fields(arm, case), strict=True):
            names += self.matched(pattern, case.types[place], arm.span)
        return names


def arm_fields(arm: tree.Arm, case: CaseType) -> list[int]:
    """Which of the case's fields the patterns of an arm are for."""
    assert arm.patterns is not None
    if arm.names is None:
        if len(arm.patterns) != len(case.fields):
            raise CogenError(
                f"`{case.name}` has {plural(len(case.fields), 'field')}, not {len(arm.patterns)}",
                arm.span,
                f"{case.name} {{{', '.join(case.fields)}}} names those that are wanted",
            )
        return list(range(len(case.fields)))
    for name in arm.names:
        if name.text not in case.fields:
            raise no_field(name, case.fields, f"`{case.name}`")
    return [case.fields.index(name.text) for name in arm.names]


def _arrays(t: Type, like: Type) -> Type:
    """An array of a type of as many dimensions as another has."""
    for _ in range(rank(like)):
        t = ArrayType(t)
    return t


def _missing(names: Sequence[str], constructor: Constructor, span: Span) -> CogenError:
    listed = ", ".join([f"`{name}`" for name in names])
    return CogenError(
        f"`{constructor.case.name}` is not given {listed}",
        span,
        notes=[Note("it is declared here", constructor.span)],
    )
