/* How packed memory is read and written (cogen/array/c/samplefunctions.py). */

/* ---- words ---- */
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

/* ---- fields ---- */
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

/* ---- puts ---- */
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

/* ---- half ---- */
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

/* ---- half_bits ---- */
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
