"""What the rules for primitive operations see of the function being printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cogen.backends.ctree.values import Value
from cogen.backends.kernel import structured as st
from cogen.lang import il


class RuleContext(Protocol):
    """What a rule needs of the function being printed."""

    word_size: int
    checked: bool

    def type_of(self, atom: il.Atom) -> str:
        """The type of an atom (int, float, ...)."""

    def value(self, atom: il.Atom) -> Value:
        """The expression of an atom; may be used once."""

    def settled(self, atom: il.Atom) -> Value:
        """A variable or a literal; may be used any number of times."""

    def settle(self, value: Value) -> Value:
        """A variable or a literal with that value."""

    def fail_if(self, test: Value, operation: st.Op, *values: Value) -> None:
        """Report the operation's failure on these settled values where the test is true."""

    def assigned(self, function: str, operation: st.Op, *arguments: Value) -> tuple[Value, Value]:
        """A variable that `function(arguments…, &variable)` assigns, and that call, a bool."""

    def do(self, value: Value) -> None:
        """Evaluate a value for its effect alone."""

    def helper(self, name: str) -> str:
        """The name of a helper function, which is now printed with the program."""

    def words(self, atom: il.Atom) -> Value:
        """How many words a buffer has."""


Rule = Callable[[RuleContext, st.Op], Value]
"""Emits the checks of an operation and gives its value."""
