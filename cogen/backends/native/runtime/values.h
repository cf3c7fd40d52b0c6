/* Values: tagged 64-bit words and the objects they point to; how a program is described.

   word ::= integer << 1                      a small integer: 63 bits, the low bit 0
          | address | 1                       a pair: two words, no header
          | address | 3                       any other object: a header and its words
          | address | 5                       a procedure: header, code, free variables
          | ... 00000111                      a character: its code above
          | ... 00001111                      the header of an object; never a value
          | ... 00010111                      #f #t () and their like

   header ::= words following << 32 | arity << 16 | kind << 8 | 0x0f
              the arity is that of a procedure; 1 is a string that can be changed, which is WIDE

   Integers outside 63 bits are boxed, so equal integers need not be equal words; `eqv` knows.
   Code addresses are aligned, so the collector takes them for small integers.  A frame of the
   stack is its saved values with the return address on top: the stack holds words only. */

#ifndef COGEN_VALUES_H
#define COGEN_VALUES_H

#include "agreed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int64_t word;
typedef uint64_t uword;

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))

enum { PAIR_TAG = 1, OBJECT_TAG = 3, CLOSURE_TAG = 5, IMMEDIATE_TAG = 7 };

#define TAG(x) ((x) & 7)
#define HAS_TAG(x, tag) ((((uint32_t)(x) - (tag)) & 7) == 0) /* an instruction less than TAG(x) == tag */
#define IS_FIX(x) (((x) & 1) == 0)
#define BOTH_FIX(a, b) ((((a) | (b)) & 1) == 0)
#define FIX(n) ((word)((uword)(n) << 1))
#define UNFIX(x) ((x) >> 1)
#define FIX_MIN (-((word)1 << 62))
#define FIX_MAX (((word)1 << 62) - 1)

#define CHARACTER(c) ((word)(((uword)(c) << 8) | 0x07))
#define IS_CHARACTER(x) (((x) & 0xff) == 0x07)
#define CODE_POINT(x) ((uint32_t)((uword)(x) >> 8))

#define SPECIAL(n) ((word)(((n) << 8) | 0x17))
#define FALSE SPECIAL(0)
#define TRUE SPECIAL(1)
#define NIL SPECIAL(2)
#define UNSPECIFIED SPECIAL(3)
#define END_OF_FILE SPECIAL(4)
#define DEFAULT SPECIAL(5)
#define UNDEFINED SPECIAL(6)  /* what a cell or a global holds before its definition */
#define FORWARDED SPECIAL(7)  /* the first word of an object that the collector has moved */
#define ABSENT SPECIAL(8)     /* an optional argument that is not there */
#define UNWOUND SPECIAL(9)    /* what code that C calls returns when it is left: see direct.c */
#define BOOL(c) ((c) ? TRUE : FALSE)

typedef enum {
    FLONUM = 1, /* 8 bytes */
    INTEGER,    /* 8 bytes: an integer that needs all 64 bits */
    STRING,     /* count, Latin-1 characters */
    WIDE,       /* count, 4-byte characters: a string with others than Latin-1, or that can be changed */
    BYTES,      /* count, bytes */
    LAST_RAW = BYTES,
    SYMBOL,    /* name; lives outside the heap */
    VECTOR,    /* items */
    CELL,      /* value */
    RTYPE,     /* name, name in messages, field names ... (strings) */
    RECORD,    /* type, values */
    VALUES,    /* items */
    CONDITION, /* message, irritants; site, stack and its words where it came about; noted, kind */
    INPUT,     /* string or bytes, position, open, stream */
    OUTPUT,    /* buffer, bytes used, open, stream, whether of bytes */
    STACK,     /* older stack, words of it that count, words */
    CLOSURE    /* code, free variables; arity in the header */
} kind;

#define HEADER(kind, length) ((word)(((uword)(length) << 32) | ((kind) << 8) | 0x0f))
#define IS_HEADER(w) (((w) & 0xff) == 0x0f)
#define KIND_OF_HEADER(h) ((kind)(((h) >> 8) & 0xff))
#define LENGTH_OF_HEADER(h) ((size_t)((uword)(h) >> 32))

#define OBJECT(x) ((word *)((x) - OBJECT_TAG))
#define IS_OBJECT(x) HAS_TAG(x, OBJECT_TAG)
#define KIND(x) KIND_OF_HEADER(OBJECT(x)[0])
#define IS_KIND(x, k) (IS_OBJECT(x) && KIND(x) == (k))
#define FIELD(x, i) (OBJECT(x)[(i) + 1])
#define LENGTH(x) LENGTH_OF_HEADER(OBJECT(x)[0])

#define IS_PAIR(x) HAS_TAG(x, PAIR_TAG)
#define CAR(x) (((word *)((x) - PAIR_TAG))[0])
#define CDR(x) (((word *)((x) - PAIR_TAG))[1])

/* Procedures: the arity is the number of parameters, or LEAST + n for n and a rest list;
   primitives take any number by `apply`, and have code for the usual one, or ANY_NUMBER.
   Continuations take one value, and others by `apply`. */
#define LEAST 0x4000
#define OF_LIBRARY 0x8000
#define ANY_NUMBER 0x2000
#define CLOSURE_HEADER(length, arity) \
    ((word)(((uword)(length) << 32) | ((uword)(arity) << 16) | (CLOSURE << 8) | 0x0f))
#define IS_CLOSURE(x) HAS_TAG(x, CLOSURE_TAG)
#define CLOSURE_WORD(x, i) (((word *)((x) - CLOSURE_TAG))[i])
#define CLOSURE_CODE(x) CLOSURE_WORD(x, 1)
#define FREE(x, i) CLOSURE_WORD(x, (i) + 2)
/* Closures of primitives: their code, and what they are.  They lie in no heap. */
#define PRIMITIVE_HEADER(arity) (CLOSURE_HEADER(2, arity) | (word)((uword)1 << 63))
#define IS_PRIMITIVE(x) (CLOSURE_WORD(x, 0) < 0)
#define PRIMITIVE(x) ((const primitive *)CLOSURE_WORD(x, 2))
#define ARITY(x) ((unsigned)((CLOSURE_WORD(x, 0) >> 16) & 0xffff))
#define TAKES(x, n) \
    (IS_CLOSURE(x) && (uint32_t)CLOSURE_WORD(x, 0) == (uint32_t)CLOSURE_HEADER(0, n))

#define IS_FLONUM(x) IS_KIND(x, FLONUM)
#define IS_NUMBER(x) (IS_FIX(x) || (IS_OBJECT(x) && KIND(x) <= INTEGER))
#define IS_INTEGER(x) (IS_FIX(x) || IS_KIND(x, INTEGER))
#define IS_STRING(x) (IS_OBJECT(x) && (KIND(x) == STRING || KIND(x) == WIDE))
#define MUTABLE ((word)1 << 16)
#define IS_MUTABLE(x) ((OBJECT(x)[0] & MUTABLE) != 0) /* of strings */
#define IS_MUTABLE_STRING(x) (IS_OBJECT(x) && KIND(x) == WIDE && IS_MUTABLE(x))
#define IS_SYMBOL(x) IS_KIND(x, SYMBOL)
#define IS_VECTOR(x) IS_KIND(x, VECTOR)
#define IS_BYTES(x) IS_KIND(x, BYTES)
#define COUNT(x) ((size_t)FIELD(x, 0)) /* of strings and bytevectors */
#define DATA(x) ((uint8_t *)&FIELD(x, 1))
#define WIDE_DATA(x) ((uint32_t *)&FIELD(x, 1))

static inline double flonum_value(word x) {
    double value;
    memcpy(&value, &FIELD(x, 0), sizeof value);
    return value;
}

static inline word integer_value(word x) { return IS_FIX(x) ? UNFIX(x) : FIELD(x, 0); }

static inline uint32_t string_at(word s, size_t i) {
    return KIND(s) == STRING ? DATA(s)[i] : WIDE_DATA(s)[i];
}

/* Code.  What returns takes a value; a procedure takes itself if it has free variables, then
   arguments: as many as fit in registers, the others in `rt->arguments` (instance.h). */
typedef struct runtime runtime;
typedef void (*returned)(word *sp, word *hp, word value);
typedef void (*code)(void); /* any code; a procedure is `void (word *, word *, word ...)` */

/* A place of the program: where, the form there on one line, how a diagnostic shows it; the library
   of the product that it is in, "" for the language's own text, NULL for none; the source's number
   and the range of characters there; whether it is in a program that is interpreted.  `hint` says
   what may have been meant if what is called there is no procedure, NULL if that is not known. */
typedef struct {
    const char *where, *form, *excerpt, *library;
    int source, start, end;
    bool is_node;
    const char *hint;
} place;
/* A place that code is at, and where in `calls` the places of the calls start that it was unfolded
   by, innermost first, each with how often it comes in a row: MORE for so many that are left out, 0
   at the end.  Number 0 is no place.  `operation` is
   the program's operation where what is done there is only a part of it, else NULL. */
typedef struct { int place, calls; const char *operation; } site;
/* What a return address is: the words of its frame, and the site of the call it comes from; or one
   of those below. */
typedef struct { code returned; int words, site; } frame;
enum {
    PASSED = -1, /* the site is in the frame: see PASS */
    ITEM = -2,   /* of the top-level item whose number is in the frame */
    ENTRY = -3,  /* a call from outside */
};
/* What the code of a procedure is called. */
typedef struct { void *code; const char *name; } procedure_name;
/* A primitive as a value. */
typedef struct {
    const char *name;
    int least, most;                 /* arguments of the operation; most -1: no bound */
    int source_least, source_most;   /* the same of a call */
    char fold;                       /* 'l' left, 'c' chain, 0 none */
    word identity, unit;             /* of a left fold, or ABSENT */
    void *operation;                 /* NULL: a control primitive */
    void (*control)(word *sp, word *hp, long count);
} primitive;

/* What messages call the buffer in a cell. */
typedef struct { const char *name; int cell; } named_cell;

/* The program, as the code generator describes it. */
typedef struct {
    const place *places;
    const site *sites;
    const int *calls;
    const frame *frames;
    const procedure_name *names;
    const char *constants;           /* see constants.c */
    int frame_count, name_count, constant_count, shared_count, global_count, item_count;
    const returned *items;           /* the code of the top level, item by item */
    const int *item_sites;
    word (*entry)(runtime *rt);      /* the procedure to call afterwards, or NULL; then global 0
                                        holds its arguments meanwhile */
    int entry_site, word_bytes;
    bool takes_words;                /* it looks at its command line */
    const char *const *parameters;   /* of the entry, the one for the rest too; then NULL */
    const named_cell *named_cells;   /* what may hold buffers; then one without a name */
} program;

#endif
