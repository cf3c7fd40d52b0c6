"""Small C functions that kernels call beside those for numbers; only those it uses are printed.

What they do about errors: noting one, the calls that led to it, and which of several accesses
fails first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cogen.backends import failures
from cogen.backends.ctree.helpers import arithmetic

_ERRORS: Final = {
    "cogen_fail": failures.FAIL,
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
    "cogen_deep": failures.DEEP,
}

_RANGES: Final = {
    "cogen_mean16": """\
/* The mean of two samples, rounded down, without a wider sum. */
static inline int16_t cogen_mean16(int16_t x, int16_t y)
{
    return (int16_t)((x & y) + ((x ^ y) >> 1));
}
""",
    "cogen_sum16": """\
/* The sum of two samples, or the limit that it passes. */
static inline int16_t cogen_sum16(int16_t x, int16_t y)
{
    const int16_t sum = (int16_t)((uint16_t)x + (uint16_t)y);
    const int16_t limit = (int16_t)((x >> 15) ^ 0x7fff);
    return ((x ^ sum) & (y ^ sum)) < 0 ? limit : sum;
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
        error->code = 0;
        cogen_fail(error, code, (int64_t)(first + step * round), words, 0);
    }
}
""",
}

HELPERS: Final[Mapping[str, str]] = {**_ERRORS, **arithmetic(), **_RANGES}
"""The text of each helper by its name."""

ERROR_TYPE = failures.error_type(
    "Where an error is reported: code 0 is none; what a code means stands at the top.",
    failures.IN_CALL,
    """\
    uintptr_t stack_limit;
    const void *buffer; /* which one it is about, if that may be several */
    /* The calls that led there, the innermost first, by codes; how many calls of the source each
       is, and how often it comes in a row.  Of more than 16 the first and the last eight. */
    struct {
        int64_t code, told, times;
    } call[16];
    int64_t calls, left_out;
""",
)

WIDE_TYPE = "__extension__ typedef __int128 cogen_wide;\n"

LITTLE_ENDIAN = """\
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are little-endian: this code needs a little-endian machine"
#endif
"""
