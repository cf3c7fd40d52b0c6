"""WAV files: what stands before their samples, read and written.

    RIFF size WAVE  (name size bytes)*      chunks of even length; `fmt ` says what `data` holds

Source: Microsoft and IBM, Multimedia Programming Interface and Data Specifications 1.0; of
extensible formats, KSDATAFORMAT_SUBTYPE.  Numbers have the low byte first.
"""

from __future__ import annotations

import os
import struct
import warnings
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final

from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.lang.warning import CogenWarning
from cogen.signals.layout import Layout
from cogen.writing import GuardedFile

SUFFIX: Final = ".wav"
"""What the names of WAV files end in, in any case of letters."""

MAX_RATE: Final = (1 << 32) - 1
"""The most frames a second that a WAV file can say."""

KINDS: Final = {
    1: Layout(8),
    2: Layout(16, signed=True),
    3: Layout(24, signed=True),
    4: Layout(32, signed=True),
}
"""How integers are packed, by the bytes of a sample."""

HOLDS: Final = "a WAV file holds samples of pcm8, pcm16le, pcm24le or pcm32le"

_HEADER: Final = struct.Struct("<4sI4s4sIHHIIHH4sI")
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_MOST: Final = (1 << 32) - 1 - _HEADER.size
_UNKNOWN: Final = (0, (1 << 32) - 1)
"""Sizes that say nothing: those of files that were written to a pipe."""


@dataclass(frozen=True, slots=True)
class WavData:
    """The samples of a WAV file: how they are packed, frames a second (Hz), the first byte and the
    one behind the last."""

    layout: Layout
    rate: int
    start: int
    end: int

    def checked(self, layout: object, path: object) -> None:
        """CogenError for a layout that is not the file's (it may have a scale)."""
        if not isinstance(layout, Layout) or replace(layout, scale=None) != self.layout:
            raise CogenError(
                f"{path} holds samples of {self.layout}, not of {layout}",
                hint="the file says how they are packed: leave out the layout",
            )


def wav_data(path: str | os.PathLike[str]) -> WavData | None:
    """The samples of a file; None if it is no WAV file, or none that can be looked into.

    CogenError for a WAV file of samples that are no integers or floats.
    """
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            head = file.read(12)
            if head[:4] != b"RIFF" or head[8:] != b"WAVE":
                return None
            return _chunks(file, os.fspath(path), os.fstat(file.fileno()).st_size)
    except OSError:
        return None


def tell_of_header(data: bytes | memoryview, offset: int, stacklevel: int = 3) -> None:
    """Warn of bytes that begin as a WAV file does, and are about to be read as samples from a bit
    in its header on."""
    if bytes(data[:4]) == b"RIFF" and bytes(data[8:12]) == b"WAVE" and offset < 8 * _HEADER.size:
        warnings.warn(
            "these bytes are a WAV file, of which the header is read as samples, too: "
            "signals.read_sound(path).array() are the samples, signals.stream(path) a stream of "
            "them, and commands take the path of the file",
            CogenWarning,
            stacklevel=stacklevel,
        )


def _chunks(file: BinaryIO, path: str, total: int) -> WavData:
    layout: tuple[Layout, int] | None = None
    while len(head := file.read(8)) == 8:
        name, size = struct.unpack("<4sI", head)
        if name == b"fmt ":
            layout = _format(file.read(size), path)
            size %= 2
        elif name == b"data" and layout is not None:
            start = file.tell()
            end = total if size in _UNKNOWN else min(start + size, total)
            return WavData(*layout, start, end)
        else:
            size += size % 2
        file.seek(size, os.SEEK_CUR)
    raise CogenError(f"{path} is a WAV file without samples")


def _format(data: bytes, path: str) -> tuple[Layout, int]:
    """How samples are packed, and frames a second."""
    if len(data) < 16:
        raise CogenError(f"{path} is a WAV file that ends in its header")
    kind, channels, rate, _, frame, bits = struct.unpack_from("<HHIIHH", data)
    if kind == _EXTENSIBLE and len(data) >= 26:
        (kind,) = struct.unpack_from("<H", data, 24)
    width = frame // max(1, channels)
    if not channels or frame % channels:
        raise CogenError(f"{path} is a WAV file of {channels} channels in {frame} bytes")
    if kind == _PCM and width in KINDS:
        return replace(KINDS[width], channels=channels), rate
    if kind == _FLOAT and bits in (32, 64) and width == bits // 8:
        return Layout(bits, float=True, channels=channels), rate
    raise CogenError(
        f"{path} is a WAV file of compressed samples, or of another kind (format {kind})",
        hint="signals.read_sound(path) reads what the package soundfile knows",
    )


class WavSamples(GuardedFile):
    """The bytes of a WAV file's samples, a file to read."""

    def __init__(self, path: str, wav: WavData) -> None:
        super().__init__(path, "rb", path)
        self.seek(wav.start)
        self._left = wav.end - wav.start

    def readinto(self, data: Any) -> int:
        view = memoryview(data).cast("B")[: self._left]
        size = super().readinto(view) if len(view) else 0
        self._left -= size
        return size


def width_of(layout: object) -> int | None:
    """The bytes of a sample, if WAV files hold samples of the layout."""
    if not isinstance(layout, Layout):
        return None
    for width, found in KINDS.items():
        order = layout.order if width == 1 else found.order
        if replace(found, channels=layout.channels, order=order) == layout:
            return width
    return None


class WavWriter:
    """Writes the header of a file whose samples come later.  CogenError for a layout or a rate of
    which there are no WAV files."""

    def __init__(self, layout: object, rate: object) -> None:
        width = width_of(layout)
        if width is None or not isinstance(layout, Layout):
            raise CogenError(HOLDS, hint='say which: .write("take.wav", "pcm16le")')
        whole = isinstance(rate, int | float) and rate == int(rate)
        if not whole or not 1 <= rate <= MAX_RATE:  # type: ignore[operator]  # it is a number
            raise CogenError(
                "a WAV file says how many frames it has a second"
                + ("" if rate is None else f", an integer, not {shown(rate)}"),
                hint="rate=48000 (--rate 48000)",
            )
        self._width, self._channels, self._rate = width, layout.channels, int(rate)  # type: ignore[call-overload]  # it is a number

    def begin(self, stream: Any) -> None:
        """Write a header of no samples."""
        stream.write(self._header(0))

    def check(self, stream: Any) -> None:
        """CogenError if there is more than a WAV file has room for."""
        if stream.tell() - _HEADER.size > _MOST:
            raise CogenError(
                "a WAV file has room for 4 GB",
                hint="write to a name with another suffix, without a header, or several files",
            )

    def finish(self, stream: Any) -> None:
        """Say in the header how much there is, and fill up to an even length."""
        self.check(stream)
        size = stream.tell() - _HEADER.size
        stream.write(bytes(size % 2))
        stream.seek(0)
        stream.write(self._header(size))
        stream.seek(0, os.SEEK_END)

    def _header(self, size: int) -> bytes:
        frame = self._width * self._channels
        return _HEADER.pack(
            b"RIFF", _HEADER.size - 8 + size + size % 2, b"WAVE", b"fmt ", 16, _PCM, self._channels,
            self._rate, frame * self._rate & 0xFFFFFFFF, frame, 8 * self._width, b"data", size,
        )  # fmt: skip


def is_wav(path: object) -> bool:
    """Whether a path is that of a WAV file."""
    return isinstance(path, str | os.PathLike) and str(os.fspath(path)).lower().endswith(SUFFIX)
