/* The tables of unicode.c, written by cogen/backends/native/unicode.py. */

#ifndef COGEN_UNICODE_H
#define COGEN_UNICODE_H

#include "operations.h"

typedef struct { uint32_t first, last; } range;
typedef struct { uint32_t c, made[3]; } changed;
typedef struct { const void *at; int count; } table;

extern const table property_tables[CASE_IGNORABLE + 1]; /* of ranges, for characters from 0x80 */
extern const table change_tables[TO_FOLDED + 1];        /* of what changes */
extern const table digit_table;                         /* of the ranges of ten digits */

#endif
