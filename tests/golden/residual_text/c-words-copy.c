/* Made by cogen from words.scm: the residual program of copy.
   What the codes of cogen_error mean:
     1: load-word at words.scm:27:25
     2: store-word! at words.scm:27:7 */

#include <stdbool.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are little-endian: this code needs a little-endian machine"
#endif

typedef uint32_t word32 __attribute__((aligned(1), may_alias));

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

__extension__ typedef __int128 cogen_wide;

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

/* copy, words.scm:24:1 */
void copy(const word32 *restrict from, int64_t from_words, word32 *restrict to, int64_t to_words,
        int64_t count, cogen_error *error)
{
    if (0 < count && (count > from_words || count > to_words)) {
        cogen_wide soonest = -1;
        cogen_fail_first(error, &soonest, 1, 0, 1, from_words);
        cogen_fail_first(error, &soonest, 2, 0, 1, to_words);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}
