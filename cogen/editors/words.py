"""The words of the languages by what they are, out of the tables that give them their meaning."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class WordClass(NamedTuple):
    """Words that are coloured alike: those that define, other words of the syntax, and procedures,
    functions and operations that every program has."""

    defining: frozenset[str]
    syntax: frozenset[str]
    builtin: frozenset[str]


LIBRARIES = ("export", "begin", "only", "except", "prefix", "rename")
"""Words that mean something within `define-library` and `import`."""


@cache
def scheme_words() -> WordClass:
    """Those of the language."""
    from cogen.lang.builtins import builtins
    from cogen.lang.expand import prelude
    from cogen.lang.scope import Auxiliary, GlobalBinding, Macro, PrimitiveBinding, Special

    tables = (prelude().table, builtins())
    named = {name.name: meant for table in tables for name, meant in table.items()}
    named = {name: meant for name, meant in named.items() if name[:1] != "%"}
    syntax = {n for n, meant in named.items() if isinstance(meant, Special | Auxiliary | Macro)}
    defining = frozenset(name for name in syntax if name.startswith("define"))
    syntax |= {*LIBRARIES}
    builtin = {
        n for n, meant in named.items() if isinstance(meant, PrimitiveBinding | GlobalBinding)
    }
    return WordClass(defining, frozenset(syntax) - defining, frozenset(builtin) - syntax)


@cache
def l0_words() -> WordClass:
    """Those of L0."""
    from cogen.array.l0.extensions import EXTENSIONS
    from cogen.array.l0.grammar import RESERVED, RESERVED_WITH_NAMES
    from cogen.array.l0.signatures import BUILTIN_TYPES

    defining = frozenset({"fun", "fn"})
    syntax = frozenset({*RESERVED, *RESERVED_WITH_NAMES, "packed"}) - defining
    return WordClass(defining, syntax, frozenset({*EXTENSIONS, *BUILTIN_TYPES}) - syntax - defining)
