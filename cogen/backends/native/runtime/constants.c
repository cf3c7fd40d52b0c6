/* The constants of a program, from the text that the code generator wrote.

   A constant is a sequence of commands for a stack machine; `;` ends it:

       i N ,      integer                  f HEX ,   float, by its 64 bits
       c N ,      character                " N , bytes   string of N bytes of UTF-8
       y          symbol of the string     ( )       the empty list      p   pair of two
       v N ,      vector of N              b N , HH  bytevector of N bytes
       t n u e d  #t #f unspecified eof default      x undefined
       r N ,      record type: name, short name, N fields    R N ,  record of a type, N values
       = N ,      remember the top as N    @ N ,     what was remembered  */

#include "inline.h"

#include <stdlib.h>

/* What is read, and the stack. */
typedef struct { const char *at; word *pending, *known; size_t used, size; } making;

static void push_word(RT, making *m, word x) {
    if (m->used == m->size) {
        m->size = m->size ? 2 * m->size : 256;
        m->pending = reallocate(rt, m->pending, m->size, sizeof *m->pending);
    }
    m->pending[m->used++] = x;
}

static word *top(making *m) { return &m->pending[m->used - 1]; }

static int64_t number(making *m, int radix) {
    char *end;
    int64_t made = radix == 10 ? strtoll(m->at, &end, 10) : (int64_t)strtoull(m->at, &end, radix);
    m->at = end + 1;
    return made;
}

static size_t count(making *m) { return (size_t)number(m, 10); }

static word gathered(RT, making *m, kind kind, size_t count) {
    word made = make_object(rt, kind, count);
    m->used -= count;
    for (size_t i = 0; i < count; i++) FIELD(made, i) = m->pending[m->used + i];
    return made;
}

static word byte_object(RT, making *m, size_t count) {
    word made = make_object(rt, BYTES, (count + 7) / 8 + 1);
    FIELD(made, 0) = (word)count;
    for (size_t i = 0; i < count; i++, m->at += 2) {
        char digits[3] = {m->at[0], m->at[1], 0};
        DATA(made)[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return made;
}

/* The value that a command pushes. */
static word made_by(RT, making *m, char command) {
    word x;
    int64_t n;
    double d;
    switch (command) {
    case 'i': return make_integer(rt, number(m, 10));
    case 'f': n = number(m, 16); memcpy(&d, &n, 8); return make_flonum(rt, d);
    case 'c': return CHARACTER(number(m, 10));
    case '"': n = number(m, 10); x = string_of(rt, m->at, (size_t)n); m->at += n; return x;
    case '(': m->at++; return NIL;
    case 'p': x = cons(rt, top(m)[-1], top(m)[0]); m->used -= 2; return x;
    case 'v': return gathered(rt, m, VECTOR, count(m));
    case 'b': return byte_object(rt, m, count(m));
    case 't': return TRUE;
    case 'n': return FALSE;
    case 'u': return UNSPECIFIED;
    case 'e': return END_OF_FILE;
    case 'd': return DEFAULT;
    case 'x': return UNDEFINED;
    case 'r': return gathered(rt, m, RTYPE, count(m) + 2);
    case 'R': return gathered(rt, m, RECORD, count(m) + 1);
    default: return m->known[number(m, 10)];
    }
}

static void command(RT, making *m) {
    char c = *m->at++;
    if (c == 'y') *top(m) = symbol_of(rt, *top(m));
    else if (c == '=') m->known[number(m, 10)] = *top(m);
    else push_word(rt, m, made_by(rt, m, c));
}

void start_constants(RT) {
    const program *p = rt->program;
    making m = {.at = p->constants};
    m.known = allocate_block(rt, (size_t)p->shared_count + 1, sizeof *m.known);
    for (int i = 0; i < p->constant_count; i++) {
        while (*m.at != ';') command(rt, &m);
        m.at++;
        rt->cells[i] = m.pending[--m.used];
    }
    release(rt, m.pending);
    release(rt, m.known);
}
