"""C for the primitive operations: one rule an operation, by name.

A rule takes a context and the operation and gives the value; checks that its failures need
are emitted before it.

Powers of two as divisors become shifts and masks; other divisors are right for negative
numbers and for the one quotient that overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from cogen.target import cvalue as cv
from cogen.target import structured as st
from cogen.target.ctree import Binary, Cast, Choose, Expr, Invoke, Name, Unary
from cogen.target.cvalue import BOOL, F64, I64, Value
from cogen.target.types import BOOL as BOOLEAN
from cogen.target.types import FLOAT, HINT, INT, MEMORY, NOTHING
from lang import il
from lang.datum import INT_MAX, INT_MIN
from lang.errors import LimitationError


class Context(Protocol):
    """What a rule needs of the function being printed."""

    word_size: int
    checked: bool

    def type_of(self, atom: il.Atom) -> str:
        """The type of an atom (int, float, ...)."""

    def value(self, atom: il.Atom) -> Value:
        """The expression of an atom; may be used once."""

    def settled(self, atom: il.Atom) -> Value:
        """A variable or a literal; may be used any number of times."""

    def settle(self, value: Value) -> Value:
        """A variable or a literal with that value."""

    def fail_if(self, test: Expr, operation: st.Op, *values: Value) -> None:
        """Report the operation's failure on these settled values where the test is true."""

    def assigned(self, function: str, operation: st.Op, *arguments: Value) -> tuple[Value, Expr]:
        """A variable that `function(arguments…, &variable)` assigns, and that call."""

    def do(self, expr: Expr) -> None:
        """Evaluate an expression for its effect."""

    def helper(self, name: str) -> str:
        """The name of a helper function, which is now printed with the program."""

    def words(self, atom: il.Atom) -> Value:
        """How many words a buffer has."""


Rule = Callable[[Context, st.Op], Value]


# Arithmetic


def _add(c: Context, o: st.Op) -> Value:
    a, b = (c.value(x) for x in o.arguments)
    if F64 in (a.type, b.type):
        return _add_floats(c, a, b)
    if _overflows(c, a.low + b.low, a.high + b.high):
        return _checked(c, "__builtin_add_overflow", o, a, b)
    return cv.add(a, b)


def _add_floats(c: Context, a: Value, b: Value) -> Value:
    for one, other in ((a, b), (b, a)):
        if one.is_zero:
            return other
        if one.type != F64 and one.constant is None:
            return cv.call(c.helper("cogen_int_plus_float"), F64, one, other)
    return _float_operation("+", a, b)


def _subtract(c: Context, o: st.Op) -> Value:
    a, b = (c.value(x) for x in o.arguments)
    if F64 in (a.type, b.type):
        if b.is_zero:
            return a
        if a.is_zero:
            return Value(Unary("-", b.expr), F64, weight=b.weight + 1, reads=b.reads)
        if a.type != F64 and a.constant is None:
            return cv.call(c.helper("cogen_int_minus_float"), F64, a, b)
        return _float_operation("-", a, b)
    if _overflows(c, a.low - b.high, a.high - b.low):
        return _checked(c, "__builtin_sub_overflow", o, a, b)
    return cv.subtract(a, b)


def _multiply(c: Context, o: st.Op) -> Value:
    a, b = (c.value(x) for x in o.arguments)
    if F64 in (a.type, b.type):
        return _float_operation("*", a, b)
    return _product(c, o, a, b)


def _product(
    c: Context, o: st.Op, a: Value, b: Value, arguments: Sequence[Value] | None = None
) -> Value:
    """a * b; `arguments` are those of the operation if they are others."""
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    if _overflows(c, min(corners), max(corners)):
        return _checked(c, "__builtin_mul_overflow", o, a, b, arguments)
    return cv.multiply(a, b)


def _square(c: Context, o: st.Op) -> Value:
    a = c.settled(o.arguments[0])
    return _float_operation("*", a, a) if a.type == F64 else _product(c, o, a, a, (a,))


def _float_operation(operator: str, a: Value, b: Value) -> Value:
    return Value(
        Binary(operator, cv.convert(a, F64), cv.convert(b, F64)),
        F64, weight=a.weight + b.weight + 1, reads=a.reads or b.reads,
    )  # fmt: skip


def _overflows(c: Context, low: int, high: int) -> bool:
    """Whether a result in that interval must be checked."""
    return c.checked and (low < INT_MIN or high > INT_MAX)


def _checked(
    c: Context, builtin: str, o: st.Op, a: Value, b: Value,
    arguments: Sequence[Value] | None = None,
) -> Value:  # fmt: skip
    """The operation by a function of the compiler that tells whether it overflows."""
    a, b = c.settle(a), c.settle(b)
    result, call = c.assigned(builtin, o, a, b)
    c.fail_if(call, o, *(arguments or (a, b)))
    return result


def _absolute(c: Context, o: st.Op) -> Value:
    a = c.settled(o.arguments[0])
    if a.type == F64:
        return cv.call("fabs", F64, a)
    if a.low >= 0:
        return a
    if c.checked and a.low == INT_MIN:
        c.fail_if(Binary("==", a.expr, Name("INT64_MIN")), o, a)
    negative = cv.negate(a)
    type_ = cv.I32 if a.type == negative.type == cv.I32 else I64
    high = min(max(-a.low, a.high), INT_MAX)
    return Value(
        Choose(Binary("<", a.expr, Name("0")), negative.expr, a.expr), type_, 0, high, 4
    )


def _extreme(name: str, operator: str) -> Rule:
    choose = min if name == "min" else max

    def rule(c: Context, o: st.Op) -> Value:
        a, b = (c.settled(x) for x in o.arguments)
        if a == b:
            return a
        if F64 in (a.type, b.type):
            floats = (Value(cv.convert(x, F64), F64) for x in (a, b))
            return cv.call(c.helper(f"cogen_{name}_float"), F64, *floats)
        low, high = choose(a.low, b.low), choose(a.high, b.high)
        type_ = cv.narrow_type((a, b), low, high)
        left, right = (cv.convert(x, type_) for x in (a, b))
        test = Binary(operator, right, left)
        return Value(Choose(test, right, left), type_, low, high, 5)

    return rule


def _gcd(c: Context, o: st.Op) -> Value:
    a, b = (c.settled(x) for x in o.arguments)
    result = c.settle(cv.call(c.helper("cogen_gcd"), I64, a, b))
    if c.checked:
        c.fail_if(Binary("<", result.expr, Name("0")), o, a, b)
    return result


def _lcm(c: Context, o: st.Op) -> Value:
    a, b = (c.settled(x) for x in o.arguments)
    c.helper("cogen_gcd")
    result, call = c.assigned(c.helper("cogen_lcm"), o, a, b)
    _overflow_or_ignore(c, o, call, a, b)
    return result


def _power(c: Context, o: st.Op) -> Value:
    base, exponent = (c.settled(x) for x in o.arguments)
    if F64 in (base.type, exponent.type):
        floats = (Value(cv.convert(x, F64), F64) for x in (base, exponent))
        return cv.call("pow", F64, *floats)
    if exponent.low < 0:
        fraction = Binary(
            "&&",
            Binary("<", exponent.expr, Name("0")),
            Binary(
                "&&",
                Binary("!=", base.expr, Name("1")),
                Binary("!=", base.expr, Name("-1")),
            ),
        )
        c.fail_if(fraction, o, base, exponent)
    result, call = c.assigned(c.helper("cogen_power"), o, base, exponent)
    _overflow_or_ignore(c, o, call, base, exponent)
    return result


def _overflow_or_ignore(c: Context, o: st.Op, fits: Expr, *values: Value) -> None:
    """The call gives false on overflow: report it in checked code, else go on."""
    if c.checked:
        c.fail_if(Unary("!", fits), o, *values)
    else:
        c.do(Cast("void", fits))


# Division


def _divider(name: str, floors: bool, rest: bool) -> Rule:
    """floor-quotient and the like: `rest` for the remainder, `floors` for its rounding."""
    helper = f"cogen_{'floor_' if floors else ''}{'remainder' if rest else 'quotient'}"

    def rule(c: Context, o: st.Op) -> Value:
        a, b = c.value(o.arguments[0]), c.settled(o.arguments[1])
        if b.low <= 0 <= b.high:
            test = Name("true") if b.is_zero else Binary("==", b.expr, Name("0"))
            c.fail_if(test, o, cv.integer(1), b)
            if b.is_zero:
                return cv.integer(0)
        if not rest and c.checked and a.low == INT_MIN and b.low <= -1 <= b.high:
            a = c.settle(a)
            c.fail_if(_is_overflowing_quotient(a, b), o, a, b)
        if isinstance(b.constant, int) and b.constant > 0:
            by_constant = _by_constant(a, b.constant, floors, rest)
            if by_constant is not None:
                return by_constant
        low, high = _quotient_range(a, b) if not rest else _remainder_range(a, b, floors)
        return cv.call(c.helper(helper), I64, a, b, low=low, high=high)

    return rule


def _is_overflowing_quotient(a: Value, b: Value) -> Expr:
    return Binary(
        "&&",
        Binary("==", a.expr, Name("INT64_MIN")),
        Binary("==", b.expr, Name("-1")),
    )


def _by_constant(a: Value, b: int, floors: bool, rest: bool) -> Value | None:
    """Division by a positive literal where C has an operator for it."""
    power = b & (b - 1) == 0
    if power and (floors or a.low >= 0):
        return cv.bits_and(a, cv.integer(b - 1)) if rest else cv.shift_right(a, b.bit_length() - 1)
    if floors and a.low < 0:
        return None
    divisor = cv.integer(b)
    if rest:
        return cv.combine("%", a, divisor, max(1 - b, min(a.low, 0)), min(b - 1, max(a.high, 0)))
    low, high = (-(-a.low // b) if a.low < 0 else a.low // b), a.high // b
    return cv.combine("/", a, divisor, low, max(high, low))


def _quotient_range(a: Value, b: Value) -> tuple[int, int]:
    size = max(abs(a.low), abs(a.high))
    return max(-size, INT_MIN), min(size, INT_MAX)


def _remainder_range(a: Value, b: Value, floors: bool) -> tuple[int, int]:
    size = max(abs(b.low), abs(b.high)) - 1
    low, high = max(-size, INT_MIN), min(size, INT_MAX)
    if floors:
        return (0 if b.low > 0 else low), (0 if b.high < 0 else high)
    return (0 if a.low >= 0 else low), (0 if a.high <= 0 else high)


def _divide(c: Context, o: st.Op) -> Value:
    """`/`: of integers the integer, an error if there is none."""
    a, b = (c.settled(x) for x in o.arguments)
    if F64 in (a.type, b.type):
        return _float_operation("/", a, b)
    if isinstance(b.constant, int) and b.constant > 0:
        rest = _by_constant(a, b.constant, False, True) or a
        c.fail_if(cv.compare("!=", rest, cv.integer(0)).expr, o, a, b)
        exact = _by_constant(a, b.constant, b.constant & (b.constant - 1) == 0, False)
        return exact or a
    rest = cv.call(c.helper("cogen_remainder"), I64, a, b)
    zero = Binary("==", b.expr, Name("0"))
    c.fail_if(Binary("||", zero, Binary("!=", rest.expr, Name("0"))), o, a, b)
    if c.checked:
        c.fail_if(_is_overflowing_quotient(a, b), o, a, b)
    return cv.call(c.helper("cogen_quotient"), I64, a, b)


def _cyclic_quotient(c: Context, o: st.Op) -> Value:
    """q where x = base * q + remainder, for a literal base and remainder."""
    x, base, rest = (c.settled(a) for a in o.arguments)
    if not (isinstance(base.constant, int) and isinstance(rest.constant, int)):
        raise LimitationError(
            "C code cannot express a cyclic-quotient by a base that is not known",
            o.span,
            hint="use floor-quotient, or specialize so that base and remainder are known",
        )
    if base.constant <= 0:
        raise LimitationError(
            f"C code cannot express a cyclic-quotient by {base.constant}", o.span, hint=HINT
        )
    found = _by_constant(x, base.constant, True, True) or _floor(c, "remainder", x, base)
    expected = rest.constant % base.constant
    c.fail_if(cv.compare("!=", found, cv.integer(expected)).expr, o, x, base, rest)
    difference = cv.subtract(x, cv.integer(rest.constant - expected))
    return _by_constant(difference, base.constant, True, False) or _floor(
        c, "quotient", difference, base
    )


def _floor(c: Context, what: str, a: Value, b: Value) -> Value:
    return cv.call(c.helper(f"cogen_floor_{what}"), I64, a, b)


# Comparison and predicates


def _comparison(operator: str, flags: int) -> Rule:
    """A comparison; `flags` are those of `cogen_compare` (1 less, 2 equal, 4 greater)."""

    def rule(c: Context, o: st.Op) -> Value:
        a, b = (c.value(x) for x in o.arguments)
        if F64 in (a.type, b.type) and a.type != b.type:
            whole, other = (a, b) if b.type == F64 else (b, a)
            if whole.constant is None or int(float(whole.constant)) != whole.constant:
                seen = flags if b.type == F64 else _mirrored(flags)
                answer = cv.call(c.helper("cogen_compare"), I64, whole, other)
                return Value(
                    Binary("!=", Binary("&", answer.expr, Name(str(seen))), Name("0")),
                    BOOL, 0, 1, answer.weight + 2, answer.reads,
                )  # fmt: skip
        return cv.compare(operator, a, b)

    return rule


def _mirrored(flags: int) -> int:
    return (flags & 1) << 2 | flags & 2 | (flags & 4) >> 2


def _with_zero(operator: str) -> Rule:
    def rule(c: Context, o: st.Op) -> Value:
        a = c.value(o.arguments[0])
        return cv.compare(operator, a, cv.floating(0.0) if a.type == F64 else cv.integer(0))

    return rule


def _parity(operator: str) -> Rule:
    def rule(c: Context, o: st.Op) -> Value:
        return cv.compare(
            operator, cv.bits_and(c.value(o.arguments[0]), cv.integer(1)), cv.integer(0)
        )

    return rule


def _same(c: Context, o: st.Op) -> Value:
    """eqv? and its relatives: values of different types are different."""
    left, right = (c.type_of(x) for x in o.arguments)
    if left != right:
        return cv.boolean(False)
    if left == NOTHING:
        return cv.boolean(True)
    a, b = (c.value(x) for x in o.arguments)
    if left == FLOAT:
        return cv.call(c.helper("cogen_same_float"), BOOL, a, b, low=0, high=1)
    return cv.compare("==", a, b)


def _not(c: Context, o: st.Op) -> Value:
    if c.type_of(o.arguments[0]) != BOOLEAN:
        return cv.boolean(False)
    return cv.negated(c.value(o.arguments[0]))


def _type_test(*types: str) -> Rule:
    """A predicate that the type of its argument decides."""
    return lambda c, o: cv.boolean(c.type_of(o.arguments[0]) in types)


def _is_integer(c: Context, o: st.Op) -> Value:
    if c.type_of(o.arguments[0]) != FLOAT:
        return cv.boolean(c.type_of(o.arguments[0]) == INT)
    x = c.settled(o.arguments[0])
    whole = Binary("==", Invoke("trunc", (x.expr,)), x.expr)
    finite = Binary("!=", Invoke("isfinite", (x.expr,)), Name("0"))
    return Value(Binary("&&", finite, whole), BOOL, 0, 1, 6)


def _float_test(function: str, of_int: bool) -> Rule:
    """A predicate of floats that all integers answer alike."""

    def rule(c: Context, o: st.Op) -> Value:
        kind = c.type_of(o.arguments[0])
        if kind != FLOAT:
            return cv.boolean(of_int and kind == INT)
        x = c.value(o.arguments[0])
        test = Binary("!=", Invoke(function, (x.expr,)), Name("0"))
        return Value(test, BOOL, 0, 1, x.weight + 2, x.reads)

    return rule


# Conversion and functions of floats


def _rounder(function: str) -> Rule:
    def rule(c: Context, o: st.Op) -> Value:
        x = c.value(o.arguments[0])
        return cv.call(function, F64, x) if x.type == F64 else x

    return rule


def _exact(c: Context, o: st.Op) -> Value:
    """A float without a fraction as an integer; too large ones are refused in any case."""
    x = c.settled(o.arguments[0])
    if x.type != F64:
        return x
    whole = Binary("==", Invoke("trunc", (x.expr,)), x.expr)
    above = Binary(">=", x.expr, Unary("-", Name("0x1p63")))
    below = Binary("<", x.expr, Name("0x1p63"))
    c.fail_if(Unary("!", Binary("&&", Binary("&&", whole, above), below)), o, x)
    return Value(Cast("int64_t", x.expr), I64, weight=2)


def _inexact(c: Context, o: st.Op) -> Value:
    x = c.value(o.arguments[0])
    return Value(cv.convert(x, F64), F64, weight=x.weight + 1, reads=x.reads)


def _float_function(function: str, two: str | None = None) -> Rule:
    """A function of <math.h>; `two` is the function or operator for two arguments."""

    def rule(c: Context, o: st.Op) -> Value:
        values = [c.value(x) for x in o.arguments]
        floats = [Value(cv.convert(x, F64), F64, weight=x.weight, reads=x.reads) for x in values]
        if len(floats) == 1:
            return cv.call(function, F64, floats[0])
        if two == "/":
            return _float_operation("/", *(cv.call(function, F64, x) for x in floats))
        return cv.call(two or function, F64, *floats)

    return rule


def _bits(helper: str, type_: str, low: int, high: int) -> Rule:
    return lambda c, o: cv.call(
        c.helper(helper), type_, c.value(o.arguments[0]), low=low, high=high
    )


# Bits and words


def _bit_operation(combine: Callable[[Value, Value], Value]) -> Rule:
    return lambda c, o: combine(*(c.value(x) for x in o.arguments))


def _shift(c: Context, o: st.Op) -> Value:
    x, n = c.value(o.arguments[0]), c.value(o.arguments[1])
    if isinstance(n.constant, int) and n.constant <= 0:
        return _shifted_down(x, -n.constant)
    if isinstance(n.constant, int) and n.constant < 64:
        count = n.constant
        if not _overflows(c, x.low << count, x.high << count):
            return cv.shift_left(x, count)
    if c.checked:
        x, n = c.settle(x), c.settle(n)
        fits = Invoke(c.helper("cogen_shift_fits"), (x.expr, n.expr))
        c.fail_if(Unary("!", fits), o, x, n)
    return cv.call(c.helper("cogen_shift"), I64, x, n)


def _shifted_down(x: Value, count: int) -> Value:
    """x >> count; down again what `word-shift-left` moved up is the sign of a field."""
    moved = x.comes_from("moved")
    if moved is None or moved[1] > count:
        return cv.shift_right(x, count)
    field, up = moved
    return cv.shift_right(cv.sign_extended(field, 64 - up), count - up)


def _word_operation(symbol: str, plain: Callable[[Value, Value], Value], corner: str) -> Rule:
    """Arithmetic modulo 2^64; the plain operation where the result cannot leave the range."""

    def rule(c: Context, o: st.Op) -> Value:
        a, b = (c.value(x) for x in o.arguments)
        if corner == "*":
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            low, high = min(corners), max(corners)
        elif corner == "+":
            low, high = a.low + b.low, a.high + b.high
        else:
            low, high = a.low - b.high, a.high - b.low
        if low >= INT_MIN and high <= INT_MAX:
            return plain(a, b)
        wrapped = Binary(symbol, Cast("uint64_t", a.expr), Cast("uint64_t", b.expr))
        weight = a.weight + b.weight + 4
        return Value(Cast("int64_t", wrapped), I64, weight=weight, reads=a.reads or b.reads)

    return rule


def _word_left(c: Context, o: st.Op) -> Value:
    x, n = c.value(o.arguments[0]), c.settled(o.arguments[1])
    if isinstance(n.constant, int) and 0 <= n.constant < 64:
        count = n.constant
        if x.low << count >= INT_MIN and x.high << count <= INT_MAX:
            return cv.shift_left(x, count)
        moved = Binary("<<", Cast("uint64_t", x.expr), Name(str(count)))
        return Value(
            Cast("int64_t", moved), I64,
            weight=x.weight + 4, reads=x.reads, origin=("moved", x, count),
        )  # fmt: skip
    if n.low < 0:
        c.fail_if(Binary("<", n.expr, Name("0")), o, cv.integer(1), n)
    return cv.call(c.helper("cogen_word_left"), I64, x, n)


def _word_right(c: Context, o: st.Op) -> Value:
    x, n = c.value(o.arguments[0]), c.settled(o.arguments[1])
    if isinstance(n.constant, int) and 0 <= n.constant < 64:
        if x.low >= 0 or n.constant == 0:
            return cv.shift_right(x, n.constant)
        moved = Binary(">>", Cast("uint64_t", x.expr), Name(str(n.constant)))
        high = (1 << (64 - n.constant)) - 1
        return Value(Cast("int64_t", moved), I64, 0, high, x.weight + 4, x.reads)
    if n.low < 0:
        c.fail_if(Binary("<", n.expr, Name("0")), o, cv.integer(1), n)
    return cv.call(c.helper("cogen_word_right"), I64, x, n)


def _identity(c: Context, o: st.Op) -> Value:
    return c.value(o.arguments[0])


def _set_base(c: Context, o: st.Op) -> Value:
    base = c.settled(o.arguments[1])
    if base.low <= 0:
        c.fail_if(Binary("<=", base.expr, Name("0")), o, cv.integer(1), base)
    return c.value(o.arguments[0])


RULES: dict[str, Rule] = {
    "+": _add, "-": _subtract, "*": _multiply, "/": _divide, "square": _square,
    "abs": _absolute, "min": _extreme("min", "<"), "max": _extreme("max", ">"),
    "gcd": _gcd, "lcm": _lcm, "expt": _power,
    "quotient": _divider("quotient", False, False),
    "truncate-quotient": _divider("truncate-quotient", False, False),
    "remainder": _divider("remainder", False, True),
    "truncate-remainder": _divider("truncate-remainder", False, True),
    "modulo": _divider("modulo", True, True),
    "floor-quotient": _divider("floor-quotient", True, False),
    "floor-remainder": _divider("floor-remainder", True, True),
    "cyclic-quotient": _cyclic_quotient, "set-base": _set_base, "lift": _identity,
    "=": _comparison("==", 2), "<": _comparison("<", 1), ">": _comparison(">", 4),
    "<=": _comparison("<=", 3), ">=": _comparison(">=", 6),
    "zero?": _with_zero("=="), "positive?": _with_zero(">"), "negative?": _with_zero("<"),
    "odd?": _parity("!="), "even?": _parity("=="),
    "eq?": _same, "eqv?": _same, "equal?": _same, "early=": _same, "boolean=?": _same,
    "not": _not,
    "boolean?": _type_test(BOOLEAN), "number?": _type_test(INT, FLOAT),
    "real?": _type_test(INT, FLOAT), "complex?": _type_test(INT, FLOAT),
    "exact-integer?": _type_test(INT), "exact?": _type_test(INT), "inexact?": _type_test(FLOAT),
    "pair?": _type_test(), "null?": _type_test(), "symbol?": _type_test(),
    "string?": _type_test(), "char?": _type_test(), "vector?": _type_test(),
    "procedure?": _type_test(), "bytevector?": _type_test(MEMORY),
    "integer?": _is_integer, "rational?": _float_test("isfinite", True),
    "finite?": _float_test("isfinite", True), "infinite?": _float_test("isinf", False),
    "nan?": _float_test("isnan", False),
    "floor": _rounder("floor"), "ceiling": _rounder("ceil"), "round": _rounder("nearbyint"),
    "truncate": _rounder("trunc"),
    "exact": _exact, "inexact->exact": _exact,
    "inexact": _inexact, "exact->inexact": _inexact,
    "sqrt": _float_function("sqrt"), "exp": _float_function("exp"),
    "log": _float_function("log", "/"), "sin": _float_function("sin"),
    "cos": _float_function("cos"), "tan": _float_function("tan"),
    "asin": _float_function("asin"), "acos": _float_function("acos"),
    "atan": _float_function("atan", "atan2"),
    "bits->float32": _bits("cogen_bits_to_float32", F64, INT_MIN, INT_MAX),
    "bits->float64": _bits("cogen_bits_to_float64", F64, INT_MIN, INT_MAX),
    "float32->bits": _bits("cogen_float32_to_bits", I64, 0, (1 << 32) - 1),
    "float64->bits": _bits("cogen_float64_to_bits", I64, INT_MIN, INT_MAX),
    "bitwise-and": _bit_operation(cv.bits_and),
    "bitwise-ior": _bit_operation(lambda a, b: cv.bits_or("|", a, b)),
    "bitwise-xor": _bit_operation(lambda a, b: cv.bits_or("^", a, b)),
    "bitwise-not": lambda c, o: cv.bits_not(c.value(o.arguments[0])),
    "arithmetic-shift": _shift,
    "bit-count": _bits("cogen_bit_count", I64, 0, 64),
    "word-add": _word_operation("+", cv.add, "+"),
    "word-sub": _word_operation("-", cv.subtract, "-"),
    "word-mul": _word_operation("*", cv.multiply, "*"),
    "word-shift-left": _word_left, "word-shift-right": _word_right,
    "buffer-words": lambda c, o: c.words(o.arguments[0]),
    "word-size": lambda c, o: cv.integer(c.word_size),
}  # fmt: skip
"""The rule of each operation that C code can have, apart from loads and stores."""
