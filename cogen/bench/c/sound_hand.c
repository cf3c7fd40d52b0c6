/* Opponents of the case studies of sound and radio: packed bytes in, packed bytes out, block by
   block, so that each sample is taken out of its bytes once. */
#include <math.h>
#include <stdint.h>

enum { BLOCK = 256, MOST_TAPS = 64 };

static inline int64_t clamped(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* `n` results: 24 bits -> filter, gain, noise -> 16 bits. */
void master(int64_t n, const uint8_t *restrict in, const int8_t *restrict noise, int64_t gain,
            int count, const int32_t *restrict taps, int16_t *restrict out)
{
    for (int64_t start = 0; start < n; start += BLOCK) {
        const int here = (int)(n - start < BLOCK ? n - start : BLOCK);
        int32_t x[BLOCK + MOST_TAPS];
        int64_t sums[BLOCK];
        const uint8_t *const p = in + 3 * start;
        for (int j = 0; j < here + count - 1; j++) {
            x[j] = (int32_t)((uint32_t)p[3 * j] << 8 | (uint32_t)p[3 * j + 1] << 16
                             | (uint32_t)p[3 * j + 2] << 24) >> 8;
        }
        for (int j = 0; j < here; j++) {
            sums[j] = 0;
        }
        for (int k = 0; k < count; k++) {
            const int64_t tap = taps[k];
            for (int j = 0; j < here; j++) {
                sums[j] += tap * x[j + k];
            }
        }
        for (int j = 0; j < here; j++) {
            const int64_t louder = (sums[j] >> 12) * gain >> 12;
            out[start + j] = (int16_t)clamped((louder + noise[start + j] + 128) >> 8, -32768, 32767);
        }
    }
}

/* `n` results: I and Q of 12 bits -> every eighth of a complex filter -> magnitude of 16 bits. */
void strength(int64_t n, const uint8_t *restrict in, int count, const int32_t *restrict real,
              const int32_t *restrict imaginary, uint16_t *restrict out)
{
    for (int64_t start = 0; start < n; start += BLOCK) {
        const int here = (int)(n - start < BLOCK ? n - start : BLOCK);
        int32_t x[8 * BLOCK + MOST_TAPS], y[8 * BLOCK + MOST_TAPS];
        const uint8_t *const p = in + 24 * start;
        for (int j = 0; j < 8 * (here - 1) + count; j++) {
            x[j] = (int32_t)((uint32_t)p[3 * j] << 20 | (uint32_t)(p[3 * j + 1] & 15) << 28) >> 20;
            y[j] = (int32_t)((uint32_t)(p[3 * j + 1] >> 4) << 20 | (uint32_t)p[3 * j + 2] << 24)
                >> 20;
        }
        for (int j = 0; j < here; j++) {
            int32_t i = 0, q = 0;
            for (int k = 0; k < count; k++) {
                i += real[k] * x[8 * j + k] - imaginary[k] * y[8 * j + k];
                q += real[k] * y[8 * j + k] + imaginary[k] * x[8 * j + k];
            }
            const int64_t a = i >> 11, b = q >> 11;
            out[start + j] = (uint16_t)clamped((int64_t)rint(sqrt((double)(a * a + b * b))), 0,
                                               65535);
        }
    }
}
