"""Numbers that the compiler of whole programs, and who reads what they tell, share with their run
time: it has them from a header that is made here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cogen.backends.ctree.literals import small, string
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.tree import CDefine, CGuarded, CTitle, CUnit, Item
from cogen.backends.failures import LIMITS, Limit
from cogen.lang.called import EMPTY

_OWN: Final[Mapping[str, Limit]] = {
    "SLACK": Limit(1024, "words that are free above the limits of heap and stack"),
    "IN_REGISTERS": Limit(4, "words that a C function takes in registers, itself included"),
    "MOST_ARGUMENTS": Limit(1 << 20, "of a call"),
    "MORE": Limit(-1, "in the place of a place: calls that are left out"),
}

IN_REGISTERS: Final = _OWN["IN_REGISTERS"].number
"""Words that a C function takes in registers, besides sp and hp; the procedure itself is one."""

MORE: Final = _OWN["MORE"].number

SLACK: Final = _OWN["SLACK"].number - 24
"""Words that may be allocated, or pushed, after one check; a little less than the run time has."""

_TOLD: Final = ("TOLD_FIRST", "TOLD_LAST", "NUMBER_SIZE")

NAME: Final = "agreed.h"


def header() -> str:
    """The header; with how messages say that an index of something empty is refused."""
    shared = {**_OWN, **{name: LIMITS[name] for name in _TOLD}}
    width = max(map(len, shared))
    said = [f"  {name:{width}}  {limit.of}" for name, limit in shared.items()]
    defined: list[Item] = [CDefine("COGEN_AGREED_H")]
    defined += [CDefine(name, small(limit.number)) for name, limit in shared.items()]
    defined.append(CDefine("IN_AN_EMPTY_OBJECT", string(EMPTY)))
    title = CTitle(("Numbers that programs, the run time and Python agree on:", *said))
    return print_unit(CUnit((title, CGuarded("ifndef COGEN_AGREED_H", tuple(defined)))))
