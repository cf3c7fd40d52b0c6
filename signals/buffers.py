"""Buffers of any kind as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from cogen.buffers import refuse_masked
from cogen.lang.errors import CogenError


def readable(buffer: object, what: str = "the buffer") -> memoryview:
    """The bytes of anything with the buffer protocol that lies in one piece."""
    refuse_masked(buffer, what)
    if isinstance(buffer, np.ndarray):
        return _array_bytes(buffer, what)
    try:
        view = memoryview(buffer)  # type: ignore[arg-type]  # whether it has the protocol is asked
    except TypeError:
        raise CogenError(
            f"{what} must be a buffer, not {type(buffer).__name__}",
            hint="pass bytes, a bytearray, a NumPy array, or anything else with the buffer "
            "protocol",
        ) from None
    except (BufferError, ValueError) as error:
        raise CogenError(f"{what} gives no bytes: {error}") from None
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


def new_array(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """An array of zeros; CogenError if there is not so much memory."""
    try:
        return np.zeros(shape, dtype)
    except (MemoryError, ValueError):
        raise CogenError(f"there is no memory for an array of the shape {shape}") from None


def _array_bytes(array: np.ndarray[Any, Any], what: str) -> memoryview:
    if array.dtype.hasobject:
        raise CogenError(f"{what} holds Python objects, no plain data")
    if not array.flags.c_contiguous:
        raise _in_pieces(what)
    return array.reshape(-1).view(np.uint8).data


def _in_pieces(what: str) -> CogenError:
    return CogenError(
        f"{what} does not lie in one piece", hint="pass a contiguous copy of it: x.copy()"
    )
