/* An instance of a program: heap, stack and all that a run changes.  A program and the run time
   have no variables of their own, so instances know nothing of each other: any number of them run
   at once, in as many threads, one call at a time in each.

   Note [Where the instance is]
   The run time passes it along as `rt`.  Compiled code passes `sp`, which points into the stack
   buffer all the time; the buffer lies in the first INSTANCE_ALIGNMENT bytes of the instance,
   which starts at a multiple of that: its address is `sp` without the low bits. */

#ifndef COGEN_INSTANCE_H
#define COGEN_INSTANCE_H

#include "values.h"

#include <setjmp.h>

enum {
    INSTANCE_ALIGNMENT = 1 << 18, /* bytes */
    BUFFER = 1 << 14,             /* words of the stack buffer */
    OUTPUT_BYTES = 1 << 16,
};

/* A text that grows, UTF-8. */
typedef struct { runtime *rt; char *bytes; size_t used, size; } text;
/* A block of C's memory: see blocks.c. */
typedef struct block { struct block *next, *before; } block;
typedef struct { word *start, *next; } space;
typedef struct { void *key; const void *value; } entry;
typedef struct { entry *entries; size_t mask; } address_table;

/* Where code is, and the stack there: `sp` in the buffer, or NULL for the older stack alone. */
typedef struct { int site; word *sp, older, older_words; } moment;
/* What a diagnostic tells of the calls that led to a failure (chain.c): places. */
typedef struct { int place; long times; } told;
typedef struct {
    int head, inner;                 /* where it is; where in a library that was */
    int first_count, last_count;
    told first[TOLD_FIRST], last[TOLD_LAST];
    long left_out;                   /* calls between them */
    bool of_nodes;                   /* only places in interpreted programs are told */
} chain;

/* What programs can tell errors by. */
typedef enum { ANY_FAILURE, FILE_FAILURE, READ_FAILURE } failure_kind;

struct runtime {
    /* What compiled code uses */
    word *heap_limit, *stack_limit;
    unsigned rounds;                 /* of searches in lists */
    uword c_limit;                   /* where C's stack is full for code that C calls: see direct.c */
    word *unwound, resumed_words[IN_REGISTERS];
    code resumed;
    long resumed_count, above;
    int pause, next_pause;           /* calls for which that code is not entered */
    word *nursery;                   /* its start */
    uword nursery_bytes;
    word *sp, *hp;                   /* of the code that called the run time */
    int site;                        /* where that code is; 0 in the prelude */
    int word_bytes;
    word handlers;                   /* list of exception handlers, innermost first */
    word older;                      /* the older stack, or NIL */
    word older_words;                /* words of it that count, a small integer */
    word input, output, errors;      /* the current ports */
    const program *program;

    /* heap.c */
    space old, other;
    size_t old_words;                /* of `old` that may be used after a collection */
    size_t space_words;              /* of each space: the nursery is copied there too */
    word *fresh;                     /* above, all was allocated there since the collection */
    word *scan;                      /* objects below are done */
    space from;
    uword threshold;                 /* words of old space above which a major collection is due */
    uword settled;                   /* words that were alive after the last call */
    word **remembered;
    size_t remembered_count, remembered_size;
    unsigned collections;
    word *spare_nursery;             /* where memory that was left is guarded */
    bool stress, major, ran_out;

    /* control.c */
    char *c_stack;                   /* where C's stack is, which stays as it is */
    jmp_buf top;
    /* What failed: an error with a message and irritants, or (`raised`) any object; the buffer whose
       index it is about, as `note_buffer` says it; 0 if it is about none. */
    struct { word payload, message, irritants; bool raised; int noted; failure_kind kind; } failure;
    int noted;                       /* the buffer that what fails next is about */
    failure_kind failing;            /* what fails next, if it is of a kind */
    word copies;                     /* list of what `%copy-called` made in this call, with the names */
    word called, finished;           /* the procedure that is called from C, and its value */
    long called_count;
    address_table frames, names;

    /* text.c, blocks.c, ports.c */
    struct { word *slots; size_t mask, count; } symbols;
    block temporary, kept;           /* the heads of two rings */
    size_t output_used;              /* bytes of `output_bytes` */
    struct stream *streams;          /* what ports read and write, by number */
    int stream_count;
    int word_count;                  /* of the command line */
    char **words;
    bool at_line_start;              /* whether what was last written ended a line */

    /* library.c; a command has no `failed` */
    jmp_buf *failed;
    text answer;
    bool is_ready;                   /* the top level has been evaluated */

    word stack[BUFFER + 4 * SLACK];
    word arguments[MOST_ARGUMENTS];  /* of the call that is being made */
    char output_bytes[OUTPUT_BYTES];
    word cells[];                    /* the program's constants, then its globals */
};

_Static_assert(offsetof(runtime, arguments) <= INSTANCE_ALIGNMENT, "Note [Where the instance is]");

/* The first parameter of what may fail, allocate or ask for the state. */
#define RT runtime *rt __attribute__((unused))

/* The instance that a stack belongs to. */
static inline runtime *runtime_of(const word *sp) {
    return (runtime *)((uword)sp & ~(uword)(INSTANCE_ALIGNMENT - 1));
}

/* Where frames begin: above the one that fetches older ones. */
static inline word *stack_bottom(RT) { return rt->stack + 1; }

#endif
