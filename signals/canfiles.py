"""Files that describe CAN messages -> databases: DBC, and ARXML, KCD and SYM.

The package cantools reads them (extra `can`).  A file with mistakes is taken as far as it goes.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cogen import expected
from cogen.boundary import public
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.files import read_bytes
from cogen.signals.can import CanWarning, Database, Message
from cogen.signals.canids import key_of
from cogen.signals.cansignals import Signal, described_signal, overlapping

if TYPE_CHECKING:
    from cantools.database.can.message import Message as Described

KINDS: Final = ("dbc", "arxml", "kcd", "sym")
"""The kinds of files, by their suffixes."""


@public
def dbc(path: str | Path, j1939: bool | None = None) -> Database:
    """The messages that a DBC file describes; UTF-8, or else Windows' code page 1252.

    See `can_database`, which reads files of other kinds, too.
    """
    return _loaded(expected.path(path), "dbc", j1939)


@public
def can_database(path: str | Path, j1939: bool | None = None) -> Database:
    """The messages that a file describes: DBC, ARXML (AUTOSAR), KCD or SYM, as its suffix says.

    `j1939`: whether extended identifiers are those of J1939, of which frames are found by their
    parameter group, whoever sends them; by default, those of which the file says so.

    What can be taken in part only (signals that overlap, or do not fit their message or our
    fields, names or identifiers that occur twice) is, with a `CanWarning`.  CogenError if the file
    cannot be read or is no DBC file, or the package cantools is not there.
    """
    found = expected.path(path)
    kind = found.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise CogenError(
            f"{path} is no database of messages by its name",
            hint="the suffix is one of ." + ", .".join(KINDS),
        )
    return _loaded(found, kind, j1939)


def _loaded(path: Path, kind: str, j1939: bool | None) -> Database:
    try:
        from cantools import database
    except ImportError:
        raise CogenError(
            f"reading a {kind.upper()} file needs the package cantools",
            hint="install the extra: pip install 'cogen-specializer[can]'",
        ) from None
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    if kind == "dbc":
        _check_sizes(Source(str(path), text))
    try:
        loaded = database.load_string(text, kind, strict=False)
    except Exception as error:  # cantools lets through what its parts raise
        raise CogenError(f"{path} is no {kind.upper()} file: {_reason(error)}") from None
    if not isinstance(loaded, database.can.Database):
        raise CogenError(f"{path} describes no CAN messages")
    messages, doubts = [], list[str]()
    for described in loaded.messages:
        if described.is_container:
            doubts.append(f"the message {described.name} is left out: it is a container of others")
            continue
        messages.append(_message(described, doubts, j1939))
    doubts += _twice(messages)
    for doubt in doubts:
        warnings.warn(f"{path}: {doubt}", CanWarning, stacklevel=3)
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


def _message(described: Described, doubts: list[str], j1939: bool | None) -> Message:
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
        described.is_extended_frame and (described.protocol == "j1939" if j1939 is None else j1939),
    )


def _twice(messages: list[Message]) -> Iterator[str]:
    """What is said of messages that cannot all be found."""
    for what, keys in (
        ("name", [message.name for message in messages]),
        ("identifier", [hex(key_of(message.frame_id, message.extended)) for message in messages]),
    ):
        for key in dict.fromkeys(keys):
            if keys.count(key) > 1:
                names = [m.name for m, own in zip(messages, keys, strict=True) if own == key]
                yield f"several messages have the {what} {key}: {', '.join(names)}"
