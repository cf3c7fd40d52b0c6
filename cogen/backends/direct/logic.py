"""What core expressions say: truth values, sameness, mentions; `and`, `or`, `not` as `If`s.

(and a b)  is  (if a b #f)
(or a b)   is  (if a #t b) where only the truth counts, else (let ((t a)) (if t t b))
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, Final

from cogen.backends.direct.direct import NOTHING
from cogen.lang import core
from cogen.lang.datum import eqv
from cogen.lang.prims import PRIMITIVES


def is_nothing(expr: core.Expr) -> bool:
    """Is it a value that nobody looks at?"""
    return type(expr) is core.ConstForm and expr.value is NOTHING


def either(let: core.LetForm) -> core.Expr | None:
    """The b of (let ((t a)) (if t t b)), which is (or a b), where b does not mention t."""
    conditional = let.body
    if type(conditional) is not core.IfForm or len(let.bindings) != 1:
        return None
    variable = let.bindings[0][0]
    if variable.assigned or not is_reference(conditional.test, variable):
        return None
    if not is_reference(conditional.then, variable):
        return None
    rest = conditional.otherwise
    return None if mentions_any(rest, {variable}) else rest


def is_reference(expr: core.Expr, variable: core.LocalVariable) -> bool:
    """Is it just that variable?"""
    return type(expr) is core.LocalRef and expr.variable is variable


def conjunction(first: core.Expr, second: core.Expr) -> core.Expr:
    """(and a b)"""
    return core.IfForm(first, second, core.ConstForm(False, first.span), first.span)


def disjunction(first: core.Expr, second: core.Expr) -> core.Expr:
    """(or a b), where only the truth counts."""
    return core.IfForm(first, core.ConstForm(True, first.span), second, first.span)


def negation(expr: core.Expr) -> core.Expr:
    """(not a)"""
    match expr:
        case core.CallForm(core.PrimRef("not"), (inner,)) if is_boolean(inner):
            return inner
        case core.IfForm(first, second, core.ConstForm(False)) if is_negated(first) or is_negated(
            second
        ):
            # (not (and a (not b))) -> (or (not a) b)
            return disjunction(negation(first), negation(second))
        case core.IfForm(first, core.ConstForm(True), second) if is_negated(first) or is_negated(
            second
        ):
            # (not (or a (not b))) -> (and (not a) b)
            return conjunction(negation(first), negation(second))
    return core.CallForm(core.PrimRef("not", expr.span), (expr,), expr.span)


def is_negated(expr: core.Expr) -> bool:
    """Is it (not a)?"""
    if type(expr) is not core.CallForm:
        return False
    return type(expr.function) is core.PrimRef and expr.function.name == "not"


def is_boolean(expr: core.Expr) -> bool:
    """Is the value certainly #t or #f?"""
    if type(expr) is core.ConstForm:
        return type(expr.value) is bool
    if type(expr) is core.CallForm and type(expr.function) is core.PrimRef:
        row = PRIMITIVES.get(expr.function.name)
        return row is not None and row.result == "bool"
    if type(expr) is core.IfForm:
        first = is_boolean(expr.then) or (is_false(expr.otherwise) and same(expr.test, expr.then))
        return first and is_boolean(expr.otherwise)
    return False


def is_true(expr: core.Expr) -> bool:
    return type(expr) is core.ConstForm and expr.value is True


def is_false(expr: core.Expr) -> bool:
    return type(expr) is core.ConstForm and expr.value is False


def same(one: core.Expr, other: core.Expr) -> bool:
    """Do two expressions certainly do and give the same?  Only atoms and calls of atoms."""
    if type(one) is not type(other):
        return False
    if type(one) is core.ConstForm and type(other) is core.ConstForm:
        return eqv(one.value, other.value)
    if type(one) is core.LocalRef and type(other) is core.LocalRef:
        return one.variable is other.variable
    if type(one) is core.GlobalRef and type(other) is core.GlobalRef:
        return one.name == other.name
    if type(one) is core.PrimRef and type(other) is core.PrimRef:
        return one.name == other.name
    if type(one) is core.CallForm and type(other) is core.CallForm:
        if len(one.arguments) != len(other.arguments) or not same(one.function, other.function):
            return False
        if type(one.function) is core.CallForm:
            return False
        pairs = zip(one.arguments, other.arguments, strict=True)
        return all(type(a) is not core.CallForm and same(a, b) for a, b in pairs)
    return False


def mentions_any(root: core.Expr, variables: Container[core.LocalVariable]) -> bool:
    """Does an expression mention one of the variables?"""
    return any(variable in variables for variable in mentions(root))


def mentions(root: core.Expr) -> list[core.LocalVariable]:
    """The variables that an expression mentions, as often as it does."""
    if type(root) is core.LocalRef:
        return [root.variable]
    return [
        expr.variable
        for expr in parts(root)
        if type(expr) is core.LocalRef or type(expr) is core.SetLocal
    ]


BINDERS: Final = frozenset({core.LambdaForm, core.LetForm, core.LetrecForm})
"""The expressions at which the scope of variables begins."""


def bound_variables(expr: core.Expr) -> list[core.LocalVariable]:
    """The variables whose scope begins at an expression."""
    if type(expr) is core.LambdaForm:
        return [*expr.parameters, *([] if expr.rest is None else [expr.rest])]
    if type(expr) is core.LetForm or type(expr) is core.LetrecForm:
        return [variable for variable, _ in expr.bindings]
    return []


def parts(root: core.Expr) -> list[core.Expr]:
    """An expression and all expressions in it, outer before inner, in order."""
    found: list[core.Expr] = []
    work = [root]
    while work:
        expr = work.pop()
        found.append(expr)
        if type(expr) is core.CallForm:
            work += expr.arguments[::-1]
            work.append(expr.function)
        elif (inner := _INNER.get(type(expr))) is not None:
            work += inner(expr)
    return found


def inside(expr: core.Expr) -> list[core.Expr]:
    """The expressions directly inside one, in order."""
    if type(expr) is core.CallForm:
        return [expr.function, *expr.arguments]
    inner = _INNER.get(type(expr))
    return [] if inner is None else list(reversed(inner(expr)))


_INNER: Final[dict[type, Callable[[Any], Sequence[core.Expr]]]] = {
    core.LambdaForm: lambda e: (e.body,),
    core.IfForm: lambda e: (e.otherwise, e.then, e.test),
    core.SetLocal: lambda e: (e.value,),
    core.SetGlobal: lambda e: (e.value,),
    core.LetForm: lambda e: (e.body, *[value for _, value in e.bindings[::-1]]),
    core.LetrecForm: lambda e: (e.body, *[value for _, value in e.bindings[::-1]]),
    core.SequenceForm: lambda e: e.expressions[::-1],
}
"""The expressions directly inside one that is no call, the last first."""
