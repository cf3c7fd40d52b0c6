"""C for the primitive operations: one rule an operation, by name.

A rule takes a context and the operation and gives the value; checks that its failures need
are emitted before it.  Loads and stores are no rules: `cogen.target.cfunction` has them.
"""

from __future__ import annotations

from cogen.target import carithmetic, cbits, cdivision, cpredicates
from cogen.target import cvalue as cv
from cogen.target import structured as st
from cogen.target.carithmetic import float_operation
from cogen.target.ccontext import Context, Rule
from cogen.target.ctree import Binary, Cast, Invoke, Name, Unary
from cogen.target.cvalue import F64, I64, Value
from lang.datum import INT_MAX, INT_MIN


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
            return float_operation("/", *(cv.call(function, F64, x) for x in floats))
        return cv.call(two or function, F64, *floats)

    return rule


def _bits(helper: str, type_: str, low: int, high: int) -> Rule:
    return lambda c, o: cv.call(
        c.helper(helper), type_, c.value(o.arguments[0]), low=low, high=high
    )


def _identity(c: Context, o: st.Op) -> Value:
    return c.value(o.arguments[0])


def _set_base(c: Context, o: st.Op) -> Value:
    base = c.settled(o.arguments[1])
    if base.low <= 0:
        c.fail_if(Binary("<=", base.expr, Name("0")), o, cv.integer(1), base)
    return c.value(o.arguments[0])


RULES: dict[str, Rule] = {
    **carithmetic.RULES,
    **cdivision.RULES,
    **cpredicates.RULES,
    **cbits.RULES,
    "set-base": _set_base,
    "lift": _identity,
    "values": _identity,
    "floor": _rounder("floor"),
    "ceiling": _rounder("ceil"),
    "round": _rounder("nearbyint"),
    "truncate": _rounder("trunc"),
    "exact": _exact,
    "inexact->exact": _exact,
    "inexact": _inexact,
    "exact->inexact": _inexact,
    "sqrt": _float_function("sqrt"),
    "exp": _float_function("exp"),
    "log": _float_function("log", "/"),
    "sin": _float_function("sin"),
    "cos": _float_function("cos"),
    "tan": _float_function("tan"),
    "asin": _float_function("asin"),
    "acos": _float_function("acos"),
    "atan": _float_function("atan", "atan2"),
    "bits->float32": _bits("cogen_bits_to_float32", F64, INT_MIN, INT_MAX),
    "bits->float64": _bits("cogen_bits_to_float64", F64, INT_MIN, INT_MAX),
    "float32->bits": _bits("cogen_float32_to_bits", I64, 0, (1 << 32) - 1),
    "float64->bits": _bits("cogen_float64_to_bits", I64, INT_MIN, INT_MAX),
    "bit-count": _bits("cogen_bit_count", I64, 0, 64),
    "buffer-words": lambda c, o: c.words(o.arguments[0]),
    "word-size": lambda c, o: cv.integer(c.word_size),
}
"""The rule of each operation that C code can have, apart from loads and stores."""
