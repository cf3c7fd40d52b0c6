"""The signal cases as a NumPy user would write them."""

from __future__ import annotations

import base64 as standard_base64
from typing import Any

import numpy as np

from cogen.bench.data import CaseData


def sum8(data: CaseData) -> int:
    return int(data.a.sum(dtype=np.int64))


def sum12(data: CaseData) -> int:
    triples = data.a.reshape(-1, 3).astype(np.uint16)
    even = triples[:, 0] | (triples[:, 1] & 15) << 8
    odd = triples[:, 1] >> 4 | triples[:, 2] << 4
    return int(even.sum(dtype=np.int64) + odd.sum(dtype=np.int64))


def sum16(data: CaseData) -> int:
    return int(data.a.view("<u2").sum(dtype=np.int64))


def sum24(data: CaseData) -> int:
    padded = np.zeros((data.count, 4), np.uint8)
    padded[:, 1:] = data.a.reshape(-1, 3)
    return int((padded.view("<i4") >> 8).sum(dtype=np.int64))


def ramp8(data: CaseData) -> None:
    data.out[:] = np.arange(data.count).astype(np.uint8)


def ramp16(data: CaseData) -> None:
    data.out[::2] = np.arange(data.count).astype(np.uint8)


def grey(data: CaseData) -> None:
    red, green, blue = (data.a[k::3].astype(np.uint16) for k in range(3))
    data.out[:] = (77 * red + 150 * green + 29 * blue) >> 8


def mix16(data: CaseData) -> None:
    a, b = data.a.view("<i2"), data.b.view("<i2")
    data.out.view("<i2")[:] = np.add(a, b, dtype=np.int32) >> 1


def mixsat16(data: CaseData) -> None:
    a, b = data.a.view("<i2"), data.b.view("<i2")
    total = np.add(a, b, dtype=np.int32)
    data.out.view("<i2")[:] = np.clip(total, -(1 << 15), (1 << 15) - 1)


def copy1(data: CaseData) -> None:
    words = data.a.view("<u4")
    data.out.view("<u4")[:-1] = words[:-1] >> 3 | words[1:] << 29


def unpack12(data: CaseData) -> None:
    triples = data.a.reshape(-1, 3).astype(np.uint16)
    samples = data.out.view("<u2")
    samples[0::2] = triples[:, 0] | (triples[:, 1] & 15) << 8
    samples[1::2] = triples[:, 1] >> 4 | triples[:, 2] << 4


def pack12(data: CaseData) -> None:
    pairs = data.a.view("<u2").reshape(-1, 2)
    triples = data.out.reshape(-1, 3)
    triples[:, 0] = pairs[:, 0]
    triples[:, 1] = (pairs[:, 0] >> 8 & 15) | pairs[:, 1] << 4
    triples[:, 2] = pairs[:, 1] >> 4


def fir5(data: CaseData) -> None:
    x = data.a.view("<i2").astype(np.int32)
    n = len(x) - 4
    total = x[:n] + 4 * x[1 : n + 1] + 6 * x[2 : n + 2] + 4 * x[3 : n + 3] + x[4:]
    data.out.view("<i2")[:n] = total >> 4


def dither(data: CaseData) -> None:
    matrix = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
    levels = (256 * (2 * matrix + 1) // 32).astype(np.uint8)
    picture = data.a.reshape(-1, 4, 192, 4)
    bits: np.ndarray[Any, Any] = picture >= levels[None, :, None, :]
    data.out[:] = np.packbits(bits.reshape(-1), bitorder="little")


def base64(data: CaseData) -> int:
    letters = standard_base64.b64encode(data.a.data)
    data.out[: len(letters)] = np.frombuffer(letters, np.uint8)
    return len(letters)


def rle(data: CaseData) -> int:
    decoded = np.repeat(data.b, data.a)
    data.out[: len(decoded)] = decoded
    return len(decoded)


def escaped(data: CaseData) -> int:
    """Leads are the high bytes at even places of their row."""
    high = data.a >= 128
    starts = high & ~np.concatenate(([False], high[:-1]))
    places = np.arange(data.count)
    row = np.maximum.accumulate(np.where(starts, places, 0))
    leads = high & ((places - row) % 2 == 0)
    total = int(data.a.sum(dtype=np.int64))
    upper = data.a[leads].astype(np.int64)
    return total + int(((upper & 127) * 256 - upper).sum())


def sparsedot(data: CaseData) -> int:
    samples = data.a.view("<u2")
    dense = data.b.view("<u2").astype(np.int64)
    return int(samples[data.count :].astype(np.int64) @ dense[samples[: data.count]])


def histogram(data: CaseData) -> None:
    data.out.view("<u4")[:] += np.bincount(data.a, minlength=256).astype(np.uint32)


def delta16(data: CaseData) -> None:
    samples, differences = data.a.view("<u2"), data.out.view("<u2")
    differences[0] = samples[0]
    np.subtract(samples[1:], samples[:-1], out=differences[1:])


def undelta16(data: CaseData) -> None:
    np.cumsum(data.a.view("<u2"), out=data.out.view("<u2"))
