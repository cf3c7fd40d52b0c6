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
from dataclasses import dataclass, replace
from typing import Final

from cogen.backends.direct.logic import either, is_boolean, mentions_any, parts
from cogen.backends.python.pycode import LinePiece, bare, join, listed
from cogen.backends.python.pynames import python_name
from cogen.backends.python.pyrefusals import refusal
from cogen.backends.python.pyshared import (
    NotPlainPython,
    PythonText,
    SharedPython,
    last_global_calls,
    only_last,
)
from cogen.lang import core
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import Span
from cogen.lang.marks import NOWHERE
from cogen.lang.searches import searcher

INDENT: Final = "    "

BURST: Final = 1 << 20
"""After so many rounds a loop looks whether the list that it goes through ends."""

MAX_COPIED: Final = 12
"""How many expressions a piece of code may have that is written at each jump to it."""


def write(procedures: dict[str, core.LambdaForm]) -> PythonText:
    """The text of the procedures of a program, by name; `Unsupported` if there is none."""
    shared = SharedPython(procedures)
    for name, procedure in procedures.items():
        if shared.result.lines:
            shared.result.lines += ["", ""]
        _Procedure(shared, name).write(procedure)
    return shared.result


@dataclass(frozen=True, slots=True)
class _Loop:
    """A `while` around the code; `last` if nothing but the next round of the one around it may
    follow it."""

    variable: core.LocalVariable
    parameters: tuple[core.LocalVariable, ...]
    last: bool


@dataclass(frozen=True, slots=True)
class _CodePlace:
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
    def deeper(self) -> _CodePlace:
        return replace(self, depth=self.depth + 1)

    @property
    def leaves(self) -> bool:
        """Does control never reach what is written after the code?"""
        return self.returns or bool(self.after)


class _Procedure:
    """Writes one procedure."""

    def __init__(self, shared: SharedPython, name: str) -> None:
        self.shared = shared
        self.name = name
        self.taken = set(shared.taken)
        self.names: dict[core.LocalVariable, str] = {}
        self.functions: set[core.LocalVariable] = set()
        """Local procedures that are Python functions."""
        self.copied: dict[core.LocalVariable, core.LambdaForm] = {}
        """Local procedures that are written where they are called."""
        self.left: set[core.LocalVariable] = set()
        """Loops that are left for the next round of the loop around them."""

    def write(self, procedure: core.LambdaForm) -> None:
        if procedure.rest is not None:
            raise NotPlainPython
        if procedure.span is not NOWHERE:
            self.line(0, f"# from {procedure.span.source.file_name}:{procedure.span.line}")
        parameters = ", ".join(self.local(variable) for variable in procedure.parameters)
        self.line(0, f"def {self.shared.result.names[self.name]}({parameters}):")
        self.itself = core.LocalVariable(self.name)
        loop = _Loop(self.itself, procedure.parameters, False)
        if self.name in last_global_calls(procedure.body):
            self.rounds(procedure, _CodePlace(1, returns=True, loops=(loop,)))
        else:
            self.statement(procedure.body, _CodePlace(1, returns=True))

    def rounds(self, procedure: core.LambdaForm, place: _CodePlace) -> None:
        """A `while` of the rounds of a procedure that calls itself last.  Where they go through a
        list, it is looked every so often whether that ends."""
        depth, refused = place.depth, refusal(procedure)
        self.line(depth, "while True:")
        if refused is None:
            self.statement(procedure.body, place.deeper)
            return
        error, items = refused
        message = error.arguments[0]
        assert isinstance(message, core.ConstForm)
        name = core.ConstForm(searcher(message.value), error.span)
        self.line(depth + 1, f"for _ in range({BURST}):")
        self.statement(procedure.body, place.deeper.deeper)
        self.line(depth + 1, "else:")
        finite = self.shared.primitive("%finite")
        self.line(depth + 2, self.invoke(finite, [name, items], error.span))
        self.line(depth + 2, "continue")
        self.line(depth + 1, "break")

    def line(self, depth: int, code: LinePiece | str) -> None:
        result = self.shared.result
        if isinstance(code, str):
            code = LinePiece(code)
        result.lines.append(INDENT * depth + code.text)
        for offset, span in code.marks:
            result.spans[len(result.lines), len(INDENT) * depth + offset] = span

    def local(self, variable: core.LocalVariable) -> str:
        found = self.names.get(variable)
        if found is None:
            found = self.names[variable] = python_name(variable.name, self.taken)
        return found

    # Expressions

    def expr(self, expr: core.Expr) -> LinePiece:
        match expr:
            case core.ConstForm(value):
                return LinePiece(self.shared.constant(value))
            case core.LocalRef(variable):
                if variable in self.functions or variable in self.copied:
                    raise NotPlainPython
                return LinePiece(self.local(variable))
            case core.IfForm():
                return self.choice(expr)
            case core.LetForm(((variable, value),)) if (rest := either(expr)) is not None:
                name = self.local(variable)
                bound = join(f"({name} if ({name} := ", self.expr(value), ") is not False else ")
                return join(bound, self.expr(rest), ")")
            case core.CallForm(function, arguments, span):
                return self.call(function, arguments, span)
        raise NotPlainPython

    def call(self, function: core.Expr, arguments: Sequence[core.Expr], span: Span) -> LinePiece:
        """A call whose value is needed."""
        match function:
            case core.PrimRef("dcall") if arguments and isinstance(arguments[0], core.GlobalRef):
                return self.call(arguments[0], arguments[1:], span)
            case core.PrimRef(op):
                self.shared.check_count(op, len(arguments))
                return self.invoke(self.shared.primitive(op), arguments, span)
            case core.GlobalRef(name):
                code = self.invoke(self.procedure_name(name, len(arguments)), arguments, span)
                return join("run(", code, ")") if name in self.shared.suspending else code
            case core.LocalRef(variable) if variable in self.functions:
                code = self.invoke(self.local(variable), arguments, span)
                return join("run(", code, ")") if self.name in self.shared.suspending else code
        raise NotPlainPython

    def procedure_name(self, name: str, count: int) -> str:
        """The Python name of a procedure that is called with that many arguments."""
        procedure = self.shared.procedures.get(name)
        if procedure is None or len(procedure.parameters) != count:
            raise NotPlainPython
        return self.shared.result.names[name]

    def invoke(self, name: str, arguments: Sequence[core.Expr], span: Span) -> LinePiece:
        code = join(f"{name}(", listed([self.expr(argument) for argument in arguments]), ")")
        return code if span is NOWHERE else LinePiece(code.text, ((0, span), *code.marks))

    def choice(self, expr: core.IfForm) -> LinePiece:
        """A conditional as an expression."""
        match expr:
            case core.IfForm(test, then, core.ConstForm(False)) if is_boolean(test):
                return join("(", self.expr(test), " and ", self.expr(then), ")")
            case core.IfForm(test, core.ConstForm(True), otherwise) if is_boolean(test):
                return join("(", self.expr(test), " or ", self.expr(otherwise), ")")
        arms = self.expr(expr.then), self.expr(expr.otherwise)
        return join("(", arms[0], " if ", self.test(expr.test), " else ", arms[1], ")")

    def test(self, expr: core.Expr) -> LinePiece:
        """An expression that is true for Python where it is true for the program."""
        match expr:
            case core.IfForm(test, then, core.ConstForm(False)):
                return join("(", self.test(test), " and ", self.test(then), ")")
            case core.IfForm(test, core.ConstForm(True), otherwise):
                return join("(", self.test(test), " or ", self.test(otherwise), ")")
            case core.IfForm(test, core.ConstForm(False), otherwise):
                return join("(not ", self.test(test), " and ", self.test(otherwise), ")")
            case core.CallForm(core.PrimRef("not"), (inner,)):
                return join("not ", self.test(inner))
        code = self.expr(expr)
        return code if is_boolean(expr) else join(code, " is not False")

    # Statements

    def statement(self, expr: core.Expr, place: _CodePlace) -> None:
        """Write code for an expression whose value goes where the place says."""
        while True:
            match expr:
                case core.LetForm(((variable, core.LambdaForm() as procedure),), body):
                    self.local_procedure(variable, procedure, place)
                    expr = body
                case core.LetForm(((variable, value),), body):
                    inner = _CodePlace(place.depth, target=self.local(variable))
                    self.statement(value, inner)
                    expr = body
                case core.SequenceForm(expressions):
                    for part in expressions[:-1]:
                        self.statement(part, _CodePlace(place.depth))
                    expr = expressions[-1]
                case core.LetrecForm(((variable, core.LambdaForm() as procedure),), body):
                    if self.loops(variable, procedure, body, place):
                        return
                    self.function(variable, procedure, place.depth)
                    expr = body
                case core.IfForm() if place.target is None or not self.is_simple(expr):
                    self.branch(expr, place)
                    return
                case core.SetLocal(variable, value):
                    self.statement(value, _CodePlace(place.depth, target=self.local(variable)))
                    expr = core.ConstForm(UNSPECIFIED, expr.span)
                case core.CallForm(function, arguments, span):
                    self.last_call(function, arguments, span, place)
                    return
                case _:
                    self.give(self.expr(expr), place)
                    return

    def is_simple(self, expr: core.Expr) -> bool:
        """Is it written as a Python expression?"""
        match expr:
            case core.ConstForm() | core.LocalRef():
                return True
            case core.IfForm(test, then, otherwise):
                return all(self.is_simple(part) for part in (test, then, otherwise))
            case core.CallForm(function, arguments):
                called = isinstance(function, core.PrimRef | core.GlobalRef)
                return called and all(self.is_simple(argument) for argument in arguments)
        return False

    def give(self, code: LinePiece, place: _CodePlace) -> None:
        """Put a value where it belongs."""
        if place.returns:
            self.line(place.depth, join("return ", code))
            return
        if place.target is not None:
            self.line(place.depth, join(f"{place.target} = ", code))
        elif code.marks or "(" in code.text:
            self.line(place.depth, code)
        elif not place.after:
            self.line(place.depth, "pass")
        if place.after:
            self.line(place.depth, place.after)

    def last_call(
        self, function: core.Expr, arguments: Sequence[core.Expr], span: Span, place: _CodePlace
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
                self.line(place.depth, join("return ", code))
                return
        if isinstance(function, core.GlobalRef) and place.returns:
            name = function.name
            if name == self.name and self.jumps(self.itself, arguments, place):
                return
            code = self.invoke(self.procedure_name(name, len(arguments)), arguments, span)
            if name == self.name:
                raise NotPlainPython
            if name in self.shared.cycles[self.name]:
                self.suspend(self.shared.result.names[name], arguments, place.depth)
            else:
                self.line(place.depth, join("return ", code))
            return
        self.give(self.call(function, arguments, span), place)

    def suspend(self, name: str, arguments: Sequence[core.Expr], depth: int) -> None:
        """Return a function that makes a call."""
        values = [self.expr(argument) for argument in arguments]
        names = [f"a{index}" for index in range(1, len(values) + 1)]
        bound = listed([join(f"{n}=", v) for n, v in zip(names, values, strict=True)])
        space = " " if names else ""
        self.line(depth, join(f"return lambda{space}", bound, f": {name}({', '.join(names)})"))

    def jumps(
        self, variable: core.LocalVariable, arguments: Sequence[core.Expr], place: _CodePlace
    ) -> bool:
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
        raise NotPlainPython

    def assign(
        self, variables: Sequence[core.LocalVariable], arguments: Sequence[core.Expr], depth: int
    ) -> None:
        """Bind variables to values, all at once."""
        if len(variables) != len(arguments):
            raise NotPlainPython
        pairs = [
            (self.local(variable), self.expr(argument))
            for variable, argument in zip(variables, arguments, strict=True)
        ]
        changed = [(name, code) for name, code in pairs if name != code.text]
        if changed:
            targets = ", ".join(name for name, _ in changed)
            self.line(depth, join(f"{targets} = ", listed([code for _, code in changed])))

    def branch(self, expr: core.IfForm, place: _CodePlace) -> None:
        test, then, otherwise = expr.test, expr.then, expr.otherwise
        code = self.test(test)
        if place.target is None and not place.leaves and _is_nothing(then):
            code, then, otherwise = join("not (", code, ")"), otherwise, then
        elif isinstance(test, core.IfForm):
            code = bare(code)
        self.line(place.depth, join("if ", code, ":"))
        self.statement(then, place.deeper)
        if place.leaves:
            self.statement(otherwise, place)
        elif place.target is not None or not _is_nothing(otherwise):
            self.line(place.depth, "else:")
            self.statement(otherwise, place.deeper)

    # Local procedures

    def local_procedure(
        self, variable: core.LocalVariable, procedure: core.LambdaForm, place: _CodePlace
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
            raise NotPlainPython

    def function(
        self, variable: core.LocalVariable, procedure: core.LambdaForm, depth: int
    ) -> None:
        """A Python function inside the function."""
        if procedure.rest is not None or any(
            isinstance(part, core.SetLocal) for part in parts(procedure.body)
        ):
            raise NotPlainPython
        self.functions.add(variable)
        names = ", ".join(self.local(parameter) for parameter in procedure.parameters)
        self.line(depth, f"def {self.local(variable)}({names}):")
        loop = _Loop(variable, procedure.parameters, False)
        if mentions_any(procedure.body, [variable]):
            self.rounds(procedure, _CodePlace(depth + 1, returns=True, loops=(loop,)))
        else:
            self.statement(procedure.body, _CodePlace(depth + 1, returns=True))

    def loops(
        self,
        variable: core.LocalVariable,
        procedure: core.LambdaForm,
        body: core.Expr,
        place: _CodePlace,
    ) -> bool:
        """Write (letrec ((l (lambda ...))) (l a ...)) as a `while`, if l is only called last."""
        match body:
            case core.CallForm(core.LocalRef(called), arguments) if called is variable:
                pass
            case _:
                return False
        if procedure.rest is not None or not only_last(procedure.body, variable):
            return False
        inner = place.loops if place.returns else ()
        if not place.returns and any(isinstance(p, core.LetrecForm) for p in parts(procedure.body)):
            return False
        self.assign(procedure.parameters, arguments, place.depth)
        loop = _Loop(variable, procedure.parameters, bool(inner))
        after = "" if place.returns else "break"
        self.rounds(procedure, replace(place, after=after, loops=(*inner, loop)))
        if variable in self.left:
            self.line(place.depth, "continue")
        elif place.after:
            self.line(place.depth, place.after)
        return True


def _is_nothing(expr: core.Expr) -> bool:
    """Is there nothing to do for its effect?"""
    return isinstance(expr, core.ConstForm)
