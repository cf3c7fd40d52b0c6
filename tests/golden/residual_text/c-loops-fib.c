/* Made by cogen from loops.scm: the residual program of fib.
   What the codes of cogen_error mean:
     1: recursion too deep at loops.scm:41:1
     2: -
     3: call at loops.scm:42:20
     4: -
     5: call at loops.scm:42:34
     6: + at loops.scm:42:17 */

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

#ifndef COGEN_STACK
#define COGEN_STACK 4194304
#endif

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

/* Note a call that has led to an error, which is not the first if others have. */
__attribute__((cold, noinline))
static void cogen_called(cogen_error *error, int64_t code, int64_t told)
{
    const int64_t count = error->calls, last = count - 1;
    const int64_t before = last < 8 ? last : 8 + last % 8;
    if (count > 0 && error->call[before].code == code) {
        error->call[before].times++;
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

/* Whether less than a safe part of the stack is left. */
static inline bool cogen_deep(uintptr_t stack_limit)
{
    return (uintptr_t)__builtin_frame_address(0) < stack_limit;
}

static int64_t fib_2(int64_t n, cogen_error *error);

/* fib, loops.scm:41:1 */
static int64_t fib_2(int64_t n, cogen_error *error)
{
    if (cogen_deep(error->stack_limit)) {
        cogen_fail(error, 1, 0, 0, 0);
        return 0;
    }
    if (n < 2) {
        return n;
    }
    int64_t n_1;
    if (__builtin_sub_overflow(n, 1, &n_1)) {
        cogen_fail(error, 2, n, 0, 0);
        return 0;
    }
    const int64_t t = fib_2(n_1, error);
    if (error->code != 0) {
        cogen_called(error, 3, 1);
        return 0;
    }
    int64_t n_2;
    if (__builtin_sub_overflow(n, 2, &n_2)) {
        cogen_fail(error, 4, n, 0, 0);
        return 0;
    }
    const int64_t t_1 = fib_2(n_2, error);
    if (error->code != 0) {
        cogen_called(error, 5, 1);
        return 0;
    }
    int64_t t_2;
    if (__builtin_add_overflow(t, t_1, &t_2)) {
        cogen_fail(error, 6, t, t_1, 0);
        return 0;
    }
    return t_2;
}

/* The entry. */
int64_t fib(int64_t n, cogen_error *error)
{
    if (error->stack_limit == 0) {
        error->stack_limit = (uintptr_t)__builtin_frame_address(0) - COGEN_STACK;
    }
    return fib_2(n, error);
}
