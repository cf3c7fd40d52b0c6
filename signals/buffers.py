"""Buffers of any kind, and files, as bytes, and as arrays of bytes."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np

from cogen.buffers import refuse_masked
from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.signals.wavfiles import wav_data

Array: TypeAlias = np.ndarray[Any, Any]


def readable(buffer: object, what: str = "the buffer") -> memoryview:
    """The bytes of anything with the buffer protocol that lies in one piece."""
    refuse_masked(buffer, what)
    if isinstance(buffer, np.ndarray):
        return _array_bytes(buffer, what)
    view = _view(buffer, what)
    if not view.c_contiguous:
        raise _in_pieces(what)
    if view.nbytes == 0:
        return memoryview(bytearray() if not view.readonly else b"")
    try:
        return view.cast("B")
    except TypeError:
        return _array_bytes(np.asarray(view), what)


def writable(buffer: object, what: str) -> memoryview:
    """The same for a buffer that is written to."""
    view = readable(buffer, what)
    if view.readonly:
        raise CogenError(f"{what} is read-only", hint="pass a bytearray or a NumPy array")
    return view


def byte_array(view: memoryview) -> Array:
    """Bytes as an array, without a copy."""
    return np.frombuffer(view, np.uint8)


def byte_rows(buffer: object, what: str = "the buffer") -> Array:
    """The bytes of a buffer: of shape (bytes,) where it lies in one piece, else of shape (rows,
    bytes of a row) where it is rows in one piece each that are evenly apart.  CogenError for
    others."""
    refuse_masked(buffer, what)
    array = buffer if isinstance(buffer, np.ndarray) else np.asarray(_view(buffer, what))
    if array.dtype.hasobject:
        raise CogenError(f"{what} holds Python objects, no plain data")
    if array.flags.c_contiguous:
        return byte_array(_array_bytes(array, what))
    inner, size = array.ndim, array.itemsize
    while inner and (array.strides[inner - 1] == size or array.shape[inner - 1] == 1):
        inner -= 1
        size *= array.shape[inner]
    outer = [(n, s) for n, s in zip(array.shape[:inner], array.strides, strict=False) if n != 1]
    even = all(a[1] == b[0] * b[1] for a, b in pairwise(outer))
    if not outer or not even:
        raise _in_pieces(what, "its rows are not evenly apart, or have gaps inside")
    rows = 1
    for n, _ in outer:
        rows *= n
    return np.asarray(_Memory(array, (rows, size), (outer[-1][1], 1)))


class _Memory:
    """The bytes of an array's memory, by NumPy's protocol for arrays of others."""

    def __init__(self, array: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.array = array
        data = array.__array_interface__["data"]
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1", "data": data, "shape": shape, "strides": strides,
        }  # fmt: skip


EXACT: Final = 2.0**53
"""Integers of a smaller size are floats, too."""


def array_of(given: Any) -> Array:
    """The array of numbers in lists, as NumPy makes it; but where some have 64 bits without a sign,
    and others fewer, integers, not the floats next to them.  Its errors are those of NumPy."""
    made = np.asarray(given)
    listed = isinstance(given, list | tuple)
    if listed and made.dtype == np.float64 and (np.abs(made) >= EXACT).any():
        objects = np.asarray(given, object)
        if all(isinstance(number, int | np.integer) for number in objects.flat):
            made = np.asarray(objects, np.uint64) if min(objects.flat) >= 0 else objects
    return made


def new_array(shape: int | tuple[int, ...], dtype: Any) -> Array:
    """An array of zeros; CogenError if there is not so much memory."""
    try:
        return np.zeros(shape, dtype)
    except (MemoryError, ValueError):
        raise _no_memory(shape) from None


def empty_array(shape: int | tuple[int, ...], dtype: Any) -> Array:
    """An array of anything; CogenError if there is not so much memory."""
    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError):
        raise _no_memory(shape) from None


def _no_memory(shape: object) -> CogenError:
    return CogenError(f"there is no memory for an array of the shape {shape}")


def mapped(path: str | os.PathLike[str]) -> Array:
    """The bytes of a file (of a WAV file, those of its samples), which are read when they are
    needed; CogenError if it cannot be."""
    wav = wav_data(path)
    try:
        if os.stat(path).st_size == 0 or (wav is not None and wav.start == wav.end):
            return np.zeros(0, np.uint8)
        if wav is not None:
            return np.memmap(path, np.uint8, "r", wav.start, (wav.end - wav.start,))
        return np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CogenError(f"cannot read {os.fspath(path)}: {reason}") from None


def _view(buffer: object, what: str) -> memoryview:
    if isinstance(buffer, os.PathLike):
        return mapped(buffer).data
    try:
        return memoryview(buffer)  # type: ignore[arg-type]  # whether it has the protocol is asked
    except TypeError:
        hint = (
            "pass bytes, a bytearray, a NumPy array, or anything else with the buffer "
            "protocol; pathlib.Path(...) is the bytes of a file"
        )
        if hasattr(buffer, "read") and what != "out":
            hint = "x.read() gives its bytes, and signals.stream(x, layout) reads some at a time"
        if isinstance(buffer, str):
            hint = f"pathlib.Path({shown(buffer)}) is the bytes of that file"
        elif hasattr(buffer, "layout") and hasattr(buffer, "array"):
            hint = "x.array() is its samples, x.data are its bytes, packed as x.layout says"
        raise CogenError(
            f"{what} must be a buffer, not {type(buffer).__name__}", hint=hint
        ) from None
    except (BufferError, ValueError) as error:
        raise CogenError(f"{what} gives no bytes: {error}") from None


def _array_bytes(array: Array, what: str) -> memoryview:
    if array.dtype.hasobject:
        raise CogenError(f"{what} holds Python objects, no plain data")
    if not array.flags.c_contiguous:
        raise _in_pieces(what)
    return array.reshape(-1).view(np.uint8).data


def _in_pieces(what: str, why: str = "") -> CogenError:
    return CogenError(
        f"{what} does not lie in one piece" + (f": {why}" if why else ""),
        hint="pass a contiguous copy of it: x.copy()",
    )
