"""Operations on records: they are tuples whose fields are known by place.

(make-point x y)     {x, y}
(point-x p)          the first part of p
(point? p)           True or False: types are known
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import (
    Constant,
    Number,
    Parts,
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
    assert isinstance(of, Constant)
    assert isinstance(of.datum, datum.RecordType)
    kind = kind_of(of.datum)
    if op == "make-record":
        return Parts(tuple(values[1:]), kind)
    if op == "record-is?":
        value = values[-1]
        if isinstance(value, Untyped):
            code.expression(value, span)
        return constant(isinstance(value, Parts) and value.record == kind)
    index = values[1]
    assert isinstance(index, Number)
    return record_of(code, of, values[-1], span).parts[int(index.value)]


def record_of(code: Code, of: Value, value: Value, span: Span) -> Parts:
    """A value that must be a record of a type."""
    assert isinstance(of, Constant)
    assert isinstance(of.datum, datum.RecordType)
    kind = kind_of(of.datum)
    if isinstance(value, Parts) and value.record == kind:
        return value
    shown = show(code.type(value, span))
    raise CogenError(f"expected a record of type {kind.name}, got a {shown}", span)
