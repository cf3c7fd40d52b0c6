"""Calls of primitives that are values, and of control primitives."""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.errors import Span
from cogen.lang.ilutil import NEVER_RETURN
from cogen.lang.prims import CONTROL, PRIMITIVES, wrong_count
from cogen.specializer.advice.assigned import key_of
from cogen.specializer.analyses.activations import place_in
from cogen.specializer.execution.engine import Calling, Control
from cogen.specializer.paths.failures import fail_call
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.pairs import PAIR_OPERATIONS
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.data import spread
from cogen.specializer.rules.rule import pair_operation
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.domain import (
    Closure,
    Cyclic,
    Primitive,
    Reified,
    Static,
    Value,
)


def call_primitive(
    calls: Calling, path: Path, function: Primitive, arguments: Arguments
) -> Control | None:
    """Call a primitive that is a value."""
    name, values, k, span = function.name, arguments.values, arguments.continuation, arguments.span
    if name in CONTROL:
        return _control(calls, path, name, arguments)
    least, most = PRIMITIVES[name].source_arity
    if len(values) < least or (most is not None and len(values) > most):
        failure = wrong_count(name, (least, most), len(values))
        fail_call(path, failure, place_in(span, calls.caller))
        return None
    context = calls.context
    observing = name in context.barriers.operations
    if observing and not calls.parts.barriers.settle(path, span, True):
        return None
    row = PRIMITIVES[name]
    least, most = row.arity
    if (row.fold == "left" and len(values) > 2) or (len(values) == 1 and row.fold == "left"):
        result = _fold_left(path, name, values, span)
        context.cyclic = context.cyclic or type(result) is Cyclic
        return calls.engine.apply(path, k, [result], span)
    fits = least <= len(values) and (most is None or len(values) <= most)
    if not fits or name in NEVER_RETURN or name == "set-base":
        return calls.residual_call(path, il.Prim(name), arguments)
    site = OperationSite(span, delay=True)
    if context.pairs.may_be_assigned and name in PAIR_OPERATIONS:
        result = pair_operation(path, key_of(_in_program(arguments)), name, tuple(values), site)
    else:
        result = context.rule(name)(path, tuple(values), site)
    context.cyclic = context.cyclic or type(result) is Cyclic
    return calls.engine.apply(path, k, [result], span)


def _fold_left(path: Path, name: str, values: list[Value], span: Span | None) -> Value:
    row, rule, site = PRIMITIVES[name], path.context.rule(name), OperationSite(span, delay=True)
    if len(values) == 1:
        unit = values[0] if row.unit is None else Static(row.unit)
        return rule(path, (unit, values[0]), site)
    result = values[0]
    for value in values[1:]:
        result = rule(path, (result, value), site)
    return result


def _control(calls: Calling, path: Path, name: str, arguments: Arguments) -> Control | None:
    values, call = arguments.values, _in_program(arguments)
    calls.is_tail = None if calls.is_tail else False
    if name in ("call/cc", "call-with-current-continuation") and len(values) == 1:
        if id(call) not in path.context.residual_sites:
            reified = Reified(arguments.continuation, call, path.block)
            return calls.call(path, values[0], arguments.of([reified]))
        path.escape([arguments.continuation], continuations=False)
    elif name == "apply" and len(values) >= 2:
        items = spread(path, values[-1])
        if items is not None:
            return calls.call(path, values[0], arguments.of([*values[1:-1], *items]))
        path.context.demand.ask(path, values[-1])
    elif name == "dcall" and values:
        calls.memo_call(path, values[0], arguments.of(values[1:]))
        return None
    elif name == "rcall" and values and type(values[0]) is Closure:
        kept = calls.parts.analyses.global_name(values[0].function)
        if kept is not None:
            place = place_in(arguments.span, calls.caller)
            given = Arguments(values[1:], arguments.continuation, place)
            return calls.residual_call(path, il.Global(kept), given)
    return calls.residual_call(path, il.Prim(name), arguments)


def _in_program(arguments: Arguments) -> il.Call:
    """The call that gives them; a primitive is called by the program only."""
    assert arguments.call is not None
    return arguments.call
