"""The run-time library of generated C that only some programs need: growing arrays, tables."""

from __future__ import annotations

from string import Template
from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops.functions import MOST_PARTS

_TABLES: Final[dict[str, str]] = {
    "room": """\
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
""",
    "starts": """\
/* Of the number of each key, where each one starts; the last place is not used. */
static void cogen_starts($int *offsets, int64_t limits)
{
    $int total = 0;
    for (int64_t k = 0; k < limits; k++) {
        const $int own = offsets[k];
        offsets[k] = total;
        total += own;
    }
}

/* Of where each key ends, where each one starts. */
static void cogen_ends($int *offsets, int64_t limits)
{
    memmove(offsets + 1, offsets, (size_t)(limits - 1) * sizeof *offsets);
    offsets[0] = 0;
}
""",
    "joint": """\
/* Of the number of each key in each thread's part, where each part's elements of a key start. */
static void cogen_joint_starts($int *const *tallies, int64_t threads, int64_t limits)
{
    $int total = 0;
    for (int64_t k = 0; k < limits; k++) {
        for (int64_t t = 0; t < threads; t++) {
            const $int own = tallies[t][k];
            tallies[t][k] = total;
            total += own;
        }
    }
}

/* Where each key starts: where the last part's elements of the key before it end. */
static void cogen_joint_ends($int *offsets, const $int *last, int64_t limits)
{
    memmove(offsets + 1, last, (size_t)(limits - 1) * sizeof *offsets);
    offsets[0] = 0;
}
""",
    "numbers": """\
/* The different keys so far, of `width` ints each. Small ones of one int are found by value in
   `direct`, others by hash in `slots`; both have numbers, plus 1. */
typedef struct {
    int64_t *values, *slots;
    int32_t *direct;
    int64_t count, room, hashed, mask, small, width;
    cogen_block *values_block, *slots_block, *direct_block;
} cogen_numbers;

static bool cogen_numbers_begin(cogen_memory *memory, cogen_numbers *table, int64_t size,
                                int64_t width)
{
    table->count = 0;
    table->hashed = 0;
    table->room = 64;
    table->mask = 127;
    table->small = width > 1 ? 0 : size < 1024 ? 64 : size < 65536 ? 1024 : 65536;
    table->width = width;
    table->values_block = cogen_alloc(memory, table->room, width * (int64_t)sizeof(int64_t));
    table->slots_block = cogen_alloc(memory, table->mask + 1, sizeof(int64_t));
    table->direct_block = cogen_alloc(memory, table->small, sizeof(int32_t));
    if (table->values_block == NULL || table->slots_block == NULL || table->direct_block == NULL) {
        return false;
    }
    table->values = cogen_data(table->values_block);
    table->slots = cogen_data(table->slots_block);
    table->direct = cogen_data(table->direct_block);
    memset(table->slots, 0, (size_t)(table->mask + 1) * sizeof *table->slots);
    memset(table->direct, 0, (size_t)table->small * sizeof *table->direct);
    return true;
}

static inline int64_t cogen_hash(const int64_t *key, int64_t width)
{
    uint64_t mixed = 0;
    for (int64_t k = 0; k < width; k++) {
        mixed = (mixed ^ (uint64_t)key[k]) * 0x9E3779B97F4A7C15u;
        mixed ^= mixed >> 32;
    }
    return (int64_t)(mixed >> 1);
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
    int64_t at = cogen_hash(key, width) & table->mask;
    while (table->slots[at] != 0
           && !cogen_same_key(table->values + (table->slots[at] - 1) * width, key, width)) {
        at = (at + 1) & table->mask;
    }
    return at;
}

/* More room for slots. */
static bool cogen_rehash(cogen_memory *memory, cogen_numbers *table)
{
    const int64_t many = 2 * (table->mask + 1);
    cogen_block *const made = cogen_alloc(memory, many, sizeof(int64_t));
    if (made == NULL) {
        return false;
    }
    cogen_drop(table->slots_block);
    table->slots_block = made;
    table->slots = cogen_data(made);
    table->mask = many - 1;
    memset(table->slots, 0, (size_t)many * sizeof *table->slots);
    for (int64_t number = 0; number < table->count; number++) {
        const int64_t *const key = table->values + number * table->width;
        if ((uint64_t)*key >= (uint64_t)table->small) {
            table->slots[cogen_slot(table, key, table->width)] = number + 1;
        }
    }
    return true;
}

/* One more key; its number, or -1 if there is no memory. */
__attribute__((noinline))
static int64_t cogen_add_number(cogen_memory *memory, cogen_numbers *table, const int64_t *key)
{
    const int64_t bytes = table->width * (int64_t)sizeof(int64_t);
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
    const int64_t number = table->count;
    memcpy(table->values + number * table->width, key, (size_t)bytes);
    if ((uint64_t)*key < (uint64_t)table->small) {
        table->direct[*key] = (int32_t)number + 1;
    } else {
        table->slots[cogen_slot(table, key, table->width)] = number + 1;
        table->hashed++;
    }
    table->count = number + 1;
    if (2 * table->hashed > table->mask && !cogen_rehash(memory, table)) {
        return -1;
    }
    return number;
}

/* The number of a value, -1 if there is no memory. */
static inline int64_t cogen_number(cogen_memory *memory, cogen_numbers *table, int64_t value)
{
    const int64_t known = (uint64_t)value < (uint64_t)table->small
        ? table->direct[value] : table->slots[cogen_slot(table, &value, 1)];
    return known != 0 ? known - 1 : cogen_add_number(memory, table, &value);
}

static inline int64_t cogen_number_wide(cogen_memory *memory, cogen_numbers *table,
                                        const int64_t *key, int64_t width)
{
    const int64_t known = table->slots[cogen_slot(table, key, width)];
    return known != 0 ? known - 1 : cogen_add_number(memory, table, key);
}
$wide
static void cogen_numbers_end(cogen_numbers *table)
{
    cogen_drop(table->values_block);
    cogen_drop(table->slots_block);
    cogen_drop(table->direct_block);
}
""",
}


def _wide(width: int) -> str:
    """The number of a key of several ints."""
    parts = [f"k{k}" for k in range(width)]
    parameters = ", ".join([f"int64_t {part}" for part in parts])
    return (
        f"\nstatic inline int64_t cogen_number_{width}(\n"
        f"    cogen_memory *memory, cogen_numbers *table, {parameters})\n"
        f"{{\n    const int64_t key[] = {{{', '.join(parts)}}};\n"
        f"    return cogen_number_wide(memory, table, key, {width});\n}}\n"
    )


def tables(a: Arithmetic) -> dict[str, str]:
    """Parts by name, in the order in which they are printed; each needs the memory's part only."""
    wide = "".join(map(_wide, range(2, MOST_PARTS + 1)))
    words = {"int": f"int{a.int_bits}_t", "wide": wide}
    return {name: Template(text).substitute(words) for name, text in _TABLES.items()}
