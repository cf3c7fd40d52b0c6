"""The interpreter: runs IL programs.

Each top-level item is translated to Python once, when it is first needed (`lang.translate`),
and run as a sequence of steps (`lang.runtime`), so that neither deep recursion nor long loops
use Python's stack.  An exception of a primitive finds its place by the line of Python text it
came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import count
from types import CodeType, TracebackType
from typing import Any, Final, TextIO

from cogen.lang import il
from cogen.lang.called import failure_of, name_of, of_globals, passed
from cogen.lang.chain import LANGUAGE, Call, Calls, in_library, library_of
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError, InternalError, LimitationError, Span
from cogen.lang.governor import (
    RUNNING,
    Budget,
    Exceeded,
    InterruptedRun,
    arrived,
    governed,
    reached,
)
from cogen.lang.machine import Machine
from cogen.lang.prims import PrimitiveError, RaisedError, wrong_count
from cogen.lang.primtable.control import undefined_global
from cogen.lang.pyunits import PythonUnit, Site
from cogen.lang.runtime import (
    ClosureProcedure,
    Finished,
    Frame,
    HandlerReturned,
    LibraryClosure,
    Runtime,
    Step,
    buffer_of,
    describe,
    finish,
    passing,
)
from cogen.lang.translate import ItemTranslator
from cogen.lang.values import Condition, Procedure

MOST_FRAMES: Final = 100_000
"""So many frames are looked at for a diagnostic, from both ends; those of calls in a row of one
place are one."""

_units = count(1)


class Interpreter:
    """Runs a program with memory of `word_size` bits a word; output goes to `output`, a text
    stream, or else to `sys.stdout`.

    `max_steps` bounds the number of calls, returns and jumps of each `run` or `call`; a
    program that exceeds it ends with a `LimitationError`; `budget` bounds its time and memory.
    """

    def __init__(
        self,
        program: il.Program,
        word_size: int = 32,
        output: TextIO | None = None,
        max_steps: int | None = None,
        budget: Budget = RUNNING,
    ) -> None:
        self.program = program
        self.budget = budget
        self.machine = Machine(word_size, output)
        self.max_steps = max_steps
        self.runtime = Runtime(self.machine)
        self.known = {
            item.name: item.function for item in program.items if isinstance(item, il.Define)
        }
        self.translator = ItemTranslator(self.runtime, self.known, loops=max_steps is None)
        self.sites: dict[str, dict[int, Site]] = {}
        """By the file name of a unit's Python code: what its lines do."""
        self.called: tuple[il.Function | None, Sequence[Datum]] = None, ()
        """The procedure that a call from outside is of, and its arguments."""
        self.returns: dict[Callable[..., Step], il.Call] = {}
        """By the function a value is returned to: the call that gave it."""
        self.evaluator: object = None
        """What `eval` is, once it is needed."""
        self.session: object = None
        """The conversation that it runs for, if it does."""
        self.machine.evaluate = self._evaluate

    def _evaluate(self, operation: str, arguments: Sequence[Datum]) -> Datum:
        """What `eval` is made of; the machinery, which is built on this one, comes when needed."""
        evaluation = import_module("cogen.lang.evaluation")
        return evaluation.evaluate(self, operation, arguments)

    def run(self) -> None:
        """Evaluate the program's items in order.

        Raises `CogenError` for an error that no handler of the program takes.
        """
        self._execute(self._item, (0,), None)

    def call(self, name: str, arguments: Sequence[Datum]) -> Datum:
        """The value of the global procedure `name` for the arguments; `run` comes first.

        Raises `CogenError`, also if there is no such procedure or it takes another number of
        arguments.
        """
        procedure = self.machine.globals.get(name)
        if procedure is None:
            raise CogenError(f"there is no procedure {name}")
        if not isinstance(procedure, Procedure):
            raise CogenError(f"{name} is not a procedure")
        known = self.known.get(name)
        if known is not None:
            least = len(known.parameters)
            most = least if known.rest is None else None
            if len(arguments) < least or (most is not None and len(arguments) > most):
                failure = wrong_count(name, (least, most), len(arguments))
                raise CogenError(failure.text(), known.span)
        start = (procedure, tuple(arguments), (finish, None))
        self.called = known, arguments
        try:
            return self._execute(self.runtime.apply, start, None if known is None else known.span)
        finally:
            self.called = None, ()

    # Items

    def _item(self, index: int) -> Step:
        """The step that goes on with the item of that index."""
        items = self.program.items
        while index < len(items):
            item = items[index]
            if isinstance(item, il.Define):
                self.machine.globals[item.name] = self._closure(item.name, item.function)
            else:
                unit = self.translator.block(item.cont, item.body, item.span)
                return self._load(unit), ((self._item_done, None, index),)
            index += 1
        raise Finished(None)

    def _item_done(self, value: Datum, frame: Frame) -> Step:
        """Resumes the frame of an item: what comes next is the rest of the program."""
        index = frame[2]
        item = self.program.items[index]
        if isinstance(item, il.Value):
            self.machine.globals[item.name] = value
        return self._item, (index + 1,)

    def _closure(self, name: str, function: il.Function) -> ClosureProcedure:
        """A global procedure; it is translated when it is first called."""

        def code(closure: ClosureProcedure, *rest: Any) -> Step:
            closure.code = self._load(self.translator.function(function))
            return closure.code, (closure, *rest)

        count = len(function.parameters)
        if function.rest is not None:
            count = -1 - count
        kind = LibraryClosure if in_library(function.span) else ClosureProcedure
        return kind(function.label or name, code, count)

    def _load(self, unit: PythonUnit) -> Callable[..., Step]:
        """The Python function that starts a unit."""
        code = _kept_code(unit.text)
        if code.co_filename in self.sites:  # of another procedure that is written alike
            code = _compiled(unit.text)
        exec(code, unit.namespace)
        self.sites[code.co_filename] = unit.sites
        for name, call in unit.calls.items():
            self.returns[unit.namespace[name]] = call
        entry: Callable[..., Step] = unit.namespace[unit.entry]
        return entry

    # Running

    def _execute(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], span: Span | None
    ) -> Datum:
        """Take steps until the program ends; `span` is the place of errors outside its code."""
        return governed("the run", self.budget, self._steps, function, arguments, span)

    def _steps(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], span: Span | None
    ) -> Datum:
        self.runtime.handlers = None
        left = self.max_steps
        try:
            while True:
                try:
                    if left is None:
                        while True:
                            function, arguments = function(*arguments)
                    while left > 0:
                        left -= 1
                        function, arguments = function(*arguments)
                    raise LimitationError(f"the program takes more than {self.max_steps} steps")
                except Finished as finished:
                    return finished.value
                except PrimitiveError as error:
                    function, arguments = self._fail(error, error.__traceback__, span)
                except KeyError as error:
                    failure = self._undefined(error)
                    function, arguments = self._fail(failure, error.__traceback__, span)
                except MemoryError as error:
                    place, frame = self._place(error.__traceback__, span)
                    calls = self._calls(place, frame)
                    message = "there is not enough memory"
                    raise LimitationError(message, place, calls=calls) from None
                except Exceeded as error:
                    arrived()
                    stopped = self._stopped(reached(), error.__traceback__, arguments, span)
                    break
                except KeyboardInterrupt as error:
                    told = CogenError("interrupted")
                    raise InterruptedRun(
                        self._stopped(told, error.__traceback__, arguments, span)
                    ) from None
            function, arguments = finish, ()  # what they keep alive may be very much
            raise stopped
        finally:
            self.machine.port.flush()

    def _undefined(self, error: KeyError) -> PrimitiveError:
        """What a failed look-up of a global means; any other `KeyError` is a bug of ours."""
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_next is not None:
            traceback = traceback.tb_next
        if traceback is None or traceback.tb_frame.f_code.co_filename not in self.sites:
            raise InternalError(f"unexpected {error!r}") from error
        return undefined_global(str(error.args[0]))

    def _fail(
        self, error: PrimitiveError, traceback: TracebackType | None, default: Span | None
    ) -> Step:
        """The step that handles an error; raises `CogenError` where there is no handler."""
        span, frame = self._place(traceback, default)
        if span is not None:
            error.told_of(span.operation)
        while True:
            if isinstance(error, HandlerReturned):
                span, frame = error.span, error.frame
            if self.runtime.handlers is None:
                raise self._uncaught(error, span, frame, default) from None
            try:
                return self.runtime.signal(error, self._with_caller(span, frame), frame)
            except PrimitiveError as next_error:
                error = next_error

    def _uncaught(
        self, error: PrimitiveError, span: Span | None, frame: Frame, default: Span | None
    ) -> CogenError:
        if isinstance(error, RaisedError) and isinstance(error.payload, Condition):
            condition = error.payload
            if condition.span is not None and condition.frame is not None:
                span, frame = condition.span, condition.frame
        buffer = self._name_of(buffer_of(error))
        return failure_of(describe(error), buffer, span, self._calls(span, frame), default)

    def _name_of(self, buffer: Datum) -> str | None:
        """What the program, or who calls its procedure, calls a buffer."""
        globals_ = of_globals(self.program, self.machine.globals)
        copies = self.machine.copies.values()
        return name_of(buffer, passed(*self.called), self.program.named, copies, globals_)

    def _place(
        self, traceback: TracebackType | None, default: Span | None
    ) -> tuple[Span | None, Frame]:
        """Where an exception came from: the source's place, and the frame returned to there."""
        while traceback is not None:
            python = traceback.tb_frame
            sites = self.sites.get(python.f_code.co_filename)
            if sites is not None:
                held = python.f_locals
                frame: Frame = held["K"] if "K" in held else held["F"][1]  # at its very beginning
                site = sites.get(traceback.tb_lineno)
                if site is None or site.span is None:
                    return next(self._calls(None, frame), (default, 1))[0], frame
                return site.span, frame
            traceback = traceback.tb_next
        return default, (finish, None)

    def _stopped(
        self,
        failure: CogenError,
        traceback: TracebackType | None,
        arguments: tuple[Any, ...],
        default: Span | None,
    ) -> CogenError:
        """The diagnostic, which says where it was, of a program that was stopped: within a step, or
        between two, of which the next has these arguments."""
        span, frame = self._place(traceback, None)
        if span is None:
            frames = (a for a in arguments[:3] if type(a) is tuple and len(a) > 1)
            frame = next(frames, (finish, None))
        calls = self._calls(span, frame)
        failure.reached(span or next(calls, (default, 1))[0] or default, calls)
        return failure

    def _with_caller(self, span: Span | None, frame: Frame) -> Span | None:
        """A place; for one in a library, with the innermost call outside of libraries."""
        if span is None or not in_library(span):
            return span
        calls = span.calls or ()
        for site, _ in (*calls, *self._calls(span, frame)):
            if site is not None and not in_library(site):
                return span.reached((*calls, (site, 1)))
        return span

    def _calls(self, span: Span | None, frame: Frame | None) -> Iterator[Call]:
        """The calls that have not returned, the innermost first; what has failed at `span` was
        to return to the frame.  Several calls that a form was expanded to are one."""
        told: Calls = () if span is None else ((span, 1), *(span.calls or ()))
        last: object = span
        inside = False
        """Whether calls of the language's own text came since the last one."""
        looked = 0
        while frame is not None:
            looked += 1
            if looked == MOST_FRAMES:
                frame, left_out = self._skipped(frame)
                if left_out:
                    yield None, left_out
            call: il.Call | None = None
            site: Span | None = None
            resumed = frame[0]
            if resumed is passing:
                site = frame[2]
            elif resumed in self.returns:
                call = self.returns[resumed]
                site = call.span
            elif resumed == self._item_done:
                site = self._item_site(frame[2], told[-1][0] if told else None)
            frame = frame[1]
            if site is None:
                continue
            if site.source.library == LANGUAGE:
                inside = True
                continue
            sites: Calls = ((site, 1), *(site.calls or ()))
            if told[-len(sites) :] != sites or (call is last and (inside or call is not None)):
                yield from sites
                told, last, inside = sites, call, False
                if call is not None:
                    again = 0
                    while frame is not None and frame[0] is resumed:
                        again += 1
                        frame = frame[1]
                    if len(sites) == 1 and again:
                        yield site, again
                    else:
                        yield from (place for _ in range(again) for place in sites)
            elif last is None:
                last = call

    def _skipped(self, frame: Frame) -> tuple[Frame, int]:
        """The frame that is as far from the outermost as frames are looked at, at most; the calls
        of those before it."""
        depth, outer = 0, frame
        while outer is not None:
            depth, outer = depth + 1, outer[1]
        calls = 0
        for _ in range(depth - MOST_FRAMES):
            call = self.returns.get(frame[0])
            if call is not None and library_of(call.span) != LANGUAGE:
                calls += call.span is not None
            frame = frame[1]
        return frame, calls

    def _item_site(self, index: int, inner: Span | None) -> Span | None:
        """The place of an item, unless it is the form that the inner place stands in."""
        item = self.program.items[index]
        site = None if isinstance(item, il.Define) else item.span
        if site is not None and inner is not None and site.encloses(inner):
            return None
        return site


def _compiled(text: str) -> CodeType:
    """The code of a unit, whose file name no other code has."""
    return compile(text, f"<unit {next(_units)}>", "exec")


@lru_cache(maxsize=1024)
def _kept_code(text: str) -> CodeType:
    """The code of units of a text: of the prelude's, and of programs that are run again."""
    return _compiled(text)
