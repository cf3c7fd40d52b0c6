"""What belongs to every state: the globals of a program, and its barrier cells.

The definitions of globals are evaluated by `execution.toplevel`; handlers of barrier cells are
carried out by `memo.barriers`.  Here is what both have come to, which paths and keys of
states ask for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

from cogen.lang import il
from cogen.lang.called import Named, of_globals
from cogen.lang.datum import Datum, Record
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.values.domain import Cell, Closure, PartialRecord, Ref, Static, Value
from cogen.specializer.values.freeze import Store, static_token

OBSERVING: Final = frozenset(
    {
        name
        for name, row in PRIMITIVES.items()
        if row.effect == "output"
        or (row.effect != "pure" and {"memory", "bytevector"} & {*row.arguments})
    }
    | {"equal?", "equal-hash", "init-cache"}
)
"""The operations that are barriers."""

NONE: Final[frozenset[str]] = frozenset()


class Globals:
    """The values of globals: of those that are never assigned, and the cells of the others.

    `store` is what the definitions leave; every call of the residual entry starts from it.
    `objects` are the values of globals with mutable objects in them, which belong to every state
    as the cells do.  `broken` are those that only a run can find, with the error for who uses one.
    """

    def __init__(self) -> None:
        self.store: Store = {}
        self.cells: dict[str, Ref] = {}
        self.objects: dict[str, Value] = {}
        self.values: dict[str, Value] = {}
        self.broken: dict[str, CogenError] = {}
        self.evaluating = False
        """Whether the definitions are being evaluated."""
        self.made: Counter[Hashable] = Counter()
        """How many objects each site makes in them."""

    def value(self, name: str) -> Value:
        """The value of a global that is never assigned."""
        found = self.values.get(name)
        if found is not None:
            return found
        raise self.broken.get(name) or CogenError(
            f"{name} is used before its definition is evaluated"
        )

    def cell(self, name: str) -> Ref:
        """The store object of an assigned global."""
        error = self.broken.get(name)
        if error is not None:
            raise error
        return self.cells[name]

    def roots(self) -> dict[str, Value]:
        """What belongs to every state."""
        return {**self.cells, **self.objects}

    def named(self, program: il.Program) -> Iterator[Named]:
        """The values of the program's globals that are constants, and what they are called."""
        held = {name: self.store[cell.number].items[0] for name, cell in self.cells.items()}
        values = {
            name: datum
            for name, value in (self.values | held).items()
            if (datum := _known_parts(value)) is not None
        }
        return of_globals(program, values)


def _known_parts(value: Value) -> Datum:
    """A constant, or a record with those of its fields that are constants; None for others."""
    if type(value) is Static:
        return value.datum
    if type(value) is PartialRecord:
        return Record(value.type, [_known_parts(field) for field in value.fields])
    return None


@dataclass(frozen=True, slots=True)
class Barrier:
    """A cell's handler, what makes it fit to cross a memo point, what it holds when nothing is in
    it, and where it is defined."""

    ref: Ref
    content: Static
    handler: Closure
    passing: Closure | None
    span: Span | None

    @property
    def source(self) -> Source | None:
        """The file of the handler."""
        span = self.handler.function.span
        return span.source if span is not None else None

    def is_clean(self, store: Store) -> bool:
        """Whether the cell holds nothing."""
        content = store[self.ref.number].items[0]
        return type(content) is Static and static_token(content.datum) == static_token(
            self.content.datum
        )


class BarrierCells:
    """The barrier cells of a program, with that of what `init-cache` has said last (`setting`).

    `roots` belong to the roots of every state; `operations` are those that a path may carry out
    after cells were settled only.
    """

    def __init__(self) -> None:
        self.roots: dict[str, Ref] = {}
        self.operations = NONE
        self.setting: Ref | None = None
        self._barriers: dict[int, Barrier] = {}

    def __contains__(self, number: int) -> bool:
        """Whether the store object of that number always stays in the store."""
        return self.holds(number)

    def holds(self, number: int) -> bool:
        """The same, as a function."""
        return number in self._barriers or (
            self.setting is not None and number == self.setting.number
        )

    def __iter__(self) -> Iterator[Barrier]:
        return iter(self._barriers.values())

    def add(self, barrier: Barrier) -> None:
        """A new barrier cell."""
        number = barrier.ref.number
        self._barriers[number] = barrier
        self.roots[f"barrier.{number}"] = barrier.ref
        self.operations = OBSERVING

    def set_by(self, setting: Ref) -> None:
        """The cell of what `init-cache` has said last: lines, and whether words are carried."""
        self.setting = setting
        self.roots["init-cache"] = setting

    def are_clean(self, store: Store) -> bool:
        """Whether no cell holds anything."""
        return all(barrier.is_clean(store) for barrier in self._barriers.values())

    def settled(self, store: Store) -> Store:
        """The store as handlers would leave it: what residual procedures start from."""
        return {**store, **{n: Cell("cell", [b.content], None) for n, b in self._barriers.items()}}

    def distance(self, store: Store) -> int:
        """How far from a leaf of a state an integer in a barrier cell counts as near it: as many
        words as the cache has lines."""
        if self.setting is None:
            return 0
        return store[self.setting.number].items[0].datum  # type: ignore[no-any-return]
