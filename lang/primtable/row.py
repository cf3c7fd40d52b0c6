"""What a row of the primitive table is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cogen.lang.datum import Datum
from cogen.lang.primtable.intervals import Interval

C_TYPES: Final = frozenset({"int", "float", "bool"})
"""The types of operands of C templates: int64_t, double and bool."""


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
    `chooses` is the comparison of two integers where the operation gives the first if it holds, and
    else the second.
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
    chooses: str | None = None
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
    def is_bitwise(self) -> bool:
        """Does it combine each bit of two integers by itself?"""
        return self.operator in ("&", "|", "^")

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
    chooses: str | None = None,
    without: Mapping[str, str] | None = None,
) -> PrimitiveRow:
    """A row, its types and failures written as words with spaces between them."""
    types = tuple(arguments.split())
    if arity is None:
        arity = (len(types), len(types))
    return PrimitiveRow(
        name, types, result, effect, frozenset(fails.split()), python, c, doc, arity,
        fold, context, identity, unit, interval, commutes, typed or c is not None, inline, array,
        operator, chooses, without or {},
    )  # fmt: skip
