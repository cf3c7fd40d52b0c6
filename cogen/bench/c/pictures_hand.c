/* Opponent of the case study of pictures: RAW12 to colours of 8 bits and half the size. */
#include <stdint.h>
#include <string.h>

static inline int look(const uint8_t *table, int value, int black, int gain)
{
    const int x = (value - black) * gain >> 8;
    return table[x < 0 ? 0 : x > 4095 ? 4095 : x];
}

/* Two sensors of a row in three bytes: the high bytes first, then the low halves. */
void develop(int64_t width, int64_t height, const uint8_t *restrict raw,
             const uint8_t *restrict table, int black, int red, int green, int blue,
             uint8_t *restrict out, int64_t *restrict histogram)
{
    int64_t counts[4][256];
    memset(counts, 0, sizeof counts);
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *p = raw + 3 * width * y, *q = p + 3 * width / 2;
        for (int64_t x = 0; x < width / 2; x++, p += 3, q += 3, out += 3) {
            const int a = p[0] << 4 | (p[2] & 15), b = p[1] << 4 | p[2] >> 4;
            const int c = q[0] << 4 | (q[2] & 15), d = q[1] << 4 | q[2] >> 4;
            const int middle = look(table, (b + c) >> 1, black, green);
            out[0] = (uint8_t)look(table, a, black, red);
            out[1] = (uint8_t)middle;
            out[2] = (uint8_t)look(table, d, black, blue);
            counts[x & 3][middle]++;
        }
    }
    for (int k = 0; k < 256; k++) {
        histogram[k] = counts[0][k] + counts[1][k] + counts[2][k] + counts[3][k];
    }
}
