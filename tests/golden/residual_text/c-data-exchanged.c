#define WITH_FLOATS

#include "inline.h"

#define GLOBALS 4

#pragma GCC visibility push(hidden)

word op_set_car_x(runtime *rt, word a0, word a1);
word op_values(runtime *rt, long count, const word *words);
word op_values_to_list(runtime *rt, word a0);

#pragma GCC visibility pop

static void s_exchanged_1(word *sp, word *hp, word self, word a, word b, word c);
static void exchanged_1(word *sp, word *hp, word a_4, word b_5, word c_6);
static void exchanged_k_1_3(word *sp, word *hp, word value);
static void s_values_2(word *sp, word *hp, word self, word a, word b, word c);
static void values_2(word *sp, word *hp, word x_10, word y_11, word rest_12);

static const word c_exchanged_1[2] = {CLOSURE_HEADER(1, 3), (word)s_exchanged_1};

static const word c_values_2[2] = {CLOSURE_HEADER(1, LEAST | 2), (word)s_values_2};

static const primitive d_values_7 = {"values", 0, -1, 0, -1, 0, ABSENT, ABSENT, op_values, NULL};

static const word p_values_7[3] = {PRIMITIVE_HEADER(ANY_NUMBER), 0, (word)&d_values_7};

static void s_exchanged_1(word *sp, word *hp, word self, word a, word b, word c)
{
    return exchanged_1(sp, hp, a, b, c);
}

static void exchanged_1(word *sp, word *hp, word a_4, word b_5, word c_6)
{
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(sp > rt->stack_limit)) {
        sp[0] = a_4;
        sp[1] = b_5;
        sp[2] = c_6;
        CALL_3(enter, sp, hp, 3);
        sp = rt->sp;
        hp = rt->hp;
        a_4 = sp[0];
        b_5 = sp[1];
        c_6 = sp[2];
    }
    LEAVE(1);
    sp[0] = (word)exchanged_k_1_3;
    rt->arguments[0] = CONSTANT_CLOSURE(p_values_7);
    rt->arguments[1] = a_4;
    rt->arguments[2] = b_5;
    rt->arguments[3] = c_6;
    return control_apply(sp + 1, hp, 4);
}

static void exchanged_k_1_3(word *sp, word *hp, word value)
{
    word t_8;
    word t_1_9;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        *sp = value;
        CALL_2(collect_garbage, sp, hp);
        hp = rt->hp;
        value = *sp;
    }
    sp--;
    t_8 = value;
    DO(t_1_9, 2, op_values_to_list(rt, t_8));
    LEAVE(2);
    PASS(2);
    rt->arguments[0] = CONSTANT_CLOSURE(c_values_2);
    rt->arguments[1] = t_1_9;
    return control_apply(sp, hp, 2);
}

static void s_values_2(word *sp, word *hp, word self, word a, word b, word c)
{
    return values_2(sp, hp, a, b, c);
}

static void values_2(word *sp, word *hp, word x_10, word y_11, word rest_12)
{
    word t_2_13;
    word vector_1_14;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = x_10;
        sp[1] = y_11;
        sp[2] = rest_12;
        CALL_3(enter, sp, hp, 3);
        sp = rt->sp;
        hp = rt->hp;
        x_10 = sp[0];
        y_11 = sp[1];
        rest_12 = sp[2];
    }
    PUT_CAR(rest_12, x_10, 3);
    t_2_13 = UNSPECIFIED;
    hp[1] = y_11;
    hp[2] = rest_12;
    hp[3] = rt->cells[0];
    hp[4] = CHARACTER(99);
    hp[5] = rt->cells[1];
    hp[6] = rt->cells[2];
    hp[7] = rt->cells[3];
    OBJECT_OF(vector_1_14, VECTOR, 7);
    RETURN(vector_1_14);
}

static const place the_places[] = {
    {0},
    {"data.scm:66:16", "((x y . rest) (apply values a b c))", " 66 |   (let-values (((x y . rest) (apply values a b c)))\012    |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2689, 2724, 0, "parentheses call what stands first in them: is a pair too much\077"},
    {"data.scm:66:30", "(apply values a b c)", " 66 |   (let-values (((x y . rest) (apply values a b c)))\012    |                              ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2703, 2723, 0},
    {"data.scm:67:5", "(set-car! rest x)", " 67 |     (set-car! rest x)\012    |     ^^^^^^^^^^^^^^^^^\012", NULL, 0, 2730, 2747, 0},
    {"data.scm:65:1", "(define (exchanged a b c) (let-values (((x y . rest) (apply\342\200\246", " 65 | (define (exchanged a b c)\012    | ^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 2648, 2804, 0}
};

static const site the_sites[] = {
    {0},
    {2, 1, NULL},
    {1, 0, NULL},
    {3, 0, NULL},
    {4, 0, NULL}
};

static const int the_calls[] = {
    0, 1, 1, 0
};

static const frame the_frames[] = {
    {(code)exchanged_k_1_3, 1, 1}
};

static const procedure_name the_names[] = {
    {(void *)s_exchanged_1, "exchanged"},
    {(void *)s_values_2, "values"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"8,constant;\"6,symboly;f3ff8000000000000,;i1,i2,v2,=0,;";

static const char *const the_parameters[] = {
    "a",
    "b",
    "c",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_exchanged_1);
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
    .name_count = 2,
    .constant_count = 4,
    .shared_count = 1,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 4,
    .entry = the_entry
};
