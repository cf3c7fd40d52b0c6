/* What kernels do beside arithmetic: samples in the middle of vectors, accesses that are
   checked for all rounds of a loop at once. Needs arithmetic.h and failures.h. */

#include <stdbool.h>
#include <stdint.h>

/* ---- cogen_wide ---- */
__extension__ typedef __int128 cogen_wide;

/* ---- cogen_mean16 ---- */
/* The mean of two samples, rounded down, without a wider sum. */
static inline int16_t cogen_mean16(int16_t x, int16_t y)
{
    return (int16_t)((x & y) + ((x ^ y) >> 1));
}

/* ---- cogen_sum16 ---- */
/* The sum of two samples, or the limit that it passes. */
static inline int16_t cogen_sum16(int16_t x, int16_t y)
{
    const int16_t sum = (int16_t)((uint16_t)x + (uint16_t)y);
    const int16_t limit = (int16_t)((x >> 15) ^ 0x7fff);
    return ((x ^ sum) & (y ^ sum)) < 0 ? limit : sum;
}

/* ---- cogen_outside ---- */
/* Whether one of `rounds` indices first, first + step, ... is not in 0 to words - 1. */
static inline bool cogen_outside(cogen_wide first, cogen_wide step, cogen_wide rounds,
                                 int64_t words)
{
    const cogen_wide last = first + step * (rounds - 1);
    return first < 0 || first >= words || last < 0 || last >= words;
}

/* ---- cogen_fail_first ---- */
/* Note the failure of an access that walks by `step`, unless an earlier round has failed. */
__attribute__((cold, noinline))
static void cogen_fail_first(cogen_error *error, cogen_wide *soonest, int64_t code,
                             cogen_wide first, cogen_wide step, int64_t words)
{
    cogen_wide round = 0;
    if (first >= 0 && first < words) {
        if (step == 0) {
            return;
        }
        round = step > 0 ? (words - first + step - 1) / step : first / -step + 1;
    }
    if (*soonest < 0 || round < *soonest) {
        *soonest = round;
        error->code = 0;
        cogen_fail(error, code, (int64_t)(first + step * round), words, 0);
    }
}

/* ---- little_endian ---- */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are little-endian: this code needs a little-endian machine"
#endif
