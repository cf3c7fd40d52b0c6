"""Records of several types at one place: tagged unions (seed 002, "unions and inheritance").

    (if c (make-cart x y) (make-polar r phi))
    if c then {0, x, y, 0.0, 0.0} else {1, 0.0, 0.0, r, phi}

A union is the number of a record type, and the fields of all types that meet, of which two with one
name and type are one; what a record does not have is null.  The types are in the order of their
names.  A union of few types becomes one of more where it meets another.
"""

from __future__ import annotations

from typing import Protocol

from cogen.array.l0 import tree
from cogen.array.l0.types import (
    NULLS,
    ArrayType,
    NamedTupleType,
    TupleType,
    Type,
    UnionType,
    plain,
    union_type,
)
from cogen.array.scheme.symbolicvalues import (
    RecordKind,
    SymbolicNumber,
    SymbolicParts,
    UnionKind,
    Value,
    kind_of_type,
)
from cogen.lang.errors import Span


class NameSource(Protocol):
    """Names, each given once."""

    def fresh(self, hint: str) -> str:
        """A name that people recognise."""
        ...


class CodeInTheMaking(Protocol):
    """Code in the making (`cogen.array.scheme.l0code`)."""

    @property
    def names(self) -> NameSource:
        """The names of the program."""
        ...

    def within(self) -> CodeInTheMaking:
        """Code of a function in this code."""
        ...

    def close(self, e: tree.Expression) -> tree.Expression:
        """The expression under all bindings."""
        ...

    def let(self, hint: str, e: tree.Expression, t: Type) -> Value:
        """Bind a value to a name."""
        ...

    def expression(self, value: Value, span: Span) -> tuple[tree.Expression, Type]:
        """A new expression of a value, and its type."""
        ...


def meeting(a: Type, b: Type) -> Type | None:
    """The type of what is of one type or the other; None if there is none."""
    if a == b:
        return a
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        element = meeting(a.element, b.element)
        return None if element is None else ArrayType(element)
    if isinstance(a, NamedTupleType | UnionType) and isinstance(b, NamedTupleType | UnionType):
        return _union(a, b)
    if type(a) is TupleType and type(b) is TupleType and len(a.parts) == len(b.parts):
        parts = [meeting(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
        known = tuple([part for part in parts if part is not None])
        return TupleType(known) if len(known) == len(parts) else None
    return None


def union_of(records: list[NamedTupleType]) -> UnionType | None:
    """The union of record types; None where two of one name have fields of different types."""
    cases: dict[str, NamedTupleType] = {}
    for record in records:
        if cases.setdefault(record.name, record) != record:
            return None
    ordered = [cases[name] for name in sorted(cases)]
    fields = [(r.name, list(zip(r.names, r.parts, strict=True))) for r in ordered]
    return union_type("_or_".join([r.name for r in ordered]), fields)


def _union(a: NamedTupleType | UnionType, b: NamedTupleType | UnionType) -> UnionType | None:
    return union_of([NamedTupleType(c.types, c.name, c.fields) for t in (a, b) for c in t.cases])


def widened(code: CodeInTheMaking, value: Value, t: Type, span: Span) -> Value:
    """A record, or a tuple or an array with some, as one of a type that it meets."""
    if isinstance(t, ArrayType) and code.expression(value, span)[1] != t:
        return _as_array(code, value, t, span)
    if isinstance(value, SymbolicParts) and isinstance(t, TupleType):
        if isinstance(t, UnionType):
            return as_union(code, value, t, span)
        pairs = zip(value.parts, t.parts, strict=True)
        return SymbolicParts(
            tuple([widened(code, part, p, span) for part, p in pairs]), value.record
        )
    return value


def _as_array(code: CodeInTheMaking, value: Value, t: ArrayType, span: Span) -> Value:
    array, own = code.expression(value, span)
    assert isinstance(own, ArrayType)
    inside = code.within()
    name = tree.Name(span, inside.names.fresh("x"))
    element = inside.let("x", tree.VariableExpression(span, name), own.element)
    made = inside.expression(widened(inside, element, t.element, span), span)[0]
    parameters = (tree.Parameter(name, plain(own.element)),)
    function = tree.LambdaExpression(span, plain(t.element), parameters, inside.close(made))
    return code.let("a", tree.SoacExpression(span, "map", False, (function,), None, (array,)), t)


def is_part(kind: RecordKind | UnionKind | None, t: UnionType) -> bool:
    """Whether records of a type, or of one of several, are of one of a union's."""
    known = kind_of_type(t)
    assert isinstance(known, UnionKind)
    own = [of for of, _ in kind.cases] if isinstance(kind, UnionKind) else [kind]
    return all(any(of == case for case, _ in known.cases) for of in own)


def as_union(
    code: CodeInTheMaking, value: SymbolicParts, t: UnionType, span: Span
) -> SymbolicParts:
    """A record of one of a union's types as one of the union."""
    kind = kind_of_type(t)
    assert isinstance(kind, UnionKind)
    if value.record == kind:
        return value
    nulls = [null(code, part, span) for part in t.parts]
    if isinstance(value.record, UnionKind):
        number = value.parts[0]
        for of, places in value.record.cases:
            for here, there in zip(kind.places(of), places, strict=True):
                nulls[here] = value.parts[there]
        nulls[0] = _renumbered(code, number, value.record, kind, span)
        return SymbolicParts(tuple(nulls), kind)
    assert value.record is not None
    for here, part in zip(kind.places(value.record), value.parts, strict=True):
        nulls[here] = part
    nulls[0] = kind.number(value.record)
    return SymbolicParts(tuple(nulls), kind)


def _renumbered(
    code: CodeInTheMaking, number: Value, old: UnionKind, new: UnionKind, span: Span
) -> Value:
    """The number of a case among more cases."""
    numbers = [new.number(of) for of, _ in old.cases]
    if isinstance(number, SymbolicNumber):
        return numbers[int(number.value)]
    if all(n.value == k for k, n in enumerate(numbers)):
        return number
    made, t = code.expression(numbers[-1], span)
    for k in range(len(numbers) - 2, -1, -1):
        found, _ = code.expression(number, span)
        test = tree.BinaryExpression(span, "=", found, tree.LiteralExpression(span, k, t))
        made = tree.IfExpression(span, test, code.expression(numbers[k], span)[0], made)
    return code.let("case", made, t)


def null(code: CodeInTheMaking, t: Type, span: Span) -> Value:
    """What stands for a part that a record does not have."""
    if isinstance(t, TupleType):
        return SymbolicParts(tuple([null(code, part, span) for part in t.parts]), kind_of_type(t))
    if isinstance(t, ArrayType):
        return code.let("none", tree.Empty(span, plain(t.element)), t)
    return SymbolicNumber(NULLS[t], t)
