"""Arrays of others as they lie in memory: what a program reads without a copy.

    np.array([1, 2], np.int16)           the samples of "size=16,signed"
    a field of an array of records       those of "size=32,stride=96,offset=64,float"
    a column of Arrow of truth values    those of "size=1"

Programs compute with int64 and float64; an array that has these already is passed as it is, and has
no layout.  Arrow's dates are days, its times ticks, and what is there by dictionary are its codes.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np

from cogen.array.l0.arrowvalues import in_one_piece, is_arrow
from cogen.array.l0.storage import bytes_of, storage_of
from cogen.array.l0.types import BOOL, INT, REAL, Basic
from cogen.array.l0.values import PackedValue
from cogen.lang.errors import CogenError

T = TypeVar("T")

_WORDS: Final = {"i": ",signed", "u": "", "f": ",float"}
_ELEMENTS: Final = {"i": INT, "u": INT, "f": REAL, "b": BOOL}


@dataclass(frozen=True, slots=True)
class InputColumn:
    """What a parameter reads: elements of a type, in a layout of `values` (None: as they are)."""

    element: Basic
    values: Any
    layout: str | None = None


def _is_little(dtype: np.dtype[Any]) -> bool:
    return dtype.newbyteorder("<") == dtype


def layout_of(dtype: np.dtype[Any]) -> str | None:
    """The layout of arrays of a dtype; None where they are passed as they are, or converted."""
    if dtype.kind not in _WORDS or not _is_little(dtype) or not 8 <= dtype.itemsize * 8 <= 32:
        return None
    if dtype.kind == "f" and dtype.itemsize == 2:
        return None
    return f"size={dtype.itemsize * 8}{_WORDS[dtype.kind]}"


def dtype_of(layout: str) -> np.dtype[Any] | None:
    """The dtype of arrays that are read by a layout of `layout_of`."""
    return _DTYPES.get(layout)


_DTYPES: Final = {
    layout: dtype
    for dtype in map(np.dtype, ("i1", "i2", "i4", "u1", "u2", "u4", "f4"))
    for layout in [layout_of(dtype)]
    if layout is not None
}


def values_of(values: Any, layout: str | None) -> np.ndarray[Any, Any]:
    """The elements of a column as a plain array."""
    if layout is None or (isinstance(values, np.ndarray) and values.dtype.names is None):
        return np.asarray(values)
    data = values.content if isinstance(values, PackedValue) else bytes_of(values, "the array")
    found = storage_of(layout).unpack(data)[0][: len(values)]
    return found != 0 if layout.startswith("size=1,") else found


def fields_of(array: np.ndarray[Any, Any]) -> dict[str, InputColumn] | None:
    """The fields of an array of records, each read where it stands; None where they are not plain
    numbers in one piece of memory."""
    if array.ndim != 1 or not array.flags.c_contiguous or array.dtype.fields is None:
        return None
    found = {}
    for name in array.dtype.names or ():
        dtype, at = array.dtype.fields[name][:2]
        if dtype.kind not in _ELEMENTS or dtype.subdtype is not None or not _is_little(dtype):
            return None
        if dtype.kind == "u" and dtype.itemsize == 8:
            return None  # what is beyond int64 is refused
        place = f"size={8 * dtype.itemsize},stride={8 * array.itemsize},offset={8 * at}"
        found[name] = InputColumn(_ELEMENTS[dtype.kind], array, place + _WORDS.get(dtype.kind, ""))
    return found


def complex_columns(value: Any) -> list[InputColumn] | None:
    """The real and the imaginary parts of an array of complex numbers, each read where it stands;
    None where they are not in one piece of memory."""
    if not isinstance(value, np.ndarray) or value.dtype.str not in ("<c8", "<c16"):
        return None
    half = np.dtype(f"<f{value.dtype.itemsize // 2}")
    plain = value.ndim == 1 and value.flags.c_contiguous
    fields = fields_of(value.view([("real", half), ("imag", half)])) if plain else None
    return None if fields is None else list(fields.values())


# Arrow.


def is_arrow_table(value: Any) -> bool:
    """Whether a value is a table, or a batch of records, of pyarrow."""
    return type(value).__module__.partition(".")[0] == "pyarrow" and hasattr(value, "column_names")


class KeptTables(Generic[T]):
    """What was made of tables, as long as they are there: Arrow's do not change."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[weakref.ref[Any], T]] = {}

    def get(self, table: Any) -> T | None:
        """What was made of a table; None if nothing was."""
        found = self._found.get(id(table))
        return found[1] if found is not None and found[0]() is table else None

    def keep(self, table: Any, made: T) -> None:
        """Keep what was made of a table, unless that has copies: of columns in several pieces."""
        if any(getattr(column, "num_chunks", 1) != 1 for column in table.columns):
            return
        place = id(table)

        def forget(_: object) -> None:
            self._found.pop(place, None)

        self._found[place] = weakref.ref(table, forget), made


def of_table(table: Any) -> Iterator[tuple[str, InputColumn | str]]:
    """The columns of a table by name; a text says why one cannot be read."""
    for name in table.column_names:
        try:
            yield name, of_arrow(table.column(name), f"the column `{name}`")
        except CogenError as error:
            yield name, error.message


def plain(value: Any) -> Any:
    """An argument as functions that are not staged take it: Arrow's as NumPy's, also in tuples,
    lists and dictionaries; arrays are copies."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if is_arrow_table(value):
        columns = {n: c for n, c in of_table(value) if isinstance(c, InputColumn)}
        arrays = {name: values_of(c.values, c.layout) for name, c in columns.items()}
        made = np.empty(len(value), [(name, a.dtype) for name, a in arrays.items()])
        for name, array in arrays.items():
            made[name] = array
        return made
    if is_arrow(value) and "string" in str(getattr(value, "type", "")).split("_"):
        return np.array(value.to_pylist())
    if is_arrow(value):
        column = of_arrow(value, "the array")
        return values_of(column.values, column.layout)
    if type(value) in (tuple, list):
        return type(value)([plain(part) for part in value])
    if type(value) is dict:
        return {name: plain(part) for name, part in value.items()}
    return value


def of_arrow(value: Any, what: str) -> InputColumn:
    """A column of Arrow.  CogenError for one with nulls, and for what is no number."""
    value = in_one_piece(value, what)
    kind = str(getattr(value, "type", ""))
    if kind.startswith("dictionary"):
        return of_arrow(value.indices, what)
    if kind == "bool":
        return _bits(value)
    wider = {"date32": "int32", "time32": "int32", "date64": "int64", "time64": "int64",
             "timestamp": "int64", "duration": "int64"}.get(kind.partition("[")[0])  # fmt: skip
    if wider is not None:
        value = value.view(wider)
    array = np.asarray(value.to_numpy(zero_copy_only=False))
    if array.dtype.kind not in _ELEMENTS:
        raise CogenError(
            f"{what} holds {kind or array.dtype}, which array programs do not have",
            hint="pass what is there by dictionary (a.dictionary_encode()), or numbers",
        )
    return InputColumn(_ELEMENTS[array.dtype.kind], array, layout_of(array.dtype))


def _bits(value: Any) -> InputColumn:
    """Truth values, of which a byte has eight."""
    first, count = value.offset, len(value)
    data = np.frombuffer(value.buffers()[1] or b"", np.uint8)
    data = data[first // 8 : (first + count + 7) // 8]
    layout = f"size=1,offset={first % 8}"
    return InputColumn(BOOL, PackedValue((count,), data, layout), layout)
