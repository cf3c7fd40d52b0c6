#include "inline.h"

#define GLOBALS 0

#pragma GCC visibility push(hidden)

word op_mul(runtime *rt, word a0, word a1);
word op_add(runtime *rt, word a0, word a1);
word op_sub(runtime *rt, word a0, word a1);
word op_eq(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_each_other_1(word *sp, word *hp, word self, word a);
static void each_other_1(word *sp, word *hp, word n_5);
static void down_2(word *sp, word *hp, word k_6_12, word n_1_13);
static void down_down_2_10(word *sp, word *hp, word t_4_19);
static void down_k_8_11(word *sp, word *hp, word value);
static void up_3(word *sp, word *hp, word self, word k_1_24);
static void up_k_3_23(word *sp, word *hp, word value);
static void down_4(word *sp, word *hp, word self, word k_4_29);

static const word c_each_other_1[2] = {CLOSURE_HEADER(1, 1), (word)s_each_other_1};

static void s_each_other_1(word *sp, word *hp, word self, word a)
{
    return each_other_1(sp, hp, a);
}

static void each_other_1(word *sp, word *hp, word n_5)
{
    word up_6;
    word down_1_7;
    word pair_8;
    word pair_1_9;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = n_5;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        n_5 = sp[0];
    }
    CLOSURE_OF(up_6, up_3, 1, 1);
    FREE(up_6, 0) = n_5;
    CLOSURE_OF(down_1_7, down_4, 1, 1);
    FREE(down_1_7, 0) = n_5;
    CONS(pair_8, down_1_7, NIL);
    CONS(pair_1_9, up_6, pair_8);
    RETURN(pair_1_9);
}

static void down_2(word *sp, word *hp, word k_6_12, word n_1_13)
{
    word t_3_15;
    word test_2_16;
    word t_6_18;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = k_6_12;
        sp[1] = n_1_13;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        k_6_12 = sp[0];
        n_1_13 = sp[1];
    }
    NUMBERS_EQ(c_, k_6_12, FIX(0LL), 2);
    if (c_) {
        goto L_14;
    }
    SUB(t_3_15, k_6_12, FIX(1LL), 3);
    NUMBERS_EQ(c_, t_3_15, FIX(0LL), 4);
    test_2_16 = BOOL(c_);
    if (test_2_16 != FALSE) {
        goto L_17;
    }
    SUB(t_6_18, t_3_15, FIX(1LL), 6);
    sp[0] = (word)down_k_8_11;
    return down_2(sp + 1, hp, t_6_18, n_1_13);
L_17:;
    return down_down_2_10(sp, hp, n_1_13);
L_14:;
    RETURN(FIX(1LL));
}

static void down_down_2_10(word *sp, word *hp, word t_4_19)
{
    word t_5_20;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = t_4_19;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        t_4_19 = sp[0];
    }
    MUL(t_5_20, FIX(2LL), t_4_19, 7);
    RETURN(t_5_20);
}

static void down_k_8_11(word *sp, word *hp, word value)
{
    word t_7_21;
    word t_8_22;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp--;
    t_7_21 = value;
    ADD(t_8_22, FIX(1LL), t_7_21, 8);
    return down_down_2_10(sp, hp, t_8_22);
}

static void up_3(word *sp, word *hp, word self, word k_1_24)
{
    word t_26;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = self;
        sp[1] = k_1_24;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        self = sp[0];
        k_1_24 = sp[1];
    }
    NUMBERS_EQ(c_, k_1_24, FIX(0LL), 10);
    if (c_) {
        goto L_25;
    }
    SUB(t_26, k_1_24, FIX(1LL), 11);
    sp[0] = (word)up_k_3_23;
    return down_2(sp + 1, hp, t_26, FREE(self, 0));
L_25:;
    RETURN(FREE(self, 0));
}

static void up_k_3_23(word *sp, word *hp, word value)
{
    word t_1_27;
    word t_2_28;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp--;
    t_1_27 = value;
    ADD(t_2_28, FIX(1LL), t_1_27, 12);
    RETURN(t_2_28);
}

static void down_4(word *sp, word *hp, word self, word k_4_29)
{
    runtime *rt = runtime_of(sp);
    bool c_;
    return down_2(sp, hp, k_4_29, FREE(self, 0));
}

static const place the_places[] = {
    {0},
    {"data.scm:43:49", "(up (- k 1))", " 43 |            (down (lambda (k) (if (= k 0) 1 (* 2 (up (- k 1)))))))\012    |                                                 ^^^^^^^^^^^^\012", NULL, 0, 1554, 1566, 0},
    {"data.scm:42:47", "(down (- k 1))", " 42 |   (letrec ((up (lambda (k) (if (= k 0) n (+ 1 (down (- k 1))))))\012    |                                               ^^^^^^^^^^^^^^\012", NULL, 0, 1487, 1501, 0},
    {"data.scm:43:34", "(= k 0)", " 43 |            (down (lambda (k) (if (= k 0) 1 (* 2 (up (- k 1)))))))\012    |                                  ^^^^^^^\012", NULL, 0, 1539, 1546, 0},
    {"data.scm:43:53", "(- k 1)", " 43 |            (down (lambda (k) (if (= k 0) 1 (* 2 (up (- k 1)))))))\012    |                                                     ^^^^^^^\012", NULL, 0, 1558, 1565, 0},
    {"data.scm:42:32", "(= k 0)", " 42 |   (letrec ((up (lambda (k) (if (= k 0) n (+ 1 (down (- k 1))))))\012    |                                ^^^^^^^\012", NULL, 0, 1472, 1479, 0},
    {"data.scm:42:28", "(if (= k 0) n (+ 1 (down (- k 1))))", " 42 |   (letrec ((up (lambda (k) (if (= k 0) n (+ 1 (down (- k 1))))))\012    |                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1468, 1503, 0},
    {"data.scm:42:53", "(- k 1)", " 42 |   (letrec ((up (lambda (k) (if (= k 0) n (+ 1 (down (- k 1))))))\012    |                                                     ^^^^^^^\012", NULL, 0, 1493, 1500, 0},
    {"data.scm:43:44", "(* 2 (up (- k 1)))", " 43 |            (down (lambda (k) (if (= k 0) 1 (* 2 (up (- k 1)))))))\012    |                                            ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1549, 1567, 0},
    {"data.scm:42:42", "(+ 1 (down (- k 1)))", " 42 |   (letrec ((up (lambda (k) (if (= k 0) n (+ 1 (down (- k 1))))))\012    |                                          ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1482, 1502, 0},
    {"data.scm:43:18", "(lambda (k) (if (= k 0) 1 (* 2 (up (- k 1)))))", " 43 |            (down (lambda (k) (if (= k 0) 1 (* 2 (up (- k 1)))))))\012    |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1523, 1569, 0},
    {"data.scm:41:1", "(define (each-other n) (letrec ((up (lambda (k) (if (= k 0)\342\200\246", " 41 | (define (each-other n)\012    | ^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1418, 1592, 0}
};

static const site the_sites[] = {
    {0},
    {2, 1, NULL},
    {3, 0, NULL},
    {4, 0, NULL},
    {5, 4, NULL},
    {6, 0, NULL},
    {7, 7, NULL},
    {8, 0, NULL},
    {9, 10, NULL},
    {2, 0, NULL},
    {5, 0, NULL},
    {7, 0, NULL},
    {9, 0, NULL},
    {10, 0, NULL},
    {11, 0, NULL}
};

static const int the_calls[] = {
    0, 1, 1, 0, 1, 1, 0, 1,
    1, 0, 1, 1, 0
};

static const frame the_frames[] = {
    {(code)down_k_8_11, 1, 1},
    {(code)up_k_3_23, 1, 9}
};

static const procedure_name the_names[] = {
    {(void *)s_each_other_1, "each-other"},
    {(void *)up_3, "up"},
    {(void *)down_4, "down"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "";

static const char *const the_parameters[] = {
    "n",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_each_other_1);
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
    .frame_count = 2,
    .name_count = 3,
    .constant_count = 0,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 14,
    .entry = the_entry
};
