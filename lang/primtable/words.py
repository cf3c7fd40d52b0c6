"""Rows of the primitive table: bits of integers, wrapping words, annotations of integers.

Laws
    bits are those of two's complement without end: -1 has all bits set
    word operations are modulo 2^64; results are given as signed 64-bit integers
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

from cogen.lang.datum import INT_MAX, UNSPECIFIED, Datum, symbol
from cogen.lang.primtable import checks, intervals
from cogen.lang.primtable.checks import PrimitiveError
from cogen.lang.primtable.numbers import need_nonzero, of_integers
from cogen.lang.primtable.row import PrimitiveRow, row

WORD = 1 << 64


def signed64(x: int) -> int:
    """The signed 64-bit integer congruent to x modulo 2^64."""
    x &= WORD - 1
    return x - WORD if x > INT_MAX else x


def arithmetic_shift(x: Datum, n: Datum) -> int:
    """`arithmetic-shift`: x times 2^n, rounded toward minus infinity."""
    value, count = checks.need_int("arithmetic-shift", x), checks.need_int("arithmetic-shift", n)
    if count <= 0:
        return value >> -count
    if value == 0:
        return 0
    if count > 63:
        raise checks.overflow("arithmetic-shift")
    return checks.fitting("arithmetic-shift", value << count)


def _bit_count(x: Datum) -> int:
    value = checks.need_int("bit-count", x)
    return (value if value >= 0 else ~value).bit_count()


def _word(name: str, operation: Callable[[int, int], int]) -> Callable[[Datum, Datum], int]:
    return lambda a, b: signed64(operation(checks.need_int(name, a), checks.need_int(name, b)))


def _need_count(name: str, n: Datum) -> int:
    count = checks.need_int(name, n)
    if count < 0:
        raise PrimitiveError("index", f"{name}: the shift count {count} is negative")
    return count


def _word_shift_left(x: Datum, n: Datum) -> int:
    value, count = checks.need_int("word-shift-left", x), _need_count("word-shift-left", n)
    return signed64(value << count) if count < 64 else 0


def _word_shift_right(x: Datum, n: Datum) -> int:
    value, count = checks.need_int("word-shift-right", x), _need_count("word-shift-right", n)
    return signed64((value % WORD) >> count) if count < 64 else 0


# Annotations of integers


def _set_base(x: Datum, n: Datum) -> int:
    if type(n) is not int or n <= 0:
        raise checks.expected("set-base", "a positive integer as the base", n)
    return checks.need_int("set-base", x)


RELOAD: Final = symbol("reload")
CARRY: Final = symbol("carry")
"""What `init-cache` may say of words around loops."""


def _init_cache(lines: Datum, form: Datum = RELOAD) -> Datum:
    if checks.need_int("init-cache", lines) < 0:
        raise PrimitiveError("index", f"init-cache: {lines} is no number of lines")
    if form is not RELOAD and form is not CARRY:
        raise checks.expected("init-cache", "reload or carry", form)
    return UNSPECIFIED


def cyclic_quotient(x: Datum, base: Datum, remainder: Datum) -> int:
    """`cyclic-quotient`: q where x = base * q + remainder."""
    name = "cyclic-quotient"
    value = checks.need_int(name, x)
    modulus, rest = (
        need_nonzero(name, checks.need_int(name, base)),
        checks.need_int(name, remainder),
    )
    quotient, excess = divmod(value - rest, modulus)
    if excess:
        raise PrimitiveError("user", f"{value} is not congruent to {rest} modulo {modulus}")
    return checks.fitting(name, quotient)


_NO_ARRAYS = {"arrays": "L0 has no such operation"}
_EARLY = dict.fromkeys(("kernel C", "arrays"), "only the specializer has a cache")

_BITS = (
    row("bitwise-and", "int int", "int", of_integers("bitwise-and", operator.and_),
        "Bits set in both.", c="{0} & {1}", fold="left", identity=-1, unit=-1,
        interval=intervals.of_and, commutes=True, inline="{0} & {1}", operator="&"),
    row("bitwise-ior", "int int", "int", of_integers("bitwise-ior", operator.or_),
        "Bits set in either.", c="{0} | {1}", fold="left", identity=0, unit=0,
        interval=intervals.of_or, commutes=True, inline="{0} | {1}", operator="|"),
    row("bitwise-xor", "int int", "int", of_integers("bitwise-xor", operator.xor),
        "Bits set in one of both.", c="{0} ^ {1}", fold="left", identity=0, unit=0,
        interval=intervals.as_many_bits, commutes=True, inline="{0} ^ {1}", operator="^"),
    row("bitwise-not", "int", "int", lambda x: ~checks.need_int("bitwise-not", x),
        "Every bit the other way: -x - 1.", c="~{0}", interval=lambda a: (~a[1], ~a[0])),
    row("arithmetic-shift", "int int", "int", arithmetic_shift,
        "x times 2^n, rounded toward minus infinity; n may be negative.",
        fails="type overflow", interval=intervals.shift, typed=True),
    row("bit-count", "int", "int", _bit_count,
        "How many bits are set; of a negative number, how many are not.",
        c="__builtin_popcountll((uint64_t)({0} ^ ({0} >> 63)))",
        interval=lambda a: (0, 64), without=_NO_ARRAYS),
    row("word-add", "int int", "int", _word("word-add", operator.add),
        "Sum modulo 2^64, as a signed 64-bit integer.",
        c="(int64_t)((uint64_t){0} + (uint64_t){1})", fold="left", identity=0, unit=0,
        interval=intervals.word_sum, commutes=True, operator="+"),
    row("word-sub", "int int", "int", _word("word-sub", operator.sub),
        "Difference modulo 2^64, as a signed 64-bit integer.",
        c="(int64_t)((uint64_t){0} - (uint64_t){1})", fold="left", unit=0,
        interval=intervals.word_difference, operator="-"),
    row("word-mul", "int int", "int", _word("word-mul", operator.mul),
        "Product modulo 2^64, as a signed 64-bit integer.",
        c="(int64_t)((uint64_t){0} * (uint64_t){1})", fold="left", identity=1, unit=1,
        interval=intervals.word_product, commutes=True, operator="*"),
    row("word-shift-left", "int int", "int", _word_shift_left,
        "x times 2^n modulo 2^64, as a signed 64-bit integer; n is not negative.",
        fails="type index", without=_NO_ARRAYS, interval=intervals.word_left, typed=True),
    row("word-shift-right", "int int", "int", _word_shift_right,
        "The 64 bits of x moved n places down, zeros coming in; n is not negative.",
        fails="type index", without=_NO_ARRAYS, interval=intervals.word_down, typed=True),
)  # fmt: skip

_ANNOTATIONS = (
    row("set-base", "int int", "int", _set_base,
        "x; tells the specializer to know x modulo n from here on.",
        interval=lambda a, modulus: a, without=_NO_ARRAYS),
    row("init-cache", "int symbol", "unspecified", _init_cache,
        "Does nothing; how many lines of memory the residual program shall keep in variables.",
        fails="type index", arity=(1, 2)),
    row("cache-lines", "", "int", lambda: 0,
        "How many lines the cache has: 0 in a run, which has none.", fails="", without=_EARLY),
    row("cache-carries?", "", "bool", lambda: False,
        "Shall the cache carry words around loops?  Not in a run.", fails="", without=_EARLY),
    row("cyclic-quotient", "int int int", "int", cyclic_quotient,
        "(cyclic-quotient x base rem): q where x = base * q + rem; an error if there is none.",
        fails="type division user overflow", without=_NO_ARRAYS,
        interval=intervals.cyclic_quotient),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = (*_BITS, *_ANNOTATIONS)
