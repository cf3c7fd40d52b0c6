"""Failures that are certain where they are reached: a diagnostic, or a residual error.

A diagnostic if they are certainly reached, and before anything else happens; else the residual
program fails when it comes there.
"""

from __future__ import annotations

from cogen.lang import called as naming
from cogen.lang import il
from cogen.lang.errors import CogenError, Span
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Dynamic, Static, Value
from cogen.specializer.versions.families import shown


def fail(
    path: Path, op: str, values: tuple[Value, ...], failure: PrimitiveError, span: Span | None
) -> None:
    """An operation that certainly fails when it is reached: a diagnostic if it is certainly
    reached before anything else happens, else the same operation in the residual program."""
    if path.certain and path.quiet:
        failure.told_of(op)
        message = naming.told_with(failure.text(), _called(path, failure))
        raise CogenError(message, span) from None
    _stop(path, path.emit(op, values, OperationSite(span)))


def _called(path: Path, failure: PrimitiveError) -> str | None:
    """What the caller of the entry calls the buffer that a failure is about."""
    return naming.name_of(failure.buffer, path.context.named_buffers())


def fail_call(path: Path, failure: PrimitiveError, span: Span | None) -> None:
    """A call that certainly fails."""
    if path.certain and path.quiet:
        raise CogenError(failure.text(), span) from None
    _stop(path, path.emit("error", (Static(failure.text()),), OperationSite(span)))


def end_with_error(path: Path, op: str, values: tuple[Value, ...], span: Span | None) -> None:
    """An operation that never returns."""
    values = tuple(map(shown, values))
    if path.certain and path.quiet and all(type(value) is Static for value in values):
        row = PRIMITIVES[op]
        try:
            row.python(*[value.datum for value in values])  # type: ignore[union-attr]
        except PrimitiveError as failure:
            raise CogenError(failure.text(), span) from None
    _stop(path, path.emit(op, values, OperationSite(span)))


def end_failing(path: Path, op: str, values: tuple[Value, ...], span: Span | None) -> None:
    """An operation that fails wherever a run gets to it."""
    _stop(path, path.emit(op, values, OperationSite(span)))


def end_with_message(path: Path, message: str, span: Span | None) -> str:
    """An error wherever a run gets to it; the variable of the operation."""
    found = path.emit("error", (Static(message),), OperationSite(span))
    _stop(path, found)
    return found.name


def _stop(path: Path, result: Dynamic) -> None:
    """End a path whose last operation does not return."""
    cont = path.block.procedure.raw.cont
    path.segment.tail = il.Jump(cont, (il.Var(result.name),))
