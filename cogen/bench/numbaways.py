"""The signal cases as loops for Numba, where it is installed (extra `bench`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from cogen.bench.data import CaseData

compiled: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.njit(cache=False)


@compiled
def _sum(a: Any) -> int:
    total = 0
    for x in a:
        total += x
    return total


@compiled
def _sum12(a: Any) -> int:
    total = 0
    for i in range(len(a) // 3):
        x, y, z = a[3 * i], a[3 * i + 1], a[3 * i + 2]
        total += (x | (y & 15) << 8) + (y >> 4 | z << 4)
    return total


@compiled
def _sum24(a: Any) -> Any:
    total: Any = 0
    for i in range(len(a) // 3):
        bits = np.int64(a[3 * i]) | np.int64(a[3 * i + 1]) << 8 | np.int64(a[3 * i + 2]) << 16
        total += (bits ^ 0x800000) - 0x800000
    return total


@compiled
def _ramp(out: Any, step: int, count: int) -> None:
    for i in range(count):
        out[step * i] = i & 255


@compiled
def _grey(a: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = (77 * a[3 * i] + 150 * a[3 * i + 1] + 29 * a[3 * i + 2]) >> 8


@compiled
def _mix(a: Any, b: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = (np.int32(a[i]) + np.int32(b[i])) >> 1


@compiled
def _mixsat(a: Any, b: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = min(max(np.int32(a[i]) + np.int32(b[i]), -32768), 32767)


@compiled
def _copy1(a: Any, out: Any) -> None:
    for i in range(len(out) - 1):
        out[i] = a[i] >> np.uint32(3) | a[i + 1] << np.uint32(29)


@compiled
def _unpack12(a: Any, out: Any) -> None:
    for i in range(len(a) // 3):
        out[2 * i] = a[3 * i] | (a[3 * i + 1] & 15) << 8
        out[2 * i + 1] = a[3 * i + 1] >> 4 | a[3 * i + 2] << 4


@compiled
def _pack12(a: Any, out: Any) -> None:
    for i in range(len(a) // 2):
        x, y = a[2 * i], a[2 * i + 1]
        out[3 * i] = x & 255
        out[3 * i + 1] = (x >> 8 & 15) | (y & 15) << 4
        out[3 * i + 2] = (y >> 4) & 255


@compiled
def _fir5(a: Any, out: Any) -> None:
    for i in range(len(a) - 4):
        total = np.int32(a[i]) + 4 * a[i + 1] + 6 * a[i + 2] + 4 * a[i + 3] + a[i + 4]
        out[i] = total >> 4


@compiled
def _dither(a: Any, levels: Any, out: Any) -> None:
    for i in range(len(out)):
        y = i // 96 % 4
        byte = 0
        for k in range(8):
            if a[8 * i + k] >= levels[y, k % 4]:
                byte |= 1 << k
        out[i] = byte


@compiled
def _base64(a: Any, letters: Any, out: Any) -> int:
    for i in range(len(a) // 3):
        bits = np.int32(a[3 * i]) << 16 | np.int32(a[3 * i + 1]) << 8 | np.int32(a[3 * i + 2])
        out[4 * i] = letters[bits >> 18]
        out[4 * i + 1] = letters[bits >> 12 & 63]
        out[4 * i + 2] = letters[bits >> 6 & 63]
        out[4 * i + 3] = letters[bits & 63]
    return len(a) // 3 * 4


@compiled
def _rle(counts: Any, values: Any, out: Any) -> int:
    at = 0
    for i in range(len(counts)):
        for _ in range(counts[i]):
            out[at] = values[i]
            at += 1
    return at


@compiled
def _escaped(a: Any) -> Any:
    total: Any = 0
    i = 0
    while i < len(a):
        x = np.int64(a[i])
        if x < 128:
            total += x
            i += 1
        else:
            total += (x & 127) << 8 | a[i + 1]
            i += 2
    return total


@compiled
def _adpcm(a: Any, steps: Any, changes: Any, out: Any) -> Any:
    level = index = 0
    for i in range(len(out)):
        x, step = a[i // 2] >> (i % 2 * 4) & 15, steps[index]
        change = step >> 3
        if x & 1:
            change += step >> 2
        if x & 2:
            change += step >> 1
        if x & 4:
            change += step
        level = min(max(level - change if x & 8 else level + change, -32768), 32767)
        index = min(max(index + changes[x & 7], 0), 88)
        out[i] = level
    return level


@compiled
def _counts4(a: Any) -> Any:
    counts = np.zeros(16, np.int64)
    for x in a:
        counts[x & 15] += 1
        counts[x >> 4] += 1
    return counts[5]


_STEPS = np.array([
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66,
    73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408,
    449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066,
    2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630,
    9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
    32767,
])  # fmt: skip
_CHANGES = np.array([-1, -1, -1, -1, 2, 4, 6, 8])
_LETTERS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8
)
_MATRIX = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
_LEVELS = (256 * (2 * _MATRIX + 1) // 32).astype(np.uint8)

WAYS: dict[str, Callable[[CaseData], Any]] = {
    "sum8": lambda data: _sum(data.a),
    "sum12": lambda data: _sum12(data.a),
    "sum16": lambda data: _sum(data.a.view("<u2")),
    "sum24": lambda data: _sum24(data.a),
    "ramp8": lambda data: _ramp(data.out, 1, data.count),
    "ramp16": lambda data: _ramp(data.out, 2, data.count),
    "grey": lambda data: _grey(data.a, data.out),
    "mix16": lambda data: _mix(data.a.view("<i2"), data.b.view("<i2"), data.out.view("<i2")),
    "mixsat16": lambda data: _mixsat(data.a.view("<i2"), data.b.view("<i2"), data.out.view("<i2")),
    "copy1": lambda data: _copy1(data.a.view("<u4"), data.out.view("<u4")),
    "unpack12": lambda data: _unpack12(data.a, data.out.view("<u2")),
    "pack12": lambda data: _pack12(data.a.view("<u2"), data.out),
    "fir5": lambda data: _fir5(data.a.view("<i2"), data.out.view("<i2")),
    "dither": lambda data: _dither(data.a, _LEVELS, data.out),
    "base64": lambda data: _base64(data.a, _LETTERS, data.out),
    "rle": lambda data: _rle(data.a, data.b, data.out),
    "escaped": lambda data: _escaped(data.a),
    "adpcm": lambda data: int(_adpcm(data.a, _STEPS, _CHANGES, data.out.view("<i2"))),
    "counts4": lambda data: int(_counts4(data.a)),
}
"""The function for each case; it is compiled at its first call."""
