"""How C tells what went wrong, whichever C it is: a number and some integers.

What can fail in a program is a *site*, which has a number from 1 on (`Sites`).  Code that fails
notes that number and, as details, the integers that the message needs; what the site says, its
place, and whether it is a limitation of ours are known beside the code, never in it.  `error_of`
makes the error of what was noted.

    cogen_error *       where kernels note it, with the calls that led there (`cruntime.ERROR_TYPE`)
    the memory's error  where a thread of an array program does; the first thread's is the call's
    slots of an array   where an item of a kernel on a device does: number, iteration, details

Native programs can handle their errors, so these are objects with messages, made by their run time
(cogen/native/runtime/control.c); what led there is told by numbers as well, of places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    Assign,
    Do,
    Expr,
    Field,
    Index,
    Invoke,
    Member,
    Statement,
    Unary,
)
from cogen.backends.ctree.types import BOOL, I64, VOID, Basic, Pointer
from cogen.lang.chain import Call
from cogen.lang.errors import CogenError, InternalError

# Python's side


@dataclass(frozen=True, slots=True)
class Noted:
    """What code has noted: the number of a site, details, the calls that led there, the innermost
    first, and what the caller calls the buffer that it is about."""

    number: int
    details: Sequence[int]
    calls: Iterable[Call] = ()
    buffer: str | None = None


class Site(Protocol):
    """What can fail, and where."""

    @property
    def description(self) -> str:
        """A line for the comment at the top of the C text."""

    def error(self, noted: Noted) -> CogenError:
        """The error to raise."""


S = TypeVar("S", bound=Site)


class Sites(Generic[S]):
    """The sites of a program, numbered from 1 as its code is made."""

    def __init__(self) -> None:
        self.listed: list[S] = []
        self._numbers: dict[S, int] = {}

    def add(self, site: S) -> int:
        """The number of a site that is no other, whatever it says."""
        self.listed.append(site)
        return len(self.listed)

    def number(self, site: S) -> int:
        """The number of a site; that of an equal one, if there is one."""
        number = self._numbers.get(site)
        if number is None:
            number = self._numbers[site] = self.add(site)
        return number

    def forget(self, count: int) -> None:
        """Leave no more than the first ones, as the code of the others is not used."""
        del self.listed[count:]
        self._numbers = {s: number for s, number in self._numbers.items() if number <= count}

    def __len__(self) -> int:
        return len(self.listed)

    def __getitem__(self, number: int) -> S:
        return self.listed[number - 1]


def error_of(sites: Sequence[Site], noted: Noted) -> CogenError:
    """The error that code has noted; an internal one if there is no such site."""
    if not 1 <= noted.number <= len(sites):
        return InternalError("the compiled code reports an unknown error")
    return sites[noted.number - 1].error(noted)


def shortened(first: Iterable[Call], left_out: int, last: Iterable[Call]) -> Iterable[Call]:
    """Calls of which compiled code has kept the first and the last ones; so many between them were
    left out."""
    yield from first
    if left_out:
        yield None, left_out
    yield from last


# C's side

IN_CALL: Final = 3
"""The details that `cogen_fail` takes; others are assigned after it."""

FAIL: Final = """\
/* Note what went wrong, unless something else has before. */
__attribute__((cold, noinline))
static void cogen_fail(cogen_error *error, int64_t code, int64_t a, int64_t b, int64_t c)
{
    if (error->code == 0) {
        error->code = code;
        error->detail[0] = a;
        error->detail[1] = b;
        error->detail[2] = c;
    }
}
"""

DEEP: Final = """\
/* Whether less than a safe part of the stack is left. */
static inline bool cogen_deep(uintptr_t stack_limit)
{
    return (uintptr_t)__builtin_frame_address(0) < stack_limit;
}
"""

ERROR: Final = Basic("cogen_error")


def error_type(title: str, details: int, more: str = "") -> str:
    """The type of what is noted: `more` are members besides number and details."""
    return f"""\
/* {title} */
typedef struct {{
    int64_t code;
    int64_t detail[{details}];
{more}}} cogen_error;
"""


def noting(error: Expr, number: int, details: Sequence[Expr]) -> list[Statement]:
    """The statements that note a failure in the `cogen_error` at an address."""
    within = [*details[:IN_CALL], *[small(0)] * (IN_CALL - len(details))]
    noted = Invoke("cogen_fail", (error, small(number), *within), VOID)
    slots: Expr = Field(error, "detail", Pointer(I64))
    if isinstance(error, Unary) and error.operator == "&":
        slots = Member(error.operand, "detail", Pointer(I64))
    rest = enumerate(details[IN_CALL:], IN_CALL)
    return [Do(noted), *[Assign(Index(slots, small(at)), detail) for at, detail in rest]]


def is_deep(stack_limit: Expr) -> Expr:
    """A test whether little is left of the stack."""
    return Invoke("cogen_deep", (stack_limit,), BOOL)
