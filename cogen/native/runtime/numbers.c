/* Numbers: integers in [-2^63, 2^63) and binary64 floats, as lang/primtable/numbers.py and
   words.py define them.  What compiled code does not do in line is here. */

#include "inline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

word make_integer(int64_t n) {
    if (n >= FIX_MIN && n <= FIX_MAX) return FIX(n);
    word made = make_object(INTEGER, 1);
    FIELD(made, 0) = n;
    return made;
}

word make_flonum(double x) {
    word made = make_object(FLONUM, 1);
    memcpy(&FIELD(made, 0), &x, sizeof x);
    return made;
}

/* `eqv?` of different words. */
word same_value(word a, word b) {
    if (KIND(a) != KIND(b) || KIND(a) > WIDE) return 0;
    if (KIND(a) >= STRING) return same_contents(a, b);
    if (FIELD(a, 0) == FIELD(b, 0)) return 1;
    return KIND(a) == FLONUM && isnan(flonum_value(a)) && isnan(flonum_value(b));
}

int64_t need_integer(const char *name, word x) {
    if (!IS_INTEGER(x)) fail_expected(name, "an integer", x);
    return integer_value(x);
}

size_t need_index(const char *name, word x, size_t limit, const char *what) {
    int64_t i = need_integer(name, x);
    if (i >= 0 && (uword)i < limit) return (size_t)i;
    if (limit == 0) fail("%s: %s %i in an empty object", name, what, i);
    fail("%s: %s %i is not in 0 to %i", name, what, i, (int64_t)limit - 1);
}

void need_range(const char *name, size_t length, word start, word end, size_t *first, size_t *last) {
    int64_t a = start == ABSENT ? 0 : need_integer(name, start);
    int64_t b = end == ABSENT ? (int64_t)length : need_integer(name, end);
    if (a < 0 || a > b || b > (int64_t)length)
        fail("%s: the part from %i to %i is not within 0 to %i", name, a, b, (int64_t)length);
    *first = (size_t)a;
    *last = (size_t)b;
}

size_t need_size(const char *name, word x, int64_t limit) {
    int64_t n = need_integer(name, x);
    if (n < 0 || n > limit) fail("%s: the size %i is not in 0 to %i", name, n, limit);
    return (size_t)n;
}

NORETURN static void overflow(const char *name) { fail("%s: the result does not fit in 64 bits", name); }

static bool is_number(word x) { return IS_FIX(x) || (IS_OBJECT(x) && KIND(x) <= INTEGER); }

static void need_number(const char *name, word x) {
    if (!is_number(x)) fail_expected(name, "a number", x);
}

static double as_float(word x) {
    return IS_INTEGER(x) ? (double)integer_value(x) : flonum_value(x);
}

static double need_float(const char *name, word x) {
    need_number(name, x);
    return as_float(x);
}

/* Arithmetic */

static word fitting(const char *name, bool overflows, int64_t n) {
    if (overflows) overflow(name);
    return make_integer(n);
}

#define BINARY(op, name, builtin, sign) \
    word op(word a, word b) { \
        if (IS_INTEGER(a) && IS_INTEGER(b)) { \
            int64_t n; \
            bool overflows = builtin(integer_value(a), integer_value(b), &n); \
            return fitting(name, overflows, n); \
        } \
        need_number(name, a), need_number(name, b); \
        return op##_floats(a, b); \
    }
static word op_add_floats(word a, word b) {
    if (a == FIX(0)) return b;
    if (b == FIX(0)) return a;
    return make_flonum(as_float(a) + as_float(b));
}
static word op_sub_floats(word a, word b) {
    if (a == FIX(0)) return make_flonum(-as_float(b));
    return make_flonum(as_float(a) - as_float(b));
}
static word op_mul_floats(word a, word b) { return make_flonum(as_float(a) * as_float(b)); }
BINARY(op_add, "+", __builtin_add_overflow, +)
BINARY(op_sub, "-", __builtin_sub_overflow, -)
BINARY(op_mul, "*", __builtin_mul_overflow, *)

word op_div(word a, word b) {
    if (IS_INTEGER(a) && IS_INTEGER(b)) {
        int64_t m = integer_value(a), n = integer_value(b);
        if (n == 0) fail("/: division by zero");
        if (n == -1) return fitting("/", m == INT64_MIN, m == INT64_MIN ? 0 : -m);
        if (m % n != 0) fail("/: %i is not divisible by %i, and there are no fractions", m, n);
        return make_integer(m / n);
    }
    double x = need_float("/", a), y = need_float("/", b);
    if (y == 0.0 && (x == 0.0 || isnan(x))) return make_flonum(NAN);
    return make_flonum(x / y);
}

static int64_t quotient(int64_t m, int64_t n) { return m / n; }
static int64_t remainder_of(int64_t m, int64_t n) { return n == -1 ? 0 : m % n; }
static int64_t floor_quotient(int64_t m, int64_t n) {
    int64_t rest = m % n;
    return m / n - (rest != 0 && (rest ^ n) < 0);
}
static int64_t floor_remainder(int64_t m, int64_t n) {
    if (n == -1) return 0;
    int64_t rest = m % n;
    return rest != 0 && (rest ^ n) < 0 ? rest + n : rest;
}

#define DIVISION(op, name, function, can_overflow) \
    word op(word a, word b) { \
        int64_t m = need_integer(name, a), n = need_integer(name, b); \
        if (n == 0) fail(name ": division by zero"); \
        if (can_overflow && m == INT64_MIN && n == -1) overflow(name); \
        return make_integer(function(m, n)); \
    }
DIVISION(op_quotient, "quotient", quotient, true)
DIVISION(op_remainder, "remainder", remainder_of, false)
DIVISION(op_modulo, "modulo", floor_remainder, false)
DIVISION(op_floor_quotient, "floor-quotient", floor_quotient, true)
DIVISION(op_floor_remainder, "floor-remainder", floor_remainder, false)
DIVISION(op_truncate_quotient, "truncate-quotient", quotient, true)
DIVISION(op_truncate_remainder, "truncate-remainder", remainder_of, false)

word op_abs(word x) {
    if (IS_INTEGER(x)) {
        int64_t n = integer_value(x);
        return fitting("abs", n == INT64_MIN, n < 0 && n != INT64_MIN ? -n : n);
    }
    return make_flonum(fabs(need_float("abs", x)));
}

#define EXTREME(op, name, sign) \
    word op(word a, word b) { \
        if (IS_INTEGER(a) && IS_INTEGER(b)) return integer_value(b) sign integer_value(a) ? b : a; \
        double x = need_float(name, a), y = need_float(name, b); \
        if (isnan(x) || isnan(y)) return make_flonum(NAN); \
        return make_flonum(y sign x ? y : x); \
    }
EXTREME(op_min, "min", <)
EXTREME(op_max, "max", >)

static uword magnitude(int64_t n) { return n < 0 ? -(uword)n : (uword)n; }

static uword common(uword a, uword b) {
    while (b != 0) {
        uword rest = a % b;
        a = b, b = rest;
    }
    return a;
}

word op_gcd(word a, word b) {
    int64_t m = need_integer("gcd", a), n = need_integer("gcd", b);
    uword found = common(magnitude(m), magnitude(n));
    return fitting("gcd", found > INT64_MAX, (int64_t)found);
}

word op_lcm(word a, word b) {
    uword m = magnitude(need_integer("lcm", a)), n = magnitude(need_integer("lcm", b)), made;
    if (m == 0 || n == 0) return FIX(0);
    bool overflows = __builtin_mul_overflow(m / common(m, n), n, &made) || made > INT64_MAX;
    return fitting("lcm", overflows, (int64_t)made);
}

word op_square(word x) {
    if (IS_INTEGER(x)) {
        int64_t n = integer_value(x), made;
        bool overflows = __builtin_mul_overflow(n, n, &made);
        return fitting("square", overflows, made);
    }
    double y = need_float("square", x);
    return make_flonum(y * y);
}

static word integer_power(int64_t base, int64_t exponent) {
    if (base == 0 || base == 1 || base == -1) {
        if (base == 0 && exponent < 0) fail("expt: division by zero");
        return FIX(exponent == 0 || (base == -1 && exponent % 2 == 0) ? 1 : base);
    }
    if (exponent < 0) fail("expt: the result is a fraction, and there are none");
    int64_t made = 1;
    for (int64_t i = 0; i < exponent; i++)
        if (__builtin_mul_overflow(made, base, &made)) overflow("expt");
    return make_integer(made);
}

word op_expt(word a, word b) {
    if (IS_INTEGER(a) && IS_INTEGER(b)) return integer_power(integer_value(a), integer_value(b));
    double x = need_float("expt", a), y = need_float("expt", b);
    return make_flonum(pow(x, y));
}

/* Comparison: an integer and a float exactly */

static int compare_mixed(int64_t n, double x) { /* -1, 0, 1; x is no NaN */
    if (x >= 9223372036854775808.0) return -1;
    if (x < -9223372036854775808.0) return 1;
    int64_t whole = (int64_t)x;
    if (n != whole) return n < whole ? -1 : 1;
    double fraction = x - (double)whole;
    return fraction > 0 ? -1 : fraction < 0;
}

/* -1, 0, 1, or 2 where one is no number that has an order. */
static int compare_numbers(const char *name, word a, word b) {
    need_number(name, a), need_number(name, b);
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

word op_eq(word a, word b) { return BOOL(compare_numbers("=", a, b) == 0); }
word op_lt(word a, word b) { return BOOL(compare_numbers("<", a, b) == -1); }
word op_gt(word a, word b) { return BOOL(compare_numbers(">", a, b) == 1); }
word op_lteq(word a, word b) { int c = compare_numbers("<=", a, b); return BOOL(c <= 0); }
word op_gteq(word a, word b) { int c = compare_numbers(">=", a, b); return BOOL(c == 0 || c == 1); }
word op_zero_p(word x) { return BOOL(need_float("zero?", x) == 0); }
word op_positive_p(word x) { return BOOL(need_float("positive?", x) > 0); }
word op_negative_p(word x) { return BOOL(need_float("negative?", x) < 0); }
word op_odd_p(word x) { return BOOL(need_integer("odd?", x) & 1); }
word op_even_p(word x) { return BOOL(!(need_integer("even?", x) & 1)); }

word op_number_p(word x) { return BOOL(is_number(x)); }
word op_real_p(word x) { return BOOL(is_number(x)); }
word op_complex_p(word x) { return BOOL(is_number(x)); }
word op_rational_p(word x) { return BOOL(is_number(x) && isfinite(as_float(x))); }
word op_integer_p(word x) {
    return BOOL(IS_INTEGER(x) || (IS_FLONUM(x) && isfinite(flonum_value(x)) &&
                                  floor(flonum_value(x)) == flonum_value(x)));
}
word op_exact_integer_p(word x) { return BOOL(IS_INTEGER(x)); }
word op_exact_p(word x) { need_number("exact?", x); return BOOL(IS_INTEGER(x)); }
word op_inexact_p(word x) { need_number("inexact?", x); return BOOL(!IS_INTEGER(x)); }
word op_nan_p(word x) { return BOOL(isnan(need_float("nan?", x))); }
word op_infinite_p(word x) { return BOOL(isinf(need_float("infinite?", x))); }
word op_finite_p(word x) { return BOOL(isfinite(need_float("finite?", x))); }

/* Conversion */

static word rounded(const char *name, word x, double (*function)(double)) {
    need_number(name, x);
    if (IS_INTEGER(x)) return x;
    double y = flonum_value(x);
    return isfinite(y) ? make_flonum(copysign(function(y), y)) : x;
}
word op_floor(word x) { return rounded("floor", x, floor); }
word op_ceiling(word x) { return rounded("ceiling", x, ceil); }
word op_round(word x) { return rounded("round", x, nearbyint); }
word op_truncate(word x) { return rounded("truncate", x, trunc); }

word op_exact(word x) {
    need_number("exact", x);
    if (IS_INTEGER(x)) return x;
    double y = flonum_value(x);
    if (!isfinite(y) || floor(y) != y) {
        text t = {0};
        text_float(&t, y);
        text_add(&t, "", 1);
        char shown[64];
        memcpy(shown, t.bytes, t.used < 64 ? t.used : 64);
        text_free(&t);
        fail("exact: %s is not an integer", shown);
    }
    if (y >= 9223372036854775808.0 || y < -9223372036854775808.0) overflow("exact");
    return make_integer((int64_t)y);
}
word op_inexact_to_exact(word x) { return op_exact(x); }
word op_inexact(word x) {
    double y = need_float("inexact", x);
    return IS_INTEGER(x) ? make_flonum(y) : x;
}
word op_exact_to_inexact(word x) { return op_inexact(x); }

word op_sqrt(word x) {
    need_number("sqrt", x);
    if (!IS_INTEGER(x)) {
        double y = flonum_value(x);
        return make_flonum(y < 0 ? NAN : sqrt(y));
    }
    int64_t n = integer_value(x);
    if (n < 0) return make_flonum(NAN);
    int64_t root = (int64_t)sqrt((double)n);
    while (root > 3037000499 || root * root > n) root--;
    while (root < 3037000499 && (root + 1) * (root + 1) <= n) root++;
    return root * root == n ? make_integer(root) : make_flonum(sqrt((double)n));
}

#define FUNCTION(op, name, function) \
    word op(word x) { return make_flonum(function(need_float(name, x))); }
FUNCTION(op_exp, "exp", exp)
FUNCTION(op_sin, "sin", sin)
FUNCTION(op_cos, "cos", cos)
FUNCTION(op_tan, "tan", tan)
FUNCTION(op_asin, "asin", asin)
FUNCTION(op_acos, "acos", acos)

static double logarithm(double x) { return x == 0.0 ? -INFINITY : x > 0.0 ? log(x) : NAN; }

word op_log(word x, word base) {
    double a = logarithm(need_float("log", x));
    if (base == ABSENT) return make_flonum(a);
    double b = logarithm(need_float("log", base));
    return make_flonum(b == 0.0 && (a == 0.0 || isnan(a)) ? NAN : a / b);
}

word op_atan(word y, word x) {
    double a = need_float("atan", y);
    return make_flonum(x == ABSENT ? atan(a) : atan2(a, need_float("atan", x)));
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

static int need_radix(const char *name, word radix) {
    if (radix == ABSENT) return 10;
    if (radix == FIX(2) || radix == FIX(8) || radix == FIX(10) || radix == FIX(16))
        return (int)UNFIX(radix);
    fail_expected(name, "a radix of 2, 8, 10 or 16", radix);
}

word op_number_to_string(word x, word radix) {
    need_number("number->string", x);
    int base = need_radix("number->string", radix);
    if (!IS_INTEGER(x)) {
        if (base != 10) fail_expected("number->string", "an integer, as the radix is not 10", x);
        text t = {0};
        text_float(&t, flonum_value(x));
        word made = string_of(t.bytes, t.used);
        text_free(&t);
        return made;
    }
    char digits[72], *p = digits + sizeof digits;
    uword rest = magnitude(integer_value(x));
    do *--p = "0123456789abcdef"[rest % (uword)base], rest /= (uword)base; while (rest != 0);
    if (integer_value(x) < 0) *--p = '-';
    return string_of(p, (size_t)(digits + sizeof digits - p));
}

word op_string_to_number(word x, word radix) {
    if (!IS_STRING(x)) fail_expected("string->number", "a string", x);
    int base = need_radix("string->number", radix);
    size_t count = COUNT(x);
    uint32_t *s = malloc((count + 1) * sizeof *s);
    if (s == NULL) fail_limit("there is not enough memory");
    for (size_t i = 0; i < count; i++) s[i] = string_at(x, i);
    word made = FALSE;
    bool too_large = false;
    bool found = parse_number(s, count, base, &made, &too_large);
    free(s);
    if (too_large) overflow("string->number");
    return found ? made : FALSE;
}

/* Bits and words */

#define BITWISE(op, name, sign) \
    word op(word a, word b) { \
        int64_t m = need_integer(name, a), n = need_integer(name, b); \
        return make_integer(m sign n); \
    }
BITWISE(op_bitwise_and, "bitwise-and", &)
BITWISE(op_bitwise_ior, "bitwise-ior", |)
BITWISE(op_bitwise_xor, "bitwise-xor", ^)
word op_bitwise_not(word x) { return make_integer(~need_integer("bitwise-not", x)); }

word op_arithmetic_shift(word x, word n) {
    int64_t value = need_integer("arithmetic-shift", x), count = need_integer("arithmetic-shift", n);
    if (count <= 0) return make_integer(count < -63 ? -(value < 0) : value >> -count);
    if (value == 0) return FIX(0);
    if (count > 63) overflow("arithmetic-shift");
    int64_t made = (int64_t)((uword)value << count);
    return fitting("arithmetic-shift", made >> count != value, made);
}

word op_bit_count(word x) {
    int64_t n = need_integer("bit-count", x);
    return FIX(__builtin_popcountll((uword)(n < 0 ? ~n : n)));
}

#define WORD(op, name, sign) \
    word op(word a, word b) { \
        uword m = (uword)need_integer(name, a), n = (uword)need_integer(name, b); \
        return make_integer((int64_t)(m sign n)); \
    }
WORD(op_word_add, "word-add", +)
WORD(op_word_sub, "word-sub", -)
WORD(op_word_mul, "word-mul", *)

static int64_t need_count(const char *name, word n) {
    int64_t count = need_integer(name, n);
    if (count < 0) fail("%s: the shift count %i is negative", name, count);
    return count;
}
word op_word_shift_left(word x, word n) {
    uword value = (uword)need_integer("word-shift-left", x);
    int64_t count = need_count("word-shift-left", n);
    return make_integer(count < 64 ? (int64_t)(value << count) : 0);
}
word op_word_shift_right(word x, word n) {
    uword value = (uword)need_integer("word-shift-right", x);
    int64_t count = need_count("word-shift-right", n);
    return make_integer(count < 64 ? (int64_t)(value >> count) : 0);
}

word op_set_base(word x, word n) {
    if (!IS_INTEGER(n) || integer_value(n) <= 0)
        fail_expected("set-base", "a positive integer as the base", n);
    need_integer("set-base", x);
    return x;
}
static bool is_named(word x, const char *name) {
    return IS_SYMBOL(x) && COUNT(FIELD(x, 0)) == strlen(name) &&
           memcmp(DATA(FIELD(x, 0)), name, strlen(name)) == 0;
}
word op_init_cache(word lines, word form) {
    int64_t count = need_integer("init-cache", lines);
    if (count < 0) fail("init-cache: %i is no number of lines", count);
    if (form != ABSENT && !is_named(form, "reload") && !is_named(form, "carry"))
        fail_expected("init-cache", "reload or carry", form);
    return UNSPECIFIED;
}
word op_cache_lines(void) { return FIX(0); }
word op_cache_carries_p(void) { return FALSE; }

word op_cyclic_quotient(word x, word base, word remainder) {
    int64_t value = need_integer("cyclic-quotient", x), modulus = need_integer("cyclic-quotient", base);
    if (modulus == 0) fail("cyclic-quotient: division by zero");
    int64_t rest = need_integer("cyclic-quotient", remainder);
    __int128 difference = (__int128)value - rest;
    if (difference % modulus != 0) fail("%i is not congruent to %i modulo %i", value, rest, modulus);
    __int128 made = difference / modulus;
    return fitting("cyclic-quotient", made != (int64_t)made, (int64_t)made);
}

/* Bits of floats */

word op_bits_to_float32(word x) {
    uint32_t bits = (uint32_t)need_integer("bits->float32", x);
    float made;
    memcpy(&made, &bits, sizeof made);
    return make_flonum(made);
}
word op_bits_to_float64(word x) {
    int64_t bits = need_integer("bits->float64", x);
    double made;
    memcpy(&made, &bits, sizeof made);
    return make_flonum(made);
}
static double need_flonum(const char *name, word x) {
    if (!IS_FLONUM(x)) fail_expected(name, "a float", x);
    return flonum_value(x);
}
word op_float32_to_bits(word x) {
    float made = (float)need_flonum("float32->bits", x);
    uint32_t bits;
    memcpy(&bits, &made, sizeof bits);
    return FIX(bits);
}
word op_float64_to_bits(word x) {
    double value = need_flonum("float64->bits", x);
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return make_integer(bits);
}
