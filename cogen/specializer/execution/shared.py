"""Calls of which nothing is known: copies of a procedure -> one residual procedure.

A call of a procedure that goes round (a loop, or a recursion), with arguments that are all
dynamic, leaves the same code wherever it is unfolded: nothing that is static has a part in it.
Once is as it should be, as the loop then stands where it is used.  After `MOST_COPIES` the
procedure is made a residual one, and the blocks with copies start again.

So are calls of a procedure that looks into a box (`versions.families`) which is dynamic, as what
applies procedures of an interpreted program: there is an arm for each variant in each copy.

Calls of which something is known leave code that is worth more where it is unfolded: what follows
knows the result.  But each rule of a grammar that is used twice in another doubles the code then,
so that it grows with the depth of the grammar as powers of two do.  In an attempt `by_static`
(`specializer.specialize`) calls with the same static arguments whose code is not small are shared
from the second copy on, as a specializer does that unfolds no procedure which a run decides in.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from cogen.lang import il
from cogen.specializer.execution.recursion import Recursion
from cogen.specializer.paths.path import Path
from cogen.specializer.programs.rounds import Rounds
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.calls_around import constants_of
from cogen.specializer.values.domain import Closure, Dynamic, Frame, Value
from cogen.specializer.versions.memo import ResidualBlock, Restart

MOST_COPIES: Final = 3
"""So many blocks may hold a copy each."""

MUCH_CODE: Final = 4
"""So many blocks of code that something is known of are shared;"""

SOME_CODE: Final = 2
"""so many of procedures that are as those of a library (`advice.libraries`)."""

Kinds = tuple[object, ...]
"""The types of dynamic arguments; if there are others, what is known of these."""


class SharedCalls:
    """The calls of one specialization of which nothing is known."""

    by_static: bool
    """Whether calls are shared of which something is known."""

    def __init__(self, rounds: Rounds, recursion: Recursion, called: frozenset[str]) -> None:
        self.by_static = False
        self._rounds = rounds
        self._called = called
        """Procedures that are residual from the first such call on (`advice.libraries`)."""
        self._recursion = recursion
        self._copies: dict[tuple[il.Function, Kinds], dict[ResidualBlock, None]] = {}
        self._alike: dict[tuple[il.Function, Hashable], dict[ResidualBlock, Frame]] = {}
        """By static arguments the blocks with a copy, and what follows it there."""
        self._repeated: set[tuple[il.Function, Hashable]] = set()

    def concerns(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether nothing is known of a call, or not what it looks into, so that all such calls may
        be one."""
        if function not in self._rounds.procedures:
            return False
        return all(type(value) is Dynamic for value in values) or any(
            type(values[number]) is Dynamic for number in self._rounds.opened.get(function, ())
        )

    def may_share(self, function: il.Function) -> bool:
        """Whether calls of a procedure may be shared of which something is known."""
        return self.by_static or function.name in self._called

    def is_one(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether such calls were made one."""
        copies = self._copies.get((function, _kinds(values)), ())
        most = 0 if function.name in self._called else MOST_COPIES
        return self.concerns(function, values) and len(copies) > most

    def is_repeated(self, path: Path, closure: Closure, arguments: Arguments) -> bool:
        """Whether a call is to be one of a residual procedure, since one with the same static
        arguments has left much code elsewhere; if not, it is one more copy."""
        context, function, k = path.context, closure.function, arguments.continuation
        is_called = function.name in self._called
        if not (self.by_static or is_called) or function not in self._rounds.procedures:
            return False
        if type(k) is not Frame:
            return False
        if len(path.store) > len(context.barriers.roots):
            return False
        key = self._recursion.key_of(path, closure, arguments.values)
        copies = self._alike.setdefault((function, key), {})
        is_new, copies[path.block] = path.block not in copies, k
        count = len(copies)
        if not is_new or count < 2 or count & (count - 1):  # looking at 2, 4, 8, … is enough
            return False
        much = SOME_CODE if is_called else MUCH_CODE
        if not any(_is_much(block, k, much) for block, k in copies.items()):
            return False
        self._repeated.add((function, key))
        context.worklist.make_again(copies, path.block)
        self._recursion.remember(path, closure, arguments.values)
        raise Restart(path.block)

    def was_repeated(self, path: Path, closure: Closure, values: Sequence[Value]) -> bool:
        """Whether such calls were made one that something is known of."""
        key = self._recursion.key_of(path, closure, values)
        return (closure.function, key) in self._repeated

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
        if len(copies) <= (0 if function.name in self._called else MOST_COPIES):
            return False
        context.worklist.make_again(copies, path.block)
        self._recursion.remember(path, closure, values)
        raise Restart(path.block)


def _kinds(values: Sequence[Value]) -> Kinds:
    return tuple([value.type for value in values if type(value) is Dynamic])


def are_repeated(blocks: Iterable[ResidualBlock]) -> bool:
    """Whether the blocks of a residual program are of several calls of one procedure with the same
    constants, so that there may be something to share."""
    seen: set[int] = set()
    calls: set[Hashable] = set()
    for block in blocks:
        activation = block.activation
        while activation is not None and id(activation) not in seen:
            seen.add(id(activation))
            call = activation.function, constants_of(activation)
            if call in calls:
                return True
            calls.add(call)
            activation = activation.before or activation.parent
    return False


def _is_much(block: ResidualBlock, k: Frame, much: int) -> bool:
    """Whether there are so many blocks of the call in a block that is followed by `k`."""
    found = 0
    for other in block.procedure.blocks.values():
        activation = other.activation
        while activation is not None and activation.continuation is not k:
            activation = activation.before or activation.parent
        found += activation is not None
        if found == much:
            return True
    return False
