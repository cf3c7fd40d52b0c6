/* Made by cogen from loops.scm: the residual program of crossed.
   What the codes of cogen_error mean:
     1: load-word at loops.scm:87:18
     2: load-word at loops.scm:87:18
     3: store-word! at loops.scm:90:30 */

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

/* crossed, loops.scm:84:1 */
int64_t crossed(word32 *restrict memory, int64_t memory_words, int64_t n, cogen_error *error)
{
    int64_t i = 0;
    while (i != n) {
        if (memory_words <= i) {
            cogen_fail(error, 1, i, memory_words, 0);
            return 0;
        }
        if (memory[i] == 1) {
            int64_t i_2 = i + 1;
            for (;;) {
                if (i_2 == n) {
                    return 1;
                }
                if (memory_words <= i_2) {
                    cogen_fail(error, 2, i_2, memory_words, 0);
                    return 0;
                }
                if (memory[i_2] == 0) {
                    const int64_t i_3 = i_2 + 1;
                    if (i_3 == n) {
                        return 2;
                    }
                    if (memory_words <= i_3) {
                        cogen_fail(error, 3, i_3, memory_words, 0);
                        return 0;
                    }
                    memory[i_3] = 0;
                    i = i_3 + 1;
                    break;
                }
                i_2++;
            }
        } else {
            i++;
        }
    }
    return 0;
}
