"""Copies of states over new names, made where something is looked up in them.

Environments of frames and procedures are copied when something is looked up in them; until then
what is known of a copy is what is known of the original, over other names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cogen.lang.ilutil import base_name
from cogen.specializer.programs.liveness import Names
from cogen.specializer.values.domain import (
    Closure,
    Cyclic,
    Dynamic,
    Environment,
    Frame,
    PartialPair,
    PartialRecord,
    Several,
    Static,
    Test,
)
from cogen.specializer.values.states import State, States
from cogen.specializer.values.summary import SUMMARIZED, DeferredSummary, Leaf, Summary, split


def copy_of(
    states: States,
    state: State,
    fresh: Callable[[str], str],
    variable: Callable[[str, str], Dynamic],
) -> ValueCopier:
    """A copy of a state over new names, which `fresh` makes and `variable` notes the type of."""
    names: dict[Leaf, Dynamic] = {}
    for level in state.summary.levels:
        for leaf, type_, hint in level:
            if leaf not in names:
                names[leaf] = variable(fresh(hint or base_name(split(leaf)[0])), type_)
    return ValueCopier(states, names)


class ValueCopier:
    """Copies values over new names: `names` by the old ones, in order of first occurrence."""

    __slots__ = ("_kept", "_shells", "_states", "names")

    def __init__(self, states: States, names: dict[Leaf, Dynamic]) -> None:
        self._states = states
        self.names = names
        self._shells: dict[int, Any] = {}
        self._kept: list[Any] = []
        """The values that have shells, so that no later one is at the address of one of them."""

    def take_apart(self) -> None:
        """No more copies are made."""
        self._shells.clear()
        self._kept.clear()

    def of(self, value: Any) -> Any:
        """The copy of a value."""
        kind = type(value)
        if kind is Static:
            # a number is an object of its own at each place (`Frozen.thaw`)
            of = type(value.datum)
            return Static(value.datum) if of is int or of is float else value
        if kind is Dynamic:
            new = self.names[value.name]
            return Dynamic(new.name, new.type)
        if kind is Cyclic:
            old, offset = value.quotient.name, value.remainder
            new = self.names[(old, offset) if offset else old]
            return Dynamic(new.name, new.type)
        if kind not in SUMMARIZED:
            return value
        shell = self._shells.get(id(value))
        if shell is not None:
            return shell
        known = value.summary
        if type(known) is Summary and not known.levels and not known.numbers:
            return value  # nothing of it is new
        if kind is Frame:
            names, _ = self._states.names(value.cont)
            environment = LaterEnvironment(self, value.environment, names)
            shell = Frame(value.cont, environment, value.activation, value.block)
        elif kind is Closure:
            names, _ = self._states.names(value.function)
            environment = LaterEnvironment(self, value.environment, names)
            shell = Closure(value.function, environment)
        elif kind is PartialPair:
            return self._list(value)
        elif kind is Test:
            arguments = tuple([self.of(item) for item in value.arguments])
            shell = Test(value.op, arguments, value.fails, value.span)
        elif kind is PartialRecord:
            shell = PartialRecord(value.type, tuple([self.of(item) for item in value.fields]))
        else:
            shell = Several(tuple([self.of(item) for item in value.values]))
        self._keep(value, shell)
        return shell

    def _list(self, value: PartialPair) -> PartialPair:
        """The copy of a pair, and of the list that it begins."""
        pairs: list[PartialPair] = []
        rest: Any = value
        while type(rest) is PartialPair and rest.ground is None and id(rest) not in self._shells:
            pairs.append(rest)
            rest = rest.cdr
        if not pairs:
            return value  # it is ground
        end = self._shells.get(id(rest)) or self.of(rest)
        for pair in reversed(pairs):  # whose car may be one of the pairs behind it
            end = PartialPair(self.of(pair.car), end, None, pair.site)
            self._keep(pair, end)
        return end  # type: ignore[no-any-return]

    def _keep(self, value: Any, shell: Any) -> None:
        self._shells[id(value)] = shell
        self._kept.append(value)
        known = value.summary
        if type(known) is Summary:
            shell.summary = DeferredSummary(known, self.names)
        elif type(known) is DeferredSummary:
            shell.summary = DeferredSummary(known.found(), self.names)
        elif type(known) is int:
            shell.summary = known


class LaterEnvironment(dict[str, Any]):
    """The environment of a copy, filled when something is looked up in it."""

    __slots__ = ("_copy", "_names", "_old")

    def __init__(self, copy: ValueCopier, old: Environment, names: Names) -> None:
        super().__init__()
        self._copy = copy
        self._old = old
        self._names = names

    def __missing__(self, name: str) -> Any:
        copy, old = self._copy, self._old
        for known in self._names:
            self[known] = copy.of(old[known])
        return self[name]
