/* The program as a command: run the top level, then call the entry with the arguments of the
   command line, and print what it gives, a value a line. */

#include "inline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern const program the_compiled_program;

/* A wrong command line or environment ends the program with status 2. */
static NORETURN void wrong_argument(const char *format, const char *file, const char *reason) {
    fprintf(stderr, "error: ");
    fprintf(stderr, format, file, reason);
    fprintf(stderr, "\n");
    exit(2);
}

static NORETURN void wrong_text(const char *name, const reading *r) {
    int line = 1, column = 1;
    for (const uint32_t *p = r->start; p < r->where; p++) {
        column++;
        if (*p == '\n') line++, column = 1;
    }
    fprintf(stderr, "%s:%d:%d: error: %s\n", name, line, column, r->error);
    exit(2);
}

/* The one datum that UTF-8 text writes. */
static word datum_of(RT, const char *name, const char *bytes, size_t used) {
    uint32_t *characters = allocate_block(rt, used + 1, sizeof *characters), *end = characters;
    for (size_t i = 0, step; i < used; i += step) {
        step = decode(bytes + i, used - i, end);
        if (step == 0) *end = 0xfffd, step = 1;
        if (*end == '\n' && end > characters && end[-1] == '\r') *--end = '\n';
        end++;
    }
    reading r = {.rt = rt, .at = characters, .start = characters, .end = end};
    word datum = NIL, other;
    const uint32_t *second = NULL;
    bool found = read_one(&r, &datum);
    while (!r.error && read_one(&r, &other)) second = second ? second : r.datum;
    if (!r.error && !found) r.error = "a datum was expected, but there is none", r.where = r.start;
    if (!r.error && second) r.error = "one datum was expected, but another follows", r.where = second;
    if (r.error) wrong_text(name, &r);
    release(rt, characters);
    return datum;
}

/* The datum in a file; - is standard input. */
static word datum_in(RT, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    text all = {.rt = rt};
    char piece[1 << 16];
    size_t count, offset = 0, step = 1;
    uint32_t c;
    if (file == NULL && errno == ENOENT) wrong_argument("there is no file %s", path, "");
    if (file == NULL) wrong_argument("cannot read %s: %s", path, strerror(errno));
    while ((count = fread(piece, 1, sizeof piece, file)) > 0) text_add(&all, piece, count);
    if (ferror(file) && errno == EISDIR) wrong_argument("%s is a directory, not a file", path, "");
    if (ferror(file)) wrong_argument("cannot read %s: %s", path, strerror(errno));
    if (!standard) fclose(file);
    for (; offset < all.used && step; offset += step) step = decode(all.bytes + offset, all.used - offset, &c);
    if (!step) {
        char number[32];
        snprintf(number, sizeof number, "%zu", offset);
        wrong_argument("%s is not UTF-8 text: byte %s cannot be read", standard ? "standard input" : path, number);
    }
    size_t mark = all.used >= 3 && memcmp(all.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    word datum = datum_of(rt, standard ? "<stdin>" : path, all.bytes + mark, all.used - mark);
    text_free(&all);
    return datum;
}

/* What the words of the command line say: a datum each, or @FILE where it is. */
static word argument_list(RT, int count, char **texts) {
    word list = NIL, *data = allocate_block(rt, (size_t)(count + 1), sizeof *data);
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "ARG %d", i + 1);
        if (strcmp(texts[i], "@") == 0) wrong_argument("%s: `@` needs the name of a file", name, "");
        data[i] = *texts[i] == '@' ? datum_in(rt, texts[i] + 1) : datum_of(rt, name, texts[i], strlen(texts[i]));
    }
    for (int i = count; i > 0; i--) list = cons(rt, data[i - 1], list);
    release(rt, data);
    return list;
}

static void show(RT, word x) {
    if (x == UNSPECIFIED) return;
    end_line(rt);
    text t = {.rt = rt};
    print(&t, x, WRITE);
    text_add(&t, "\n", 1);
    write_out(rt, t.bytes, t.used);
    text_free(&t);
}

static void check_environment(void) {
    const char *named = getenv("COGEN_MEMORY");
    char *end = "";
    if (named == NULL || (*named && strtoll(named, &end, 10) > 0 && !*end)) return;
    wrong_argument("COGEN_MEMORY must be a number of megabytes, at least 1, not `%s`", named, "");
}

int main(int count, char **texts) {
    const program *p = &the_compiled_program;
    check_environment();
    runtime *rt = make_instance(p);
    if (rt == NULL) {
        fputs("limitation: there is not enough memory\n", stderr);
        return 1;
    }
    if (p->entry == NULL && !p->takes_words && count > 1) {
        fprintf(stderr, "%s: this program takes no arguments\n", texts[0]);
        return 2;
    }
    rt->words = texts;
    rt->word_count = p->entry ? 1 : count;
    word *data = &rt->cells[p->constant_count];
    if (p->entry) *data = argument_list(rt, count - 1, texts + 1);
    run_items(rt);
    if (p->entry) {
        long given = 0;
        for (word list = *data; list != NIL; list = CDR(list)) rt->arguments[given++] = CAR(list);
        word value = run_entry(rt, p->entry(rt), given);
        if (IS_KIND(value, VALUES))
            for (size_t i = 0; i < LENGTH(value); i++) show(rt, FIELD(value, i));
        else show(rt, value);
    }
    flush_output(rt);
    close_streams(rt);
    return 0;
}
