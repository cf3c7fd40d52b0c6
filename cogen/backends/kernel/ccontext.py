"""What the rules for primitive operations see of the function being printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cogen.backends.ctree.values import CValue
from cogen.backends.kernel import structured as st
from cogen.lang import il


class RuleContext(Protocol):
    """What a rule needs of the function being printed."""

    word_size: int
    checked: bool

    def type_of(self, atom: il.Atom) -> str:
        """The type of an atom (int, float, ...)."""

    def value(self, atom: il.Atom) -> CValue:
        """The expression of an atom; may be used once."""

    def settled(self, atom: il.Atom) -> CValue:
        """A variable or a literal; may be used any number of times."""

    def settle(self, value: CValue) -> CValue:
        """A variable or a literal with that value."""

    def fail_if(self, test: CValue, operation: st.Op, *values: CValue) -> None:
        """Report the operation's failure on these settled values where the test is true."""

    def assigned(
        self, function: str, operation: st.Op, *arguments: CValue
    ) -> tuple[CValue, CValue]:
        """A variable that `function(arguments…, &variable)` assigns, and that call, a bool."""

    def do(self, value: CValue) -> None:
        """Evaluate a value for its effect alone."""

    def helper(self, name: str) -> str:
        """The name of a helper function, which is now printed with the program."""

    def words(self, atom: il.Atom) -> CValue:
        """How many words a buffer has."""


Rule = Callable[[RuleContext, st.Op], CValue]
"""Emits the checks of an operation and gives its value."""
