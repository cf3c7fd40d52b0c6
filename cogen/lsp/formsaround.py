"""A place in a text -> the local names that are visible there, though the text be unfinished.

(define (f a) (let ((b 1)) (+ b |     ->  b, a, f's own definitions before the place
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from cogen.lang.lexical import DELIMITERS

_TOKEN: Final = re.compile(
    rf"""(?P<skip> \s+ | ;[^\n]* | \#\|(?s:.*?)(?:\|\#|\Z) )
    | (?P<other> "(?:\\.|[^"\\])*(?:"|\Z) | \#\\.[^{DELIMITERS}]* | ['`,@] )
    | (?P<open> \#?\( | \[ ) | (?P<close> [)\]] )
    | (?P<word> \|[^|]*\| | [^{DELIMITERS}'`,]+ | . )""",
    re.VERBOSE | re.DOTALL,
)

LETS: Final = frozenset({"let", "let*", "letrec", "letrec*", "do", "let-values", "let*-values"})


@dataclass(slots=True)
class OpenForm:
    """What is between parentheses, as far as it goes."""

    start: int
    items: list[Item] = field(default_factory=list)

    @property
    def head(self) -> str:
        """The word it begins with."""
        return self.items[0] if self.items and isinstance(self.items[0], str) else ""


Item = str | OpenForm


def forms_around(text: str, offset: int) -> list[OpenForm]:
    """The forms that are open at an offset, the outermost first."""
    open_forms: list[OpenForm] = []
    for token in _TOKEN.finditer(text, 0, offset):
        if token["open"]:
            form = OpenForm(token.start())
            if open_forms:
                open_forms[-1].items.append(form)
            open_forms.append(form)
        elif token["close"] and open_forms:
            open_forms.pop()
        elif token["word"] and open_forms:
            open_forms[-1].items.append(token["word"])
    return open_forms


def is_in_text(text: str, offset: int) -> bool:
    """Whether an offset is within a string or a comment."""
    for token in _TOKEN.finditer(text):
        if token.start() >= offset:
            return False
        kind = token["other"] or token["skip"]
        if kind and kind[0] in '";#' and offset < token.end() + (kind[0] == ";"):
            return kind[0] in '";' or kind.startswith("#|")
    return False


def local_names(text: str, offset: int) -> list[str]:
    """The names that the forms around an offset bind there, the innermost first."""
    found: dict[str, None] = {}
    around = forms_around(text, offset)
    for depth in reversed(range(len(around))):
        parent = around[depth - 1] if depth else None
        for name in _bound(around[depth], parent):
            found.setdefault(name)
    return list(found)


def _bound(form: OpenForm, parent: OpenForm | None) -> Iterator[str]:
    """The names that an open form binds for what is inside of it."""
    head, rest = form.head, form.items[1:]
    yield from _defined(rest)
    if parent is not None and parent.head == "case-lambda" and isinstance(form.items[0], OpenForm):
        yield from _words(form.items[0].items)
    if not rest:
        return
    first = rest[0]
    if head == "lambda":
        yield from _words(first.items if isinstance(first, OpenForm) else [first])
    elif head == "define" and isinstance(first, OpenForm):
        yield from _words(first.items[1:])
        yield from _words(first.items[:1])
    elif head in LETS:
        yield from _words(rest[:1])
        for part in rest[:2]:
            if isinstance(part, OpenForm):
                yield from _bindings(part)
                break


def _bindings(form: OpenForm) -> Iterator[str]:
    for one in form.items:
        if isinstance(one, OpenForm) and one.items:
            first = one.items[0]
            yield from _words(first.items if isinstance(first, OpenForm) else [first])


def _defined(items: Iterable[Item]) -> Iterator[str]:
    for one in items:
        if isinstance(one, OpenForm) and one.head == "define" and len(one.items) > 1:
            target = one.items[1]
            while isinstance(target, OpenForm):
                target = target.items[0] if target.items else ""
            if target:
                yield target


def _words(items: Iterable[Item]) -> Iterator[str]:
    return (one for one in items if isinstance(one, str) and one != ".")


_WORD: Final = re.compile(rf"[^{DELIMITERS}'`,]+")


def word_at(text: str, offset: int) -> tuple[str, int, int] | None:
    """The word at an offset, or that ends there, with its start and end; None in a string or a
    comment."""
    start = text.rfind("\n", 0, offset) + 1
    for word in _WORD.finditer(text, start):
        if word.start() > offset:
            return None
        if offset <= word.end():
            return None if is_in_text(text, word.start()) else (word[0], *word.span())
    return None
