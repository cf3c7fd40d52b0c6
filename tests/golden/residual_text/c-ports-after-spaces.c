#include "inline.h"

#define GLOBALS 0

#pragma GCC visibility push(hidden)

word op_peek_char(runtime *rt, word a0);
word op_read_char(runtime *rt, word a0);

#pragma GCC visibility pop

static void s_after_spaces_1(word *sp, word *hp, word self, word a);
static void after_spaces_1(word *sp, word *hp, word port_2);

static const word c_after_spaces_1[2] = {CLOSURE_HEADER(1, 1), (word)s_after_spaces_1};

static void s_after_spaces_1(word *sp, word *hp, word self, word a)
{
    return after_spaces_1(sp, hp, a);
}

static void after_spaces_1(word *sp, word *hp, word port_2)
{
    word t_3;
    word t_1_4;
    word t_4_7;
    word t_2_8;
    word t_3_9;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = port_2;
        CALL_3(enter, sp, hp, 1);
        sp = rt->sp;
        hp = rt->hp;
        port_2 = sp[0];
    }
    PEEK_CHAR(t_3, port_2, 1);
    t_1_4 = t_3;
L_5:;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = t_1_4;
        sp[1] = port_2;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        t_1_4 = sp[0];
        port_2 = sp[1];
    }
    if (t_1_4 == CHARACTER(32)) {
        goto L_6;
    }
    READ_CHAR(t_4_7, port_2, 3);
    RETURN(t_4_7);
L_6:;
    READ_CHAR(t_2_8, port_2, 4);
    PEEK_CHAR(t_3_9, port_2, 1);
    t_1_4 = t_3_9;
    goto L_5;
}

static const place the_places[] = {
    {0},
    {"ports.scm:6:16", "(peek-char port)", " 6 |   (cond ((eqv\077 (peek-char port) #\\space)\012   |                ^^^^^^^^^^^^^^^^\012", NULL, 0, 115, 131, 0},
    {"ports.scm:6:10", "(eqv\077 (peek-char port) #\\space)", " 6 |   (cond ((eqv\077 (peek-char port) #\\space)\012   |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 109, 140, 0},
    {"ports.scm:9:15", "(read-char port)", " 9 |         (else (read-char port))))\012   |               ^^^^^^^^^^^^^^^^\012", NULL, 0, 211, 227, 0},
    {"ports.scm:7:10", "(read-char port)", " 7 |          (read-char port)\012   |          ^^^^^^^^^^^^^^^^\012", NULL, 0, 150, 166, 0},
    {"ports.scm:5:1", "(define (after-spaces port) (cond ((eqv\077 (peek-char port) #\342\200\246", " 5 | (define (after-spaces port)\012   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 72, 230, 0}
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
    0
};

static const procedure_name the_names[] = {
    {(void *)s_after_spaces_1, "after-spaces"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "";

static const char *const the_parameters[] = {
    "port",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_after_spaces_1);
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
    .constant_count = 0,
    .shared_count = 0,
    .global_count = 1,
    .item_count = 0,
    .word_bytes = 4,
    .entry_site = 5,
    .entry = the_entry
};
