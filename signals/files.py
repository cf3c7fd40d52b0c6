"""Sound and picture files as packed samples with a layout.

    sound = signals.read_sound("take.wav")
    samples = sound.array()                                      # (count[, channels])
    signals.write_sound("out.wav", signals.Sound(packed, signals.layout("pcm24le"), 48000))

    picture = signals.read_picture("cat.png")
    pixels = picture.array()                                     # (height, width[, channels])
    signals.write_picture("mask.png", signals.Picture(bits, signals.layout("mask-msb"), 640))

WAV files go through Python's own `wave`, other sound files through soundfile, pictures through
Pillow (both in the extra `signals`); samples keep the packing that the file has, where these
packages tell it.
"""

from __future__ import annotations

import struct
import wave
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from cogen import expected
from cogen.boundary import public, public_methods
from cogen.expected import instance, integer, shown
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array, readable
from cogen.signals.formats import to_layout
from cogen.signals.layout import AnyLayout, Group, Layout, bytes_needed, capacity
from cogen.signals.packing import pack
from cogen.signals.unpacking import unpack
from cogen.signals.wavfiles import HOLDS, KINDS, MAX_RATE, width_of
from cogen.writing import replaced, replacing

BLOCK: Final = 1 << 16
"""Frames that are read at a time: how many a header says there are may be far from the truth."""

_SUBTYPES: Final = {"FLOAT": (32, True), "DOUBLE": (64, True)}
"""Sample formats of sound files that are not integers: bits, and whether they are floats."""


@public_methods
@dataclass(frozen=True, slots=True)
class Sound:
    """Packed samples and how to read them, a layout or its name; `rate` in frames a second (Hz)."""

    data: Any = field(repr=False)
    layout: Layout
    rate: int

    def __post_init__(self) -> None:
        _named(self)
        instance(self.layout, Layout, "the layout of a sound", "a signals.Layout")
        integer(self.rate, "the rate of a sound", 1, MAX_RATE)

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return capacity(self.layout, len(readable(self.data))) / self.rate

    def array(self) -> Array:
        """The samples, of shape (count,) or (count, channels)."""
        return unpack(self.data, self.layout)


def _named(made: Sound | Picture) -> None:
    """Let the layout be the one of a name."""
    if isinstance(made.layout, str):
        object.__setattr__(made, "layout", to_layout(made.layout))


@public_methods
@dataclass(frozen=True, slots=True)
class Picture:
    """Packed pixels, row by row from the top, each row beginning at a whole byte; `width` pixels,
    packed as a layout, or its name, says.

    The number of rows follows from the data.
    """

    data: Any = field(repr=False)
    layout: AnyLayout
    width: int

    def __post_init__(self) -> None:
        _named(self)
        if not isinstance(self.layout, Layout | Group):
            raise CogenError(
                f"the layout of a picture must be a layout, not {shown(self.layout)}",
                hint="signals.layout(name) gives the layout of a name",
            )
        if type(self.width) is not int or self.width < 1:
            raise CogenError(f"the width of a picture must be at least 1, not {shown(self.width)}")

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return bytes_needed(self.layout, self.width)

    @property
    def height(self) -> int:
        """The number of rows; CogenError if the data is no whole rows."""
        length = len(readable(self.data))
        if length % self.row_bytes:
            raise CogenError(
                f"{length} bytes are no whole rows of {shown(self.width)} pixels, "
                f"{shown(self.row_bytes)} bytes each"
            )
        return length // self.row_bytes

    def array(self) -> Array:
        """The pixels, of shape (height, width) or (height, width, channels)."""
        height, view = self.height, readable(self.data)
        if 8 * self.row_bytes == self.width * _bits_of(self.layout):
            pixels = unpack(view, self.layout, height * self.width)
            return pixels.reshape(height, self.width, *pixels.shape[1:])
        rows = [
            unpack(view[y * self.row_bytes : (y + 1) * self.row_bytes], self.layout, self.width)
            for y in range(height)
        ]
        return np.stack(rows) if rows else np.zeros((0, self.width), self.layout.dtype)


def _bits_of(layout: AnyLayout) -> int:
    """The bits from one item to the next."""
    return layout.step * layout.per_item // len(layout.fields)


@public
def read_sound(path: str | Path) -> Sound:
    """The samples of a sound file; CogenError if it cannot be read.

    WAV files with integer samples are given as they are; others are decoded by soundfile, to
    integers of the file's size or to floats.
    """
    path = expected.path(path)
    try:
        with wave.open(str(path)) as file:
            layout = replace(KINDS[file.getsampwidth()], channels=file.getnchannels())
            frames = b"".join(iter(lambda: file.readframes(BLOCK), b""))
            return Sound(frames, layout, file.getframerate())
    except OSError as error:
        raise CogenError(f"{path}: {error.strerror or error}") from None
    except Exception:  # no WAV file that `wave` can read: it lets through what its parts raise
        return _decode_sound(path)


def _decode_sound(path: Path) -> Sound:
    soundfile = _soundfile(path)
    try:
        with soundfile.SoundFile(str(path)) as file:
            size, is_float = _SUBTYPES.get(file.subtype, (32, False))
            kind = f"float{size}" if is_float else "int32"
            blocks = iter(lambda: file.read(BLOCK, kind, always_2d=True).tobytes(), b"")
            data = np.frombuffer(b"".join(blocks), np.uint8)
            layout = Layout(size, signed=not is_float, float=is_float, channels=file.channels)
            return Sound(data, layout, file.samplerate)
    except Exception as error:  # what libsndfile says, and accidents with what a header says
        raise CogenError(f"{path} is no sound file that can be read: {error}") from None


@public
def write_sound(path: str | Path, sound: Sound) -> None:
    """Write a WAV file of the sound's samples.

    The layout must be one of a WAV file: pcm8, pcm16le, pcm24le or pcm32le, with any number of
    channels; convert others first.  CogenError if it is not, or the file cannot be written.
    """
    path = expected.path(path)
    hint = "signals.Sound(array of int16, 'pcm16le', rate)"
    layout = instance(sound, Sound, "the sound", "a signals.Sound", hint).layout
    width = width_of(layout)
    if width is None:
        raise CogenError(
            HOLDS,
            hint="convert the samples first: signals.convert(data, layout, 'pcm24le')",
        )
    data = readable(sound.data)
    if len(data) % (width * layout.channels):
        raise CogenError(f"{len(data)} bytes are no whole frames of {layout.channels} channels")
    try:
        with replaced(path) as stream, wave.open(stream, "wb") as file:
            file.setnchannels(layout.channels)
            file.setsampwidth(width)
            file.setframerate(sound.rate)
            file.writeframes(data)
    except (OSError, wave.Error, struct.error) as error:  # numbers that WAV has no room for
        raise CogenError(f"cannot write {path}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """What an error says, without the name of the temporary file."""
    told = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return told or type(error).__name__


@public
def read_picture(path: str | Path) -> Picture:
    """The pixels of a picture file; CogenError if it cannot be read.

    1-bit pictures are `mask-msb`, grey ones have 8 or 16 bits, all others become `rgb24`.
    """
    path = expected.path(path)
    image = _pillow()
    try:
        with image.open(path) as opened:
            if opened.mode == "1":
                return Picture(opened.tobytes(), to_layout("mask-msb"), opened.width)
            if opened.mode == "L":
                return Picture(opened.tobytes(), Layout(8), opened.width)
            if opened.mode in ("I;16", "I;16L"):
                return Picture(opened.tobytes(), Layout(16), opened.width)
            if opened.mode == "I;16B":
                return Picture(opened.tobytes(), Layout(16, order="big"), opened.width)
            converted = opened.convert("RGB")
            return Picture(converted.tobytes(), to_layout("rgb24"), converted.width)
    except Exception as error:  # most of Pillow's are OSErrors; others are accidents in its parts
        reason = isinstance(error, OSError) and error.strerror
        large = isinstance(error, image.DecompressionBombError) and str(error)
        raise CogenError(f"{path}: {reason or large or 'no picture that can be read'}") from None


@public
def write_picture(path: str | Path, picture: Picture) -> None:
    """Write a picture file; the kind is that of the path's suffix.

    1-bit pixels, grey ones of up to 16 bits and three channels of 8 bits can be written: 1 bit as
    it is, up to 8 bits as 8, up to 16 as 16, each with its low bits first.  CogenError for other
    pixels, or if the file cannot be written.
    """
    path, image = expected.path(path), _pillow()
    hint = "signals.Picture(array of uint8, 'u8', width)"
    instance(picture, Picture, "the picture", "a signals.Picture", hint)
    pixels, layout = picture.array(), picture.layout
    sample = layout.fields[0]
    size = (picture.width, picture.height)
    if sample.signed or sample.float or sample.size > 16 or layout.scale is not None:
        raise CogenError(
            "a picture has unsigned pixels of up to 16 bits", hint="convert or unpack them first"
        )
    if pixels.ndim == 3 and pixels.shape[2] == 3 and pixels.dtype == np.uint8:
        made = image.frombytes("RGB", size, np.ascontiguousarray(pixels).tobytes())
    elif pixels.ndim == 2 and sample.size == 1:
        rows = b"".join(pack(row, "mask-msb").tobytes() for row in pixels)
        made = image.frombytes("1", size, rows)
    elif pixels.ndim == 2:
        mode = "L" if pixels.dtype == np.uint8 else "I;16"
        made = image.frombytes(mode, size, pixels.astype(f"<u{pixels.itemsize}").tobytes())
    else:
        raise CogenError(f"a picture has one channel, or three of 8 bits, not {pixels.shape[2:]}")
    try:
        with replacing(path) as place:
            made.save(place)
    except (OSError, ValueError, KeyError) as error:
        raise CogenError(f"cannot write {path}: {_reason(error)}") from None


def _soundfile(path: Path) -> Any:
    try:
        import soundfile
    except (ImportError, OSError):
        raise CogenError(
            f"{path} is no WAV file of integers, and reading others needs the package soundfile",
            hint="install the extra: pip install 'cogen-specializer[signals]'",
        ) from None
    return soundfile


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise CogenError(
            "pictures need the package Pillow",
            hint="install the extra: pip install 'cogen-specializer[signals]'",
        ) from None
    return Image
