"""Keys of tables (`cogen.staging.stagedtables`): their hashes, and where they are.

hash_of([x, y])         products and shifts of 64 bits; numbers that are equal have one hash
place_of(table, key)    a loop over slots: the first that is free, or whose entry is equal
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import INT, REAL
from cogen.staging.convertfunctions import convert
from cogen.staging.listelements import leaves_of, rows_of
from cogen.staging.pooledlists import PooledList
from cogen.staging.sourceplaces import fail, shown
from cogen.staging.stagedexpressions import builtin, choose
from cogen.staging.stagedlists import ListRows
from cogen.staging.stagedscalars import Scalar, apply, as_type, bind, expression, is_number, scalar
from cogen.staging.stagedtables import StagedTable
from cogen.staging.stagedtexts import is_single, is_text
from cogen.staging.tracer import current

LEAST_SLOTS: Final = 8
"""So many places a table has at first."""

_MULTIPLIER: Final = 0x9E3779B97F4A7C15 - (1 << 64)
"""2^64 by the golden ratio: multiplied by it, numbers that are near each other are far apart
(Knuth, The Art of Computer Programming 3, 6.4)."""

_EXACT: Final = float(1 << 53)
"""Below this size reals without a fraction are ints, with the hash of these."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyPlace:
    """Where a key is, or would be: the slot, and the entry; None where no key has come yet."""

    slot: Any
    entry: Any


def key_leaves(key: Any) -> tuple[list[Any], Any]:
    """The numbers of a key, and its structure.  CogenError for what is no key."""
    if is_text(key) and not is_single(key):
        fail("a string of several characters cannot be a key where only a run knows the keys",
             "a key is a number, a character, or a tuple of these")  # fmt: skip
    leaves, _, shape = leaves_of(key) if not isinstance(key, list) else ([None], None, None)
    if isinstance(key, PooledList):
        leaves = [None]
    for leaf in leaves:
        if not isinstance(leaf, Scalar) and not is_number(leaf):
            fail(
                f"{shown()}this cannot be a key where only a run knows the keys",
                "a key is a number, a character, or a tuple of these",
            )
    return leaves, shape


def is_known_key(key: Any) -> bool:
    """Whether a key is known, and made of numbers and characters."""
    if isinstance(key, tuple):
        return bool(key) and all(map(is_known_key, key))
    return is_number(key) or is_single(key)


def hash_of(leaves: Sequence[Any]) -> Any:
    """The hash of a key, an int of 64 bits."""
    found: Any = 0
    for leaf in leaves:
        n = _as_int(leaf)
        found = apply("multiply", apply("bitwise_xor", found, n), _MULTIPLIER)
        found = apply("bitwise_xor", found, apply("right_shift", found, 32))
    return found


def known_hash(leaves: Sequence[Any]) -> int:
    """The hash of a key of known numbers."""
    found = 0
    for leaf in leaves:
        found = _wrapped((found ^ _known_int(leaf)) * _MULTIPLIER)
        found ^= found >> 32
    return found


def _wrapped(n: int) -> int:
    return (n + (1 << 63)) % (1 << 64) - (1 << 63)


def _known_int(x: Any) -> int:
    if isinstance(x, str):
        return ord(x)
    if isinstance(x, float | np.floating) and not (abs(float(x)) < _EXACT and x == int(x)):
        return int(struct.unpack("<q", struct.pack("<d", x))[0])
    return _wrapped(int(x))


def _as_int(leaf: Any) -> Scalar:
    """An int of a number: itself, or the bits of a real that is none."""
    x = scalar(leaf)
    if x.type == REAL:
        n = bind(builtin("trunc", expression(x)), INT)
        whole = apply("logical_and", apply("less", apply("absolute", x), _EXACT),
                      apply("equal", x, n))  # fmt: skip
        bits = builtin("bits", expression(x))
        return bind(choose(expression(whole), expression(n), bits), INT)
    return Scalar(bind(as_type(x, INT), INT).value, INT) if x.type != INT else x


def place_of(table: StagedTable, key: Any) -> KeyPlace:
    """Where a key is, or would be."""
    leaves, shape = key_leaves(key)
    at = apply("bitwise_and", hash_of(leaves), mask_of(table))
    entries = table.entries
    if any(xs is not None and xs.is_known and not xs.elements() for xs in (entries, table.beside)):
        return KeyPlace(at, None)  # one gets its first element with the other
    rows = rows_of(entries.content(), None)
    if rows.shape != shape:
        fail(f"{shown()}a staged value cannot be a key of a dictionary: only a run knows it",
             "the other keys must be like it: numbers, characters, or tuples of these")  # fmt: skip

    def differs(entry: Any) -> Any:
        return _differ(rows, entry, leaves)

    at = convert(_searched)(table.slots, at, mask_of(table), differs)  # type: ignore[arg-type]  # a function
    return KeyPlace(at, table.slots[at])


def _differ(rows: ListRows, entry: Any, leaves: Sequence[Any]) -> Any:
    found: Any = False
    for a, leaf in zip(rows.leaves, leaves, strict=True):
        found = apply("logical_or", found, apply("not_equal", a[entry], leaf))
    return found


def _searched(slots: Any, at: Any, mask: Any, differs: Callable[[Any], Any]) -> Any:
    while slots[at] >= 0 and differs(slots[at]):
        at = (at + 1) & mask
    return at


def mask_of(table: StagedTable) -> Any:
    """The number of slots, less one: the slots change their number, and no other code asks for
    it, so that nothing is kept of it."""
    slots = table.slots
    if slots.known is not None:
        return len(slots.known) - 1
    size = tree.SizeExpression(current().place, 0, slots.expression())
    return bind(size, INT, "n") - 1


def filled(slots: Any, count: Any, mask: Any, hash_at: Callable[[Any], Any]) -> Any:
    """Free slots with the first entries in them; staged."""
    return convert(_filled)(slots, count, mask, hash_at)  # type: ignore[arg-type]  # a function


def _filled(slots: Any, count: Any, mask: Any, hash_at: Callable[[Any], Any]) -> Any:
    for k in range(count):
        at = hash_at(k) & mask
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = k
    return slots


def _numbers_of(key: Any) -> list[Any]:
    """The numbers of a known key."""
    return [x for part in key for x in _numbers_of(part)] if isinstance(key, tuple) else [key]


def known_slots(keys: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Slots with entries of known keys in them."""
    size = LEAST_SLOTS
    while 2 * len(keys) > size:
        size *= 2
    slots = np.full(size, -1)
    for entry, key in enumerate(keys):
        at = known_hash(_numbers_of(key)) & (size - 1)
        while slots[at] >= 0:
            at = (at + 1) & (size - 1)
        slots[at] = entry
    return slots
