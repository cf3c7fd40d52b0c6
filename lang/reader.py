"""Text -> syntax: a span-keeping lexer and a parser with its own stack.

Reads R7RS lexical syntax (`lang.lexical` has the words).  Time is linear in the length of
the text; nesting costs no Python stack and is refused beyond `MAX_DEPTH` levels.  Laws:

* every `Syntax` carries the span of exactly the text it was read from;
* `'x` reads as the list `(quote x)`, the symbol having the span of the quote mark;
* `read_datum(write_datum(d))` is `d` again for every readable datum (tested).

Left out of R7RS, with a diagnostic that says so: rationals and complex numbers.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Final, NoReturn

from cogen.lang.collector import collector_paused
from cogen.lang.datum import INT_MAX, INT_MIN, Char, Datum, Symbol, symbol
from cogen.lang.errors import CogenError, LimitationError, Note, Source, Span
from cogen.lang.lexical import (
    DELIMITERS,
    EscapeError,
    hint_of_character,
    hint_of_exotic,
    is_exotic_number,
    looks_like_number,
    odd_character,
    parse_character,
    parse_number,
    unescape,
)
from cogen.lang.syntax import (
    Label,
    Labelled,
    Reference,
    Syntax,
    SyntaxList,
    SyntaxVector,
    to_datum,
)

MAX_DEPTH: Final = 100_000
"""Nesting of brackets and quotations beyond this is refused with a diagnostic."""

_TOKEN: Final = re.compile(
    rf"""\s*+(?:;[^\n]*+\s*+)*+(?:
      (?P<word>       [^{DELIMITERS}\#'`,][^{DELIMITERS}]*+ )
    | (?P<open>       \( )
    | (?P<close>      \) )
    | (?P<prefix>     '|`|,@?+ )
    | (?P<string>     "[^"\\]*+(?:\\.[^"\\]*+)*+" )
    | (?P<vector>     \#\( )
    | (?P<character>  \#\\.[^{DELIMITERS}]*+ )
    | (?P<bytes>      \#[uU]8\( )
    | (?P<barred>     \|[^|\\]*+(?:\\.[^|\\]*+)*+\| )
    | (?P<block>      \#\| )
    | (?P<comment>    \#; )
    | (?P<label>      \#[0-9]{{1,18}}+= )
    | (?P<reference>  \#[0-9]{{1,18}}+\# )
    | (?P<hashed>     \#[^{DELIMITERS}]*+ )
    | (?P<end>        \Z )
    | (?P<stray>      . )
    )""",
    re.VERBOSE | re.DOTALL,
)

_BLOCK_EDGE: Final = re.compile(r"#\||\|#")
SHEBANG: Final = re.compile(r"\ufeff?(?:#![ /][^\n]*)?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_PREFIXES: Final = {
    "'": symbol("quote"),
    "`": symbol("quasiquote"),
    ",": symbol("unquote"),
    ",@": symbol("unquote-splicing"),
}
_BEFORE_ONE: Final = frozenset({*_PREFIXES, "comment", "label"})
"""What is complete with the next datum."""

_BOOLEANS: Final = {"#t": True, "#true": True, "#f": False, "#false": False}


class ReaderFrame:
    """Something open: a list, vector or bytevector, a quotation, label or `#;`, or the whole text.

    `dot` is the number of items before the dot of a dotted list, and `dot_span` its place.
    """

    __slots__ = ("dot", "dot_span", "items", "kind", "label", "span")

    def __init__(self, kind: str, span: Span) -> None:
        self.kind = kind
        self.span = span
        self.items: list[Syntax] = []
        self.dot: int | None = None
        self.dot_span: Span | None = None
        self.label: Label | None = None


def read(source: Source, fold: bool = False) -> list[Syntax]:
    """All the data of a source; CogenError at the first thing that is none.

    With `fold`, symbols are read as after `#!fold-case`.
    """
    with collector_paused():
        return Reader(source, fold).read()


def read_part(source: Source, start: int, end: int) -> list[Syntax]:
    """The data of a part of a source that begins and ends between data."""
    with collector_paused():
        reader = Reader(source, until=end)
        reader.run(start)
        return reader.frame.items


def read_datum(text: str, name: str = "<datum>") -> Datum:
    """The one datum that the text writes; CogenError if it is ill-formed or not exactly one."""
    source = Source(name, text)
    found = read(source)
    if not found:
        raise CogenError("a datum was expected, but there is none", Span(source, 0, len(text)))
    if len(found) > 1:
        raise CogenError("one datum was expected, but another follows", found[1].span)
    return to_datum(found[0])


class Reader:
    """Reads all the data of a source; with `fold`, names as if they were in lower case."""

    def __init__(self, source: Source, fold: bool = False, until: int = sys.maxsize) -> None:
        self.source = source
        self.text = source.text
        self.until = until
        self.frame = ReaderFrame("top", Span(source, 0, 0))
        self.stack: list[ReaderFrame] = []
        self.words: dict[str, Any] = {}
        """What the words met so far stand for."""
        self.fold = fold
        self.labels: dict[int, Label] = {}
        """Those of the outermost datum."""

    def read(self) -> list[Syntax]:
        self.check_characters(0, len(self.text))
        shebang = SHEBANG.match(self.text)
        position: int | None = shebang.end() if shebang else 0
        while position is not None:
            position = self.run(position)
        return self.frame.items

    def check_characters(self, start: int, end: int) -> None:
        """CogenError if a part of the text has something that is no character."""
        bad = None if self.text.isascii() else _SURROGATE.search(self.text, start, end)
        if bad:
            self.fail("a lone surrogate is no character", bad.start(), bad.end())

    def run(self, position: int) -> int | None:
        """Take tokens from the position; the position to go on from after a block comment."""
        source, words = self.source, self.words
        for token in _TOKEN.finditer(self.text, position, self.until):
            kind = token.lastgroup
            if kind == "word":
                text = token["word"]
                start, end = token.span("word")
                try:
                    value = words[text]
                except KeyError:
                    if text == ".":
                        self.dot(start)
                        continue
                    value = words[text] = self.word(text, start)
                self.add(Syntax(value, Span(source, start, end)))
            elif kind == "open":
                self.open("list", token.end() - 1, token.end())
            elif kind == "close":
                self.close(token.end())
            elif kind == "block":
                return self.block_comment(token.start("block"))
            elif kind == "end":
                self.finish()
                return None
            else:
                assert kind is not None
                self.other(kind, token[kind], token.start(kind))
        raise AssertionError("the token expression matches everywhere")

    def other(self, kind: str, text: str, start: int) -> None:
        """The rarer tokens."""
        end = start + len(text)
        if kind == "string":
            self.atom(self.unescape(text[1:-1], start + 1, in_string=True), start, end)
        elif kind == "character":
            self.atom(self.character(text, start), start, end)
        elif kind == "barred":
            name = self.unescape(text[1:-1], start + 1, in_string=False)
            self.atom(symbol(name), start, end)
        elif kind == "hashed":
            self.hashed(text, start, end)
        elif kind == "stray":
            self.stray(text, start)
        elif kind == "prefix":
            self.open(text, start, end)
        elif kind == "label":
            self.label(text, start, end)
        elif kind == "reference":
            self.reference(text, start, end)
        else:
            self.open(kind, start, end)

    # Nesting

    def open(self, kind: str, start: int, end: int) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise LimitationError(
                f"nesting deeper than {MAX_DEPTH:,} levels", Span(self.source, start, end)
            )
        if not self.stack and self.labels:
            self.labels = {}
        self.stack.append(self.frame)
        self.frame = ReaderFrame(kind, Span(self.source, start, end))

    def add(self, syntax: Syntax) -> None:
        """A datum is complete: put it where it belongs, completing quotations around it."""
        frame = self.frame
        while frame.kind in _BEFORE_ONE:
            outer = self.frame = self.stack.pop()
            if frame.kind == "comment":
                if self.labels:
                    self.drop_labels(frame.span.start)
                return
            whole = Span(self.source, frame.span.start, syntax.span.end)
            if frame.label is not None:
                self.check_label(frame, syntax)
                syntax = Syntax(Labelled(frame.label, syntax), whole)
            else:
                mark = Syntax(_PREFIXES[frame.kind], frame.span)
                syntax = Syntax(SyntaxList((mark, syntax)), whole)
            frame = outer
        frame.items.append(syntax)

    def label(self, text: str, start: int, end: int) -> None:
        self.open("label", start, end)
        number = int(text[1:-1])
        if number in self.labels:
            self.fail(f"`#{number}=` labels two data", start, end)
        self.frame.label = self.labels[number] = Label(number, start)

    def drop_labels(self, start: int) -> None:
        """The labels from there on are in a comment."""
        self.labels = {n: label for n, label in self.labels.items() if label.start < start}

    def check_label(self, frame: ReaderFrame, syntax: Syntax) -> None:
        """CogenError if a label stands for itself."""
        while isinstance(syntax.value, Labelled):
            syntax = syntax.value.datum
        if isinstance(syntax.value, Reference) and syntax.value.label is frame.label:
            message = f"`#{frame.label.number}=` labels itself"
            self.fail(message, frame.span.start, frame.span.end)

    def reference(self, text: str, start: int, end: int) -> None:
        number = int(text[1:-1])
        if not self.stack or number not in self.labels:
            self.fail(f"`#{number}#` refers to no datum", start, end, f"label one: `#{number}=`")
        self.atom(Reference(self.labels[number]), start, end)

    def atom(self, value: Any, start: int, end: int) -> None:
        self.add(Syntax(value, Span(self.source, start, end)))

    def dot(self, start: int) -> None:
        span = Span(self.source, start, start + 1)
        frame = self.frame
        if frame.kind != "list" or not frame.items:
            raise CogenError(
                "a dot may only stand in a list, after at least one datum",
                span,
                hint="the symbol of that name is written `|.|`",
            )
        if frame.dot is not None:
            raise CogenError("a second dot in one list", span)
        frame.dot, frame.dot_span = len(frame.items), span

    def close(self, end: int) -> None:
        frame = self.frame
        if frame.kind in _BEFORE_ONE:
            self.nothing_after(frame)
        if not self.stack:
            raise CogenError(
                "unexpected `)`",
                Span(self.source, end - 1, end),
                hint="everything before it is closed already: remove it, or open a list earlier",
            )
        self.frame = self.stack.pop()
        span = Span(self.source, frame.span.start, end)
        value: SyntaxList | SyntaxVector | bytearray
        if frame.kind == "list":
            value = self.list_value(frame)
        elif frame.kind == "vector":
            value = SyntaxVector(tuple(frame.items))
        else:
            value = bytearray(self.byte(item) for item in frame.items)
        self.add(Syntax(value, span))

    def list_value(self, frame: ReaderFrame) -> SyntaxList:
        items = frame.items
        if frame.dot is None:
            return SyntaxList(tuple(items))
        if len(items) == frame.dot:
            raise CogenError("no datum after the dot", frame.dot_span)
        if len(items) > frame.dot + 1:
            raise CogenError("more than one datum after a dot", items[frame.dot + 1].span)
        return SyntaxList(tuple(items[:-1]), items[-1])

    def byte(self, item: Syntax) -> int:
        value = item.value
        if type(value) is int and 0 <= value <= 255:
            return value
        raise CogenError("a bytevector holds integers from 0 to 255 only", item.span)

    def finish(self) -> None:
        """The text ends: nothing may be open."""
        if not self.stack:
            return
        frame = self.frame
        if frame.kind in _BEFORE_ONE:
            self.nothing_after(frame)
        raise CogenError(
            "unclosed `" + self.text[frame.span.start : frame.span.end] + "`",
            frame.span,
            hint=_where_to_close(frame.span),
            notes=self.also_unclosed(),
        )

    def also_unclosed(self) -> list[Note]:
        if len(self.stack) < 2:
            return []
        outermost = self.stack[1].span
        count = len(self.stack) - 1
        what = "this is" if count == 1 else f"this and {count - 1} more inside it are"
        return [Note(f"{what} unclosed too", outermost)]

    def nothing_after(self, frame: ReaderFrame) -> NoReturn:
        mark = self.text[frame.span.start : frame.span.end]
        raise CogenError(f"no datum after `{mark}`", frame.span)

    # Words

    def word(self, text: str, start: int) -> int | float | Symbol:
        """What a word that does not start with `#` stands for."""
        number = parse_number(text)
        if number is not None:
            return self.in_range(number, text, start)
        if is_exotic_number(text):
            self.exotic(text, start)
        odd = odd_character(text)
        if odd is not None:
            self.odd(text[odd], start + odd)
        if looks_like_number(text):
            self.fail(
                f"`{_brief(text)}` is no number", start, start + len(text),
                hint=f"the symbol of that name is written `|{_brief(text)}|`",
            )  # fmt: skip
        return symbol(text.casefold() if self.fold else text)

    def in_range(self, number: int | float, text: str, start: int) -> int | float:
        if type(number) is int and not INT_MIN <= number <= INT_MAX:
            self.fail(
                "integer out of range: integers lie in [-2^63, 2^63)",
                start, start + len(text),
                hint="write it with a decimal point for a floating-point number",
            )  # fmt: skip
        return number

    def exotic(self, text: str, start: int) -> NoReturn:
        raise LimitationError(
            f"`{_brief(text)}`: there are no rational or complex numbers",
            Span(self.source, start, start + len(text)),
            hint=hint_of_exotic(text),
        )

    def odd(self, character: str, start: int) -> NoReturn:
        shown = character if character.isprintable() else f"U+{ord(character):04X}"
        hint = None
        if character in "'`,":
            hint = "put a space before it if a quotation starts here"
            if character == "'":
                hint += '; texts are written "so"'
        elif character in "\u2018\u2019\u201c\u201d\u00ab\u00bb":
            hint = 'strings are written with straight quotation marks, "like this"'
        elif character == "\\":
            hint = "a character is written `#\\a`"
        self.fail(f"`{shown}` cannot be part of a symbol", start, start + 1, hint=hint)

    def hashed(self, text: str, start: int, end: int) -> None:
        """A word that starts with `#`."""
        lower = text.lower()
        if lower in _BOOLEANS:
            self.atom(_BOOLEANS[lower], start, end)
            return
        number = parse_number(text)
        if number is not None:
            self.atom(self.in_range(number, text, start), start, end)
            return
        if text in ("#!fold-case", "#!no-fold-case"):
            self.fold = text == "#!fold-case"
            self.words.clear()
            return
        if is_exotic_number(text):
            self.exotic(text, start)
        if text.startswith("#!"):
            span = Span(self.source, start, end)
            raise LimitationError(f"unknown directive `{_brief(text)}`", span)
        self.unknown_hash(text, lower, start, end)

    def unknown_hash(self, text: str, lower: str, start: int, end: int) -> NoReturn:
        hint = None
        if lower == "#" and not self.text[end:].lstrip(" ").startswith("("):
            hint = "a comment begins with `;`"
        elif lower in ("#lang", "#include", "#import", "#define"):
            hint = "leave the line out; libraries are imported so: (import (srfi 1))"
        elif lower.startswith("#'"):
            hint = "procedures are values, named as they are: (map car l)"
        elif lower.startswith("#:"):
            hint = "there are no keywords: parameters are told by their places"
        elif lower in ("#u8", "#"):
            hint = f"the `(` must follow `{text}` at once"
        elif lower[:2] in ("#x", "#b", "#o", "#d", "#e", "#i"):
            hint = f"`{text[:2]}` starts a number, but no number follows"
        elif lower == "#\\":
            self.fail("the text ends inside a character", start, end, hint="a space is `#\\space`")
        self.fail(f"`{_brief(text)}` starts nothing that is known", start, end, hint=hint)

    def character(self, text: str, start: int) -> Char:
        found = parse_character(text[2:])
        if found is None and self.fold:
            found = parse_character(text[2:].casefold())
        if found is not None:
            return Char(found)
        hint = hint_of_character(text[2:])
        self.fail(f"unknown character `{_brief(text)}`", start, start + len(text), hint=hint)

    def unescape(self, body: str, start: int, in_string: bool) -> str:
        try:
            return unescape(body, in_string)
        except EscapeError as error:
            place = start + error.offset
            self.fail(error.message, place, place + error.length, hint="a backslash is `\\\\`")

    def stray(self, character: str, start: int) -> NoReturn:
        hint = None
        if character == '"':
            self.unterminated("unterminated string", start, start + 1, 'close it with `"`')
        elif character == "|":
            hint = "a symbol written with bars needs two"
            self.unterminated("unterminated `|`", start, start + 1, hint)
        elif character in "[]":
            message, hint = f"`{character}` is no bracket of the language", "write `(` and `)`"
            if character == "[" and self.text[max(start - 1, 0)].isalnum():
                hint = "(vector-ref v i), (list-ref l i) and (string-ref s i) give an element"
        else:
            message = f"`{character}` has no meaning in the language"
            hint = "(begin a b) puts expressions together; data are written so: '((a . 1) (b . 2))"
        self.fail(message, start, start + 1, hint=hint)

    def block_comment(self, start: int) -> int:
        """The end of the nestable comment that starts there."""
        depth = 0
        for edge in _BLOCK_EDGE.finditer(self.text, start):
            depth += 1 if edge[0] == "#|" else -1
            if depth == 0:
                return edge.end()
        self.unterminated("unterminated comment", start, start + 2, "close it with `|#`")

    def unterminated(self, message: str, start: int, end: int, hint: str) -> NoReturn:
        """The text ends inside a token that begins there."""
        self.fail(message, start, end, hint)

    def fail(self, message: str, start: int, end: int, hint: str | None = None) -> NoReturn:
        raise CogenError(message, Span(self.source, start, end), hint=hint)


def _brief(text: str) -> str:
    """A word as messages show it: cut if it is very long."""
    return text if len(text) <= 60 else text[:50] + "..."


_FIRST_ON_LINE: Final = re.compile(r"\n([ \t]*)(?=[^\s;])")


def _where_to_close(opener: Span) -> str:
    """A guess from the indentation: before the first line that starts no deeper than the opener."""
    source = opener.source
    for line in _FIRST_ON_LINE.finditer(source.text, opener.end):
        if len(line[1]) < opener.column:
            number = source.position(line.end())[0]
            return f"by the indentation, the `)` is missing before line {number}"
    return "a `)` is missing before the end"
