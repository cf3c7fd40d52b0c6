"""What fusion did to an array program, as a page shows it: colours, notes, pictures.

A box is a loop; in it stand the operations that were fused into it.  A coloured arrow is an array
in memory, with the rule that forbade that its loop and the one that reads it become one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Final

from cogen.array.fusion.reasons import NEEDED
from cogen.array.report.flowgraph import FlowGraph
from cogen.array.report.fusiondata import ReportedOperation, Soac
from cogen.array.report.fusionreport import picture
from cogen.array.report.svg import svg
from cogen.lang.errors import CogenError, Span
from cogen.view.notes import Key, key_of, operation_of
from cogen.view.panes import Pane, counted
from cogen.view.rendering import Range, lines

if TYPE_CHECKING:
    from cogen.array.l0.checked import CheckedProgram

LEGEND: Final = (
    ("fused", "fused", "computed where its result is used: no array in memory"),
    ("stored", "in memory", "an intermediate array is stored, for the reason on the arrow"),
    ("value", "value", "a number, known when its loop has ended"),
    ("result", "result", "what the function gives"),
)
"""The colours of operations: class, name, meaning."""

BECAUSE: Final = {
    "needed-as-result": ("it is what the function returns, or a part of it", "nothing is wrong"),
    "duplicates-work": (
        "several loops that cannot be one would each compute it",
        "make it cheaper, or let it be stored",
    ),
    "needs-whole-result": ("what it gives is known only when its loop has ended", ""),
    "crosses-consumption": (
        "an array that it reads is overwritten before its consumer",
        "move the consumer before the update, or update a copy",
    ),
    "indexed": (
        "it is read by b[i], in no order that a loop could follow",
        "map over zip or iota instead",
    ),
    "into-function": (
        "it is read in the function of a map over something else",
        "interchange the loops, so that it is the outer array",
    ),
    "into-loop": ("it is read in a sequential loop, or carried by one", ""),
    "size": ("what passes a filter cannot run along with something else", "zip before filtering"),
    "conditional": ("a scan of what was filtered is not followed into its consumers", ""),
    "transposed": ("a view stands between that no rule moves", "write both sides as maps of maps"),
    "reshaped": ("a view stands between that no rule moves", "write both sides as maps of maps"),
    "sliced": ("a view stands between that no rule moves", "write both sides as maps of maps"),
    "stored": ("it is put into another array", ""),
    "assembled": ("it is put together from the arrays of several loops", "read the parts"),
    "from-branch": (
        "it is made in an arm of a conditional, and read behind it",
        "a conditional in the function of one loop",
    ),
    "consumed": ("it is overwritten in place, so it must be somewhere", ""),
    "effects": ("two loops write traces, whose order would change", "remove the traces"),
    "into-call": ("a recursive function gets it, or gives it", ""),
    "switched-off": ("the rule is off, or the limit of steps is reached", ""),
}  # fmt: skip
"""What the rules mean that forbid fusion, and what helps; docs/fusion.md."""


PartAttributes = Callable[[Span, tuple[int, int]], str]
"""The attributes of a part of the C text, from where to where, that an operation has become."""


class Fusion:
    """What fusion did to a function of an array program."""

    def __init__(self, program: CheckedProgram, entry: str) -> None:
        self.program = program
        self.entry = entry
        self.picture = picture(program, entry)
        self.operations: dict[Key, ReportedOperation] = {}
        for operation in self.picture.report.operations:
            self.operations.setdefault(key_of(operation.span), operation)

    @property
    def summary(self) -> str:
        """How many operations, loops, and arrays in memory there are."""
        report = self.picture.report
        arrays = counted(report.arrays, "intermediate array")
        loops = counted(len(report.soacs), "loop")
        return f"{counted(len(report.operations), 'operation')} · {loops} · {arrays} in memory"

    def shade(self, operation: ReportedOperation) -> str:
        """The colour of an operation."""
        if operation.id in self.picture.stored:
            return "stored"
        if operation.because == NEEDED:
            return "result"
        return "value" if operation.because == "needs-whole-result" else "fused"

    def rules(self) -> dict[str, dict[str, str]]:
        """What the rules mean, as the page tells it."""
        return {
            rule: {"law": law, "source": helps or "docs/fusion.md"}
            for rule, (law, helps) in BECAUSE.items()
        }

    def notes(self, place: Span) -> list[dict[str, Any]]:
        """What became of the operation at a place."""
        operation = self.operations.get(key_of(place))
        if operation is None:
            return []
        loops = {soac.id: soac for soac in self.picture.report.soacs}
        work = self.picture.work
        by = f", fused by {operation.rule}" if operation.rule is not None else ""
        notes = [
            _note(
                f"loop {loop}",
                "fused",
                f"computed in the loop {_called(loops[loop])}{by}: {work[loop].told}",
            )
            for loop in operation.into
        ]
        if not operation.into:
            notes = [_note("no loop", "fused", "it needs no loop of its own, or is not needed")]
        if operation.because is not None:
            said = "its result is not fused into what uses it"
            if operation.blocker is not None:
                said += f", see line {operation.blocker.line}"
            notes.append(_note(operation.because, self.shade(operation), said, operation.because))
        return notes

    def graphs(self, attributes: Callable[[Sequence[Span]], str], before: bool) -> list[Pane]:
        """The data-flow before and after fusion; `before` tells whether the first is open."""
        picture = self.picture
        return [
            _graph("before", "Before fusion", picture.before, "", attributes, before),
            _graph("after", "After fusion", picture.after, self.summary, attributes, True),
        ]

    def c(self, attributes: PartAttributes) -> Pane:
        """The C text, from the program's first function on; its parts have the attributes of the
        operation that they were made of."""
        from cogen.array.c.nativeprogram import marked_text

        try:
            made, marks = marked_text(self.program, self.entry)
        except CogenError as error:
            return Pane("loops", "C", "", f'<p class="missing">{escape(str(error))}</p>', False)
        text = made.text
        found = _FUNCTION.search(text)
        start = found.start() + 1 if found is not None else 0
        before = text.count("\n", 0, start)
        about = f"after {before:,} lines of run time" if before else ""
        ranges = [
            Range(mark.start - start, mark.end - start, attributes(place, (mark.start, mark.end)))
            for mark in marks
            if mark.start >= start and (place := self.operation_at(mark.places)) is not None
        ]
        body = f'<pre tabindex="0">{lines(text[start:], ranges, before + 1)}</pre>'
        return Pane("loops", "C", about, body, False)

    def operation_at(self, places: Sequence[Span]) -> Span | None:
        """The operation in whose text one of some places stands."""
        found = (operation_of(place, self._inner_first) for place in places)
        return next((one for one in found if one is not None), None)

    @cached_property
    def _inner_first(self) -> list[Span]:
        spans = [operation.span for operation in self.operations.values()]
        return sorted(spans, key=lambda span: span.end - span.start)


def _called(loop: Soac) -> str:
    return f"{loop.kind} {loop.span.line}:{loop.span.column}"


def _note(verdict: str, shade: str, said: str, rule: str = "") -> dict[str, Any]:
    return {"verdict": verdict, "shade": shade, "said": said, "rule": rule}


def _graph(
    id: str,
    title: str,
    graph: FlowGraph,
    about: str,
    attributes: Callable[[Sequence[Span]], str],
    shown: bool,
) -> Pane:
    drawn = svg(graph, attributes).replace('id="head"', f'id="head-{id}"')
    drawn = drawn.replace("url(#head)", f"url(#head-{id})")
    return Pane(id, title, about, f'<div class="graph">{drawn}</div>', shown)


_FUNCTION: Final = re.compile(r"\n/\* [^\n]*:\d+:\d+ \*/\n")
"""What the first function of the program begins with in C."""
