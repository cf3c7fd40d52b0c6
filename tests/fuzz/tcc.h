/* What TinyCC lacks of GCC's: arithmetic that tells of overflow, and counts of bits. */
#include <stdbool.h>
#include <stdint.h>

static bool fuzz_store(int64_t value, bool wrong, void *at, int size) {
    if (size == 8) *(int64_t *)at = value;
    else *(int32_t *)at = (int32_t)value, wrong = wrong || value != (int32_t)value;
    return wrong;
}
static bool fuzz_add(int64_t a, int64_t b, void *at, int size) {
    bool wrong = b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b;
    return fuzz_store((int64_t)((uint64_t)a + (uint64_t)b), wrong, at, size);
}
static bool fuzz_sub(int64_t a, int64_t b, void *at, int size) {
    bool wrong = b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b;
    return fuzz_store((int64_t)((uint64_t)a - (uint64_t)b), wrong, at, size);
}
static bool fuzz_mul(int64_t a, int64_t b, void *at, int size) {
    int64_t value = (int64_t)((uint64_t)a * (uint64_t)b);
    bool wrong = (a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)
                 || (a != 0 && a != -1 && value / a != b) || (a == -1 && value != -b);
    return fuzz_store(value, wrong, at, size);
}
static int fuzz_popcount(uint64_t x) {
    int count = 0;
    for (; x; x &= x - 1) count++;
    return count;
}
#define __builtin_add_overflow(a, b, r) fuzz_add(a, b, r, sizeof *(r))
#define __builtin_sub_overflow(a, b, r) fuzz_sub(a, b, r, sizeof *(r))
#define __builtin_mul_overflow(a, b, r) fuzz_mul(a, b, r, sizeof *(r))
#define __builtin_popcountll(x) fuzz_popcount(x)
