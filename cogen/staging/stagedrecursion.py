"""Functions that call themselves at their end, as often as a run says: one loop over their states.

    def state(s, i):                           s, i = 0, 0
        if i >= n:                             while True:
            return s in accept          ->         if s == 0:   (what the function does for s = 0)
        return state(table[s][text[i]], i + 1)     elif s == 1: ...

A *state* is what is known of the arguments of a call; what only a run knows of them are the
variables of the loop, its *slots*.  The function is run once for each state, and each call of
itself at its end that stands below a staged condition is a jump to a state; others go on in place.
So interpreters whose programs jump become loops over the programs' jumps, and nothing is left of
the interpreters.

A known number that grows from jump to jump (an index) would make states without end: it becomes a
slot, unless the function needs to know it (seed 004's memo points, and its upward generalization).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from types import CodeType, FunctionType
from typing import Any, Final, NoReturn

from cogen.array.l0.types import BOOL, CHAR, INT, REAL, Basic
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.lang.errors import CogenError
from cogen.staging.convertfunctions import convert
from cogen.staging.earlyexits import RESULT
from cogen.staging.joinvalues import UNRETURNED, Missing, StepOutcome, Unreturned
from cogen.staging.sourceplaces import cannot
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedconditionals import Raised, conditional
from cogen.staging.stagedloops import repeat
from cogen.staging.stagedprocedures import ProcedureGrowsError
from cogen.staging.stagedscalars import Scalar, Staged, is_number, scalar
from cogen.staging.tracer import CallFrame, current
from cogen.staging.valueparts import parts_of, shape_of

NESTED: Final = 24
"""Calls of a function at its end, each below one more staged condition, after which it is taken to
call itself as often as a run says."""

_NOT_LAST: Final = (
    "write a loop; recursion is staged where static arguments end it, or where the function "
    "returns what it gives as it is"
)

DEEPEST: Final = 1000
"""Calls of one function within each other, after which its recursion is taken not to end."""

MOST_NESTED: Final = 60
"""After so many calls of one function, each below one more staged condition, it is taken not to end
if the later ones run more functions than the earlier ones."""

MOST_STATES: Final = 400
GROWING: Final = 64
"""With more states it is looked for known numbers that grow or fall from state to state;"""

CHANGING: Final = 200
"""with more than that for such that change."""

SWELLING: Final = 32
"""So many states, each of which has more parts than the one that it was found by, have no end."""

TIMES: Final = 3
"""So often a number must have grown."""

Path = tuple[Any, ...]
Leaf = tuple[Path, str, Any]
"""Where a leaf is in the arguments; `slot` and its type, `known` and its value, or
`object` and its identity."""


class RecursionGrowsError(BaseException):
    """A function calls itself at its end, as often as a run says; staging begins anew."""

    def __init__(self, code: CodeType) -> None:
        super().__init__(code.co_name)
        self.code = code


class _GrowsError(BaseException):
    """Known numbers grow from state to state."""

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__()
        self.paths = paths


@dataclass(slots=True, eq=False)
class _State:
    """What is known of the arguments of a jump; `kept` holds what is told by its identity."""

    number: int
    key: tuple[Leaf, ...]
    arguments: inspect.BoundArguments
    parent: _State | None
    kept: list[Any]

    def numbers(self) -> dict[Path, float]:
        """The known numbers by their places."""
        return {path: float(leaf[1]) for path, kind, leaf in self.key if _is_number(kind, leaf)}

    def rest(self) -> tuple[Leaf, ...]:
        """All but numbers, of which nothing is left, and objects, of which the types are."""
        return tuple([
            (path, kind, leaf[0] if kind == "object" or _is_number(kind, leaf) else leaf)
            for path, kind, leaf in self.key
        ])  # fmt: skip


@dataclass(slots=True, eq=False)
class StagedRecursion:
    """The loop of a function, in the making."""

    function: FunctionType
    signature: inspect.Signature = field(init=False)
    states: dict[tuple[Leaf, ...], _State] = field(default_factory=dict)
    order: list[_State] = field(default_factory=list)
    slots: list[tuple[int, Basic]] = field(default_factory=list)
    """Slots by the number of the leaf, and its type."""
    general: list[tuple[Path, ...]] = field(default_factory=list)
    """Places of numbers that are slots though they are known at first."""
    needed: set[Path] = field(default_factory=set)
    """Places of numbers that must be known."""
    now: _State | None = None
    depth: int = 0
    """How many regions there were where the present state began."""
    gives: bool = False
    """Whether it has a result, and not only changes arrays."""
    going: set[tuple[Leaf, ...]] = field(default_factory=set)
    """The calls that went on in place in this state."""

    def __post_init__(self) -> None:
        self.signature = inspect.signature(self.function)

    def is_of(self, f: FunctionType) -> bool:
        """Whether it is the loop of a function."""
        own, other = self.function, f
        cells = own.__closure__ or (), other.__closure__ or ()
        return own.__code__ is other.__code__ and all(a is b for a, b in zip(*cells, strict=True))

    def run(self, args: Any, options: Any) -> Any:
        """Stage the loop that begins with a call; its result."""
        first: CogenError | None = None
        while True:
            try:
                return self._attempt(args, options)
            except _GrowsError as grows:
                self.general.append(tuple(grows.paths))
            except CogenError as error:
                first = first or error
                if not self.general:
                    raise first from None
                self.needed.update(self.general.pop())

    def _attempt(self, args: Any, options: Any) -> Any:
        tracer = current()
        begun = len(tracer.code.frames)
        self.states, self.order, self.slots = {}, [], []
        tracer.recursions.append(self)
        try:
            first = self._to(self.signature.bind(*args, **options))
            self._find_states()
            return self._loop(first)
        except BaseException:
            del tracer.code.frames[begun:]
            raise
        finally:
            tracer.recursions.pop()

    # Jumps.

    def jump(self, args: Any, options: Any) -> Any:
        """What a call at the end of the function gives: a jump, or what it gives in place."""
        bound = self.signature.bind(*args, **options)
        bound.apply_defaults()
        key, _, _ = self._taken(bound)
        if len(current().regions) > self.depth or key in self.going or key in self.states:
            return self._to(bound)
        self.going.add(key)
        return convert(self.function)(*bound.args, **bound.kwargs)

    def _to(self, bound: inspect.BoundArguments) -> StepOutcome:
        bound.apply_defaults()
        key, dynamic, kept = self._taken(bound)
        state = self.states.get(key)
        if state is None:
            state = self.states[key] = _State(len(self.order), key, bound, self.now, kept)
            self.order.append(state)
            if len(self.order) > MOST_STATES:
                self._endless("calls itself in too many ways")
            if len(self.order) > SWELLING and self._swells(state):
                self._endless("hands on more each time that it calls itself")
            if len(self.order) > GROWING:
                self._see_growth(state)
        values: list[Any] = [UNRETURNED] * len(self.slots)
        for k, leaf in enumerate(dynamic):
            at = self._slot(k, leaf.type)
            values += [UNRETURNED] * (at + 1 - len(values))
            values[at] = leaf
        return StepOutcome(state.number, tuple(values), UNRETURNED)

    def _taken(
        self, bound: inspect.BoundArguments
    ) -> tuple[tuple[Leaf, ...], list[Scalar], list[Any]]:
        """What is known of arguments, and what is not."""
        general = {path for paths in self.general for path in paths}
        key: list[Leaf] = []
        dynamic: list[Scalar] = []
        kept: list[Any] = []
        for path, x in _leaves(bound.arguments, ()):
            if isinstance(x, Scalar) or (path in general and is_number(x)):
                dynamic.append(scalar(x))
                key.append((path, "slot", dynamic[-1].type.name))
            elif isinstance(x, str | bytes | bool | int | type(None)):
                key.append((path, "known", (type(x), x)))
            elif isinstance(x, Staged) and not isinstance(x, Array):
                cannot(
                    f"`{self.function.__name__}` hands on {type(x).__name__} to itself",
                    "hand on numbers, and what does not change",
                )
            else:
                is_float = isinstance(x, float)
                told = (type(x), repr(x) if is_float else id(x))
                key.append((path, "known" if is_float else "object", told))
                kept.append(x)
        return tuple(key), dynamic, kept

    def _slot(self, number: int, t: Basic) -> int:
        if (number, t) not in self.slots:
            self.slots.append((number, t))
        return self.slots.index((number, t))

    def _see_growth(self, state: _State) -> None:
        """Whether known numbers grow, or fall, from state to state, and nothing else changes."""
        own, rest = state.numbers(), state.rest()
        before: list[dict[Path, float]] = []
        parent = state.parent
        while parent is not None and len(before) < 50:
            if parent.rest() == rest:
                before.append(parent.numbers())
            parent = parent.parent
        for nearest in before[:8]:
            paths = [path for path in own if own[path] != nearest[path]]
            alike = [
                numbers for numbers in before
                if all((numbers[path] != own[path]) == (path in paths) for path in own)
            ][:TIMES]  # fmt: skip
            grows = len(self.order) > CHANGING or all(
                _is_monotone([own[path], *[n[path] for n in alike]]) for path in paths
            )
            if not paths:
                self._endless("hands on something new each time that it calls itself")
            if len(alike) == TIMES and grows and self.needed.isdisjoint(paths):
                raise _GrowsError(paths)

    def _swells(self, state: _State) -> bool:
        """Whether the last states, each found by the one before, have each more parts than that."""
        for _ in range(SWELLING):
            if state.parent is None or len(state.key) <= len(state.parent.key):
                return False
            state = state.parent
        return True

    def _endless(self, what: str) -> NoReturn:
        current().rolling.endless = True
        cannot(
            f"`{self.function.__name__}` {what}",
            "hand on numbers that a run computes, or write a loop",
        )

    # States.

    def _find_states(self) -> None:
        """Run the function for each state, which finds others; what that stages is dropped."""
        tracer = current()
        done = 0
        while done < len(self.order):
            with tracer.region("branch"), tracer.block():
                slots = [
                    Scalar(SymbolicName(tracer.names.fresh("slot"), t), t) for _, t in self.slots
                ]
                with suppress(Raised):  # the loop will find it, too
                    self._step(self.order[done], slots)
            done += 1

    def _step(self, state: _State, slots: Sequence[Any]) -> StepOutcome:
        """What the function does in a state."""
        tracer = current()
        leaves = iter([
            slots[self._slot(k, _TYPES[t])]
            for k, t in enumerate(leaf for _, kind, leaf in state.key if kind == "slot")
        ])  # fmt: skip
        kinds = {path: kind for path, kind, _ in state.key}
        values = {name: _rebuilt(x, (name,), kinds, leaves)
                  for name, x in state.arguments.arguments.items()}  # fmt: skip
        bound = inspect.BoundArguments(self.signature, values)
        outer = self.now, self.depth, self.going
        self.now, self.depth, self.going = state, len(tracer.regions), {state.key}
        tracer.enter_call(self.function.__code__, True, begins=True)
        try:
            found = convert(self.function)(*bound.args, **bound.kwargs)
        finally:
            tracer.calling.pop()
            self.now, self.depth, self.going = outer
        outcome = found if isinstance(found, StepOutcome) else self._ended(found)
        self.gives |= not isinstance(outcome.result, Unreturned)
        return outcome

    def _ended(self, result: Any) -> StepOutcome:
        """The outcome of a call that calls itself no more."""
        if any(isinstance(x, StepOutcome) for _, x in _leaves(result, ())):
            raise ProcedureGrowsError(self.function.__code__, set(), False)
        given = UNRETURNED if result is None and not self.gives else result
        return StepOutcome(-1, (UNRETURNED,) * len(self.slots), given)

    # The loop.

    def _loop(self, first: StepOutcome) -> Any:
        padded = [*first.slots, *[UNRETURNED] * (len(self.slots) - len(first.slots))]
        slots = [_ZERO[t] if isinstance(x, Unreturned) else x
                 for x, (_, t) in zip(padded, self.slots, strict=True)]  # fmt: skip
        values: list[Any] = [first.state, *slots, UNRETURNED]

        def put(new: tuple[Any, ...]) -> None:
            values[:] = new

        def body(k: Any) -> None:
            outcome = self._chosen(values[0], 0, len(self.order), values[1:-1])
            own = [
                old if isinstance(new, Unreturned) else new
                for old, new in zip(values[1:-1], outcome.slots, strict=True)
            ]
            given = values[-1] if isinstance(outcome.result, Unreturned) else outcome.result
            values[:] = [outcome.state, *own, given]

        names = ["state", *[f"slot{k}" for k in range(len(slots))], RESULT]
        repeat(None, lambda k: k, body, lambda: tuple(values), put, names, None,
               lambda: values[0] >= 0)  # fmt: skip
        result = values[-1]
        if isinstance(result, Missing):
            cannot(
                f"`{self.function.__name__}` does not give a result of one kind on every way",
                "return values of one kind",
            )
        return None if isinstance(result, Unreturned) else result

    def _chosen(self, number: Any, low: int, high: int, slots: Sequence[Any]) -> StepOutcome:
        """What is done in the state of a number, which is one of some."""
        if high - low == 1:
            found = self._step(self.order[low], slots)
            more = (UNRETURNED,) * (len(self.slots) - len(found.slots))
            return StepOutcome(found.state, found.slots + more, found.result)
        middle = (low + high) // 2
        found = conditional(
            number < middle,
            lambda: self._chosen(number, low, middle, slots),
            lambda: self._chosen(number, middle, high, slots),
        )
        assert isinstance(found, StepOutcome)
        return found


_TYPES: Final = {t.name: t for t in (INT, REAL, BOOL, CHAR)}
_ZERO: Final[dict[Basic, Any]] = {INT: 0, REAL: 0.0, BOOL: False}


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """The parts of a value that have none, with their places; sizes are parts, too."""
    found = parts_of(value)
    if found is None:
        yield path, value
        return
    yield (*path, "shape"), str(shape_of(value))
    names = list(value) if type(value) is dict else range(len(found[0]))
    for name, part in zip(names, found[0], strict=True):
        yield from _leaves(part, (*path, name))


def _rebuilt(value: Any, path: Path, kinds: dict[Path, str], slots: Iterator[Any]) -> Any:
    """A value with what slots hold now."""
    found = parts_of(value)
    if found is None:
        return next(slots) if kinds[path] == "slot" else value
    parts, make = found
    names = list(value) if type(value) is dict else range(len(parts))
    return make([_rebuilt(x, (*path, n), kinds, slots) for n, x in zip(names, parts, strict=True)])


def _is_number(kind: str, leaf: Any) -> bool:
    """Whether a leaf is a known number."""
    return kind == "known" and leaf[0] in (int, float)


def _is_monotone(numbers: Sequence[float]) -> bool:
    """Whether each is less than the next one, or each is greater."""
    pairs = list(pairwise(numbers))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


# Calls that may be of such functions.


def see_recursion(f: FunctionType, last: bool) -> None:
    """Begin anew where a function calls itself at its end, as often as a run says; refuse it where
    there is no end."""
    tracer = current()
    own = [frame for frame in tracer.calling if frame.code is f.__code__]
    nested = bool(own) and len(tracer.regions) - own[0].regions > NESTED
    if nested and last and tracer.rolling.more and all(frame.last for frame in own[1:]):
        raise RecursionGrowsError(f.__code__)
    if len(own) >= DEEPEST or (len(own) > MOST_NESTED and _does_ever_more(own)):
        cannot(
            f"`{f.__name__}` calls itself, and only a run knows how often",
            _NOT_LAST,
        )


def _does_ever_more(own: Sequence[CallFrame]) -> bool:
    """Whether of calls of a function within each other, below staged conditions, the second half
    has run more than twice as many functions as the first."""
    tracer, first, middle = current(), own[0], own[len(own) // 2]
    nested = len(tracer.regions) - first.regions
    return nested > MOST_NESTED and tracer.calls - middle.calls > 2 * (middle.calls - first.calls)


def rolled(f: FunctionType, args: Any, options: Any, last: bool) -> Any:
    """A call of a function that becomes a loop: a jump within it, or the loop."""
    tracer = current()
    for recursion in reversed(tracer.recursions):
        if recursion.is_of(f):
            between = takewhile(lambda frame: not frame.begins, tracer.calling[::-1])
            if not last or not all(frame.last for frame in between):
                raise ProcedureGrowsError(f.__code__, set(), False)
            return recursion.jump(args, options)
    return StagedRecursion(f).run(args, options)
