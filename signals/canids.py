"""Identifiers of CAN frames: standard, extended, and the parts of those of J1939.

Standard and extended identifiers are different, also where the numbers are equal.  A *key* is an
identifier and the flags that SocketCAN has above it.

A J1939 identifier (29 bits) has a priority (3), a parameter group number, PGN (18), and the address
of who sends (8).  Where the second byte is below 240, the third is no part of the PGN but the
address of who is meant.  Source: SAE J1939-21, as in the Linux kernel's documentation of J1939.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cogen.boundary import public
from cogen.buffers import refuse_masked
from cogen.expected import integer
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.columnar import Columns

ID_BITS: Final = (1 << 29) - 1
"""The bits of an identifier; flags stand above them."""

STANDARD_BITS: Final = (1 << 11) - 1
"""The bits of a standard identifier."""

EXTENDED: Final = 1 << 31
"""The flag of extended identifiers."""

NO_DATA: Final = 3 << 29
"""The flags of remote frames and of error frames, which hold no signals."""


LENGTHS: Final = np.array([*range(9), 12, 16, 20, 24, 32, 48, 64], np.uint8)
"""The bytes of a frame for each DLC of CAN FD; those of other frames are at most 8."""

EVERYBODY: Final = 255
"""The address of all of J1939's."""


def key_of(frame_id: int, extended: bool) -> int:
    """The key of a message."""
    return frame_id | (EXTENDED if extended else 0)


def keys_of(ids: object, extended: object) -> Array:
    """Identifiers of frames as keys; those without data keep the flags for that."""
    refuse_masked(ids, "the identifiers of frames")
    try:
        identifiers = np.asarray(ids)
    except (ValueError, TypeError, OverflowError):
        identifiers = np.empty((), object)
    if identifiers.ndim == 1 and not identifiers.size:
        identifiers = identifiers.astype(np.int64)
    if identifiers.ndim != 1 or identifiers.dtype.kind not in "iu":
        raise CogenError(
            "the identifiers of frames are an array of integers",
            hint="one frame: database[id].decode(data), or ids of [id] and frames of shape (1, 8)",
        )
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


def pgns_of(keys: Array) -> Array:
    """The parameter group numbers of keys; -1 for those that are not extended."""
    numbers = keys.astype(np.int64)
    pgns = (numbers >> 8) & 0x3FFFF
    pgns = np.where((pgns >> 8) & 255 < 240, pgns & ~0xFF, pgns)
    return np.where(numbers & EXTENDED != 0, pgns, -1)


@public
def j1939(ids: object) -> Columns:
    """The parts of J1939 identifiers: columns priority, pgn, source and destination (255, all,
    where a group has none).  Identifiers may have the flag of extended ones."""
    keys = keys_of(ids, True)
    pgns = pgns_of(keys)
    meant = np.where((pgns >> 8) & 255 < 240, (keys >> 8) & 255, EVERYBODY)
    parts: dict[str, Any] = {
        "priority": ((keys >> 26) & 7).astype(np.uint8),
        "pgn": pgns.astype(np.uint32),
        "source": (keys & 255).astype(np.uint8),
        "destination": meant.astype(np.uint8),
    }
    return Columns(parts)


@public
def j1939_id(pgn: int, source: int, priority: int = 6, destination: int = EVERYBODY) -> int:
    """The identifier, without a flag, of a frame of J1939; CogenError for parts that it has no
    room for, and for a destination of a group that has none."""
    pgn = integer(pgn, "pgn", 0, 0x3FFFF)
    source, destination = (integer(x, "an address", 0, 255) for x in (source, destination))
    priority = integer(priority, "priority", 0, 7)
    if (pgn >> 8) & 255 < 240:
        if pgn & 255:
            raise CogenError(f"the last byte of the PGN {pgn:#x} is that of the destination")
        pgn |= destination
    elif destination != EVERYBODY:
        raise CogenError(f"frames of the PGN {pgn:#x} are for all")
    return priority << 26 | pgn << 8 | source
