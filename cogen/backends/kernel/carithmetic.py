"""C for sums, products and their like: rules by operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogen.backends.ctree import arithmetic as cv
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.types import I32, I64
from cogen.backends.ctree.values import F64, CValue, float_operation
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.ccontext import Rule, RuleContext
from cogen.backends.kernel.cwhole import has_floats, whole_floats
from cogen.lang import il
from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.prims import CHOOSING


def _add(c: RuleContext, o: st.Op) -> CValue:
    a, b = (c.value(x) for x in o.arguments)
    if F64 in (a.type, b.type):
        return _add_floats(c, a, b)
    if overflows(c, a.low + b.low, a.high + b.high):
        return _checked(c, "__builtin_add_overflow", o, a, b)
    return cv.add(a, b)


def _add_floats(c: RuleContext, a: CValue, b: CValue) -> CValue:
    for one, other in ((a, b), (b, a)):
        if one.is_zero:
            return other
        if one.type != F64 and one.constant is None:
            return ct.call(c.helper("cogen_int_plus_float"), F64, one, other)
    return float_operation("+", a, b)


def _subtract(c: RuleContext, o: st.Op) -> CValue:
    a, b = (c.value(x) for x in o.arguments)
    if F64 in (a.type, b.type):
        if b.is_zero:
            return a
        if a.is_zero:
            return ct.opposite(b)
        if a.type != F64 and a.constant is None:
            return ct.call(c.helper("cogen_int_minus_float"), F64, a, b)
        return float_operation("-", a, b)
    if overflows(c, a.low - b.high, a.high - b.low):
        return _checked(c, "__builtin_sub_overflow", o, a, b)
    return cv.subtract(a, b)


def _multiply(c: RuleContext, o: st.Op) -> CValue:
    a, b = (c.value(x) for x in o.arguments)
    if F64 in (a.type, b.type):
        return float_operation("*", a, b)
    return _product(c, o, a, b)


def _product(
    c: RuleContext, o: st.Op, a: CValue, b: CValue, arguments: Sequence[CValue] | None = None
) -> CValue:
    """a * b; `arguments` are those of the operation if they are others."""
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    if overflows(c, min(corners), max(corners)):
        return _checked(c, "__builtin_mul_overflow", o, a, b, arguments)
    return cv.multiply(a, b)


def _square(c: RuleContext, o: st.Op) -> CValue:
    a = c.settled(o.arguments[0])
    return float_operation("*", a, a) if a.type == F64 else _product(c, o, a, a, (a,))


def overflows(c: RuleContext, low: int, high: int) -> bool:
    """Whether a result in that interval must be checked."""
    return c.checked and (low < INT_MIN or high > INT_MAX)


def _checked(
    c: RuleContext, builtin: str, o: st.Op, a: CValue, b: CValue,
    arguments: Sequence[CValue] | None = None,
) -> CValue:  # fmt: skip
    """The operation by a function of the compiler that tells whether it overflows."""
    a, b = c.settle(a), c.settle(b)
    result, call = c.assigned(builtin, o, a, b)
    c.fail_if(call, o, *(arguments or (a, b)))
    return result


def _absolute(c: RuleContext, o: st.Op) -> CValue:
    a = c.settled(o.arguments[0])
    if a.type == F64:
        return ct.call("fabs", F64, a)
    if a.low >= 0:
        return a
    if c.checked and a.low == INT_MIN:
        c.fail_if(ct.compare("==", a, ct.integer(INT_MIN)), o, a)
    high = min(max(-a.low, a.high), INT_MAX)
    return ct.choice(ct.compare("<", a, ct.integer(0)), cv.negate(a), a, 0, high)


def _choosing(name: str, order: str) -> Rule:
    choose = min if order == "<=" else max

    def rule(c: RuleContext, o: st.Op) -> CValue:
        limited = _limited(c, o, order)
        if limited is not None:
            return limited
        a, b = (c.settled(x) for x in o.arguments)
        if a == b:
            return a
        if F64 in (a.type, b.type):
            floats = (ct.converted(x, F64) for x in (a, b))
            return ct.call(c.helper(f"cogen_{name}_float"), F64, *floats)
        low, high = choose(a.low, b.low), choose(a.high, b.high)
        type_ = ct.narrow_type((a, b), low, high)
        left, right = (ct.converted(x, type_) for x in (a, b))
        # in a variable: of a cast of a conditional gcc 12 makes casts of its arms, and no
        # saturating operation (2.7 times as slow for samples of 8 bits)
        test = ct.compare(order[0], right, left)  # equal ones are one
        return c.settle(ct.choice(test, right, left, low, high))

    return rule


def _limited(c: RuleContext, o: st.Op, order: str) -> CValue | None:
    """A sum of two signed words of 16 bits that is kept within 16 bits: its first bound, which says
    what it is, and its second, with which it is one operation of vectors."""
    bounds = [a.value for a in o.arguments if isinstance(a, il.Const)]
    is_least = order == "<="
    if c.word_size != 16 or bounds != [cv.HALF[is_least]]:
        return None
    x = next(c.value(a) for a in o.arguments if isinstance(a, il.Var))
    if x.capped is not None and x.capped[1] == cv.HALF[not is_least]:
        total = x.capped[0]
        assert total.terms is not None
        low, high = max(total.low, cv.HALF[0]), min(total.high, cv.HALF[1])
        return ct.call(c.helper("cogen_sum16"), I32, *total.terms, low=low, high=high)
    settled, bound = c.settle(x), ct.integer(bounds[0])
    test = ct.compare(order[0], settled, bound)
    choose = min if is_least else max
    low, high = choose(x.low, bounds[0]), choose(x.high, bounds[0])
    chosen = ct.choice(test, settled, bound, low, high)
    if x.terms is None:
        return c.settle(chosen)
    return replace(chosen, reads=x.reads, capped=(x, bounds[0]))


def _gcd(c: RuleContext, o: st.Op) -> CValue:
    if has_floats(c, o):
        return ct.call(c.helper("cogen_float_gcd"), F64, *whole_floats(c, o))
    a, b = (c.settled(x) for x in o.arguments)
    result = c.settle(ct.call(c.helper("cogen_gcd"), I64, a, b))
    if c.checked:
        c.fail_if(ct.compare("<", result, ct.integer(0)), o, a, b)
    return result


def _lcm(c: RuleContext, o: st.Op) -> CValue:
    if has_floats(c, o):
        return ct.call(c.helper("cogen_float_lcm"), F64, *whole_floats(c, o))
    a, b = (c.settled(x) for x in o.arguments)
    c.helper("cogen_gcd")
    result, call = c.assigned(c.helper("cogen_lcm"), o, a, b)
    _overflow_or_ignore(c, o, call, a, b)
    return result


def _power(c: RuleContext, o: st.Op) -> CValue:
    base, exponent = (c.settled(x) for x in o.arguments)
    if F64 in (base.type, exponent.type):
        floats = (ct.converted(x, F64) for x in (base, exponent))
        return ct.call("pow", F64, *floats)
    fraction = ct.both(
        ct.compare("<", exponent, ct.integer(0)),
        ct.compare("!=", base, ct.integer(1)),
        ct.compare("!=", base, ct.integer(-1)),
    )
    c.fail_if(fraction, o, base, exponent)
    result, call = c.assigned(c.helper("cogen_power"), o, base, exponent)
    _overflow_or_ignore(c, o, call, base, exponent)
    return result


def _overflow_or_ignore(c: RuleContext, o: st.Op, fits: CValue, *values: CValue) -> None:
    """The call gives false on overflow: report it in checked code, else go on."""
    if c.checked:
        c.fail_if(ct.negated(fits), o, *values)
    else:
        c.do(fits)


RULES: dict[str, Rule] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "square": _square,
    "abs": _absolute,
    **{name: _choosing(name, order) for name, order in CHOOSING.items()},
    "gcd": _gcd,
    "lcm": _lcm,
    "expt": _power,
}
