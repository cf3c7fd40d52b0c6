"""Logs of candump (`candump -l`) -> arrays, many lines at a time.

    (1436509052.249713) can0 123#1122334455667788          an identifier of 11 bits
    (1436509052.449847) can0 18FF1122##1001122             of 29 bits; a frame of CAN FD, flags 1

What python-can makes of such lines, in less than half of its time; files with other lines (remote
frames, error frames, mistakes) are left to it.
"""

from __future__ import annotations

import re
from binascii import unhexlify
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from cogen.signals.buffers import Array

SUFFIX: Final = ".log"

SOME: Final = 1 << 22
"""Bytes of lines that are worked on at a time."""

EXTENDED: Final = 1 << 31
ADDRESS: Final = 0x1FFFFFFF
ERROR: Final = 1 << 29

PLAIN, LONG = 8, 64
"""The most bytes of a frame of CAN and of CAN FD."""

_LINE: Final = re.compile(
    rb"^\((\d+\.\d+)\) (\S+) ([0-9A-Fa-f]{3}|[0-9A-Fa-f]{8})"
    rb"#(?:#\d)?([0-9A-Fa-f]*)(?: [RrTt])?\r?$",
    re.MULTILINE,
)

Part = tuple[Array, Array, Array, Array, list[Any]]
"""Times, identifiers, bytes in rows, lengths, channels."""


def read_candump(path: Path) -> tuple[Array, Array, Array, Array, Array] | None:
    """Times, identifiers with flags, frames, lengths and channels; None if the file has other
    lines, or cannot be read."""
    try:
        with open(path, "rb") as file:
            parts = [*_parts(iter(lambda: file.readlines(SOME), []))]
    except (OSError, ValueError):
        return None
    if not parts:
        return None
    times, ids, frames, lengths, channels = zip(*parts, strict=True)
    width = PLAIN if max(int(some.max()) for some in lengths) <= PLAIN else LONG
    named: Array = np.empty(sum(map(len, channels)), object)
    named[:] = [channel for some in channels for channel in some]
    whole = np.concatenate([_wide(rows, width) for rows in frames])
    return np.concatenate(times), np.concatenate(ids), whole, np.concatenate(lengths), named


def line_behind(path: Path, count: int) -> tuple[int, str] | None:
    """The line behind so many frames, a line each, and its number; None if there is none, or it is
    as it should be."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                if count == 0:
                    text = line.decode(errors="replace").rstrip()
                    return None if _LINE.match(line.rstrip()) else (number, text)
                count -= 1
    return None


def _parts(blocks: Iterator[list[bytes]]) -> Iterator[Part]:
    """The arrays of some lines each; ValueError for lines of other kinds."""
    for lines in blocks:
        found = _LINE.findall(b"".join(lines))
        if len(found) != len(lines):
            raise ValueError("other lines")
        times, channels, ids, data = zip(*found, strict=True)
        known = {text: _identifier(text) for text in set(ids)}
        digits = np.array(list(map(len, data)))
        if (digits & 1).any() or digits.max() > 2 * LONG:
            raise ValueError("a frame of half bytes, or too long")
        lengths = (digits // 2).astype(np.uint8)
        width = PLAIN if lengths.max() <= PLAIN else LONG
        plain = unhexlify(b"".join([text.ljust(2 * width, b"0") for text in data]))
        names = {text: _channel(text.decode()) for text in set(channels)}
        yield (
            np.array(list(map(float, times))), np.array([known[text] for text in ids], np.uint32),
            np.frombuffer(plain, np.uint8).reshape(-1, width), lengths,
            [names[text] for text in channels],
        )  # fmt: skip


def _identifier(text: bytes) -> int:
    """With its flag; ValueError for that of an error."""
    number = int(text, 16)
    if number & ERROR:
        raise ValueError("a frame of an error")
    return number & ADDRESS | (EXTENDED if len(text) > 3 else 0)


def _channel(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def _wide(rows: Array, width: int) -> Array:
    """Rows with zeros behind them."""
    return rows if rows.shape[1] == width else np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
