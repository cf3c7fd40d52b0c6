"""C for division: rules by operation.

Powers of two as divisors become shifts and masks; other divisors are right for negative
numbers and for the one quotient that overflows.
"""

from __future__ import annotations

from cogen.backends.ctree import arithmetic as cv
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.types import I64
from cogen.backends.ctree.values import F64, CValue, float_operation
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.ccontext import Rule, RuleContext
from cogen.backends.kernel.cwhole import has_floats, whole_floats
from cogen.backends.kernel.types import HINT
from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.errors import LimitationError


def _divider(name: str, floors: bool, rest: bool) -> Rule:
    """floor-quotient and the like: `rest` for the remainder, `floors` for its rounding."""
    helper = f"cogen_{'floor_' if floors else ''}{'remainder' if rest else 'quotient'}"

    def rule(c: RuleContext, o: st.Op) -> CValue:
        if has_floats(c, o):
            x, y = whole_floats(c, o, divides=True)
            of_floats = helper.replace("cogen_", "cogen_float_")
            return ct.call(c.helper(of_floats), F64, x, y)
        a, b = c.value(o.arguments[0]), c.settled(o.arguments[1])
        if b.low <= 0 <= b.high:
            c.fail_if(ct.compare("==", b, ct.integer(0)), o, ct.integer(1), b)
            if b.is_zero:
                return ct.integer(0)
        if not rest:
            a = _check_quotient(c, o, a, b)
        if isinstance(b.constant, int) and b.constant > 0:
            by_constant = _by_constant(a, b.constant, floors, rest)
            if by_constant is not None:
                return by_constant
        low, high = _quotient_range(a, b) if not rest else _remainder_range(a, b, floors)
        return ct.call(c.helper(helper), I64, a, b, low=low, high=high)

    return rule


def _check_quotient(c: RuleContext, o: st.Op, a: CValue, b: CValue) -> CValue:
    """Checked code reports the one quotient that overflows; the dividend, perhaps settled."""
    if not (c.checked and a.low == INT_MIN and b.low <= -1 <= b.high):
        return a
    a = c.settle(a)
    least, inverts = ct.integer(INT_MIN), ct.integer(-1)
    c.fail_if(ct.both(ct.compare("==", a, least), ct.compare("==", b, inverts)), o, a, b)
    return a


def _by_constant(a: CValue, b: int, floors: bool, rest: bool) -> CValue | None:
    """Division by a positive literal where C has an operator for it."""
    power = b & (b - 1) == 0
    if power and (floors or a.low >= 0):
        return cv.bits_and(a, ct.integer(b - 1)) if rest else cv.shift_right(a, b.bit_length() - 1)
    if floors and a.low < 0:
        return None
    divisor = ct.integer(b)
    if rest:
        return ct.combine("%", a, divisor, max(1 - b, min(a.low, 0)), min(b - 1, max(a.high, 0)))
    low, high = (-(-a.low // b) if a.low < 0 else a.low // b), a.high // b
    return ct.combine("/", a, divisor, low, max(high, low))


def _quotient_range(a: CValue, b: CValue) -> tuple[int, int]:
    size = max(abs(a.low), abs(a.high))
    return max(-size, INT_MIN), min(size, INT_MAX)


def _remainder_range(a: CValue, b: CValue, floors: bool) -> tuple[int, int]:
    size = max(abs(b.low), abs(b.high)) - 1
    low, high = max(-size, INT_MIN), min(size, INT_MAX)
    if floors:
        return (0 if b.low > 0 else low), (0 if b.high < 0 else high)
    return (0 if a.low >= 0 else low), (0 if a.high <= 0 else high)


def _divide(c: RuleContext, o: st.Op) -> CValue:
    """`/`: of integers the integer, an error if there is none."""
    a, b = (c.settled(x) for x in o.arguments)
    if F64 in (a.type, b.type):
        return float_operation("/", a, b)
    if isinstance(b.constant, int) and b.constant > 0:
        rest = _by_constant(a, b.constant, False, True) or a
        c.fail_if(ct.compare("!=", rest, ct.integer(0)), o, a, b)
        exact = _by_constant(a, b.constant, b.constant & (b.constant - 1) == 0, False)
        return exact or a
    rest = ct.call(c.helper("cogen_remainder"), I64, a, b)
    zero = ct.compare("==", b, ct.integer(0))
    c.fail_if(ct.either(zero, ct.compare("!=", rest, ct.integer(0))), o, a, b)
    return ct.call(c.helper("cogen_quotient"), I64, _check_quotient(c, o, a, b), b)


def _cyclic_quotient(c: RuleContext, o: st.Op) -> CValue:
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
    c.fail_if(ct.compare("!=", found, ct.integer(expected)), o, x, base, rest)
    difference = cv.subtract(x, ct.integer(rest.constant - expected))
    return _by_constant(difference, base.constant, True, False) or _floor(
        c, "quotient", difference, base
    )


def _floor(c: RuleContext, what: str, a: CValue, b: CValue) -> CValue:
    return ct.call(c.helper(f"cogen_floor_{what}"), I64, a, b)


RULES: dict[str, Rule] = {
    "/": _divide,
    "quotient": _divider("quotient", False, False),
    "truncate-quotient": _divider("truncate-quotient", False, False),
    "remainder": _divider("remainder", False, True),
    "truncate-remainder": _divider("truncate-remainder", False, True),
    "modulo": _divider("modulo", True, True),
    "floor-quotient": _divider("floor-quotient", True, False),
    "floor-remainder": _divider("floor-remainder", True, True),
    "cyclic-quotient": _cyclic_quotient,
}
