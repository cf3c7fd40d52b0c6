"""Primitive operations of the IL -> L0 expressions.

An int where the other operand is a float becomes one, as in the language.  Integers that leave 64
bits wrap around in L0; in the language that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.divisors import common_divisor
from cogen.array.l0.primitives import TYPES
from cogen.array.l0.types import BOOL, CHAR, INT, REAL, STRING, ArrayType, TupleType, Type
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.scalarcode import Maker, Scalars, Typed
from cogen.array.scheme.symbolicvalues import (
    KnownSymbol,
    SymbolicConstant,
    SymbolicNumber,
    SymbolicProcedure,
    Value,
)
from cogen.array.scheme.typetext import show
from cogen.lang.datum import Symbol
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.prims import CHOOSING, PRIMITIVES

MOST_SHIFT: Final = 63


def scalar(code: Code, op: str, values: Sequence[Value], span: Span) -> Typed:
    """The expression of an operation, and its type.

    CogenError where operands are of wrong types; LimitationError for an operation that array
    programs do not have.
    """
    make = MAKERS.get(op)
    row = PRIMITIVES[op]
    if make is None and row.array is not None:
        make = _by_name(row.array, TYPES[row.arguments[0]], TYPES[row.result])
    if make is None:
        raise LimitationError(f"`{op}` is not there in array programs", span, _HINTS.get(op))
    return make(Scalars(code, op, span), values)


def _by_name(function: str, operand: Type, result: Type) -> Maker:
    """An operation that L0 has as a function of one operand."""
    return lambda s, values: (s.apply(function, s.of(values[0], operand)), result)


# Arithmetic


def _arithmetic(operator: str) -> Maker:
    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        if operator in ("+", "-") and any(map(_is_exact_zero, values)):
            return _with_exact_zero(s, operator, values)
        (a, b), t = s.numbers(values)
        return s.binary(operator, a, b), t

    return make


def _is_exact_zero(value: Value) -> bool:
    return isinstance(value, SymbolicNumber) and value.type == INT and value.value == 0


def _with_exact_zero(s: Scalars, operator: str, values: Sequence[Value]) -> Typed:
    """An exact 0 is the identity, also of floats: 0 + -0.0 is -0.0."""
    a, b = values
    if _is_exact_zero(b):
        (e,), t = s.numbers([a])
        return e, t
    (e,), t = s.numbers([b])
    return (e if operator == "+" else tree.UnaryExpression(s.span, "-", e)), t


def _divide(s: Scalars, values: Sequence[Value]) -> Typed:
    """Of integers the quotient must be one."""
    (a, b), t = s.numbers(values)
    if t == INT:
        x, y = s.again(a, INT), s.again(b, INT)
        s.code.require(s.binary("=", s.binary("%", x(), y()), s.integer(0)))
        a, b = x(), y()
    return s.binary("/", a, b), t


def _floored(operator: str) -> Maker:
    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        return s.binary(operator, *map(s.whole, values)), INT

    return make


def _quotient(s: Scalars, values: Sequence[Value]) -> Typed:
    """Toward zero: one more than the floor where that is below and there is a remainder."""
    a, b = (s.again(s.whole(value), INT) for value in values)
    floor = s.again(s.binary("/", a(), b()), INT)
    exact = s.binary("=", s.binary("*", floor(), b()), a())
    divisor = b()
    signs = a() if _is_positive(divisor) else s.binary("^", a(), divisor)
    below = s.binary("<", signs, s.integer(0))
    up = s.choose(exact, floor(), s.binary("+", floor(), s.integer(1)))
    return s.choose(below, up, floor()), INT


def _is_positive(e: tree.Expression) -> bool:
    return isinstance(e, tree.LiteralExpression) and e.type == INT and int(e.value) > 0


def _remainder(s: Scalars, values: Sequence[Value]) -> Typed:
    a, b = (s.again(s.whole(value), INT) for value in values)
    quotient = _quotient(s, values)[0]
    return s.binary("-", a(), s.binary("*", quotient, b())), INT


def _choosing(order: str) -> Maker:
    smaller = order == "<="

    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        found, t = s.numbers(values)
        a, b = (s.again(e, t) for e in found)
        test = s.binary("<", b(), a()) if smaller else s.binary("<", a(), b())
        if t == INT:
            return s.choose(test, b(), a()), t
        number = s.binary("=", b(), b())
        return s.choose(test, b(), s.choose(number, a(), b())), t

    return make


def _function(name: str) -> Maker:
    """A function of reals."""

    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        if len(values) != 1:
            raise LimitationError(
                f"`{s.op}` of two arguments is not there in array programs", s.span
            )
        e, t = s.operand(values[0])
        if t not in (INT, REAL):
            raise s.refused("a number", t)
        return s.apply(name, s.as_real(e, t)), REAL

    return make


def _sqrt(s: Scalars, values: Sequence[Value]) -> Typed:
    if s.operand(values[0])[1] == INT:
        raise CogenError(
            "sqrt: of an int only a run knows whether it is an int", s.span, "(sqrt (inexact x))"
        )
    return s.apply("sqrt", s.of(values[0], REAL)), REAL


def _abs(s: Scalars, values: Sequence[Value]) -> Typed:
    (e,), t = s.numbers(values)
    return s.apply("abs", e), t


def _square(s: Scalars, values: Sequence[Value]) -> Typed:
    (e,), t = s.numbers(values)
    x = s.again(e, t)
    return s.binary("*", x(), x()), t


def _inexact(s: Scalars, values: Sequence[Value]) -> Typed:
    e, t = s.operand(values[0])
    if t not in (INT, REAL):
        raise s.refused("a number", t)
    return s.as_real(e, t), REAL


def _exact(s: Scalars, values: Sequence[Value]) -> Typed:
    """A real without a fraction as an int."""
    (e,), t = s.numbers(values)
    if t == INT:
        return e, INT
    x = s.again(e, REAL)
    whole = s.again(s.apply("trunc", x()), INT)
    s.code.require(s.binary("=", s.apply("toReal", whole()), x()))
    return whole(), INT


def _rounded(function: str) -> Maker:
    """`floor`, `ceiling` and `round`, of an int the int itself."""

    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        (e,), t = s.numbers(values)
        return (e, INT) if t == INT else (s.apply(function, e), REAL)

    return make


def _truncate(s: Scalars, values: Sequence[Value]) -> Typed:
    """What is below 0 is rounded up, all else down."""
    (e,), t = s.numbers(values)
    if t == INT:
        return e, INT
    x = s.again(e, REAL)
    below = s.binary("<", x(), s.real(0.0))
    return s.choose(below, s.apply("ceil", x()), s.apply("floor", x())), REAL


def _character(s: Scalars, values: Sequence[Value]) -> Typed:
    """Of the code of a character; `chr` gives U+FFFD for all others."""
    n = s.again(s.of(values[0], INT), INT)
    c = s.again(s.apply("chr", n()), CHAR)
    text = tree.StringLiteral(s.span, "integer->char: the code of no character:")
    s.code.require(s.binary("=", s.apply("ord", c()), n()), [text, n()])
    return c(), CHAR


def _bitwise_not(s: Scalars, values: Sequence[Value]) -> Typed:
    return s.binary("-", s.integer(-1), s.of(values[0], INT)), INT


def _shift(s: Scalars, values: Sequence[Value]) -> Typed:
    x, count = s.of(values[0], INT), values[1]
    if isinstance(count, SymbolicNumber) and count.type == INT:
        n = int(count.value)
        if n > MOST_SHIFT:
            raise CogenError(f"{s.op}: the result does not fit in 64 bits", s.span)
        if n >= 0:
            return s.binary("<<", x, s.integer(n)), INT
        return s.binary(">>", x, s.integer(min(-n, MOST_SHIFT))), INT
    number = s.again(x, INT)
    left = s.again(s.of(count, INT), INT)
    far = s.binary("<", left(), s.integer(-MOST_SHIFT))
    right = s.choose(far, s.integer(MOST_SHIFT), s.binary("-", s.integer(0), left()))
    up = s.binary("<<", number(), left())
    test = s.binary("<", left(), s.integer(0))
    return s.choose(test, s.binary(">>", number(), right), up), INT


# Comparisons


def _nan(s: Scalars, values: Sequence[Value]) -> Typed:
    """What is not equal to itself."""
    (e,), t = s.numbers(values)
    x = s.again(e, t)
    return s.negated(s.binary("=", x(), x())), BOOL


def _finite(s: Scalars, values: Sequence[Value]) -> Typed:
    """inf - inf is not 0, nor is nan - nan."""
    (e,), t = s.numbers(values)
    x = s.again(s.as_real(e, t), REAL)
    return s.binary("=", s.binary("-", x(), x()), s.real(0.0)), BOOL


def _infinite(s: Scalars, values: Sequence[Value]) -> Typed:
    """A number, but no finite one."""
    (e,), t = s.numbers(values)
    x = s.again(s.as_real(e, t), REAL)
    finite = s.binary("=", s.binary("-", x(), x()), s.real(0.0))
    return s.binary("&&", s.binary("=", x(), x()), s.negated(finite)), BOOL


def _compare(operator: str, swapped: bool = False) -> Maker:
    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        (a, b), _ = s.numbers(values)
        return s.binary(operator, *((b, a) if swapped else (a, b))), BOOL

    return make


def _compare_characters(operator: str, swapped: bool = False) -> Maker:
    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        a, b = (s.of(value, CHAR) for value in values)
        return s.binary(operator, *((b, a) if swapped else (a, b))), BOOL

    return make


def _with_zero(operator: str, swapped: bool = False) -> Maker:
    compare = _compare(operator, swapped)
    return lambda s, values: compare(s, [*values, SymbolicNumber(0, INT)])


def _parity(remainder: int) -> Maker:
    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        rest = s.binary("%", s.whole(values[0]), s.integer(2))
        return s.binary("=", rest, s.integer(remainder)), BOOL

    return make


def _not(s: Scalars, values: Sequence[Value]) -> Typed:
    if isinstance(values[0], (SymbolicProcedure, KnownSymbol, SymbolicConstant)):
        return s.truth(False)
    e, t = s.operand(values[0])
    return (s.negated(e), BOOL) if t == BOOL else s.truth(False)


def _same(s: Scalars, values: Sequence[Value]) -> Typed:
    """`eqv?`: of numbers, characters, and booleans."""
    if all(isinstance(v, SymbolicConstant) and isinstance(v.datum, Symbol) for v in values):
        return s.truth(values[0].datum is values[1].datum)  # type: ignore[union-attr]
    (a, t), (b, u) = (s.operand(value) for value in values)
    if t != u:
        return s.truth(False)
    if t in (INT, REAL, CHAR):
        return s.binary("=", a, b), BOOL
    if t != BOOL:
        raise LimitationError(f"`{s.op}` of values of type {show(t)}", s.span)
    y = s.again(b, BOOL)
    return s.choose(a, y(), s.negated(y())), BOOL


def _equal(s: Scalars, values: Sequence[Value]) -> Typed:
    """`equal?`: also of arrays of ints, and of strings."""
    if any(isinstance(v, SymbolicConstant) and not isinstance(v.datum, str) for v in values):
        return _same(s, values)
    (_, t), (_, u) = (s.operand(value) for value in values)
    return _alike(s, values, t) if t == u and t in (STRING, ArrayType(INT)) else _same(s, values)


def _alike(s: Scalars, values: Sequence[Value], t: Type = STRING) -> Typed:
    """Whether arrays have as many elements, and the same ones."""
    a, b = (s.again(s.of(value, t), t) for value in values)
    sizes = [s.code.let("n", tree.SizeExpression(s.span, 0, x()), INT) for x in (a, b)]
    m, n = (s.code.expression(size, s.span)[0] for size in sizes)
    pairs = tree.Form(s.span, "zip", (a(), b()))
    same, both = (tree.Section(s.span, operator, ()) for operator in ("=", "&&"))
    found = tree.SoacExpression(s.span, "map", False, (same,), None, (pairs,))
    true = s.truth(True)[0]
    whole = tree.SoacExpression(s.span, "reduce", False, (both,), true, (found,))
    return s.choose(s.binary("=", m, n), whole, s.truth(False)[0]), BOOL


def _of_type(answer: Callable[[Value, Type | None], bool]) -> Maker:
    """A type predicate: types are known."""

    def make(s: Scalars, values: Sequence[Value]) -> Typed:
        value = values[0]
        untyped = isinstance(value, (SymbolicProcedure, KnownSymbol, SymbolicConstant))
        return s.truth(answer(value, None if untyped else s.operand(value)[1]))

    return make


def _is_tuple(t: Type | None) -> bool:
    return type(t) is TupleType  # and no record


def _is_vector(value: Value, t: Type | None) -> bool:
    return isinstance(t, ArrayType) or (
        isinstance(value, SymbolicConstant) and isinstance(value.datum, list)
    )


def _arctangent(s: Scalars, values: Sequence[Value]) -> Typed:
    """Of x, or of y / x in the quadrant of the point."""
    if len(values) == 1:
        return _function("atan")(s, values)
    found = [s.numbers([value]) for value in values]
    return s.binary("atan2", *[s.as_real(e, t) for (e,), t in found]), REAL


def _gcd(s: Scalars, values: Sequence[Value]) -> Typed:
    a, b = map(s.whole, values)
    return common_divisor(s.span, a, b, s.code.names.fresh), INT


def _lcm(s: Scalars, values: Sequence[Value]) -> Typed:
    """|a / gcd(a, b) * b|, and 0 of two zeros."""
    a, b = (s.again(s.whole(value), INT) for value in values)
    divisor = s.again(common_divisor(s.span, a(), b(), s.code.names.fresh), INT)
    none = s.binary("=", divisor(), s.integer(0))
    some = s.apply("abs", s.binary("*", s.binary("/", a(), divisor()), b()))
    return s.choose(none, s.integer(0), some), INT


MAKERS: Final[dict[str, Maker]] = {
    **{
        name: _floored(row.operator) for name, row in PRIMITIVES.items() if row.operator is not None
    },
    "+": _arithmetic("+"),
    "-": _arithmetic("-"),
    "*": _arithmetic("*"),
    "/": _divide,
    "quotient": _quotient,
    "truncate-quotient": _quotient,
    "remainder": _remainder,
    "truncate-remainder": _remainder,
    **{name: _choosing(order) for name, order in CHOOSING.items()},
    "abs": _abs,
    "square": _square,
    "sqrt": _sqrt,
    "exp": _function("exp"),
    "log": _function("log"),
    "expt": _arithmetic("pow"),
    "inexact": _inexact,
    "exact->inexact": _inexact,
    "exact": _exact,
    "inexact->exact": _exact,
    "floor": _rounded("floor"),
    "ceiling": _rounded("ceil"),
    "round": _rounded("round"),
    "truncate": _truncate,
    **{name: _function(name) for name in ("sin", "cos", "tan", "asin", "acos")},
    "atan": _arctangent,
    "gcd": _gcd,
    "lcm": _lcm,
    "bitwise-not": _bitwise_not,
    "arithmetic-shift": _shift,
    "=": _compare("="),
    "<": _compare("<"),
    ">": _compare("<", swapped=True),
    "<=": _compare("<="),
    ">=": _compare("<=", swapped=True),
    "char=?": _compare_characters("="),
    "char<?": _compare_characters("<"),
    "char>?": _compare_characters("<", swapped=True),
    "char<=?": _compare_characters("<="),
    "char>=?": _compare_characters("<=", swapped=True),
    "char->integer": lambda s, values: (s.apply("ord", s.of(values[0], CHAR)), INT),
    "integer->char": _character,
    "zero?": _with_zero("="),
    "positive?": _with_zero("<", swapped=True),
    "negative?": _with_zero("<"),
    "nan?": _nan,
    "finite?": _finite,
    "infinite?": _infinite,
    "even?": _parity(0),
    "odd?": _parity(1),
    "not": _not,
    "eq?": _same,
    "eqv?": _same,
    "equal?": _equal,
    "string=?": _alike,
    "boolean=?": _same,
    "number?": _of_type(lambda _, t: t in (INT, REAL)),
    "exact-integer?": _of_type(lambda _, t: t == INT),
    "boolean?": _of_type(lambda _, t: t == BOOL),
    "char?": _of_type(lambda _, t: t == CHAR),
    "vector?": _of_type(_is_vector),
    "pair?": _of_type(lambda _, t: _is_tuple(t) and t != TupleType(())),
    "null?": _of_type(lambda _, t: _is_tuple(t) and t == TupleType(())),
    "procedure?": _of_type(lambda v, _: isinstance(v, SymbolicProcedure | KnownSymbol)),
}

_HINTS: Final = {
    **dict.fromkeys(("display", "write", "newline"), "an array program only gives its result"),
    **dict.fromkeys(
        ("error", "raise"), "nothing else can happen here; under a condition it is a check"
    ),
}
