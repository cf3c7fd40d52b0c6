#include "inline.h"

#define GLOBALS 0

#pragma GCC visibility push(hidden)

word op_mul(runtime *rt, word a0, word a1);
word op_add(runtime *rt, word a0, word a1);
word op_sub(runtime *rt, word a0, word a1);
word op_eq(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_each_other_1(word *sp, word *hp, word self, word a);
static void each_other_1(word *sp, word *hp, word n_6);
static void down_s_13(word *sp, word *hp, word k_6_14, word n_1_15);
static void down_down_2_11(word *sp, word *hp, word t_4_21);
static void down_k_8_12(word *sp, word *hp, word value);
static void up_3(word *sp, word *hp, word self, word k_1_31);
static void up_k_3_30(word *sp, word *hp, word value);
static void down_4(word *sp, word *hp, word self, word k_4_36);
static void down_2(word *sp, word *hp, word a0, word a1);
static word down_d_5(runtime *rt, word k_6_14, word n_1_15);

static const word c_each_other_1[2] = {CLOSURE_HEADER(1, 1), (word)s_each_other_1};

static void s_each_other_1(word *sp, word *hp, word self, word a)
{
    return each_other_1(sp, hp, a);
}

static void each_other_1(word *sp, word *hp, word n_6)
{
    word up_7;
    word down_1_8;
    word pair_9;
    word pair_1_10;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = n_6;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        n_6 = sp[0];
    }
    CLOSURE_OF(up_7, up_3, 1, 1);
    FREE(up_7, 0) = n_6;
    CLOSURE_OF(down_1_8, down_4, 1, 1);
    FREE(down_1_8, 0) = n_6;
    CONS(pair_9, down_1_8, NIL);
    CONS(pair_1_10, up_7, pair_9);
    RETURN(pair_1_10);
}

static void down_s_13(word *sp, word *hp, word k_6_14, word n_1_15)
{
    word t_3_17;
    word test_2_18;
    word t_6_20;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = k_6_14;
        sp[1] = n_1_15;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        k_6_14 = sp[0];
        n_1_15 = sp[1];
    }
    NUMBERS_EQ(c_, k_6_14, FIX(0LL), 2);
    if (c_) {
        goto L_16;
    }
    SUB(t_3_17, k_6_14, FIX(1LL), 3);
    NUMBERS_EQ(c_, t_3_17, FIX(0LL), 4);
    test_2_18 = BOOL(c_);
    if (test_2_18 != FALSE) {
        goto L_19;
    }
    SUB(t_6_20, t_3_17, FIX(1LL), 6);
    sp[0] = (word)down_k_8_12;
    return down_2(sp + 1, hp, t_6_20, n_1_15);
L_19:;
    return down_down_2_11(sp, hp, n_1_15);
L_16:;
    RETURN(FIX(1LL));
}

static void down_down_2_11(word *sp, word *hp, word t_4_21)
{
    word t_5_22;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = t_4_21;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        t_4_21 = sp[0];
    }
    MUL(t_5_22, FIX(2LL), t_4_21, 7);
    RETURN(t_5_22);
}

static void down_k_8_12(word *sp, word *hp, word value)
{
    word t_7_23;
    word t_8_24;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp--;
    t_7_23 = value;
    ADD(t_8_24, FIX(1LL), t_7_23, 8);
    return down_down_2_11(sp, hp, t_8_24);
}

static void up_3(word *sp, word *hp, word self, word k_1_31)
{
    word t_33;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = self;
        sp[1] = k_1_31;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        self = sp[0];
        k_1_31 = sp[1];
    }
    NUMBERS_EQ(c_, k_1_31, FIX(0LL), 10);
    if (c_) {
        goto L_32;
    }
    SUB(t_33, k_1_31, FIX(1LL), 11);
    sp[0] = (word)up_k_3_30;
    return down_2(sp + 1, hp, t_33, FREE(self, 0));
L_32:;
    RETURN(FREE(self, 0));
}

static void up_k_3_30(word *sp, word *hp, word value)
{
    word t_1_34;
    word t_2_35;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp--;
    t_1_34 = value;
    ADD(t_2_35, FIX(1LL), t_1_34, 12);
    RETURN(t_2_35);
}

static void down_4(word *sp, word *hp, word self, word k_4_36)
{
    runtime *rt = runtime_of(sp);
    bool c_;
    return down_2(sp, hp, k_4_36, FREE(self, 0));
}

#include "direct.h"

static void down_2(word *sp, word *hp, word a0, word a1)
{
    runtime *rt = runtime_of(sp);
    if (UNLIKELY(rt->pause != 0 || !IS_FIX(a0))) {
        PAUSE();
        return down_s_13(sp, hp, a0, a1);
    }
    rt->hp = hp;
    rt->sp = sp;
    word value = down_d_5(rt, a0, a1);
    if (UNLIKELY(value == UNWOUND)) {
        return resume(sp);
    }
    hp = rt->hp;
    RETURN(value);
}

static word down_d_5(runtime *rt, word k_6_14, word n_1_15)
{
    word t_3_17;
    word test_2_18;
    word t_6_20;
    word t_4_21;
    word t_5_22;
    word t_7_23;
    word t_8_24;
    word *hp = rt->hp;
    word value;
    bool c_;
S_25:;
    if (k_6_14 == FIX(0LL)) {
        goto L_26;
    }
    SUB_FIX(t_3_17, k_6_14, FIX(1LL), S_25_out);
    test_2_18 = BOOL(t_3_17 == FIX(0LL));
    if (test_2_18 != FALSE) {
        goto L_27;
    }
    SUB_FIX(t_6_20, t_3_17, FIX(1LL), S_25_out);
    if (UNLIKELY(C_STACK_IS_FULL(rt))) {
        goto S_25_out;
    }
    value = down_d_5(rt, t_6_20, n_1_15);
    if (UNLIKELY(value == UNWOUND)) {
        goto S_28_unwound;
    }
    goto S_28;
L_27:;
    t_4_21 = n_1_15;
    goto S_29;
L_26:;
    return FIX(1LL);
S_29:;
    MUL(t_5_22, FIX(2LL), t_4_21, S_29_out);
    return t_5_22;
S_28:;
    t_7_23 = value;
    ADD_FIX(t_8_24, FIX(1LL), t_7_23, S_28_out);
    t_4_21 = t_8_24;
    goto S_29;
S_25_out:;
    rt->resumed_words[0] = k_6_14;
    rt->resumed_words[1] = n_1_15;
    rt->resumed = (code)down_s_13;
    rt->resumed_count = 2;
    rt->above = 0;
    return UNWOUND;
S_29_out:;
    rt->resumed_words[0] = t_4_21;
    rt->resumed = (code)down_down_2_11;
    rt->resumed_count = 1;
    rt->above = 0;
    return UNWOUND;
S_28_out:;
    rt->resumed_words[0] = value;
    rt->resumed = (code)0;
    rt->resumed_count = 1;
    rt->above = 0;
S_28_unwound:;
    rt->unwound--;
    rt->unwound[0] = (word)down_k_8_12;
    return UNWOUND;
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
    {(code)down_k_8_12, 1, 1},
    {(code)up_k_3_30, 1, 9}
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
