"""The expander of a conversation: names may be defined again, and what libraries have is made when
it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from cogen.lang.core import LocalVariable
from cogen.lang.expand import (
    WINDING,
    Built,
    build,
    is_root,
)
from cogen.lang.expander import Expander
from cogen.lang.leftout import LEFT_OUT
from cogen.lang.libraries import Libraries
from cogen.lang.scanner import UnitScanner
from cogen.lang.scope import (
    Alias,
    Binding,
    Env,
    GlobalBinding,
    Identifier,
    Item,
    Scopes,
    TopLevelUnit,
    root,
)
from cogen.lang.syntax import Syntax

NO_UNIT: Final = TopLevelUnit("nothing")


class SessionExpander(Expander):
    """An expander whose program goes on.

    `promises` are names that procedures refer to and that have no definition, with a place.
    """

    def __init__(self, scopes: Scopes, libraries: Libraries, unit: TopLevelUnit) -> None:
        super().__init__(scopes, libraries)
        self.unit = unit
        self.mutable_strings = True  # a later form may change those of earlier ones
        self.promises: dict[GlobalBinding, Syntax] = {}
        self.may_promise = False
        self.is_strict = False
        self._told: set[GlobalBinding] = set()

    def begin(self, forms: Sequence[Syntax]) -> None:
        """Get ready for the next forms."""
        self.steps = self.size = self.depth = self.nesting = 0
        self.at = None
        self.reported.clear()
        texts = dict.fromkeys(form.span.source for form in forms)
        self.winding |= any(word in text.text for text in texts for word in WINDING)

    def bound(self, binding: Binding | None, form: Syntax, env: Env) -> Binding:
        """As ever; in a procedure, a name without a definition is promised one."""
        missing = binding is None or (
            isinstance(binding, GlobalBinding) and not binding.definitions
        )
        name = root(form.value)
        own = all(unit is self.unit for unit in _units(form.value, env))
        if not (missing and self.may_promise and own) or name.name in LEFT_OUT:
            return super().bound(None if missing else binding, form, env)
        if not isinstance(binding, GlobalBinding):
            binding = self.unit.table[name] = GlobalBinding(name.name, self.unit, form.span)
        self.promises.setdefault(binding, form)
        return binding

    def refuse(self, target: GlobalBinding) -> None:
        """A name that was promised a definition needs it now."""
        form = self.promises.pop(target)
        self.unit.table.pop(root(form.value), None)
        super().bound(None, form, Env(self.unit, 0))

    def new_promises(self) -> list[tuple[GlobalBinding, Syntax]]:
        """The promises that were not kept and of which this has not told."""
        for target in [*self.promises]:
            found = self.unit.table.get(root(self.promises[target].value))
            if found is not target:
                del self.promises[target]
        new = [(target, form) for target, form in self.promises.items() if target not in self._told]
        self._told.update(target for target, _ in new)
        return new


def _units(identifier: Identifier, env: Env) -> Iterable[TopLevelUnit]:
    """The units in which a name was written, by a macro or in the program."""
    units = [env.unit]
    while isinstance(identifier, Alias):
        units.append(identifier.env.unit)
        identifier = identifier.base
    return units[-1:]


class SessionScanner(UnitScanner):
    """Scans forms of a session: what was defined or imported before may be defined again.

    `own` are the names that the forms have defined.  A variable that was defined before keeps its
    name in the machine, so that what refers to it means the new one.
    """

    def __init__(self, expander: Expander, env: Env) -> None:
        super().__init__(expander, env)
        self.own: set[Identifier] = set()

    def check_new(self, name: Syntax) -> Binding | None:
        unit, identifier = self.env.unit, name.value
        unit.imported.pop(identifier, None)
        if identifier not in self.own:
            self.own.add(identifier)
            return None
        found = unit.table.get(identifier)
        return found if isinstance(found, GlobalBinding) else None

    def variable(self, name: Syntax) -> GlobalBinding:
        x, unit = self.expander, self.env.unit
        old = unit.table.get(name.value)
        target = super().variable(name)
        if isinstance(old, GlobalBinding) and old.unit is unit and old is not target:
            x.names[target] = x.name_of(old)
            if old in x.assigned:
                x.assigned.add(target)
        return target


class Links:
    """Which parts of libraries and of the prelude the machine has."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander
        unit = expander.scopes.prelude
        assert unit is not None
        self.order: dict[Item, int] = {}
        """The items of the prelude, and of libraries that come along, in order."""
        self.waiting: dict[GlobalBinding | LocalVariable | None, Item] = {}
        """Those of them that nothing has referred to."""
        self.wait(unit)
        self.definitions: dict[GlobalBinding, list[Built]] = {}
        """The definitions of libraries."""
        self.seen: set[TopLevelUnit] = set()
        """The libraries that are known."""
        self.made: list[Built] = []

    def wait(self, unit: TopLevelUnit) -> None:
        """Expand what a unit defines when it is needed."""
        for item in unit.items:
            self.order[item] = len(self.order)
            self.waiting[item.target] = item

    def scanned(self, libraries: Sequence[TopLevelUnit]) -> list[Built]:
        """The expanded items of the libraries that are new, in order."""
        x = self.expander
        found: list[Built] = []
        for unit in libraries:
            if unit in self.seen:
                continue
            self.seen.add(unit)
            if unit.of_product:
                self.wait(unit)
            else:
                found += [build(x, item) for item in unit.items]
        for part in found:
            if part.target is not None:
                self.definitions.setdefault(part.target, []).append(part)
        return found

    def needed(self, library: Sequence[Built], own: Sequence[Built]) -> list[Built]:
        """What of libraries and the prelude the machine needs now, in order of evaluation."""
        x = self.expander
        have, new = set(self.made), set[Built]()
        from_prelude: dict[Built, int] = {}
        pending = [part for part in library if is_root(part, NO_UNIT)]
        targets = [target for part in own for target in part.reached]
        while pending or targets:
            while pending:
                part = pending.pop()
                if part not in have and part not in new:
                    new.add(part)
                    targets += part.reached
            if targets:
                target = targets.pop()
                pending += self.definitions.get(target, ())
                item = self.waiting.pop(target, None)
                if item is not None:
                    part = build(x, item)
                    from_prelude[part] = self.order[item]
                    pending.append(part)
        every = [part for parts in self.definitions.values() for part in parts]
        position = {part: number for number, part in enumerate((*every, *library))}
        first = sorted(from_prelude, key=from_prelude.__getitem__)
        rest = sorted(new - from_prelude.keys(), key=position.__getitem__)
        self.made += (*first, *rest)
        return [*first, *rest]
