/* Numbers to the integers of samples: divided by the scale, rounded to the nearest integer (ties to
   even), and clamped to [least, most].

   VALUE is the type of the numbers, SAMPLE that of the integers, WHOLE one that holds them all and
   that the processor converts to quickly (see signals/rounding.py).  The result is the index of
   the first number that is refused, else -1: one that is no number, and, as the bits of `refused`
   say, one out of range (OUTSIDE) or one that is no integer (BROKEN, for a scale of 1).  What lies in
   `out` from the block of that number on means nothing then.

   `way` says how to divide, `inverse` is the reciprocal of the scale, rounded:

   EXACT     the scale is a power of two, so the product with the reciprocal is the quotient
   REFINED   the product is corrected twice by what is left of the number, as processors without a
             division do it; the second time gives the quotient, correctly rounded (Markstein, 1990;
             Cornea, Harrison and Tang, 2002), for a scale that is neither huge nor tiny
   DIVIDED   by a division, which takes four times as long */

#include <math.h>
#include <stdint.h>

#define BLOCK 1024
#define HUGE_QUOTIENT 0x1p70 /* no sample is as large; the corrections of infinity are no numbers */

enum { DIVIDED, EXACT, REFINED };
enum { OUTSIDE = 1, BROKEN = 2 };

static inline double cogen_quotient(double x, double scale, double inverse, int64_t way)
{
    if (way == EXACT) {
        return x * inverse;
    }
#ifdef __FMA__
    if (way == REFINED) {
        const double rough = x * inverse;
        const double near = __builtin_fma(__builtin_fma(-rough, scale, x), inverse, rough);
        const double exact = __builtin_fma(__builtin_fma(-near, scale, x), inverse, near);
        return fabs(rough) < HUGE_QUOTIENT ? exact : rough;
    }
#endif
    return x / scale;
}

/* Whether the number x, of which r is what it is rounded to, is refused. */
static inline int64_t cogen_refuses(double x, double r, double least, double most,
                                    int64_t refused)
{
    const int64_t outside = refused & OUTSIDE ? !(r >= least) | !(r <= most) : r != r;
    return refused & BROKEN ? outside | (x != r) : outside;
}

static inline int64_t cogen_block(const VALUE *restrict in, SAMPLE *restrict out, int64_t count,
                                  double scale, double inverse, int64_t way, double least,
                                  double most, int64_t refused)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        double r = rint(cogen_quotient((double)in[i], scale, inverse, way));
        found |= cogen_refuses((double)in[i], r, least, most, refused);
        r = r > least ? r : least;
        r = r < most ? r : most;
        out[i] = (SAMPLE)(WHOLE)r;
    }
    return found;
}

/* The same with all that is the same for all numbers known, so that the loop has no tests. */
static int64_t cogen_one_block(const VALUE *restrict in, SAMPLE *restrict out, int64_t count,
                               double scale, double inverse, int64_t way, double least,
                               double most, int64_t refused)
{
#define WAY(way, refused) \
    return cogen_block(in, out, count, scale, inverse, way, least, most, refused)
#define EITHER(way)        \
    if (refused) {         \
        WAY(way, OUTSIDE); \
    }                      \
    WAY(way, 0)
    if (refused & BROKEN) {
        if (refused & OUTSIDE) {
            WAY(EXACT, OUTSIDE | BROKEN);
        }
        WAY(EXACT, BROKEN);
    }
    if (way == EXACT) {
        EITHER(EXACT);
    }
    if (way == REFINED) {
        EITHER(REFINED);
    }
    EITHER(DIVIDED);
}

int64_t cogen_round(const VALUE *restrict in, SAMPLE *restrict out, int64_t count, double scale,
                    double inverse, int64_t way, double least, double most, int64_t refused)
{
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t here = count - first < BLOCK ? count - first : BLOCK;
        const int64_t found = cogen_one_block(in + first, out + first, here, scale, inverse, way,
                                              least, most, refused);
        for (int64_t i = first; found && i < first + here; i++) {
            const double r = rint(cogen_quotient((double)in[i], scale, inverse, way));
            if (cogen_refuses((double)in[i], r, least, most, refused)) {
                return i;
            }
        }
    }
    return -1;
}
