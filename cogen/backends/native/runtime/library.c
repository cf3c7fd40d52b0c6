/* The program as a library: a procedure of it is called with data as text, and gives text.

   cogen_new makes an instance (instance.h), or gives NULL if there is not enough memory; cogen_free
   ends it.  Any number of instances may be in use, in any threads; one call at a time in each.

   A call takes the arguments as one list.  What comes back is `v` and the list of the value and
   of the bytevectors among the arguments as they are now (`m`: the list of several values stands
   for the value; `u`: the value is unspecified, and () stands for it); or `e FAMILY\nCHAIN\nMESSAGE`,
   the chain being that of `chain_numbers`.

   Bytevectors among the arguments may be lent: the text has empty ones in their places, and for each
   there are its address, its size, and whether it may be changed; what is stored in it is there after
   the call, also after one that fails, or, where it may not be changed, that is 2 then.  None of them is in the list that comes back then, and a value
   that is a bytevector comes as `b` and its bytes.  An error is over when it has been told: globals keep their
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

/* Give each of the bytevectors among the arguments the bytes that are lent for it; the same memory is
   one bytevector. */
static void borrow_bytes(RT, word arguments, const int64_t *lent, size_t count) {
    size_t i = 0;
    for (word list = arguments; list != NIL && i < count; list = CDR(list)) {
        if (!IS_BYTES(CAR(list))) continue;
        const int64_t *one = lent + 3 * i++;
        word made = UNSPECIFIED;
        size_t j = 0;
        for (word other = arguments; other != list; other = CDR(other))
            if (IS_BYTES(CAR(other))) {
                if (lent[3 * j] == one[0] && lent[3 * j + 1] == one[1]) made = CAR(other);
                j++;
            }
        if (made == UNSPECIFIED)
            made = bytes_copied(rt, (const uint8_t *)(uintptr_t)one[0], (size_t)one[1]);
        CAR(list) = made;
    }
}

/* Put what is in them now back, where it was changed; where it may not be, note that it was. */
static void return_bytes(word arguments, int64_t *lent, size_t count) {
    size_t i = 0;
    for (word list = arguments; list != NIL && i < count; list = CDR(list)) {
        if (!IS_BYTES(CAR(list))) continue;
        int64_t *one = lent + 3 * i++;
        uint8_t *bytes = (uint8_t *)(uintptr_t)one[0];
        if (memcmp(bytes, DATA(CAR(list)), (size_t)one[1]) == 0) continue;
        if (one[2]) memcpy(bytes, DATA(CAR(list)), (size_t)one[1]);
        else one[2] = 2;
    }
}

static void call(RT, const char *bytes, size_t used, const int64_t *lent, size_t count) {
    const program *p = rt->program;
    if (!rt->is_ready) run_items(rt);
    rt->is_ready = true;
    word *data = &rt->cells[p->constant_count];
    word arguments = data_of(rt, bytes, used);
    borrow_bytes(rt, arguments, lent, count);
    *data = arguments; /* from here on they are what is lent */
    word value = run_entry(rt, p->entry(rt), argument_count(rt, *data));
    rt->site = 0;
    word all = NIL;
    for (word list = lent ? NIL : *data; list != NIL; list = CDR(list))
        if (IS_BYTES(CAR(list))) all = cons(rt, CAR(list), all);
    rt->answer.used = 0;
    if (lent && IS_BYTES(value)) {
        text_string(&rt->answer, "b");
        text_add(&rt->answer, (const char *)DATA(value), COUNT(value));
        return;
    }
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

/* The answer to a call, with so many bytevectors lent; it stays until the next one. */
EXPORTED const char *cogen_call_with(
    runtime *rt, const char *bytes, size_t used, size_t *size, int64_t *lent, size_t count
) {
    jmp_buf failed;
    rt->failed = &failed;
    bool fails = setjmp(failed) != 0;
    if (!fails) call(rt, bytes, used, lent, count);
    return_bytes(rt->cells[rt->program->constant_count], lent, count);
    flush_output(rt); /* if that fails we are here again, with nothing to write */
    release_temporary(rt);
    rt->cells[rt->program->constant_count] = NIL;
    call_is_over(rt);
    rt->failed = NULL;
    *size = rt->answer.used;
    return rt->answer.bytes;
}

/* The answer to a call in text alone. */
EXPORTED const char *cogen_call(runtime *rt, const char *bytes, size_t used, size_t *size) {
    return cogen_call_with(rt, bytes, used, size, NULL, 0);
}
