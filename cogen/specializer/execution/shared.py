"""Calls of which nothing is known: copies of a procedure -> one residual procedure.

A call of a procedure that goes round (a loop, or a recursion), with arguments that are all
dynamic, leaves the same code wherever it is unfolded: nothing that is static has a part in it.
Once is as it should be, as the loop then stands where it is used.  After `MOST_COPIES` the
procedure is made a residual one, and the blocks with copies start again.

So are calls of a procedure that looks into a box (`versions.families`) which is dynamic, as what
applies procedures of an interpreted program: there is an arm for each variant in each copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.lang import il
from cogen.specializer.execution.recursion import Recursion
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.rounds import Rounds
from cogen.specializer.values.domain import Closure, Dynamic, Value
from cogen.specializer.versions.memo import ResidualBlock, Restart

MOST_COPIES: Final = 3
"""So many blocks may hold a copy each."""


Kinds = tuple[object, ...]
"""The types of dynamic arguments; if there are others, what is known of these."""


class SharedCalls:
    """The calls of one specialization of which nothing is known."""

    def __init__(self, rounds: Rounds, recursion: Recursion) -> None:
        self._rounds = rounds
        self._recursion = recursion
        self._copies: dict[tuple[il.Function, Kinds], dict[ResidualBlock, None]] = {}

    def concerns(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether nothing is known of a call, or not what it looks into, so that all such calls may
        be one."""
        if function not in self._rounds.procedures:
            return False
        return all(type(value) is Dynamic for value in values) or any(
            type(values[number]) is Dynamic for number in self._rounds.opened.get(function, ())
        )

    def is_one(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether such calls were made one."""
        copies = self._copies.get((function, _kinds(values)), ())
        return self.concerns(function, values) and len(copies) > MOST_COPIES

    def is_shared(self, path: Path, closure: Closure, values: list[Value]) -> bool:
        """Whether a call that `concerns` is to be one of the residual procedure; if not, it is
        one more copy."""
        context, function = path.context, closure.function
        if len(path.store) > len(context.barriers.roots):
            return False
        kinds = _kinds(values)
        if len(kinds) < len(values):
            kinds = *kinds, self._recursion.key_of(path, closure, values)
        copies = self._copies.setdefault((function, kinds), {})
        copies[path.block] = None
        if len(copies) <= MOST_COPIES:
            return False
        context.worklist.make_again(copies, path.block)
        self._recursion.remember(path, closure, values)
        raise Restart(path.block)


def _kinds(values: Sequence[Value]) -> Kinds:
    return tuple([value.type for value in values if type(value) is Dynamic])
