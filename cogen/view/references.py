"""Source text -> where its variables are mentioned, and which of them are meant.

A binder is found by its form: `define`, `lambda`, `let` and its kin, `do`, `case-lambda`.  A macro
of the program may bind variables in a form that cannot be seen here; what it binds is then no
variable to us.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cogen.lang.datum import Symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.reader import read
from cogen.lang.syntax import Syntax, SyntaxList

Scope = Mapping[str, Span]
"""Where the variables in scope are bound, by name."""

LETS: Final = ("let", "let*", "letrec", "letrec*", "do")
VALUES: Final = ("let-values", "let*-values")
DATA: Final = ("quote", "quasiquote", "define-syntax", "let-syntax", "define-record-type", "import")
"""Forms in which nothing is a mention of a variable."""


class SourceReferences:
    """What is found in one source."""

    def __init__(self) -> None:
        self.bound: dict[tuple[int, int], Span] = {}
        """For each mention of a local variable, by its place, the place that binds it."""
        self.constants: list[Span] = []
        """What stands for itself, or is quoted."""


def references(source: Source) -> SourceReferences:
    """The mentions of variables in a source; none if it cannot be read."""
    found = SourceReferences()
    try:
        forms = read(source)
    except CogenError:
        return found
    on_deep_stack(_ReferenceWalk(found).body, forms, {})
    return found


_TOKEN: Final = re.compile(
    r"""(?P<comment>;[^\n]*|\#\|(?s:.*?)\|\#)|"(?:\\.|[^"\\])*"|\|[^|]*\||\#\\.""", re.DOTALL
)


def comments(text: str) -> Iterator[tuple[int, int]]:
    """Where the comments of a source are."""
    for token in _TOKEN.finditer(text):
        if token["comment"]:
            yield token.span()


class _ReferenceWalk:
    def __init__(self, found: SourceReferences) -> None:
        self.found = found

    def mention(self, syntax: Syntax, place: Span) -> None:
        self.found.bound[syntax.span.start, syntax.span.end] = place

    def body(self, forms: Sequence[Syntax], scope: Scope) -> None:
        """Forms of which the definitions hold in all; those of the top level bind no locals."""
        inner = dict(scope)
        if scope:
            for form in forms:
                name = _defined(form)
                if name is not None:
                    inner[name.value.name] = name.span
                    self.mention(name, name.span)
        for form in forms:
            self.expression(form, inner)

    def expression(self, syntax: Syntax, scope: Scope) -> None:
        value = syntax.value
        if isinstance(value, Symbol):
            if value.name in scope:
                self.mention(syntax, scope[value.name])
            return
        if not isinstance(value, SyntaxList):
            self.found.constants.append(syntax.span)
            return
        head = value.items[0].value if value.items else None
        name = head.name if isinstance(head, Symbol) and head.name not in scope else ""
        if name in DATA:
            if name == "quote":
                self.found.constants.append(syntax.span)
            return
        if not self.binder(name, value.items[1:], scope):
            for part in value.items:
                self.expression(part, scope)

    def binder(self, name: str, parts: Sequence[Syntax], scope: Scope) -> bool:
        """Walk a form that binds variables; False if it is none."""
        if not parts:
            return False
        if name == "define" and isinstance(parts[0].value, SyntaxList):
            formals = parts[0].value
            self.procedure([*formals.items[1:], *_tail(formals)], parts[1:], scope)
        elif name == "define":
            self.body(parts[1:], scope)
        elif name == "lambda":
            self.procedure(_formals(parts[0]), parts[1:], scope)
        elif name == "case-lambda":
            for clause in parts:
                items = _items(clause)
                if items:
                    self.procedure(_formals(items[0]), items[1:], scope)
        elif name in LETS:
            self.let(name, parts, scope)
        elif name in VALUES:
            self.let_values(name == "let*-values", parts, scope)
        else:
            return False
        return True

    def procedure(self, formals: Sequence[Syntax], body: Sequence[Syntax], scope: Scope) -> None:
        self.body(body, {**scope, **self.bind(formals), "": _NOWHERE})

    def bind(self, names: Sequence[Syntax]) -> dict[str, Span]:
        bound = {}
        for name in names:
            if isinstance(name.value, Symbol):
                bound[name.value.name] = name.span
                self.mention(name, name.span)
        return bound

    def let(self, kind: str, parts: Sequence[Syntax], scope: Scope) -> None:
        inner = dict(scope)
        if isinstance(parts[0].value, Symbol):  # a named let
            inner |= self.bind(parts[:1])
            parts = parts[1:]
            if not parts:
                return
        clauses = [_items(clause) for clause in _items(parts[0])]
        if kind in ("letrec", "letrec*"):
            inner |= self.bind([clause[0] for clause in clauses if clause])
        steps: list[Syntax] = []
        outer: Scope = inner if kind.startswith("letrec") else scope
        for clause in clauses:
            for init in clause[1:2]:
                self.expression(init, outer)
            steps += clause[2:]
            inner |= self.bind(clause[:1])
            if kind == "let*":
                outer = dict(inner)
        for step in steps:
            self.expression(step, inner)
        if kind == "do" and len(parts) > 1:
            for part in _items(parts[1]):
                self.expression(part, inner)
            self.body(parts[2:], inner)
            return
        self.body(parts[1:], {**inner, "": _NOWHERE})

    def let_values(self, in_order: bool, parts: Sequence[Syntax], scope: Scope) -> None:
        inner = dict(scope)
        for clause in map(_items, _items(parts[0])):
            for init in clause[1:]:
                self.expression(init, inner if in_order else scope)
            inner |= self.bind(_formals(clause[0])) if clause else {}
        self.body(parts[1:], {**inner, "": _NOWHERE})


_NOWHERE: Final = Span(Source("", ""), 0, 0)
"""Marks a scope as one within a procedure: under the name that no variable has."""


def _items(syntax: Syntax) -> Sequence[Syntax]:
    return syntax.value.items if isinstance(syntax.value, SyntaxList) else ()


def _tail(formals: SyntaxList) -> Iterator[Syntax]:
    if formals.tail is not None:
        yield formals.tail


def _formals(syntax: Syntax) -> Sequence[Syntax]:
    value = syntax.value
    return [*value.items, *_tail(value)] if isinstance(value, SyntaxList) else [syntax]


def _defined(form: Syntax) -> Syntax | None:
    """The name that a definition defines."""
    items = _items(form)
    if len(items) < 2 or not isinstance(items[0].value, Symbol) or items[0].value.name != "define":
        return None
    target = items[1]
    while isinstance(target.value, SyntaxList) and target.value.items:
        target = target.value.items[0]
    return target if isinstance(target.value, Symbol) else None
