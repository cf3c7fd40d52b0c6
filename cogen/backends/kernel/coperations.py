"""C for the primitive operations: a rule for each, by name, or the template of its row.

A rule takes a context and the operation and gives the value; checks that its failures need
are emitted before it.  Loads and stores are no rules: `cogen.backends.kernel.cfunction` has them.
"""

from __future__ import annotations

from collections.abc import Set

from cogen import interval
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.template import template
from cogen.backends.ctree.tree import CBinary, CCast, CNumber, CUnary, Expr
from cogen.backends.ctree.types import BOOL, I64, Type
from cogen.backends.ctree.values import F64, CValue, float_operation
from cogen.backends.kernel import carithmetic, cbits, cdivision, cpredicates
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.ccontext import Rule, RuleContext
from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.prims import PRIMITIVES, PrimitiveRow


def _rounder(function: str) -> Rule:
    def rule(c: RuleContext, o: st.Op) -> CValue:
        x = c.value(o.arguments[0])
        return ct.call(function, F64, x) if x.type == F64 else x

    return rule


def _exact(c: RuleContext, o: st.Op) -> CValue:
    """A float without a fraction as an integer; too large ones are refused in any case."""
    x = c.settled(o.arguments[0])
    if x.type != F64:
        return x
    limit = CValue(CNumber(2.0**63, F64, hexadecimal=True), F64)
    whole = ct.compare("==", ct.call("trunc", F64, x), x)
    above, below = ct.compare(">=", x, ct.opposite(limit)), ct.compare("<", x, limit)
    c.fail_if(ct.negated(ct.both(whole, above, below)), o, x)
    return ct.signed(x)


def _inexact(c: RuleContext, o: st.Op) -> CValue:
    x = c.value(o.arguments[0])
    return ct.converted(x, F64)


def _float_function(function: str, two: str | None = None) -> Rule:
    """A function of <math.h>; `two` is the function or operator for two arguments."""

    def rule(c: RuleContext, o: st.Op) -> CValue:
        values = [c.value(x) for x in o.arguments]
        floats = [ct.converted(x, F64) for x in values]
        if len(floats) == 1:
            return ct.call(function, F64, floats[0])
        if two == "/":
            return float_operation("/", *(ct.call(function, F64, x) for x in floats))
        return ct.call(two or function, F64, *floats)

    return rule


def _bits(helper: str, type_: Type, low: int, high: int) -> Rule:
    return lambda c, o: ct.call(
        c.helper(helper), type_, c.value(o.arguments[0]), low=low, high=high
    )


def _identity(c: RuleContext, o: st.Op) -> CValue:
    return c.value(o.arguments[0])


def _set_base(c: RuleContext, o: st.Op) -> CValue:
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
    "buffer-words": lambda c, o: c.words(o.arguments[0]),
    "word-size": lambda c, o: ct.integer(c.word_size),
}
"""The rules of operations that their templates do not say, apart from loads and stores."""

_MACHINE = {"int": I64, "float": F64, "bool": BOOL}


def rule(op: str) -> Rule | None:
    """How C does an operation: by a rule, else as its row in the table of primitives says; None if
    it cannot."""
    found = RULES.get(op)
    if found is not None:
        return found
    row = PRIMITIVES[op]
    return None if row.c is None else _by_template(row)


def _by_template(row: PrimitiveRow) -> Rule:
    """The template with the operands as int64_t, double and bool."""
    fill = template(row.c or "")

    def apply(c: RuleContext, o: st.Op) -> CValue:
        types = [_MACHINE[name] for name in row.arguments]
        operands = [
            ct.converted(c.settled(x), type_) for x, type_ in zip(o.arguments, types, strict=True)
        ]
        expr = fill([operand.expr for operand in operands])
        weight = 1 + sum(operand.weight for operand in operands)
        if row.result != "int":
            return CValue(expr, _MACHINE[row.result], weight=weight)
        low, high = interval.result(row.name, [(x.low, x.high) for x in operands])
        if not _is_int64(expr, {operand.expr for operand in operands}):
            expr = CCast(I64, expr)
        return CValue(expr, I64, low, high, weight)

    return apply


def _is_int64(expr: Expr, operands: Set[Expr]) -> bool:
    """Does C surely compute it as int64_t, if the operands are?"""
    if expr in operands:
        return True
    match expr:
        case CCast(type_, _):
            return type_ == I64
        case CUnary("-" | "~", inner) | CBinary("<<" | ">>", inner, _):
            return _is_int64(inner, operands)
        case CBinary("+" | "-" | "*" | "/" | "%" | "&" | "|" | "^", a, b):
            return _is_int64(a, operands) and _is_int64(b, operands)
    return False
