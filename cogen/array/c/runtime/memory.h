/* What every array program begins with: what it needs of the system, and memory.

   Memory is blocks with a count of references, kept by one `cogen_memory` for each thread,
   which has blocks that were given back at hand, so that a loop does not ask for memory in
   every round. What is alive when a call fails is freed with the `cogen_memory`.

   Fresh memory is dear: the system clears every page before it is used, which takes as long as
   a loop that fills it. So large blocks that are given back, results of earlier calls too, stay
   at hand for the next call. On what stays the system is told that nobody needs the contents
   (`MADV_FREE`): it takes the pages when it is short of memory, and clears none of those that
   it did not take. */

/* ---- system ---- */
#define _DEFAULT_SOURCE
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

/* ---- vector ---- */
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

/* ---- blocks ---- */
/* Memory with a count of references; the array follows the head. */
typedef struct cogen_block {
    struct cogen_block *previous, *next;
    struct cogen_memory *memory;
    int64_t size;
    int64_t count;
} cogen_block;

enum { COGEN_HEAD = 64, COGEN_HUGE = 1 << 21 };

/* So many large blocks that were given back are kept; the system may take their pages. */
#ifndef COGEN_KEPT
#define COGEN_KEPT 4
#endif
#ifndef MADV_FREE
#undef COGEN_KEPT
#define COGEN_KEPT 0
#endif

#if COGEN_KEPT
static cogen_block *cogen_kept[COGEN_KEPT];

/* A kept block with room for so many bytes that is not much too large, or NULL. */
static cogen_block *cogen_kept_block(int64_t bytes)
{
    for (int i = 0; i < COGEN_KEPT; i++) {
        cogen_block *const block = __atomic_exchange_n(&cogen_kept[i], NULL, __ATOMIC_ACQ_REL);
        if (block != NULL && block->size >= bytes && block->size / 2 <= bytes) {
            return block;
        }
        if (block != NULL) {
            free(__atomic_exchange_n(&cogen_kept[i], block, __ATOMIC_ACQ_REL));
        }
    }
    return NULL;
}

__attribute__((destructor)) static void cogen_forget(void)
{
    for (int i = 0; i < COGEN_KEPT; i++) {
        free(__atomic_exchange_n(&cogen_kept[i], NULL, __ATOMIC_ACQ_REL));
    }
}
#endif

/* A block for so many bytes, at least twice 2 MB of them on pages of 2 MB; or NULL. */
static cogen_block *cogen_ask(int64_t bytes)
{
    const int64_t unit = bytes < 2 * COGEN_HUGE ? COGEN_HEAD : COGEN_HUGE;
    const int64_t whole = (bytes + COGEN_HEAD + unit - 1) / unit * unit;
#if COGEN_KEPT
    if (unit == COGEN_HUGE) {
        cogen_block *const kept = cogen_kept_block(bytes);
        if (kept != NULL) {
            return kept;
        }
    }
#endif
    cogen_block *const block = aligned_alloc((size_t)unit, (size_t)whole);
    if (block == NULL) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (unit == COGEN_HUGE) {
        madvise(block, (size_t)whole, MADV_HUGEPAGE);
    }
#endif
    block->size = whole - COGEN_HEAD;
    return block;
}

/* Give a block back, which nothing refers to; NULL is none. */
void cogen_release(cogen_block *block)
{
#if COGEN_KEPT
    const int64_t least = 2 * COGEN_HUGE;
    const int64_t most = (int64_t)1 << 28;
    const int64_t size = block == NULL ? 0 : block->size;
    /* only those that have their pages for themselves */
    if (size >= least && size <= most && (size + COGEN_HEAD) % COGEN_HUGE == 0) {
        if (madvise(block, (size_t)(size + COGEN_HEAD), MADV_FREE) == 0) {
            block->size = size; /* its page stays, since it is written to */
            static int64_t turn;
            const int64_t at = __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % COGEN_KEPT;
            block = __atomic_exchange_n(&cogen_kept[at], block, __ATOMIC_ACQ_REL);
        }
    }
#endif
    free(block);
}

/* ---- limits ---- */
enum { COGEN_THREADS = THREADS, COGEN_SPARES = 8 };

/* ---- memory ---- */
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
