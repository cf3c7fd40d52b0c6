/* Careful hand-written C for each layout: plain portable loops, no intrinsics, shaped so that
   gcc and clang vectorise them: narrow accumulators inside blocks, whole words where samples
   straddle bytes.  Every function takes the inputs `a` and `b`, the output `out` and the number
   of samples (pixels) `n`, and gives a result or 0.  Little-endian hosts. */

#include <stdint.h>

/* A sum of 2^16 samples of 16 bits fits in 32 bits. */
enum { BLOCK = 1 << 16 };

int64_t sum8(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b, (void)out;
    int64_t total = 0;
    for (int64_t i = 0; i < n;) {
        const int64_t end = n - i < BLOCK ? n : i + BLOCK;
        uint32_t part = 0;
        for (; i < end; i++)
            part += a[i];
        total += part;
    }
    return total;
}

int64_t sum16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b, (void)out;
    const uint16_t *samples = (const uint16_t *)a;
    int64_t total = 0;
    for (int64_t i = 0; i < n;) {
        const int64_t end = n - i < BLOCK ? n : i + BLOCK;
        uint32_t part = 0;
        for (; i < end; i++)
            part += samples[i];
        total += part;
    }
    return total;
}

/* Eight samples in three words. */
int64_t sum12(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b, (void)out;
    const uint32_t *words = (const uint32_t *)a;
    const int64_t rounds = n / 8;
    int64_t total = 0;
    for (int64_t i = 0; i < rounds; i++) {
        const uint32_t x = words[3 * i], y = words[3 * i + 1], z = words[3 * i + 2];
        total += (x & 4095) + (x >> 12 & 4095) + (x >> 24 | (y & 15) << 8) + (y >> 4 & 4095)
            + (y >> 16 & 4095) + (y >> 28 | (z & 255) << 4) + (z >> 8 & 4095) + (z >> 20);
    }
    for (int64_t i = 8 * rounds; i < n; i++) {
        const uint8_t *byte = a + i / 2 * 3;
        total += i % 2 ? byte[1] >> 4 | byte[2] << 4 : byte[0] | (byte[1] & 15) << 8;
    }
    return total;
}

static inline int32_t extend24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

/* Four signed samples in three words. */
int64_t sum24(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b, (void)out;
    const uint32_t *words = (const uint32_t *)a;
    const int64_t rounds = n / 4;
    int64_t total = 0;
    for (int64_t i = 0; i < rounds; i++) {
        const uint32_t x = words[3 * i], y = words[3 * i + 1], z = words[3 * i + 2];
        total += extend24(x) + extend24(x >> 24 | y << 8) + extend24(y >> 16 | z << 16)
            + extend24(z >> 8);
    }
    for (int64_t i = 4 * rounds; i < n; i++)
        total += extend24((uint32_t)(a[3 * i] | a[3 * i + 1] << 8 | a[3 * i + 2] << 16));
    return total;
}

int64_t grey(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    for (int64_t i = 0; i < n; i++)
        out[i] = (uint8_t)((77u * a[3 * i] + 150u * a[3 * i + 1] + 29u * a[3 * i + 2]) >> 8);
    return 0;
}

int64_t mix16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    const int16_t *x = (const int16_t *)a, *y = (const int16_t *)b;
    int16_t *mixed = (int16_t *)out;
    for (int64_t i = 0; i < n; i++)
        mixed[i] = (int16_t)((x[i] + y[i]) >> 1);
    return 0;
}
