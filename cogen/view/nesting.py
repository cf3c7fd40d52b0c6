"""The marks of a text by how they nest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cogen.lang.marks import TextMark


class Nesting:
    """Marks in the order of the text, outer ones before those within; `parents` has the number of
    the mark around each, -1 for none."""

    def __init__(self, marks: Iterable[TextMark]) -> None:
        noted = [*marks]  # where two are around the same text, the outer one was noted later
        order = sorted(range(len(noted)), key=lambda n: (noted[n].start, -noted[n].end, -n))
        self.marks = [noted[n] for n in order]
        self.parents: list[int] = []
        around: list[int] = []
        for number, mark in enumerate(self.marks):
            while around and self.marks[around[-1]].end < mark.end:
                around.pop()
            self.parents.append(around[-1] if around else -1)
            around.append(number)

    def procedure(self, number: int) -> str:
        """The residual procedure that a mark is in; empty if none is told."""
        while number >= 0:
            if self.marks[number].procedure:
                return self.marks[number].procedure
            number = self.parents[number]
        return ""

    def innermost(self, offsets: Sequence[int]) -> list[int]:
        """The numbers of the innermost marks around characters, -1 for none."""
        found: dict[int, int] = {}
        around: list[int] = []
        waiting = 0
        for index in sorted(range(len(offsets)), key=offsets.__getitem__):
            offset = offsets[index]
            while waiting < len(self.marks) and self.marks[waiting].start <= offset:
                around.append(waiting)
                waiting += 1
            while around and self.marks[around[-1]].end <= offset:
                around.pop()
            found[index] = around[-1] if around else -1
        return [found[index] for index in range(len(offsets))]
