"""A model of packed samples by single bits, in NumPy, and random layouts of every kind for it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from cogen.signals import Field, Group, Layout, Rows
from cogen.signals.layout import AnyLayout

Array = np.ndarray[Any, Any]


def some_layout(draw: Random) -> AnyLayout:
    """Any layout that samples can be packed by: no two share a bit, none lies below the buffer."""
    order: Any = draw.choice(["little", "big"])
    offset = draw.choice([0, 0, 8, draw.randrange(70)])
    if draw.random() < 0.6:
        is_float = draw.random() < 0.15
        size = draw.choice([16, 32, 64]) if is_float else draw.randint(1, 64)
        stride = size + draw.choice([0, 0, draw.randrange(20), -size % 8])
        signed = not is_float and draw.random() < 0.4
        channels = draw.choice([1, 1, 1, 2, 3])
        scale = (
            None if is_float or size > 40 or draw.random() < 0.7 else draw.choice([0.5, 2.0, -0.25])
        )
        return Layout(size, stride, offset, order, signed, is_float, channels, scale)
    shape: Any = draw.choice(["samples", "channels", "record"])
    kinds = [draw.random() < 0.4 for _ in range(draw.randint(1, 5))]
    sizes = [draw.randint(1, draw.choice([4, 16, 64])) for _ in kinds]
    if shape == "samples" or draw.random() < 0.4:
        sizes = sizes[:1] * len(sizes)
    if shape != "record":
        kinds = kinds[:1] * len(kinds)
    size = sum(sizes) + draw.choice([0, 0, draw.randrange(12)])
    pieces: list[list[tuple[int, int]]] = [[] for _ in sizes]
    parts = [(n, part) for n, each in enumerate(sizes) for part in _parts(each, draw)]
    draw.shuffle(parts)
    at = 0
    for number, part in parts:
        pieces[number].append((at, part))
        at += part
    fields = [Field(tuple(p), signed) for p, signed in zip(pieces, kinds, strict=True)]
    return Group(size, tuple(fields), offset, order, shape)


def _parts(size: int, draw: Random) -> list[int]:
    """A sample in pieces."""
    if size == 1 or draw.random() < 0.6:
        return [size]
    first = draw.randint(1, size - 1)
    return [first, size - first]


def places(layout: AnyLayout, samples: int) -> list[list[int]]:
    """The addresses of each sample's bits, the low bit first."""
    found = []
    for number in range(samples):
        group, each = divmod(number, len(layout.fields))
        base = layout.offset + group * layout.step
        bits: list[int] = []
        for address, size in reversed(layout.fields[each].pieces):
            run = range(base + address, base + address + size)
            bits += run if layout.order == "little" else reversed(run)
        found.append(bits)
    return found


def values_of(data: bytes, layout: AnyLayout, samples: int, start: int = 0) -> list[int]:
    """Samples as integers (floats as their bits) behind the first bytes."""
    order: Any = layout.order
    bits = np.unpackbits(np.frombuffer(data, np.uint8)[start:], bitorder=order)
    result = []
    for number, addresses in enumerate(places(layout, samples)):
        value = sum(int(bits[address]) << i for i, address in enumerate(addresses))
        field = layout.fields[number % len(layout.fields)]
        if field.signed and value >> (field.size - 1):
            value -= 1 << field.size
        result.append(value)
    return result


def stored(before: bytes, layout: AnyLayout, values: list[int], start: int = 0) -> bytes:
    """The bytes with samples stored in them."""
    order: Any = layout.order
    bits = np.unpackbits(np.frombuffer(before, np.uint8)[start:], bitorder=order)
    for value, addresses in zip(values, places(layout, len(values)), strict=True):
        for i, address in enumerate(addresses):
            bits[address] = value >> i & 1
    return before[:start] + np.packbits(bits, bitorder=order).tobytes()


def some_rows(layout: AnyLayout, draw: Random) -> Rows:
    """Rows of any width, as far apart as they need, or farther."""
    width = draw.randint(1, 40)
    near = Rows(layout, width)
    pitch = draw.choice([None, near.row_bytes, near.row_bytes + draw.randrange(30)])
    return Rows(layout, width, draw.choice([None, draw.randint(1, 5)]), pitch)


def as_array(values: list[int], layout: AnyLayout, shape: tuple[int, ...]) -> Array:
    """Samples as the array that `unpack` gives; of a record, the fields of each item in turn."""
    if layout.dtype.names is not None:
        result = np.zeros(shape, layout.dtype)
        flat = result.reshape(-1)
        for number, value in enumerate(values):
            item, field = divmod(number, len(layout.fields))
            flat[layout.fields[field].name][item] = value
        return result
    first = layout.fields[0]
    if first.float:
        raw = np.array(values, np.uint64).astype(f"u{first.size // 8}")
        return raw.view(f"f{first.size // 8}").reshape(shape)
    if layout.scale is not None:
        return (np.array(values, np.float64) * layout.scale).reshape(shape)
    return np.array(values, layout.dtype).reshape(shape)
