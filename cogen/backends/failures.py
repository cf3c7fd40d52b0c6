"""What a run-time error is, whichever code tells it: a site and values, kind, calls that led there.

What can fail in a program is a *site*, which has a number from 1 on (`NumberedSites`).  Code that
fails notes that number and, as details, the integers that the message needs; what the site says,
its place, and whether it is a limitation of ours are known beside the code, never in it (`Site`).
`error_of` makes the error of what was noted (`Noted`).

    kernels         sites of `kernel.cmodule`, with calls
    array programs  sites of `cogen.array.codegen.errorsites`, in C, and on devices in slots
    whole programs  messages, and places by number, for `native.load`; their executables write what
                    went wrong themselves (native/runtime/chain.c)
    Python          what primitives raise, placed by `python.pyprogram`

C notes as `cogen.backends.noting` has it.  Whole programs can handle their errors, so these are
objects with messages, made by their run time (cogen/backends/native/runtime/control.c).

All limits stand in `LIMITS`, from which text of C and headers have them, and the structures that C
and Python share are laid out for both from one definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from cogen.backends.structures import ADDRESS, ANYTHING, INT64, SharedMember, SharedStructure
from cogen.lang import chain
from cogen.lang.chain import Call
from cogen.lang.errors import CogenError, InternalError


class Limit(NamedTuple):
    """A number that Python and C have to agree on, and what it is."""

    number: int
    of: str


LIMITS: Final[Mapping[str, Limit]] = {
    "TOLD_FIRST": Limit(chain.FIRST, "calls that are told from the innermost on"),
    "TOLD_LAST": Limit(chain.LAST, "those up to the outermost, if there are more"),
    "NOTED_FIRST": Limit(8, "calls that kernels note from the innermost on"),
    "NOTED_LAST": Limit(8, "those up to the outermost, if there are more"),
    "NOTED_CALLS": Limit(16, "both together"),
    "FAIL_DETAILS": Limit(3, "integers that kernels note, and that are noted by one call in C"),
    "ARRAY_DETAILS": Limit(40, "integers that an error of an array program says, at most"),
    "DEVICE_SLOTS": Limit(43, "slots of an item on a device: site, iteration, details"),
    "NUMBER_SIZE": Limit(21, "characters of a number, and one that separates it"),
}
"""All limits of what a run-time error says, by their names in C.  Kernels note more calls than are
told, as those within a library are told as one."""

NOTED_FIRST, NOTED_LAST, NOTED_CALLS, FAIL_DETAILS, ARRAY_DETAILS, DEVICE_SLOTS = (
    LIMITS[name].number
    for name in (
        "NOTED_FIRST", "NOTED_LAST", "NOTED_CALLS", "FAIL_DETAILS", "ARRAY_DETAILS", "DEVICE_SLOTS",
    )
)  # fmt: skip


def noted_at(call: int) -> int:
    """Where a call is noted, by its number from the innermost on: the last ones take turns."""
    return call if call < NOTED_FIRST else NOTED_FIRST + call % NOTED_LAST


def _error_type(title: str, details: int, *more: SharedMember) -> SharedStructure:
    """The type of what is noted: `more` are members besides number and details."""
    members = (SharedMember(INT64, "code"), SharedMember(INT64, "detail", details), *more)
    return SharedStructure("cogen_error", members, title)


NOTED_CALL: Final = SharedStructure(
    "cogen_noted_call",
    (SharedMember(INT64, "code"), SharedMember(INT64, "told"), SharedMember(INT64, "times")),
    "A call that led to an error, by its code; how many calls of the source it is, and how often\n"
    "it comes in a row.",
)

KERNEL_ERROR: Final = _error_type(
    "Where an error is reported: code 0 is none; what a code means stands at the top.",
    FAIL_DETAILS,
    SharedMember(ADDRESS, "stack_limit"),
    SharedMember(
        ANYTHING, "buffer", 0, "which one it is about, if that may be several"
    ),
    SharedMember(
        NOTED_CALL.name, "call", NOTED_CALLS,
        f"the innermost first: of more the first {NOTED_FIRST} and the last {NOTED_LAST}",
    ),
    SharedMember(INT64, "calls"),
    SharedMember(INT64, "left_out"),
)  # fmt: skip

ARRAY_ERROR: Final = _error_type(
    "What a call reports: 0, or the number of the place that failed and what it says.",
    ARRAY_DETAILS,
)


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


class NumberedSites(Generic[S]):
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
