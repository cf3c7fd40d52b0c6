"""What a row of the primitive table is, and how its Python meaning refuses arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lang.datum import INT_MAX, INT_MIN, Datum
from lang.printer import write_brief, write_datum
from lang.values import MultipleValues

MAX_BRIEF = 60
"""The longest text of a datum in a message, in characters."""


class PrimitiveError(Exception):
    """A primitive refused its arguments: a message, what kind of failure, the irritants.

    Whoever runs the primitive turns it into a `CogenError` with a span, or into a condition
    object for the running program's handlers.  Only `error` gives irritants; the message of
    any other primitive is complete, but for the name of a buffer (`lang.called`).
    """

    def __init__(self, kind: str, message: Datum, irritants: tuple[Datum, ...] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.irritants = irritants
        self.buffer: Datum = None
        """The buffer whose index it is about, if it is about one."""

    def text(self) -> str:
        """The message and the irritants, as a diagnostic shows them."""
        head = self.message if isinstance(self.message, str) else write_datum(self.message)
        return " ".join([head, *(brief(irritant) for irritant in self.irritants)])

    def told_of(self, operation: str | None) -> None:
        """Say it of the operation that this primitive is a part of, if it is of one."""
        if operation is not None and isinstance(self.message, str):
            name, colon, rest = self.message.partition(": ")
            self.message = f"{operation}: {rest}" if colon and " " not in name else self.message


class RaisedError(PrimitiveError):
    """`(raise payload)`: the payload goes to the handlers as it is."""

    def __init__(self, payload: Datum) -> None:
        super().__init__("user", "uncaught exception:", (payload,))
        self.payload = payload


@dataclass(frozen=True, slots=True)
class Primitive:
    """One row of the table `lang.prims`: see there.

    `arguments` are the types of the arguments; the last one repeats if `arity` allows more.
    The type "number" is int or float; a result "number" is an int if all number arguments are
    ints, else a float.
    `arity` is (least, most) arguments of the IL operation, most None when there is no bound.
    `fold` says how more (or fewer) arguments in the source become operations:
    "left" (a + b + c), "chain" (a < b < c), or None.  Of a left fold, `identity` is the value
    of no arguments (None: there must be one), and `(op x)` means `(op unit x)`, or `(op x x)`
    if `unit` is None.
    `python` takes the arguments, after the `Machine` when `context` is true.  It checks them
    and raises `PrimitiveError`.
    `c` is a template over {0}, {1}, ... for arguments of the C types that `arguments` names,
    or None when no template says it.  It is the plain, unchecked meaning; the C back end has
    code of its own where the types or the range of the arguments ask for more.
    """

    name: str
    arguments: tuple[str, ...]
    result: str
    effect: str
    fails: frozenset[str]
    python: Callable[..., Any]
    c: str | None
    doc: str
    arity: tuple[int, int | None]
    fold: str | None = None
    context: bool = False
    identity: Datum = None
    unit: Datum = None

    @property
    def source_arity(self) -> tuple[int, int | None]:
        """(least, most) arguments that a call in the source may have."""
        if self.fold == "left":
            return (1 if self.identity is None else 0), None
        if self.fold == "chain":
            return 2, None
        return self.arity


def row(
    name: str,
    arguments: str,
    result: str,
    python: Callable[..., Any],
    doc: str,
    *,
    effect: str = "pure",
    fails: str = "type",
    c: str | None = None,
    arity: tuple[int, int | None] | None = None,
    fold: str | None = None,
    context: bool = False,
    identity: Datum = None,
    unit: Datum = None,
) -> Primitive:
    """A row, its types and failures written as words with spaces between them."""
    types = tuple(arguments.split())
    if arity is None:
        arity = (len(types), len(types))
    return Primitive(
        name, types, result, effect, frozenset(fails.split()), python, c, doc, arity,
        fold, context, identity, unit,
    )  # fmt: skip


def brief(datum: Datum) -> str:
    """A datum as a message shows it: written, cut if it is long."""
    if isinstance(datum, MultipleValues):
        return "no value" if not datum.items else f"{len(datum.items)} values"
    return write_brief(datum, MAX_BRIEF)


def expected(name: str, what: str, got: Datum) -> PrimitiveError:
    """The error of an argument of the wrong type."""
    return PrimitiveError("type", f"{name}: expected {what}, got {brief(got)}")


def overflow(name: str) -> PrimitiveError:
    """The error of an integer result outside [-2^63, 2^63)."""
    return PrimitiveError("overflow", f"{name}: the result does not fit in 64 bits")


def fitting(name: str, value: int) -> int:
    """The value if it is an integer of the language; else the overflow error."""
    if INT_MIN <= value <= INT_MAX:
        return value
    raise overflow(name)


def need_int(name: str, x: Datum) -> int:
    """The argument if it is an integer."""
    if type(x) is int:
        return x
    raise expected(name, "an integer", x)


def need_index(name: str, x: Datum, limit: int, what: str = "index") -> int:
    """The argument if it is an integer in [0, limit)."""
    if type(x) is not int:
        raise expected(name, "an integer", x)
    if 0 <= x < limit:
        return x
    if limit == 0:
        raise PrimitiveError("index", f"{name}: {what} {x} in an empty object")
    raise PrimitiveError("index", f"{name}: {what} {x} is not in 0 to {limit - 1}")


def need_range(name: str, length: int, start: Datum, end: Datum) -> tuple[int, int]:
    """The part [start, end) of something of that length; `end` None means its end."""
    if end is None:
        end = length
    for bound in (start, end):
        if type(bound) is not int:
            raise expected(name, "an integer", bound)
    if 0 <= start <= end <= length:
        return start, end
    message = f"{name}: the part from {start} to {end} is not within 0 to {length}"
    raise PrimitiveError("index", message)


def need_size(name: str, x: Datum, limit: int) -> int:
    """The argument if it is a number of elements, up to a limit, for a new object."""
    if type(x) is not int:
        raise expected(name, "an integer", x)
    if 0 <= x <= limit:
        return x
    raise PrimitiveError("index", f"{name}: the size {x} is not in 0 to {limit}")
