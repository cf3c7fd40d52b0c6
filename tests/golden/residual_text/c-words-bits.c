/* Made by cogen from words.scm: the residual program of bits.
   What the codes of cogen_error mean:
     1: store-word! at words.scm:12:3
     2: store-word! at words.scm:13:3
     3: store-word! at words.scm:14:3
     4: store-word! at words.scm:15:3
     5: store-word! at words.scm:16:3
     6: store-word! at words.scm:17:3
     7: store-word! at words.scm:18:3 */

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

/* x times 2 to the n, rounded down. */
static inline int64_t cogen_shift(int64_t x, int64_t n)
{
    if (n < 0) {
        return x >> (n < -63 ? 63 : -n);
    }
    return n > 63 ? 0 : (int64_t)((uint64_t)x << n);
}

/* bits, words.scm:11:1 */
void bits(word64 *restrict out, int64_t out_words, int64_t a, int64_t b, cogen_error *error)
{
    if (out_words <= 0) {
        cogen_fail(error, 1, 0, out_words, 0);
        return;
    }
    out[0] = (a & b) ^ (a | ~b);
    if (out_words <= 1) {
        cogen_fail(error, 2, 1, out_words, 0);
        return;
    }
    out[1] = (a >> 3) + ((a & 255) << 4);
    if (out_words <= 2) {
        cogen_fail(error, 3, 2, out_words, 0);
        return;
    }
    out[2] = cogen_shift(a, b);
    if (out_words <= 3) {
        cogen_fail(error, 4, 3, out_words, 0);
        return;
    }
    out[3] = (int64_t)((uint64_t)(int64_t)((uint64_t)a * (uint64_t)b)
            + (uint64_t)(int64_t)((uint64_t)a - (uint64_t)b));
    if (out_words <= 4) {
        cogen_fail(error, 5, 4, out_words, 0);
        return;
    }
    out[4] = (int64_t)((uint64_t)a << 5) ^ (int64_t)((uint64_t)a >> 5);
    if (out_words <= 5) {
        cogen_fail(error, 6, 5, out_words, 0);
        return;
    }
    out[5] = (int64_t)__builtin_popcountll((uint64_t)(a ^ (a >> 63)));
    if (out_words <= 6) {
        cogen_fail(error, 7, 6, out_words, 0);
        return;
    }
    out[6] = 64 * out_words;
}
