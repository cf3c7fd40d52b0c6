/* What only some array programs need: arrays that grow, and tables.  INT is the type of ints
   (cogen/array/c/runtimetext.py, which has functions for keys of each width). */

/* ---- over ---- */
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

/* ---- room ---- */
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

/* ---- starts ---- */
/* Of the number of each key, where each one starts; the last place is not used. */
static void cogen_starts(INT *offsets, int64_t limits)
{
    INT total = 0;
    for (int64_t k = 0; k < limits; k++) {
        const INT own = offsets[k];
        offsets[k] = total;
        total += own;
    }
}

/* Of where each key ends, where each one starts. */
static void cogen_ends(INT *offsets, int64_t limits)
{
    memmove(offsets + 1, offsets, (size_t)(limits - 1) * sizeof *offsets);
    offsets[0] = 0;
}

/* ---- joint ---- */
/* Of the number of each key in each thread's part, where each part's elements of a key start. */
static void cogen_joint_starts(INT *const *tallies, int64_t threads, int64_t limits)
{
    INT total = 0;
    for (int64_t k = 0; k < limits; k++) {
        for (int64_t t = 0; t < threads; t++) {
            const INT own = tallies[t][k];
            tallies[t][k] = total;
            total += own;
        }
    }
}

/* Where each key starts: where the last part's elements of the key before it end. */
static void cogen_joint_ends(INT *offsets, const INT *last, int64_t limits)
{
    memmove(offsets + 1, last, (size_t)(limits - 1) * sizeof *offsets);
    offsets[0] = 0;
}

/* ---- numbers ---- */
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
