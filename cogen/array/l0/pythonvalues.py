"""Values of L0 from Python's and NumPy's, and back.

An int is an int (no bool), a real a float, a char a str of one character, a string a str, a
tuple a tuple. An array is a NumPy array of the kind and number of dimensions of its type, whatever
the width of its elements, something with the buffer protocol or DLPack, or a list; an array of
tuples is a tuple of arrays, or a list of tuples; for records and unions see
`cogen.array.l0.pythonrecords`. An array whose elements are as wide as the arithmetic's is not
copied; others are converted: ints must be in range, reals are rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np

from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.arrowvalues import is_arrow, of_arrow, union_columns
from cogen.array.l0.operators import Fault
from cogen.array.l0.pythonrecords import (
    cases_of,
    column_names,
    columns_of,
    fields_of,
    record_of,
    table_of,
    texts,
    value_of,
    wrong_table,
)
from cogen.array.l0.recordarrays import CASE
from cogen.array.l0.storage import bytes_of, storage_of
from cogen.array.l0.types import (
    BOOL,
    CERT,
    CHAR,
    INT,
    REAL,
    ArrayType,
    Basic,
    Declared,
    NamedTupleType,
    TupleType,
    Type,
    UnionType,
    array_of,
    packed_layout,
    rank,
    row_type,
    show_case,
    show_type,
)
from cogen.array.l0.values import ArrayValue, PackedValue, Value, build, show_shape, zeros
from cogen.buffers import MASKED_HINT, is_masked
from cogen.expected import shown
from cogen.lang.errors import CogenError

_KINDS: Final[dict[Type, str]] = {INT: "iu", REAL: "f", BOOL: "b", CERT: "b", CHAR: "U"}
"""The kinds of NumPy's dtypes that hold a basic type."""

_CLASSES: Final[dict[Type, tuple[type, ...]]] = {
    INT: (int, np.integer),
    REAL: (float, np.floating),
    BOOL: (bool, np.bool_),
    CERT: (bool, np.bool_),
    CHAR: (str,),
}


def from_python(value: object, t: Type, what: str, a: Arithmetic = WIDE) -> Value:
    """The value of a type in an arithmetic; `what` is what diagnostics call it."""
    match t:
        case Basic():
            return _basic(value, t, what, a)
        case NamedTupleType() | UnionType():
            return _named(value, t, what, a)
        case TupleType():
            if not isinstance(value, tuple) or len(value) != len(t.parts):
                raise _wrong(value, t, what)
            parts = zip(value, t.parts, strict=True)
            return tuple([from_python(v, part, f"a part of {what}", a) for v, part in parts])
        case ArrayType():
            return _array(value, t, what, a)


def _named(value: object, t: Declared, what: str, a: Arithmetic) -> Value:
    found = fields_of(value, t, what)
    if found is None:
        hint = " or ".join([show_case(case) for case in t.cases])
        raise CogenError(f"{what} must be {show_type(t)}, not {type(value).__name__}", hint=hint)
    number, fields = found
    case = t.cases[number]
    made = {
        name: from_python(fields[name], part, f"the field `{name}` of {what}", a)
        for name, part in zip(case.fields, case.types, strict=True)
    }
    return value_of(t, number, made)


def _table(
    column: Callable[[str], Any], t: ArrayType, base: Declared, what: str, a: Arithmetic
) -> Value:
    """An array of records or of a union's values from its columns."""
    found: list[Any] = []
    for name, part in zip(column_names(base), base.parts, strict=True):
        content = column(name)
        if content is None and (isinstance(base, NamedTupleType) or name == CASE):
            raise wrong_table(base, name, what)
        if isinstance(base, UnionType) and name == CASE:
            content = cases_of(content, base, what)
        if content is None:
            shape = found[0].shape[: rank(t)]
            found.append(zeros(shape, part))
            continue
        own = f"the column `{name}` of {what}"
        found.append(from_python(content, array_of(part, rank(t)), own, a))
    return _together(found, t, what)


def _wrong(value: object, t: Type, what: str) -> CogenError:
    found = type(value).__name__
    if isinstance(value, np.ndarray):
        counted = "1 dimension" if value.ndim == 1 else f"{value.ndim} dimensions"
        found = f"a NumPy array of {value.dtype} with {counted}"
    return CogenError(f"{what} must be {show_type(t)}, not {found}", hint=_remedy(value, t))


def _remedy(value: object, t: Type) -> str | None:
    """How an array of numbers of another kind is converted."""
    if not isinstance(value, np.ndarray) or not isinstance(t, ArrayType):
        return None
    if value.ndim != rank(t) or row_type(t, rank(t)) != REAL or value.dtype.kind not in "iub":
        return None
    return "convert it: x.astype(float)"


def _basic(value: object, t: Basic, what: str, a: Arithmetic) -> Value:
    classes = _CLASSES[t]
    if not isinstance(value, classes) or (t == INT and isinstance(value, bool)):
        raise _wrong(value, t, what)
    plain: Any = value.item() if isinstance(value, np.generic) else value
    if t == INT and not a.least <= plain <= a.greatest:
        raise CogenError(f"{what} is {shown(plain)}, which is not in the range of int")
    if t == REAL:
        return a.rounded(plain)
    if (t == CHAR and len(plain) != 1) or (t == CERT and not plain):
        raise _wrong(value, t, what)
    return plain  # type: ignore[no-any-return]  # one of the classes


def _array(value: object, t: ArrayType, what: str, a: Arithmetic) -> Value:
    layout = packed_layout(t)
    if layout is not None:
        return packed_value(value, layout, what)
    base = row_type(t, rank(t))
    if is_masked(value):
        raise CogenError(f"{what} must not be masked", hint=MASKED_HINT)
    if isinstance(base, (NamedTupleType, UnionType)):
        column = union_columns(value, base, what) if isinstance(base, UnionType) else None
        column = column or columns_of(value, base)
        if column is not None:
            return _table(column, t, base, what, a)
    if not isinstance(value, (np.ndarray, list, tuple, str)):
        value = _foreign(value, what)
    if isinstance(value, str) and t.element == CHAR:
        return build(list(value), CHAR)
    if isinstance(value, np.ndarray) and isinstance(base, Basic):
        return _numpy(value, t, base, what, a)
    if isinstance(value, tuple) and isinstance(base, TupleType):
        return _parts(value, t, base, what, a)
    if not isinstance(value, list):
        raise _wrong(value, t, what)
    elements = [from_python(v, t.element, f"an element of {what}", a) for v in value]
    return _regular(lambda: build(elements, t.element), what)


def packed_value(value: object, layout: str, what: str) -> PackedValue:
    """The array that a buffer holds: all elements that lie wholly inside.

    CogenError for what has no buffer, or one that is not contiguous.
    """
    if isinstance(value, PackedValue) and value.layout == layout:
        return value  # of as many elements as it says, whatever its last byte has room for
    if isinstance(value, (list, str)):
        raise CogenError(
            f"{what} must be bytes of the layout {layout!r}, not {type(value).__name__}",
            hint="signals.pack(array, layout) makes them",
        )
    data = bytes_of(value, what)
    return PackedValue((storage_of(layout).count(len(data)),), data, layout)


def _foreign(value: Any, what: str) -> Any:
    """A NumPy array on the memory of what has the buffer protocol or DLPack; else the value."""
    if isinstance(value, np.generic):
        return value
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError, BufferError):
        if is_arrow(value):
            return of_arrow(value, what)
        return _by_dlpack(value, what) if hasattr(value, "__dlpack__") else value


def _by_dlpack(value: Any, what: str) -> np.ndarray[Any, Any]:
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise CogenError(f"{what} cannot be read by DLPack: {error}") from None


def _parts(
    value: tuple[object, ...], t: ArrayType, base: TupleType, what: str, a: Arithmetic
) -> Value:
    """An array of tuples from a tuple of arrays, which agree in the array's dimensions."""
    if len(value) != len(base.parts) or not value:
        raise _wrong(value, t, what)
    arrays: list[Any] = [
        from_python(part, array_of(part_type, rank(t)), f"a part of {what}", a)
        for part, part_type in zip(value, base.parts, strict=True)
    ]
    return _together(arrays, t, what)


def _together(arrays: list[Any], t: ArrayType, what: str) -> ArrayValue:
    """An array of tuples from the arrays of their parts."""
    shapes = [array.shape[: rank(t)] for array in arrays]
    for shape in shapes:
        if shape != shapes[0]:
            raise CogenError(
                f"{what}: the arrays have different sizes: {show_shape(shapes[0])} and "
                f"{show_shape(shape)}"
            )
    return ArrayValue(shapes[0], tuple(arrays))


def _regular(make: Any, what: str) -> Value:
    try:
        return make()  # type: ignore[no-any-return]  # makes arrays
    except Fault as fault:
        raise CogenError(f"{what}: {fault}") from None


def _numpy(
    value: np.ndarray[Any, Any], t: ArrayType, base: Basic, what: str, a: Arithmetic
) -> Value:
    if base == CHAR and value.ndim == rank(t) - 1 and value.dtype.kind in "USO":
        value = texts(value, what)
    if value.ndim != rank(t) or value.dtype.kind not in _KINDS[base]:
        raise _wrong(value, t, what)
    if prod([max(size, 1) for size in value.shape]) > a.max_elements:
        raise CogenError(f"{what} is too large: its size is {show_shape(value.shape)}")
    own = a.dtype(base.name)
    if value.dtype == own:
        return ArrayValue(value.shape, value)
    if base == INT and value.size and not np.can_cast(value.dtype, own):
        for found in (int(value.min()), int(value.max())):
            if not a.least <= found <= a.greatest:
                raise CogenError(f"{what} holds {found}, which is not in the range of int")
    if base == CHAR:
        codes = np.array([ord(c) if c else 0 for c in value.ravel().tolist()], np.uint32)
        return ArrayValue(value.shape, codes.reshape(value.shape))
    with np.errstate(over="ignore"):  # a real that is too large is inf
        return ArrayValue(value.shape, value.astype(own, copy=False))


def to_python(value: Value, t: Type, copy: bool = True, a: Arithmetic = WIDE) -> Any:
    """The value as Python's and NumPy's; arrays are copied, because they may be someone else's."""

    def convert(part: Any, part_type: Type) -> Any:
        return to_python(part, part_type, copy, a)

    if isinstance(value, ArrayValue):
        return _array_to(value, t, copy, a)
    if isinstance(t, (NamedTupleType, UnionType)):
        assert isinstance(value, tuple)
        return record_of(value, t, convert)
    if isinstance(value, tuple):
        assert isinstance(t, TupleType)
        return tuple([convert(part, own) for part, own in zip(value, t.parts, strict=True)])
    return value


def _array_to(array: ArrayValue, t: Type, copy: bool, a: Arithmetic) -> Any:
    content: Any = array.content
    base = row_type(t, rank(t))
    if isinstance(array, PackedValue):
        assert isinstance(content, np.ndarray)
        return content.tobytes()
    if isinstance(base, (NamedTupleType, UnionType)):
        return table_of(array, base, lambda part, own: _array_to(part, own, copy, a))
    if isinstance(content, tuple):
        assert isinstance(base, TupleType)
        types = [array_of(part, len(array.shape)) for part in base.parts]
        return tuple([_array_to(p, own, copy, a) for p, own in zip(content, types, strict=True)])
    if getattr(content, "is_resident", False):
        if base != CHAR:
            return content
        content = content.numpy()
    if content.dtype != np.uint32:
        own = {"i": a.dtype("int"), "f": a.dtype("real")}.get(content.dtype.kind, content.dtype)
        return content.astype(own, copy=copy)
    if content.ndim == 1:
        return "".join([chr(code) for code in content.tolist()])
    return content.view("<U1").copy() if content.flags.c_contiguous else content.copy().view("<U1")
