"""What a row of the primitive table is, and how its Python meaning refuses arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cogen.lang.datum import INT_MAX, INT_MIN, Datum
from cogen.lang.primtable.intervals import Interval
from cogen.lang.printer import write_brief, write_datum
from cogen.lang.values import MultipleValues

C_TYPES: Final = frozenset({"int", "float", "bool"})
"""The types of operands of C templates: int64_t, double and bool."""

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
class PrimitiveRow:
    """One row of the table `lang.prims`: see there.

    `arguments` are the types of the arguments; the last one repeats if `arity` allows more.
    The type "number" is int or float, "integer" a number without a fraction, which may be a float;
    a result "number" is an int if all number arguments are ints, else a float.
    `arity` is (least, most) arguments of the IL operation, most None when there is no bound.
    `fold` says how more (or fewer) arguments in the source become operations:
    "left" (a + b + c), "chain" (a < b < c), or None.  Of a left fold, `identity` is the value
    of no arguments (None: there must be one), and `(op x)` means `(op unit x)`, or `(op x x)`
    if `unit` is None.
    `python` takes the arguments, after the `Machine` when `context` is true.  It checks them
    and raises `PrimitiveError`.
    `inline` is the same in Python for integers, an expression over {0} and {1}, which spares the
    interpreter a call (`lang.inline`); if it may overflow, `fails` says so.
    `c` is the whole meaning in C for arguments of the types named, an expression over {0},
    {1}, ... of int64_t, double and bool: kernels, whole programs and arrays are written by it
    where they have no rule of their own.  Only operations that fail by types alone can have one
    (`has_template`); the others have rules.
    `interval` gives the least and the greatest result of an operation on ints from those of its
    arguments; None: any int, or the result is none.
    `commutes` tells that the two arguments may be exchanged (not `max`: of 0.0 and -0.0 it gives
    the first). `typed` tells that it has a type failure only if an argument is not of its type
    here; so has what a template of C is the meaning of.
    `array` is what array programs (L0) call the operation, as a function of one argument;
    `operator` is that of theirs which gives the same of two integers.
    `without` says why a part of the system does not have it, by the part's name: where types
    and effect do not say it already (`cogen.primitives`).
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
    interval: Callable[..., Interval] | None = None
    commutes: bool = False
    typed: bool = False
    inline: str | None = None
    array: str | None = None
    operator: str | None = None
    without: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.c is not None and not self.has_template:
            raise ValueError(f"{self.name}: no template can be its whole meaning")
        if self.array is not None and (self.c is None or len(self.arguments) != 1):
            raise ValueError(f"{self.name}: array programs have it by its template, of one operand")
        if self.operator is not None and (len(self.arguments) != 2 or self.array is not None):
            raise ValueError(f"{self.name}: an operator of array programs has two operands")

    @property
    def has_template(self) -> bool:
        """Could an expression of C be the whole meaning?"""
        of_c = {*self.arguments, self.result} <= C_TYPES
        fixed = len(self.arguments) == self.arity[0] == self.arity[1]
        return of_c and fixed and self.effect == "pure" and self.fails <= {"type"}

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
    interval: Callable[..., Interval] | None = None,
    commutes: bool = False,
    typed: bool = False,
    inline: str | None = None,
    array: str | None = None,
    operator: str | None = None,
    without: Mapping[str, str] | None = None,
) -> PrimitiveRow:
    """A row, its types and failures written as words with spaces between them."""
    types = tuple(arguments.split())
    if arity is None:
        arity = (len(types), len(types))
    return PrimitiveRow(
        name, types, result, effect, frozenset(fails.split()), python, c, doc, arity,
        fold, context, identity, unit, interval, commutes, typed or c is not None, inline, array,
        operator, without or {},
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


def need_room(name: str, size: int, at: Datum, count: int, of: str) -> int:
    """The index `at` if so many parts, which `of` names, fit behind it in something of a size."""
    position = need_int(name, at)
    if 0 <= position <= size - count:
        return position
    raise PrimitiveError("index", f"{name}: {count} {of} do not fit at {position} of {size}")


def need_size(name: str, x: Datum, limit: int) -> int:
    """The argument if it is a number of elements, up to a limit, for a new object."""
    if type(x) is not int:
        raise expected(name, "an integer", x)
    if 0 <= x <= limit:
        return x
    raise PrimitiveError("index", f"{name}: the size {x} is not in 0 to {limit}")
