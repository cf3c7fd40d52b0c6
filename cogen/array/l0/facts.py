"""What the check found out about a program, beside its tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cogen.array.l0 import tree
from cogen.array.l0.declarations import Constructor
from cogen.array.l0.types import Type
from cogen.lang.errors import Span
from cogen.lang.shown import listed


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A variable: what one name in a pattern, a parameter list or a loop binds."""

    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Applied:
    """How a combinator applies a function operand.

    `parameters` are the ones left after currying. Where `unpacks`, the one argument is a tuple
    that is passed part by part.
    """

    parameters: tuple[Type, ...]
    result: Type
    unpacks: bool


@dataclass(frozen=True, slots=True)
class CheckedFacts:
    """What the check found out, by node."""

    program: tree.L0Program
    definitions: dict[str, tree.FunctionDefinition]
    types: dict[tree.Expression, Type] = field(default_factory=dict)
    bindings: dict[tree.Name, Binding] = field(default_factory=dict)
    """Of every name of a variable, where it is bound and where it is used."""
    applied: dict[tree.Function, Applied] = field(default_factory=dict)
    constructors: dict[str, Constructor] = field(default_factory=dict)
    words: Mapping[str, tuple[int, Type]] = field(default_factory=dict)
    """Functions that are defined elsewhere, of operands of any types: how many, and their result's
    (`cogen.staging.kindprograms`)."""
    written: tree.L0Program | None = None
    """The program as it was written, if that has records or unions, and this one tuples."""

    def __repr__(self) -> str:
        return f"<what is known of {self.program.source.name}: {listed([*self.definitions])}>"
