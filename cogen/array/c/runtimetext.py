"""The run-time library of generated code: text that is printed before the code itself.

`operations` are plain enough for C and OpenCL C: the helpers that `cogen.array.ir.operations`
names. `MEMORY` is C's: blocks of memory with a count of references, kept by one `cogen_memory` for
each thread, which has blocks that were given back at hand, so that a loop does not ask for memory
in every round (`cogen.array.c.memoryblocks` is asked). What is alive when a call fails is freed
with the `cogen_memory`.
"""

from __future__ import annotations

from string import Template
from typing import Final

from cogen.array.c.interface import DETAILS
from cogen.array.l0.arithmetic import Arithmetic
from cogen.backends import failures
from cogen.backends.ctree.helpers import arithmetic, with_bits

_OPERATIONS: Final[dict[str, str]] = {
    "int_pow": """\
/* a to the b, modulo 2^$bits; of a negative b the floor of the fraction. */
static inline $int int_pow($int a, $int b)
{
    if (b < 0) {
        if (a == 1 || a == -1) {
            return a == 1 || b % 2 == 0 ? 1 : -1;
        }
        return a > 0 || b % 2 == 0 ? 0 : -1;
    }
    $uint result = 1;
    $uint power = ($uint)a;
    for (; b > 0; b >>= 1) {
        if (b & 1) {
            result *= power;
        }
        power *= power;
    }
    return ($int)result;
}
""",
    "int_shl": """\
static inline $int int_shl($int a, $int b)
{
    return ($int)(($uint)a << (b & $mask));
}
""",
    "int_abs": """\
static inline $int int_abs($int a)
{
    return a < 0 ? ($int)(0 - ($uint)a) : a;
}
""",
    "int_max": """\
static inline $int int_max($int a, $int b)
{
    return a < b ? b : a;
}
""",
    "int_min": """\
static inline $int int_min($int a, $int b)
{
    return b < a ? b : a;
}
""",
    "int_area": """\
/* The product of two sizes, 0 counted as 1; more than $most is one more. */
static inline $int int_area($int a, $int b)
{
    const $int most = $most;
    const $int m = a < 1 ? 1 : a;
    const $int n = b < 1 ? 1 : b;
    return m > most / n ? most + 1 : m * n;
}
""",
    "real_mod": """\
/* The remainder with the sign of b. */
static inline $real real_mod($real a, $real b)
{
    const $real rest = fmod$f(a, b);
    if (rest != 0) {
        return (rest < 0) != (b < 0) ? rest + b : rest;
    }
    return copysign$f(0.0$f, b);
}
""",
    "real_half": """\
/* The nearest number that 16 bits hold. */
static inline $real real_half($real a)
{
    if (!(fabs$f(a) < 65520.0$f)) {
        return a != a ? a : copysign$f(($real)INFINITY, a);
    }
    int exponent;
    (void)frexp$f(a, &exponent);
    const int unit = (exponent < -13 ? -13 : exponent) - 11;
    return ldexp$f(rint$f(ldexp$f(a, -unit)), unit);
}
""",
    "char_chr": """\
/* The character of a code point; of what is none, U+FFFD. */
static inline uint32_t char_chr($int a)
{
    return a >= 0 && a < 0x110000 && (a < 0xD800 || a > 0xDFFF) ? (uint32_t)a : 0xFFFD;
}
""",
    "real_key": """\
/* The low bits of a real as a key: -0.0 is 0.0, and all that are no numbers are one. */
static inline $int real_key($real a)
{
    union { $real real; $pattern bits; } found;
    found.real = a + 0;
    return ($int)(a == a ? found.bits : $nan);
}
""",
    "real_key_high": """\
/* Those for which an int has no room. */
static inline $int real_key_high($real a)
{
    union { $real real; $pattern bits; } found;
    found.real = a + 0;
    return ($int)((a == a ? found.bits : $nan) $above);
}
""",
    "key_real": """\
/* The real with these bits. */
static inline $real key_real($int low, $int high)
{
    union { $real real; $pattern bits; } found;
    found.bits = $joined;
    return found.real;
}
""",
    "real_trunc": """\
/* The integer toward 0; the nearest there is, and 0 for nan. */
static inline $int real_trunc($real a)
{
    if (fabs$f(a) < $limit) {
        return ($int)a;
    }
    if (a != a) {
        return 0;
    }
    return a > 0 ? $greatest : $least;
}
""",
}


_SHARED: Final = ("cogen_floor_quotient", "cogen_floor_remainder")
"""Those that all C has."""


def operations(a: Arithmetic) -> dict[str, str]:
    """The functions that the table of operations names, by name."""
    f = "f" if a.real_bits == 32 else ""
    words = {
        "int": f"int{a.int_bits}_t",
        "uint": f"uint{a.int_bits}_t",
        "real": "float" if f else "double",
        "f": f,
        "least": f"INT{a.int_bits}_MIN",
        "greatest": f"INT{a.int_bits}_MAX",
        "limit": f"{float(a.greatest + 1)!r}{f}",
        "mask": str(a.int_bits - 1),
        "bits": str(a.int_bits),
        "most": f"INT{a.int_bits}_C({a.max_elements})",
        **_words_of_keys(a),
    }
    own = {name: Template(text).substitute(words) for name, text in _OPERATIONS.items()}
    return {name: with_bits(name, a.int_bits) for name in _SHARED} | own


def _words_of_keys(a: Arithmetic) -> dict[str, str]:
    """What the functions for keys are filled in with: the bits of nan; what an int has no room for;
    the bits of a real of those of ints."""
    bits = f"uint{a.real_bits}_t"
    low, nan = f"({bits})(uint{a.int_bits}_t)low", "0x7FF8000000000000"
    if a.real_bits == 32:
        nan = "0x7FC00000"
    if a.real_bits <= a.int_bits:
        return {"pattern": bits, "nan": nan, "above": "* 0", "joined": low}
    joined = f"{low} | ({bits})high << {a.int_bits}"
    return {"pattern": bits, "nan": nan, "above": f">> {a.int_bits}", "joined": joined}


VECTOR: Final = """\
/* The C library has these for vectors; an error is at most 4 units in the last place. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((simd("notinbranch"))) double exp(double);
__attribute__((simd("notinbranch"))) double log(double);
__attribute__((simd("notinbranch"))) double pow(double, double);
__attribute__((simd("notinbranch"))) double sin(double);
__attribute__((simd("notinbranch"))) double cos(double);
__attribute__((simd("notinbranch"))) float expf(float);
__attribute__((simd("notinbranch"))) float logf(float);
__attribute__((simd("notinbranch"))) float powf(float, float);
__attribute__((simd("notinbranch"))) float sinf(float);
__attribute__((simd("notinbranch"))) float cosf(float);
#endif
"""

HEAD: Final = """\
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_in_parallel(void) { return 0; }
static inline int omp_get_dynamic(void) { return 0; }
static inline void omp_set_dynamic(int dynamic) { (void)dynamic; }
#endif
"""

_SLOTS: Final = ("cogen_float64_to_bits", "cogen_bits_to_float64")
"""Functions for reals in slots of arguments and results."""

_ERROR: Final = failures.error_type(
    "What a call reports: 0, or the number of the place that failed and what it says.", DETAILS
)
CALL: Final = f"""\
{_ERROR}
/* A call of the entry: what all of its threads know. */
typedef struct {{
    const int64_t *arguments;
    int64_t *results;
    int64_t threads;
    int64_t grain;
    int64_t stack;
    void (*trace)(int64_t place, const int64_t *slots);
    struct cogen_memory *workers;
    cogen_error error;
}} cogen_call;
"""

_LIMITS: Final = """\
enum { COGEN_THREADS = 128, COGEN_SPARES = 8 };
"""

_MEMORY: Final = """\
/* The memory of one thread: blocks in use, and some that were given back. */
typedef struct cogen_memory {
    cogen_block *blocks;
    cogen_block *spares[COGEN_SPARES];
    int64_t spare;
    uintptr_t stack_limit;
    cogen_call *call;
    cogen_error error;
} cogen_memory;

static void cogen_begin(cogen_memory *memory, cogen_call *call, int64_t stack)
{
    memory->blocks = NULL;
    memory->spare = 0;
    for (int i = 0; i < COGEN_SPARES; i++) {
        memory->spares[i] = NULL;
    }
    memory->stack_limit = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)stack;
    memory->call = call;
    memory->error.code = 0;
}

static void cogen_end(cogen_memory *memory)
{
    for (int i = 0; i < COGEN_SPARES; i++) {
        cogen_release(memory->spares[i]);
    }
    while (memory->blocks != NULL) {
        cogen_block *const block = memory->blocks;
        memory->blocks = block->next;
        cogen_release(block);
    }
}

/* The product of two sizes; what is more than an int64_t holds is the greatest. */
static inline int64_t cogen_count(int64_t a, int64_t b)
{
    int64_t count;
    return __builtin_mul_overflow(a, b, &count) ? INT64_MAX : count;
}

/* Memory for so many elements of a size in bytes, or NULL. */
__attribute__((noinline))
static cogen_block *cogen_alloc(cogen_memory *memory, int64_t count, int64_t size)
{
    int64_t bytes;
    if (__builtin_mul_overflow(count < 0 ? 0 : count, size, &bytes) || bytes > INT64_MAX / 2) {
        return NULL;
    }
    cogen_block *block = NULL;
    for (int i = 0; i < COGEN_SPARES; i++) {
        cogen_block *const spare = memory->spares[i];
        if (spare != NULL && spare->size >= bytes && spare->size / 4 <= bytes) {
            block = spare;
            memory->spares[i] = NULL;
            break;
        }
    }
    if (block == NULL) {
        block = cogen_ask(bytes);
        if (block == NULL) {
            return NULL;
        }
    }
    block->memory = memory;
    block->count = 1;
    block->previous = NULL;
    block->next = memory->blocks;
    if (memory->blocks != NULL) {
        memory->blocks->previous = block;
    }
    memory->blocks = block;
    return block;
}

static inline void *cogen_data(cogen_block *block)
{
    return (char *)block + COGEN_HEAD;
}

/* Take a block from the list of those in use. */
static void cogen_unlink(cogen_block *block)
{
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else {
        block->memory->blocks = block->next;
    }
    if (block->next != NULL) {
        block->next->previous = block->previous;
    }
}

/* One more reference; NULL is memory of the caller. */
static inline cogen_block *cogen_keep(cogen_block *block)
{
    if (block != NULL) {
        __atomic_fetch_add(&block->count, 1, __ATOMIC_RELAXED);
    }
    return block;
}

/* One reference less. */
static inline void cogen_drop(cogen_block *block)
{
    if (block == NULL || __atomic_sub_fetch(&block->count, 1, __ATOMIC_ACQ_REL) != 0) {
        return;
    }
    cogen_unlink(block);
    cogen_memory *const memory = block->memory;
    const int64_t at = memory->spare;
    memory->spare = (at + 1) % COGEN_SPARES;
    cogen_release(memory->spares[at]);
    memory->spares[at] = block;
}

/* The memory of a thread; that of the first is the one of whoever shares the work out. */
static cogen_memory *cogen_worker(cogen_memory *whole, int thread)
{
    if (thread == 0) {
        return whole;
    }
    cogen_memory *const memory = &whole->call->workers[thread];
    memory->stack_limit = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)1000000;
    memory->call = whole->call;
    memory->error.code = 0;
    return memory;
}

/* Whether one of the threads failed; the first one's error is the whole's. */
static bool cogen_joined(cogen_memory *whole, int threads)
{
    for (int i = 1; i < threads && whole->error.code == 0; i++) {
        whole->error = whole->call->workers[i].error;
    }
    return whole->error.code != 0;
}

/* Make a result the caller's: its block belongs to nothing else, and is not much too large.
   False if there is no memory for a copy. */
static bool cogen_give(cogen_memory *memory, void **data, cogen_block **block, int64_t bytes)
{
    cogen_block *const old = *block;
    if (old == NULL || old->count != 1 || old->size / 8 - 4096 > bytes) {
        cogen_block *const made = cogen_alloc(memory, bytes, 1);
        if (made == NULL) {
            return false;
        }
        memcpy(cogen_data(made), *data, (size_t)bytes);
        cogen_drop(old);
        *data = cogen_data(made);
        *block = made;
    }
    cogen_unlink(*block);
    return true;
}

/* A copy of the caller's array, which the program may overwrite. */
static cogen_block *cogen_taken(cogen_memory *memory, const void *data, int64_t bytes)
{
    cogen_block *const made = cogen_alloc(memory, bytes, 1);
    if (made != NULL) {
        memcpy(cogen_data(made), data, (size_t)bytes);
    }
    return made;
}

/* How many threads are worth while for so much work, in additions. */
static inline int cogen_team(const cogen_memory *memory, int64_t size, double work)
{
    const int64_t most = memory->call->threads;
    if (most <= 1 || work < (double)memory->call->grain || omp_in_parallel()) {
        return 1;
    }
    return (int)(size < most ? (size < 1 ? 1 : size) : most);
}

"""

MEMORY: Final = "\n".join(
    [_LIMITS, CALL, _MEMORY, *[arithmetic()[name] for name in _SLOTS], failures.DEEP, failures.FAIL]
)
