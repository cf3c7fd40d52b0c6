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

static const char *at;
static word *pending, *known;
static size_t used, size;

static void push_word(word x) {
    if (used == size) {
        size = size ? 2 * size : 256;
        pending = realloc(pending, size * sizeof *pending);
        if (pending == NULL) fail_limit("there is not enough memory");
    }
    pending[used++] = x;
}

static int64_t number(int radix) {
    char *end;
    int64_t made = radix == 10 ? strtoll(at, &end, 10) : (int64_t)strtoull(at, &end, radix);
    at = end + 1;
    return made;
}

static word gathered(kind kind, size_t count) {
    word made = make_object(kind, count);
    used -= count;
    for (size_t i = 0; i < count; i++) FIELD(made, i) = pending[used + i];
    return made;
}

static word byte_object(size_t count) {
    word made = make_object(BYTES, (count + 7) / 8 + 1);
    FIELD(made, 0) = (word)count;
    for (size_t i = 0; i < count; i++, at += 2) {
        char digits[3] = {at[0], at[1], 0};
        DATA(made)[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return made;
}

static void command(void) {
    word x;
    int64_t n;
    switch (*at++) {
    case 'i': push_word(make_integer(number(10))); break;
    case 'f': n = number(16); double d; memcpy(&d, &n, 8); push_word(make_flonum(d)); break;
    case 'c': push_word(CHARACTER(number(10))); break;
    case '"': n = number(10); push_word(string_of(at, (size_t)n)); at += n; break;
    case 'y': pending[used - 1] = symbol_of(pending[used - 1]); break;
    case '(': at++; push_word(NIL); break;
    case 'p': x = cons(pending[used - 2], pending[used - 1]); used -= 2; push_word(x); break;
    case 'v': x = gathered(VECTOR, (size_t)number(10)); push_word(x); break;
    case 'b': push_word(byte_object((size_t)number(10))); break;
    case 't': push_word(TRUE); break;
    case 'n': push_word(FALSE); break;
    case 'u': push_word(UNSPECIFIED); break;
    case 'e': push_word(END_OF_FILE); break;
    case 'd': push_word(DEFAULT); break;
    case 'x': push_word(UNDEFINED); break;
    case 'r': x = gathered(RTYPE, (size_t)number(10) + 2); push_word(x); break;
    case 'R': x = gathered(RECORD, (size_t)number(10) + 1); push_word(x); break;
    case '=': known[number(10)] = pending[used - 1]; break;
    default: push_word(known[number(10)]); break;
    }
}

void start_constants(void) {
    const program *p = the_program;
    at = p->constants;
    known = calloc((size_t)p->shared_count + 1, sizeof *known);
    if (known == NULL) fail_limit("there is not enough memory");
    for (int i = 0; i < p->constant_count; i++) {
        while (*at != ';') command();
        at++;
        p->constant[i] = pending[--used];
    }
    free(pending);
    free(known);
}
