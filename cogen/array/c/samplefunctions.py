"""Functions of C that read and store single samples of packed memory.

    cogen_get_u12_3f9a1c(p, last, i)      sample i behind p
    cogen_put_u12_3f9a1c(p, i, v)         store the low bits of v there, over zeros

What they do is said in `cogen.array.loops.samples`. Words are read that lie within the memory, the
last one instead of what would go beyond, so the memory has 8 bytes at least. Loops that go through
packed memory in order do without them (`cogen.array.loops.strip_mine`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from cogen.array.c.runtimetext import library
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.storage import Samples
from cogen.array.loops.samples import in_bytes, name_of, read_samples
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree import types
from cogen.backends.ctree.literals import small

_P: Final = ct.CVariable("p", types.CPointer(types.CConst(types.U8)))
_OUT: Final = ct.CVariable("p", types.CPointer(types.U8))
_LAST: Final = ct.CVariable("last", types.CConst(types.I64))
_I: Final = ct.CVariable("i", types.CConst(types.I64))
_AT: Final = ct.CVariable("at", types.I64)
_BITS: Final = ct.CVariable("x", types.U64)


def sample_functions(parts: Iterable[str], arithmetic: Arithmetic) -> list[ct.Item]:
    """The functions that a text needs."""
    parts = list(parts)
    wanted = sorted([part for part in parts if part[:4] in ("get ", "put ")])
    if not wanted and "words" not in parts:
        return []
    gets = [read_samples(part[4:]) for part in wanted if part.startswith("get ")]
    puts = [read_samples(part[4:]) for part in wanted if part.startswith("put ")]
    texts = library("samples.h")
    head = [texts["words"]]
    if any(in_bytes(samples) is None for samples in gets):
        head.append(texts["fields"])
    if any(samples.kind == "float" and samples.size() == 16 for samples in gets):
        head.append(texts["half"])
    if any(in_bytes(samples) is None for samples in puts):
        head.append(texts["puts"])
    if any(samples.kind == "float" and samples.size() == 16 for samples in puts):
        head.append(texts["half_bits"])
    made = [_get(samples, arithmetic) for samples in gets]
    return [*head, *made, *[_put(samples) for samples in puts]]


def _get(samples: Samples, a: Arithmetic) -> ct.CFunction:
    return ct.CFunction(
        _result(samples, a), f"cogen_get_{name_of(samples)}", (_P, _LAST, _I),
        tuple(_reading(samples, a)), qualifiers="static inline",
    )  # fmt: skip


def _result(samples: Samples, a: Arithmetic) -> types.Type:
    if samples.is_real:
        return types.FLOAT if a.real_bits == 32 else types.DOUBLE
    return types.CBasic(f"int{a.int_bits}_t")


def _reading(samples: Samples, a: Arithmetic) -> list[ct.Statement]:
    whole = in_bytes(samples)
    if whole is not None:
        size = samples.pieces[0][0][1]
        word: ct.Expr = ct.CInvoke(f"cogen_word{size}", (_number_at(samples, _P),), types.U64)
        if samples.order == "big" and whole > 1:
            word = _turned(word, size)
        return [
            ct.CDo(ct.CCast(types.VOID, _LAST)), ct.CReturn(_value(samples, word, size, a)),
        ]  # fmt: skip
    return _each(samples, lambda place: [ct.CReturn(_value(samples, *_bits(samples, place), a))])


def _number_at(samples: Samples, base: ct.Expr) -> ct.Expr:
    """The address of a sample of whole bytes."""
    first = (samples.offset + samples.pieces[0][0][0]) // 8
    distance = ct.CBinary("*", _I, small(samples.step // 8))
    return ct.CBinary("+", base, ct.CBinary("+", small(first), distance))


def _turned(word: ct.Expr, size: int) -> ct.Expr:
    """A word with its bytes the other way round."""
    return ct.CInvoke("cogen_turned", (word, small(size)), types.U64)


def _each(
    samples: Samples, done: Callable[[int], list[ct.Statement]], *end: ct.Statement
) -> list[ct.Statement]:
    """What is done for a sample, by its place in its group; after it, but for a return, `end`."""
    count = small(len(samples.pieces))
    group: ct.Expr = _I if count.value == 1 else ct.CBinary("/", _I, count)
    moved = ct.CBinary("+", small(samples.offset), ct.CBinary("*", group, small(samples.step)))
    places = range(len(samples.pieces))
    found: list[ct.Statement] = [ct.CDeclare(types.CConst(types.I64), _AT.name, moved)]
    if len(places) == 1:
        return [*found, *done(0)]
    cases = [(None if place == places[-1] else place, (*done(place), *end)) for place in places]
    return [*found, ct.CSwitch(ct.CBinary("%", _I, count), tuple(cases))]


def _bits(samples: Samples, place: int) -> tuple[ct.Expr, int]:
    """The bits of a sample as one number, and how many there are."""
    found: ct.Expr | None = None
    total = 0
    for address, size in _parts(samples, samples.pieces[place]):
        given = (_P, _LAST, ct.CBinary("+", _AT, small(address)), small(size))
        part = ct.CInvoke(f"cogen_{samples.order}", given, types.U64)
        found = part if found is None else _beside(found, part, size)
        total += size
    assert found is not None
    return found, total


def _beside(high: ct.Expr, low: ct.Expr, size: int) -> ct.Expr:
    """Bits above so many others."""
    return ct.CBinary("|", ct.CBinary("<<", high, small(size)), low)


def _parts(samples: Samples, pieces: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """The pieces, the high bits first, such that each lies in a word of 8 bytes wherever it is."""
    found = []
    for address, size in pieces:
        fixed = samples.step % 8 == 0
        first = (samples.offset + address) % 8 if fixed else 7
        if first + size <= 64:
            found.append((address, size))
        elif samples.order == "big":
            found += [(address, size - 32), (address + size - 32, 32)]
        else:
            found += [(address + 32, size - 32), (address, 32)]
    return found


def _value(samples: Samples, bits: ct.Expr, size: int, a: Arithmetic) -> ct.Expr:
    """The value that the bits of a sample are, which are a number of type uint64_t."""
    if samples.kind == "float":
        found = _float(bits, size)
    elif samples.kind == "signed":
        found, left = bits, small(64 - size)
        if size < 64:
            found = ct.CBinary(">>", ct.CCast(types.I64, ct.CBinary("<<", bits, left)), left)
        else:
            found = ct.CCast(types.I64, bits)
    else:
        found = ct.CCast(types.I64, bits) if samples.scale is None else bits
    if samples.scale is not None:
        narrow = a.real_bits == 32 and samples.kind == "float" and size == 32
        scale = ct.CNumber(samples.scale, types.DOUBLE)
        found = ct.CBinary("*", ct.CCast(types.FLOAT if narrow else types.DOUBLE, found), scale)
    return ct.CCast(_result(samples, a), found)


def _float(bits: ct.Expr, size: int) -> ct.Expr:
    """The float that bits are."""
    if size == 16:
        return ct.CInvoke("cogen_half", (bits,), types.DOUBLE)
    if size == 32:
        return ct.CInvoke("cogen_float", (ct.CCast(types.U32, bits),), types.FLOAT)
    return ct.CInvoke("cogen_double", (bits,), types.DOUBLE)


def _put(samples: Samples) -> ct.CFunction:
    value = ct.CVariable("v", types.CConst(types.DOUBLE if samples.is_real else types.I64))
    bits = ct.CDeclare(types.CConst(types.U64), _BITS.name, _stored(samples, value))
    return ct.CFunction(
        types.VOID, f"cogen_put_{name_of(samples)}", (_OUT, _I, value),
        (bits, *_storing(samples)), qualifiers="static inline",
    )  # fmt: skip


def _stored(samples: Samples, value: ct.Expr) -> ct.Expr:
    """The bits that a value is stored as, the low ones of a uint64_t."""
    if not samples.is_real:
        return ct.CCast(types.U64, value)
    if samples.scale is not None:
        value = ct.CBinary("/", value, ct.CNumber(samples.scale, types.DOUBLE))
    if samples.kind == "float":
        size = samples.size()
        made = {16: "cogen_half_bits", 32: "cogen_float_bits", 64: "cogen_double_bits"}[size]
        return ct.CInvoke(made, (ct.CCast(types.FLOAT, value) if size == 32 else value,), types.U64)
    whole = ct.CInvoke("rint", (value,), types.DOUBLE)
    negative = ct.CBinary("<", whole, small(0))
    return ct.CChoose(
        negative, ct.CCast(types.U64, ct.CCast(types.I64, whole)), ct.CCast(types.U64, whole)
    )


def _storing(samples: Samples) -> list[ct.Statement]:
    whole = in_bytes(samples)
    if whole is not None:
        size = samples.pieces[0][0][1]
        word = _turned(_BITS, size) if samples.order == "big" and whole > 1 else _BITS
        place = _number_at(samples, _OUT)
        return [ct.CDo(ct.CInvoke(f"cogen_set{size}", (place, word), types.VOID))]
    return _each(samples, lambda place: _puts(samples, place), ct.CBreak())


def _puts(samples: Samples, place: int) -> list[ct.Statement]:
    left = samples.size(place)
    found: list[ct.Statement] = []
    for address, size in samples.pieces[place]:
        left -= size
        bits = ct.CBinary(">>", _BITS, small(left)) if left else _BITS
        where = ct.CBinary("+", _AT, small(address))
        given = (_OUT, where, small(size), bits)
        found.append(ct.CDo(ct.CInvoke(f"cogen_put_{samples.order}", given, types.VOID)))
    return found
