"""Values as text: reading arguments, printing results.

The reader is directed by the types it expects, so that `[]` is the empty array that is wanted and
`1` is no real. Values are separated by white space or comments and may span lines.

    read_values(text that show_value wrote, [t]) gives the value again, reals to six decimals
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from cogen.array.l0.arithmetic import WIDE, Arithmetic, out_of_range
from cogen.array.l0.literals import decode, escape
from cogen.array.l0.operators import Fault
from cogen.array.l0.pythonrecords import case_of, value_of
from cogen.array.l0.storage import storage_of
from cogen.array.l0.types import (
    BASIC_TYPES,
    BOOL,
    CERT,
    CHAR,
    INT,
    QUOTE,
    REAL,
    ArrayType,
    Basic,
    CaseType,
    Declared,
    NamedTupleType,
    TupleType,
    Type,
    UnionType,
    packed_layout,
    same_type,
    show_case,
    show_type,
)
from cogen.array.l0.values import ArrayValue, PackedValue, Value, build, rows
from cogen.lang.errors import CogenError, Source, Span


def show_value(value: Value, t: Type) -> str:
    """The value of a type as text, on one line."""
    match t:
        case NamedTupleType() | UnionType():
            assert isinstance(value, tuple)
            return _show_named(value, t)
        case TupleType():
            assert isinstance(value, tuple)
            parts = [show_value(v, part) for v, part in zip(value, t.parts, strict=True)]
            return "{" + ", ".join(parts) + "}"
        case ArrayType():
            assert isinstance(value, ArrayValue)
            return _show_array(value, t.element)
        case Basic():
            return _show_basic(value, t)


def _show_named(value: tuple[Value, ...], t: Declared) -> str:
    case = case_of(value, t)
    fields = [
        f"{name} = {show_value(value[place], part)}"
        for name, place, part in zip(case.fields, case.places, case.types, strict=True)
    ]
    return f"{case.name}{{{', '.join(fields)}}}"


def _contents(name: str, span: Span) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CogenError(f"cannot read {name}: {error.strerror}", span) from None


def _show_array(array: ArrayValue, element: Type) -> str:
    if isinstance(array, PackedValue):
        assert isinstance(array.content, np.ndarray)
        return f"#u8({' '.join(map(str, array.content.tolist()))})"
    if element == CHAR:
        return escape("".join([str(c) for c in rows(array)]), '"')
    if len(array) == 0:
        return f"empty({show_type(element)})"
    return "[" + ", ".join([show_value(row, element) for row in rows(array)]) + "]"


def _show_basic(value: Value, t: Basic) -> str:
    if t == CERT:
        return "Checked"
    if isinstance(value, float):
        return _show_real(value)
    return escape(value, "'") if isinstance(value, str) else str(value)


def _show_real(x: float) -> str:
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    return f"{x:.6f}"


_TOKEN: Final = re.compile(
    r"(?P<space>(?:\s+|//[^\n]*)+)"
    r"|(?P<real>-?(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)|-?inf\b|nan\b)"
    r"|(?P<int>-?(?:0[xX][0-9A-Fa-f]+|0[oO][0-7]+|[0-9]+))"
    r"|(?P<char>'(?:[^\\'\n]|\\[^\n][^'\n]*)')"
    r'|(?P<string>"(?:[^"\\\n]|\\\s+\\|\\[^\n])*")'
    r"|(?P<word>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<bytes>#u8\((?:[^()])*\))"
    r"|@(?P<file>\"[^\"\n]*\"|[^\s\"]+)"
    r"|(?P<mark>[\[\]{}(),=])"
    r"|(?P<end>\Z)"
    r"|(?P<bad>.)",
    re.DOTALL,
)

_WORDS: Final = {"True": (BOOL, True), "False": (BOOL, False), "Checked": (CERT, True)}

_OPENERS: Final = {"[": "]", "{": "}", "(": ")"}


def read_values(
    source: Source, types: Sequence[Type], names: Sequence[str], arithmetic: Arithmetic = WIDE
) -> list[Value]:
    """One value for each type; `names` are those of the parameters, for diagnostics."""
    reader = _ValueReader(source, arithmetic)
    found: list[Value] = []
    for t, name in zip(types, names, strict=True):
        if reader.kind == "end":
            raise CogenError(
                f"too few values: there is none for the parameter `{name}`, {show_type(t)}",
                reader.span(),
            )
        found.append(reader.value(t))
        if reader.kind != "end" and not reader.spaced:
            raise CogenError("white space must separate two values", reader.span())
    if reader.kind != "end":
        count = f"{len(types)} value{'' if len(types) == 1 else 's'}"
        raise CogenError(f"too many values: {count} would do", reader.span())
    return found


class _ValueReader:
    """Reads tokens; `kind`, `text` and `start` are those of the next one."""

    def __init__(self, source: Source, arithmetic: Arithmetic) -> None:
        self.source = source
        self.arithmetic = arithmetic
        self.end = 0
        self.start = 0
        self.kind = ""
        self.text = ""
        self.spaced = True
        self.open: list[int] = []
        self.advance()

    def advance(self) -> None:
        """Go to the next token."""
        match = _TOKEN.match(self.source.text, self.end)
        assert match is not None
        self.spaced = match.lastgroup == "space"
        if self.spaced:
            match = _TOKEN.match(self.source.text, match.end())
            assert match is not None
        self.kind, self.text = match.lastgroup or "", match[0]
        self.start, self.end = match.span()

    def span(self) -> Span:
        return Span(self.source, self.start, self.end)

    def fail(self, expected: str, hint: str | None = None) -> CogenError:
        if self.kind == "end" and self.open:
            at = self.open[-1]
            return CogenError(
                f"this `{self.source.text[at]}` is never closed", Span(self.source, at, at + 1)
            )
        if self.kind == "bad" and self.text in "'\"":
            return CogenError("this quote is not closed on its line", self.span())
        shown = "the input ends" if self.kind == "end" else f"found `{self.text[:40]}`"
        return CogenError(f"expected {expected}, but {shown}", self.span(), hint)

    def take(self, mark: str, expected: str) -> None:
        """Go past a bracket or comma."""
        if self.kind != "mark" or self.text != mark:
            raise self.fail(expected)
        if mark in _OPENERS:
            self.open.append(self.start)
        elif self.open and mark == _OPENERS[self.source.text[self.open[-1]]]:
            self.open.pop()
        self.advance()

    def at(self, mark: str) -> bool:
        return self.kind == "mark" and self.text == mark

    def value(self, t: Type) -> Value:
        """The next value, which must be of a type."""
        match t:
            case Basic():
                return self.basic(t)
            case NamedTupleType() | UnionType():
                return self.named(t)
            case TupleType():
                return self.tuple(t)
            case ArrayType():
                layout = packed_layout(t)
                return self.array(t) if layout is None else self.packed(layout)

    def packed(self, layout: str) -> Value:
        """Bytes, written or those of a file."""
        span = self.span()
        if self.kind == "bytes":
            data = self.bytes(span)
        elif self.kind == "file":
            data = _contents(self.text[1:].strip(QUOTE), span)
        else:
            raise self.fail(f"bytes of the layout {layout!r}", "#u8(1 2 3), or @FILE")
        self.advance()
        count = storage_of(layout).count(len(data))
        return PackedValue((count,), np.frombuffer(data, np.uint8), layout)

    def bytes(self, span: Span) -> bytes:
        words = self.text[4:-1].split()
        try:
            return bytes([int(word, 10) for word in words])
        except ValueError:
            raise CogenError("bytes are integers from 0 to 255", span) from None

    def basic(self, t: Basic) -> Value:
        read = _BASIC[t]
        start = self.span()
        found = read(self)
        if found is None:
            raise self.wrong_basic(t)
        a = self.arithmetic
        if t == INT and isinstance(found, int) and not a.least <= found <= a.greatest:
            raise out_of_range(found, start, a)
        if isinstance(found, float):
            if not a.holds(found):
                raise out_of_range(found, start, a)
            found = a.rounded(found)
        self.advance()
        return found

    def wrong_basic(self, t: Basic) -> CogenError:
        hint = None
        if t == REAL and self.kind == "int":
            hint = f"a real has a point or an exponent: {self.text}.0"
        article = "an" if t == INT else "a"
        return self.fail(f"{article} {t.name}", hint)

    def word(self, t: Type) -> Value | None:
        found = _WORDS.get(self.text)
        return found[1] if self.kind == "word" and found and found[0] == t else None

    def int(self) -> Value | None:
        if self.kind != "int":
            return None
        digits = self.text.lstrip("-")
        base = {"x": 16, "o": 8}.get(digits[1:2].lower(), 10)
        body = digits[2:] if base != 10 else digits.lstrip("0") or "0"
        size = int(body, base) if len(body) < 24 else 1 << 64
        return -size if self.text[0] == "-" else size

    def real(self) -> Value | None:
        return float(self.text) if self.kind == "real" else None

    def char(self) -> Value | None:
        if self.kind != "char":
            return None
        text = decode(self.source, self.start, self.end)
        if len(text) != 1:
            raise CogenError("a character literal has one character", self.span())
        return text

    def tuple(self, t: TupleType) -> Value:
        expected = f"a tuple {show_type(t)}"
        start = self.span()
        self.take("{", expected)
        parts: list[Value] = []
        for i, part in enumerate(t.parts):
            if i > 0:
                self.take(",", f"`,`: the tuple has {len(t.parts)} parts")
            parts.append(self.value(part))
        if self.at(","):
            raise CogenError(f"this tuple has too many parts for {show_type(t)}", start)
        self.take("}", "`}`")
        return tuple(parts)

    def named(self, t: Declared) -> Value:
        """A record, also as a tuple, or a case of a union; its fields in any order."""
        if isinstance(t, NamedTupleType) and self.at("{"):
            return self.tuple(t)
        start, known = self.span(), [case.name for case in t.cases]
        if self.kind != "word" or self.text not in known:
            cases = " or ".join([show_case(case) for case in t.cases])
            raise self.fail(f"a {t.name}", cases)
        number = known.index(self.text)
        case = t.cases[number]
        self.advance()
        found: dict[str, Value] = {}
        if self.at("{"):
            self.take("{", "`{`")
            while not self.at("}"):
                if found:
                    self.take(",", "`,` or `}`")
                self.field(case, found)
            self.take("}", "`}`")
        for name in case.fields:
            if name not in found:
                raise CogenError(f"`{case.name}` is not given `{name}`", start, show_case(case))
        return value_of(t, number, found)

    def field(self, case: CaseType, found: dict[str, Value]) -> None:
        """The next field of a case."""
        name, place = self.text, self.span()
        if self.kind != "word" or name not in case.fields:
            raise self.fail(f"a field of `{case.name}`", show_case(case))
        if name in found:
            raise CogenError(f"`{name}` is given twice", place)
        self.advance()
        self.take("=", "`=`")
        found[name] = self.value(case.types[case.fields.index(name)])

    def array(self, t: ArrayType) -> Value:
        start = self.start
        if self.kind == "string" and t.element == CHAR:
            text = decode(self.source, self.start, self.end)
            self.advance()
            return build(list(text), CHAR)
        if self.kind == "file" and t.element == CHAR:
            return self.text_of_file()
        if self.kind == "word" and self.text == "empty":
            return self.empty(t)
        self.take("[", f"an array {show_type(t)}")
        elements: list[Value] = []
        while not self.at("]"):
            if elements:
                self.take(",", "`,` or `]`")
            elements.append(self.value(t.element))
        self.take("]", "`]`")
        end = self.start
        try:
            return build(elements, t.element)
        except Fault as fault:
            end = len(self.source.text[start:end].rstrip()) + start
            raise CogenError(str(fault), Span(self.source, start, end)) from None

    def text_of_file(self) -> Value:
        span = self.span()
        name = self.text[1:].strip(QUOTE)
        try:
            text = _contents(name, span).decode("utf-8")
        except UnicodeDecodeError as error:
            raise CogenError(f"{name} is no text in UTF-8: byte {error.start}", span) from None
        self.advance()
        return build(list(text), CHAR)

    def empty(self, t: ArrayType) -> Value:
        start = self.span()
        self.advance()
        self.take("(", "`(`")
        found = self.type(t)
        self.take(")", "`)`")
        if not same_type(found, t.element):
            raise CogenError(
                f"expected an array {show_type(t)}, but found an empty [{show_type(found)}]", start
            )
        return build((), found)

    def type(self, within: Type) -> Type:
        """A type as `empty(t)` has it; declared are those that there are within another."""
        declared = {t.name: t for t in _declared(within)}
        if self.kind == "word" and self.text in declared:
            named = declared[self.text]
            self.advance()
            return named
        if self.kind == "word" and self.text in BASIC_TYPES:
            found: Type = BASIC_TYPES[self.text]
            self.advance()
            return found
        if self.at("["):
            self.take("[", "a type")
            element = self.type(within)
            self.take("]", "`]`")
            return ArrayType(element)
        self.take("{", "a type")
        parts: list[Type] = []
        while not self.at("}"):
            if parts:
                self.take(",", "`,` or `}`")
            parts.append(self.type(within))
        self.take("}", "`}`")
        return TupleType(tuple(parts))


def _declared(t: Type) -> Iterator[Declared]:
    """The records and unions in a type."""
    if isinstance(t, ArrayType):
        yield from _declared(t.element)
    if isinstance(t, (NamedTupleType, UnionType)):
        yield t
    if isinstance(t, TupleType):
        for part in t.parts:
            yield from _declared(part)


_BASIC: Final[dict[Type, Callable[[_ValueReader], Value | None]]] = {
    INT: _ValueReader.int,
    REAL: _ValueReader.real,
    BOOL: lambda reader: reader.word(BOOL),
    CHAR: _ValueReader.char,
    CERT: lambda reader: reader.word(CERT),
}
