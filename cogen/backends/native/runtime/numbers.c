/* Numbers: integers in [-2^63, 2^63) and binary64 floats, as lang/primtable/numbers.py and
   words.py define them.  What compiled code does not do in line is here. */

#include "inline.h"
#include "arithmetic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

word make_integer(RT, int64_t n) {
    if (n >= FIX_MIN && n <= FIX_MAX) return FIX(n);
    word made = make_object(rt, INTEGER, 1);
    FIELD(made, 0) = n;
    return made;
}

word make_flonum(RT, double x) {
    word made = make_object(rt, FLONUM, 1);
    memcpy(&FIELD(made, 0), &x, sizeof x);
    return made;
}

/* `eqv?` of different words. */
word same_value(RT, word a, word b) {
    if (KIND(a) != KIND(b) || KIND(a) > WIDE) return 0;
    if (KIND(a) >= STRING) return !IS_MUTABLE(a) && !IS_MUTABLE(b) && same_contents(a, b);
    if (FIELD(a, 0) == FIELD(b, 0)) return 1;
    return KIND(a) == FLONUM && isnan(flonum_value(a)) && isnan(flonum_value(b));
}

int64_t need_integer(RT, const char *name, word x) {
    if (!IS_INTEGER(x)) fail_expected(rt, name, "an integer", x);
    return integer_value(x);
}

size_t need_index(RT, const char *name, word x, size_t limit, const char *what) {
    int64_t i = need_integer(rt, name, x);
    if (i >= 0 && (uword)i < limit) return (size_t)i;
    if (limit == 0) fail(rt, "%s: %s %i in an empty object", name, what, i);
    fail(rt, "%s: %s %i is not in 0 to %i", name, what, i, (int64_t)limit - 1);
}

/* Of a buffer, which the caller may have a name for. */
size_t need_index_of(RT, const char *name, word buffer, word x, size_t limit, const char *what) {
    if (LIKELY(IS_FIX(x) && (uword)UNFIX(x) < limit)) return (size_t)UNFIX(x);
    if (IS_INTEGER(x)) note_buffer(rt, buffer);
    return need_index(rt, name, x, limit, what);
}

void need_range(RT, const char *name, size_t length, word start, word end, size_t *first, size_t *last) {
    int64_t a = start == ABSENT ? 0 : need_integer(rt, name, start);
    int64_t b = end == ABSENT ? (int64_t)length : need_integer(rt, name, end);
    if (a < 0 || a > b || b > (int64_t)length)
        fail(rt, "%s: the part from %i to %i is not within 0 to %i", name, a, b, (int64_t)length);
    *first = (size_t)a;
    *last = (size_t)b;
}

size_t need_size(RT, const char *name, word x, int64_t limit) {
    int64_t n = need_integer(rt, name, x);
    if (n < 0 || n > limit) fail(rt, "%s: the size %i is not in 0 to %i", name, n, limit);
    return (size_t)n;
}

NORETURN static void overflow(RT, const char *name) { fail(rt, "%s: the result does not fit in 64 bits", name); }

static bool is_number(word x) { return IS_FIX(x) || (IS_OBJECT(x) && KIND(x) <= INTEGER); }

static void need_number(RT, const char *name, word x) {
    if (!is_number(x)) fail_expected(rt, name, "a number", x);
}

static double as_float(word x) {
    return IS_INTEGER(x) ? (double)integer_value(x) : flonum_value(x);
}

static double need_float(RT, const char *name, word x) {
    need_number(rt, name, x);
    return as_float(x);
}

/* Arithmetic */

static word fitting(RT, const char *name, bool overflows, int64_t n) {
    if (overflows) overflow(rt, name);
    return make_integer(rt, n);
}

#define BINARY(op, name, builtin, sign) \
    word op(RT, word a, word b) { \
        if (IS_INTEGER(a) && IS_INTEGER(b)) { \
            int64_t n; \
            bool overflows = builtin(integer_value(a), integer_value(b), &n); \
            return fitting(rt, name, overflows, n); \
        } \
        need_number(rt, name, a), need_number(rt, name, b); \
        return op##_floats(rt, a, b); \
    }
static word op_add_floats(RT, word a, word b) {
    if (a == FIX(0)) return b;
    if (b == FIX(0)) return a;
    return make_flonum(rt, as_float(a) + as_float(b));
}
static word op_sub_floats(RT, word a, word b) {
    if (a == FIX(0)) return make_flonum(rt, -as_float(b));
    return make_flonum(rt, as_float(a) - as_float(b));
}
static word op_mul_floats(RT, word a, word b) { return make_flonum(rt, as_float(a) * as_float(b)); }
BINARY(op_add, "+", __builtin_add_overflow, +)
BINARY(op_sub, "-", __builtin_sub_overflow, -)
BINARY(op_mul, "*", __builtin_mul_overflow, *)

word op_div(RT, word a, word b) {
    if (IS_INTEGER(a) && IS_INTEGER(b)) {
        int64_t m = integer_value(a), n = integer_value(b);
        if (n == 0) fail(rt, "/: division by zero");
        if (n == -1) return fitting(rt, "/", m == INT64_MIN, m == INT64_MIN ? 0 : -m);
        if (m % n != 0) fail(rt, "/: %i is not divisible by %i, and there are no fractions", m, n);
        return make_integer(rt, m / n);
    }
    double x = need_float(rt, "/", a), y = need_float(rt, "/", b);
    if (y == 0.0 && (x == 0.0 || isnan(x))) return make_flonum(rt, NAN);
    return make_flonum(rt, x / y);
}

/* An integer, which may be a float, as a float. */
static double need_whole(RT, const char *name, word x) {
    if (!is_number(x)) fail_expected(rt, name, "an integer", x);
    double value = as_float(x);
    if (!IS_INTEGER(x) && fmod(value, 1.0) != 0.0) fail_expected(rt, name, "an integer", x);
    return value;
}

#define DIVISION(op, name, function, of_floats, can_overflow) \
    word op(RT, word a, word b) { \
        if (!IS_INTEGER(a) || !IS_INTEGER(b)) { \
            double x = need_whole(rt, name, a), y = need_whole(rt, name, b); \
            if (y == 0.0) fail(rt, name ": division by zero"); \
            return make_flonum(rt, of_floats(x, y)); \
        } \
        int64_t m = integer_value(a), n = integer_value(b); \
        if (n == 0) fail(rt, name ": division by zero"); \
        if (can_overflow && m == INT64_MIN && n == -1) overflow(rt, name); \
        return make_integer(rt, function(m, n)); \
    }
DIVISION(op_quotient, "quotient", cogen_quotient, cogen_float_quotient, true)
DIVISION(op_remainder, "remainder", cogen_remainder, cogen_float_remainder, false)
DIVISION(op_modulo, "modulo", cogen_floor_remainder, cogen_float_floor_remainder, false)
DIVISION(op_floor_quotient, "floor-quotient", cogen_floor_quotient, cogen_float_floor_quotient, true)
DIVISION(op_floor_remainder, "floor-remainder", cogen_floor_remainder, cogen_float_floor_remainder, false)
DIVISION(op_truncate_quotient, "truncate-quotient", cogen_quotient, cogen_float_quotient, true)
DIVISION(op_truncate_remainder, "truncate-remainder", cogen_remainder, cogen_float_remainder, false)

word op_abs(RT, word x) {
    if (IS_INTEGER(x)) {
        int64_t n = integer_value(x);
        return fitting(rt, "abs", n == INT64_MIN, n < 0 && n != INT64_MIN ? -n : n);
    }
    return make_flonum(rt, fabs(need_float(rt, "abs", x)));
}

#define EXTREME(op, name, sign, of_floats) \
    word op(RT, word a, word b) { \
        if (IS_INTEGER(a) && IS_INTEGER(b)) return integer_value(b) sign integer_value(a) ? b : a; \
        double x = need_float(rt, name, a), y = need_float(rt, name, b); \
        return make_flonum(rt, of_floats(x, y)); \
    }
EXTREME(op_min, "min", <, cogen_min_float)
EXTREME(op_max, "max", >, cogen_max_float)

static bool is_even(RT, const char *name, word x) {
    if (IS_INTEGER(x)) return (integer_value(x) & 1) == 0;
    return fmod(need_whole(rt, name, x), 2.0) == 0.0;
}
word op_even_p(RT, word x) { return is_even(rt, "even?", x) ? TRUE : FALSE; }
word op_odd_p(RT, word x) { return is_even(rt, "odd?", x) ? FALSE : TRUE; }

static uword magnitude(int64_t n) { return n < 0 ? -(uword)n : (uword)n; }

word op_gcd(RT, word a, word b) {
    if (!IS_INTEGER(a) || !IS_INTEGER(b)) {
        double x = need_whole(rt, "gcd", a), y = need_whole(rt, "gcd", b);
        return make_flonum(rt, cogen_float_gcd(x, y));
    }
    int64_t m = integer_value(a), n = integer_value(b);
    int64_t found = cogen_gcd(m, n);
    return fitting(rt, "gcd", found < 0, found);
}

word op_lcm(RT, word a, word b) {
    if (!IS_INTEGER(a) || !IS_INTEGER(b)) {
        double x = need_whole(rt, "lcm", a), y = need_whole(rt, "lcm", b);
        return make_flonum(rt, cogen_float_lcm(x, y));
    }
    int64_t m = integer_value(a), n = integer_value(b), made;
    bool fits = cogen_lcm(m, n, &made);
    return fitting(rt, "lcm", !fits, made);
}

word op_square(RT, word x) {
    if (IS_INTEGER(x)) {
        int64_t n = integer_value(x), made;
        bool overflows = __builtin_mul_overflow(n, n, &made);
        return fitting(rt, "square", overflows, made);
    }
    double y = need_float(rt, "square", x);
    return make_flonum(rt, y * y);
}

static word integer_power(RT, int64_t base, int64_t exponent) {
    if (exponent < 0 && base == 0) fail(rt, "expt: division by zero");
    if (exponent < 0 && base != 1 && base != -1)
        fail(rt, "expt: the result is a fraction, and there are none");
    int64_t made;
    bool fits = cogen_power(base, exponent, &made);
    return fitting(rt, "expt", !fits, made);
}

word op_expt(RT, word a, word b) {
    if (IS_INTEGER(a) && IS_INTEGER(b)) return integer_power(rt, integer_value(a), integer_value(b));
    double x = need_float(rt, "expt", a), y = need_float(rt, "expt", b);
    return make_flonum(rt, pow(x, y));
}

/* Comparison: an integer and a float exactly */

static int compare_mixed(int64_t n, double x) { /* -1, 0, 1; x is no NaN */
    int order = cogen_compare(n, x);
    return order == 1 ? -1 : order == 4;
}

/* -1, 0, 1, or 2 where one is no number that has an order. */
static int compare_numbers(RT, const char *name, word a, word b) {
    need_number(rt, name, a), need_number(rt, name, b);
    if (IS_INTEGER(a) && IS_INTEGER(b)) {
        int64_t m = integer_value(a), n = integer_value(b);
        return m < n ? -1 : m > n;
    }
    double x = as_float(a), y = as_float(b);
    if (isnan(x) || isnan(y)) return 2;
    if (IS_INTEGER(a)) return compare_mixed(integer_value(a), y);
    if (IS_INTEGER(b)) return -compare_mixed(integer_value(b), x);
    return x < y ? -1 : x > y;
}

word op_eq(RT, word a, word b) { return BOOL(compare_numbers(rt, "=", a, b) == 0); }
word op_lt(RT, word a, word b) { return BOOL(compare_numbers(rt, "<", a, b) == -1); }
word op_gt(RT, word a, word b) { return BOOL(compare_numbers(rt, ">", a, b) == 1); }
word op_lteq(RT, word a, word b) { int c = compare_numbers(rt, "<=", a, b); return BOOL(c <= 0); }
word op_gteq(RT, word a, word b) { int c = compare_numbers(rt, ">=", a, b); return BOOL(c == 0 || c == 1); }
word op_zero_p(RT, word x) { return BOOL(need_float(rt, "zero?", x) == 0); }
word op_positive_p(RT, word x) { return BOOL(need_float(rt, "positive?", x) > 0); }
word op_negative_p(RT, word x) { return BOOL(need_float(rt, "negative?", x) < 0); }

word op_number_p(RT, word x) { return BOOL(is_number(x)); }
word op_real_p(RT, word x) { return BOOL(is_number(x)); }
word op_complex_p(RT, word x) { return BOOL(is_number(x)); }
word op_rational_p(RT, word x) { return BOOL(is_number(x) && isfinite(as_float(x))); }
word op_integer_p(RT, word x) {
    return BOOL(IS_INTEGER(x) || (IS_FLONUM(x) && isfinite(flonum_value(x)) &&
                                  floor(flonum_value(x)) == flonum_value(x)));
}
word op_exact_integer_p(RT, word x) { return BOOL(IS_INTEGER(x)); }
word op_exact_p(RT, word x) { need_number(rt, "exact?", x); return BOOL(IS_INTEGER(x)); }
word op_inexact_p(RT, word x) { need_number(rt, "inexact?", x); return BOOL(!IS_INTEGER(x)); }
word op_nan_p(RT, word x) { return BOOL(isnan(need_float(rt, "nan?", x))); }
word op_infinite_p(RT, word x) { return BOOL(isinf(need_float(rt, "infinite?", x))); }
word op_finite_p(RT, word x) { return BOOL(isfinite(need_float(rt, "finite?", x))); }

/* Conversion */

static word rounded(RT, const char *name, word x, double (*function)(double)) {
    need_number(rt, name, x);
    if (IS_INTEGER(x)) return x;
    double y = flonum_value(x);
    return isfinite(y) ? make_flonum(rt, copysign(function(y), y)) : x;
}
word op_floor(RT, word x) { return rounded(rt, "floor", x, floor); }
word op_ceiling(RT, word x) { return rounded(rt, "ceiling", x, ceil); }
word op_round(RT, word x) { return rounded(rt, "round", x, nearbyint); }
word op_truncate(RT, word x) { return rounded(rt, "truncate", x, trunc); }

word op_exact(RT, word x) {
    need_number(rt, "exact", x);
    if (IS_INTEGER(x)) return x;
    double y = flonum_value(x);
    if (!isfinite(y) || floor(y) != y) {
        text t = {.rt = rt};
        text_float(&t, y);
        text_add(&t, "", 1);
        char shown[64];
        memcpy(shown, t.bytes, t.used < 64 ? t.used : 64);
        text_free(&t);
        fail(rt, "exact: %s is not an integer", shown);
    }
    if (y >= 9223372036854775808.0 || y < -9223372036854775808.0) overflow(rt, "exact");
    return make_integer(rt, (int64_t)y);
}
word op_inexact_to_exact(RT, word x) { return op_exact(rt, x); }
word op_inexact(RT, word x) {
    double y = need_float(rt, "inexact", x);
    return IS_INTEGER(x) ? make_flonum(rt, y) : x;
}
word op_exact_to_inexact(RT, word x) { return op_inexact(rt, x); }

word op_sqrt(RT, word x) {
    need_number(rt, "sqrt", x);
    if (!IS_INTEGER(x)) {
        double y = flonum_value(x);
        return make_flonum(rt, y < 0 ? NAN : sqrt(y));
    }
    int64_t n = integer_value(x);
    if (n < 0) return make_flonum(rt, NAN);
    int64_t root = (int64_t)sqrt((double)n);
    while (root > 3037000499 || root * root > n) root--;
    while (root < 3037000499 && (root + 1) * (root + 1) <= n) root++;
    return root * root == n ? make_integer(rt, root) : make_flonum(rt, sqrt((double)n));
}

#define FUNCTION(op, name, function) \
    word op(RT, word x) { return make_flonum(rt, function(need_float(rt, name, x))); }
FUNCTION(op_exp, "exp", exp)
FUNCTION(op_sin, "sin", sin)
FUNCTION(op_cos, "cos", cos)
FUNCTION(op_tan, "tan", tan)
FUNCTION(op_asin, "asin", asin)
FUNCTION(op_acos, "acos", acos)

static double logarithm(double x) { return x == 0.0 ? -INFINITY : x > 0.0 ? log(x) : NAN; }

word op_log(RT, word x, word base) {
    double a = logarithm(need_float(rt, "log", x));
    if (base == ABSENT) return make_flonum(rt, a);
    double b = logarithm(need_float(rt, "log", base));
    return make_flonum(rt, b == 0.0 && (a == 0.0 || isnan(a)) ? NAN : a / b);
}

word op_atan(RT, word y, word x) {
    double a = need_float(rt, "atan", y);
    return make_flonum(rt, x == ABSENT ? atan(a) : atan2(a, need_float(rt, "atan", x)));
}

/* Text */

/* The shortest digits that read back, as Python's repr without the `+` and zeros of exponents. */
void text_float(text *t, double x) {
    if (isnan(x)) return text_string(t, "+nan.0");
    if (isinf(x)) return text_string(t, x > 0 ? "+inf.0" : "-inf.0");
    char shown[40], digits[24];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(shown, sizeof shown, "%.*e", precision, x);
        if (strtod(shown, NULL) == x) break;
    }
    char *p = shown, *e = strchr(shown, 'e');
    int exponent = atoi(e + 1), count = 0;
    if (*p == '-') text_string(t, "-"), p++;
    for (; p < e; p++)
        if (*p != '.') digits[count++] = *p;
    while (count > 1 && digits[count - 1] == '0') count--;
    if (exponent < -4 || exponent >= 16) {
        text_add(t, digits, 1);
        if (count > 1) text_string(t, "."), text_add(t, digits + 1, (size_t)count - 1);
        text_string(t, "e");
        return text_integer(t, exponent);
    }
    if (exponent < 0) {
        text_string(t, "0.");
        for (int i = -1; i > exponent; i--) text_string(t, "0");
        return text_add(t, digits, (size_t)count);
    }
    for (int i = 0; i <= exponent; i++) text_add(t, i < count ? &digits[i] : "0", 1);
    text_string(t, ".");
    if (count > exponent + 1) text_add(t, digits + exponent + 1, (size_t)(count - exponent - 1));
    else text_string(t, "0");
}

static int need_radix(RT, const char *name, word radix) {
    if (radix == ABSENT) return 10;
    if (radix == FIX(2) || radix == FIX(8) || radix == FIX(10) || radix == FIX(16))
        return (int)UNFIX(radix);
    fail_expected(rt, name, "a radix of 2, 8, 10 or 16", radix);
}

word op_number_to_string(RT, word x, word radix) {
    need_number(rt, "number->string", x);
    int base = need_radix(rt, "number->string", radix);
    if (!IS_INTEGER(x)) {
        if (base != 10) fail_expected(rt, "number->string", "an integer, as the radix is not 10", x);
        text t = {.rt = rt};
        text_float(&t, flonum_value(x));
        word made = string_of(rt, t.bytes, t.used);
        text_free(&t);
        return made;
    }
    char digits[72], *p = digits + sizeof digits;
    uword rest = magnitude(integer_value(x));
    do *--p = "0123456789abcdef"[rest % (uword)base], rest /= (uword)base; while (rest != 0);
    if (integer_value(x) < 0) *--p = '-';
    return string_of(rt, p, (size_t)(digits + sizeof digits - p));
}

word op_string_to_number(RT, word x, word radix) {
    if (!IS_STRING(x)) fail_expected(rt, "string->number", "a string", x);
    int base = need_radix(rt, "string->number", radix);
    size_t count = COUNT(x);
    uint32_t few[64], *s = count < 64 ? few : allocate_block(rt, count + 1, sizeof *s);
    for (size_t i = 0; i < count; i++) s[i] = string_at(x, i);
    word made = FALSE;
    bool too_large = false;
    bool found = parse_number(rt, s, count, base, &made, &too_large);
    if (s != few) release(rt, s);
    if (too_large) overflow(rt, "string->number");
    return found ? made : FALSE;
}

/* Bits and words */

word op_arithmetic_shift(RT, word x, word n) {
    int64_t value = need_integer(rt, "arithmetic-shift", x), count = need_integer(rt, "arithmetic-shift", n);
    return fitting(rt, "arithmetic-shift", !cogen_shift_fits(value, count), cogen_shift(value, count));
}

static int64_t need_count(RT, const char *name, word n) {
    int64_t count = need_integer(rt, name, n);
    if (count < 0) fail(rt, "%s: the shift count %i is negative", name, count);
    return count;
}
word op_word_shift_left(RT, word x, word n) {
    int64_t value = need_integer(rt, "word-shift-left", x);
    return make_integer(rt, cogen_word_left(value, need_count(rt, "word-shift-left", n)));
}
word op_word_shift_right(RT, word x, word n) {
    int64_t value = need_integer(rt, "word-shift-right", x);
    return make_integer(rt, cogen_word_right(value, need_count(rt, "word-shift-right", n)));
}

word op_set_base(RT, word x, word n) {
    if (!IS_INTEGER(n) || integer_value(n) <= 0)
        fail_expected(rt, "set-base", "a positive integer as the base", n);
    need_integer(rt, "set-base", x);
    return x;
}
static bool is_named(word x, const char *name) {
    return IS_SYMBOL(x) && COUNT(FIELD(x, 0)) == strlen(name) &&
           memcmp(DATA(FIELD(x, 0)), name, strlen(name)) == 0;
}
word op_init_cache(RT, word lines, word form) {
    int64_t count = need_integer(rt, "init-cache", lines);
    if (count < 0) fail(rt, "init-cache: %i is no number of lines", count);
    if (form != ABSENT && !is_named(form, "reload") && !is_named(form, "carry"))
        fail_expected(rt, "init-cache", "reload or carry", form);
    return UNSPECIFIED;
}
word op_cache_lines(RT) { return FIX(0); }
word op_cache_carries_p(RT) { return FALSE; }

word op_cyclic_quotient(RT, word x, word base, word remainder) {
    int64_t value = need_integer(rt, "cyclic-quotient", x), modulus = need_integer(rt, "cyclic-quotient", base);
    if (modulus == 0) fail(rt, "cyclic-quotient: division by zero");
    int64_t rest = need_integer(rt, "cyclic-quotient", remainder);
    __int128 difference = (__int128)value - rest;
    if (difference % modulus != 0) fail(rt, "%i is not congruent to %i modulo %i", value, rest, modulus);
    __int128 made = difference / modulus;
    return fitting(rt, "cyclic-quotient", made != (int64_t)made, (int64_t)made);
}

/* Bits of floats */

word op_bits_to_float32(RT, word x) {
    return make_flonum(rt, cogen_bits_to_float32(need_integer(rt, "bits->float32", x)));
}
word op_bits_to_float64(RT, word x) {
    return make_flonum(rt, cogen_bits_to_float64(need_integer(rt, "bits->float64", x)));
}
double need_flonum(RT, const char *name, word x) {
    if (!IS_FLONUM(x)) fail_expected(rt, name, "a float", x);
    return flonum_value(x);
}
word op_float32_to_bits(RT, word x) {
    return FIX(cogen_float32_to_bits(need_flonum(rt, "float32->bits", x)));
}
word op_float64_to_bits(RT, word x) {
    return make_integer(rt, cogen_float64_to_bits(need_flonum(rt, "float64->bits", x)));
}
