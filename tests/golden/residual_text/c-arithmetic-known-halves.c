/* Made by cogen from arithmetic.scm: the residual program of known-halves.
   What the codes of cogen_error mean:
     1: cyclic-quotient at arithmetic.scm:53:1
     2: store-word! at arithmetic.scm:54:3
     3: store-word! at arithmetic.scm:55:3
     4: store-word! at arithmetic.scm:56:3 */

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

/* known-halves, arithmetic.scm:53:1 */
void known_halves(word64 *restrict out, int64_t out_words, int64_t a, int64_t b, cogen_error *error)
{
    if ((b & 7) != 3) {
        cogen_fail(error, 1, b, 0, 0);
        return;
    }
    const int64_t bq_2 = 8 * (b >> 3) + 3;
    if (out_words <= 0) {
        cogen_fail(error, 2, 0, out_words, 0);
        return;
    }
    out[0] = bq_2 % 8;
    if (out_words <= 1) {
        cogen_fail(error, 3, 1, out_words, 0);
        return;
    }
    out[1] = bq_2 / 4 + a * 8 / 8;
    if (out_words <= 2) {
        cogen_fail(error, 4, 2, out_words, 0);
        return;
    }
    out[2] = 0;
}
