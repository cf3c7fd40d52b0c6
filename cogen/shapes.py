"""Python values -> data of an array or tuple type, for arguments of residual programs.

An array is any sequence, or what has `tolist` (a NumPy array); it becomes a vector.  A tuple is a
sequence with as many items as it has parts; it becomes a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cogen.buffers import MASKED_HINT, is_masked, type_name
from cogen.lang.datum import INT_MAX, INT_MIN, Char, Datum, Pair, Symbol, from_iterable, iterate
from cogen.lang.errors import CogenError
from cogen.lang.reader import read_datum
from cogen.plaindata import NUMBERS, is_numpy

Refuse = Callable[[str], CogenError]


def to_shape(value: object, shape: str, refuse: Refuse) -> Datum:
    """The datum of a value that is to have a type (`cogen.binding_times`); what `refuse` makes, if
    not."""
    if is_masked(value):
        raise refuse(f"must not be masked: {MASKED_HINT}")
    if shape.startswith("(array (packed "):
        try:
            return bytearray(memoryview(value).cast("B"))  # type: ignore[arg-type]  # asked here
        except (TypeError, ValueError):
            raise refuse(f"must have bytes here, not {type_name(value)}") from None
    return _datum(_listed(value), read_datum(shape), refuse)


def _listed(value: Any) -> Any:
    if is_numpy(value) and value.dtype.kind not in NUMBERS + "U":
        return value
    return value.tolist() if hasattr(value, "tolist") else value


def _datum(value: Any, shape: Datum, refuse: Refuse) -> Datum:
    if isinstance(shape, Pair):
        assert isinstance(shape.car, Symbol)
        kind, parts = shape.car.name, list(iterate(shape.cdr))
        if kind in ("pair", "record", "union"):
            raise refuse("has records, which array programs take: residual.to_array()")
        if not isinstance(value, list | tuple):
            what = "a list" if kind == "array" else "a tuple"
            raise refuse(f"must have {what} here, not {type_name(value)}")
        items = [_listed(item) for item in value]
        if kind == "array":
            return [_datum(item, parts[0], refuse) for item in items]
        if len(items) != len(parts):
            raise refuse(f"must have a tuple of {len(parts)} parts here, not {len(items)}")
        return from_iterable(
            [_datum(item, part, refuse) for item, part in zip(items, parts, strict=True)]
        )
    return _element(value, shape.name, refuse)


def _element(value: Any, kind: str, refuse: Refuse) -> Datum:
    if type(value) is int and not INT_MIN <= value <= INT_MAX:
        raise refuse("must have integers in [-2^63, 2^63)")
    if kind == "float" and type(value) in (int, float):
        return float(value)
    if kind == "int" and type(value) is int:
        return value
    if kind == "bool" and type(value) is bool:
        return value
    if kind == "char" and isinstance(value, str) and len(value) == 1:
        return Char(value)
    raise refuse(f"must have values of type {kind} here, not {type_name(value)}")
