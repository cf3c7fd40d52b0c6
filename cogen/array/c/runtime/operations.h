/* What operations of array programs do in C and in OpenCL C, by the names in their table
   (cogen/array/ir/operations.py). Words in capitals are types and numbers that depend on how
   many bits ints and reals have, and names that end in F functions of reals
   (cogen/array/c/runtimetext.py). */

/* ---- int_pow ---- */
/* a to the b, modulo 2^BITS; of a negative b the floor of the fraction. */
static inline INT int_pow(INT a, INT b)
{
    if (b < 0) {
        if (a == 1 || a == -1) {
            return a == 1 || b % 2 == 0 ? 1 : -1;
        }
        return a > 0 || b % 2 == 0 ? 0 : -1;
    }
    UINT result = 1;
    UINT power = (UINT)a;
    for (; b > 0; b >>= 1) {
        if (b & 1) {
            result *= power;
        }
        power *= power;
    }
    return (INT)result;
}

/* ---- int_shl ---- */
static inline INT int_shl(INT a, INT b)
{
    return (INT)((UINT)a << (b & MASK));
}

/* ---- int_abs ---- */
static inline INT int_abs(INT a)
{
    return a < 0 ? (INT)(0 - (UINT)a) : a;
}

/* ---- int_max ---- */
static inline INT int_max(INT a, INT b)
{
    return a < b ? b : a;
}

/* ---- int_min ---- */
static inline INT int_min(INT a, INT b)
{
    return b < a ? b : a;
}

/* ---- int_area ---- */
/* The product of two sizes, 0 counted as 1; more than MOST is one more. */
static inline INT int_area(INT a, INT b)
{
    const INT most = MOST;
    const INT m = a < 1 ? 1 : a;
    const INT n = b < 1 ? 1 : b;
    return m > most / n ? most + 1 : m * n;
}

/* ---- real_mod ---- */
/* The remainder with the sign of b. */
static inline REAL real_mod(REAL a, REAL b)
{
    const REAL rest = fmodF(a, b);
    if (rest != 0) {
        return (rest < 0) != (b < 0) ? rest + b : rest;
    }
    return copysignF(ZERO, b);
}

/* ---- real_half ---- */
/* The nearest number that 16 bits hold. */
static inline REAL real_half(REAL a)
{
    if (!(fabsF(a) < HALF_LIMIT)) {
        return a != a ? a : copysignF((REAL)INFINITY, a);
    }
    int exponent;
    (void)frexpF(a, &exponent);
    const int unit = (exponent < -13 ? -13 : exponent) - 11;
    return ldexpF(rintF(ldexpF(a, -unit)), unit);
}

/* ---- char_chr ---- */
/* The character of a code point; of what is none, U+FFFD. */
static inline uint32_t char_chr(INT a)
{
    return a >= 0 && a < 0x110000 && (a < 0xD800 || a > 0xDFFF) ? (uint32_t)a : 0xFFFD;
}

/* ---- real_key ---- */
/* The low bits of a real as a key: -0.0 is 0.0, and all that are no numbers are one. */
static inline INT real_key(REAL a)
{
    union { REAL real; PATTERN bits; } found;
    found.real = a + 0;
    return (INT)(a == a ? found.bits : NAN_BITS);
}

/* ---- real_key_high ---- */
/* Those for which an int has no room. */
static inline INT real_key_high(REAL a)
{
    union { REAL real; PATTERN bits; } found;
    found.real = a + 0;
    return (INT)((a == a ? found.bits : NAN_BITS) ABOVE);
}

/* ---- key_real ---- */
/* The real with these bits. */
static inline REAL key_real(INT low, INT high)
{
    union { REAL real; PATTERN bits; } found;
    found.bits = JOINED;
    return found.real;
}

/* ---- real_trunc ---- */
/* The integer toward 0; the nearest there is, and 0 for nan. */
static inline INT real_trunc(REAL a)
{
    if (fabsF(a) < LIMIT) {
        return (INT)a;
    }
    if (a != a) {
        return 0;
    }
    return a > 0 ? GREATEST : LEAST;
}
