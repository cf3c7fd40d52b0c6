/* The process that a program is, and its clocks. */

#include "inline.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern char **environ;

/* The status that (exit code) means. */
static int exit_status(word code) {
    if (code == ABSENT) return 0;
    return IS_INTEGER(code) ? (int)(integer_value(code) & 0xff) : code == FALSE;
}

/* Programs are expanded before they run. */
NORETURN static void no_evaluation(RT) {
    fail(rt, "eval: native programs cannot evaluate data; `cogen run` can run the program");
}
word op_environment(RT, long count, const word *v) { (void)count, (void)v; no_evaluation(rt); }
word op_interaction_environment(RT) { no_evaluation(rt); }
word op_pct_evaluated(RT, word datum, word environment) { (void)datum, (void)environment; no_evaluation(rt); }

/* A command ends; in a library the call does, and Python is told. */
word op_emergency_exit(RT, word code) {
    int status = exit_status(code);
    if (rt->failed != NULL) {
        char number[16];
        snprintf(number, sizeof number, "%d", status);
        die(rt, "exit", number, NULL);
    }
    flush_output(rt);
    close_streams(rt);
    exit(status);
}

static word string_of_text(RT, const char *text) { return string_of(rt, text, strlen(text)); }

word op_command_line(RT) {
    word list = NIL;
    for (int i = rt->word_count; i > 0; i--) list = cons(rt, string_of_text(rt, rt->words[i - 1]), list);
    return list == NIL ? cons(rt, string_of_text(rt, ""), NIL) : list;
}

word op_get_environment_variable(RT, word name) {
    text t = {.rt = rt};
    text_of_string(&t, need_string(rt, "get-environment-variable", name));
    text_add(&t, "", 1);
    const char *found = strlen(t.bytes) + 1 == t.used ? getenv(t.bytes) : NULL;
    text_free(&t);
    return found ? string_of_text(rt, found) : FALSE;
}

static int in_order(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

word op_get_environment_variables(RT) {
    size_t count = 0;
    while (environ[count]) count++;
    char **sorted = allocate_block(rt, count + 1, sizeof *sorted);
    memcpy(sorted, environ, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, in_order);
    word list = NIL;
    while (count-- > 0) {
        const char *value = strchr(sorted[count], '=');
        if (value == NULL) continue;
        word name = string_of(rt, sorted[count], (size_t)(value - sorted[count]));
        list = cons(rt, cons(rt, name, string_of_text(rt, value + 1)), list);
    }
    release(rt, sorted);
    return list;
}

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

word op_current_second(RT) { return make_flonum(rt, (double)nanoseconds(CLOCK_REALTIME) * 1e-9); }
word op_current_jiffy(RT) { return make_integer(rt, nanoseconds(CLOCK_MONOTONIC)); }
