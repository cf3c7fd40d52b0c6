/* Made by cogen from loops.scm: the residual program of in-turn.
   What the codes of cogen_error mean:
     1: recursion too deep at loops.scm:64:1
     2: call at loops.scm:65:22
     3: recursion too deep at loops.scm:61:1
     4: call at loops.scm:62:22
     5: call at loops.scm:59:7
     6: call at loops.scm:59:21 */

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

static inline int64_t cogen_floor_quotient(int64_t a, int64_t b)
{
    if (b == -1) {
        return (int64_t)(0 - (uint64_t)a);
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool pong(int64_t n_3, cogen_error *error);
static bool ping(int64_t n_1, cogen_error *error);

/* pong, loops.scm:64:1 */
static bool pong(int64_t n_3, cogen_error *error)
{
    if (cogen_deep(error->stack_limit)) {
        cogen_fail(error, 1, 0, 0, 0);
        return false;
    }
    if (n_3 < 1) {
        return false;
    }
    const bool t_6 = pong(cogen_floor_quotient(n_3, 5), error);
    if (error->code != 0) {
        cogen_called(error, 2, 1);
        return false;
    }
    if (t_6) {
        return true;
    }
    return ping(n_3 - 1, error);
}

/* ping, loops.scm:61:1 */
static bool ping(int64_t n_1, cogen_error *error)
{
    if (cogen_deep(error->stack_limit)) {
        cogen_fail(error, 3, 0, 0, 0);
        return false;
    }
    if (n_1 < 1) {
        return true;
    }
    const bool t_4 = ping(cogen_floor_quotient(n_1, 3), error);
    if (error->code != 0) {
        cogen_called(error, 4, 1);
        return false;
    }
    if (!t_4) {
        return false;
    }
    return pong(n_1 - 1, error);
}

/* in-turn, loops.scm:58:1 */
static bool in_turn_2(int64_t n, cogen_error *error)
{
    const bool t = ping(n, error);
    if (error->code != 0) {
        cogen_called(error, 5, 1);
        return false;
    }
    if (!t) {
        return pong(n / 2, error);
    }
    const bool t_1 = pong(n, error);
    if (error->code != 0) {
        cogen_called(error, 6, 1);
        return false;
    }
    return !t_1;
}

/* The entry. */
bool in_turn(int64_t n, cogen_error *error)
{
    if (error->stack_limit == 0) {
        error->stack_limit = (uintptr_t)__builtin_frame_address(0) - COGEN_STACK;
    }
    return in_turn_2(n, error);
}
