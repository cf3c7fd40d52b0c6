"""A frozen state -> a copy of it over other names.

What is one token in the state (`values.freeze`) is not copied, but where places in the copy are to
be looked at or changed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from cogen.lang import il
from cogen.specializer.values import domain
from cogen.specializer.values.freeze import Frozen, FrozenSlot, Lifted, Names, Store


def thaw(frozen: Frozen, names: Names) -> tuple[list[tuple[str, Any]], Store, Lifted]:
    """The same roots, the part of the store they reach, and the lifted values, over new names."""
    copy = Thawed(frozen, names, shares=True)
    return copy.roots, copy.store, copy.lifted


class Thawed:
    """A copy of a frozen state: first a shell for every composite value is made, then their
    parts.  `generalized` gives other names to some `places` (of a state that was thawed before:
    there every numeric constant and leaf is an object of its own).  Pairs without dynamic parts
    are not copied, but for those `opened` (by id), which will get some."""

    def __init__(
        self,
        frozen: Frozen,
        names: Names,
        generalized: dict[int, domain.Dynamic] | None = None,
        opened: Collection[int] = (),
        *,
        shares: bool = False,
    ) -> None:
        self.frozen = frozen
        self.names = names
        self.opened = opened
        self.replaced: dict[int, domain.Dynamic] = {}
        if generalized:
            places = frozen.places
            self.replaced = {id(places[position]): name for position, name in generalized.items()}
        self.shells: dict[int, Any] = {}
        self.store: Store = {}
        self.lifted: Lifted = {}
        order = frozen.order
        if shares:
            self.shells.update((id(value), value) for value in frozen.wholes)
            for value, atom in frozen.lifted.values() if frozen.wholes else ():
                if type(atom) is not il.Var and frozen.is_inside(value):
                    self.lifted[id(value)] = (value, atom)
        elif frozen.wholes:  # any place may be looked at
            whole = Frozen(frozen.roots, frozen.store, frozen.lifted, frozen.liveness)
            order = whole.order
        for value in order:
            self.shells[id(value)] = self._shell(value)
        for value in order:
            self._fill(value)
        self.roots = [(name, self.copy(value)) for name, value in frozen.roots]

    def get(self, slot: FrozenSlot) -> Any:
        """The copy's value in what is a slot of the original; None if it is there no more."""
        owner, key = slot
        if owner is None:
            return self.roots[key][1]
        if type(owner) is domain.Ref:
            cell = self.store[owner.number]
            return cell.items[key] if type(cell) is domain.Cell else None
        shell = self.shells[id(owner)]
        kind = type(shell)
        if kind is domain.Frame or kind is domain.Closure:
            return shell.environment[key]
        if kind is domain.PartialPair or kind is domain.Reified:
            return getattr(shell, key)
        return getattr(shell, _PARTS[kind])[key]

    def put(self, slot: FrozenSlot, value: Any) -> None:
        """Put another value there, which `get` has found."""
        owner, key = slot
        if owner is None:
            self.roots[key] = (self.roots[key][0], value)
            return
        if type(owner) is domain.Ref:
            self.store[owner.number].items[key] = value
            return
        shell = self.shells[id(owner)]
        kind = type(shell)
        if kind is domain.Frame or kind is domain.Closure:
            shell.environment[key] = value
        elif kind is domain.PartialPair or kind is domain.Reified:
            setattr(shell, key, value)
        else:
            parts = list(getattr(shell, _PARTS[kind]))
            parts[key] = value
            setattr(shell, _PARTS[kind], tuple(parts))

    def _shell(self, value: Any) -> Any:
        kind = type(value)
        if kind is domain.PartialPair:
            if value.ground is not None and id(value) not in self.opened:
                return value
            return domain.PartialPair(value.car, value.cdr, None, value.site)
        if kind is domain.Frame:
            return domain.Frame(value.cont, {}, value.activation, value.block)
        if kind is domain.Closure:
            if not self.frozen.liveness.of_function(value.function):
                return value
            return domain.Closure(value.function, {})
        if kind is domain.PartialRecord:
            return domain.PartialRecord(value.type, ())
        if kind is domain.Several:
            return domain.Several(())
        if kind is domain.Test:
            return domain.Test(value.op, (), value.fails, value.span)
        if kind is domain.Reified:
            return domain.Reified(value.continuation, value.site, value.block)
        return value  # a Ref keeps its number

    def _fill(self, value: Any) -> None:
        kind = type(value)
        shell = self.shells[id(value)]
        copy = self.copy
        if kind is domain.PartialPair:
            if shell is not value:
                shell.car, shell.cdr = copy(value.car), copy(value.cdr)
                if value.ground is not None:
                    return  # what stands for it is a constant, which it will not be
        elif kind is domain.Frame:
            for name in self.frozen.liveness.of_cont(value.cont):
                shell.environment[name] = copy(value.environment[name])
        elif kind is domain.Closure:
            for name in self.frozen.liveness.of_function(value.function):
                shell.environment[name] = copy(value.environment[name])
        elif kind is domain.PartialRecord:
            shell.fields = tuple(copy(item) for item in value.fields)
        elif kind is domain.Several:
            shell.values = tuple(copy(item) for item in value.values)
        elif kind is domain.Test:
            shell.arguments = tuple(copy(item) for item in value.arguments)
        elif kind is domain.Reified:
            shell.continuation = copy(value.continuation)
        elif kind is domain.Ref:
            content = self.frozen.store[value.number]
            if type(content) is domain.Cell:
                items = [copy(item) for item in content.items]
                self.store[value.number] = content.with_items(items, None)
            else:
                self.store[value.number] = copy(content)
        stand_in = self.frozen.lifted.get(id(value)) if kind is not domain.Ref else None
        if stand_in is not None:
            atom = stand_in[1]
            if type(atom) is il.Var:
                if (atom.name, 0) not in self.names:
                    return  # a ground pair: its stand-in is a constant elsewhere
                variable = self.frozen.stand_ins.get(id(value))
                renamed = self.replaced.get(id(variable)) or self.names[(atom.name, 0)]
                assert isinstance(renamed, domain.Dynamic)  # a composite value is no integer
                atom = il.Var(renamed.name)
            self.lifted[id(shell)] = (shell, atom)

    def copy(self, value: Any) -> Any:
        kind = type(value)
        if kind is domain.Static:
            if type(value.datum) is int or type(value.datum) is float:
                return self.replaced.get(id(value)) or domain.Static(value.datum)
            return value
        if kind is domain.Dynamic:
            return self._whole(value, 0)
        if kind is domain.Cyclic:
            offset, remainder = divmod(value.remainder, value.base)
            if value.base == 1:
                return self._whole(value.quotient, offset)
            return _linear(value.base, remainder, self._leaf(value.quotient, offset))
        if (
            kind is domain.Ref
            or kind is domain.Primitive
            or kind is domain.Return
            or kind is domain.Stop
        ):
            return value
        shell = self.shells.get(id(value))
        return shell if shell is not None else self._inside(value)

    def _inside(self, value: domain.PartialPair) -> domain.PartialPair:
        """The copy of a pair in a pair without dynamic parts."""
        shell = self.shells[id(value)] = self._shell(value)
        self._fill(value)
        return shell  # type: ignore[no-any-return]

    def _whole(self, value: domain.Dynamic, offset: int) -> domain.Value:
        """value + offset, which may be near a leaf."""
        near = self.frozen.near.get((value.name, offset))
        if near is None or id(value) in self.replaced:
            return self._leaf(value, offset)
        return _linear(1, offset - near, self.names[(value.name, near)])

    def _leaf(self, value: domain.Dynamic, offset: int) -> domain.Dynamic | domain.Cyclic:
        """A new object at each occurrence, so that a place can be told from others of its name."""
        found = self.replaced.get(id(value))
        if found is not None:
            return found
        name = self.names[(value.name, offset)]
        if isinstance(name, domain.Cyclic):
            return domain.Cyclic(name.base, name.remainder, name.quotient)
        return domain.Dynamic(name.name, name.type)


_PARTS: Final = {domain.PartialRecord: "fields", domain.Several: "values", domain.Test: "arguments"}
"""Where composite values have their parts in a tuple."""


def _linear(base: int, remainder: int, value: domain.Dynamic | domain.Cyclic) -> domain.Cyclic:
    """base * value + remainder"""
    if isinstance(value, domain.Cyclic):
        remainder += base * value.remainder
        return domain.Cyclic(base * value.base, remainder, value.quotient)
    return domain.Cyclic(base, remainder, value)
