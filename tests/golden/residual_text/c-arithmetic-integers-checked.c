/* Made by cogen from arithmetic.scm: the residual program of integers-checked.
   What the codes of cogen_error mean:
     1: + at arithmetic.scm:10:30
     2: * at arithmetic.scm:10:25
     3: square at arithmetic.scm:10:39
     4: - at arithmetic.scm:10:22
     5: store-word! at arithmetic.scm:10:3
     6: quotient at arithmetic.scm:11:25
     7: quotient at arithmetic.scm:11:25
     8: + at arithmetic.scm:11:22
     9: store-word! at arithmetic.scm:11:3
     10: remainder at arithmetic.scm:12:25
     11: + at arithmetic.scm:12:22
     12: store-word! at arithmetic.scm:12:3
     13: modulo at arithmetic.scm:13:25
     14: + at arithmetic.scm:13:22
     15: store-word! at arithmetic.scm:13:3
     16: floor-quotient at arithmetic.scm:14:25
     17: floor-quotient at arithmetic.scm:14:25
     18: + at arithmetic.scm:14:22
     19: store-word! at arithmetic.scm:14:3
     20: * at arithmetic.scm:15:25
     21: / at arithmetic.scm:15:22
     22: store-word! at arithmetic.scm:15:3
     23: abs at arithmetic.scm:16:22
     24: store-word! at arithmetic.scm:16:3
     25: gcd at arithmetic.scm:17:25
     26: lcm at arithmetic.scm:17:35
     27: + at arithmetic.scm:17:22
     28: store-word! at arithmetic.scm:17:3
     29: expt at arithmetic.scm:18:22
     30: store-word! at arithmetic.scm:18:3
     31: expt at arithmetic.scm:19:22
     32: store-word! at arithmetic.scm:19:3
     33: store-word! at arithmetic.scm:20:3
     34: +
     35: store-word! at arithmetic.scm:21:3
     36: store-word! at arithmetic.scm:22:3 */

#include <stdbool.h>
#include <stdint.h>

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

static inline int64_t cogen_quotient(int64_t a, int64_t b)
{
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t cogen_remainder(int64_t a, int64_t b)
{
    return b == -1 ? 0 : a % b;
}

static inline int64_t cogen_floor_quotient(int64_t a, int64_t b)
{
    if (b == -1) {
        return (int64_t)(0 - (uint64_t)a);
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t cogen_floor_remainder(int64_t a, int64_t b)
{
    const int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline int64_t cogen_gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y != 0) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return (int64_t)x;
}

/* The least common multiple; false if it does not fit. */
static inline bool cogen_lcm(int64_t a, int64_t b, int64_t *result)
{
    const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    const uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    const uint64_t divisor = (uint64_t)cogen_gcd(a, b);
    uint64_t product = 0;
    const bool fits = divisor == 0 || (!__builtin_mul_overflow(x / divisor, y, &product)
                                       && product <= (uint64_t)INT64_MAX);
    *result = (int64_t)product;
    return fits;
}

/* base to the exponent, which is not negative unless base is 1 or -1; false on overflow. */
static inline bool cogen_power(int64_t base, int64_t exponent, int64_t *result)
{
    *result = 1;
    if (base >= -1 && base <= 1) {
        if (base != 1 && exponent % 2 != 0) {
            *result = base;
        } else if (base == 0 && exponent != 0) {
            *result = 0;
        }
        return true;
    }
    for (; exponent > 0; exponent--) {
        if (__builtin_mul_overflow(*result, base, result)) {
            return false;
        }
    }
    return true;
}

/* integers-checked, arithmetic.scm:24:1 */
void integers_checked(word64 *restrict out, int64_t out_words, int64_t a, int64_t b,
        cogen_error *error)
{
    int64_t t;
    if (__builtin_add_overflow(a, b, &t)) {
        cogen_fail(error, 1, a, b, 0);
        return;
    }
    int64_t t_1;
    if (__builtin_mul_overflow(3, t, &t_1)) {
        cogen_fail(error, 2, t, 0, 0);
        return;
    }
    int64_t t_2;
    if (__builtin_mul_overflow(a, a, &t_2)) {
        cogen_fail(error, 3, a, 0, 0);
        return;
    }
    int64_t t_3;
    if (__builtin_sub_overflow(t_1, t_2, &t_3)) {
        cogen_fail(error, 4, t_1, t_2, 0);
        return;
    }
    if (out_words <= 0) {
        cogen_fail(error, 5, 0, out_words, 0);
        return;
    }
    out[0] = t_3;
    if (b == 0) {
        cogen_fail(error, 6, b, 0, 0);
        return;
    }
    if (a == INT64_MIN && b == -1) {
        cogen_fail(error, 7, a, b, 0);
        return;
    }
    const int64_t t_4 = cogen_quotient(a, b);
    const int64_t t_7 = b / 7;
    int64_t t_7_2;
    if (__builtin_add_overflow(t_4, t_7, &t_7_2)) {
        cogen_fail(error, 8, t_4, t_7, 0);
        return;
    }
    if (out_words <= 1) {
        cogen_fail(error, 9, 1, out_words, 0);
        return;
    }
    out[1] = t_7_2;
    if (b == 0) {
        cogen_fail(error, 10, b, 0, 0);
        return;
    }
    const int64_t t_8 = cogen_remainder(a, b);
    const int64_t t_11 = b % 8;
    int64_t t_11_2;
    if (__builtin_add_overflow(t_8, t_11, &t_11_2)) {
        cogen_fail(error, 11, t_8, t_11, 0);
        return;
    }
    if (out_words <= 2) {
        cogen_fail(error, 12, 2, out_words, 0);
        return;
    }
    out[2] = t_11_2;
    if (b == 0) {
        cogen_fail(error, 13, b, 0, 0);
        return;
    }
    const int64_t t_12 = cogen_floor_remainder(a, b);
    const int64_t t_15 = b & 15;
    int64_t t_15_2;
    if (__builtin_add_overflow(t_12, t_15, &t_15_2)) {
        cogen_fail(error, 14, t_12, t_15, 0);
        return;
    }
    if (out_words <= 3) {
        cogen_fail(error, 15, 3, out_words, 0);
        return;
    }
    out[3] = t_15_2;
    if (b == 0) {
        cogen_fail(error, 16, b, 0, 0);
        return;
    }
    if (a == INT64_MIN && b == -1) {
        cogen_fail(error, 17, a, b, 0);
        return;
    }
    const int64_t t_16 = cogen_floor_quotient(a, b);
    const int64_t t_19 = b >> 4;
    int64_t t_19_2;
    if (__builtin_add_overflow(t_16, t_19, &t_19_2)) {
        cogen_fail(error, 18, t_16, t_19, 0);
        return;
    }
    if (out_words <= 4) {
        cogen_fail(error, 19, 4, out_words, 0);
        return;
    }
    out[4] = t_19_2;
    int64_t t_21;
    if (__builtin_mul_overflow(6, a, &t_21)) {
        cogen_fail(error, 20, a, 0, 0);
        return;
    }
    if (t_21 % 3 != 0) {
        cogen_fail(error, 21, t_21, 0, 0);
        return;
    }
    if (out_words <= 5) {
        cogen_fail(error, 22, 5, out_words, 0);
        return;
    }
    out[5] = t_21 / 3;
    const int64_t t_20 = 100 > b ? 100 : b;
    const int64_t t_23 = t_20 < a ? t_20 : a;
    if (t_23 == INT64_MIN) {
        cogen_fail(error, 23, t_23, 0, 0);
        return;
    }
    if (out_words <= 6) {
        cogen_fail(error, 24, 6, out_words, 0);
        return;
    }
    out[6] = t_23 < 0 ? -t_23 : t_23;
    const int64_t t_27 = cogen_gcd(a, b);
    if (t_27 < 0) {
        cogen_fail(error, 25, a, b, 0);
        return;
    }
    int64_t t_29;
    if (!cogen_lcm(a, 12, &t_29)) {
        cogen_fail(error, 26, a, 0, 0);
        return;
    }
    int64_t t_30;
    if (__builtin_add_overflow(t_27, t_29, &t_30)) {
        cogen_fail(error, 27, t_27, t_29, 0);
        return;
    }
    if (out_words <= 7) {
        cogen_fail(error, 28, 7, out_words, 0);
        return;
    }
    out[7] = t_30;
    int64_t t_32;
    if (!cogen_power(a, 3, &t_32)) {
        cogen_fail(error, 29, a, 0, 0);
        return;
    }
    if (out_words <= 8) {
        cogen_fail(error, 30, 8, out_words, 0);
        return;
    }
    out[8] = t_32;
    const int64_t t_34 = b & 31;
    int64_t t_35;
    if (!cogen_power(2, t_34, &t_35)) {
        cogen_fail(error, 31, t_34, 0, 0);
        return;
    }
    if (out_words <= 9) {
        cogen_fail(error, 32, 9, out_words, 0);
        return;
    }
    out[9] = t_35;
    int64_t t_37;
    if (a == 0) {
        t_37 = 1;
    } else {
        if (b > 0) {
            if ((a & 1) != 0) {
                t_37 = 1;
                goto integers_1;
            }
        }
        if ((b & 1) == 0) {
            t_37 = 1;
        } else {
            t_37 = 0;
        }
    }
integers_1:;
    if (out_words <= 10) {
        cogen_fail(error, 33, 10, out_words, 0);
        return;
    }
    out[10] = t_37;
    int64_t t_39;
    if (a < 0) {
        t_39 = -1;
    } else if (a <= b) {
        t_39 = 2;
    } else {
        int64_t b_1;
        if (__builtin_add_overflow(b, 10, &b_1)) {
            cogen_fail(error, 34, b, 0, 0);
            return;
        }
        if (a > b_1) {
            t_39 = 3;
        } else {
            t_39 = 4;
        }
    }
    if (out_words <= 11) {
        cogen_fail(error, 35, 11, out_words, 0);
        return;
    }
    out[11] = t_39;
    int64_t t_41;
    if ((a == b) == (b >= 0)) {
        t_41 = 1;
    } else {
        t_41 = 0;
    }
    if (out_words <= 12) {
        cogen_fail(error, 36, 12, out_words, 0);
        return;
    }
    out[12] = t_41;
}
