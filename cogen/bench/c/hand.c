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

int64_t ramp8(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)a, (void)b;
    for (int64_t i = 0; i < n; i++)
        out[i] = (uint8_t)i;
    return 0;
}

/* Every other byte; the bytes between stay. */
int64_t ramp16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)a, (void)b;
    uint16_t *pairs = (uint16_t *)out;
    for (int64_t i = 0; i < n; i++)
        pairs[i] = (uint16_t)((pairs[i] & 0xff00) | (uint8_t)i);
    return 0;
}

/* A copy of bits from bit 3 on to bit 0. */
int64_t copy1(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    const uint32_t *from = (const uint32_t *)a;
    uint32_t *to = (uint32_t *)out;
    for (int64_t i = 0; i < n / 32; i++)
        to[i] = from[i] >> 3 | from[i + 1] << 29;
    return 0;
}

int64_t unpack12(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    uint16_t *to = (uint16_t *)out;
    for (int64_t i = 0; i < n / 2; i++) {
        to[2 * i] = (uint16_t)(a[3 * i] | (a[3 * i + 1] & 15) << 8);
        to[2 * i + 1] = (uint16_t)(a[3 * i + 1] >> 4 | a[3 * i + 2] << 4);
    }
    return 0;
}

int64_t pack12(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    const uint16_t *from = (const uint16_t *)a;
    for (int64_t i = 0; i < n / 2; i++) {
        const unsigned x = from[2 * i], y = from[2 * i + 1];
        out[3 * i] = (uint8_t)x;
        out[3 * i + 1] = (uint8_t)((x >> 8 & 15) | (y & 15) << 4);
        out[3 * i + 2] = (uint8_t)(y >> 4);
    }
    return 0;
}

int64_t mixsat16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    const int16_t *x = (const int16_t *)a, *y = (const int16_t *)b;
    int16_t *mixed = (int16_t *)out;
    for (int64_t i = 0; i < n; i++) {
        const int sum = x[i] + y[i];
        mixed[i] = (int16_t)(sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum);
    }
    return 0;
}

int64_t fir5(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    const int16_t *x = (const int16_t *)a;
    int16_t *y = (int16_t *)out;
    for (int64_t i = 0; i < n - 4; i++)
        y[i] = (int16_t)((x[i] + 4 * x[i + 1] + 6 * x[i + 2] + 4 * x[i + 3] + x[i + 4]) >> 4);
    return 0;
}

/* Rows of 768 pixels; eight pixels, compared with the row's thresholds, are a byte. */
int64_t dither(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    static const uint8_t matrix[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    enum { WIDTH = 768 };
    for (int64_t y = 0; y < n / WIDTH; y++) {
        uint8_t levels[8];
        for (int k = 0; k < 8; k++)
            levels[k] = (uint8_t)(256 * (2 * matrix[y % 4][k % 4] + 1) / 32);
        const uint8_t *row = a + WIDTH * y;
        uint8_t *bits = out + WIDTH / 8 * y;
        for (int64_t i = 0; i < WIDTH / 8; i++) {
            unsigned byte = 0;
            for (int k = 0; k < 8; k++)
                byte |= (unsigned)(row[8 * i + k] >= levels[k]) << k;
            bits[i] = (uint8_t)byte;
        }
    }
    return 0;
}

/* Two letters at a time from a table of 4096 pairs; n is a multiple of 3. */
int64_t base64(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static uint16_t pairs[4096];
    if (pairs[0] == 0)
        for (int i = 0; i < 4096; i++)
            pairs[i] = (uint16_t)(letters[i >> 6] | letters[i & 63] << 8);
    uint16_t *to = (uint16_t *)out;
    for (int64_t i = 0; i < n / 3; i++) {
        const unsigned x = (unsigned)(a[3 * i] << 16 | a[3 * i + 1] << 8 | a[3 * i + 2]);
        to[2 * i] = pairs[x >> 12];
        to[2 * i + 1] = pairs[x & 4095];
    }
    return n / 3 * 4;
}

/* Runs of at most 255 (counts in a, values in b); stores 16 bytes at a time, over the end of a run:
   the next one overwrites what is too much.  `out` has 255 bytes to spare. */
int64_t rle(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    uint8_t *to = out;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t run = b[i] * UINT64_C(0x0101010101010101);
        const int64_t count = a[i];
        for (int64_t k = 0; k < count; k += 16) {
            __builtin_memcpy(to + k, &run, 8);
            __builtin_memcpy(to + k + 8, &run, 8);
        }
        to += count;
    }
    return to - out;
}

/* A byte below 128 is a value, another one the high bits of a value whose low byte follows.  Eight
   bytes at a time: in each row of bytes above 127 every other one leads, which a subtraction finds
   that carries along the row (after Lemire and Langdale's search for escaped characters).  Leads
   count 256 times without their highest bit, all other bytes once. */
int64_t escaped(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b, (void)out;
    const uint64_t ones = UINT64_C(0x0101010101010101), odd = UINT64_C(0x0100010001000100);
    const uint64_t pairs = UINT64_C(0x00ff00ff00ff00ff), all = UINT64_C(0x0001000100010001);
    uint64_t led = 0;
    int64_t total = 0;
    for (int64_t i = 0; i < n / 8; i++) {
        uint64_t word;
        __builtin_memcpy(&word, a + 8 * i, 8);
        const uint64_t high = word >> 7 & ones, possible = high & ~led;
        const uint64_t leads = (((possible << 8 | odd) - possible) ^ odd) & high;
        led = leads >> 56;
        const uint64_t lead_bytes = leads * 255;
        const uint64_t low = word & ~lead_bytes, upper = word & (lead_bytes ^ leads << 7);
        const uint64_t sums = (low & pairs) + (low >> 8 & pairs);
        const uint64_t upper_sums = (upper & pairs) + (upper >> 8 & pairs);
        total += (int64_t)(sums * all >> 48) + 256 * (int64_t)(upper_sums * all >> 48);
    }
    for (int64_t i = n / 8 * 8; i < n; i++) {
        const int64_t lead = a[i] >> 7 && !led;
        total += lead ? (a[i] & 127) * 256 : a[i];
        led = (uint64_t)lead;
    }
    return total;
}

/* The product of n values of 16 bits, which stand in `a` after their indices, with the samples of
   `b` at these indices. */
int64_t sparsedot(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)out;
    const uint16_t *indices = (const uint16_t *)a, *values = indices + n;
    const uint16_t *dense = (const uint16_t *)b;
    int64_t total = 0;
    for (int64_t i = 0; i < n; i++)
        total += (int64_t)values[i] * dense[indices[i]];
    return total;
}

/* Four tables in turn, so that a sample need not wait for the count of the one before it. */
int64_t histogram(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    uint32_t *bins = (uint32_t *)out;
    uint32_t parts[4][256] = {{0}};
    int64_t i = 0;
    for (; i < n - 3; i += 4)
        for (int k = 0; k < 4; k++)
            parts[k][a[i + k]]++;
    for (; i < n; i++)
        parts[0][a[i]]++;
    for (int k = 0; k < 256; k++)
        bins[k] += parts[0][k] + parts[1][k] + parts[2][k] + parts[3][k];
    return 0;
}

int64_t delta16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    const uint16_t *x = (const uint16_t *)a;
    uint16_t *d = (uint16_t *)out;
    d[0] = x[0];
    for (int64_t i = 1; i < n; i++)
        d[i] = (uint16_t)(x[i] - x[i - 1]);
    return 0;
}

int64_t undelta16(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    const uint16_t *d = (const uint16_t *)a;
    uint16_t *x = (uint16_t *)out;
    uint16_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum = (uint16_t)(sum + d[i]);
        x[i] = sum;
    }
    return 0;
}

/* Floyd and Steinberg, rows of 768 pixels from left to right; column c of the errors, in
   sixteenths, is complete when column c + 1 of the row above is done. */
int64_t diffuse(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    enum { WIDTH = 768 };
    int16_t errors[WIDTH + 2] = {0};
    for (int64_t y = 0; y < n / WIDTH; y++) {
        const uint8_t *row = a + WIDTH * y;
        uint8_t *bits = out + WIDTH / 8 * y;
        int right = 0, last = 0, before = 0;
        for (int64_t i = 0; i < WIDTH / 8; i++) {
            unsigned byte = 0;
            for (int k = 0; k < 8; k++) {
                const int x = row[8 * i + k] + ((right + errors[8 * i + k + 1]) >> 4);
                const int white = x > 127;
                const int e = white ? x - 255 : x;
                byte |= (unsigned)white << k;
                errors[8 * i + k] = (int16_t)(3 * e + 5 * last + before);
                right = 7 * e;
                before = last;
                last = e;
            }
            bits[i] = (uint8_t)byte;
        }
        errors[WIDTH] = (int16_t)(5 * last + before);
    }
    return 0;
}

/* IMA ADPCM: samples of 4 bits, the low ones first. */
int64_t adpcm(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b;
    static const int16_t steps[89] = {
        7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73,
        80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494,
        544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499,
        2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442,
        11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
    static const int8_t changes[8] = {-1, -1, -1, -1, 2, 4, 6, 8};
    int16_t *to = (int16_t *)out;
    int level = 0, index = 0;
    for (int64_t i = 0; i < n; i++) {
        const int x = a[i / 2] >> (i % 2 * 4) & 15, step = steps[index];
        int change = step >> 3;
        if (x & 1) change += step >> 2;
        if (x & 2) change += step >> 1;
        if (x & 4) change += step;
        level = x & 8 ? level - change : level + change;
        level = level < INT16_MIN ? INT16_MIN : level > INT16_MAX ? INT16_MAX : level;
        index += changes[x & 7];
        index = index < 0 ? 0 : index > 88 ? 88 : index;
        to[i] = (int16_t)level;
    }
    return level;
}

/* How many samples of 4 bits are 5, where all are counted. */
int64_t counts4(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict out, int64_t n)
{
    (void)b, (void)out;
    int64_t counts[16] = {0};
    for (int64_t i = 0; i < n / 2; i++) {
        counts[a[i] & 15]++;
        counts[a[i] >> 4]++;
    }
    return counts[5];
}
