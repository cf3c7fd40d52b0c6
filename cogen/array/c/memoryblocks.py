"""The part of the run-time library that gets blocks of memory from the system and gives them back.

Fresh memory is dear: the system clears every page before it is used, which takes as long as a loop
that fills it. So large blocks that are given back, results of earlier calls too, stay at hand for
the next call. On what stays the system is told that nobody needs the contents (`MADV_FREE`): it
takes the pages when it is short of memory, and clears none of those that it did not take.
"""

from __future__ import annotations

from typing import Final

BLOCKS: Final = """\
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
"""
