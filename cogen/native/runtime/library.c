/* The program as a library: a procedure of it is called with data as text, and gives text.

   A call takes the arguments as one list.  What comes back is `v` and the list of the value and
   of the bytevectors among the arguments as they are now; or `e FAMILY\nPLACE\nMESSAGE`, the
   place being the number of a site.  One call at a time. */

#include "inline.h"

#include <setjmp.h>
#include <stdlib.h>

extern const program the_compiled_program;
void start(const program *p);
void run_items(void);
word run_entry(word f, long count);

static text answer;
static jmp_buf failed;
static bool running, broken; /* a heap that is full is not used again */

/* An error ends the call, not the process: see `die` in control.c. */
void library_failure(const char *family, const char *message, int place) {
    if (!running) return;
    answer.used = 0;
    text_string(&answer, "e");
    text_string(&answer, family);
    text_string(&answer, "\n");
    text_integer(&answer, place);
    text_string(&answer, "\n");
    text_string(&answer, message);
    broken = strcmp(family, "limitation") == 0;
    longjmp(failed, 1);
}

static long argument_count(word list) {
    long count = 0;
    for (; list != NIL; list = CDR(list)) arguments[count++] = CAR(list);
    return count;
}

static void call(const char *bytes, size_t used) {
    const program *p = &the_compiled_program;
    if (the_program == NULL) {
        start(p);
        run_items();
    }
    uint32_t *characters = malloc((used + 1) * sizeof *characters), *end = characters;
    if (characters == NULL) fail_limit("there is not enough memory");
    for (size_t i = 0; i < used; end++) i += decode(bytes + i, used - i, end);
    reading r = {.at = characters, .start = characters, .end = end};
    read_one(&r, p->arguments);
    free(characters);
    word value = run_entry(p->entry(), argument_count(*p->arguments));
    rt.site = 0;
    word all = NIL;
    for (word list = *p->arguments; list != NIL; list = CDR(list))
        if (IS_BYTES(CAR(list))) all = cons(CAR(list), all);
    answer.used = 0;
    if (IS_KIND(value, VALUES)) {
        text_string(&answer, "m");
        word items = NIL;
        for (size_t i = LENGTH(value); i > 0; i--) items = cons(FIELD(value, i - 1), items);
        value = items;
    } else {
        text_string(&answer, value == UNSPECIFIED ? "u" : "v");
        if (value == UNSPECIFIED) value = NIL;
    }
    print(&answer, cons(value, all), WRITE);
}

/* The answer to a call; it stays until the next one. */
__attribute__((visibility("default"))) const char *cogen_call(const char *bytes, size_t used, size_t *size) {
    running = true;
    if (!broken && !setjmp(failed)) call(bytes, used);
    running = false;
    flush_output();
    *size = answer.used;
    return answer.bytes;
}
