"""Structured first-order code: what lies between the IL and C.

    procedure ::= KernelProcedure(name, parameters, body)
    statement ::= Op(x, op, (a ...))                x = a primitive operation
                | KernelCall(x | None, g, (a ...))  x = a call of a procedure that returns
                | Move(((x, a) ...))                simultaneous assignment
                | Branch(a, body, body)
                | KernelLoop(label, (x ...), body)  goes round until something leaves it
                | Again(label) | Leave(label)       next round of, or end of, the innermost loop
                | Goto(label) | Mark(label)         where structure fails
                | KernelResult(a | None)            return a value
                | Finish(g, (a ...))                return what a procedure returns
                | KernelFailure(op, (a ...))        an operation that never returns (`error`)
    body      ::= [statement ...]

An atom is one of `lang.il`: Var or Const.  The parameters of a loop or a join are variables
that `Move`s assign; every other variable is assigned once.  Falling off the end of a loop's
body starts its next round; a procedure's body never falls off its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cogen.lang import il
from cogen.lang.errors import Span

if TYPE_CHECKING:
    from cogen.backends.kernel.bounds import CountingLoop


@dataclass(slots=True, eq=False)
class Op:
    name: str
    op: str
    arguments: tuple[il.Atom, ...]
    span: Span | None


@dataclass(slots=True, eq=False)
class KernelCall:
    name: str | None
    function: str
    arguments: tuple[il.Atom, ...]
    span: Span | None


@dataclass(slots=True, eq=False)
class Move:
    pairs: tuple[tuple[str, il.Atom], ...]


@dataclass(slots=True, eq=False)
class Branch:
    test: il.Atom
    then: list[Statement]
    otherwise: list[Statement]
    span: Span | None


@dataclass(slots=True, eq=False)
class KernelLoop:
    """`name` is what people called the loop; `head` tells that the body is operations and then
    one `Branch` whose one arm is just `Leave`, and that nothing else leaves through it."""

    label: str
    parameters: tuple[str, ...]
    body: list[Statement]
    head: bool
    name: str = ""
    span: Span | None = None
    counted: CountingLoop | None = None
    """How it is counted, once that is known; the counter's steps are then no `Move`s."""


@dataclass(slots=True, eq=False)
class Labelled:
    """What goes to a loop or a mark, by its label, or is one."""

    label: str


class Again(Labelled):
    """The next iteration of a loop around it."""

    __slots__ = ()


class Leave(Labelled):
    """On behind a loop around it."""

    __slots__ = ()


class Goto(Labelled):
    """On at a mark."""

    __slots__ = ()


class Mark(Labelled):
    """Where a `Goto` goes to."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class KernelResult:
    """The procedure ends with a value, if it has one."""

    value: il.Atom | None
    span: Span | None = None


@dataclass(slots=True, eq=False)
class Finish:
    function: str
    arguments: tuple[il.Atom, ...]
    span: Span | None


@dataclass(slots=True, eq=False)
class KernelFailure:
    op: str
    arguments: tuple[il.Atom, ...]
    span: Span | None


Statement = (
    Op
    | KernelCall
    | Move
    | Branch
    | KernelLoop
    | Again
    | Leave
    | Goto
    | Mark
    | KernelResult
    | Finish
    | KernelFailure
)
Body = list[Statement]


@dataclass(slots=True, eq=False)
class KernelProcedure:
    """One procedure of the program; `label` is its source name."""

    name: str
    parameters: tuple[str, ...]
    body: Body
    span: Span | None = None
    label: str = ""
    jumped: frozenset[str] = field(default=frozenset())
    """The labels that a `Goto` goes to."""


def walk(body: Body) -> Iterator[Statement]:
    """All statements of a body, outer before inner, in textual order."""
    work: list[Statement] = list(reversed(body))
    while work:
        statement = work.pop()
        yield statement
        if isinstance(statement, Branch):
            work.extend(reversed(statement.otherwise))
            work.extend(reversed(statement.then))
        elif isinstance(statement, KernelLoop):
            work.extend(reversed(statement.body))


def inner_bodies(body: Body) -> Iterator[Body]:
    """The bodies directly inside the statements of a body."""
    for statement in body:
        if isinstance(statement, Branch):
            yield statement.then
            yield statement.otherwise
        elif isinstance(statement, KernelLoop):
            yield statement.body


def used(statement: Statement) -> tuple[il.Atom, ...]:
    """The atoms that the statement itself (not a statement inside it) reads."""
    match statement:
        case Op(arguments=arguments) | KernelCall(arguments=arguments):
            return arguments
        case Finish(arguments=arguments) | KernelFailure(arguments=arguments):
            return arguments
        case Move(pairs):
            return tuple(atom for _, atom in pairs)
        case Branch(test=test):
            return (test,)
        case KernelResult(value=value) if value is not None:
            return (value,)
    return ()


def assigned(statement: Statement) -> tuple[str, ...]:
    """The variables that the statement itself assigns."""
    match statement:
        case Op(name=name):
            return (name,)
        case KernelCall(name=name) if name is not None:
            return (name,)
        case Move(pairs):
            return tuple(name for name, _ in pairs)
    return ()


def falls(body: Body) -> bool:
    """Whether control may go past the end of the body."""
    while body:
        last = body[-1]
        match last:
            case Again() | Leave() | Goto() | KernelResult() | Finish() | KernelFailure():
                return False
            case KernelLoop():
                return any(isinstance(s, Leave) and s.label == last.label for s in walk(last.body))
            case Branch(then=then, otherwise=otherwise):
                if falls(then):
                    return True
                body = otherwise
            case _:
                return True
    return True
