"""Order of values with parts: of tuples and lists, the first parts that differ decide.

(a, b) < (c, d)     a < c or (a = c and b < d)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedscalars import Staged, apply


def has_staged_parts(x: Any) -> bool:
    """Whether a tuple, or a list, has parts that only a run knows."""
    if isinstance(x, StagedList) and not x.is_known:
        return False
    return isinstance(x, tuple | list) and any(
        isinstance(part, Staged) or has_staged_parts(part) for part in x
    )


def less(a: Any, b: Any) -> Any:
    """Whether a value stands before another one."""
    if not _are_sequences(a, b):
        return a < b
    found: Any = len(a) < len(b)
    for x, y in reversed(list(zip(a, b, strict=False))):
        found = apply("logical_or", less(x, y), apply("logical_and", equal(x, y), found))
    return found


def equal(a: Any, b: Any) -> Any:
    """Whether values are the same."""
    if not _are_sequences(a, b):
        return a == b
    found: Any = len(a) == len(b)
    for x, y in zip(a, b, strict=False):
        found = apply("logical_and", found, equal(x, y))
    return found


def _are_sequences(a: Any, b: Any) -> bool:
    return isinstance(a, Sequence) and type(a) is type(b) and not isinstance(a, str | bytes)


def _not(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: apply("logical_not", f(a, b))


def _swapped(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: f(b, a)


_ORDER: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "lt": less, "gt": _swapped(less), "le": _not(_swapped(less)), "ge": _not(less),
    "eq": equal, "ne": _not(equal),
}  # fmt: skip


def comparison(name: str, a: Any, b: Any) -> Any:
    """`a < b` and the like, by the name that `operator` has for it."""
    if name in _ORDER and type(a) is type(b) and (has_staged_parts(a) or has_staged_parts(b)):
        return _ORDER[name](a, b)
    return getattr(operator, name)(a, b)
