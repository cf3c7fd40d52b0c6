"""Runs the phases of the specializer in the language, each by the interpreter of the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from io import StringIO
from pathlib import Path
from typing import Final

from cogen.lang import il
from cogen.lang.collector import collector_paused
from cogen.lang.datum import NIL, Datum, Symbol, from_iterable, iterate, symbol
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.interp import Interpreter
from cogen.lang.load import load as load_il
from cogen.lang.load import loads as loads_il
from cogen.mix import show, subset

HERE: Final = Path(__file__).parent

MIX: Final = HERE / "mix.scm"
"""The specializer proper."""

DEFAULT_LIMIT: Final = 500
"""Residual versions of one memo point, about, at most."""

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
class Program:
    """A program in the small language and how it is called in messages."""

    definitions: Datum
    name: str = "program"

    @classmethod
    def load(cls, path: Path) -> Program:
        """The program of a file; CogenError for what is wrong with it or outside the subset."""
        return cls(subset.load(path), str(path))

    @classmethod
    def loads(cls, text: str, name: str = "<string>") -> Program:
        """The program of a text."""
        return cls(subset.loads(text, name), name)

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
        """The parameters of a procedure, None if there is none of that name."""
        for definition in iterate(self.definitions):
            if definition.car.name == entry:
                return tuple(iterate(definition.cdr.car))
        return None

    def annotate(self, entry: str, division: str) -> Annotated:
        """The program annotated for an entry whose parameters are known (s) or unknown (d).

        CogenError if the division, one letter a parameter, does not fit.
        """
        parameters = self.parameters(entry)
        if parameters is None:
            raise CogenError(f"{self.name} does not define a procedure `{entry}`")
        if len(division) != len(parameters) or set(division) - {"s", "d"}:
            raise CogenError(
                f"`{entry}` has {len(parameters)} parameters, and the division {division!r} "
                "does not say s or d for each"
            )
        kinds = from_iterable(symbol(letter) for letter in division)
        arguments = [self.definitions, symbol(entry), kinds]
        made = perform(f"analysing `{entry}`", lambda: phase("bta").call("analyse", arguments))
        return Annotated(made, entry, division)


@dataclass(frozen=True, eq=False)
class Annotated:
    """A program as the specializer takes it."""

    definitions: Datum
    entry: str
    division: str

    def statics(self, known: Iterable[Datum]) -> Datum:
        """The list of what is known of the parameters: UNKNOWN for the others."""
        values = iter(known)
        return from_iterable(
            [next(values) if letter == "s" else UNKNOWN for letter in self.division]
        )

    def as_known(self, limit: int = DEFAULT_LIMIT) -> list[Datum]:
        """What `mix` is given of this program, without what is known of its arguments."""
        return [self.definitions, symbol(self.entry), limit]

    def specialize(self, known: Iterable[Datum], limit: int = DEFAULT_LIMIT) -> Program:
        """The residual program: mix(program, known)."""
        arguments = [*self.as_known(limit), self.statics(known)]
        raw = perform(f"specialising `{self.entry}`", lambda: phase("mix").call("mix", arguments))
        return tidy(raw, f"{self.entry}, specialised")


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


def tidy(raw: Datum, name: str) -> Program:
    """A residual program of `mix` (or of what was made from it) for people and machines."""
    with collector_paused():
        return Program(phase("tidy").call("tidy", [raw]), name)
