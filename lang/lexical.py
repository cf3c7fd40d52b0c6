"""The words of the language: numbers, characters, string escapes, symbols (R7RS section 7.1.1).

    number  ::= prefix* (integer | decimal | quotient | +inf.0 | -inf.0 | +nan.0 | -nan.0)
    prefix  ::= #x | #b | #o | #d | #e | #i            one radix and one exactness at most
    decimal ::= digits . digits exponent               radix 10 only; exponent  e[+-]digits, and
                                                       s f d l for e, as older Schemes write them
    quotient ::= integer / digits                      an integer, or after #i a float
    char    ::= #\\ any | #\\ name | #\\x hex
    escape  ::= \\a \\b \\t \\n \\r \\" \\\\ \\| \\x hex ;   and  \\ line-break  in strings

Shared by the reader, the printer (which must know when a symbol needs bars) and the
primitives `string->number` and `string->symbol`.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

DELIMITERS: Final = r'\s()\[\]{}";|'
"""What ends a word, as the inside of a regular expression's character class."""

CHARACTER_NAMES: Final = {
    "alarm": "\x07",
    "backspace": "\x08",
    "delete": "\x7f",
    "escape": "\x1b",
    "newline": "\n",
    "null": "\x00",
    "return": "\r",
    "space": " ",
    "tab": "\t",
    "linefeed": "\n",
    "nul": "\x00",
    "altmode": "\x1b",
    "page": "\x0c",
    "rubout": "\x7f",
}
"""Names of characters: R7RS's first, then common older ones (read, never written)."""

ESCAPES: Final = {
    "a": "\x07",
    "b": "\x08",
    "t": "\t",
    "n": "\n",
    "r": "\r",
    '"': '"',
    "\\": "\\",
    "|": "|",
}
"""The one-letter escapes of strings and of symbols between bars."""

RADIXES: Final = {"x": 16, "d": 10, "o": 8, "b": 2}

_SPECIAL_FLOATS: Final = {
    "+inf.0": float("inf"),
    "-inf.0": float("-inf"),
    "+nan.0": float("nan"),
    "-nan.0": float("nan"),
}

_INTEGER: Final = {
    2: re.compile(r"[+-]?[01]+"),
    8: re.compile(r"[+-]?[0-7]+"),
    10: re.compile(r"[+-]?[0-9]+"),
    16: re.compile(r"[+-]?[0-9a-fA-F]+"),
}
_DECIMAL: Final = re.compile(
    r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eEsSfFdDlL][+-]?[0-9]++)?+"
)
_MARKER: Final = re.compile(r"[eEsSfFdDlL](?=[+-]?[0-9]+\Z)")
_NOTHING_IMAGINARY: Final = re.compile(r"(.*)[+-]0++[iI]")

_REAL: Final = (
    r"(?:[0-9]++/[0-9]++|(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[esfdl][+-]?[0-9]++)?+"
    r"|inf\.0|nan\.0)"
)
_EXOTIC: Final = re.compile(
    rf"[+-]?[0-9]++/[0-9]++|(?:[+-]?{_REAL})?[+-]{_REAL}?i|[+-]?{_REAL}@[+-]?{_REAL}"
)
_PREFIXES: Final = re.compile(r"#[bod](?:#[ei])?|#[ei](?:#[bod])?")
_HEXADECIMAL_RATIONAL: Final = re.compile(r"(?:#[ei])?#x(?:#[ei])?[+-]?[0-9a-f]+/[0-9a-f]+")

_ENOUGH_DIGITS: Final = 80
"""More significant digits than this, in any radix, are beyond the range of integers."""

_BEYOND: Final = 1 << 80
"""Stands for an integer too large to be worth computing."""


def parse_number(text: str, radix: int = 10) -> int | float | None:
    """The number that the text writes, or None if it writes none (of ours).

    An integer outside the language's range comes back outside it (but not with its exact
    value when it is huge): the caller checks.  `radix` (2, 8, 10 or 16) holds unless a
    prefix in the text says otherwise.  Rationals and complex numbers give None; see
    `is_exotic_number`.
    """
    exactness = ""
    seen_radix = False
    while text[:1] == "#":
        letter = text[1:2].lower()
        if letter in RADIXES and not seen_radix:
            radix, seen_radix = RADIXES[letter], True
        elif letter in ("e", "i") and not exactness:
            exactness = letter
        else:
            return None
        text = text[2:]
    if text[-1:] in ("i", "I") and exactness != "i":  # 2+0i is 2
        match = _NOTHING_IMAGINARY.fullmatch(text)
        text = text if match is None else match[1] or "0"
    if _INTEGER[radix].fullmatch(text):
        return _inexact_integer(text, radix) if exactness == "i" else _integer(text, radix)
    if radix == 10 and _DECIMAL.fullmatch(text):
        text = _MARKER.sub("e", text)
        return _exact_decimal(text) if exactness == "e" else float(text)
    if "/" in text:
        return _quotient(text, radix, exactness)
    special = _SPECIAL_FLOATS.get(text.lower())
    return None if exactness == "e" else special


def is_exotic_number(text: str) -> bool:
    """Whether the text writes a number that the language does not have: 1/2, 1+2i, #e0.5."""
    text = text.lower()
    if _HEXADECIMAL_RATIONAL.fullmatch(text):
        return True
    prefixes = _PREFIXES.match(text)
    body = text[prefixes.end() :] if prefixes else text
    if prefixes and "e" in prefixes[0] and _DECIMAL.fullmatch(body):
        return parse_number(text) is None
    return _EXOTIC.fullmatch(body) is not None


def hint_of_exotic(text: str) -> str:
    """What to write in place of a number that the language does not have."""
    parts = text.split("/")
    if len(parts) == 2 and parts[1].isdigit() and parts[0].lstrip("+-").isdigit():
        return f"(/ {parts[0]}. {parts[1]}) is the float that is next to it"
    return "numbers are integers in [-2^63, 2^63) and binary64 floats"


def _integer(text: str, radix: int) -> int:
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > _ENOUGH_DIGITS:
        return -_BEYOND if text[0] == "-" else _BEYOND
    value = int(digits or "0", radix)
    return -value if text[0] == "-" else value


def _quotient(text: str, radix: int, exactness: str) -> int | float | None:
    """n/d where that is an integer (of ours), or inexact (of integers that floats have)."""
    over, _, under = text.partition("/")
    if not _INTEGER[radix].fullmatch(over) or not _INTEGER[radix].fullmatch("+" + under):
        return None
    n, d = _integer(over, radix), _integer(under, radix)
    most = 1 << (53 if exactness == "i" else 63)
    if d == 0 or max(abs(n), d) > most:
        return None
    if exactness == "i":
        return n / d
    return n // d if n % d == 0 and n < most * d else None


def _inexact_integer(text: str, radix: int) -> float:
    if radix == 10:
        return float(text)
    try:
        return float(int(text, radix))
    except OverflowError:
        return float("-inf" if text[0] == "-" else "inf")


def _exact_decimal(text: str) -> int | None:
    """The integer that a decimal such as 1e3 or 2.50e1 writes; None if it writes a fraction."""
    mantissa, _, exponent = text.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    digits = mantissa.replace(".", "")
    significant = digits.lstrip("+-").lstrip("0")
    if not significant:
        return 0
    sign = -1 if digits[0] == "-" else 1
    shift = _clamp(exponent) - places
    if len(significant) + shift > _ENOUGH_DIGITS:
        return sign * _BEYOND
    trailing = len(significant) - len(significant.rstrip("0"))
    if -shift > trailing:
        return None
    kept = significant[: len(significant) - max(0, -shift)]
    return sign * int(kept + "0" * max(0, shift))


def _clamp(exponent: str) -> int:
    """An exponent as an integer, cut off where its size no longer matters."""
    if not exponent:
        return 0
    sign = -1 if exponent[0] == "-" else 1
    digits = exponent.lstrip("+-").lstrip("0")
    return sign * (10**9 if len(digits) > 9 else int(digits or "0"))


def parse_character(body: str) -> str | None:
    """The character that `#\\body` writes, or None."""
    if len(body) == 1:
        return body
    named = CHARACTER_NAMES.get(body)
    if named is not None:
        return named
    return scalar_value(body[1:]) if body[0] in "xX" else None


def hint_of_character(body: str) -> str:
    """What may have been meant by `#\\body`, which writes no character."""
    lower = body.lower()
    if lower in CHARACTER_NAMES:
        return f"names of characters are in lower case: `#\\{lower}`"
    close = get_close_matches(lower, CHARACTER_NAMES, n=1)
    if close:
        return f"did you mean `#\\{close[0]}`?"
    return 'texts are written "so"; names of characters are `#\\space`, `#\\newline`, `#\\tab`, …'


def scalar_value(digits: str) -> str | None:
    """The character with that hexadecimal code, or None if there is none (a surrogate, too big)."""
    if not re.fullmatch(r"[0-9a-fA-F]+", digits) or len(digits.lstrip("0")) > 6:
        return None
    code = int(digits, 16)
    return None if code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)


class EscapeError(Exception):
    """A wrong escape in a string or barred symbol; `offset` and `length` within its body."""

    def __init__(self, message: str, offset: int, length: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.length = length


_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]+);|([abtnr\"\\|])|([ \t]*(?:\r\n|\n|\r)[ \t]*)|())|\r\n?"
)


def unescape(body: str, in_string: bool = True) -> str:
    """The text that the body of a string (or of a barred symbol) stands for.

    Line breaks become `\\n`; EscapeError on a wrong escape.
    """
    if "\\" not in body and "\r" not in body:
        return body

    def replace(match: re.Match[str]) -> str:
        digits, letter, gap, wrong = match.groups()
        if digits is not None:
            found = scalar_value(digits)
            if found is None:
                message = f"`{match[0]}` is no Unicode scalar value"
                raise EscapeError(message, match.start(), len(match[0]))
            return found
        if letter is not None:
            return ESCAPES[letter]
        if gap is not None and in_string:
            return ""
        if gap is None and wrong is None:
            return "\n"
        escape = body[match.start() : match.start() + 2]
        what = "`\\x` needs hexadecimal digits and a `;`, as in `\\x41;`" if escape == "\\x" else (
            f"unknown escape `{escape}`"
        )  # fmt: skip
        raise EscapeError(what, match.start(), 2)

    return _ESCAPE.sub(replace, body)


_OTHER_CATEGORIES: Final = frozenset(["Cc", "Cf", "Cn", "Cs", "Pe", "Pf", "Pi", "Ps"])
"""Unicode categories that R7RS keeps out of identifiers (white space is a delimiter anyway)."""

_ODD_IN_SYMBOL: Final = re.compile(r"['`,\\\x00-\x1f\x7f]|[^\x00-\x7f]")
_PLAIN_SYMBOL: Final = re.compile(rf"(?![#@])[^{DELIMITERS}'`,\\]+")
_NUMBER_LIKE: Final = re.compile(r"[+-]?\.?[0-9].*", re.DOTALL)
_INFINITE_LIKE: Final = re.compile(r"[+-](inf|nan)\.0.*", re.DOTALL | re.IGNORECASE)
_ONE_PLUS: Final = re.compile(r"-?[0-9]+[+-]")


def odd_character(text: str) -> int | None:
    """The offset of the first character that no symbol without bars may contain, or None."""
    for match in _ODD_IN_SYMBOL.finditer(text):
        character = match[0]
        if character.isascii():
            return match.start()
        if character in "\u200c\u200d":
            continue
        if unicodedata.category(character) in _OTHER_CATEGORIES:
            return match.start()
    return None


def looks_like_number(text: str) -> bool:
    """Whether a word that is no number starts like one (and is not the likes of `1+`)."""
    return bool(_NUMBER_LIKE.fullmatch(text)) and not _ONE_PLUS.fullmatch(text)


@lru_cache(maxsize=4096)
def is_plain_symbol(name: str) -> bool:
    """Whether the name, written without bars, reads back as the symbol of that name, here and
    where what starts like `+inf.0` is no symbol."""
    return (
        _PLAIN_SYMBOL.fullmatch(name) is not None
        and name != "."
        and odd_character(name) is None
        and parse_number(name) is None
        and not looks_like_number(name)
        and not is_exotic_number(name)
        and not _INFINITE_LIKE.fullmatch(name)
    )
