"""CAN frames: the signals of a DBC file, decoded and encoded for whole arrays of frames.

    bus = signals.dbc("car.dbc")
    engine = bus["EngineData"]
    values = engine.decode(frames)         # frames: uint8, shape (count, 8), or a buffer of them
    values["Speed"]                        # physical values, one a frame
    decoded = bus.decode(ids, frames)      # of many messages: by name, which rows and their values

The package cantools reads the file (extra `can`); each message becomes a record layout
(`signals.Group`) whose kernel is specialized C.  A signal's value is its number times the factor
plus the offset: an integer where both are, else float64.  A signal that a frame does not have
(multiplexed away) is NaN there, and always float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lang.errors import CogenError
from lang.files import read_source
from signals.api import pack, parts_of, unpack
from signals.buffers import readable
from signals.layout import Field, Group
from signals.values import Array

if TYPE_CHECKING:
    from cantools.database.can.message import Message as Described
    from cantools.database.can.signal import Signal as DescribedSignal

ID_MASK: Final = (1 << 29) - 1
"""The bits of an identifier; loggers put flags above them."""


class Rows(NamedTuple):
    """Frames of one message among others: their indices, and their values."""

    rows: Array
    values: Array


@dataclass(frozen=True, slots=True)
class Scaling:
    """value = number * factor + offset; `integer` if values are integers."""

    factor: float
    offset: float
    integer: bool

    @property
    def identity(self) -> bool:
        """Whether values are the numbers themselves."""
        return self.factor == 1 and self.offset == 0


class Message:
    """One message of a database.

    `name`, `frame_id`, `length` (bytes) and, by signal, `units` and `choices` (number to text).
    """

    def __init__(self, described: Described) -> None:
        self.name: str = described.name
        self.frame_id: int = described.frame_id
        self.length: int = described.length
        signals = described.signals
        self.units: Mapping[str, str] = {s.name: s.unit or "" for s in signals}
        self.choices: Mapping[str, Mapping[int, str]] = {
            s.name: {int(k): str(v) for k, v in s.choices.items()} for s in signals if s.choices
        }
        self._fields = tuple(
            Field(_pieces(s), bool(s.is_signed), bool(s.is_float), s.name) for s in signals
        )
        self._scalings = {s.name: _scaling(s) for s in signals}
        self._switches = {
            s.name: (s.multiplexer_signal, tuple(s.multiplexer_ids))
            for s in signals
            if s.multiplexer_ids is not None and s.multiplexer_signal is not None
        }

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of decoded frames: a field for each signal."""
        return np.dtype([(field.name, self._type(field)) for field in self._fields])

    def _type(self, field: Field) -> np.dtype[Any]:
        scaling = self._scalings[field.name]
        if field.name in self._switches or not scaling.integer:
            return field.dtype if self._is_plain(field) else np.dtype(np.float64)
        return field.dtype if scaling.identity else np.dtype(np.int64)

    def _is_plain(self, field: Field) -> bool:
        """Whether a signal's values are the floats in the frame."""
        return (
            field.float and self._scalings[field.name].identity and field.name not in self._switches
        )

    def layout(self, width: int | None = None) -> Group:
        """The layout of the numbers in frames that lie `width` bytes apart (by default, `length`).

        CogenError for a message without signals.
        """
        if not self._fields:
            raise CogenError(f"the message {self.name} has no signals")
        return Group(8 * (self.length if width is None else width), self._fields, shape="record")

    def decode(self, frames: object) -> Array:
        """The signals' values of frames, a structured array.

        `frames` is an array of bytes of shape (count, width), width at least the message's
        length, or a buffer of frames of the message's length.  CogenError for anything else.
        """
        data = self._frames(frames)
        layout = self.layout(data.shape[1])
        result = np.empty(len(data), self.dtype)
        view = readable(data.reshape(-1))
        for first, part, some in parts_of(layout, len(data)):
            self._convert(unpack(view, part, some), result[first : first + some])
        return result

    def _frames(self, frames: object) -> Array:
        if isinstance(frames, np.ndarray) and frames.ndim == 2:
            if frames.dtype != np.uint8 or frames.shape[1] < self.length:
                raise CogenError(
                    f"frames of {self.name} are arrays of uint8 with {self.length} columns or "
                    f"more, not of {frames.dtype} with {frames.shape[1]}"
                )
            return np.ascontiguousarray(frames)
        view = readable(frames)
        if len(view) % self.length:
            raise CogenError(
                f"{len(view)} bytes are no whole frames of {self.name}, which has {self.length}",
                hint="give longer frames as an array of shape (count, width)",
            )
        return np.frombuffer(view, np.uint8).reshape(-1, self.length)

    def _convert(self, numbers: Array, values: Array) -> None:
        """Fill in the values that numbers stand for."""
        for field in self._fields:
            name, scaling = field.name, self._scalings[field.name]
            column, target = numbers[name], values[name]
            if scaling.identity:
                target[...] = column
            else:
                kind = np.int64 if scaling.integer else np.float64
                target[...] = column * kind(scaling.factor) + kind(scaling.offset)
            if name in self._switches:
                target[~self._present(name, numbers)] = np.nan

    def _present(self, name: str, numbers: Array) -> Array:
        """Which frames have a signal."""
        present = np.ones(len(numbers), bool)
        while name in self._switches:
            name, chosen = self._switches[name]
            present &= np.isin(numbers[name], chosen)
        return present

    def encode(self, values: object) -> Array:
        """Frames with these signals, of shape (count, length): the reverse of `decode`.

        `values` is a structured array, or a mapping from signals to arrays (what is missing is
        0).  Numbers are rounded, ties to even; one that does not fit its signal is a CogenError.
        NaN leaves a signal out.  CogenError if signals of one frame overlap.
        """
        columns, count = self._columns(values)
        layout = self.layout()
        numbers: Array = np.zeros(count, layout.dtype)
        absent: list[tuple[str, Array]] = []
        for field in self._fields:
            if field.name not in columns:
                continue
            column = np.asarray(columns[field.name])
            scaling = self._scalings[field.name]
            if field.name in self._switches:
                missing = np.isnan(column.astype(np.float64))
                absent.append((field.name, missing))
                column = np.where(missing, scaling.offset, column)
            numbers[field.name] = self._numbers(column, field, scaling)
        if not self._switches:
            frames: Array = np.zeros((count, self.length), np.uint8)
            pack(numbers, layout, out=frames.reshape(-1))
            return frames
        return self._encode_in_turn(numbers, dict(absent), columns)

    def _columns(self, values: object) -> tuple[Mapping[str, Any], int]:
        if isinstance(values, np.ndarray) and values.dtype.names is not None:
            columns: Mapping[str, Any] = {name: values[name] for name in values.dtype.names}
        elif isinstance(values, Mapping):
            columns = values
        else:
            raise CogenError("the values of signals are a structured array, or arrays by name")
        unknown = [name for name in columns if name not in self.units]
        if unknown:
            raise CogenError(
                f"the message {self.name} has no signal {unknown[0]!r}",
                hint=f"it has {', '.join(self.units)}",
            )
        lengths = {np.shape(column) for column in columns.values()}
        if len(lengths) != 1 or len(next(iter(lengths))) != 1:
            raise CogenError("the values of signals are arrays of one dimension and one length")
        return columns, int(next(iter(lengths))[0])

    def _numbers(self, column: Array, field: Field, scaling: Scaling) -> Array:
        """The numbers that stand for values."""
        if field.float:
            return np.asarray((column - scaling.offset) / scaling.factor).astype(field.dtype)
        if scaling.identity and column.dtype.kind in "iu":
            numbers = column
        else:
            exact = (column.astype(np.float64) - scaling.offset) / scaling.factor
            numbers = np.rint(exact)
        low, high = field.limits
        bad = ~((numbers >= low) & (numbers <= high))
        if bad.any():
            index = int(np.argmax(bad))
            raise CogenError(
                f"the value {column[index]} of {field.name} at index {index} does not fit: "
                f"{self._range(field, scaling)}"
            )
        return numbers.astype(field.dtype)

    def _range(self, field: Field, scaling: Scaling) -> str:
        low, high = (limit * scaling.factor + scaling.offset for limit in field.limits)
        return f"it lies from {min(low, high):g} to {max(low, high):g}"

    def _encode_in_turn(
        self, numbers: Array, absent: Mapping[str, Array], columns: Mapping[str, Any]
    ) -> Array:
        """Signals that share bits, each put into the frames that have it."""
        frames = np.zeros((len(numbers), self.length), np.uint8)
        for field in self._fields:
            rows = self._present(field.name, numbers)
            if field.name in absent:
                rows &= ~absent[field.name]
            if field.name not in columns or not rows.any():
                continue
            one = Group(8 * self.length, (field,), shape="record")
            some = np.empty(int(rows.sum()), one.dtype)
            some[field.name] = numbers[field.name][rows]
            chosen = frames[rows]
            pack(some, one, out=chosen.reshape(-1))
            frames[rows] = chosen
        return frames

    def __repr__(self) -> str:
        return f"<message {self.name} {self.frame_id:#x}: {', '.join(self.units)}>"


class Database:
    """The messages of a DBC file, by name or by identifier: `bus["EngineData"]`, `bus[0x123]`."""

    def __init__(self, messages: list[Message]) -> None:
        self.messages = {message.name: message for message in messages}
        self._by_id = {message.frame_id & ID_MASK: message for message in messages}

    def __getitem__(self, key: str | int) -> Message:
        found = self.messages.get(key) if isinstance(key, str) else self._by_id.get(key & ID_MASK)
        if found is None:
            raise CogenError(
                f"the database has no message {key!r}", hint=f"it has {', '.join(self.messages)}"
            )
        return found

    def decode(self, ids: object, frames: Array) -> dict[str, Rows]:
        """The frames of each message that occurs, by its name.

        `ids` are the frames' identifiers, `frames` their bytes, of shape (count, width).  Frames
        of messages that the database does not have, or that have no signals, are left out.
        """
        identifiers = np.asarray(ids)
        if identifiers.ndim != 1 or identifiers.dtype.kind not in "iu":
            raise CogenError("the identifiers of frames are an array of integers")
        if not isinstance(frames, np.ndarray) or frames.shape[:1] != identifiers.shape:
            raise CogenError(f"{len(identifiers)} identifiers need an array of as many frames")
        identifiers = identifiers & ID_MASK
        found: dict[str, Rows] = {}
        for identifier in np.unique(identifiers):
            message = self._by_id.get(int(identifier))
            if message is None or not message.units:
                continue
            rows = np.flatnonzero(identifiers == identifier)
            chosen = frames if len(rows) == len(frames) else frames[rows]
            found[message.name] = Rows(rows, message.decode(chosen))
        return found

    def __repr__(self) -> str:
        return f"<database of {', '.join(self.messages)}>"


def dbc(path: str | Path) -> Database:
    """The messages that a DBC file describes.

    CogenError if it cannot be read or is no DBC file, or the package cantools is not there.
    """
    try:
        from cantools import database
        from cantools.database.errors import Error
    except ImportError:
        raise CogenError(
            "reading a DBC file needs the package cantools",
            hint="install the extra: pip install 'cogen-specializer[can]'",
        ) from None
    source = read_source(Path(path))
    try:
        loaded = database.load_string(source.text, "dbc")
    except Error as error:
        raise CogenError(f"{source.name} is no DBC file: {error}") from None
    assert isinstance(loaded, database.can.Database)
    return Database([Message(message) for message in loaded.messages])


def _pieces(signal: DescribedSignal) -> tuple[tuple[int, int], ...]:
    """The pieces of a signal in little-endian bit order, the one with the high bits first.

    A big-endian signal begins at its high bit and goes down a byte, then to the next one's high
    bit.
    """
    if signal.byte_order == "little_endian":
        return ((signal.start, signal.length),)
    pieces = []
    byte, bit = divmod(signal.start, 8)
    left = signal.length
    while left:
        size = min(left, bit + 1)
        pieces.append((8 * byte + bit + 1 - size, size))
        left -= size
        byte, bit = byte + 1, 7
    return tuple(pieces)


def _scaling(signal: DescribedSignal) -> Scaling:
    integer = not signal.is_float and all(
        type(number) is int for number in (signal.scale, signal.offset)
    )
    return Scaling(signal.scale, signal.offset, integer)
