"""Functions of C that read and store single samples of packed memory.

    cogen_get_u12_3f9a1c(p, last, i)      sample i behind p
    cogen_put_u12_3f9a1c(p, i, v)         store the low bits of v there, over zeros

What they do is said in `cogen.array.loops.samples`. Words are read that lie within the memory, the
last one instead of what would go beyond, so the memory has 8 bytes at least. Loops that go through
packed memory in order do without them (`cogen.array.loops.strips`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.storage import Samples
from cogen.array.loops.samples import in_bytes, name_of, read_samples
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.types import (
    DOUBLE,
    FLOAT,
    I64,
    U8,
    U32,
    U64,
    VOID,
    CBasic,
    CConst,
    CPointer,
    Type,
)

_C_HEAD: Final = """\
/* Words of packed memory, which is little-endian. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define COGEN_LITTLE(bits, x) __builtin_bswap##bits(x)
#define COGEN_BIG(bits, x) (x)
#else
#define COGEN_LITTLE(bits, x) (x)
#define COGEN_BIG(bits, x) __builtin_bswap##bits(x)
#endif
static inline uint64_t cogen_word8(const uint8_t *p)
{
    return *p;
}
static inline uint64_t cogen_word16(const uint8_t *p)
{
    uint16_t x;
    memcpy(&x, p, sizeof x);
    return COGEN_LITTLE(16, x);
}
static inline uint64_t cogen_word32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return COGEN_LITTLE(32, x);
}
static inline uint64_t cogen_word64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return COGEN_LITTLE(64, x);
}
static inline void cogen_set8(uint8_t *p, uint64_t v)
{
    *p = (uint8_t)v;
}
static inline void cogen_set16(uint8_t *p, uint64_t v)
{
    const uint16_t x = COGEN_LITTLE(16, (uint16_t)v);
    memcpy(p, &x, sizeof x);
}
static inline void cogen_set32(uint8_t *p, uint64_t v)
{
    const uint32_t x = COGEN_LITTLE(32, (uint32_t)v);
    memcpy(p, &x, sizeof x);
}
static inline void cogen_set64(uint8_t *p, uint64_t v)
{
    const uint64_t x = COGEN_LITTLE(64, v);
    memcpy(p, &x, sizeof x);
}
static inline uint64_t cogen_word32_big(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return COGEN_BIG(32, x);
}
static inline uint64_t cogen_turned(uint64_t x, int bits)
{
    return __builtin_bswap64(x) >> (64 - bits);
}
static inline float cogen_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline double cogen_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint64_t cogen_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}
static inline uint64_t cogen_double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}
"""

_FIELDS: Final = """\
/* So many bits from an address on, in either order. */
static inline uint64_t cogen_little(const uint8_t *p, int64_t last, int64_t at, int size)
{
    const int64_t byte = at >> 3;
    const int64_t from = byte < last ? byte : last;
    return cogen_word64(p + from) >> (at - 8 * from) & ~(uint64_t)0 >> (64 - size);
}
static inline uint64_t cogen_big(const uint8_t *p, int64_t last, int64_t at, int size)
{
    const int64_t byte = at >> 3;
    const int64_t from = byte < last ? byte : last;
    const uint64_t word = cogen_turned(cogen_word64(p + from), 64);
    return word >> (64 - (at - 8 * from) - size) & ~(uint64_t)0 >> (64 - size);
}
"""

_PUTS: Final = """\
/* Store so many bits from an address on, over zeros. */
static inline void cogen_put_little(uint8_t *p, int64_t at, int size, uint64_t x)
{
    while (size > 0) {
        const int here = size < 8 - (int)(at & 7) ? size : 8 - (int)(at & 7);
        p[at >> 3] |= (uint8_t)((x & ((1u << here) - 1)) << (at & 7));
        x >>= here;
        at += here;
        size -= here;
    }
}
static inline void cogen_put_big(uint8_t *p, int64_t at, int size, uint64_t x)
{
    while (size > 0) {
        const int room = 8 - (int)(at & 7);
        const int here = size < room ? size : room;
        p[at >> 3] |= (uint8_t)((x >> (size - here) & ((1u << here) - 1)) << (room - here));
        at += here;
        size -= here;
    }
}
"""

_HALF: Final = """\
/* The number that 16 bits are. */
static inline double cogen_half(uint64_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const int digits = (int)(bits & 1023);
    if (exponent == 31) {
        const uint64_t sign = bits >> 15 & 1;
        return cogen_double(sign << 63 | (uint64_t)2047 << 52 | (uint64_t)digits << 42);
    }
    const double size = exponent == 0 ? ldexp((double)digits, -24)
        : ldexp((double)(digits + 1024), exponent - 25);
    return bits >> 15 & 1 ? -size : size;
}
"""

_HALF_BITS: Final = """\
/* The 16 bits of a number that they hold. */
static inline uint64_t cogen_half_bits(double x)
{
    const uint64_t sign = signbit(x) ? 0x8000 : 0;
    const double size = fabs(x);
    if (x != x) {
        const uint64_t digits = cogen_double_bits(x) >> 42 & 1023;
        return sign | 0x7c00 | (digits ? digits : 1);
    }
    if (!(size < 65520.0)) {
        return sign | 0x7c00;
    }
    if (size < 0x1p-14) {
        return sign | (uint64_t)rint(ldexp(size, 24));
    }
    int exponent;
    (void)frexp(size, &exponent);
    const uint64_t digits = (uint64_t)rint(ldexp(size, 11 - exponent));
    return sign | (((uint64_t)(exponent + 14) << 10) + digits - 1024);
}
"""


_P: Final = ct.CVariable("p", CPointer(CConst(U8)))
_OUT: Final = ct.CVariable("p", CPointer(U8))
_LAST: Final = ct.CVariable("last", CConst(I64))
_I: Final = ct.CVariable("i", CConst(I64))
_AT: Final = ct.CVariable("at", I64)
_BITS: Final = ct.CVariable("x", U64)


def sample_functions(parts: Iterable[str], arithmetic: Arithmetic) -> list[ct.Item]:
    """The functions that a text needs."""
    parts = list(parts)
    wanted = sorted([part for part in parts if part[:4] in ("get ", "put ")])
    if not wanted and "words" not in parts:
        return []
    gets = [read_samples(part[4:]) for part in wanted if part.startswith("get ")]
    puts = [read_samples(part[4:]) for part in wanted if part.startswith("put ")]
    head = [_C_HEAD]
    if any(in_bytes(samples) is None for samples in gets):
        head.append(_FIELDS)
    if any(samples.kind == "float" and samples.size() == 16 for samples in gets):
        head.append(_HALF)
    if any(in_bytes(samples) is None for samples in puts):
        head.append(_PUTS)
    if any(samples.kind == "float" and samples.size() == 16 for samples in puts):
        head.append(_HALF_BITS)
    made = [_get(samples, arithmetic) for samples in gets]
    return [*map(ct.CLibrary, head), *made, *[_put(samples) for samples in puts]]


def _get(samples: Samples, a: Arithmetic) -> ct.CFunction:
    return ct.CFunction(
        _result(samples, a), f"cogen_get_{name_of(samples)}", (_P, _LAST, _I),
        tuple(_reading(samples, a)), qualifiers="static inline",
    )  # fmt: skip


def _result(samples: Samples, a: Arithmetic) -> Type:
    if samples.is_real:
        return FLOAT if a.real_bits == 32 else DOUBLE
    return CBasic(f"int{a.int_bits}_t")


def _reading(samples: Samples, a: Arithmetic) -> list[ct.Statement]:
    whole = in_bytes(samples)
    if whole is not None:
        size = samples.pieces[0][0][1]
        word: ct.Expr = ct.CInvoke(f"cogen_word{size}", (_number_at(samples, _P),), U64)
        if samples.order == "big" and whole > 1:
            word = _turned(word, size)
        return [
            ct.CDo(ct.CCast(VOID, _LAST)), ct.CReturn(_value(samples, word, size, a)),
        ]  # fmt: skip
    return _each(samples, lambda place: [ct.CReturn(_value(samples, *_bits(samples, place), a))])


def _number_at(samples: Samples, base: ct.Expr) -> ct.Expr:
    """The address of a sample of whole bytes."""
    first = (samples.offset + samples.pieces[0][0][0]) // 8
    distance = ct.CBinary("*", _I, small(samples.step // 8))
    return ct.CBinary("+", base, ct.CBinary("+", small(first), distance))


def _turned(word: ct.Expr, size: int) -> ct.Expr:
    """A word with its bytes the other way round."""
    return ct.CInvoke("cogen_turned", (word, small(size)), U64)


def _each(
    samples: Samples, done: Callable[[int], list[ct.Statement]], *end: ct.Statement
) -> list[ct.Statement]:
    """What is done for a sample, by its place in its group; after it, but for a return, `end`."""
    count = small(len(samples.pieces))
    group: ct.Expr = _I if count.value == 1 else ct.CBinary("/", _I, count)
    moved = ct.CBinary("+", small(samples.offset), ct.CBinary("*", group, small(samples.step)))
    places = range(len(samples.pieces))
    found: list[ct.Statement] = [ct.CDeclare(CConst(I64), _AT.name, moved)]
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
        part = ct.CInvoke(f"cogen_{samples.order}", given, U64)
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
            found = ct.CBinary(">>", ct.CCast(I64, ct.CBinary("<<", bits, left)), left)
        else:
            found = ct.CCast(I64, bits)
    else:
        found = ct.CCast(I64, bits) if samples.scale is None else bits
    if samples.scale is not None:
        narrow = a.real_bits == 32 and samples.kind == "float" and size == 32
        scale = ct.CNumber(samples.scale, DOUBLE)
        found = ct.CBinary("*", ct.CCast(FLOAT if narrow else DOUBLE, found), scale)
    return ct.CCast(_result(samples, a), found)


def _float(bits: ct.Expr, size: int) -> ct.Expr:
    """The float that bits are."""
    if size == 16:
        return ct.CInvoke("cogen_half", (bits,), DOUBLE)
    if size == 32:
        return ct.CInvoke("cogen_float", (ct.CCast(U32, bits),), FLOAT)
    return ct.CInvoke("cogen_double", (bits,), DOUBLE)


def _put(samples: Samples) -> ct.CFunction:
    value = ct.CVariable("v", CConst(DOUBLE if samples.is_real else I64))
    bits = ct.CDeclare(CConst(U64), _BITS.name, _stored(samples, value))
    return ct.CFunction(
        VOID, f"cogen_put_{name_of(samples)}", (_OUT, _I, value),
        (bits, *_storing(samples)), qualifiers="static inline",
    )  # fmt: skip


def _stored(samples: Samples, value: ct.Expr) -> ct.Expr:
    """The bits that a value is stored as, the low ones of a uint64_t."""
    if not samples.is_real:
        return ct.CCast(U64, value)
    if samples.scale is not None:
        value = ct.CBinary("/", value, ct.CNumber(samples.scale, DOUBLE))
    if samples.kind == "float":
        size = samples.size()
        made = {16: "cogen_half_bits", 32: "cogen_float_bits", 64: "cogen_double_bits"}[size]
        return ct.CInvoke(made, (ct.CCast(FLOAT, value) if size == 32 else value,), U64)
    whole = ct.CInvoke("rint", (value,), DOUBLE)
    negative = ct.CBinary("<", whole, small(0))
    return ct.CChoose(negative, ct.CCast(U64, ct.CCast(I64, whole)), ct.CCast(U64, whole))


def _storing(samples: Samples) -> list[ct.Statement]:
    whole = in_bytes(samples)
    if whole is not None:
        size = samples.pieces[0][0][1]
        word = _turned(_BITS, size) if samples.order == "big" and whole > 1 else _BITS
        place = _number_at(samples, _OUT)
        return [ct.CDo(ct.CInvoke(f"cogen_set{size}", (place, word), VOID))]
    return _each(samples, lambda place: _puts(samples, place), ct.CBreak())


def _puts(samples: Samples, place: int) -> list[ct.Statement]:
    left = samples.size(place)
    found: list[ct.Statement] = []
    for address, size in samples.pieces[place]:
        left -= size
        bits = ct.CBinary(">>", _BITS, small(left)) if left else _BITS
        where = ct.CBinary("+", _AT, small(address))
        given = (_OUT, where, small(size), bits)
        found.append(ct.CDo(ct.CInvoke(f"cogen_put_{samples.order}", given, VOID)))
    return found
