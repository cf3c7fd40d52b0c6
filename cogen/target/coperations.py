"""C for the primitive operations: one rule an operation, by name.

A rule takes a context and the operation and gives the value; checks that its failures need
are emitted before it.  Loads and stores are no rules: `cogen.target.cfunction` has them.
"""

from __future__ import annotations

from cogen.target import carithmetic, cbits, cdivision, cpredicates
from cogen.target import ctyped as ct
from cogen.target import structured as st
from cogen.target.ccontext import Context, Rule
from cogen.target.ctree import Name
from cogen.target.ctyped import F64, I64, Value, float_operation
from lang.datum import INT_MAX, INT_MIN


def _rounder(function: str) -> Rule:
    def rule(c: Context, o: st.Op) -> Value:
        x = c.value(o.arguments[0])
        return ct.call(function, F64, x) if x.type == F64 else x

    return rule


def _exact(c: Context, o: st.Op) -> Value:
    """A float without a fraction as an integer; too large ones are refused in any case."""
    x = c.settled(o.arguments[0])
    if x.type != F64:
        return x
    limit = Value(Name("0x1p63"), F64)
    whole = ct.compare("==", ct.call("trunc", F64, x), x)
    above, below = ct.compare(">=", x, ct.opposite(limit)), ct.compare("<", x, limit)
    c.fail_if(ct.negated(ct.both(whole, above, below)), o, x)
    return ct.signed(x)


def _inexact(c: Context, o: st.Op) -> Value:
    x = c.value(o.arguments[0])
    return ct.converted(x, F64)


def _float_function(function: str, two: str | None = None) -> Rule:
    """A function of <math.h>; `two` is the function or operator for two arguments."""

    def rule(c: Context, o: st.Op) -> Value:
        values = [c.value(x) for x in o.arguments]
        floats = [ct.converted(x, F64) for x in values]
        if len(floats) == 1:
            return ct.call(function, F64, floats[0])
        if two == "/":
            return float_operation("/", *(ct.call(function, F64, x) for x in floats))
        return ct.call(two or function, F64, *floats)

    return rule


def _bits(helper: str, type_: str, low: int, high: int) -> Rule:
    return lambda c, o: ct.call(
        c.helper(helper), type_, c.value(o.arguments[0]), low=low, high=high
    )


def _identity(c: Context, o: st.Op) -> Value:
    return c.value(o.arguments[0])


def _set_base(c: Context, o: st.Op) -> Value:
    base = c.settled(o.arguments[1])
    c.fail_if(ct.compare("<=", base, ct.integer(0)), o, ct.integer(1), base)
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
    "word-size": lambda c, o: ct.integer(c.word_size),
}
"""The rule of each operation that C code can have, apart from loads and stores."""
