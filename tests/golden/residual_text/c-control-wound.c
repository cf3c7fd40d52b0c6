#include "inline.h"

#define GLOBALS 2

#pragma GCC visibility push(hidden)

word op_cdr(runtime *rt, word a0);
word op_cell_ref(runtime *rt, word a0);
word op_cell_set_x(runtime *rt, word a0, word a1);
word op_display(runtime *rt, word a0, word a1);
word op_values(runtime *rt, long count, const word *words);
word op_values_to_list(runtime *rt, word a0);

#pragma GCC visibility pop

static void s_wound_1(word *sp, word *hp, word self, word a);
static void wound_1(word *sp, word *hp, word thunk_6);
static void wound_k_1_5(word *sp, word *hp, word value);
static void s_wound_2(word *sp, word *hp, word self);
static void wound_2(word *sp, word *hp);
static void s_wound_3(word *sp, word *hp, word self);
static void wound_3(word *sp, word *hp);
static void lambda_4(word *sp, word *hp, word self, word results_17);

static const word c_wound_1[2] = {CLOSURE_HEADER(1, 1), (word)s_wound_1};

static const word c_wound_2[2] = {CLOSURE_HEADER(1, 0), (word)s_wound_2};

static const word c_wound_3[2] = {CLOSURE_HEADER(1, 0), (word)s_wound_3};

static const primitive d_values_22 = {"values", 0, -1, 0, -1, 0, ABSENT, ABSENT, op_values, NULL};

static const word p_values_22[3] = {PRIMITIVE_HEADER(ANY_NUMBER), 0, (word)&d_values_22};

static void s_wound_1(word *sp, word *hp, word self, word a)
{
    return wound_1(sp, hp, a);
}

static void wound_1(word *sp, word *hp, word thunk_6)
{
    word t_7;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit || sp > rt->stack_limit)) {
        sp[0] = thunk_6;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        thunk_6 = sp[0];
    }
    DO(t_7, 2, op_display(rt, rt->cells[0], ABSENT));
    LEAVE(1);
    sp[0] = (word)wound_k_1_5;
    if (LIKELY(TAKES(thunk_6, 0))) {
        return ((void (*)(word *, word *, word))CLOSURE_CODE(thunk_6))(sp + 1, hp, thunk_6);
    }
    return apply(sp + 1, hp, thunk_6, 0);
}

static void wound_k_1_5(word *sp, word *hp, word value)
{
    word t_1_8;
    word t_2_9;
    word cell_10;
    word pair_11;
    word pair_1_12;
    word t_3_13;
    word lambda_1_14;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp--;
    t_1_8 = value;
    DO(t_2_9, 3, op_values_to_list(rt, t_1_8));
    BOX(cell_10, CELL, UNSPECIFIED);
    CONS(pair_11, CONSTANT_CLOSURE(c_wound_2), CONSTANT_CLOSURE(c_wound_3));
    CONS(pair_1_12, pair_11, NIL);
    CELL_SET(cell_10, pair_1_12, 0);
    t_3_13 = UNSPECIFIED;
    CLOSURE_OF(lambda_1_14, lambda_4, LEAST | 0 | OF_LIBRARY, 1);
    FREE(lambda_1_14, 0) = cell_10;
    LEAVE(3);
    PASS(3);
    rt->arguments[0] = lambda_1_14;
    rt->arguments[1] = t_2_9;
    return control_apply(sp, hp, 2);
}

static void s_wound_2(word *sp, word *hp, word self)
{
    return wound_2(sp, hp);
}

static void wound_2(word *sp, word *hp)
{
    word t_5_15;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        CALL_3(enter, sp, hp, 0);
        sp = rt->sp;
        hp = rt->hp;
    }
    DO(t_5_15, 4, op_display(rt, rt->cells[0], ABSENT));
    RETURN(t_5_15);
}

static void s_wound_3(word *sp, word *hp, word self)
{
    return wound_3(sp, hp);
}

static void wound_3(word *sp, word *hp)
{
    word t_6_16;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        CALL_3(enter, sp, hp, 0);
        sp = rt->sp;
        hp = rt->hp;
    }
    DO(t_6_16, 5, op_display(rt, rt->cells[1], ABSENT));
    RETURN(t_6_16);
}

static void lambda_4(word *sp, word *hp, word self, word results_17)
{
    word percent_winds_18;
    word percent_winds_1_19;
    word percent_winds_2_20;
    word t_4_21;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = self;
        sp[1] = results_17;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        self = sp[0];
        results_17 = sp[1];
    }
    CELL_REF(percent_winds_18, FREE(self, 0), 6);
    READ_CDR(percent_winds_1_19, percent_winds_18, 7);
    CELL_SET(FREE(self, 0), percent_winds_1_19, 6);
    percent_winds_2_20 = UNSPECIFIED;
    DO(t_4_21, 5, op_display(rt, rt->cells[1], ABSENT));
    LEAVE(6);
    rt->arguments[0] = CONSTANT_CLOSURE(p_values_22);
    rt->arguments[1] = results_17;
    return control_apply(sp, hp, 2);
}

static const place the_places[] = {
    {0},
    {"control.scm:23:16", "(force (delay (thunk)))", " 23 |     (lambda () (force (delay (thunk))))\012    |                ^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 621, 644, 0},
    {"control.scm:21:3", "(dynamic-wind (lambda () (display \"in \")) (lambda () (force\342\200\246", " 21 |   (dynamic-wind\012    |   ^^^^^^^^^^^^^\012", NULL, 0, 560, 678, 0},
    {"control.scm:23:30", "(thunk)", " 23 |     (lambda () (force (delay (thunk))))\012    |                              ^^^^^^^\012", NULL, 0, 635, 642, 0, "parentheses call what stands first in them: the value alone is written thunk"},
    {"control.scm:22:16", "(display \"in \")", " 22 |     (lambda () (display \"in \"))\012    |                ^^^^^^^^^^^^^^^\012", NULL, 0, 589, 604, 0},
    {"control.scm:24:16", "(display \"out\")", " 24 |     (lambda () (display \"out\"))))\012    |                ^^^^^^^^^^^^^^^\012", NULL, 0, 661, 676, 0},
    {"", "", "", "", 1, 0, 0, 0},
    {"control.scm:20:1", "(define (wound thunk) (dynamic-wind (lambda () (display \"in\342\200\246", " 20 | (define (wound thunk)\012    | ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 536, 679, 0}
};

static const site the_sites[] = {
    {0},
    {3, 1, NULL},
    {4, 6, NULL},
    {2, 0, NULL},
    {4, 0, NULL},
    {5, 0, NULL},
    {6, 0, NULL},
    {6, 0, "dynamic-wind"},
    {7, 0, NULL}
};

static const int the_calls[] = {
    0, 1, 1, 2, 1, 0, 2, 1,
    0
};

static const frame the_frames[] = {
    {(code)wound_k_1_5, 1, 1}
};

static const procedure_name the_names[] = {
    {(void *)s_wound_1, "wound"},
    {(void *)s_wound_2, "wound"},
    {(void *)s_wound_3, "wound"},
    {(void *)lambda_4, "lambda"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"3,in ;\"3,out;";

static const char *const the_parameters[] = {
    "thunk",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_wound_1);
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
    .frame_count = 1,
    .name_count = 4,
    .constant_count = 2,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 8,
    .entry = the_entry
};
