"""The stages of a stream: what becomes of its blocks, one after the other.

A stage says what it does; `start` gives one that runs.  What a running stage must remember between
blocks is its `state`: plain data, so that a run can be gone on with later.  The blocks that come
out, one behind the other, do not depend on how the stream is cut into blocks.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, lcm
from typing import Any, Protocol

import numpy as np

from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.compiled import CompiledProcessor
from cogen.signals.feeding import FedChunk, Feeder
from cogen.signals.layout import AnyLayout, Group, Layout, bytes_needed, capacity
from cogen.signals.outputs import Out, as_items
from cogen.signals.packing import as_values, pack, pack_values
from cogen.signals.rows import AnyShape, Rows
from cogen.signals.streaming import PackedWriter
from cogen.signals.values import Fit


class RunningStage(Protocol):
    """A stage of a stream that runs."""

    state: Any

    def step(self, block: Array) -> Array:
        """What comes out for a block."""

    def finish(self) -> Array | None:
        """What comes out at the end."""


class StreamStage(Protocol):
    """A stage of a stream."""

    def start(self) -> RunningStage:
        """The stage at the beginning of a stream."""

    @property
    def told(self) -> str:
        """What it does, in words that differ where what comes out differs."""


class _Stateless:
    state: Any = None

    def finish(self) -> Array | None:
        return None


@dataclass(frozen=True)
class Mapped:
    """Each block becomes what a function makes of it."""

    function: Callable[[Array], Any]

    @property
    def told(self) -> str:
        """The function's name."""
        return f"map {name_of(self.function)}"

    def start(self) -> RunningStage:
        """It remembers nothing."""
        running = _Map()
        running.function = self.function
        return running


class _Map(_Stateless):
    function: Callable[[Array], Any]

    def step(self, block: Array) -> Array:
        return made_array(self.function(block), self.function)


@dataclass(frozen=True)
class ScannedStage:
    """A function is given what it has remembered and a block, and gives both for the next."""

    function: Callable[[Any, Array], tuple[Any, Any]]
    initial: Any

    @property
    def told(self) -> str:
        """The function's name, and with what it begins."""
        return f"scan {name_of(self.function)} {self.initial!r}"

    def start(self) -> RunningStage:
        """It remembers what the function says."""
        return _ScanStage(self.function, self.initial)


class _ScanStage:
    def __init__(self, function: Callable[[Any, Array], tuple[Any, Any]], state: Any) -> None:
        self.function, self.state = function, state

    def step(self, block: Array) -> Array:
        found = self.function(self.state, block)
        if not isinstance(found, tuple) or len(found) != 2:
            raise CogenError(
                f"{name_of(self.function)} must give a pair: what to remember, and a block"
            )
        self.state, made = found
        return made_array(made, self.function)

    def finish(self) -> Array | None:
        return None


@dataclass(frozen=True)
class Decimated:
    """Each n-th item, from the first on."""

    every: int

    @property
    def told(self) -> str:
        """The distance."""
        return f"decimate {self.every}"

    def start(self) -> RunningStage:
        """It remembers how many items to leave out."""
        return _Decimate(self.every)


class _Decimate(_Stateless):
    def __init__(self, every: int) -> None:
        self.every, self.state = every, 0

    def step(self, block: Array) -> Array:
        kept = block[self.state :: self.every]
        self.state += len(kept) * self.every - len(block)
        return kept


@dataclass(frozen=True, eq=False)
class Filtered:
    """y[i] = taps[0] x[i] + taps[1] x[i-1] + ..., x being 0 before the first; each n-th of them."""

    taps: Array
    every: int

    @property
    def told(self) -> str:
        """The taps, and the distance."""
        return f"fir {self.taps.tolist()} decimate {self.every}"

    def start(self) -> RunningStage:
        """It remembers the last items that went in."""
        return _Filter(self.taps, self.every)


class _Filter(_Stateless):
    def __init__(self, taps: Array, every: int) -> None:
        self.taps, self.every = taps, every
        self.state: tuple[Array | None, int] = (None, 0)

    def step(self, block: Array) -> Array:
        before, phase = self.state
        block, taps = _of_one_kind(block, self.taps)
        if before is None:
            before = np.zeros((len(taps) - 1, *block.shape[1:]), block.dtype)
        whole = np.concatenate([before.astype(block.dtype, copy=False), block])
        count = max(0, -(-(len(block) - phase) // self.every))
        made = _weighed(whole, taps, self.every, phase, count)
        self.state = (
            whole[len(whole) - len(taps) + 1 :].copy(),
            phase + count * self.every - len(block),
        )
        return made


@dataclass(frozen=True)
class Dithered:
    """Numbers are rounded after noise was added whose density is a triangle of two steps.

    Source: S. Lipshitz, R. Wannamaker, J. Vanderkooy, Quantization and dither: a theoretical
    survey, Journal of the Audio Engineering Society 40 (1992).
    """

    seed: int

    @property
    def told(self) -> str:
        """Where the noise begins."""
        return f"dither {self.seed}"

    def start(self) -> RunningStage:
        """It remembers where the generator of the noise is."""
        return _Dither(self.seed)


class _Dither(_Stateless):
    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    @property
    def state(self) -> Any:
        return dict(self._bits.state)

    @state.setter
    def state(self, state: Any) -> None:
        self._bits.state = state

    def step(self, block: Array) -> Array:
        if block.dtype.kind not in "biuf":
            raise CogenError(f"samples of {block.dtype} cannot be dithered")
        halves = self._bits.random_raw(block.size).view(np.int32)  # 64 bits for each number
        made: Array = np.subtract(halves[::2], halves[1::2], dtype=np.float64).reshape(block.shape)
        made *= 2.0**-32
        made += block
        return np.rint(made, out=made)


def _of_one_kind(block: Array, taps: Array) -> tuple[Array, Array]:
    """A block and taps of types that fit: short floats stay, integers by integers are int64."""
    if block.dtype.kind not in "biufc":
        raise CogenError(f"samples of {block.dtype} cannot be filtered")
    if block.dtype.kind in "biu":
        block = block.astype(np.int64 if taps.dtype.kind in "biu" else np.float64)
    elif block.dtype.itemsize // (1 + (block.dtype.kind == "c")) <= 4:
        block = block.astype(np.result_type(block.dtype, np.float32), copy=False)
        taps = taps.astype(np.complex64 if taps.dtype.kind == "c" else np.float32)
    return block, taps


def _weighed(whole: Array, taps: Array, n: int, phase: int, count: int) -> Array:
    """So many weighted sums, `n` items apart, the first at `phase` after the items before."""
    kind = np.result_type(whole.dtype, taps.dtype)
    made: Array = np.zeros((count, *whole.shape[1:]), kind)
    if count == 0:
        return made
    flat, sums = whole.reshape(len(whole), -1), made.reshape(count, -1)
    for first in range(min(n, len(taps))):  # taps[first], taps[first + n] ... meet the same items
        some = taps[first::n]
        start = len(taps) - 1 + phase - first - (len(some) - 1) * n
        part = flat[start : start + (count + len(some) - 2) * n + 1 : n]
        for channel in range(flat.shape[1]):
            sums[:, channel] += _convolved(part[:, channel], some)
    return made


def _convolved(items: Array, taps: Array) -> Array:
    if items.dtype.kind == "c" and taps.dtype.kind != "c":
        made: Array = np.empty(len(items) - len(taps) + 1, items.dtype)
        made.real = np.convolve(items.real, taps, "valid")
        made.imag = np.convolve(items.imag, taps, "valid")
        return made
    return np.convolve(items, taps, "valid")


@dataclass(frozen=True)
class Processed:
    """Blocks go through a compiled processor of one signal and one output, each with the last
    `history` items of the one before, and a multiple of `step` items."""

    processor: CompiledProcessor
    arguments: tuple[Any, ...]
    history: int
    every: int

    @property
    def told(self) -> str:
        """The procedure and its text, and the numbers."""
        import hashlib

        text = hashlib.sha256(self.processor.scheme.encode()).hexdigest()[:16]
        named = f"process {self.processor.entry} {text} {self.processor.parameters}"
        return f"{named} {self.arguments!r} {self.history} {self.every}"

    @property
    def shape(self) -> AnyShape:
        """What the processor takes."""
        (shape,) = [p for p in self.processor.parameters if isinstance(p, Layout | Group | Rows)]
        return shape

    def check(self) -> None:
        """CogenError for a processor of other signals."""
        parameters = self.processor.parameters
        signals = sum(isinstance(p, Layout | Group | Rows) for p in parameters)
        outputs = sum(isinstance(p, Out) for p in parameters)
        if (signals, outputs) != (1, 1) or self.processor.value:
            raise CogenError(
                f"a stream goes through a processor of one signal and one output, but "
                f"{self.processor.entry} has {signals} and {outputs}",
                hint="signals.compile(program, name, layout, signals.Out(layout))",
            )

    def takes(self, feeder: Feeder) -> bool:
        """Whether the processor can be given the bytes of the stream as they are."""
        return _without_height(self.shape) == _without_height(feeder.shape)

    @cached_property
    def whole(self) -> int:
        """Items after which the words of the input and of the output begin anew, so that one
        version of the processor does for all blocks but the last.  The output has one item for
        each `every`."""
        (output,) = self.processor.outputs
        found = self.every
        for shape, each in ((self.shape, 1), (output.layout, self.every)):
            if not isinstance(shape, Rows):
                found = lcm(found, each * _items_of_words(shape, self.processor.word_size))
        return found

    def start(self, between: bool = False) -> Processing:
        """It remembers the items that the next block needs."""
        return Processing(self, between)


def _items_of_words(layout: AnyLayout, word_size: int) -> int:
    """Items after which words, and bytes, begin anew."""
    word = lcm(word_size, 8)
    groups = word // gcd(layout.step, word)
    samples = groups * len(layout.fields)
    return lcm(samples, layout.per_item) // layout.per_item


def _without_height(shape: AnyShape) -> AnyShape:
    return replace(shape, height=None) if isinstance(shape, Rows) else shape


class Processing:
    """Items go through a processor.  If it stands `between` others, what it packs is unpacked for
    the next."""

    def __init__(self, stage: Processed, between: bool = False) -> None:
        self.stage = stage
        self.between = between
        self.state: Array | None = None
        """The items that are kept, or the bytes that hold them."""
        self.from_bytes = False

    def raw(self, chunk: FedChunk) -> Array:
        """What comes out for a chunk as it is."""
        if isinstance(chunk.shape, Rows):
            return self._made(chunk.data, chunk.items)
        data = np.frombuffer(chunk.data, np.uint8)
        kept = 0
        if self.state is not None:
            kept = self._items_in(self.state)
            data = np.concatenate([self.state, data])
        return self._used(data, kept + chunk.items)

    def _items_in(self, data: Array) -> int:
        layout = self.stage.shape
        assert not isinstance(layout, Rows)
        return capacity(layout, len(data))

    def _used(self, data: Array, items: int) -> Array:
        """What comes out for bytes, of which those that the next block needs are kept."""
        stage, layout = self.stage, self.stage.shape
        assert not isinstance(layout, Rows)
        usable = _usable(items, stage.history, stage.whole)
        begin = max(0, usable - stage.history)
        first = begin * layout.per_item // len(layout.fields) * layout.step // 8
        self.state = data[first : bytes_needed(layout, items)].copy()
        return self._made(data, usable) if usable > stage.history else self._nothing()

    def step(self, block: Array) -> Array:
        shape, stage = self.stage.shape, self.stage
        if isinstance(shape, Rows):
            return self._made(pack(block, shape), len(block)) if len(block) else self._nothing()
        whole = block if self.state is None else np.concatenate([self.state, block])
        usable = _usable(len(whole), stage.history, stage.whole)
        self.state = whole[max(0, usable - stage.history) :].copy()
        return self._packed(whole[:usable]) if usable > stage.history else self._nothing()

    def finish(self) -> Array | None:
        if self.state is None or isinstance(self.stage.shape, Rows):
            return None
        if self.from_bytes:
            items = self._items_in(self.state)
            return self._made(self.state, items) if items > self.stage.history else None
        return self._packed(self.state) if len(self.state) > self.stage.history else None

    def _packed(self, items: Array) -> Array:
        layout = self.stage.shape
        assert not isinstance(layout, Rows)
        missing = -len(items) * layout.per_item % len(layout.fields) // layout.per_item
        count = len(items)
        if missing:
            nothing: Array = np.zeros((missing, *items.shape[1:]), items.dtype)
            items = np.concatenate([items, nothing])
        return self._made(pack(items, layout), count)

    def _made(self, data: Any, count: int) -> Array:
        with as_items(self.between):
            made: Array = self.stage.processor(data, *self.stage.arguments, count=count)
        return made

    def _nothing(self) -> Array:
        """No items of the output."""
        (output,) = self.stage.processor.outputs
        with as_items(self.between):
            return output.result(np.zeros(0, np.uint8), 0)


def _usable(items: int, history: int, whole: int) -> int:
    """How many of the items go through a processor now: so many before the first, and as many as
    there are of a multiple."""
    return max(0, items - history) // whole * whole + history if items > history else 0


@dataclass(frozen=True)
class PackedStage:
    """Blocks become packed bytes."""

    layout: AnyLayout
    fit: Fit
    exact: bool = False
    """Whether items must have the layout's channels, instead of being taken one after the other."""

    @property
    def told(self) -> str:
        """The layout, and what becomes of values that do not fit."""
        return f"pack {self.layout!r} {self.fit}"

    def start(self) -> RunningStage:
        """It remembers items that are not whole bytes yet."""
        return Packing(self.layout, self.fit, self.exact)


class Packing:
    """Items are packed."""

    def __init__(self, layout: AnyLayout, fit: Fit, exact: bool = False) -> None:
        self.layout, self.fit, self.exact = layout, fit, exact
        self.sink = io.BytesIO()
        self.writer = PackedWriter(self.sink, layout)
        self.unit = Feeder(layout).items
        self.rest: Array | None = None
        self.first = 0

    @property
    def state(self) -> Any:
        return self.rest, self.first, *self.writer.state

    @state.setter
    def state(self, state: Any) -> None:
        self.rest, self.first, *writers = state
        self.writer.state = tuple(writers)

    def step(self, block: Array) -> Array:
        block = self._as_items(block)
        whole = block if self.rest is None else np.concatenate([self.rest, block])
        usable = len(whole) // self.unit * self.unit
        self.rest = whole[usable:].copy() if usable < len(whole) else None
        return self._packed(whole[:usable])

    def _as_items(self, block: Array) -> Array:
        """Frames as their items, one after the other."""
        inner = () if self.layout.width is None else (self.layout.width,)
        if self.exact:
            return as_values(block, self.layout)
        if block.ndim > 1 + len(inner) and block.shape[block.ndim - len(inner) :] == inner:
            return block.reshape(-1, *inner)
        return block

    def finish(self) -> Array | None:
        made = self._packed(self.rest) if self.rest is not None else None
        self.writer.finish()
        last = self._taken()
        return last if made is None else np.concatenate([made, last])

    def _packed(self, items: Array) -> Array:
        values = as_values(items, self.layout)
        with self.writer.chunk(len(values)) as (out, place):
            pack_values(values, place, out, self.fit, self.first)
        self.first += len(values)
        return self._taken()

    def _taken(self) -> Array:
        made = np.frombuffer(self.sink.getvalue(), np.uint8)
        self.sink.seek(0)
        self.sink.truncate()
        return made


def name_of(function: object) -> str:
    """What a function is called."""
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def made_array(made: Any, function: object) -> Array:
    """The block that a function has given; CogenError if it is none."""
    array = np.asarray(made)
    if array.ndim == 0 or array.dtype.hasobject:
        raise CogenError(f"{name_of(function)} must give an array of one dimension or more")
    return array
