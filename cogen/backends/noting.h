/* What code does when something fails: it notes what, and the calls that led there.

   The parts are printed where they are used (cogen/backends/failures.py), which has the limits. */

#include <stdbool.h>
#include <stdint.h>

enum { NOTED_FIRST = 8, NOTED_LAST = 8, NOTED_CALLS = NOTED_FIRST + NOTED_LAST };

typedef struct {
    int64_t code, told, times;
} cogen_noted_call;

typedef struct {
    int64_t code, detail[3];
    cogen_noted_call call[NOTED_CALLS];
    int64_t calls, left_out;
} cogen_error;

/* ---- cogen_fail ---- */
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

/* ---- cogen_called ---- */
/* Note a call that has led to an error, which is not the first if others have. */
__attribute__((cold, noinline))
static void cogen_called(cogen_error *error, int64_t code, int64_t told)
{
    const int64_t count = error->calls, last = count - 1;
    const int64_t before = last < NOTED_FIRST ? last : NOTED_FIRST + last % NOTED_LAST;
    if (count > 0 && error->call[before].code == code) {
        error->call[before].times++;
        return;
    }
    const int64_t place = count < NOTED_FIRST ? count : NOTED_FIRST + count % NOTED_LAST;
    if (count >= NOTED_CALLS) {
        error->left_out += error->call[place].told * error->call[place].times;
    }
    error->call[place].code = code;
    error->call[place].told = told;
    error->call[place].times = 1;
    error->calls++;
}

/* ---- cogen_deep ---- */
/* Whether less than a safe part of the stack is left. */
static inline bool cogen_deep(uintptr_t stack_limit)
{
    return (uintptr_t)__builtin_frame_address(0) < stack_limit;
}
