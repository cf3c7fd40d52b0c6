"""What reports, pages and C text need of a checked array program:
`cogen.array.programs.arrayprogram` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from cogen.array.l0 import tree
    from cogen.array.l0.arithmetic import Arithmetic
    from cogen.array.l0.facts import CheckedFacts
    from cogen.array.l0.types import Type
    from cogen.lang.errors import Source


class CheckedProgram(Protocol):
    """Its text, what the check found out, and its functions by name."""

    source: Source
    facts: CheckedFacts
    digest: str

    def function(self, entry: str) -> tree.FunctionDefinition:
        """A function; CogenError if there is none of that name."""

    def parameters(self, entry: str = "main") -> tuple[Type, ...]:
        """The declared types of a function's parameters."""

    def arithmetic(self, real: str, int: str, entry: str = "main") -> Arithmetic:
        """The arithmetic of two names, for a function."""
