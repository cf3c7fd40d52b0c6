"""Operations on records, and pairs: they are tuples whose fields are known by place.

(make-point x y)     {x, y}
(point-x p)          the first part of p
(point? p)           True or False: types are known; of a record of one of several types, a test of
                     its number
(cons x y)           {x, y}, where y is no list of a fixed length: a record of its own kind
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import (
    PAIR,
    RecordKind,
    SymbolicConstant,
    SymbolicNumber,
    SymbolicParts,
    UnionKind,
    Untyped,
    Value,
    constant,
    kind_of,
)
from cogen.array.scheme.typetext import show
from cogen.lang import datum
from cogen.lang.errors import CogenError, Span

RECORDS: Final = frozenset(("make-record", "record-ref", "record-is?"))
"""The operations; their first operand is the record type."""

PAIRS: Final = frozenset(("cons", "car", "cdr", "pair?"))
"""The operations on pairs, of which tuples are some."""


def record_operation(code: Code, op: str, values: Sequence[Value], span: Span) -> Value:
    """What an operation on a record gives; CogenError for what is no record of the type."""
    of = values[0]
    assert isinstance(of, SymbolicConstant)
    assert isinstance(of.datum, datum.RecordType)
    kind = kind_of(of.datum)
    if op == "make-record":
        return SymbolicParts(tuple(values[1:]), kind)
    if op == "record-is?":
        value = values[-1]
        if isinstance(value, Untyped):
            code.expression(value, span)
        if isinstance(value, SymbolicParts) and isinstance(value.record, UnionKind):
            return _is_case(code, value, value.record, kind, span)
        return constant(isinstance(value, SymbolicParts) and value.record == kind)
    index = values[1]
    assert isinstance(index, SymbolicNumber)
    return record_of(code, of, values[-1], span).parts[int(index.value)]


def record_of(code: Code, of: Value, value: Value, span: Span) -> SymbolicParts:
    """A value that must be a record of a type."""
    assert isinstance(of, SymbolicConstant)
    assert isinstance(of.datum, datum.RecordType)
    kind = kind_of(of.datum)
    found = _of_kind(code, value, kind, span)
    if found is not None:
        return found
    shown = show(code.type(value, span))
    raise CogenError(f"expected a record of type {kind.name}, got a {shown}", span)


def _is_case(
    code: Code, value: SymbolicParts, union: UnionKind, kind: RecordKind, span: Span
) -> Value:
    """Whether a record of one of several types is of one of them."""
    if all(of != kind for of, _ in union.cases):
        return constant(False)
    wanted, number = union.number(kind), value.parts[0]
    if isinstance(number, SymbolicNumber):
        return constant(number.value == wanted.value)
    found, _ = code.expression(number, span)
    test = tree.BinaryExpression(span, "=", found, code.expression(wanted, span)[0])
    return code.let("is", test, BOOL)


def _of_kind(code: Code, value: Value, kind: RecordKind, span: Span) -> SymbolicParts | None:
    """A value as a record of a type, if it is one, or may be: then that is checked."""
    if not isinstance(value, SymbolicParts) or not isinstance(value.record, UnionKind):
        same = isinstance(value, SymbolicParts) and value.record == kind
        return value if same else None  # type: ignore[return-value]  # the parts of a record
    found = _is_case(code, value, value.record, kind, span)
    if isinstance(found, SymbolicNumber) and not found.value:
        return None
    if not isinstance(found, SymbolicNumber):
        says = tree.StringLiteral(span, f"expected a record of type {kind.name}")
        code.require(code.expression(found, span)[0], [says])
    return SymbolicParts(tuple([value.parts[p] for p in value.record.places(kind)]), kind)


def pair_operation(code: Code, op: str, values: Sequence[Value], span: Span) -> Value | None:
    """What an operation on pairs gives, for tuples and pairs; None for what is neither."""
    value = values[-1]
    if op == "cons":
        if isinstance(value, SymbolicParts) and value.record is None:
            return SymbolicParts((values[0], *value.parts))
        return SymbolicParts(tuple(values), PAIR)
    if not isinstance(value, SymbolicParts):
        return None
    if op == "pair?":
        if isinstance(value.record, UnionKind):
            return _is_case(code, value, value.record, PAIR, span)
        return constant(value.record == PAIR or (value.record is None and bool(value.parts)))
    if value.record is not None:
        found = _of_kind(code, value, PAIR, span)
        return None if found is None else found.parts[op == "cdr"]
    if not value.parts:
        raise CogenError(f"{op}: the tuple has no more parts", span)
    return value.parts[0] if op == "car" else SymbolicParts(value.parts[1:])
