"""Text -> tree: runs lark and builds `cogen.array.l0.tree` from what it gives.

A syntax error is a `CogenError` at the first token that cannot follow, and says what could; an
opening bracket that is never closed is reported at the bracket.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, cast

from cogen import diskstore as store
from cogen.array.l0 import tree
from cogen.array.l0.buildtree import TreeBuilder
from cogen.array.l0.declarations import Declarations
from cogen.array.l0.grammar import declares_names, defined_words, grammar
from cogen.array.l0.syntaxerrors import syntax_error
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

    Parsed = Tree[Token]
    Child = Parsed | Token | None


def parse(source: Source) -> tree.L0Program:
    """The program that a text writes.  CogenError where it is no program."""
    return on_deep_stack(_parse, source)


def _parse(source: Source) -> tree.L0Program:
    declarations, found = Declarations(), _FoundDefinitions([], [])
    _read(source, declarations, found, {_identity(source)})
    functions = tuple([make() for make in found.functions])
    laws = tuple([make() for make in found.laws])
    return tree.L0Program(source, functions, declarations.all(), laws)


@dataclass(frozen=True, slots=True)
class _FoundDefinitions:
    """What makes the functions and the laws of all files, once all types are known."""

    functions: list[Callable[[], tree.FunctionDefinition]]
    laws: list[Callable[[], tree.Law]]


def _read(
    source: Source, declarations: Declarations, found: _FoundDefinitions, seen: set[str]
) -> None:
    """Find what a file and those that it imports have, each once, the imported ones first."""
    builder = TreeBuilder(source, declarations)
    for part in [cast("Parsed", part) for part in _parsed(source).children]:
        if part.data == "import":
            other = builder.imported(part)
            if _identity(other) not in seen:
                seen.add(_identity(other))
                _read(other, declarations, found, seen)
        elif part.data == "function":
            found.functions.append(partial(builder.function, part))
        elif part.data == "law":
            found.laws.append(partial(builder.law, part))
        else:
            declarations.add(part, builder)


def _identity(source: Source) -> str:
    return os.path.abspath(source.path or source.name)


def _parsed(source: Source) -> Parsed:
    parser = _parser(defined_words(source.text), declares_names(source.text))
    from lark.exceptions import UnexpectedInput

    try:
        parsed = parser.parse(source.text)
    except UnexpectedInput as error:
        raise syntax_error(error, source, parser) from None
    return parsed


@lru_cache(maxsize=4)
def _parser(own: frozenset[str], names: bool) -> Lark:
    """The parser of a grammar; its tables, which take long to build, are kept in the store."""
    try:
        from lark import Lark, __version__
    except ImportError:
        raise CogenError(
            "programs in L0 need the package lark, which is not installed",
            hint="pip install 'cogen-specializer[array]', or pip install lark",
        ) from None
    rules = grammar(own, names)
    parts = ("lark", __version__, rules)
    tables = store.get(*parts)
    if tables is not None:
        return Lark.load(BytesIO(tables))
    made = Lark(rules, parser="lalr", propagate_positions=True, maybe_placeholders=True)
    kept = BytesIO()
    made.save(kept)
    store.put(*parts, content=kept.getvalue())
    return made

    # Expressions.

    # Records and unions.
