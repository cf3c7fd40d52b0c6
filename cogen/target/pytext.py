"""structured code -> Python text.

    Op, Invoke    x = op(a, ...)        nested into its only use where nothing comes between
    Move          x, y = a, b
    Branch        if a: ... else: ...
    Loop          while True: ...       Again is `continue`, Leave is `break`
    Result        return a
    Finish        return g(a, ...)      `return lambda ...` within a cycle of tail calls
    Fail          op(a, ...)

Operations are the Python functions of the primitive table, so they check their arguments and
keep integers in range.  Procedures whose tail calls go round in a cycle return a function of no
arguments that makes the call; whoever needs their value `run`s it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final

from cogen.target import structured as st
from cogen.target.pynames import primitive_name, python_name
from lang import il
from lang.components import components
from lang.datum import EOF, NIL, UNSPECIFIED, Datum, RecordType
from lang.errors import InternalError, Span
from lang.iltext import writable
from lang.prims import PRIMITIVES
from lang.printer import write_datum

MAX_NESTED: Final = 60
"""The longest text of an operation that is nested into another, in characters."""

INDENT: Final = "    "


@dataclass(frozen=True, slots=True)
class Binding:
    """A name that the text needs: how a module defines it, and what it stands for.

    `machine` tells that it stands for a primitive that takes the machine before its arguments.
    """

    text: str
    value: Any
    machine: bool = False


@dataclass(slots=True)
class PythonText:
    """The procedures as text: `names` by procedure, `bindings` what the text needs; `spans` by
    line (from 1) and column (from 0) of a call: its place in the source."""

    lines: list[str] = field(default_factory=list)
    spans: dict[tuple[int, int], Span] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    bindings: dict[str, Binding] = field(default_factory=dict)
    suspends: bool = False
    """Whether a procedure may give a function to `run` instead of its value."""


def write(procedures: Sequence[st.Procedure]) -> PythonText:
    """The text of the procedures of a program.

    Precondition: no procedure has a `Goto`.
    """
    return _Writer(procedures).write()


def tail_cycles(procedures: Sequence[st.Procedure]) -> dict[str, frozenset[str]]:
    """For each procedure those that it makes tail calls to and that lead back to it."""
    calls = {
        procedure.name: {
            statement.function
            for statement in st.walk(procedure.body)
            if isinstance(statement, st.Finish)
        }
        for procedure in procedures
    }
    cycles: dict[str, frozenset[str]] = {}
    for group in components(list(calls), lambda name: sorted(calls[name] & calls.keys())):
        for name in group:
            cycles[name] = frozenset(group) & calls[name]
    return cycles


class _Writer:
    def __init__(self, procedures: Sequence[st.Procedure]) -> None:
        self.procedures = procedures
        self.result = PythonText()
        self.taken: set[str] = {"Machine", "machine", "partial", "PRIMITIVES", "run"}
        self.cycles = tail_cycles(procedures)
        self.suspends = self.suspending()
        """The procedures whose result has to be run."""
        self.result.suspends = bool(self.suspends)
        self.primitives: dict[str, str] = {}
        self.constants: dict[int, str] = {}
        for procedure in procedures:
            self.result.names[procedure.name] = python_name(procedure.name, self.taken)

    def suspending(self) -> set[str]:
        found = {name for name, cycle in self.cycles.items() if cycle}
        while True:
            more = {
                procedure.name
                for procedure in self.procedures
                for statement in st.walk(procedure.body)
                if isinstance(statement, st.Finish) and statement.function in found
            } - found
            if not more:
                return found
            found |= more

    def write(self) -> PythonText:
        for procedure in self.procedures:
            if self.result.lines:
                self.result.lines += ["", ""]
            _Procedure(self, procedure).write()
        return self.result

    # Names

    def primitive(self, op: str) -> str:
        """The Python name of a primitive."""
        name = self.primitives.get(op)
        if name is None:
            row = PRIMITIVES[op]
            name = self.primitives[op] = primitive_name(op, self.taken)
            text = f"PRIMITIVES[{op!r}].python"
            if row.context:
                text = f"partial({text}, machine)"
            self.result.bindings[name] = Binding(text, row.python, row.context)
        return name

    def constant(self, value: Datum) -> str:
        """The Python expression of a constant."""
        if type(value) is bool or type(value) is int:
            return str(value)
        if type(value) is str:
            return repr(value)
        if type(value) is float:
            return repr(value) if value - value == 0 else f"float({str(value)!r})"
        name = self.constants.get(id(value))
        if name is None:
            name = self.constants[id(value)] = python_name(_constant_name(value), self.taken)
            self.result.bindings[name] = Binding(_constant_text(value), value)
        return name


def _constant_name(value: Datum) -> str:
    for known, name in _NAMED.items():
        if value is known:
            return name
    return value.name if isinstance(value, RecordType) else "constant"


_NAMED: Final = {NIL: "NIL", UNSPECIFIED: "UNSPECIFIED", EOF: "EOF"}


def _constant_text(value: Datum) -> str:
    """The Python expression that makes a constant; LimitationError if there is none."""
    if isinstance(value, RecordType):
        return f"RecordType({value.name!r}, {value.fields!r})"
    for known, name in _NAMED.items():
        if value is known:
            return f"datum.{name}"
    return f"read_datum({write_datum(value)!r})" if writable(value) else ""


@dataclass(frozen=True, slots=True)
class _Code:
    """A piece of a line; `marks` are the offsets of calls in it and their places."""

    text: str
    marks: tuple[tuple[int, Span], ...] = ()


def _join(*pieces: str | _Code) -> _Code:
    text = ""
    marks: list[tuple[int, Span]] = []
    for piece in pieces:
        if isinstance(piece, _Code):
            marks += [(len(text) + offset, span) for offset, span in piece.marks]
            text += piece.text
        else:
            text += piece
    return _Code(text, tuple(marks))


def _listed(parts: Sequence[_Code]) -> _Code:
    """The pieces with commas between them."""
    pieces: list[str | _Code] = []
    for part in parts:
        pieces += [", ", part] if pieces else [part]
    return _join(*pieces)


@dataclass(frozen=True, slots=True)
class _Held:
    """An operation that is not written yet: its variable has one use, which comes next."""

    name: str
    code: _Code


class _Procedure:
    """Writes one procedure."""

    def __init__(self, writer: _Writer, procedure: st.Procedure) -> None:
        self.writer = writer
        self.procedure = procedure
        self.taken = set(writer.taken)
        self.names: dict[str, str] = {}
        self.held: list[_Held] = []
        self.uses: Counter[str] = Counter()
        self.assigned: set[str] = set()
        self.booleans: set[str] = set()
        """The variables that are certainly #t or #f."""
        for statement in st.walk(procedure.body):
            self.uses.update(a.name for a in st.used(statement) if isinstance(a, il.Var))
            if isinstance(statement, st.Loop):
                self.assigned.update(statement.parameters)
            elif isinstance(statement, st.Move):
                self.assigned.update(name for name, _ in statement.pairs)

    def write(self) -> None:
        procedure = self.procedure
        if procedure.span is not None:
            name = PurePath(procedure.span.source.name).name
            self.line(0, _Code(f"# from {name}:{procedure.span.line}"))
        parameters = ", ".join(self.local(name) for name in procedure.parameters)
        self.line(0, _Code(f"def {self.writer.result.names[procedure.name]}({parameters}):"))
        self.body(procedure.body, 1)

    def line(self, depth: int, code: _Code | str) -> None:
        result = self.writer.result
        if isinstance(code, str):
            code = _Code(code)
        result.lines.append(INDENT * depth + code.text)
        for offset, span in code.marks:
            result.spans[len(result.lines), len(INDENT) * depth + offset] = span

    def local(self, name: str) -> str:
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = python_name(name, self.taken)
        return found

    # Operations that wait for their use

    def operands(self, atoms: Sequence[il.Atom], depth: int) -> list[_Code]:
        """The expressions of atoms, with what is held in place of its variable if the order of
        evaluation stays; else it is written before."""
        held_names = {held.name for held in self.held}
        wanted = [a.name for a in atoms if isinstance(a, il.Var) and a.name in held_names]
        matching = self.held[len(self.held) - len(wanted) :]
        if [held.name for held in matching] != wanted:
            self.flush(depth)
            matching = []
        codes = {held.name: held.code for held in matching}
        del self.held[len(self.held) - len(matching) :]
        return [
            codes[atom.name] if isinstance(atom, il.Var) and atom.name in codes else self.atom(atom)
            for atom in atoms
        ]

    def atom(self, atom: il.Atom) -> _Code:
        match atom:
            case il.Var(name):
                return _Code(self.local(name))
            case il.Const(value):
                return _Code(self.writer.constant(value))
        raise InternalError(f"no atom of first-order code: {atom!r}")

    def call(self, function: str, atoms: Sequence[il.Atom], span: Span | None, depth: int) -> _Code:
        """The call of a Python function."""
        inner = _join(f"{function}(", _listed(self.operands(atoms, depth)), ")")
        marks = inner.marks if span is None else ((0, span), *inner.marks)
        return _Code(inner.text, marks)

    def flush(self, depth: int) -> None:
        """Write everything that is held."""
        held, self.held = self.held, []
        for operation in held:
            self.line(depth, _join(f"{self.local(operation.name)} = ", operation.code))

    def compute(self, name: str | None, code: _Code, depth: int) -> None:
        """Bind a variable to an expression, or hold it for its use."""
        once = name is not None and self.uses[name] == 1 and name not in self.assigned
        if name is not None and once and len(code.text) <= MAX_NESTED:
            self.held.append(_Held(name, code))
            return
        self.flush(depth)
        if name is None or not self.uses[name]:
            self.line(depth, code)
        else:
            self.line(depth, _join(f"{self.local(name)} = ", code))

    # Statements

    def body(self, body: st.Body, depth: int) -> None:
        if not body:
            self.line(depth, "pass")
        for statement in body:
            self.statement(statement, depth)
        self.flush(depth)

    def statement(self, statement: st.Statement, depth: int) -> None:
        match statement:
            case st.Op(name, op, arguments, span):
                code = self.call(self.writer.primitive(op), arguments, span, depth)
                if PRIMITIVES[op].result == "bool":
                    self.booleans.add(name)
                self.compute(name, code, depth)
            case st.Invoke(name, function, arguments, span):
                code = self.call(self.writer.result.names[function], arguments, span, depth)
                if function in self.writer.suspends:
                    code = _join("run(", code, ")")
                self.compute(name, code, depth)
            case st.Move(pairs):
                values = _listed(self.operands([atom for _, atom in pairs], depth))
                self.flush(depth)
                targets = ", ".join(self.local(name) for name, _ in pairs)
                self.line(depth, _join(f"{targets} = ", values))
            case st.Branch():
                self.branch(statement, depth)
            case st.Loop(body=body):
                self.flush(depth)
                self.line(depth, "while True:")
                self.body(body, depth + 1)
            case st.Again():
                self.flush(depth)
                self.line(depth, "continue")
            case st.Leave():
                self.flush(depth)
                self.line(depth, "break")
            case st.Result(value):
                atom = il.Const(UNSPECIFIED) if value is None else value
                (code,) = self.operands([atom], depth)
                self.flush(depth)
                self.line(depth, _join("return ", code))
            case st.Finish():
                self.finish(statement, depth)
            case st.Fail(op, arguments, span):
                code = self.call(self.writer.primitive(op), arguments, span, depth)
                self.flush(depth)
                self.line(depth, code)
            case _:
                raise InternalError(f"no statement of Python: {statement!r}")

    def branch(self, branch: st.Branch, depth: int) -> None:
        known = isinstance(branch.test, il.Var) and branch.test.name in self.booleans
        (test,) = self.operands([branch.test], depth)
        self.flush(depth)
        if not known:
            test = _join(test, " is not False")
        then, otherwise = branch.then, branch.otherwise
        if not then:
            test = _join("not ", test) if known else _join("not (", test, ")")
            then, otherwise = otherwise, then
        self.line(depth, _join("if ", test, ":"))
        self.body(then, depth + 1)
        if not otherwise:
            return
        if leaves(then):
            for statement in otherwise:
                self.statement(statement, depth)
            self.flush(depth)
        else:
            self.line(depth, "else:")
            self.body(otherwise, depth + 1)

    def finish(self, finish: st.Finish, depth: int) -> None:
        """Return what another procedure returns."""
        function = self.writer.result.names[finish.function]
        if finish.function not in self.writer.cycles[self.procedure.name]:
            code = self.call(function, finish.arguments, finish.span, depth)
            self.flush(depth)
            self.line(depth, _join("return ", code))
            return
        values = self.operands(finish.arguments, depth)
        self.flush(depth)
        names = [f"a{index}" for index in range(1, len(values) + 1)]
        bound = _listed([_join(f"{n}=", v) for n, v in zip(names, values, strict=True)])
        space = " " if names else ""
        self.line(depth, _join(f"return lambda{space}", bound, f": {function}({', '.join(names)})"))


def leaves(body: st.Body) -> bool:
    """Does control certainly not fall off the end of the body?"""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, st.Branch):
        return leaves(last.then) and leaves(last.otherwise)
    return isinstance(last, st.Again | st.Leave | st.Result | st.Finish | st.Fail)
