"""Arrays of strings of any lengths as arguments: where each begins, and the characters of all, one
after the other, as Arrow has them.

    ["to", "", "be"]     offsets 0 2 2 4, characters t o b e

In staged functions they are groups (`cogen.staging.groupedarrays`): `names[k]` is an array of
characters, `cogen.map` hands each on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.lang.errors import CogenError

Texts = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
"""Offsets, one more than there are strings, and codes: of 8 bits where all are ASCII."""


def texts_of(value: Any, what: str) -> Texts | None:
    """The strings of an array of NumPy's or Arrow's; None for another one.  CogenError for null."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "US" or value.ndim != 1:
            return None
        if value.dtype.kind == "S":
            return _of_bytes([bytes(part) for part in value])
        return _of_strings([str(part) for part in value])
    if str(getattr(value, "type", "")) not in ("string", "large_string"):
        return None
    if value.null_count:
        raise CogenError(f"{what} has strings that are null", hint='fill them: a.fill_null("")')
    return _in_place(value) or _of_strings(value.to_pylist())


def _of_strings(parts: Sequence[str]) -> Texts:
    whole = "".join(parts)
    if whole.isascii():
        return _offsets(parts), np.frombuffer(whole.encode("ascii"), np.uint8)
    codes = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), "<u4")
    return _offsets(parts), codes


def _of_bytes(parts: Sequence[bytes]) -> Texts:
    return _offsets(parts), np.frombuffer(b"".join(parts), np.uint8)


def _offsets(parts: Sequence[str] | Sequence[bytes]) -> np.ndarray[Any, Any]:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def _in_place(value: Any) -> Texts | None:
    """The strings of an array of Arrow where they lie, if all are ASCII."""
    if hasattr(value, "chunks"):
        if value.num_chunks != 1:
            return None
        value = value.chunk(0)
    _, ends, data = value.buffers()
    wide = np.int64 if str(value.type) == "large_string" else np.int32
    first, count = value.offset, len(value)
    offsets = np.frombuffer(ends, wide)[first : first + count + 1].astype(np.int64)
    codes = np.frombuffer(data if data is not None else b"", np.uint8)
    codes = codes[offsets[0] : offsets[-1]]
    return None if (codes >= 0x80).any() else (offsets - offsets[0], codes)
