"""Arguments that are files, in pieces: byte ranges of packed samples, rows of `.npy` arrays.

A range of a packed file begins where a period of its layout does, so its samples lie in its bytes
as the file's lie in the file's. Samples of a file that are not whole are left out, as by `unpack`
of that file. Machines must see the files under the same paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cogen.array.l0.storage import Storage, storage_of
from cogen.array.l0.types import Type, packed_layout
from cogen.array.l0.values import PackedValue
from cogen.lang.errors import CogenError


@dataclass(frozen=True, slots=True)
class PackedRange:
    """So many elements in some bytes of a file."""

    path: str
    start: int
    stop: int
    count: int
    layout: str

    def load(self) -> PackedValue:
        """The elements, packed."""
        data = np.fromfile(self.path, np.uint8, self.stop - self.start, offset=self.start)
        if len(data) < self.stop - self.start:
            raise CogenError(f"{self.path} has become shorter")
        return PackedValue((self.count,), data, self.layout)


@dataclass(frozen=True, slots=True)
class PieceRows:
    """Some rows of an array in a file."""

    path: str
    start: int
    stop: int

    def load(self) -> np.ndarray[Any, Any]:
        """The rows."""
        whole: np.ndarray[Any, Any] = np.load(self.path, mmap_mode="r")
        return whole[self.start : self.stop]


def is_files(value: object) -> bool:
    """Whether an argument is a list of files."""
    return isinstance(value, list) and bool(value) and all(isinstance(x, Path) for x in value)


def pieces_of(
    paths: Sequence[Path], t: Type, size: int, name: str
) -> tuple[list[Any], list[int], list[int] | None]:
    """The pieces of files for a parameter, of about `size` bytes, how many elements each has, and
    the sizes of the first; CogenError for files that are not readable, or hold something else."""
    layout = packed_layout(t)
    found: list[Any] = []
    lengths: list[int] = []
    inner: list[int] | None = None
    for path in paths:
        try:
            if layout is not None:
                own = _ranges(path.absolute(), storage_of(layout), layout, size)
                lengths += [piece.count for piece in own]
                found += own
                continue
            array = np.load(path, mmap_mode="r")
        except (OSError, ValueError) as error:
            raise CogenError(
                f"{path}, for `{name}`, cannot be read: {error}",
                hint="packed samples are read from files of any kind, arrays from .npy files",
            ) from None
        cuts = _cuts(len(array), max(1, size // max(1, array.nbytes // max(1, len(array)))))
        found += [PieceRows(str(path.absolute()), start, stop) for start, stop in cuts]
        lengths += [stop - start for start, stop in cuts]
        inner = inner or list(array.shape)
    return found, lengths, inner


def _ranges(path: Path, storage: Storage, layout: str, size: int) -> list[PackedRange]:
    """The ranges of a packed file."""
    length = path.stat().st_size
    count = storage.count(length)
    if storage.step < 0:
        raise CogenError(
            f"the layout {layout!r} walks down, so files of it cannot be cut",
            hint="unpack such files, and distribute the arrays",
        )
    period = storage.period
    step = period // storage.group * storage.step // 8
    rows = max(1, size // step) * period
    last = storage.offset + storage.high + 7
    found = []
    for start, stop in _cuts(count, rows):
        first = start // storage.group * storage.step // 8
        groups = -(-(stop - start) // storage.group)
        end = first + ((groups - 1) * storage.step + last) // 8 if groups else first
        found.append(PackedRange(str(path), first, min(end, length), stop - start, layout))
    return found


def _cuts(count: int, rows: int) -> list[tuple[int, int]]:
    """Ranges of at most so many rows; one, empty, where there are none."""
    return [(start, min(start + rows, count)) for start in range(0, max(count, 1), rows)]
