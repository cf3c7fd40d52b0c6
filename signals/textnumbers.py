"""Numbers as text, an item a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import BinaryIO

import numpy as np

from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.layout import AnyLayout
from cogen.signals.plainly import lines_of


def as_text(array: Array) -> bytes:
    """The items of an array."""
    several = array.ndim > 1 or array.dtype.names is not None
    return lines_of(array.tolist() if several else ((value,) for value in array.tolist()))


def read_text(
    source: BinaryIO, layout: AnyLayout, items: int, report: Callable[[int], None]
) -> Iterator[Array]:
    """Arrays of so many lines of numbers."""
    number = 0
    while lines := list(islice(source, items)):
        report(sum(map(len, lines)))
        yield _numbers(lines, number, layout)
        number += len(lines)


def _numbers(lines: list[bytes], number: int, layout: AnyLayout) -> Array:
    columns = len(layout.dtype.names or ()) or layout.width or 1
    fractional = [field.float or layout.scale is not None for field in layout.fields]
    kinds = fractional if layout.dtype.names else fractional[:1] * columns
    rows = []
    for at, line in enumerate(lines, number + 1):
        words = line.split()
        if len(words) != columns:
            raise CogenError(f"line {at} of the input has {len(words)} numbers, not {columns}")
        try:
            rows.append(tuple(float(w) if f else int(w) for w, f in zip(words, kinds, strict=True)))
        except ValueError:
            shown = line.decode(errors="replace").strip()
            what = "numbers" if any(kinds) else "integers"
            raise CogenError(f"line {at} of the input holds no {what}: {shown}") from None
    if layout.dtype.names is None:
        flat = np.array([value for row in rows for value in row])
        return flat if layout.width is None else flat.reshape(-1, columns)
    parts = [np.array([row[i] for row in rows]) for i in range(columns)]
    named = zip(layout.dtype.names, parts, strict=True)
    result: Array = np.empty(len(rows), np.dtype([(name, part.dtype) for name, part in named]))
    for name, part in zip(layout.dtype.names, parts, strict=True):
        result[name] = part
    return result
