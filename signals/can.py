"""CAN frames: the signals of a DBC file, decoded and encoded for whole arrays of frames.

    bus = signals.dbc("car.dbc")
    engine = bus["EngineData"]
    values = engine.decode(frames)         # frames: uint8, shape (count, 8), or a buffer of them
    values["Speed"]                        # physical values, one a frame
    engine.decode(frames, choices=True)    # names instead of numbers that have one
    decoded = bus.decode(ids, frames)      # of many messages: by name, which rows and their values

The package cantools reads the file (extra `can`); each message becomes a record layout
(`signals.Group`) whose kernel is specialized C.  What types values have is said in
`signals.cansignals`.  A signal that a frame does not have (multiplexed away) is NaN there, and
always float64.

Standard and extended identifiers are different, also where the numbers are equal.  Bit 31 of an
identifier says that it is extended (`EXTENDED`, as in DBC files and in SocketCAN); what needs
more than 11 bits is extended as well.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cogen import expected
from cogen.boundary import public, public_methods
from cogen.buffers import refuse_masked
from cogen.expected import flag, integer
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.files import read_bytes
from cogen.lang.warning import CogenWarning
from cogen.signals.buffers import Array, readable
from cogen.signals.cansignals import SHAPES, Signal, as_column, described_signal, overlapping
from cogen.signals.layout import Group
from cogen.signals.packing import pack, parts_of
from cogen.signals.unpacking import unpack

if TYPE_CHECKING:
    from cantools.database.can.message import Message as Described

ID_BITS: Final = (1 << 29) - 1
"""The bits of an identifier; flags stand above them."""

STANDARD_BITS: Final = (1 << 11) - 1
"""The bits of a standard identifier."""

EXTENDED: Final = 1 << 31
"""The flag of extended identifiers."""

NO_DATA: Final = 3 << 29
"""The flags of remote frames and of error frames, which hold no signals."""


class CanWarning(CogenWarning):
    """Something in a database that is taken in part only, or can be meant in several ways."""


class Rows(NamedTuple):
    """Frames of one message among others: their indices, and their values."""

    rows: Array
    values: Array


@public_methods
class Message:
    """One message of a database.

    `name`, `frame_id`, `extended` (whether its identifier is), `length` (bytes) and, by signal,
    `units` and `choices` (number to name); `signals` says all of them.
    """

    def __init__(
        self, name: str, frame_id: int, extended: bool, length: int, signals: list[Signal]
    ) -> None:
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

    def decode(self, frames: object, choices: bool = False) -> Array:
        """The signals' values of frames, a structured array.

        `frames` is an array of bytes of shape (count, width), width at least the message's
        length, or a buffer of frames of the message's length.  With `choices`, the columns of
        signals with names hold objects: the name where the number has one, else the value.
        CogenError for anything else.
        """
        choices = flag(choices, "choices")
        layout = self.layout()
        data = self._frames(frames)
        layout = self.layout(data.shape[1])
        named = self.choices if choices else {}
        kinds = [(s, object if s in named else self.dtype[s]) for s in self._signals]
        result: Array = np.empty(len(data), kinds)
        view = readable(data.reshape(-1))
        for first, part, some in parts_of(layout, len(data)):
            numbers = unpack(view, part, some)
            for name, signal in self._signals.items():
                column = signal.values(numbers[name], self.dtype[name])
                if name in named:
                    column = signal.named(numbers[name], column)
                if signal.switch is not None:
                    column[~self._present(signal, numbers)] = np.nan
                result[name][first : first + some] = column
        return result

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

    def _present(self, signal: Signal, numbers: Array) -> Array:
        """Which frames have a signal."""
        present = np.ones(len(numbers), bool)
        while signal.switch is not None:
            name, chosen = signal.switch
            present &= np.isin(numbers[name], chosen)
            signal = self._signals[name]
        return present

    def encode(self, values: object) -> Array:
        """Frames with these signals, of shape (count, length): the reverse of `decode`.

        `values` is a structured array, or a mapping from signals to arrays (what is missing is
        0).  Names stand for their numbers; values for the nearest number, ties to even; one that
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
        columns = {name: as_column(column, name) for name, column in given.items()}
        if len({len(column) for column in columns.values()}) != 1:
            raise CogenError(SHAPES)
        return columns

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
    """The messages of a DBC file, by name or by identifier: `bus["EngineData"]`, `bus[0x123]`.

    Of messages with one name, or one identifier, the first is found so; `bus.all` has all.
    """

    def __init__(self, messages: list[Message]) -> None:
        self.all = tuple(messages)
        self.messages: dict[str, Message] = {}
        self._by_id: dict[int, Message] = {}
        for message in messages:
            self.messages.setdefault(message.name, message)
            self._by_id.setdefault(_key(message), message)

    def __getitem__(self, key: str | int) -> Message:
        found = None
        if isinstance(key, str):
            found = self.messages.get(key)
        elif isinstance(key, int | np.integer):
            found = self._by_id.get(int(key) | (EXTENDED if key > STANDARD_BITS else 0))
        if found is None:
            shown = hex(key) if isinstance(key, int) else repr(key)
            raise CogenError(f"the database has no message {shown}", hint=self._instead(key))
        return found

    def _instead(self, key: object) -> str:
        if isinstance(key, int) and key | EXTENDED in self._by_id:
            other = self._by_id[key | EXTENDED]
            return f"the extended identifier of {other.name} is {key | EXTENDED:#x}"
        return f"it has {', '.join(self.messages)}"

    def decode(
        self, ids: object, frames: Array, extended: object = None, choices: bool = False
    ) -> dict[str, Rows]:
        """The frames of each message that occurs, by its name.

        `ids` are the frames' identifiers, `frames` their bytes, of shape (count, width).
        `extended`: which of them are extended, a bool or an array of them; by default those with
        the flag `EXTENDED` and those of more than 11 bits.  Frames of messages that the database
        does not have, or that have no signals, remote frames and error frames are left out.
        `choices` is that of `Message.decode`.
        """
        keys = _keys(ids, extended)
        if not isinstance(frames, np.ndarray) or frames.shape[:1] != keys.shape:
            raise CogenError(f"{len(keys)} identifiers need an array of as many frames")
        found: dict[str, Rows] = {}
        for key in np.unique(keys):
            message = self._by_id.get(int(key))
            if message is None or not message.units:
                continue
            rows = np.flatnonzero(keys == key)
            chosen = frames if len(rows) == len(frames) else frames[rows]
            found[message.name] = Rows(rows, message.decode(chosen, choices))
        return found

    def __repr__(self) -> str:
        return f"<database of {', '.join(self.messages)}>"


def _key(message: Message) -> int:
    """The number by which a database finds a message: its identifier and the flag."""
    return message.frame_id | (EXTENDED if message.extended else 0)


def _keys(ids: object, extended: object) -> Array:
    """Identifiers of frames in the form of `_key`; those without data keep the flags for that."""
    refuse_masked(ids, "the identifiers of frames")
    try:
        identifiers = np.asarray(ids)
    except (ValueError, TypeError, OverflowError):
        identifiers = np.empty((), object)
    if identifiers.ndim == 1 and not identifiers.size:
        identifiers = identifiers.astype(np.int64)
    if identifiers.ndim != 1 or identifiers.dtype.kind not in "iu":
        raise CogenError("the identifiers of frames are an array of integers")
    if ((identifiers < 0) | (identifiers >= 1 << 32)).any():
        raise CogenError("the identifiers of frames have 32 bits, with their flags")
    keys = identifiers.astype(np.int64)
    numbers = keys & ID_BITS
    flags = (keys & EXTENDED != 0) | (numbers > STANDARD_BITS)
    if extended is not None:
        flags = np.asarray(extended)
        if flags.dtype.kind != "b" or flags.shape not in ((), keys.shape):
            raise CogenError("`extended` is a bool, or an array of bools, one for each identifier")
    return numbers | np.where(flags, EXTENDED, 0) | (keys & NO_DATA)


@public
def dbc(path: str | Path) -> Database:
    """The messages that a DBC file describes; UTF-8, or else Windows' code page 1252.

    What can be taken in part only (signals that overlap, or do not fit their message or our
    fields, names or identifiers that occur twice) is, with a `CanWarning`.  CogenError if the file
    cannot be read or is no DBC file, or the package cantools is not there.
    """
    try:
        from cantools import database
    except ImportError:
        raise CogenError(
            "reading a DBC file needs the package cantools",
            hint="install the extra: pip install 'cogen-specializer[can]'",
        ) from None
    data = read_bytes(expected.path(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    _check_sizes(Source(str(path), text))
    try:
        loaded = database.load_string(text, "dbc", strict=False)
    except Exception as error:  # cantools lets through what its parts raise
        raise CogenError(f"{path} is no DBC file: {_reason(error)}") from None
    assert isinstance(loaded, database.can.Database)
    messages, doubts = [], list[str]()
    for described in loaded.messages:
        messages.append(_message(described, doubts))
    doubts += _twice(messages)
    for doubt in doubts:
        warnings.warn(f"{path}: {doubt}", CanWarning, stacklevel=2)
    return Database(messages)


MOST: Final = 1 << 16
"""Bits and bytes of frames, and numbers of a multiplexer, that a file may speak of."""

_SIZE: Final = re.compile(
    r"\bSG_\s[^:;]*:\s*(-?\d+)\s*\|\s*(-?\d+)\s*@|\bBO_\s+\d+\s+\w+\s*:\s*(-?\d+)"
)
_MULTIPLEXED: Final = re.compile(r"\bSG_MUL_VAL_\s[^;]*")
_RANGE: Final = re.compile(r"(\d+)\s*-\s*(\d+)")


def _check_sizes(source: Source) -> None:
    """CogenError for sizes of which cantools would make lists that take all memory."""
    for found in _SIZE.finditer(source.text):
        for group, digits in enumerate(found.groups(), 1):
            if digits is not None and (len(digits) > 9 or abs(int(digits)) > MOST):
                raise _too_large(source, found.span(group))
    for part in _MULTIPLEXED.finditer(source.text):
        for found in _RANGE.finditer(source.text, *part.span()):
            first, last = found.groups()
            if len(last) > 19 or int(last) - int(first[:20]) > MOST:
                raise _too_large(source, found.span())


def _too_large(source: Source, place: tuple[int, int]) -> CogenError:
    return CogenError("this is too large for CAN frames", Span(source, *place))


def _reason(error: Exception) -> str:
    """What an error of cantools says; of others, which are accidents, the kind too."""
    known = type(error).__module__.startswith("cantools")
    return str(error) if known else f"{type(error).__name__}: {error}"


def _message(described: Described, doubts: list[str]) -> Message:
    """A message with those of its signals that we can have; why not others goes to `doubts`."""
    signals: dict[str, Signal] = {}
    for one in described.signals:
        left_out = f"the signal {one.name} of {described.name} is left out: "
        try:
            signal = described_signal(one)
        except CogenError as error:
            doubts.append(left_out + error.message)
            continue
        if signal.field.end > 8 * described.length:
            doubts.append(left_out + f"it ends after the message's {described.length} bytes")
        elif one.name in signals:
            doubts.append(left_out + "there is another of that name")
        else:
            signals[one.name] = signal
    while lost := [s for s in signals.values() if s.switch and s.switch[0] not in signals]:
        for signal in lost:
            assert signal.switch is not None
            doubts.append(
                f"the signal {signal.name} of {described.name} is left out with "
                f"{signal.switch[0]}, which decides about it"
            )
            del signals[signal.name]
    for a, b in overlapping(list(signals.values())):
        doubts.append(f"the signals {a} and {b} of {described.name} overlap")
    return Message(
        described.name,
        described.frame_id,
        described.is_extended_frame,
        described.length,
        list(signals.values()),
    )


def _twice(messages: list[Message]) -> Iterator[str]:
    """What is said of messages that cannot all be found."""
    for what, keys in (
        ("name", [message.name for message in messages]),
        ("identifier", [hex(_key(message)) for message in messages]),
    ):
        for key in dict.fromkeys(keys):
            if keys.count(key) > 1:
                names = [m.name for m, own in zip(messages, keys, strict=True) if own == key]
                yield f"several messages have the {what} {key}: {', '.join(names)}"
