"""Bodies and procedures -> core; parameter lists.

body    ::= definition-or-expression ... expression
formals ::= (name ...) | (name ... . rest) | rest
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogen.lang import core
from cogen.lang.core import Expr, LocalVariable
from cogen.lang.errors import CogenError, Note, Span
from cogen.lang.expander import (
    Expander,
    sequence,
)
from cogen.lang.rules import flat
from cogen.lang.scanner import BodyScanner
from cogen.lang.scope import (
    Env,
    GlobalBinding,
    Identifier,
    Item,
    is_identifier,
    root,
)
from cogen.lang.syntax import Syntax, SyntaxList


def expand_body(x: Expander, forms: Sequence[Syntax], env: Env, where: Syntax) -> Expr:
    """A body in a frame of its own: definitions become a `Letrec` around the expressions.

    `where` is the form that the body belongs to.
    """
    if not forms:
        raise CogenError("an empty body", where.span, "a body needs at least one expression")
    inner = x.scopes.enter(env)
    scanner = BodyScanner(x, inner)
    scanner.scan(forms)
    result = build_body(x, scanner.items, where, forms[-1])
    x.scopes.leave(inner)
    return result


def build_body(x: Expander, items: Sequence[Item], where: Syntax, last: Syntax) -> Expr:
    count = len(items)
    while count and items[count - 1].target is None:
        count -= 1
    if count == len(items):
        raise CogenError(
            "a body without an expression",
            last.span,
            "a body ends with an expression, which gives its value",
        )
    bindings: list[tuple[LocalVariable, Expr]] = []
    for item in items[:count]:
        target = item.target
        assert not isinstance(target, GlobalBinding)
        value = item.build(x)
        x.define(target, value)
        bindings.append((LocalVariable("_") if target is None else target, value))
    body = sequence([item.build(x) for item in items[count:]], where.span)
    return core.LetrecForm(tuple(bindings), body, where.span) if bindings else body


def expand_lambda(
    x: Expander, formals: Syntax, forms: Sequence[Syntax], env: Env, name: str, form: Syntax
) -> core.LambdaForm:
    """A procedure of the parameters `formals` and the body `forms`."""
    nesting = x.nesting
    x.nest(form)
    inner = x.scopes.enter(env)
    parameters, rest = bind_formals(x, formals, inner, "lambda")
    body = expand_body(x, forms, inner, form)
    x.scopes.leave(inner)
    x.nesting = nesting
    return core.LambdaForm(parameters, rest, body, name, form.span)


def bind_formals(
    x: Expander, formals: Syntax, env: Env, what: str
) -> tuple[tuple[LocalVariable, ...], LocalVariable | None]:
    """Bind a parameter list `(a b)`, `(a b . rest)` or `rest` in the frame `env`."""
    names, rest = formals_of(formals, what)
    variables = bind_names(x, [*names, *([] if rest is None else [rest])], env)
    if rest is None:
        return tuple(variables), None
    return tuple(variables[:-1]), variables[-1]


def formals_of(formals: Syntax, what: str) -> tuple[tuple[Syntax, ...], Syntax | None]:
    """The names of a parameter list and its rest parameter."""
    if is_identifier(formals):
        return (), formals
    value = formals.value
    if not isinstance(value, SyntaxList):
        raise CogenError(
            f"malformed parameters of `{what}`",
            formals.span,
            "expected (name ...), (name ... . rest) or rest",
        )
    value = flat(value)
    for name in (*value.items, *([] if value.tail is None else [value.tail])):
        if not is_identifier(name):
            raise CogenError("a parameter must be a name", name.span)
    return value.items, value.tail


def bind_names(x: Expander, names: Sequence[Syntax], env: Env) -> list[LocalVariable]:
    """Bind distinct names to new variables in the frame `env`."""
    check_distinct(names, "parameter")
    variables = []
    for name in names:
        variable = LocalVariable(root(name.value).name)
        x.scopes.bind(name.value, variable, env)
        x.mention(name, variable, defines=True)
        variables.append(variable)
    return variables


def check_distinct(names: Sequence[Syntax], what: str) -> None:
    """CogenError at the second of two equal names."""
    places: dict[Identifier, Span] = {}
    for name in names:
        if name.value in places:
            raise CogenError(
                f"duplicate {what} `{root(name.value).name}`",
                name.span,
                notes=[Note("the first one is here", places[name.value])],
            )
        places[name.value] = name.span


def named(x: Expander, form: Syntax, env: Env, name: str) -> Expr:
    """An expression that is bound to a name: a procedure gets the name."""
    value = x.expression(form, env)
    if isinstance(value, core.LambdaForm) and value.name == "lambda":
        return replace(value, name=name)
    return value
