/* A program and its run time in one file:  cc THIS.c -lm -o program
   With -DCOGEN_LIBRARY -O2 -fPIC -shared it is a library instead: see `cogen_call`. */

#define COGEN_SINGLE_FILE
#if defined __clang__
#ifndef __OPTIMIZE__
#error "this program needs tail calls: compile it with -O1 or -O2"
#endif
#elif defined __GNUC__
#pragma GCC optimize("O2", "no-strict-aliasing", "wrapv", "fp-contract=off")
#pragma GCC optimize("optimize-sibling-calls", "align-functions=16", "no-stack-protector")
#endif
#include <math.h>
