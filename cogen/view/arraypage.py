"""An array program -> a page: source, its data-flow before and after fusion, and C."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from cogen.array.l0.types import show_type
from cogen.array.report.fusiondata import ReportedOperation
from cogen.lang.chain import form
from cogen.lang.errors import Source, Span
from cogen.view.fusion import LEGEND, Fusion
from cogen.view.notes import key_of
from cogen.view.panes import Pane, page
from cogen.view.rendering import Range, lines

if TYPE_CHECKING:
    from cogen.array.l0.checked import CheckedProgram
    from cogen.view.timing import Times


def array_page(
    program: CheckedProgram, entry: str = "main", form: str = "", times: Times | None = None
) -> str:
    """The page of a function of an array program; `form` is a form above it, `times` where the time
    goes, if that was measured."""
    return _Array(program, entry, times).page(form)


class _Array:
    def __init__(self, program: CheckedProgram, entry: str, times: Times | None) -> None:
        self.times = times
        self.program = program
        self.entry = entry
        self.fusion = Fusion(program, entry)
        self.operations = list(self.fusion.operations.values())
        self.numbers = {key: number for number, key in enumerate(self.fusion.operations)}

    def page(self, form: str) -> str:
        graphs = self.fusion.graphs(self.attributes, before=True)
        panes = [self.source_pane(), *graphs, self.fusion.c(self.part)]
        places = {str(n): self.told(one) for n, one in enumerate(self.operations)}
        data = {"places": places, "rules": self.fusion.rules()}
        summary, times = self.fusion.summary, self.times
        heats = () if times is None else ("time",)
        if times is not None:
            summary += f" · {times.summary}"
        return page(self.entry, summary, self.division(), panes, data, LEGEND, heats, form)

    def division(self) -> Sequence[tuple[str, str]]:
        """The parameters with their types."""
        names = [parameter.name.text for parameter in self.program.function(self.entry).parameters]
        types = map(show_type, self.program.parameters(self.entry))
        return list(zip(names, types, strict=True))

    def attributes(self, places: Sequence[Span]) -> str:
        """Those of an element that stands for places."""
        found = [self.numbers.get(key_of(place)) for place in places]
        numbers = dict.fromkeys(str(number) for number in found if number is not None)
        return f'data-p="{" ".join(numbers)}"{self.style(self.taken(places))}' if numbers else ""

    def taken(self, places: Sequence[Span]) -> float:
        """The share of the time that what stands for places takes: one of them itself, several as a
        loop, of which the first is, into which the others were fused."""
        keys = list(dict.fromkeys(map(key_of, places)))
        if self.times is None:
            return 0.0
        if len(keys) > 1 and keys[0] in self.times.of_loops:
            return self.times.of_loops[keys[0]]
        return sum(self.times.shares.get(key, 0.0) for key in keys)

    def share(self, place: Span) -> float:
        """The share of the time that an operation takes."""
        return 0.0 if self.times is None else self.times.share(place)

    def part(self, place: Span, part: tuple[int, int]) -> str:
        """The attributes of a part of the C text, made of an operation."""
        share = 0.0 if self.times is None else self.times.of_c.get(part, 0.0)
        return f'data-p="{self.numbers[key_of(place)]}"{self.style(share)}'

    def style(self, share: float) -> str:
        """The attribute of a share of the time."""
        return f' style="--t:{share:.2f}"' if share >= 0.005 else ""

    def source_pane(self) -> Pane:
        sources: dict[str, Source] = {self.program.source.name: self.program.source}
        for operation in self.operations:
            sources.setdefault(operation.span.source.name, operation.span.source)
        parts: list[str] = []
        for name, source in sources.items():
            ranges = [self.range(one) for one in self.operations if one.span.source is source]
            if not ranges and len(sources) > 1:
                continue
            title = f"<h3>{escape(name)}</h3>" if len(sources) > 1 else ""
            text = lines(source.text, ranges)
            parts.append(f'{title}<pre class="source" tabindex="0">{text}</pre>')
        return Pane("source", "Source", self.program.source.name, "".join(parts))

    def range(self, operation: ReportedOperation) -> Range:
        """An operation's place in its colour."""
        place = operation.span
        attributes = f'class="{self.fusion.shade(operation)}" {self.attributes([place])}'
        return Range(place.start, place.end, attributes)

    def told(self, operation: ReportedOperation) -> dict[str, Any]:
        """What the page tells of an operation."""
        named = f"{operation.name}: " if operation.name else ""
        share = self.share(operation.span)
        return {
            "text": named + form(operation.span),
            "at": str(operation.span),
            "notes": self.fusion.notes(operation.span),
            "made": f"It takes {100 * share:.0f} % of the time." if share else "",
        }
