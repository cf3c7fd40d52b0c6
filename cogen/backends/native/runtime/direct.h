/* Code that C calls directly (cogen/backends/native/direct.py): what is not done in line is left to
   the other code.  Included behind all that is jumped to: from here on macros mean that. */

#undef DO
#undef EFFECT
#undef LEAVE
#define DO(r, way_out, call) goto way_out
#define EFFECT(way_out, call) goto way_out
#define LEAVE(way_out) goto way_out

/* It never fails, and makes nothing. */
#undef EQUAL
#define EQUAL(r, a, b, way_out) do { \
    if ((a) == (b)) (r) = true; \
    else if (IS_FIX(a) || IS_FIX(b) || TAG(a) != TAG(b) || TAG(a) == IMMEDIATE_TAG) (r) = false; \
    else (r) = CALL_2(op_equal_p, a, b) == TRUE; } while (0)

/* Of what is known to be small integers */
#define ADD_FIX(r, a, b, way_out) do { if (UNLIKELY(__builtin_add_overflow(a, b, &(r)))) goto way_out; } while (0)
#define SUB_FIX(r, a, b, way_out) do { if (UNLIKELY(__builtin_sub_overflow(a, b, &(r)))) goto way_out; } while (0)
#define MUL_FIX(r, a, b, way_out) do { if (UNLIKELY(__builtin_mul_overflow(UNFIX(a), b, &(r)))) goto way_out; } while (0)

#if defined __x86_64__
#define C_STACK_TOP ({ uword top_; asm("mov %%rsp, %0" : "=r"(top_)); top_; })
#else
#define C_STACK_TOP ((uword)__builtin_frame_address(0))
#endif
#define C_STACK_IS_FULL(rt) (C_STACK_TOP < (rt)->c_limit)

/* GCC puts calls of a recursion into each other then. */
#if defined __GNUC__ && !defined __clang__ && !defined COGEN_LEAST
#pragma GCC optimize("O3")
#endif
