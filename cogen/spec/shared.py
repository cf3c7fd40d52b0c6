"""Calls of which nothing is known: copies of a procedure -> one residual procedure.

A call of a procedure that goes round (a loop, or a recursion), with arguments that are all
dynamic, leaves the same code wherever it is unfolded: nothing that is static has a part in it.
Once is as it should be, as the loop then stands where it is used.  After `MOST_COPIES` the
procedure is made a residual one, and the blocks with copies start again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.ilutil import atoms, blocks
from cogen.lang.prelude import in_prelude
from cogen.spec.domain import Closure, Dynamic, Value
from cogen.spec.memo import Block, Restart
from cogen.spec.path import Path

if TYPE_CHECKING:
    from cogen.spec.specializer import Specializer

MOST_COPIES: Final = 3
"""So many blocks may hold a copy each."""


Kinds = tuple[object, ...]
"""The types of dynamic arguments."""


class Rounds:
    """What of a program goes round.

    `loops` are the procedures that may call themselves, on whatever way; `procedures` the global
    ones that are of these or bind some, but for those of the language.
    """

    def __init__(self, program: il.Program) -> None:
        self._program = program

    @cached_property
    def loops(self) -> frozenset[il.Function]:
        return frozenset(self._found[0])

    @cached_property
    def procedures(self) -> frozenset[il.Function]:
        return frozenset(f for f in self._found[1] if not in_prelude(f.span))

    @cached_property
    def _found(self) -> tuple[set[il.Function], set[il.Function]]:
        globals_ = {i.name: i.function for i in self._program.items if isinstance(i, il.Define)}
        calls: dict[il.Function, list[il.Function]] = {}
        loops: set[il.Function] = set()
        procedures: set[il.Function] = set()
        for function in globals_.values():
            own = calls[function] = []
            for block in blocks(function.body):
                names = [atom.name for atom in atoms(block) if type(atom) is il.Global]
                own += [globals_[name] for name in names if name in globals_]
                inner = [loop for binding in block.bindings for loop in _loops(binding)]
                loops.update(inner)
                if inner:
                    procedures.add(function)
        for group in components(calls, calls.__getitem__):
            if len(group) > 1 or group[0] in calls[group[0]]:
                loops.update(group)
                procedures.update(group)
        return loops, procedures


def _loops(binding: il.Binding) -> tuple[il.Function, ...]:
    """The procedures that are bound together and refer to each other."""
    if type(binding) is not il.Fix:
        return ()
    names = {function.name for function in binding.functions}
    is_round = any(
        type(atom) is il.Var and atom.name in names
        for function in binding.functions
        for block in blocks(function.body)
        for atom in atoms(block)
    )
    return binding.functions if is_round else ()


class Shared:
    """The calls of a specializer of which nothing is known."""

    def __init__(self, spec: Specializer, rounds: Rounds) -> None:
        self._spec = spec
        self._rounds = rounds
        self._copies: dict[tuple[il.Function, Kinds], dict[Block, None]] = {}

    def concerns(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether nothing is known of a call, so that all such calls may be one."""
        return function in self._rounds.procedures and all(
            type(value) is Dynamic for value in values
        )

    def is_one(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether such calls were made one."""
        copies = self._copies.get((function, _kinds(values)), ())
        return self.concerns(function, values) and len(copies) > MOST_COPIES

    def is_shared(self, path: Path, closure: Closure, values: list[Value]) -> bool:
        """Whether a call that `concerns` is to be one of the residual procedure; if not, it is
        one more copy."""
        spec, function = self._spec, closure.function
        if len(path.store) > len(spec.barriers.roots):
            return False
        copies = self._copies.setdefault((function, _kinds(values)), {})
        copies[path.block] = None
        if len(copies) <= MOST_COPIES:
            return False
        spec.make_again(copies, path.block)
        spec.recursion.remember(path, closure, values)
        raise Restart(path.block)


def _kinds(values: Sequence[Value]) -> Kinds:
    return tuple([value.type for value in values if type(value) is Dynamic])
