#include "inline.h"

#define GLOBALS 2

#pragma GCC visibility push(hidden)

word op_pct_finite(runtime *rt, word a0, word a1);
word op_pct_walked(runtime *rt, word a0, word a1);
word op_car(runtime *rt, word a0);
word op_cdr(runtime *rt, word a0);
word op_equal_p(runtime *rt, word a0, word a1);
word op_error(runtime *rt, long count, const word *words);

#pragma GCC visibility pop

static void s_find_1(word *sp, word *hp, word self, word a, word b);
static void find_1(word *sp, word *hp, word wanted_2, word items_3);

static const word c_find_1[2] = {CLOSURE_HEADER(1, 2), (word)s_find_1};

static void s_find_1(word *sp, word *hp, word self, word a, word b)
{
    return find_1(sp, hp, a, b);
}

static void find_1(word *sp, word *hp, word wanted_2, word items_3)
{
    unsigned k_ = 0;
    word t_4;
    word items_1_5;
    word walked_7;
    word t_4_10;
    word t_1_11;
    word t_3_13;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = wanted_2;
        sp[1] = items_3;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        wanted_2 = sp[0];
        items_3 = sp[1];
    }
    FINITE(t_4, rt->cells[0], items_3, 1);
    items_1_5 = t_4;
L_6:;
    ROUND(walked_7, rt->cells[0], items_1_5, 1);
    if (IS_PAIR(items_1_5)) {
        goto L_8;
    }
    if (items_1_5 == NIL) {
        goto L_9;
    }
    rt->arguments[0] = rt->cells[1];
    rt->arguments[1] = items_1_5;
    DO(t_4_10, 1, CALL_2(op_error, 2, rt->arguments));
    RETURN(t_4_10);
L_9:;
    RETURN(FALSE);
L_8:;
    READ_CAR(t_1_11, items_1_5, 2);
    EQUAL(c_, t_1_11, wanted_2, 3);
    if (c_) {
        goto L_12;
    }
    READ_CDR(t_3_13, items_1_5, 2);
    items_1_5 = t_3_13;
    goto L_6;
L_12:;
    RETURN(t_1_11);
}

static const place the_places[] = {
    {0},
    {"control.scm:10:3", "(call/cc (lambda (return) (for-each (lambda (item) (if (equ\342\200\246", " 10 |   (call/cc\012    |   ^^^^^^^^\012", NULL, 0, 236, 355, 0},
    {"control.scm:12:7", "(for-each (lambda (item) (if (equal\077 item wanted) (return i\342\200\246", " 12 |       (for-each (lambda (item) (if (equal\077 item wanted) (return item))) items)\012    |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 272, 344, 0},
    {"control.scm:12:36", "(equal\077 item wanted)", " 12 |       (for-each (lambda (item) (if (equal\077 item wanted) (return item))) items)\012    |                                    ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 301, 321, 0},
    {"control.scm:9:1", "(define (find wanted items) (call/cc (lambda (return) (for-\342\200\246", " 9 | (define (find wanted items)\012   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 206, 356, 0}
};

static const site the_sites[] = {
    {0},
    {2, 1, NULL},
    {2, 4, "for-each"},
    {3, 7, NULL},
    {4, 0, NULL}
};

static const int the_calls[] = {
    0, 1, 1, 0, 1, 1, 0, 2,
    1, 1, 1, 0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_find_1, "find"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"8,for-each;\"30,for-each: expected a list, got;";

static const char *const the_parameters[] = {
    "wanted",
    "items",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_find_1);
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
    .constant_count = 2,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 4,
    .entry = the_entry
};
