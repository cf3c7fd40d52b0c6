"""Streams: packed data from a file, socket, pipe or iterator, through stages, to arrays or a file,
in memory that does not grow.

    iq = signals.stream("radio.cs16", "cs16", dtype=np.complex64)
    iq.fir(taps, decimate=8).map(np.abs).write("level.f32", progress=True, resume=True)

    for block in iq: ...                          # arrays, one after the other
    async for block in signals.stream(reader, "cs16"): ...      # asyncio's streams, too

A stream says what is to be done; every way to use it up starts from the beginning of its source.
"""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cogen.boundary import public, public_methods
from cogen.expected import flag, function, instance, integer, shown
from cogen.lang.errors import CogenError
from cogen.lang.warning import CogenWarning
from cogen.signals.bar import progress_bar
from cogen.signals.buffers import Array
from cogen.signals.columnar import Columns, columns
from cogen.signals.compiled import CompiledProcessor
from cogen.signals.feeding import FedChunk, Feeder
from cogen.signals.files import Sound
from cogen.signals.formats import channel_names, to_layout
from cogen.signals.forms import form_of, to_dtype
from cogen.signals.layout import Layout
from cogen.signals.packing import choose_fit
from cogen.signals.reading import check_streamable
from cogen.signals.resuming import Progress, Resumable
from cogen.signals.rows import AnyShape, Rows, to_shape
from cogen.signals.sources import ByteSource, source_of
from cogen.signals.stages import (
    Decimated,
    Dithered,
    Filtered,
    Mapped,
    PackedStage,
    Packing,
    Processed,
    Processing,
    ScannedStage,
    StreamStage,
)
from cogen.signals.wavfiles import SUFFIX, WavWriter, is_wav
from cogen.writing import replaced

Report = bool | Callable[[int, int | None], object]
"""Whether to show a progress bar on a terminal, or what to tell how many bytes of the input have
been read, of how many (None, if that is not known)."""


@public
def stream(
    source: Any,
    layout: AnyShape | str | None = None,
    dtype: Any = None,
    block: int | None = None,
    strict: bool = False,
) -> Stream:
    """The samples of packed data that need not fit into memory, or come later.

    `source` is the path of a file, a buffer, an open file, pipe or socket, an iterator of bytes,
    what asyncio reads from, or a `Sound`.  That and the path of a WAV file, of which only the
    samples are read, need no layout.

    Blocks are arrays as of `unpack`, of `block` items each (the last has fewer); by default as many
    as have come.  `Rows` with a height are frames, a block each, one after the other.  An input
    that ends inside a sample is told by a warning; `strict`, it is a CogenError.
    """
    given = source_of(source.data if isinstance(source, Sound) else source)
    known = source if isinstance(source, Sound) else given.wav
    if layout is None and isinstance(source, np.ndarray) and source.dtype != np.uint8:
        layout = source.dtype  # which are the elements of an array
    if layout is None and known is None:
        raise CogenError(
            "how samples are packed has to be said",
            hint="give a layout, as in stream(source, 'pcm24le')",
        )
    shape = to_shape(known.layout if layout is None and known is not None else layout)
    if given.wav is not None:
        given.wav.checked(shape, source)
    inner = shape.layout if isinstance(shape, Rows) else shape
    check_streamable(inner)
    wanted = None if dtype is None else to_dtype(dtype)
    form_of(inner, wanted)
    names = channel_names(layout if isinstance(layout, str) else "", shape)
    block = None if block is None else integer(block, "block", 1)
    Feeder(shape, block)
    rate = None if known is None else known.rate
    return Stream(given, shape, wanted, block, flag(strict, "strict"), names, rate=rate)


@public_methods
@dataclass(frozen=True, repr=False)
class Stream:
    """Blocks of samples, and what becomes of them; see `stream`.

    `for`, `async for`, `array` and `write` use it up; all else gives another stream, with a stage
    more.
    """

    source: ByteSource
    shape: AnyShape
    dtype: np.dtype[Any] | None
    block: int | None
    strict: bool
    names: tuple[str, ...]
    stages: tuple[StreamStage, ...] = field(default=())
    rate: float | None = None
    """Items a second (Hz), where the source says them."""

    def __repr__(self) -> str:
        told = "".join(f", {stage.told.split(' ')[0]}" for stage in self.stages)
        return f"<stream of {self.shape}{told}>"

    def _and(self, stage: StreamStage, each: int = 1) -> Stream:
        """With a stage more, of which an item comes out for `each`."""
        rate = None if self.rate is None else self.rate / each
        return replace(self, stages=(*self.stages, stage), rate=rate)

    def map(self, function_: Callable[[Array], Any]) -> Stream:
        """Each block becomes what a function makes of it, item by item: it must not matter how the
        stream is cut."""
        return self._and(Mapped(function(function_, "the function of a stage")))

    def scan(self, function_: Callable[[Any, Array], tuple[Any, Any]], start: Any) -> Stream:
        """`function_(state, block)` gives the next state and a block; `start` is the first state.
        States are not changed in place."""
        return self._and(ScannedStage(function(function_, "the function of a stage"), start))

    def decimate(self, n: int) -> Stream:
        """Each n-th item, from the first on.  Nothing is filtered: see `fir`."""
        return self._and(Decimated(integer(n, "n", 1)), n)

    def fir(self, taps: Sequence[float] | Array, decimate: int = 1) -> Stream:
        """`y[i] = taps[0] x[i] + taps[1] x[i-1] + ...`, where x is 0 before the first item, and of
        these each `decimate`-th; only those are computed.  Floats of 32 bits stay so."""
        weights = np.asarray(taps)
        if weights.ndim != 1 or not weights.size or weights.dtype.kind not in "biufc":
            raise CogenError(f"taps are a list of numbers, not {shown(taps)}")
        return self._and(Filtered(weights, integer(decimate, "decimate", 1)), decimate)

    def dither(self, seed: int = 0) -> Stream:
        """Each number is rounded, after noise of two steps was added (its density a triangle), so
        that what rounding does to a quiet sound is noise as well; the same for the same seed."""
        return self._and(Dithered(integer(seed, "seed", 0)))

    def process(
        self, processor: CompiledProcessor, *arguments: Any, history: int = 0, step: int = 1
    ) -> Stream:
        """Through a compiled processor of one signal and one `signals.Out`, with other arguments.

        A processor that looks back needs `history` items before each block; one that makes an item
        of `step` ones, blocks of a multiple of that.  Then what comes out is what the processor
        makes of all at once.  Packed bytes go straight in, where the layout is the stream's; a
        packed output comes as blocks of bytes, and to another stage as items.
        """
        made = instance(
            processor, CompiledProcessor, "the processor", "what signals.compile gives",
            "another function is a stage by .map(...)",
        )  # fmt: skip
        stage = Processed(made, arguments, integer(history, "history", 0), integer(step, "step", 1))
        stage.check()
        return self._and(stage, step)

    def pack(self, layout: Any, wrap: bool = False, saturate: bool = False) -> Stream:
        """Blocks of packed bytes (uint8), as `signals.pack` makes them; the last stage."""
        target = to_shape(layout)
        if isinstance(target, Rows):
            raise CogenError("rows cannot be packed by a stream", hint="pack them by .map(...)")
        check_streamable(target)
        return self._and(PackedStage(target, choose_fit(wrap, saturate)))

    def __iter__(self) -> Iterator[Array]:
        run = _Run(self)
        for data in self.source.blocks():
            yield from run.feed(data)
        yield from run.finish()

    async def __aiter__(self) -> AsyncIterator[Array]:
        run = _Run(self)
        async for data in self.source.blocks_later():
            for block in run.feed(data):
                yield block
        for block in run.finish():
            yield block

    def array(self) -> Array:
        """All blocks as one array."""
        run = _Run(self)
        blocks = [b for data in self.source.blocks() for b in run.feed(data)]
        blocks += run.finish()
        return np.concatenate(blocks) if blocks else run.nothing()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        made = self.array()
        return made if dtype is None else made.astype(dtype)

    def columns(self) -> Iterator[Columns]:
        """The columns of each block, see `signals.columns`."""
        return (self._columns(block) for block in self)

    def _columns(self, block: Array) -> Columns:
        if block.ndim > 2:
            block = block.reshape(-1, block.shape[-1])
        channels = block.ndim == 2 and len(self.names) == block.shape[1]
        return columns(block, names=self.names if channels else None)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Batches of columns, a block each, for what takes Arrow's data."""
        from cogen.signals.arrow import stream_capsule

        batches = self.columns()
        first = next(batches, None)
        if first is None:
            return stream_capsule(self._columns(_Run(self).nothing()), iter(()))
        return stream_capsule(first, _behind(first, batches))

    def write(
        self,
        sink: str | os.PathLike[str] | Any,
        layout: Any = None,
        wrap: bool = False,
        saturate: bool = False,
        progress: Report = False,
        resume: bool = False,
        rate: int | None = None,
    ) -> int:
        """Write all blocks, packed in a layout, or as the elements of arrays, low byte first; the
        number of items.

        `sink` is the path of a file, which appears whole or not at all, or an open file or socket.
        The file of a name that ends in `.wav` is a WAV file, of so many items a second (`rate`; by
        default those of the source, as far as they are known).  `progress` shows a bar on a
        terminal, or is called with the bytes that have been read and how many there are.  With
        `resume`, a run that is interrupted (SIGINT, SIGTERM, an error, a loss of power) leaves a
        part beside the file, with which the next one goes on; the result is the same.  CogenError
        if the stream was changed in between, as far as can be seen.
        """
        choose_fit(wrap, saturate)
        whole = self if layout is None else self.pack(layout, wrap, saturate)
        wav = whole._wav(sink, rate)
        if wav is not None and isinstance(last := whole.stages[-1], PackedStage):
            whole = replace(whole, stages=(*whole.stages[:-1], replace(last, exact=True)))
        with _reported(progress, self.source.total) as report:
            if flag(resume, "resume"):
                return whole._resumed(sink, report, wav)
            run = _Run(whole)
            with _opened(sink) as stream:
                run.write(whole.source, stream, report, wav)
            return run.items

    def _wav(self, sink: Any, rate: int | None) -> WavWriter | None:
        """What writes the header, if the output is a WAV file."""
        if not is_wav(sink):
            if rate is not None:
                raise CogenError(f"only the name of a WAV file, as out{SUFFIX}, takes a rate")
            return None
        last = self.stages[-1] if self.stages else None
        layout = last.layout if isinstance(last, PackedStage) else None
        if isinstance(layout, Layout):
            layout = replace(layout, scale=None)
        if isinstance(last, Processed):
            layout = to_layout(last.processor.outputs[0].layout)
        return WavWriter(layout, self.rate if rate is None else rate)

    def _resumed(self, sink: Any, report: Callable[[int], None], wav: WavWriter | None) -> int:
        """Write to a file that may have been begun."""
        if not isinstance(sink, str | os.PathLike):
            raise CogenError("only a file can be gone on with", hint="give its path")
        if self.source.at is None or self.source.identity is None:
            raise CogenError("only from a file or a buffer can be gone on with")
        file = Resumable(Path(sink), self._identity())
        begun = file.begun()
        run, source, size = _Run(self), self.source, 0
        if begun is not None:
            progress, size = begun
            run.resume(progress)
            source = replace(source, at=progress.consumed)
            report(progress.consumed)
        with file.writing(size) as stream:
            note = partial(file.note, stream=stream)
            run.write(source, stream, report, wav, begins=size == 0, note=note)
        return run.items

    def _identity(self) -> str:
        stages = [stage.told for stage in self.stages]
        return repr((self.source.identity, self.shape, self.dtype, self.block, stages))


class _Run:
    """A stream's stages while it is used up."""

    def __init__(self, made: Stream) -> None:
        self.made = made
        first = made.stages[0] if made.stages else None
        rows = first.every if isinstance(first, Processed) and isinstance(made.shape, Rows) else 1
        self.feeder = Feeder(made.shape, made.block, 1 if made.block else rows)
        self.stages = [
            stage.start(between=number < len(made.stages))
            if isinstance(stage, Processed)
            else stage.start()
            for number, stage in enumerate(made.stages, 1)
        ]
        self.raw: Processing | None = None
        if isinstance(first, Processed) and made.dtype is None and first.takes(self.feeder):
            assert isinstance(self.stages[0], Processing)
            self.raw = self.stages[0]
            self.raw.from_bytes = True
        self.items = 0
        """Items that came out of the last stage but packing."""

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(self.feeder.consumed, self.items, [stage.state for stage in self.stages])

    def resume(self, progress: Progress) -> None:
        """Go on where another run was."""
        self.feeder.resume_at(progress.consumed)
        self.items = progress.items
        for stage, state in zip(self.stages, progress.states, strict=True):
            stage.state = state

    def feed(self, data: bytes | memoryview) -> Iterator[Array]:
        """The blocks that come out for some bytes."""
        for chunk in self.feeder.feed(data):
            block = self._entered(chunk)
            if len(block):
                yield block

    def write(
        self,
        source: ByteSource,
        stream: BinaryIO | _Socket,
        report: Callable[[int], None],
        wav: WavWriter | None,
        begins: bool = True,
        note: Callable[[Progress], None] | None = None,
    ) -> None:
        """Write what comes out for all that a source gives, with the header of a WAV file where it
        `begins`; `note` is told after each block how far the run is."""
        if wav is not None and begins:
            wav.begin(stream)
        for data in source.blocks():
            for block in self.feed(data):
                stream.write(_little(block))
                if note is not None:
                    note(self.progress)
            if wav is not None:
                wav.check(stream)
            report(len(data))
        for block in self.finish():
            stream.write(_little(block))
        if wav is not None:
            wav.finish(stream)

    def finish(self) -> Iterator[Array]:
        """The blocks that come out at the end."""
        chunk, told = self.feeder.finish()
        if told is not None:
            _tell(told, self.made.strict)
        if chunk is not None:
            block = self._entered(chunk)
            if len(block):
                yield block
        for index, stage in enumerate(self.stages):
            last = stage.finish()
            if last is not None and len(last):
                block = self._through(last, index + 1)
                if len(block):
                    yield block

    def nothing(self) -> Array:
        """What no input makes."""
        shape = self.feeder.shape
        layout = shape.layout if isinstance(shape, Rows) else shape
        form = form_of(layout, self.made.dtype)
        inner = () if layout.width is None or form.is_complex else (layout.width,)
        if isinstance(shape, Rows):
            inner = (shape.width, *inner)
        return self._through(np.zeros((0, *inner), form.dtype), 0)

    def _entered(self, chunk: FedChunk) -> Array:
        if self.raw is not None:
            return self._through(self.raw.raw(chunk), 1)
        return self._through(chunk.array(self.made.dtype), 0)

    def _through(self, block: Array, first: int) -> Array:
        for stage in self.stages[first:]:
            if isinstance(stage, Packing):
                self.items += len(block)
            block = stage.step(block)
        if not (self.stages and isinstance(self.stages[-1], Packing)):
            self.items += len(block)
        return block


def _tell(message: str, strict: bool) -> None:
    if strict:
        raise CogenError(message, hint="without strict=True, the samples that are whole are given")
    import warnings

    warnings.warn(message, CogenWarning, stacklevel=4)


def _behind(first: Columns, others: Iterator[Columns]) -> Iterator[Columns]:
    yield first
    yield from others


def _little(block: Array) -> memoryview:
    """The elements of an array, low byte first."""
    plain = np.ascontiguousarray(block, block.dtype.newbyteorder("<"))
    return plain.reshape(-1).view(np.uint8).data


@contextmanager
def _reported(progress: Report, total: int | None) -> Iterator[Callable[[int], None]]:
    """What to tell how many bytes more have been read."""
    if callable(progress):
        told, read = progress, 0

        def report(size: int) -> None:
            nonlocal read
            read += size
            told(read, total)

        yield report
        return
    if not flag(progress, "progress"):
        yield lambda _size: None
        return
    with progress_bar(total) as shown_report:
        yield shown_report


class _Socket:
    """A socket that is written to like a file."""

    def __init__(self, sink: socket.socket) -> None:
        self.write = sink.sendall


@contextmanager
def _opened(sink: Any) -> Iterator[BinaryIO | _Socket]:
    """What to write to: a file or a socket."""
    if isinstance(sink, str | os.PathLike):
        with replaced(os.fspath(sink)) as stream:
            yield stream
    elif isinstance(sink, socket.socket):
        yield _Socket(sink)
    elif callable(getattr(sink, "write", None)):
        opened: BinaryIO = sink
        yield opened
        if callable(getattr(sink, "flush", None)):
            opened.flush()
    else:
        raise CogenError(
            f"a stream cannot be written to {shown(sink)}",
            hint="give the path of a file, or a file or socket that is open",
        )
