"""Runs IL programs as Python code; `PythonProgram` has the interface of `Interpreter`.

First-order programs with structured control become Python functions (`cogen.target.pytext`).
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

from cogen.target import structured as st
from cogen.target.pytext import PythonText, write
from cogen.target.structure import structure
from lang import il
from lang.components import components
from lang.datum import Datum
from lang.deep import on_deep_stack
from lang.errors import CogenError, LimitationError, Span
from lang.interp import Interpreter
from lang.machine import Machine
from lang.prims import PrimitiveError, wrong_count
from lang.runtime import describe

MAX_DEPTH: Final = 10_000_000
"""Python's recursion limit while a recursive program runs."""

_modules = count(1)


def first_order(program: il.Program) -> list[st.Procedure] | None:
    """The structured procedures of a program; None if it needs more than such procedures."""
    procedures: list[st.Procedure] = []
    for item in program.items:
        if not isinstance(item, il.Define) or item.function.rest is not None:
            return None
        try:
            procedures.append(structure(item.function))
        except LimitationError:
            return None
    takes = {procedure.name: len(procedure.parameters) for procedure in procedures}
    for procedure in procedures:
        for statement in st.walk(procedure.body):
            if isinstance(statement, st.Goto):
                return None
            if (
                isinstance(statement, st.Invoke | st.Finish)
                and takes.get(statement.function) != len(statement.arguments)
            ):  # fmt: skip
                return None
    return procedures


def run(value: Any) -> Datum:
    """The value of a call that may have been put off (a function of no arguments makes it)."""
    while type(value) is FunctionType:
        value = value()
    return value


class PythonProgram:
    """A program as Python code; memory has words of `word_size` bits, output goes to `output`
    or else to `sys.stdout`.

    `text` is the Python text, or None if the program is left to the interpreter.
    """

    def __init__(
        self, program: il.Program, word_size: int = 32, output: TextIO | None = None
    ) -> None:
        self.text: PythonText | None = None
        self.machine = Machine(word_size, output)
        self.interpreter = Interpreter(program, word_size, output)
        self.functions = {
            item.name: item.function for item in program.items if isinstance(item, il.Define)
        }
        procedures = first_order(program)
        if procedures is None:
            return
        self.text = write(procedures)
        self.recursive = _recursive(procedures)
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

    def call(self, name: str, arguments: Sequence[Datum]) -> Datum:
        """The value of a global procedure for arguments; `run` comes first.

        Raises `CogenError` as the interpreter does.
        """
        function = self.functions.get(name)
        if self.text is None or function is None:
            return self.interpreter.call(name, arguments)
        wanted = len(function.parameters)
        if len(arguments) != wanted:
            failure = wrong_count(name, (wanted, wanted), len(arguments))
            raise CogenError(failure.text(), function.span)
        python = self.namespace[self.text.names[name]]
        try:
            if self.recursive:
                return on_deep_stack(_deep, python, arguments)
            return run(python(*arguments))
        except PrimitiveError as error:
            raise CogenError(describe(error), self.place(error.__traceback__)) from None
        except MemoryError as error:
            place = self.place(error.__traceback__)
            raise LimitationError("there is not enough memory", place) from None
        finally:
            self.machine.port.flush()

    def place(self, traceback: TracebackType | None) -> Span | None:
        """The place in the source of the innermost call of the program's text that failed."""
        found: Span | None = None
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if code.co_filename == self.filename:
                found = self.span_at(code, traceback.tb_lasti, traceback.tb_lineno)
            traceback = traceback.tb_next
        return found

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


def _recursive(procedures: list[st.Procedure]) -> bool:
    """Does any procedure come back to itself through calls?"""
    calls = {
        procedure.name: {
            statement.function
            for statement in st.walk(procedure.body)
            if isinstance(statement, st.Invoke | st.Finish)
        }
        for procedure in procedures
    }
    groups = components(list(calls), lambda name: sorted(calls[name]))
    return any(len(group) > 1 or group[0] in calls[group[0]] for group in groups)
