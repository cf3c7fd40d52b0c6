#include "inline.h"

#define GLOBALS 4

#pragma GCC visibility push(hidden)

#pragma GCC visibility pop

static void s_table_1(word *sp, word *hp, word self, word a);
static void table_1(word *sp, word *hp, word key_2);

static const word c_table_1[2] = {CLOSURE_HEADER(1, 1), (word)s_table_1};

static void s_table_1(word *sp, word *hp, word self, word a)
{
    return table_1(sp, hp, a);
}

static void table_1(word *sp, word *hp, word key_2)
{
    word pair_5;
    word pair_1_6;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = key_2;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        key_2 = sp[0];
    }
    if (rt->cells[0] == key_2) {
        goto L_3;
    }
    if (rt->cells[1] == key_2) {
        goto L_4;
    }
    CONS(pair_5, key_2, NIL);
    CONS(pair_1_6, key_2, pair_5);
    RETURN(pair_1_6);
L_4:;
    RETURN(rt->cells[2]);
L_3:;
    RETURN(rt->cells[3]);
}

static const place the_places[] = {
    {0},
    {"data.scm:49:12", "(eq\077 (caar entries) key)", " 49 |           ((eq\077 (caar entries) key) (cdar entries))\012    |            ^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1736, 1760, 0},
    {"data.scm:46:1", "(define (table key) (let loop ((entries '((red 255 0 0) (gr\342\200\246", " 46 | (define (table key)\012    | ^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 1594, 1833, 0}
};

static const site the_sites[] = {
    {0},
    {1, 0, NULL},
    {2, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_table_1, "table"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"3,redy;\"5,greeny;i0,i255,i0,()p=2,p=1,p=0,;i255,i0,i0,()p=5,p=4,p=3,;";

static const char *const the_parameters[] = {
    "key",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_table_1);
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
    .constant_count = 4,
    .shared_count = 6,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 2,
    .entry = the_entry
};
