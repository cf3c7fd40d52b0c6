"""Structures in memory that C code and Python share: one definition, for C text and for layouts.

    structure ::= SharedStructure(name, members, comment)
    member    ::= SharedMember(kind, name, extent, comment)

A kind is one of `KINDS` or the name of another structure.  `cogen.backends.ctree.printer` prints
them, `cogen.backends.objectcode.foreign` lays them out.  Programs that are only called read this,
so it imports nothing of what makes C.
"""

from __future__ import annotations

from typing import Final, NamedTuple

BYTE: Final = "byte"
INT64: Final = "int64"
ADDRESS: Final = "address"
ANYTHING: Final = "anything"
NUMBERS: Final = "numbers"
READ_NUMBERS: Final = "read numbers"
WORKERS: Final = "workers"
TRACE: Final = "trace"

KINDS: Final = (BYTE, INT64, ADDRESS, ANYTHING, NUMBERS, READ_NUMBERS, WORKERS, TRACE)
"""A byte; an integer of 64 bits; an address as one; where something is that is not changed; where
such integers are, and where they are that are not changed; where the memory of threads is; a
function of such an integer and of where others are."""


class SharedMember(NamedTuple):
    """A member; so many in a row, if `extent` is not 0."""

    kind: str
    name: str
    extent: int = 0
    comment: str = ""


class SharedStructure(NamedTuple):
    """The definition of a type: members in the order in which they are in memory."""

    name: str
    members: tuple[SharedMember, ...]
    comment: str = ""
