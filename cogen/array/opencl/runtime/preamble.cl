/* What kernels begin with: the names that C has for types and limits. */

/* ---- fp64 ---- */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* ---- names ---- */
#pragma OPENCL FP_CONTRACT OFF
typedef long int64_t;
typedef ulong uint64_t;
typedef int int32_t;
typedef uint uint32_t;
typedef uchar uint8_t;
#define INT64_C(x) x##L
#define INT32_C(x) x
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
