#define WITH_FLOATS

#include "inline.h"

#define GLOBALS 1

#pragma GCC visibility push(hidden)

word op_mul(runtime *rt, word a0, word a1);
word op_add(runtime *rt, word a0, word a1);
word op_sub(runtime *rt, word a0, word a1);
word op_car(runtime *rt, word a0);
word op_cdr(runtime *rt, word a0);
word op_sqrt(runtime *rt, word a0);

#pragma GCC visibility pop

static void s_numbers_1(word *sp, word *hp, word self, word a, word b, word c);
static void numbers_1(word *sp, word *hp, word x_2, word y_3, word items_4);

static const word c_numbers_1[2] = {CLOSURE_HEADER(1, 3), (word)s_numbers_1};

static void s_numbers_1(word *sp, word *hp, word self, word a, word b, word c)
{
    return numbers_1(sp, hp, a, b, c);
}

static void numbers_1(word *sp, word *hp, word x_2, word y_3, word items_4)
{
    double t_3_11;
    double t_4_12;
    word z_5;
    word items_1_6;
    word t_1_9;
    word t_2_10;
    word t_3_11_box;
    word t_4_12_box;
    word t_5_13;
    word t_14;
    word pair_15;
    word pair_1_16;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = x_2;
        sp[1] = y_3;
        sp[2] = items_4;
        CALL_3(enter, sp, hp, 3);
        sp = rt->sp;
        hp = rt->hp;
        x_2 = sp[0];
        y_3 = sp[1];
        items_4 = sp[2];
    }
    z_5 = x_2;
    items_1_6 = items_4;
L_7:;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = z_5;
        sp[1] = items_1_6;
        sp[2] = y_3;
        CALL_3(enter, sp, hp, 3);
        sp = rt->sp;
        hp = rt->hp;
        z_5 = sp[0];
        items_1_6 = sp[1];
        y_3 = sp[2];
    }
    if (items_1_6 == NIL) {
        goto L_8;
    }
    MUL(t_1_9, z_5, y_3, 2);
    READ_CAR(t_2_10, items_1_6, 3);
    if (LIKELY(IS_FLONUM(t_2_10))) {
        t_3_11 = UNBOX(t_2_10) - 0.5;
    } else {
        word t_;
        DO(t_, 4, CALL_2(op_sub, t_2_10, rt->cells[0]));
        t_3_11 = UNBOX(t_);
    }
    t_3_11_box = 0;
    if (LIKELY(IS_FLONUM(t_1_9))) {
        t_4_12 = UNBOX(t_1_9) + t_3_11;
    } else {
        word t_;
        if (!t_3_11_box) {
            FLOAT(t_3_11_box, t_3_11);
        }
        DO(t_, 5, CALL_2(op_add, t_1_9, t_3_11_box));
        t_4_12 = UNBOX(t_);
    }
    t_4_12_box = 0;
    READ_CDR(t_5_13, items_1_6, 6);
    if (!t_4_12_box) {
        FLOAT(t_4_12_box, t_4_12);
    }
    z_5 = t_4_12_box;
    items_1_6 = t_5_13;
    goto L_7;
L_8:;
    DO(t_14, 7, op_sqrt(rt, y_3));
    CONS(pair_15, t_14, NIL);
    CONS(pair_1_16, z_5, pair_15);
    RETURN(pair_1_16);
}

static const place the_places[] = {
    {0},
    {"control.scm:35:9", "(null\077 items)", " 35 |     (if (null\077 items) (list z (sqrt y))\012    |         ^^^^^^^^^^^^^\012", NULL, 0, 1015, 1028, 0},
    {"control.scm:36:18", "(* z y)", " 36 |         (loop (+ (* z y) (- (car items) 0.5)) (cdr items)))))\012    |                  ^^^^^^^\012", NULL, 0, 1064, 1071, 0},
    {"control.scm:36:29", "(car items)", " 36 |         (loop (+ (* z y) (- (car items) 0.5)) (cdr items)))))\012    |                             ^^^^^^^^^^^\012", NULL, 0, 1075, 1086, 0},
    {"control.scm:36:26", "(- (car items) 0.5)", " 36 |         (loop (+ (* z y) (- (car items) 0.5)) (cdr items)))))\012    |                          ^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1072, 1091, 0},
    {"control.scm:36:15", "(+ (* z y) (- (car items) 0.5))", " 36 |         (loop (+ (* z y) (- (car items) 0.5)) (cdr items)))))\012    |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1061, 1092, 0},
    {"control.scm:36:47", "(cdr items)", " 36 |         (loop (+ (* z y) (- (car items) 0.5)) (cdr items)))))\012    |                                               ^^^^^^^^^^^\012", NULL, 0, 1093, 1104, 0},
    {"control.scm:35:31", "(sqrt y)", " 35 |     (if (null\077 items) (list z (sqrt y))\012    |                               ^^^^^^^^\012", NULL, 0, 1037, 1045, 0},
    {"control.scm:33:1", "(define (numbers x y items) (let loop ((z x) (items items))\342\200\246", " 33 | (define (numbers x y items)\012    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 945, 1108, 0}
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
    {8, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_numbers_1, "numbers"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "f3fe0000000000000,;";

static const char *const the_parameters[] = {
    "x",
    "y",
    "items",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_numbers_1);
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
    .constant_count = 1,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 8,
    .entry = the_entry
};
