/* Calls, continuations, errors and the run of a program.

   Code never returns in C's sense: every function ends in a jump to another.  An operation that
   fails leaves by `longjmp` to `run`, which calls the program's handler or ends the program.

   The messages and places are those of the interpreter (lang/runtime.py, lang/interp.py): an
   error within the prelude is told at the innermost call that led into it. */

#include "inline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

runtime rt;
word arguments[MOST_ARGUMENTS];
const program *the_program;

static jmp_buf top;
enum { ERROR = 1, FINISHED = 2 };
/* What failed: an error with a message and irritants, or (`raised`) any object. */
static struct { word payload; word message, irritants; bool raised; int site; bool placed; } failure;
static word finished;

/* Frames and names, by code address */

typedef struct { void *key; const void *value; } entry;
static struct { entry *entries; size_t mask; } frames, names;

static entry *slot_of(entry *entries, size_t mask, void *key) {
    size_t i = ((uintptr_t)key >> 4) & mask;
    while (entries[i].key != NULL && entries[i].key != key) i = (i + 1) & mask;
    return &entries[i];
}

static size_t mask_for(int count) {
    size_t size = 64;
    while (size < 2 * (size_t)count + 32) size *= 2;
    return size - 1;
}

const frame *frame_of(word address) {
    return slot_of(frames.entries, frames.mask, (void *)address)->value;
}

const char *procedure_name_of(word f) {
    if (ARITY(f) == BUILT_IN) return ((const primitive *)CLOSURE_WORD(f, 1))->name;
    if (ARITY(f) == CONTINUATION) return "continuation";
    const procedure_name *found = slot_of(names.entries, names.mask, (void *)CLOSURE_CODE(f))->value;
    return found == NULL ? "" : found->name;
}

/* Failing */

static void item_done(word *sp, word *hp, word value);
static void entry_done(word *sp, word *hp, word value);

/* The place of the innermost call outside the prelude that has not returned. */
int caller(word *sp) {
    word *bottom = stack_bottom(), *p = sp, stack = rt.older;
    size_t words = (size_t)UNFIX(rt.older_words);
    for (;;) {
        if (p == bottom) {
            if (stack == NIL) return 0;
            bottom = &FIELD(stack, 2);
            p = bottom + words;
            words = (size_t)UNFIX(FIELD(stack, 1));
            stack = FIELD(stack, 0);
            continue;
        }
        const frame *f = frame_of(p[-1]);
        int site = p[-1] == (word)passing ? (int)UNFIX(p[-2]) : f->site;
        if (p[-1] == (word)item_done) site = the_program->item_sites[UNFIX(p[-2])];
        if (p[-1] == (word)entry_done) site = the_program->entry_site;
        if (site != 0) return site;
        p -= f->words;
    }
}

NORETURN static void leave(void) { longjmp(top, ERROR); }

NORETURN static void fail_message(text *t) {
    failure.message = string_of(t->bytes, t->used);
    failure.irritants = NIL;
    failure.raised = failure.placed = false;
    text_free(t);
    leave();
}

void fail(const char *format, ...) {
    text t = {0};
    va_list list;
    va_start(list, format);
    text_format(&t, format, list);
    va_end(list);
    fail_message(&t);
}

void fail_expected(const char *name, const char *what, word got) {
    fail("%s: expected %s, got %w", name, what, got);
}

void refuse_undefined(const char *name) { fail("%s is used before its definition", name); }
void refuse_car(word x) { fail_expected("car", "a pair", x); }
void refuse_cdr(word x) { fail_expected("cdr", "a pair", x); }

void refuse_vector_ref(word vector, word index) {
    if (!IS_VECTOR(vector)) fail_expected("vector-ref", "a vector", vector);
    need_index("vector-ref", index, LENGTH(vector), "index");
    __builtin_unreachable();
}

word op_error(long count, const word *values) {
    failure.message = values[0];
    failure.irritants = NIL;
    for (long i = count - 1; i > 0; i--) failure.irritants = cons(values[i], failure.irritants);
    failure.raised = failure.placed = false;
    leave();
}

word op_raise(word x) {
    failure.payload = x;
    failure.raised = true;
    failure.placed = false;
    leave();
}

static void describe_error(text *t, word message, word irritants) {
    if (IS_STRING(message)) text_of_string(t, message);
    else print(t, message, WRITE);
    for (; IS_PAIR(irritants); irritants = CDR(irritants)) {
        text_character(t, ' ');
        text_brief(t, CAR(irritants));
    }
}

static void describe(text *t) {
    if (!failure.raised) {
        describe_error(t, failure.message, failure.irritants);
    } else if (IS_KIND(failure.payload, CONDITION)) {
        describe_error(t, FIELD(failure.payload, 0), FIELD(failure.payload, 1));
    } else {
        text_string(t, "uncaught exception: ");
        text_brief(t, failure.payload);
    }
}

void die(const char *family, const char *message, int place) {
    if (library_failure) library_failure(family, message, place);
    flush_output();
    const site *s = place ? &the_program->sites[place] : NULL;
    fprintf(stderr, "%s%s%s: %s\n%s", s ? s->where : "", s ? ": " : "", family, message,
            s ? s->excerpt : "");
    exit(1);
}

void fail_limit(const char *message) {
    die("limitation", message, rt.site ? rt.site : caller(rt.sp));
}

NORETURN static void uncaught(int place) {
    text t = {0};
    describe(&t);
    text_add(&t, "", 1);
    if (failure.raised && IS_KIND(failure.payload, CONDITION) && FIELD(failure.payload, 2) != FIX(0))
        place = (int)UNFIX(FIELD(failure.payload, 2));
    die("error", t.bytes, place);
}

/* Returns of the run time's own frames */

void passing(word *sp, word *hp, word value) {
    sp -= 2;
    RETURN(value);
}

/* [handlers] puts them back. */
static void restore(word *sp, word *hp, word value) {
    rt.handlers = sp[-2];
    sp -= 2;
    RETURN(value);
}

/* [description, place] a handler returned from an exception that cannot be continued. */
static void handler_returned(word *sp, word *hp, word value) {
    (void)value;
    rt.hp = hp;
    rt.sp = sp;
    int place = (int)UNFIX(sp[-2]);
    text t = {0};
    text_string(&t, "the handler returned, but the exception cannot be continued: ");
    text_of_string(&t, sp[-3]);
    failure.message = string_of(t.bytes, t.used);
    text_free(&t);
    failure.irritants = NIL;
    failure.raised = false;
    failure.placed = true;
    failure.site = place;
    leave();
}

/* [number] a top-level item is done: go on with the next. */
static void item_done(word *sp, word *hp, word value) {
    (void)value;
    word next = UNFIX(sp[-2]) + 1;
    sp[-2] = FIX(next);
    if (next < the_program->item_count) return the_program->items[next](sp, hp, UNSPECIFIED);
    rt.sp = sp;
    rt.hp = hp;
    longjmp(top, FINISHED);
}

static void entry_done(word *sp, word *hp, word value) {
    rt.sp = sp;
    rt.hp = hp;
    finished = value;
    longjmp(top, FINISHED);
}

static const frame own_frames[] = {
    {(code)passing, 2, 0},
    {(code)restore, 2, 0},
    {(code)handler_returned, 3, 0},
    {(code)item_done, 2, 0},
    {(code)entry_done, 1, 0},
};

/* Calls: the arguments are in `arguments` */

static void spread(word *sp, word *hp, word f, long count) {
    word *v = arguments;
    code to = (code)CLOSURE_CODE(f);
    switch (count) {
    case 0: return ((void (*)(word *, word *, word))to)(sp, hp, f);
    case 1: return ((void (*)(word *, word *, word, word))to)(sp, hp, f, v[0]);
    case 2: return ((void (*)(word *, word *, word, word, word))to)(sp, hp, f, v[0], v[1]);
    default: return to(sp, hp, f, v[0], v[1], v[2]);
    }
}

NORETURN static void wrong_count(const char *name, int least, int most, long count) {
    const char *plural = least == 1 && (most == 1 || most < 0) ? "" : "s";
    if (most < 0) fail("%s: expected at least %d argument%s, got %d", name, least, plural, (int)count);
    if (least == most) fail("%s: expected %d argument%s, got %d", name, least, plural, (int)count);
    fail("%s: expected %d to %d argument%s, got %d", name, least, most, plural, (int)count);
}

static word call_operation(const primitive *p, const word *v, long count) {
    if (p->most < 0) return ((word (*)(long, const word *))p->operation)(count, v);
    word a[5];
    for (int i = 0; i < 5; i++) a[i] = i < count ? v[i] : ABSENT;
    switch (p->most) {
    case 0: return ((word (*)(void))p->operation)();
    case 1: return ((word (*)(word))p->operation)(a[0]);
    case 2: return ((word (*)(word, word))p->operation)(a[0], a[1]);
    case 3: return ((word (*)(word, word, word))p->operation)(a[0], a[1], a[2]);
    case 4: return ((word (*)(word, word, word, word))p->operation)(a[0], a[1], a[2], a[3]);
    default: return ((word (*)(word, word, word, word, word))p->operation)(a[0], a[1], a[2], a[3], a[4]);
    }
}

/* The value of a primitive for any number of arguments, as a call in the source. */
__attribute__((noinline)) word apply_primitive(const primitive *p, long count, const word *values) {
    if (p->least <= count && (p->most < 0 || count <= p->most)) return call_operation(p, values, count);
    if (count < p->source_least || (p->source_most >= 0 && count > p->source_most))
        wrong_count(p->name, p->source_least, p->source_most, count);
    if (p->fold == 'c') {
        for (long i = 0; i + 1 < count; i++)
            if (call_operation(p, values + i, 2) == FALSE) return FALSE;
        return TRUE;
    }
    if (count == 0) return p->identity;
    word pair[2] = {values[0], values[0]};
    if (count == 1) {
        if (p->unit != ABSENT) pair[0] = p->unit;
        return call_operation(p, pair, 2);
    }
    for (long i = 1; i < count; i++) {
        pair[1] = values[i];
        pair[0] = call_operation(p, pair, 2);
    }
    return pair[0];
}

static void check_call(word f, long count) {
    if (!IS_CLOSURE(f)) fail("expected a procedure to call, got %w", f);
    unsigned arity = ARITY(f) & ~(unsigned)OF_PRELUDE;
    if (arity == BUILT_IN || arity == CONTINUATION || arity == (unsigned)count) return;
    if (arity & LEAST && count >= (long)(arity & ~(unsigned)LEAST)) return;
    const char *name = procedure_name_of(f);
    int wanted = (int)(arity & ~(unsigned)LEAST);
    wrong_count(*name ? name : "procedure", wanted, arity & LEAST ? -1 : wanted, count);
}

/* Call any procedure.  An error in the call itself is at `rt.site`, below `rt.sp`. */
void apply(word *sp, word *hp, word f, long count) {
    rt.hp = hp;
    check_call(f, count);
    unsigned arity = ARITY(f) & ~(unsigned)OF_PRELUDE;
    if (arity == (unsigned)count) return spread(sp, hp, f, count);
    if (arity == BUILT_IN) {
        const primitive *p = (const primitive *)CLOSURE_WORD(f, 1);
        if (p->operation == NULL) {
            if (count < p->least || (p->most >= 0 && count > p->most))
                wrong_count(p->name, p->least, p->most, count);
            return p->control(sp, hp, count);
        }
        word value = apply_primitive(p, count, arguments);
        hp = rt.hp;
        RETURN(value);
    }
    if (arity == CONTINUATION) {
        word value = make_values(count, arguments);
        rt.older = CLOSURE_WORD(f, 2);
        rt.older_words = CLOSURE_WORD(f, 3);
        rt.handlers = CLOSURE_WORD(f, 4);
        hp = rt.hp;
        sp = stack_bottom();
        RETURN(value);
    }
    long least = (long)(arity & ~(unsigned)LEAST);
    word rest = NIL;
    for (long i = count - 1; i >= least; i--) rest = cons(arguments[i], rest);
    arguments[least] = rest;
    return spread(sp, rt.hp, f, least + 1);
}

/* The same as a tail call from outside the prelude. */
void tail_apply(word *sp, word *hp, word f, long count) {
    if (IS_CLOSURE(f) && ARITY(f) & OF_PRELUDE) PASS(rt.site);
    return apply(sp, hp, f, count);
}

/* Control primitives */

word make_values(long count, const word *items) {
    if (count == 1) return items[0];
    word made = make_object(VALUES, (size_t)count);
    for (long i = 0; i < count; i++) FIELD(made, i) = items[i];
    return made;
}

word op_values(long count, const word *items) { return make_values(count, items); }

void control_call_cc(word *sp, word *hp, long count) {
    rt.hp = hp;
    (void)count;
    word f = arguments[0];
    freeze(sp);
    sp = stack_bottom();
    rt.sp = sp;
    word *made = allocate(5);
    made[0] = CLOSURE_HEADER(4, CONTINUATION);
    made[1] = 0;
    made[2] = rt.older;
    made[3] = rt.older_words;
    made[4] = rt.handlers;
    arguments[0] = (word)made + CLOSURE_TAG;
    return apply(sp, rt.hp, f, 1);
}

void control_apply(word *sp, word *hp, long count) {
    word f = arguments[0];
    if (count == 1) return apply(sp, hp, f, 0);
    word list = arguments[count - 1], rest = list;
    memmove(arguments, arguments + 1, (size_t)(count - 2) * sizeof(word));
    long given = count - 2;
    for (; IS_PAIR(rest); rest = CDR(rest)) {
        if (given == MOST_ARGUMENTS) {
            rt.hp = hp;
            fail_limit("a call with more than a million arguments");
        }
        arguments[given++] = CAR(rest);
    }
    rt.hp = hp;
    if (rest != NIL) fail_expected("apply", "a list as the last argument", list);
    return apply(sp, hp, f, given);
}

void control_dcall(word *sp, word *hp, long count) {
    word f = arguments[0];
    memmove(arguments, arguments + 1, (size_t)(count - 1) * sizeof(word));
    return apply(sp, hp, f, count - 1);
}

void control_rcall(word *sp, word *hp, long count) { return control_dcall(sp, hp, count); }

void control_with_exception_handler(word *sp, word *hp, long count) {
    (void)count;
    word handler = arguments[0], thunk = arguments[1];
    rt.hp = hp;
    if (!IS_CLOSURE(handler)) fail_expected("with-exception-handler", "a procedure", handler);
    check_call(thunk, 0);
    sp[0] = rt.handlers;
    sp[1] = (word)restore;
    rt.handlers = cons(handler, rt.handlers);
    return apply(sp + 2, rt.hp, thunk, 0);
}

void control_raise_continuable(word *sp, word *hp, long count) {
    (void)count;
    rt.hp = hp;
    if (rt.handlers == NIL) op_raise(arguments[0]);
    word handler = CAR(rt.handlers);
    check_call(handler, 1);
    sp[0] = rt.handlers;
    sp[1] = (word)restore;
    rt.handlers = CDR(rt.handlers);
    return apply(sp + 2, hp, handler, 1);
}

/* The innermost handler is called for the failure. */
static void signal_failure(void) {
    word *sp = rt.sp;
    int place = failure.placed ? failure.site : rt.site ? rt.site : caller(sp);
    rt.site = place;
    if (rt.handlers == NIL) uncaught(place);
    text t = {0};
    describe(&t);
    sp[0] = string_of(t.bytes, t.used);
    sp[1] = FIX(place);
    sp[2] = (word)handler_returned;
    text_free(&t);
    word payload = failure.payload;
    if (!failure.raised) {
        payload = make_object(CONDITION, 3);
        FIELD(payload, 0) = failure.message;
        FIELD(payload, 1) = failure.irritants;
        FIELD(payload, 2) = FIX(place);
    }
    word handler = CAR(rt.handlers);
    rt.handlers = CDR(rt.handlers);
    arguments[0] = payload;
    apply(sp + 3, rt.hp, handler, 1);
}

/* Run */

static void start_tables(const program *p) {
    int own = (int)(sizeof own_frames / sizeof *own_frames);
    frames.mask = mask_for(p->frame_count + own);
    names.mask = mask_for(p->name_count);
    frames.entries = calloc(frames.mask + 1, sizeof(entry));
    names.entries = calloc(names.mask + 1, sizeof(entry));
    for (int i = 0; i < p->frame_count + own; i++) {
        const frame *f = i < p->frame_count ? &p->frames[i] : &own_frames[i - p->frame_count];
        *slot_of(frames.entries, frames.mask, (void *)f->returned) = (entry){(void *)f->returned, f};
    }
    for (int i = 0; i < p->name_count; i++)
        *slot_of(names.entries, names.mask, p->names[i].code) = (entry){p->names[i].code, &p->names[i]};
}

void start(const program *p) {
    the_program = p;
    start_tables(p);
    start_heap();
    rt.word_bytes = p->word_bytes;
    rt.handlers = NIL;
    rt.output = NIL;
    for (int i = 0; i < p->global_count; i++) p->global[i] = UNDEFINED;
    for (int i = 0; i < p->constant_count; i++) p->constant[i] = NIL;
    start_ports();
    start_constants();
    rt.sp[0] = FIX(-1);
    rt.sp[1] = (word)item_done;
    rt.sp += 2;
}

/* Take steps until the program is done. */
static void go(void (*first)(void)) {
    rt.c_stack = __builtin_frame_address(0);
    switch (setjmp(top)) {
    case 0: first(); return;
    case ERROR: signal_failure(); return;
    default: return;
    }
}

static void first_item(void) {
    item_done(rt.sp, rt.hp, UNSPECIFIED);
}

static word called;
static long called_count;

static void call_entry(void) { apply(rt.sp, rt.hp, called, called_count); }

/* Evaluate the top level. */
void run_items(void) {
    rt.site = 0;
    go(first_item);
}

/* The value of a procedure of the program for the arguments in `arguments`. */
word run_entry(word f, long count) {
    rt.handlers = NIL;
    rt.older = NIL;
    rt.sp = stack_bottom();
    rt.sp[0] = (word)entry_done;
    rt.sp++;
    rt.site = the_program->entry_site;
    called = f;
    called_count = count;
    go(call_entry);
    return finished;
}
