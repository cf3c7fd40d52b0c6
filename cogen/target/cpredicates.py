"""C for comparisons and predicates: rules by operation."""

from __future__ import annotations

from cogen.target import cvalue as cv
from cogen.target import structured as st
from cogen.target.ccontext import Context, Rule
from cogen.target.ctree import Binary, Invoke, Name
from cogen.target.cvalue import BOOL, F64, I64, Value
from cogen.target.types import BOOL as BOOLEAN
from cogen.target.types import FLOAT, INT, MEMORY, NOTHING


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
