/* What the parts of the run time offer each other and compiled programs.  The operations of the
   primitive table, `word op_NAME(RT, word ...)`, are declared where they are used; those that the
   table itself says in C are made from it (cogen/backends/native/derived.py). */

#ifndef COGEN_OPERATIONS_H
#define COGEN_OPERATIONS_H

#include "instance.h"

#include <stdio.h>

/* Within a library nothing of this is reached by way of a table. */
#pragma GCC visibility push(hidden)

#define NORETURN __attribute__((noreturn, cold, noinline))

/* instance.c */
runtime *make_instance(const program *p);
void free_instance(RT);

/* blocks.c: memory that goes back when an error leaves, unless it is kept */
void *allocate_block(RT, size_t count, size_t size);
void *reallocate(RT, void *old, size_t count, size_t size);
void keep(RT, void *bytes);
void release(RT, const void *bytes);
void release_temporary(RT);
void release_blocks(RT);
void start_blocks(RT);
NORETURN void out_of_memory(RT);

/* heap.c */
bool start_heap(RT);
void free_heap(RT);
void call_is_over(RT);
word *allocate(RT, size_t words);
word make_object(RT, kind kind, size_t length);
word cons(RT, word a, word d);
word make_closure(RT, code code, unsigned arity, size_t count);
word remember(RT, word *slot);
word collect_garbage(RT, word *sp, word *hp);
word enter(RT, word *sp, word *hp, long count);
void freeze(RT, word *sp);
void freeze_frames(RT, const word *frames, size_t words);
word capture(RT, word *sp);
void continue_with(word *sp, word *hp, word self, word value);
bool is_continuation(word f);
word *thaw_place(RT);

/* direct.c: frames on C's stack */
void start_direct(RT);
void resume(word *sp);

/* control.c: failing, calling */
NORETURN void fail(RT, const char *format, ...);
#define FAIL_OF(kind, ...) (rt->failing = (kind), fail(rt, __VA_ARGS__))
NORETURN void fail_limit(RT, const char *message);
#define NO_MEMORY "there is not enough memory"
NORETURN void die(RT, const char *family, const char *message, const chain *c);
void note_buffer(RT, word buffer);
NORETURN void fail_expected(RT, const char *name, const char *what, word got);
NORETURN void refuse_undefined(RT, const char *name);
NORETURN void refuse_car(RT, word x);
NORETURN void refuse_cdr(RT, word x);
NORETURN void refuse_vector_ref(RT, word vector, word index);
void passing(word *sp, word *hp, word value);
void apply(word *sp, word *hp, word f, long count);
void tail_apply(word *sp, word *hp, word f, long count);
void control_call_cc(word *sp, word *hp, long count);
void control_apply(word *sp, word *hp, long count);
void control_dcall(word *sp, word *hp, long count);
void control_rcall(word *sp, word *hp, long count);
void control_with_exception_handler(word *sp, word *hp, long count);
void control_raise_continuable(word *sp, word *hp, long count);
word apply_primitive(RT, const primitive *p, long count, const word *values);
const frame *frame_of(RT, word address);
const char *procedure_name_of(RT, word f);
word make_values(RT, long count, const word *items);
void start_control(RT);
void run_items(RT);
word run_entry(RT, word f, long count);

/* Messages that begin so, and have that after it, and what may have been meant; {0} ends the table,
   which is written by cogen/backends/native/derived.py. */
typedef struct { const char *beginning, *part, *hint; } known_failure;
extern const known_failure known_failures[];

/* chain.c: the calls that led to a failure */
chain chain_of(RT, moment m);
void write_chain(RT, FILE *to, const chain *c);
const char *hint_of(RT, const char *message, const chain *c);
size_t chain_numbers(char *to, size_t size, const chain *c);

/* text.c: texts, strings, symbols */
void text_add(text *t, const char *bytes, size_t count);
void text_string(text *t, const char *s);
void text_character(text *t, uint32_t c);
void text_integer(text *t, int64_t n);
void text_format(text *t, const char *format, __builtin_va_list list);
void text_free(text *t);
size_t decode(const char *bytes, size_t left, uint32_t *c);
word string_of(RT, const char *bytes, size_t count);
word string_of_characters(RT, const uint32_t *characters, size_t count);
bool is_ascii(const void *bytes, size_t count);
word make_string_of(RT, size_t count, bool wide);
word symbol_of(RT, word name);
void text_of_string(text *t, word s);
word own_string(RT, word x, word from);

/* numbers.c */
word make_integer(RT, int64_t n);
word make_flonum(RT, double x);
word same_value(RT, word a, word b); /* 1 or 0; a word, as compiled code takes it from a register */
void text_float(text *t, double x);
int64_t need_integer(RT, const char *name, word x);
double need_flonum(RT, const char *name, word x);
bool need_boolean(RT, const char *name, word x);
size_t need_index(RT, const char *name, word x, size_t limit, const char *what);
size_t need_index_of(RT, const char *name, word buffer, word x, size_t limit, const char *what);
void need_range(RT, const char *name, size_t length, word start, word end, size_t *first, size_t *last);
size_t need_size(RT, const char *name, word x, int64_t limit);
word need_string(RT, const char *name, word x);
uint32_t need_character(RT, const char *name, word x);

/* data.c */
word need_bytes(RT, const char *name, word x, const char *what);
void refuse_circular(RT, const char *name, word x);
bool same_contents(word a, word b); /* of two strings or two bytevectors */
word bytes_copied(RT, const uint8_t *bytes, size_t count); /* a bytevector of them */

/* print.c */
typedef enum { WRITE, DISPLAY, SHARED } manner;
void print(text *t, word x, manner manner);
void text_brief(text *t, word x);

/* read.c */
/* `datum` is where the last datum starts, `where` what `error` speaks of. */
typedef struct {
    runtime *rt;
    const uint32_t *at, *start, *end, *datum, *where;
    const char *error;
    char message[200];
    bool fold; /* names are read as if they were in lower case */
} reading;
bool read_one(reading *r, word *made);

/* numerals.c */
int digit_of(uint32_t c); /* 99 for what is no digit */
uint32_t lower(uint32_t c);
size_t digits_from(const uint32_t *s, size_t i, size_t n);
bool matches(const uint32_t *s, size_t i, size_t n, const char *word);
bool parse_number(RT, const uint32_t *s, size_t count, int radix, word *made, bool *too_large);
bool is_exotic(RT, const uint32_t *s, size_t count);
bool looks_infinite(const uint32_t *s, size_t count);
bool looks_like_number(const uint32_t *s, size_t count);

/* ports.c */
void start_ports(RT);
const char *hand_on(RT);
void flush_output(RT);
void write_out(RT, const char *bytes, size_t count);
void end_line(RT);
void close_streams(RT);

/* constants.c */
void start_constants(RT);

/* unicode.c, from the tables of Python */
typedef enum { ALPHABETIC, DECIMAL, SPACE, UPPER, LOWER, PRINTABLE, OUT_OF_SYMBOLS, MARK, CASED,
               CASE_IGNORABLE } property;
bool has_property(property p, uint32_t c);
typedef enum { TO_UPPER, TO_LOWER, TO_FOLDED } change;
int change_case(change change, uint32_t c, uint32_t made[3]);
int decimal_value(uint32_t c);

#pragma GCC visibility pop

#endif
