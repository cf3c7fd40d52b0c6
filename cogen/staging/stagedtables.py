"""Dictionaries and sets of which only a run knows the keys: tables of what came, in its order.

    entries     the keys, as they came (a list of the function's)
    beside      what belongs to them (a list; None for a set)
    slots       2^k places: an index of `entries`, or -1; a key is in the first place from its hash
                on that holds it, or is free
    alive       which entries still count, and in `living` how many (None: none was taken away)

All that is what a staged function could have itself, so loops and conditionals do with it what
they do with lists and arrays.  What tables do is in `cogen.staging.tableoperations`.

A dictionary that a function makes is one of Python's.  Where a key turns up that only a run knows,
staging begins again (`TableError`), and what is made at that place is a table from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cogen.staging.stagedarrays import Array
from cogen.staging.stagedlists import StagedList

TABLES: Final[dict[str, Any]] = {}
"""What makes tables, by name; set where it is."""


class TableError(BaseException):
    """The function must be staged again, with what is made at a place as a table; or as one from
    which keys are taken (`shrinks`)."""

    def __init__(self, place: Any, shrinks: bool) -> None:
        super().__init__("a dictionary or set has keys that only a run knows")
        self.place = place
        self.shrinks = shrinks


def demand_table(x: Any) -> None:
    """Begin again, if it is a dictionary or set with numbers as keys that the function makes."""
    if isinstance(x, dict | set):
        TABLES["demand"](x)


@dataclass(frozen=True, slots=True, eq=False)
class TableKind:
    """What a table is for Python."""

    make: Callable[..., Any]
    """Makes the set of a list of its elements, or the dictionary of one of its keys and one of its
    values."""
    missing: Callable[[], Any] | None = None
    """Makes the value of a key that is not there, if anything does, ..."""
    adds_missing: bool = True
    """... and whether the key is there then."""


class StagedTable:
    """A dictionary, or a set, with keys that only a run knows."""

    __slots__ = ("alive", "beside", "entries", "kind", "place", "slots")

    def __init__(
        self,
        kind: TableKind,
        place: Any,
        entries: StagedList,
        slots: Array,
        beside: StagedList | None = None,
        alive: tuple[StagedList, Array] | None = None,
    ) -> None:
        self.kind = kind
        self.place = place
        """Where it was made."""
        self.entries = entries
        self.slots = slots
        self.beside = beside
        self.alive = alive

    __hash__ = None  # type: ignore[assignment]  # as dictionaries and sets

    def parts(self) -> list[Any]:
        """What it consists of."""
        found: list[Any] = [self.entries, self.slots]
        if self.beside is not None:
            found.append(self.beside)
        return found if self.alive is None else [*found, *self.alive]

    def of(self, parts: list[Any]) -> StagedTable:
        """Such a table of other parts."""
        entries, slots, *rest = parts
        beside = rest.pop(0) if self.beside is not None else None
        alive = (rest[0], rest[1]) if rest else None
        return type(self)(self.kind, self.place, entries, slots, beside, alive)

    def shape(self) -> Any:
        """What such tables have in common."""
        return type(self), self.kind, self.beside is None, self.alive is None

    def staged_list(self) -> StagedList:
        """What one goes through: the keys."""
        raise NotImplementedError

    def staged_steps(self) -> Any:
        """What a `for` goes through."""
        raise NotImplementedError

    def staged_result(self) -> tuple[StagedList, ...]:
        """The lists that Python's dictionary or set is made of."""
        raise NotImplementedError

    def has(self, key: Any) -> Any:
        """Whether a key is there."""
        raise NotImplementedError

    def value_of(self, key: Any) -> Any:
        """What belongs to a key that must be there."""
        raise NotImplementedError

    def staged_length(self) -> Any:
        """How many keys it has."""
        return self.entries.staged_length() if self.alive is None else self.alive[1][0]
