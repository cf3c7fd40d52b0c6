"""What dictionaries and sets have in common whose keys only a run knows
(`cogen.staging.stagedtables`): searching, adding, taking away, and more room.

    s.add(x)        a search; then one more entry, if it was not found, and more slots if needed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cogen.staging.listelements import append, change, rows_of, settled, with_room
from cogen.staging.sequencecalls import LoopSteps, steps_of
from cogen.staging.sourceplaces import fail, here
from cogen.staging.stagedarrays import METHODS, Array, known
from cogen.staging.stagedconditionals import Raised, conditional
from cogen.staging.stagedexpressions import require, text
from cogen.staging.stagedlists import OPERATIONS, ListRows, StagedList
from cogen.staging.stagedscalars import Scalar, apply, expression, scalar
from cogen.staging.stagedtables import StagedTable, TableError
from cogen.staging.tablekeys import LEAST_SLOTS, KeyPlace, filled, hash_of, mask_of, place_of
from cogen.staging.tracer import current


class HashedTable(StagedTable):
    """What dictionaries and sets have in common."""

    __slots__ = ()

    # Searching.

    def present(self, found: KeyPlace) -> Any:
        """Whether what was looked for is there."""
        if found.entry is None:
            return False
        some = apply("less_equal", 0, found.entry)
        if self.alive is None:
            return some
        alive = self.alive[0]
        return conditional(some, lambda: alive[found.entry], lambda: False)

    def has(self, key: Any) -> Any:
        """Whether a key is there."""
        return self.present(place_of(self, key))

    def either(
        self, key: Any, there: Callable[[KeyPlace], Any], absent: Callable[[KeyPlace], Any]
    ) -> Any:
        """What is done about a key, as it is there or not."""
        found = place_of(self, key)
        is_there = self.present(found)
        if not isinstance(is_there, Scalar):
            return absent(found)
        return conditional(is_there, lambda: there(found), lambda: absent(found))

    def demanded(self, key: Any) -> KeyPlace:
        """Where a key is that must be there."""
        found = place_of(self, key)
        is_there = self.present(found)
        if not isinstance(is_there, Scalar):
            raise Raised(KeyError(key), here() or current().span)
        number = isinstance(key, int) or (isinstance(key, Scalar) and key.type.name == "int")
        shown = [expression(scalar(key))] if number else []
        what = "dictionary" if self.beside is not None else "set"
        says = f"a key that is not in the {what}" + (":" if shown else "")
        require(expression(is_there), text(says), *shown)
        return found

    # Changing.

    def insert(self, found: KeyPlace, key: Any, value: Any = None) -> None:
        """One more entry."""
        self.unwalked()
        count = self.entries.staged_length()
        self.slots[found.slot] = count
        append(self.entries, key)
        if self.beside is not None:
            append(self.beside, value)
        if self.alive is not None:
            flags, living = self.alive
            append(flags, True)
            living[0] = living[0] + 1
        full = 2 * (count + 1) > mask_of(self)
        if isinstance(full, Scalar):
            conditional(full, lambda: _rebuild(self), nothing)
        elif full:
            _rebuild(self)

    def unwalked(self) -> None:
        """Refuse, in a run, more or fewer keys while a loop goes through them."""
        if self.entries.walked:
            what = "dictionary" if self.beside is not None else "set"
            error = RuntimeError(f"{what} changed size during iteration")
            raise Raised(error, here() or current().span)

    def take_away(self, found: KeyPlace) -> None:
        """One key less: the entry stays, and does not count."""
        self.unwalked()
        flags, living = self.shrinking()
        OPERATIONS["__setitem__"](flags, found.entry, False)
        living[0] = living[0] - 1

    def shrinking(self) -> tuple[StagedList, Array]:
        """What says which entries count, and how many do."""
        if self.alive is None:
            raise TableError(self.place, True)
        return self.alive

    def clear(self) -> None:
        """Take all away."""
        self.unwalked()
        OPERATIONS["clear"](self.entries)
        if self.beside is not None:
            OPERATIONS["clear"](self.beside)
        self.slots.write(known(np.full(LEAST_SLOTS, -1)))
        if self.alive is not None:
            OPERATIONS["clear"](self.alive[0])
            self.alive[1][0] = 0

    # All of it.

    def staged_list(self) -> StagedList:
        """The keys, as they came."""
        return counting(self, self.entries)

    keys = staged_list

    def staged_steps(self) -> Any:
        """What a `for` goes through."""
        steps = steps_of(self.staged_list())
        return None if steps is None else LoopSteps(steps.length, steps.at, [self.entries])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.staged_list())

    def __len__(self) -> int:
        return len(self.staged_list())

    def __contains__(self, key: Any) -> Any:
        fail("`in` wants to know its answer now", "call it in a function whose source is there")

    def copy(self) -> Any:
        """Another table with the same keys."""
        copies = [METHODS["copy"](x) if isinstance(x, Array) else OPERATIONS["copy"](x)
                  for x in self.parts()]  # fmt: skip
        return self.of(copies)

    __copy__ = copy


def chosen_of(test: Any, one: Any, other: Any) -> Any:
    """One of two numbers."""
    return conditional(test, lambda: one, lambda: other) if isinstance(test, Scalar) else (
        one if test else other)  # fmt: skip


def nothing() -> None:
    """What is done where nothing is."""


def _rebuild(table: StagedTable) -> None:
    """More slots; entries that do not count are gone then."""
    size = mask_of(table) + 1
    more = 2 * size
    if table.alive is not None:
        more = chosen_of(4 * table.alive[1][0] > size, more, size)
        _compact(table)
    rows = rows_of(table.entries.content(), None)

    def hash_at(k: Any) -> Any:
        return hash_of([a[k] for a in rows.leaves])

    free = METHODS["full"]((more,), -1)
    count = table.entries.staged_length()
    table.slots.write(filled(METHODS["copy"](free), count, more - 1, hash_at))


def _compact(table: StagedTable) -> None:
    """Only entries that count."""
    assert table.alive is not None
    flags, _ = table.alive
    lists = [table.entries] if table.beside is None else [table.entries, table.beside]
    those = [counting(table, xs) for xs in lists]
    for xs, ys in zip(lists, those, strict=True):
        had_room = xs.rows is not None and xs.rows.count is not None
        rows = rows_of(ys.content(), None)
        change(xs, with_room(rows) if had_room else rows)
    had_room = flags.rows is not None and flags.rows.count is not None
    rows = rows_of(StagedList((), ListRows((METHODS["full"](
        (table.entries.staged_length(),), True),), next, None)).content(), None)  # fmt: skip
    change(flags, with_room(rows) if had_room else rows)


def counting(table: StagedTable, xs: StagedList) -> StagedList:
    """The elements of a list that belong to entries that count."""
    if xs.is_known and (table.alive is None or not xs.elements()):
        return StagedList(xs.elements())
    rows = settled(rows_of(xs.content(), None))
    if table.alive is None:
        return StagedList((), rows.of([METHODS["copy"](a) for a in rows.leaves]))
    flags = settled(rows_of(table.alive[0].content(), None)).leaves[0]
    return StagedList((), rows.of([METHODS["copy"](a[flags]) for a in rows.leaves]))
