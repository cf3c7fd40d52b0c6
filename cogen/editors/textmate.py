"""The languages as TextMate grammars, which VS Code and other editors colour by.

They have the words of `cogen.editors.words`; expressions are of what TextMate and Python both know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from cogen.editors.lexers import DECLARES
from cogen.editors.words import WordClass, l0_words, scheme_words

Rule = dict[str, Any]

_SCHEMA: Final = "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json"
_BEFORE: Final = r"""(?<![^\s()\[\]{}";|'`,])"""
_AFTER: Final = r"""(?![^\s()\[\]{}";|])"""


def scheme_grammar() -> Rule:
    """That of the language."""
    words = scheme_words()
    return {
        "$schema": _SCHEMA,
        "name": "cogen",
        "scopeName": "source.cogen",
        "patterns": [{"include": "#all"}],
        "repository": {
            "all": {
                "patterns": [
                    _match("comment.line.division.cogen", r";+[ \t]*cogen:.*$"),
                    _match("comment.line.semicolon.cogen", r";.*$"),
                    {"include": "#comment"},
                    _match("comment.block.datum.cogen", "#;"),
                    _match("keyword.control.directive.cogen", "#!(?:no-)?fold-case"),
                    _string("cogen", r"\\(?:x[0-9a-fA-F]+;|.|$)"),
                    _match(
                        "constant.character.cogen", rf"#\\(?:x[0-9a-fA-F]+{_AFTER}|[A-Za-z]+|.)"
                    ),
                    _match("constant.language.cogen", f"#(?:true|false|t|f){_AFTER}"),
                    _match("constant.numeric.cogen", f"{_BEFORE}{_NUMBER}{_AFTER}"),
                    _match("variable.other.cogen", r"\|(?:[^|\\]|\\.)*\|"),
                    {
                        "match": r"\(\s*(define(?:-array|-values|-syntax|-record-type)?)"
                        r"""\s+\(*([^\s()\[\]{}";|'`,]+)""",
                        "captures": {
                            "1": {"name": "keyword.declaration.cogen"},
                            "2": {"name": "entity.name.function.cogen"},
                        },
                    },
                    *_words("cogen", words, _BEFORE, _AFTER),
                    _match("keyword.operator.quote.cogen", "'|`|,@|,"),
                ]
            },
            "comment": {
                "name": "comment.block.cogen",
                "begin": r"#\|",
                "end": r"\|#",
                "patterns": [{"include": "#comment"}],
            },
        },
    }


_NUMBER: Final = (
    r"(?:(?:#[eibodx])+[+-]?[0-9a-fA-F./]+|[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[+-](?:inf|nan)\.0)"
)


def l0_grammar() -> Rule:
    """That of L0."""
    words = l0_words()
    types = frozenset({"int", "real", "bool", "char", "cert"})
    constants = frozenset({"True", "False", "Checked"})
    rest = WordClass(words.defining, words.syntax - types - constants, words.builtin)
    return {
        "$schema": _SCHEMA,
        "name": "L0",
        "scopeName": "source.l0",
        "patterns": [
            _match("comment.line.double-slash.l0", "//.*$"),
            _string("l0", r"\\."),
            _match("constant.character.l0", r"'(?:\\(?:x[0-9a-fA-F]+|.)|[^'\\])'"),
            _match(
                "constant.numeric.l0",
                r"\b(?:0[xX][0-9A-Fa-f]+|0[oO][0-7]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\b",
            ),
            _match("storage.type.l0", _one_of(types, r"\b", r"\b")),
            _match("constant.language.l0", _one_of(constants, r"\b", r"\b")),
            _match("keyword.declaration.l0", DECLARES),
            *_words("l0", rest, r"\b", r"\b"),
            _match("keyword.operator.l0", r"<-|=>|<<|>>|<=|==|&&|\|\||[-+*/%<>=&|^~]"),
        ],
    }


def _match(name: str, expression: str) -> Rule:
    return {"name": name, "match": expression}


def _string(language: str, escape: str) -> Rule:
    return {
        "name": f"string.quoted.double.{language}",
        "begin": '"',
        "end": '"',
        "patterns": [_match(f"constant.character.escape.{language}", escape)],
    }


def _words(language: str, words: WordClass, before: str, after: str) -> list[Rule]:
    return [
        _match(f"{scope}.{language}", _one_of(some, before, after))
        for scope, some in (
            ("keyword.declaration", words.defining),
            ("keyword.control", words.syntax),
            ("support.function", words.builtin),
        )
    ]


def _one_of(words: Iterable[str], before: str, after: str) -> str:
    """An expression for any of the words, those first that begin with others."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return f"{before}(?:{'|'.join(map(re.escape, ordered))}){after}"
