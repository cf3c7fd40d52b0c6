"""Constants -> the text from which the run time makes them (see runtime/constants.c).

What two constants share, they share in the running program too: parts are written once and
remembered by number.
"""

from __future__ import annotations

import struct

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import CConstant, CNumber, Expr
from cogen.backends.ctree.types import LONG_LONG
from cogen.backends.native.vocabulary import FALSEHOOD, TRUTH, WORD, macro
from cogen.lang.datum import (
    DEFAULT,
    EOF,
    INT_MAX,
    INT_MIN,
    NIL,
    UNDEFINED,
    UNSPECIFIED,
    Char,
    Datum,
    Pair,
    Record,
    RecordType,
    Symbol,
)
from cogen.lang.errors import LimitationError
from cogen.lang.primtable.data import type_name
from cogen.lang.printer import write_datum

_IMMEDIATE = {
    id(NIL): CConstant("NIL", WORD),
    id(UNSPECIFIED): CConstant("UNSPECIFIED", WORD),
    id(EOF): CConstant("END_OF_FILE", WORD),
    id(DEFAULT): CConstant("DEFAULT", WORD),
    id(UNDEFINED): CConstant("UNDEFINED", WORD),
}
_COMMANDS = {
    id(NIL): b"()",
    id(UNSPECIFIED): b"u",
    id(EOF): b"e",
    id(DEFAULT): b"d",
    id(UNDEFINED): b"x",
}

SMALL = 1 << 62
"""Integers in [-SMALL, SMALL) are words."""


def immediate(value: Datum) -> Expr | None:
    """The C expression of a constant that is a word, None for an object."""
    if value is True:
        return TRUTH
    if value is False:
        return FALSEHOOD
    if type(value) is int:
        return macro("FIX", CNumber(value, LONG_LONG)) if -SMALL <= value < SMALL else None
    if type(value) is Char:
        return macro("CHARACTER", small(ord(value.value)))
    return _IMMEDIATE.get(id(value))


class ObjectConstants:
    """The constants that are objects, by number."""

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}
        self.kept: list[Datum] = []
        self.known: dict[int, int] = {}
        self.text = bytearray()

    def number(self, value: Datum) -> int:
        """The number of a constant."""
        key: object = id(value)
        if type(value) in (str, float, int):
            key = (type(value), repr(value))
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.numbers)
            self.kept.append(value)
            self._write(value)
            self.text += b";"
        return found

    def _write(self, root: Datum) -> None:
        """Commands for a datum, parts before wholes, with a stack of our own."""
        work: list[tuple[Datum, bytes]] = [(root, b"")]
        unfinished: set[int] = set()
        while work:
            value, command = work.pop()
            if command:
                self.text += command
                unfinished.discard(id(value))
                continue
            if id(value) in unfinished:
                raise LimitationError("a constant that contains itself cannot be compiled")
            if id(value) in self.known:
                self.text += b"@%d," % self.known[id(value)]
                continue
            parts, command = _command(value)
            if type(value) in _SHARED:
                self.kept.append(value)
                self.known[id(value)] = len(self.known)
                command += b"=%d," % self.known[id(value)]
                unfinished.add(id(value))
            work.append((value, command))
            work.extend((part, b"") for part in reversed(parts))


_SHARED = (Pair, list, bytearray, RecordType, Record)
"""What has an identity."""


def _string(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return b'"%d,' % len(data) + data


def _command(value: Datum) -> tuple[list[Datum], bytes]:
    """The parts to write first, and the command that makes the whole of them."""
    kind = type(value)
    if kind is bool:
        return [], b"t" if value else b"n"
    if kind is int:
        assert INT_MIN <= value <= INT_MAX
        return [], b"i%d," % value
    if kind is float:
        return [], b"f%x," % struct.unpack("<Q", struct.pack("<d", value))[0]
    if kind is str:
        return [], _string(value)
    if kind is Char:
        return [], b"c%d," % ord(value.value)
    if kind is Symbol:
        return [], _string(value.name) + b"y"
    if kind is Pair:
        return [value.car, value.cdr], b"p"
    if kind is list:
        return list(value), b"v%d," % len(value)
    if kind is RecordType:
        return [value.name, type_name(value), *value.fields], b"r%d," % len(value.fields)
    if kind is Record:
        return [value.type, *value.values], b"R%d," % len(value.values)
    if id(value) in _COMMANDS:
        return [], _COMMANDS[id(value)]
    try:
        data = bytes(memoryview(value).cast("B"))
    except TypeError:
        raise LimitationError(
            f"a constant that is {write_datum(value)} cannot be compiled",
            hint="give it to the program as an argument, or make it in the program",
        ) from None
    return [], b"b%d," % len(data) + data.hex().encode()
