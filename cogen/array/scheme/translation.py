"""What the parts of the translation of one procedure ask of it (`cogen.array.scheme.body`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, Self

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, Type
from cogen.array.scheme.controlflow import Regions
from cogen.array.scheme.l0code import Code, Frame, Names
from cogen.array.scheme.objects import Objects, ObjectState
from cogen.array.scheme.symbolicvalues import Value
from cogen.array.scheme.typetext import Kinds
from cogen.array.scheme.versions import ProcedureVersions
from cogen.lang import il
from cogen.lang.errors import Span
from cogen.lang.prelude import in_prelude

Key = tuple[str, str, tuple[tuple[str, object], ...], tuple[Type, ...]]
"""A continuation, where its code ends, the variables that are known, the types of the others."""


@dataclass(slots=True, eq=False)
class SharedCode:
    """Code as a function, which gives so many values; without a definition it is none, or is
    being translated."""

    definition: tree.FunctionDefinition | None = None
    count: int = 0
    result: Type = BOOL
    """What it gives, with the names of records."""


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """What a body has translated at a place: see `Translation.save`."""

    env: dict[str, Value]
    names: set[str]
    constants: dict[int, tuple[Value, Frame]]
    shared: dict[Key, SharedCode]
    extents: dict[tuple[str, str], int]
    frames: int
    state: ObjectState


class Recursive(Exception):
    """The type of a call's result is needed to find it."""


class Translation(Protocol):
    """The translation of a procedure, with the lambdas and loops in it."""

    program: ProcedureVersions
    regions: Regions
    env: dict[str, Value]
    """What the variables of the IL stand for."""
    names: Names
    objects: Objects
    code: Code
    hint: str
    """What the program calls the result of the call that is translated, if anything."""
    heads: frozenset[str]
    """Continuations between the start of a loop that is left and its test: no loop begins."""
    taken_along: dict[str, Sequence[str]]
    """Variables whose values continuations are given, because they are bound on the way."""
    untyped: frozenset[str]
    """Continuations that cannot be gone on with yet: loops whose end is looked for."""
    widths: dict[str, int]
    """How many values the ends of rounds take."""
    sizes: dict[Value, list[Value]]
    """The sizes of arrays, as far as they were asked for."""
    escaping: list[Value]
    """What the functions of the operation that is translated give."""
    applying: tuple[str, Span] | None
    """The operation whose functions are translated."""
    extents: dict[tuple[str, str], int]
    """How many blocks it took from continuations on to others."""
    shared: dict[Key, SharedCode]

    @property
    def kinds(self) -> Kinds:
        """The record types of the program."""

    def width(self, name: str) -> int:
        """How many values a continuation takes."""

    def apart(self, end: str) -> Self:
        """What translates code that leads to `end`, but as a function of its own."""

    def closed(self, e: tree.Expression) -> tree.Expression:
        """The expression under all bindings and constants: the body of a function."""

    def parameters(
        self, names: Sequence[str], types: Sequence[Type], span: Span
    ) -> tuple[tree.Parameter, ...]:
        """Parameters of these types; tuples among them are taken apart."""

    def span(self, span: Span | None) -> Span:
        """A place of the program; that of the procedure for what comes from elsewhere."""

    def value(self, atom: il.Atom) -> Value:
        """What an atom stands for."""

    def current(self, value: Value, span: Span) -> Value:
        """What a value has become."""

    def save(self) -> Saved:
        """What there is to be come back to, if what follows is to be translated again."""

    def restore(self, saved: Saved) -> None:
        """Forget what was translated since."""

    def inner(self) -> Code:
        """Go on in new code; gives the one before, to be put back."""

    def block(self, block: il.Block, end: str) -> list[Value]:
        """What a block, and what it leads to, gives the continuation `end`."""

    def enter(self, cont: il.Cont, values: list[Value], end: str) -> list[Value]:
        """What a continuation gives `end`, in code of its own."""

    def go_on(self, name: str, values: list[Value], along: Sequence[str], end: str) -> list[Value]:
        """Continue with values, the last of which are those of variables that came along."""

    def taking_along(self, names: Sequence[str], end: str) -> AbstractContextManager[None]:
        """What gets to `end` gives it the values of these variables, besides its own."""

    def deciding(self, tail: il.If, arm: il.Block) -> AbstractContextManager[None]:
        """A conditional takes this arm."""

    def hints(self, name: str) -> list[str]:
        """What the program calls the values that a continuation takes."""

    def primitive(self, op: str, values: Sequence[Value], span: Span, hint: str = "t") -> Value:
        """What a primitive gives."""

    def operation(self, let: il.Let) -> Value:
        """What an operation gives."""

    def call(self, function: Value, values: list[Value], span: Span) -> Value:
        """What a call gives."""

    def procedure_of(self, name: str, span: Span) -> il.Function:
        """The residual procedure of that name."""

    def function(
        self, value: Value, types: Sequence[Type], span: Span, expected: Type | None = None
    ) -> tuple[tree.Function, Type]:
        """A procedure as the function of a combinator, applied to such types; its result's type."""


def outside_prelude(span: Span | None, otherwise: Span) -> Span:
    """A place of the program: another one for what comes from the prelude, or from nowhere."""
    return otherwise if span is None or in_prelude(span) else span
