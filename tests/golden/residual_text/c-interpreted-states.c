/* Made by cogen from interpreted.scm: the residual program of states.
   What the codes of cogen_error mean:
     1: load-word at interpreted.scm:49:17
     2: load-word at interpreted.scm:49:17
     3: load-word at interpreted.scm:49:17 */

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

/* states, interpreted.scm:44:1 */
int64_t states(const word32 *restrict memory, int64_t memory_words, cogen_error *error)
{
    const int64_t end = memory_words;
    int64_t i = 0;
    while (i != end) {
        if (memory_words <= i) {
            cogen_fail(error, 1, i, memory_words, 0);
            return 0;
        }
        if (memory[i] == 0) {
            const int64_t i_1 = i + 1;
            if (i_1 == end) {
                return -1;
            }
            if (memory_words <= i_1) {
                cogen_fail(error, 2, i_1, memory_words, 0);
                return 0;
            }
            if (memory[i_1] == 1) {
                const int64_t i_2 = i_1 + 1;
                if (i_2 == end) {
                    return -1;
                }
                if (memory_words <= i_2) {
                    cogen_fail(error, 3, i_2, memory_words, 0);
                    return 0;
                }
                if (memory[i_2] == 0) {
                    return i_2 + 1;
                }
                i = i_2 + 1;
            } else {
                i = i_1 + 1;
            }
        } else {
            i++;
        }
    }
    return -1;
}
