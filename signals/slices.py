"""Moves samples with NumPy, where there is no C compiler: shifts and masks of strided views.

Samples repeat in their places every so many bytes, in both buffers.  So sample i of each such
period is a column: strided views of the bytes that hold it, put together, shifted and masked once
for all periods.  A column goes into elements of an array as it is; elsewhere the bytes of the
target are put together from the columns that they have bits of.  That is what people write by
hand for one layout; here it is planned for any.  Work is done in chunks that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd, lcm
from typing import Any, Final

import numpy as np

from cogen.signals.buffers import Array
from cogen.signals.pattern import BitPattern, Order
from cogen.signals.task import Extent, Task
from cogen.signals.wordmoves import ROOM, MovedWords, WorkRoom, words_of

CHUNK: Final = 1 << 15
"""Samples that are worked on at a time, about."""

BITS: Final = 1 << 18
"""The same where they are bits, or are moved as they are."""

Piece = tuple[int, int]
"""The address of its first bit, and its size."""


@dataclass(frozen=True, slots=True)
class SlicePart:
    """Bits of a sample that go into one byte: `ones` of them (a mask) from bit `low` of sample
    number `index` on, to bit `at` of the byte."""

    index: int
    low: int
    ones: int
    at: int


@dataclass(frozen=True, slots=True)
class Moving:
    """What is moved: from a row and, in it, a sample `at` that begins a period, samples of each of
    (rows, periods)."""

    source: Array
    target: Array
    extent: Extent
    scale: float
    row: int
    at: int
    shape: tuple[int, int]


class Slices:
    """A mover (see `cogen.signals.kernels`) that is NumPy."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.period = lcm(_period(task.source), _period(task.target))
        self.element = _element(task)
        """The type of an array's elements, if the target is an array of one type."""
        self.sample = _sample_type(task, self.element)
        """The type of the elements that samples have first."""
        size = 0 if self.sample is None else self.sample.itemsize
        self.words: MovedWords | None = words_of(task, self.period, size)

    def __call__(self, source: Array, target: Array, extent: Extent, scale: float) -> None:
        """Move samples from one array of bytes to another."""
        if source.ndim == 2:  # not in one piece
            one = replace(extent, rows=1)
            for row in range(extent.rows):
                put = target[row * extent.out_pitch :]
                self(source[row], put, one, scale)
            return
        moved = self._bits(source, target, extent, scale)
        if moved == extent.samples:
            return
        chunk = CHUNK if self.period > 1 else BITS
        if self.words is not None:
            chunk = self.words.periods * self.period
        for first_row, rows in _chunks(extent.rows, max(1, chunk // extent.samples)):
            skipped, whole = moved // self.period, extent.samples // self.period
            for first, periods in _chunks(whole - skipped, max(1, chunk // self.period)):
                shape, at = (rows, periods), (skipped + first) * self.period
                self._periods(Moving(source, target, extent, scale, first_row, at, shape))
            rest = extent.samples - whole * self.period
            if rest:
                at = whole * self.period
                self._columns(Moving(source, target, extent, scale, first_row, at, (rows, 1)), rest)

    def _periods(self, moving: Moving) -> None:
        """Move whole periods, in words if that can be done."""
        if self.words is None:
            self._columns(moving, self.period)
        else:
            self._words(moving, self.words, ROOM)

    def _reader(self, moving: Moving) -> _Side:
        extent = moving.extent
        return _Side(
            self.task.source, moving.source, extent.in_at, extent.in_pitch, self.period, moving
        )

    def _writer(self, moving: Moving) -> _Side:
        extent = moving.extent
        return _Side(
            self.task.target, moving.target, extent.out_at, extent.out_pitch, self.period, moving
        )

    def _begin(self, moving: Moving, element: np.dtype[Any]) -> int:
        """The byte where the elements of the target begin."""
        extent = moving.extent
        return moving.row * extent.out_pitch + extent.out_at // 8 + moving.at * element.itemsize

    def _words(self, moving: Moving, words: MovedWords, room: WorkRoom) -> None:
        """Move whole periods in words."""
        task, source, target, shape = self.task, moving.source, moving.target, moving.shape
        reader = self._reader(moving)
        read = reader.at >> 3
        if self.sample is None:
            writer = self._writer(moving)
            for word in words.words:
                value = room.array("word", word.kind, shape)
                words.compute(word, source, read, reader.strides, value, room)
                words.store(word, value, target, writer.at >> 3, writer.strides, shape)
            return
        assert self.element is not None
        count = (shape[0], shape[1] * self.period)
        begin, pitch = self._begin(moving, self.element), moving.extent.out_pitch
        steps = (pitch, self.element.itemsize)
        place: Array = np.ndarray(count, self.element, target, begin, steps)
        samples = (
            place.view(self.sample)
            if task.stage is None
            else room.array("samples", self.sample.str, count)
        )
        size = self.period * samples.itemsize
        if len(words.words) == 1 and words.words[0].kind == f"u{size}":
            into = samples.view(words.words[0].kind)
            words.compute(words.words[0], source, read, reader.strides, into, room)
        else:
            for word in words.words:
                value = room.array("word", word.kind, shape)
                words.compute(word, source, read, reader.strides, value, room)
                kind = f"u{word.stop - word.start}"
                if task.stage is None:
                    parts = (target, begin + word.start, (pitch, size))
                else:
                    parts = (samples, word.start, (shape[1] * size, size))
                np.copyto(np.ndarray(shape, kind, *parts), value, casting="unsafe")
        if words.unextended:
            samples >>= np.array(words.unextended, samples.dtype)
        if task.stage is not None:
            _put(place, samples, task, moving.scale)

    def _columns(self, moving: Moving, count: int) -> None:
        """Move `count` samples of each period."""
        shape, reader = moving.shape, self._reader(moving)
        if self.element is None:
            samples = [self._sample(reader, i, shape) for i in range(count)]
            _put_bytes(self._writer(moving), samples, shape)
            return
        step = self.element.itemsize
        begin = self._begin(moving, self.element)
        strides = (moving.extent.out_pitch, self.period * step)
        for i in range(count):
            column = np.ndarray(shape, self.element, moving.target, begin + i * step, strides)
            _put(column, self._sample(reader, i, shape), self.task, moving.scale)

    def fresh(self, source: Array, extent: Extent) -> Array | None:
        """The samples of a row as a new array, where NumPy itself makes one: of single bits."""
        task, length = self.task, extent.samples
        if not task.source.is_bits or task.places[0] or extent.rows != 1:
            return None
        if self.element is None or self.element.itemsize > 1:
            return None
        order: Any = task.source.order
        first = extent.in_at // 8
        data = source[first : first + -(-length // 8)]
        return np.unpackbits(data, count=length, bitorder=order).view(self.element)

    def _bits(self, source: Array, target: Array, extent: Extent, scale: float) -> int:
        """Move bits of a row by NumPy's functions for them; how many samples that were."""
        task = self.task
        if task.saturate or extent.rows != 1:
            return 0
        order: Any
        begin, put = extent.in_at // 8, extent.out_at // 8
        if self.element is not None and task.source.is_bits and not task.places[0]:
            order, size = task.source.order, self.element.itemsize
            for at, count in _chunks(extent.samples, BITS):
                first = begin + at // 8
                bits = np.unpackbits(source[first : first + -(-count // 8)], -1, count, order)
                place: Array = np.ndarray(count, self.element, target, put + at * size)
                _put(place, bits, task, scale)
            return extent.samples
        if task.target.is_bits and not task.places[1] and _is_array(task.source):
            order, size = task.target.order, task.source.step // 8
            whole = extent.samples // 8 * 8
            for at, count in _chunks(whole, BITS):
                given: Array = np.ndarray(count, f"<u{size}", source, begin + at * size)
                first = put + at // 8
                target[first : first + count // 8] = np.packbits(_low_bits(given), -1, order)
            return whole
        return 0

    def _sample(self, reader: _Side, i: int, shape: tuple[int, int]) -> Array:
        """Sample i of each period: its bits, or its value where the target is wider."""
        source, target = self.task.source, self.task.target
        signed, pieces = source.fields[i % len(source.fields)]
        size = sum(bits for _, bits in pieces)
        for_signed, for_pieces = target.fields[i % len(target.fields)]
        for_size = sum(bits for _, bits in for_pieces)
        matters = for_size > size or self.task.saturate or self.task.stage is not None
        value = reader.field(i, shape, signed and matters)
        if self.task.saturate:
            value = _clamped(value, _limits(signed, size), _limits(for_signed, for_size))
        return value


@lru_cache(maxsize=256)
def slices(task: Task) -> Slices:
    """The mover for a task; it has no state but its plan."""
    return Slices(task)


class _Side:
    """One of the buffers, from a row and a period on."""

    def __init__(
        self, pattern: BitPattern, array: Array, at: int, pitch: int, period: int, moving: Moving
    ) -> None:
        self.pattern = pattern
        self.array = array
        periods = moving.at // len(pattern.fields)
        self.at = at + 8 * moving.row * pitch + periods * pattern.step
        self.strides = (pitch, period // len(pattern.fields) * pattern.step // 8)

    def address(self, i: int) -> int:
        """The bit address of the group of sample i of the first period."""
        return self.at + i // len(self.pattern.fields) * self.pattern.step

    def view(self, shape: tuple[int, int], start: int, kind: str) -> Array:
        """What lies at a byte of each period."""
        return np.ndarray(shape, kind, self.array, start, self.strides)

    def field(self, i: int, shape: tuple[int, int], signed: bool) -> Array:
        """Sample i of each period."""
        _, pieces = self.pattern.fields[i % len(self.pattern.fields)]
        address = self.address(i)
        split = [part for piece in pieces for part in _split(piece, address, self.pattern.order)]
        size = sum(bits for _, bits in split)
        if len(split) == 1:
            return self._piece(split[0], shape, signed)
        kind = f"u{_width(size)}"
        value = self._piece(split[0], shape, False).astype(kind, copy=False)
        for piece in split[1:]:
            value = value << np.array(piece[1], kind)
            value |= self._piece(piece, shape, False).astype(kind, copy=False)
        return _extended(value, size) if signed else value

    def _piece(self, piece: Piece, shape: tuple[int, int], signed: bool) -> Array:
        """The bits of a piece, of at most eight bytes, as numbers."""
        address, size = piece
        first, last = address >> 3, (address + size - 1) >> 3
        count = last - first + 1
        big = self.pattern.order == "big"
        shift = 8 * count - (address & 7) - size if big else address & 7
        kind = f"u{_width(8 * count)}"
        bits = self._bytes(first, count, shape, big)
        width = 8 * bits.itemsize
        if signed and size == width:
            return bits.view(bits.dtype.str.replace("u", "i"))
        if signed:
            left = np.array(width - shift - size, kind)
            moved = np.left_shift(bits, left, dtype=kind)
            numbers: Array = moved.view(f"i{bits.itemsize}")
            numbers >>= np.array(width - size, numbers.dtype)
            return numbers
        if shift:
            bits = np.right_shift(bits, np.array(shift, kind), dtype=kind)
        if shift + size < 8 * count:
            bits = np.bitwise_and(bits, np.array((1 << size) - 1, kind), dtype=kind)
        return bits

    def _bytes(self, first: int, count: int, shape: tuple[int, int], big: bool) -> Array:
        """Bytes as one number, of the smallest unsigned type that holds them."""
        order = ">" if big else "<"
        width = _width(8 * count)
        if count == width:
            return self.view(shape, first, f"{order}u{width}")
        result: Array = np.zeros(shape, f"u{width}")
        done = 0
        for part in (4, 2, 1):
            if not (count - done) & part and count - done < 2 * part:
                continue
            here = self.view(shape, first + done, f"{order}u{part}").astype(f"u{width}")
            shift = 8 * (count - done - part) if big else 8 * done
            result |= here << np.array(shift, f"u{width}") if shift else here
            done += part
        return result


def _put_bytes(writer: _Side, samples: list[Array], shape: tuple[int, int]) -> None:
    """Put the low bits of samples in their places; other bits keep their values."""
    for byte, parts in _parts_of_bytes(writer, len(samples)).items():
        view = writer.view(shape, byte, "u1")
        covered = 0
        value: Array | None = None
        for part in parts:
            bits = samples[part.index]
            if part.low:
                bits = bits >> np.array(part.low, bits.dtype)
            bits = bits.astype(np.uint8)
            if part.at:
                bits <<= np.uint8(part.at)
            mask = part.ones << part.at
            if mask >> 8 == 0 and (mask | ((1 << part.at) - 1)) != 0xFF:
                bits &= np.uint8(mask)
            covered |= mask
            value = bits if value is None else np.bitwise_or(value, bits, out=value)
        assert value is not None
        if covered != 0xFF:
            value |= view & np.uint8(0xFF ^ covered)
        view[...] = value


def _parts_of_bytes(writer: _Side, count: int) -> dict[int, list[SlicePart]]:
    """Which bits of which samples each byte of the first period gets."""
    found: dict[int, list[SlicePart]] = {}
    fields = writer.pattern.fields
    for i in range(count):
        pieces = fields[i % len(fields)][1]
        left = sum(bits for _, bits in pieces)
        for start, size in pieces:
            left -= size
            for byte, part in _bits_by_byte(writer, i, writer.address(i) + start, size, left):
                found.setdefault(byte, []).append(part)
    return found


def _bits_by_byte(
    writer: _Side, index: int, address: int, size: int, low: int
) -> Iterator[tuple[int, SlicePart]]:
    """The parts of a piece, whose lowest bit is bit `low` of its sample."""
    done = 0
    while done < size:
        bit = (address + done) & 7
        here = min(8 - bit, size - done)
        ones = (1 << here) - 1
        if writer.pattern.order == "big":
            part = SlicePart(index, low + size - done - here, ones, 8 - bit - here)
        else:
            part = SlicePart(index, low + done, ones, bit)
        yield (address + done) >> 3, part
        done += here


def _put(column: Array, value: Array, task: Task, scale: float) -> None:
    """Samples into elements: modulo their size, or as numbers of another type."""
    stage = task.stage
    if stage is None:
        np.copyto(column, value, casting="unsafe")
        return
    if stage.sample[0] == "f":
        value = value.astype(f"u{value.itemsize}").view(stage.sample)
    if stage.scaled:
        value = value.astype(np.float64) * np.float64(scale)
    np.copyto(column, value, casting="unsafe")


def _is_array(pattern: BitPattern) -> bool:
    """Whether samples are the elements of an array."""
    whole = ((0, pattern.step),)
    sizes = pattern.step in (8, 16, 32, 64) and pattern.order == "little"
    return sizes and len(pattern.fields) == 1 and pattern.fields[0][1] == whole


def _low_bits(values: Array) -> Array:
    """The lowest bits of numbers, as bytes that are 0 or 1."""
    if values.itemsize == 1 and values.max() <= 1:
        return values
    low: Array = values & np.array(1, values.dtype)
    return low.astype(np.uint8, copy=False)


def _sample_type(task: Task, element: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """Integers of the size of the target's elements, or of those before they are converted; None
    if the target is no array of one type."""
    if task.stage is None:
        signed = any(signed for signed, _ in task.source.fields)
        return None if element is None else np.dtype(f"<{'i' if signed else 'u'}{element.itemsize}")
    sample = np.dtype(task.stage.sample)
    return np.dtype(f"<{'i' if sample.kind == 'i' else 'u'}{sample.itemsize}")


def _element(task: Task) -> np.dtype[Any] | None:
    if task.stage is not None:
        return np.dtype(f"<{task.stage.value}")
    pattern = task.target
    if len(pattern.fields) > 1 or pattern.order == "big" or task.places[1]:
        return None
    pieces = pattern.fields[0][1]
    if pieces not in (((0, 8),), ((0, 16),), ((0, 32),), ((0, 64),)):
        return None
    return np.dtype(f"<u{pattern.step // 8}") if pattern.step == pieces[0][1] else None


def _period(pattern: BitPattern) -> int:
    """The samples after which bytes are used in the same way again."""
    return len(pattern.fields) * (8 // gcd(pattern.step, 8))


def _split(piece: Piece, address: int, order: Order) -> list[Piece]:
    """A piece at its address; in two, the high one first, if it has bits of nine bytes."""
    start, size = piece[0] + address, piece[1]
    if (start + size - 1 >> 3) - (start >> 3) < 8:
        return [(start, size)]
    if order == "big":
        return [(start, 32), (start + 32, size - 32)]
    return [(start + 32, size - 32), (start, 32)]


def _width(bits: int) -> int:
    """The bytes of the smallest type that holds so many bits."""
    return next(n for n in (1, 2, 4, 8) if 8 * n >= bits)


def _extended(value: Array, size: int) -> Array:
    """The signed numbers that the low bits write."""
    left = 8 * value.itemsize - size
    moved = value << np.array(left, value.dtype)
    numbers: Array = moved.view(f"i{value.itemsize}")
    numbers >>= np.array(left, numbers.dtype)
    return numbers


def _limits(signed: bool, size: int) -> tuple[int, int]:
    return (-1 << (size - 1), (1 << (size - 1)) - 1) if signed else (0, (1 << size) - 1)


def _clamped(value: Array, of: tuple[int, int], to: tuple[int, int]) -> Array:
    """The nearest numbers between two limits, of numbers between two others."""
    if of[1] > to[1]:
        value = np.minimum(value, np.array(to[1], value.dtype))
    if of[0] < to[0]:
        value = np.maximum(value, np.array(to[0], value.dtype))
    return value


def _chunks(total: int, size: int) -> Iterator[tuple[int, int]]:
    """The starts of chunks, and their sizes."""
    for start in range(0, total, size):
        yield start, min(size, total - start)
