"""What core expressions say: truth values, sameness, mentions; `and`, `or`, `not` as `If`s.

(and a b)  is  (if a b #f)
(or a b)   is  (if a #t b) where only the truth counts, else (let ((t a)) (if t t b))
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any, Final

from cogen.target.direct import NOTHING
from lang import core
from lang.datum import Datum, eqv
from lang.prims import PRIMITIVES


def is_nothing(expr: core.Expr) -> bool:
    """Is it a value that nobody looks at?"""
    return isinstance(expr, core.Const) and expr.value is NOTHING


def either(let: core.Let) -> core.Expr | None:
    """The b of (let ((t a)) (if t t b)), which is (or a b), where b does not mention t."""
    match let:
        case core.Let(
            ((variable, _),), core.If(core.LocalRef(tested), core.LocalRef(given), rest)
        ) if tested is given is variable and not variable.assigned:
            return None if mentions_any(rest, {variable}) else rest
    return None


def conjunction(first: core.Expr, second: core.Expr) -> core.Expr:
    """(and a b)"""
    return core.If(first, second, core.Const(False, first.span), first.span)


def disjunction(first: core.Expr, second: core.Expr) -> core.Expr:
    """(or a b), where only the truth counts."""
    return core.If(first, core.Const(True, first.span), second, first.span)


def negation(expr: core.Expr) -> core.Expr:
    """(not a)"""
    match expr:
        case core.Call(core.PrimRef("not"), (inner,)) if is_boolean(inner):
            return inner
        case core.If(first, second, core.Const(False)) if is_negated(first) or is_negated(second):
            # (not (and a (not b))) -> (or (not a) b)
            return disjunction(negation(first), negation(second))
        case core.If(first, core.Const(True), second) if is_negated(first) or is_negated(second):
            # (not (or a (not b))) -> (and (not a) b)
            return conjunction(negation(first), negation(second))
    return core.Call(core.PrimRef("not", expr.span), (expr,), expr.span)


def is_negated(expr: core.Expr) -> bool:
    """Is it (not a)?"""
    if not isinstance(expr, core.Call):
        return False
    return isinstance(expr.function, core.PrimRef) and expr.function.name == "not"


def is_boolean(expr: core.Expr) -> bool:
    """Is the value certainly #t or #f?"""
    match expr:
        case core.Const(datum):
            return isinstance(datum, bool)
        case core.Call(core.PrimRef(name)):
            return name in PRIMITIVES and PRIMITIVES[name].result == "bool"
        case core.If(test, then, otherwise):
            first = is_boolean(then) or (is_false(otherwise) and same(test, then))
            return first and is_boolean(otherwise)
    return False


def is_true(expr: core.Expr) -> bool:
    return isinstance(expr, core.Const) and expr.value is True


def is_false(expr: core.Expr) -> bool:
    return isinstance(expr, core.Const) and expr.value is False


def same(one: core.Expr, other: core.Expr) -> bool:
    """Do two expressions certainly do and give the same?  Only atoms and calls of atoms."""
    match one, other:
        case core.Const(first), core.Const(second):
            return _same_datum(first, second)
        case core.LocalRef(first), core.LocalRef(second):
            return first is second
        case (core.GlobalRef(first), core.GlobalRef(second)) | (
            core.PrimRef(first),
            core.PrimRef(second),
        ):
            return bool(first == second)
        case core.Call(function, arguments), core.Call(other_function, others):
            if len(arguments) != len(others) or not same(function, other_function):
                return False
            if isinstance(function, core.Call):
                return False
            pairs = zip(arguments, others, strict=True)
            return all(not isinstance(a, core.Call) and same(a, b) for a, b in pairs)
    return False


def _same_datum(one: Datum, other: Datum) -> bool:
    if type(one) is str and type(other) is str:
        return one == other
    return eqv(one, other)


def mentions_any(root: core.Expr, variables: Container[core.Variable]) -> bool:
    """Does an expression mention one of the variables?"""
    return any(variable in variables for variable in mentions(root))


def mentions(root: core.Expr) -> list[core.Variable]:
    """The variables that an expression mentions, as often as it does."""
    return [
        expr.variable for expr in parts(root) if isinstance(expr, core.LocalRef | core.SetLocal)
    ]


def bound_variables(expr: core.Expr) -> list[core.Variable]:
    """The variables whose scope begins at an expression."""
    match expr:
        case core.Lambda(parameters, rest):
            return [*parameters, *([] if rest is None else [rest])]
        case core.Let(bindings) | core.Letrec(bindings):
            return [variable for variable, _ in bindings]
    return []


def parts(root: core.Expr) -> Iterator[core.Expr]:
    """An expression and all expressions in it, outer before inner, in order."""
    work = [root]
    while work:
        expr = work.pop()
        yield expr
        inner = _INNER.get(type(expr))
        if inner is not None:
            work += inner(expr)


_INNER: Final[dict[type, Callable[[Any], Sequence[core.Expr]]]] = {
    core.Lambda: lambda e: (e.body,),
    core.If: lambda e: (e.otherwise, e.then, e.test),
    core.SetLocal: lambda e: (e.value,),
    core.SetGlobal: lambda e: (e.value,),
    core.Let: lambda e: (e.body, *[value for _, value in reversed(e.bindings)]),
    core.Letrec: lambda e: (e.body, *[value for _, value in reversed(e.bindings)]),
    core.Seq: lambda e: e.expressions[::-1],
    core.Call: lambda e: (*e.arguments[::-1], e.function),
}
"""The expressions directly inside one, the last first."""
