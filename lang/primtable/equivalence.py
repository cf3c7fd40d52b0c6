"""Rows of the primitive table: equivalence, booleans, what is a procedure."""

from __future__ import annotations

import struct
import zlib

from cogen.lang.datum import (
    NIL,
    Char,
    Datum,
    MutableString,
    Pair,
    Symbol,
    eqv,
)
from cogen.lang.governor import room
from cogen.lang.primtable.checks import expected
from cogen.lang.primtable.row import PrimitiveRow, row
from cogen.lang.values import Procedure

_PATIENCE = 10_000
"""After so many comparisons `equal?` begins to look for cycles."""

COMPARISON = 64
"""The bytes that `equal?` takes for two elements that it has still to compare."""


def equal(a: Datum, b: Datum) -> bool:
    """`equal?`: the same structure with `eqv?` leaves; ends on circular data too."""
    work: list[tuple[Datum, Datum]] = [(a, b)]
    seen: set[tuple[int, int]] = set()
    steps = 0
    while work:
        a, b = work.pop()
        steps += 1
        if eqv(a, b):
            continue
        kind = type(a)
        if kind is MutableString or type(b) is MutableString:
            if text_of(a) is None or text_of(a) != text_of(b):
                return False
            continue
        if kind is not type(b):
            if _is_bytes(a) and _is_bytes(b) and bytes(a) == bytes(b):
                continue
            return False
        if kind is str or kind is bytes or kind is bytearray:
            if a != b:
                return False
            continue
        if steps > _PATIENCE and kind in (Pair, list):
            if (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
        if kind is Pair:
            work.append((a.cdr, b.cdr))
            work.append((a.car, b.car))
        elif kind is list and len(a) == len(b):
            room(len(a) * COMPARISON)
            work.extend(zip(a, b, strict=True))
        else:
            return False
    return True


def text_of(x: Datum) -> str | None:
    """The characters of a string."""
    if type(x) is MutableString:
        return x.content()
    return x if type(x) is str else None


def _is_bytes(x: Datum) -> bool:
    return isinstance(x, bytes | bytearray | memoryview)


_HASHED = 1000
"""The parts of a datum that `equal-hash` looks at, the first ones."""

_WORD = (1 << 64) - 1
_MULTIPLIER = 0x9E3779B97F4A7C15
_TAGGED = 16

_NAN = 0x7FF8000000000000


def equal_hash(x: Datum) -> int:
    """`equal-hash`: each part, with its kind in the low bits, is multiplied into what there is;
    texts and bytes by their CRC-32.  The native run time has the same (runtime/data.c)."""
    made, left = 0, _HASHED
    work = [x]
    while work and left > 0:
        x = work.pop()
        left -= 1
        kind = type(x)
        if kind is Pair:
            work.append(x.cdr)
            work.append(x.car)
        elif kind is list:
            work.extend(reversed(x[:left]))
        made = (made ^ _hashed_part(x)) * _MULTIPLIER & _WORD
        made ^= made >> 32
    return made >> 3


def _hashed_part(x: Datum) -> int:
    """The word of what a part is by itself."""
    if type(x) is MutableString:
        x = x.content()
    kind = type(x)
    if kind is int:
        return int(x * _TAGGED + 1) & _WORD
    if kind is str:
        return zlib.crc32(x.encode("utf-8", "surrogatepass")) * _TAGGED + 2
    if kind is Symbol:
        return zlib.crc32(x.name.encode("utf-8", "surrogatepass")) * _TAGGED + 3
    if kind is Pair:
        return 4
    if kind is list:
        return len(x) * _TAGGED + 5
    if kind is Char:
        return ord(x.value) * _TAGGED + 6
    if kind is float:
        bits = _NAN if x != x else struct.unpack("<Q", struct.pack("<d", x))[0]
        return (bits * _TAGGED + (bits >> 60) * (_TAGGED << 8) + 7) & _WORD
    if _is_bytes(x):
        return zlib.crc32(bytes(x)) * _TAGGED + 8
    if kind is bool or x is NIL:
        return (0 if x is NIL else 1 if x else 2) * _TAGGED + 9
    return 10


def _need_bool(name: str, x: Datum) -> bool:
    if type(x) is bool:
        return x
    raise expected(name, "a boolean", x)


def _boolean_equal(a: Datum, b: Datum) -> bool:
    return _need_bool("boolean=?", a) is _need_bool("boolean=?", b)


_EQUIVALENCE = (
    row("eq?", "any any", "bool", eqv, "The same as `eqv?`.", fails="", commutes=True),
    row("eqv?", "any any", "bool", eqv,
        "The same object; numbers of one type and characters by value.", fails="", commutes=True),
    row("equal?", "any any", "bool", equal, "The same structure with `eqv?` leaves.",
        effect="read", fails=""),
    row("equal-hash", "any", "int", equal_hash,
        "An integer that is the same for data that are `equal?`; not negative.",
        effect="read", fails="", interval=lambda a: (0, (1 << 61) - 1)),
    row("not", "any", "bool", lambda x: x is False, "Is x #f?", fails=""),
    row("boolean?", "any", "bool", lambda x: type(x) is bool, "Is x #t or #f?", fails=""),
    row("boolean=?", "bool bool", "bool", _boolean_equal, "Equal booleans.",
        c="{0} == {1}", fold="chain"),
    row("procedure?", "any", "bool", lambda x: isinstance(x, Procedure), "Is x a procedure?",
        fails=""),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = _EQUIVALENCE
