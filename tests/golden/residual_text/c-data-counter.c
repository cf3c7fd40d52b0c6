#include "inline.h"

#define GLOBALS 0

#pragma GCC visibility push(hidden)

word op_add(runtime *rt, word a0, word a1);
word op_cell_ref(runtime *rt, word a0);
word op_cell_set_x(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_counter_1(word *sp, word *hp, word self, word a);
static void counter_1(word *sp, word *hp, word start_4);
static void lambda_2(word *sp, word *hp, word self);
static void lambda_3(word *sp, word *hp, word self, word rest_14);

static const word c_counter_1[2] = {CLOSURE_HEADER(1, 1), (word)s_counter_1};

static void s_counter_1(word *sp, word *hp, word self, word a)
{
    return counter_1(sp, hp, a);
}

static void counter_1(word *sp, word *hp, word start_4)
{
    word cell_5;
    word lambda_1_6;
    word lambda_2_7;
    word pair_8;
    word pair_1_9;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = start_4;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        start_4 = sp[0];
    }
    BOX(cell_5, CELL, start_4);
    CLOSURE_OF(lambda_1_6, lambda_2, 0, 1);
    FREE(lambda_1_6, 0) = cell_5;
    CLOSURE_OF(lambda_2_7, lambda_3, LEAST | 0, 1);
    FREE(lambda_2_7, 0) = cell_5;
    CONS(pair_8, lambda_2_7, NIL);
    CONS(pair_1_9, lambda_1_6, pair_8);
    RETURN(pair_1_9);
}

static void lambda_2(word *sp, word *hp, word self)
{
    word t_10;
    word n_11;
    word t_1_12;
    word t_2_13;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = self;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        self = sp[0];
    }
    CELL_REF(t_10, FREE(self, 0), 1);
    ADD(n_11, t_10, FIX(1LL), 2);
    CELL_SET(FREE(self, 0), n_11, 3);
    t_1_12 = UNSPECIFIED;
    CELL_REF(t_2_13, FREE(self, 0), 4);
    RETURN(t_2_13);
}

static void lambda_3(word *sp, word *hp, word self, word rest_14)
{
    word t_3_15;
    runtime *rt = runtime_of(sp);
    bool c_;
    CELL_SET(FREE(self, 0), FIX(0LL), 5);
    t_3_15 = UNSPECIFIED;
    RETURN(rest_14);
}

static const place the_places[] = {
    {0},
    {"data.scm:38:33", "n", " 38 |     (list (lambda () (set! n (+ n 1)) n) (lambda rest (set! n 0) rest))))\012    |                                 ^\012", NULL, 0, 1328, 1329, 0},
    {"data.scm:38:30", "(+ n 1)", " 38 |     (list (lambda () (set! n (+ n 1)) n) (lambda rest (set! n 0) rest))))\012    |                              ^^^^^^^\012", NULL, 0, 1325, 1332, 0},
    {"data.scm:38:22", "(set! n (+ n 1))", " 38 |     (list (lambda () (set! n (+ n 1)) n) (lambda rest (set! n 0) rest))))\012    |                      ^^^^^^^^^^^^^^^^\012", NULL, 0, 1317, 1333, 0},
    {"data.scm:38:39", "n", " 38 |     (list (lambda () (set! n (+ n 1)) n) (lambda rest (set! n 0) rest))))\012    |                                       ^\012", NULL, 0, 1334, 1335, 0},
    {"data.scm:38:55", "(set! n 0)", " 38 |     (list (lambda () (set! n (+ n 1)) n) (lambda rest (set! n 0) rest))))\012    |                                                       ^^^^^^^^^^\012", NULL, 0, 1350, 1360, 0},
    {"data.scm:36:1", "(define (counter start) (let ((n start)) (list (lambda () (\342\200\246", " 36 | (define (counter start)\012    | ^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1253, 1369, 0}
};

static const site the_sites[] = {
    {0},
    {1, 0, NULL},
    {2, 0, NULL},
    {3, 0, NULL},
    {4, 0, NULL},
    {5, 0, NULL},
    {6, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_counter_1, "counter"},
    {(void *)lambda_2, "lambda"},
    {(void *)lambda_3, "lambda"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "";

static const char *const the_parameters[] = {
    "start",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_counter_1);
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
    .name_count = 3,
    .constant_count = 0,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 6,
    .entry = the_entry
};
