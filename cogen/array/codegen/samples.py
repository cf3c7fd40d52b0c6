"""Functions of C, and of OpenCL C, that read and store single samples of packed memory.

    cogen_get_u12_3f9a1c(p, last, i)      sample i behind p
    cogen_put_u12_3f9a1c(p, i, v)         store the low bits of v there, over zeros

What they do is said in `cogen.array.loops.samples`. Words are read that lie within the memory, the
last one instead of what would go beyond, so the memory has 8 bytes at least. Loops that go through
packed memory in order do without them (`cogen.array.loops.strips`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops.samples import in_bytes, name_of, read_samples
from cogen.array.storage import Samples

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

_CL_HEAD: Final = """\
#define cogen_word8(p) ((uint64_t)*(p))
#define cogen_word16(p) ((uint64_t)as_ushort(vload2(0, p)))
#define cogen_word32(p) ((uint64_t)as_uint(vload4(0, p)))
#define cogen_word64(p) as_ulong(vload8(0, p))
#define cogen_turned(x, bits) (as_ulong(as_uchar8(x).s76543210) >> (64 - (bits)))
#define cogen_float(bits) as_float(bits)
#define cogen_double(bits) as_double(bits)
"""

_FIELDS: Final = """\
/* So many bits from an address on, in either order. */
static inline uint64_t cogen_little(SPACEconst uint8_t *p, int64_t last, int64_t at, int size)
{
    const int64_t byte = at >> 3;
    const int64_t from = byte < last ? byte : last;
    return cogen_word64(p + from) >> (at - 8 * from) & ~(uint64_t)0 >> (64 - size);
}
static inline uint64_t cogen_big(SPACEconst uint8_t *p, int64_t last, int64_t at, int size)
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


def sample_functions(parts: Iterable[str], arithmetic: Arithmetic, space: str = "") -> list[str]:
    """The functions that a text needs; of OpenCL C, with the address space of memory."""
    parts = list(parts)
    wanted = sorted([part for part in parts if part[:4] in ("get ", "put ")])
    if not wanted and "words" not in parts:
        return []
    gets = [read_samples(part[4:]) for part in wanted if part.startswith("get ")]
    puts = [read_samples(part[4:]) for part in wanted if part.startswith("put ")]
    head = [_CL_HEAD if space else _C_HEAD]
    if any(in_bytes(samples) is None for samples in gets):
        head.append(_FIELDS.replace("SPACE", f"{space} " if space else ""))
    if any(samples.kind == "float" and samples.size() == 16 for samples in gets):
        head.append(_HALF)
    if any(in_bytes(samples) is None for samples in puts):
        head.append(_PUTS)
    if any(samples.kind == "float" and samples.size() == 16 for samples in puts):
        head.append(_HALF_BITS)
    head += [_get(samples, arithmetic, space) for samples in gets]
    return head + [_put(samples) for samples in puts]


def _get(samples: Samples, a: Arithmetic, space: str) -> str:
    result = _result(samples, a)
    head = (
        f"static inline {result} cogen_get_{name_of(samples)}"
        f"({space + ' ' if space else ''}const uint8_t *p, const int64_t last, const int64_t i)"
    )
    return "\n".join([head, "{", *[f"    {line}" for line in _reading(samples, a)], "}", ""])


def _result(samples: Samples, a: Arithmetic) -> str:
    if samples.is_real:
        return "float" if a.real_bits == 32 else "double"
    return f"int{a.int_bits}_t"


def _reading(samples: Samples, a: Arithmetic) -> list[str]:
    whole = in_bytes(samples)
    if whole is not None:
        ((address, size),) = samples.pieces[0]
        first = (samples.offset + address) // 8
        word = f"cogen_word{size}(p + ({first} + i * {samples.step // 8}))"
        if samples.order == "big" and whole > 1:
            word = f"cogen_turned({word}, {size})"
        return ["(void)last;", f"return {value_text(samples, word, size, a)};"]
    count = len(samples.pieces)
    lines = [f"const int64_t at = {samples.offset} + {_group(count)} * {samples.step};"]
    if count == 1:
        bits, size = _bits(samples, 0)
        return [*lines, f"return {value_text(samples, bits, size, a)};"]
    lines.append(f"switch (i % {count}) {{")
    for place in range(count):
        bits, size = _bits(samples, place)
        label = f"case {place}" if place < count - 1 else "default"
        lines.append(f"{label}: return {value_text(samples, bits, size, a)};")
    return [*lines, "}"]


def _group(count: int) -> str:
    return "i" if count == 1 else f"(i / {count})"


def _bits(samples: Samples, place: int) -> tuple[str, int]:
    """The bits of a sample as one number, and how many there are."""
    found = ""
    total = 0
    for address, size in _parts(samples, samples.pieces[place]):
        part = f"cogen_{samples.order}(p, last, at + {address}, {size})"
        found = part if not found else f"({found} << {size} | {part})"
        total += size
    return found, total


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


def value_text(samples: Samples, bits: str, size: int, a: Arithmetic) -> str:
    """The value that the bits of a sample are, which are an expression of type uint64_t."""
    real = _result(samples, a)
    if samples.kind == "float":
        made = {16: f"cogen_half({bits})", 32: f"cogen_float((uint32_t)({bits}))"}
        found = made.get(size, f"cogen_double({bits})")
    elif samples.kind == "signed":
        left = 64 - size
        found = f"(int64_t)({bits})" if not left else f"(int64_t)(({bits}) << {left}) >> {left}"
    elif samples.scale is None:
        found = f"(int64_t)({bits})"
    else:
        found = bits
    if samples.scale is not None:
        wide = "float" if a.real_bits == 32 and samples.kind == "float" and size == 32 else "double"
        return f"({real})(({wide})({found}) * {_number(samples.scale)})"
    return f"({real})({found})"


def _number(x: float) -> str:
    return f"({x!r})" if x < 0 else repr(x)


def _put(samples: Samples) -> str:
    given = "double" if samples.is_real else "int64_t"
    head = (
        f"static inline void cogen_put_{name_of(samples)}"
        f"(uint8_t *p, const int64_t i, const {given} v)"
    )
    lines = [f"const uint64_t x = {bits_text(samples, 'v')};", *_storing(samples)]
    return "\n".join([head, "{", *[f"    {line}" for line in lines], "}", ""])


def bits_text(samples: Samples, value: str) -> str:
    """The bits that a value is stored as, the low ones of a uint64_t."""
    if not samples.is_real:
        return f"(uint64_t){value}"
    if samples.scale is not None:
        value = f"({value} / {_number(samples.scale)})"
    if samples.kind == "float":
        size = samples.size()
        made = {16: "cogen_half_bits", 32: "cogen_float_bits", 64: "cogen_double_bits"}[size]
        return f"{made}({'(float)' if size == 32 else ''}{value})"
    whole = f"rint({value})"
    return f"{whole} < 0 ? (uint64_t)(int64_t){whole} : (uint64_t){whole}"


def _storing(samples: Samples) -> list[str]:
    whole = in_bytes(samples)
    if whole is not None:
        ((address, size),) = samples.pieces[0]
        first = (samples.offset + address) // 8
        word = f"cogen_turned(x, {size})" if samples.order == "big" and whole > 1 else "x"
        return [f"cogen_set{size}(p + ({first} + i * {samples.step // 8}), {word});"]
    count = len(samples.pieces)
    lines = [f"const int64_t at = {samples.offset} + {_group(count)} * {samples.step};"]
    if count == 1:
        return [*lines, *_puts(samples, 0)]
    lines.append(f"switch (i % {count}) {{")
    for place in range(count):
        label = f"case {place}" if place < count - 1 else "default"
        lines += [f"{label}:", *_puts(samples, place), "break;"]
    return [*lines, "}"]


def _puts(samples: Samples, place: int) -> list[str]:
    left = samples.size(place)
    found = []
    for address, size in samples.pieces[place]:
        left -= size
        bits = f"x >> {left}" if left else "x"
        found.append(f"cogen_put_{samples.order}(p, at + {address}, {size}, {bits});")
    return found
