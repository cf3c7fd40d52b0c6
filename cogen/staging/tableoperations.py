"""What dictionaries and sets do whose keys only a run knows (`cogen.staging.stagedtables`).

d[k] = v        a search; then beside[entry] = v, or one more entry, and more slots if needed
d.get(k, 0)     a search, and beside[entry] or 0
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NoReturn

import numpy as np

from cogen.staging.hashedtables import HashedTable, counting, nothing
from cogen.staging.listelements import append, rows_of, settled
from cogen.staging.listoperations import sorted_list
from cogen.staging.pooledlists import born as born_list
from cogen.staging.pooledlists import place_key
from cogen.staging.sequencecalls import as_callable, each_of, is_of_a_run
from cogen.staging.sourceplaces import cannot, fail, shown
from cogen.staging.stagedarrays import METHODS, known
from cogen.staging.stagedconditionals import conditional
from cogen.staging.stageditems import augment
from cogen.staging.stagedlists import OPERATIONS, ListRows, StagedList
from cogen.staging.stagedscalars import Scalar, apply, scalar
from cogen.staging.stagedtables import TABLES, StagedTable, TableError, TableKind
from cogen.staging.tablekeys import KeyPlace, is_known_key, known_slots
from cogen.staging.tracer import current
from cogen.staging.valueparts import shape_of

ABSENT: Final = object()
"""What is not given."""


# Dictionaries.


class StagedDict(HashedTable):
    """A dictionary whose keys only a run knows."""

    __slots__ = ()

    @property
    def _values(self) -> StagedList:
        assert self.beside is not None
        return self.beside

    def _value(self, found: KeyPlace) -> Any:
        return self._values[found.entry]

    def _added(self, found: KeyPlace, key: Any, value: Any) -> Any:
        self.insert(found, key, value)
        return value

    def value_of(self, key: Any) -> Any:
        """The value of a key that must be there."""
        return self._value(self.demanded(key))

    def __getitem__(self, key: Any) -> Any:
        missing = self.kind.missing
        if missing is None:
            return self.value_of(key)
        if not self.kind.adds_missing:
            return self.get(key, missing())
        return self.either(key, self._value, lambda found: self._added(found, key, missing()))

    def __setitem__(self, key: Any, value: Any) -> None:
        def there(found: KeyPlace) -> None:
            OPERATIONS["__setitem__"](self._values, found.entry, value)

        def absent(found: KeyPlace) -> None:
            self.insert(found, key, value)

        self.either(key, there, absent)

    def augment(self, name: str, key: Any, value: Any) -> None:
        """`d[key] += value`."""

        def there(found: KeyPlace) -> None:
            new = augment(name, self._value(found), value)
            OPERATIONS["__setitem__"](self._values, found.entry, new)

        missing = self.kind.missing
        if missing is None:
            there(self.demanded(key))
        else:
            new = augment(name, missing(), value)
            self.either(key, there, lambda found: self.insert(found, key, new))

    def __delitem__(self, key: Any) -> None:
        self.shrinking()
        self.take_away(self.demanded(key))

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, or another one."""
        return self.either(key, self._value, lambda found: default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key, which is there from now on."""
        return self.either(key, self._value, lambda found: self._added(found, key, default))

    def pop(self, key: Any, default: Any = ABSENT) -> Any:
        """The value of a key that is taken away."""
        self.shrinking()

        def there(found: KeyPlace) -> Any:
            value = self._value(found)
            self.take_away(found)
            return value

        if default is ABSENT:
            return there(self.demanded(key))
        return self.either(key, there, lambda found: default)

    def values(self) -> StagedList:
        """The values, in the order of the keys."""
        return counting(self, self._values)

    def items(self) -> StagedList:
        """Keys with their values."""
        return _pairs(self.keys(), self.values())

    def staged_result(self) -> tuple[StagedList, ...]:
        """The keys, and the values."""
        return self.keys(), self.values()

    def update(self, other: Any = (), **named: Any) -> None:
        """Set the values of another dictionary, or of pairs."""
        if named:
            cannot("keys that are words are not staged where a run knows the others")
        each_of(_items(other), self._put)

    def _put(self, pair: Any) -> None:
        key, value = pair
        self[key] = value

    def add_counts(self, keys: Any) -> None:
        """Count keys (`Counter.update`)."""
        each_of(keys, lambda key: self.augment("add", key, 1))

    def most_common(self, count: Any = None) -> Any:
        """The keys with the largest values, and these, in order (`Counter.most_common`)."""
        found = sorted_list(self.items(), lambda pair: pair[1], True)
        return found if count is None else found[:count]

    def __or__(self, other: Any) -> Any:
        found = self.copy()
        found.update(other)
        return found

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __eq__(self, other: Any) -> Any:
        whole = other if isinstance(other, StagedDict) else _of_known(other)
        if whole is None:
            return False

        def same(key: Any, value: Any) -> Any:
            return whole.either(key, lambda found: value == whole._value(found), _none)

        return _all_of(self, whole, lambda pair: same(*pair), self.items())

    def __ne__(self, other: Any) -> Any:
        return apply("logical_not", self == other)


def _none(found: KeyPlace) -> bool:
    """What is not there is not the same."""
    return False


def _items(x: Any) -> Any:
    """The pairs of a dictionary; what is none has pairs."""
    return x.items() if isinstance(x, dict | StagedDict) else x


def _pairs(keys: StagedList, values: StagedList) -> StagedList:
    if keys.is_known and values.is_known:
        return StagedList(zip(keys.elements(), values.elements(), strict=True))
    k, v = (settled(rows_of(xs.content(), None)) for xs in (keys, values))
    shape = shape_of((0, 0)), k.shape, v.shape

    def build(it: Iterator[Any]) -> Any:
        return k.build(it), v.build(it)

    return StagedList((), ListRows((*k.leaves, *v.leaves), build, shape, None, k.owned and v.owned))


def _of_known(x: Any) -> Any:
    """The table of one of Python's dictionaries or sets; None for what is none."""
    if isinstance(x, dict):
        return new_table(DICTIONARY, x, x.values())
    return new_table(SET, x) if isinstance(x, set | frozenset) else None


def _all_of(a: StagedTable, b: StagedTable, test: Callable[[Any], Any], parts: StagedList) -> Any:
    """Whether tables are of one size, and a test holds for all parts of one."""
    found = StagedList()
    each_of(parts, lambda part: append(found, test(part)))
    holds = METHODS["all"](METHODS["array"](found)) if found.is_known else METHODS["all"](
        OPERATIONS["array"](found))  # fmt: skip
    return apply("logical_and", apply("equal", a.staged_length(), b.staged_length()), holds)


# Sets.


class StagedSet(HashedTable):
    """A set whose elements only a run knows."""

    __slots__ = ()

    def staged_result(self) -> tuple[StagedList, ...]:
        """The elements, as they came."""
        return (self.staged_list(),)

    def add(self, x: Any) -> None:
        """One more element."""
        self.either(x, lambda found: None, lambda found: self.insert(found, x))

    def discard(self, x: Any) -> None:
        """Take an element away, if it is there."""
        self.shrinking()
        self.either(x, self.take_away, lambda found: None)

    def remove(self, x: Any) -> None:
        """Take an element away."""
        self.shrinking()
        self.take_away(self.demanded(x))

    def update(self, *others: Any) -> None:
        """Add the elements of others."""
        for other in others:
            each_of(other, self.add)

    def union(self, *others: Any) -> Any:
        """A set of the elements of all."""
        found = self.copy()
        found.update(*others)
        return found

    def intersection(self, other: Any) -> Any:
        """A set of the elements that another one has, too."""
        return self._those(as_set(other), True)

    def difference(self, other: Any) -> Any:
        """A set of the elements that another one has not."""
        return self._those(as_set(other), False)

    def symmetric_difference(self, other: Any) -> Any:
        """A set of the elements that only one of two has."""
        whole = as_set(other)
        found = self.difference(whole)
        found.update(whole.difference(self))
        return found

    def _those(self, other: StagedSet, wanted: bool) -> Any:
        found = new_table(SET)

        def add(x: Any) -> None:
            test = other.has(x)
            if not isinstance(test, Scalar):
                test = scalar(bool(test))
            ways = (lambda: found.add(x)), nothing
            conditional(test, *(ways if wanted else ways[::-1]))

        each_of(self.staged_list(), add)
        return found

    def issubset(self, other: Any) -> Any:
        """Whether another one has all elements."""
        return apply("equal", self.difference(other).staged_length(), 0)

    def issuperset(self, other: Any) -> Any:
        """Whether it has all elements of another one."""
        return as_set(other).issubset(self)

    def isdisjoint(self, other: Any) -> Any:
        """Whether no element is one of another's."""
        return apply("equal", self.intersection(other).staged_length(), 0)

    def __or__(self, other: Any) -> Any:
        return self.union(other)

    __ror__ = __or__
    __and__ = __rand__ = intersection
    __sub__ = difference
    __xor__ = __rxor__ = symmetric_difference
    __le__ = issubset
    __ge__ = issuperset

    def __rsub__(self, other: Any) -> Any:
        return as_set(other).difference(self)

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, StagedSet | set | frozenset):
            return False
        same = apply("equal", self.staged_length(), as_set(other).staged_length())
        return apply("logical_and", same, self.issubset(other))

    def __ne__(self, other: Any) -> Any:
        return apply("logical_not", self == other)


def as_set(x: Any) -> StagedSet:
    """A set of what one can go through."""
    if isinstance(x, StagedSet):
        return x
    if isinstance(x, set | frozenset | list | tuple | range) and all(map(is_known_key, x)):
        found = new_table(SET, dict.fromkeys(sorted(x) if isinstance(x, set | frozenset) else x))
    else:
        found = new_table(SET)
        found.update(x)
    assert isinstance(found, StagedSet)
    return found


# Making.


def _dictionary(keys: list[Any], values: list[Any]) -> dict[Any, Any]:
    return dict(zip(keys, values, strict=True))


def _counter(keys: list[Any], values: list[Any]) -> Any:
    return Counter(_dictionary(keys, values))


DICTIONARY: Final = TableKind(_dictionary)
SET: Final = TableKind(set)
COUNTER: Final = TableKind(_counter, lambda: 0, False)


def new_table(kind: TableKind, keys: Iterable[Any] = (), values: Iterable[Any] = ()) -> Any:
    """A table that is made here."""
    place = place_key()
    every, beside = list(keys), StagedList(values)
    known_keys = all(map(is_known_key, every))
    first = every if known_keys else []
    slots = known(known_slots(first))
    alive = None
    if current().attempts.tables.get(place):
        alive = StagedList([True] * len(first)), known(np.array([len(first)]))
    if kind.make in (set, dict.fromkeys):
        found: Any = StagedSet(kind, place, StagedList(first), slots, None, alive)
        for key in every[len(first) :]:
            found.add(key)
        return found
    content = beside if known_keys else StagedList()
    found = StagedDict(kind, place, StagedList(first), slots, content, alive)
    for pair in zip(every[len(first) :], beside.elements(), strict=False):
        found._put(pair)
    return found


def born(x: Any, kind: TableKind | None = None) -> Any:
    """A dictionary or set that is made here: a table, where keys will come that only a run
    knows."""
    tracer = current()
    place = place_key()
    if place not in tracer.attempts.tables:
        tracer.dictionaries[id(x)] = x, place
        return tracer.made(x)
    if isinstance(x, dict):
        return new_table(kind or DICTIONARY, x, x.values())
    return new_table(SET, sorted(x, key=repr))


def as_table(x: Any, changes: bool = False) -> Any:
    """The table of one of Python's dictionaries or sets, which is given a key that only a run
    knows."""
    tracer = current()
    if not all(map(is_known_key, x)):
        _no_key()
    _demand(x)
    if changes:
        cannot("a dictionary or set from outside the function gets a key that only a run knows",
               "make a copy in the function first: d = dict(d)")  # fmt: skip
    kept = tracer.outer_tables.get(id(x))
    if kept is None or kept[1] != x:
        with_all = _of_known(x)
        kept = tracer.outer_tables[id(x)] = with_all, x.copy()
    return kept[0]


def _demand(x: Any) -> None:
    """Begin again, with a table, if the function makes the dictionary or set."""
    made_here = current().dictionaries.get(id(x))
    if made_here is not None and all(map(is_known_key, x)):
        raise TableError(made_here[1], False)


def _no_key() -> NoReturn:
    fail(
        f"{shown()}a staged value cannot be a key of a dictionary: only a run knows it",
        "the other keys must be numbers, characters, or tuples of these",
    )


# What staged code calls.


def dict_(*given: Any, **named: Any) -> Any:
    """`dict`."""
    if len(given) == 1 and isinstance(given[0], StagedDict) and not named:
        return given[0].copy()
    if len(given) == 1 and (is_of_a_run(given[0]) or isinstance(given[0], StagedList)):
        return of_pairs(given[0])
    return born(dict(*given, **named))


def of_pairs(pairs: Any) -> Any:
    """The dictionary of pairs: one of Python's, where all keys are known."""
    if isinstance(pairs, StagedList) and pairs.is_known:
        whole = [tuple(pair) for pair in pairs.elements()]
        if all(is_plain(key) for key, _ in whole):
            return born(dict(whole))
    found = new_table(DICTIONARY)
    found.update(pairs)
    return found


def set_(*given: Any) -> Any:
    """`set`."""
    if len(given) == 1 and isinstance(given[0], StagedSet):
        return given[0].copy()
    if len(given) == 1 and (is_of_a_run(given[0]) or isinstance(given[0], StagedList)):
        return of_elements(given[0])
    return born(set(*given))


def of_elements(x: Any) -> Any:
    """The set of elements: one of Python's, where all are known."""
    if isinstance(x, StagedList) and x.is_known and all(map(is_plain, x.elements())):
        return born(set(x.elements()))
    found = new_table(SET)
    found.update(x)
    return found


def is_plain(x: Any) -> bool:
    """Whether Python can tell whether a value is another."""
    if isinstance(x, tuple):
        return all(map(is_plain, x))
    return not is_of_a_run(x)


def from_keys(keys: Any, value: Any = None) -> Any:
    """`dict.fromkeys`; without a value it is a set in the order of its keys."""
    if not is_of_a_run(keys) and not isinstance(keys, StagedList):
        return born(dict.fromkeys(keys, value))
    found = new_table(DICTIONARY if value is not None else TableKind(dict.fromkeys))
    each_of(keys, lambda key: found.add(key) if value is None else found._put((key, value)))
    return found


def counter(*given: Any, **named: Any) -> Any:
    """`collections.Counter`."""
    if len(given) == 1 and is_of_a_run(given[0]):
        found = new_table(COUNTER)
        found.add_counts(given[0])
        return found
    return born(Counter(*given, **named), COUNTER)


def default_dict(*given: Any, **named: Any) -> Any:
    """`collections.defaultdict`."""
    factory = as_callable(given[0]) if given else None
    if given and given[0] is list:
        factory = functools.partial(_empty, place_key())
    made = defaultdict(factory, *given[1:], **named)
    return born(made, TableKind(
        lambda *lists: defaultdict(given[0], _dictionary(*lists)), factory))  # fmt: skip


def _empty(place: Any) -> Any:
    """A list that a `defaultdict` makes."""
    return born_list(StagedList(), place)


TABLES.update({"of": as_table, "demand": _demand, "pairs": of_pairs, "elements": of_elements})

TABLE_CALLS: Final[dict[Any, Callable[..., Any]]] = {
    dict: dict_, dict.fromkeys: from_keys, set: set_, Counter: counter, defaultdict: default_dict,
}  # fmt: skip
"""Python's classes of dictionaries and sets, and what staged code has for them."""
