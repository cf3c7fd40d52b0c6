"""The functions of combinators: procedures applied to elements -> functions of L0."""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.l0 import tree
from cogen.array.l0.signatures import BINARY_TYPES
from cogen.array.l0.types import Type, plain
from cogen.array.scheme.assigning import is_known
from cogen.array.scheme.symbolicvalues import (
    KnownSymbol,
    SymbolicProcedure,
    Value,
)
from cogen.array.scheme.translation import Translation, outside_prelude
from cogen.array.scheme.typetext import show
from cogen.array.scheme.unions import meeting
from cogen.lang import il
from cogen.lang.errors import CogenError, LimitationError, Span


def function_operand(
    body: Translation, value: Value, types: Sequence[Type], span: Span, expected: Type | None = None
) -> tuple[tree.Function, Type]:
    """A procedure as the function of a combinator, applied to arguments of such types; and
    the type of its result: that which is expected, if it can be one of several types."""
    if isinstance(value, KnownSymbol) and value.primitive:
        section = _section(value.name, types, span)
        if section is not None:
            return section
    if _is_function(body, value):
        assert isinstance(value, KnownSymbol)
        _check_function(body.procedure_of(value.name, span), len(types), span)
        version = body.program.version(value.name, tuple(types), span)
        assert version.result is not None
        if expected in (None, version.result) or meeting(version.result, expected) != expected:
            return tree.Named(span, tree.Name(span, version.name), ()), version.result
    if not isinstance(value, SymbolicProcedure | KnownSymbol):
        t = body.code.type(value, span)
        raise CogenError(f"expected a procedure, got a value of type {show(t)}", span)
    place, names = span, [f"x{i}" for i in range(len(types))]
    if isinstance(value, SymbolicProcedure):
        place = outside_prelude(value.function.span, span)
        names = list(value.function.parameters)
        _check_function(value.function, len(types), span)
    outer = body.inner()
    try:
        parameters = body.parameters(names, types, place)
        _fix(body, [body.env[name] for name in names])
        result = body.call(value, [body.env[name] for name in names], place)
        e, t = body.code.expression(result, place, expected)
        e = body.code.close(e)
    finally:
        body.code = outer
    body.escaping.append(result)
    return tree.LambdaExpression(place, plain(t), parameters, e), t


def _is_function(body: Translation, value: Value) -> bool:
    """Whether a procedure is to be a function of L0: one that changes nothing."""
    if not isinstance(value, KnownSymbol) or value.primitive or is_known(value.name):
        return False
    return value.name not in body.program.changing


def _fix(body: Translation, parameters: list[Value]) -> None:
    """What a function of a combinator is given is not its own."""
    if body.objects.active and body.applying is not None:
        for parameter in parameters:
            for one in body.objects.objects(parameter):
                body.objects.fixed[one] = body.applying


def _check_function(function: il.Function, count: int, span: Span) -> None:
    """CogenError for the function of a combinator that does not take so many arguments."""
    place = outside_prelude(function.span, span)
    if function.rest is not None:
        raise LimitationError("an array program has no rest arguments", place)
    if (wanted := len(function.parameters)) != count:
        plural = "" if wanted == 1 else "s"
        raise CogenError(
            f"the function takes {wanted} argument{plural}, but is applied to {count}", place
        )


def _section(name: str, types: Sequence[Type], span: Span) -> tuple[tree.Function, Type] | None:
    """An operator as a function, where L0 has it for operands of these types."""
    table = BINARY_TYPES.get(name)
    if table is None or name == "/" or len(types) != 2 or types[0] != types[1]:
        return None
    result = table.get(types[0])
    return None if result is None else (tree.Section(span, name, ()), result)
