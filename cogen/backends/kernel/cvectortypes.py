"""Vectors in C: their types, and expressions that take them from memory and change their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CBinary,
    CBraces,
    CCast,
    CConstant,
    CInvoke,
    CNumber,
    CTypedef,
    CUnary,
    CVariable,
    Expr,
)
from cogen.backends.ctree.types import (
    DOUBLE,
    FLOAT,
    INT,
    U8,
    U32,
    U64,
    CBasic,
    CConst,
    CPointer,
    Type,
)

FROM: Final = CVariable("from", CPointer(CConst(U8), restrict=True))


def vector_types(types: Iterable[str]) -> Iterator[CTypedef]:
    """Vector types, each with one for any address; they may be defined several times."""
    for name in sorted(types):
        kind, lanes = name.removeprefix("cogen_").split("x")
        element, size = ELEMENTS[kind]
        if lanes == "1":
            yield CTypedef(element, f"{name}_at", "aligned(1), may_alias")
            continue
        vector = f"vector_size({size * int(lanes)})"
        yield CTypedef(element, name, vector)
        yield CTypedef(element, f"{name}_at", f"{vector}, aligned(1), may_alias")


ELEMENTS: Final[dict[str, tuple[Type, int]]] = {
    **{f"u{n}": (CBasic(f"uint{n}_t"), n // 8) for n in (8, 16, 32, 64)},
    **{f"i{n}": (CBasic(f"int{n}_t"), n // 8) for n in (8, 16, 32, 64)},
    "f32": (FLOAT, 4),
    "f64": (DOUBLE, 8),
}


def vector_at(base: CVariable, kind: CBasic, offset: int) -> Expr:
    """What is so many bytes behind an address, which may be any."""
    t: Type = CBasic(f"{kind.name}_at")
    where = CBinary("+", base, small(offset))
    return CUnary("*", CCast(CPointer(CConst(t) if base == FROM else t), where))


def shuffled(one: Expr, other: Expr, places: Iterable[int]) -> Expr:
    """The bytes of two vectors at places."""
    return CInvoke("__builtin_shufflevector", (one, other, *map(small, places)), VECTOR)


def converted(value: Expr, kind: CBasic) -> Expr:
    return CInvoke("__builtin_convertvector", (value, CConstant(kind.name, kind)), kind)


VECTOR: Final = CBasic("vector")
"""Any vector."""


def table_of(kind: CBasic, numbers: Sequence[int], size: int) -> Expr:
    """A vector of numbers; one alone if they are all the same."""
    made = [lane_number(number, size) for number in numbers]
    return made[0] if len(set(made)) == 1 else vector_of(kind, made)


def lane_number(number: int, size: int) -> Expr:
    """A number of a lane of so many bits."""
    t = INT if size < 32 else U32 if number < 1 << 32 else U64
    return CNumber(number, t, hexadecimal=number > 255)


def vector_of(kind: CBasic, numbers: Sequence[Expr]) -> Expr:
    return CCast(kind, CBraces(tuple([("", number) for number in numbers])))


BYTE_TESTS: Final = """
/* Which bytes have a bit of another's, as the bits of one integer; 1 for each byte that is not 0.
   GCC reads immintrin.h for 0.2 s, and needs none of it. */
#if defined __AVX512BW__ && defined __has_builtin && !defined __clang__
#if __has_builtin(__builtin_ia32_ptestmb512) && __has_builtin(__builtin_ia32_pminub512_mask)
#define COGEN_BUILTIN64
#endif
#endif
#if defined __AVX2__ && defined __has_builtin && !defined __clang__
#if __has_builtin(__builtin_ia32_pmovmskb256) && __has_builtin(__builtin_ia32_pminub256)
#define COGEN_BUILTIN32
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
static inline cogen_bytes32 cogen_single32(cogen_bytes32 a)
{
#ifdef COGEN_BUILTIN32
    return __builtin_ia32_pminub256(a, (cogen_bytes32){0} + 1);
#else
    return (cogen_bytes32)_mm256_min_epu8((__m256i)a, _mm256_set1_epi8(1));
#endif
}
#endif
"""
"""What vectors of bytes tell, for kernels that test bits of all at once."""
