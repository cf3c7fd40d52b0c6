"""Loops of the language's own text that go through lists: what they say of what is no list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cogen.backends.direct.logic import bound_variables, inside
from cogen.lang import core
from cogen.lang.chain import LANGUAGE, library_of
from cogen.lang.searches import EXPECTED, TOGETHER, is_of, searcher


def refusal(procedure: core.LambdaForm) -> tuple[core.CallForm, core.Expr] | None:
    """What a loop of the language's own text says when what it goes through is no list, and the
    list, told by what is in scope where the loop starts."""
    found = [
        (error, items)
        for error, items in _refusals(procedure)
        if isinstance(message := error.arguments[0], core.ConstForm)
        and is_of(procedure.span, searcher(message.value))
    ]
    if not found:
        return None
    error, items = found[0]
    lists = {part.variable for _, part in found if isinstance(part, core.LocalRef)}
    if len(lists) > 1 and is_of(procedure.span, *TOGETHER):  # all would have to be circular
        return None
    return error, items


def _refusals(procedure: core.LambdaForm) -> Iterator[tuple[core.CallForm, core.Expr]]:
    """The errors of a loop that goes through lists, with the lists."""
    if library_of(procedure.span) != LANGUAGE:
        return
    bound: dict[core.LocalVariable, core.Expr | None] = {}
    work: list[core.Expr] = [procedure.body]
    while work:
        part = work.pop()
        match part:
            case core.LetForm(bindings):
                bound.update(bindings)
            case core.LetrecForm():
                work.append(part.body)  # the loops that it binds have errors of their own
                continue
            case core.LambdaForm():
                bound.update(dict.fromkeys(bound_variables(part)))
            case core.CallForm(core.PrimRef("error"), (core.ConstForm(str() as message), items)):
                found = _from_outside(items, bound) if message.endswith(EXPECTED) else None
                if found is not None:
                    yield part, found
        work.extend(reversed(inside(part)))


def _from_outside(
    items: core.Expr, bound: Mapping[core.LocalVariable, core.Expr | None]
) -> core.Expr | None:
    """A list by variables that are not `bound`; None if it is more than these and pairs of them."""
    match items:
        case core.ConstForm():
            return items
        case core.LocalRef(variable):
            if variable not in bound:
                return items
            value = bound[variable]
            return None if value is None else _from_outside(value, bound)
        case core.CallForm(core.PrimRef("cons"), arguments):
            found = [_from_outside(argument, bound) for argument in arguments]
            known = tuple(argument for argument in found if argument is not None)
            return replace(items, arguments=known) if len(known) == len(found) else None
    return None
