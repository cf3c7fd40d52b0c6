"""Core forms: quote, lambda, if, set!, and the binding forms -> core.

    (quote d) (lambda formals body ...) (if test then [else]) (set! name value)
    (let [name] ((name value) ...) body ...) let* letrec letrec*
    (let-values ((formals value) ...) body ...) let*-values
    (do ((name init [step]) ...) (test result ...) command ...)

Named `let` and `do` become a `Letrec` of one procedure and a call of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.lang import core
from cogen.lang.bodies import (
    bind_names,
    check_distinct,
    expand_body,
    expand_lambda,
    formals_of,
    named,
)
from cogen.lang.core import Expr, LocalVariable
from cogen.lang.errors import CogenError, LimitationError, Note, Span
from cogen.lang.expander import Expander, sequence, unspecified
from cogen.lang.formshapes import items_of, malformed, parts_of
from cogen.lang.rules import flat
from cogen.lang.scope import (
    Alias,
    Binding,
    Env,
    GlobalBinding,
    Macro,
    PrimitiveBinding,
    is_identifier,
    root,
)
from cogen.lang.syntax import Syntax


def expand_quote(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(quote datum)`, `'datum`: the datum itself."""
    (datum,) = parts_of(form, "(quote datum)", 1, 1)
    return x.quoted(Syntax(datum.value, form.span))


def expand_lambda_form(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(lambda formals body ...)`: a procedure."""
    parts = parts_of(form, "(lambda (name ...) body ...)", 1)
    return expand_lambda(x, parts[0], parts[1:], env, "lambda", form)


_ELSES: Final = frozenset({"else", "then", "otherwise"})


def expand_if(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(if test then [else])`: one of the two, as the test is #f or not."""
    items = items_of(form) or ()
    if len(items) == 5 and is_identifier(items[3]) and root(items[3].value).name in _ELSES:
        hint = "`if` has no such word: (if test then otherwise)"
        raise CogenError("malformed `if`", items[3].span, hint)
    parts = parts_of(form, "(if test then [else])", 2, 3)
    test = x.expression(parts[0], env)
    then = x.expression(parts[1], env)
    otherwise = x.expression(parts[2], env) if len(parts) == 3 else unspecified(form.span)
    return core.IfForm(test, then, otherwise, form.span)


def expand_set(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(set! name value)`: gives a variable another value."""
    shape = "(set! name value)"
    name, value = parts_of(form, shape, 2, 2)
    if not is_identifier(name):
        raise CogenError("only a name can be assigned", name.span, f"expected {shape}")
    binding = x.scopes.resolve(name.value, env)
    if binding is None:
        raise CogenError(
            f"`set!` of the undefined name `{root(name.value).name}`",
            name.span,
            x.suggestion(root(name.value).name, env) or "define it first",
        )
    x.mention(name, binding)
    if isinstance(binding, LocalVariable):
        if binding in x.operations:
            raise _record_procedure(name)
        binding.assigned = True
        return core.SetLocal(binding, x.expression(value, env), form.span)
    if not isinstance(binding, GlobalBinding) or not _owned(binding, name, env):
        raise _not_assignable(x, binding, name, env)
    if binding.operation is not None and binding.definitions == 1:
        raise _record_procedure(name)
    x.assigned.add(binding)
    x.reached[binding] = None
    return core.SetGlobal(x.name_of(binding), x.expression(value, env), form.span)


def _owned(target: GlobalBinding, name: Syntax, env: Env) -> bool:
    """Whether the name was written in the unit whose global it means."""
    identifier = name.value
    while isinstance(identifier, Alias):
        if identifier.env.unit is target.unit:
            return True
        identifier = identifier.base
    return target.unit is env.unit


def _record_procedure(name: Syntax) -> LimitationError:
    return LimitationError(
        f"`{root(name.value).name}` is a procedure of a record type and cannot be assigned",
        name.span,
        "define a procedure of another name that calls it",
    )


def _not_assignable(x: Expander, binding: Binding, name: Syntax, env: Env) -> CogenError:
    text = root(name.value).name
    if isinstance(binding, PrimitiveBinding) or (
        isinstance(binding, GlobalBinding) and binding.unit is x.scopes.prelude
    ):
        return CogenError(
            f"`{text}` belongs to the language and cannot be assigned",
            name.span,
            "define a variable of that name first",
        )
    if isinstance(binding, GlobalBinding):
        places = env.unit.imported
        notes = [Note("it is imported here", places[name.value])] if name.value in places else []
        return CogenError(
            f"`{text}` is imported and cannot be assigned",
            name.span,
            "let the library export a procedure that assigns it",
            notes,
        )
    what = "a macro" if isinstance(binding, Macro) else "a keyword"
    return CogenError(f"`{text}` is {what} and cannot be assigned", name.span)


# Binding forms


def bindings_of(form: Syntax, bindings: Syntax, keyword: str) -> tuple[list[Syntax], list[Syntax]]:
    """The names and the values of `((name value) ...)`."""
    items = items_of(bindings)
    if items is None:
        raise malformed(bindings, keyword, "((name value) ...)", "bindings")
    names, values = [], []
    for item in items:
        pair = items_of(item)
        if pair is None:
            shape = f"(name value), as in ({keyword} ((name value) ...) body ...)"
            raise malformed(item, keyword, shape, "binding")
        if len(pair) != 2:
            raise malformed(item, keyword, "(name value)", "binding")
        if not is_identifier(pair[0]):
            raise CogenError(f"`{keyword}` binds names only", pair[0].span, "expected (name value)")
        names.append(pair[0])
        values.append(pair[1])
    return names, values


def bound_values(
    x: Expander, names: Sequence[Syntax], values: Sequence[Syntax], env: Env
) -> list[Expr]:
    """The values of bindings; procedures are called after their names."""
    texts = [root(name.value).name for name in names]
    x.beside.append(frozenset(texts))
    try:
        pairs = zip(texts, values, strict=True)
        return [named(x, value, env, text) for text, value in pairs]
    finally:
        x.beside.pop()


def expand_let(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(let ((name value) ...) body ...)`: the body, with names for values.

    `(let loop ((name value) ...) body ...)`: a loop; `(loop value ...)` in the body goes on with
    other values.
    """
    shape = "(let ((name value) ...) body ...)"
    parts = parts_of(form, shape, 1)
    if is_identifier(parts[0]):
        if len(parts) < 2:
            raise malformed(form, "let", "(let name ((name value) ...) body ...)")
        return expand_named_let(x, form, parts, env)
    names, values = bindings_of(form, parts[0], "let")
    check_distinct(names, "name")
    expressions = bound_values(x, names, values, env)
    inner = x.scopes.enter(env)
    variables = bind_names(x, names, inner)
    bindings, body = _bound_body(x, form, parts[1:], inner, variables, expressions)
    return core.LetForm(bindings, body, form.span) if bindings else body


def _bound_body(
    x: Expander,
    form: Syntax,
    body: Sequence[Syntax],
    inner: Env,
    variables: Sequence[core.LocalVariable],
    values: Sequence[Expr],
) -> tuple[tuple[tuple[core.LocalVariable, Expr], ...], Expr]:
    """Variables with what they are bound to, and the body that sees them; their scope ends."""
    bindings = tuple(zip(variables, values, strict=True))
    for variable, value in bindings:
        x.define(variable, value)
    expanded = expand_body(x, body, inner, form)
    x.scopes.leave(inner)
    return bindings, expanded


def expand_named_let(x: Expander, form: Syntax, parts: Sequence[Syntax], env: Env) -> Expr:
    name = parts[0]
    names, values = bindings_of(form, parts[1], "let")
    check_distinct(names, "name")
    initial = bound_values(x, names, values, env)
    outer = x.scopes.enter(env)
    (loop,) = bind_names(x, [name], outer)
    inner = x.scopes.enter(outer)
    variables = bind_names(x, names, inner)
    body = expand_body(x, parts[2:], inner, form)
    x.scopes.leave(inner)
    x.scopes.leave(outer)
    return loop_of(x, loop, variables, body, initial, form.span)


def loop_of(
    x: Expander,
    loop: LocalVariable,
    variables: Sequence[LocalVariable],
    body: Expr,
    initial: Sequence[Expr],
    span: Span,
) -> Expr:
    """A local procedure and its first call."""
    procedure = core.LambdaForm(tuple(variables), None, body, loop.name, span)
    x.define(loop, procedure)
    first = core.CallForm(core.LocalRef(loop, span), tuple(initial), span)
    return core.LetrecForm(((loop, procedure),), first, span)


def expand_let_star(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(let* ((name value) ...) body ...)`: as `let`; each value sees the names before it."""
    parts = parts_of(form, "(let* ((name value) ...) body ...)", 1)
    names, values = bindings_of(form, parts[0], "let*")
    frames: list[Env] = []
    bindings: list[tuple[LocalVariable, Expr]] = []
    for name, value in zip(names, values, strict=True):
        expression = named(x, value, env, root(name.value).name)
        env = x.scopes.enter(env)
        frames.append(env)
        (variable,) = bind_names(x, [name], env)
        x.define(variable, expression)
        bindings.append((variable, expression))
    result = expand_body(x, parts[1:], env, form)
    for frame, binding in zip(reversed(frames), reversed(bindings), strict=True):
        x.scopes.leave(frame)
        result = core.LetForm((binding,), result, form.span)
    return result


def expand_letrec(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(letrec ((name value) ...) body ...)`: as `let`; all values, procedures mostly, see all
    names. Also `letrec*`; both are evaluated in order.
    """
    keyword = root(flat(form.value).items[0].value).name
    parts = parts_of(form, f"({keyword} ((name value) ...) body ...)", 1)
    names, values = bindings_of(form, parts[0], keyword)
    check_distinct(names, "name")
    inner = x.scopes.enter(env)
    variables = bind_names(x, names, inner)
    expressions = bound_values(x, names, values, inner)
    bindings, body = _bound_body(x, form, parts[1:], inner, variables, expressions)
    return core.LetrecForm(bindings, body, form.span) if bindings else body


def expand_let_values(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(let-values ((formals expression) ...) body ...)`: as `let`, of several values each."""
    return _let_values(x, form, env, "let-values", sequential=False)


def expand_let_star_values(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(let*-values ((formals expression) ...) body ...)`: as `let-values`; each expression sees
    the names before it.
    """
    return _let_values(x, form, env, "let*-values", sequential=True)


def _let_values(x: Expander, form: Syntax, env: Env, keyword: str, sequential: bool) -> Expr:
    shape = f"({keyword} ((formals value) ...) body ...)"
    parts = parts_of(form, shape, 1)
    bindings = items_of(parts[0])
    if bindings is None:
        raise malformed(parts[0], keyword, shape, "bindings")
    pairs = []
    for binding in bindings:
        pair = items_of(binding)
        if pair is None or len(pair) != 2:
            raise malformed(binding, keyword, "(formals value)", "binding")
        pairs.append((binding, pair, formals_of(pair[0], keyword)))
    every = [[*names, *([] if rest is None else [rest])] for _, _, (names, rest) in pairs]
    if not sequential:
        check_distinct([name for group in every for name in group], "name")
    inner, frames = env, []
    made: list[tuple[Expr, list[LocalVariable]]] = []
    for (_, pair, _), group in zip(pairs, every, strict=True):
        expression = x.expression(pair[1], inner if sequential else env)
        made.append((expression, [LocalVariable(root(name.value).name) for name in group]))
        if sequential:
            inner = _bind_group(x, group, made[-1][1], inner)
            frames.append(inner)
    if not sequential:
        inner = x.scopes.enter(env)
        frames.append(inner)
        for group, (_, variables) in zip(every, made, strict=True):
            for name, variable in zip(group, variables, strict=True):
                x.scopes.bind(name.value, variable, inner)
                x.mention(name, variable, defines=True)
    result = expand_body(x, parts[1:], inner, form)
    for frame in reversed(frames):
        x.scopes.leave(frame)
    for (binding, pair, (_, rest)), (expression, variables) in zip(
        reversed(pairs), reversed(made), strict=True
    ):
        formals, value = pair
        result = receive(
            x, expression, value, variables, rest is not None, result, formals, binding
        )
    return result


def _bind_group(
    x: Expander, names: Sequence[Syntax], variables: Sequence[LocalVariable], env: Env
) -> Env:
    check_distinct(names, "name")
    inner = x.scopes.enter(env)
    for name, variable in zip(names, variables, strict=True):
        x.scopes.bind(name.value, variable, inner)
        x.mention(name, variable, defines=True)
    return inner


def receive(
    x: Expander,
    expression: Expr,
    value: Syntax,
    variables: Sequence[LocalVariable],
    rest: bool,
    body: Expr,
    formals: Syntax,
    form: Syntax,
) -> Expr:
    """`body` with the variables bound to the values of an expression."""
    producer = core.LambdaForm((), None, expression, "values", value.span)
    parameters = tuple(variables[:-1] if rest else variables)
    receiver = core.LambdaForm(
        parameters, variables[-1] if rest else None, body, "values", formals.span
    )
    return x.call_standard("call-with-values", [producer, receiver], form.span)


def expand_do(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(do ((name init [step]) ...) (test result ...) command ...)`: a loop: the commands, then the
    steps, until the test holds.
    """
    shape = "(do ((name init [step]) ...) (test result ...) command ...)"
    parts = parts_of(form, shape, 2)
    specs = items_of(parts[0])
    exit_ = items_of(parts[1])
    if specs is None:
        raise malformed(parts[0], "do", "((name init [step]) ...)", "variables")
    if not exit_:
        raise malformed(parts[1], "do", "(test result ...)", "exit")
    names, initial, steps = [], [], []
    for spec in specs:
        items = items_of(spec)
        if items is None or not 2 <= len(items) <= 3 or not is_identifier(items[0]):
            raise malformed(spec, "do", "(name init [step])", "variable")
        names.append(items[0])
        initial.append(items[1])
        steps.append(items[2] if len(items) == 3 else items[0])
    check_distinct(names, "name")
    first = bound_values(x, names, initial, env)
    loop = LocalVariable("do")
    inner = x.scopes.enter(env)
    variables = bind_names(x, names, inner)
    test = x.expression(exit_[0], inner)
    results = x.expressions(exit_[1:], inner)
    commands = x.expressions(parts[2:], inner)
    again = core.CallForm(
        core.LocalRef(loop, form.span), tuple(x.expressions(steps, inner)), form.span
    )
    x.scopes.leave(inner)
    result = sequence(results, parts[1].span) if results else unspecified(parts[1].span)
    body = core.IfForm(test, result, sequence([*commands, again], form.span), form.span)
    return loop_of(x, loop, variables, body, first, form.span)
