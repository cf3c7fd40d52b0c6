/* What C does with the numbers of the language: division, powers, shifts, comparisons, bits of
   floats.  Kernels and array programs print those functions that they use (helpers.py); the run time
   of native programs includes the file.

   All are total: no argument makes their behaviour undefined.  Integer results that leave the range
   wrap around, unless a function tells whether its result fits. */

#ifndef COGEN_ARITHMETIC_H
#define COGEN_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/* The same of floats that have no fraction. */
static inline double cogen_float_quotient(double a, double b)
{
    return (a - fmod(a, b)) / b;
}

static inline double cogen_float_remainder(double a, double b)
{
    return fmod(a, b);
}

static inline double cogen_float_floor_quotient(double a, double b)
{
    const double rest = fmod(a, b);
    return (a - rest) / b - (rest != 0.0 && (rest < 0.0) != (b < 0.0));
}

static inline double cogen_float_floor_remainder(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

static inline double cogen_float_gcd(double a, double b)
{
    while (b != 0.0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return fabs(a);
}

static inline double cogen_float_lcm(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : fabs(a) / cogen_float_gcd(a, b) * fabs(b);
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

/* x times 2 to the n, rounded down. */
static inline int64_t cogen_shift(int64_t x, int64_t n)
{
    if (n < 0) {
        return x >> (n < -63 ? 63 : -n);
    }
    return n > 63 ? 0 : (int64_t)((uint64_t)x << n);
}

static inline bool cogen_shift_fits(int64_t x, int64_t n)
{
    return n <= 0 || x == 0 || (n < 64 && cogen_shift(cogen_shift(x, n), -n) == x);
}

/* The 64 bits of x moved up n places, n not negative. */
static inline int64_t cogen_word_left(int64_t x, int64_t n)
{
    return n > 63 ? 0 : (int64_t)((uint64_t)x << n);
}

/* The 64 bits of x moved down n places, n not negative. */
static inline int64_t cogen_word_right(int64_t x, int64_t n)
{
    return n > 63 ? 0 : (int64_t)((uint64_t)x >> n);
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

/* An exact 0 only changes the sign. */
static inline double cogen_int_minus_float(int64_t a, double b)
{
    return a == 0 ? -b : (double)a - b;
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

/* The same number; zeros of different sign differ, and all NaNs are the same. */
static inline bool cogen_same_float(double a, double b)
{
    return (a == b && !signbit(a) == !signbit(b)) || (a != a && b != b);
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

#endif
