"""Runs the phases of the specializer in the language, each by the interpreter of the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, cached_property
from io import StringIO
from pathlib import Path
from typing import Final, TypeVar

from cogen.lang import core, il
from cogen.lang.collector import collector_paused
from cogen.lang.datum import NIL, Datum, Pair, Symbol, from_iterable, iterate, symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, LimitationError, Source
from cogen.lang.expand import expand
from cogen.lang.files import read_source
from cogen.lang.interp import Interpreter
from cogen.lang.load import load as load_il
from cogen.lang.load import loads as loads_il
from cogen.lang.primtable.equivalence import equal
from cogen.mix import show, subset

HERE: Final = Path(__file__).parent

MIX: Final = HERE / "mix.scm"
"""The specializer proper."""

DEFAULT_LIMIT: Final = 500
"""Residual versions of one memo point, about, at most."""

CARE: Final = ("none", "forks", "numbers", "data", "procedures")
"""What an analysis keeps from growing for ever, though it may be bounded (growth.scm): each word
stands for all before it as well."""

UNKNOWN: Final = NIL
"""What stands for an unknown argument where known ones are given."""


@cache
def phase(name: str) -> Interpreter:
    """The program of a file beside this one, loaded once, ready for calls."""
    return _ready(load_il(HERE / f"{name}.scm"))


def _ready(program: il.Program) -> Interpreter:
    """A program of the small language ready for calls.

    It writes nothing, and is kept for longer than what `sys.stdout` is now may be open.
    """
    interpreter = Interpreter(program, output=StringIO())
    interpreter.run()
    return interpreter


@dataclass(frozen=True, eq=False)
class MixProgram:
    """A program in the small language and how it is called in messages."""

    definitions: Datum
    name: str = "program"
    rests: frozenset[str] = frozenset()
    """The procedures of which the last parameter is a list of further arguments."""

    @classmethod
    def load(cls, path: Path) -> MixProgram:
        """The program of a file; CogenError for what is wrong with it or outside the subset."""
        return cls.of(expand(read_source(path)), str(path))

    @classmethod
    def loads(cls, text: str, name: str = "<string>") -> MixProgram:
        """The program of a text."""
        return cls.of(expand(Source(name, text)), name)

    @classmethod
    def of(cls, program: core.CoreProgram, name: str) -> MixProgram:
        """A program in core; LimitationError for what is outside the subset."""
        return cls(subset.convert(program), name, subset.rests(program))

    @cached_property
    def text(self) -> str:
        """The program as a person reads it and as the interpreter takes it."""
        return show.show(self.definitions)

    @cached_property
    def size(self) -> int:
        """The size in pairs."""
        return show.pairs(self.definitions)

    @cached_property
    def lines(self) -> int:
        """Lines of `text` that are not blank."""
        return sum(1 for line in self.text.splitlines() if line.strip())

    @cached_property
    def runnable(self) -> Interpreter:
        """The program loaded from its text."""
        return _ready(loads_il(self.text, self.name))

    @cached_property
    def names_in_text(self) -> dict[str, str]:
        """What the procedures are called in `text`."""
        return show.names_in_text(self.definitions)

    def run(self, entry: str, arguments: Sequence[Datum]) -> Datum:
        """The value of a procedure of the program, run from its text."""
        return self.runnable.call(self.names_in_text.get(entry, entry), arguments)

    def parameters(self, entry: str) -> tuple[Symbol, ...] | None:
        """The parameters of a procedure, None if there is none of that name; the last of them may
        be a list of further arguments."""
        for definition in iterate(self.definitions):
            if definition.car.name == entry:
                return tuple(iterate(definition.cdr.car))
        return None

    def takes(self, entry: str, count: int) -> bool:
        """Whether a procedure of the program takes so many arguments."""
        least = len(self.parameters(entry) or ()) - (entry in self.rests)
        return count == least or (count > least and entry in self.rests)

    def with_arguments(self, entry: str, count: int) -> MixProgram:
        """The program with an entry of so many parameters, where the last one is a list."""
        inner = symbol(f"{entry}%rest")
        names = [symbol(f"{entry}%{i}") for i in range(1, count + 1)]
        arguments: list[Datum] = [from_iterable([symbol("var"), name]) for name in names]
        fixed = len(self.parameters(entry) or ()) - 1
        items: Datum = from_iterable([symbol("quote"), NIL])
        for argument in reversed(arguments[fixed:]):
            items = from_iterable([symbol("prim"), symbol("cons"), argument, items])
        body = from_iterable([symbol("call"), inner, *arguments[:fixed], items])
        outer = from_iterable([symbol(entry), from_iterable(names), body])
        return MixProgram(Pair(outer, _called(self.definitions, symbol(entry), inner)), self.name)

    def without(self, entry: str) -> CogenError:
        """The error that there is no procedure of that name."""
        names = [str(definition.car.name) for definition in iterate(self.definitions)]
        near = get_close_matches(entry, sorted(names), 1)
        return CogenError(
            f"{self.name} does not define a procedure `{entry}`",
            hint=f"did you mean `{near[0]}`?" if near else None,
        )

    def annotate(self, entry: str, division: str) -> Annotated:
        """The program annotated for an entry whose arguments are known (s) or unknown (d).

        CogenError if the division, one letter an argument, does not fit.
        """
        parameters = self.parameters(entry)
        if parameters is None:
            raise self.without(entry)
        if entry in self.rests and self.takes(entry, len(division)):
            return self.with_arguments(entry, len(division)).annotate(entry, division)
        if len(division) != len(parameters) or set(division) - {"s", "d"}:
            raise CogenError(
                f"`{entry}` has {len(parameters)} parameters, and the division {division!r} "
                "does not say s or d for each"
            )
        kinds = from_iterable(symbol(letter) for letter in division)
        made = Annotated(self.definitions, kinds, entry, division)
        made.definitions  # noqa: B018 (what is wrong is told now)
        return made


def _called(program: Datum, name: Symbol, new: Symbol) -> Datum:
    """A program with another name for a procedure, where it is defined and called."""

    def renamed(expr: Datum) -> Datum:
        if not isinstance(expr, Pair) or expr.car.name in ("quote", "operation"):
            return expr
        tag, first, *parts = iterate(expr)
        if tag is symbol("lambda"):
            return from_iterable([tag, first, *map(renamed, parts)])
        if tag is symbol("call") and first is name:
            first = new
        return from_iterable([tag, renamed(first), *map(renamed, parts)])

    def item(definition: Datum) -> Datum:
        own, variables, body = iterate(definition)
        return from_iterable([new if own is name else own, variables, renamed(body)])

    return on_deep_stack(lambda: from_iterable(map(item, iterate(program))))


@dataclass(frozen=True, eq=False)
class Annotated:
    """A program as the specializer takes it, by an analysis of some `CARE`."""

    program: Datum
    kinds: Datum
    entry: str
    division: str
    care: str = CARE[0]

    @cached_property
    def definitions(self) -> Datum:
        """The annotated program; CogenError if a known part of the program would be changed."""
        arguments = [self.program, symbol(self.entry), self.kinds, symbol(self.care)]
        return perform(f"analysing `{self.entry}`", lambda: phase("bta").call("analyse", arguments))

    @cached_property
    def levels(self) -> Levels:
        """This and what is made with more care, each different from those before."""
        return Levels(self)

    def statics(self, known: Iterable[Datum]) -> Datum:
        """The list of what is known of the parameters: UNKNOWN for the others."""
        values = iter(known)
        return from_iterable(
            [next(values) if letter == "s" else UNKNOWN for letter in self.division]
        )

    def as_known(self) -> list[Datum]:
        """What a compiler is made of: `mix` is given it of this program, besides a limit and what
        is known of the arguments."""
        return [self.definitions, symbol(self.entry)]

    def specialize(self, known: Iterable[Datum], limit: int = DEFAULT_LIMIT) -> MixProgram:
        """The residual program: mix(program, known), with as much care as it needs to end.

        CogenError if it does not with any.
        """
        statics = self.statics(known)

        def attempt(level: Annotated) -> Datum:
            arguments = [*level.as_known(), limit, statics]
            return perform(
                f"specialising `{self.entry}`", lambda: phase("mix").call("mix", arguments)
            )

        raw = first_that_ends(self.entry, self.levels, attempt)
        return tidy(raw, f"{self.entry}, specialised")


class Levels:
    """A program annotated with more and more care; each level is made when it is asked for."""

    def __init__(self, first: Annotated) -> None:
        self.made = [first]
        self.cares = list(CARE[CARE.index(first.care) + 1 :])

    def __iter__(self) -> Iterator[Annotated]:
        done = 0
        while done < len(self.made) or self.add():
            yield self.made[done]
            done += 1

    def add(self) -> bool:
        """Make one more, if there is one."""
        while self.cares:
            made = replace(self.made[0], care=self.cares.pop(0))
            if not equal(made.definitions, self.made[-1].definitions):
                self.made.append(made)
                return True
        return False


Way = TypeVar("Way")


def first_that_ends(entry: str, ways: Iterable[Way], attempt: Callable[[Way], Datum]) -> Datum:
    """What the first of several ways gives that is a residual program; `ways.scm` does the same.

    CogenError if places of the program have too many versions, or known parts of it fail, by all of
    them.
    """
    labels: list[Symbol] = []
    failures: list[CogenError] = []
    for way in ways:
        try:
            raw = attempt(way)
        except LimitationError:
            raise
        except CogenError as failure:
            failures.append(failure)
            continue
        if not isinstance(raw, Symbol):
            return raw
        labels.append(raw)
    if failures:
        raise failures[0]
    raise no_end(f"specialising `{entry}`", labels[0])


def no_end(what: str, label: Symbol) -> CogenError:
    """The error that a place of the program, by the label of its memo point, has too many versions
    though all care was taken."""
    place = re.sub(_SUFFIX, "", label.name)
    return CogenError(
        f"{what}: it does not seem to end: too many versions of {place}",
        hint="docs/futamura.md says how to keep what grows for later",
    )


_SUFFIX: Final = r"%+\d+\b"
"""What the analysis puts behind names."""


def perform(what: str, action: Callable[[], Datum]) -> Datum:
    """The datum that a phase makes; an error of the specialised program is told as such.

    The phases have no places of the program any more: CogenError with the message alone.
    """
    try:
        with collector_paused():
            return action()
    except LimitationError:
        raise
    except CogenError as error:
        raise CogenError(
            f"{what}: {re.sub(_SUFFIX, '', error.message)}",
            hint="this happened while known parts of the program were computed; "
            "docs/futamura.md says how to keep such parts for later",
        ) from None


def tidy(raw: Datum, name: str) -> MixProgram:
    """A residual program of `mix` (or of what was made from it) for people and machines."""
    with collector_paused():
        return MixProgram(phase("tidy").call("tidy", [raw]), name)
