/* Text -> numbers, as lang/lexical.py defines them. */

#include "inline.h"

#include <stdlib.h>

enum { ENOUGH_DIGITS = 80 };

int digit_of(uint32_t c) {
    if (c >= '0' && c <= '9') return (int)(c - '0');
    if (c >= 'a' && c <= 'f') return (int)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (int)(c - 'A') + 10;
    return 99;
}
static bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
uint32_t lower(uint32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

size_t digits_from(const uint32_t *s, size_t i, size_t n) {
    while (i < n && is_digit(s[i])) i++;
    return i;
}

/* What stands before an exponent: e, or s f d l as older Schemes write it. */
static bool is_marker(uint32_t c) {
    c = lower(c);
    return c == 'e' || c == 's' || c == 'f' || c == 'd' || c == 'l';
}

/* The end of digits . digits e digits from i on, or 0 where there are none. */
static size_t decimal_from(const uint32_t *s, size_t i, size_t n) {
    size_t end = digits_from(s, i, n);
    if (end > i) {
        if (end < n && s[end] == '.') end = digits_from(s, end + 1, n);
    } else {
        if (i >= n || s[i] != '.') return 0;
        end = digits_from(s, i + 1, n);
        if (end == i + 1) return 0;
    }
    if (end < n && is_marker(s[end])) {
        size_t exponent = end + 1;
        if (exponent < n && (s[exponent] == '+' || s[exponent] == '-')) exponent++;
        size_t last = digits_from(s, exponent, n);
        if (last > exponent) end = last;
    }
    return end;
}

bool matches(const uint32_t *s, size_t i, size_t n, const char *word) {
    for (; *word; word++, i++)
        if (i >= n || lower(s[i]) != (uint32_t)*word) return false;
    return true;
}

static size_t real_from(const uint32_t *s, size_t i, size_t n) {
    size_t end = digits_from(s, i, n);
    if (end > i && end < n && s[end] == '/') {
        size_t last = digits_from(s, end + 1, n);
        if (last > end + 1) return last;
    }
    end = decimal_from(s, i, n);
    if (end) return end;
    return matches(s, i, n, "inf.0") || matches(s, i, n, "nan.0") ? i + 5 : 0;
}

static bool is_sign(const uint32_t *s, size_t i, size_t n) {
    return i < n && (s[i] == '+' || s[i] == '-');
}

static bool exotic_body(const uint32_t *s, size_t i, size_t n) {
    size_t signless = i + is_sign(s, i, n);
    size_t end = digits_from(s, signless, n);
    if (end > signless && end < n && s[end] == '/' && digits_from(s, end + 1, n) == n && end + 1 < n)
        return true;
    size_t real = real_from(s, signless, n);
    if (real && real < n && s[real] == '@') {
        size_t angle = real + 1 + is_sign(s, real + 1, n);
        if (angle < n && real_from(s, angle, n) == n) return true;
    }
    for (int with = 0; with < 2; with++) { /* the imaginary part, after the real one or alone */
        size_t at = with ? real : i;
        if ((with && !real) || !is_sign(s, at, n)) continue;
        size_t imaginary = real_from(s, at + 1, n);
        if (!imaginary) imaginary = at + 1;
        if (imaginary + 1 == n && lower(s[imaginary]) == 'i') return true;
    }
    return false;
}

/* Does the text write a number that the language has not: 1/2, 1+2i, #e0.5? */
bool is_exotic(RT, const uint32_t *s, size_t n) {
    size_t i = 0;
    bool hexadecimal = false, other = false, exact = false, exactness = false;
    while (i + 1 < n && s[i] == '#') {
        uint32_t c = lower(s[i + 1]);
        if (c == 'x' && !hexadecimal && !other) hexadecimal = true;
        else if ((c == 'b' || c == 'o' || c == 'd') && !other && !hexadecimal) other = true;
        else if ((c == 'e' || c == 'i') && !exactness) exactness = true, exact = c == 'e';
        else return false;
        i += 2;
    }
    if (hexadecimal) {
        i += is_sign(s, i, n);
        size_t start = i;
        while (i < n && digit_of(s[i]) < 16) i++;
        if (i == start || i >= n || s[i] != '/') return false;
        start = ++i;
        while (i < n && digit_of(s[i]) < 16) i++;
        return i == n && i > start;
    }
    if (exact) {
        size_t start = i + is_sign(s, i, n);
        if (decimal_from(s, start, n) == n && n > start) {
            word made;
            bool large = false;
            return !parse_number(rt, s, n, 10, &made, &large);
        }
    }
    return exotic_body(s, i, n);
}

/* Does a word start like an infinity or a NaN? */
bool looks_infinite(const uint32_t *s, size_t n) {
    return is_sign(s, 0, n) && (matches(s, 1, n, "inf.0") || matches(s, 1, n, "nan.0"));
}

/* Does a word that is no number start like one, and is not the likes of `1+`? */
bool looks_like_number(const uint32_t *s, size_t n) {
    size_t i = is_sign(s, 0, n);
    if (i < n && s[i] == '.') i++;
    if (i >= n || !is_digit(s[i])) return false;
    i = s[0] == '-';
    size_t end = digits_from(s, i, n);
    return !(end > i && end + 1 == n && is_sign(s, end, n));
}

static double as_double(RT, const uint32_t *s, size_t n) {
    char few[64], *bytes = n < 64 ? few : allocate_block(rt, n + 1, 1);
    for (size_t i = 0; i < n; i++) bytes[i] = is_marker(s[i]) ? 'e' : (char)s[i];
    bytes[n] = 0;
    double made = strtod(bytes, NULL);
    if (bytes != few) release(rt, bytes);
    return made;
}

/* The integer of digits and zeros behind them, or a note that it is too large. */
static word integer_of(RT, const uint32_t *s, size_t n, size_t zeros, int radix, bool negative, bool *large) {
    uword made = 0, most = (uword)1 << 63;
    for (size_t i = 0; i < n + zeros; i++) {
        uword digit = i < n ? (uword)digit_of(s[i]) : 0;
        if (__builtin_mul_overflow(made, (uword)radix, &made) ||
            __builtin_add_overflow(made, digit, &made) || made > most)
            return *large = true, FIX(0);
    }
    if (made == most && !negative) return *large = true, FIX(0);
    return make_integer(rt, negative ? (int64_t)-made : (int64_t)made);
}

/* #e before a decimal: an integer, or none if it writes a fraction. */
static bool exact_decimal(RT, const uint32_t *s, size_t n, word *made, bool *large) {
    bool negative = s[0] == '-';
    size_t i = is_sign(s, 0, n), count = 0, places = 0;
    uint32_t *digits = allocate_block(rt, n, sizeof *digits);
    bool point = false;
    for (; i < n && !is_marker(s[i]); i++) {
        if (s[i] == '.') {
            point = true;
            continue;
        }
        places += point;
        if (count || s[i] != '0') digits[count++] = s[i];
    }
    long exponent = 0;
    if (i < n) {
        bool down = s[++i] == '-';
        i += is_sign(s, i, n);
        for (; i < n; i++)
            if (exponent < 100000000) exponent = 10 * exponent + digit_of(s[i]);
        if (down) exponent = -exponent;
    }
    long shift = exponent - (long)places;
    bool found = true;
    if (count == 0) {
        *made = FIX(0);
    } else if ((long)count + shift > ENOUGH_DIGITS) {
        *large = true;
    } else {
        long trailing = 0;
        while (digits[count - 1 - (size_t)trailing] == '0') trailing++;
        if (-shift > trailing) found = false;
        else if (shift < 0)
            *made = integer_of(rt, digits, count - (size_t)-shift, 0, 10, negative, large);
        else *made = integer_of(rt, digits, count, (size_t)shift, 10, negative, large);
    }
    release(rt, digits);
    return found;
}

/* n/d, which starts with so many characters before the stroke: an integer, or inexact. */
static bool read_quotient(RT, const uint32_t *s, size_t n, size_t stroke, int radix, bool inexact, word *made) {
    size_t start = is_sign(s, 0, n), i = stroke + 1;
    while (i < n && digit_of(s[i]) < radix) i++;
    if (i < n || stroke + 1 == n) return false;
    bool large = false;
    word over = integer_of(rt, s + start, stroke - start, 0, radix, true, &large);
    word under = integer_of(rt, s + stroke + 1, n - stroke - 1, 0, radix, true, &large);
    int64_t most = (int64_t)1 << 53;
    if (large || under == FIX(0)) return false;
    int64_t a = integer_value(over), b = integer_value(under); /* not positive, so all of 64 bits fits */
    if (inexact) {
        if (a < -most || b < -most) return false;
        double value = a ? (double)a / (double)b : 0;
        return *made = make_flonum(rt, s[0] == '-' ? 0 - value : value), true;
    }
    if (b == -1 && a == INT64_MIN) return s[0] == '-' && (*made = make_integer(rt, a), true);
    if (a % b) return false;
    return *made = make_integer(rt, s[0] == '-' ? -(a / b) : a / b), true;
}

/* The number that the text writes, if any; an integer out of range is noted in `large`. */
bool parse_number(RT, const uint32_t *s, size_t n, int radix, word *made, bool *large) {
    uint32_t exactness = 0;
    bool seen = false;
    while (n > 0 && s[0] == '#') {
        uint32_t c = n > 1 ? lower(s[1]) : 0;
        int other = c == 'x' ? 16 : c == 'd' ? 10 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
        if (other && !seen) radix = other, seen = true;
        else if ((c == 'e' || c == 'i') && !exactness) exactness = c;
        else return false;
        s += 2, n -= 2;
    }
    if (n > 1 && lower(s[n - 1]) == 'i' && exactness != 'i') { /* 2+0i is 2 */
        size_t end = n - 1;
        while (end > 0 && s[end - 1] == '0') end--;
        if (end < n - 1 && end > 0 && is_sign(s, end - 1, n)) n = end - 1;
        if (n == 0) return *made = FIX(0), true;
    }
    size_t start = is_sign(s, 0, n), i = start;
    while (i < n && digit_of(s[i]) < radix) i++;
    if (i == n && i > start) {
        if (exactness != 'i') {
            *made = integer_of(rt, s + start, n - start, 0, radix, s[0] == '-', large);
            return true;
        }
        double value = 0;
        if (radix == 10) value = as_double(rt, s, n);
        else {
            text t = {.rt = rt}; /* C reads no octal or binary floats: by hexadecimal digits, exactly */
            text_string(&t, s[0] == '-' ? "-0x0" : "0x0");
            int bits = radix == 16 ? 4 : radix == 8 ? 3 : 1;
            size_t total = (n - start) * (size_t)bits, pad = (4 - total % 4) % 4;
            unsigned nibble = 0, have = (unsigned)pad;
            for (i = start; i < n; i++)
                for (int b = bits - 1; b >= 0; b--) {
                    nibble = nibble << 1 | (unsigned)(digit_of(s[i]) >> b & 1);
                    if (++have == 4) {
                        text_add(&t, &"0123456789abcdef"[nibble], 1);
                        nibble = have = 0;
                    }
                }
            text_add(&t, "", 1);
            value = strtod(t.bytes, NULL);
            text_free(&t);
        }
        *made = make_flonum(rt, value);
        return true;
    }
    if (i > start && i < n && s[i] == '/') return read_quotient(rt, s, n, i, radix, exactness == 'i', made);
    if (radix == 10 && n > start && decimal_from(s, start, n) == n) {
        if (exactness == 'e') return exact_decimal(rt, s, n, made, large);
        *made = make_flonum(rt, as_double(rt, s, n));
        return true;
    }
    if (exactness == 'e' || n != 6 || !is_sign(s, 0, n)) return false;
    if (matches(s, 1, n, "inf.0")) *made = make_flonum(rt, s[0] == '-' ? -__builtin_inf() : __builtin_inf());
    else if (matches(s, 1, n, "nan.0")) *made = make_flonum(rt, __builtin_nan(""));
    else return false;
    return true;
}
