/* Calls, continuations, errors and the run of a program.

   Code never returns in C's sense: every function ends in a jump to another.  An operation that
   fails leaves by `longjmp` to `run`, which calls the program's handler or ends the program.

   The messages are those of the interpreter (lang/runtime.py), and so are the places and the calls
   that led there (chain.c). */

#include "inline.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ERROR = 1, FINISHED = 2 };

/* Frames and names, by code address */

static entry *slot_of(const address_table *t, void *key) {
    size_t i = ((uintptr_t)key >> 4) & t->mask;
    while (t->entries[i].key != NULL && t->entries[i].key != key) i = (i + 1) & t->mask;
    return &t->entries[i];
}

static address_table make_table(RT, int count) {
    size_t size = 64;
    while (size < 2 * (size_t)count + 32) size *= 2;
    address_table made = {allocate_block(rt, size, sizeof(entry)), size - 1};
    keep(rt, made.entries);
    return made;
}

const frame *frame_of(RT, word address) {
    return slot_of(&rt->frames, (void *)address)->value;
}

const char *procedure_name_of(RT, word f) {
    if (IS_PRIMITIVE(f)) return PRIMITIVE(f)->name;
    if (is_continuation(f)) return "continuation";
    const procedure_name *found = slot_of(&rt->names, (void *)CLOSURE_CODE(f))->value;
    return found == NULL ? "" : found->name;
}

/* Failing */

NORETURN static void leave(RT) { longjmp(rt->top, ERROR); }

/* What a message says after the name of the operation that failed; NULL if it has none. */
static const char *after_name(const text *t) {
    const char *colon = t->used > 1 ? memchr(t->bytes, ':', t->used - 1) : NULL;
    return colon && colon[1] == ' ' && !memchr(t->bytes, ' ', (size_t)(colon - t->bytes)) ? colon : NULL;
}

/* A noted buffer is a number: that of an argument of the call from outside, from 1; of a copy, from
   FIRST_COPY, the oldest first; of a named cell, from -1 down, by steps of CELL_STEP for the fields
   of a record with several buffers that the cell holds. */
enum { FIRST_COPY = 1 << 24, CELL_STEP = 1 << 16 };

static int noted_argument(RT, word buffer) {
    const program *p = rt->program;
    int number = 1;
    word list = p->entry == NULL ? NIL : rt->cells[p->constant_count];
    for (; IS_PAIR(list); list = CDR(list), number++)
        if (CAR(list) == buffer) return number;
    return 0;
}

static int noted_copy(RT, word buffer) {
    int older = 0;
    word list = rt->copies;
    while (list != NIL && CAR(CAR(list)) != buffer) list = CDR(list);
    if (list == NIL) return 0;
    for (list = CDR(list); list != NIL; list = CDR(list)) older++;
    return FIRST_COPY + older;
}

/* Which of several buffers in a record it is, from 1; 0 if it is the only one, -1 if it is none. */
static int noted_field(word record, word buffer) {
    int found = -1, buffers = 0;
    for (size_t i = 1; i < LENGTH(record); i++) {
        if (!IS_BYTES(FIELD(record, i))) continue;
        buffers++;
        if (found < 0 && FIELD(record, i) == buffer) found = (int)i;
    }
    return found > 0 && buffers == 1 ? 0 : found;
}

static int noted_cell(RT, word buffer) {
    const named_cell *cells = rt->program->named_cells;
    for (int i = 0; cells[i].name != NULL; i++) {
        word held = rt->cells[cells[i].cell];
        if (held == buffer) return -1 - i;
        int field = IS_KIND(held, RECORD) ? noted_field(held, buffer) : -1;
        if (field >= 0) return -1 - i - field * CELL_STEP;
    }
    return 0;
}

/* The next failure is about a buffer: note what it is called by. */
void note_buffer(RT, word buffer) {
    rt->noted = noted_argument(rt, buffer);
    if (rt->noted == 0) rt->noted = noted_copy(rt, buffer);
    if (rt->noted == 0) rt->noted = noted_cell(rt, buffer);
}

/* What is called so the buffer that has been noted, in a text of the instance; NULL if that is not
   known. */
static const char *shown_name(RT, word name) {
    text t = {.rt = rt};
    print(&t, name, DISPLAY);
    text_add(&t, "", 1);
    return t.bytes;
}
static const char *name_in_cell(RT, int noted) {
    const named_cell *cell = &rt->program->named_cells[(-1 - noted) % CELL_STEP];
    int field = (-1 - noted) / CELL_STEP;
    if (field == 0) return cell->name;
    word held = rt->cells[cell->cell];
    bool has_field = IS_KIND(held, RECORD) && (size_t)field < LENGTH(held);
    return has_field ? shown_name(rt, FIELD(FIELD(held, 0), field + 1)) : NULL;
}
static const char *name_of_noted(RT, int noted) {
    const program *p = rt->program;
    if (noted < 0) return name_in_cell(rt, noted);
    if (noted >= FIRST_COPY) {
        int newer = -1 - (noted - FIRST_COPY);
        for (word list = rt->copies; list != NIL; list = CDR(list)) newer++;
        word list = rt->copies;
        for (; newer > 0 && list != NIL; newer--) list = CDR(list);
        return list == NIL ? NULL : shown_name(rt, CDR(CAR(list)));
    }
    const char *name = NULL;
    for (int i = 0; i < noted && p->parameters[i] != NULL; i++) name = p->parameters[i];
    return name;
}

NORETURN static void fail_message(text *t) {
    runtime *rt = t->rt;
    rt->failure.noted = rt->noted;
    rt->failure.kind = rt->failing;
    rt->noted = 0;
    rt->failing = ANY_FAILURE;
    const char *operation = rt->program->sites[rt->site].operation, *rest = operation ? after_name(t) : NULL;
    if (rest) {
        text whole = {.rt = rt};
        text_string(&whole, operation);
        text_add(&whole, rest, t->used - (size_t)(rest - t->bytes));
        text_free(t);
        *t = whole;
    }
    rt->failure.message = string_of(rt, t->bytes, t->used);
    rt->failure.irritants = NIL;
    rt->failure.raised = false;
    text_free(t);
    leave(rt);
}

void fail(RT, const char *format, ...) {
    text t = {.rt = rt};
    va_list list;
    va_start(list, format);
    text_format(&t, format, list);
    va_end(list);
    fail_message(&t);
}

void fail_expected(RT, const char *name, const char *what, word got) {
    fail(rt, "%s: expected %s, got %w", name, what, got);
}

void refuse_undefined(RT, const char *name) { fail(rt, "%s is used before its definition", name); }
void refuse_car(RT, word x) { fail_expected(rt, "car", "a pair", x); }
void refuse_cdr(RT, word x) { fail_expected(rt, "cdr", "a pair", x); }

void refuse_vector_ref(RT, word vector, word index) {
    if (!IS_VECTOR(vector)) fail_expected(rt, "vector-ref", "a vector", vector);
    need_index(rt, "vector-ref", index, LENGTH(vector), "index");
    __builtin_unreachable();
}

word op_error(RT, long count, const word *values) {
    rt->failure.message = values[0];
    rt->failure.irritants = NIL;
    for (long i = count - 1; i > 0; i--) rt->failure.irritants = cons(rt, values[i], rt->failure.irritants);
    rt->failure.raised = false;
    rt->failure.noted = 0;
    rt->failure.kind = ANY_FAILURE;
    leave(rt);
}

word op_raise(RT, word x) {
    rt->failure.payload = x;
    rt->failure.raised = true;
    leave(rt);
}

static void describe_error(text *t, word message, word irritants) {
    if (IS_STRING(message)) text_of_string(t, message);
    else print(t, message, WRITE);
    for (; IS_PAIR(irritants); irritants = CDR(irritants)) {
        text_character(t, ' ');
        text_brief(t, CAR(irritants));
    }
}

/* What handlers are given. */
static void describe_payload(text *t, word payload) {
    if (IS_KIND(payload, CONDITION)) {
        describe_error(t, FIELD(payload, 0), FIELD(payload, 1));
    } else {
        text_string(t, "uncaught exception: ");
        text_brief(t, payload);
    }
}

static void describe(text *t) {
    const runtime *rt = t->rt;
    if (rt->failure.raised) describe_payload(t, rt->failure.payload);
    else describe_error(t, rt->failure.message, rt->failure.irritants);
}

/* In a library an error ends the call, not the process; the answer is for library.c. */
NORETURN static void answer_failure(RT, const char *family, const char *message, const chain *c) {
    text *answer = &rt->answer;
    answer->used = 0;
    if (answer->size > 0) {
        char numbers[(4 + 2 * (TOLD_FIRST + TOLD_LAST)) * NUMBER_SIZE];
        text_string(answer, "e");
        text_string(answer, family);
        text_string(answer, "\n");
        text_add(answer, numbers, chain_numbers(numbers, sizeof numbers, c));
        text_string(answer, "\n");
        text_string(answer, message);
    }
    longjmp(*rt->failed, 1);
}

void die(RT, const char *family, const char *message, const chain *c) {
    static const chain none;
    if (c == NULL) c = &none;
    if (rt->failed != NULL) answer_failure(rt, family, message, c);
    const char *problem = hand_on(rt);
    if (problem) fprintf(stderr, "error: %s\n", problem);
    const char *where = rt->program->places[c->head].where;
    fprintf(stderr, "%s%s%s: %s\n", where ? where : "", where ? ": " : "", family, message);
    write_chain(rt, stderr, c);
    const char *hint = strcmp(family, "error") == 0 ? hint_of(rt, message, c) : NULL;
    if (strcmp(message, NO_MEMORY) == 0) hint = "does it end? If so, COGEN_MEMORY says how many megabytes it may take";
    if (hint) fprintf(stderr, "hint: %s\n", hint);
    exit(1);
}

static moment now(RT) { return (moment){rt->site, rt->sp, rt->older, rt->older_words}; }

void fail_limit(RT, const char *message) {
    chain c = chain_of(rt, now(rt));
    die(rt, "limitation", message, &c);
}

/* The message of an index error, with the buffer's name, as `told_with` of lang/called.py. */
static void tell_buffer(text *t, const char *name) {
    static const char empty[] = IN_AN_EMPTY_OBJECT;
    size_t end = sizeof empty - 1;
    if (t->used >= end && memcmp(t->bytes + t->used - end, empty, end) == 0) {
        t->used -= end;
        text_string(t, "in ");
        text_string(t, name);
        text_string(t, ", which is empty");
    } else {
        text_string(t, " of ");
        text_string(t, name);
    }
}

NORETURN static void uncaught(RT) {
    text t = {.rt = rt};
    describe(&t);
    word payload = rt->failure.payload;
    moment m = now(rt);
    int noted = rt->failure.raised ? 0 : rt->failure.noted;
    if (rt->failure.raised && IS_KIND(payload, CONDITION)) {
        m = (moment){(int)UNFIX(FIELD(payload, 2)), NULL, FIELD(payload, 3), FIELD(payload, 4)};
        noted = (int)UNFIX(FIELD(payload, 5));
    }
    const char *buffer = name_of_noted(rt, noted);
    if (buffer != NULL) tell_buffer(&t, buffer);
    text_add(&t, "", 1);
    chain c = chain_of(rt, m);
    die(rt, "error", t.bytes, &c);
}

/* Returns of the run time's own frames */

void passing(word *sp, word *hp, word value) {
    sp -= 2;
    RETURN(value);
}

/* [handlers] puts them back. */
static void restore(word *sp, word *hp, word value) {
    runtime *rt = runtime_of(sp);
    rt->handlers = sp[-2];
    sp -= 2;
    RETURN(value);
}

/* [payload, site] a handler returned from an exception that cannot be continued. */
static void handler_returned(word *sp, word *hp, word value) {
    runtime *rt = runtime_of(sp);
    (void)value;
    rt->hp = hp;
    rt->sp = sp - 3;
    rt->site = (int)UNFIX(sp[-2]);
    text t = {.rt = rt};
    text_string(&t, "the handler returned, but the exception cannot be continued: ");
    describe_payload(&t, sp[-3]);
    fail_message(&t);
}

/* [number] a top-level item is done: go on with the next. */
static void item_done(word *sp, word *hp, word value) {
    runtime *rt = runtime_of(sp);
    (void)value;
    word next = UNFIX(sp[-2]) + 1;
    sp[-2] = FIX(next);
    if (next < rt->program->item_count) return rt->program->items[next](sp, hp, UNSPECIFIED);
    rt->sp = sp;
    rt->hp = hp;
    longjmp(rt->top, FINISHED);
}

static void entry_done(word *sp, word *hp, word value) {
    runtime *rt = runtime_of(sp);
    rt->sp = sp;
    rt->hp = hp;
    rt->finished = value;
    longjmp(rt->top, FINISHED);
}

static const frame own_frames[] = {
    {(code)passing, 2, PASSED},
    {(code)restore, 2, 0},
    {(code)handler_returned, 3, 0},
    {(code)item_done, 2, ITEM},
    {(code)entry_done, 1, ENTRY},
};

/* Calls: the arguments are in `rt->arguments` */

static void spread(word *sp, word *hp, word f, long count) {
    runtime *rt = runtime_of(sp);
    const word *v = rt->arguments;
    code to = (code)CLOSURE_CODE(f);
    switch (count) {
    case 0: return ((void (*)(word *, word *, word))to)(sp, hp, f);
    case 1: return ((void (*)(word *, word *, word, word))to)(sp, hp, f, v[0]);
    case 2: return ((void (*)(word *, word *, word, word, word))to)(sp, hp, f, v[0], v[1]);
    default: return ((void (*)(word *, word *, word, word, word, word))to)(sp, hp, f, v[0], v[1], v[2]);
    }
}

NORETURN static void wrong_count(RT, const char *name, int least, int most, long count) {
    const char *plural = least == 1 && (most == 1 || most < 0) ? "" : "s";
    if (strcmp(name, "values") == 0) /* the receiver of a form that binds several values */
        fail(rt, "expected %s%d value%s, got %d", most < 0 ? "at least " : "", least, plural, (int)count);
    if (most < 0) fail(rt, "%s: expected at least %d argument%s, got %d", name, least, plural, (int)count);
    if (least == most) fail(rt, "%s: expected %d argument%s, got %d", name, least, plural, (int)count);
    fail(rt, "%s: expected %d to %d argument%s, got %d", name, least, most, plural, (int)count);
}

static word call_operation(RT, const primitive *p, const word *v, long count) {
    if (p->most < 0) return ((word (*)(RT, long, const word *))p->operation)(rt, count, v);
    word a[5];
    for (int i = 0; i < 5; i++) a[i] = i < count ? v[i] : ABSENT;
    switch (p->most) {
    case 0: return ((word (*)(RT))p->operation)(rt);
    case 1: return ((word (*)(RT, word))p->operation)(rt, a[0]);
    case 2: return ((word (*)(RT, word, word))p->operation)(rt, a[0], a[1]);
    case 3: return ((word (*)(RT, word, word, word))p->operation)(rt, a[0], a[1], a[2]);
    case 4: return ((word (*)(RT, word, word, word, word))p->operation)(rt, a[0], a[1], a[2], a[3]);
    default: return ((word (*)(RT, word, word, word, word, word))p->operation)(rt, a[0], a[1], a[2], a[3], a[4]);
    }
}

/* The value of a primitive for any number of arguments, as a call in the source. */
__attribute__((noinline)) word apply_primitive(RT, const primitive *p, long count, const word *values) {
    if (p->least <= count && (p->most < 0 || count <= p->most)) return call_operation(rt, p, values, count);
    if (count < p->source_least || (p->source_most >= 0 && count > p->source_most))
        wrong_count(rt, p->name, p->source_least, p->source_most, count);
    if (p->fold == 'c') {
        for (long i = 0; i + 1 < count; i++)
            if (call_operation(rt, p, values + i, 2) == FALSE) return FALSE;
        return TRUE;
    }
    if (count == 0) return p->identity;
    word pair[2] = {values[0], values[0]};
    if (count == 1) {
        if (p->unit != ABSENT) pair[0] = p->unit;
        return call_operation(rt, p, pair, 2);
    }
    for (long i = 1; i < count; i++) {
        pair[1] = values[i];
        pair[0] = call_operation(rt, p, pair, 2);
    }
    return pair[0];
}

static void check_call(RT, word f, long count) {
    if (!IS_CLOSURE(f)) fail(rt, "expected a procedure to call, got %w", f);
    unsigned arity = ARITY(f) & ~(unsigned)OF_LIBRARY;
    if (arity == (unsigned)count || IS_PRIMITIVE(f) || is_continuation(f)) return;
    if (arity & LEAST && count >= (long)(arity & ~(unsigned)LEAST)) return;
    const char *name = procedure_name_of(rt, f);
    int wanted = (int)(arity & ~(unsigned)LEAST);
    wrong_count(rt, *name ? name : "procedure", wanted, arity & LEAST ? -1 : wanted, count);
}

/* Call any procedure.  An error in the call itself is at `rt->site`, below `rt->sp`. */
void apply(word *sp, word *hp, word f, long count) {
    runtime *rt = runtime_of(sp);
    rt->hp = hp;
    check_call(rt, f, count);
    unsigned arity = ARITY(f) & ~(unsigned)OF_LIBRARY;
    if (arity == (unsigned)count) return spread(sp, hp, f, count);
    if (IS_PRIMITIVE(f)) {
        const primitive *p = PRIMITIVE(f);
        if (p->operation == NULL) {
            if (count < p->least || (p->most >= 0 && count > p->most))
                wrong_count(rt, p->name, p->least, p->most, count);
            return p->control(sp, hp, count);
        }
        word value = apply_primitive(rt, p, count, rt->arguments);
        hp = rt->hp;
        RETURN(value);
    }
    if (is_continuation(f)) {
        word value = make_values(rt, count, rt->arguments);
        return continue_with(sp, rt->hp, f, value);
    }
    long least = (long)(arity & ~(unsigned)LEAST);
    word rest = NIL;
    for (long i = count - 1; i >= least; i--) rest = cons(rt, rt->arguments[i], rest);
    rt->arguments[least] = rest;
    return spread(sp, rt->hp, f, least + 1);
}

/* The same as a tail call from outside the prelude. */
void tail_apply(word *sp, word *hp, word f, long count) {
    runtime *rt = runtime_of(sp);
    if (IS_CLOSURE(f) && ARITY(f) & OF_LIBRARY) PASS(rt->site);
    return apply(sp, hp, f, count);
}

/* Control primitives */

word make_values(RT, long count, const word *items) {
    if (count == 1) return items[0];
    word made = make_object(rt, VALUES, (size_t)count);
    for (long i = 0; i < count; i++) FIELD(made, i) = items[i];
    return made;
}

word op_values(RT, long count, const word *items) { return make_values(rt, count, items); }

void control_call_cc(word *sp, word *hp, long count) {
    runtime *rt = runtime_of(sp);
    rt->hp = hp;
    (void)count;
    word f = rt->arguments[0], made = capture(rt, sp);
    if (LIKELY(TAKES(f, 1)))
        return ((void (*)(word *, word *, word, word))CLOSURE_CODE(f))(rt->sp, rt->hp, f, made);
    rt->arguments[0] = made;
    return apply(rt->sp, rt->hp, f, 1);
}

void control_apply(word *sp, word *hp, long count) {
    runtime *rt = runtime_of(sp);
    word f = rt->arguments[0];
    word list = rt->arguments[count - 1], rest = list;
    rt->hp = hp;
    refuse_circular(rt, "apply", list);
    memmove(rt->arguments, rt->arguments + 1, (size_t)(count - 2) * sizeof(word));
    long given = count - 2;
    for (; IS_PAIR(rest); rest = CDR(rest)) {
        if (given == MOST_ARGUMENTS) {
            rt->hp = hp;
            fail_limit(rt, "a call with more than a million arguments");
        }
        rt->arguments[given++] = CAR(rest);
    }
    rt->hp = hp;
    if (rest != NIL) fail_expected(rt, "apply", "a list as the last argument", list);
    return apply(sp, hp, f, given);
}

void control_dcall(word *sp, word *hp, long count) {
    runtime *rt = runtime_of(sp);
    word f = rt->arguments[0];
    memmove(rt->arguments, rt->arguments + 1, (size_t)(count - 1) * sizeof(word));
    return apply(sp, hp, f, count - 1);
}

void control_rcall(word *sp, word *hp, long count) { return control_dcall(sp, hp, count); }

void control_with_exception_handler(word *sp, word *hp, long count) {
    runtime *rt = runtime_of(sp);
    (void)count;
    word handler = rt->arguments[0], thunk = rt->arguments[1];
    rt->hp = hp;
    if (!IS_CLOSURE(handler)) fail_expected(rt, "with-exception-handler", "a procedure", handler);
    check_call(rt, thunk, 0);
    sp[0] = rt->handlers;
    sp[1] = (word)restore;
    rt->handlers = cons(rt, handler, rt->handlers);
    return apply(sp + 2, rt->hp, thunk, 0);
}

void control_raise_continuable(word *sp, word *hp, long count) {
    runtime *rt = runtime_of(sp);
    (void)count;
    rt->hp = hp;
    if (rt->handlers == NIL) op_raise(rt, rt->arguments[0]);
    word handler = CAR(rt->handlers);
    check_call(rt, handler, 1);
    sp[0] = rt->handlers;
    sp[1] = (word)restore;
    rt->handlers = CDR(rt->handlers);
    return apply(sp + 2, hp, handler, 1);
}

/* The error that failed, as an object that keeps where it came about: the stack, as a continuation
   keeps it. */
static word make_condition(RT) {
    freeze(rt, rt->sp);
    rt->sp = stack_bottom(rt);
    word made = make_object(rt, CONDITION, 7);
    FIELD(made, 0) = rt->failure.message;
    FIELD(made, 1) = rt->failure.irritants;
    FIELD(made, 2) = FIX(rt->site);
    FIELD(made, 3) = rt->older;
    FIELD(made, 4) = rt->older_words;
    FIELD(made, 5) = FIX(rt->failure.noted);
    FIELD(made, 6) = FIX(rt->failure.kind);
    rt->sp = thaw_place(rt);
    return made;
}

/* The innermost handler is called for the failure. */
static void signal_failure(RT) {
    if (rt->handlers == NIL) uncaught(rt);
    word payload = rt->failure.raised ? rt->failure.payload : make_condition(rt);
    word *sp = rt->sp;
    sp[0] = payload;
    sp[1] = FIX(rt->site);
    sp[2] = (word)handler_returned;
    word handler = CAR(rt->handlers);
    rt->handlers = CDR(rt->handlers);
    rt->arguments[0] = payload;
    apply(sp + 3, rt->hp, handler, 1);
}

/* Run */

/* The tables, and a stack that starts with the top level. */
void start_control(RT) {
    const program *p = rt->program;
    int own = (int)(sizeof own_frames / sizeof *own_frames);
    rt->frames = make_table(rt, p->frame_count + own);
    rt->names = make_table(rt, p->name_count);
    for (int i = 0; i < p->frame_count + own; i++) {
        const frame *f = i < p->frame_count ? &p->frames[i] : &own_frames[i - p->frame_count];
        *slot_of(&rt->frames, (void *)f->returned) = (entry){(void *)f->returned, f};
    }
    for (int i = 0; i < p->name_count; i++)
        *slot_of(&rt->names, p->names[i].code) = (entry){p->names[i].code, &p->names[i]};
}

/* Take steps until the program is done. */
static void go(RT, void (*first)(RT)) {
    rt->c_stack = __builtin_frame_address(0);
    start_direct(rt);
    switch (setjmp(rt->top)) {
    case 0: first(rt); return;
    case ERROR:
        release_temporary(rt);
        signal_failure(rt);
        return;
    default: return;
    }
}

static void first_item(RT) {
    word *sp = stack_bottom(rt);
    sp[0] = FIX(-1);
    sp[1] = (word)item_done;
    item_done(sp + 2, rt->hp, UNSPECIFIED);
}

static void call_entry(RT) { apply(rt->sp, rt->hp, rt->called, rt->called_count); }

/* Evaluate the top level. */
void run_items(RT) {
    const program *p = rt->program;
    word *globals = rt->cells + p->constant_count;
    for (int i = p->entry ? 1 : 0; i < p->global_count; i++) globals[i] = UNDEFINED;
    rt->site = 0;
    go(rt, first_item);
}

/* The value of a procedure of the program for the arguments in `rt->arguments`. */
word run_entry(RT, word f, long count) {
    rt->handlers = NIL;
    rt->older = NIL;
    rt->sp = stack_bottom(rt);
    rt->sp[0] = (word)entry_done;
    rt->sp++;
    rt->site = rt->program->entry_site;
    rt->called = f;
    rt->called_count = count;
    go(rt, call_entry);
    return rt->finished;
}
