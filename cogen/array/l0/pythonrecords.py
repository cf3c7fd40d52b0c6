"""Records and unions as Python and NumPy have them.

A record is a named tuple, a case of a union one of the class of the case; from Python also a
mapping, or any object with such attributes.  An array of records is a structured NumPy array
(`RecordArray`: `a.x`, `a["x"]`, `a[0].x`), from Python also a mapping of columns, or a table
that gives columns by name: a data frame, an Arrow table.  An array of a union's values has a column
"case" with the names, and those of all fields; columns that only cases without elements have may
be left out.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from cogen.array.l0.arrowvalues import in_one_piece, is_arrow, of_arrow
from cogen.array.l0.recordarrays import CASE, RecordArray, as_records
from cogen.array.l0.types import (
    CHAR,
    NULLS,
    ArrayType,
    Basic,
    CaseType,
    Declared,
    NamedTupleType,
    Type,
    UnionType,
    rank,
    row_type,
    show_type,
)
from cogen.array.l0.values import ArrayValue, Value, build
from cogen.lang.errors import CogenError


@lru_cache(maxsize=256)
def _class(case: CaseType) -> type[Any]:
    return namedtuple(case.name, case.fields, rename=True)


def case_of(value: tuple[Any, ...], t: Declared) -> CaseType:
    """The case that a value is."""
    return t.cases[int(value[0])] if isinstance(t, UnionType) else t.cases[0]


def null_value(t: Type) -> Value:
    """What is in the parts of a union that its case does not have."""
    match t:
        case ArrayType():
            return build((), t.element)
        case Basic():
            return NULLS[t]
    return tuple([null_value(part) for part in t.parts])


def value_of(t: Declared, number: int, fields: Mapping[str, Value]) -> Value:
    """The tuple that a record, or a case of a union, is."""
    case = t.cases[number]
    if isinstance(t, NamedTupleType):
        return tuple([fields[name] for name in case.fields])
    places = {place: fields[name] for place, name in zip(case.places, case.fields, strict=True)}
    rest = enumerate(t.parts[1:], 1)
    return (number, *[places[k] if k in places else null_value(part) for k, part in rest])


# From Python.


def fields_of(value: object, t: Declared, what: str) -> tuple[int, dict[str, Any]] | None:
    """The number of a value's case and what its fields are; None if it is no such value."""
    given = _mapping(value, t)
    number = 0
    if isinstance(t, UnionType):
        name = type(value).__name__ if given is None or CASE not in given else str(given[CASE])
        numbers = [k for k, case in enumerate(t.cases) if case.name == name]
        if not numbers:
            return None
        number = numbers[0]
    case = t.cases[number]
    if given is None and isinstance(t, NamedTupleType) and type(value) is tuple:
        if len(value) != len(case.fields):
            return None
        return number, dict(zip(case.fields, value, strict=True))
    found = {}
    for name in case.fields:
        if given is None:
            if not hasattr(value, name):
                return None
            found[name] = getattr(value, name)
        elif name not in given:
            raise CogenError(f"{what} has no field `{name}`, which `{case.name}` has")
        else:
            found[name] = given[name]
    return number, found


def _mapping(value: object, t: Declared) -> Mapping[str, Any] | None:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, np.void) and value.dtype.names:
        return {name: value[name] for name in value.dtype.names}
    return None


def columns_of(value: object, t: Type | None = None) -> Callable[[str], Any] | None:
    """The columns of a table by name (None where there is none); None if it is no table.

    In a table of a union's values of type `t` the fields that a value's case does not have may be
    null.
    """
    if isinstance(value, np.ndarray):
        names: Sequence[str] = value.dtype.names or ()
        return (lambda name: value[name] if name in names else None) if names else None
    if isinstance(value, Mapping):
        return lambda name: _column(value[name], value, t, name) if name in value else None
    found = getattr(value, "column_names", None)  # Arrow
    if found is None:
        found = getattr(value, "columns", None)  # data frames
    table: Any = value
    if hasattr(table, "chunks") and table.type.num_fields:
        table = in_one_piece(table, "the array")
    if found is not None and hasattr(value, "__getitem__"):
        known = list(found)
        return lambda name: _column(table[name], value, t, name) if name in known else None
    if hasattr(table, "flatten") and hasattr(table, "field"):  # an Arrow array of structures
        own = [table.type.field(k).name for k in range(table.type.num_fields)]
        return lambda name: _column(table.field(name), value, t, name) if name in own else None
    return None


def _column(value: Any, table: object, t: Type | None, name: str) -> Any:
    """A column of a table, as an array if it is none of ours."""
    if isinstance(value, (np.ndarray, list, tuple, str)) or columns_of(value) is not None:
        return value
    if not is_arrow(value):
        return np.asarray(value)
    if not isinstance(t, UnionType):
        return of_arrow(value, "a column")
    return of_arrow(value, "a column", lambda: _absent(table, t, name))


def _absent(table: object, t: UnionType, name: str) -> np.ndarray[Any, Any]:
    """Where a field is none of the value's case."""
    columns = columns_of(table)
    assert columns is not None
    place = column_names(t).index(name)
    owners = [number for number, case in enumerate(t.cases) if place in case.places]
    return np.isin(cases_of(columns(CASE), t, "the table"), owners, invert=True)


def texts(value: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    """An array of strings of one length -> one of characters, with one dimension more."""
    if value.dtype.kind == "O" and all(isinstance(text, str) for text in value.flat):
        value = value.astype("U")
    if value.dtype.kind == "S":
        value = np.char.decode(value, "latin-1")
    width = value.dtype.itemsize // 4
    lengths = np.char.str_len(value)
    if value.size and int(lengths.min()) != width:
        raise CogenError(
            f"{what} has strings of {int(lengths.min())} and of {int(lengths.max())} characters",
            hint="numpy.char.ljust makes them as long as each other",
        )
    return np.ascontiguousarray(value).view("<U1").reshape((*value.shape, width))


def cases_of(column: Any, t: UnionType, what: str) -> np.ndarray[Any, Any]:
    """The numbers of the cases that a column names."""
    numbers = {case.name: k for k, case in enumerate(t.cases)}
    found = np.asarray(column)
    if found.dtype.kind in "iu" and np.all((found >= 0) & (found < len(numbers))):
        return found.astype(np.int64)
    try:
        made = [numbers[str(name)] for name in found.ravel().tolist()]
    except KeyError as error:
        raise CogenError(f"{what}: `{t.name}` has no case {error.args[0]!r}") from None
    return np.array(made, np.int64).reshape(found.shape)


# To Python.


def record_of(value: tuple[Any, ...], t: Declared, convert: Callable[[Any, Type], Any]) -> Any:
    """A value as a named tuple, its fields converted."""
    case = case_of(value, t)
    parts = zip(case.places, case.types, strict=True)
    return _class(case)(*[convert(value[place], part) for place, part in parts])


def table_of(
    array: ArrayValue, t: Declared, convert: Callable[[ArrayValue, Type], Any]
) -> RecordArray:
    """An array of records or of a union's values, all parts converted, as a structured array."""
    assert isinstance(array.content, tuple)
    columns: list[tuple[str, Any]] = []
    names = column_names(t)
    for name, part, part_type in zip(names, array.content, t.parts, strict=True):
        if isinstance(t, UnionType) and name == CASE:
            words = np.array([case.name for case in t.cases])
            columns.append((name, words[np.asarray(part.content)]))
            continue
        whole = part_type
        for _ in array.shape:
            whole = ArrayType(whole)
        columns.append((name, _strings(convert(part, whole), part_type, array.shape)))
    inner = len(array.shape)
    dtype = [(name, column.dtype, column.shape[inner:]) for name, column in columns]
    made = np.zeros(array.shape, np.dtype(dtype))
    for name, column in columns:
        made[name] = column
    if not isinstance(t, UnionType):
        return as_records(made)
    places = list(enumerate(names))[1:]
    return as_records(made, {n: [c.name for c in t.cases if k in c.places] for k, n in places})


def column_names(t: Declared) -> tuple[str, ...]:
    """The names of the columns of an array: those of the parts, and the cases of those that differ
    in type but not in name."""
    if isinstance(t, NamedTupleType):
        return t.names
    found = [CASE]
    for place, name in list(enumerate(t.names))[1:]:
        if t.names.count(name) > 1 or name == CASE:
            owner = next(case.name for case in t.cases if place in case.places)
            name = f"{owner}.{name}"
        found.append(name)
    return tuple(found)


def _strings(column: Any, t: Type, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A column of fields; characters in rows are strings."""
    if isinstance(column, str):
        column = np.array(list(column), "<U1")
    if rank(t) == 0 or row_type(t, rank(t)) != CHAR or column.shape[-1] == 0:
        return np.asarray(column)
    width = column.shape[-1]
    joined = np.ascontiguousarray(column).view(f"<U{width}")
    return joined.reshape(column.shape[:-1])


def wrong_table(t: Declared, missing: str, what: str) -> CogenError:
    """The error for a table without a column."""
    columns = [
        f"{name} ({show_type(part)})" for name, part in zip(column_names(t), t.parts, strict=True)
    ]
    hint = f"`{t.name}` has {', '.join(columns)}"
    return CogenError(f"{what} has no column {missing!r}", hint=hint)
