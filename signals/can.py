"""CAN frames: the signals of a database, decoded and encoded for whole arrays of frames.

    bus = signals.dbc("car.dbc")
    engine = bus["EngineData"]
    values = engine.decode(frames)         # frames: uint8, shape (count, 8), or a buffer of them
    values["Speed"]                        # physical values, one a frame
    engine.decode(frames, choices=True)    # names instead of numbers that have one
    decoded = bus.decode(ids, frames)      # of many messages: by name, which rows and their values
    tables = bus.columns(signals.read_can_log("drive.blf"))     # columns, with times

Databases come from files (`signals.canfiles`), frames from logs (`signals.canlog`).  Each message
becomes a record layout (`signals.Group`) whose kernel is specialized C.  What types values have is
said in `signals.cansignals`.  A signal that a frame does not have is NaN there, and float64:
multiplexed ones always, others where some frame ends before them.

Standard and extended identifiers are different, also where the numbers are equal.  Bit 31 of an
identifier says that it is extended (`EXTENDED`, as in DBC files and in SocketCAN); what needs
more than 11 bits is extended as well.  Messages of J1939 are found by their parameter group.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Number
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from cogen.boundary import public_methods
from cogen.buffers import refuse_masked
from cogen.expected import flag, instance, integer
from cogen.lang.errors import CogenError
from cogen.lang.warning import CogenWarning
from cogen.programarguments import meant, near_names
from cogen.signals.buffers import Array, readable
from cogen.signals.canids import (
    EXTENDED,
    LENGTHS,
    NO_DATA,
    STANDARD_BITS,
    key_of,
    keys_of,
    pgns_of,
)
from cogen.signals.canlog import PLAIN, CanLog
from cogen.signals.cansignals import SHAPES, Signal, as_column, overlapping
from cogen.signals.cantransport import j1939_transport
from cogen.signals.columnar import Columns
from cogen.signals.layout import Group
from cogen.signals.packing import pack, parts_of
from cogen.signals.unpacking import unpack


class CanWarning(CogenWarning):
    """Something in a database or a log that is taken in part only, or can be meant in several
    ways."""


class FrameRows(NamedTuple):
    """Frames of one message among others: their indices, and their values."""

    rows: Array
    values: Array


@public_methods
class Message:
    """One message of a database.

    `name`, `frame_id`, `extended` (whether its identifier is), `length` (bytes), `j1939` (whether
    frames are found by their parameter group) and, by signal, `units` and `choices` (number to
    name); `signals` says all of them.
    """

    def __init__(
        self,
        name: str,
        frame_id: int,
        extended: bool,
        length: int,
        signals: list[Signal],
        j1939: bool = False,
    ) -> None:
        self.j1939 = j1939
        self.name, self.frame_id, self.extended, self.length = name, frame_id, extended, length
        self.units: Mapping[str, str] = {s.name: s.unit for s in signals}
        self.choices: Mapping[str, Mapping[int, str]] = {
            s.name: s.choices for s in signals if s.choices
        }
        self.signals = tuple(signals)
        self._signals = {signal.name: signal for signal in signals}
        self._shares_bits = bool(overlapping(signals))
        self._multiplexed = any(signal.switch for signal in signals)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of decoded frames: a field for each signal."""
        return np.dtype([(name, self._type(s)) for name, s in self._signals.items()])

    def _type(self, signal: Signal) -> np.dtype[Any]:
        return signal.dtype if signal.switch is None else np.dtype(np.float64)

    def layout(self, width: int | None = None) -> Group:
        """The layout of the numbers in frames that lie `width` bytes apart (by default, `length`).

        `signals.unpack(frames, message.layout())` gives the numbers themselves.  CogenError for a
        message without signals.
        """
        if not self._signals:
            raise CogenError(f"the message {self.name} has no signals")
        if width is not None:
            width = integer(width, "the width of a frame", self.length)
        fields = tuple(signal.field for signal in self._signals.values())
        return Group(8 * (self.length if width is None else width), fields, shape="record")

    def decode(self, frames: object, choices: bool = False, lengths: object = None) -> Array:
        """The signals' values of frames, a structured array.

        `frames` is an array of bytes of shape (count, width), width at least the message's
        length, a buffer of frames of the message's length, or a list of frames of any length, each
        `bytes`.  With `choices`, the columns of
        signals with names hold objects: the name where the number has one, else the value.
        `lengths`: how many bytes each frame has; a signal that a frame ends before is NaN there,
        and its column float64.  CogenError for anything else.
        """
        choices = flag(choices, "choices")
        self.layout()
        if lengths is None and _is_frames(frames):
            frames, lengths = side_by_side(frames)
        data, ends = self._with_lengths(frames, lengths)
        layout = self.layout(data.shape[1])
        named = self.choices if choices else {}
        cut = self._cut(ends)
        types = {s: np.dtype(np.float64) if s in cut else self.dtype[s] for s in self._signals}
        kinds = [(s, object if s in named else types[s]) for s in self._signals]
        result: Array = np.empty(len(data), kinds)
        view = readable(data.reshape(-1))
        for first, part, some in parts_of(layout, len(data)):
            numbers = unpack(view, part, some)
            for name, signal in self._signals.items():
                column = signal.values(numbers[name], types[name])
                if name in named:
                    column = signal.named(numbers[name], column)
                if signal.switch is not None or name in cut:
                    some_ends = None if ends is None else ends[first : first + some]
                    column[~self._present(signal, numbers, some_ends)] = np.nan
                result[name][first : first + some] = column
        return result

    def _with_lengths(self, frames: object, lengths: object) -> tuple[Array, Array | None]:
        """The frames, as long as the message or longer, and where each ends; None if all are
        long enough."""
        if lengths is None:
            return self._frames(frames), None
        ends = np.asarray(lengths)
        plain = isinstance(frames, np.ndarray) and frames.ndim == 2
        if not plain or ends.shape != frames.shape[:1] or ends.dtype.kind not in "iu":  # type: ignore[attr-defined]  # it is an array
            raise CogenError("lengths are integers, one for each frame of an array of frames")
        data = np.asarray(frames)
        if len(ends) and not 0 <= int(ends.min()) <= int(ends.max()) <= data.shape[1]:
            raise CogenError(f"lengths of frames lie from 0 to their width, {data.shape[1]}")
        if data.shape[1] < self.length:
            data = np.pad(data, ((0, 0), (0, self.length - data.shape[1])))
        short = bool(len(ends)) and int(ends.min()) < self.length
        return self._frames(data), ends if short else None

    def _cut(self, ends: Array | None) -> set[str]:
        """The signals before which some frame ends."""
        if ends is None:
            return set()
        return {name for name, s in self._signals.items() if s.end_byte > int(ends.min())}

    def _frames(self, frames: object) -> Array:
        if isinstance(frames, np.ndarray) and frames.ndim == 2:
            refuse_masked(frames, "the frames")
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

    def _present(self, signal: Signal, numbers: Array, ends: Array | None = None) -> Array:
        """Which frames have a signal; `ends`: how many bytes they have, if that matters."""
        present = np.ones(len(numbers), bool)
        while True:
            if ends is not None:
                present &= signal.end_byte <= ends
            if signal.switch is None:
                return present
            name, chosen = signal.switch
            present &= np.isin(numbers[name], chosen)
            signal = self._signals[name]

    def encode(self, values: object) -> Array:
        """Frames with these signals, of shape (count, length): the reverse of `decode`.

        `values` is a structured array, or a mapping from signals to arrays, or to numbers and
        names, which all frames have (what is missing is 0).  Names stand for their numbers; values
        for the nearest number, ties to even; one that
        does not fit its signal is a CogenError.  NaN leaves a multiplexed signal out.  Signals
        that overlap must agree in the bits that they share, else CogenError.
        """
        columns = self._columns(values)
        layout = self.layout()
        numbers: Array = np.zeros(len(next(iter(columns.values()))), layout.dtype)
        there: dict[str, Array] = {}
        for name, column in columns.items():
            numbers[name], missing = self._signals[name].numbers(column)
            there[name] = ~missing
        if self._multiplexed or self._shares_bits:
            return self._encode_in_turn(numbers, there)
        frames: Array = np.zeros((len(numbers), self.length), np.uint8)
        pack(numbers, layout, out=frames.reshape(-1))
        return frames

    def _columns(self, values: object) -> Mapping[str, Array]:
        refuse_masked(values, "the values of signals")
        if isinstance(values, np.ndarray) and values.dtype.names is not None:
            given: Mapping[Any, Any] = {name: values[name] for name in values.dtype.names}
        elif isinstance(values, Mapping):
            given = values
        else:
            raise CogenError("the values of signals are a structured array, or arrays by name")
        unknown = [name for name in given if name not in self._signals]
        if unknown:
            raise CogenError(
                f"the message {self.name} has no signal {unknown[0]!r}",
                hint=f"it has {', '.join(self.units)}",
            )
        single = {name for name, one in given.items() if isinstance(one, str | Number)}
        columns = {
            name: as_column([column] if name in single else column, name)
            for name, column in given.items()
        }
        lengths = {len(column) for name, column in columns.items() if name not in single}
        if len(lengths) > 1 or not columns:
            raise CogenError(SHAPES)
        count = lengths.pop() if lengths else 1
        return {
            name: np.repeat(column, count) if name in single else column
            for name, column in columns.items()
        }

    def _encode_in_turn(self, numbers: Array, there: Mapping[str, Array]) -> Array:
        """Signals that share bits, each put into the frames that have it."""
        frames = np.zeros((len(numbers), self.length), np.uint8)
        stored: dict[str, Array] = {}
        for name in there:
            signal = self._signals[name]
            rows = stored[name] = there[name] & self._present(signal, numbers)
            one = Group(8 * self.length, (signal.field,), shape="record")
            some = np.empty(int(rows.sum()), one.dtype)
            some[name] = numbers[name][rows]
            chosen = frames[rows]
            pack(some, one, out=chosen.reshape(-1))
            frames[rows] = chosen
        if self._shares_bits:
            self._check_agreement(frames, numbers, stored)
        return frames

    def _check_agreement(self, frames: Array, numbers: Array, stored: Mapping[str, Array]) -> None:
        """CogenError if a signal was overwritten by another with other bits."""
        found = unpack(frames.reshape(-1), self.layout())
        for name, rows in stored.items():
            lost = rows & (found[name] != numbers[name]) & (numbers[name] == numbers[name])
            if lost.any():
                raise CogenError(
                    f"the signal {name} of {self.name} and one that overlaps it want different "
                    f"bits at index {int(np.argmax(lost))}",
                    hint="give one of them only",
                )

    def __repr__(self) -> str:
        return f"<message {self.name} {self.frame_id:#x}: {', '.join(self.units)}>"


@public_methods
class Database:
    """The messages of a database, by name or by identifier: `bus["EngineData"]`, `bus[0x123]`.

    Of messages with one name, or one identifier, the first is found so; `bus.all` has all.  An
    identifier that no message has may be of a parameter group that one of J1939 has.
    """

    def __init__(self, messages: list[Message]) -> None:
        self.all = tuple(messages)
        self.messages: dict[str, Message] = {}
        self._by_id: dict[int, Message] = {}
        self._by_pgn: dict[int, Message] = {}
        for message in messages:
            key = key_of(message.frame_id, message.extended)
            self.messages.setdefault(message.name, message)
            self._by_id.setdefault(key, message)
            if message.j1939:
                self._by_pgn.setdefault(int(pgns_of(np.array([key]))[0]), message)

    def _message(self, key: int) -> Message | None:
        """The message of a key."""
        found = self._by_id.get(key)
        if found is None and self._by_pgn and not key & NO_DATA:
            found = self._by_pgn.get(int(pgns_of(np.array([key]))[0]))
        return found

    def __getitem__(self, key: str | int) -> Message:
        found = None
        if isinstance(key, str):
            found = self.messages.get(key)
        elif isinstance(key, int | np.integer):
            found = self._message(int(key) | (EXTENDED if key > STANDARD_BITS else 0))
        if found is None:
            shown = hex(key) if isinstance(key, int) else repr(key)
            raise CogenError(f"the database has no message {shown}", hint=self._instead(key))
        return found

    def __contains__(self, key: object) -> bool:
        """Whether there is such a message."""
        if isinstance(key, int | np.integer):
            return self._message(int(key) | (EXTENDED if key > STANDARD_BITS else 0)) is not None
        return key in self.messages

    def __iter__(self) -> Iterator[str]:
        """The names of the messages."""
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def _instead(self, key: object) -> str:
        if isinstance(key, int) and key | EXTENDED in self._by_id:
            other = self._by_id[key | EXTENDED]
            return f"the extended identifier of {other.name} is {key | EXTENDED:#x}"
        near = near_names(key, self.messages) if isinstance(key, str) else []
        return meant(near) if near else f"it has {', '.join(self.messages)}"

    def decode(
        self,
        ids: object,
        frames: Array | None = None,
        extended: object = None,
        choices: bool = False,
        lengths: object = None,
    ) -> dict[str, FrameRows]:
        """The frames of each message that occurs, by its name.

        `ids` are the frames' identifiers, `frames` their bytes, of shape (count, width); a log has
        both, and its lengths.
        `extended`: which of them are extended, a bool or an array of them; by default those with
        the flag `EXTENDED` and those of more than 11 bits.  Frames of messages that the database
        does not have, or that have no signals, remote frames and error frames are left out.
        `choices` and `lengths` are those of `Message.decode`.
        """
        if isinstance(ids, CanLog) and frames is None:
            log, ids = ids, ids.ids
            frames, lengths = log.frames, log.lengths if lengths is None else lengths
        keys = keys_of(ids, extended)
        if not isinstance(frames, np.ndarray) or frames.shape[:1] != keys.shape:
            raise CogenError(f"{len(keys)} identifiers need an array of as many frames")
        ends = None if lengths is None else np.asarray(lengths)
        if ends is not None and ends.shape != keys.shape:
            raise CogenError("lengths are integers, one for each frame of an array of frames")
        found: dict[str, FrameRows] = {}
        for message, own in self._occurring(keys):
            rows = np.flatnonzero(np.isin(keys, own))
            part, some = frames, ends
            width = max(message.length, int(LENGTHS[-1]))
            if frames.ndim == 2 and frames.shape[1] > width:  # nothing reads what is behind
                part = frames[:, :width]
                some = None if ends is None else np.minimum(ends, width)
            chosen = part if len(rows) == len(frames) else part[rows]
            some = None if some is None else some[rows]
            found[message.name] = FrameRows(rows, message.decode(chosen, choices, some))
        return found

    def _occurring(self, keys: Array) -> list[tuple[Message, list[int]]]:
        """The messages that some keys are of, and those keys."""
        found: dict[str, tuple[Message, list[int]]] = {}
        for key in np.unique(keys).tolist():
            message = self._message(key)
            if message is not None and message.units:
                found.setdefault(message.name, (message, []))[1].append(key)
        return list(found.values())

    def columns(
        self, log: CanLog, choices: bool = False, channel: object = None
    ) -> dict[str, Columns]:
        """The messages that occur in a log, by name: columns of times and signals.

        The first column is `time` (`frame_time`, if a signal is called so); those of J1939 have the
        `source`, too.  Frames may have any lengths; messages of J1939 that were sent in several
        frames are put together (`j1939_transport`) if the database has any of more than 8 bytes.
        With `channel`, those of one only.  CanWarning if no frame is of the database.
        """
        chosen = instance(
            log, CanLog, "the log", "a signals.CanLog", "signals.read_can_log gives one"
        )
        if channel is not None:
            chosen = chosen[chosen.channels == channel]
        parts = [chosen]
        if any(message.length > PLAIN for message in self._by_pgn.values()):
            parts.append(j1939_transport(chosen))
        tables: dict[str, list[Columns]] = {}
        for part in parts:
            found = self.decode(part.ids, part.frames, None, choices, part.lengths)
            for name, rows in found.items():
                tables.setdefault(name, []).append(self._table(name, part, *rows))
        if len(chosen) and not tables:
            warnings.warn(
                f"none of {len(chosen)} frames is of a message of the database", CanWarning, 3
            )
        return {name: _in_time(some) for name, some in tables.items()}

    def _table(self, name: str, log: CanLog, rows: Array, values: Array) -> Columns:
        table: dict[str, Array] = {}
        table["frame_time" if "time" in self[name].units else "time"] = log.times[rows]
        if self[name].j1939 and "source" not in self[name].units:
            table["source"] = (log.ids[rows] & 255).astype(np.uint8)
        return Columns(table | {signal: values[signal] for signal in values.dtype.names or ()})

    def __repr__(self) -> str:
        return f"<database of {', '.join(self.messages)}>"


def _is_frames(frames: object) -> TypeGuard[Sequence[bytes]]:
    """Whether these are frames one by one."""
    return isinstance(frames, list | tuple) and all(
        isinstance(one, bytes | bytearray | memoryview) for one in frames
    )


def side_by_side(frames: Sequence[bytes]) -> tuple[Array, Array]:
    """Frames as rows, filled up with zeros, and how many bytes each has."""
    lengths = np.array([len(one) for one in frames], np.int64)
    width = int(lengths.max(initial=0))
    whole = b"".join(bytes(one).ljust(width, b"\0") for one in frames)
    return np.frombuffer(whole, np.uint8).reshape(len(frames), width), lengths


def _in_time(tables: list[Columns]) -> Columns:
    """Tables of one message as one, in the order of their first column."""
    if len(tables) == 1:
        return tables[0]
    joined = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    order = np.argsort(next(iter(joined.values())), kind="stable")
    return Columns({name: column[order] for name, column in joined.items()})
