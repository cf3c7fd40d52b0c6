"""C for comparisons and predicates: rules by operation."""

from __future__ import annotations

from cogen.backends.ctree import arithmetic as cv
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.types import BOOL, I32
from cogen.backends.ctree.values import F64, CValue
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.ccontext import Rule, RuleContext
from cogen.backends.kernel.cwhole import has_floats, whole_floats
from cogen.backends.kernel.types import BOOL as BOOLEAN
from cogen.backends.kernel.types import FLOAT, INT, MEMORY, NOTHING


def _comparison(operator: str, flags: int) -> Rule:
    """A comparison; `flags` are those of `cogen_compare` (1 less, 2 equal, 4 greater)."""

    def rule(c: RuleContext, o: st.Op) -> CValue:
        a, b = (c.value(x) for x in o.arguments)
        if F64 in (a.type, b.type) and a.type != b.type:
            whole, other = (a, b) if b.type == F64 else (b, a)
            if whole.constant is None or int(float(whole.constant)) != whole.constant:
                seen = flags if b.type == F64 else _mirrored(flags)
                answer = ct.call(c.helper("cogen_compare"), I32, whole, other, low=0, high=4)
                return ct.compare("!=", cv.bits_and(answer, ct.integer(seen)), ct.integer(0))
        return ct.compare(operator, a, b)

    return rule


def _mirrored(flags: int) -> int:
    return (flags & 1) << 2 | flags & 2 | (flags & 4) >> 2


def _with_zero(operator: str) -> Rule:
    def rule(c: RuleContext, o: st.Op) -> CValue:
        a = c.value(o.arguments[0])
        return ct.compare(operator, a, ct.floating(0.0) if a.type == F64 else ct.integer(0))

    return rule


def _parity(operator: str) -> Rule:
    def rule(c: RuleContext, o: st.Op) -> CValue:
        if has_floats(c, o):
            rest = ct.call("fmod", F64, *whole_floats(c, o), ct.floating(2.0))
            return ct.compare(operator, rest, ct.floating(0.0))
        return ct.compare(
            operator, cv.bits_and(c.value(o.arguments[0]), ct.integer(1)), ct.integer(0)
        )

    return rule


def _same(c: RuleContext, o: st.Op) -> CValue:
    """eqv? and its relatives: values of different types are different."""
    left, right = (c.type_of(x) for x in o.arguments)
    if left != right:
        return ct.boolean(False)
    if left == NOTHING:
        return ct.boolean(True)
    a, b = (c.value(x) for x in o.arguments)
    if left == FLOAT:
        return ct.call(c.helper("cogen_same_float"), BOOL, a, b, low=0, high=1)
    return ct.compare("==", a, b)


def _not(c: RuleContext, o: st.Op) -> CValue:
    if c.type_of(o.arguments[0]) != BOOLEAN:
        return ct.boolean(False)
    return ct.negated(c.value(o.arguments[0]))


def _type_test(*types: str) -> Rule:
    """A predicate that the type of its argument decides."""
    return lambda c, o: ct.boolean(c.type_of(o.arguments[0]) in types)


def _is_integer(c: RuleContext, o: st.Op) -> CValue:
    if c.type_of(o.arguments[0]) != FLOAT:
        return ct.boolean(c.type_of(o.arguments[0]) == INT)
    x = c.settled(o.arguments[0])
    whole = ct.compare("==", ct.call("trunc", F64, x), x)
    return ct.both(_holds("isfinite", x), whole)


def _holds(function: str, x: CValue) -> CValue:
    """A test of <math.h>, whose answer is an int."""
    low, high = ct.RANGES[I32]
    return ct.compare("!=", ct.call(function, I32, x, low=low, high=high), ct.integer(0))


def _float_test(function: str, of_int: bool) -> Rule:
    """A predicate of floats that all integers answer alike."""

    def rule(c: RuleContext, o: st.Op) -> CValue:
        kind = c.type_of(o.arguments[0])
        if kind != FLOAT:
            return ct.boolean(of_int and kind == INT)
        return _holds(function, c.value(o.arguments[0]))

    return rule


RULES: dict[str, Rule] = {
    "=": _comparison("==", 2),
    "<": _comparison("<", 1),
    ">": _comparison(">", 4),
    "<=": _comparison("<=", 3),
    ">=": _comparison(">=", 6),
    "zero?": _with_zero("=="),
    "positive?": _with_zero(">"),
    "negative?": _with_zero("<"),
    "odd?": _parity("!="),
    "even?": _parity("=="),
    "eq?": _same,
    "eqv?": _same,
    "equal?": _same,
    "early=": _same,
    "boolean=?": _same,
    "not": _not,
    "boolean?": _type_test(BOOLEAN),
    "number?": _type_test(INT, FLOAT),
    "real?": _type_test(INT, FLOAT),
    "complex?": _type_test(INT, FLOAT),
    "exact-integer?": _type_test(INT),
    "exact?": _type_test(INT),
    "inexact?": _type_test(FLOAT),
    "pair?": _type_test(),
    "null?": _type_test(),
    "symbol?": _type_test(),
    "string?": _type_test(),
    "char?": _type_test(),
    "vector?": _type_test(),
    "procedure?": _type_test(),
    "values?": _type_test(),
    "bytevector?": _type_test(MEMORY),
    "integer?": _is_integer,
    "rational?": _float_test("isfinite", True),
    "finite?": _float_test("isfinite", True),
    "infinite?": _float_test("isinf", False),
    "nan?": _float_test("isnan", False),
}
