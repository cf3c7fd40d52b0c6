/* C's memory for what is no value: texts, tables, lists of work.

   Every block is in a ring of its instance.  An error leaves by `longjmp`, past those who would
   have given their blocks back: what is temporary is given back there; what is kept goes with the
   instance. */

#include "operations.h"

#include <stdlib.h>

static block *block_of(const void *bytes) { return (block *)(uintptr_t)bytes - 1; }

static void link_into(block *ring, block *b) {
    b->next = ring->next;
    b->before = ring;
    b->next->before = ring->next = b;
}

static void unlink_block(block *b) {
    b->before->next = b->next;
    b->next->before = b->before;
}

/* The bytes of a block, refused where the heap itself could not be so large. */
static size_t block_bytes(RT, size_t count, size_t size) {
    size_t bytes, most = 2 * rt->old_words * sizeof(word);
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - sizeof(block)) out_of_memory(rt);
    if (most != 0 && bytes > most) out_of_memory(rt);
    return bytes;
}

/* Room for `count` items of `size` bytes, all zero, until it is released or an error leaves. */
void *allocate_block(RT, size_t count, size_t size) {
    size_t bytes = block_bytes(rt, count, size);
    block *made = calloc(1, sizeof *made + bytes);
    if (made == NULL) out_of_memory(rt);
    link_into(&rt->temporary, made);
    return made + 1;
}

/* The same with the items of an old block, or NULL, which is gone then; new ones have no value. */
void *reallocate(RT, void *old, size_t count, size_t size) {
    if (old == NULL) return allocate_block(rt, count, size);
    size_t bytes = block_bytes(rt, count, size);
    block *before = block_of(old)->before;
    unlink_block(block_of(old));
    block *made = realloc(block_of(old), sizeof *made + bytes);
    link_into(before, made ? made : block_of(old));
    if (made == NULL) out_of_memory(rt);
    return made + 1;
}

/* Errors do not give the block back any more. */
void keep(RT, void *bytes) {
    unlink_block(block_of(bytes));
    link_into(&rt->kept, block_of(bytes));
}

void release(RT, const void *bytes) {
    if (bytes == NULL) return;
    unlink_block(block_of(bytes));
    free(block_of(bytes));
}

static void release_all(block *ring) {
    while (ring->next != ring) {
        block *first = ring->next;
        unlink_block(first);
        free(first);
    }
}

void release_temporary(RT) { release_all(&rt->temporary); }

void release_blocks(RT) {
    release_all(&rt->temporary);
    release_all(&rt->kept);
}

void start_blocks(RT) {
    rt->temporary = (block){&rt->temporary, &rt->temporary};
    rt->kept = (block){&rt->kept, &rt->kept};
}

void out_of_memory(RT) {
    rt->ran_out = true;
    fail_limit(rt, NO_MEMORY);
}
