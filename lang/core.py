"""Core: the language after expansion.

    program ::= CoreProgram(forms)
    form    ::= DefineForm(name, expr) | ExpressionForm(expr)
    expr    ::= ConstForm(datum) | LocalRef(variable) | GlobalRef(name) | PrimRef(name)
              | LambdaForm(parameters, rest, body, name) | IfForm(test, then, else)
              | SetLocal(variable, expr) | SetGlobal(name, expr)
              | LetForm((variable expr) ..., body) | LetrecForm((variable expr) ..., body)
              | CallForm(function, arguments) | SequenceForm(exprs)

Scope is resolved: a `LocalVariable` is an object, compared by identity; a global is a unique name
(libraries' globals are renamed apart where they would clash with the program's; the program's
own keep their names); a primitive that no definition shadows is a `PrimRef`.  `LetrecForm`
evaluates and binds in order (`letrec*`).  Every node has the span of the source form it came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from cogen.lang.datum import Datum, RecordType
from cogen.lang.errors import Source, Span
from cogen.lang.node import node


@final
@dataclass(slots=True, eq=False)
class LocalVariable:
    """A local variable: its source name, and whether a `set!` anywhere assigns it."""

    name: str
    assigned: bool = False


@final
@node
class ConstForm:
    value: Datum
    span: Span


@final
@node
class LocalRef:
    variable: LocalVariable
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
class LambdaForm:
    """A procedure; `name` is what it was defined as (a hint for people), or `lambda`.

    `cases` are what the clauses of a `case-lambda` take: so many arguments, and whether also more.
    """

    parameters: tuple[LocalVariable, ...]
    rest: LocalVariable | None
    body: Expr
    name: str
    span: Span
    cases: tuple[tuple[int, bool], ...] = ()


@final
@node
class IfForm:
    test: Expr
    then: Expr
    otherwise: Expr
    span: Span


@final
@node
class SetLocal:
    variable: LocalVariable
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
class LetForm:
    bindings: tuple[tuple[LocalVariable, Expr], ...]
    body: Expr
    span: Span


@final
@node
class LetrecForm:
    bindings: tuple[tuple[LocalVariable, Expr], ...]
    body: Expr
    span: Span


@final
@node
class CallForm:
    function: Expr
    arguments: tuple[Expr, ...]
    span: Span


@final
@node
class SequenceForm:
    """At least one expression, evaluated in order; the last gives the value."""

    expressions: tuple[Expr, ...]
    span: Span


Expr = (
    ConstForm | LocalRef | GlobalRef | PrimRef | LambdaForm | IfForm | SetLocal | SetGlobal
    | LetForm | LetrecForm | CallForm | SequenceForm
)  # fmt: skip


@final
@node
class DefineForm:
    """A top-level definition."""

    name: str
    value: Expr
    span: Span


@final
@node
class ExpressionForm:
    """A top-level expression."""

    value: Expr
    span: Span


@node
class CoreProgram:
    """A whole program, libraries first; `assigned` are the globals that some `set!` assigns
    (or that are defined twice)."""

    forms: tuple[DefineForm | ExpressionForm, ...]
    assigned: frozenset[str]
    source: Source
    own_globals: frozenset[str] = field(default=frozenset())
    """The globals that the program itself (not a library) defines, by their source names."""
    records: tuple[RecordType, ...] = ()
    """The record types that definitions in scope of the program make."""
