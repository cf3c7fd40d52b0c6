#include "inline.h"

#define GLOBALS 1

#pragma GCC visibility push(hidden)

word op_pct_fresh_string(runtime *rt, word a0);
word op_add(runtime *rt, word a0, word a1);
word op_string_to_symbol(runtime *rt, word a0);
word op_string_append(runtime *rt, long count, const word *words);
word op_string_set_x(runtime *rt, word a0, word a1, word a2);
word op_write(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_mark_1(word *sp, word *hp, word self, word a, word b);
static void mark_1(word *sp, word *hp, word text_2, word at_3);

static const word c_mark_1[2] = {CLOSURE_HEADER(1, 2), (word)s_mark_1};

static void s_mark_1(word *sp, word *hp, word self, word a, word b)
{
    return mark_1(sp, hp, a, b);
}

static void mark_1(word *sp, word *hp, word text_2, word at_3)
{
    word t_1_4;
    word made_5;
    word at_1_6;
    word t_2_7;
    word t_3_8;
    word t_4_9;
    word t_6_10;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = text_2;
        sp[1] = at_3;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        text_2 = sp[0];
        at_3 = sp[1];
    }
    rt->arguments[0] = rt->cells[0];
    rt->arguments[1] = text_2;
    DO(t_1_4, 1, op_string_append(rt, 2, rt->arguments));
    DO(made_5, 1, own_string(rt, t_1_4, ABSENT));
    ADD(at_1_6, at_3, FIX(1LL), 0);
    STRING_SET(made_5, at_1_6, CHARACTER(62), 2);
    t_2_7 = UNSPECIFIED;
    DO(t_3_8, 3, op_write(rt, made_5, ABSENT));
    STRING_SET(made_5, FIX(0LL), CHARACTER(32), 4);
    t_4_9 = UNSPECIFIED;
    DO(t_6_10, 5, op_string_to_symbol(rt, made_5));
    RETURN(t_6_10);
}

static const place the_places[] = {
    {0},
    {"strings.scm:8:15", "(string-append (string (string-ref signs 0)) text)", " 8 |   (let ((made (string-append (string (string-ref signs 0)) text)))\012   |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 221, 271, 0},
    {"strings.scm:9:5", "(string-set! made (+ at 1) (string-ref signs 1))", " 9 |     (string-set! made (+ at 1) (string-ref signs 1))\012   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 278, 326, 0},
    {"strings.scm:10:5", "(write made)", " 10 |     (write made)\012    |     ^^^^^^^^^^^^\012", NULL, 0, 331, 343, 0},
    {"strings.scm:11:5", "(string-set! made 0 #\\space)", " 11 |     (string-set! made 0 #\\space)\012    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 348, 376, 0},
    {"strings.scm:12:5", "(string->symbol made)", " 12 |     (string->symbol made)))\012    |     ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 381, 402, 0},
    {"strings.scm:7:1", "(define (mark text at signs) (let ((made (string-append (st\342\200\246", " 7 | (define (mark text at signs)\012   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 178, 404, 0}
};

static const site the_sites[] = {
    {0},
    {1, 0, NULL},
    {2, 0, NULL},
    {3, 0, NULL},
    {4, 0, NULL},
    {5, 0, NULL},
    {6, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_mark_1, "mark"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"1,<;";

static const char *const the_parameters[] = {
    "text",
    "at",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_mark_1);
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
    .constant_count = 1,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 6,
    .entry = the_entry
};
