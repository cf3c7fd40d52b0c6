"""Staged loops: the body is run once on values that stand for those of any round.

    for i in range(n):              loop ({s, a} = {0, a}) = for i < n do
        s = s + a[i]         ->         let s2 = s + a[i] in ... {s2, a'}
        a[i] = s

What a round assigns or changes is carried.  What types that has, and which objects are changed, is
found by running the body; it is run again where the guess was wrong
(`cogen.staging.carriedvalues`).  A loop that may be left goes round while a truth value that it
carries holds:

    loop ({more, x} = {test, x}) = for i < WHILE do if more then {test', x'} else {more, x}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT
from cogen.array.l0.while_loops import WHILE
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.carriedvalues import CarriedValues, Guesses, WrongGuessError
from cogen.staging.growinglists import ListRound, emit_streams, list_rounds
from cogen.staging.sourceplaces import cannot, fail, raised_at
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedconditionals import Get, NoResultYet, Raised, Set, conditional
from cogen.staging.stagedexpressions import choose, constant, require, text
from cogen.staging.stagedreading import integer
from cogen.staging.stagedscalars import Scalar, apply, as_type, bind, expression, scalar
from cogen.staging.tracer import AgainError, TracedRegion, current
from cogen.staging.wholearrays import converted, together

ROUNDS: Final = 60
"""So often a body is run to find out what it does."""


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
    first = None if test is None else _truth(test())  # once, as it may change something
    rounds = _PythonLoop(count, item, body, get, put, names, stop, test, first, hint)
    guesses = Guesses()
    guesses.leaves_early = test is not None
    for _ in range(ROUNDS):
        before = get()
        try:
            _attempt(rounds, guesses)
            return
        except WrongGuessError:
            put(before)
        except NoResultYet:  # as if there were no rounds, for this time
            put(before)
            return
        except _FirstFailsError as fails:
            put(before)
            none = tree.UnaryExpression(current().place, "not", _initially(rounds))
            require(none, text(str(fails.error)))
            return
    cannot("what this loop does to its variables could not be found out", "simplify its body")


class _FirstFailsError(BaseException):
    """A round fails for what is known before the loop: a run that comes to one does."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True, slots=True, eq=False)
class _PythonLoop:
    """A loop as Python has it: see `repeat`."""

    count: Any
    item: Callable[[Any], Any]
    body: Body
    get: Get
    put: Set
    names: Sequence[str]
    stop: Stop
    test: Callable[[], Any] | None
    first: Scalar | None
    """What the test says before the first round."""
    hint: str


def _attempt(rounds: _PythonLoop, guesses: Guesses) -> None:
    """Stage a loop as it is guessed to be.  WrongGuessError if it is otherwise."""
    tracer = current()
    place = tracer.place
    loop = CarriedValues(rounds.get, rounds.put, rounds.names, guesses)
    hint = rounds.hint
    index = tracer.names.fresh(hint)
    more, counter = tracer.names.fresh("more"), tracer.names.fresh(hint)
    early = guesses.leaves_early
    first = bind(_initially(rounds), BOOL) if loop.last_names() else None
    starts = _first_round(rounds, first) if early else []
    initial = loop.initial()
    with tracer.region("loop") as region, tracer.block() as code:
        region.carried = guesses.heap
        loop.enter()
        with tracer.block() as arm:
            k = Scalar(SymbolicName(counter if early else index, INT), INT)
            after = _round(rounds, guesses, region, k)
            with _once(region):
                last = loop.leave()
            loop.separate(last)
            streams = _streams(rounds, loop, early)
            parts = [*after, *loop.expressions(last)] or [constant(True)]
            inner = arm.close(together(parts))
    rounds.put(loop.before)
    carried = [name for slot in loop.all() for name in slot.names]
    tracer.adopt(region)
    if streams:
        emit_streams(streams, arm, code, rounds.count, index)
        loop.finish(last)
        return
    if early:
        counted = [] if rounds.count is None else [SymbolicName(counter, INT)]
        carried, initial = [SymbolicName(more, BOOL), *counted, *carried], [*starts, *initial]
        with tracer.within(code):
            same = together([tracer.expression(name) for name in carried])
            inner = choose(tracer.expression(carried[0]), inner, same)
    if not carried:
        carried, initial = [SymbolicName(tracer.names.fresh("done"), BOOL)], [constant(True)]
    whole = code.close(inner)
    patterns: list[tree.Pattern] = [tree.Name(place, name.text) for name in carried]
    pattern = patterns[0] if len(patterns) == 1 else tree.TuplePattern(place, tuple(patterns))
    start = together(initial)
    bound = tree.LiteralExpression(place, WHILE, INT) if early else integer(rounds.count)
    number = tree.Name(place, index)
    tracer.code.frames.append(
        lambda rest: tree.LoopExpression(place, pattern, start, number, bound, whole, rest)
    )
    for name in loop.last_names():
        require(expression(scalar(first)), text(f"`{name}` has no value: the loop had no round"))
    loop.finish(last)


def _streams(rounds: _PythonLoop, loop: CarriedValues, early: bool) -> list[ListRound]:
    """What a round of a loop puts behind lists, where it does nothing else."""
    if not loop.streams:
        return []
    if early or rounds.count is None or any(slot.names for slot in loop.all()):
        loop.no_streams()
    found = list_rounds(loop.streams)
    if found is None:
        loop.no_streams()
    return found


def _first_round(rounds: _PythonLoop, known: Scalar | None) -> list[tree.Expression]:
    """Whether there is a first round, and its number if rounds are counted."""
    first = _initially(rounds) if known is None else expression(known)
    return [first] if rounds.count is None else [first, constant(0)]


def _round(
    rounds: _PythonLoop, guesses: Guesses, region: TracedRegion, k: Scalar
) -> list[tree.Expression]:
    """Run the body once; of a loop that may be left whether there is another round, and its
    number."""
    early = guesses.leaves_early
    with _once(region):
        try:
            rounds.body(rounds.item(k))
        except NoResultYet:
            raise
        except (LookupError, ArithmeticError) as error:
            if raised_at(error) is None:
                raise
            raise _FirstFailsError(error) from None
        except Raised:
            cannot("an exception is raised in a staged loop", "raise it under an `if`")
    stopped = rounds.stop() if rounds.stop is not None else False
    if isinstance(stopped, Scalar | bool) and stopped is not False and not early:
        guesses.leaves_early = True
        raise WrongGuessError
    if not early:
        return []
    with _once(region):
        going = _going_on(k, rounds.count, stopped, rounds.test)
    after = [expression(scalar(going))]
    return after if rounds.count is None else [*after, as_type(k + 1, INT)]


@contextmanager
def _once(region: TracedRegion) -> Iterator[None]:
    """What this region must be run again for was guessed wrongly."""
    try:
        yield
    except AgainError as again:
        if again.region is region:
            raise WrongGuessError from None
        raise


def _initially(rounds: _PythonLoop) -> tree.Expression:
    """Whether there is a first round."""
    if rounds.first is None:
        return expression(scalar(apply("less", 0, scalar(rounds.count))))
    return expression(rounds.first)


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
