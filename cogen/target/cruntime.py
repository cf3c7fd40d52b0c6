"""Small C functions that generated code calls; only those it uses are printed with it.

All are total: no argument makes their behaviour undefined.  Integer results that leave the
range wrap around, which is what unchecked code may give for them.
"""

from __future__ import annotations

HELPERS = {
    "cogen_fail": """\
/* Note what went wrong; whoever is called with `error` looks at `error->code`. */
__attribute__((cold, noinline))
static void cogen_fail(cogen_error *error, int64_t code, int64_t first, int64_t second)
{
    error->code = code;
    error->detail[0] = first;
    error->detail[1] = second;
}
""",
    "cogen_called": """\
/* Note a call that has led to an error, which is not the first if others have. */
__attribute__((cold, noinline))
static void cogen_called(cogen_error *error, int64_t code, int64_t told)
{
    const int64_t count = error->calls, last = count - 1;
    if (count > 0 && error->call[last < 8 ? last : 8 + last % 8].code == code) {
        error->call[last < 8 ? last : 8 + last % 8].times++;
        return;
    }
    const int64_t place = count < 8 ? count : 8 + count % 8;
    if (count >= 16) {
        error->left_out += error->call[place].told * error->call[place].times;
    }
    error->call[place].code = code;
    error->call[place].told = told;
    error->call[place].times = 1;
    error->calls++;
}
""",
    "cogen_deep": """\
/* Whether less than a safe part of the stack is left for a recursive procedure. */
static inline bool cogen_deep(const cogen_error *error)
{
    return (uintptr_t)__builtin_frame_address(0) < error->stack_limit;
}
""",
    "cogen_quotient": """\
static inline int64_t cogen_quotient(int64_t a, int64_t b)
{
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
""",
    "cogen_remainder": """\
static inline int64_t cogen_remainder(int64_t a, int64_t b)
{
    return b == -1 ? 0 : a % b;
}
""",
    "cogen_floor_quotient": """\
static inline int64_t cogen_floor_quotient(int64_t a, int64_t b)
{
    if (b == -1) {
        return (int64_t)(0 - (uint64_t)a);
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
""",
    "cogen_floor_remainder": """\
static inline int64_t cogen_floor_remainder(int64_t a, int64_t b)
{
    const int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
""",
    "cogen_gcd": """\
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
""",
    "cogen_lcm": """\
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
""",
    "cogen_power": """\
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
""",
    "cogen_shift": """\
/* x times 2 to the n, rounded down. */
static inline int64_t cogen_shift(int64_t x, int64_t n)
{
    if (n < 0) {
        return x >> (n < -63 ? 63 : -n);
    }
    return n > 63 ? 0 : (int64_t)((uint64_t)x << n);
}
""",
    "cogen_shift_fits": """\
static inline bool cogen_shift_fits(int64_t x, int64_t n)
{
    return n <= 0 || x == 0 || (n < 64 && cogen_shift(cogen_shift(x, n), -n) == x);
}
""",
    "cogen_word_left": """\
/* The 64 bits of x moved up n places, n not negative. */
static inline int64_t cogen_word_left(int64_t x, int64_t n)
{
    return n > 63 ? 0 : (int64_t)((uint64_t)x << n);
}
""",
    "cogen_word_right": """\
/* The 64 bits of x moved down n places, n not negative. */
static inline int64_t cogen_word_right(int64_t x, int64_t n)
{
    return n > 63 ? 0 : (int64_t)((uint64_t)x >> n);
}
""",
    "cogen_min_float": """\
static inline double cogen_min_float(double a, double b)
{
    return a != a || b != b ? (double)NAN : b < a ? b : a;
}
""",
    "cogen_max_float": """\
static inline double cogen_max_float(double a, double b)
{
    return a != a || b != b ? (double)NAN : a < b ? b : a;
}
""",
    "cogen_int_plus_float": """\
/* An exact 0 leaves the sign of a zero alone. */
static inline double cogen_int_plus_float(int64_t a, double b)
{
    return a == 0 ? b : (double)a + b;
}
""",
    "cogen_int_minus_float": """\
/* An exact 0 only changes the sign. */
static inline double cogen_int_minus_float(int64_t a, double b)
{
    return a == 0 ? -b : (double)a - b;
}
""",
    "cogen_compare": """\
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
""",
    "cogen_same_float": """\
/* The same number; zeros of different sign differ, and all NaNs are the same. */
static inline bool cogen_same_float(double a, double b)
{
    return (a == b && !signbit(a) == !signbit(b)) || (a != a && b != b);
}
""",
    "cogen_bits_to_float32": """\
static inline double cogen_bits_to_float32(int64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}
""",
    "cogen_float32_to_bits": """\
static inline int64_t cogen_float32_to_bits(double x)
{
    const float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
""",
    "cogen_bits_to_float64": """\
static inline double cogen_bits_to_float64(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
""",
    "cogen_float64_to_bits": """\
static inline int64_t cogen_float64_to_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
""",
    "cogen_outside": """\
/* Whether one of `rounds` indices first, first + step, ... is not in 0 to words - 1. */
static inline bool cogen_outside(cogen_wide first, cogen_wide step, cogen_wide rounds,
                                 int64_t words)
{
    const cogen_wide last = first + step * (rounds - 1);
    return first < 0 || first >= words || last < 0 || last >= words;
}
""",
    "cogen_fail_first": """\
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
        cogen_fail(error, code, (int64_t)(first + step * round), words);
    }
}
""",
}
"""The text of each helper by its name, helpers it calls before it."""

NEEDS = {
    "cogen_lcm": ("cogen_gcd",),
    "cogen_shift_fits": ("cogen_shift",),
    "cogen_fail_first": ("cogen_fail",),
}
"""Which other helpers a helper calls."""

ERROR_TYPE = """\
/* Where an error is reported: code 0 is none; what a code means stands at the top. */
typedef struct {
    int64_t code;
    int64_t detail[2];
    uintptr_t stack_limit;
    const void *buffer; /* which one it is about, if that may be several */
    /* The calls that led there, the innermost first, by codes; how many calls of the source each
       is, and how often it comes in a row.  Of more than 16 the first and the last eight. */
    struct {
        int64_t code, told, times;
    } call[16];
    int64_t calls, left_out;
} cogen_error;
"""

WIDE_TYPE = "__extension__ typedef __int128 cogen_wide;\n"

LITTLE_ENDIAN = """\
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are little-endian: this code needs a little-endian machine"
#endif
"""


def closed(names: set[str]) -> list[str]:
    """The helpers with those they need, in the order in which they are printed."""
    wanted = set(names)
    for name in names:
        wanted.update(NEEDS.get(name, ()))
    return [name for name in HELPERS if name in wanted]
