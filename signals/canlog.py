"""Logs of CAN frames: BLF, ASC, candump and what else python-can reads -> arrays.

log = signals.read_can_log("drive.blf")
log.times, log.ids, log.frames, log.lengths, log.channels
log[log.times < 10]                          # a part of it
tables = signals.dbc("car.dbc").columns(log)
tables["EngineData"].polars()
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from cogen import expected
from cogen.boundary import public, public_methods
from cogen.expected import flag, shown
from cogen.lang.errors import CogenError
from cogen.lang.shown import brief
from cogen.signals.buffers import Array
from cogen.signals.candump import SUFFIX, line_behind, read_candump
from cogen.signals.columnar import Columns

PLAIN: Final = 8
"""The most bytes of a frame that is not of CAN FD."""

FLAGS: Final = {"extended": 1 << 31, "remote": 1 << 30, "error": 1 << 29}
"""What stands above an identifier, as in SocketCAN."""


@public_methods
@dataclass(frozen=True, eq=False, repr=False)
class CanLog:
    """Frames in the order of a log.

    times     seconds, float64
    ids       identifiers with the flags of SocketCAN: bit 31 extended, 30 remote, 29 error
    frames    their bytes, of shape (count, width), with zeros behind the shorter ones
    lengths   how many bytes each has; by default, all
    channels  on which bus each was, numbers or names, as objects; by default None

    CogenError for arrays of other shapes and kinds.
    """

    times: Array
    ids: Array
    frames: Array
    lengths: Array = None  # type: ignore[assignment]  # an array is made
    channels: Array = None  # type: ignore[assignment]  # the same

    def __post_init__(self) -> None:
        frames = np.asarray(self.frames)
        if frames.ndim != 2 or frames.dtype != np.uint8:
            raise CogenError("frames are an array of uint8, of shape (count, width)")
        count = len(frames)
        lengths = np.full(count, frames.shape[1]) if self.lengths is None else self.lengths
        channels: Any = self.channels
        if not isinstance(channels, np.ndarray):
            given = [None] * count if channels is None else list(channels)
            channels = np.empty(len(given), object)
            channels[:] = given
        made = {
            "times": np.asarray(self.times, np.float64),
            "ids": np.asarray(self.ids),
            "frames": frames,
            "lengths": np.asarray(lengths),
            "channels": channels,
        }
        for name, array in made.items():
            if len(array) != count or (array.ndim != 1 and name != "frames"):
                raise CogenError(f"{name} are not an array of {count}, one for each frame")
            object.__setattr__(self, name, array)

    @staticmethod
    def of(messages: Iterable[Any]) -> CanLog:
        """The log of messages of python-can, as from a bus that is open."""
        found = _Frames()
        for message in messages:
            found.add(message)
        return found.log()

    def __len__(self) -> int:
        return len(self.frames)

    def __getitem__(self, rows: Any) -> CanLog:
        """Some of the frames: a slice, indices or an array of bools."""
        if not isinstance(rows, slice | np.ndarray | list):
            raise CogenError(f"frames are chosen by a slice or an array, not by {shown(rows)}")
        chosen = (self.times, self.ids, self.frames, self.lengths, self.channels)
        return CanLog(*(array[rows] for array in chosen))

    def columns(self) -> Columns:
        """Times, identifiers, flags, lengths and channels; bytes as hexadecimal text."""
        texts = np.empty(len(self), object)
        data, width = np.ascontiguousarray(self.frames).reshape(-1).data, self.frames.shape[1]
        places = enumerate(self.lengths.tolist())
        texts[:] = [data[i * width : i * width + n].hex() for i, n in places]
        table = {"time": self.times, "id": self.ids & 0x1FFFFFFF}
        table |= {name: (self.ids & bit) != 0 for name, bit in FLAGS.items()}
        return Columns(table | {"length": self.lengths, "channel": self.channels, "data": texts})

    def __repr__(self) -> str:
        return f"<log of {len(self)} frames>"


@public
def read_can_log(path: str | Path, strict: bool = False) -> CanLog:
    """The frames of a log, of the kind that its suffix says: .blf, .asc, .log (candump), .trc,
    .mf4, .csv, .db, also with .gz behind it.

    The package python-can reads it (extra `can`), but for the data frames of candump.  A log that
    ends in something that cannot be read gives the frames before it, and a warning; `strict`, it
    is a CogenError, as is a file that cannot be read at all.
    """
    path = expected.path(path)
    flag(strict, "strict")
    if path.suffix == SUFFIX:
        quickly = read_candump(path)
        if quickly is not None:
            return CanLog(*quickly)
    reader = _reader(path)
    found = _Frames()
    try:
        with reader as messages:
            for message in messages:
                found.add(message)
    except Exception as error:  # python-can lets through what its parts raise
        told = _unreadable(path, len(found.data), error)
        if strict or not found.data:
            raise CogenError(told) from None
        from cogen.signals.can import CanWarning

        warnings.warn(told, CanWarning, stacklevel=3)
    return found.log()


def _unreadable(path: Path, count: int, error: Exception) -> str:
    """What is told of a log of which so many frames could be read; of one of candump's the line."""
    if path.suffix == SUFFIX:
        line = line_behind(path, count)
        if line is not None:
            number, text = line
            told = "this is no line of candump, and what follows is not read"
            return f"{path}:{number}: {told}: {brief(text)}"
    return f"{path}: what follows on {count} frames cannot be read: {error}"


class _Frames:
    """What is kept of python-can's messages."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.ids: list[int] = []
        self.data: list[bytes] = []
        self.channels: list[Any] = []

    def add(self, message: Any) -> None:
        """Keep one more."""
        flags = (
            message.is_extended_id * FLAGS["extended"]
            | message.is_remote_frame * FLAGS["remote"]
            | message.is_error_frame * FLAGS["error"]
        )
        self.times.append(message.timestamp)
        self.ids.append(message.arbitration_id | flags)
        self.data.append(bytes(message.data))
        self.channels.append(message.channel)

    def log(self) -> CanLog:
        """The arrays of all."""
        lengths = np.array(list(map(len, self.data)), np.uint8)
        width = PLAIN if not len(lengths) or lengths.max() <= PLAIN else 64
        data = b"".join(frame.ljust(width, b"\0") for frame in self.data)
        channels: Array = np.empty(len(self.channels), object)
        channels[:] = self.channels
        return CanLog(
            np.array(self.times, np.float64),
            np.array(self.ids, np.uint32),
            np.frombuffer(data, np.uint8).reshape(-1, width),
            lengths,
            channels,
        )


def _reader(path: Path) -> Any:
    try:
        import can
    except ImportError:
        raise CogenError(
            "reading a log needs the package python-can",
            hint="install the extra: pip install 'cogen-specializer[can]'",
        ) from None
    try:
        return can.LogReader(path)
    except OSError as error:
        raise CogenError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:  # the same
        raise CogenError(f"{path} is no log that can be read: {error}") from None
