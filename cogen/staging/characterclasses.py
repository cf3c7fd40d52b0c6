"""Which characters are letters, digits, spaces, and what they are in upper case: by their codes.

ASCII is told by a few comparisons, what is beyond it by a search in the bounds of the ranges that
Python's own strings tell.
"""

from __future__ import annotations

import functools
import sys
from itertools import pairwise
from typing import Any, Final

import numpy as np

from cogen.staging.convertfunctions import convert
from cogen.staging.stagedarrays import known
from cogen.staging.stagedconditionals import conditional
from cogen.staging.stagedexpressions import require, text
from cogen.staging.stagedscalars import Scalar, apply, expression, scalar
from cogen.staging.stagedtexts import LAST_ASCII
from cogen.staging.textlibrary import ranges_before
from cogen.staging.tracer import current

PREDICATES: Final = (
    "isalpha", "isdigit", "isdecimal", "isnumeric", "isalnum", "isspace", "isupper", "islower",
    "isprintable",
)  # fmt: skip
"""Methods of strings that tell something of each character."""

CASES: Final = ("upper", "lower", "swapcase")
"""Methods of strings that give another character for each."""

_DISTANCE: Final = ord("a") - ord("A")


@functools.cache
def bounds(name: str, last: int) -> tuple[int, ...]:
    """Where the codes up to a last one begin, and end, of which a method of strings is true: a
    range begins at each even place, and is over at the next one."""
    truth = [False, *[bool(getattr(chr(code), name)()) for code in range(last + 1)], False]
    return tuple([code for code, (a, b) in enumerate(pairwise(truth)) if a != b])


def told(name: str, code: Scalar) -> Any:
    """What a method of strings says of a character."""
    if not current().attempts.wide_text:
        return _in_few(bounds(name, LAST_ASCII), code)
    every = known(np.array(bounds(name, sys.maxunicode), np.int64))
    return conditional(
        apply("less_equal", code, LAST_ASCII),
        lambda: _in_few(bounds(name, LAST_ASCII), code),
        lambda: apply("equal", convert(ranges_before)(every, code) % 2, 1),  # type: ignore[arg-type]  # a function
    )


def _in_few(ends: tuple[int, ...], code: Scalar) -> Any:
    """Whether a code is in one of a few ranges."""
    found: Any = False
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        inside = apply("equal", code, start)
        if end > start + 1:
            inside = apply(
                "logical_and", apply("less_equal", start, code), apply("less", code, end)
            )
        found = apply("logical_or", found, inside)
    return found


def changed(name: str, code: Scalar) -> Any:
    """The code of a character in another case."""
    if current().attempts.wide_text:
        inside = apply("less_equal", code, LAST_ASCII)
        require(expression(scalar(inside)), text(f"{name}() of a character that is not in ASCII"))
    found: Any = code
    if name != "upper":
        found = apply("add", code, apply("multiply", told("isupper", code), _DISTANCE))
    if name != "lower":
        found = apply("subtract", found, apply("multiply", told("islower", code), _DISTANCE))
    return found
