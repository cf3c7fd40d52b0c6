"""Operations on records: they are tuples whose fields are known by place.

(make-point x y)     {x, y}
(point-x p)          the first part of p
(point? p)           True or False: types are known; of a record of one of several types, a test of
                     its number
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import (
    Kind,
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
    if isinstance(value, SymbolicParts) and value.record == kind:
        return value
    if isinstance(value, SymbolicParts) and isinstance(value.record, UnionKind):
        found = _is_case(code, value, value.record, kind, span)
        known = isinstance(found, SymbolicNumber) and found.value is True
        if not known and not isinstance(found, SymbolicNumber):
            says = tree.StringLiteral(span, f"expected a record of type {kind.name}")
            code.require(code.expression(found, span)[0], [says])
            known = True
        if known:
            return SymbolicParts(tuple([value.parts[p] for p in value.record.places(kind)]), kind)
    shown = show(code.type(value, span))
    raise CogenError(f"expected a record of type {kind.name}, got a {shown}", span)


def _is_case(code: Code, value: SymbolicParts, union: UnionKind, kind: Kind, span: Span) -> Value:
    """Whether a record of one of several types is of one of them."""
    if all(of != kind for of, _ in union.cases):
        return constant(False)
    wanted, number = union.number(kind), value.parts[0]
    if isinstance(number, SymbolicNumber):
        return constant(number.value == wanted.value)
    found, _ = code.expression(number, span)
    test = tree.BinaryExpression(span, "=", found, code.expression(wanted, span)[0])
    return code.let("is", test, BOOL)
