#include "inline.h"

#define GLOBALS 0

#pragma GCC visibility push(hidden)

word op_add(runtime *rt, word a0, word a1);
word op_sub(runtime *rt, word a0, word a1);
word op_lt(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_fib_1(word *sp, word *hp, word self, word a);
static void fib_s_5(word *sp, word *hp, word n_6);
static void fib_k_1_3(word *sp, word *hp, word value);
static void fib_k_2_4(word *sp, word *hp, word value);
static void fib_1(word *sp, word *hp, word a0);
static word fib_d_2(runtime *rt, word n_6);

static const word c_fib_1[2] = {CLOSURE_HEADER(1, 1), (word)s_fib_1};

static void s_fib_1(word *sp, word *hp, word self, word a)
{
    return fib_1(sp, hp, a);
}

static void fib_s_5(word *sp, word *hp, word n_6)
{
    word n_1_8;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = n_6;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        n_6 = sp[0];
    }
    NUMBERS_LT(c_, n_6, FIX(2LL), 3);
    if (c_) {
        goto L_7;
    }
    SUB(n_1_8, n_6, FIX(1LL), 0);
    sp[0] = n_6;
    sp[1] = (word)fib_k_1_3;
    return fib_1(sp + 2, hp, n_1_8);
L_7:;
    RETURN(n_6);
}

static void fib_k_1_3(word *sp, word *hp, word value)
{
    word t_9;
    word n_2_10;
    word n_6;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp -= 2;
    n_6 = sp[0];
    t_9 = value;
    SUB(n_2_10, n_6, FIX(2LL), 0);
    sp[0] = t_9;
    sp[1] = (word)fib_k_2_4;
    return fib_1(sp + 2, hp, n_2_10);
}

static void fib_k_2_4(word *sp, word *hp, word value)
{
    word t_1_11;
    word t_2_12;
    word t_9;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp -= 2;
    t_9 = sp[0];
    t_1_11 = value;
    ADD(t_2_12, t_9, t_1_11, 4);
    RETURN(t_2_12);
}

#include "direct.h"

static void fib_1(word *sp, word *hp, word a0)
{
    runtime *rt = runtime_of(sp);
    if (UNLIKELY(rt->pause != 0 || !IS_FIX(a0))) {
        PAUSE();
        return fib_s_5(sp, hp, a0);
    }
    rt->hp = hp;
    rt->sp = sp;
    word value = fib_d_2(rt, a0);
    if (UNLIKELY(value == UNWOUND)) {
        return resume(sp);
    }
    hp = rt->hp;
    RETURN(value);
}

static word fib_d_2(runtime *rt, word n_6)
{
    word n_1_8;
    word t_9;
    word n_2_10;
    word t_1_11;
    word t_2_12;
    word *hp = rt->hp;
    word value;
    bool c_;
S_13:;
    if (n_6 < FIX(2LL)) {
        goto L_14;
    }
    SUB_FIX(n_1_8, n_6, FIX(1LL), S_13_out);
    if (UNLIKELY(C_STACK_IS_FULL(rt))) {
        goto S_13_out;
    }
    value = fib_d_2(rt, n_1_8);
    if (UNLIKELY(value == UNWOUND)) {
        goto S_15_unwound;
    }
    goto S_15;
L_14:;
    return n_6;
S_15:;
    t_9 = value;
    SUB_FIX(n_2_10, n_6, FIX(2LL), S_15_out);
    value = fib_d_2(rt, n_2_10);
    if (UNLIKELY(value == UNWOUND)) {
        goto S_16_unwound;
    }
    goto S_16;
S_16:;
    t_1_11 = value;
    ADD_FIX(t_2_12, t_9, t_1_11, S_16_out);
    return t_2_12;
S_13_out:;
    rt->resumed_words[0] = n_6;
    rt->resumed = (code)fib_s_5;
    rt->resumed_count = 1;
    rt->above = 0;
    return UNWOUND;
S_15_out:;
    rt->resumed_words[0] = value;
    rt->resumed = (code)0;
    rt->resumed_count = 1;
    rt->above = 0;
S_15_unwound:;
    rt->unwound -= 2;
    rt->unwound[0] = n_6;
    rt->unwound[1] = (word)fib_k_1_3;
    return UNWOUND;
S_16_out:;
    rt->resumed_words[0] = value;
    rt->resumed = (code)0;
    rt->resumed_count = 1;
    rt->above = 0;
S_16_unwound:;
    rt->unwound -= 2;
    rt->unwound[0] = t_9;
    rt->unwound[1] = (word)fib_k_2_4;
    return UNWOUND;
}

static const place the_places[] = {
    {0},
    {"loops.scm:42:20", "(fib (- n 1))", " 42 |   (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))\012    |                    ^^^^^^^^^^^^^\012", NULL, 0, 1297, 1310, 0},
    {"loops.scm:42:34", "(fib (- n 2))", " 42 |   (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))\012    |                                  ^^^^^^^^^^^^^\012", NULL, 0, 1311, 1324, 0},
    {"loops.scm:42:7", "(< n 2)", " 42 |   (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))\012    |       ^^^^^^^\012", NULL, 0, 1284, 1291, 0},
    {"loops.scm:42:17", "(+ (fib (- n 1)) (fib (- n 2)))", " 42 |   (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))\012    |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1294, 1325, 0},
    {"loops.scm:41:1", "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)\342\200\246", " 41 | (define (fib n)\012    | ^^^^^^^^^^^^^^^\012", NULL, 0, 1262, 1327, 0}
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
    {(code)fib_k_1_3, 2, 1},
    {(code)fib_k_2_4, 2, 2}
};

static const procedure_name the_names[] = {
    {(void *)s_fib_1, "fib"}
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
    return CONSTANT_CLOSURE(c_fib_1);
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
    .name_count = 1,
    .constant_count = 0,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 5,
    .entry = the_entry
};
