/* Made by cogen from arithmetic.scm: the residual program of floats.
   What the codes of cogen_error mean:
     1: store-word! at arithmetic.scm:27:3
     2: store-word! at arithmetic.scm:28:3
     3: store-word! at arithmetic.scm:29:3
     4: store-word! at arithmetic.scm:30:3
     5: store-word! at arithmetic.scm:31:3
     6: store-word! at arithmetic.scm:32:3
     7: store-word! at arithmetic.scm:33:3
     8: exact at arithmetic.scm:34:25
     9: inexact->exact at arithmetic.scm:34:43
     10: store-word! at arithmetic.scm:34:3
     11: store-word! at arithmetic.scm:35:3
     12: store-word! at arithmetic.scm:36:3
     13: store-word! at arithmetic.scm:37:3
     14: store-word! at arithmetic.scm:38:3
     15: store-word! at arithmetic.scm:39:3
     16: store-word! at arithmetic.scm:40:3 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are little-endian: this code needs a little-endian machine"
#endif

typedef int64_t word64 __attribute__((aligned(1), may_alias));

/* A call that led to an error, by its code; how many calls of the source it is, and how often
   it comes in a row. */
typedef struct {
    int64_t code;
    int64_t told;
    int64_t times;
} cogen_noted_call;

/* Where an error is reported: code 0 is none; what a code means stands at the top. */
typedef struct {
    int64_t code;
    int64_t detail[3];
    uintptr_t stack_limit;
    const void *buffer; /* which one it is about, if that may be several */
    cogen_noted_call call[16]; /* the innermost first: of more the first 8 and the last 8 */
    int64_t calls;
    int64_t left_out;
} cogen_error;

/* Note what went wrong, unless something else has before. */
__attribute__((cold, noinline))
static void cogen_fail(cogen_error *error, int64_t code, int64_t a, int64_t b, int64_t c)
{
    if (error->code == 0) {
        error->code = code;
        error->detail[0] = a;
        error->detail[1] = b;
        error->detail[2] = c;
    }
}

static inline double cogen_min_float(double a, double b)
{
    return a != a || b != b ? (double)NAN : b < a ? b : a;
}

static inline double cogen_max_float(double a, double b)
{
    return a != a || b != b ? (double)NAN : a < b ? b : a;
}

/* An exact 0 leaves the sign of a zero alone. */
static inline double cogen_int_plus_float(int64_t a, double b)
{
    return a == 0 ? b : (double)a + b;
}

/* Exactly how an integer compares with a float: 1 less, 2 equal, 4 greater, 0 for NaN. */
static inline int cogen_compare(int64_t a, double b)
{
    if (b != b) {
        return 0;
    }
    if (b >= 0x1p63) {
        return 1;
    }
    if (b < -0x1p63) {
        return 4;
    }
    const double whole = trunc(b);
    const int64_t integer = (int64_t)whole;
    if (a != integer) {
        return a < integer ? 1 : 4;
    }
    return b == whole ? 2 : whole < b ? 1 : 4;
}

static inline double cogen_bits_to_float32(int64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

static inline int64_t cogen_float32_to_bits(double x)
{
    const float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double cogen_bits_to_float64(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int64_t cogen_float64_to_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* floats, arithmetic.scm:26:1 */
void floats(word64 *restrict out, int64_t out_words, double x, double y, int64_t i,
        cogen_error *error)
{
    const double t_1 = 2.0 * x - y;
    const double t_2 = cogen_int_plus_float(i, y);
    if (out_words <= 0) {
        cogen_fail(error, 1, 0, out_words, 0);
        return;
    }
    out[0] = cogen_float64_to_bits(t_1 / t_2);
    const double t_6 = cogen_max_float(y, (double)i);
    const double t_7 = cogen_min_float(x, t_6);
    const double t_8 = fabs(t_7);
    if (out_words <= 1) {
        cogen_fail(error, 2, 1, out_words, 0);
        return;
    }
    out[1] = cogen_float64_to_bits(t_8 * t_8);
    if (out_words <= 2) {
        cogen_fail(error, 3, 2, out_words, 0);
        return;
    }
    out[2] = cogen_float64_to_bits(sqrt(exp(log(x))));
    if (out_words <= 3) {
        cogen_fail(error, 4, 3, out_words, 0);
        return;
    }
    out[3] = cogen_float64_to_bits(log(x) / log(2.0));
    if (out_words <= 4) {
        cogen_fail(error, 5, 4, out_words, 0);
        return;
    }
    out[4] = cogen_float64_to_bits(sin(x) + cos(x) + tan(x));
    if (out_words <= 5) {
        cogen_fail(error, 6, 5, out_words, 0);
        return;
    }
    out[5] = cogen_float64_to_bits(asin(x) + acos(x) + atan(x) + atan2(x, y));
    const double t_36 = floor(x);
    if (out_words <= 6) {
        cogen_fail(error, 7, 6, out_words, 0);
        return;
    }
    out[6] = cogen_float64_to_bits(t_36 + ceil(x) + nearbyint(x) + trunc(x));
    if (!(trunc(t_36) == t_36 && t_36 >= -0x1p63 && t_36 < 0x1p63)) {
        cogen_fail(error, 8, cogen_float64_to_bits(t_36), 0, 0);
        return;
    }
    const double t_46 = nearbyint(y);
    if (!(trunc(t_46) == t_46 && t_46 >= -0x1p63 && t_46 < 0x1p63)) {
        cogen_fail(error, 9, cogen_float64_to_bits(t_46), 0, 0);
        return;
    }
    if (out_words <= 7) {
        cogen_fail(error, 10, 7, out_words, 0);
        return;
    }
    out[7] = (int64_t)t_36 + (int64_t)t_46;
    if (out_words <= 8) {
        cogen_fail(error, 11, 8, out_words, 0);
        return;
    }
    out[8] = cogen_float64_to_bits((double)i - (double)(i + 1));
    if (out_words <= 9) {
        cogen_fail(error, 12, 9, out_words, 0);
        return;
    }
    out[9] = cogen_float32_to_bits(pow(x, y));
    if (out_words <= 10) {
        cogen_fail(error, 13, 10, out_words, 0);
        return;
    }
    out[10] = cogen_float64_to_bits(cogen_bits_to_float32(i) + cogen_bits_to_float64(i));
    int64_t t_63;
    if (isnan(x) != 0) {
        t_63 = 1;
    } else if (isinf(y) != 0) {
        t_63 = 1;
    } else if (isfinite(x) != 0) {
        if (isfinite(x) != 0 && trunc(x) == x) {
            t_63 = 1;
        } else {
            t_63 = 0;
        }
    } else {
        t_63 = 1;
    }
    if (out_words <= 11) {
        cogen_fail(error, 14, 11, out_words, 0);
        return;
    }
    out[11] = t_63;
    int64_t t_65;
    if (isfinite(y) != 0) {
        if (x < y) {
            t_65 = 1;
            goto floats_2;
        }
    }
    if ((cogen_compare(i, x) & 2) != 0) {
        t_65 = 2;
    } else if ((cogen_compare(i, x) & 1) != 0) {
        t_65 = 3;
    } else {
        t_65 = 4;
    }
floats_2:;
    if (out_words <= 12) {
        cogen_fail(error, 15, 12, out_words, 0);
        return;
    }
    out[12] = t_65;
    int64_t t_67;
    if (x == 0.0) {
        t_67 = 1;
    } else if (y > 0.0) {
        t_67 = 1;
    } else if (x < 0.0) {
        t_67 = 1;
    } else {
        t_67 = 0;
    }
    if (out_words <= 13) {
        cogen_fail(error, 16, 13, out_words, 0);
        return;
    }
    out[13] = t_67;
}
