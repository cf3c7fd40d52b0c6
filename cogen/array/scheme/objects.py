"""Mutable objects as versions: what arrays, records and assigned variables are at a place.

    (vector-set! v i x) ... (vector-ref v j)          v is  v' = v with [i] <- x  from there on

An *object* is a value by identity; `held` says what it has become, if it has changed.  What only
may be the same memory (an array chosen by a conditional and those it was chosen from; an array and
what became part of it) is related: a change of the one makes the other *stale*, and to read that is
a diagnostic with both places.  A row of a matrix that was taken out (`rows`) is read again when the
matrix has changed, and changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cogen.array.l0.types import ArrayType, TupleType, Type, rank, row_type
from cogen.array.scheme.symbolicvalues import (
    SymbolicCell,
    SymbolicConstant,
    SymbolicName,
    SymbolicNumber,
    SymbolicParts,
    Value,
)
from cogen.lang.errors import LimitationError, Note, Span

OWN: Final = "(vector-copy v) makes an array of its own, that nothing else refers to"
"""What helps where two arrays may be one."""


@dataclass(frozen=True, slots=True, eq=False)
class RowObject:
    """A row of an array: `now` is its value, as it was when the array was `seen`."""

    array: Value
    indices: tuple[Value, ...]
    seen: Value
    now: Value


@dataclass(frozen=True, slots=True)
class Stale:
    """Why an object cannot be read: since when it may be one with another, which then changed."""

    since: Span
    changed: Span


@dataclass(slots=True)
class ObjectState:
    """What is known of the objects at a place."""

    held: dict[Value, Value] = field(default_factory=dict)
    rows: dict[Value, RowObject] = field(default_factory=dict)
    related: dict[Value, dict[Value, Span]] = field(default_factory=dict)
    repeated: dict[Value, Span] = field(default_factory=dict)
    """Arrays that may have one row at several places."""
    stale: dict[Value, Stale] = field(default_factory=dict)

    def copy(self) -> ObjectState:
        related = {value: dict(others) for value, others in self.related.items()}
        return ObjectState(
            dict(self.held), dict(self.rows), related, dict(self.repeated), dict(self.stale)
        )

    def add(self, other: ObjectState) -> None:
        """What is known after two ways, but for what objects hold."""
        for value, others in other.related.items():
            self.related.setdefault(value, {}).update(others)
        self.repeated.update(other.repeated)
        self.stale.update(other.stale)
        self.rows = {row: found for row, found in self.rows.items() if row in other.rows}


class Objects:
    """The objects of a procedure.

    Where a program changes nothing (`active`), nothing is noted.  `fixed` are those that belong to
    what calls a function, with the name of what calls it.
    """

    def __init__(self, active: bool) -> None:
        self.active = active
        self.state = ObjectState()
        self.fixed: dict[Value, tuple[str, Span]] = {}
        self.places: dict[Value, Span] = {}
        """Where objects were changed last."""

    # -- reading -------------------------------------------------------------------------------

    def current(
        self, value: Value, span: Span, again: Callable[[RowObject, Value], Value]
    ) -> Value:
        """What an object has become; `again` takes a row out of its array, which has changed."""
        state = self.state
        while True:
            stale = state.stale.get(value)
            if stale is not None:
                raise unreadable(value, span, stale)
            row = state.rows.get(value)
            if row is not None:
                array = self.current(row.array, span, again)
                if array is not row.seen:
                    row = RowObject(row.array, row.indices, array, again(row, array))
                    state.rows[value] = row
                return row.now
            if value not in state.held:
                return value
            value = state.held[value]

    # -- changing ------------------------------------------------------------------------------

    def change(self, value: Value, new: Value, span: Span, depth: int = 1) -> None:
        """An object becomes another value: other elements at so many indices."""
        self.state.held[value] = new
        self.places[value] = span
        self.touch(value, span, depth)

    def touch(self, value: Value, span: Span, depth: int = 1) -> None:
        """An object has changed: what may be, or have for a part, the array whose elements are
        others cannot be read any more; what that array had for elements can."""
        t = type_of(value)
        changed = row_type(t, depth - 1) if isinstance(t, ArrayType) else None
        for other, since in self.state.related.get(value, {}).items():
            kind = type_of(other)
            if changed is None or kind is None or changed in _objects_in(kind):
                self.state.stale.setdefault(other, Stale(since, span))

    def take_out(self, row: Value, array: Value, indices: tuple[Value, ...], seen: Value) -> None:
        """A value is a row of an array that is `seen` now; no row of a row, but one of all."""
        outer = self.state.rows.get(array)
        if outer is not None:
            array, indices, seen = outer.array, (*outer.indices, *indices), outer.seen
        self.state.rows[row] = RowObject(array, indices, seen, row)

    def detach_replaced(self, array: Value, made: Value, indices: int, span: Span) -> None:
        """Where so many indices replace rows, those that were taken out may not be in any more."""
        if not isinstance(made, SymbolicName) or indices >= rank(made.type):
            return
        for row, found in list(self.state.rows.items()):
            if found.array is array:
                del self.state.rows[row]
                if found.now is not row:
                    self.state.held[row] = found.now
                self._relate(row, array, span)

    # -- what may be one -----------------------------------------------------------------------

    def derive(self, made: Value, sources: Iterable[Value], span: Span) -> None:
        """A new value may be, or have for a part, what others are or have for a part."""
        self.be_one(made, [one for source in sources for one in self.reached(source)], span)

    def be_one(self, made: Value, found: Iterable[Value], span: Span) -> None:
        """A new value may be, or have for a part, what these are."""
        found = dict.fromkeys(found)
        for new in self.objects(made):
            for old in found:
                if old is not new and _meet(new, old):
                    self._relate(new, old, span)

    def contain(self, array: Value, part: Value, span: Span) -> None:
        """A value becomes part of an array that there is."""
        for one in self.objects(part):
            self.state.repeated.setdefault(array, span)
            for a in self._reach(array):
                for b in self._reach(one):
                    if a is not b:
                        self._relate(a, b, span)

    def _reach(self, value: Value) -> list[Value]:
        """An object, the array that it is a row of, and what they may be."""
        row = self.state.rows.get(value)
        first = [value] if row is None else [value, row.array]
        found = dict.fromkeys(first)
        for one in first:
            found.update(dict.fromkeys(self.state.related.get(one, ())))
        return list(found)

    def _relate(self, a: Value, b: Value, span: Span) -> None:
        self.state.related.setdefault(a, {}).setdefault(b, span)
        self.state.related.setdefault(b, {}).setdefault(a, span)

    def reached(self, value: Value) -> Iterator[Value]:
        """The objects of a value, and what they may be."""
        for one in self.objects(value):
            yield from self._reach(one)

    def related(self, a: Value, b: Value) -> bool:
        """Whether two objects may be one, or part of one another."""
        return b in self._reach(a) or a in self._reach(b)

    def objects(self, value: Value) -> Iterator[Value]:
        """The objects that a value is, holds, or has for parts."""
        work, seen = [value], set()
        while work:
            value = work.pop()
            if value in seen or isinstance(value, SymbolicNumber):
                continue
            seen.add(value)
            if isinstance(value, SymbolicCell):
                yield value
                work += [self.state.held[value]] if value in self.state.held else []
            elif isinstance(value, SymbolicParts):
                yield value
                held = self.state.held.get(value, value)
                work += held.parts if isinstance(held, SymbolicParts) else ()
            elif isinstance(value, SymbolicName) and isinstance(value.type, ArrayType):
                yield value

    def differing(self, a: ObjectState, b: ObjectState, visible: Iterable[Value]) -> list[Value]:
        """Those of some objects that are not the same after two ways."""
        return [one for one in visible if a.held.get(one, one) is not b.held.get(one, one)]

    def meet(self, a: ObjectState, b: ObjectState, chosen: Mapping[Value, Value]) -> None:
        """Go on after two ways, with what was chosen of what objects hold."""
        a.add(b)
        a.held.update(chosen)
        self.state = a

    def visible(self, env: Mapping[str, Value]) -> dict[Value, None]:
        """The objects that a place knows of, in order."""
        found: dict[Value, None] = {}
        for value in env.values():
            found.update(dict.fromkeys(self.objects(value)))
        return found

    def changed(self, before: ObjectState, visible: Iterable[Value]) -> list[Value]:
        """Those of some objects that hold something else than before."""
        held = self.state.held
        return [one for one in visible if held.get(one, one) is not before.held.get(one, one)]


def unreadable(value: Value, span: Span, stale: Stale) -> LimitationError:
    """The diagnostic for reading what may have changed under another name."""
    what = f"`{value.text}`" if isinstance(value, SymbolicName) else "this"
    return LimitationError(
        f"{what} may be, or share a part with, an array that was changed under another name",
        span, OWN,
        [
            Note("it is changed here", stale.changed),
            Note("both may be one from here on", stale.since),
        ],
    )  # fmt: skip


def type_of(value: Value) -> Type | None:
    """The type of a value, as far as it has one."""
    if isinstance(value, (SymbolicName, SymbolicNumber)):
        return value.type
    if isinstance(value, SymbolicParts):
        types = [type_of(part) for part in value.parts]
        known = tuple([t for t in types if t is not None])
        if len(known) == len(types):
            return TupleType(known) if value.record is None else value.record.of(known)
    return None


def _meet(made: Value, source: Value) -> bool:
    """Whether one may be, or have for a part, what the other is or has for a part."""
    a, b = type_of(made), type_of(source)
    return a is None or b is None or not _objects_in(a).isdisjoint(_objects_in(b))


def may_contain(made: Value, source: Value) -> bool:
    """Whether a new array may have for a part what another value is, or has for a part."""
    a, b = type_of(made), type_of(source)
    if a is None or b is None:
        return not isinstance(source, SymbolicConstant)
    return not (_objects_in(a) - {a}).isdisjoint(_objects_in(b))


def _objects_in(t: Type) -> frozenset[Type]:
    """The types of the objects that a value of a type has."""
    if isinstance(t, ArrayType):
        return _objects_in(t.element) | {t}
    if isinstance(t, TupleType):
        return frozenset({t}).union(*map(_objects_in, t.parts))
    return frozenset()
