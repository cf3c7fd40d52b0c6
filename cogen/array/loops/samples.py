"""Packed memory as loops see it: what a sample is, bit by bit; its text; the names of functions.

    get(samples, byte, i)       the value of sample i of memory, of which `byte` gives the bytes
    put(samples, i, value)      the bits that it sets: bytes and what is put into them

Said once more in C by `cogen.array.c.samplefunctions`.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from cogen.array.l0.storage import Samples

_FLOATS: Final = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def show_samples(samples: Samples) -> str:
    """The samples as text that `read_samples` reads."""
    pieces = [[list(piece) for piece in pieces] for pieces in samples.pieces]
    scale = None if samples.scale is None else samples.scale.hex()
    parts = [samples.step, samples.offset, samples.order, pieces, samples.kind, scale]
    return json.dumps(parts, separators=(",", ":"))


def read_samples(text: str) -> Samples:
    """The samples that `show_samples` wrote."""
    step, offset, order, pieces, kind, scale = json.loads(text)
    made = tuple([tuple([(a, n) for a, n in own]) for own in pieces])
    found = None if scale is None else float.fromhex(scale)
    return Samples(step, offset, order, made, kind, found)


def name_of(samples: Samples) -> str:
    """A word for samples that no others have: what they are, and a digest of where they are."""
    letter = samples.kind[0]
    size = max(samples.sizes)
    digest = hashlib.sha256(show_samples(samples).encode()).hexdigest()[:6]
    return f"{letter}{size}_{digest}"


def in_bytes(samples: Samples) -> int | None:
    """The bytes of a sample if each is a number of its own in memory, of 8, 16, 32 or 64 bits."""
    if len(samples.pieces) > 1 or len(samples.pieces[0]) > 1:
        return None
    ((address, size),) = samples.pieces[0]
    aligned = samples.step % 8 == 0 and (samples.offset + address) % 8 == 0
    return size // 8 if aligned and size in (8, 16, 32, 64) else None


def address_of(samples: Samples, index: int, address: int) -> int:
    """The bit address of a piece of a sample."""
    return samples.offset + index // len(samples.pieces) * samples.step + address


def bits_of(order: str, at: int, size: int) -> Iterator[tuple[int, int]]:
    """The byte and the bit in it of each bit of a piece, the lowest one first."""
    for k in range(size):
        place = at + k if order == "little" else at + size - 1 - k
        yield place // 8, place % 8 if order == "little" else 7 - place % 8


def get(samples: Samples, byte: Callable[[int], int], index: int) -> int | float:
    """The value of a sample."""
    bits = 0
    pieces = samples.pieces[index % len(samples.pieces)]
    for address, size in pieces:
        part = 0
        places = bits_of(samples.order, address_of(samples, index, address), size)
        for k, (where, shift) in enumerate(places):
            part |= (byte(where) >> shift & 1) << k
        bits = bits << size | part
    return value_of(samples, bits, sum([size for _, size in pieces]))


def value_of(samples: Samples, bits: int, size: int) -> int | float:
    """What the bits of a sample mean."""
    found: int | float = bits
    if samples.kind == "float":
        number, word = _FLOATS[size]
        (found,) = struct.unpack(number, struct.pack(word, bits))
    elif samples.kind == "signed" and bits >> (size - 1):
        found = bits - (1 << size)
    if samples.scale is not None:
        return float(found) * samples.scale
    if samples.kind == "unsigned" and bits >> 63:
        found = bits - (1 << 64)
    return found


def bits_for(samples: Samples, value: Any, size: int) -> int:
    """The bits of the sample that a value is stored as."""
    if samples.scale is not None:
        value = value / samples.scale
    if samples.kind == "float":
        _, word = _FLOATS[size]
        with np.errstate(over="ignore"):
            made = np.float64(value).astype(f"f{size // 8}").tobytes()
        (bits,) = struct.unpack(word, made)
        return int(bits)
    whole = int(np.rint(value)) if samples.scale is not None else int(value)
    return whole & ((1 << size) - 1)


def put(samples: Samples, index: int, value: Any) -> Iterator[tuple[int, int]]:
    """The bytes, and the bits that are set in each, of a value that is stored."""
    pieces = samples.pieces[index % len(samples.pieces)]
    left = sum([size for _, size in pieces])
    bits = bits_for(samples, value, left)
    for address, size in pieces:
        left -= size
        part = bits >> left
        places = bits_of(samples.order, address_of(samples, index, address), size)
        for k, (where, shift) in enumerate(places):
            yield where, (part >> k & 1) << shift
