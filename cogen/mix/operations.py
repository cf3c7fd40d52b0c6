"""The operations of the small language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_UNARY: Final = """
    car cdr null? pair? not symbol? number? integer? boolean? string? char? procedure? list?
    reverse length zero? positive? negative? odd? even? abs square symbol->string string->symbol
    number->string string->number string->list list->string string-length char->integer
    integer->char char-alphabetic? char-numeric? char-whitespace? vector? vector-length
    list->vector vector->list char-upcase char-downcase exact inexact floor round truncate sqrt
    string->vector vector->string string-upcase string-downcase string-foldcase char-foldcase
    char-upper-case? char-lower-case? digit-value ceiling exp log sin cos tan asin acos atan exact?
    inexact? rational? complex? nan? finite? infinite? bitwise-not bit-count eof-object?
"""

_BINARY: Final = """
    cons eq? assq + - = eqv? equal? assv assoc memq memv member append list-ref list-tail * < > <=
    >= quotient remainder modulo min max gcd expt / string-append string=? string<? string-ref
    char=? char<? vector-ref make-vector string>? char>? char<=? char>=? string<=? string>=?
    string-ci=? string-ci<? char-ci=? char-ci<? floor-quotient lcm bitwise-and bitwise-ior
    bitwise-xor arithmetic-shift word-add word-sub word-mul word-shift-left word-shift-right
"""

_ONLY_SPECIALIZE: Final = """
    known-size? early= early-different? set-base assume-disjoint cyclic-quotient
"""

_OF_LIBRARY: Final = """
    vector-fill! vector-copy vector-copy! vector-append vector-map vector-for-each string-for-each
    string-map list-set!
"""

PRIMITIVES: Final[Mapping[str, int]] = {
    **dict.fromkeys(_UNARY.split(), 1),
    **dict.fromkeys(_BINARY.split(), 2),
    "substring": 3,
}
"""The operations that the specializer does where their operands are known, and how many arguments
they take: those of `apply-1`, `apply-2` and `apply-3` in mix.scm.  Besides there are `error`, of
one argument or more, `apply`, those of records, and `known?`, which the analysis answers.  All
other operations of the language are left to the residual program, in their order."""

RECORDS: Final = ("make-record", "record-ref", "record-is?")

SAME: Final = {
    "exact-integer?": "integer?",
    "truncate-quotient": "quotient",
    "truncate-remainder": "remainder",
    "floor-remainder": "modulo",
    "boolean=?": "eqv?",
    "symbol=?": "eq?",
    "real?": "number?",
    "inexact->exact": "exact",
    "exact->inexact": "inexact",
}
"""Operations that another one stands for."""

OUTSIDE: Final = frozenset(_ONLY_SPECIALIZE.split())
"""Operations that only `cogen specialize` has a use for."""

LEFT: Final = frozenset(("%swap-port!", "%evaluated"))
"""Operations that only the library has names for and residual programs have as well."""

OF_LIBRARY: Final = frozenset(_OF_LIBRARY.split())
"""Procedures of the library that residual programs call as they call operations."""
