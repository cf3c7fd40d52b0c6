"""Where the bytes of a stream come from: files, buffers, sockets, pipes, iterators, and what
asyncio has of these."""

from __future__ import annotations

import io
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, Final

from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.signals.buffers import readable
from cogen.signals.wavfiles import WavData, wav_data
from cogen.writing import GuardedFile, failed

SIZE: Final = 1 << 18
"""How many bytes are asked for at a time."""


@dataclass(slots=True)
class ByteSource:
    """Something that gives bytes.

    `total`: how many there are, if that is known; `identity` tells whether it is the same as
    another time; `at`: from which byte on; None where it can only be gone through from here on.
    `wav`: what a WAV file says, whose bytes are those of its samples.
    """

    given: Any
    total: int | None = None
    identity: tuple[Any, ...] | None = None
    at: int | None = None
    wav: WavData | None = None

    @property
    def later(self) -> bool:
        """Whether it has to be awaited."""
        if iscoroutinefunction(getattr(self.given, "read", None)):
            return True
        return hasattr(self.given, "__aiter__") and not hasattr(self.given, "__iter__")

    def blocks(self) -> Iterator[bytes | memoryview]:
        """Its bytes, some at a time."""
        if self.later:
            raise CogenError("this source has to be awaited", hint="use `async for`")
        given = self.given
        if isinstance(given, str | os.PathLike):
            yield from self._of_file(given)
        elif (read := _reader(given)) is not None:
            yield from iter(_told(read), b"")
        elif isinstance(given, Iterator) or not _is_buffer(given):
            yield from map(readable, given)
        else:
            view = readable(given)
            for first in range(self.at or 0, len(view), SIZE):
                yield view[first : first + SIZE]

    def _of_file(self, path: str | os.PathLike[str]) -> Iterator[bytes]:
        first, left = self.at or 0, None
        if self.wav is not None:
            first += self.wav.start
            left = max(0, self.wav.end - first)
        name = os.fspath(path)
        with _failures(name), GuardedFile(name, "rb", name) as file:
            if first:
                file.seek(first)
            while data := file.read(SIZE if left is None else min(SIZE, left)):
                left = None if left is None else left - len(data)
                yield data

    async def blocks_later(self) -> AsyncIterator[bytes | memoryview]:
        """Its bytes, some at a time, while other tasks go on."""
        read = getattr(self.given, "read", None)
        if iscoroutinefunction(read):
            while data := await read(SIZE):
                yield data
        elif self.later:
            async for data in self.given:
                yield readable(data)
        else:
            import asyncio

            blocks = self.blocks()
            while (block := await asyncio.to_thread(next, blocks, None)) is not None:
                yield block


def source_of(given: Any) -> ByteSource:
    """What gives the bytes of a file, a buffer, or anything that can be read; CogenError for what
    cannot."""
    if isinstance(given, io.TextIOBase):
        raise CogenError("the input is text, not bytes", hint='open the file with mode "rb"')
    if isinstance(given, str | os.PathLike):
        with _failures(os.fspath(given)):
            told = os.stat(given)
        regular = told.st_size > 0
        identity = (told.st_size, told.st_mtime_ns) if regular else None
        wav = wav_data(given)
        size = told.st_size if wav is None else wav.end - wav.start
        at = 0 if regular else None
        return ByteSource(given, size if regular else None, identity, at, wav)
    if _is_buffer(given):
        size = len(readable(given))
        return ByteSource(given, size, (size,), 0)
    if _reader(given) is not None or isinstance(given, Iterable) or hasattr(given, "__aiter__"):
        return ByteSource(given)
    if hasattr(given, "read"):
        return ByteSource(given)
    raise CogenError(
        f"a stream cannot come from {shown(given)}",
        hint="give the path of a file, a buffer, a file or socket that is open, or an iterator "
        "of bytes",
    )


def _reader(given: Any) -> Callable[[], bytes] | None:
    """What reads some bytes, as soon as there are some."""
    for name in ("recv", "read1", "read"):
        method = getattr(given, name, None)
        if callable(method) and not iscoroutinefunction(method):
            return lambda: method(SIZE)
    return None


def _told(read: Callable[[], Any]) -> Callable[[], bytes]:
    def told() -> bytes:
        with _failures("the input"):
            data = read()
        return bytes(data or b"")

    return told


def _is_buffer(given: Any) -> bool:
    try:
        memoryview(given)
    except (TypeError, BufferError, ValueError):
        return False
    return not hasattr(given, "read1")


@contextmanager
def _failures(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise failed("read", what, error) from None
