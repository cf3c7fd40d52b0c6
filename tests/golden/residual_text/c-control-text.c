#include "inline.h"

#define GLOBALS 1

#pragma GCC visibility push(hidden)

word op_char_upcase(runtime *rt, word a0);
word op_display(runtime *rt, word a0, word a1);
word op_number_to_string(runtime *rt, word a0, word a1);
word op_string_to_list(runtime *rt, word a0, word a1, word a2);
word op_string_to_symbol(runtime *rt, word a0);
word op_string_append(runtime *rt, long count, const word *words);
word op_string_length(runtime *rt, word a0);
word op_string_ref(runtime *rt, word a0, word a1);
word op_substring(runtime *rt, word a0, word a1, word a2);
word op_write(runtime *rt, word a0, word a1);

#pragma GCC visibility pop

static void s_text_1(word *sp, word *hp, word self, word a, word b);
static void text_1(word *sp, word *hp, word a_2, word n_3);

static const word c_text_1[2] = {CLOSURE_HEADER(1, 2), (word)s_text_1};

static void s_text_1(word *sp, word *hp, word self, word a, word b)
{
    return text_1(sp, hp, a, b);
}

static void text_1(word *sp, word *hp, word a_2, word n_3)
{
    word t_4;
    word out_5;
    word t_1_6;
    word t_2_7;
    word t_3_8;
    word t_4_9;
    word t_5_10;
    word t_6_11;
    word t_7_12;
    word t_8_13;
    runtime *rt = runtime_of(sp);
    bool c_;
    if (UNLIKELY(hp > rt->heap_limit)) {
        sp[0] = a_2;
        sp[1] = n_3;
        CALL_3(enter, sp, hp, 2);
        sp = rt->sp;
        hp = rt->hp;
        a_2 = sp[0];
        n_3 = sp[1];
    }
    DO(t_4, 1, op_number_to_string(rt, n_3, ABSENT));
    rt->arguments[0] = a_2;
    rt->arguments[1] = t_4;
    rt->arguments[2] = rt->cells[0];
    DO(out_5, 2, op_string_append(rt, 3, rt->arguments));
    DO(t_1_6, 3, op_string_to_symbol(rt, out_5));
    DO(t_2_7, 4, op_write(rt, t_1_6, ABSENT));
    STRING_REF(t_3_8, out_5, FIX(0LL), 5);
    CHAR_UPCASE(t_4_9, t_3_8, 6);
    DO(t_5_10, 7, op_display(rt, t_4_9, ABSENT));
    STRING_LENGTH(t_6_11, a_2, 8);
    DO(t_7_12, 9, op_substring(rt, out_5, FIX(0LL), t_6_11));
    DO(t_8_13, 10, op_string_to_list(rt, t_7_12, ABSENT, ABSENT));
    RETURN(t_8_13);
}

static const place the_places[] = {
    {0},
    {"control.scm:27:31", "(number->string n)", " 27 |   (let ((out (string-append a (number->string n) \"\\n\")))\012    |                               ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 730, 748, 0},
    {"control.scm:27:14", "(string-append a (number->string n) \"\\n\")", " 27 |   (let ((out (string-append a (number->string n) \"\\n\")))\012    |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 713, 754, 0},
    {"control.scm:28:12", "(string->symbol out)", " 28 |     (write (string->symbol out))\012    |            ^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 768, 788, 0},
    {"control.scm:28:5", "(write (string->symbol out))", " 28 |     (write (string->symbol out))\012    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 761, 789, 0},
    {"control.scm:29:27", "(string-ref out 0)", " 29 |     (display (char-upcase (string-ref out 0)))\012    |                           ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 816, 834, 0},
    {"control.scm:29:14", "(char-upcase (string-ref out 0))", " 29 |     (display (char-upcase (string-ref out 0)))\012    |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 803, 835, 0},
    {"control.scm:29:5", "(display (char-upcase (string-ref out 0)))", " 29 |     (display (char-upcase (string-ref out 0)))\012    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 794, 836, 0},
    {"control.scm:30:36", "(string-length a)", " 30 |     (string->list (substring out 0 (string-length a)))))\012    |                                    ^^^^^^^^^^^^^^^^^\012", NULL, 0, 872, 889, 0},
    {"control.scm:30:19", "(substring out 0 (string-length a))", " 30 |     (string->list (substring out 0 (string-length a)))))\012    |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 855, 890, 0},
    {"control.scm:30:5", "(string->list (substring out 0 (string-length a)))", " 30 |     (string->list (substring out 0 (string-length a)))))\012    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\012", NULL, 0, 841, 891, 0},
    {"control.scm:26:1", "(define (text a n) (let ((out (string-append a (number->str\342\200\246", " 26 | (define (text a n)\012    | ^^^^^^^^^^^^^^^^^^\012", NULL, 0, 681, 893, 0}
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
    {8, 0, NULL},
    {9, 0, NULL},
    {10, 0, NULL},
    {11, 0, NULL}
};

static const int the_calls[] = {
    0
};

static const frame the_frames[] = {
    0
};

static const procedure_name the_names[] = {
    {(void *)s_text_1, "text"}
};

static const returned the_items[] = {
    0
};

static const int the_item_sites[] = {
    0
};

static const char the_constants[] = "\"1,\012;";

static const char *const the_parameters[] = {
    "a",
    "n",
    NULL
};

static const named_cell the_named_cells[] = {
    {NULL, 0}
};

static word the_entry(runtime *rt)
{
    (void)rt;
    return CONSTANT_CLOSURE(c_text_1);
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
    .entry_site = 11,
    .entry = the_entry
};
