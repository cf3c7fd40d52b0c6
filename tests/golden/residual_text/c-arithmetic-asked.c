/* Made by cogen from arithmetic.scm: the residual program of asked.
   What the codes of cogen_error mean:
     1: exact at arithmetic.scm:50:20 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

static inline int64_t cogen_float64_to_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* asked, arithmetic.scm:43:1 */
int64_t asked(int64_t a, double x, bool yes, cogen_error *error)
{
    if (false) {
        return 1;
    }
    if (false) {
        return 1;
    }
    if (false) {
        return 1;
    }
    if (false) {
        return 1;
    }
    if (false) {
        return 1;
    }
    if (false) {
        return 1;
    }
    if (false) {
        return 2;
    }
    if (false) {
        return 2;
    }
    if (false) {
        return 2;
    }
    if (false) {
        return 2;
    }
    if (yes != 0) {
        return 3;
    }
    if (false) {
        return 4;
    }
    if (false) {
        return 4;
    }
    if (false) {
        return 4;
    }
    if (false) {
        return 4;
    }
    if (false) {
        return 4;
    }
    if (true) {
        return a & 5;
    }
    if (a == 7) {
        return 6;
    }
    const double t_2 = x * 0.5;
    if (!(trunc(t_2) == t_2 && t_2 >= -0x1p63 && t_2 < 0x1p63)) {
        cogen_fail(error, 1, cogen_float64_to_bits(t_2), 0, 0);
        return 0;
    }
    return a + (int64_t)t_2 + 64;
}
