"""Syntax errors: what the parser could not go on with, for people.

The error is at the first token that cannot follow, and says what could; an opening bracket that
is never closed is reported at the bracket.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cogen.array.l0.grammar import RESERVED, RESERVED_WITH_NAMES
from cogen.lang.errors import CogenError, Note, Source, Span

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.exceptions import UnexpectedInput

_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}

_LEXEME: Final = re.compile(
    r"//[^\n]*"
    r"|'(?:[^\\'\n]|\\[^\n][^'\n]*)'"
    r'|"(?:[^"\\\n]|\\\s+\\|\\[^\n])*"'
    r"|[()\[\]{}]"
)
"""What brackets are not counted in, and the brackets."""


def syntax_error(error: UnexpectedInput, source: Source, parser: Lark) -> CogenError:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if isinstance(error, UnexpectedCharacters):
        return _bad_character(source, error.pos_in_stream or 0)
    assert isinstance(error, UnexpectedToken)
    token = error.token
    expected = sorted(_acceptable(error))
    if token.type == "$END":
        return _bad_end(source, expected, parser)
    start = token.start_pos or 0
    span = Span(source, start, start + len(token))
    openers = _open_brackets(source, start)
    notes = []
    if token in _BRACKETS.values() and openers and _BRACKETS[source.text[openers[-1]]] != token:
        opener = openers[-1]
        notes = [Note("this is still open", Span(source, opener, opener + 1))]
    message = f"`{token}` cannot stand here"
    if token in (*RESERVED, *RESERVED_WITH_NAMES) and "NAME" in expected:
        message = f"`{token}` is a reserved word"
    return CogenError(
        f"{message}: expected {_describe(expected, parser)}",
        span,
        _hint(token, source) or _of_tuples(token, source, expected),
        notes,
    )


def _acceptable(error: UnexpectedInput) -> set[str]:
    """The terminals that could have come; a superset where the parser cannot tell exactly."""
    from lark.exceptions import UnexpectedToken

    assert isinstance(error, UnexpectedToken)
    try:
        return set(error.accepts)
    except RecursionError:
        return set(error.expected)


def _bad_character(source: Source, at: int) -> CogenError:
    character = source.text[at]
    if character in "\"'":
        what = "string" if character == '"' else "character"
        return CogenError(f"this {what} is not closed on its line", Span(source, at, at + 1))
    hint = "write `not (a = b)`" if character == "!" else None
    return CogenError(f"`{character}` has no meaning in L0", Span(source, at, at + 1), hint)


def _bad_end(source: Source, expected: list[str], parser: Lark) -> CogenError:
    openers = _open_brackets(source, len(source.text))
    if openers:
        at = openers[-1]
        return CogenError(f"this `{source.text[at]}` is never closed", Span(source, at, at + 1))
    end = len(source.text.rstrip())
    return CogenError(
        f"the program ends too early: expected {_describe(expected, parser)}",
        Span(source, end, end),
    )


def _open_brackets(source: Source, end: int) -> list[int]:
    """Where the brackets open that are not closed before `end`, outermost first."""
    found: list[int] = []
    for match in _LEXEME.finditer(source.text, 0, end):
        if match[0] in _BRACKETS:
            found.append(match.start())
        elif found and match[0] == _BRACKETS[source.text[found[-1]]]:
            found.pop()
    return found


def _hint(token: Token, source: Source) -> str | None:
    after = source.text[(token.end_pos or 0) : (token.end_pos or 0) + 1]
    before = source.text[(token.start_pos or 1) - 1]
    if token == "def":
        return "functions are written so: fun int twice(int x) = 2 * x"
    if token == ">":
        return (
            "there is no `>=`: write `b <= a` for `a >= b`"
            if after == "="
            else ("there is no `>`: write `b < a` for `a > b`")
        )
    if token == "]" and before == "[":
        return "an empty array is written `empty(t)`, with t the type of its elements"
    if token == "=" and before == "=":
        return "equality is written `=`"
    if token == "with":
        return "`with` belongs to `let b = a with [i] <- v in`"
    return None


def _of_tuples(token: Token, source: Source, expected: Sequence[str]) -> str | None:
    """How tuples are written, where they are written as in many languages."""
    if token == "(" and "BASIC" in expected:
        return "the type of tuples is written so: {int, real}"
    if token == "(" and "_KW_IF" not in expected and "LBRACE" in expected:
        return "the parts of a tuple get names so: let {x, y} = e in"
    opened = _open_brackets(source, token.start_pos or 0)
    if token == "," and opened and source.text[opened[-1]] == "(" and "RPAR" in expected:
        return "a tuple is written {a, b}"
    return None


_OPERATORS: Final = frozenset({
    "OROR", "ANDAND", "AND", "XOR", "BAR", "EQUAL", "LESS", "ATMOST", "LEFT", "RIGHT", "PLUS",
    "MINUS", "STAR", "SLASH", "PERCENT", "POW", "ATAN2",
})  # fmt: skip

_STARTERS: Final = frozenset({
    "INT", "REAL", "CONSTANT", "CHAR", "STRING", "NAME", "LBRACE", "LPAR", "LSQB", "MINUS", "NOT",
    "TILDE", "FORM", "SHAPED", "SOAC", "REDOMAP", "LESS", "_KW_IF", "_KW_LET", "_KW_LOOP",
    "_KW_EMPTY", "EXTENSION", "EXTENDED",
})  # fmt: skip

_GROUPS: Final = (
    ({"INT", "STRING"}, _STARTERS, "an expression"),
    ({"PLUS", "MINUS", "STAR"}, _OPERATORS | {"TILDE", "NOT"}, "an operator"),
    ({"BASIC", "LSQB"}, frozenset({"BASIC", "LSQB", "LBRACE", "STAR"}), "a type"),
    ({"_KW_FN"}, frozenset({"_KW_FN", "_KW_OP", "NAME"}), "a function (a name, `fn` or `op`)"),
)
"""Sets of terminals that stand for something: those that tell, all of them, and its name."""


def _describe(expected: Sequence[str], parser: Lark) -> str:
    left = set(expected)
    words = []
    for telling, members, name in _GROUPS:
        if telling <= left:
            words.append(name)
            left -= members
    patterns = {terminal.name: terminal.pattern for terminal in parser.terminals}
    for terminal in sorted(left):
        if terminal == "NAME":
            words.append("a name")
        elif terminal == "$END":
            words.append("the end of the program")
        elif terminal.startswith("_KW_"):
            words.append(f"`{terminal.removeprefix('_KW_').lower()}`")
        else:
            words.append(f"`{patterns[terminal].value}`")
    if len(words) == 1:
        return words[0]
    return ", ".join(words[:-1]) + " or " + words[-1]
