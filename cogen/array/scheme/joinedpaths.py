"""Code that several ways lead to before they all meet -> a function of its own.

    (if a (if b (f x) (g x)) (g y))          g's code follows one arm and half of the other

Expressions have the form of a tree, so such code would be there once for each way, and what comes
twice in code that comes twice four times.  The first way has it in its place; if it was long, the
others call a function that has what the code needs for parameters, and gives what it gives to the
place where all meet.
"""

from __future__ import annotations

from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.storage import unpacked
from cogen.array.l0.types import TupleType, Type, plain
from cogen.array.scheme.symbolicvalues import (
    SymbolicConstant,
    SymbolicName,
    SymbolicNumber,
    SymbolicParts,
    SymbolicProcedure,
    Value,
)
from cogen.array.scheme.tidycode import tidy
from cogen.array.scheme.translation import SharedCode, Translation
from cogen.lang import il

SHORT: Final = 12
"""Code of so many blocks is not worth a function."""


def share(body: Translation, cont: il.Cont, values: list[Value], end: str) -> list[Value] | None:
    """What long code that was gone through already gives its end, by calling it; None for other
    code, and for code that gives what is no data."""
    if body.extents.get((cont.name, end), 0) <= SHORT:
        return None
    body.env.update(zip(cont.parameters, values, strict=True))
    known, names = _needed(body, cont, end)
    span = body.span(cont.span)
    found = [body.code.expression(body.env[x], span) for x in names]
    types = tuple([t for _, t in found])
    key = cont.name, end, tuple([(x, _identity(body.env[x])) for x in known]), types
    shared = body.shared.get(key)
    if shared is None:
        shared = body.shared[key] = SharedCode()
        _define(shared, body, cont, end, {x: body.env[x] for x in known}, names, types)
    if shared.definition is None:
        return None
    function = tree.Name(span, shared.definition.name.text)
    call = tree.CallExpression(span, function, tuple([e for e, _ in found]))
    value = body.code.let("chosen", call, shared.result)
    return (
        [value] if shared.count == 1 or not isinstance(value, SymbolicParts) else list(value.parts)
    )


def _needed(body: Translation, cont: il.Cont, end: str) -> tuple[list[str], list[str]]:
    """The variables that the code needs: those that are no data, and the others."""
    scopes = body.regions.scopes
    live = scopes.live(cont.name, end) | {*cont.parameters, *body.taken_along.get(end, ())}
    known: list[str] = []
    names: list[str] = []
    seen: set[str] = set()
    work = sorted(live, reverse=True)
    while work:
        x = work.pop()
        if x in seen or x not in body.env:
            continue
        seen.add(x)
        value = body.env[x]
        (names if is_data(value) else known).append(x)
        if isinstance(value, SymbolicProcedure):
            work += sorted(scopes.of_function(value.function), reverse=True)
    return known, names


def is_data(value: Value) -> bool:
    """Whether a function can be given a value, and give it."""
    if isinstance(value, SymbolicParts):
        return all(map(is_data, value.parts))
    return isinstance(value, SymbolicName | SymbolicNumber)


def _identity(value: Value) -> object:
    """What tells values apart that are no data."""
    match value:
        case SymbolicProcedure(function):
            return function
        case SymbolicConstant(datum):
            return id(datum)
    return value


def _define(
    shared: SharedCode,
    body: Translation,
    cont: il.Cont,
    end: str,
    known: dict[str, Value],
    names: list[str],
    types: tuple[Type, ...],
) -> None:
    """Translate the code as a function, if it gives data."""
    span = body.span(cont.span)
    work = body.apart(end)
    work.env.update(known)
    parameters = work.parameters(names, types, span)
    values = work.enter(cont, [work.env[x] for x in cont.parameters], end)
    if not all(map(is_data, values)):
        return
    found = [work.code.expression(value, span) for value in values]
    shared.count = len(found)
    if len(found) == 1:
        e, result = found[0]
    else:
        e = tree.Tuple(span, tuple([e for e, _ in found]))
        result = TupleType(tuple([t for _, t in found]))
    shared.result = result
    name = tree.Name(span, body.program.names.fresh(cont.label or "rest"))
    e = tidy(work.closed(e))
    shared.definition = tree.FunctionDefinition(span, name, plain(unpacked(result)), parameters, e)
