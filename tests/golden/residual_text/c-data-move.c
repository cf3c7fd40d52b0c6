#include "inline.h"

#define GLOBALS 2

#pragma GCC visibility push(hidden)

word op_add(runtime *rt, word a0, word a1);
word op_error(runtime *rt, long count, const word *words);
word op_record_ref(runtime *rt, word a0, word a1, word a2);
word op_record_set_x(runtime *rt, word a0, word a1, word a2, word a3);

#pragma GCC visibility pop

static void s_move_1(word *sp, word *hp, word self, word a, word b);
static void move_1(word *sp, word *hp, word p_2, word dx_3);

static const word c_move_1[2] = {CLOSURE_HEADER(1, 2), (word)s_move_1};

static void s_move_1(word *sp, word *hp, word self, word a, word b)
{
    return move_1(sp, hp, a, b);
}

static void move_1(word *sp, word *hp, word p_2, word dx_3)
{
    word t_4_5;
    word t_6;
    word t_1_7;
    word t_2_8;
    word t_3_9;
    word point_10;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = p_2;
        sp[1] = dx_3;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        p_2 = sp[0];
        dx_3 = sp[1];
    }
    if (IS_RECORD(p_2, rt->cells[0])) {
        goto L_4;
    }
    rt->arguments[0] = rt->cells[1];
    rt->arguments[1] = p_2;
    DO(t_4_5, 2, CALL_2(op_error, 2, rt->arguments));
    RETURN(t_4_5);
L_4:;
    RECORD_REF(t_6, rt->cells[0], 0, p_2, 3);
    ADD(t_1_7, t_6, dx_3, 4);
    RECORD_SET(rt->cells[0], 0, p_2, t_1_7, 5);
    t_2_8 = UNSPECIFIED;
    RECORD_REF(t_3_9, rt->cells[0], 1, p_2, 6);
    hp[1] = rt->cells[0];
    hp[2] = t_3_9;
    hp[3] = t_1_7;
    OBJECT_OF(point_10, RECORD, 3);
    RETURN(point_10);
}

static const place the_places[] = {
    {0},
    {"data.scm:31:7", "(point\077 p)", " 31 |   (if (point\077 p)\012    |       ^^^^^^^^^^\012", NULL, 0, 1063, 1073, 0},
    {"data.scm:33:7", "(error \"no point:\" p)", " 33 |       (error \"no point:\" p)))\012    |       ^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1167, 1188, 0},
    {"data.scm:32:33", "(point-x p)", " 32 |       (begin (set-point-x! p (+ (point-x p) dx)) (make-point (point-y p) (point-x p)))\012    |                                 ^^^^^^^^^^^\012", NULL, 0, 1106, 1117, 0},
    {"data.scm:32:30", "(+ (point-x p) dx)", " 32 |       (begin (set-point-x! p (+ (point-x p) dx)) (make-point (point-y p) (point-x p)))\012    |                              ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1103, 1121, 0},
    {"data.scm:32:14", "(set-point-x! p (+ (point-x p) dx))", " 32 |       (begin (set-point-x! p (+ (point-x p) dx)) (make-point (point-y p) (point-x p)))\012    |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1087, 1122, 0},
    {"data.scm:32:62", "(point-y p)", " 32 |       (begin (set-point-x! p (+ (point-x p) dx)) (make-point (point-y p) (point-x p)))\012    |                                                              ^^^^^^^^^^^\012", NULL, 0, 1135, 1146, 0},
    {"data.scm:30:1", "(define (move p dx) (if (point\077 p) (begin (set-point-x! p (\342\200\246", " 30 | (define (move p dx)\012    | ^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1037, 1190, 0}
};

static const site the_sites[] = {
    {0},
    {1, 0, NULL},
    {2, 0, NULL},
    {3, 0, NULL},
    {4, 0, NULL},
    {5, 0, "set-point-x!"},
    {6, 0, NULL},
    {7, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_move_1, "move"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"5,point\"5,point\"1,x\"1,yr2,=0,;\"9,no point:;";

static const char *const the_parameters[] = {
    "p",
    "dx",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_move_1);
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
    .constant_count = 2,
    .shared_count = 1,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 7,
    .entry = the_entry
};
