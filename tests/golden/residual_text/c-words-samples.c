/* Made by cogen from words.scm: the residual program of samples.
   What the codes of cogen_error mean:
     1: cyclic-quotient at words.scm:30:1
     2: cyclic-quotient at words.scm:30:1
     3: load-word at signals/cache.scm:79:11
     4: load-word at signals/cache.scm:79:11
     5: load-word at signals/cache.scm:79:11 */

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

/* Whether one of `rounds` indices first, first + step, ... is not in 0 to words - 1. */
static inline bool cogen_outside(cogen_wide first, cogen_wide step, cogen_wide rounds,
                                 int64_t words)
{
    const cogen_wide last = first + step * (rounds - 1);
    return first < 0 || first >= words || last < 0 || last >= words;
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

/* samples, words.scm:30:1 */
int64_t samples(const word32 *restrict buffer, int64_t buffer_words, int64_t from, int64_t to,
        cogen_error *error)
{
    if ((from & 31) != 0) {
        cogen_fail(error, 1, from, 0, 0);
        return 0;
    }
    if ((to & 31) != 0) {
        cogen_fail(error, 2, to, 0, 0);
        return 0;
    }
    const int64_t toq = to >> 5;
    const int64_t fromq = from >> 5;
    int64_t state = 0;
    const cogen_wide rounds = ((cogen_wide)toq - fromq) / 3;
    if (fromq != toq && (rounds < 0 || rounds * 3 != (cogen_wide)toq - fromq
            || cogen_outside(fromq, 3, rounds, buffer_words)
            || cogen_outside((cogen_wide)fromq + 2, 3, rounds, buffer_words))) {
        cogen_wide soonest = -1;
        cogen_fail_first(error, &soonest, 3, fromq, 3, buffer_words);
        cogen_fail_first(error, &soonest, 4, (cogen_wide)fromq + 1, 3, buffer_words);
        cogen_fail_first(error, &soonest, 5, (cogen_wide)fromq + 2, 3, buffer_words);
        return 0;
    }
    for (int64_t fromq_1 = fromq; fromq_1 < toq;) {
        const int64_t fromq_1_end = toq - fromq_1 > 98304 ? fromq_1 + 98304 : toq;
        uint32_t state_part = 0;
        for (; fromq_1 < fromq_1_end; fromq_1 += 3) {
            const uint32_t t = buffer[fromq_1];
            const uint32_t t_7 = buffer[fromq_1 + 1];
            const uint32_t t_19 = buffer[fromq_1 + 2];
            state_part += (t & 0xfff) + ((t >> 12) & 0xfff) + ((t >> 24) | ((t_7 & 15) << 8))
                    + ((t_7 >> 4) & 0xfff) + ((t_7 >> 16) & 0xfff)
                    + ((t_7 >> 28) | ((t_19 & 255) << 4)) + ((t_19 >> 8) & 0xfff) + (t_19 >> 20);
        }
        state += state_part;
    }
    return state;
}
