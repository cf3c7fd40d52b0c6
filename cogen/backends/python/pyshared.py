"""What the procedures of a Python text share: names, primitives, constants, who calls whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from cogen.backends.direct.direct import NOTHING
from cogen.backends.direct.logic import mentions_any, parts
from cogen.backends.python.pynames import primitive_name, python_name
from cogen.lang import core
from cogen.lang.components import components
from cogen.lang.datum import EOF, NIL, UNSPECIFIED, Datum, RecordType
from cogen.lang.errors import Span
from cogen.lang.iltext import writable
from cogen.lang.prims import PRIMITIVES
from cogen.lang.printer import write_datum


class NotPlainPython(Exception):
    """The program has no form as plain Python functions."""


@dataclass(frozen=True, slots=True)
class ModuleBinding:
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
    bindings: dict[str, ModuleBinding] = field(default_factory=dict)
    recursive: bool = False
    """Whether a procedure may come back to itself through calls."""
    suspends: bool = False
    """Whether a procedure may give a function to `run` instead of its value."""


def global_calls(expr: core.Expr) -> set[str]:
    """The global procedures that an expression calls."""
    found: set[str] = set()
    for part in parts(expr):
        match part:
            case core.CallForm(core.GlobalRef(name)):
                found.add(name)
            case core.CallForm(core.PrimRef("dcall"), (core.GlobalRef(name), *_)):
                found.add(name)
    return found


def last_global_calls(expr: core.Expr) -> set[str]:
    """The global procedures that an expression calls as its last act, or that a local procedure
    in it does."""
    found: set[str] = set()
    work = [expr]
    while work:
        match work.pop():
            case core.CallForm(core.GlobalRef(name)):
                found.add(name)
            case core.CallForm(core.PrimRef("dcall"), (core.GlobalRef(name), *_)):
                found.add(name)
            case core.IfForm(_, then, otherwise):
                work += [then, otherwise]
            case core.LetForm(bindings, body) | core.LetrecForm(bindings, body):
                work.append(body)
                work += [value.body for _, value in bindings if isinstance(value, core.LambdaForm)]
            case core.SequenceForm(expressions):
                work.append(expressions[-1])
    return found


def only_last(expr: core.Expr, variable: core.LocalVariable) -> bool:
    """Is the variable only mentioned to be called as the last act of the expression?"""
    match expr:
        case core.CallForm(core.LocalRef(called), arguments) if called is variable:
            return not any(mentions_any(argument, [variable]) for argument in arguments)
        case core.IfForm(test, then, otherwise):
            return (
                not mentions_any(test, [variable])
                and only_last(then, variable)
                and only_last(otherwise, variable)
            )
        case core.SequenceForm(expressions):
            return only_last(expressions[-1], variable) and not any(
                mentions_any(part, [variable]) for part in expressions[:-1]
            )
        case core.LetForm(bindings, body) | core.LetrecForm(bindings, body):
            values = [v.body if isinstance(v, core.LambdaForm) else v for _, v in bindings]
            lasts = [isinstance(v, core.LambdaForm) for _, v in bindings]
            return only_last(body, variable) and all(
                only_last(value, variable) if last else not mentions_any(value, [variable])
                for value, last in zip(values, lasts, strict=True)
            )
    return not mentions_any(expr, [variable])


class SharedPython:
    """What the procedures share."""

    def __init__(self, procedures: dict[str, core.LambdaForm]) -> None:
        self.result = PythonText()
        self.taken: set[str] = {"Machine", "machine", "partial", "PRIMITIVES", "run"}
        self.procedures = procedures
        self.primitives: dict[str, str] = {}
        self.constants: dict[int, str] = {}
        for name in procedures:
            self.result.names[name] = python_name(name, self.taken)
        calls = {name: last_global_calls(p.body) for name, p in procedures.items()}
        self.cycles: dict[str, set[str]] = {}
        """For each procedure those that it calls last and that come back to it."""
        for group in components(list(calls), lambda name: sorted(calls[name] & calls.keys())):
            for name in group:
                self.cycles[name] = (set(group) & calls[name]) - {name}
        self.suspending = {name for name, cycle in self.cycles.items() if cycle}
        """The procedures whose result has to be run."""
        while more := {n for n in calls if calls[n] & self.suspending} - self.suspending:
            self.suspending |= more
        self.result.suspends = bool(self.suspending)
        self.result.recursive = self.comes_back()
        for procedure in procedures.values():
            self.name_globals(procedure)

    def comes_back(self) -> bool:
        """Does any procedure, global or local, come back to itself through calls?"""
        calls = {name: global_calls(p.body) for name, p in self.procedures.items()}
        groups = components(list(calls), lambda name: sorted(calls[name] & calls.keys()))
        if any(len(group) > 1 or group[0] in calls[group[0]] for group in groups):
            return True
        return any(
            isinstance(value, core.LambdaForm) and not only_last(value.body, variable)
            for procedure in self.procedures.values()
            for part in parts(procedure)
            if isinstance(part, core.LetrecForm)
            for variable, value in part.bindings
        )

    def name_globals(self, procedure: core.LambdaForm) -> None:
        """Name the primitives and constants that a procedure mentions, before its variables."""
        for part in parts(procedure):
            match part:
                case core.PrimRef(op) if op in PRIMITIVES:
                    self.primitive(op)
                case core.ConstForm(value):
                    self.constant(value)
                case core.SetLocal():
                    self.constant(UNSPECIFIED)

    def primitive(self, op: str) -> str:
        """The Python name of a primitive."""
        name = self.primitives.get(op)
        if name is None:
            row = PRIMITIVES.get(op)
            if row is None:
                raise NotPlainPython
            name = self.primitives[op] = primitive_name(op, self.taken)
            text = f"PRIMITIVES[{op!r}].python"
            if row.context:
                text = f"partial({text}, machine)"
            self.result.bindings[name] = ModuleBinding(text, row.python, row.context)
        return name

    def check_count(self, op: str, count: int) -> None:
        """`NotPlainPython` where a primitive is given more or fewer arguments than its row has."""
        row = PRIMITIVES.get(op)
        if row is None:
            raise NotPlainPython
        least, most = row.arity
        if count < least or (most is not None and count > most):
            raise NotPlainPython

    def constant(self, value: Datum) -> str:
        """The Python expression of a constant."""
        if value is NOTHING:
            return "None"
        if type(value) is bool or type(value) is int:
            return str(value)
        if type(value) is str:
            return ascii(value)
        if type(value) is float:
            return repr(value) if value - value == 0 else f"float({str(value)!r})"
        name = self.constants.get(id(value))
        if name is None:
            name = self.constants[id(value)] = python_name(_constant_name(value), self.taken)
            self.result.bindings[name] = ModuleBinding(_constant_text(value), value)
        return name


_NAMED: Final = ((NIL, "NIL"), (UNSPECIFIED, "UNSPECIFIED"), (EOF, "EOF"))


def _constant_name(value: Datum) -> str:
    for known, name in _NAMED:
        if value is known:
            return name
    return value.name if isinstance(value, RecordType) else "constant"


def _constant_text(value: Datum) -> str:
    """The Python expression that makes a constant; empty if there is none."""
    if isinstance(value, RecordType):
        return f"RecordType({value.name!a}, {value.fields!a})"
    for known, name in _NAMED:
        if value is known:
            return f"datum.{name}"
    return f"read_datum({write_datum(value)!a})" if writable(value) else ""
