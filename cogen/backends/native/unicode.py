"""Python's tables of characters -> C tables, so that compiled programs agree with the interpreter.

A property is a table of ranges, a change of case a table of what changes; characters below 0x80
are in the run time's code where that is simple.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby
from operator import itemgetter

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.tree import CBraces, CData, CInclude, CUnit, CVariable, Expr, Item
from cogen.backends.ctree.types import CBasic, CConst, CPointer
from cogen.backends.native.vocabulary import braces
from cogen.lang.primtable.text import is_white_space

_LAST = 0x110000
_CATEGORIES_OUT_OF_SYMBOLS = frozenset(["Cc", "Cf", "Cn", "Cs", "Pe", "Pf", "Pi", "Ps"])


def _is_cased(c: str) -> bool:
    return (c + "Σ").lower()[-1] == "ς"


def _is_case_ignorable(c: str) -> bool:
    return ("A" + c + "Σ").lower()[-1] == "ς" and not _is_cased(c)


_PROPERTIES: tuple[Callable[[str], bool], ...] = (
    str.isalpha,
    str.isdecimal,
    is_white_space,
    str.isupper,
    str.islower,
    str.isprintable,
    lambda c: unicodedata.category(c) in _CATEGORIES_OUT_OF_SYMBOLS,
    lambda c: unicodedata.category(c)[0] == "M",
    _is_cased,
    _is_case_ignorable,
)
"""In the order of the C type `property`; see `lang.lexical` and `lang.printer`."""

_CHANGES: tuple[Callable[[str], str], ...] = (str.upper, str.lower, str.casefold)
"""In the order of the C type `change`."""


_ALIKE = frozenset(["Cn", "Co"])
"""Categories whose characters, three quarters of all, have the same properties and no case."""


@cache
def tables() -> str:
    """The C text of the tables."""
    characters, alike = _characters()
    items: list[Item] = [CInclude("unicode.h", own=True)]
    properties: list[Expr] = []
    for number, has in enumerate(_PROPERTIES):
        own = [(ord(c), ord(c)) for c in characters if has(c)]
        ranges = _ranges(sorted([*own, *[run for run in alike if has(chr(run[0]))]]))
        rows = [_row(first, last) for first, last in ranges]
        properties.append(_table(items, "range", f"property{number}", rows))
    items.append(_tables("property_tables", properties))
    changes: list[Expr] = []
    for number, change in enumerate(_CHANGES):
        changed = [(c, made) for c in characters if (made := change(c)) != c]
        rows = [braces(small(ord(c)), _row(*map(ord, made))) for c, made in changed]
        changes.append(_table(items, "changed", f"change{number}", rows))
    items.append(_tables("change_tables", changes))
    zeros = [ord(c) for c in characters if unicodedata.decimal(c, -1) == 0 and ord(c) > 0x7F]
    digits = _table(items, "range", "digits", [_row(zero, zero + 9) for zero in zeros])
    items.append(CData(CConst(CBasic("table")), "digit_table", digits, public=True))
    return print_unit(CUnit(tuple(items)))


def _characters() -> tuple[list[str], list[tuple[int, int]]]:
    """The characters to look at one by one, and the ranges of others, each of one category."""
    characters: list[str] = []
    alike: list[tuple[int, int]] = []
    kinds = map(unicodedata.category, map(chr, range(_LAST)))
    for kind, group in groupby(enumerate(kinds), key=itemgetter(1)):
        codes = [code for code, _ in group]
        if kind in _ALIKE:
            alike.append((codes[0], codes[-1]))
        elif kind != "Cs":
            characters += map(chr, codes)
    return characters, alike


def _row(*numbers: int) -> CBraces:
    return braces(*map(small, numbers))


def _table(items: list[Item], kind: str, name: str, rows: list[CBraces]) -> CBraces:
    """Add a table; its name and size."""
    t = CConst(CBasic(kind))
    items.append(CData(t, name, braces(*rows), 0))
    return braces(CVariable(name, CPointer(t)), small(len(rows)))


def _tables(name: str, tables: list[Expr]) -> CData:
    return CData(CConst(CBasic("table")), name, braces(*tables), 0, public=True)


def _ranges(runs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in ascending order, those that touch put together."""
    ranges: list[tuple[int, int]] = []
    for first, last in runs:
        if ranges and ranges[-1][1] == first - 1:
            ranges[-1] = (ranges[-1][0], last)
        else:
            ranges.append((first, last))
    return ranges
