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


def array_page(program: CheckedProgram, entry: str = "main", form: str = "") -> str:
    """The page of a function of an array program; `form` is a form above it."""
    return _Array(program, entry).page(form)


class _Array:
    def __init__(self, program: CheckedProgram, entry: str) -> None:
        self.program = program
        self.entry = entry
        self.fusion = Fusion(program, entry)
        self.operations = list(self.fusion.operations.values())
        self.numbers = {key: number for number, key in enumerate(self.fusion.operations)}

    def page(self, form: str) -> str:
        graphs = self.fusion.graphs(self.attributes, before=True)
        panes = [self.source_pane(), *graphs, self.fusion.c()]
        places = {str(n): self.told(one) for n, one in enumerate(self.operations)}
        data = {"places": places, "rules": self.fusion.rules()}
        summary = self.fusion.summary
        return page(self.entry, summary, self.division(), panes, data, LEGEND, (), form)

    def division(self) -> Sequence[tuple[str, str]]:
        """The parameters with their types."""
        names = [parameter.name.text for parameter in self.program.function(self.entry).parameters]
        types = map(show_type, self.program.parameters(self.entry))
        return list(zip(names, types, strict=True))

    def attributes(self, places: Sequence[Span]) -> str:
        """Those of an element that stands for places."""
        found = [self.numbers.get(key_of(place)) for place in places]
        numbers = dict.fromkeys(str(number) for number in found if number is not None)
        return f'data-p="{" ".join(numbers)}"' if numbers else ""

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
        return {
            "text": named + form(operation.span),
            "at": str(operation.span),
            "notes": self.fusion.notes(operation.span),
            "made": "",
        }
