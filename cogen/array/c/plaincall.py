"""Calls with nothing to convert: numbers, and arrays that lie as compiled code reads them.

What `Compiled` takes may need checks, conversions and copies, which take longer than a small
program runs.  Most calls pass just what the code computes with; that a look at each value tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cogen.array.c.nativeprogram import CNative, slot_of
from cogen.array.codegen.runnable import Native
from cogen.array.ir.marshal import LeafValue
from cogen.array.l0 import tree
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.pythonrecords import record_of
from cogen.array.l0.types import BOOL, INT, REAL, Basic, Declared, TupleType, Type, rank, row_type
from cogen.lang.datum import INT_MAX, INT_MIN

_DTYPES: Final = {INT: np.dtype(np.int64), REAL: np.dtype(np.float64), BOOL: np.dtype(np.bool_)}
_CLASSES: Final = {INT: int, REAL: float, BOOL: bool}


class PlainCall:
    """Calls a compiled program whose parameters and results are numbers and arrays of numbers."""

    def __init__(self, native: CNative, parameters: Sequence[Type], result: Type) -> None:
        self._native = native
        self.count = len(parameters)
        self._result = result
        self._parameters = [
            (rank(t), _DTYPES[element_of(t)], _CLASSES[element_of(t)]) for t in parameters
        ]

    def result(self, leaves: Sequence[LeafValue]) -> Any:
        """The result that leaves are."""
        if isinstance(self._result, Declared):
            return record_of(tuple(leaves), self._result, lambda leaf, _: leaf)
        return tuple(leaves) if isinstance(self._result, TupleType) else leaves[0]

    def __call__(self, values: Sequence[Any]) -> list[LeafValue] | None:
        """The leaves of the result; None where a value is not just as the code computes."""
        sizes: list[int] = []
        slots: list[int] = []
        for value, (dimensions, dtype, kind) in zip(values, self._parameters, strict=True):
            if dimensions:
                if type(value) is not np.ndarray or value.dtype != dtype:
                    return None
                if value.ndim != dimensions or not value.flags.c_contiguous:
                    return None
                sizes += value.shape
                slots.append(value.__array_interface__["data"][0])
            elif not _is_plain_number(value, kind):
                return None
            elif type(value) is int and not INT_MIN <= value <= INT_MAX:
                return None  # the other way tells
            else:
                slots.append(slot_of(value))
        return self._native.code.run(sizes + slots, self._native.threads)


def _is_plain_number(value: Any, kind: Any) -> bool:
    """Whether a number is of just this class, and an int of 64 bits."""
    return type(value) is kind and (kind is not int or -(1 << 63) <= value < 1 << 63)


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
    if program.recursive or program.traces or program.packed or program.result_sizes:
        return None
    parameters, result = [p.declared for p in function.parameters], function.declared
    results = result.parts if isinstance(result, TupleType) else (result,)
    if not results or not all(map(_is_of_numbers, (*parameters, *results))):
        return None
    return PlainCall(native, parameters, result)


def _is_of_numbers(t: Type) -> bool:
    """Whether a declared type is that of a number or an array of numbers, which is not consumed,
    and lies as in NumPy."""
    element = element_of(t)
    return not t.starred and type(element) is Basic and element in _DTYPES


def element_of(t: Type) -> Any:
    """What an array has at full indices; what is no array itself."""
    return row_type(t, rank(t))
