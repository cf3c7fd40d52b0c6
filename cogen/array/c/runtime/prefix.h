/* What the functions that scan need (cogen/array/c/prefix.py). */

/* ---- prefix ---- */
/* Of a block that two loops go through: one vector, where gcc keeps it in a register. */
#ifdef __AVX512F__
enum { COGEN_BLOCK = 8 };
#else
enum { COGEN_BLOCK = 64 };
#endif
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define COGEN_SHUFFLES 1
#else
#define COGEN_SHUFFLES 0
#endif
