"""Messages of J1939 that were sent in several frames -> messages, as a log of their own.

The transport protocol sends up to 1785 bytes in frames of 7 (TP.DT), each with its number, after
one that says how many there are and of which parameter group (TP.CM): to all (BAM), or to one who
asks for them some at a time, and perhaps again (RTS, CTS).  The extended one (ETP) sends up to 117
megabytes, to one only; before some frames another (DPO) says what to add to their numbers.
Sources: SAE J1939-21, section 5.10; ISO 11783-3, section 5.11; both as in the Linux kernel's
net/can/j1939/transport.c.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from cogen.boundary import public
from cogen.expected import flag, instance
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.canids import EVERYBODY, EXTENDED, keys_of, pgns_of
from cogen.signals.canlog import CanLog

EACH: Final = 7
"""Bytes of the message in a frame."""

BAM: Final = 32
"""What a frame says first that begins a message to all."""

ABORT: Final = 255
"""What one says first that gives a message up."""

PAUSE: Final = 1.25
"""Seconds without a frame after which a message is given up (T2 and T3)."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """One way to send a message in several frames.

    `connection` and `packets` are the parameter groups of frames that say what is sent, and of
    those with its bytes.  The former begin with `request` (a message to one begins), `more` (some
    frames are asked for; none: wait) or `offset` (what is added to numbers of frames), or with what
    begins and ends nothing.  The size of a message stands in `size_bytes`.
    """

    connection: int
    packets: int
    request: int
    more: int
    offset: int | None
    size_bytes: int
    longest: int


PLAIN: Final = Protocol(0xEC00, 0xEB00, 16, 17, None, 2, 255 * EACH)
LARGE: Final = Protocol(0xC800, 0xC700, 20, 21, 22, 4, ((1 << 24) - 1) * EACH)
PROTOCOLS: Final = (PLAIN, LARGE)


class TransferPlace(NamedTuple):
    """Between whom a message is sent; one at a time."""

    protocol: Protocol
    channel: Any
    sender: int
    addressee: int

    @property
    def answering(self) -> TransferPlace:
        """Where the addressee's messages to the sender are."""
        return self._replace(sender=self.addressee, addressee=self.sender)


class _Session:
    """A message that is being sent: `size` bytes, `packets` frames, those in `offset` +
    1 to `offset` + `last` next."""

    def __init__(self, key: int, size: int, time: float) -> None:
        self.key, self.size, self.time = key, size, time
        self.packets = self.missing = -(-size // EACH)
        self.offset, self.last = 0, self.packets
        self.content = bytearray(EACH * self.packets)
        self.there = bytearray(self.packets)

    def put(self, number: int, part: bytes) -> None:
        """A frame's bytes; those that come again replace the earlier ones."""
        self.missing -= not self.there[number - 1]
        self.there[number - 1] = 1
        self.content[EACH * (number - 1) : EACH * number] = part

    @property
    def next(self) -> int:
        """The number of the frame after as many as there are."""
        return self.packets - self.missing + 1


@public
def j1939_transport(log: CanLog, strict: bool = False) -> CanLog:
    """The messages of a log that were sent in several frames, in the order in which they were
    whole: times are those of their last frames, identifiers as if each was one frame.

    Both protocols are known, that for up to 1785 bytes and the extended one for up to 117,440,505.
    Messages of which frames are missing, which were given up, or that the log ends before, are left
    out, with a warning; `strict`, that is a CogenError.  What begins before the log is passed over.
    """
    from cogen.signals.can import CanWarning

    chosen = instance(log, CanLog, "the log", "a signals.CanLog", "signals.read_can_log gives one")
    flag(strict, "strict")
    found, lost = _Transport(chosen).run()
    if lost:
        told = f"{lost} messages in several frames are not whole"
        if strict:
            raise CogenError(told, hint="without strict=True, those that are whole are given")
        warnings.warn(told, CanWarning, stacklevel=3)
    return found


class _Transport:
    """The messages of a log; `open` are those that are being sent."""

    def __init__(self, log: CanLog) -> None:
        self.log = log
        self.open: dict[TransferPlace, _Session] = {}
        self.lost = 0
        self.rows: list[int] = []
        self.made: list[_Session] = []

    def run(self) -> tuple[CanLog, int]:
        """The log of what is whole, and how many messages are not."""
        keys = keys_of(self.log.ids, None)
        pgns = pgns_of(keys)
        roles: dict[int, tuple[Protocol, Callable[[TransferPlace, int, bytes, int], None]]] = {}
        for protocol in PROTOCOLS:
            roles[protocol.connection] = protocol, self.connection
            roles[protocol.packets] = protocol, self.packet
        rows = np.flatnonzero(np.isin(pgns, list(roles)) & (self.log.lengths >= 8))
        for row in rows.tolist():
            key = int(keys[row])
            protocol, take = roles[int(pgns[row])]
            place = TransferPlace(protocol, self.log.channels[row], key & 255, key >> 8 & 255)
            take(place, key, self.log.frames[row, :8].tobytes(), row)
        return self.collected(), self.lost + len(self.open)

    def connection(self, place: TransferPlace, key: int, content: bytes, row: int) -> None:
        """A frame that says what is sent."""
        protocol, control = place.protocol, content[0]
        if control == ABORT:  # both sides may
            self.give_up(place)
            self.give_up(place.answering)
        elif control == protocol.more:
            self.heard(place.answering, row)
        elif control == protocol.offset:
            self.offset(place, content, row)
        elif place.addressee == EVERYBODY:
            if control == BAM and protocol is PLAIN:
                self.begin(place, key, content, row)
        elif control == protocol.request:
            self.begin(place, key, content, row)

    def begin(self, place: TransferPlace, key: int, content: bytes, row: int) -> None:
        """A message begins; one that has not ended never will."""
        self.give_up(place)
        protocol = place.protocol
        size = int.from_bytes(content[1 : 1 + protocol.size_bytes], "little")
        told = protocol is LARGE or content[3] == -(-size // EACH)
        if not 0 < size <= protocol.longest or not told:
            self.lost += 1
            return
        pgn = int.from_bytes(content[5:8], "little") & 0x3FFFF
        if pgn >> 8 & 255 < 240:
            pgn = pgn & ~0xFF | place.addressee
        whole = EXTENDED | key & 7 << 26 | pgn << 8 | place.sender
        session = self.open[place] = _Session(whole, size, float(self.log.times[row]))
        if protocol is LARGE:
            session.last = 0

    def offset(self, place: TransferPlace, content: bytes, row: int) -> None:
        """So many frames follow, whose numbers are counted from there."""
        session = self.heard(place, row)
        if session is None:
            return
        session.offset, session.last = int.from_bytes(content[2:5], "little"), content[1]
        if session.offset + session.last > session.packets:
            self.give_up(place)

    def packet(self, place: TransferPlace, key: int, content: bytes, row: int) -> None:
        """A frame with bytes of a message."""
        session = self.heard(place, row)
        if session is None:
            return
        number = session.offset + content[0]
        in_turn = place.addressee != EVERYBODY or number == session.next
        if not in_turn or not 0 < content[0] <= session.last:
            self.give_up(place)
            return
        session.put(number, content[1:])
        if not session.missing:
            del self.open[place]
            self.rows.append(row)
            self.made.append(session)

    def heard(self, place: TransferPlace, row: int) -> _Session | None:
        """The message that is being sent, of which there is a frame; None if there is none, or
        the frame is too late for it."""
        session = self.open.get(place)
        if session is None:
            return None
        time = float(self.log.times[row])
        if time - session.time > PAUSE:
            self.give_up(place)
            return None
        session.time = time
        return session

    def give_up(self, place: TransferPlace) -> None:
        """A message that is being sent there will not be whole."""
        self.lost += self.open.pop(place, None) is not None

    def collected(self) -> CanLog:
        """The whole messages as a log, as wide as the longest; behind the shorter ones memory is
        not touched."""
        lengths = np.array([session.size for session in self.made], np.uint32)
        width = int(lengths.max()) if self.made else 8
        frames: Array = np.zeros((len(self.made), width), np.uint8)
        for i, session in enumerate(self.made):
            frames[i, : session.size] = np.frombuffer(session.content, np.uint8, session.size)
        ids = np.array([session.key for session in self.made], np.uint32)
        rows = np.array(self.rows, np.int64)
        return CanLog(self.log.times[rows], ids, frames, lengths, self.log.channels[rows])
