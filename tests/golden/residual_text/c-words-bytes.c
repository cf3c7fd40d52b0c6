/* Made by cogen from words.scm: the residual program of bytes.
   What the codes of cogen_error mean:
     1: load-word at words.scm:21:28
     2: store-bits! at words.scm:21:3
     3: store-bits! at words.scm:21:3
     4: load-word at words.scm:22:3 */

#include <stdbool.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are little-endian: this code needs a little-endian machine"
#endif

typedef uint8_t word8 __attribute__((aligned(1), may_alias));

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

/* bytes, words.scm:20:1 */
int64_t bytes(word8 *restrict memory, int64_t memory_words, int64_t i, cogen_error *error)
{
    const int64_t i_1 = i + 1;
    if ((uint64_t)i_1 >= (uint64_t)memory_words) {
        cogen_fail(error, 1, i_1, memory_words, 0);
        return 0;
    }
    if ((uint64_t)i >= (uint64_t)memory_words) {
        cogen_fail(error, 2, i, memory_words, 0);
        return 0;
    }
    if ((uint64_t)i >= (uint64_t)memory_words) {
        cogen_fail(error, 3, i, memory_words, 0);
        return 0;
    }
    memory[i] = (uint8_t)((memory[i] & 240) | (memory[i_1] & 15));
    if ((uint64_t)i >= (uint64_t)memory_words) {
        cogen_fail(error, 4, i, memory_words, 0);
        return 0;
    }
    return memory[i];
}
