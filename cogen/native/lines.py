"""Lines of C text that say which places of the source they were made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cogen.lang.marks import Mark, Marked, Places


class Line(str):
    """A line of text, made of `places`."""

    places: Places = ()

    @staticmethod
    def made_of(places: Places, text: str) -> Line:
        """The line of a text that was made of these places."""
        line = Line(text)
        line.places = places
        return line


def indented(line: str, indent: str) -> Line:
    """The line further to the right."""
    return Line.made_of(line.places if isinstance(line, Line) else (), indent + line)


def marked(lines: Sequence[str], places: Places = (), procedure: str = "") -> Marked:
    """The text of lines; marks are around those in a row that were made of the same places, and
    around all: that of a procedure, which was made of these."""
    text = "\n".join(lines)
    around = [Mark(0, len(text), places, procedure)] if places or procedure else []
    return Marked(text, (*_marks(lines), *around))


def _marks(lines: Sequence[str]) -> Iterator[Mark]:
    offset, last = 0, None
    for line in lines:
        made_of = line.places if isinstance(line, Line) else ()
        start, end = offset + len(line) - len(line.lstrip()), offset + len(line)
        offset += len(line) + 1
        if last is not None and last.places == made_of:
            last = last._replace(end=end)
            continue
        if last is not None and last.places:
            yield last
        last = Mark(start, end, made_of) if start < end else None
    if last is not None and last.places:
        yield last
