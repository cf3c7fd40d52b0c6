"""Regular expressions: `cogen.regex` against re2 (google-re2), five patterns by seven texts.

Each pattern decides whether all of a text matches, finds the first match, and counts all.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from functools import cache, partial
from random import Random
from time import perf_counter
from typing import Any, Final

import cogen.regex
from cogen.bench.studies.study import OURS, Study, Way

SIZE: Final = 1 << 18
"""The bytes of a text."""

LEAST: Final = 2e-4
"""The seconds that a measurement should take: a match of one byte takes a microsecond."""

PATTERNS: Final = (
    rb"(?:a|b)*abb",
    rb".*aab",
    rb"[a-z]+@[a-z]+\.com",
    rb"\d{4}-\d\d-\d\d",
    rb"(?:foo|bar|quick)\w*",
)

WORDS: Final = (
    b"the quick brown fox jumps over the lazy dog and then some more words of english text"
).split()


def _prose(random: Random) -> bytes:
    return b" ".join(
        random.choice(WORDS) + (b"\n" if random.random() < 0.1 else b"") for _ in range(SIZE // 4)
    )


def _log(random: Random) -> bytes:
    line = b"2026-11-%02d 12:%02d:%02d host%d GET /a/b%d?q=%d 200 user%d@example.com\n"
    limits = (30, 59, 59, 9, 999, 99999, 999)
    return b"".join(
        line % tuple(random.randint(1, limit) for limit in limits) for _ in range(SIZE // 50)
    )


def _letters(letters: bytes, random: Random) -> bytes:
    return bytes(random.choices(letters, k=SIZE))


TEXTS: Final[Mapping[str, Callable[[Random], bytes]]] = {
    "one letter": partial(_letters, b"a"),
    "a and b": partial(_letters, b"ab"),
    "prose": _prose,
    "log": _log,
    "random bytes": lambda random: random.randbytes(SIZE),
    "acgt": partial(_letters, b"acgt"),
    "digits": partial(_letters, b"0123456789"),
}


@cache
def text(name: str) -> bytes:
    """A text of SIZE bytes."""
    return TEXTS[name](Random(name))[:SIZE]


@cache
def _ours(pattern: bytes) -> cogen.regex.Pattern:
    return cogen.regex.compile(pattern)


def _span(match: Any) -> tuple[int, int] | None:
    return None if match is None else match.span()


def ways(operation: str, pattern: bytes, name: str) -> Mapping[str, Way]:
    """An operation of a pattern on a text."""
    ours, data = _ours(pattern), text(name)
    made: dict[str, Way] = {
        "whole": lambda: ours.fullmatch(data),
        "first": lambda: ours.search(data),
        "count": lambda: ours.count(data),
    }
    found = {OURS: made[operation]}
    if importlib.util.find_spec("re2") is None:
        return _repeated(found)
    import re2

    other = re2.compile(pattern)
    made = {
        "whole": lambda: other.fullmatch(data) is not None,
        "first": lambda: _span(other.search(data)),
        "count": lambda: sum(1 for _ in other.finditer(data)),
    }
    return _repeated({**found, "re2": made[operation]})


def _repeated(found: Mapping[str, Way]) -> Mapping[str, Way]:
    """The ways, so often that it can be measured how long they take."""
    found[OURS]()
    start = perf_counter()
    found[OURS]()
    times = min(200, max(1, int(LEAST / (perf_counter() - start))))

    def often(way: Way) -> Any:
        for _ in range(times - 1):
            way()
        return way()

    return {name: partial(often, way) for name, way in found.items()}


def same(found: Any, expected: Any) -> bool:
    """Exactly."""
    return bool(found == expected)


CASES: Final = tuple(
    Study(f"{operation}: {pattern.decode()} in {name}", partial(ways, operation, pattern, name),
          {"re2": 1.0}, same)
    for operation in ("whole", "first", "count")
    for pattern in PATTERNS
    for name in TEXTS
)  # fmt: skip
