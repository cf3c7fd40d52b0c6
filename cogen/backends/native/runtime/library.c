/* The program as a library: a procedure of it is called with data as text, and gives text.

   cogen_new makes an instance (instance.h), or gives NULL if there is not enough memory; cogen_free
   ends it.  Any number of instances may be in use, in any threads; one call at a time in each.

   A call takes the arguments as one list.  What comes back is `v` and the list of the value and
   of the bytevectors among the arguments as they are now (`m`: the list of several values stands
   for the value; `u`: the value is unspecified, and () stands for it); or `e FAMILY\nCHAIN\nMESSAGE`,
   the chain being that of `chain_numbers`.  An error is over when it has been told: globals keep their
   values, and the next call starts as any other.  Where the top level fails, the next call
   evaluates it again. */

#include "inline.h"

extern const program the_compiled_program;

#define EXPORTED __attribute__((visibility("default")))

static long argument_count(RT, word list) {
    long count = 0;
    for (; list != NIL; list = CDR(list)) {
        if (count == MOST_ARGUMENTS) fail_limit(rt, "a call with more than a million arguments");
        rt->arguments[count++] = CAR(list);
    }
    return count;
}

/* The list of data that the text writes. */
static word data_of(RT, const char *bytes, size_t used) {
    uint32_t *characters = allocate_block(rt, used + 1, sizeof *characters), *end = characters;
    for (size_t i = 0, step; i < used; i += step, end++) {
        step = decode(bytes + i, used - i, end);
        if (step == 0) *end = 0xfffd, step = 1;
    }
    reading r = {.rt = rt, .at = characters, .start = characters, .end = end};
    word data = NIL;
    if (!read_one(&r, &data)) die(rt, "limitation", r.error ? r.error : "there are no arguments", NULL);
    release(rt, characters);
    return data;
}

static void call(RT, const char *bytes, size_t used) {
    const program *p = rt->program;
    if (!rt->is_ready) run_items(rt);
    rt->is_ready = true;
    word *data = &rt->cells[p->constant_count];
    *data = data_of(rt, bytes, used);
    word value = run_entry(rt, p->entry(rt), argument_count(rt, *data));
    rt->site = 0;
    word all = NIL;
    for (word list = *data; list != NIL; list = CDR(list))
        if (IS_BYTES(CAR(list))) all = cons(rt, CAR(list), all);
    rt->answer.used = 0;
    if (IS_KIND(value, VALUES)) {
        text_string(&rt->answer, "m");
        word items = NIL;
        for (size_t i = LENGTH(value); i > 0; i--) items = cons(rt, FIELD(value, i - 1), items);
        value = items;
    } else {
        text_string(&rt->answer, value == UNSPECIFIED ? "u" : "v");
        if (value == UNSPECIFIED) value = NIL;
    }
    print(&rt->answer, cons(rt, value, all), WRITE);
}

EXPORTED runtime *cogen_new(void) { return make_instance(&the_compiled_program); }

EXPORTED void cogen_free(runtime *rt) { free_instance(rt); }

/* The answer to a call; it stays until the next one. */
EXPORTED const char *cogen_call(runtime *rt, const char *bytes, size_t used, size_t *size) {
    jmp_buf failed;
    rt->failed = &failed;
    bool fails = setjmp(failed) != 0;
    if (!fails) call(rt, bytes, used);
    flush_output(rt); /* if that fails we are here again, with nothing to write */
    release_temporary(rt);
    rt->cells[rt->program->constant_count] = NIL;
    call_is_over(rt);
    rt->failed = NULL;
    *size = rt->answer.used;
    return rt->answer.bytes;
}
