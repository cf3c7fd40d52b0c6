"""Data -> text: `write` and `display`.

    write_datum      text that `lang.reader.read_datum` reads back as the same datum
    write_shared     the same, with a label for everything that stands at several places
    display_datum    the same for people: strings, characters and symbols as they are
    write_brief      the beginning of what `write_datum` gives, for messages
    format_float     the shortest text that reads back as that float

What cannot be read back has the form `#<...>`.  `(quote x)` and its like are written `'x`.
Circular data is written with datum labels, as R7RS's `write` does: `#0=(1 2 . #0#)`; data
that is only shared is written out each time, but by `write_shared`, which labels all that
stands at several places: `(#0=(1) #0#)`.  Deep and long data need no Python stack.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import chain, takewhile
from typing import Any, Final

from cogen.lang.datum import (
    NIL,
    Char,
    Datum,
    MutableString,
    Pair,
    Record,
    RecordType,
    Singleton,
    Symbol,
    symbol,
)
from cogen.lang.lexical import is_plain_symbol

_ABBREVIATIONS: Final = {
    symbol("quote"): "'",
    symbol("quasiquote"): "`",
    symbol("unquote"): ",",
    symbol("unquote-splicing"): ",@",
}

_CHARACTER_NAMES: Final = {
    "\x07": "alarm",
    "\x08": "backspace",
    "\x7f": "delete",
    "\x1b": "escape",
    "\n": "newline",
    "\x00": "null",
    "\r": "return",
    " ": "space",
    "\t": "tab",
}

_STRING_ESCAPES: Final = {
    "\x07": "\\a",
    "\x08": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\r": "\\r",
    "\\": "\\\\",
}

_EXPONENT: Final = re.compile(r"e\+?(-?)0*")


def write_datum(datum: Datum) -> str:
    """The datum as source text, the way R7RS's `write` shows it."""
    return _show(datum, _WRITERS)


def write_shared(datum: Datum) -> str:
    """The datum as source text, the way R7RS's `write-shared` shows it."""
    if type(datum) not in _COMPOUND:
        return write_datum(datum)
    return _DatumPrinter(datum, _WRITERS, shared_parts(datum)).run()


def display_datum(datum: Datum) -> str:
    """The datum as text for people, the way R7RS's `display` shows it."""
    return _show(datum, _DISPLAYERS)


MANY: Final = 1000
"""Data of more parts are not walked for a message."""


def write_brief(datum: Datum, limit: int) -> str:
    """The beginning of `write_datum(datum)`, cut after `limit` characters (under 200); the time
    does not depend on the size of the datum.  Where it is large, circular parts have no labels."""
    small = type(datum) in _COMPOUND and not _has_many_parts(datum)
    text = write_datum(_clipped(datum, [200]) if not small else datum)
    return text if len(text) <= limit else text[: limit - 1] + "…"


_CUT: Final = symbol("…")


def _has_many_parts(root: Datum) -> bool:
    """Whether there are many parts, or a part is large in itself."""
    seen: set[int] = set()
    work: list[Any] = [root]
    shares = False
    while work:
        node = work.pop()
        kind = type(node)
        if kind not in _COMPOUND:
            if kind is MutableString:
                kind, node = str, node.content()
            if kind in (str, bytes, bytearray) and len(node) > MANY:
                return True
            continue
        if id(node) in seen:
            shares = True
            continue
        seen.add(id(node))
        if len(seen) + len(work) > MANY or (kind is list and len(node) > MANY):
            return True
        work.extend(_parts(node))
    return shares and _written(root) > MANY


def _written(root: Datum) -> int:
    """How many parts are written: those that are shared each time, circular ones once."""
    counts: dict[int, int] = {}
    work: list[tuple[Any, bool]] = [(root, False)]
    while work:
        node, is_counted = work.pop()
        parts = [part for part in _parts(node) if type(part) in _COMPOUND]
        if is_counted:
            counts[id(node)] = 1 + sum(counts[id(part)] for part in parts)
        elif id(node) not in counts:
            counts[id(node)] = 0
            work.append((node, True))
            work += [(part, False) for part in parts]
    return counts[id(root)]


def _clipped(datum: Any, left: list[int]) -> Any:
    """The beginning of a datum, of so many parts as are left."""
    left[0] -= 1
    if type(datum) is MutableString:
        datum = datum.content()
    kind = type(datum)
    if kind is str or kind is bytes or kind is bytearray:
        return datum[:200]
    if kind is Symbol:
        return datum if len(datum.name) <= 200 else symbol(datum.name[:200])
    if left[0] <= 0 or kind not in _COMPOUND:
        return datum if kind not in _COMPOUND else _CUT
    if kind is list:
        return _clipped_items(datum, left)
    if kind is Record:
        values = _clipped_items(datum.values, left)
        return Record(datum.type, values + [_CUT] * (len(datum.values) - len(values)))
    items: list[Any] = []
    while type(datum) is Pair and left[0] > 0:
        items.append(_clipped(datum.car, left))
        datum = datum.cdr
    result = NIL if type(datum) in _COMPOUND else _clipped(datum, left)
    for item in reversed(items):
        result = Pair(item, result)
    return result


def _clipped_items(items: list[Any], left: list[int]) -> list[Any]:
    return [_clipped(item, left) for item in takewhile(lambda _: left[0] > 0, items)]


def format_float(x: float) -> str:
    """The shortest text that reads back as `x`: `1.0`, `0.1`, `1e21`, `+inf.0`, `+nan.0`."""
    if x != x:
        return "+nan.0"
    if x in (float("inf"), float("-inf")):
        return "+inf.0" if x > 0 else "-inf.0"
    return _EXPONENT.sub(r"e\1", repr(x))


def write_string(text: str) -> str:
    """The string between quotation marks, with escapes."""
    return f'"{_escape(text, chr(34))}"'


def write_symbol(name: str) -> str:
    """The symbol of that name, between bars where it would not read back without."""
    return name if is_plain_symbol(name) else f"|{_escape(name, '|')}|"


def write_char(character: str) -> str:
    """The character as `#\\a`, `#\\space` or, where it would not show, `#\\x41`."""
    name = _CHARACTER_NAMES.get(character)
    if name is not None:
        return f"#\\{name}"
    visible = character.isprintable() and unicodedata.category(character)[0] != "M"
    return f"#\\{character}" if visible else f"#\\x{ord(character):x}"


def _escape(text: str, quote: str) -> str:
    if text.isprintable() and quote not in text and "\\" not in text:
        return text
    return "".join(_escaped(c, quote) for c in text)


def _escaped(character: str, quote: str) -> str:
    if character == quote:
        return "\\" + character
    known = _STRING_ESCAPES.get(character)
    if known is not None:
        return known
    return character if character.isprintable() else f"\\x{ord(character):x};"


def _write_bytes(data: Any) -> str:
    return f"#u8({' '.join(map(str, memoryview(data).cast('B')))})"


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    bool: lambda x: "#t" if x else "#f",
    int: str,
    float: format_float,
    str: write_string,
    MutableString: lambda x: write_string(x.content()),
    Char: lambda x: write_char(x.value),
    Symbol: lambda x: write_symbol(x.name),
    Singleton: repr,
    RecordType: repr,
    bytearray: _write_bytes,
    bytes: _write_bytes,
}

_DISPLAYERS: Final[dict[type, Callable[[Any], str]]] = {
    **_WRITERS,
    str: lambda x: x,
    MutableString: MutableString.content,
    Char: lambda x: x.value,
    Symbol: lambda x: x.name,
}


def _opaque(value: Any) -> str:
    """A value that is no datum of the reader: a procedure, a port, a foreign buffer."""
    try:
        return _write_bytes(value)
    except TypeError:
        pass
    text = repr(value)
    if text.startswith("#<"):
        return text
    if callable(value):
        name = getattr(value, "name", None) or getattr(value, "__name__", None)
        return f"#<procedure {name}>" if name else "#<procedure>"
    return f"#<{type(value).__name__}>"


_COMPOUND: Final = frozenset((Pair, list, Record))

_Work = list[tuple[int, Any]]
_TEXT, _DATUM, _TAIL, _ITEMS = range(4)
"""What a work item asks for: this text; this datum; the rest of a list after an item and its
`)`; the further texts and data of this iterator."""


def _show(datum: Datum, writers: dict[type, Callable[[Any], str]]) -> str:
    if type(datum) not in _COMPOUND:
        writer = writers.get(type(datum))
        return writer(datum) if writer else _opaque(datum)
    return _DatumPrinter(datum, writers, cycle_heads(datum)).run()


class _DatumPrinter:
    def __init__(
        self, root: Datum, writers: dict[type, Callable[[Any], str]], labelled: set[int]
    ) -> None:
        self.writers = writers
        self.labels: dict[int, int | None] = dict.fromkeys(labelled)
        """By `id`: the compound data that need a label, and the label once it is written."""
        self.used = 0
        self.out: list[str] = []
        self.work: _Work = [(_DATUM, root)]

    def run(self) -> str:
        out, work = self.out, self.work
        while work:
            kind, value = work.pop()
            if kind == _TEXT:
                out.append(value)
            elif kind == _DATUM:
                self.datum(value)
            elif kind == _TAIL:
                self.tail(value)
            else:
                self.items(value)
        return "".join(out)

    def atom(self, value: Datum) -> str:
        writer = self.writers.get(type(value))
        return writer(value) if writer else _opaque(value)

    def datum(self, value: Datum) -> None:
        if type(value) not in _COMPOUND:
            self.out.append(self.atom(value))
        elif not self.label(value):
            self.compound(value)

    def label(self, value: Datum) -> bool:
        """Write the label of a datum that has one; whether that is all there is to write."""
        key = id(value)
        if key not in self.labels:
            return False
        known = self.labels[key]
        if known is not None:
            self.out.append(f"#{known}#")
            return True
        self.labels[key] = self.used
        self.out.append(f"#{self.used}=")
        self.used += 1
        return False

    def compound(self, value: Any) -> None:
        if isinstance(value, Pair):
            mark = self.abbreviation(value)
            if mark is not None:
                self.out.append(mark)
                self.work.append((_DATUM, value.cdr.car))
                return
            self.out.append("(")
            self.work.append((_TAIL, value.cdr))
            self.work.append((_DATUM, value.car))
        elif isinstance(value, Record):
            self.work.append((_TEXT, ">"))
            self.work.append((_ITEMS, _record_items(value)))
            self.out.append(f"#<{value.type.name}")
        else:
            self.out.append("#(")
            self.work.append((_TEXT, ")"))
            self.work.append((_ITEMS, _vector_items(value)))

    def abbreviation(self, pair: Pair) -> str | None:
        rest = pair.cdr
        if (
            isinstance(pair.car, Symbol)
            and isinstance(rest, Pair)
            and rest.cdr is NIL
            and id(rest) not in self.labels
        ):
            return _ABBREVIATIONS.get(pair.car)
        return None

    def tail(self, rest: Datum) -> None:
        out = self.out
        while isinstance(rest, Pair) and id(rest) not in self.labels:
            out.append(" ")
            item = rest.car
            rest = rest.cdr
            if type(item) in _COMPOUND:
                self.work.append((_TAIL, rest))
                self.work.append((_DATUM, item))
                return
            out.append(self.atom(item))
        if rest is NIL:
            out.append(")")
            return
        out.append(" . ")
        self.work.append((_TEXT, ")"))
        self.work.append((_DATUM, rest))

    def items(self, items: Iterator[tuple[str, Datum]]) -> None:
        for before, item in items:
            self.out.append(before)
            if type(item) in _COMPOUND:
                self.work.append((_ITEMS, items))
                self.work.append((_DATUM, item))
                return
            self.out.append(self.atom(item))


def _vector_items(items: list[Datum]) -> Iterator[tuple[str, Datum]]:
    separators = chain([""], iter(lambda: " ", None))
    return zip(separators, items, strict=False)


def _record_items(record: Record) -> Iterator[tuple[str, Datum]]:
    names = (f" {name}: " for name in record.type.fields)
    return zip(names, record.values, strict=True)


def cycle_heads(root: Datum) -> set[int]:
    """The identities of the compound data that a depth-first walk meets inside themselves.

    Every cycle has one, so labels on them suffice.
    """
    heads: set[int] = set()
    inside: set[int] = set()
    done: set[int] = set()
    work: list[tuple[Any, bool]] = [(root, False)]
    while work:
        node, leaving = work.pop()
        key = id(node)
        if leaving:
            inside.discard(key)
            done.add(key)
            continue
        if key in inside:
            heads.add(key)
            continue
        if key in done:
            continue
        inside.add(key)
        work.append((node, True))
        work.extend((part, False) for part in _parts(node) if type(part) in _COMPOUND)
    return heads


def shared_parts(root: Datum) -> set[int]:
    """The identities of the compound data that stand at several places in a datum."""
    seen: set[int] = set()
    shared: set[int] = set()
    work: list[Any] = [root]
    while work:
        node = work.pop()
        key = id(node)
        if key in seen:
            shared.add(key)
            continue
        seen.add(key)
        work.extend(part for part in _parts(node) if type(part) in _COMPOUND)
    return shared


def _parts(node: Any) -> tuple[Datum, ...]:
    """The parts of a compound datum, last first."""
    if isinstance(node, Pair):
        return (node.cdr, node.car)
    values = node.values if isinstance(node, Record) else node
    return tuple(reversed(values))
