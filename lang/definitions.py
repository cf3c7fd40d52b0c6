"""Definitions: `define`, `define-values`, `define-syntax`; `begin`, `include`, `let-syntax`.

Each `scan_` function handles a definition among the forms of a body or top level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.lang import core
from cogen.lang.bodies import check_distinct, expand_body, expand_lambda, formals_of, named
from cogen.lang.core import Expr, LocalVariable
from cogen.lang.datum import symbol
from cogen.lang.errors import CogenError
from cogen.lang.expander import Expander, sequence, unspecified
from cogen.lang.features import chosen
from cogen.lang.formshapes import items_of, malformed, parts_of
from cogen.lang.rules import RulesCompiler, flat
from cogen.lang.scanner import Scanner, included
from cogen.lang.scope import (
    Env,
    Macro,
    Special,
    is_identifier,
    root,
)
from cogen.lang.syntax import Syntax, SyntaxList

DEFINE: Final = "(define name value) or (define (name parameter ...) body ...)"
"""What a definition looks like."""


def scan_define(scanner: Scanner, form: Syntax) -> None:
    """`(define name value)`, `(define (name . formals) body ...)`: defines a name."""
    parts = parts_of(form, DEFINE, 1)
    head, env = parts[0], scanner.env
    if is_identifier(head):
        if len(parts) != 2:
            raise malformed(form, "define", DEFINE)
        target = scanner.variable(head)
        scanner.add(target, lambda x: named(x, parts[1], env, target.name), form.span)
        return
    name, formals, body = procedure_parts(form)
    target = scanner.variable(name)
    scanner.add(
        target, lambda x: expand_lambda(x, formals, body, env, target.name, form), form.span
    )


def procedure_parts(form: Syntax) -> tuple[Syntax, Syntax, Sequence[Syntax]]:
    """The name, the parameters and the body that `(define (name . formals) body ...)` has."""
    head, *body = parts_of(form, DEFINE, 1)
    value = head.value
    if not isinstance(value, SyntaxList) or not value.items:
        raise malformed(head, "define", DEFINE, "name")
    value = flat(value)
    name = value.items[0]
    if not is_identifier(name):
        if isinstance(name.value, SyntaxList):
            raise CogenError(
                "a curried definition", name.span, "write (define (f a) (lambda (b) ...))"
            )
        raise CogenError("only a name can be defined", name.span, f"expected {DEFINE}")
    return name, Syntax(SyntaxList(value.items[1:], value.tail), head.span), body


def scan_define_values(scanner: Scanner, form: Syntax) -> None:
    """`(define-values formals expression)`: defines a name for each value of the expression."""
    shape = "(define-values (name ... [. rest]) expression)"
    formals, expression = parts_of(form, shape, 2, 2)
    names, rest = formals_of(formals, "define-values")
    every = [*names, *([] if rest is None else [rest])]
    check_distinct(every, "name")
    targets = [scanner.variable(name) for name in every]
    env = scanner.env
    prefix = "".join(f"{root(name.value).name}-" for name in every[:1])
    holder = scanner.temporary(f"{prefix}values", form.span)

    def collect(x: Expander) -> Expr:
        variables = [LocalVariable(root(name.value).name) for name in every]
        references = [core.LocalRef(variable, form.span) for variable in variables]
        made = x.call_standard("vector", references, form.span)
        least = tuple(variables if rest is None else variables[:-1])
        receiver = core.LambdaForm(
            least, None if rest is None else variables[-1], made, "values", formals.span
        )
        producer = core.LambdaForm(
            (), None, x.expression(expression, env), "values", expression.span
        )
        return x.call_standard("call-with-values", [producer, receiver], form.span)

    scanner.add(holder, collect, form.span)
    for index, target in enumerate(targets):

        def pick(x: Expander, index: int = index) -> Expr:
            position = core.ConstForm(index, form.span)
            if isinstance(holder, LocalVariable):
                vector: Expr = core.LocalRef(holder, form.span)
            else:
                x.reached[holder] = None
                vector = core.GlobalRef(x.name_of(holder), form.span)
            return x.call_standard("vector-ref", [vector, position], form.span)

        scanner.add(target, pick, form.span)


def scan_define_syntax(scanner: Scanner, form: Syntax) -> None:
    """`(define-syntax name (syntax-rules ...))`: defines a macro."""
    name, rules = parts_of(form, "(define-syntax name (syntax-rules ...))", 2, 2)
    if not is_identifier(name):
        raise CogenError(
            "only a name can be defined as syntax",
            name.span,
            "expected (define-syntax name (syntax-rules ...))",
        )
    scanner.keyword(name, macro_of(scanner.expander, name, rules, scanner.env))


def macro_of(x: Expander, name: Syntax, rules: Syntax, env: Env) -> Macro:
    """The macro that a `syntax-rules` form in `env` defines."""
    items = items_of(rules)
    binding = None
    if items and is_identifier(items[0]):
        binding = x.scopes.resolve(items[0].value, env)
    if not isinstance(binding, Special) or binding.name != "syntax-rules":
        raise CogenError(
            "a macro must be defined by `syntax-rules`",
            rules.span,
            "expected (syntax-rules (literal ...) ((_ pattern ...) template) ...)",
        )
    return Macro(root(name.value).name, RulesCompiler(x.scopes, env).compile(rules), env)


def definition_in_expression(x: Expander, form: Syntax, env: Env) -> Expr:
    """A definition where an expression must stand."""
    keyword = root(flat(form.value).items[0].value).name
    raise CogenError(
        f"`{keyword}` where an expression must stand",
        form.span,
        "definitions stand at the top level and at the start of bodies; "
        "(let () definition ... expression) makes a body",
    )


def expand_begin(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(begin expression ...)`: the expressions in order; its value is that of the last one."""
    parts = parts_of(form, "(begin expression ...)", 0)
    if not parts:
        raise CogenError(
            "an empty `begin` where an expression must stand",
            form.span,
            "expected (begin expression ...)",
        )
    return sequence(x.expressions(parts, env), form.span)


def expand_include(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(include "file" ...)`: the forms that stand in the files; also `include-ci`, where case does
    not matter.
    """
    keyword = root(flat(form.value).items[0].value)
    forms = included(x, form, fold=keyword is symbol("include-ci"))
    return sequence(x.expressions(forms, env), form.span) if forms else unspecified(form.span)


def expand_cond_expand(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(cond-expand (requirement form ...) ...)`: the forms of the first that is fulfilled."""
    forms = chosen(x, form)
    return sequence(x.expressions(forms, env), form.span) if forms else unspecified(form.span)


def expand_let_syntax(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(let-syntax ((name rules) ...) body ...)`: the body, with macros of its own; also
    `letrec-syntax`, whose macros may use each other.
    """
    keyword = root(flat(form.value).items[0].value)
    shape = f"({keyword.name} ((name (syntax-rules ...)) ...) body ...)"
    parts = parts_of(form, shape, 1)
    bindings = items_of(parts[0])
    if bindings is None:
        raise malformed(parts[0], keyword.name, shape, "bindings")
    inner = x.scopes.enter(env)
    where = inner if keyword is symbol("letrec-syntax") else env
    pairs = []
    for binding in bindings:
        items = items_of(binding)
        if items is None or len(items) != 2 or not is_identifier(items[0]):
            raise malformed(binding, keyword.name, "(name (syntax-rules ...))", "binding")
        pairs.append(items)
    check_distinct([name for name, _ in pairs], "name")
    made = [(name, macro_of(x, name, rules, where)) for name, rules in pairs]
    for name, macro in made:
        x.scopes.bind(name.value, macro, inner)
        x.mention(name, macro, defines=True)
    result = expand_body(x, parts[1:], inner, form)
    x.scopes.leave(inner)
    return result
