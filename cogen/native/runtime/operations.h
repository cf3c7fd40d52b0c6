/* What the parts of the run time offer each other and compiled programs.  The operations of the
   primitive table, `word op_NAME(word ...)`, are declared where they are used. */

#ifndef COGEN_OPERATIONS_H
#define COGEN_OPERATIONS_H

#include "values.h"

#define NORETURN __attribute__((noreturn, cold, noinline))

extern const program *the_program;

/* heap.c */
void start_heap(void);
word *allocate(size_t words);
word make_object(kind kind, size_t length);
word cons(word a, word d);
word make_closure(code code, unsigned arity, size_t count);
word remember(word *slot);
word collect_garbage(word *sp, word *hp);
word enter(word *sp, word *hp, long count);
void freeze(word *sp);
word *stack_bottom(void);

/* control.c: failing, calling */
NORETURN void fail(const char *format, ...);
NORETURN void fail_limit(const char *message);
NORETURN void die(const char *family, const char *message, int place);
int caller(word *sp);
/* library.c, where the program is a library */
__attribute__((weak)) void library_failure(const char *family, const char *message, int place);
NORETURN void fail_expected(const char *name, const char *what, word got);
NORETURN void refuse_undefined(const char *name);
NORETURN void refuse_car(word x);
NORETURN void refuse_cdr(word x);
NORETURN void refuse_vector_ref(word vector, word index);
void passing(word *sp, word *hp, word value);
void apply(word *sp, word *hp, word f, long count);
void tail_apply(word *sp, word *hp, word f, long count);
void control_call_cc(word *sp, word *hp, long count);
void control_apply(word *sp, word *hp, long count);
void control_dcall(word *sp, word *hp, long count);
void control_rcall(word *sp, word *hp, long count);
void control_with_exception_handler(word *sp, word *hp, long count);
void control_raise_continuable(word *sp, word *hp, long count);
word apply_primitive(const primitive *p, long count, const word *values);
const frame *frame_of(word address);
const char *procedure_name_of(word f);
word make_values(long count, const word *items);

/* text.c: a text that grows, UTF-8; strings; symbols */
typedef struct { char *bytes; size_t used, size; } text;
void text_add(text *t, const char *bytes, size_t count);
void text_string(text *t, const char *s);
void text_character(text *t, uint32_t c);
void text_integer(text *t, int64_t n);
void text_format(text *t, const char *format, __builtin_va_list list);
void text_free(text *t);
size_t decode(const char *bytes, size_t left, uint32_t *c);
word string_of(const char *bytes, size_t count);
word string_of_characters(const uint32_t *characters, size_t count);
word make_string_of(size_t count, bool wide);
word symbol_of(word name);
void text_of_string(text *t, word s);

/* numbers.c */
word make_integer(int64_t n);
word make_flonum(double x);
word same_value(word a, word b); /* 1 or 0; a word, as compiled code takes it from a register */
void text_float(text *t, double x);
int64_t need_integer(const char *name, word x);
size_t need_index(const char *name, word x, size_t limit, const char *what);
void need_range(const char *name, size_t length, word start, word end, size_t *first, size_t *last);
size_t need_size(const char *name, word x, int64_t limit);
word need_string(const char *name, word x);
uint32_t need_character(const char *name, word x);

/* data.c */
bool same_contents(word a, word b); /* of two strings or two bytevectors */

/* print.c */
typedef enum { WRITE, DISPLAY, SHARED } manner;
void print(text *t, word x, manner manner);
void text_brief(text *t, word x);

/* read.c */
/* `datum` is where the last datum starts, `where` what `error` speaks of. */
typedef struct {
    const uint32_t *at, *start, *end, *datum, *where;
    const char *error;
    char message[200];
} reading;
bool read_one(reading *r, word *made);

/* numerals.c */
int digit_of(uint32_t c); /* 99 for what is no digit */
uint32_t lower(uint32_t c);
size_t digits_from(const uint32_t *s, size_t i, size_t n);
bool matches(const uint32_t *s, size_t i, size_t n, const char *word);
bool parse_number(const uint32_t *s, size_t count, int radix, word *made, bool *too_large);
bool is_exotic(const uint32_t *s, size_t count);
bool looks_like_number(const uint32_t *s, size_t count);

/* ports.c */
void start_ports(void);
void flush_output(void);
void end_line(void);

/* constants.c */
void start_constants(void);

/* unicode.c, from the tables of Python */
typedef enum { ALPHABETIC, DECIMAL, SPACE, UPPER, LOWER, PRINTABLE, OUT_OF_SYMBOLS, MARK, CASED,
               CASE_IGNORABLE } property;
bool has_property(property p, uint32_t c);
typedef enum { TO_UPPER, TO_LOWER, TO_FOLDED } change;
int change_case(change change, uint32_t c, uint32_t made[3]);
int decimal_value(uint32_t c);

#endif
