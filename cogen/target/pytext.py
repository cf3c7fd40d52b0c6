"""core -> Python text, for first-order procedures in direct style.

    (let ((x a)) b)                 x = a, then b
    (letrec ((l (lambda (i) ...))) (l a))
                                    i = a, then `while True:`; (l b) is i = b, `continue`
    (let ((j (lambda (x) ...))) b)  a function inside the function
    (if a b c)                      if a: ... else: ..., or b if a else c
    (g a)                           g(a); `return lambda: g(a)` within a cycle of tail calls

Operations are the Python functions of the primitive table, so they check their arguments and
keep integers in range.  Procedures whose tail calls go round in a cycle return a function of no
arguments that makes the call; whoever needs their value `run`s it.

What has no such form (procedures as values, a jump out of two loops at once) raises
`Unsupported`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Final

from cogen.target.direct import NOTHING, NOWHERE
from cogen.target.pynames import primitive_name, python_name
from cogen.target.tidy import either, is_boolean, mentions_any, parts
from lang import core
from lang.components import components
from lang.datum import EOF, NIL, UNSPECIFIED, Datum, RecordType
from lang.errors import Span
from lang.iltext import writable
from lang.prims import PRIMITIVES
from lang.printer import write_datum

INDENT: Final = "    "

MAX_COPIED: Final = 12
"""How many expressions a piece of code may have that is written at each jump to it."""


class Unsupported(Exception):
    """The program has no form as plain Python functions."""


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
    recursive: bool = False
    """Whether a procedure may come back to itself through calls."""
    suspends: bool = False
    """Whether a procedure may give a function to `run` instead of its value."""


def write(procedures: dict[str, core.Lambda]) -> PythonText:
    """The text of the procedures of a program, by name; `Unsupported` if there is none."""
    writer = _Writer(procedures)
    for name, procedure in procedures.items():
        if writer.result.lines:
            writer.result.lines += ["", ""]
        _Procedure(writer, name).write(procedure)
    return writer.result


def global_calls(expr: core.Expr) -> set[str]:
    """The global procedures that an expression calls."""
    found: set[str] = set()
    for part in parts(expr):
        match part:
            case core.Call(core.GlobalRef(name)):
                found.add(name)
            case core.Call(core.PrimRef("dcall"), (core.GlobalRef(name), *_)):
                found.add(name)
    return found


def last_global_calls(expr: core.Expr) -> set[str]:
    """The global procedures that an expression calls as its last act, or that a local procedure
    in it does."""
    found: set[str] = set()
    work = [expr]
    while work:
        match work.pop():
            case core.Call(core.GlobalRef(name)):
                found.add(name)
            case core.Call(core.PrimRef("dcall"), (core.GlobalRef(name), *_)):
                found.add(name)
            case core.If(_, then, otherwise):
                work += [then, otherwise]
            case core.Let(bindings, body) | core.Letrec(bindings, body):
                work.append(body)
                work += [value.body for _, value in bindings if isinstance(value, core.Lambda)]
            case core.Seq(expressions):
                work.append(expressions[-1])
    return found


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


def _bare(code: _Code) -> _Code:
    """The code without the parentheses around it."""
    return _Code(code.text[1:-1], tuple((offset - 1, span) for offset, span in code.marks))


def _listed(codes: Sequence[_Code]) -> _Code:
    """The pieces with commas between them."""
    pieces: list[str | _Code] = []
    for code in codes:
        pieces += [", ", code] if pieces else [code]
    return _join(*pieces)


class _Writer:
    """What the procedures share."""

    def __init__(self, procedures: dict[str, core.Lambda]) -> None:
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
            isinstance(value, core.Lambda) and not only_last(value.body, variable)
            for procedure in self.procedures.values()
            for part in parts(procedure)
            if isinstance(part, core.Letrec)
            for variable, value in part.bindings
        )

    def name_globals(self, procedure: core.Lambda) -> None:
        """Name the primitives and constants that a procedure mentions, before its variables."""
        for part in parts(procedure):
            match part:
                case core.PrimRef(op) if op in PRIMITIVES:
                    self.primitive(op)
                case core.Const(value):
                    self.constant(value)
                case core.SetLocal():
                    self.constant(UNSPECIFIED)

    def primitive(self, op: str) -> str:
        """The Python name of a primitive."""
        name = self.primitives.get(op)
        if name is None:
            row = PRIMITIVES.get(op)
            if row is None:
                raise Unsupported
            name = self.primitives[op] = primitive_name(op, self.taken)
            text = f"PRIMITIVES[{op!r}].python"
            if row.context:
                text = f"partial({text}, machine)"
            self.result.bindings[name] = Binding(text, row.python, row.context)
        return name

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
            self.result.bindings[name] = Binding(_constant_text(value), value)
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


@dataclass(frozen=True, slots=True)
class _Loop:
    """A `while` around the code; `last` if nothing but the next round of the one around it may
    follow it."""

    variable: core.Variable
    parameters: tuple[core.Variable, ...]
    last: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """Where code stands: what its value is for, and what comes after it.

    `target` is the variable that gets the value; None: nobody wants it.  `returns`: the value
    is returned.  `after` is what to do when it is there: nothing, or `break`.
    """

    depth: int
    returns: bool = False
    target: str | None = None
    after: str = ""
    loops: tuple[_Loop, ...] = ()

    @property
    def deeper(self) -> _Place:
        return replace(self, depth=self.depth + 1)

    @property
    def leaves(self) -> bool:
        """Does control never reach what is written after the code?"""
        return self.returns or bool(self.after)


class _Procedure:
    """Writes one procedure."""

    def __init__(self, writer: _Writer, name: str) -> None:
        self.writer = writer
        self.name = name
        self.taken = set(writer.taken)
        self.names: dict[core.Variable, str] = {}
        self.functions: set[core.Variable] = set()
        """Local procedures that are Python functions."""
        self.copied: dict[core.Variable, core.Lambda] = {}
        """Local procedures that are written where they are called."""
        self.left: set[core.Variable] = set()
        """Loops that are left for the next round of the loop around them."""

    def write(self, procedure: core.Lambda) -> None:
        if procedure.rest is not None:
            raise Unsupported
        if procedure.span is not NOWHERE:
            file = PurePath(procedure.span.source.name).name
            self.line(0, f"# from {file}:{procedure.span.line}")
        parameters = ", ".join(self.local(variable) for variable in procedure.parameters)
        self.line(0, f"def {self.writer.result.names[self.name]}({parameters}):")
        self.itself = core.Variable(self.name)
        loop = _Loop(self.itself, procedure.parameters, False)
        if self.name in last_global_calls(procedure.body):
            self.line(1, "while True:")
            self.statement(procedure.body, _Place(2, returns=True, loops=(loop,)))
        else:
            self.statement(procedure.body, _Place(1, returns=True))

    def line(self, depth: int, code: _Code | str) -> None:
        result = self.writer.result
        if isinstance(code, str):
            code = _Code(code)
        result.lines.append(INDENT * depth + code.text)
        for offset, span in code.marks:
            result.spans[len(result.lines), len(INDENT) * depth + offset] = span

    def local(self, variable: core.Variable) -> str:
        found = self.names.get(variable)
        if found is None:
            found = self.names[variable] = python_name(variable.name, self.taken)
        return found

    # Expressions

    def expr(self, expr: core.Expr) -> _Code:
        match expr:
            case core.Const(value):
                return _Code(self.writer.constant(value))
            case core.LocalRef(variable):
                if variable in self.functions or variable in self.copied:
                    raise Unsupported
                return _Code(self.local(variable))
            case core.If():
                return self.choice(expr)
            case core.Let(((variable, value),)) if (rest := either(expr)) is not None:
                name = self.local(variable)
                bound = _join(f"({name} if ({name} := ", self.expr(value), ") is not False else ")
                return _join(bound, self.expr(rest), ")")
            case core.Call(function, arguments, span):
                return self.call(function, arguments, span)
        raise Unsupported

    def call(self, function: core.Expr, arguments: Sequence[core.Expr], span: Span) -> _Code:
        """A call whose value is needed."""
        match function:
            case core.PrimRef("dcall") if arguments and isinstance(arguments[0], core.GlobalRef):
                return self.call(arguments[0], arguments[1:], span)
            case core.PrimRef(op):
                return self.invoke(self.writer.primitive(op), arguments, span)
            case core.GlobalRef(name):
                code = self.invoke(self.procedure_name(name, len(arguments)), arguments, span)
                return _join("run(", code, ")") if name in self.writer.suspending else code
            case core.LocalRef(variable) if variable in self.functions:
                code = self.invoke(self.local(variable), arguments, span)
                return _join("run(", code, ")") if self.name in self.writer.suspending else code
        raise Unsupported

    def procedure_name(self, name: str, count: int) -> str:
        """The Python name of a procedure that is called with that many arguments."""
        procedure = self.writer.procedures.get(name)
        if procedure is None or len(procedure.parameters) != count:
            raise Unsupported
        return self.writer.result.names[name]

    def invoke(self, name: str, arguments: Sequence[core.Expr], span: Span) -> _Code:
        code = _join(f"{name}(", _listed([self.expr(argument) for argument in arguments]), ")")
        return code if span is NOWHERE else _Code(code.text, ((0, span), *code.marks))

    def choice(self, expr: core.If) -> _Code:
        """A conditional as an expression."""
        match expr:
            case core.If(test, then, core.Const(False)) if is_boolean(test):
                return _join("(", self.expr(test), " and ", self.expr(then), ")")
            case core.If(test, core.Const(True), otherwise) if is_boolean(test):
                return _join("(", self.expr(test), " or ", self.expr(otherwise), ")")
        arms = self.expr(expr.then), self.expr(expr.otherwise)
        return _join("(", arms[0], " if ", self.test(expr.test), " else ", arms[1], ")")

    def test(self, expr: core.Expr) -> _Code:
        """An expression that is true for Python where it is true for the program."""
        match expr:
            case core.If(test, then, core.Const(False)):
                return _join("(", self.test(test), " and ", self.test(then), ")")
            case core.If(test, core.Const(True), otherwise):
                return _join("(", self.test(test), " or ", self.test(otherwise), ")")
            case core.If(test, core.Const(False), otherwise):
                return _join("(not ", self.test(test), " and ", self.test(otherwise), ")")
            case core.Call(core.PrimRef("not"), (inner,)):
                return _join("not ", self.test(inner))
        code = self.expr(expr)
        return code if is_boolean(expr) else _join(code, " is not False")

    # Statements

    def statement(self, expr: core.Expr, place: _Place) -> None:
        """Write code for an expression whose value goes where the place says."""
        while True:
            match expr:
                case core.Let(((variable, core.Lambda() as procedure),), body):
                    self.local_procedure(variable, procedure, place)
                    expr = body
                case core.Let(((variable, value),), body):
                    inner = _Place(place.depth, target=self.local(variable))
                    self.statement(value, inner)
                    expr = body
                case core.Seq(expressions):
                    for part in expressions[:-1]:
                        self.statement(part, _Place(place.depth))
                    expr = expressions[-1]
                case core.Letrec(((variable, core.Lambda() as procedure),), body):
                    if self.loops(variable, procedure, body, place):
                        return
                    self.function(variable, procedure, place.depth)
                    expr = body
                case core.If() if place.target is None or not self.is_simple(expr):
                    self.branch(expr, place)
                    return
                case core.SetLocal(variable, value):
                    self.statement(value, _Place(place.depth, target=self.local(variable)))
                    expr = core.Const(UNSPECIFIED, expr.span)
                case core.Call(function, arguments, span):
                    self.last_call(function, arguments, span, place)
                    return
                case _:
                    self.give(self.expr(expr), place)
                    return

    def is_simple(self, expr: core.Expr) -> bool:
        """Is it written as a Python expression?"""
        match expr:
            case core.Const() | core.LocalRef():
                return True
            case core.If(test, then, otherwise):
                return all(self.is_simple(part) for part in (test, then, otherwise))
            case core.Call(function, arguments):
                called = isinstance(function, core.PrimRef | core.GlobalRef)
                return called and all(self.is_simple(argument) for argument in arguments)
        return False

    def give(self, code: _Code, place: _Place) -> None:
        """Put a value where it belongs."""
        if place.returns:
            self.line(place.depth, _join("return ", code))
            return
        if place.target is not None:
            self.line(place.depth, _join(f"{place.target} = ", code))
        elif code.marks or "(" in code.text:
            self.line(place.depth, code)
        elif not place.after:
            self.line(place.depth, "pass")
        if place.after:
            self.line(place.depth, place.after)

    def last_call(
        self, function: core.Expr, arguments: Sequence[core.Expr], span: Span, place: _Place
    ) -> None:
        """A call that is the last thing a piece of code does."""
        match function, arguments:
            case core.PrimRef("dcall"), (core.GlobalRef() as called, *rest):
                function, arguments = called, rest
        if isinstance(function, core.LocalRef):
            copied = self.copied.get(function.variable)
            if copied is not None:
                self.assign(copied.parameters, arguments, place.depth)
                self.statement(copied.body, place)
                return
            if self.jumps(function.variable, arguments, place):
                return
            if function.variable in self.functions and place.returns:
                code = self.invoke(self.local(function.variable), arguments, span)
                self.line(place.depth, _join("return ", code))
                return
        if isinstance(function, core.GlobalRef) and place.returns:
            name = function.name
            if name == self.name and self.jumps(self.itself, arguments, place):
                return
            code = self.invoke(self.procedure_name(name, len(arguments)), arguments, span)
            if name == self.name:
                raise Unsupported
            if name in self.writer.cycles[self.name]:
                self.suspend(self.writer.result.names[name], arguments, place.depth)
            else:
                self.line(place.depth, _join("return ", code))
            return
        self.give(self.call(function, arguments, span), place)

    def suspend(self, name: str, arguments: Sequence[core.Expr], depth: int) -> None:
        """Return a function that makes a call."""
        values = [self.expr(argument) for argument in arguments]
        names = [f"a{index}" for index in range(1, len(values) + 1)]
        bound = _listed([_join(f"{n}=", v) for n, v in zip(names, values, strict=True)])
        space = " " if names else ""
        self.line(depth, _join(f"return lambda{space}", bound, f": {name}({', '.join(names)})"))

    def jumps(self, variable: core.Variable, arguments: Sequence[core.Expr], place: _Place) -> bool:
        """Write a call of a loop around the code as a jump; False if it is none."""
        if not any(loop.variable is variable for loop in place.loops):
            return False
        *outer, innermost = place.loops
        if innermost.variable is variable:
            self.assign(innermost.parameters, arguments, place.depth)
            self.line(place.depth, "continue")
            return True
        if innermost.last and outer and outer[-1].variable is variable:
            self.assign(outer[-1].parameters, arguments, place.depth)
            self.line(place.depth, "break")
            self.left.add(innermost.variable)
            return True
        raise Unsupported

    def assign(
        self,
        variables: Sequence[core.Variable],
        arguments: Sequence[core.Expr],
        depth: int,
    ) -> None:
        """Bind variables to values, all at once."""
        if len(variables) != len(arguments):
            raise Unsupported
        pairs = [
            (self.local(variable), self.expr(argument))
            for variable, argument in zip(variables, arguments, strict=True)
        ]
        changed = [(name, code) for name, code in pairs if name != code.text]
        if changed:
            targets = ", ".join(name for name, _ in changed)
            self.line(depth, _join(f"{targets} = ", _listed([code for _, code in changed])))

    def branch(self, expr: core.If, place: _Place) -> None:
        test, then, otherwise = expr.test, expr.then, expr.otherwise
        code = self.test(test)
        if place.target is None and not place.leaves and _is_nothing(then):
            code, then, otherwise = _join("not (", code, ")"), otherwise, then
        elif isinstance(test, core.If):
            code = _bare(code)
        self.line(place.depth, _join("if ", code, ":"))
        self.statement(then, place.deeper)
        if place.leaves:
            self.statement(otherwise, place)
        elif place.target is not None or not _is_nothing(otherwise):
            self.line(place.depth, "else:")
            self.statement(otherwise, place.deeper)

    # Local procedures

    def local_procedure(
        self, variable: core.Variable, procedure: core.Lambda, place: _Place
    ) -> None:
        """A local procedure that does not call itself: a function, or written at its calls."""
        around = [loop.variable for loop in place.loops]
        again = mentions_any(procedure.body, around) or (
            bool(place.loops) and self.name in last_global_calls(procedure.body)
        )
        if not again:
            self.function(variable, procedure, place.depth)
        elif sum(1 for _ in parts(procedure.body)) <= MAX_COPIED:
            self.copied[variable] = procedure
        else:
            raise Unsupported

    def function(self, variable: core.Variable, procedure: core.Lambda, depth: int) -> None:
        """A Python function inside the function."""
        if procedure.rest is not None or any(
            isinstance(part, core.SetLocal) for part in parts(procedure.body)
        ):
            raise Unsupported
        self.functions.add(variable)
        names = ", ".join(self.local(parameter) for parameter in procedure.parameters)
        self.line(depth, f"def {self.local(variable)}({names}):")
        loop = _Loop(variable, procedure.parameters, False)
        if mentions_any(procedure.body, [variable]):
            self.line(depth + 1, "while True:")
            self.statement(procedure.body, _Place(depth + 2, returns=True, loops=(loop,)))
        else:
            self.statement(procedure.body, _Place(depth + 1, returns=True))

    def loops(
        self,
        variable: core.Variable,
        procedure: core.Lambda,
        body: core.Expr,
        place: _Place,
    ) -> bool:
        """Write (letrec ((l (lambda ...))) (l a ...)) as a `while`, if l is only called last."""
        match body:
            case core.Call(core.LocalRef(called), arguments) if called is variable:
                pass
            case _:
                return False
        if procedure.rest is not None or not only_last(procedure.body, variable):
            return False
        inner = place.loops if place.returns else ()
        if not place.returns and any(isinstance(p, core.Letrec) for p in parts(procedure.body)):
            return False
        self.assign(procedure.parameters, arguments, place.depth)
        self.line(place.depth, "while True:")
        loop = _Loop(variable, procedure.parameters, bool(inner))
        after = "" if place.returns else "break"
        here = replace(place.deeper, after=after, loops=(*inner, loop))
        self.statement(procedure.body, here)
        if variable in self.left:
            self.line(place.depth, "continue")
        elif place.after:
            self.line(place.depth, place.after)
        return True


def _is_nothing(expr: core.Expr) -> bool:
    """Is there nothing to do for its effect?"""
    return isinstance(expr, core.Const)


def only_last(expr: core.Expr, variable: core.Variable) -> bool:
    """Is the variable only mentioned to be called as the last act of the expression?"""
    match expr:
        case core.Call(core.LocalRef(called), arguments) if called is variable:
            return not any(mentions_any(argument, [variable]) for argument in arguments)
        case core.If(test, then, otherwise):
            return (
                not mentions_any(test, [variable])
                and only_last(then, variable)
                and only_last(otherwise, variable)
            )
        case core.Seq(expressions):
            return only_last(expressions[-1], variable) and not any(
                mentions_any(part, [variable]) for part in expressions[:-1]
            )
        case core.Let(bindings, body) | core.Letrec(bindings, body):
            values = [v.body if isinstance(v, core.Lambda) else v for _, v in bindings]
            lasts = [isinstance(v, core.Lambda) for _, v in bindings]
            return only_last(body, variable) and all(
                only_last(value, variable) if last else not mentions_any(value, [variable])
                for value, last in zip(values, lasts, strict=True)
            )
    return not mentions_any(expr, [variable])
