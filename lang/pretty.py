"""Trees of words -> indented text of s-expressions, about 80 columns wide.

    tree ::= word | TextWord(text, places) | TextForm(trees, keep, places) | TextComment(text)

A form that fits on the line stands on it.  One that does not is broken after its head:

    (define (f x)        keep = 1: one more tree stays beside the head,
      body)                        the rest is indented by two
    (f a                 keep = None: the rest stands under the first argument
       b)
    '(1 2 3              a quoted datum: as many of its parts on a line as fit
      4 5)
    ((x 1)               a form that begins with a form: all stand under the first
     (y 2))

`keep` None looks the head up in a table of the language's keywords first.  A comment ends the
line, so a form with one in it is always broken.

`places` say what a word or a form was made of; `marked` gives the text with them
(`cogen.lang.marks`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, final

from cogen.lang.deep import on_deep_stack
from cogen.lang.marks import Marked, Places, TextMark
from cogen.lang.node import node

WIDTH: Final = 80
"""Columns a line should have at most."""

MAX_INDENT: Final = 60
"""Deeper nesting is not indented further (text would grow with the square of the depth)."""

LEAST: Final = 44
"""Columns after the indentation that a line may have, however deep it is."""

MOST_CLOSED: Final = 20
"""More closing parentheses than this at the end of a deep nest do not count as a part of a line."""

MAX_ALIGN: Final = 24
"""A head longer than this has its arguments below it rather than beside it."""

MAX_LOST: Final = 6
"""Columns that alignment may cost when the arguments have to be broken anyway."""

KEEP: Final[dict[str, int]] = {
    "begin": 0, "case": 1, "define": 1, "define-record-type": 1, "define-values": 1, "do": 2,
    "lambda": 1, "let": 1, "let*": 1, "let-values": 1, "letrec": 1, "letrec*": 1, "unless": 1,
    "when": 1,
}  # fmt: skip
"""How many trees stay beside a keyword; a named let keeps one more."""


@final
@node
class TextForm:
    """A parenthesised list of trees."""

    items: Sequence[Tree]
    keep: int | None = None
    places: Places = ()


@final
@node
class TextWord:
    """A word that was made of places of a source; no head of a form."""

    text: str
    places: Places


@final
@node
class TextComment:
    """A comment on a line of its own; `text` without the semicolon."""

    text: str


Tree = str | TextWord | TextForm | TextComment


def pretty(tree: Tree, width: int = WIDTH) -> str:
    """The text of a tree, without a final line break."""
    return marked(tree, width).text


def marked(tree: Tree, width: int = WIDTH) -> Marked:
    """The same text, with the places of its words and forms."""
    return on_deep_stack(_marked, tree, width)


def _marked(tree: Tree, width: int) -> Marked:
    layout = _Layout(width)
    layout.put(tree, 0)
    return Marked("".join(layout.out), tuple(layout.marks))


class _Layout:
    def __init__(self, width: int) -> None:
        self.width = width
        self.out: list[str] = []
        self.marks: list[TextMark] = []
        self.offset = 0
        """How many characters have been written."""
        self.column = 0
        self.indent = 0
        self.sizes: dict[TextForm, float] = {}

    def put(self, tree: Tree, after: int) -> None:
        """Write a tree at the current column; `after` closing parentheses follow it."""
        if type(tree) is str:
            if tree.startswith("'") and not self.fits(self.column + len(tree)):
                self.filled(tree)
            else:
                self.text(tree)
        elif type(tree) is TextComment:
            self.text(f"; {tree.text}" if tree.text else ";")
        elif type(tree) is TextForm:
            start = self.offset
            if self.fits(self.column + self.size(tree) + (after if after <= MOST_CLOSED else 0)):
                self.flat(tree)
            else:
                self.broken(tree, after)
                if tree.places:
                    self.marks.append(TextMark(start, self.offset, tree.places))
        elif type(tree) is TextWord:
            self.flat(tree)

    def filled(self, datum: str) -> None:
        """Write a quoted datum, as many of its parts on a line as fit."""
        indent = self.column + len(datum) - len(datum.lstrip("'#("))
        for number, part in enumerate(_PART.findall(datum)):
            if number:
                if self.fits(self.column + 1 + len(part)):
                    self.text(" ")
                else:
                    self.line(indent)
            self.text(part)

    def text(self, text: str) -> None:
        self.out.append(text)
        self.offset += len(text)
        self.column += len(text)

    def line(self, indent: int) -> None:
        indent = min(indent, MAX_INDENT)
        self.out.append("\n" + " " * indent)
        self.offset += indent + 1
        self.column = self.indent = indent

    def fits(self, column: float) -> bool:
        """Whether a line may go on to a column: within the width, and in deep nests, where little
        of that is left, `LEAST` columns."""
        return column <= self.width or column - self.indent <= LEAST

    def size(self, tree: Tree) -> float:
        """Columns of a tree on one line; infinite if it has a comment."""
        if type(tree) is str:
            return len(tree)
        if type(tree) is TextWord:
            return len(tree.text)
        if type(tree) is not TextForm:
            return float("inf")
        size = self.sizes.get(tree)
        if size is None:
            size = 1 + max(1, len(tree.items))
            for item in tree.items:
                size += len(item) if type(item) is str else self.size(item)
            self.sizes[tree] = size
        return size

    def broken(self, form: TextForm, after: int) -> None:
        start = self.column
        items = form.items
        self.text("(")
        if not items or not isinstance(items[0], str):
            self.column_of(items, start + 1, after)
            return
        self.text(items[0])
        keep = _kept(form)
        if keep is not None:
            for item in items[1 : 1 + keep]:
                self.text(" ")
                self.put(item, 0)
            rest, indent = items[1 + keep :], start + 2
        elif self.hangs(items, start):
            rest, indent = items[1:], start + 2
        else:
            self.text(" ")
            self.column_of(items[1:], self.column, after)
            return
        if not rest:
            self.text(")")
            return
        self.line(indent)
        self.column_of(rest, indent, after)

    def hangs(self, items: Sequence[Tree], start: int) -> bool:
        """Should the arguments of a call stand below its head rather than beside it?"""
        if isinstance(items[1], TextComment):
            return True
        saved = self.column + 1 - (start + 2)
        widest = max(self.size(item) for item in items[1:])
        too_wide = not self.fits(self.column + 1 + widest)
        return saved > MAX_ALIGN or (too_wide and saved > MAX_LOST)

    def column_of(self, items: Sequence[Tree], indent: int, after: int) -> None:
        """Write trees below each other, the first one here, and close the form."""
        last = len(items) - 1
        for index, item in enumerate(items):
            if index:
                self.line(indent)
            self.put(item, after + 1 if index == last else 0)
        if items and isinstance(items[-1], TextComment):
            self.line(indent)
        self.text(")")

    def flat(self, tree: TextForm | TextWord) -> None:
        """Write a tree without comments on one line."""
        out: list[str] = []
        offset = self.offset
        work: list[Tree | _End] = [tree]
        space = ""
        while work:
            item = work.pop()
            if type(item) is TextForm:
                out.append(space + "(")
                offset += len(space) + 1
                work.append(_End(offset - 1, item.places))
                work.extend(reversed(item.items))
                space = ""
                continue
            if type(item) is _End:
                text = ")"
            else:
                text = space + (item.text if type(item) is TextWord else str(item))
            out.append(text)
            start, offset = offset + len(space), offset + len(text)
            space = " "
            if type(item) is _End and item.places:
                self.marks.append(TextMark(item.start, offset, item.places))
            elif type(item) is TextWord:
                self.marks.append(TextMark(start, offset, item.places))
        self.text("".join(out))


def _kept(form: TextForm) -> int | None:
    """How many trees stay beside the head of a broken form that begins with a word."""
    if form.keep is not None:
        return form.keep
    head = form.items[0]
    if len(form.items) == 1:
        return 0
    keep = KEEP.get(head) if isinstance(head, str) else None
    if head == "let" and isinstance(form.items[1], str):
        return 2
    return keep


_PART: Final = re.compile(
    r"""(?:"(?:\\.|[^"\\])*"|\|(?:\\.|[^|\\])*\||\#\\.|[^\s"|])+""", re.DOTALL
)
"""What is between the spaces of a datum: strings, symbols and characters may have such in them."""


class _End(NamedTuple):
    """The end of a form that began at an offset."""

    start: int
    places: Places
