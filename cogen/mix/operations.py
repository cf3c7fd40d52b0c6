"""The operations of the small language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_UNARY: Final = """
    car cdr null? pair? not symbol? number? integer? boolean? string? char? procedure? list?
    reverse length zero? positive? negative? odd? even? abs square symbol->string string->symbol
    number->string string->number string->list list->string string-length char->integer
    integer->char char-alphabetic? char-numeric? char-whitespace?
"""

_BINARY: Final = """
    cons eq? assq + - = eqv? equal? assv assoc memq memv member append list-ref list-tail * < > <=
    >= quotient remainder modulo min max gcd expt / string-append string=? string<? string-ref
    char=? char<?
"""

PRIMITIVES: Final[Mapping[str, int]] = {
    **dict.fromkeys(_UNARY.split(), 1),
    **dict.fromkeys(_BINARY.split(), 2),
    "substring": 3,
}
"""The operations of the small language and how many arguments they take, those of `apply-1`,
`apply-2` and `apply-3` in mix.scm; besides there is `error`, of one argument or more."""

SAME: Final = {
    "exact-integer?": "integer?",
    "truncate-quotient": "quotient",
    "truncate-remainder": "remainder",
    "floor-remainder": "modulo",
    "boolean=?": "eqv?",
    "symbol=?": "eq?",
}
"""Operations that another one stands for."""
