"""Comprehensions and generator expressions, staged: loops that make lists, and what ends them.

A comprehension is a loop that puts elements into a *sink*: a list, or, where a generator expression
is asked for one thing only (`any`, `all`, `next`), what has been found so far, which ends the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final

from cogen.staging.joinvalues import UNRETURNED, Unreturned
from cogen.staging.listelements import append
from cogen.staging.scalaroperations import truth
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedexpressions import require, text
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedscalars import Scalar, apply, expression, scalar
from cogen.staging.stagedtables import TABLES
from cogen.staging.tracer import current

Loop = Callable[..., None]
"""`for`: values, body, what gets and sets variables, their names, and what stops it."""


class StagedSearch:
    """A sink that looks for something: `found` holds when it has it, `value` is what it is."""

    def __init__(self, wanted: bool | None, value: Any = UNRETURNED) -> None:
        self.wanted = wanted
        self.state: SimpleNamespace = current().made(SimpleNamespace(found=False, value=value))

    def put(self, x: Any) -> None:
        """Look at an element."""
        current().touch(self.state, "what a generator gives")
        if self.wanted is None:
            self.state.found, self.state.value = True, x
            return
        test = truth(x) if isinstance(x, Scalar) else bool(x)
        self.state.found = test if self.wanted else _negated(test)

    def stop(self) -> Any:
        """Whether it has been found."""
        return self.state.found


def _negated(x: Any) -> Any:
    return apply("logical_not", x) if isinstance(x, Scalar) else not x


Sink = StagedList | StagedSearch

_NOTHING: Final = (lambda: (), lambda values: None, ())
"""The variables of an expression: none."""


def emit(out: Sink, x: Any) -> None:
    """An element of a comprehension."""
    if isinstance(out, StagedList):
        append(out, x)
    else:
        out.put(x)


def go_through(loop: Loop, out: Sink, values: Any, step: Callable[..., None]) -> None:
    """A loop of a comprehension."""
    stop = out.stop if isinstance(out, StagedSearch) else None
    loop(values, step, *_NOTHING, stop)


class StagedGenerator:
    """A generator expression: what it goes through, and what it does with each item."""

    def __init__(self, loop: Loop, values: Any, step: Callable[..., None], staged: bool) -> None:
        self.loop = loop
        self.values = values
        self.step = step
        self.staged = staged
        self.begun: Iterator[Any] | None = None
        """What it has still to give, where it goes through what is known."""
        self.ended = False

    def staged_list(self) -> StagedList:
        """All that it gives."""
        out = StagedList()
        assert isinstance(out, StagedList)
        self.into(out)
        return out

    def into(self, out: Sink) -> None:
        """Put what it gives into a sink."""
        if self.ended:
            return
        self.ended = True
        if self.begun is not None:
            for x in self.begun:
                emit(out, x)
            return
        go_through(self.loop, out, self.values, lambda item: self.step(out, item))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.staged:
            fail(
                "only a run knows how many elements this gives",
                "make a list of it, [...], or write a `for` loop",
            )
        if self.begun is None:
            self.begun = self._items()
        return next(self.begun)

    def _items(self) -> Iterator[Any]:
        for item in self.values:
            out = StagedList()
            self.step(out, item)
            if not out.is_known:
                fail(
                    "only a run knows whether this gives an element here",
                    "make a list of it, [...], or write a `for` loop",
                )
            yield from out.elements()


def any_of(generator: StagedGenerator, wanted: bool) -> Any:
    """`any` (`wanted`) or `all` of what a generator gives, which ends where it is decided."""
    search = StagedSearch(wanted)
    generator.into(search)
    return search.state.found if wanted else _negated(search.state.found)


def next_of(generator: StagedGenerator, *default: Any) -> Any:
    """`next`, which a staged generator is asked once."""
    if not generator.staged:
        return next(generator, *default)
    if generator.ended:
        cannot("a generator over what only a run knows is asked twice", "make a list of it: [...]")
    search = StagedSearch(None, *default)
    generator.into(search)
    if not default:
        require(expression(scalar(search.state.found)), text("next() of what has no element"))
    if isinstance(search.state.value, Unreturned):
        raise StopIteration
    return search.state.value


def finished(kind: str, out: StagedList) -> Any:
    """What a comprehension of a kind gives."""
    if kind == "list":
        return out
    return TABLES["pairs" if kind == "dict" else "elements"](out)
