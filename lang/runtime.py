"""The interpreter's run time: procedures, stack frames, calls, control primitives, exceptions.

A running program is a sequence of steps.  A step is a Python function and its arguments; it
does some work and returns the next step:

    step   ::= (function, arguments)
    frame  ::= (resume, frame, ...)         what a value is returned to
    resume(value, frame) -> step

Frames are immutable, linked tuples, so a continuation is captured by keeping its frame, and
entered as often as one likes.  A procedure's code takes the procedure, the frame to return to
and the arguments.  The handlers of exceptions are a linked list in the `Runtime`; frames and
continuations that must put it back remember it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from cogen.lang.datum import NIL, Datum, Pair, from_iterable
from cogen.lang.errors import Span
from cogen.lang.machine import Machine
from cogen.lang.prims import (
    CONTROL,
    PRIMITIVES,
    PrimitiveError,
    RaisedError,
    apply_primitive,
    wrong_count,
)
from cogen.lang.primtable.checks import brief, expected
from cogen.lang.primtable.data import finite
from cogen.lang.values import Condition, Procedure

Frame = tuple[Any, ...]
Step = tuple[Callable[..., Any], tuple[Any, ...]]


class ClosureProcedure(Procedure):
    """A procedure of the program.

    `count` is the number of its parameters, or -1 - n if it takes n arguments and a rest list;
    `free` the values of its free variables, in the order its code expects.
    """

    __slots__ = ("code", "count", "free")

    def __init__(
        self, name: str, code: Callable[..., Step], count: int, free: tuple[Datum, ...] = ()
    ) -> None:
        super().__init__(name)
        self.code = code
        self.count = count
        self.free = free


class LibraryClosure(ClosureProcedure):
    """A procedure of the prelude, or of a library of the product; its errors are told at the call
    that led there."""

    __slots__ = ()


class Continuation(Procedure):
    """What call/cc gives: a frame, and the handlers that were installed."""

    __slots__ = ("frame", "handlers")

    def __init__(self, frame: Frame, handlers: Handlers) -> None:
        super().__init__("continuation")
        self.frame = frame
        self.handlers = handlers


class PrimitiveProcedure(Procedure):
    """A primitive as a value."""

    __slots__ = ()


Handlers = tuple[Datum, Any] | None
"""The innermost handler and those outside it."""

_primitives: dict[str, PrimitiveProcedure] = {}


def primitive_procedure(name: str) -> PrimitiveProcedure:
    """The procedure that a primitive is when it is used as a value; always the same object."""
    return _primitives.setdefault(name, PrimitiveProcedure(name))


class Finished(Exception):
    """Ends a run with a value."""

    def __init__(self, value: Datum) -> None:
        super().__init__()
        self.value = value


class HandlerReturned(PrimitiveError):
    """A handler returned from an exception that cannot be continued; `span` is where it was, and
    `frame` what was returned to there."""

    def __init__(self, message: str, span: Span | None, frame: Frame) -> None:
        super().__init__(
            "user", f"the handler returned, but the exception cannot be continued: {message}"
        )
        self.span = span
        self.frame = frame


def finish(value: Datum, frame: Frame) -> NoReturn:
    """Resumes the outermost frame."""
    raise Finished(value)


def passing(value: Datum, frame: Frame) -> Step:
    """Resumes a frame that only remembers a place: see `remember_call`."""
    outer = frame[1]
    return outer[0], (value, outer)


def remember_call(frame: Frame, span: Span | None) -> Frame:
    """A frame that returns to `frame` and remembers the place of a tail call.

    It replaces the frame of an earlier tail call, so that tail calls need no space.
    """
    if frame[0] is passing:
        frame = frame[1]
    return passing, frame, span


def frame_of_tail_call(procedure: Datum, frame: Frame, span: Span | None) -> Frame:
    """The frame that a tail call of the procedure, from outside of libraries, returns to."""
    return remember_call(frame, span) if type(procedure) is LibraryClosure else frame


def describe(error: PrimitiveError) -> str:
    """What the diagnostic of an error that no handler took says."""
    if isinstance(error, RaisedError) and isinstance(error.payload, Condition):
        condition = error.payload
        return PrimitiveError(condition.kind, condition.message, condition.irritants).text()
    return error.text()


def buffer_of(error: PrimitiveError) -> Datum:
    """The buffer that an error is about, if it is about one."""
    if isinstance(error, RaisedError) and isinstance(error.payload, Condition):
        return error.payload.buffer
    return error.buffer


class Runtime:
    """The state of a running program and the steps that are no code of it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.handlers: Handlers = None
        self.control: dict[str, Callable[..., Step]] = {
            "call/cc": self.call_cc,
            "call-with-current-continuation": self.call_cc,
            "apply": self.apply_list,
            "dcall": self.call,
            "rcall": self.call,
            "with-exception-handler": self.with_handler,
            "raise-continuable": self.raise_continuable,
        }

    # Calls

    def apply(self, procedure: Datum, arguments: tuple[Datum, ...], frame: Frame) -> Step:
        """The step that calls any procedure with any number of arguments."""
        kind = type(procedure)
        count = len(arguments)
        if kind is ClosureProcedure or kind is LibraryClosure:
            wanted = procedure.count
            if wanted == count:
                return procedure.code, (procedure, frame, *arguments)
            least = -1 - wanted
            if 0 <= least <= count:
                rest = from_iterable(arguments[least:])
                return procedure.code, (procedure, frame, *arguments[:least], rest)
            arity = (wanted, wanted) if wanted >= 0 else (least, None)
            raise wrong_count(procedure.name or "procedure", arity, count)
        if kind is PrimitiveProcedure:
            return self.apply_primitive(procedure.name, arguments, frame)
        if kind is Continuation:
            self.handlers = procedure.handlers
            target = procedure.frame
            value = PRIMITIVES["values"].python(*arguments)
            return target[0], (value, target)
        raise PrimitiveError("type", f"expected a procedure to call, got {brief(procedure)}")

    def apply_primitive(self, name: str, arguments: tuple[Datum, ...], frame: Frame) -> Step:
        """The step that calls a primitive."""
        row = CONTROL.get(name)
        if row is None:
            value = apply_primitive(PRIMITIVES[name], self.machine, arguments)
            return frame[0], (value, frame)
        least, most = row.arity
        count = len(arguments)
        if count < least or (most is not None and count > most):
            raise wrong_count(name, row.arity, count)
        return self.control[name](frame, *arguments)

    # Control primitives: the frame, then the arguments

    def call_cc(self, frame: Frame, procedure: Datum) -> Step:
        return self.apply(procedure, (Continuation(frame, self.handlers),), frame)

    def apply_list(self, frame: Frame, procedure: Datum, *arguments: Datum) -> Step:
        *first, rest = arguments
        tail = finite("apply", rest)
        while type(tail) is Pair:
            first.append(tail.car)
            tail = tail.cdr
        if tail is not NIL:
            raise expected("apply", "a list as the last argument", rest)
        return self.apply(procedure, tuple(first), frame)

    def call(self, frame: Frame, procedure: Datum, *arguments: Datum) -> Step:
        return self.apply(procedure, arguments, frame)

    def with_handler(self, frame: Frame, handler: Datum, thunk: Datum) -> Step:
        if not isinstance(handler, Procedure):
            raise expected("with-exception-handler", "a procedure", handler)
        outer = self.handlers
        step = self.apply(thunk, (), (self.restore, frame, outer))
        self.handlers = (handler, outer)
        return step

    def raise_continuable(self, frame: Frame, payload: Datum) -> Step:
        if self.handlers is None:
            raise RaisedError(payload)
        handler, outer = self.handlers
        step = self.apply(handler, (payload,), (self.restore, frame, self.handlers))
        self.handlers = outer
        return step

    def restore(self, value: Datum, frame: Frame) -> Step:
        """Resumes a frame that puts the handlers back."""
        _, outer, self.handlers = frame
        return outer[0], (value, outer)

    # Exceptions

    def signal(self, error: PrimitiveError, span: Span | None, frame: Frame) -> Step:
        """The step that calls the innermost handler for an error; there must be one."""
        assert self.handlers is not None
        handler, self.handlers = self.handlers
        payload: Datum
        if isinstance(error, RaisedError):
            payload = error.payload
        else:
            about = error.message, error.irritants
            payload = Condition(error.kind, *about, span, frame, error.buffer)
        returned = (self.handler_returned, frame, error, span)
        return self.apply(handler, (payload,), returned)

    def handler_returned(self, value: Datum, frame: Frame) -> NoReturn:
        raise HandlerReturned(describe(frame[2]), frame[3], frame[1])
