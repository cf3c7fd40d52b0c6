"""Messages of J1939 that were sent in several frames -> messages, as a log of their own.

The transport protocol sends up to 1785 bytes in frames of 7 (TP.DT), each with its number, after
one that says how many there are and of which parameter group (TP.CM): to all (BAM), or to one who
asks for them some at a time, and perhaps again (RTS, CTS).  Source: SAE J1939-21, section 5.10, as
in the Linux kernel's net/can/j1939/transport.c.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from cogen.boundary import public
from cogen.expected import flag, instance
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.canids import EVERYBODY, EXTENDED, keys_of, pgns_of
from cogen.signals.canlog import CanLog

CONNECTION: Final = 0xEC00
"""The parameter group of frames that begin and end a message (TP.CM)."""

PACKETS: Final = 0xEB00
"""That of the frames with its bytes (TP.DT)."""

RTS: Final = 16
BAM: Final = 32
ABORT: Final = 255
"""What frames of TP.CM say first; others (17 asks for more, 19 thanks) begin and end nothing."""

EACH: Final = 7
"""Bytes of the message in a frame."""

LONGEST: Final = 1785
PAUSE: Final = 1.25
"""Seconds without a frame after which a message is given up (T2 and T3)."""


@dataclass(slots=True)
class _Session:
    """A message that is being sent."""

    key: int
    size: int
    packets: int
    time: float
    parts: dict[int, bytes] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        return len(self.parts) == self.packets

    def content(self) -> bytes:
        """Its bytes."""
        return b"".join(self.parts[n] for n in range(1, self.packets + 1))[: self.size]


@public
def j1939_transport(log: CanLog, strict: bool = False) -> CanLog:
    """The messages of a log that were sent in several frames, in the order in which they were
    whole: times are those of their last frames, identifiers as if each was one frame.

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
    """The messages of a log; `open` are those that are being sent, by channel, sender and
    addressee."""

    def __init__(self, log: CanLog) -> None:
        self.log = log
        self.open: dict[tuple[Any, int, int], _Session] = {}
        self.lost = 0
        self.rows: list[int] = []
        self.made: list[_Session] = []

    def run(self) -> tuple[CanLog, int]:
        """The log of what is whole, and how many messages are not."""
        keys = keys_of(self.log.ids, None)
        pgns = pgns_of(keys)
        rows = np.flatnonzero(((pgns == CONNECTION) | (pgns == PACKETS)) & (self.log.lengths >= 8))
        for row in rows.tolist():
            key = int(keys[row])
            place = self.log.channels[row], key & 255, key >> 8 & 255
            content = self.log.frames[row, :8].tobytes()
            if pgns[row] == CONNECTION:
                self.connection(place, key, content, row)
            else:
                self.packet(place, content, row)
        return self.collected(), self.lost + len(self.open)

    def connection(self, place: tuple[Any, int, int], key: int, content: bytes, row: int) -> None:
        """A frame that begins a message, or gives one up; both sides may."""
        control = content[0]
        if control == ABORT:
            channel, sender, addressee = place
            for ended in (place, (channel, addressee, sender)):
                self.lost += self.open.pop(ended, None) is not None
        if control not in (BAM, RTS) or (control == BAM) != (place[2] == EVERYBODY):
            return
        self.lost += self.open.pop(place, None) is not None
        size, packets = int.from_bytes(content[1:3], "little"), content[3]
        if not 0 < size <= LONGEST or packets != -(-size // EACH):
            self.lost += 1
            return
        pgn = int.from_bytes(content[5:8], "little") & 0x3FFFF
        if pgn >> 8 & 255 < 240:
            pgn = pgn & ~0xFF | place[2]
        whole = EXTENDED | key & 7 << 26 | pgn << 8 | place[1]
        self.open[place] = _Session(whole, size, packets, float(self.log.times[row]))

    def packet(self, place: tuple[Any, int, int], content: bytes, row: int) -> None:
        """A frame with bytes of a message; one that comes again replaces the earlier one."""
        session = self.open.get(place)
        if session is None:
            return
        time = float(self.log.times[row])
        in_turn = place[2] != EVERYBODY or content[0] == len(session.parts) + 1
        if time - session.time > PAUSE or not in_turn or not 0 < content[0] <= session.packets:
            del self.open[place]
            self.lost += 1
            return
        session.time = time
        session.parts[content[0]] = content[1:]
        if session.whole:
            del self.open[place]
            self.rows.append(row)
            self.made.append(session)

    def collected(self) -> CanLog:
        """The whole messages as a log, as wide as the longest."""
        contents = [session.content() for session in self.made]
        lengths = np.array(list(map(len, contents)), np.uint16)
        width = int(lengths.max()) if contents else 8
        frames: Array = np.frombuffer(
            b"".join(content.ljust(width, b"\0") for content in contents), np.uint8
        ).reshape(-1, width)
        ids = np.array([session.key for session in self.made], np.uint32)
        rows = np.array(self.rows, np.int64)
        return CanLog(self.log.times[rows], ids, frames, lengths, self.log.channels[rows])
