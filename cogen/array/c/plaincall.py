"""Calls with nothing to convert: numbers, and arrays that lie as compiled code reads them.

What `Compiled` takes may need checks, conversions and copies, which take longer than a small
program runs.  Most calls pass just what the code computes with; that a look at each value tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cogen.array.c.nativeprogram import LEAST, CNative, padded, slot_of
from cogen.array.codegen.runnable import Native
from cogen.array.ir.marshal import LeafValue, from_leaves
from cogen.array.l0 import tree
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.pythonrecords import record_of
from cogen.array.l0.pythonvalues import to_python
from cogen.array.l0.storage import storage_of
from cogen.array.l0.types import (
    BOOL,
    INT,
    REAL,
    Basic,
    Declared,
    TupleType,
    Type,
    has_packed,
    packed_layout,
    rank,
    row_type,
)
from cogen.array.l0.values import PackedValue
from cogen.lang.datum import INT_MAX, INT_MIN

_DTYPES: Final = {INT: np.dtype(np.int64), REAL: np.dtype(np.float64), BOOL: np.dtype(np.bool_)}
_CLASSES: Final = {INT: int, REAL: float, BOOL: bool}


class _PlainNumber:
    """A parameter that is a number."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def put(self, value: Any, sizes: list[int], slots: list[int]) -> Any:
        """Note the slots of a value, and give what has its memory; None where it is not just as the
        code computes."""
        if type(value) is not self._kind:
            return None
        if self._kind is int and not INT_MIN <= value <= INT_MAX:
            return None  # the other way tells
        slots.append(slot_of(value))
        return self


class _PlainArray:
    """A parameter that is an array of numbers."""

    def __init__(self, dimensions: int, dtype: np.dtype[Any]) -> None:
        self._dimensions = dimensions
        self._dtype = dtype

    def put(self, value: Any, sizes: list[int], slots: list[int]) -> Any:
        """As of a number."""
        if type(value) is not np.ndarray or value.dtype != self._dtype:
            return None
        if value.ndim != self._dimensions or not value.flags.c_contiguous:
            return None
        sizes += value.shape
        slots.append(value.__array_interface__["data"][0])
        return value


class _PackedArray:
    """A parameter that is stored packed: bytes, or an array of numbers whose bytes are meant."""

    def __init__(self, layout: str) -> None:
        self._layout = layout
        self._storage = storage_of(layout)
        self._counted = -1, 0

    def put(self, value: Any, sizes: list[int], slots: list[int]) -> Any:
        """As of a number."""
        kind = type(value)
        if kind is PackedValue and value.layout == self._layout:
            data, count = value.content, value.shape[0]
        elif kind is bytes:
            data, count = np.frombuffer(value, np.uint8), self._count(len(value))
        elif kind is np.ndarray and value.dtype.kind in "iuf" and value.flags.c_contiguous:
            data, count = value, self._count(value.nbytes)
        else:
            return None
        if data.nbytes < LEAST:
            data = padded(data.reshape(-1).view(np.uint8))
        sizes.append(count)
        slots += [data.__array_interface__["data"][0]] * len(self._storage.leaves)
        return data

    def _count(self, length: int) -> int:
        """How many elements are in so many bytes, which are mostly as many as in the last call."""
        known = self._counted
        if known[0] != length:
            known = self._counted = length, self._storage.count(length)
        return known[1]


class PlainCall:
    """Calls a compiled program whose parameters and results are numbers and arrays of numbers, also
    such as are stored packed."""

    def __init__(self, native: CNative, parameters: Sequence[Type], result: Type) -> None:
        self._native = native
        self.count = len(parameters)
        self._result = result
        self._is_packed = has_packed(result)
        self._parameters = list(map(_parameter, parameters))

    def result(self, leaves: Sequence[LeafValue]) -> Any:
        """The result that leaves are."""
        if self._is_packed:
            return to_python(from_leaves(leaves, self._result), self._result, copy=False)
        if isinstance(self._result, Declared):
            return record_of(tuple(leaves), self._result, lambda leaf, _: leaf)
        return tuple(leaves) if isinstance(self._result, TupleType) else leaves[0]

    def __call__(self, values: Sequence[Any]) -> list[LeafValue] | None:
        """The leaves of the result; None where a value is not just as the code computes."""
        sizes: list[int] = []
        slots: list[int] = []
        kept: list[Any] = []
        for value, parameter in zip(values, self._parameters, strict=True):
            found = parameter.put(value, sizes, slots)
            if found is None:
                return None
            kept.append(found)
        return self._native.code.run(sizes + slots, self._native.threads)


def _parameter(t: Type) -> _PlainNumber | _PlainArray | _PackedArray:
    layout = packed_layout(t)
    if layout is not None:
        return _PackedArray(layout)
    element = element_of(t)
    return _PlainArray(rank(t), _DTYPES[element]) if rank(t) else _PlainNumber(_CLASSES[element])


def plain_key(values: Sequence[Any]) -> Any:
    """What code depends on in numbers and arrays that it may compute with as they are; None if
    there are others."""
    found: list[Any] = []
    for value in values:
        kind = type(value)
        if kind is np.ndarray:
            t = value.dtype
            if t.char not in "ld?" or not t.isnative or not value.flags.c_contiguous:
                return None
            found.append((t.char, *[n == 1 for n in value.shape]))
        elif kind is float or kind is bool or (kind is int and INT_MIN <= value <= INT_MAX):
            found.append(kind)
        else:
            return None
    return tuple(found)


def plain_call(
    native: Native, function: tree.FunctionDefinition, arithmetic: Arithmetic
) -> PlainCall | None:
    """How to call a function's code at once; None where arguments or results are converted."""
    if not isinstance(native, CNative) or arithmetic != WIDE:
        return None
    program = native.code.program
    if program.recursive or program.traces or program.result_sizes:
        return None
    parameters, result = [p.declared for p in function.parameters], function.declared
    results = result.parts if isinstance(result, TupleType) else (result,)
    if not results or not all(map(_is_of_numbers, (*parameters, *results))):
        return None
    return PlainCall(native, parameters, result)


def _is_of_numbers(t: Type) -> bool:
    """Whether a declared type is that of a number or an array of numbers, which is not consumed,
    and lies as in NumPy or is stored packed."""
    element = element_of(t)
    if packed_layout(t) is not None:
        return not t.starred
    return not t.starred and type(element) is Basic and element in _DTYPES


def element_of(t: Type) -> Any:
    """What an array has at full indices; what is no array itself."""
    return row_type(t, rank(t))
