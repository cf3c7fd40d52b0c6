"""Where states of one program point differ, and whether they grow.

States are laid side by side and walked together, from their roots through frames, closures, pairs,
records and mutable objects, as long as they have the same form.  Where they have not, or hold
different constants, they differ.  A difference *grows* if from state to state the value gets
larger, as the list of what a loop collects does, or an environment that calls extend.  (Sizes stand
for the homeomorphic embedding of Sørensen and Glück, "An algorithm of generalization in positive
supercompilation", 1995: in the same place of states that are alike otherwise, what is larger has
mostly been made of what is smaller.)  A number that is another one in each state may grow too.
Anything else that differs (a place in the interpreted program) is taken for what steers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values import domain
from cogen.specializer.values.freeze import FrozenSlot, Store, static_token
from cogen.specializer.values.kindred import FIXED
from cogen.specializer.values.states import States
from cogen.specializer.values.summary import SUMMARIZED, DeferredSummary, Summary
from cogen.specializer.versions.memo import Roots

MOST_SIZED: Final = 512
"""Values that are counted to see at each version whether something has grown."""


class EmbeddedState(NamedTuple):
    """What a program point is reached with."""

    roots: Roots
    store: Store


class EmbeddedRow:
    """Values in the same place of several states; the row of the values that these are in, if they
    are no roots, and what the place is called there (of a root its number); and whether they differ
    as a whole."""

    __slots__ = ("differs", "inside", "key", "values")

    def __init__(self, key: Any, values: Sequence[Any], inside: EmbeddedRow | None = None) -> None:
        self.key = key
        self.values = values
        self.inside = inside
        self.differs = False

    @property
    def slots(self) -> tuple[FrozenSlot, ...]:
        """Where each state has its own of the values."""
        if self.inside is None:
            return (FrozenSlot(None, self.key),) * len(self.values)
        return tuple([FrozenSlot(owner, self.key) for owner in self.inside.values])

    def around(self) -> Iterator[EmbeddedRow]:
        """The rows of the values that these are in, the nearest first."""
        row = self.inside
        while row is not None:
            yield row
            row = row.inside


class Alignment:
    """States side by side.

    `differences` are the rows where they differ and `accept` says yes (None: does not matter).
    If it says no to a row, what that is in differs as a whole, if `accept` says yes to that;
    there are none at all if it says so to nothing around.  `opened` are, for each state, the pairs
    without dynamic parts that differences are in (by id).  Numbers for which `is_opaque` are those
    of objects that are not looked into.  What `summaries` tell to be equal is not walked through.
    """

    def __init__(
        self,
        states: Sequence[EmbeddedState],
        summaries: States,
        accept: Callable[[Sequence[Any]], bool | None],
        is_opaque: Callable[[int], bool],
    ) -> None:
        self.states = states
        self.summaries = summaries
        self.liveness = summaries.liveness
        self.accept = accept
        self.is_opaque = is_opaque
        self.differences: list[EmbeddedRow] = []
        self.looked = 0
        """How many values were compared."""
        self.opened: list[set[int]] = [set() for _ in states]
        self._seen: set[tuple[int, ...]] = set()
        self._has_outer = False
        """Whether something differs as a whole that has parts."""
        if len({len(state.roots) for state in states}) == 1 and self._walk():
            self.differences = [
                row
                for row in self.differences
                if row.differs and not any(outer.differs for outer in row.around())
            ]
            for row in self.differences:
                for outer in row.around():
                    for opened, value in zip(self.opened, outer.values, strict=True):
                        if type(value) is domain.PartialPair and value.ground is not None:
                            opened.add(id(value))
        else:
            self.differences = []

    def _walk(self) -> bool:
        """Compare everything from the roots on; False if something differs that must not."""
        roots = zip(*(state.roots for state in self.states), strict=True)
        rows = [EmbeddedRow(index, [value for _, value in row]) for index, row in enumerate(roots)]
        for row in rows:  # which grow meanwhile
            if self._has_outer and any(outer.differs for outer in row.around()):
                continue
            parts = self._parts(row.values)
            if parts is None:
                if not self._differ(row):
                    return False
            elif parts:
                rows += [EmbeddedRow(key, values, row) for key, values in parts]
        self.looked = len(rows)
        return True

    def _differ(self, row: EmbeddedRow) -> bool:
        """Note that a row differs, or what it is in; False if neither may."""
        accepted = self.accept(row.values)
        if accepted is None:
            return True
        if not accepted:
            for outer in row.around():
                if type(outer.values[0]) is domain.Frame:
                    return False
                if type(outer.values[0]) is not domain.Ref and self.accept(outer.values):
                    row = outer
                    self._has_outer = True
                    break
            else:
                return False
        row.differs = True
        self.differences.append(row)
        return True

    def _parts(self, values: Sequence[Any]) -> list[tuple[Any, Sequence[Any]]] | None:
        """What is to be compared for the values to be the same; None if they differ."""
        first = values[0]
        kind = type(first)
        if kind is domain.Dynamic or (kind is domain.Cyclic and first.base == 1):
            return [] if all(map(is_leaf, values)) else None
        for value in values:
            if type(value) is not kind:
                return None
        if kind is domain.Static:
            return [] if _are_one(values) else None
        if kind in SUMMARIZED:
            if self.summaries.are_equal(values):
                return []
            return self._composite(kind, values)
        if kind is domain.Stop:
            return []
        if kind is domain.Cyclic:
            place = first.base, first.remainder % first.base
            same = all((v.base, v.remainder % v.base) == place for v in values)
        elif kind is domain.Primitive:
            same = all(value.name == first.name for value in values)
        elif kind is domain.Return:
            same = all(value.cont == first.cont for value in values)
        else:
            return self._composite(kind, values)
        return [] if same else None

    def _composite(
        self, kind: type, values: Sequence[Any]
    ) -> list[tuple[Any, Sequence[Any]]] | None:
        first = values[0]
        key = tuple([value.number if kind is domain.Ref else id(value) for value in values])
        if key in self._seen:
            return []
        if kind is domain.Ref and all(map(self.is_opaque, key)):
            return []
        rows: list[Sequence[Any]]
        names: Sequence[Any]
        if kind is domain.PartialPair:
            if first.ground is not None and all(value.ground == first.ground for value in values):
                return []
            names, rows = ("car", "cdr"), [(value.car, value.cdr) for value in values]
        elif kind is domain.Frame:
            for value in values:
                if value.cont is not first.cont:
                    return None
            names = self.liveness.of_cont(first.cont)
            rows = [list(map(value.environment.__getitem__, names)) for value in values]
        elif kind is domain.Closure:
            for value in values:
                if value.function is not first.function:
                    return None
            names = self.liveness.of_function(first.function)
            rows = [list(map(value.environment.__getitem__, names)) for value in values]
        elif kind is domain.Ref:
            cells = [
                state.store.get(number) for state, number in zip(self.states, key, strict=True)
            ]
            if any(type(cell) is not domain.Cell for cell in cells):
                return [] if len({type(cell) for cell in cells}) == 1 else None
            contents = [cell for cell in cells if type(cell) is domain.Cell]
            form = contents[0].kind, len(contents[0].items)
            if any((cell.kind, len(cell.items)) != form for cell in contents):
                return None
            names, rows = range(form[1]), [cell.items for cell in contents]
        elif kind is domain.PartialRecord:
            if any(value.type is not first.type for value in values):
                return None
            names, rows = range(len(first.fields)), [value.fields for value in values]
        elif kind is domain.Several:
            if len({len(value.values) for value in values}) != 1:
                return None
            names, rows = range(len(first.values)), [value.values for value in values]
        elif kind is domain.Test:
            if len({(value.op, value.fails, len(value.arguments)) for value in values}) != 1:
                return None
            names, rows = range(len(first.arguments)), [value.arguments for value in values]
        else:
            assert kind is domain.Reified
            if any(value.site is not first.site for value in values):
                return None
            names, rows = ("continuation",), [(value.continuation,) for value in values]
        self._seen.add(key)
        return [*zip(names, zip(*rows, strict=True), strict=True)]


def _are_one(values: Sequence[Any]) -> bool:
    """Whether known data are the same to every program."""
    first, token = values[0].datum, None
    for value in values:
        if value.datum is not first:
            if token is None:
                token = static_token(first)
            if static_token(value.datum) != token:
                return False
    return True


def is_leaf(value: Any) -> bool:
    """Whether a value is a variable, or one and a constant together, so that nothing is known."""
    return type(value) is domain.Dynamic or (type(value) is domain.Cyclic and value.base == 1)


def grows(
    values: Sequence[Any],
    stores: Sequence[Store],
    liveness: Liveness,
    numbers: bool,
    constants: bool,
    known: ConstantSizes | None = None,
) -> bool:
    """Whether the values, oldest first, get larger from one to the next; numbers, if they count,
    when all are different; others without dynamic parts if `constants`, whose sizes may be
    `known`."""
    data = [value.datum for value in values if type(value) is domain.Static]
    if len(data) == len(values) and all(type(datum) in (int, float) for datum in data):
        return numbers and len(set(map(static_token, data))) == len(data)
    if not constants and all(map(_is_constant, values)):
        return False
    sides = zip(values, stores, strict=True)
    sizes = [size(value, store, liveness, known) for value, store in sides]
    return all(older < younger for older, younger in pairwise(sizes))


def size(
    value: Any, store: Store, liveness: Liveness, constants: ConstantSizes | None = None
) -> int:
    """How many values are in a value that the specializer has built; characters count too.  With
    `constants`, pairs without dynamic parts are not walked through once they are known, and of
    others no more than `MOST_SIZED` values.  A value with a summary has no objects in it, and its
    copies are as large: for these it is found once."""
    if constants is not None or type(value) not in SUMMARIZED:
        return _counted(value, store, liveness, constants)
    known = value.summary
    form = known.summary if type(known) is DeferredSummary else known
    if type(form) is not Summary:
        return _counted(value, store, liveness, None)
    if not form.size:
        form.size = _counted(value, store, liveness, None)
    return form.size


def _counted(value: Any, store: Store, liveness: Liveness, constants: ConstantSizes | None) -> int:
    count = 0
    seen: set[Any] = set()
    work = [value]
    while work:
        value = work.pop()
        kind = type(value)
        if constants is not None and kind is domain.PartialPair and value.ground is not None:
            count += constants.size(value)
            continue
        count += 1
        if constants is not None and count > MOST_SIZED:
            return MOST_SIZED
        if kind is domain.Static:
            if type(value.datum) is str:
                count += len(value.datum)
            continue
        if kind is domain.Dynamic or kind is domain.Cyclic or kind is domain.Primitive:
            continue
        identity = value.number if kind is domain.Ref else id(value)
        if (kind, identity) in seen:
            continue
        seen.add((kind, identity))
        work += parts_of(value, store, liveness)
    return count


class ConstantSizes:
    """The sizes of pairs without dynamic parts, found out once; parts that are shared count as
    often as they occur."""

    def __init__(self) -> None:
        self._sizes: dict[int | None, int] = {}

    def size(self, pair: domain.PartialPair) -> int:
        """How many values are in such a pair."""
        sizes, work = self._sizes, [pair]
        while work:
            one = work[-1]
            parts = [part for part in (one.car, one.cdr) if type(part) is domain.PartialPair]
            unknown = [part for part in parts if part.ground not in sizes]
            if unknown:
                work += unknown
                continue
            sizes[one.ground] = 3 - len(parts) + sum(sizes[part.ground] for part in parts)
            work.pop()
        return sizes[pair.ground]


def parts_of(value: Any, store: Store, liveness: Liveness) -> Sequence[Any]:
    """The values directly in a value, of environments those that are live."""
    kind = type(value)
    if kind is domain.PartialPair:
        return (value.car, value.cdr)
    if kind is domain.Closure:
        return [value.environment[name] for name in liveness.of_function(value.function)]
    if kind is domain.Frame:
        return [value.environment[name] for name in liveness.of_cont(value.cont)]
    if kind is domain.PartialRecord:
        return tuple(value.fields)
    if kind is domain.Several:
        return tuple(value.values)
    if kind is domain.Test:
        return tuple(value.arguments)
    if kind is domain.Ref:
        content = store.get(value.number)
        return tuple(content.items) if type(content) is domain.Cell else ()
    return ()


def _is_constant(value: Any) -> bool:
    """Whether a value has no dynamic part."""
    return type(value) is domain.Static or (
        type(value) is domain.PartialPair and value.ground is not None
    )


def is_like(state: EmbeddedState, other: EmbeddedState) -> bool:
    """Whether states have the same names and pieces of the program in their roots; a quick look."""
    if len(state.roots) != len(other.roots):
        return False
    for (_, a), (_, b) in zip(state.roots, other.roots, strict=True):
        is_fixed = type(a) is domain.Static and type(a.datum) in FIXED
        if is_fixed and type(b) is domain.Static and a.datum is not b.datum:
            return False
    return True
