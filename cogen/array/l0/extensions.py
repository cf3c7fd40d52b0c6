"""The operations that are extensions of the thesis' L0: a row for each.

    bucketReduce(F, e, n, keys, a)      n buckets that start as e: bucket keys[i] becomes
                                        F(bucket, a[i]), for every i in order
    bucketCollect(n, keys, a)           {offsets, b}: the elements of a by key, 0 ... n-1, those of
                                        one key in their order; those of key k are b[offsets[k]] to
                                        b[offsets[k+1] - 1]
    groupBy(F, a)                       {keys, offsets, b}: likewise with the keys F(a[i]), which
                                        are numbered as they first occur
    reduceSegments(F, e, offsets, a)    the reduction of a[offsets[k]] to a[offsets[k+1] - 1], for
                                        every k
    flatMap(F, a)                       the arrays F(a[i]), one after the other
    distinct(a)                         the elements of a as they first occur, each once
    scatter(a, is, vs)                  a, with vs[i] at is[i] for every i in order; consumes a
    store("layout", a, "fit")           the elements of a as the layout stores them: those out of
                                        range are an error ("check", which may be left out), keep
                                        their low bits ("wrap") or become the nearest ("saturate")

The words are not reserved: before `(` they mean these, unless the program defines a function of
the name. Keys and indices out of bounds are errors; what has no bucket is filtered out before.

A row says what an operation takes, of which type it is, what it means, and what it consumes; how it
becomes a loop is said in `cogen.array.lower.lowerextensions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Protocol

from cogen.array.l0 import tree
from cogen.array.l0 import values as v
from cogen.array.l0.fitting import fitted
from cogen.array.l0.keys import as_key
from cogen.array.l0.operators import Fault
from cogen.array.l0.scopes import conversion
from cogen.array.l0.semantics import Applied
from cogen.array.l0.storage import FITS, Fit, Storage, storage_of
from cogen.array.l0.storing import STORE
from cogen.array.l0.types import (
    BOOL,
    CHAR,
    INT,
    REAL,
    STRING,
    ArrayType,
    Basic,
    TupleType,
    Type,
    show_type,
)
from cogen.array.l0.values import ArrayValue, Value
from cogen.lang.errors import CogenError

Types = Sequence[Type]


class Checking(Protocol):
    """What checks types (`cogen.array.l0.check`)."""

    def expression(self, e: tree.Expression) -> Type:
        """The type of an expression here, which it notes."""

    def expect(self, e: tree.Expression, expected: Type, what: str) -> None:
        """CogenError if an expression is not of the type."""

    def array_operand(self, e: tree.Expression, what: str) -> Type:
        """The type of an expression, which must be an array."""

    def apply(
        self, e: tree.ExtensionExpression, function: tree.Function, given: Sequence[Type]
    ) -> Type:
        """The result of a function operand on arguments of these types."""

    def result_is(
        self, e: tree.ExtensionExpression, function: tree.Function, found: Type, expected: Type
    ) -> None:
        """CogenError if the function does not give what it must."""


@dataclass(frozen=True, slots=True)
class ExtensionOperation:
    """An operation.

    `operands` are what it takes, after its function if `function`; `type` checks the operands and
    gives the type of the result.  `meaning` gets the most elements of an array, and the types of
    the operands and of the result first; then the function and the values.  `consumes` says why the
    first operand must not be used any more, if so: "values are scattered into it".
    """

    operands: tuple[str, ...]
    type: Callable[[Checking, tree.ExtensionExpression], Type]
    meaning: Callable[..., Any]
    function: bool = False
    consumes: str | None = None


NO_OFFSETS: Final = "segments have at least one offset, and there is none"
BAD_KEY: Final = "the key {} is out of bounds of {} buckets"
BAD_SEGMENT: Final = "the segment from {} to {} is not within an array of size {}"
"""What may go wrong while they run, beside what indexing, zip, replicate and reduce report."""


# What types have in common.


def _element(c: Checking, e: tree.ExtensionExpression, array: tree.Expression) -> Type:
    found = c.array_operand(array, f"the array of `{e.name}`")
    assert isinstance(found, ArrayType)
    return found.element


def _combines(c: Checking, e: tree.ExtensionExpression, initial: Type, element: Type) -> None:
    """Check the function of a reduction."""
    if initial != element:
        raise CogenError(
            f"the initial value of `{e.name}` must be like the elements of the array, "
            f"{show_type(element)}, but is {show_type(initial)}",
            tree.last(e.operands[0]).span,
            conversion(initial, element),
        )
    function = e.functions[0]
    c.result_is(e, function, c.apply(e, function, [initial, element]), initial)


_KEYS: Final = "int, real, bool, char, or tuples of these"


def _is_key(t: Type) -> bool:
    """Whether such values can be looked up."""
    if isinstance(t, TupleType):
        return bool(t.parts) and all(_is_key(part) for part in t.parts)
    return t in (INT, REAL, BOOL, CHAR)


def _is_scalar(t: Type) -> bool:
    """Whether a value has no array in it."""
    return isinstance(t, Basic) or (
        isinstance(t, TupleType) and all(_is_scalar(part) for part in t.parts)
    )


# Buckets.


def _bucket_reduce_type(c: Checking, e: tree.ExtensionExpression) -> Type:
    initial, count, keys, array = e.operands
    start = c.expression(initial)
    c.expect(count, INT, "the number of buckets")
    c.expect(keys, ArrayType(INT), "the keys")
    _combines(c, e, start, _element(c, e, array))
    return ArrayType(start)


def _in_buckets(most: int, count: int, keys: ArrayValue, array: ArrayValue) -> list[int]:
    """The keys of an array, if there are as many as elements, and a bucket for each."""
    v.zip_arrays([keys, array])
    v.check_size((count,), most)
    found: list[int] = list(v.rows(keys))  # type: ignore[arg-type]  # ints
    for k in found:
        if not 0 <= k < count:
            raise Fault(BAD_KEY.format(k, count))
    return found


def _bucket_reduce(
    most: int,
    types: Types,
    result: Type,
    f: Applied,
    start: Value,
    count: int,
    keys: ArrayValue,
    array: ArrayValue,
) -> ArrayValue:
    buckets = v.replicate(count, start, types[0], most)
    found = [start] * count
    one = v.build([start], types[0])
    for k, row in zip(_in_buckets(most, count, keys, array), v.rows(array), strict=True):
        found[k] = f(found[k], row)
        v.updated(one, (0,), found[k])  # faults if it is of another size
    if not count:
        return buckets
    return v.with_row_sizes(v.build(found, types[0]), v.sizes(start), most)


# Groups.


def _bucket_collect_type(c: Checking, e: tree.ExtensionExpression) -> Type:
    count, keys, array = e.operands
    c.expect(count, INT, "the number of buckets")
    c.expect(keys, ArrayType(INT), "the keys")
    return TupleType((ArrayType(INT), ArrayType(_element(c, e, array))))


def _collected(numbers: Sequence[int], count: int, array: ArrayValue) -> tuple[ArrayValue, Any]:
    """The offsets of groups, and the elements in order of their groups' numbers."""
    offsets = [0] * (count + 1)
    for number in numbers:
        offsets[number + 1] += 1
    for number in range(count):
        offsets[number + 1] += offsets[number]
    order = sorted(range(len(numbers)), key=lambda i: numbers[i])
    return v.build(offsets, INT), v.gather(array, order)


def _bucket_collect(
    most: int, types: Types, result: Type, count: int, keys: ArrayValue, array: ArrayValue
) -> tuple[ArrayValue, ...]:
    v.check_size((count,), most)
    v.check_size((count + 1,), most)
    return _collected(_in_buckets(most, count, keys, array), count, array)


def _group_by_type(c: Checking, e: tree.ExtensionExpression) -> Type:
    element = _element(c, e, e.operands[0])
    key = c.apply(e, e.functions[0], [element])
    if not _is_key(key):
        raise CogenError(
            f"the keys of `groupBy` must be {_KEYS}, but are {show_type(key)}",
            e.functions[0].span,
        )
    return TupleType((ArrayType(key), ArrayType(INT), ArrayType(element)))


def _group_by(
    most: int, types: Types, result: Type, f: Applied, array: ArrayValue
) -> tuple[ArrayValue, ...]:
    assert isinstance(result, TupleType)
    numbers: dict[Any, int] = {}
    found = [numbers.setdefault(as_key(f(row)), len(numbers)) for row in v.rows(array)]
    (keys, *_) = result.parts
    assert isinstance(keys, ArrayType)
    return v.build(list(numbers), keys.element), *_collected(found, len(numbers), array)


# Segments.


def _reduce_segments_type(c: Checking, e: tree.ExtensionExpression) -> Type:
    initial, offsets, array = e.operands
    start = c.expression(initial)
    c.expect(offsets, ArrayType(INT), "the offsets")
    _combines(c, e, start, _element(c, e, array))
    return ArrayType(start)


def _reduce_segments(
    most: int,
    types: Types,
    result: Type,
    f: Applied,
    start: Value,
    offsets: ArrayValue,
    array: ArrayValue,
) -> ArrayValue:
    limits: list[int] = list(v.rows(offsets))  # type: ignore[arg-type]  # ints
    if not limits:
        raise Fault(NO_OFFSETS)
    found = []
    rows = list(v.rows(array))
    for low, high in pairwise(limits):
        if not 0 <= low <= high <= len(rows):
            raise Fault(BAD_SEGMENT.format(low, high, len(rows)))
        total = start
        for row in rows[low:high]:
            total = f(total, row)
        found.append(total)
    return v.build(found, types[0]) if found else v.replicate(0, start, types[0], most)


# Others.


def _flat_map_type(c: Checking, e: tree.ExtensionExpression) -> Type:
    element = _element(c, e, e.operands[0])
    result = c.apply(e, e.functions[0], [element])
    if not isinstance(result, ArrayType) or not _is_scalar(result.element):
        raise CogenError(
            "the function of `flatMap` must give an array of basic values or tuples of such, "
            f"but gives {show_type(result)}",
            e.functions[0].span,
        )
    return result


def _flat_map(most: int, types: Types, result: Type, f: Applied, array: ArrayValue) -> ArrayValue:
    assert isinstance(result, ArrayType)
    found = [part for row in v.rows(array) for part in v.rows(f(row))]
    v.check_size((len(found),), most)
    return v.build(found, result.element)


def _distinct_type(c: Checking, e: tree.ExtensionExpression) -> Type:
    element = _element(c, e, e.operands[0])
    if not _is_key(element):
        raise CogenError(
            f"the elements of `distinct` must be {_KEYS}, but are {show_type(element)}",
            tree.last(e.operands[0]).span,
        )
    return ArrayType(element)


def _distinct(most: int, types: Types, result: Type, array: ArrayValue) -> ArrayValue:
    assert isinstance(result, ArrayType)
    return v.build(list(dict.fromkeys(map(as_key, v.rows(array)))), result.element)


def _scatter_type(c: Checking, e: tree.ExtensionExpression) -> Type:
    array, indices, values = e.operands
    element = _element(c, e, array)
    c.expect(indices, ArrayType(INT), "the indices")
    c.expect(values, ArrayType(element), "the new values")
    return ArrayType(element)


def _scatter(
    most: int,
    types: Types,
    result: Type,
    array: ArrayValue,
    indices: ArrayValue,
    values: ArrayValue,
) -> ArrayValue:
    v.zip_arrays([indices, values])
    for i, value in zip(v.rows(indices), v.rows(values), strict=True):
        assert isinstance(i, int)
        v.check_index(array, (i,))
        array = v.updated(array, (i,), value)
    return array


# Storage.


def stored_as(e: tree.ExtensionExpression) -> tuple[Storage, Fit]:
    """How a `store` stores: its layout, and what becomes of values out of range."""
    layout, _, fit = e.operands
    if not isinstance(layout, tree.StringLiteral):
        raise CogenError("the layout of `store` must be a string literal", layout.span)
    if not isinstance(fit, tree.StringLiteral) or fit.value not in FITS:
        words = ", ".join([f'"{word}"' for word in FITS])
        raise CogenError(f"how `store` fits values must be one of {words}", fit.span)
    try:
        found = storage_of(layout.value)
        if found.overlaps:
            raise CogenError("samples that overlap can be read, but not stored")
    except CogenError as error:
        raise CogenError(error.message, layout.span, error.hint) from None
    return found, fit.value  # type: ignore[return-value]  # one of FITS


def _store_type(c: Checking, e: tree.ExtensionExpression) -> Type:
    layout, array, fit = e.operands
    c.expect(layout, STRING, "the layout")
    c.expect(fit, STRING, "how values fit")
    storage, _ = stored_as(e)
    element = _element(c, e, array)
    if not _can_be_stored(element, storage.element):
        wanted = show_type(storage.element)
        raise CogenError(
            f"the layout {layout_text(e)} stores elements of type {wanted}, not "
            f"{show_type(element)}",
            tree.last(array).span,
            conversion(storage.element, element),
        )
    return ArrayType(storage.element)


def layout_text(e: tree.ExtensionExpression) -> str:
    """The layout of a `store`, as diagnostics show it."""
    layout = e.operands[0]
    assert isinstance(layout, tree.StringLiteral)
    return repr(layout.value)


def _can_be_stored(found: Type, wanted: Type) -> bool:
    """Whether values of a type become samples of another: bools are ints, ints are reals."""
    if isinstance(wanted, TupleType):
        parts = found.parts if isinstance(found, TupleType) else ()
        return len(parts) == len(wanted.parts) and all(map(_can_be_stored, parts, wanted.parts))
    return found in (INT, BOOL) or (found == REAL and wanted == REAL)


def _store(
    most: int, types: Types, result: Type, layout: ArrayValue, array: ArrayValue, fit: ArrayValue
) -> ArrayValue:
    storage = storage_of(_text(layout))
    parts = array.content if isinstance(array.content, tuple) else (array,)
    arrays = [part.content for part in parts if not isinstance(part.content, tuple)]
    found = fitted(storage, arrays, _text(fit))  # type: ignore[arg-type]  # one of FITS
    leaves = [ArrayValue(array.shape, leaf) for leaf in found]
    return ArrayValue(array.shape, tuple(leaves)) if storage.is_tuple else leaves[0]


def _text(array: ArrayValue) -> str:
    return "".join([str(c) for c in v.rows(array)])


EXTENSIONS: Final[Mapping[str, ExtensionOperation]] = {
    "bucketReduce": ExtensionOperation(
        ("an initial value", "a number of buckets", "an array of keys", "an array"),
        _bucket_reduce_type, _bucket_reduce, function=True,
    ),
    "bucketCollect": ExtensionOperation(
        ("a number of buckets", "an array of keys", "an array"),
        _bucket_collect_type, _bucket_collect,
    ),
    "groupBy": ExtensionOperation(("an array",), _group_by_type, _group_by, function=True),
    "reduceSegments": ExtensionOperation(
        ("an initial value", "an array of offsets", "an array"),
        _reduce_segments_type, _reduce_segments, function=True,
    ),
    "flatMap": ExtensionOperation(("an array",), _flat_map_type, _flat_map, function=True),
    "distinct": ExtensionOperation(("an array",), _distinct_type, _distinct),
    "scatter": ExtensionOperation(
        ("an array", "an array of indices", "an array of values"),
        _scatter_type, _scatter, consumes="values are scattered into it",
    ),
    STORE: ExtensionOperation(("a layout", "an array", "how values fit"), _store_type, _store),
}  # fmt: skip
"""The operations by their words."""

OPERANDS: Final[Mapping[str, tuple[str, ...]]] = {
    word: row.operands for word, row in EXTENSIONS.items()
}
"""What each operation takes, after its function if it has one."""

WITH_FUNCTION: Final = tuple([word for word, row in EXTENSIONS.items() if row.function])
"""Those whose first operand is a function."""

WITHOUT_FUNCTION: Final = tuple([word for word in OPERANDS if word not in WITH_FUNCTION])
