"""Staged loops: the body is run once on values that stand for those of any round.

    for i in range(n):              loop ({s, a} = {0, a}) = for i < n do
        s = s + a[i]         ->         let s2 = s + a[i] in ... {s2, a'}
        a[i] = s

What a round assigns or changes is carried.  What types that has, and which objects are changed, is
found by running the body; it is run again where the guess was wrong (`_Guesses`).  A loop that may
be left goes round while a truth value that it carries holds:

    loop ({more, x} = {test, x}) = for i < WHILE do if more then {test', x'} else {more, x}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT, ArrayType, Basic, Type, array_of
from cogen.array.l0.while_loops import WHILE
from cogen.array.scheme.symbolicvalues import Name
from cogen.staging.earlyexits import PREFIX
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
)
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array, as_array, of_type
from cogen.staging.stagedconditionals import Get, Raised, Set, conditional
from cogen.staging.stagedreading import integer
from cogen.staging.stagedscalars import (
    Scalar,
    apply,
    as_type,
    choose,
    constant,
    expression,
    join,
    scalar,
)
from cogen.staging.tracer import AgainError, Region, current, restore
from cogen.staging.valueparts import Build, flatten, rebuild, shape_of
from cogen.staging.wholearrays import converted, together

ROUNDS: Final = 60
"""So often a body is run to find out what it does."""


class _WrongGuessError(BaseException):
    """The body must be run again, with another guess."""


@dataclass(slots=True, eq=False)
class _Guesses:
    """What is known of a loop from runs of its body."""

    modes: dict[Any, str] = field(default_factory=dict)
    """Of variables and parts of objects: `same`, `carried` or `missing`."""
    types: dict[Any, list[Type]] = field(default_factory=dict)
    """The types that leaves must have to hold what rounds give."""
    heap: dict[int, Any] = field(default_factory=dict)
    late: dict[Any, Any] = field(default_factory=dict)
    """Values like those of variables that have none before."""
    leaves_early: bool = False
    aliased: bool = False
    """Whether variables may be one array."""
    joined: list[Any] = field(default_factory=list)
    """Arrays from outside that variables may become."""


class _Slot:
    """A variable, or a part of an object, in a loop."""

    def __init__(self, loop: _Loop, key: Any, name: str, before: Any) -> None:
        self.loop = loop
        self.key = key
        self.name = name
        self.before = before
        self.is_variable = not (isinstance(key, tuple) and key[1:] == ("array",))
        self.mode = loop.guesses.modes.get(key) or self._guess()
        self.leaves: list[Any] = []
        self.names: list[Name] = []
        self.build: Build = next
        if self.mode == "late":
            self.before = before = like(loop.guesses.late[key])
            self.mode = "carried"
        if self.mode == "carried":
            self.leaves, self.build = flatten(before)
            if not all(map(is_leaf, self.leaves)):
                self.mode = "missing"
        self.types: list[Type] = []
        if self.mode == "carried":
            own = [_type(leaf) for leaf in self.leaves]
            self.types = loop.guesses.types.setdefault(key, own)
            tracer = current()
            self.names = [Name(tracer.names.fresh(_hint(name)), t) for t in self.types]

    def _guess(self) -> str:
        if self.name.startswith(PREFIX) and not isinstance(self.before, Scalar):
            return "same"
        if is_leaf(self.before) and not is_array(self.before):
            return "carried"
        if isinstance(self.before, tuple) and self.before:
            return "carried" if all(map(is_leaf, flatten(self.before)[0])) else "same"
        return "same"

    def head(self) -> Any:
        """What it is at the beginning of a round."""
        if self.mode == "same":
            return self.before
        if self.mode == "missing":
            return Missing(self.name, DIFFERENT)
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
        raise _WrongGuessError

    def follow(self, after: Any) -> list[Any]:
        """The leaves that the next round begins with."""
        if self.mode == "missing":
            return []
        if self.mode == "same":
            if isinstance(self.before, Unreturned) and not isinstance(after, Unreturned):
                self.loop.guesses.late[self.key] = after
                self.wrong("late")
            if not same_known(self.before, after):
                leaves = flatten(self.before)[0]
                fits = shape_of(self.before) == shape_of(after) and all(map(is_leaf, leaves))
                self.wrong("carried" if fits else "missing")
            return []
        leaves = flatten(after)[0]
        same = _structure(after) == _structure(self.before)
        if not same or not all(map(is_leaf, leaves)):
            self.wrong("missing")
        wider = list(self.types)
        for k, (leaf, t) in enumerate(zip(leaves, self.types, strict=True)):
            found = _joined(_type(leaf), t)
            if found is None:
                self.wrong("missing")
            else:
                wider[k] = found
        if wider != self.types:
            self.loop.guesses.types[self.key] = wider
            raise _WrongGuessError
        return leaves

    def after(self, last: list[Any]) -> Any:
        """What it is after the loop."""
        if self.mode == "same":
            return self.before
        if self.mode == "missing":
            before = self.before
            return before if isinstance(before, Missing) else Missing(self.name, SOMETIMES)
        if all(same_known(a, b) for a, b in zip(self.leaves, last, strict=True)):
            return self.before
        return self.head()


def _hint(name: str) -> str:
    return name.removeprefix(PREFIX) or "v"


def _structure(x: Any) -> Any:
    """The structure of a value, all the way down."""
    from cogen.staging.valueparts import parts_of

    found = parts_of(x)
    return None if found is None else (shape_of(x), [_structure(part) for part in found[0]])


def _type(leaf: Any) -> Type:
    if is_array(leaf):
        a = as_array(leaf)
        return array_of(a.element, a.ndim)
    return scalar(leaf).type


def _joined(a: Type, b: Type) -> Type | None:
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


class _Loop:
    """A loop in the making."""

    def __init__(self, get: Get, put: Set, names: Sequence[str], guesses: _Guesses) -> None:
        self.get = get
        self.put = put
        self.guesses = guesses
        self.before = get()
        self.slots = [
            _Slot(self, name, name, value) for name, value in zip(names, self.before, strict=True)
        ]
        self.parts = {key: self._parts(thing) for key, thing in guesses.heap.items()}
        self.arrays: list[tuple[Array, Any]] = []
        """Arrays that stand for others, with what they are at first."""

    def _parts(self, thing: Any) -> list[_Slot]:
        """The parts of an object that may be changed."""
        key = id(thing)
        if isinstance(thing, Array):
            now = Array(thing.value, thing.element, thing.ndim, thing.known, thing.ones)
            now.block = thing.block
            self.guesses.modes[key, "array"] = "carried"
            return [_Slot(self, (key, "array"), "a", now)]
        if isinstance(thing, list):
            return [_Slot(self, (key, k), "part", x) for k, x in enumerate(thing)]
        if isinstance(thing, dict):
            return [_Slot(self, (key, k), str(k), x) for k, x in thing.items()]
        if isinstance(thing, set):
            fail("a set is changed in a staged loop", "use an array of truth values")
        return [_Slot(self, (key, k), k, x) for k, x in vars(thing).items()]

    def all(self) -> list[_Slot]:
        """All slots."""
        return [*self.slots, *[slot for parts in self.parts.values() for slot in parts]]

    def enter(self) -> None:
        """Begin a round."""
        self.put(tuple([slot.head() for slot in self.slots]))
        for key, slots in self.parts.items():
            thing = self.guesses.heap[key]
            current().touch(thing)
            _hold(thing, [slot.head() for slot in slots])
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
            raise _WrongGuessError

    def leave(self) -> list[list[Any]]:
        """The leaves with which the next round begins, slot by slot."""
        found = [slot.follow(value) for slot, value in zip(self.slots, self.get(), strict=True)]
        for key, slots in self.parts.items():
            held = _held(self.guesses.heap[key])
            if len(held) != len(slots):
                fail(
                    "a list or dictionary grows or shrinks in a loop that a run counts",
                    "use cogen.map, cogen.filter or cogen.scan, or assign to an array",
                )
            found += [slot.follow(value) for slot, value in zip(slots, held, strict=True)]
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
            _hold(thing, rest[: len(slots)])
            rest = rest[len(slots) :]


def _held(thing: Any) -> list[Any]:
    if isinstance(thing, Array):
        now = Array(thing.value, thing.element, thing.ndim, thing.known, thing.ones)
        now.block = thing.block
        return [now]
    if isinstance(thing, list):
        return list(thing)
    return list(thing.values()) if isinstance(thing, dict) else list(vars(thing).values())


def _hold(thing: Any, values: list[Any]) -> None:
    if isinstance(thing, Array):
        (value,) = values
        restore(thing, value.content())
        if value.element != thing.element:
            fail("an array of ints would hold floats", "start with floats: np.zeros(n)")
    elif isinstance(thing, list):
        thing[:] = values
    elif isinstance(thing, dict):
        for key, value in zip(list(thing), values, strict=True):
            thing[key] = value
    else:
        own = vars(thing)
        for key, value in zip(list(own), values, strict=True):
            own[key] = value


Body = Callable[[Any], None]
Stop = Callable[[], Any] | None


def repeat(
    count: Any,
    item: Callable[[Any], Any],
    body: Body,
    get: Get,
    put: Set,
    names: Sequence[str],
    stop: Stop = None,
    test: Callable[[], Any] | None = None,
    hint: str = "i",
) -> None:
    """Stage a loop: `count` rounds, or as long as a test holds (`count` is None)."""
    rounds = _Rounds(count, item, body, get, put, names, stop, test, hint)
    guesses = _Guesses()
    guesses.leaves_early = test is not None
    for _ in range(ROUNDS):
        before = get()
        try:
            _attempt(rounds, guesses)
            return
        except _WrongGuessError:
            put(before)
    cannot("what this loop does to its variables could not be found out", "simplify its body")


@dataclass(frozen=True, slots=True, eq=False)
class _Rounds:
    """A loop as Python has it: see `repeat`."""

    count: Any
    item: Callable[[Any], Any]
    body: Body
    get: Get
    put: Set
    names: Sequence[str]
    stop: Stop
    test: Callable[[], Any] | None
    hint: str


def _attempt(rounds: _Rounds, guesses: _Guesses) -> None:
    """Stage a loop as it is guessed to be.  _WrongGuessError if it is otherwise."""
    tracer = current()
    place = tracer.place
    loop = _Loop(rounds.get, rounds.put, rounds.names, guesses)
    hint = rounds.hint
    index = tracer.names.fresh(hint)
    more, counter = tracer.names.fresh("more"), tracer.names.fresh(hint)
    early = guesses.leaves_early
    starts = _first_round(rounds) if early else []
    initial = loop.initial()
    with tracer.region("loop") as region, tracer.block() as code:
        region.carried = guesses.heap
        loop.enter()
        with tracer.block() as arm:
            k = Scalar(Name(counter if early else index, INT), INT)
            after = _round(rounds, guesses, region, k)
            last = loop.leave()
            loop.separate(last)
            parts = [*after, *loop.expressions(last)] or [constant(True)]
            inner = arm.close(together(parts))
    rounds.put(loop.before)
    carried = [name for slot in loop.all() for name in slot.names]
    tracer.adopt(region)
    if early:
        counted = [] if rounds.count is None else [Name(counter, INT)]
        carried, initial = [Name(more, BOOL), *counted, *carried], [*starts, *initial]
        with tracer.within(code):
            same = together([tracer.expression(name) for name in carried])
            inner = choose(tracer.expression(carried[0]), inner, same)
    if not carried:
        carried, initial = [Name(tracer.names.fresh("done"), BOOL)], [constant(True)]
    whole = code.close(inner)
    patterns: list[tree.Pattern] = [tree.Name(place, name.text) for name in carried]
    pattern = patterns[0] if len(patterns) == 1 else tree.TuplePattern(place, tuple(patterns))
    start = together(initial)
    bound = tree.Literal(place, WHILE, INT) if early else integer(rounds.count)
    number = tree.Name(place, index)
    tracer.code.frames.append(
        lambda rest: tree.Loop(place, pattern, start, number, bound, whole, rest)
    )
    loop.finish(last)


def _first_round(rounds: _Rounds) -> list[tree.Expression]:
    """Whether there is a first round, and its number if rounds are counted."""
    first = _initially(rounds.count, rounds.test)
    return [first] if rounds.count is None else [first, constant(0)]


def _round(rounds: _Rounds, guesses: _Guesses, region: Region, k: Scalar) -> list[tree.Expression]:
    """Run the body once; of a loop that may be left whether there is another round, and its
    number."""
    early = guesses.leaves_early
    with _once(region):
        try:
            rounds.body(rounds.item(k))
        except Raised:
            cannot("an exception is raised in a staged loop", "raise it under an `if`")
    stopped = rounds.stop() if rounds.stop is not None else False
    if isinstance(stopped, Scalar | bool) and stopped is not False and not early:
        guesses.leaves_early = True
        raise _WrongGuessError
    if not early:
        return []
    with _once(region):
        going = _going_on(k, rounds.count, stopped, rounds.test)
    after = [expression(scalar(going))]
    return after if rounds.count is None else [*after, as_type(k + 1, INT)]


@contextmanager
def _once(region: Region) -> Iterator[None]:
    """What this region must be run again for was guessed wrongly."""
    try:
        yield
    except AgainError as again:
        if again.region is region:
            raise _WrongGuessError from None
        raise


def _initially(count: Any, test: Callable[[], Any] | None) -> tree.Expression:
    """Whether there is a first round."""
    if test is None:
        return expression(scalar(apply("less", 0, scalar(count))))
    return expression(_truth(test()))


def _truth(x: Any) -> Scalar:
    from cogen.staging.scalaroperations import truth

    if isinstance(x, Array | np.ndarray):
        fail("the truth of an array of several elements is not one", "use np.any or np.all")
    found = truth(x)
    return found if isinstance(found, Scalar) else scalar(bool(found))


def _going_on(k: Scalar, count: Any, stopped: Any, test: Callable[[], Any] | None) -> Any:
    """Whether there is another round."""

    def others() -> Any:
        if test is not None:
            return _truth(test())
        return apply("less", k + 1, scalar(count))

    if stopped is False:
        return others()
    if stopped is True:
        return False
    return conditional(stopped, lambda: False, others)


__all__ = ["converted", "repeat"]
