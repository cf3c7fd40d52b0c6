"""Core -> the small language that the specializer in the language takes.

    program    ::= ((name (variable ...) body) ...)
    body, e    ::= (var x) | (quote datum) | (if e e e) | (let x e e) | (prim op e ...)
                 | (call name e ...) | (lambda (x ...) e) | (app e e ...) | (lift e)

Programs are data of the language.  Variables are symbols, unique in the whole program.  On the
way, local procedures that `letrec`, a named `let` or an inner `define` makes become procedures
of the program, with their free variables as parameters before their own (lambda lifting);
primitives of many arguments become nested ones; a procedure of the library that is none of
`PRIMITIVES` is copied for each call, so that each call has binding times of its own.

What has no place in the small language (assignment, rest parameters, continuations, output,
vectors, ...) is refused with a `LimitationError` at its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from cogen.mix.operations import PRIMITIVES, SAME
from lang import core, prims
from lang.datum import Datum, Symbol, from_iterable, symbol
from lang.deep import on_deep_stack
from lang.errors import LimitationError, Source, Span
from lang.expand import expand
from lang.files import read_source

_HINT: Final = "docs/futamura.md says what programs for the specializer in the language may use"


def load(path: Path, library_path: Iterable[Path] = ()) -> Datum:
    """The program of a file in the small language; CogenError for whatever is wrong with it."""
    return convert(expand(read_source(path), tuple(library_path)))


def loads(text: str, name: str = "<string>", library_path: Iterable[Path] = ()) -> Datum:
    """The program of a text in the small language; diagnostics call it `name`."""
    return convert(expand(Source(name, text), tuple(library_path)))


def convert(program: core.Program) -> Datum:
    """A program in the small language; LimitationError for what has no place in it."""
    return on_deep_stack(lambda: _Conversion(program).run())


@dataclass(frozen=True, slots=True)
class _Lifted:
    """A local procedure that became one of the program, called with these variables first."""

    name: str
    extra: tuple[core.Variable, ...]
    arity: int


_Place = Symbol | _Lifted
_Env = Mapping[core.Variable, _Place]


def _list(*items: Datum) -> Datum:
    return from_iterable(items)


def _quote(datum: Datum) -> Datum:
    return _list(symbol("quote"), datum)


def _prim(op: str, *arguments: Datum) -> Datum:
    return _list(symbol("prim"), symbol(op), *arguments)


def _call(name: str, arguments: Iterable[Datum]) -> Datum:
    return _list(symbol("call"), symbol(name), *arguments)


class _Conversion:
    """One program on its way."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.definitions = {
            form.name: form for form in program.forms if isinstance(form, core.Define)
        }
        self.functions: list[Datum] = []
        self.names: dict[str, int] = dict.fromkeys(program.own_globals, 1)
        self.variables: dict[str, int] = {}
        self.copies: dict[str, str] = {}
        """Procedures of the library that are being copied, and their names in the copy."""
        self.place: Span | None = None
        """The place in the program of the call whose library procedure is being copied."""

    def run(self) -> Datum:
        """All procedures of the program; those that lifting made follow in order of discovery."""
        self.copies = {}
        for form in self.program.forms:
            if isinstance(form, core.Expression):
                raise self.refuse("an expression at the top level", form.span)
            if form.name not in self.program.own_globals:
                continue
            if form.name in self.program.assigned:
                raise self.refuse("assignment, or a second definition,", form.span)
            match form.value:
                case core.Lambda() as procedure:
                    self.procedure(form.name, procedure, {}, ())
                case core.Const():
                    continue  # its uses are constants
                case value:
                    self.functions.append(_list(symbol(form.name), _list(), self.expr(value, {})))
        return from_iterable(self.functions)

    def refuse(self, what: str, span: Span) -> LimitationError:
        """The diagnostic of something outside the small language."""
        return LimitationError(
            f"{what} is outside the subset of the specializer in the language",
            self.place or span,
            _HINT,
        )

    def new_variable(self, name: str) -> Symbol:
        """A name that no other variable of the program has."""
        base = name.split("%")[0] or "v"
        count = self.variables.get(base, 0) + 1
        self.variables[base] = count
        return symbol(base if count == 1 else f"{base}%{count}")

    def new_name(self, name: str) -> str:
        """A name that no other procedure of the program has."""
        base = name.split("%")[0] or "f"
        while True:
            count = self.names.get(base, 0) + 1
            self.names[base] = count
            made = base if count == 1 else f"{base}%{count}"
            if count == 1 or made not in self.names:
                return made

    def procedure(
        self, name: str, procedure: core.Lambda, env: _Env, extra: tuple[core.Variable, ...]
    ) -> None:
        """Add a procedure; `extra` are the free variables that it takes first."""
        if procedure.rest is not None:
            raise self.refuse("a rest parameter", procedure.span)
        inner: dict[core.Variable, _Place] = {
            v: place for v, place in env.items() if isinstance(place, _Lifted)
        }
        names = []
        for parameter in (*extra, *procedure.parameters):
            made = self.new_variable(parameter.name)
            inner[parameter] = made
            names.append(made)
        at = len(self.functions)
        self.functions.append(None)  # keeps the place before those that the body lifts
        body = self.expr(procedure.body, inner)
        self.functions[at] = _list(symbol(name), _list(*names), body)

    def expr(self, expr: core.Expr, env: _Env) -> Datum:
        """An expression in the small language."""
        match expr:
            case core.Const(value):
                return _quote(value)
            case core.LocalRef(variable, span):
                place = self.find(variable, env, span)
                if isinstance(place, Symbol):
                    return _list(symbol("var"), place)
                return self.eta(place.arity, lambda xs: self.call_lifted(place, xs, env, span))
            case core.If(core.Const(value), then, otherwise):
                return self.expr(otherwise if value is False else then, env)
            case core.If(test, then, otherwise):
                parts = (self.expr(part, env) for part in (test, then, otherwise))
                return _list(symbol("if"), *parts)
            case core.Let(bindings, body):
                return self.let(list(bindings), body, env)
            case core.Letrec(bindings, body):
                return self.letrec(bindings, body, env)
            case core.Lambda():
                return self.closure(expr, env)
            case core.Seq(expressions):
                *first, last = expressions
                result = self.expr(last, env)
                for part in reversed(first):
                    value = self.expr(part, env)
                    result = _list(symbol("let"), self.new_variable("_"), value, result)
                return result
            case core.Call(function, arguments, span):
                return self.call(function, arguments, env, span)
            case core.GlobalRef(name, span):
                return self.global_value(name, env, span)
            case core.PrimRef(name, span):
                return self.primitive_value(name, span)
            case core.SetLocal() | core.SetGlobal():
                raise self.refuse("assignment", expr.span)
        raise TypeError(expr)

    def find(self, variable: core.Variable, env: _Env, span: Span) -> _Place:
        if variable not in env:
            raise self.refuse(f"the use of `{variable.name}` before its definition", span)
        return env[variable]

    def closure(self, expr: core.Lambda, env: _Env) -> Datum:
        if expr.rest is not None:
            raise self.refuse("a rest parameter", expr.span)
        inner = dict(env)
        names = [self.new_variable(parameter.name) for parameter in expr.parameters]
        inner.update(zip(expr.parameters, names, strict=True))
        return _list(symbol("lambda"), _list(*names), self.expr(expr.body, inner))

    def let(
        self,
        bindings: list[tuple[core.Variable, core.Expr]],
        body: core.Expr,
        env: _Env,
    ) -> Datum:
        """Bindings, which may stand one in another since all names differ."""
        inner = dict(env)
        made: list[tuple[Symbol, Datum]] = []
        for variable, value in bindings:
            name = self.new_variable(variable.name)
            made.append((name, self.expr(value, env)))
            inner[variable] = name
        result = self.expr(body, inner)
        for name, bound in reversed(made):
            result = _list(symbol("let"), name, bound, result)
        return result

    def letrec(
        self,
        bindings: tuple[tuple[core.Variable, core.Expr], ...],
        body: core.Expr,
        env: _Env,
    ) -> Datum:
        """Local procedures are lifted; other bindings are made in order."""
        procedures = {v: e for v, e in bindings if isinstance(e, core.Lambda)}
        inner: dict[core.Variable, _Place] = dict(env)
        for variable, extra in self.extras(procedures, env).items():
            name = self.new_name(variable.name)
            inner[variable] = _Lifted(name, extra, len(procedures[variable].parameters))
        for variable, procedure in procedures.items():
            place = inner[variable]
            assert isinstance(place, _Lifted)
            self.procedure(place.name, procedure, inner, place.extra)
        made: list[tuple[Symbol, Datum]] = []
        for variable, value in bindings:
            if variable not in procedures:
                bound = self.expr(value, inner)
                name_ = self.new_variable(variable.name)
                inner[variable] = name_
                made.append((name_, bound))
        result = self.expr(body, inner)
        for name_, bound in reversed(made):
            result = _list(symbol("let"), name_, bound, result)
        return result

    def extras(
        self, procedures: Mapping[core.Variable, core.Lambda], env: _Env
    ) -> dict[core.Variable, tuple[core.Variable, ...]]:
        """The variables that lifted procedures need beside their own, in order of appearance."""
        needs: dict[core.Variable, dict[core.Variable, None]] = {}
        calls: dict[core.Variable, list[core.Variable]] = {}
        for variable, procedure in procedures.items():
            free = free_variables(procedure)
            calls[variable] = [other for other in free if other in procedures]
            needs[variable] = {}
            for other in free:
                place = env.get(other)
                if isinstance(place, _Lifted):
                    needs[variable].update(dict.fromkeys(place.extra))
                elif other not in procedures:
                    needs[variable][other] = None
        changed = True
        while changed:
            changed = False
            for variable, others in calls.items():
                before = len(needs[variable])
                for other in others:
                    needs[variable].update(needs[other])
                changed = changed or len(needs[variable]) > before
        return {variable: tuple(found) for variable, found in needs.items()}

    def call(
        self, function: core.Expr, arguments: tuple[core.Expr, ...], env: _Env, span: Span
    ) -> Datum:
        match function:
            case core.Lambda(parameters, None, body) if len(parameters) == len(arguments):
                return self.let(list(zip(parameters, arguments, strict=True)), body, env)
            case core.PrimRef(name):
                return self.operation(name, [self.expr(a, env) for a in arguments], span)
            case core.GlobalRef(name) if name not in self.program.own_globals:
                return self.call_of_library(name, [self.expr(a, env) for a in arguments], span)
            case core.GlobalRef(name) if self.is_procedure(name):
                return _call(name, [self.expr(a, env) for a in arguments])
            case core.LocalRef(variable, place_span):
                place = self.find(variable, env, place_span)
                if isinstance(place, _Lifted):
                    if len(arguments) != place.arity:
                        raise self.refuse("a call with a wrong number of arguments", span)
                    values = [self.expr(a, env) for a in arguments]
                    return self.call_lifted(place, values, env, span)
        called = self.expr(function, env)
        return _list(symbol("app"), called, *(self.expr(a, env) for a in arguments))

    def call_lifted(
        self, place: _Lifted, arguments: Iterable[Datum], env: _Env, span: Span
    ) -> Datum:
        extra = []
        for variable in place.extra:
            found = self.find(variable, env, span)
            assert isinstance(found, Symbol)
            extra.append(_list(symbol("var"), found))
        return _call(place.name, [*extra, *arguments])

    def is_procedure(self, name: str) -> bool:
        return isinstance(self.definitions[name].value, core.Lambda)

    def global_value(self, name: str, env: _Env, span: Span) -> Datum:
        """A global that is not called: a constant, or a procedure as a value."""
        if name not in self.program.own_globals:
            if name in PRIMITIVES or name in SAME:
                return self.primitive_value(name, span)
            procedure = self.procedure_of_library(name, span)
            arity = len(procedure.parameters)
            return self.eta(arity, lambda xs: self.call_of_library(name, list(xs), span))
        value = self.definitions[name].value
        if isinstance(value, core.Lambda):
            return self.eta(len(value.parameters), lambda xs: _call(name, xs))
        if isinstance(value, core.Const):
            return _quote(value.value)
        return _call(name, [])

    def eta(self, arity: int, body: object) -> Datum:
        """`(lambda (x ...) body)`, of as many parameters; `body` makes it of their uses."""
        assert callable(body)
        names = [self.new_variable("x") for _ in range(arity)]
        uses = [_list(symbol("var"), name) for name in names]
        return _list(symbol("lambda"), _list(*names), body(uses))

    def primitive_value(self, name: str, span: Span) -> Datum:
        """A primitive as a value."""
        name = SAME.get(name, name)
        if name not in PRIMITIVES:
            raise self.refuse(f"`{name}` as a value", span)
        return self.eta(PRIMITIVES[name], lambda xs: _prim(name, *xs))

    def operation(self, name: str, arguments: list[Datum], span: Span) -> Datum:
        """A primitive with the number of arguments that the small language wants."""
        name = SAME.get(name, name)
        if name == "lift" and len(arguments) == 1:
            return _list(symbol("lift"), arguments[0])
        if name == "error" and arguments:
            return _prim("error", *arguments)
        if name not in PRIMITIVES:
            raise self.refuse(f"`{name}`", span)
        arity = PRIMITIVES[name]
        if len(arguments) == arity:
            return _prim(name, *arguments)
        row = prims.PRIMITIVES.get(name)
        fold = row.fold if row is not None else None
        if fold == "left" and row is not None:
            return self.left_fold(name, arguments, row)
        if fold == "chain" and len(arguments) > arity:
            return self.chain(name, arguments)
        raise self.refuse(f"`{name}` of {len(arguments)} arguments", span)

    def left_fold(self, name: str, arguments: list[Datum], row: prims.Primitive) -> Datum:
        if not arguments:
            return _quote(row.identity)
        if len(arguments) == 1:
            first = arguments[0] if row.unit is None else _quote(row.unit)
            return _prim(name, first, arguments[0])
        result = arguments[0]
        for argument in arguments[1:]:
            result = _prim(name, result, argument)
        return result

    def chain(self, name: str, arguments: list[Datum]) -> Datum:
        """`(< a b c)`: all arguments are evaluated, then neighbours are compared."""
        names = [self.new_variable("x") for _ in arguments]
        uses = [_list(symbol("var"), x) for x in names]
        result = _prim(name, uses[-2], uses[-1])
        for left, right in reversed(list(pairwise(uses[:-1]))):
            result = _list(symbol("if"), _prim(name, left, right), result, _quote(False))
        for x, argument in reversed(list(zip(names, arguments, strict=True))):
            result = _list(symbol("let"), x, argument, result)
        return result

    def call_of_library(self, name: str, arguments: list[Datum], span: Span) -> Datum:
        """A call of a procedure that comes with the language."""
        if name == "list":
            result = _quote(from_iterable(()))
            for argument in reversed(arguments):
                result = _prim("cons", argument, result)
            return result
        if name == "append" and len(arguments) != 2:
            result = arguments[-1] if arguments else _quote(from_iterable(()))
            for argument in reversed(arguments[:-1]):
                result = _prim("append", argument, result)
            return result
        if name[0] == "c" and name[-1] == "r" and set(name[1:-1]) <= {"a", "d"} and name[1:-1]:
            if len(arguments) != 1:
                raise self.refuse(f"`{name}` of {len(arguments)} arguments", span)
            result = arguments[0]
            for letter in reversed(name[1:-1]):
                result = _prim(f"c{letter}r", result)
            return result
        if name == "map" and len(arguments) == 2:
            name = "%map"
        if SAME.get(name, name) in PRIMITIVES:
            return self.operation(name, arguments, span)
        procedure = self.procedure_of_library(name, span)
        if len(arguments) != len(procedure.parameters):
            raise self.refuse(f"`{name}` of {len(arguments)} arguments", span)
        return _call(self.copy(name, procedure, span), arguments)

    def procedure_of_library(self, name: str, span: Span) -> core.Lambda:
        value = self.definitions[name].value
        if not isinstance(value, core.Lambda) or value.rest is not None:
            raise self.refuse(f"`{name.lstrip('%')}`", span)
        return value

    def copy(self, name: str, procedure: core.Lambda, span: Span) -> str:
        """The name of a copy of a library procedure: a new one, or within itself the same."""
        if name in self.copies:
            return self.copies[name]
        made = self.new_name(name.lstrip("%"))
        outermost = self.place is None
        self.place = self.place or span
        self.copies[name] = made
        try:
            self.procedure(made, procedure, {}, ())
        finally:
            del self.copies[name]
            if outermost:
                self.place = None
        return made


def free_variables(expr: core.Expr) -> dict[core.Variable, None]:
    """The free local variables of an expression, in order of appearance."""
    found: dict[core.Variable, None] = {}
    bound: set[core.Variable] = set()
    work: list[core.Expr] = [expr]
    while work:  # variables are objects of their own, so binding and use may come in any order
        match work.pop():
            case core.LocalRef(variable):
                found[variable] = None
            case core.Lambda(parameters, rest, body):
                bound.update(parameters)
                if rest is not None:
                    bound.add(rest)
                work.append(body)
            case core.If(test, then, otherwise):
                work += (otherwise, then, test)
            case core.Let(bindings, body) | core.Letrec(bindings, body):
                bound.update(variable for variable, _ in bindings)
                work.append(body)
                work += (value for _, value in reversed(bindings))
            case core.Call(function, arguments):
                work += reversed(arguments)
                work.append(function)
            case core.Seq(expressions):
                work += reversed(expressions)
            case core.SetLocal(variable, value):
                found[variable] = None
                work.append(value)
            case core.SetGlobal(_, value):
                work.append(value)
            case _:
                pass
    return {variable: None for variable in found if variable not in bound}
