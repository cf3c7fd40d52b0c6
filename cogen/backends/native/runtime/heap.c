/* The heap and the stack.

   Heap: a nursery, where compiled code allocates, and an old space.  A minor collection moves
   what is alive in the nursery to the old space; a major one moves everything to a new old
   space (Cheney's copying collector both times).  Collections happen only where all live words
   are in the stack: at the start of functions.  The run time itself never collects: when the
   nursery is full, it allocates in the old space and asks for a collection soon.

   Objects that are written to the old space directly are scanned as a whole at the next
   collection (from `fresh` on); older ones that come to point into the nursery are remembered.

   Stack: a buffer of BUFFER words.  When it is full, or when call/cc asks for it, its content
   moves to a STACK object, linked to the one before, and the buffer starts again with a frame
   that fetches frames back.  So depth is bounded by the heap only, a continuation is an object
   and a collection scans one buffer, however deep the recursion.

   Environment
       COGEN_MEMORY      megabytes of heap at most; else all memory of the machine
       COGEN_GC_STRESS   collect at every opportunity; with `guard`, memory that a collection has
                         left cannot be accessed, so who still points there is found at once */

#include "inline.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NURSERY = 1 << 19, PIECE = 256, FIRST_THRESHOLD = 1 << 22, STRESS_MAJOR = 64, MOST_KEPT = 1 << 25 };

/* Note [A collection never fails]
   A major collection moves what is alive in the old space and in the nursery to the other space.
   That is so much larger than `old_words` that all of it has room there, alive or not; whether
   too much is alive is asked afterwards, when the heap is whole again.  So running out of memory
   is an error like others: the program goes on, or an instance is called again. */

static word *nursery_end(RT) { return rt->nursery + NURSERY; }
static uword old_used(RT) { return (uword)(rt->old.next - rt->old.start); }

/* Allocation by the run time */

static word *in_old_space(RT, size_t words) {
    uword used = old_used(rt);
    if (used + SLACK > rt->old_words || words > rt->old_words - used - SLACK) out_of_memory(rt);
    word *made = rt->old.next;
    rt->old.next += words;
    if (used + words > rt->threshold) rt->heap_limit = NULL;
    return made;
}

word *allocate(RT, size_t words) {
    if (words < NURSERY / 8 && rt->hp + words <= rt->heap_limit) {
        word *made = rt->hp;
        rt->hp += words;
        return made;
    }
    if (words < NURSERY / 8) rt->heap_limit = NULL;
    return in_old_space(rt, words);
}

word make_object(RT, kind kind, size_t length) {
    word *made = allocate(rt, length ? length + 1 : 2);
    made[0] = HEADER(kind, length);
    made[1] = 0;
    return (word)made + OBJECT_TAG;
}

word cons(RT, word a, word d) {
    word *made = allocate(rt, 2);
    made[0] = a;
    made[1] = d;
    return (word)made + PAIR_TAG;
}

word make_closure(RT, code code, unsigned arity, size_t count) {
    word *made = allocate(rt, count + 2);
    made[0] = CLOSURE_HEADER(count + 1, arity);
    made[1] = (word)code;
    for (size_t i = 0; i < count; i++) made[i + 2] = NIL;
    return (word)made + CLOSURE_TAG;
}

COLD word remember(RT, word *slot) {
    if (rt->remembered_count == rt->remembered_size) {
        size_t kept = 0;
        word **all = rt->remembered;
        for (size_t i = 0; i < rt->remembered_count; i++) /* neighbours are often the same */
            if (kept == 0 || all[kept - 1] != all[i]) all[kept++] = all[i];
        rt->remembered_count = kept;
        rt->heap_limit = NULL;
        if (kept >= rt->remembered_size / 2) {
            size_t size = rt->remembered_size ? 2 * rt->remembered_size : 1024;
            rt->remembered = reallocate(rt, all, size, sizeof *all);
            rt->remembered_size = size;
            keep(rt, rt->remembered);
        }
    }
    rt->remembered[rt->remembered_count++] = slot;
    return 0;
}

/* Collection */

static inline size_t size_of(word header) {
    size_t length = LENGTH_OF_HEADER(header);
    return length ? length + 1 : 2;
}

static inline void move(RT, word *slot) {
    word value = *slot;
    if (IS_FIX(value) || TAG(value) == IMMEDIATE_TAG) return;
    word tag = TAG(value);
    word *object = (word *)(value - tag);
    if (!in_nursery(rt, (word)object) &&
        !(rt->major && object >= rt->from.start && object < rt->from.next)) return;
    if (object[0] == FORWARDED) {
        *slot = object[1];
        return;
    }
    size_t size = tag == PAIR_TAG ? 2 : size_of(object[0]);
    word *to = rt->old.next;
    rt->old.next += size;
    if (size == 2) to[0] = object[0], to[1] = object[1];
    else memcpy(to, object, size * sizeof(word));
    object[0] = FORWARDED;
    *slot = object[1] = (word)to + tag;
}

static void move_all(RT, word *from_slot, word *end) {
    while (from_slot < end) move(rt, from_slot++);
}

static void scan_moved(RT) {
    while (rt->scan < rt->old.next) {
        word *scan = rt->scan, first = *scan;
        if (!IS_HEADER(first)) {
            move(rt, scan);
            move(rt, scan + 1);
            rt->scan += 2;
            continue;
        }
        size_t size = size_of(first);
        if (KIND_OF_HEADER(first) > LAST_RAW) move_all(rt, scan + 1, scan + size);
        rt->scan += size;
    }
}

static void move_roots(RT, word *sp) {
    const program *p = rt->program;
    move_all(rt, rt->cells, rt->cells + p->constant_count + p->global_count);
    move_all(rt, rt->stack, sp);
    move(rt, &rt->handlers);
    move(rt, &rt->older);
    move(rt, &rt->input);
    move(rt, &rt->output);
    move(rt, &rt->errors);
    move(rt, &rt->copies);
}

static void guard(RT, word *start, size_t words, bool closed) {
    if (rt->spare_nursery != NULL)
        mprotect(start, words * sizeof(word), closed ? PROT_NONE : PROT_READ | PROT_WRITE);
}

/* Give back the pages that lie between two words. */
static void free_pages(const word *start, const word *end) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = ((uintptr_t)start + page - 1) & ~(page - 1);
    if ((uintptr_t)end > first) madvise((void *)first, (uintptr_t)end - first, MADV_DONTNEED);
}

/* Give the memory of the space that was left back, but for what the next collections will use of
   it: pages that come anew take as long as copying what is in them. */
static void give_pages_back(RT) {
    uword used = (uword)(rt->from.next - rt->from.start);
    uword kept = rt->threshold < MOST_KEPT ? rt->threshold : MOST_KEPT;
    if (used > kept) free_pages(rt->from.start + kept, rt->from.next);
}

/* Move all that is alive to the other space, and give memory of this one back. */
static void collect_all(RT, word *sp) {
    guard(rt, rt->other.start, rt->space_words, false);
    rt->from = rt->old;
    rt->old.next = rt->old.start = rt->scan = rt->other.start;
    rt->other = (space){rt->from.start, rt->from.start};
    rt->major = true;
    move_roots(rt, sp);
    scan_moved(rt);
    rt->threshold = 2 * old_used(rt) > FIRST_THRESHOLD ? 2 * old_used(rt) : FIRST_THRESHOLD;
    if (rt->threshold > rt->old_words - NURSERY) rt->threshold = rt->old_words - NURSERY;
    give_pages_back(rt);
    guard(rt, rt->from.start, rt->space_words, true);
}

static void collect_young(RT, word *sp) {
    rt->scan = rt->fresh;
    rt->major = false;
    for (size_t i = 0; i < rt->remembered_count; i++) move(rt, rt->remembered[i]);
    move_roots(rt, sp);
    scan_moved(rt);
}

/* The live words are those below `sp`. */
static void collect(RT, word *sp, bool major) {
    uword young = NURSERY + (uword)(rt->old.next - rt->fresh);
    if (old_used(rt) > rt->threshold || old_used(rt) + young + SLACK > rt->old_words) major = true;
    if (rt->stress && ++rt->collections % STRESS_MAJOR == 0) major = true;
    if (major) collect_all(rt, sp);
    else collect_young(rt, sp);
    rt->fresh = rt->old.next;
    rt->remembered_count = 0;
    if (rt->spare_nursery != NULL) {
        word *left = rt->nursery;
        rt->nursery = rt->spare_nursery;
        rt->spare_nursery = left;
        guard(rt, rt->nursery, NURSERY, false);
        guard(rt, left, NURSERY, true);
    }
    rt->heap_limit = rt->stress ? NULL : nursery_end(rt) - SLACK;
    rt->hp = rt->nursery;
}

static void make_room(RT, word *frames, long count) {
    enum { MOST_OF_C_STACK = 1 << 20 };
    rt->sp = frames;
    rt->site = 0;
    if (rt->c_stack - (char *)__builtin_frame_address(0) > MOST_OF_C_STACK)
        die(rt, "internal error", "the C compiler did not make jumps of tail calls; is -O2 missing?", NULL);
    if (rt->hp <= rt->heap_limit) return;
    collect(rt, frames + count, false);
    if (old_used(rt) + SLACK > rt->old_words) out_of_memory(rt); /* Note [A collection never fails] */
}

/* The start of what a call returns to: collect.  The value is above the frames. */
word collect_garbage(RT, word *sp, word *hp) {
    rt->hp = hp;
    make_room(rt, sp, 1);
    return 0;
}

/* A call from outside is over: nothing but globals is alive, and memory that only the call needed
   goes back.  Where it ran out of memory, a store may not have been remembered. */
void call_is_over(RT) {
    rt->handlers = rt->older = rt->copies = NIL;
    rt->sp = stack_bottom(rt);
    bool is_large = old_used(rt) > FIRST_THRESHOLD && old_used(rt) > 2 * rt->settled;
    if (!is_large && !rt->ran_out) return;
    rt->ran_out = false;
    collect(rt, rt->sp, true);
    rt->settled = old_used(rt);
    guard(rt, rt->other.start, rt->space_words, false);
    free_pages(rt->other.start, rt->other.start + rt->space_words);
    free_pages(rt->old.next, rt->old.start + rt->space_words);
    guard(rt, rt->other.start, rt->space_words, true);
}

/* The stack */

/* So many words are moved in place. */
enum { FEW = 32 };

/* The header of a STACK object of the frames in the buffer, which is the older stack now. */
static inline word *older_of(RT, word *made, size_t words) {
    word *items = stack_object(rt, made, words);
    rt->older = (word)made + OBJECT_TAG;
    rt->older_words = FIX(words);
    return items;
}

/* Move the frames in the buffer up to `sp` to a STACK object. */
void freeze(RT, word *sp) { freeze_frames(rt, stack_bottom(rt), (size_t)(sp - stack_bottom(rt))); }

/* Make a STACK object of frames, on top of the older ones. */
void freeze_frames(RT, const word *frames, size_t words) {
    if (words == 0) return;
    memcpy(older_of(rt, allocate(rt, words + 3), words), frames, words * sizeof(word));
}

/* After `freeze`, the place of a tail call is moved to the buffer again, where that of the next one
   takes its place (PASS); the new top. */
static inline word *thawed_place(RT) {
    word *bottom = stack_bottom(rt);
    if (rt->older == NIL) return bottom;
    word words = UNFIX(rt->older_words), *end = &FIELD(rt->older, 2) + words;
    if (LIKELY(end[-1] != (word)passing)) return bottom;
    bottom[0] = end[-2];
    bottom[1] = end[-1];
    rt->older_words = words == 2 ? FIELD(rt->older, 1) : FIX(words - 2);
    if (words == 2) rt->older = FIELD(rt->older, 0);
    return bottom + 2;
}

word *thaw_place(RT) { return thawed_place(rt); }

static inline void fetched(RT, size_t left) {
    word stack = rt->older;
    rt->older_words = left ? FIX(left) : FIELD(stack, 1);
    if (!left) rt->older = FIELD(stack, 0);
}

/* Fetch some of many frames. */
__attribute__((noinline)) static void fetch_piece(word *sp, word *hp, word value) {
    runtime *rt = runtime_of(sp);
    size_t words = (size_t)UNFIX(rt->older_words), taken = 0;
    word *frames = &FIELD(rt->older, 2);
    while (taken < words && taken < PIECE)
        taken += (size_t)frame_of(rt, frames[words - taken - 1])->words;
    memcpy(stack_bottom(rt), frames + words - taken, taken * sizeof(word));
    fetched(rt, words - taken);
    sp = stack_bottom(rt) + taken;
    RETURN(value);
}

/* A value is returned to the bottom of the buffer: fetch frames from the older stack. */
static void underflow(word *sp, word *hp, word value) {
    runtime *rt = runtime_of(sp);
    size_t words = (size_t)UNFIX(rt->older_words);
    if (UNLIKELY(words > FEW)) return fetch_piece(sp, hp, value);
    sp = stack_bottom(rt);
    copy_few(sp, &FIELD(rt->older, 2), words);
    fetched(rt, 0);
    sp += words;
    RETURN(value);
}

/* The code of a continuation: [older stack, words of it, handlers] */
void continue_with(word *sp, word *hp, word self, word value) {
    runtime *rt = runtime_of(sp);
    rt->older = FREE(self, 0);
    rt->older_words = FREE(self, 1);
    rt->handlers = FREE(self, 2);
    return underflow(stack_bottom(rt), hp, value);
}

bool is_continuation(word f) { return CLOSURE_CODE(f) == (word)continue_with; }

static inline word continuation_of_older(RT, word *made) {
    word found = continuation_at(rt, made, rt->older, rt->older_words);
    rt->sp = thawed_place(rt);
    return found;
}

__attribute__((noinline)) static word capture_many(RT, word *sp) {
    freeze(rt, sp);
    rt->sp = stack_bottom(rt);
    return continuation_of_older(rt, allocate(rt, 5));
}

/* The continuation of a call at `sp`; the buffer is empty then, but for the place of a tail call,
   and `rt->sp` its top. */
word capture(RT, word *sp) {
    word *made = rt->hp;
    size_t words = (size_t)(sp - stack_bottom(rt));
    if (UNLIKELY(words > FEW || made + FEW + 8 > rt->heap_limit)) return capture_many(rt, sp);
    if (words > 0) {
        copy_few(older_of(rt, made, words), stack_bottom(rt), words);
        made += words + 3;
    }
    rt->hp = made + 5;
    return continuation_of_older(rt, made);
}

/* The start of a function: collect if the heap is full, make room if the stack is.  Its
   `count` live words are on top of the stack; afterwards they are at `rt->sp`. */
word enter(RT, word *sp, word *hp, long count) {
    rt->hp = hp;
    if (sp > rt->stack_limit) {
        freeze(rt, sp);
        memmove(stack_bottom(rt), sp, (size_t)count * sizeof(word));
        sp = stack_bottom(rt);
    }
    make_room(rt, sp, count);
    return 0;
}

/* Start */

/* The size of each of the two old spaces. */
static uword memory_bytes(void) {
    const char *named = getenv("COGEN_MEMORY");
    if (named != NULL && atoll(named) > 0) return (uword)atoll(named) << 19;
    uword bytes = (uword)sysconf(_SC_PHYS_PAGES) * (uword)sysconf(_SC_PAGESIZE) / 2;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 3 < bytes)
        bytes = limit.rlim_cur / 3;
    return bytes;
}

/* Pages of the old spaces come in large pieces where the system has such: fewer, each at once. */
static void in_large_pages(const space *made, uword bytes) {
#ifdef MADV_HUGEPAGE
    madvise(made->start, bytes, MADV_HUGEPAGE);
#endif
}

static bool reserve(space *made, uword bytes) {
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return false;
    made->start = made->next = start;
    return true;
}

static void give_back(space *made, uword bytes) {
    if (made->start != NULL) munmap(made->start, bytes);
    *made = (space){NULL, NULL};
}

/* Reserve the memory, less of it if there is not so much; false if there is none. */
bool start_heap(RT) {
    enum { SMALLEST = 1 << 22, BEYOND = (NURSERY + SLACK) * (int)sizeof(word) };
    space nursery = {NULL, NULL};
    uword bytes = memory_bytes() & ~(uword)0xfffff;
    if (bytes < SMALLEST) bytes = SMALLEST;
    bool found = reserve(&nursery, NURSERY * sizeof(word));
    rt->nursery = rt->hp = nursery.start;
    while (found && !(reserve(&rt->old, bytes + BEYOND) && reserve(&rt->other, bytes + BEYOND))) {
        give_back(&rt->old, bytes + BEYOND);
        bytes /= 2;
        found = bytes >= SMALLEST;
    }
    if (!found) return false;
    in_large_pages(&rt->old, bytes + BEYOND);
    in_large_pages(&rt->other, bytes + BEYOND);
    const char *stress = getenv("COGEN_GC_STRESS");
    rt->stress = stress != NULL;
    space spare = {NULL, NULL};
    if (stress != NULL && strcmp(stress, "guard") == 0 && !reserve(&spare, NURSERY * sizeof(word))) return false;
    rt->spare_nursery = spare.start;
    rt->fresh = rt->old.start;
    rt->old_words = bytes / sizeof(word);
    rt->space_words = (bytes + BEYOND) / sizeof(word);
    rt->threshold = FIRST_THRESHOLD;
    if (rt->threshold > rt->old_words / 2) rt->threshold = rt->old_words / 2;
    rt->nursery_bytes = NURSERY * sizeof(word);
    rt->heap_limit = rt->stress ? NULL : nursery_end(rt) - SLACK;
    rt->stack_limit = rt->stack + (rt->stress ? 512 : BUFFER);
    rt->stack[0] = (word)underflow;
    rt->sp = stack_bottom(rt);
    return true;
}

void free_heap(RT) {
    give_back(&rt->old, rt->space_words * sizeof(word));
    give_back(&rt->other, rt->space_words * sizeof(word));
    if (rt->nursery != NULL) munmap(rt->nursery, NURSERY * sizeof(word));
    if (rt->spare_nursery != NULL) munmap(rt->spare_nursery, NURSERY * sizeof(word));
}
