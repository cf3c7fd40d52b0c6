"""What of a program goes round: its loops, and its recursive procedures."""

from __future__ import annotations

from functools import cached_property

from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.ilutil import atoms, blocks
from cogen.lang.prelude import in_prelude


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
    def opened(self) -> dict[il.Function, frozenset[int]]:
        """Which arguments of global procedures these look into, as boxes
        (`versions.families`)."""
        found: dict[il.Function, frozenset[int]] = {}
        for item in self._program.items:
            if isinstance(item, il.Define):
                names = {
                    let.arguments[0].name
                    for block in blocks(item.function.body)
                    for let in block.bindings
                    if type(let) is il.Let
                    and let.op == "%reveal-among"
                    and type(let.arguments[0]) is il.Var
                }
                parameters = enumerate(item.function.parameters)
                found[item.function] = frozenset(n for n, name in parameters if name in names)
        return found

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
