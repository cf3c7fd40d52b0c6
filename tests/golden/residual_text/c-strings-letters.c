#include "inline.h"

#define GLOBALS 6

#pragma GCC visibility push(hidden)

word op_add(runtime *rt, word a0, word a1);
word op_char_to_integer(runtime *rt, word a0);
word op_char_alphabetic_p(runtime *rt, word a0);
word op_char_downcase(runtime *rt, word a0);
word op_char_lower_case_p(runtime *rt, word a0);
word op_char_numeric_p(runtime *rt, word a0);
word op_char_upper_case_p(runtime *rt, word a0);
word op_char_whitespace_p(runtime *rt, word a0);
word op_display(runtime *rt, word a0, word a1);
word op_write(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_letters_1(word *sp, word *hp, word self, word a, word b);
static void letters_1(word *sp, word *hp, word c_2, word x_3);

static const word c_letters_1[2] = {CLOSURE_HEADER(1, 2), (word)s_letters_1};

static void s_letters_1(word *sp, word *hp, word self, word a, word b)
{
    return letters_1(sp, hp, a, b);
}

static void letters_1(word *sp, word *hp, word c_2, word x_3)
{
    word t_4;
    word t_1_5;
    word t_2_6;
    word t_3_7;
    word t_4_8;
    word test_9;
    word test_1_14;
    word test_2_17;
    word t_5_21;
    word t_6_22;
    word t_7_23;
    word t_10_27;
    word t_9_28;
    word t_8_29;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = c_2;
        sp[1] = x_3;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        c_2 = sp[0];
        x_3 = sp[1];
    }
    CHAR_DOWNCASE(t_4, c_2, 1);
    DO(t_1_5, 2, op_display(rt, t_4, ABSENT));
    CHAR_CODE(t_2_6, c_2, 3);
    ADD(t_3_7, t_2_6, FIX(1LL), 0);
    DO(t_4_8, 4, op_write(rt, t_3_7, ABSENT));
    CHAR_ALPHABETIC(c_, c_2, 5);
    test_9 = BOOL(c_);
    if (test_9 != FALSE) {
        goto L_10;
    }
    CHAR_NUMERIC(c_, c_2, 7);
    if (c_) {
        goto L_11;
    }
    CHAR_WHITESPACE(c_, c_2, 8);
    if (c_) {
        goto L_12;
    }
L_13:;
    test_1_14 = BOOL(IS_NUMBER(x_3));
    if (test_1_14 != FALSE) {
        goto L_15;
    }
L_16:;
    test_2_17 = BOOL(IS_NUMBER(x_3));
    if (test_2_17 != FALSE) {
        goto L_18;
    }
L_19:;
    if (IS_NUMBER(x_3)) {
        goto L_20;
    }
    RETURN(x_3);
L_20:;
    DO(t_5_21, 14, op_write(rt, rt->cells[0], ABSENT));
    RETURN(x_3);
L_18:;
    DO(t_6_22, 15, op_write(rt, rt->cells[1], ABSENT));
    goto L_19;
L_15:;
    DO(t_7_23, 16, op_write(rt, rt->cells[2], ABSENT));
    goto L_16;
L_12:;
L_24:;
    CHAR_UPPER(c_, c_2, 17);
    if (c_) {
        goto L_25;
    }
    CHAR_LOWER(c_, c_2, 18);
    if (c_) {
        goto L_26;
    }
    DO(t_10_27, 19, op_write(rt, rt->cells[3], ABSENT));
    goto L_13;
L_26:;
    DO(t_9_28, 19, op_write(rt, rt->cells[4], ABSENT));
    goto L_13;
L_25:;
    DO(t_8_29, 19, op_write(rt, rt->cells[5], ABSENT));
    goto L_13;
L_11:;
    goto L_24;
L_10:;
    goto L_24;
}

static const place the_places[] = {
    {0},
    {"strings.scm:16:12", "(char-downcase c)", " 16 |   (display (char-downcase c))\012    |            ^^^^^^^^^^^^^^^^^\012", NULL, 0, 509, 526, 0},
    {"strings.scm:16:3", "(display (char-downcase c))", " 16 |   (display (char-downcase c))\012    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 500, 527, 0},
    {"strings.scm:17:13", "(char->integer c)", " 17 |   (write (+ (char->integer c) 1))\012    |             ^^^^^^^^^^^^^^^^^\012", NULL, 0, 540, 557, 0},
    {"strings.scm:17:3", "(write (+ (char->integer c) 1))", " 17 |   (write (+ (char->integer c) 1))\012    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 530, 561, 0},
    {"strings.scm:18:11", "(char-alphabetic\077 c)", " 18 |   (if (or (char-alphabetic\077 c) (char-numeric\077 c) (char-whitespace\077 c))\012    |           ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 572, 592, 0},
    {"strings.scm:18:7", "(or (char-alphabetic\077 c) (char-numeric\077 c) (char-whitespace\342\200\246", " 18 |   (if (or (char-alphabetic\077 c) (char-numeric\077 c) (char-whitespace\077 c))\012    |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 568, 632, 0},
    {"strings.scm:18:32", "(char-numeric\077 c)", " 18 |   (if (or (char-alphabetic\077 c) (char-numeric\077 c) (char-whitespace\077 c))\012    |                                ^^^^^^^^^^^^^^^^^\012", NULL, 0, 593, 610, 0},
    {"strings.scm:18:50", "(char-whitespace\077 c)", " 18 |   (if (or (char-alphabetic\077 c) (char-numeric\077 c) (char-whitespace\077 c))\012    |                                                  ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 611, 631, 0},
    {"strings.scm:20:10", "(number\077 x)", " 20 |   (cond ((number\077 x) (write 'number)))\012    |          ^^^^^^^^^^^\012", NULL, 0, 730, 741, 0},
    {"strings.scm:20:9", "((number\077 x) (write 'number))", " 20 |   (cond ((number\077 x) (write 'number)))\012    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 729, 758, 0, "parentheses call what stands first in them: is a pair too much\077"},
    {"strings.scm:21:10", "(complex\077 x)", " 21 |   (cond ((complex\077 x) (write 'complex)))\012    |          ^^^^^^^^^^^^\012", NULL, 0, 769, 781, 0},
    {"strings.scm:21:9", "((complex\077 x) (write 'complex))", " 21 |   (cond ((complex\077 x) (write 'complex)))\012    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 768, 799, 0, "parentheses call what stands first in them: is a pair too much\077"},
    {"strings.scm:22:10", "(real\077 x)", " 22 |   (cond ((real\077 x) (write 'real)))\012    |          ^^^^^^^^^\012", NULL, 0, 810, 819, 0},
    {"strings.scm:22:20", "(write 'real)", " 22 |   (cond ((real\077 x) (write 'real)))\012    |                    ^^^^^^^^^^^^^\012", NULL, 0, 820, 833, 0},
    {"strings.scm:21:23", "(write 'complex)", " 21 |   (cond ((complex\077 x) (write 'complex)))\012    |                       ^^^^^^^^^^^^^^^^\012", NULL, 0, 782, 798, 0},
    {"strings.scm:20:22", "(write 'number)", " 20 |   (cond ((number\077 x) (write 'number)))\012    |                      ^^^^^^^^^^^^^^^\012", NULL, 0, 742, 757, 0},
    {"strings.scm:19:18", "(char-upper-case\077 c)", " 19 |       (write (if (char-upper-case\077 c) 'upper (if (char-lower-case\077 c) 'lower 'other))))\012    |                  ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 650, 670, 0},
    {"strings.scm:19:50", "(char-lower-case\077 c)", " 19 |       (write (if (char-upper-case\077 c) 'upper (if (char-lower-case\077 c) 'lower 'other))))\012    |                                                  ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 682, 702, 0},
    {"strings.scm:19:7", "(write (if (char-upper-case\077 c) 'upper (if (char-lower-case\342\200\246", " 19 |       (write (if (char-upper-case\077 c) 'upper (if (char-lower-case\077 c) 'lower 'other))))\012    |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 639, 719, 0},
    {"strings.scm:15:1", "(define (letters c x) (display (char-downcase c)) (write (+\342\200\246", " 15 | (define (letters c x)\012    | ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 476, 840, 0}
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
    {20, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_letters_1, "letters"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"4,realy;\"7,complexy;\"6,numbery;\"5,othery;\"5,lowery;\"5,uppery;";

static const char *const the_parameters[] = {
    "c",
    "x",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_letters_1);
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
    .constant_count = 6,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 20,
    .entry = the_entry
};
