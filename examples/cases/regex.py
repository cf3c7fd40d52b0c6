"""Regular expressions as native code: what becomes of one, and how long it takes.

    python examples/cases/regex.py [PATTERN] [FILE]

Prints the residual program of the matcher that follows the states of a nondeterministic automaton
(specialization makes it deterministic), the loop in C of the one whose states are data, and what
both find in a text, beside Python's `re`.
"""

from __future__ import annotations

import mmap
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cogen.regex
from cogen.regex import naive

PATTERN = rb"(?:a|b)*abb"


def seconds(run: Callable[[], Any]) -> float:
    """The shortest of some runs."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main(pattern: bytes = PATTERN, file: str | None = None) -> None:
    """Show what a pattern becomes, and search a text for it."""
    compiled = cogen.regex.compile(pattern)
    print("; states that specialization has found\n")
    print(naive.residual(pattern).scheme)
    text = compiled.residual("fullmatch").c
    print("\n/* states as data: one loop */\n")
    print(text[text.index("bool full_match") :])
    if file is None:
        search(pattern, b"abaab" * 200_000 + b"abb")
        return
    with (
        Path(file).open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        search(pattern, mapped)


def search(pattern: bytes, text: Any) -> None:
    """Count the matches in a text."""
    ours, python = cogen.regex.compile(pattern), re.compile(pattern)
    found, expected = ours.count(text), sum(1 for _ in python.finditer(text))
    assert found == expected
    print(f"{found} matches in {len(text)} bytes")
    print(f"cogen {1e3 * seconds(lambda: ours.count(text)):9.3f} ms")
    print(f"re    {1e3 * seconds(lambda: sum(1 for _ in python.finditer(text))):9.3f} ms")


if __name__ == "__main__":
    main(*([sys.argv[1].encode()] if sys.argv[1:] else []), *sys.argv[2:3])
