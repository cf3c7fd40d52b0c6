#include "inline.h"

#define GLOBALS 0

#pragma GCC visibility push(hidden)

word op_add(runtime *rt, word a0, word a1);
word op_eq(runtime *rt, word a0, word a1);
word op_buffer_words(runtime *rt, word a0);
word op_load_word(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_search_1(word *sp, word *hp, word self, word a, word b);
static void search_1(word *sp, word *hp, word memory_2, word wanted_3);

static const word c_search_1[2] = {CLOSURE_HEADER(1, 2), (word)s_search_1};

static void s_search_1(word *sp, word *hp, word self, word a, word b)
{
    return search_1(sp, hp, a, b);
}

static void search_1(word *sp, word *hp, word memory_2, word wanted_3)
{
    word end_4;
    word i_5;
    word t_8;
    word i_1_10;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = memory_2;
        sp[1] = wanted_3;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        memory_2 = sp[0];
        wanted_3 = sp[1];
    }
    DO(end_4, 1, op_buffer_words(rt, memory_2));
    i_5 = FIX(0LL);
L_6:;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = i_5;
        sp[1] = end_4;
        sp[2] = memory_2;
        sp[3] = wanted_3;
        CALL_3(enter, sp, hp, 4);
        sp = rt->sp;
        hp = rt->hp;
        i_5 = sp[0];
        end_4 = sp[1];
        memory_2 = sp[2];
        wanted_3 = sp[3];
    }
    NUMBERS_EQ(c_, i_5, end_4, 2);
    if (c_) {
        goto L_7;
    }
    DO(t_8, 3, op_load_word(rt, memory_2, i_5));
    NUMBERS_EQ(c_, t_8, wanted_3, 4);
    if (c_) {
        goto L_9;
    }
    ADD(i_1_10, i_5, FIX(1LL), 0);
    i_5 = i_1_10;
    goto L_6;
L_9:;
    RETURN(i_5);
L_7:;
    RETURN(FIX(-1LL));
}

static const place the_places[] = {
    {0},
    {"loops.scm:29:14", "(buffer-words memory)", " 29 |   (let ((end (buffer-words memory)))\012    |              ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 916, 937, 0},
    {"loops.scm:31:14", "(= i end)", " 31 |       (cond ((= i end) -1)\012    |              ^^^^^^^^^\012", NULL, 0, 975, 984, 0},
    {"loops.scm:32:17", "(load-word memory i)", " 32 |             ((= (load-word memory i) wanted) i)\012    |                 ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1005, 1025, 0},
    {"loops.scm:32:14", "(= (load-word memory i) wanted)", " 32 |             ((= (load-word memory i) wanted) i)\012    |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1002, 1033, 0},
    {"loops.scm:28:1", "(define (search memory wanted) (let ((end (buffer-words mem\342\200\246", " 28 | (define (search memory wanted)\012    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 872, 1074, 0}
};

static const site the_sites[] = {
    {0},
    {1, 0, NULL},
    {2, 0, NULL},
    {3, 0, NULL},
    {4, 0, NULL},
    {5, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_search_1, "search"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "";

static const char *const the_parameters[] = {
    "memory",
    "wanted",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_search_1);
}

const program the_compiled_program = {
    .places = the_places,
    .sites = the_sites,
    .calls = the_calls,
    .frames = the_frames,
    .names = the_names,
    .items = the_items,
    .item_sites = the_item_sites,
    .constants = the_constants,
    .parameters = the_parameters,
    .named_cells = the_named_cells,
    .frame_count = 0,
    .name_count = 1,
    .constant_count = 0,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 5,
    .entry = the_entry
};
