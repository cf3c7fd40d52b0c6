"""What C has as arrays of constants: the words of literal bytevectors, and *tables*, which are
vectors of integers, or of floats, that a program looks something up in."""

from __future__ import annotations

from typing import Final

from cogen.backends.kernel import structured as st
from cogen.interval import EVERYTHING, Interval, word
from cogen.lang import il

Table = tuple[int | float, ...]
_TABLES: Final = {int: "int", float: "float"}
"""By type of elements, as `cogen.backends.kernel.types` calls it."""


def words_of(data: bytes | bytearray, word_size: int) -> list[int]:
    """The words of a bytevector, the last one filled with zeros; signed if they have 64 bits."""
    size = word_size // 8
    padded = [bytes(data[i : i + size]).ljust(size, b"\0") for i in range(0, len(data), size)]
    return [int.from_bytes(one, "little", signed=word_size == 64) for one in padded]


def interval_of(data: object, word_size: int) -> Interval:
    """The bounds of what is loaded from a buffer: of a literal, its least and greatest word."""
    if not isinstance(data, bytes | bytearray) or not data:
        return word(word_size)
    if word_size == 8:
        return min(data), max(data)
    words = words_of(data, word_size)
    return min(words), max(words)


def table_of(operation: st.Op) -> Table | None:
    """The table that an operation looks something up in; None if it does nothing of the kind."""
    if operation.op != "vector-ref":
        return None
    vector = operation.arguments[0]
    value = vector.value if isinstance(vector, il.Const) else None
    if type(value) is not list or not value or type(value[0]) not in _TABLES:
        return None
    return tuple(value) if all(type(x) is type(value[0]) for x in value) else None


def type_of_table(table: Table) -> str:
    """The type of its elements."""
    return _TABLES[type(table[0])]


def interval_of_table(table: Table) -> Interval:
    """The bounds of its elements; of floats, any."""
    whole = [x for x in table if type(x) is int]
    return (min(whole), max(whole)) if whole else EVERYTHING
