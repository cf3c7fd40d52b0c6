/* Instances are made and freed. */

#include "operations.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST_ANSWER = 1024 }; /* bytes: there is room for what a failed allocation says */

static size_t instance_bytes(const program *p) {
    return sizeof(runtime) + (size_t)(p->constant_count + p->global_count) * sizeof(word);
}

static void *map(size_t bytes) {
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return found == MAP_FAILED ? NULL : found;
}

/* Zero bytes at a multiple of the alignment; NULL if there is no memory. */
static void *map_aligned(size_t bytes) {
    size_t page = 1 << 16, rounded = (bytes + page - 1) & ~(page - 1);
    char *start = map(rounded + INSTANCE_ALIGNMENT);
    if (start == NULL) return NULL;
    size_t before = -(uintptr_t)start & (INSTANCE_ALIGNMENT - 1);
    if (before) munmap(start, before);
    munmap(start + before + rounded, INSTANCE_ALIGNMENT - before);
    return start + before;
}

/* An instance that has evaluated nothing yet; NULL if there is not enough memory. */
runtime *make_instance(const program *p) {
    runtime *rt = map_aligned(instance_bytes(p));
    if (rt == NULL) return NULL;
    rt->program = p;
    rt->word_bytes = p->word_bytes;
    rt->handlers = rt->input = rt->output = rt->errors = rt->older = rt->copies = NIL;
    for (int i = 0; i < p->constant_count; i++) rt->cells[i] = NIL;
    start_blocks(rt);
    jmp_buf failed;
    if (!start_heap(rt) || setjmp(failed)) {
        free_instance(rt);
        return NULL;
    }
    rt->failed = &failed;
    rt->answer = (text){.rt = rt, .bytes = allocate_block(rt, FIRST_ANSWER, 1), .size = FIRST_ANSWER};
    keep(rt, rt->answer.bytes);
    start_control(rt);
    start_constants(rt);
    start_ports(rt);
    rt->failed = NULL;
    return rt;
}

void free_instance(RT) {
    close_streams(rt);
    free_heap(rt);
    release_blocks(rt);
    munmap(rt, (instance_bytes(rt->program) + 0xffff) & ~(size_t)0xffff);
}

