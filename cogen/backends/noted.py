"""What code has noted of what went wrong, as Python sees it: sites, and the errors made of them.

See `cogen.backends.failures`, which has C's side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from cogen.lang.chain import Call
from cogen.lang.errors import CogenError, InternalError


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
