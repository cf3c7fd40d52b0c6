"""Arrow's arrays of strings -> their buffers: the text, and where each string starts in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogen.lang.errors import CogenError

KINDS = {"string": False, "binary": False, "large_string": True, "large_binary": True}
"""The types that are read, and whether their offsets have 64 bits."""


@dataclass(frozen=True, slots=True)
class Strings:
    """`count` strings: number k lies in `data` from offset `first` + k to the next one; `missing`
    tells which are null, if any is."""

    count: int
    data: Any
    offsets: Any
    first: int
    wide: bool
    missing: NDArray[np.bool_] | None


def chunks(strings: Any) -> Iterator[Strings]:
    """The chunks of an array or chunked array of pyarrow's; CogenError for anything else."""
    for array in getattr(strings, "chunks", [strings]):
        kind = str(getattr(array, "type", ""))
        if kind not in KINDS or not hasattr(array, "buffers"):
            given = kind or type(array).__name__
            raise CogenError(
                f"strings are an array of Arrow's of strings or binary data, not {given}",
                hint="pyarrow.array(texts) makes one of a list",
            )
        _, offsets, data = array.buffers()
        missing = None
        if array.null_count:
            missing = array.is_null().to_numpy(zero_copy_only=False)
        yield Strings(
            len(array), b"" if data is None else data, offsets, array.offset, KINDS[kind], missing
        )
