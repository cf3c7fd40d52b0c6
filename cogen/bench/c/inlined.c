/* The generic algorithms of the signal library in C: one `load_sample`, `store_sample` and loop for
   any size and stride, inlined into functions where size and stride are constants.  What a C
   compiler makes of genericity by itself.  Every function takes the inputs `a` and `b`, the output
   `out` and the number of samples (pixels) `n`, and gives a result or 0. */

#include <stdbool.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

enum { WORD = 32 };

INLINE uint64_t ones(int64_t size)
{
    return UINT64_MAX >> (64 - size);
}

INLINE int64_t load_sample(const uint32_t *words, int64_t p, int64_t size, bool is_signed)
{
    const int64_t q = p / WORD, r = p % WORD;
    uint64_t bits = words[q] >> r;
    if (r + size > WORD)
        bits |= (uint64_t)words[q + 1] << (WORD - r);
    bits &= ones(size);
    if (!is_signed)
        return (int64_t)bits;
    const int64_t sign = INT64_C(1) << (size - 1);
    return ((int64_t)bits ^ sign) - sign;
}

INLINE void store_in_word(uint32_t *words, int64_t q, int64_t r, int64_t size, uint64_t bits)
{
    const uint64_t mask = ones(size);
    words[q] = (uint32_t)((words[q] & ~(mask << r)) | (bits & mask) << r);
}

INLINE void store_sample(uint32_t *words, int64_t p, int64_t size, int64_t value)
{
    const int64_t q = p / WORD, r = p % WORD;
    if (r + size > WORD) {
        store_in_word(words, q, r, WORD - r, (uint64_t)value);
        store_in_word(words, q + 1, 0, size - (WORD - r), (uint64_t)value >> (WORD - r));
    } else {
        store_in_word(words, q, r, size, (uint64_t)value);
    }
}

INLINE int64_t sum(const uint8_t *a, int64_t n, int64_t size, int64_t stride, bool is_signed)
{
    const uint32_t *words = (const uint32_t *)a;
    int64_t total = 0;
    for (int64_t from = 0; from != n * stride; from += stride)
        total += load_sample(words, from, size, is_signed);
    return total;
}

#define SUM(name, size, is_signed)                                                                 \
    int64_t name(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out,      \
                 int64_t n)                                                                        \
    {                                                                                              \
        (void)b, (void)out;                                                                        \
        return sum(a, n, size, size, is_signed);                                                   \
    }

SUM(sum8, 8, false)
SUM(sum12, 12, false)
SUM(sum16, 16, false)
SUM(sum24, 24, true)

INLINE void grey_of(const uint32_t *colours, uint32_t *greys, int64_t n, int64_t size)
{
    for (int64_t p = 0, q = 0; q != n * size; p += 3 * size, q += size) {
        const int64_t red = load_sample(colours, p, size, false);
        const int64_t green = load_sample(colours, p + size, size, false);
        const int64_t blue = load_sample(colours, p + 2 * size, size, false);
        store_sample(greys, q, size, (77 * red + 150 * green + 29 * blue) >> 8);
    }
}

int64_t grey(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    grey_of((const uint32_t *)a, (uint32_t *)out, n, 8);
    return 0;
}

INLINE void mix(const uint32_t *a, const uint32_t *b, uint32_t *out, int64_t n, int64_t size)
{
    for (int64_t p = 0; p != n * size; p += size)
        store_sample(out, p, size,
                     (load_sample(a, p, size, true) + load_sample(b, p, size, true)) >> 1);
}

int64_t mix16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    mix((const uint32_t *)a, (const uint32_t *)b, (uint32_t *)out, n, 16);
    return 0;
}

INLINE void ramp(uint32_t *out, int64_t n, int64_t size, int64_t stride)
{
    for (int64_t p = 0, i = 0; p != n * stride; p += stride, i++)
        store_sample(out, p, size, i);
}

int64_t ramp8(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)a, (void)b;
    ramp((uint32_t *)out, n, 8, 8);
    return 0;
}

int64_t ramp16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)a, (void)b;
    ramp((uint32_t *)out, n, 8, 16);
    return 0;
}

INLINE void copy(const uint32_t *a, int64_t from, uint32_t *out, int64_t n, int64_t size,
                 int64_t out_size)
{
    for (int64_t i = 0; i < n; i++)
        store_sample(out, i * out_size, out_size, load_sample(a, from + i * size, size, false));
}

#define COPY(name, from, size, out_size)                                                           \
    int64_t name(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out,      \
                 int64_t n)                                                                        \
    {                                                                                              \
        (void)b;                                                                                   \
        copy((const uint32_t *)a, from, (uint32_t *)out, n, size, out_size);                       \
        return 0;                                                                                  \
    }

COPY(copy1, 3, 1, 1)
COPY(unpack12, 0, 12, 16)
COPY(pack12, 0, 16, 12)

INLINE int64_t clamp(int64_t x, int64_t size)
{
    const int64_t top = (INT64_C(1) << (size - 1)) - 1;
    return x > top ? top : x < ~top ? ~top : x;
}

INLINE void mix_saturated(const uint32_t *a, const uint32_t *b, uint32_t *out, int64_t n,
                          int64_t size)
{
    for (int64_t p = 0; p != n * size; p += size)
        store_sample(out, p, size,
                     clamp(load_sample(a, p, size, true) + load_sample(b, p, size, true), size));
}

int64_t mixsat16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    mix_saturated((const uint32_t *)a, (const uint32_t *)b, (uint32_t *)out, n, 16);
    return 0;
}

INLINE void filter(const uint32_t *a, uint32_t *out, int64_t n, int64_t size, const int *taps,
                   int count, int shift)
{
    for (int64_t i = 0; i < n - count + 1; i++) {
        int64_t sum = 0;
        for (int k = 0; k < count; k++)
            sum += taps[k] * load_sample(a, (i + count - 1 - k) * size, size, true);
        store_sample(out, i * size, size, clamp(sum >> shift, size));
    }
}

int64_t fir5(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    static const int taps[] = {1, 4, 6, 4, 1};
    filter((const uint32_t *)a, (uint32_t *)out, n, 16, taps, 5, 4);
    return 0;
}
