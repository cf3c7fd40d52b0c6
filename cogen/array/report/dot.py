"""Data-flow as text in the language DOT of Graphviz."""

from __future__ import annotations

from typing import Final

from cogen.array.report.flowgraph import Box, FlowGraph
from cogen.lang.deep import on_deep_stack

_STYLES: Final = {
    "loop": "shape=box, style=filled, fillcolor=lightsteelblue",
    "view": "shape=box, style=dashed",
    "array": "shape=box",
    "input": "shape=ellipse",
    "result": "shape=ellipse, style=bold",
}


def dot(graph: FlowGraph) -> str:
    """The text; boxes within others are clusters, in which the outer box is a node itself."""
    lines = [f"digraph {_quoted(graph.title)} {{", "  rankdir=TB; node [fontname=sans];"]
    for box in graph.boxes:
        on_deep_stack(_box, box, lines, "  ")
    lines += [f"  n{source} -> n{target};" for source, target in graph.arrows]
    return "\n".join([*lines, "}"]) + "\n"


def _box(box: Box, lines: list[str], indent: str) -> None:
    node = f"n{box.id} [label={_quoted(box.label)}, {_STYLES[box.shape]}];"
    if not box.inner:
        lines.append(indent + node)
        return
    lines.append(f"{indent}subgraph cluster_{box.id} {{ color=gray;")
    lines.append(f"{indent}  {node}")
    for inner in box.inner:
        _box(inner, lines, indent + "  ")
    lines.append(indent + "}")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
