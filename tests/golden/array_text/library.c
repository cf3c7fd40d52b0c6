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

enum { COGEN_THREADS = 128, COGEN_SPARES = 8 };

/* What a call reports: 0, or the number of the place that failed and what it says. */
typedef struct {
    int64_t code;
    int64_t detail[40];
} cogen_error;

/* A call of the entry: what all of its threads know. */
typedef struct {
    const int64_t *arguments;
    int64_t *results;
    int64_t threads;
    int64_t grain;
    int64_t stack;
    void (*trace)(int64_t, const int64_t *);
    struct cogen_memory *workers;
    cogen_error error;
} cogen_call;

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

static inline int64_t cogen_float64_to_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double cogen_bits_to_float64(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Whether less than a safe part of the stack is left. */
static inline bool cogen_deep(uintptr_t stack_limit)
{
    return (uintptr_t)__builtin_frame_address(0) < stack_limit;
}

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

/* Memory for elements: a block that begins where `first` points to, if it has room and nothing else
   refers to it, which is one reference more; else another. */
static inline cogen_block *cogen_alloc_over(cogen_memory *memory, int64_t count, int64_t size,
                                            cogen_block *old, const void *first)
{
    int64_t bytes;
    if (old != NULL && __atomic_load_n(&old->count, __ATOMIC_ACQUIRE) == 1
        && cogen_data(old) == first && !__builtin_mul_overflow(count, size, &bytes)
        && bytes <= old->size) {
        return cogen_keep(old);
    }
    return cogen_alloc(memory, count, size);
}

/* Room for some more bytes behind those that are used; false if there is no memory. */
static bool cogen_room(cogen_memory *memory, cogen_block **block, int64_t used, int64_t more)
{
    cogen_block *const old = *block;
    if (more <= old->size - used) {
        return true;
    }
    const int64_t twice = 2 * old->size;
    cogen_block *const made = cogen_alloc(memory, used + more < twice ? twice : used + more, 1);
    if (made == NULL) {
        return false;
    }
    memcpy(cogen_data(made), cogen_data(old), (size_t)used);
    cogen_drop(old);
    *block = made;
    return true;
}

/* Of the number of each key, where each one starts; the last place is not used. */
static void cogen_starts(int64_t *offsets, int64_t limits)
{
    int64_t total = 0;
    for (int64_t k = 0; k < limits; k++) {
        const int64_t own = offsets[k];
        offsets[k] = total;
        total += own;
    }
}

/* Of where each key ends, where each one starts. */
static void cogen_ends(int64_t *offsets, int64_t limits)
{
    memmove(offsets + 1, offsets, (size_t)(limits - 1) * sizeof *offsets);
    offsets[0] = 0;
}

/* Of the number of each key in each thread's part, where each part's elements of a key start. */
static void cogen_joint_starts(int64_t *const *tallies, int64_t threads, int64_t limits)
{
    int64_t total = 0;
    for (int64_t k = 0; k < limits; k++) {
        for (int64_t t = 0; t < threads; t++) {
            const int64_t own = tallies[t][k];
            tallies[t][k] = total;
            total += own;
        }
    }
}

/* Where each key starts: where the last part's elements of the key before it end. */
static void cogen_joint_ends(int64_t *offsets, const int64_t *last, int64_t limits)
{
    memmove(offsets + 1, last, (size_t)(limits - 1) * sizeof *offsets);
    offsets[0] = 0;
}

/* The different keys so far, of `width` ints each. Those whose ints have `bits` bits are found by
   value in `direct`, others by hash in `slots`; both have numbers, plus 1, slots the hashes before
   them. */
typedef struct {
    int64_t *values;
    uint64_t *slots;
    uint32_t *direct;
    int64_t count, room, hashed, mask, width, bits;
    cogen_block *values_block, *slots_block, *direct_block;
} cogen_numbers;

/* Of so many iterations: to have a place for all small keys must not cost more than they do. */
static int64_t cogen_small_bits(int64_t size, int64_t width)
{
    if (width == 1) {
        return size < 1024 ? 6 : size < 65536 ? 10 : 16;
    }
    return (size < 1024 ? 6 : size < 16384 ? 12 : size < 262144 ? 16 : 20) / width;
}

static bool cogen_numbers_begin(cogen_memory *memory, cogen_numbers *table, int64_t size,
                                int64_t width)
{
    table->count = 0;
    table->hashed = 0;
    table->room = 64;
    table->mask = 127;
    table->width = width;
    table->bits = cogen_small_bits(size, width);
    const int64_t small = (int64_t)1 << table->bits * width;
    table->values_block = cogen_alloc(memory, table->room, width * (int64_t)sizeof(int64_t));
    table->slots_block = cogen_alloc(memory, table->mask + 1, sizeof(uint64_t));
    table->direct_block = cogen_alloc(memory, small, sizeof(uint32_t));
    if (table->values_block == NULL || table->slots_block == NULL || table->direct_block == NULL) {
        return false;
    }
    table->values = cogen_data(table->values_block);
    table->slots = cogen_data(table->slots_block);
    table->direct = cogen_data(table->direct_block);
    memset(table->slots, 0, (size_t)(table->mask + 1) * sizeof *table->slots);
    memset(table->direct, 0, (size_t)small * sizeof *table->direct);
    return true;
}

/* Whether a key is found by value. */
static inline bool cogen_is_small(const cogen_numbers *table, const int64_t *key, int64_t width)
{
    uint64_t all = 0;
    for (int64_t k = 0; k < width; k++) {
        all |= (uint64_t)key[k];
    }
    return all >> table->bits == 0;
}

/* Where the number of a small key is. */
static inline uint32_t *cogen_direct(const cogen_numbers *table, const int64_t *key, int64_t width)
{
    int64_t at = key[0];
    for (int64_t k = 1; k < width; k++) {
        at = at << table->bits | key[k];
    }
    return table->direct + at;
}

static inline uint32_t cogen_hash(const int64_t *key, int64_t width)
{
    uint64_t mixed = 0;
    for (int64_t k = 0; k < width; k++) {
        mixed = (mixed ^ (uint64_t)key[k]) * 0x9E3779B97F4A7C15u;
        mixed ^= mixed >> 32;
    }
    return (uint32_t)mixed;
}

static inline bool cogen_same_key(const int64_t *a, const int64_t *b, int64_t width)
{
    bool same = true;
    for (int64_t k = 0; k < width; k++) {
        same &= a[k] == b[k];
    }
    return same;
}

/* The place in `slots` of a key, or where it would be. */
static inline int64_t cogen_slot(const cogen_numbers *table, const int64_t *key, int64_t width)
{
    const uint32_t hash = cogen_hash(key, width);
    int64_t at = hash & table->mask;
    for (;; at = (at + 1) & table->mask) {
        const uint64_t slot = table->slots[at];
        if (slot == 0 || (slot >> 32 == hash
            && cogen_same_key(table->values + ((uint32_t)slot - 1) * width, key, width))) {
            return at;
        }
    }
}

/* Whether the table is too large for a processor's own cache. */
static inline bool cogen_large(const cogen_numbers *table)
{
    return table->mask >= 1 << 16 || table->bits * table->width > 17;
}

/* Asks for the slot of a key, which is looked up later. */
static inline void cogen_fetch(const cogen_numbers *table, const int64_t *key, int64_t width)
{
    if (cogen_is_small(table, key, width)) {
        __builtin_prefetch(cogen_direct(table, key, width));
    } else {
        __builtin_prefetch(table->slots + (cogen_hash(key, width) & table->mask));
    }
}

/* Asks for the key that is in its slot, if it is there. */
static inline void cogen_fetch_key(const cogen_numbers *table, const int64_t *key, int64_t width)
{
    if (cogen_is_small(table, key, width)) {
        return;
    }
    const uint32_t hash = cogen_hash(key, width);
    int64_t at = hash & table->mask;
    while (table->slots[at] != 0 && table->slots[at] >> 32 != hash) {
        at = (at + 1) & table->mask;
    }
    if (table->slots[at] != 0) {
        __builtin_prefetch(table->values + ((uint32_t)table->slots[at] - 1) * width);
    }
}

/* More room for slots. */
static bool cogen_rehash(cogen_memory *memory, cogen_numbers *table)
{
    const int64_t many = 2 * (table->mask + 1);
    cogen_block *const made = cogen_alloc(memory, many, sizeof(uint64_t));
    if (made == NULL) {
        return false;
    }
    uint64_t *const slots = cogen_data(made);
    memset(slots, 0, (size_t)many * sizeof *slots);
    for (int64_t from = 0; from <= table->mask; from++) {
        const uint64_t slot = table->slots[from];
        if (slot != 0) {
            int64_t at = (int64_t)(slot >> 32) & (many - 1);
            while (slots[at] != 0) {
                at = (at + 1) & (many - 1);
            }
            slots[at] = slot;
        }
    }
    cogen_drop(table->slots_block);
    table->slots_block = made;
    table->slots = slots;
    table->mask = many - 1;
    return true;
}

/* A key gets a slot, which it has not yet; false if there is no memory. */
static bool cogen_put(cogen_memory *memory, cogen_numbers *table, const int64_t *key,
                      int64_t number)
{
    const uint64_t hash = cogen_hash(key, table->width);
    table->slots[cogen_slot(table, key, table->width)] = hash << 32 | (uint32_t)(number + 1);
    table->hashed++;
    return 2 * table->hashed <= table->mask || cogen_rehash(memory, table);
}

/* Where not all keys of several ints are small, all get slots (but one of zeros), so that a
   processor can foretell which have. */
static bool cogen_put_all(cogen_memory *memory, cogen_numbers *table)
{
    table->bits = 0;
    for (int64_t number = 0; number < table->count; number++) {
        const int64_t *const key = table->values + number * table->width;
        if (!cogen_is_small(table, key, table->width)
            && !cogen_put(memory, table, key, number)) {
            return false;
        }
    }
    return true;
}

/* One more key; its number, or -1 if there is no memory, or no number of 32 bits. */
__attribute__((noinline))
static int64_t cogen_add_number(cogen_memory *memory, cogen_numbers *table, const int64_t *key)
{
    const int64_t bytes = table->width * (int64_t)sizeof(int64_t);
    if (table->count == UINT32_MAX - 1) {
        return -1;
    }
    if (table->count == table->room) {
        cogen_block *const made = cogen_alloc(memory, 2 * table->room, bytes);
        if (made == NULL) {
            return -1;
        }
        memcpy(cogen_data(made), table->values, (size_t)(table->count * bytes));
        cogen_drop(table->values_block);
        table->values_block = made;
        table->values = cogen_data(made);
        table->room *= 2;
    }
    if (table->width > 1 && table->bits > 0 && !cogen_is_small(table, key, table->width)
        && !cogen_put_all(memory, table)) {
        return -1;
    }
    const int64_t number = table->count;
    memcpy(table->values + number * table->width, key, (size_t)bytes);
    table->count = number + 1;
    if (cogen_is_small(table, key, table->width)) {
        *cogen_direct(table, key, table->width) = (uint32_t)number + 1;
    } else if (!cogen_put(memory, table, key, number)) {
        return -1;
    }
    return number;
}

/* The number of a key, -1 if there is no memory. */
static inline int64_t cogen_number_wide(cogen_memory *memory, cogen_numbers *table,
                                        const int64_t *key, int64_t width)
{
    const uint32_t known = cogen_is_small(table, key, width)
        ? *cogen_direct(table, key, width) : (uint32_t)table->slots[cogen_slot(table, key, width)];
    return known != 0 ? (int64_t)known - 1 : cogen_add_number(memory, table, key);
}

static inline int64_t cogen_number(cogen_memory *memory, cogen_numbers *table, int64_t value)
{
    return cogen_number_wide(memory, table, &value, 1);
}

__attribute__((noinline))
static int64_t cogen_number_rare(cogen_memory *memory, cogen_numbers *table, int64_t value)
{
    return cogen_number(memory, table, value);
}

/* The same where most keys are found by value. */
static inline int64_t cogen_number_small(cogen_memory *memory, cogen_numbers *table, int64_t value)
{
    const uint32_t known = cogen_is_small(table, &value, 1) ? table->direct[value] : 0;
    return known != 0 ? (int64_t)known - 1 : cogen_number_rare(memory, table, value);
}

static void cogen_numbers_end(cogen_numbers *table)
{
    cogen_drop(table->values_block);
    cogen_drop(table->slots_block);
    cogen_drop(table->direct_block);
}

static inline int64_t cogen_number_2(cogen_memory *memory, cogen_numbers *table, int64_t k0,
        int64_t k1)
{
    const int64_t key[2] = {k0, k1};
    return cogen_number_wide(memory, table, key, 2);
}

static inline int64_t cogen_number_3(cogen_memory *memory, cogen_numbers *table, int64_t k0,
        int64_t k1, int64_t k2)
{
    const int64_t key[3] = {k0, k1, k2};
    return cogen_number_wide(memory, table, key, 3);
}

static inline int64_t cogen_number_4(cogen_memory *memory, cogen_numbers *table, int64_t k0,
        int64_t k1, int64_t k2, int64_t k3)
{
    const int64_t key[4] = {k0, k1, k2, k3};
    return cogen_number_wide(memory, table, key, 4);
}

static inline int64_t cogen_number_5(cogen_memory *memory, cogen_numbers *table, int64_t k0,
        int64_t k1, int64_t k2, int64_t k3, int64_t k4)
{
    const int64_t key[5] = {k0, k1, k2, k3, k4};
    return cogen_number_wide(memory, table, key, 5);
}

static inline int64_t cogen_number_6(cogen_memory *memory, cogen_numbers *table, int64_t k0,
        int64_t k1, int64_t k2, int64_t k3, int64_t k4, int64_t k5)
{
    const int64_t key[6] = {k0, k1, k2, k3, k4, k5};
    return cogen_number_wide(memory, table, key, 6);
}

static inline int64_t cogen_number_7(cogen_memory *memory, cogen_numbers *table, int64_t k0,
        int64_t k1, int64_t k2, int64_t k3, int64_t k4, int64_t k5, int64_t k6)
{
    const int64_t key[7] = {k0, k1, k2, k3, k4, k5, k6};
    return cogen_number_wide(memory, table, key, 7);
}

static inline int64_t cogen_number_8(cogen_memory *memory, cogen_numbers *table, int64_t k0,
        int64_t k1, int64_t k2, int64_t k3, int64_t k4, int64_t k5, int64_t k6, int64_t k7)
{
    const int64_t key[8] = {k0, k1, k2, k3, k4, k5, k6, k7};
    return cogen_number_wide(memory, table, key, 8);
}

static inline void cogen_ahead_1(const cogen_numbers *table, int64_t k0)
{
    const int64_t key[1] = {k0};
    cogen_fetch(table, key, 1);
}

static inline void cogen_ahead_key_1(const cogen_numbers *table, int64_t k0)
{
    const int64_t key[1] = {k0};
    cogen_fetch_key(table, key, 1);
}

static inline void cogen_ahead_2(const cogen_numbers *table, int64_t k0, int64_t k1)
{
    const int64_t key[2] = {k0, k1};
    cogen_fetch(table, key, 2);
}

static inline void cogen_ahead_key_2(const cogen_numbers *table, int64_t k0, int64_t k1)
{
    const int64_t key[2] = {k0, k1};
    cogen_fetch_key(table, key, 2);
}

static inline void cogen_ahead_3(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2)
{
    const int64_t key[3] = {k0, k1, k2};
    cogen_fetch(table, key, 3);
}

static inline void cogen_ahead_key_3(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2)
{
    const int64_t key[3] = {k0, k1, k2};
    cogen_fetch_key(table, key, 3);
}

static inline void cogen_ahead_4(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3)
{
    const int64_t key[4] = {k0, k1, k2, k3};
    cogen_fetch(table, key, 4);
}

static inline void cogen_ahead_key_4(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3)
{
    const int64_t key[4] = {k0, k1, k2, k3};
    cogen_fetch_key(table, key, 4);
}

static inline void cogen_ahead_5(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3, int64_t k4)
{
    const int64_t key[5] = {k0, k1, k2, k3, k4};
    cogen_fetch(table, key, 5);
}

static inline void cogen_ahead_key_5(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3, int64_t k4)
{
    const int64_t key[5] = {k0, k1, k2, k3, k4};
    cogen_fetch_key(table, key, 5);
}

static inline void cogen_ahead_6(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3, int64_t k4, int64_t k5)
{
    const int64_t key[6] = {k0, k1, k2, k3, k4, k5};
    cogen_fetch(table, key, 6);
}

static inline void cogen_ahead_key_6(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3, int64_t k4, int64_t k5)
{
    const int64_t key[6] = {k0, k1, k2, k3, k4, k5};
    cogen_fetch_key(table, key, 6);
}

static inline void cogen_ahead_7(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3, int64_t k4, int64_t k5, int64_t k6)
{
    const int64_t key[7] = {k0, k1, k2, k3, k4, k5, k6};
    cogen_fetch(table, key, 7);
}

static inline void cogen_ahead_key_7(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3, int64_t k4, int64_t k5, int64_t k6)
{
    const int64_t key[7] = {k0, k1, k2, k3, k4, k5, k6};
    cogen_fetch_key(table, key, 7);
}

static inline void cogen_ahead_8(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3, int64_t k4, int64_t k5, int64_t k6, int64_t k7)
{
    const int64_t key[8] = {k0, k1, k2, k3, k4, k5, k6, k7};
    cogen_fetch(table, key, 8);
}

static inline void cogen_ahead_key_8(const cogen_numbers *table, int64_t k0, int64_t k1, int64_t k2,
        int64_t k3, int64_t k4, int64_t k5, int64_t k6, int64_t k7)
{
    const int64_t key[8] = {k0, k1, k2, k3, k4, k5, k6, k7};
    cogen_fetch_key(table, key, 8);
}

/* Of a block that two loops go through: one vector, where gcc keeps it in a register. */
#ifdef __AVX512F__
enum { COGEN_BLOCK = 8 };
#else
enum { COGEN_BLOCK = 64 };
#endif
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define COGEN_SHUFFLES 1
#else
#define COGEN_SHUFFLES 0
#endif

static inline int64_t cogen_floor_quotient(int64_t a, int64_t b)
{
    if (b == -1) {
        return (int64_t)(0 - (uint64_t)a);
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t cogen_floor_remainder(int64_t a, int64_t b)
{
    const int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* a to the b, modulo 2^64; of a negative b the floor of the fraction. */
static inline int64_t int_pow(int64_t a, int64_t b)
{
    if (b < 0) {
        if (a == 1 || a == -1) {
            return a == 1 || b % 2 == 0 ? 1 : -1;
        }
        return a > 0 || b % 2 == 0 ? 0 : -1;
    }
    uint64_t result = 1;
    uint64_t power = (uint64_t)a;
    for (; b > 0; b >>= 1) {
        if (b & 1) {
            result *= power;
        }
        power *= power;
    }
    return (int64_t)result;
}

static inline int64_t int_shl(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a << (b & 63));
}

static inline int64_t int_abs(int64_t a)
{
    return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
}

static inline int64_t int_max(int64_t a, int64_t b)
{
    return a < b ? b : a;
}

static inline int64_t int_min(int64_t a, int64_t b)
{
    return b < a ? b : a;
}

/* The product of two sizes, 0 counted as 1; more than INT64_C(140737488355328) is one more. */
static inline int64_t int_area(int64_t a, int64_t b)
{
    const int64_t most = INT64_C(140737488355328);
    const int64_t m = a < 1 ? 1 : a;
    const int64_t n = b < 1 ? 1 : b;
    return m > most / n ? most + 1 : m * n;
}

/* The remainder with the sign of b. */
static inline double real_mod(double a, double b)
{
    const double rest = fmod(a, b);
    if (rest != 0) {
        return (rest < 0) != (b < 0) ? rest + b : rest;
    }
    return copysign(0.0, b);
}

/* The nearest number that 16 bits hold. */
static inline double real_half(double a)
{
    if (!(fabs(a) < 65520.0)) {
        return a != a ? a : copysign((double)INFINITY, a);
    }
    int exponent;
    (void)frexp(a, &exponent);
    const int unit = (exponent < -13 ? -13 : exponent) - 11;
    return ldexp(rint(ldexp(a, -unit)), unit);
}

/* The character of a code point; of what is none, U+FFFD. */
static inline uint32_t char_chr(int64_t a)
{
    return a >= 0 && a < 0x110000 && (a < 0xD800 || a > 0xDFFF) ? (uint32_t)a : 0xFFFD;
}

/* The low bits of a real as a key: -0.0 is 0.0, and all that are no numbers are one. */
static inline int64_t real_key(double a)
{
    union { double real; uint64_t bits; } found;
    found.real = a + 0;
    return (int64_t)(a == a ? found.bits : 0x7FF8000000000000);
}

/* Those for which an int has no room. */
static inline int64_t real_key_high(double a)
{
    union { double real; uint64_t bits; } found;
    found.real = a + 0;
    return (int64_t)((a == a ? found.bits : 0x7FF8000000000000) * 0);
}

/* The real with these bits. */
static inline double key_real(int64_t low, int64_t high)
{
    union { double real; uint64_t bits; } found;
    found.bits = (uint64_t)(uint64_t)low;
    return found.real;
}

/* The integer toward 0; the nearest there is, and 0 for nan. */
static inline int64_t real_trunc(double a)
{
    if (fabs(a) < 9.223372036854776e+18) {
        return (int64_t)a;
    }
    if (a != a) {
        return 0;
    }
    return a > 0 ? INT64_MAX : INT64_MIN;
}

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef long int64_t;
typedef ulong uint64_t;
typedef int int32_t;
typedef uint uint32_t;
typedef uchar uint8_t;
#define INT64_C(x) x##L
#define INT32_C(x) x
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN

/* y[i, ...] = x[i, ...]; the layout has the rank, then of each dimension its size, and the strides
   of y and x. */
__kernel void copy_uint8_t(__global uint8_t *y, const int64_t y_offset, __global const uint8_t *x,
                        const int64_t x_offset, __global const int64_t *layout,
                        const int64_t count)
{
    int64_t at = get_global_id(0);
    if (at >= count) {
        return;
    }
    int64_t to = y_offset;
    int64_t from = x_offset;
    for (int64_t k = layout[0] - 1; k >= 0; k--) {
        const int64_t index = at % layout[1 + 3 * k];
        at /= layout[1 + 3 * k];
        to += index * layout[2 + 3 * k];
        from += index * layout[3 + 3 * k];
    }
    y[to] = x[from];
}

/* y[k, i, j] = x[k, j, i]: squares of 16 x 16 elements are read along the rows of x and written
   along those of y. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void turn_uint8_t(__global uint8_t *restrict y, __global const uint8_t *restrict x, const int64_t x_offset,
               const int64_t rows, const int64_t columns)
{
    __local uint8_t tile[16][16 + 1];
    const int64_t whole = get_global_id(2) * rows * columns;
    const int64_t i = get_group_id(0) * 16;
    const int64_t j = get_group_id(1) * 16;
    const int64_t a = get_local_id(0);
    const int64_t b = get_local_id(1);
    if (j + b < columns && i + a < rows) {
        tile[b][a] = x[x_offset + whole + (j + b) * rows + i + a];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i + b < rows && j + a < columns) {
        y[whole + (i + b) * columns + j + a] = tile[a][b];
    }
}

/* y[i, ...] = x[i, ...]; the layout has the rank, then of each dimension its size, and the strides
   of y and x. */
__kernel void copy_uint32_t(__global uint32_t *y, const int64_t y_offset, __global const uint32_t *x,
                        const int64_t x_offset, __global const int64_t *layout,
                        const int64_t count)
{
    int64_t at = get_global_id(0);
    if (at >= count) {
        return;
    }
    int64_t to = y_offset;
    int64_t from = x_offset;
    for (int64_t k = layout[0] - 1; k >= 0; k--) {
        const int64_t index = at % layout[1 + 3 * k];
        at /= layout[1 + 3 * k];
        to += index * layout[2 + 3 * k];
        from += index * layout[3 + 3 * k];
    }
    y[to] = x[from];
}

/* y[k, i, j] = x[k, j, i]: squares of 16 x 16 elements are read along the rows of x and written
   along those of y. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void turn_uint32_t(__global uint32_t *restrict y, __global const uint32_t *restrict x, const int64_t x_offset,
               const int64_t rows, const int64_t columns)
{
    __local uint32_t tile[16][16 + 1];
    const int64_t whole = get_global_id(2) * rows * columns;
    const int64_t i = get_group_id(0) * 16;
    const int64_t j = get_group_id(1) * 16;
    const int64_t a = get_local_id(0);
    const int64_t b = get_local_id(1);
    if (j + b < columns && i + a < rows) {
        tile[b][a] = x[x_offset + whole + (j + b) * rows + i + a];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i + b < rows && j + a < columns) {
        y[whole + (i + b) * columns + j + a] = tile[a][b];
    }
}

/* y[i, ...] = x[i, ...]; the layout has the rank, then of each dimension its size, and the strides
   of y and x. */
__kernel void copy_uint64_t(__global uint64_t *y, const int64_t y_offset, __global const uint64_t *x,
                        const int64_t x_offset, __global const int64_t *layout,
                        const int64_t count)
{
    int64_t at = get_global_id(0);
    if (at >= count) {
        return;
    }
    int64_t to = y_offset;
    int64_t from = x_offset;
    for (int64_t k = layout[0] - 1; k >= 0; k--) {
        const int64_t index = at % layout[1 + 3 * k];
        at /= layout[1 + 3 * k];
        to += index * layout[2 + 3 * k];
        from += index * layout[3 + 3 * k];
    }
    y[to] = x[from];
}

/* y[k, i, j] = x[k, j, i]: squares of 16 x 16 elements are read along the rows of x and written
   along those of y. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void turn_uint64_t(__global uint64_t *restrict y, __global const uint64_t *restrict x, const int64_t x_offset,
               const int64_t rows, const int64_t columns)
{
    __local uint64_t tile[16][16 + 1];
    const int64_t whole = get_global_id(2) * rows * columns;
    const int64_t i = get_group_id(0) * 16;
    const int64_t j = get_group_id(1) * 16;
    const int64_t a = get_local_id(0);
    const int64_t b = get_local_id(1);
    if (j + b < columns && i + a < rows) {
        tile[b][a] = x[x_offset + whole + (j + b) * rows + i + a];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i + b < rows && j + a < columns) {
        y[whole + (i + b) * columns + j + a] = tile[a][b];
    }
}

#ifdef cl_khr_int64_base_atomics

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

void into_int_add(__local int64_t *place, int64_t value)
{
    atom_add(place, value);
}

void into_int_mul(__local int64_t *place, int64_t value)
{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {
        const int64_t old = seen;
        const int64_t found = atom_cmpxchg(place, seen, (int64_t)((uint64_t)old * (uint64_t)value));
        if (found == seen) {
            return;
        }
        seen = found;
    }
}

void into_int_and(__local int64_t *place, int64_t value)
{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {
        const int64_t old = seen;
        const int64_t found = atom_cmpxchg(place, seen, old & value);
        if (found == seen) {
            return;
        }
        seen = found;
    }
}

void into_int_or(__local int64_t *place, int64_t value)
{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {
        const int64_t old = seen;
        const int64_t found = atom_cmpxchg(place, seen, old | value);
        if (found == seen) {
            return;
        }
        seen = found;
    }
}

void into_int_xor(__local int64_t *place, int64_t value)
{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {
        const int64_t old = seen;
        const int64_t found = atom_cmpxchg(place, seen, old ^ value);
        if (found == seen) {
            return;
        }
        seen = found;
    }
}

void into_int_max(__local int64_t *place, int64_t value)
{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {
        const int64_t old = seen;
        const int64_t found = atom_cmpxchg(place, seen, max(old, value));
        if (found == seen) {
            return;
        }
        seen = found;
    }
}

void into_int_min(__local int64_t *place, int64_t value)
{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {
        const int64_t old = seen;
        const int64_t found = atom_cmpxchg(place, seen, min(old, value));
        if (found == seen) {
            return;
        }
        seen = found;
    }
}

void into_real_add(__local int64_t *place, double value)
{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {
        const double old = as_double(seen);
        const int64_t found = atom_cmpxchg(place, seen, as_long(old + value));
        if (found == seen) {
            return;
        }
        seen = found;
    }
}

void into_real_mul(__local int64_t *place, double value)
{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {
        const double old = as_double(seen);
        const int64_t found = atom_cmpxchg(place, seen, as_long(old * value));
        if (found == seen) {
            return;
        }
        seen = found;
    }
}

#endif
