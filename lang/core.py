"""Core: the language after expansion.

    program ::= Program(forms)
    form    ::= Define(name, expr) | Expression(expr)
    expr    ::= Const(datum) | LocalRef(variable) | GlobalRef(name) | PrimRef(name)
              | Lambda(parameters, rest, body, name) | If(test, then, else)
              | SetLocal(variable, expr) | SetGlobal(name, expr)
              | Let((variable expr) ..., body) | Letrec((variable expr) ..., body)
              | Call(function, arguments) | Seq(exprs)

Scope is resolved: a `Variable` is an object, compared by identity; a global is a unique name
(libraries' globals are renamed apart where they would clash with the program's; the program's
own keep their names); a primitive that no definition shadows is a `PrimRef`.  `Letrec` evaluates
and binds in order (`letrec*`).  Every node has the span of the source form it came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from cogen.lang.datum import Datum, RecordType
from cogen.lang.errors import Source, Span
from cogen.lang.node import node


@final
@dataclass(slots=True, eq=False)
class Variable:
    """A local variable: its source name, and whether a `set!` anywhere assigns it."""

    name: str
    assigned: bool = False


@final
@node
class Const:
    value: Datum
    span: Span


@final
@node
class LocalRef:
    variable: Variable
    span: Span


@final
@node
class GlobalRef:
    name: str
    span: Span


@final
@node
class PrimRef:
    name: str
    span: Span


@final
@node
class Lambda:
    """A procedure; `name` is what it was defined as (a hint for people), or `lambda`.

    `cases` are what the clauses of a `case-lambda` take: so many arguments, and whether also more.
    """

    parameters: tuple[Variable, ...]
    rest: Variable | None
    body: Expr
    name: str
    span: Span
    cases: tuple[tuple[int, bool], ...] = ()


@final
@node
class If:
    test: Expr
    then: Expr
    otherwise: Expr
    span: Span


@final
@node
class SetLocal:
    variable: Variable
    value: Expr
    span: Span


@final
@node
class SetGlobal:
    name: str
    value: Expr
    span: Span


@final
@node
class Let:
    bindings: tuple[tuple[Variable, Expr], ...]
    body: Expr
    span: Span


@final
@node
class Letrec:
    bindings: tuple[tuple[Variable, Expr], ...]
    body: Expr
    span: Span


@final
@node
class Call:
    function: Expr
    arguments: tuple[Expr, ...]
    span: Span


@final
@node
class Seq:
    """At least one expression, evaluated in order; the last gives the value."""

    expressions: tuple[Expr, ...]
    span: Span


Expr = (
    Const | LocalRef | GlobalRef | PrimRef | Lambda | If | SetLocal | SetGlobal | Let | Letrec
    | Call | Seq
)  # fmt: skip


@final
@node
class Define:
    """A top-level definition."""

    name: str
    value: Expr
    span: Span


@final
@node
class Expression:
    """A top-level expression."""

    value: Expr
    span: Span


@node
class Program:
    """A whole program, libraries first; `assigned` are the globals that some `set!` assigns
    (or that are defined twice)."""

    forms: tuple[Define | Expression, ...]
    assigned: frozenset[str]
    source: Source
    own_globals: frozenset[str] = field(default=frozenset())
    """The globals that the program itself (not a library) defines, by their source names."""
    records: tuple[RecordType, ...] = ()
    """The record types that definitions in scope of the program make."""
