"""Python's tables of characters -> C tables, so that compiled programs agree with the interpreter.

A property is a table of ranges, a change of case a table of what changes; characters below 0x80
are in the run time's code where that is simple.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache

_LAST = 0x110000
_CATEGORIES_OUT_OF_SYMBOLS = frozenset(["Cc", "Cf", "Cn", "Cs", "Pe", "Pf", "Pi", "Ps"])


def _is_cased(c: str) -> bool:
    return (c + "Σ").lower()[-1] == "ς"


def _is_case_ignorable(c: str) -> bool:
    return ("A" + c + "Σ").lower()[-1] == "ς" and not _is_cased(c)


_PROPERTIES: tuple[Callable[[str], bool], ...] = (
    str.isalpha,
    str.isdecimal,
    str.isspace,
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


@cache
def tables() -> str:
    """The C text of the tables."""
    characters = [chr(c) for c in range(_LAST) if not 0xD800 <= c < 0xE000]
    lines = ['#include "unicode.h"']
    names = []
    for number, has in enumerate(_PROPERTIES):
        ranges = _ranges(ord(c) for c in characters if has(c))
        lines.append(_table("range", f"property{number}", (f"{{{a},{b}}}" for a, b in ranges)))
        names.append(f"{{property{number}, {len(ranges)}}}")
    lines.append(f"const table property_tables[] = {{{', '.join(names)}}};")
    names = []
    for number, change in enumerate(_CHANGES):
        changed = [(c, change(c)) for c in characters if change(c) != c]
        rows = (f"{{{ord(c)},{{{','.join(str(ord(d)) for d in made)}}}}}" for c, made in changed)
        lines.append(_table("changed", f"change{number}", rows))
        names.append(f"{{change{number}, {len(changed)}}}")
    lines.append(f"const table change_tables[] = {{{', '.join(names)}}};")
    zeros = [ord(c) for c in characters if unicodedata.decimal(c, -1) == 0 and ord(c) > 0x7F]
    lines.append(_table("range", "digits", (f"{{{zero},{zero + 9}}}" for zero in zeros)))
    lines.append(f"const table digit_table = {{digits, {len(zeros)}}};")
    return "\n".join(lines) + "\n"


def _table(kind: str, name: str, rows: Iterable[str]) -> str:
    return f"static const {kind} {name}[] = {{\n{','.join(rows)}\n}};"


def _ranges(codes: Iterable[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return ranges
