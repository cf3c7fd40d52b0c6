"""Columns -> Arrow's C data interface: capsules that other packages take without a copy.

pyarrow, polars, DuckDB, nanoarrow and others ask an object for `__arrow_c_schema__`,
`__arrow_c_array__` or `__arrow_c_stream__`.  What they get are C structures with a procedure
`release`; none of these packages is needed to make them.

Source: The Arrow C data interface, The Arrow C stream interface, The Arrow PyCapsule interface
(the Arrow project's specifications).

Note [Who owns what]: each structure, a child's too, has an entry of its own in `_alive`, which
holds its memory until `release` is called with it: a consumer may move a child away and release
the parent.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final, TypeAlias

import numpy as np

from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array

NULLABLE: Final = 2
"""The flag of columns that may have nothing in a row."""

_NUMBERS: Final = {
    "u1": b"C", "u2": b"S", "u4": b"I", "u8": b"L",
    "i1": b"c", "i2": b"s", "i4": b"i", "i8": b"l",
    "f2": b"e", "f4": b"f", "f8": b"g",
}  # fmt: skip
"""Arrow's names of NumPy's types."""

_UNITS: Final = {"s": b"s", "ms": b"m", "us": b"u", "ns": b"n"}
"""Arrow's names of the units of times."""

Batch: TypeAlias = Mapping[str, Array]
"""Columns of one length."""


class Schema(ctypes.Structure):
    """`struct ArrowSchema`."""


class ArrowData(ctypes.Structure):
    """`struct ArrowArray`."""


class Batches(ctypes.Structure):
    """`struct ArrowArrayStream`."""


_Release: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Get: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_Tell: Final = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", _Release),
    ("private_data", ctypes.c_void_p),
]
ArrowData._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowData))),
    ("dictionary", ctypes.POINTER(ArrowData)),
    ("release", _Release),
    ("private_data", ctypes.c_void_p),
]
Batches._fields_ = [
    ("get_schema", _Get),
    ("get_next", _Get),
    ("get_last_error", _Tell),
    ("release", _Release),
    ("private_data", ctypes.c_void_p),
]

_alive: dict[int, object] = {}
"""What structures hold, by their private data, and structures of capsules, by their address.
See Note [Who owns what]."""

_numbers: Final = count(1)


def _hold(structure: Any, *held: object) -> None:
    """Give a structure what keeps its memory until it is released."""
    number = next(_numbers)
    _alive[number] = held
    structure.private_data = number


def _releaser(kind: Any) -> Any:
    def release(address: int) -> None:
        structure = kind.from_address(address)
        for child in range(structure.n_children if kind is not Batches else 0):
            part = structure.children[child].contents
            if part.release:
                part.release(ctypes.addressof(part))
        _alive.pop(structure.private_data, None)
        structure.release = _Release()

    return _Release(release)


_RELEASE: Final[dict[Any, Any]] = {kind: _releaser(kind) for kind in (Schema, ArrowData, Batches)}


def _schema(format: bytes, name: str, children: Sequence[Schema] = ()) -> Schema:
    made = Schema()
    encoded = name.encode()
    pointers = (ctypes.POINTER(Schema) * len(children))(*map(ctypes.pointer, children))
    made.format, made.name, made.flags = format, encoded, 0 if children else NULLABLE
    made.n_children = len(children)
    made.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(Schema)))
    made.release = _RELEASE[Schema]
    _hold(made, format, encoded, pointers, children)
    return made


def _data(
    length: int, buffers: Sequence[Array | None], children: Sequence[ArrowData] = (), nulls: int = 0
) -> ArrowData:
    made = ArrowData()
    places = [None if b is None else b.ctypes.data for b in buffers]
    addresses = (ctypes.c_void_p * len(buffers))(*places)
    pointers = (ctypes.POINTER(ArrowData) * len(children))(*map(ctypes.pointer, children))
    made.length, made.null_count, made.offset = length, nulls, 0
    made.n_buffers, made.n_children = len(buffers), len(children)
    made.buffers = ctypes.cast(addresses, ctypes.POINTER(ctypes.c_void_p))
    made.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(ArrowData)))
    made.release = _RELEASE[ArrowData]
    _hold(made, addresses, list(buffers), pointers, children)
    return made


def _format(column: Array, name: str) -> bytes:
    """Arrow's type of a column; CogenError if it has none."""
    if column.dtype.kind == "b":
        return b"b"
    if column.dtype.kind in "OUT":
        return b"U"
    if column.dtype.kind == "M" and np.datetime_data(column.dtype)[0] in _UNITS:
        return b"ts" + _UNITS[np.datetime_data(column.dtype)[0]] + b":"
    found = _NUMBERS.get(column.dtype.newbyteorder("=").str[1:])
    if found is None or column.ndim != 1:
        raise CogenError(
            f"the column {name!r} of {column.dtype} and {column.ndim} dimensions is none of Arrow's"
        )
    return found


def _column(column: Array) -> ArrowData:
    if column.dtype.kind in "OUT":
        return _text(column)
    if column.dtype.kind == "b":
        bits = np.packbits(column, bitorder="little")
        return _data(len(column), [None, bits])
    values = np.ascontiguousarray(column, column.dtype.newbyteorder("="))
    if column.dtype.kind == "M":
        return _data(len(column), *_there(~np.isnat(values), values.view(np.int64)))
    return _data(len(column), [None, values])


def _there(there: Array, *buffers: Array) -> tuple[list[Array | None], tuple[()], int]:
    """Buffers behind that of which rows are there, and how many are not."""
    nulls = int(len(there) - there.sum())
    return [np.packbits(there, bitorder="little") if nulls else None, *buffers], (), nulls


def _text(column: Array) -> ArrowData:
    """Strings: one behind the other, where each begins, and which are there."""
    texts = [None if x is None or x != x else str(x).encode() for x in column.tolist()]
    sizes = [0 if text is None else len(text) for text in texts]
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    joined = np.frombuffer(b"".join(text or b"" for text in texts) or b"\0", np.uint8)
    there = np.array([text is not None for text in texts], bool)
    return _data(len(texts), *_there(there, starts, joined))


def _whole_schema(columns: Batch) -> Schema:
    children = [_schema(_format(column, name), name) for name, column in columns.items()]
    return _schema(b"+s", "", children)


def _whole_data(columns: Batch) -> ArrowData:
    length = len(next(iter(columns.values()), ()))
    return _data(length, [None], [_column(column) for column in columns.values()])


_api: Final = ctypes.pythonapi
_Destroy: Final = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_new: Final = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destroy)(
    ("PyCapsule_New", _api)
)
_pointer: Final = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_NAMES: Final[dict[Any, bytes]] = {
    Schema: b"arrow_schema", ArrowData: b"arrow_array", Batches: b"arrow_array_stream",
}  # fmt: skip


def _destroyer(kind: Any) -> Any:
    def destroy(capsule: int) -> None:
        address = _pointer(capsule, _NAMES[kind])
        structure = kind.from_address(address)
        if structure.release:  # nobody has taken it
            structure.release(address)
        _alive.pop(address, None)

    return _Destroy(destroy)


_DESTROY: Final[dict[Any, Any]] = {kind: _destroyer(kind) for kind in _NAMES}


def _capsule(structure: Any) -> Any:
    address = ctypes.addressof(structure)
    _alive[address] = structure
    return _new(address, _NAMES[type(structure)], _DESTROY[type(structure)])


def schema_capsule(columns: Batch) -> Any:
    """The types of columns, which become the fields of a struct."""
    return _capsule(_whole_schema(columns))


def array_capsules(columns: Batch) -> tuple[Any, Any]:
    """The types of columns and the columns themselves, not copied where they lie in one piece."""
    return schema_capsule(columns), _capsule(_whole_data(columns))


def stream_capsule(first: Batch, batches: Iterator[Batch]) -> Any:
    """Batches of columns, one after the other, each made when it is asked for; all have the names
    and types of the first."""
    for name, column in first.items():  # CogenError now, not when the consumer asks
        _format(column, name)
    told = [ctypes.create_string_buffer(b"")]

    def guarded(make: Callable[[], Any]) -> Callable[[int, int], int]:
        def get(_stream: int, out: int) -> int:
            try:
                made = make()
            except Exception as error:
                message = getattr(error, "message", None) or str(error)
                told[0] = ctypes.create_string_buffer(message.encode())
                return 5  # EIO
            ctypes.memmove(out, ctypes.byref(made), ctypes.sizeof(made))
            return 0

        return get

    def following() -> ArrowData:
        batch = next(batches, None)
        return ArrowData() if batch is None else _whole_data(batch)

    def last_error(_stream: int) -> int:
        return ctypes.addressof(told[0])

    made = Batches()
    made.get_schema = _Get(guarded(lambda: _whole_schema(first)))
    made.get_next = _Get(guarded(following))
    made.get_last_error = _Tell(last_error)
    made.release = _RELEASE[Batches]
    _hold(made, made.get_schema, made.get_next, made.get_last_error)
    return _capsule(made)
