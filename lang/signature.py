"""Where the parameters of a procedure stand in the source.

The IL has their names only; who refuses an argument reads the definition again.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.datum import Symbol
from cogen.lang.errors import CogenError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.readnext import read_next
from cogen.lang.syntax import Syntax, SyntaxList


def parameter_place(function: il.Function, index: int) -> Span | None:
    """Where a parameter of a procedure stands, counted from 0; the last one may be that for the
    rest, and what comes after it is its.  The place of the procedure if no parameter can be seen
    there, as in the use of a macro; None if the procedure has none."""
    names = (*function.parameters, *(() if function.rest is None else (function.rest,)))
    if function.span is None or not names:
        return function.span
    index = min(index, len(names) - 1)
    listed = _parameters(function.span)
    if index < len(listed) and _name(listed[index]) == base_name(names[index]):
        return listed[index].span
    return function.span


def _parameters(definition: Span) -> list[Syntax]:
    """The parameters of `(define (f x ...) ...)` or `(lambda (x ...) ...)`, that for the rest
    last; none of anything else."""
    try:
        form, _ = read_next(definition.source, definition.start)
    except CogenError:
        return []
    if form is None or not isinstance(form.value, SyntaxList) or len(form.value.items) < 2:
        return []
    head, formals = form.value.items[:2]
    if _name(head) not in ("define", "lambda"):
        return []
    if not isinstance(formals.value, SyntaxList):
        return [formals]
    rest = [] if formals.value.tail is None else [formals.value.tail]
    return [*formals.value.items[_name(head) == "define" :], *rest]


def _name(syntax: Syntax) -> str:
    """The name of an identifier, empty for other syntax."""
    return syntax.value.name if isinstance(syntax.value, Symbol) else ""
