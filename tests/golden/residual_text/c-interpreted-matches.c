#include "inline.h"

#define GLOBALS 2

#pragma GCC visibility push(hidden)

word op_car(runtime *rt, word a0);
word op_cdr(runtime *rt, word a0);

#pragma GCC visibility pop

static void s_matches_1(word *sp, word *hp, word self, word a);
static void matches_1(word *sp, word *hp, word items_2);

static const word c_matches_1[2] = {CLOSURE_HEADER(1, 1), (word)s_matches_1};

static void s_matches_1(word *sp, word *hp, word self, word a)
{
    return matches_1(sp, hp, a);
}

static void matches_1(word *sp, word *hp, word items_2)
{
    word items_1_3;
    word test_5;
    word t_9;
    word t_1_11;
    word t_2_12;
    word t_3_14;
    runtime *rt = runtime_of(sp);
    bool c_;
    items_1_3 = items_2;
L_4:;
    test_5 = BOOL(IS_PAIR(items_1_3));
    if (test_5 != FALSE) {
        goto L_6;
    }
L_7:;
    if (test_5 != FALSE) {
        goto L_8;
    }
    RETURN(FALSE);
L_8:;
    READ_CAR(t_9, items_1_3, 3);
    if (t_9 == rt->cells[0]) {
        goto L_10;
    }
    RETURN(FALSE);
L_10:;
    READ_CDR(t_1_11, items_1_3, 5);
    items_1_3 = t_1_11;
    goto L_4;
L_6:;
    READ_CAR(t_2_12, items_1_3, 6);
    if (t_2_12 == rt->cells[1]) {
        goto L_13;
    }
    goto L_7;
L_13:;
    READ_CDR(t_3_14, items_1_3, 8);
    if (t_3_14 == NIL) {
        goto L_15;
    }
    goto L_7;
L_15:;
    RETURN(TRUE);
}

static const place the_places[] = {
    {0},
    {"interpreted.scm:36:18", "(next items)", " 36 |              (or (next items)\012    |                  ^^^^^^^^^^^^\012", NULL, 0, 1581, 1593, 0},
    {"interpreted.scm:31:17", "(pair\077 items)", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                 ^^^^^^^^^^^^^\012", NULL, 0, 1322, 1335, 0},
    {"interpreted.scm:31:12", "(and (pair\077 items) (eq\077 (car items) pattern) (next (cdr ite\342\200\246", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1317, 1381, 0},
    {"interpreted.scm:31:36", "(car items)", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                                    ^^^^^^^^^^^\012", NULL, 0, 1341, 1352, 0},
    {"interpreted.scm:31:31", "(eq\077 (car items) pattern)", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                               ^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1336, 1361, 0},
    {"interpreted.scm:31:63", "(cdr items)", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                                                               ^^^^^^^^^^^\012", NULL, 0, 1368, 1379, 0},
    {"interpreted.scm:31:57", "(next (cdr items))", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                                                         ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1362, 1380, 0},
    {"interpreted.scm:28:1", "(define (matches pattern items) (let match ((pattern patter\342\200\246", " 28 | (define (matches pattern items)\012    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1185, 1651, 0}
};

static const site the_sites[] = {
    {0},
    {2, 1, NULL},
    {3, 0, NULL},
    {4, 0, NULL},
    {5, 0, NULL},
    {6, 0, NULL},
    {4, 4, NULL},
    {5, 7, NULL},
    {6, 10, NULL},
    {7, 0, NULL},
    {8, 0, NULL}
};

static const int the_calls[] = {
    0, 1, 1, 0, 1, 1, 0, 1,
    1, 0, 1, 1, 0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_matches_1, "matches"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"1,ay;\"1,by;";

static const char *const the_parameters[] = {
    "items",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_matches_1);
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
    .entry_site = 10,
    .entry = the_entry
};
