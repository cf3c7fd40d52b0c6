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
       COGEN_GC_STRESS   collect at every opportunity */

#include "inline.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NURSERY = 1 << 18, PIECE = 256, FIRST_THRESHOLD = 1 << 22, STRESS_MAJOR = 64 };

typedef struct { word *start, *next, *end; } space;

static space old, other;
static word *fresh;      /* what is above was allocated in the old space since the collection */
static uword threshold;  /* words of old space above which a major collection is due */
static word *nursery_end;
static bool stress;
static unsigned collections;
static word **remembered;
static size_t remembered_count, remembered_size;
static word buffer[BUFFER + 4 * SLACK];

/* Allocation by the run time */

static const char no_memory[] = "there is not enough memory";

COLD static void out_of_memory(void) { fail_limit(no_memory); }

static word *in_old_space(size_t words) {
    if (old.next + words + SLACK > old.end) out_of_memory();
    word *made = old.next;
    old.next += words;
    if ((uword)(old.next - old.start) > threshold) rt.heap_limit = NULL;
    return made;
}

word *allocate(size_t words) {
    if (words < NURSERY / 8 && rt.hp + words <= rt.heap_limit) {
        word *made = rt.hp;
        rt.hp += words;
        return made;
    }
    if (words < NURSERY / 8) rt.heap_limit = NULL;
    return in_old_space(words);
}

word make_object(kind kind, size_t length) {
    word *made = allocate(length ? length + 1 : 2);
    made[0] = HEADER(kind, length);
    made[1] = 0;
    return (word)made + OBJECT_TAG;
}

word cons(word a, word d) {
    word *made = allocate(2);
    made[0] = a;
    made[1] = d;
    return (word)made + PAIR_TAG;
}

word make_closure(code code, unsigned arity, size_t count) {
    word *made = allocate(count + 2);
    made[0] = CLOSURE_HEADER(count + 1, arity);
    made[1] = (word)code;
    for (size_t i = 0; i < count; i++) made[i + 2] = NIL;
    return (word)made + CLOSURE_TAG;
}

COLD word remember(word *slot) {
    if (remembered_count == remembered_size) {
        size_t kept = 0;
        for (size_t i = 0; i < remembered_count; i++) /* neighbours are often the same */
            if (kept == 0 || remembered[kept - 1] != remembered[i]) remembered[kept++] = remembered[i];
        remembered_count = kept;
        rt.heap_limit = NULL;
        if (kept >= remembered_size / 2) {
            remembered_size = remembered_size ? 2 * remembered_size : 1024;
            remembered = realloc(remembered, remembered_size * sizeof *remembered);
            if (remembered == NULL) out_of_memory();
        }
    }
    remembered[remembered_count++] = slot;
    return 0;
}

/* Collection */

static word *scan; /* objects below are done */
static bool major;
static int place;   /* where the program is */
static space from;

static inline size_t size_of(word header) {
    size_t length = LENGTH_OF_HEADER(header);
    return length ? length + 1 : 2;
}

static inline void move(word *slot) {
    word value = *slot;
    if (IS_FIX(value) || TAG(value) == IMMEDIATE_TAG) return;
    word tag = TAG(value);
    word *object = (word *)(value - tag);
    if (!in_nursery((word)object) && !(major && object >= from.start && object < from.end)) return;
    if (object[0] == FORWARDED) {
        *slot = object[1];
        return;
    }
    size_t size = tag == PAIR_TAG ? 2 : size_of(object[0]);
    word *to = old.next;
    if (to + size + SLACK > old.end) die("limitation", no_memory, place);
    old.next += size;
    if (size == 2) to[0] = object[0], to[1] = object[1];
    else memcpy(to, object, size * sizeof(word));
    object[0] = FORWARDED;
    *slot = object[1] = (word)to + tag;
}

static void move_all(word *from_slot, word *end) {
    while (from_slot < end) move(from_slot++);
}

static void scan_moved(void) {
    while (scan < old.next) {
        word first = *scan;
        if (!IS_HEADER(first)) {
            move(scan);
            move(scan + 1);
            scan += 2;
            continue;
        }
        size_t size = size_of(first);
        if (KIND_OF_HEADER(first) > LAST_RAW) move_all(scan + 1, scan + size);
        scan += size;
    }
}

static void move_roots(word *sp) {
    const program *p = the_program;
    move_all(p->constant, p->constant + p->constant_count);
    move_all(p->global, p->global + p->global_count);
    move_all(buffer, sp);
    move(&rt.handlers);
    move(&rt.older);
    move(&rt.output);
}

/* The live words are the frames and `count` words above them. */
static void collect(word *frames, long count) {
    word *sp = frames + count;
    uword young = (uword)(nursery_end - rt.nursery) + (uword)(old.next - fresh);
    major = (uword)(old.next - old.start) > threshold || old.next + young + SLACK > old.end;
    if (stress && ++collections % STRESS_MAJOR == 0) major = true;
    if (major) {
        place = caller(frames); /* the frames cannot be walked when some have moved */
        from = old;
        from.end = from.next;
        old = other;
        old.next = scan = old.start;
        move_roots(sp);
        scan_moved();
        other = from;
        other.end = other.start + (old.end - old.start);
        madvise(other.start, (size_t)(from.end - from.start) * sizeof(word), MADV_DONTNEED);
        uword live = (uword)(old.next - old.start);
        uword size = (uword)(old.end - old.start);
        threshold = 2 * live > FIRST_THRESHOLD ? 2 * live : FIRST_THRESHOLD;
        if (threshold > size - NURSERY) threshold = size - NURSERY;
    } else {
        scan = fresh;
        for (size_t i = 0; i < remembered_count; i++) move(remembered[i]);
        move_roots(sp);
        scan_moved();
    }
    fresh = old.next;
    remembered_count = 0;
    rt.heap_limit = stress ? NULL : nursery_end - SLACK;
}

static void make_room(word *frames, long count) {
    enum { MOST_OF_C_STACK = 1 << 20 };
    rt.sp = frames;
    rt.site = 0;
    if (rt.c_stack - (char *)__builtin_frame_address(0) > MOST_OF_C_STACK)
        die("internal error", "the C compiler did not make jumps of tail calls; is -O2 missing?", 0);
    if (rt.hp > rt.heap_limit) {
        collect(frames, count);
        rt.hp = rt.nursery;
    }
}

/* The start of what a call returns to: collect.  The value is above the frames. */
word collect_garbage(word *sp, word *hp) {
    rt.hp = hp;
    make_room(sp, 1);
    return 0;
}

/* The stack */

word *stack_bottom(void) { return buffer + 1; }

/* Move the frames in the buffer up to `sp` to a STACK object. */
void freeze(word *sp) {
    size_t words = (size_t)(sp - stack_bottom());
    if (words == 0) return;
    word stack = make_object(STACK, words + 2);
    FIELD(stack, 0) = rt.older;
    FIELD(stack, 1) = rt.older_words;
    memcpy(&FIELD(stack, 2), stack_bottom(), words * sizeof(word));
    rt.older = stack;
    rt.older_words = FIX(words);
}

/* A value is returned to the bottom of the buffer: fetch frames from the older stack. */
static void underflow(word *sp, word *hp, word value) {
    word stack = rt.older;
    size_t words = (size_t)UNFIX(rt.older_words), taken = 0;
    word *frames = &FIELD(stack, 2);
    while (taken < words && taken < PIECE)
        taken += (size_t)frame_of(frames[words - taken - 1])->words;
    memcpy(stack_bottom(), frames + words - taken, taken * sizeof(word));
    sp = stack_bottom() + taken;
    if (taken == words) {
        rt.older = FIELD(stack, 0);
        rt.older_words = FIELD(stack, 1);
    } else {
        rt.older_words = FIX(words - taken);
    }
    RETURN(value);
}

/* The start of a function: collect if the heap is full, make room if the stack is.  Its
   `count` live words are on top of the stack; afterwards they are at `rt.sp`. */
word enter(word *sp, word *hp, long count) {
    rt.hp = hp;
    if (sp > rt.stack_limit) {
        freeze(sp);
        memmove(stack_bottom(), sp, (size_t)count * sizeof(word));
        sp = stack_bottom();
    }
    make_room(sp, count);
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

static bool reserve(space *made, uword bytes) {
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return false;
    made->start = made->next = start;
    made->end = made->start + bytes / sizeof(word);
    return true;
}

void start_heap(void) {
    space nursery;
    uword bytes = memory_bytes() & ~(uword)0xfffff;
    if (bytes < 1 << 22) bytes = 1 << 22;
    bool found = reserve(&nursery, NURSERY * sizeof(word));
    while (found && !(reserve(&old, bytes) && reserve(&other, bytes))) {
        if (old.start != NULL) munmap(old.start, bytes), old.start = NULL;
        bytes /= 2;
        found = bytes >= 1 << 22;
    }
    if (!found) {
        fputs("limitation: there is not enough memory\n", stderr);
        exit(1);
    }
    stress = getenv("COGEN_GC_STRESS") != NULL;
    fresh = old.start;
    threshold = FIRST_THRESHOLD;
    uword size = (uword)(old.end - old.start);
    if (threshold > size / 2) threshold = size / 2;
    rt.nursery = rt.hp = nursery.start;
    rt.nursery_bytes = NURSERY * sizeof(word);
    nursery_end = nursery.end;
    rt.heap_limit = stress ? NULL : nursery_end - SLACK;
    rt.stack_limit = buffer + (stress ? 512 : BUFFER);
    rt.older = NIL;
    rt.older_words = 0;
    buffer[0] = (word)underflow;
    rt.sp = stack_bottom();
}
