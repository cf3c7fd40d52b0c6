"""The data that the signal cases work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True, slots=True)
class CaseData:
    """What a case works on: inputs, room for the output, and the number of samples."""

    a: Bytes
    b: Bytes
    out: Bytes
    count: int

    def buffer(self, name: str) -> Bytes:
        """The buffer of that name."""
        return {"a": self.a, "b": self.b, "out": self.out}[name]

    @property
    def size(self) -> int:
        """The bytes of all buffers."""
        return len(self.a) + len(self.b) + len(self.out)


def aligned(size: int, alignment: int = 4096) -> Bytes:
    """Zeroed memory that starts on a page."""
    memory = np.zeros(size + alignment, np.uint8)
    start = -memory.ctypes.data % alignment
    return memory[start : start + size]


def random_bytes(size: int, seed: int) -> Bytes:
    """Random bytes in aligned memory."""
    memory = aligned(size)
    memory[:] = np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)
    return memory


def runs(size: int) -> CaseData:
    """Run-length encoded bytes: counts up to 63 (in `a`) and values (in `b`), and room for what
    they stand for and 255 bytes more."""
    count = max(1, size // 34 // 64) * 64
    lengths = aligned(count)
    lengths[:] = np.random.default_rng(1).integers(1, 64, count, dtype=np.uint8)
    room = -(-(int(lengths.sum(dtype=np.int64)) + 255) // 64) * 64
    return CaseData(lengths, random_bytes(count, 2), aligned(room), count)


def escapes(size: int) -> CaseData:
    """Escape-coded values: one in eight takes two bytes; the last byte is a value of its own."""
    count = max(1, size // 64) * 64
    random = np.random.default_rng(1)
    stream = random_bytes(count, 2)
    stream &= 127
    stream |= (random.random(count) < 1 / 8).astype(np.uint8) << 7
    stream[-2:] &= 127
    return CaseData(stream, aligned(0), aligned(0), count)


def sparse(size: int) -> CaseData:
    """A sparse vector (in `a` all indices, then all values) and the first 50,000 samples of a
    dense one (in `b`), of 16 bits."""
    count = max(1, size // 4 // 64) * 64
    vector = random_bytes(4 * count, 1)
    indices = np.random.default_rng(2).integers(0, 50_000, count, dtype=np.uint16)
    vector[: 2 * count] = indices.view(np.uint8)
    return CaseData(vector, random_bytes(100_000, 3), aligned(0), count)


def counted(size: int) -> CaseData:
    """Random bytes and 256 bins of 32 bits."""
    count = max(1, size // 64) * 64
    return CaseData(random_bytes(count, 1), aligned(0), aligned(1024), count)


def diffused(size: int, width: int) -> CaseData:
    """A picture of bytes, room for its bits and (in `b`) for a row of errors of 16 bits."""
    count = max(1, size * 8 // 9 // (4 * width)) * 4 * width
    return CaseData(random_bytes(count, 1), aligned(2 * (width + 1)), aligned(count // 8), count)
