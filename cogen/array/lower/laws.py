"""Laws of functions, applied where calls are lowered (smart constructors, seed 002, "symbolic
optimizations"): before a call becomes the body of its function.

    law mul(m, identity(n)) = m          mul(a, identity(3))  ->  a

What a value was made by is remembered by its leaves, so that laws see through variables, tuples
and functions.  The body of an inner call has been lowered when the outer one is looked at; what
nothing needs of it any more goes away, but not its checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.ir.node import Node
from cogen.array.l0 import tree
from cogen.array.l0.facts import CheckedFacts
from cogen.array.lower.value import Value

Call = tuple[str, tuple[Value, ...]]
Variable = tuple[tree.Name, Value]

MOST: Final = 200
"""How many laws may be within each other,"""
MOST_APPLIED: Final = 20_000
"""and how many may be applied: programs of thousands of calls have no more uses for them."""


class Laws:
    """The laws of a program, and what values were made by."""

    def __init__(self, facts: CheckedFacts, take: Callable[[], bool] | None) -> None:
        self.take = take
        """Counts a step, if it may be made."""
        self.by_name: dict[str, list[tree.Law]] = {}
        self.heads: set[str] = set()
        """The functions that patterns look for in arguments."""
        for law in facts.program.laws:
            self.by_name.setdefault(law.pattern.function.text, []).append(law)
            self._note(law.pattern.arguments)
        self.depth = 0
        self._applied = 0
        self.made: dict[tuple[Node, ...], Call] = {}

    def _note(self, arguments: Sequence[tree.Expression]) -> None:
        for e in arguments:
            if isinstance(e, tree.CallExpression):
                self.heads.add(e.function.text)
                self._note(e.arguments)

    def remember(self, name: str, arguments: Sequence[Value], result: Value) -> None:
        """That a call gave a value.  Constants are what they are, whichever calls give them: if 1
        were minus(-1), and -1 were add(1, -2), laws would take them apart for ever."""
        known = all(leaf.is_known for leaf in result.leaves)
        if name in self.heads and not known:
            self.made[result.leaves] = name, tuple(arguments)

    def matching(
        self, name: str, arguments: Sequence[Value]
    ) -> tuple[tree.Law, list[Variable]] | None:
        """The first law that a call is an instance of, and what its variables stand for."""
        if self.take is None or self.depth >= MOST or self._applied >= MOST_APPLIED:
            return None
        for law in self.by_name.get(name, ()):
            variables: dict[str, Variable] = {}
            found = self._match_all(law.pattern.arguments, arguments, variables)
            if found and self.take():
                self._applied += 1
                return law, list(variables.values())
        return None

    def _match_all(
        self,
        patterns: Sequence[tree.Expression],
        values: Sequence[Value],
        variables: dict[str, Variable],
    ) -> bool:
        pairs = zip(patterns, values, strict=True)
        return all(self._matches(pattern, value, variables) for pattern, value in pairs)

    def _matches(
        self, pattern: tree.Expression, value: Value, variables: dict[str, Variable]
    ) -> bool:
        match pattern:
            case tree.VariableExpression(name=name):
                return variables.setdefault(name.text, (name, value))[1].leaves == value.leaves
            case tree.LiteralExpression(value=wanted):
                return _is_constant(value, wanted)
            case tree.UnaryExpression(
                operand=tree.LiteralExpression(value=int(wanted) | float(wanted))
            ):
                return _is_constant(value, -wanted)
            case tree.CallExpression(function=function, arguments=inside):
                found = self.made.get(value.leaves)
                return (
                    found is not None
                    and found[0] == function.text
                    and self._match_all(inside, found[1], variables)
                )
        return False


def _is_constant(value: Value, wanted: float | str) -> bool:
    node = value.leaf
    return node.is_known and node.known == wanted
