"""What programs as trees of words are recovered by: questions to core, places, names."""

from __future__ import annotations

from collections.abc import Container

from cogen.backends.direct.logic import (
    is_boolean,
    is_false,
    is_nothing,
    is_true,
)
from cogen.lang import core
from cogen.lang.datum import NIL, UNSPECIFIED
from cogen.lang.errors import Span
from cogen.lang.marks import NOWHERE, Places
from cogen.lang.pretty import TextComment, TextForm, Tree


def operands(
    name: str, arguments: tuple[core.Expr, ...], folded: list[core.Expr]
) -> tuple[core.Expr, ...]:
    """(op (op a b) c) -> (op a b c), which the reader folds in the same way; the inner calls are
    added to `folded`."""
    last: list[core.Expr] = []
    while len(arguments) == 2:
        first, other = arguments
        if type(first) is not core.CallForm or len(first.arguments) != 2:
            break
        if type(first.function) is not core.PrimRef or first.function.name != name:
            break
        last.append(other)
        folded.append(first)
        arguments = first.arguments
    return (*arguments, *reversed(last)) if last else arguments


def negated(tree: Tree) -> Tree:
    return TextForm(["not", tree])


def is_plain(expr: core.Expr) -> bool:
    """Is it a conditional that is written as one (not as `and`, `or`, `when`, `unless`)?"""
    if type(expr) is not core.IfForm:
        return False
    then, otherwise = expr.then, expr.otherwise
    if says_nothing(then) or says_nothing(otherwise) or is_false(otherwise):
        return False
    if is_false(then):
        return not is_boolean(otherwise)
    if is_true(then):
        return not is_boolean(expr.test) or is_plain(otherwise)
    return True


def says_nothing(expr: core.Expr) -> bool:
    """Is it what a conditional without a second arm gives?"""
    return is_nothing(expr) or (type(expr) is core.ConstForm and expr.value is UNSPECIFIED)


def list_items(arguments: tuple[core.Expr, ...], cells: list[core.Expr]) -> list[core.Expr] | None:
    """The items of (cons a (cons b ... '())), given the arguments, if the call is such a chain; the
    inner calls are added to `cells`."""
    items: list[core.Expr] = []
    while True:
        if len(arguments) != 2:
            return None
        first, rest = arguments
        items.append(first)
        if type(rest) is core.ConstForm and rest.value is NIL:
            return items
        if type(rest) is not core.CallForm or type(rest.function) is not core.PrimRef:
            return None
        if rest.function.name != "cons":
            return None
        cells.append(rest)
        arguments = rest.arguments


def at(*expressions: core.Expr) -> Places:
    """The places of the expressions that have one, each once; operations always have."""
    spans = [expr.span for expr in expressions if expr.span is not NOWHERE or is_operation(expr)]
    return tuple(dict.fromkeys(spans)) if len(spans) > 1 else tuple(spans)


def is_operation(expr: core.Expr) -> bool:
    """Is it a call of a primitive?"""
    return type(expr) is core.CallForm and type(expr.function) is core.PrimRef


def origin(span: Span) -> list[Tree]:
    """The comment that says where code came from, if that is known."""
    if span is NOWHERE or (name := span.source.file_name) == "<il>":
        return []
    return [TextComment(f"from {name}:{span.line}")]


def fresh(base: str, taken: Container[str]) -> str:
    """`base`, or `base-N` with the least N from 2 that is not taken."""
    if base not in taken:
        return base
    number = 2
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"


class RecordNames:
    """What the procedures of a record type are called."""

    def __init__(self, name: str, constructor: str, predicate: str) -> None:
        self.name = name
        self.constructor = constructor
        self.predicate = predicate
        self.accessors: dict[int, str] = {}
        self.modifiers: dict[int, str] = {}

    def all(self) -> set[str]:
        """All these names."""
        procedures = {*self.accessors.values(), *self.modifiers.values()}
        return {self.name, self.constructor, self.predicate} | procedures
