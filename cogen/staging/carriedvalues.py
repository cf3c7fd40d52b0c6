"""What a staged loop carries: guesses of it, which running the body confirms or mends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import ArrayType, Basic, Type, array_of
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.earlyexits import PREFIX
from cogen.staging.growinglists import ListGrowth
from cogen.staging.heldparts import array_now, held, hold
from cogen.staging.joinvalues import (
    DIFFERENT,
    SOMETIMES,
    Missing,
    Unreturned,
    are_distinct,
    chosen,
    is_array,
    is_leaf,
    leaf_expression,
    like,
    link,
    root_of,
    same_known,
    wider,
)
from cogen.staging.listelements import demand_alike, rows_of, settled, with_room
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, as_array, of_type
from cogen.staging.stagedcells import StagedCell
from cogen.staging.stagedcomplex import ComplexArray, is_complex
from cogen.staging.stagedconditionals import Get, Set
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedscalars import (
    Scalar,
    join,
    scalar,
)
from cogen.staging.stagedtables import demand_table
from cogen.staging.tracer import current
from cogen.staging.valueparts import Build, flatten, parts_of, rebuild, shape_of


class WrongGuessError(BaseException):
    """The body must be run again, with another guess."""


@dataclass(slots=True, eq=False)
class Guesses:
    """What is known of a loop from runs of its body."""

    modes: dict[Any, str] = field(default_factory=dict)
    """Of variables and parts of objects: `same`, `carried` or `missing`; `late` where they have no
    value before, `wider` where complex numbers take the place of reals."""
    types: dict[Any, list[Type]] = field(default_factory=dict)
    """The types that leaves must have to hold what rounds give."""
    heap: dict[int, Any] = field(default_factory=dict)
    late: dict[Any, Any] = field(default_factory=dict)
    """Values like those of variables that have none before, or reals."""
    grown: dict[int, ListGrowth] = field(default_factory=dict)
    """Lists that become longer or shorter."""
    leaves_early: bool = False
    aliased: bool = False
    """Whether variables may be one array."""
    joined: list[Any] = field(default_factory=list)
    """Arrays from outside that variables may become."""


class _Slot:
    """A variable, or a part of an object, in a loop."""

    def __init__(self, loop: CarriedValues, key: Any, name: str, before: Any) -> None:
        self.loop = loop
        self.key = key
        self.name = name
        self.before = before
        self.is_variable = not (isinstance(key, tuple) and key[1:] == ("array",))
        self.mode = loop.guesses.modes.get(key) or self._guess()
        self.leaves: list[Any] = []
        self.names: list[SymbolicName] = []
        self.build: Build = next
        if self.mode == "late":
            self.before = before = like(loop.guesses.late[key])
            self.mode = "carried"
        self.is_last = self.mode == "last"
        if self.is_last:
            before = like(loop.guesses.late[key])
            self.mode = "carried"
        if self.mode == "wider":
            self.before = before = wider(before, loop.guesses.late[key])
            self.mode = "carried"
        if self.mode == "carried":
            self.leaves, self.build = flatten(before)
            if not all(map(is_leaf, self.leaves)):
                self.mode = "missing"
        self.types: list[Type] = []
        if self.mode == "carried":
            own = [type_of_leaf(leaf) for leaf in self.leaves]
            self.types = loop.guesses.types.setdefault(key, own)
            tracer = current()
            self.names = [SymbolicName(tracer.names.fresh(_hint(name)), t) for t in self.types]

    def _guess(self) -> str:
        if isinstance(self.before, Missing) and self._place() not in current().attempts.carried:
            return "missing"
        if self.name.startswith(PREFIX) and not isinstance(self.before, Scalar):
            return "same"
        if is_leaf(self.before) and not is_array(self.before):
            return "carried"
        if is_complex(self.before) and not isinstance(self.before, ComplexArray | np.ndarray):
            return "carried"
        if isinstance(self.before, tuple) and self.before:
            return "carried" if all(map(is_leaf, flatten(self.before)[0])) else "same"
        return "same"

    def head(self) -> Any:
        """What it is at the beginning of a round."""
        if self.mode == "same" or self.is_last:
            return self.before
        if self.mode == "missing" and isinstance(self.before, Missing):
            return self.before
        if self.mode == "missing":
            return Missing(self.name, DIFFERENT)
        return self.named()

    def named(self) -> Any:
        """What the names that it is carried as stand for."""
        made = [of_type(name, t) for name, t in zip(self.names, self.types, strict=True)]
        for value, leaf in zip(made, self.leaves, strict=True):
            if isinstance(value, Array):
                value.ones = as_array(leaf).ones
                if self.is_variable:
                    self.loop.arrays.append((value, leaf))
        return rebuild(self.build, made)

    def wrong(self, mode: str) -> None:
        """Guess otherwise, and run the body again."""
        self.loop.guesses.modes[self.key] = mode
        raise WrongGuessError

    def follow(self, after: Any) -> list[Any]:
        """The leaves that the next round begins with."""
        if self.mode == "missing":
            return []
        if self.is_last:
            return self._follow_last(after)
        if self.mode == "same" and after is self.before:
            return []
        after = wider(_of_any_length(self.before, after), self.before)
        if structure(wider(self.before, after)) != structure(self.before):
            self.loop.guesses.late[self.key] = after
            self.loop.guesses.types.pop(self.key, None)
            self.wrong("wider")
        if self.mode == "same":
            if isinstance(self.before, Unreturned) and not isinstance(after, Unreturned):
                self.loop.guesses.late[self.key] = after
                self.wrong("late")
            if isinstance(self.before, Missing) and self._place() in current().attempts.carried:
                self.loop.guesses.late[self.key] = after
                self.wrong("last" if all(map(is_leaf, flatten(after)[0])) else "missing")
            if not same_known(self.before, after):
                leaves = flatten(self.before)[0]
                fits = shape_of(self.before) == shape_of(after) and all(map(is_leaf, leaves))
                self.wrong("carried" if fits else "missing")
            return []
        return self._followed(after, self.before)

    def _place(self) -> Any:
        """The loop, and the variable."""
        return (*self.loop.place, self.name)

    def _follow_last(self, after: Any) -> list[Any]:
        """The leaves of a variable that has no value before the loop, and is used after it."""
        if isinstance(after, Missing):
            self.wrong("missing")
        return self._followed(after, self.loop.guesses.late[self.key])

    def _followed(self, after: Any, before: Any) -> list[Any]:
        leaves = flatten(after)[0]
        same = structure(after) == structure(before)
        if not same or not all(map(is_leaf, leaves)):
            self.wrong("missing")
        wider = list(self.types)
        for k, (leaf, t) in enumerate(zip(leaves, self.types, strict=True)):
            found = joined_types(type_of_leaf(leaf), t)
            if found is None:
                self.wrong("missing")
            else:
                wider[k] = found
        if wider != self.types:
            self.loop.guesses.types[self.key] = wider
            raise WrongGuessError
        return leaves

    def after(self, last: list[Any]) -> Any:
        """What it is after the loop."""
        if self.mode == "same":
            return self.before
        if self.mode == "missing":
            if isinstance(self.before, Missing):
                return Missing(self.name, self.before.why, self._place())
            return Missing(self.name, SOMETIMES)
        if self.is_last:
            return self.named()
        if all(same_known(a, b) for a, b in zip(self.leaves, last, strict=True)):
            return self.before
        return self.head()


def _of_any_length(before: Any, after: Any) -> Any:
    """A list that another one becomes in a round, as arrays where its length is another."""
    if not isinstance(before, StagedList) or not isinstance(after, StagedList) or before is after:
        return after
    if not before.is_known or not after.is_known or len(before) == len(after):
        return after
    return StagedList((), rows_of(after.content() if len(after) else before.content(), None))


def _hint(name: str) -> str:
    return name.removeprefix(PREFIX) or "v"


def structure(x: Any) -> Any:
    """The structure of a value, all the way down."""
    found = parts_of(x)
    return None if found is None else (shape_of(x), [structure(part) for part in found[0]])


def type_of_leaf(leaf: Any) -> Type:
    """The type of a number or an array."""
    if is_array(leaf):
        a = as_array(leaf)
        return array_of(a.element, a.ndim)
    return scalar(leaf).type


def joined_types(a: Type, b: Type) -> Type | None:
    """The type of what is of one of two types; None if there is none."""
    if isinstance(a, Basic) and isinstance(b, Basic):
        return join([a, b])
    if isinstance(a, Basic) or isinstance(b, Basic):
        return None
    x, y = _element(a), _element(b)
    return array_of(join([x[0], y[0]]), x[1]) if x[1] == y[1] else None


def _element(t: Type) -> tuple[Basic, int]:
    count = 0
    while isinstance(t, ArrayType):
        count, t = count + 1, t.element
    assert isinstance(t, Basic)
    return t, count


class CarriedValues:
    """A loop in the making: its variables, and the parts of objects that are changed."""

    def __init__(self, get: Get, put: Set, names: Sequence[str], guesses: Guesses) -> None:
        self.get = get
        self.put = put
        place = current().place
        self.place = place.source.name if place.source else "", place.start, place.end
        self.guesses = guesses
        self.before = get()
        self.slots = [
            _Slot(self, name, name, value) for name, value in zip(names, self.before, strict=True)
        ]
        self.had_room: dict[int, bool] = {}
        """Lists that grow, and whether they had room before."""
        self.streams: list[tuple[StagedList, Any]] = []
        """Lists that a round only makes longer, with what it puts behind them."""
        self.parts = {key: self._parts(thing) for key, thing in guesses.heap.items()}
        self.arrays: list[tuple[Array, Any]] = []
        """Arrays that stand for others, with what they are at first."""

    def _parts(self, thing: Any) -> list[_Slot]:
        """The parts of an object that may be changed."""
        key = id(thing)
        if isinstance(thing, Array):
            now = array_now(thing)
            self.guesses.modes[key, "array"] = "carried"
            return [_Slot(self, (key, "array"), "a", now)]
        if isinstance(thing, StagedList):
            return self._list_parts(key, thing)
        if isinstance(thing, list):
            return [_Slot(self, (key, k), "part", x) for k, x in enumerate(thing)]
        if isinstance(thing, dict):
            return [_Slot(self, (key, k), str(k), x) for k, x in thing.items()]
        if isinstance(thing, set):
            demand_table(thing)
            fail("a set is changed in a staged loop", "its elements are not numbers")
        if isinstance(thing, StagedCell):
            return [_Slot(self, (key, "cell"), thing.name, thing.content())]
        return [_Slot(self, (key, k), k, x) for k, x in vars(thing).items()]

    def _list_parts(self, key: int, xs: StagedList) -> list[_Slot]:
        """The elements of a list; where it grows, the arrays that hold them, and how many."""
        elements, rows, _ = xs.content()
        if rows is not None and key not in self.guesses.grown:
            self.guesses.grown[key] = ListGrowth(rows)
        growth = self.guesses.grown.get(key)
        if growth is None:
            return [_Slot(self, (key, k), "part", x) for k, x in enumerate(elements)]
        if growth.is_stream:
            return []
        self.had_room[key] = rows is not None and rows.count is not None
        now = with_room(rows_of(xs.content(), growth.like))
        found: list[_Slot] = []
        for k, a in enumerate(now.leaves):
            self.guesses.modes[(key, k), "array"] = "carried"
            found.append(_Slot(self, ((key, k), "array"), "list", a))
        return [*found, _Slot(self, (key, "count"), "count", now.count)]

    def _list_after(self, xs: StagedList, slots: Sequence[_Slot]) -> list[list[Any]]:
        """The leaves of a list with which the next round begins."""
        content = xs.content()
        elements, rows, _ = content
        growth = self.guesses.grown.get(id(xs))
        if growth is None:
            if rows is None and len(elements) == len(slots):
                return self._followed(slots, elements)
            some = (
                content if rows is not None or elements else ([s.before for s in slots], None, None)
            )
            like = rows_of(some, None)
            self.guesses.grown[id(xs)] = ListGrowth(like)
            raise WrongGuessError
        if growth.is_stream:
            self.streams.append((xs, content))
            return []
        now = with_room(rows_of(content, growth.like))
        demand_alike(growth.like.shape, now.shape)
        if growth.like.owned and not now.owned:
            growth.like = now
            raise WrongGuessError
        values = [*now.leaves, now.count]
        return self._followed(slots, values)

    def no_streams(self) -> NoReturn:
        """Carry what grows."""
        for xs, _ in self.streams:
            self.guesses.grown[id(xs)].is_stream = False
        raise WrongGuessError

    def _hold(self, thing: Any, values: list[Any], begins: bool) -> None:
        """Make an object hold what it holds at the beginning of a round, or after the loop."""
        growth = self.guesses.grown.get(id(thing))
        if not isinstance(thing, StagedList):
            hold(thing, values)
        elif growth is None:
            thing.restore((values, None, thing.sealed))
        elif growth.is_stream:
            if begins:
                thing.restore(([], None, growth.seal()))
        else:
            *leaves, count = values
            now = growth.like.of(leaves, count)
            room = begins or self.had_room[id(thing)]
            thing.restore(([], now if room else settled(now), thing.sealed))

    def last_names(self) -> list[str]:
        """The variables without a value before that are used after the loop."""
        return [slot.name for slot in self.slots if slot.is_last]

    def all(self) -> list[_Slot]:
        """All slots."""
        return [*self.slots, *[slot for parts in self.parts.values() for slot in parts]]

    def enter(self) -> None:
        """Begin a round."""
        self.put(tuple([slot.head() for slot in self.slots]))
        for key, slots in self.parts.items():
            thing = self.guesses.heap[key]
            current().touch(thing)
            self._hold(thing, [slot.head() for slot in slots], True)
        self.heads, self.arrays = self.arrays, []
        firsts = [b for _, b in self.heads]
        chosen([a for a, _ in self.heads], [firsts])
        if self.guesses.aliased:
            for a, _ in self.heads:
                link(a, firsts)
                a.group = None

    def separate(self, last: Sequence[Sequence[Any]]) -> None:
        """See that arrays that rounds begin with are as different as they were taken to be."""
        after = [x for own in last for x in own if isinstance(x, Array)]
        inside = [a for a, _ in self.heads]
        if self.guesses.aliased or not inside:
            return
        roots = [root_of(x) for x in after]
        fresh = [x for x in roots if not any(x is a for a in inside)]
        outside = [x for x in fresh if current().births.get(id(x), (None, 0))[1]
                   < len(current().regions)]  # fmt: skip
        if not are_distinct(after) or outside:
            self.guesses.aliased = True
            self.guesses.joined = outside
            raise WrongGuessError

    def leave(self) -> list[list[Any]]:
        """The leaves with which the next round begins, slot by slot."""
        found = self._followed(self.slots, self.get())
        wrong = None
        for key, slots in self.parts.items():
            try:
                found += self._part_after(self.guesses.heap[key], slots)
            except WrongGuessError as error:
                wrong = error
        if wrong is not None:
            raise wrong
        return found

    def _part_after(self, thing: Any, slots: Sequence[_Slot]) -> list[list[Any]]:
        """The leaves of an object with which the next round begins."""
        if isinstance(thing, StagedList):
            return self._list_after(thing, slots)
        parts = held(thing)
        if len(parts) != len(slots):
            demand_table(thing)
            word = "list" if isinstance(thing, list) else "dictionary"
            fail(f"a {word} grows or shrinks in a loop that a run counts", _HINTS[word])
        return self._followed(slots, parts)

    def _followed(self, slots: Sequence[_Slot], values: Sequence[Any]) -> list[list[Any]]:
        """The leaves of slots; all wrong guesses are found at once."""
        found: list[list[Any]] = []
        wrong = None
        for slot, value in zip(slots, values, strict=True):
            try:
                found.append(slot.follow(value))
            except WrongGuessError as error:
                wrong = error
        if wrong is not None:
            raise wrong
        return found

    def expressions(self, leaves: Sequence[Sequence[Any]]) -> list[tree.Expression]:
        """Expressions of leaves as the types that are carried."""
        return [
            leaf_expression(leaf, t)
            for slot, own in zip(self.all(), leaves, strict=True)
            for leaf, t in zip(own, slot.types if slot.names else [], strict=True)
        ]

    def initial(self) -> list[tree.Expression]:
        """Expressions of what is carried at first."""
        return self.expressions([slot.leaves if slot.names else [] for slot in self.all()])

    def finish(self, last: Sequence[Sequence[Any]]) -> None:
        """Go on after the loop."""
        ends = [slot.after(list(own)) for slot, own in zip(self.all(), last, strict=True)]
        every = [b for _, b in self.arrays] + self.guesses.joined
        group = object() if not self.guesses.aliased else None
        for a, b in self.arrays:
            link(a, [b] if group is not None else every)
            a.group = group
        count = len(self.slots)
        self.put(tuple(ends[:count]))
        rest = ends[count:]
        for key, slots in self.parts.items():
            thing = self.guesses.heap[key]
            current().touch(thing)
            self._hold(thing, rest[: len(slots)], False)
            rest = rest[len(slots) :]


_HINTS: Final = {
    "list": "only lists that the function itself makes do: xs = list(xs)",
    "dictionary": "one that the function makes, with numbers as keys, does",
}
