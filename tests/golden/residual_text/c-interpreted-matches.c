#include "inline.h"
#pragma GCC visibility push(hidden)
word op_car(RT, word);
word op_cdr(RT, word);
#pragma GCC visibility pop
#define K (rt->cells)
#define G (rt->cells + 2)
static const word c_matches_1[2];
static void s_matches_1(word *sp, word *hp, word self, word a);
static void matches_1(word *sp, word *hp, word items_2);
static void s_matches_1(word *sp, word *hp, word self, word a) { return matches_1(sp, hp, a); }
static const word c_matches_1[2] = {CLOSURE_HEADER(1, 1), (word)s_matches_1};
static void matches_1(word *sp, word *hp, word items_2) {
    word items_1_3, test_5, t_9, t_1_11, t_2_12, t_3_14;
    runtime *rt = runtime_of(sp);
    bool c_;
    items_1_3 = items_2;
    L_4:;
    test_5 = BOOL(IS_PAIR(items_1_3));
    if (test_5 != FALSE) goto L_6;
    L_7:;
    if (test_5 != FALSE) goto L_8;
    RETURN(FALSE);
    L_8:;
    READ_CAR(t_9, items_1_3, 3);
    if (t_9 == K[0]) goto L_10;
    RETURN(FALSE);
    L_10:;
    READ_CDR(t_1_11, items_1_3, 5);
    items_1_3 = t_1_11;
    goto L_4;
    L_6:;
    READ_CAR(t_2_12, items_1_3, 6);
    if (t_2_12 == K[1]) goto L_13;
    goto L_7;
    L_13:;
    READ_CDR(t_3_14, items_1_3, 7);
    if (t_3_14 == NIL) goto L_15;
    goto L_7;
    L_15:;
    RETURN(TRUE);
}
static const place the_places[] = {
{0},
{"interpreted.scm:31:17", "(pair\077 items)", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                 ^^^^^^^^^^^^^\012", NULL, 0, 1322, 1335},
{"interpreted.scm:31:12", "(and (pair\077 items) (eq\077 (car items) pattern) (next (cdr ite\342\200\246", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1317, 1381},
{"interpreted.scm:31:36", "(car items)", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                                    ^^^^^^^^^^^\012", NULL, 0, 1341, 1352},
{"interpreted.scm:31:31", "(eq\077 (car items) pattern)", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                               ^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1336, 1361},
{"interpreted.scm:31:63", "(cdr items)", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                                                               ^^^^^^^^^^^\012", NULL, 0, 1368, 1379},
{"interpreted.scm:36:18", "(next items)", " 36 |              (or (next items)\012    |                  ^^^^^^^^^^^^\012", NULL, 0, 1581, 1593},
{"interpreted.scm:31:57", "(next (cdr items))", " 31 |            (and (pair\077 items) (eq\077 (car items) pattern) (next (cdr items))))\012    |                                                         ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1362, 1380},
{"interpreted.scm:28:1", "(define (matches pattern items) (let match ((pattern patter\342\200\246", " 28 | (define (matches pattern items)\012    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1185, 1651}
};
static const site the_sites[] = {
{0},
{1, 0, NULL},
{2, 0, NULL},
{3, 0, NULL},
{4, 0, NULL},
{5, 0, NULL},
{3, 1, NULL},
{5, 4, NULL},
{7, 0, NULL},
{8, 0, NULL}
};
static const int the_calls[] = {
0,
6,
1,
0,
6,
1,
0
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
static word the_entry(RT) { return (word)c_matches_1 + CLOSURE_TAG; }
static const char *const the_parameters[] = {"items", NULL};
static const named_cell the_named_cells[] = {
{NULL, 0}
};
const program the_compiled_program = {
    .places = the_places, .sites = the_sites, .calls = the_calls,
    .frames = the_frames, .names = the_names,
    .constants = the_constants,
    .items = the_items, .item_sites = the_item_sites,
    .frame_count = 0, .name_count = 1,
    .constant_count = 2,
    .shared_count = 0,
    .global_count = 1, .item_count = 0,
    .word_bytes = 4,
    .entry = the_entry,
    .entry_site = 9,
    .parameters = the_parameters, .named_cells = the_named_cells,
};
