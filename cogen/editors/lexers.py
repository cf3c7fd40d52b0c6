"""Lexers for Pygments: `cogen`, the language, and `l0`, programs on whole arrays.

    pygmentize -l l0 prices.l0

What a word is, the languages' own tables say (`cogen.editors.words`), which are looked at when the
first text is lexed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from cogen.editors.words import WordClass, l0_words, scheme_words

WORD = r"""[^\s()\[\]{}";|'`,]+"""
"""A word of the language."""

DECLARES = r"""\b(?:(?:record|union)(?=\s+[A-Za-z]\w*\s*[{=])|law(?=\s+\w+\s*\()|import(?=\s+"))"""
"""Words of L0 that begin declarations: elsewhere they may be names."""

Tokens = Iterator[tuple[int, Any, str]]


def _named(tokens: Tokens, words: WordClass) -> Tokens:
    """The tokens, in which what is a name by its form is what the word means."""
    for index, kind, value in tokens:
        if kind is Name:
            if value in words.defining:
                kind = Keyword.Declaration
            elif value in words.syntax:
                kind = Keyword
            elif value in words.builtin:
                kind = Name.Builtin
        yield index, kind, value


class CogenLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no type information
    """Of the Scheme-like language."""

    name = "cogen"
    aliases: ClassVar[list[str]] = ["cogen"]
    filenames: ClassVar[list[str]] = []
    mimetypes: ClassVar[list[str]] = ["text/x-cogen"]
    flags = re.MULTILINE

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"\s+", Text.Whitespace),
            (r";+[ \t]*cogen:[^\n]*", Comment.Special),
            (r";[^\n]*", Comment.Single),
            (r"#\|", Comment.Multiline, "comment"),
            (r"#;", Comment.Preproc),
            (r"#!fold-case|#!no-fold-case", Comment.Preproc),
            (r'"', String, "string"),
            (r"#\\x[0-9a-fA-F]+(?![^\s()\[\]{}\";|])", String.Char),
            (r"#\\[A-Za-z]+", String.Char),
            (r"#\\(?:.|\n)", String.Char),
            (r"#(?:true|false|t|f)(?![^\s()\[\]{}\";|])", Keyword.Constant),
            (r"#[0-9]+[=#]", Name.Label),
            (r"#(?:u8)?\(", Punctuation),
            (r"'|`|,@|,", Operator),
            (r"\|(?:[^|\\]|\\.)*\|", Name.Variable),
            (
                rf"(\()(\s*)(define(?:-array|-values|-syntax|-record-type)?)(\s+)(\(*)({WORD})",
                bygroups(
                    Punctuation,
                    Text.Whitespace,
                    Keyword.Declaration,
                    Text.Whitespace,
                    Punctuation,
                    Name.Function,
                ),
            ),
            (r"[()\[\]{}]", Punctuation),
            (r"[+-]?[0-9]+(?![^\s()\[\]{}\";|])", Number.Integer),
            (r"(?:#[eibodx])+[+-]?[0-9a-fA-F./]+(?![^\s()\[\]{}\";|])", Number),
            (r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![^\s()\[\]{}\";|])", Number),
            (r"[+-](?:inf|nan)\.0(?![^\s()\[\]{}\";|])", Number),
            (WORD, Name),
            (r".", Text),
        ],
        "comment": [
            (r"[^|#]+", Comment.Multiline),
            (r"#\|", Comment.Multiline, "#push"),
            (r"\|#", Comment.Multiline, "#pop"),
            (r"[|#]", Comment.Multiline),
        ],
        "string": [
            (r'[^"\\]+', String),
            (r"\\x[0-9a-fA-F]+;|\\(?:.|\n)", String.Escape),
            (r'"', String, "#pop"),
            (r"\\", String),
        ],
    }

    def get_tokens_unprocessed(self, text: str, stack: Any = ("root",)) -> Tokens:
        """The tokens of a text, with the offsets where they begin."""
        return _named(super().get_tokens_unprocessed(text, stack), scheme_words())


class L0Lexer(RegexLexer):  # type: ignore[misc]  # the same
    """Of L0, programs on whole arrays."""

    name = "L0"
    aliases: ClassVar[list[str]] = ["l0"]
    filenames: ClassVar[list[str]] = ["*.l0"]
    mimetypes: ClassVar[list[str]] = ["text/x-l0"]

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"\s+", Text.Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r'"(?:[^"\\\n]|\\\s+\\|\\.)*"?', String),
            (r"'(?:\\(?:x[0-9a-fA-F]+|[0-9]+|.)|[^'\\\n])'", String.Char),
            (r"[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)", Number.Float),
            (r"0[xX][0-9A-Fa-f]+|0[oO][0-7]+|[0-9]+", Number.Integer),
            (r"(?:int|real|bool|char|cert)\b", Keyword.Type),
            (r"(?:True|False|Checked)\b", Keyword.Constant),
            (DECLARES, Keyword.Declaration),
            (r"[A-Za-z_][A-Za-z0-9_]*", Name),
            (r"\.|<-|=>|<<|>>|<=|==|&&|\|\||[-+*/%<>=&|^~]", Operator),
            (r"[()\[\]{},]", Punctuation),
            (r".", Text),
        ]
    }

    def get_tokens_unprocessed(self, text: str, stack: Any = ("root",)) -> Tokens:
        """The tokens of a text, with the offsets where they begin."""
        return _named(super().get_tokens_unprocessed(text, stack), l0_words())
