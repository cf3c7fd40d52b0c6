/* What kernels do with vectors that processors have instructions for, and GCC has no words for
   (cogen/backends/kernel/cvectormachines.py). */

/* ---- byte_tests ---- */
/* Which bytes have a bit of another's, or are as great, as the bits of one integer; 1 for each byte
   that is not 0.
   GCC reads immintrin.h for 0.2 s, and needs none of it. */
#if defined __AVX512BW__ && defined __has_builtin && !defined __clang__
#if __has_builtin(__builtin_ia32_ptestmb512) && __has_builtin(__builtin_ia32_pminub512_mask)
#if __has_builtin(__builtin_ia32_ucmpb512_mask)
#define COGEN_BUILTIN64
#endif
#endif
#endif
#if defined __AVX2__ && defined __has_builtin && !defined __clang__
#if __has_builtin(__builtin_ia32_pmovmskb256) && __has_builtin(__builtin_ia32_pminub256)
#if __has_builtin(__builtin_ia32_pmaxub256)
#define COGEN_BUILTIN32
#endif
#endif
#endif
#if defined __AVX512BW__ && !defined COGEN_BUILTIN64 || defined __AVX2__ && !defined COGEN_BUILTIN32
#include <immintrin.h>
#endif
#ifdef __AVX512BW__
typedef char cogen_bytes64 __attribute__((vector_size(64)));
static inline uint64_t cogen_tested64(cogen_bytes64 a, cogen_bytes64 b)
{
#ifdef COGEN_BUILTIN64
    return (uint64_t)__builtin_ia32_ptestmb512(a, b, ~0ull);
#else
    return _mm512_test_epi8_mask((__m512i)a, (__m512i)b);
#endif
}
static inline uint64_t cogen_reached64(cogen_bytes64 a, cogen_bytes64 least)
{
#ifdef COGEN_BUILTIN64
    return (uint64_t)__builtin_ia32_ucmpb512_mask(a, least, 5, ~0ull);
#else
    return _mm512_cmpge_epu8_mask((__m512i)a, (__m512i)least);
#endif
}
static inline cogen_bytes64 cogen_single64(cogen_bytes64 a)
{
#ifdef COGEN_BUILTIN64
    return __builtin_ia32_pminub512_mask(a, (cogen_bytes64){0} + 1, (cogen_bytes64){0}, ~0ull);
#else
    return (cogen_bytes64)_mm512_min_epu8((__m512i)a, _mm512_set1_epi8(1));
#endif
}
#endif
#ifdef __AVX2__
typedef char cogen_bytes32 __attribute__((vector_size(32)));
static inline uint32_t cogen_tested32(cogen_bytes32 a, cogen_bytes32 b)
{
#ifdef COGEN_BUILTIN32
    return ~(uint32_t)__builtin_ia32_pmovmskb256((cogen_bytes32)((a & b) == 0));
#else
    __m256i none = _mm256_cmpeq_epi8((__m256i)(a & b), _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_epi8(none);
#endif
}
static inline uint32_t cogen_reached32(cogen_bytes32 a, cogen_bytes32 least)
{
#ifdef COGEN_BUILTIN32
    const cogen_bytes32 greater = __builtin_ia32_pmaxub256(a, least);
    return (uint32_t)__builtin_ia32_pmovmskb256((cogen_bytes32)(greater == a));
#else
    const __m256i greater = _mm256_max_epu8((__m256i)a, (__m256i)least);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(greater, (__m256i)a));
#endif
}
static inline cogen_bytes32 cogen_single32(cogen_bytes32 a)
{
#ifdef COGEN_BUILTIN32
    return __builtin_ia32_pminub256(a, (cogen_bytes32){0} + 1);
#else
    return (cogen_bytes32)_mm256_min_epu8((__m256i)a, _mm256_set1_epi8(1));
#endif
}
#endif

/* ---- windows ---- */
/* For each byte eight bits of its word of 64, from the bit on that `first` says; for GCC without
   immintrin.h, as above. */
#ifdef __AVX512VBMI__
typedef char cogen_bytes64 __attribute__((vector_size(64)));
#if defined __has_builtin && !defined __clang__
#if __has_builtin(__builtin_ia32_vpmultishiftqb512_mask)
#define COGEN_BUILTIN_WINDOWS
#endif
#endif
#ifndef COGEN_BUILTIN_WINDOWS
#include <immintrin.h>
#endif
static inline cogen_bytes64 cogen_windows64(cogen_bytes64 first, cogen_bytes64 words)
{
#ifdef COGEN_BUILTIN_WINDOWS
    return __builtin_ia32_vpmultishiftqb512_mask(first, words, words, ~0ull);
#else
    return (cogen_bytes64)_mm512_multishift_epi64_epi8((__m512i)first, (__m512i)words);
#endif
}
#endif

/* ---- sums ---- */
/* For each word of 64 bits the sum of its bytes; for GCC without immintrin.h, as above. */
#ifdef __AVX512BW__
typedef char cogen_bytes64 __attribute__((vector_size(64)));
#if defined __has_builtin && !defined __clang__
#if __has_builtin(__builtin_ia32_psadbw512)
#define COGEN_BUILTIN_SUMS
#endif
#endif
#ifndef COGEN_BUILTIN_SUMS
#include <immintrin.h>
#endif
static inline cogen_bytes64 cogen_sums64(cogen_bytes64 bytes)
{
#ifdef COGEN_BUILTIN_SUMS
    return (cogen_bytes64)__builtin_ia32_psadbw512(bytes, (cogen_bytes64){0});
#else
    return (cogen_bytes64)_mm512_sad_epu8((__m512i)bytes, _mm512_setzero_si512());
#endif
}
#endif
