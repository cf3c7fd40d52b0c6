"""What is fuzzed: cases, the ways that must agree on them, and cases as files.

; kind: language
; way: python
; arguments: 1 (2 3)
(define (main x y) ...)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.choices import Stream

COMMENT: Final = {
    kind: "// " if kind in ("arrays", "nests") else "; "
    for kind in ("language", "kernels", "signals", "arrays", "nests", "forms")
}
"""How comments begin in the programs of a kind."""


@dataclass(eq=False)
class Case:
    """A program of a kind, with what else is given (arguments, binding times ...) as text;
    `known` is what ways have found out about it already."""

    kind: str
    text: str
    given: Mapping[str, str]
    known: dict[str, Any] = field(default_factory=dict)

    def once(self, name: str, make: Callable[[Case], Any]) -> Any:
        """What `make` gives, made when it is first asked for."""
        if name not in self.known:
            self.known[name] = make(self)
        return self.known[name]


class Skipped(Exception):
    """The way has nothing to say about the case: the reason."""


class Differs(Exception):
    """The way does not agree: what it does, and what it should."""


@dataclass(frozen=True)
class Way:
    """A way to carry cases out: `run` takes as many as `batch` at once, and gives for each None
    (it agrees), `Skipped` or `Differs`.  One case in `every` goes this way."""

    name: str
    run: Callable[[Sequence[Case]], Sequence[Exception | None]]
    every: int = 1
    batch: int = 1


@dataclass(frozen=True)
class Kind:
    """A kind of programs: how one is made, and its ways.  One seed in `every` makes one."""

    name: str
    make: Callable[[Stream], Case]
    ways: tuple[Way, ...]
    every: int = 1

    def way(self, name: str) -> Way:
        return next(way for way in self.ways if way.name == name)


def each(check: Callable[[Case], None]) -> Callable[[Sequence[Case]], list[Exception | None]]:
    """The way of a check that raises `Skipped` or `Differs`; any other error is a difference."""

    def run(cases: Sequence[Case]) -> list[Exception | None]:
        found: list[Exception | None] = []
        for case in cases:
            try:
                check(case)
                found.append(None)
            except (Skipped, Differs) as said:
                found.append(said)
            except Exception as error:
                found.append(crashed(error))
        return found

    return run


def crashed(error: Exception) -> Differs:
    """The difference that an unexpected error is."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    place = ""
    if traceback is not None:
        code = traceback.tb_frame.f_code
        place = f" in {code.co_name}"
    return Differs(f"{type(error).__name__}{place}: {error}")


def written(case: Case, way: str) -> str:
    """The case as the text of a file."""
    comment = COMMENT[case.kind]
    lines = {"kind": case.kind, "way": way, **case.given}
    return "".join(f"{comment}{key}: {value}\n" for key, value in lines.items()) + case.text


def read(text: str) -> tuple[Case, str]:
    """The case of a file's text, and the way that it is for."""
    given: dict[str, str] = {}
    rest = text
    while True:
        line, _, after = rest.partition("\n")
        for comment in COMMENT.values():
            key, colon, value = line.removeprefix(comment).partition(": ")
            if line.startswith(comment) and colon and key.isidentifier():
                given[key] = value
                break
        else:
            break
        rest = after
    kind, way = given.pop("kind"), given.pop("way")
    return Case(kind, rest, given), way
