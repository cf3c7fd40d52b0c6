"""What the functions of the Python interface are given: a CogenError that says what is expected."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cogen.buffers import type_name
from cogen.lang.datum import Symbol
from cogen.lang.errors import CogenError

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")

MOST: Final = 60
"""Characters of a value that are shown."""

_PLAIN: Final = (bool, float, type(None), Symbol)
"""Types whose values are shown, others by the name of the type."""


def shown(value: object) -> str:
    """A value in a few words."""
    if isinstance(value, str | bytes):
        value = value[:MOST]
    elif type(value) not in _PLAIN and not (type(value) is int and value.bit_length() < 200):
        return type_name(value)
    told = repr(value)
    return told if len(told) <= MOST else f"{told[: MOST - 1]}…"


def instance(value: Any, kind: type[T], what: str, named: str, hint: str | None = None) -> T:
    """The value, which must be of a type; `what` it is for, and what is expected, in words."""
    if not isinstance(value, kind):
        raise CogenError(f"{what} must be {named}, not {shown(value)}", hint=hint)
    return value


def text(value: object, what: str, hint: str | None = None) -> str:
    """A string."""
    if hint is None and isinstance(value, bytes | bytearray):
        hint = "decode it: text.decode()"
    return instance(value, str, what, "a string", hint)


def path(value: object, what: str = "a path") -> Path:
    """A path."""
    from pathlib import Path

    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise CogenError(f"{what} must be a string or a Path, not {shown(value)}")
    return Path(value)


def flag(value: object, what: str) -> bool:
    """A truth value."""
    if type(value).__name__ == "bool_":  # one of NumPy's, which need not be there
        value = bool(value)
    return instance(value, bool, what, "True or False")


def integer(value: object, what: str, least: int, most: int | None = None) -> int:
    """An integer of a range."""
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise CogenError(f"{what} must be an integer, not {shown(value)}")
    try:
        number = value.__index__()  # type: ignore[attr-defined]  # it has been asked for
    except TypeError:  # an array of more than one
        raise CogenError(f"{what} must be an integer, not {shown(value)}") from None
    if number < least or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"between {least} and {most}"
        raise CogenError(f"{what} must be {limits}, not {shown(number)}")
    return int(number)


def seconds(value: object) -> float:
    """A time that something is to take."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf"):
        return value
    raise CogenError(f"seconds must be a positive number, not {shown(value)}")


def function(value: T, what: str) -> T:
    """Something that can be called."""
    if not callable(value):
        raise CogenError(f"{what} must be a function, not {shown(value)}")
    return value
