#include "inline.h"

#define GLOBALS 3

#pragma GCC visibility push(hidden)

word op_lt(runtime *rt, word a0, word a1);
word op_cdr(runtime *rt, word a0);
word op_display(runtime *rt, word a0, word a1);
word op_newline(runtime *rt, word a0);
word op_vector_set_x(runtime *rt, word a0, word a1, word a2);
word op_write(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_classify_1(word *sp, word *hp, word self, word a, word b);
static void classify_1(word *sp, word *hp, word a_2, word b_3);

static const word c_classify_1[2] = {CLOSURE_HEADER(1, 2), (word)s_classify_1};

static void s_classify_1(word *sp, word *hp, word self, word a, word b)
{
    return classify_1(sp, hp, a, b);
}

static void classify_1(word *sp, word *hp, word a_2, word b_3)
{
    word test_4;
    word test_1_7;
    word t_4_9;
    word t_5_10;
    word test_2_12;
    word test_4_16;
    word t_1_21;
    word t_22;
    word t_2_24;
    word t_3_25;
    word t_6_26;
    word test_8_27;
    word t_7_31;
    word t_8_32;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = a_2;
        sp[1] = b_3;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        a_2 = sp[0];
        b_3 = sp[1];
    }
    test_4 = BOOL(IS_PAIR(a_2));
    if (test_4 != FALSE) {
        goto L_5;
    }
L_6:;
    test_1_7 = BOOL(b_3 == NIL);
    if (test_1_7 != FALSE) {
        goto L_8;
    }
    DO(t_4_9, 5, op_write(rt, b_3, ABSENT));
    DO(t_5_10, 6, op_newline(rt, ABSENT));
L_11:;
    test_2_12 = BOOL(IS_STRING(a_2));
    if (test_2_12 != FALSE) {
        goto L_13;
    }
L_14:;
    if (IS_KIND(a_2, SYMBOL)) {
        goto L_15;
    }
    test_4_16 = BOOL(IS_INTEGER(a_2));
    if (test_4_16 != FALSE) {
        goto L_17;
    }
L_18:;
    if (IS_VECTOR(a_2)) {
        goto L_19;
    }
    if (IS_CHARACTER(b_3)) {
        goto L_20;
    }
    DO(t_1_21, 14, op_write(rt, a_2, ABSENT));
    RETURN(END_OF_FILE);
L_20:;
    RETURN(FALSE);
L_19:;
    VECTOR_SET(a_2, FIX(0LL), b_3, 15);
    t_22 = UNSPECIFIED;
    RETURN(a_2);
L_17:;
    NUMBERS_LT(c_, a_2, FIX(10LL), 16);
    if (c_) {
        goto L_23;
    }
    goto L_18;
L_23:;
    DO(t_2_24, 17, op_write(rt, a_2, ABSENT));
    RETURN(rt->cells[0]);
L_15:;
    RETURN(rt->cells[1]);
L_13:;
    DO(t_3_25, 18, op_display(rt, rt->cells[2], ABSENT));
    goto L_14;
L_8:;
    goto L_11;
L_5:;
    READ_CDR(t_6_26, a_2, 19);
    test_8_27 = BOOL(t_6_26 == NIL);
    if (test_8_27 != FALSE) {
        goto L_28;
    }
    if (IS_PAIR(b_3)) {
        goto L_29;
    }
L_30:;
    DO(t_7_31, 23, op_display(rt, a_2, ABSENT));
    DO(t_8_32, 24, op_newline(rt, ABSENT));
    goto L_6;
L_29:;
    goto L_6;
L_28:;
    goto L_30;
}

static const place the_places[] = {
    {0},
    {"data.scm:20:14", "(pair\077 a)", " 20 |   (when (and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b)))) (display a) (newline))\012    |              ^^^^^^^^^\012", NULL, 0, 594, 603, 0},
    {"data.scm:20:9", "(and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b))))", " 20 |   (when (and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b)))) (display a) (newline))\012    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 589, 641, 0},
    {"data.scm:21:11", "(null\077 b)", " 21 |   (unless (null\077 b) (write b) (newline))\012    |           ^^^^^^^^^\012", NULL, 0, 675, 684, 0},
    {"data.scm:21:3", "(unless (null\077 b) (write b) (newline))", " 21 |   (unless (null\077 b) (write b) (newline))\012    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 667, 705, 0},
    {"data.scm:21:21", "(write b)", " 21 |   (unless (null\077 b) (write b) (newline))\012    |                     ^^^^^^^^^\012", NULL, 0, 685, 694, 0},
    {"data.scm:21:31", "(newline)", " 21 |   (unless (null\077 b) (write b) (newline))\012    |                               ^^^^^^^^^\012", NULL, 0, 695, 704, 0, "parentheses call what stands first in them: the value alone is written newline"},
    {"data.scm:22:7", "(string\077 a)", " 22 |   (if (string\077 a) (display \"text\"))\012    |       ^^^^^^^^^^^\012", NULL, 0, 712, 723, 0},
    {"data.scm:22:3", "(if (string\077 a) (display \"text\"))", " 22 |   (if (string\077 a) (display \"text\"))\012    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 708, 741, 0},
    {"data.scm:23:10", "(symbol\077 a)", " 23 |   (cond ((symbol\077 a) 'symbol)\012    |          ^^^^^^^^^^^\012", NULL, 0, 751, 762, 0},
    {"data.scm:24:15", "(exact-integer\077 a)", " 24 |         ((and (exact-integer\077 a) (< a 10)) (write a) 'small)\012    |               ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 786, 804, 0},
    {"data.scm:24:10", "(and (exact-integer\077 a) (< a 10))", " 24 |         ((and (exact-integer\077 a) (< a 10)) (write a) 'small)\012    |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 781, 814, 0},
    {"data.scm:25:10", "(vector\077 a)", " 25 |         ((vector\077 a) (vector-set! a 0 b) a)\012    |          ^^^^^^^^^^^\012", NULL, 0, 842, 853, 0},
    {"data.scm:26:25", "(char\077 b)", " 26 |         (else (and (not (char\077 b)) (begin (write a) (eof-object))))))\012    |                         ^^^^^^^^^\012", NULL, 0, 901, 910, 0},
    {"data.scm:26:43", "(write a)", " 26 |         (else (and (not (char\077 b)) (begin (write a) (eof-object))))))\012    |                                           ^^^^^^^^^\012", NULL, 0, 919, 928, 0},
    {"data.scm:25:22", "(vector-set! a 0 b)", " 25 |         ((vector\077 a) (vector-set! a 0 b) a)\012    |                      ^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 854, 873, 0},
    {"data.scm:24:34", "(< a 10)", " 24 |         ((and (exact-integer\077 a) (< a 10)) (write a) 'small)\012    |                                  ^^^^^^^^\012", NULL, 0, 805, 813, 0},
    {"data.scm:24:44", "(write a)", " 24 |         ((and (exact-integer\077 a) (< a 10)) (write a) 'small)\012    |                                            ^^^^^^^^^\012", NULL, 0, 815, 824, 0},
    {"data.scm:22:19", "(display \"text\")", " 22 |   (if (string\077 a) (display \"text\"))\012    |                   ^^^^^^^^^^^^^^^^\012", NULL, 0, 724, 740, 0},
    {"data.scm:20:35", "(cdr a)", " 20 |   (when (and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b)))) (display a) (newline))\012    |                                   ^^^^^^^\012", NULL, 0, 615, 622, 0},
    {"data.scm:20:28", "(null\077 (cdr a))", " 20 |   (when (and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b)))) (display a) (newline))\012    |                            ^^^^^^^^^^^^^^^\012", NULL, 0, 608, 623, 0},
    {"data.scm:20:24", "(or (null\077 (cdr a)) (not (pair\077 b)))", " 20 |   (when (and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b)))) (display a) (newline))\012    |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 604, 640, 0},
    {"data.scm:20:49", "(pair\077 b)", " 20 |   (when (and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b)))) (display a) (newline))\012    |                                                 ^^^^^^^^^\012", NULL, 0, 629, 638, 0},
    {"data.scm:20:62", "(display a)", " 20 |   (when (and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b)))) (display a) (newline))\012    |                                                              ^^^^^^^^^^^\012", NULL, 0, 642, 653, 0},
    {"data.scm:20:74", "(newline)", " 20 |   (when (and (pair\077 a) (or (null\077 (cdr a)) (not (pair\077 b)))) (display a) (newline))\012    |                                                                          ^^^^^^^^^\012", NULL, 0, 654, 663, 0, "parentheses call what stands first in them: the value alone is written newline"},
    {"data.scm:19:1", "(define (classify a b) (when (and (pair\077 a) (or (null\077 (cdr\342\200\246", " 19 | (define (classify a b)\012    | ^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 558, 946, 0}
};

static const site the_sites[] = {
    {0},
    {1, 0, NULL},
    {2, 0, NULL},
    {3, 0, NULL},
    {4, 0, NULL},
    {5, 0, NULL},
    {6, 0, NULL},
    {7, 0, NULL},
    {8, 0, NULL},
    {9, 0, NULL},
    {10, 0, NULL},
    {11, 0, NULL},
    {12, 0, NULL},
    {13, 0, NULL},
    {14, 0, NULL},
    {15, 0, NULL},
    {16, 0, NULL},
    {17, 0, NULL},
    {18, 0, NULL},
    {19, 0, NULL},
    {20, 0, NULL},
    {21, 0, NULL},
    {22, 0, NULL},
    {23, 0, NULL},
    {24, 0, NULL},
    {25, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_classify_1, "classify"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"5,smally;\"6,symboly;\"4,text;";

static const char *const the_parameters[] = {
    "a",
    "b",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_classify_1);
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
    .constant_count = 3,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 25,
    .entry = the_entry
};
