/* Careful hand-written C for the programs of packed.l0: packed words in, packed words out. */
#include <stdint.h>
#include <string.h>

static inline int clamped(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

static inline uint32_t word(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Two pixels of RAW12 in three bytes, the high bytes first. */
void level(int64_t n, const uint8_t *restrict raw, int64_t black, uint8_t *restrict out)
{
    const int b = (int)black;
#pragma omp simd
    for (int64_t s = 0; s < n / 2; s++) {
        const int low = raw[3 * s + 2];
        const int x = raw[3 * s] << 4 | (low & 15);
        const int y = raw[3 * s + 1] << 4 | low >> 4;
        out[2 * s] = (uint8_t)clamped((x - b) * 17 >> 8, 0, 255);
        out[2 * s + 1] = (uint8_t)clamped((y - b) * 17 >> 8, 0, 255);
    }
}

/* Four pixels of RAW10 in five bytes. */
void level10(int64_t n, const uint8_t *restrict raw, int64_t black, uint8_t *restrict out)
{
    const int b = (int)black;
#pragma omp simd
    for (int64_t s = 0; s < n / 4; s++) {
        const uint8_t *const p = raw + 5 * s;
        const int low = p[4];
        for (int k = 0; k < 4; k++) {
            const int x = p[k] << 2 | (low >> 2 * k & 3);
            out[4 * s + k] = (uint8_t)clamped((x - b) * 17 >> 6, 0, 255);
        }
    }
}

/* Eight samples of 12 bits, the low bits first, in three words of 32 bits. */
int64_t sum(int64_t n, const uint8_t *restrict a)
{
    int64_t total = 0;
#pragma omp simd reduction(+:total)
    for (int64_t s = 0; s < n / 8; s++) {
        const uint32_t u = word(a + 12 * s), v = word(a + 12 * s + 4), w = word(a + 12 * s + 8);
        const int part = (int)((u & 4095) + (u >> 12 & 4095) + ((u >> 24 | v << 8) & 4095)
            + (v >> 4 & 4095) + (v >> 16 & 4095) + ((v >> 28 | w << 4) & 4095)
            + (w >> 8 & 4095) + (w >> 20));
        total += part;
    }
    for (int64_t i = n / 8 * 8; i < n; i++) {
        const int64_t at = 12 * i;
        total += (a[at / 8] | a[at / 8 + 1] << 8) >> at % 8 & 4095;
    }
    return total;
}

/* Sound of 24 bits, louder, as sound of 16. */
void gain(int64_t n, const uint8_t *restrict a, int64_t by, int16_t *restrict out)
{
    const int g = (int)by;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        const uint32_t bits = a[3 * i] | a[3 * i + 1] << 8 | (uint32_t)a[3 * i + 2] << 16;
        const int x = (int32_t)(bits << 8) >> 8;
        out[i] = (int16_t)clamped((int)((int64_t)x * g >> 16), -32768, 32767);
    }
}

/* RAW12 as 12 bits without gaps, the low bits first, after a black level. */
void repacked(int64_t n, const uint8_t *restrict raw, int64_t black, uint8_t *restrict out)
{
    const int b = (int)black;
#pragma omp simd
    for (int64_t s = 0; s < n / 2; s++) {
        const int low = raw[3 * s + 2];
        const int x = clamped((raw[3 * s] << 4 | (low & 15)) - b, 0, 4095);
        const int y = clamped((raw[3 * s + 1] << 4 | low >> 4) - b, 0, 4095);
        out[3 * s] = (uint8_t)x;
        out[3 * s + 1] = (uint8_t)(x >> 8 | y << 4);
        out[3 * s + 2] = (uint8_t)(y >> 4);
    }
}
