/* Made by cogen from loops.scm: the residual program of checked-root.
   What the codes of cogen_error mean:
     1: error no root of a negative number: at loops.scm:79:15 */

#include <stdbool.h>
#include <stdint.h>

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

/* checked-root, loops.scm:78:1 */
int64_t checked_root(int64_t n, cogen_error *error)
{
    if (n < 0) {
        cogen_fail(error, 1, n, 0, 0);
        return 0;
    }
    if (1 > n) {
        return 0;
    }
    int64_t r = 2;
    int64_t t_1 = 4;
    while (t_1 <= n) {
        const int64_t r_2 = r + 1;
        r = r_2;
        t_1 = r_2 * r_2;
    }
    return r - 1;
}
