"""Quasiquotation -> core: constant parts stay constants, the rest is built.

    `(1 ,x ,@y . z)   =>   (cons 1 (cons x (append y 'z)))
    `#(1 ,x)          =>   (vector 1 x)
    `#(1 ,@y)         =>   (list->vector (cons 1 y))

Levels count the quasiquotes around; an `unquote` of an outer level is built like any list.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.lang import core
from cogen.lang.core import Expr
from cogen.lang.datum import NIL, Pair
from cogen.lang.errors import CogenError, Span
from cogen.lang.expander import Expander
from cogen.lang.formshapes import items_of, parts_of
from cogen.lang.rules import flat
from cogen.lang.scope import Auxiliary, Env, Special, is_identifier
from cogen.lang.syntax import Syntax, SyntaxList, SyntaxVector

STEPS = {"quasiquote": 1, "unquote": -1, "unquote-splicing": -1}


def expand_quasiquote(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(quasiquote template)`, `` `template ``: data in which `,e` is a value, `,@e` the items of
    one.
    """
    (template,) = parts_of(form, "(quasiquote template)", 1, 1)
    return _Quasi(x, env, form.span).build(template, 1)


class _Quasi:
    """One quasiquotation."""

    def __init__(self, x: Expander, env: Env, span: Span) -> None:
        self.expander = x
        self.env = env
        self.span = span

    def keyword(self, syntax: Syntax) -> str | None:
        """Which keyword of `STEPS` a name is."""
        if not is_identifier(syntax):
            return None
        binding = self.expander.scopes.resolve(syntax.value, self.env)
        if isinstance(binding, Special | Auxiliary) and binding.name in STEPS:
            return binding.name
        return None

    def marked(self, syntax: Syntax) -> tuple[str, Syntax] | None:
        """The keyword and the operand of a form like `(unquote operand)`."""
        items = items_of(syntax)
        if not items:
            return None
        keyword = self.keyword(items[0])
        if keyword is None or len(items) == 1:
            return None
        if len(items) != 2:
            raise CogenError(
                f"malformed `{keyword}`", syntax.span, f"expected ({keyword} expression)"
            )
        return keyword, items[1]

    def build(self, template: Syntax, level: int) -> Expr:
        """The expression that builds a template."""
        marked = self.marked(template)
        if marked is not None:
            keyword, operand = marked
            if keyword == "unquote-splicing" and level == 1:
                raise CogenError(
                    "`unquote-splicing` outside of a list",
                    template.span,
                    "`,@` splices a list into the list around it",
                )
            if keyword == "unquote" and level == 1:
                return self.expander.expression(operand, self.env)
            head = flat(template.value).items[:1]
            return self.items(head, level, self.single(operand, level + STEPS[keyword]))
        value = template.value
        if isinstance(value, SyntaxVector):
            return self.vector(value.items, template.span, level)
        if not isinstance(value, SyntaxList):
            return core.ConstForm(self.expander.datum(template), template.span)
        value = flat(value)
        items, tail = value.items, value.tail
        if tail is None and len(items) > 2 and self.keyword(items[-2]) == "unquote":
            tail = Syntax(SyntaxList(items[-2:]), items[-1].span)
            items = items[:-2]
        end: Expr = core.ConstForm(NIL, self.span) if tail is None else self.build(tail, level)
        return self.items(items, level, end)

    def single(self, operand: Syntax, level: int) -> Expr:
        """A list of one item."""
        return self.cons(
            self.build(operand, level), core.ConstForm(NIL, operand.span), operand.span
        )

    def items(self, items: Sequence[Syntax], level: int, tail: Expr) -> Expr:
        """The items in front of a tail."""
        result = tail
        for item in reversed(items):
            marked = self.marked(item)
            if marked is not None and marked[0] == "unquote-splicing" and level == 1:
                spliced = self.expander.expression(marked[1], self.env)
                if isinstance(result, core.ConstForm) and result.value is NIL:
                    result = spliced
                else:
                    result = self.expander.call_standard("append", [spliced, result], item.span)
            else:
                result = self.cons(self.build(item, level), result, item.span)
        return result

    def cons(self, head: Expr, tail: Expr, span: Span) -> Expr:
        if isinstance(head, core.ConstForm) and isinstance(tail, core.ConstForm):
            return core.ConstForm(Pair(head.value, tail.value), span)
        return self.expander.call_standard("cons", [head, tail], span)

    def vector(self, items: Sequence[Syntax], span: Span, level: int) -> Expr:
        """A vector template."""
        for item in items:
            marked = self.marked(item)
            if marked is not None and marked[0] == "unquote-splicing" and level == 1:
                listed = self.items(items, level, core.ConstForm(NIL, span))
                return self.expander.call_standard("list->vector", [listed], span)
        built = [self.build(item, level) for item in items]
        if all(isinstance(part, core.ConstForm) for part in built):
            return core.ConstForm(
                [part.value for part in built if isinstance(part, core.ConstForm)], span
            )
        return self.expander.call_standard("vector", built, span)
