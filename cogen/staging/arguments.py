"""Arguments of staged functions: their types, their parts, and what identifies known values.

An argument is taken apart into *leaves*: numbers and arrays.  A `LeafKind` says what a leaf is, as
far as code depends on it; functions of arguments of equal kinds share one program.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final, get_args

import numpy as np

from cogen.array.l0.arrowvalues import is_arrow
from cogen.array.l0.types import BOOL, INT, REAL
from cogen.binding_times import static
from cogen.buffers import MASKED_HINT, is_masked
from cogen.lang.errors import CogenError
from cogen.staging.columns import (
    InputColumn,
    KeptTables,
    complex_columns,
    fields_of,
    is_arrow_table,
    layout_of,
    of_arrow,
    of_table,
)
from cogen.staging.convertfunctions import is_rewritten
from cogen.staging.groupedarrays import Groups
from cogen.staging.listarguments import LeafKind, as_rows, is_row, list_of, some_of
from cogen.staging.stagedcomplex import complex_of, is_complex, is_complex_dtype
from cogen.staging.stagedconstants import KINDS
from cogen.staging.stagedtexts import StagedText
from cogen.staging.textarrays import texts_of
from cogen.staging.valueparts import is_dataclass_value, with_fields
from cogen.staging.variantarrays import variant, variants_of

STATIC: Final = static
"""The annotation of parameters that are known while staging."""


@dataclass(frozen=True, slots=True)
class Packed:
    """The annotation of a parameter that takes packed samples: bytes in a layout of `signals`; of
    complex numbers, if the two channels of it are their parts."""

    layout: Any
    of_complex: bool = False

    def unpacked(self, buffer: Any) -> Any:
        """The samples: an array, or one of records where the layout is a group."""
        dtype = np.complex128 if self.of_complex else None
        found = import_module("cogen.signals").unpack(buffer, self.layout, dtype=dtype)
        return found.astype(np.int64) if found.dtype.kind in "iu" else found


def packed(layout: Any, dtype: Any = None) -> Any:
    """The annotation of a parameter that takes packed samples.

    `layout` is what `cogen.signals.unpack` takes: a name such as "raw12", or a Layout.  The
    function sees the samples, as an array of ints or floats; the caller passes bytes.  With the
    `dtype` complex, layouts of two channels, I and Q, are arrays of complex numbers.  CogenError
    for another dtype.
    """
    if dtype is not None and not is_complex_dtype(dtype):
        raise CogenError(
            f"packed samples are numbers as their layout says, or complex, not {dtype!r}",
            hint="convert them in the function: raw.astype(...)",
        )
    return Packed(layout, dtype is not None)


# Parameters.


def parameters_of(function: Callable[..., Any]) -> tuple[inspect.Signature, Mapping[str, Any]]:
    """The signature, and the annotations that mean something to us."""
    signature = inspect.signature(function)
    found: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        meaning = _meaning(parameter.annotation, function)
        if meaning is not None:
            found[name] = meaning
    return signature, found


def _meaning(annotation: Any, function: Callable[..., Any]) -> Any:
    if isinstance(annotation, str):
        annotation = _evaluated(annotation, function)
    for part in (annotation, *get_args(annotation)):
        if part is STATIC or isinstance(part, Packed):
            return part
    return None


def _evaluated(text: str, function: Callable[..., Any]) -> Any:
    """An annotation that is a text, where it has a value."""
    names = dict(getattr(function, "__globals__", {}))
    code = getattr(function, "__code__", None)
    if code is not None:
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                names[name] = cell.cell_contents
            except ValueError:
                continue
    try:
        return eval(text, names)  # the program's own text, as Python evaluates it
    except Exception:  # whatever it raises, it is no annotation of ours
        return None


# Leaves.


def take_apart(value: Any, what: str) -> tuple[Any, list[Any]]:
    """The kinds of an argument, nested as it is, and its leaves.

    CogenError for what a program cannot take.
    """
    texts = texts_of(value, what)
    if texts is not None:
        return ("texts", tuple(map(_own, texts))), list(texts)
    objects = variants_of(value, what)
    if objects is not None:
        return ("variants", objects[0], tuple(map(_own, objects[1]))), objects[1]
    found = _leaf(value, what)
    if found is not None:
        return found[0], [found[1]]
    if is_complex(value):
        return _complex(value, what)
    if isinstance(value, np.ndarray) and value.dtype.names:
        return _records(value, what)
    if is_arrow_table(value):
        return _table(value)
    rows = _list_rows(value, what) if type(value) is list and value else None
    if rows is not None:
        return rows
    parts: list[tuple[Any, Any]]
    if isinstance(value, tuple | list):
        parts = list(enumerate(value))
        head: Any = ("named", type(value)) if hasattr(value, "_fields") else (type(value).__name__,)
    elif type(value) is dict:
        parts = list(value.items())
        head = "dict", tuple(value)
    elif is_dataclass_value(value):
        parts = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
        head = "dataclass", type(value), tuple([name for name, _ in parts])
    else:
        return ("known", KnownKey(value)), []
    kinds, leaves = [], []
    for name, part in parts:
        kind, own = take_apart(part, f"{what}[{name!r}]" if head[0] == "dict" else f"{what}.{name}")
        kinds.append(kind)
        leaves += own
    return (*head, tuple(kinds)), leaves


def _list_rows(value: list[Any], what: str) -> tuple[Any, list[Any]] | None:
    """A list whose elements are alike and made of numbers, as arrays; None for others."""
    first = take_apart(value[0], what)
    if not is_row(first[0]):
        return None
    return as_rows([first, *[take_apart(x, what) for x in value[1:]]])


def _records(value: np.ndarray[Any, Any], what: str) -> tuple[Any, list[Any]]:
    fields = fields_of(value)
    if fields is not None and not is_masked(value):
        return _columns(fields, {})
    kinds, leaves = [], []
    for name in value.dtype.names or ():
        if value.dtype[name].kind in "US":
            raise CogenError(
                f"{what}[{name!r}] has strings, which records of staged functions do not have",
                hint="pass the column as an argument of its own",
            )
        kind, own = take_apart(value[name], f"{what}[{name!r}]")
        kinds.append(kind)
        leaves += own
    return ("records", value.dtype.names, (), tuple(kinds)), leaves


def _table(table: Any) -> tuple[Any, list[Any]]:
    """A table of Arrow as an array of records, of the columns that can be read."""
    made = _tables.get(table)
    if made is None:
        found = dict(of_table(table))
        made = _columns(
            {name: column for name, column in found.items() if isinstance(column, InputColumn)},
            {name: why for name, why in found.items() if isinstance(why, str)},
        )
        _tables.keep(table, made)
    return made[0], list(made[1])


_tables: Final[KeptTables[tuple[Any, list[Any]]]] = KeptTables()


def _columns(
    columns: Mapping[str, InputColumn], others: Mapping[str, str]
) -> tuple[Any, list[Any]]:
    found = [_column(column) for column in columns.values()]
    kinds, leaves = [kind for kind, _ in found], [leaf for _, leaf in found]
    return ("records", tuple(columns), tuple(others.items()), tuple(kinds)), leaves


def _complex(value: Any, what: str) -> tuple[Any, list[Any]]:
    """A complex number, or an array of such, whose parts are read where they stand."""
    if is_masked(value):
        raise CogenError(f"{what} must not be masked", hint=MASKED_HINT)
    columns = complex_columns(value)
    if columns is not None:
        found = [_column(column) for column in columns]
    else:
        found = [leaf for part in (value.real, value.imag)
                 if (leaf := _leaf(part, what)) is not None]  # fmt: skip
    kinds, leaves = tuple([kind for kind, _ in found]), [leaf for _, leaf in found]
    return ("complex", kinds), leaves


def _own(array: np.ndarray[Any, Any]) -> LeafKind:
    """The kind of an array that was made of an argument."""
    layout = layout_of(array.dtype)
    return LeafKind(KINDS[array.dtype.kind], 1, (len(array) == 1,), layout=layout)


def _column(column: InputColumn) -> tuple[LeafKind, Any]:
    ones = (len(column.values) == 1,)
    return LeafKind(column.element, 1, ones, layout=column.layout), column.values


def _leaf(value: Any, what: str) -> tuple[LeafKind, Any] | None:
    kind = type(value)
    if kind is float or isinstance(value, np.floating):
        return _REAL, float(value)
    if kind is bool or isinstance(value, np.bool_):
        return _BOOL, bool(value)
    if kind is int or isinstance(value, int | np.integer):
        n = int(value)
        if not -(1 << 63) <= n < 1 << 63:
            raise CogenError(f"{what} is {n}, which is not in the range of int64")
        return _INT, n
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, tuple | list | dict) or value is None or callable(value):
        return None
    if getattr(value, "is_resident", False):
        ones = tuple([n == 1 for n in value.shape])
        return LeafKind(KINDS[value.dtype.kind], value.ndim, ones), value
    if is_arrow_table(value):
        return None
    if is_arrow(value):
        return _column(of_arrow(value, what))
    array = value if isinstance(value, np.ndarray) else _foreign(value, what)
    if array is None or array.dtype.names or array.dtype.kind == "c":
        return None
    if array.ndim == 0:
        return _leaf(array[()], what)
    element = KINDS.get(array.dtype.kind)
    if is_masked(array):
        raise CogenError(f"{what} must not be masked", hint=MASKED_HINT)
    if element is None:
        raise CogenError(
            f"{what} is an array of {array.dtype}, which array programs do not have",
            hint="they have ints, floats, truth values and records of these; strings as str or "
            "bytes; or annotate the parameter with cogen.static",
        )
    layout = None
    if array.ndim == 1 and array.flags.c_contiguous:
        layout = layout_of(array.dtype)
    return LeafKind(element, array.ndim, tuple([n == 1 for n in array.shape]), layout=layout), array


def _string(value: str) -> tuple[LeafKind, Any]:
    """A string as the codes of its characters: bytes, if they fit."""
    if value.isascii():
        codes = np.frombuffer(value.encode("ascii"), np.uint8)
    else:
        codes = np.frombuffer(value.encode("utf-32-le", "surrogatepass"), "<u4")
    return LeafKind(INT, 1, (len(value) == 1,), True, layout_of(codes.dtype)), codes


_REAL, _INT, _BOOL = LeafKind(REAL), LeafKind(INT), LeafKind(BOOL)


def _foreign(value: Any, what: str) -> np.ndarray[Any, Any] | None:
    """Something else that holds numbers, as an array on its memory; None for others."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError, BufferError):
        pass
    if hasattr(value, "__dlpack__"):
        try:
            return np.asarray(np.from_dlpack(value))
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise CogenError(f"{what} cannot be read by DLPack: {error}") from None
    return None


def put_together(kinds: Any, leaves: Callable[[LeafKind], Any], records: Any, values: Any) -> Any:
    """An argument like `values`, of other leaves, which are asked for in order."""
    if isinstance(kinds, LeafKind):
        return leaves(kinds)
    head = kinds[0]
    if head == "known":
        return kinds[1].value
    if head == "texts":
        offsets, codes = (leaves(kind) for kind in kinds[1])
        return Groups(offsets, codes, StagedText)
    if head == "complex":
        return complex_of(*map(leaves, kinds[1]))
    if head == "rows":
        element = put_together(kinds[1], some_of, None, values[0])
        return list_of(element, [leaves(kind) for kind in kinds[2]])
    if head == "variants":
        case, *fields = map(leaves, kinds[2])
        return variant(kinds[1], case, fields)
    if head == "records":
        made = [put_together(k, leaves, records, None) for k in kinds[-1]]
        return records(dict(zip(kinds[1], made, strict=True)), dict(kinds[2]))
    if head == "dict":
        inner = [put_together(k, leaves, records, values[n]) for n, k in
                 zip(kinds[1], kinds[2], strict=True)]  # fmt: skip
        return dict(zip(kinds[1], inner, strict=True))
    if head == "dataclass":
        names = list(kinds[2])
        inner = [put_together(k, leaves, records, getattr(values, n)) for n, k in
                 zip(names, kinds[3], strict=True)]  # fmt: skip
        return with_fields(values, names, inner)
    made = [put_together(k, leaves, records, v) for k, v in zip(kinds[-1], values, strict=True)]
    if head == "list":
        return made
    return kinds[1](*made) if head == "named" else tuple(made)


def names_of(kinds: Any, name: str) -> list[str]:
    """Names for the leaves of an argument."""
    if isinstance(kinds, LeafKind):
        return [name]
    if kinds[0] == "known":
        return []
    words: Sequence[Any] = range(len(kinds[-1]))
    if kinds[0] == "complex":
        words = "real", "imag"
    if kinds[0] in ("records", "dict"):
        words = kinds[1]
    elif kinds[0] == "dataclass":
        words = kinds[2]
    return [
        found
        for word, kind in zip(words, kinds[-1], strict=True)
        for found in names_of(kind, f"{name}_{word}")
    ]


def leaf_kinds(kinds: Any) -> Iterator[LeafKind]:
    """The kinds of the leaves of an argument, in order."""
    if isinstance(kinds, LeafKind):
        yield kinds
    elif kinds[0] != "known":
        for kind in kinds[-1]:
            yield from leaf_kinds(kind)


# What identifies known values.


class KnownKey:
    """A known value as a key: equal when it holds the same."""

    __slots__ = ("hash", "print", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.print = fingerprint(value)
        self.hash = hash(self.print)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownKey) and self.print == other.print

    def __hash__(self) -> int:
        return self.hash


class _Same:
    """An object that is equal only to itself; kept, so that no other is taken for it."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


_BY_IDENTITY: Final = (type, ModuleType, BuiltinFunctionType, np.ufunc, np.dtype)


def fingerprint(value: Any, seen: tuple[int, ...] = ()) -> Any:
    """What tells known values apart, as something that is hashed: content, where it may change."""
    kind = type(value)
    if value is None or kind in (int, bool, str, bytes):
        return kind, value
    if kind is float or isinstance(value, np.generic):
        return kind, repr(value)
    if isinstance(value, _BY_IDENTITY):
        return _Same(value)
    if id(value) in seen or len(seen) > 20:
        return "again", len(seen)
    inner = (*seen, id(value))
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return kind, [fingerprint(x, inner) for x in value.ravel().tolist()].__repr__()
        digest = hashlib.blake2b(np.ascontiguousarray(value).tobytes()).digest()
        return kind, str(value.dtype), value.shape, digest
    if isinstance(value, tuple | list):
        return kind, tuple([fingerprint(x, inner) for x in value])
    if isinstance(value, dict):
        return kind, tuple([(fingerprint(k, inner), fingerprint(x, inner))
                            for k, x in value.items()])  # fmt: skip
    if isinstance(value, set | frozenset):
        return kind, frozenset([fingerprint(x, inner) for x in value])
    if isinstance(value, bytearray | memoryview):
        return kind, bytes(value)
    if isinstance(value, FunctionType):
        return _of_function(value, inner)
    if isinstance(value, MethodType):
        return fingerprint(value.__func__, inner), fingerprint(value.__self__, inner)
    if hasattr(value, "__dict__") and not callable(value):
        return kind, fingerprint(vars(value), inner)
    return _Same(value)


def _of_function(function: FunctionType, seen: tuple[int, ...]) -> Any:
    """A function: its code, and what it closes over."""
    return (
        _Same(function.__code__),
        fingerprint(function.__defaults__, seen),
        fingerprint(function.__kwdefaults__, seen),
        tuple([_of_cell(cell, seen) for cell in function.__closure__ or ()]),
    )


def _of_cell(cell: Any, seen: tuple[int, ...]) -> Any:
    try:
        return fingerprint(cell.cell_contents, seen)
    except ValueError:
        return "empty"


def surroundings(functions: Sequence[FunctionType]) -> tuple[Any, ...]:
    """What functions see besides their arguments, as far as it may change: the globals that they
    mention, and what they close over."""
    found: list[Any] = []
    for function in functions:
        space = function.__globals__
        for name in function.__code__.co_names:
            if name in space:
                value = space[name]
                if isinstance(value, FunctionType):
                    found.append(_Same(value))
                elif not isinstance(value, ModuleType | type):
                    found.append(fingerprint(value))
        if is_rewritten(function):  # what it closes over was made while staging
            continue
        for cell in function.__closure__ or ():
            found.append(_of_cell(cell, ()))
    return tuple(found)
