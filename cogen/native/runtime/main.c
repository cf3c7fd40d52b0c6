/* The program as a command: run the top level, then call the entry with the arguments of the
   command line, each a datum, and print what it gives, a value a line. */

#include "inline.h"

#include <stdio.h>
#include <stdlib.h>

extern const program the_compiled_program;
void start(const program *p);
void run_items(void);
word run_entry(word f, long count);

/* Where the arguments stay while the top level runs. */
static word argument_list(int count, char **texts) {
    word list = NIL;
    for (int i = count; i > 0; i--) {
        size_t bytes = strlen(texts[i - 1]), step;
        uint32_t *characters = malloc((bytes + 1) * sizeof *characters), *end = characters;
        if (characters == NULL) fail_limit("there is not enough memory");
        for (size_t k = 0; k < bytes; k += step) {
            step = decode(texts[i - 1] + k, bytes - k, end);
            if (step == 0) *end = 0xfffd, step = 1;
            end++;
        }
        reading r = {.at = characters, .start = characters, .end = end};
        word datum, other;
        if (!read_one(&r, &datum) && !r.error) r.error = "a datum was expected, but there is none";
        else if (!r.error && read_one(&r, &other))
            r.error = "one datum was expected, but another follows";
        if (r.error) {
            fprintf(stderr, "ARG %d: error: %s\n", i, r.error);
            exit(2);
        }
        free(characters);
        list = cons(datum, list);
    }
    return list;
}

static void show(word x) {
    if (x == UNSPECIFIED) return;
    end_line();
    text t = {0};
    print(&t, x, WRITE);
    text_add(&t, "\n", 1);
    fwrite(t.bytes, 1, t.used, stdout);
    text_free(&t);
}

int main(int count, char **texts) {
    const program *p = &the_compiled_program;
    start(p);
    if (p->entry == NULL && count > 1) {
        fprintf(stderr, "%s: this program takes no arguments\n", texts[0]);
        return 2;
    }
    if (p->entry) *p->arguments = argument_list(count - 1, texts + 1);
    run_items();
    if (p->entry) {
        long given = 0;
        for (word list = *p->arguments; list != NIL; list = CDR(list)) arguments[given++] = CAR(list);
        word value = run_entry(p->entry(), given);
        if (IS_KIND(value, VALUES))
            for (size_t i = 0; i < LENGTH(value); i++) show(FIELD(value, i));
        else show(value);
    }
    flush_output();
    return 0;
}
