"""How the Python meaning of a primitive looks at its arguments, and refuses them."""

from __future__ import annotations

from cogen.lang.datum import INT_MAX, INT_MIN, Datum
from cogen.lang.printer import write_brief, write_datum
from cogen.lang.values import MultipleValues

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


def need_room(name: str, size: int, at: Datum, count: int, of: str) -> int:
    """The index `at` if so many parts, which `of` names, fit behind it in something of a size."""
    position = need_int(name, at)
    if 0 <= position <= size - count:
        return position
    raise PrimitiveError("index", f"{name}: {count} {of} do not fit at {position} of {size}")


def need_copy(
    name: str, size: int, at: Datum, of: str, length: int, start: Datum, end: Datum
) -> tuple[int, int, int]:
    """Of a copy, the place `at` in something of a size, and the part of something of a length that
    fits behind it."""
    first, last = need_range(name, length, start, end)
    return need_room(name, size, at, last - first, of), first, last


def need_size(name: str, x: Datum, limit: int) -> int:
    """The argument if it is a number of elements, up to a limit, for a new object."""
    if type(x) is not int:
        raise expected(name, "an integer", x)
    if 0 <= x <= limit:
        return x
    raise PrimitiveError("index", f"{name}: the size {x} is not in 0 to {limit}")
