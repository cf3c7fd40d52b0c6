"""The calls around a call: which activations of the same procedure led to it, and which of them are
like it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cogen.lang import il
from cogen.lang.datum import Pair, Symbol
from cogen.specializer.values.domain import Activation, Static, Value
from cogen.specializer.values.freeze import Token, static_token

MOST_LEFT: Final = 32
"""So many activations that ended with tail calls are looked at for each that waits for a result."""

_OBJECTS: Final = frozenset({Symbol, Pair})
"""Constants that are the same only as objects."""

Constants = tuple[Token | None, ...]
"""The constants among the arguments of a call, None for the others."""


def constants_among(values: Sequence[Value]) -> Constants:
    """The constants among arguments: if these are not the same, neither are the calls."""
    return tuple([static_token(value.datum) if type(value) is Static else None for value in values])


def constants_of(activation: Activation) -> Constants:
    """The constants among the arguments of an activation, found once."""
    found = activation.constants
    if found is None:
        found = activation.constants = constants_among(activation.values[1:])
    return found


Objects = tuple[int | None, ...]
"""The constants in some places among the arguments of a call, by identity; None for others."""


def _objects(values: Sequence[Value], places: Sequence[int]) -> Objects:
    found: list[int | None] = []
    for place in places:
        value = values[place]
        found.append(id(value.datum) if type(value) is Static else None)
    return tuple(found)


def _is_object(value: Value) -> bool:
    return type(value) is Static and type(value.datum) in _OBJECTS


def may_be_like(values: Sequence[Value], others: Sequence[Value]) -> bool:
    """Whether calls could differ in data alone (`versions.demand`), or in nothing: a quick
    look at the names and pieces of programs among their arguments."""
    for value, other in zip(values, others, strict=True):
        if _is_object(value) and type(other) is Static and other.datum is not value.datum:  # type: ignore[union-attr]
            return False
    return True


def led_here(
    waiting: Activation | None,
    outer: Activation | None,
    function: il.Function,
    aside: Callable[[il.Function], bool],
) -> Iterator[tuple[Activation, bool, bool, bool]]:
    """The activations of a procedure that led to a call of it made in a block, the innermost of
    another block being `outer`, of those that wait for its result `waiting`; from inside.  With
    each whether it still waits, whether procedures that are not `aside` were passed on the way to
    it, and whether one of these still waits."""
    left = 0
    looks, passed, named = aside(function), False, False
    while outer is not None:
        waits = outer is waiting
        if outer.function is function:
            yield outer, waits, passed, named
        elif looks and not (named or (passed and not waits)) and not aside(outer.function):
            passed, named = True, named or waits
        if waits:
            waiting, left = outer.parent, 0
        left += 1
        outer = waiting if outer.before is None or left > MOST_LEFT else outer.before


class Led:
    """The activations of a procedure that led to calls of it in a block, from inside, as far as
    none of the program's named procedures waits in between; `ends` tells that one does.

    `equal` are those with the same constants as arguments, each with whether it waits for the
    result; `waiting` those that do, `nearest` the first that is no residual procedure itself.
    """

    def __init__(self, around: Iterator[tuple[Activation, bool, bool, bool]]) -> None:
        self.equal: dict[Constants, list[tuple[Activation, bool]]] = {}
        self.waiting: list[Activation] = []
        self.nearest: Activation | None = None
        self.ends = False
        self._by_objects: dict[tuple[int, ...], dict[Objects, list[Activation]]] = {}
        for outer, waits, passed, named in around:
            if passed and not waits:
                continue
            if named:
                self.ends = True
                break
            self.equal.setdefault(constants_of(outer), []).append((outer, waits))
            if self.nearest is None and not outer.root:
                self.nearest = outer
            if waits:
                self.waiting.append(outer)

    def like(self, values: Sequence[Value]) -> list[Activation]:
        """Those that wait, and that a call with these arguments `may_be_like`."""
        if not self.waiting:
            return self.waiting
        places = tuple([index for index, value in enumerate(values) if _is_object(value)])
        groups = self._by_objects.get(places)
        if groups is None:
            groups = self._by_objects[places] = {}
            for outer in self.waiting:
                groups.setdefault(_objects(outer.values[1:], places), []).append(outer)
        if any(None in group for group in groups):
            return [one for one in self.waiting if may_be_like(values, one.values[1:])]
        return groups.get(_objects(values, places), [])
