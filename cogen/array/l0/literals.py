r"""Characters and strings between quotes: reading and writing their escapes.

The escapes are Haskell's: `\n`, `\"`, `\\`, `\'`, `\a \b \f \r \t \v`, `\65`, `\x41`, `\o101`,
`\^A`, `\DEL` and the other names of ASCII, and in strings the empty `\&` and gaps `\   \`.
`escape(decode(s))` reads back as the same text.
"""

from __future__ import annotations

import re
from typing import Final

from cogen.lang.errors import CogenError, Source, Span

SIMPLE: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
"""Escapes of one letter, and what they mean."""

ASCII_NAMES: Final = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR",
    "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC",
    "FS", "GS", "RS", "US", "SP",
)  # fmt: skip
"""The names of the characters 0 to 32; 127 is DEL."""

_NAMES: Final = {name: chr(code) for code, name in enumerate(ASCII_NAMES)} | {"DEL": "\x7f"}

_ESCAPE: Final = re.compile(
    r"\\(?:(?P<gap>\s+)\\|(?P<empty>&)|(?P<decimal>\d+)|x(?P<hex>[0-9A-Fa-f]+)|o(?P<octal>[0-7]+)"
    r"|\^(?P<control>[@-_])"
    rf"|(?P<name>{'|'.join(sorted(_NAMES, key=len, reverse=True))})"
    r"""|(?P<simple>[abfnrtv\\"']))"""
)

_WRITTEN: Final = {
    meaning: "\\" + letter for letter, meaning in SIMPLE.items() if letter not in "\"'"
}


def decode(source: Source, start: int, end: int) -> str:
    """The text that the quoted literal [start, end) of a source, quotes included, means."""
    text = source.text
    pieces: list[str] = []
    at = start + 1
    while at < end - 1:
        if text[at] != "\\":
            pieces.append(text[at])
            at += 1
            continue
        match = _ESCAPE.match(text, at, end - 1)
        if match is None:
            raise CogenError("this escape is not known", Span(source, at, min(at + 2, end)))
        pieces.append(_meaning(match, source))
        at = match.end()
    return "".join(pieces)


def _meaning(match: re.Match[str], source: Source) -> str:
    kind, body = match.lastgroup, match[match.lastgroup or 0]
    match kind:
        case "gap" | "empty":
            return ""
        case "control":
            return chr(ord(body) - ord("@"))
        case "name":
            return _NAMES[body]
        case "simple":
            return SIMPLE[body]
    base = {"decimal": 10, "hex": 16, "octal": 8}[kind or ""]
    code = int(body, base) if len(body) < 12 else -1
    if not 0 <= code <= 0x10FFFF:
        raise CogenError(
            "there is no character with this number", Span(source, match.start(), match.end())
        )
    return chr(code)


def escape(text: str, quote: str) -> str:
    """The text between quotes, as `decode` reads it: ASCII only, other characters by number."""
    pieces: list[str] = []
    numbered = False
    for character in text:
        if numbered and character in "0123456789":
            pieces.append("\\&")
        piece = _escape_one(character, quote)
        numbered = piece[0] == "\\" and piece[-1] in "0123456789"
        pieces.append(piece)
    return quote + "".join(pieces) + quote


def _escape_one(character: str, quote: str) -> str:
    if character == quote:
        return "\\" + character
    if character in _WRITTEN:
        return _WRITTEN[character]
    return character if " " <= character <= "~" else f"\\{ord(character)}"
