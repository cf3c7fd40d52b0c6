#include "inline.h"

#define GLOBALS 5

#pragma GCC visibility push(hidden)

word op_car(runtime *rt, word a0);
word op_cdr(runtime *rt, word a0);

#pragma GCC visibility pop

static void s_walk_1(word *sp, word *hp, word self, word a);
static void walk_1(word *sp, word *hp, word tree_2);

static const word c_walk_1[2] = {CLOSURE_HEADER(1, 1), (word)s_walk_1};

static void s_walk_1(word *sp, word *hp, word self, word a)
{
    return walk_1(sp, hp, a);
}

static void walk_1(word *sp, word *hp, word tree_2)
{
    word left_3;
    word right_4;
    word pair_7;
    word pair_1_8;
    word pair_2_9;
    word pair_3_10;
    word pair_4_11;
    word pair_5_12;
    word pair_6_13;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = tree_2;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        tree_2 = sp[0];
    }
    READ_CAR(left_3, tree_2, 1);
    READ_CDR(right_4, tree_2, 2);
    if (left_3 == rt->cells[0]) {
        goto L_5;
    }
    if (left_3 == rt->cells[1]) {
        goto L_6;
    }
    CONS(pair_7, rt->cells[2], NIL);
    CONS(pair_1_8, right_4, pair_7);
    CONS(pair_2_9, right_4, left_3);
    CONS(pair_3_10, FIX(2LL), NIL);
    CONS(pair_4_11, pair_2_9, pair_3_10);
    CONS(pair_5_12, pair_1_8, pair_4_11);
    CONS(pair_6_13, left_3, pair_5_12);
    RETURN(pair_6_13);
L_6:;
    RETURN(rt->cells[3]);
L_5:;
    RETURN(rt->cells[4]);
}

static const place the_places[] = {
    {0},
    {"data.scm:14:16", "(car tree)", " 14 |   (let* ((left (car tree)) (right (cdr tree)) (both (cons right left)))\012    |                ^^^^^^^^^^\012", NULL, 0, 330, 340, 0},
    {"data.scm:14:35", "(cdr tree)", " 14 |   (let* ((left (car tree)) (right (cdr tree)) (both (cons right left)))\012    |                                   ^^^^^^^^^^\012", NULL, 0, 349, 359, 0},
    {"data.scm:15:9", "(assq left '((a . 1) (b . 2)))", " 15 |     (or (assq left '((a . 1) (b . 2)))\012    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 395, 425, 0},
    {"data.scm:13:1", "(define (walk tree) (let* ((left (car tree)) (right (cdr tr\342\200\246", " 13 | (define (walk tree)\012    | ^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 295, 507, 0}
};

static const site the_sites[] = {
    {0},
    {1, 0, NULL},
    {2, 0, NULL},
    {3, 0, NULL},
    {4, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_walk_1, "walk"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"1,ay;\"1,by;\"3,endy;\"1,byi2,p=0,;\"1,ayi1,p=1,;";

static const char *const the_parameters[] = {
    "tree",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_walk_1);
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
    .constant_count = 5,
    .shared_count = 2,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 4,
    .entry = the_entry
};
