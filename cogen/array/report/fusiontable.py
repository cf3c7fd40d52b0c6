"""A fusion report for people: each operation under its source line, then the loops that remain.

An operation's line says in which loops it is computed, by which rule it was last fused, and in
parentheses which rule forbade that its result is fused further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from cogen.lang.errors import Source

if TYPE_CHECKING:
    from cogen.array.report.fusiondata import FusionReport, ReportedOperation


def fusion_table(report: FusionReport, source: Source) -> RenderableType:
    """The report as operations under their lines, and a tree of loops."""
    return Group(*_operations(report, source), Text(), _loops(report), _arrays(report))


def _operations(report: FusionReport, source: Source) -> list[Text]:
    found = [Text(f"{report.file}: {report.entry}", style="bold")]
    rows = [(_called(o), _into(o), o.rule or "-", _because(o)) for o in report.operations]
    widths = [max([len(row[k]) for row in rows], default=0) for k in range(3)]
    line, home = 0, source
    for operation, row in zip(report.operations, rows, strict=True):
        if operation.span.source is not home and operation.span.source.text != home.text:
            home, line = operation.span.source, 0
            found.append(Text(home.name, style="bold"))
        if operation.span.line != line:
            line = operation.span.line
            shown = home.line_text(line)
            found.append(
                Text(f"{line:4} | {shown}", style="cyan", no_wrap=True, overflow="ellipsis")
            )
        cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=False)]
        text = Text("       " + "  ".join(cells), no_wrap=True, overflow="ellipsis")
        text.append(f"  {row[3]}".rstrip(), style="yellow")
        found.append(text)
    return found


def _called(operation: ReportedOperation) -> str:
    name = f" {operation.name}" if operation.name else ""
    return f"{operation.operation}{name}"


def _into(operation: ReportedOperation) -> str:
    if not operation.into:
        return "in no loop"
    return "in loop " + ", ".join([str(number) for number in operation.into])


def _because(operation: ReportedOperation) -> str:
    if operation.because is None:
        return ""
    where = "" if operation.blocker is None else f", line {operation.blocker.line}"
    return f"({operation.because}{where})"


def _loops(report: FusionReport) -> Tree:
    tree = Tree("loops that remain" if report.soacs else "no loop remains")
    nodes: dict[tuple[str, ...], Tree] = {}
    for soac in report.soacs:
        around = tree
        for depth in range(1, len(soac.path) + 1):
            path = soac.path[:depth]
            if path not in nodes:
                nodes[path] = around.add(path[-1])
            around = nodes[path]
        label = f"loop {soac.id}: {soac.kind}, line {soac.span.line}"
        nodes[(*soac.path, soac.kind)] = around.add(label)
    return tree


def _arrays(report: FusionReport) -> Text:
    return Text(f"intermediate arrays in memory: {report.arrays}")
