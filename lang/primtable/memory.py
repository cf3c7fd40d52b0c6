"""Rows of the primitive table: bytevectors, memory words, the bits of floats.

A bytevector is a `bytearray`, `bytes`, or anything else with the buffer protocol whose bytes
lie in one piece.  Seen as memory of N-bit words (N the machine's word size, a multiple of 8):

    word i is made of bytes i*N/8 up to (i+1)*N/8, least significant first
    words are unsigned, but signed when N is 64
    a last partial word reads zero-extended; a store to it changes only the bytes that exist
    a store takes the value modulo 2^N
"""

from __future__ import annotations

import math
import struct

from cogen.lang.datum import UNSPECIFIED, Datum
from cogen.lang.governor import room
from cogen.lang.machine import Machine
from cogen.lang.primtable import checks
from cogen.lang.primtable.checks import PrimitiveError
from cogen.lang.primtable.intervals import SIZE
from cogen.lang.primtable.row import PrimitiveRow, row
from cogen.lang.primtable.text import need_string
from cogen.lang.primtable.words import signed64
from cogen.lang.values import MultipleValues

Bytes = bytearray | bytes | memoryview


def bytes_of(x: Datum) -> Bytes | None:
    """The bytes of a bytevector or other buffer, shared with it; None if x is none."""
    if type(x) is bytearray or type(x) is bytes:
        return x
    try:
        return memoryview(x).cast("B")
    except TypeError:
        return None


def need_bytes(name: str, x: Datum, what: str = "a bytevector") -> Bytes:
    """The argument's bytes if it is a bytevector."""
    data = bytes_of(x)
    if data is None:
        raise checks.expected(name, what, x)
    return data


def need_writable(name: str, x: Datum) -> bytearray | memoryview:
    """The argument's bytes if it is a bytevector that can be changed."""
    data = need_bytes(name, x)
    if isinstance(data, bytes) or (isinstance(data, memoryview) and data.readonly):
        raise PrimitiveError("type", f"{name}: the bytevector cannot be written")
    return data


def need_byte(name: str, x: Datum) -> int:
    """The argument if it is a byte."""
    if type(x) is int and 0 <= x < 256:
        return x
    if type(x) is int:
        raise PrimitiveError("index", f"{name}: {x} is no byte (0 to 255)")
    raise checks.expected(name, "a byte", x)


def _index_of(name: str, buffer: Datum, index: Datum, limit: int, what: str = "index") -> int:
    """The argument if it is an index of the buffer, which has that many parts."""
    try:
        return checks.need_index(name, index, limit, what)
    except PrimitiveError as error:
        if error.kind == "index":
            error.buffer = buffer
        raise


# Bytevectors

MAX_BYTES = 1 << 32
"""The largest number of bytes that `make-bytevector` makes."""


def _bytevector(*items: Datum) -> bytearray:
    return bytearray(need_byte("bytevector", item) for item in items)


def _make_bytevector(size: Datum, fill: Datum = 0) -> bytearray:
    count = checks.need_size("make-bytevector", size, MAX_BYTES)
    byte = need_byte("make-bytevector", fill)
    room(count)
    return bytearray([byte]) * count


def _byte_ref(x: Datum, index: Datum) -> int:
    data = need_bytes("bytevector-u8-ref", x)
    return data[_index_of("bytevector-u8-ref", x, index, len(data))]


def _byte_set(x: Datum, index: Datum, value: Datum) -> Datum:
    data = need_writable("bytevector-u8-set!", x)
    position = _index_of("bytevector-u8-set!", x, index, len(data))
    data[position] = need_byte("bytevector-u8-set!", value)
    return UNSPECIFIED


def _copy(x: Datum, start: Datum = 0, end: Datum = None) -> bytearray:
    data = need_bytes("bytevector-copy", x)
    first, last = checks.need_range("bytevector-copy", len(data), start, end)
    room(last - first)
    return bytearray(data[first:last])


def _copy_called(machine: Machine, x: Datum, name: Datum) -> bytearray:
    made = _copy(x)
    machine.copies[id(x)] = made, need_string("%copy-called", name)
    return made


def _copy_into(
    target: Datum, at: Datum, source: Datum, start: Datum = 0, end: Datum = None
) -> Datum:
    name = "bytevector-copy!"
    to, data = need_writable(name, target), need_bytes(name, source)
    part = len(data), start, end
    position, first, last = checks.need_copy(name, len(to), at, "bytes", *part)
    to[position : position + last - first] = bytes(data[first:last])
    return UNSPECIFIED


def _fill(target: Datum, value: Datum, start: Datum = 0, end: Datum = None) -> Datum:
    name = "bytevector-fill!"
    to = need_writable(name, target)
    first, last = checks.need_range(name, len(to), start, end)
    to[first:last] = bytes([need_byte(name, value)]) * (last - first)
    return UNSPECIFIED


def _append(*parts: Datum) -> bytearray:
    all_bytes = [need_bytes("bytevector-append", part) for part in parts]
    room(2 * sum(map(len, all_bytes)))
    return bytearray(b"".join(all_bytes))


def _utf8_to_string(x: Datum, start: Datum = 0, end: Datum = None) -> str:
    name = "utf8->string"
    data = need_bytes(name, x)
    first, last = checks.need_range(name, len(data), start, end)
    room(2 * (last - first))
    try:
        return bytes(data[first:last]).decode("utf-8")
    except UnicodeDecodeError as error:
        where = first + error.start
        raise PrimitiveError("type", f"{name}: no UTF-8 at byte {where}") from None


def _string_to_utf8(x: Datum, start: Datum = 0, end: Datum = None) -> bytearray:
    name = "string->utf8"
    text = need_string(name, x)
    first, last = checks.need_range(name, len(text), start, end)
    room(2 * (last - first))
    return bytearray(text[first:last].encode("utf-8"))


_BYTEVECTORS = (
    row("bytevector?", "any", "bool", lambda x: bytes_of(x) is not None, "Is x a bytevector?",
        fails=""),
    row("bytevector", "int", "bytevector", _bytevector, "A new bytevector of the bytes.",
        effect="alloc", fails="type index", arity=(0, None)),
    row("make-bytevector", "int int", "bytevector", _make_bytevector,
        "A new bytevector of that many bytes.",
        effect="alloc", fails="type index", arity=(1, 2)),
    row("bytevector-length", "bytevector", "int",
        lambda x: len(need_bytes("bytevector-length", x)), "The number of bytes.",
        interval=lambda a: SIZE, typed=True),
    row("bytevector-u8-ref", "bytevector int", "int", _byte_ref, "The byte at an index, from 0.",
        effect="read", fails="type index", interval=lambda a, b: (0, 255)),
    row("bytevector-u8-set!", "bytevector int int", "unspecified", _byte_set,
        "Replace the byte at an index.", effect="write", fails="type index"),
    row("bytevector-copy", "bytevector int int", "bytevector", _copy,
        "The bytes from an index up to, without, another, in a new bytevector.",
        effect="alloc", fails="type index", arity=(1, 3)),
    row("%copy-called", "bytevector string", "bytevector", _copy_called,
        "A new bytevector of the same bytes; messages about it call it by the string.",
        effect="alloc", context=True),
    row("bytevector-copy!", "bytevector int bytevector int int", "unspecified", _copy_into,
        "(bytevector-copy! to at from start end): copy bytes, as if by way of a third place.",
        effect="write", fails="type index", arity=(3, 5)),
    row("bytevector-fill!", "bytevector int int int", "unspecified", _fill,
        "Set the bytes from an index up to, without, another.",
        effect="write", fails="type index", arity=(2, 4)),
    row("bytevector-append", "bytevector", "bytevector", _append,
        "The bytes one after the other in a new bytevector.", effect="alloc", arity=(0, None)),
    row("utf8->string", "bytevector int int", "string", _utf8_to_string,
        "The string that the bytes encode.", effect="read", fails="type index", arity=(1, 3)),
    row("string->utf8", "string int int", "bytevector", _string_to_utf8,
        "The bytes that encode the string.",
        effect="alloc", fails="type index", arity=(1, 3)),
)  # fmt: skip


# Memory


def words_of(machine: Machine, length: int) -> int:
    """The number of words in so many bytes, the partial last one counted."""
    return -(-length // machine.word_bytes)


def load_word(machine: Machine, buffer: Datum, index: Datum, name: str = "load-word") -> int:
    """`load-word`: see the module's docstring."""
    data = need_bytes(name, buffer, "memory")
    size = machine.word_bytes
    at = _index_of(name, buffer, index, words_of(machine, len(data)), "word index") * size
    word = int.from_bytes(data[at : at + size], "little")
    return signed64(word) if size == 8 else word


def store_word(
    machine: Machine, buffer: Datum, index: Datum, value: Datum, name: str = "store-word!"
) -> Datum:
    """`store-word!`: see the module's docstring."""
    need_bytes(name, buffer, "memory")
    data = need_writable(name, buffer)
    size = machine.word_bytes
    at = _index_of(name, buffer, index, words_of(machine, len(data)), "word index") * size
    word = (checks.need_int(name, value) % (1 << machine.word_size)).to_bytes(size, "little")
    end = min(at + size, len(data))
    data[at:end] = word[: end - at]
    return UNSPECIFIED


def _store_bits(machine: Machine, buffer: Datum, index: Datum, mask: Datum, value: Datum) -> Datum:
    name = "store-bits!"
    checks.need_int(name, mask)
    checks.need_int(name, value)
    old = load_word(machine, buffer, index, name)
    return store_word(machine, buffer, index, (old & ~mask) | (value & mask), name)


def _assume_disjoint(a: Datum, b: Datum) -> MultipleValues:
    need_bytes("assume-disjoint", a, "memory")
    need_bytes("assume-disjoint", b, "memory")
    return MultipleValues((a, b))


def _buffer_words(machine: Machine, buffer: Datum) -> int:
    return words_of(machine, len(need_bytes("buffer-words", buffer, "memory")))


def _word_size(machine: Machine) -> int:
    return machine.word_size


_NO_WORDS = {"arrays": "arrays are of numbers, not of words of memory"}
_OF_WORDS = {"kernel C": "it becomes loads and stores of words when it is specialized"}

_MEMORY = (
    row("load-word", "memory int", "int", load_word, "Word i of memory, from 0.",
        effect="read", fails="type index", context=True),
    row("store-word!", "memory int int", "unspecified", store_word,
        "Replace word i of memory.",
        effect="write", fails="type index", context=True),
    row("store-bits!", "memory int int int", "unspecified", _store_bits,
        "(store-bits! buf i mask v): replace the bits of word i that the mask has by those of v.",
        effect="write", fails="type index", context=True, without=_OF_WORDS),
    row("buffer-words", "memory", "int", _buffer_words,
        "The number of words of memory, a partial last one counted.", context=True),
    row("assume-disjoint", "memory memory", "any", _assume_disjoint,
        "Both buffers, as two values; a promise that no word is used through both results."),
    row("word-size", "", "int", _word_size, "Bits in a word of memory.", fails="", context=True,
        without=_NO_WORDS),
)  # fmt: skip


# Bits of floats


def _bits_to_float32(x: Datum) -> float:
    bits = checks.need_int("bits->float32", x) % (1 << 32)
    return float(struct.unpack("<f", bits.to_bytes(4, "little"))[0])


def _bits_to_float64(x: Datum) -> float:
    return float(struct.unpack("<d", struct.pack("<q", checks.need_int("bits->float64", x)))[0])


def _need_float(name: str, x: Datum) -> float:
    if type(x) is float:
        return x
    raise checks.expected(name, "a float", x)


def _float32_to_bits(x: Datum) -> int:
    value = _need_float("float32->bits", x)
    try:
        data = struct.pack("<f", value)
    except OverflowError:
        data = struct.pack("<f", math.copysign(math.inf, value))
    return int.from_bytes(data, "little")


def _float64_to_bits(x: Datum) -> int:
    return int(struct.unpack("<q", struct.pack("<d", _need_float("float64->bits", x)))[0])


_FLOAT_BITS = (
    row("bits->float32", "int", "float", _bits_to_float32,
        "The binary32 number of the low 32 bits of x.", without=_NO_WORDS),
    row("float32->bits", "float", "int", _float32_to_bits,
        "The 32 bits, unsigned, of the binary32 number nearest to x.", without=_NO_WORDS),
    row("bits->float64", "int", "float", _bits_to_float64,
        "The binary64 number of the 64 bits of x.", without=_NO_WORDS),
    row("float64->bits", "float", "int", _float64_to_bits,
        "The 64 bits of x as a signed integer.", without=_NO_WORDS),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = (*_BYTEVECTORS, *_MEMORY, *_FLOAT_BITS)
