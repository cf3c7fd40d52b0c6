"""Rules of what programs say to the specializer, and of what their libraries ask it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from cogen.lang import il
from cogen.lang.datum import NIL, UNSPECIFIED, Char, Pair, Symbol
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.rule import Rule, delayed, fold, general, known
from cogen.specializer.values.domain import (
    Cell,
    Closure,
    Dynamic,
    PartialPair,
    PartialRecord,
    Ref,
    Static,
    Value,
)
from cogen.specializer.versions.families import Family


def _unwatched(path: Path, value: Dynamic) -> Dynamic:
    """A lifted value: what stands for it need not be watched, as it would not be known any more
    if it were known."""
    if value.name not in path.context.demand.watched:
        return value
    return path.let("lift", (il.Var(value.name),), value.type, "x", None)


def _lift(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """A dynamic value; what the definitions of globals make stays known."""
    if path.context.globals.evaluating:
        return values[0]
    return _unwatched(path, path.dynamic(values[0]))


def _lift_any(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """Advice (`advice.arms`): a dynamic value that meets others, of whatever type."""
    lifted = _lift(path, values, site)
    is_number = type(lifted) is Dynamic and lifted.type in _NUMBER_TYPES
    return Dynamic(lifted.name) if type(lifted) is Dynamic and not is_number else lifted


def _lift_of(kinds: frozenset[type]) -> Rule:
    """Advice (`advice`): numbers, characters, strings and values of these kinds become
    dynamic; what steers (names, lists, truth values) stays what it is.  What the definitions of
    globals make stays known."""

    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        value = values[0]
        kind = type(value)
        if type(value) is Dynamic and value.type in _PLAIN_TYPES:
            return _unwatched(path, value)
        if path.context.globals.evaluating:
            return value
        if kind in kinds or (kind is Static and type(value.datum) in _PLAIN):  # type: ignore[union-attr]
            return path.dynamic(value)
        return value

    return rule


def _lift_code(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """Advice (`advice.tagged`): a procedure in a box, of an interpreted program, becomes dynamic if
    it has closed over another one."""
    value = values[0]
    if not _is_of_code(value):
        return value
    work = [value.fields[0]]  # type: ignore[union-attr]
    while work:
        part = work.pop()
        if _is_of_code(part):
            return path.dynamic(value)
        if type(part) is PartialPair:
            work += (part.car, part.cdr)
        elif type(part) is PartialRecord:
            work += part.fields
    return value


def _is_of_code(value: Value) -> bool:
    """Whether a value is a box that holds code."""
    family = value.type if type(value) is PartialRecord else None
    return type(family) is Family and family.holds_code


def _lift_numbers(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """Advice (`advice.counters`): all numbers in a structure become dynamic, those in
    its objects too; the structure stays known."""
    return _Numbers(path).lifted(values[0])


class _Numbers:
    """Lifts the numbers in a value; what is shared stays so."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: set[int] = set()
        """The objects that were looked into."""

    def lifted(self, value: Value) -> Value:
        if type(value) is Dynamic:
            return _unwatched(self._path, value) if value.type in _NUMBER_TYPES else value
        if type(value) is Static:
            return self._constant(value)
        if type(value) is PartialPair:
            return self._pair(value)
        if type(value) is PartialRecord:
            fields = tuple(map(self.lifted, value.fields))
            same = all(a is b for a, b in zip(fields, value.fields, strict=True))
            return value if same else PartialRecord(value.type, fields)
        if type(value) is Ref:
            self._object(value)
        return value

    def _constant(self, value: Static) -> Value:
        datum = value.datum
        if type(datum) is int or type(datum) is float:
            return self._path.dynamic(value)
        if type(datum) is not Pair or self._path.context.pairs.may_be_assigned:
            return value
        items: list[Value] = []
        while type(datum) is Pair:
            items.append(Static(datum.car))
            datum = datum.cdr
        return self._list(items, Static(datum), [None] * len(items)) or value

    def _pair(self, pair: PartialPair) -> Value:
        items: list[Value] = []
        sites: list[Hashable] = []
        rest: Value = pair
        while type(rest) is PartialPair:
            items.append(rest.car)
            sites.append(rest.site)
            rest = rest.cdr
        return self._list(items, rest, sites) or pair

    def _list(self, items: list[Value], rest: Value, sites: list[Hashable]) -> Value | None:
        """A list with the numbers in it lifted; None if there are none."""
        lifted, end = list(map(self.lifted, items)), self.lifted(rest)
        if end is rest and all(a is b for a, b in zip(lifted, items, strict=True)):
            return None
        for item, site in zip(reversed(lifted), reversed(sites), strict=True):
            end = PartialPair(item, end, None, site)
        return end

    def _object(self, ref: Ref) -> None:
        cell = self._path.content(ref)
        if isinstance(cell, Dynamic) or ref.number in self._seen:
            return
        self._seen.add(ref.number)
        for index, item in enumerate(list(cell.items)):
            lifted = self.lifted(item)
            if lifted is not item:
                self._path.assign(ref, index, lifted)


_NUMBER_TYPES = frozenset({"int", "float"})
_PLAIN = frozenset({int, float, str, Char})
_PLAIN_TYPES = frozenset({"int", "float", "string", "char"})


def _word_size(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    return Static(path.context.options.word_size)


def _string_content(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """A string that is known is a constant."""
    value = values[1]
    if type(value) is Static and type(value.datum) is str:
        return value
    return path.emit("%string-content", values, site)


def _fresh_string(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """Strings that can be changed are the residual program's."""
    return path.emit("%fresh-string", values, site)


def _mutable_ref(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    value = values[0]
    if type(value) is Static and type(value.datum) is str:
        return _CONSTANT_REF(path, values, site)
    return path.emit("%string-ref", values, site)


_CONSTANT_REF: Final = general("string-ref")


def _finite(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """A list that only the residual program knows is taken to end, where nothing makes circular
    ones: else each procedure of lists would go through it twice."""
    if known(values):
        return fold("%finite", values)
    if path.context.mutations.tails and type(values[1]) is Dynamic:
        return path.emit("%finite", values, site)
    return values[1]


def _is_circular(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    if known(values):
        return fold("%circular?", values)
    end = values[0]
    while type(end) is PartialPair:
        end = end.cdr
    if type(end) is Static or not path.context.mutations.tails:
        return Static(False)
    return delayed(path, "%circular?", values, site)


def _point(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """Advice (`advice.returns`): a number that is known is kept, to go on there later."""
    value = values[0]
    if type(value) is Static and type(value.datum) is int and not path.context.globals.evaluating:
        path.context.points.keep(path.block, value.datum)
    return value


def _box(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """A record in a box (`versions.families`)."""
    return PartialRecord(values[1].datum, (values[0],))  # type: ignore[union-attr]


def _unbox(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """What is in a box that has been revealed (`versions.families`).  What is dynamic still is in
    none, so it is no record of the type."""
    value, family = values[0], values[1].datum  # type: ignore[union-attr]
    if type(value) is PartialRecord and value.type is family:
        return value.fields[0]
    return Static(UNSPECIFIED) if type(value) is Dynamic else value


def _rebound(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """Advice (`advice.rebinding`): a list whose first entry takes the place of the one
    with the same key, if all keys are known and are names, or are numbers."""
    made, entry, rest = values
    key = _key(path, entry)
    if type(made) is not PartialPair or type(key) not in _KEYS:
        return made
    entries: list[PartialPair] = []
    place = None
    while type(rest) is not Static or rest.datum is not NIL:
        if type(rest) is Static and type(rest.datum) is Pair and not _may_be_assigned(path):
            rest = PartialPair(Static(rest.datum.car), Static(rest.datum.cdr), None, None)
        if type(rest) is not PartialPair:
            return made
        other = _key(path, rest.car)
        if type(other) is not type(key):
            return made
        if other == key and place is None:
            place = len(entries)
        entries.append(rest)
        rest = rest.cdr
    if place is None:
        return made
    end = entries[place].cdr
    for number in range(place, -1, -1):
        car = entry if number == place else entries[number].car
        end = PartialPair(car, end, None, entries[number].site)
    return end


def _key(path: Path, entry: Value) -> object:
    """The key of an entry, if it is known."""
    if type(entry) is Ref:
        cell = path.content(entry)
        car = cell.items[0] if type(cell) is Cell and cell.kind == "pair" else None
    else:
        car = entry.car if type(entry) is PartialPair else None
    if type(entry) is Static and type(entry.datum) is Pair and not _may_be_assigned(path):
        return entry.datum.car
    return car.datum if type(car) is Static else None


def _may_be_assigned(path: Path) -> bool:
    return path.context.pairs.may_be_assigned


_KEYS: Final = frozenset({int, Symbol})

RULES: dict[str, Rule] = {
    "%rebound": _rebound,
    "%point": _point,
    "%boxed": _box,
    "%unboxed": _unbox,
    "%string-content": _string_content,
    "%string-ref": _mutable_ref,
    "%fresh-string": _fresh_string,
    "%finite": _finite,
    "%circular?": _is_circular,
    "lift": _lift,
    "%lift-any": _lift_any,
    "%lift-value": _lift_of(frozenset({Closure})),
    "%lift-data": _lift_of(frozenset()),
    "%lift-numbers": _lift_numbers,
    "%lift-code": _lift_code,
    "%lift-made": _lift_of(frozenset({PartialPair, PartialRecord})),
    "word-size": _word_size,
}
