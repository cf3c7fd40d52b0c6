"""Rows of the primitive table: characters and strings.

Strings are immutable, so operations on them are pure; indices count characters from 0.  What
programs mean that change strings is said with `%string-content`, `%string-ref` and `%fresh-string`
(`lang.mutablestrings`).
"""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable

from cogen.lang.datum import NIL, UNSPECIFIED, Char, Datum, MutableString, Pair, from_iterable
from cogen.lang.governor import room
from cogen.lang.primtable.checks import (
    PrimitiveError,
    expected,
    need_copy,
    need_index,
    need_int,
    need_range,
    need_size,
)
from cogen.lang.primtable.data import finite
from cogen.lang.primtable.intervals import SIZE
from cogen.lang.primtable.row import PrimitiveRow, row


def need_char(name: str, x: Datum) -> str:
    """The argument's character if it is one."""
    if type(x) is Char:
        return x.value
    raise expected(name, "a character", x)


def need_string(name: str, x: Datum) -> str:
    """The argument if it is a string."""
    if type(x) is str:
        return x
    if type(x) is MutableString:
        return x.content()
    raise expected(name, "a string", x)


def need_mutable(name: str, x: Datum) -> MutableString:
    """The argument if it is a string that can be changed."""
    if type(x) is MutableString:
        return x
    if type(x) is str:
        raise expected(name, "a string that can be changed, not a constant", x)
    raise expected(name, "a string", x)


_Comparison = Callable[[str, str], bool]
_COMPARISONS: tuple[tuple[str, _Comparison, str], ...] = (
    ("=?", operator.eq, "Equal"),
    ("<?", operator.lt, "Increasing"),
    (">?", operator.gt, "Decreasing"),
    ("<=?", operator.le, "Never decreasing"),
    (">=?", operator.ge, "Never increasing"),
)


def _comparisons(
    kind: str, type_name: str, need: Callable[[str, Datum], str], what: str
) -> list[PrimitiveRow]:
    """The ten comparisons of characters or strings, as they are and without case."""

    def plain(name: str, compare: _Comparison) -> Callable[[Datum, Datum], bool]:
        return lambda a, b: compare(need(name, a), need(name, b))

    def folded(name: str, compare: _Comparison) -> Callable[[Datum, Datum], bool]:
        return lambda a, b: compare(need(name, a).casefold(), need(name, b).casefold())

    rows = []
    for middle, maker, note in (("", plain, ""), ("-ci", folded, ", upper and lower case alike")):
        for suffix, compare, word in _COMPARISONS:
            name = f"{kind}{middle}{suffix}"
            rows.append(
                row(
                    name,
                    f"{type_name} {type_name}",
                    "bool",
                    maker(name, compare),
                    f"{word} {what}{note}.",
                    fold="chain",
                    typed=not middle,
                )
            )
    return rows


# Characters


def _integer_to_char(x: Datum) -> Char:
    code = need_int("integer->char", x)
    if 0 <= code < 0xD800 or 0xE000 <= code < 0x110000:
        return Char(chr(code))
    raise PrimitiveError("index", f"integer->char: {code} is the code of no character")


def is_white_space(c: str) -> bool:
    """Whether a character has Unicode's property White_Space; Python counts four separators of
    files and records (U+001C to U+001F) among those, which have not."""
    return c.isspace() and not "\x1c" <= c <= "\x1f"


def _char_test(name: str, test: Callable[[str], bool]) -> Callable[[Datum], bool]:
    return lambda x: test(need_char(name, x))


def _char_case(name: str, change: Callable[[str], str]) -> Callable[[Datum], Char]:
    def changed(x: Datum) -> Char:
        character = need_char(name, x)
        other = change(character)
        return Char(other if len(other) == 1 else character)

    return changed


def _digit_value(x: Datum) -> Datum:
    return unicodedata.decimal(need_char("digit-value", x), False)


_CHARACTERS = (
    row("char?", "any", "bool", lambda x: type(x) is Char, "Is x a character?", fails=""),
    row("char->integer", "char", "int", lambda x: ord(need_char("char->integer", x)),
        "The character's Unicode code.", interval=lambda a: (0, 0x10FFFF), typed=True),
    row("integer->char", "int", "char", _integer_to_char, "The character of that Unicode code.",
        fails="type index"),
    row("char-alphabetic?", "char", "bool", _char_test("char-alphabetic?", str.isalpha),
        "Is the character a letter?"),
    row("char-numeric?", "char", "bool", _char_test("char-numeric?", str.isdecimal),
        "Is the character a decimal digit?"),
    row("char-whitespace?", "char", "bool", _char_test("char-whitespace?", is_white_space),
        "Is the character white space?"),
    row("char-upper-case?", "char", "bool", _char_test("char-upper-case?", str.isupper),
        "Is the character an upper-case letter?"),
    row("char-lower-case?", "char", "bool", _char_test("char-lower-case?", str.islower),
        "Is the character a lower-case letter?"),
    row("char-upcase", "char", "char", _char_case("char-upcase", str.upper),
        "The upper-case character, if there is one."),
    row("char-downcase", "char", "char", _char_case("char-downcase", str.lower),
        "The lower-case character, if there is one."),
    row("char-foldcase", "char", "char", _char_case("char-foldcase", str.casefold),
        "The character that stands for upper and lower case."),
    row("digit-value", "char", "any", _digit_value, "The value of a decimal digit, or #f."),
    *_comparisons("char", "char", need_char, "characters"),
)  # fmt: skip


# Strings

MAX_STRING = 1 << 30
"""The largest number of characters that `make-string` makes."""

WIDEST = 4
"""The bytes that a character takes at most."""

LISTED = 8
"""The bytes that a character takes more in a string that can be changed."""


def _string(*characters: Datum) -> str:
    return "".join(need_char("string", c) for c in characters)


def _make_string(size: Datum, fill: Datum = None) -> str:
    count = need_size("make-string", size, MAX_STRING)
    character = " " if fill is None else need_char("make-string", fill)
    room(count * WIDEST)
    return character * count


def _string_ref(x: Datum, index: Datum) -> Char:
    text = need_string("string-ref", x)
    return Char(text[need_index("string-ref", index, len(text))])


def _string_length(x: Datum) -> int:
    if type(x) is MutableString:
        return len(x.characters)
    return len(need_string("string-length", x))


def _mutable_ref(x: Datum, index: Datum) -> Char:
    if type(x) is not MutableString:
        return _string_ref(x, index)
    return Char(x.characters[need_index("string-ref", index, len(x.characters))])


def _string_set(x: Datum, index: Datum, character: Datum) -> Datum:
    name = "string-set!"
    to = need_mutable(name, x)
    at = need_index(name, index, len(to.characters))
    to.change(at, at + 1, need_char(name, character))
    return UNSPECIFIED


def _string_fill(x: Datum, character: Datum, start: Datum = 0, end: Datum = None) -> Datum:
    name = "string-fill!"
    to, fill = need_mutable(name, x), need_char(name, character)
    first, last = need_range(name, len(to.characters), start, end)
    to.change(first, last, fill * (last - first))
    return UNSPECIFIED


def _string_copy_into(
    target: Datum, at: Datum, source: Datum, start: Datum = 0, end: Datum = None
) -> Datum:
    name = "string-copy!"
    to, text = need_mutable(name, target), need_string(name, source)
    part = len(text), start, end
    position, first, last = need_copy(name, len(to.characters), at, "characters", *part)
    to.change(position, position + last - first, text[first:last])
    return UNSPECIFIED


def _fresh_string(x: Datum) -> MutableString:
    text = need_string("%fresh-string", x)
    room(len(text) * LISTED)
    return MutableString(text)


def _part(name: str, x: Datum, start: Datum = 0, end: Datum = None) -> str:
    text = need_string(name, x)
    first, last = need_range(name, len(text), start, end)
    room(last - first)
    return text[first:last]


def _substring(x: Datum, start: Datum, end: Datum) -> str:
    return _part("substring", x, start, end)


def _string_copy(x: Datum, start: Datum = 0, end: Datum = None) -> str:
    return _part("string-copy", x, start, end)


def _string_append(*parts: Datum) -> str:
    texts = [need_string("string-append", part) for part in parts]
    room(sum(map(len, texts)))
    return "".join(texts)


def _string_to_list(x: Datum, start: Datum = 0, end: Datum = None) -> Datum:
    return from_iterable(map(Char, _part("string->list", x, start, end)))


def _string_to_vector(x: Datum, start: Datum = 0, end: Datum = None) -> list[Datum]:
    return list(map(Char, _part("string->vector", x, start, end)))


def _list_to_string(x: Datum) -> str:
    characters: list[str] = []
    rest = finite("list->string", x)
    while type(rest) is Pair:
        characters.append(need_char("list->string", rest.car))
        rest = rest.cdr
    if rest is not NIL:
        raise expected("list->string", "a list of characters", x)
    return "".join(characters)


def _vector_to_string(x: Datum, start: Datum = 0, end: Datum = None) -> str:
    if type(x) is not list:
        raise expected("vector->string", "a vector", x)
    first, last = need_range("vector->string", len(x), start, end)
    return "".join(need_char("vector->string", c) for c in x[first:last])


def _string_case(name: str, change: Callable[[str], str]) -> Callable[[Datum], str]:
    def changed(x: Datum) -> str:
        text = need_string(name, x)
        room(len(text) * WIDEST)
        return change(text)

    return changed


_STRINGS = (
    row("string?", "any", "bool", lambda x: type(x) is str or type(x) is MutableString,
        "Is x a string?", fails=""),
    row("string", "char", "string", _string, "The string of the characters.", arity=(0, None)),
    row("make-string", "int char", "string", _make_string, "A string of that many characters.",
        fails="type index", arity=(1, 2)),
    row("string-length", "string", "int", _string_length, "The number of characters.",
        interval=lambda a: SIZE, typed=True),
    row("string-ref", "string int", "char", _string_ref, "The character at an index, from 0.",
        fails="type index"),
    row("substring", "string int int", "string", _substring,
        "The characters from an index up to, without, another.", fails="type index"),
    row("string-copy", "string int int", "string", _string_copy,
        "The characters from an index up to, without, another.",
        fails="type index", arity=(1, 3)),
    row("string-append", "string", "string", _string_append, "The strings one after the other.",
        arity=(0, None)),
    row("string->list", "string int int", "list", _string_to_list, "The list of the characters.",
        effect="alloc", fails="type index", arity=(1, 3)),
    row("list->string", "list", "string", _list_to_string, "The string of a list of characters.",
        effect="read"),
    row("string->vector", "string int int", "vector", _string_to_vector,
        "The vector of the characters.", effect="alloc", fails="type index", arity=(1, 3)),
    row("vector->string", "vector int int", "string", _vector_to_string,
        "The string of a vector of characters.",
        effect="read", fails="type index", arity=(1, 3)),
    row("string-upcase", "string", "string", _string_case("string-upcase", str.upper),
        "The string in upper case."),
    row("string-downcase", "string", "string", _string_case("string-downcase", str.lower),
        "The string in lower case."),
    row("string-foldcase", "string", "string", _string_case("string-foldcase", str.casefold),
        "The string with upper and lower case alike."),
    *_comparisons("string", "string", need_string, "strings"),
    row("string-set!", "string int char", "unspecified", _string_set,
        "Replace the character at an index.", effect="write", fails="type index"),
    row("string-fill!", "string char int int", "unspecified", _string_fill,
        "Make all characters, or those from an index up to, without, another, the same.",
        effect="write", fails="type index", arity=(2, 4)),
    row("string-copy!", "string int string int int", "unspecified", _string_copy_into,
        "(string-copy! to at from [start end]): copy characters into a string.",
        effect="write", fails="type index", arity=(3, 5)),
    row("%string-content", "string string", "string", lambda name, x: need_string(name, x),
        "The characters that a string has now, for the operation of that name.", effect="read"),
    row("%string-ref", "string int", "char", _mutable_ref,
        "`string-ref` of a string that may change.", effect="read", fails="type index"),
    row("%fresh-string", "string", "string", _fresh_string,
        "A new string, which can be changed.", effect="alloc"),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = (*_CHARACTERS, *_STRINGS)
