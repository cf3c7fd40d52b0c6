"""Typed C: values, and the one place where an operator meets its operands.

    type ::= I64 | I32 | U32 | U64 | WIDE | DOUBLE | BOOL        of `cogen.backends.ctree.types`

Integers of the language are mathematical; whoever builds an expression may assume that none
leaves [-2^63, 2^63).  Where operands and result provably fit, an operation is done in 32 bits:
that is what lets a C compiler put twice as many samples into a vector register.

Note [Types of C expressions]
    The `type` of a `CValue` is the one that C itself gives to its expression, once promoted
    (C11 6.3.1).  It is so by construction: a literal is written with the type that its interval
    gives it (`integer`), and operators are written here and nowhere else, by what C says of
    them.  `written` makes C compute in a given type: a shift has the type of its left operand
    alone, whatever the count is, so that operand is brought to the type, a literal by its
    suffix; of the two operands of any other operator one is brought to it, and the other is left
    as it is where C converts it without a loss.  The type itself follows from the intervals of
    operands and result (`narrow_type`).  u64 is for what is computed modulo 2^64 (`wrapped`,
    `unsigned`), wide for 128 bits; no integer of a program has one of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from cogen.backends.ctree import literals
from cogen.backends.ctree.tree import (
    CBinary,
    CCast,
    CChoose,
    CInvoke,
    CNumber,
    CUnary,
    CVariable,
    Expr,
)
from cogen.backends.ctree.types import BOOL, DOUBLE, I32, I64, U32, U64, WIDE, CBasic, Type, text
from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.errors import InternalError
from cogen.lang.marks import Places

F64 = DOUBLE
RANGES: dict[Type, tuple[int, int]] = {
    I32: (-(1 << 31), (1 << 31) - 1),
    U32: (0, (1 << 32) - 1),
    I64: (INT_MIN, INT_MAX),
    U64: (0, (1 << 64) - 1),
    WIDE: (-(1 << 127), (1 << 127) - 1),
}
BITS: dict[Type, int] = {I32: 32, U32: 32, I64: 64, U64: 64}
I32_LOW, I32_HIGH = RANGES[I32]
WIDENED: dict[Type, tuple[Type, ...]] = {I64: (I32, U32), WIDE: (I32, U32, I64)}
"""From which types C converts to a type by itself, without a loss."""

SHIFTS = ("<<", ">>")
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True, slots=True)
class CValue:
    """An expression; `low` and `high` bound an integer, `weight` counts its nodes.

    `type` is what C makes of it; see Note [Types of C expressions].
    `constant` is its value if it is a literal (an int or float).  `reads` tells that it
    reads memory.  `wide` and `narrow` are the parts of a sum that can still be regrouped.
    `opposite` is the negation of a comparison that has a simple one.  `origin` tells how the
    value was made where that matters to what is made of it: ("moved", x, n) for the 64 bits of
    x moved up n places, ("sum", x, n) for x + n in 32 bits, ("flipped", x, n) for an n-bit x with
    its highest bit changed, ("masked", x, n) for the low n bits of x, ("lowered", x, n) for x >> n
    of an x that is not negative, ("product", x, n) for a 32-bit x times n modulo 2^64,
    ("gathered", p, n) for such a product p shifted down n places, ("floored", x, n) for x >> n of
    any x, ("negated", x, 1) for -x, ("scaled", x, n) for x * n, ("word", q, n) for the word of n
    bits at index q, ("piece", x, n) for a word moved down so that x are its low n bits,
    ("offset", x, n) for x + n of a sample x with a sign.  `terms` are the two whose sum it is,
    where both are signed numbers of 16 bits; `capped` is such a sum and its bound of 16 bits,
    where it is the lesser or the greater of the two.
    """

    expr: Expr
    type: Type
    low: int = INT_MIN
    high: int = INT_MAX
    weight: int = 1
    reads: bool = False
    constant: int | float | None = None
    wide: CValue | None = None
    narrow: CValue | None = None
    opposite: Expr | None = None
    origin: tuple[str, CValue, int] | None = None
    terms: tuple[CValue, CValue] | None = None
    capped: tuple[CValue, int] | None = None

    def comes_from(self, kind: str) -> tuple[CValue, int] | None:
        """What the value was made of in that way, and its number."""
        if self.origin is None or self.origin[0] != kind:
            return None
        return self.origin[1:]

    def at(self, places: Places) -> CValue:
        """The value, made of these places of the source and of those that it has already."""
        if not places:
            return self
        opposite = None if self.opposite is None else at(self.opposite, places)
        return replace(self, expr=at(self.expr, places), opposite=opposite)

    @property
    def is_zero(self) -> bool:
        return self.constant == 0 and self.type != F64

    def fits(self, type_: Type) -> bool:
        low, high = RANGES[type_]
        return low <= self.low and self.high <= high


def at(expr: Expr, places: Places) -> Expr:
    """The expression, made of these places of the source too."""
    return replace(expr, places=tuple(dict.fromkeys((*places, *expr.places))))


# Leaves


def integer(value: int, hexadecimal: bool = False) -> CValue:
    """A literal, of the narrowest type that has it; `value` is an integer of the language."""
    type_ = next(t for t in (I32, U32, I64) if RANGES[t][0] <= value <= RANGES[t][1])
    return CValue(CNumber(value, type_, hexadecimal), type_, value, value, constant=value)


def floating(value: float) -> CValue:
    """A literal of type double that reads back exactly; NaN and infinities by their macros."""
    return CValue(literals.real(value), F64, constant=value)


def boolean(value: bool) -> CValue:
    return CValue(literals.truth(value), BOOL, 0, 1, constant=int(value))


def variable(name: str, type_: Type, low: int = INT_MIN, high: int = INT_MAX) -> CValue:
    """A variable that is declared with the type."""
    return CValue(CVariable(name, type_), type_, low, high)


def call(
    function: str, type_: Type, *arguments: CValue, low: int = INT_MIN, high: int = INT_MAX
) -> CValue:
    """A call of a total C function that gives the type; C converts integer arguments to
    int64_t itself."""
    return CValue(
        CInvoke(function, tuple(a.expr for a in arguments), type_),
        type_, low, high,
        1 + sum(a.weight for a in arguments), any(a.reads for a in arguments),
    )  # fmt: skip


# Conversion


def convert(value: CValue, type_: Type) -> Expr:
    """The expression as one that has the type in C; the value must fit."""
    if value.type == type_:
        return value.expr
    if type_ == F64:
        if value.constant is not None:
            return floating(float(value.constant)).expr
        return CCast(F64, value.expr)
    if isinstance(value.constant, int) and type_ != WIDE:
        return CNumber(value.constant, type_, _is_long(value.constant, type_))
    return CCast(type_, value.expr)


def _is_long(value: int, type_: Type) -> bool:
    return type_ == U32 and value > I32_HIGH


def converted(value: CValue, type_: Type) -> CValue:
    """The value in the type, which has it."""
    if value.type == type_:
        return value
    return CValue(
        convert(value, type_), type_, value.low, value.high, value.weight + 1, value.reads,
        value.constant,
    )  # fmt: skip


def unsigned(value: CValue, type_: Type = U64) -> CValue:
    """The value modulo 2^64 (or 2^32) in C's unsigned type of that width."""
    if isinstance(value.constant, int):
        wrapped_to = value.constant % (RANGES[type_][1] + 1)
        expr = CNumber(wrapped_to, type_, wrapped_to > 255)
        return CValue(expr, type_, wrapped_to, wrapped_to, constant=wrapped_to)
    if value.type == type_:
        return value
    low, high = (value.low, value.high) if value.fits(type_) else RANGES[type_]
    return CValue(CCast(type_, value.expr), type_, low, high, value.weight + 1, value.reads)


def signed(value: CValue, type_: Type = I64, low: int = INT_MIN, high: int = INT_MAX) -> CValue:
    """What the bits of an unsigned value are as a signed number, which is in that interval."""
    return CValue(CCast(type_, value.expr), type_, low, high, value.weight + 1, value.reads)


def shrunk(value: CValue, bits: int) -> CValue:
    """The low 8 or 16 bits of the value as a signed number."""
    half = 1 << (bits - 1)
    return CValue(
        CCast(CBasic(f"int{bits}_t"), value.expr),
        I32,
        -half,
        half - 1,
        value.weight + 1,
        value.reads,
    )


# Operators; see Note [Types of C expressions]


def narrow_type(operands: Sequence[CValue], low: int, high: int) -> Type:
    """The type in which operands and result fit: 32 bits if no operand is wider."""
    for type_ in (WIDE, U64, I64):
        if any(o.type == type_ for o in operands):
            return type_
    if all(o.constant is not None for o in operands):
        return I64
    lowest = min(low, *(o.low for o in operands))
    highest = max(high, *(o.high for o in operands))
    is_unsigned = any(o.type == U32 and o.constant is None for o in operands)
    for type_ in (U32, I32) if is_unsigned else (I32, U32):
        if RANGES[type_][0] <= lowest and highest <= RANGES[type_][1]:
            return type_
    return I64


def combine(operator: str, a: CValue, b: CValue, low: int, high: int) -> CValue:
    """`a operator b` on integers, in the narrowest type, with the interval of the result.

    A result that no integer of the language is may be anything.
    """
    if low == high:
        return integer(min(max(low, INT_MIN), INT_MAX))
    type_ = narrow_type((a, b), low, high)
    least, most = RANGES[type_]
    return made(operator, type_, a, b, max(low, least), min(high, most))


def made(operator: str, type_: Type, a: CValue, b: CValue, low: int, high: int) -> CValue:
    """`a operator b` computed in the type, which has both operands and the result.

    A count is not negative and less than the bits of the type.
    """
    if operator in SHIFTS and not 0 <= b.low <= b.high < BITS[type_]:
        raise InternalError(f"a shift of {text(type_)} by {b.low} to {b.high} places")
    expr = written(operator, type_, a, b)
    return CValue(expr, type_, low, high, a.weight + b.weight + 1, a.reads or b.reads)


def written(operator: str, type_: Type, a: CValue, b: CValue) -> Expr:
    """The expression `a operator b` that C computes in the type."""
    if operator in SHIFTS:
        return CBinary(operator, convert(a, type_), b.expr)
    return CBinary(operator, *_operands_in(type_, a, b))


def _operands_in(type_: Type, a: CValue, b: CValue) -> tuple[Expr, Expr]:
    """Both operands so that C computes in the type: one operand at least has it."""
    if a.type == type_ and a.constant is None:
        return a.expr, _beside(b, type_)
    if b.type == type_ and b.constant is None:
        return _beside(a, type_), b.expr
    return convert(a, type_), _beside(b, type_)


def _beside(value: CValue, type_: Type) -> Expr:
    """The operand beside one of the type: as it is where C converts it without a loss."""
    if type_ == F64 or value.constant is None:
        is_widened = value.type in WIDENED.get(type_, ())
        return value.expr if is_widened else convert(value, type_)
    if isinstance(value.constant, int) and I32_LOW <= value.constant <= I32_HIGH:
        in_bits = value.type in (U32, U64) and value.constant > 255
        return CNumber(value.constant, I32, in_bits) if value.type != I32 else value.expr
    return value.expr if type_ == WIDE else convert(value, type_)


def wrapped(operator: str, a: CValue, b: CValue) -> CValue:
    """`a operator b` modulo 2^64, as a signed number."""
    return signed(made(operator, U64, unsigned(a), unsigned(b), *RANGES[U64]))


def opposite(a: CValue) -> CValue:
    """-a; integers in 32 bits where operand and result fit."""
    low, high = -a.high, -a.low
    type_ = a.type if a.type in (F64, WIDE) else I64
    if a.type in (I32, U32) and a.fits(I32) and high <= I32_HIGH:
        type_ = I32
    expr = CUnary("-", convert(a, type_))
    most = INT_MAX if type_ == F64 else RANGES[type_][1]
    return CValue(expr, type_, low, min(high, most), a.weight + 1, a.reads)


def inverted(a: CValue) -> CValue:
    """~a"""
    type_ = I64 if a.type == U32 else a.type
    return CValue(CUnary("~", convert(a, type_)), type_, ~a.high, ~a.low, a.weight + 1, a.reads)


def choice(test: CValue, then: CValue, otherwise: CValue, low: int, high: int) -> CValue:
    """`test ? then : otherwise` of integers, in the narrowest type, with its interval."""
    type_ = narrow_type((then, otherwise), low, high)
    arms = _operands_in(type_, then, otherwise)
    weight = test.weight + then.weight + otherwise.weight
    reads = test.reads or then.reads or otherwise.reads
    return CValue(CChoose(test.expr, *arms), type_, low, high, weight, reads)


def float_operation(operator: str, a: CValue, b: CValue) -> CValue:
    """`a operator b` of numbers as floats."""
    expr = CBinary(operator, convert(a, F64), convert(b, F64))
    return CValue(expr, F64, weight=a.weight + b.weight + 1, reads=a.reads or b.reads)


# Tests


def compare(operator: str, a: CValue, b: CValue) -> CValue:
    """A comparison of two numbers or two booleans; known where their intervals tell."""
    floats = F64 in (a.type, b.type)
    known = None if floats else _decided(operator, a, b)
    if known is not None:
        return boolean(known)
    type_: Type
    if floats:
        type_ = F64
    elif a.type == b.type and a.constant is None:
        type_ = a.type
    else:
        type_ = narrow_type((a, b), a.low, a.high)
    left, right = _operands_in(type_, a, b)
    ordered = not floats or operator in ("==", "!=")
    return CValue(
        CBinary(operator, left, right), BOOL, 0, 1, a.weight + b.weight + 1, a.reads or b.reads,
        opposite=CBinary(OPPOSITE[operator], left, right) if ordered else None,
    )  # fmt: skip


def _decided(operator: str, a: CValue, b: CValue) -> bool | None:
    """What a comparison of integers must give, None if it depends."""
    if a.expr == b.expr:
        return operator in ("==", "<=", ">=")
    if operator in ("==", "!="):
        if a.low == a.high == b.low == b.high:
            return operator == "=="
        return operator == "!=" if a.high < b.low or b.high < a.low else None
    if operator in (">", ">="):
        a, b, operator = b, a, {">": "<", ">=": "<="}[operator]
    if operator == "<":
        return True if a.high < b.low else False if a.low >= b.high else None
    return True if a.high <= b.low else False if a.low > b.high else None


def negated(a: CValue) -> CValue:
    """The opposite of a boolean; a comparison is turned round where that is exact."""
    if a.constant is not None:
        return boolean(not a.constant)
    turned = a.opposite or CUnary("!", a.expr)
    return CValue(turned, BOOL, 0, 1, a.weight, a.reads, opposite=a.expr)


def both(*tests: CValue) -> CValue:
    """Whether all tests hold, from left to right; true if there are none."""
    return _joined("&&", [test for test in tests if not test.constant])


def either(*tests: CValue) -> CValue:
    """Whether a test holds, from left to right; false if there are none."""
    return _joined("||", [test for test in tests if test.constant != 0])


def _joined(operator: str, tests: Sequence[CValue]) -> CValue:
    if not tests:
        return boolean(operator == "&&")
    for test in tests:
        if test.constant is not None:
            return test
    expr = reduce(lambda left, right: CBinary(operator, left, right), [t.expr for t in tests])
    weight = sum(test.weight for test in tests) + len(tests) - 1
    return CValue(expr, BOOL, 0, 1, weight, any(test.reads for test in tests))


def true_number(test: CValue) -> CValue:
    """A comparison as the number it is in C: 1 or 0."""
    if test.constant is not None:
        return integer(int(test.constant))
    return CValue(test.expr, I32, 0, 1, test.weight, test.reads)
