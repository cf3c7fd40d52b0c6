"""Runs IL programs as Python code; `PythonProgram` has the interface of `Interpreter`.

First-order programs with structured control become Python functions (`pytext`).
Their recursion is Python's: since its functions keep their frames on the heap, the recursion
limit alone bounds its depth, and it is raised while a recursive program runs.  All other
programs are left to `lang.interp`, which makes steps of Python code of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count, islice
from types import CodeType, FunctionType, TracebackType
from typing import Any, Final, TextIO

from cogen.backends.direct.direct import DirectTranslator
from cogen.backends.direct.tidy import tidy
from cogen.backends.python.pyshared import NotPlainPython, PythonText
from cogen.backends.python.pytext import write
from cogen.lang import core, il
from cogen.lang.called import failure_of, name_of, passed
from cogen.lang.chain import Call, Calls
from cogen.lang.datum import Datum
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.lang.governor import RUNNING, Budget, Exceeded, arrived, governed, reached
from cogen.lang.interp import Interpreter
from cogen.lang.prelude import in_prelude
from cogen.lang.prims import PrimitiveError, wrong_count
from cogen.lang.runtime import describe

MAX_DEPTH: Final = 4_000_000
"""Python's recursion limit while a recursive program runs: an exception on its way out takes some
300 bytes a level."""

_modules = count(1)


def python_text(program: il.Program) -> PythonText | None:
    """The program as Python functions; None if it needs more than these."""
    return on_deep_stack(_python_text, program)


def _python_text(program: il.Program) -> PythonText | None:
    direct = DirectTranslator(program)
    procedures: dict[str, core.LambdaForm] = {}
    for item in program.items:
        if not isinstance(item, il.Define):
            return None
        body = tidy(direct.item(item).value, program.assigned, nest_loops=False)
        if not isinstance(body, core.LambdaForm):
            return None
        procedures[item.name] = body
    try:
        text = write(procedures)
        compile("\n".join(text.lines), "<python code>", "exec")
    except (NotPlainPython, SyntaxError, MemoryError):
        # Python limits how deep blocks and parentheses may be nested.
        return None
    return text


def run(value: Any) -> Datum:
    """The value of a call that may have been put off (a function of no arguments makes it)."""
    while type(value) is FunctionType:
        value = value()
    return value


class PythonProgram:
    """A program as Python code; memory has words of `word_size` bits, output goes to `output`
    or else to `sys.stdout`.  A run takes no more than the budget.

    `text` is the Python text, or None if the program is left to the interpreter.
    """

    def __init__(
        self,
        program: il.Program,
        word_size: int = 32,
        output: TextIO | None = None,
        budget: Budget = RUNNING,
    ) -> None:
        self.interpreter = Interpreter(program, word_size, output, budget=budget)
        self.budget = budget
        self.machine = self.interpreter.machine
        self.functions = {
            item.name: item.function for item in program.items if isinstance(item, il.Define)
        }
        self.text = python_text(program)
        if self.text is None:
            return
        self.filename = f"<python code {next(_modules)}>"
        self.namespace: dict[str, Any] = {"run": run}
        for name, binding in self.text.bindings.items():
            value = binding.value
            self.namespace[name] = partial(value, self.machine) if binding.machine else value
        exec(compile("\n".join(self.text.lines), self.filename, "exec"), self.namespace)

    def run(self) -> None:
        """Evaluate the top level; `CogenError` for an error that no handler takes."""
        if self.text is None:
            self.interpreter.run()

    def call(self, name: str, arguments: Sequence[Datum], circular: bool = False) -> Datum:
        """The value of a global procedure for arguments; `run` comes first.

        Raises `CogenError` as the interpreter does, to which circular data are left: its
        recursions through lists see that these do not end.
        """
        function = self.functions.get(name)
        if circular and self.text is not None:
            self.interpreter.run()  # there are procedures only
        if circular or self.text is None or function is None:
            return self.interpreter.call(name, arguments)
        wanted = len(function.parameters)
        if len(arguments) != wanted:
            failure = wrong_count(name, (wanted, wanted), len(arguments))
            raise CogenError(failure.text(), function.span)
        python = self.namespace[self.text.names[name]]
        return governed("the run", self.budget, self._call, python, function, arguments)

    def _call(
        self, python: Callable[..., Any], function: il.Function, arguments: Sequence[Datum]
    ) -> Datum:
        assert self.text is not None
        try:
            if self.text.recursive:
                return on_deep_stack(_deep, python, arguments)
            return run(python(*arguments))
        except PrimitiveError as error:
            place, calls = self.places(error.__traceback__)
            if all(in_prelude(span) for span in (place, *(span for span, _ in calls))):
                place, calls = function.span, ()  # only the language's own text has been called
            if place is not None:
                error.told_of(place.operation)
            named = self.interpreter.program.named, self.machine.copies.values()
            name = name_of(error.buffer, passed(function, arguments), *named)
            raise failure_of(describe(error), name, place, calls) from None
        except MemoryError as error:
            place, calls = self.places(error.__traceback__)
            message = "there is not enough memory"
            raise LimitationError(message, place, calls=calls) from None
        except RecursionError as error:
            place, calls = self.places(error.__traceback__)
            raise LimitationError(
                f"the recursion is deeper than {MAX_DEPTH:,} calls",
                place,
                hint="does it end? The interpreter is limited by memory alone",
                calls=calls,
            ) from None
        except Exceeded as error:
            arrived()
            place, calls = self.places(error.__traceback__)
            failure = reached()
            failure.reached(place or function.span, calls)
        finally:
            self.machine.port.flush()
        raise failure

    def places(self, traceback: TracebackType | None) -> tuple[Span | None, Calls]:
        """The place in the source of what failed, and the calls around it in the program's text."""
        known: dict[tuple[CodeType, int], Span | None] = {}
        spans: list[Span] = []
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if code.co_filename == self.filename:
                key = code, traceback.tb_lasti
                if key not in known:
                    known[key] = self.span_at(code, traceback.tb_lasti, traceback.tb_lineno)
                span = known[key]
                if span is not None:
                    spans.append(span)
            traceback = traceback.tb_next
        calls: list[Call] = []
        for call in reversed(spans[:-1]):
            calls += ((call, 1), *(call.calls or ()))
        return spans[-1] if spans else None, tuple(calls)

    def span_at(self, code: CodeType, instruction: int, line: int) -> Span | None:
        """The place of the call that an instruction makes; that of the line's first one, if
        Python keeps no columns."""
        spans = {} if self.text is None else self.text.spans
        for _, _, column, _ in islice(code.co_positions(), instruction // 2, instruction // 2 + 1):
            if column is not None and (line, column) in spans:
                return spans[line, column]
        columns = [column for at, column in spans if at == line]
        return spans[line, min(columns)] if columns else None


def _deep(function: Callable[..., Any], arguments: Sequence[Datum]) -> Datum:
    """Make a call with room for very deep recursion."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(MAX_DEPTH)
    try:
        return run(function(*arguments))
    finally:
        sys.setrecursionlimit(usual)
