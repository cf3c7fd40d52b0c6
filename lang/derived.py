"""Derived forms -> core: conditionals, promises, parameters, `guard`, `case-lambda`.

They are written as functions rather than as macros, so that errors are found at the innermost
form and the core is as small as can be.  The procedures they use are the language's own,
whatever the program means by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cogen.lang import core
from cogen.lang.bodies import bind_formals, bind_names, expand_body
from cogen.lang.core import Expr, LocalVariable
from cogen.lang.errors import CogenError, Span
from cogen.lang.expander import Expander, sequence, unspecified
from cogen.lang.formshapes import items_of, malformed, parts_of
from cogen.lang.prelude import somewhere_in_prelude
from cogen.lang.primtable.io import PARAMETERS
from cogen.lang.rules import excerpt
from cogen.lang.scope import Auxiliary, Env, Macro, Special, is_identifier, root
from cogen.lang.syntax import Syntax


def means(x: Expander, syntax: Syntax, name: str, env: Env) -> bool:
    """Whether a piece of syntax is the auxiliary keyword `name`."""
    if not is_identifier(syntax):
        return False
    binding = x.scopes.resolve(syntax.value, env)
    return isinstance(binding, Auxiliary) and binding.name == name


def expand_and(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(and e ...)`: #f as soon as an expression is #f, else the value of the last one."""
    tests = x.expressions(parts_of(form, "(and expression ...)", 0), env)
    no = core.ConstForm(False, form.span)
    return _chained(
        tests, lambda test, rest: core.IfForm(test, rest, no, form.span), True, form.span
    )


def expand_or(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(or e ...)`: the first value that is not #f; none after it is computed."""
    tests = x.expressions(parts_of(form, "(or expression ...)", 0), env)
    return _chained(tests, lambda test, rest: either(test, rest, form.span), False, form.span)


def _chained(
    tests: Sequence[Expr], join: Callable[[Expr, Expr], Expr], none: bool, span: Span
) -> Expr:
    """Each test joined with what the rest gives; what there is without any."""
    if not tests:
        return core.ConstForm(none, span)
    result = tests[-1]
    for test in reversed(tests[:-1]):
        result = join(test, result)
    return result


def either(test: Expr, otherwise: Expr, span: Span) -> Expr:
    """The value of `test` if it is true, else of `otherwise`."""
    variable = LocalVariable("t")
    chosen = core.IfForm(
        core.LocalRef(variable, span), core.LocalRef(variable, span), otherwise, span
    )
    return core.LetForm(((variable, test),), chosen, span)


def expand_when(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(when test expression ...)`: the expressions in order, if the test holds."""
    parts = parts_of(form, "(when test expression ...)", 2)
    test = x.expression(parts[0], env)
    body = sequence(x.expressions(parts[1:], env), form.span)
    return core.IfForm(test, body, unspecified(form.span), form.span)


def expand_unless(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(unless test expression ...)`: the expressions in order, if the test does not hold."""
    parts = parts_of(form, "(unless test expression ...)", 2)
    test = x.expression(parts[0], env)
    body = sequence(x.expressions(parts[1:], env), form.span)
    return core.IfForm(test, unspecified(form.span), body, form.span)


# cond and case


def expand_cond(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(cond (test expression ...) ... [(else expression ...)])`: the expressions of the first test
    that holds; `(test => f)` calls `f` with what the test gave.
    """
    clauses = parts_of(form, "(cond (test expression ...) ...)", 1)
    return cond_clauses(x, clauses, env, "cond", unspecified(form.span))


def cond_clauses(
    x: Expander, clauses: Sequence[Syntax], env: Env, keyword: str, otherwise: Expr
) -> Expr:
    """The clauses of `cond` or `guard`, in order; `otherwise` if none applies."""
    arms: list[Callable[[Expr], Expr]] = []
    for index, clause in enumerate(clauses):
        items = items_of(clause)
        if not items:
            example = ", as in (cond ((> x 0) 1) (else 2))" if keyword == "cond" else ""
            shape = f"(test expression ...){example}"
            raise malformed(clause, keyword, shape, "clause")
        if means(x, items[0], "else", env):
            check_else(clause, items, index == len(clauses) - 1, keyword)
            otherwise = sequence(x.expressions(items[1:], env), clause.span)
        else:
            arms.append(cond_arm(x, clause, items, env, keyword))
    result = otherwise
    for arm in reversed(arms):
        result = arm(result)
    return result


def check_else(clause: Syntax, items: Sequence[Syntax], last: bool, keyword: str) -> None:
    """CogenError unless an `else` clause is the last one and not empty."""
    if not last:
        raise CogenError(
            f"`else` is not the last clause of `{keyword}`",
            clause.span,
            "move the else clause to the end",
        )
    if len(items) == 1:
        raise malformed(clause, keyword, "(else expression ...)", "clause")


def cond_arm(
    x: Expander, clause: Syntax, items: Sequence[Syntax], env: Env, keyword: str
) -> Callable[[Expr], Expr]:
    """A clause as a function from what comes after it."""
    check_test(x, clause, items[0], env, keyword)
    test = x.expression(items[0], env)
    span = clause.span
    if len(items) == 1:
        return lambda rest: either(test, rest, span)
    if not means(x, items[1], "=>", env):
        body = sequence(x.expressions(items[1:], env), span)
        return lambda rest: core.IfForm(test, body, rest, span)
    if len(items) != 3:
        raise malformed(clause, keyword, "(test => procedure)", "clause")
    variable = LocalVariable("t")
    value = core.LocalRef(variable, span)
    receiver = x.call(x.expression(items[2], env), (value,), span)
    return lambda rest: core.LetForm(
        ((variable, test),), core.IfForm(value, receiver, rest, span), span
    )


def check_test(x: Expander, clause: Syntax, test: Syntax, env: Env, keyword: str) -> None:
    """CogenError if a clause is a form by itself, such as `'a` after its test."""
    if not is_identifier(test):
        return
    binding = x.scopes.resolve(test.value, env)
    if isinstance(binding, Special | Macro | Auxiliary):
        text = excerpt(clause.span)
        raise CogenError(
            f"malformed clause of `{keyword}`: it starts with the keyword "
            f"`{root(test.value).name}`, where its test must stand",
            clause.span,
            f"if {text} belongs to the test before it, put both into one clause: (test {text})",
        )


def expand_case(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(case key ((datum ...) expression ...) ... [(else expression ...)])`: the expressions of the
    clause that names the key.
    """
    parts = parts_of(form, "(case key ((datum ...) expression ...) ...)", 2)
    key = LocalVariable("key")
    value = x.expression(parts[0], env)
    result: Expr = unspecified(form.span)
    arms: list[tuple[Expr, Expr]] = []
    for index, clause in enumerate(parts[1:]):
        items = items_of(clause)
        if items is None or len(items) < 2:
            raise malformed(clause, "case", "((datum ...) expression ...)", "clause")
        if means(x, items[0], "else", env):
            check_else(clause, items, index == len(parts) - 2, "case")
            result = case_body(x, clause, items, key, env)
            continue
        data = items_of(items[0])
        if data is None:
            raise malformed(items[0], "case", "((datum ...) expression ...)", "list of data")
        test = case_test(x, data, key, items[0].span)
        arms.append((test, case_body(x, clause, items, key, env)))
    for test, body in reversed(arms):
        result = core.IfForm(test, body, result, body.span)
    return core.LetForm(((key, value),), result, form.span)


def case_test(x: Expander, data: Sequence[Syntax], key: LocalVariable, span: Span) -> Expr:
    """Whether the key is one of some data."""
    result: Expr = core.ConstForm(False, span)
    for datum in reversed(data):
        constant = core.ConstForm(x.datum(datum), datum.span)
        same = x.call_standard("eqv?", [core.LocalRef(key, span), constant], datum.span)
        last = isinstance(result, core.ConstForm)
        result = same if last else core.IfForm(same, core.ConstForm(True, span), result, span)
    return result


def case_body(
    x: Expander, clause: Syntax, items: Sequence[Syntax], key: LocalVariable, env: Env
) -> Expr:
    """What a clause of `case` gives."""
    if not means(x, items[1], "=>", env):
        return sequence(x.expressions(items[1:], env), clause.span)
    if len(items) != 3:
        raise malformed(clause, "case", "((datum ...) => procedure)", "clause")
    procedure = x.expression(items[2], env)
    return x.call(procedure, (core.LocalRef(key, clause.span),), clause.span)


# Promises and parameters


def thunk(body: Expr, name: str, span: Span) -> Expr:
    """A procedure without parameters."""
    return core.LambdaForm((), None, body, name, span)


def expand_delay(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(delay e)`: a promise of the value of `e`, which `force` computes, once."""
    (expression,) = parts_of(form, "(delay expression)", 1, 1)
    made = x.call_standard("%make-promise", [x.expression(expression, env)], form.span)
    return x.call_standard("%delay-force", [thunk(made, "delay", form.span)], form.span)


def expand_delay_force(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(delay-force e)`: a promise to do what the promise `e` gives."""
    (expression,) = parts_of(form, "(delay-force expression)", 1, 1)
    body = x.expression(expression, env)
    return x.call_standard("%delay-force", [thunk(body, "delay-force", form.span)], form.span)


def expand_parameterize(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(parameterize ((parameter value) ...) body ...)`: the body while parameters have other
    values.
    """
    shape = "(parameterize ((parameter value) ...) body ...)"
    parts = parts_of(form, shape, 1)
    bindings = items_of(parts[0])
    if bindings is None:
        raise malformed(parts[0], "parameterize", shape, "bindings")
    pairs: list[Expr] = []
    for binding in bindings:
        pair = items_of(binding)
        if pair is None or len(pair) != 2:
            raise malformed(binding, "parameterize", "(parameter value)", "binding")
        parameter, value = x.expressions(pair, env)
        if isinstance(parameter, core.PrimRef) and parameter.name in PARAMETERS:
            parameter = core.ConstForm(PARAMETERS.index(parameter.name), parameter.span)
        pairs.append(x.call_standard("cons", [parameter, value], binding.span))
    body = expand_body(x, parts[1:], env, form)
    if not pairs:
        return body
    listed = x.call_standard("list", pairs, parts[0].span)
    return x.call_standard(
        "%parameterize", [listed, thunk(body, "parameterize", form.span)], form.span
    )


# guard


def expand_guard(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(guard (name clause ...) body ...)`

    With an `else` clause:

        ((call/cc (lambda (leave)
           (with-exception-handler
             (lambda (name) (leave (lambda () (cond clause ...))))
             (lambda () (call-with-values (lambda () body ...)
                          (lambda results (lambda () (apply values results)))))))))

    Without one, the clauses are tried outside the handler all the same, and if none applies,
    control goes back into the handler, which raises the object again, continuably.
    """
    shape = "(guard (name clause ...) body ...)"
    parts = parts_of(form, shape, 1)
    header = items_of(parts[0])
    if not header or not is_identifier(header[0]):
        raise malformed(parts[0], "guard", "(name clause ...)", "clauses")
    if len(header) == 1:
        raise CogenError("`guard` has no clauses", parts[0].span, f"expected {shape}")
    span = form.span
    leave = LocalVariable("leave")
    results = LocalVariable("results")
    body = expand_body(x, parts[1:], env, form)
    given = x.call_standard(
        "apply", [x.standard("values", span), core.LocalRef(results, span)], span
    )
    receiver = core.LambdaForm((), results, thunk(given, "guard", span), "guard", span)
    run = x.call_standard("call-with-values", [thunk(body, "guard", span), receiver], span)
    handler = guard_handler(x, header, leave, env, parts[0].span)
    guarded = x.call_standard("with-exception-handler", [handler, thunk(run, "guard", span)], span)
    escape = core.LambdaForm((leave,), None, guarded, "guard", span)
    return core.CallForm(x.call_standard("call/cc", [escape], span), (), span)


def guard_handler(
    x: Expander, header: Sequence[Syntax], leave: LocalVariable, env: Env, span: Span
) -> Expr:
    """The handler that a `guard` installs."""
    inner = x.scopes.enter(env)
    (condition,) = bind_names(x, header[:1], inner)
    back = LocalVariable("back")
    raised = x.call_standard("raise-continuable", [core.LocalRef(condition, span)], span)
    reraise = core.CallForm(core.LocalRef(back, span), (thunk(raised, "guard", span),), span)
    last = items_of(header[-1])
    complete = last is not None and bool(last) and means(x, last[0], "else", inner)
    chosen = cond_clauses(x, header[1:], inner, "guard", reraise)
    x.scopes.leave(inner)
    left = core.CallForm(core.LocalRef(leave, span), (thunk(chosen, "guard", span),), span)
    if complete:
        return core.LambdaForm((condition,), None, left, "guard", span)
    again = core.LambdaForm((back,), None, left, "guard", span)
    body = core.CallForm(x.call_standard("call/cc", [again], span), (), span)
    return core.LambdaForm((condition,), None, body, "guard", span)


# case-lambda


def expand_case_lambda(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(case-lambda (formals body ...) ...)`: a body for each number of arguments."""
    shape = "(case-lambda (formals body ...) ...)"
    span = form.span
    arguments = LocalVariable("arguments")
    count = LocalVariable("count")
    whole = core.LocalRef(arguments, span)
    # Told as errors of the prelude are: at the call that led there.
    message = core.ConstForm("no clause of case-lambda takes these arguments:", span)
    result = x.call_standard("error", [message, whole], somewhere_in_prelude())
    cases: list[tuple[int, bool]] = []
    arms: list[tuple[Expr, Expr]] = []
    for clause in parts_of(form, shape, 1):
        items = items_of(clause)
        if not items:
            raise malformed(clause, "case-lambda", "(formals body ...)", "clause")
        inner = x.scopes.enter(env)
        parameters, rest = bind_formals(x, items[0], inner, "case-lambda")
        body = expand_body(x, items[1:], inner, clause)
        x.scopes.leave(inner)
        cases.append((len(parameters), rest is not None))
        number = core.ConstForm(len(parameters), clause.span)
        operator = "=" if rest is None else ">="
        test = x.call_standard(operator, [core.LocalRef(count, span), number], clause.span)
        arms.append((test, destructure(x, arguments, parameters, rest, body, clause.span)))
    for test, body in reversed(arms):
        result = core.IfForm(test, body, result, body.span)
    length = x.call_standard("length", [whole], span)
    counted = core.LetForm(((count, length),), result, span)
    return core.LambdaForm((), arguments, counted, "lambda", span, tuple(cases))


def destructure(
    x: Expander,
    arguments: LocalVariable,
    parameters: Sequence[LocalVariable],
    rest: LocalVariable | None,
    body: Expr,
    span: Span,
) -> Expr:
    """`body` with parameters bound to the items of an argument list."""
    lists = [arguments, *(LocalVariable("arguments") for _ in parameters)]
    if rest is not None:
        body = core.LetForm(((rest, core.LocalRef(lists[-1], span)),), body, span)
    for index in range(len(parameters) - 1, -1, -1):
        here = core.LocalRef(lists[index], span)
        if index < len(parameters) - 1 or rest is not None:
            tail = x.call_standard("cdr", [here], span)
            body = core.LetForm(((lists[index + 1], tail),), body, span)
        head = x.call_standard("car", [here], span)
        body = core.LetForm(((parameters[index], head),), body, span)
    return body
