"""Data-flow as SVG, with a layered layout of our own.

Boxes of one level stand in layers: each below everything that it depends on (longest path). An
arrow goes by the boxes of the layers between, each of which has a waypoint for it. Within a layer
they are ordered by the mean position of what they depend on and of what depends on them, in a few
sweeps (Sugiyama, Tagawa, Toda 1981). What stands in a box is laid out first, by itself, and gives
the box its size; an arrow to something within ends at the box at the level of its start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise, product
from typing import Final

from cogen.array.report.flowgraph import Box, FlowGraph
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import Span

CHARACTER: Final = 7.5
"""The width of a character, in pixels; text is 13 pixels high."""
LINE: Final = 26
PADDING: Final = 12
NOTE: Final = 17
"""The height of a further line of a box."""
GAP_X: Final = 24
GAP_Y: Final = 40
SWEEPS: Final = 6

_FILLS: Final = {
    "loop": "#d6e4f5",
    "view": "#ffffff",
    "array": "#f4f4f4",
    "input": "#e6f5d6",
    "result": "#f5e6d6",
}


@dataclass(slots=True)
class _Placed:
    """A box with its place relative to its level, and its size; all in pixels."""

    box: Box
    inner: list[_Placed]
    arrows: list[_Arrow]
    width: float
    height: float
    x: float = 0
    y: float = 0
    layer: int = 0
    room: float = 0
    """The height of its layer."""
    neighbours: list[_Placed] = field(default_factory=list)

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


_Arrow = list[_Placed]
"""Where an arrow starts, the waypoints in the layers that it passes, and where it ends."""

_WAYPOINT: Final = Box(0, "", "waypoint")


Attributes = Callable[[Sequence[Span]], str]
"""Further attributes of what stands for places: a box with its lines, or such a line."""


def svg(graph: FlowGraph, attributes: Attributes = lambda places: "") -> str:
    """The picture, as text.  Boxes have their shape as their class; arrows that come from memory
    have the class `kept`, and beside them the rule that said so."""
    return on_deep_stack(_svg, graph, attributes)


def _svg(graph: FlowGraph, attributes: Attributes) -> str:
    parents: dict[int, list[int]] = {}
    _lineage(graph.boxes, [], parents)
    placed, arrows, width, height = _level(graph.boxes, graph.arrows, parents)
    rules = _rules(graph, parents)
    width += max([len(rule) * CHARACTER for rule in rules.values()], default=0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 2 * PADDING:.0f}" '
        f'height="{height + 2 * PADDING:.0f}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(graph.title)}</title>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker></defs>',
    ]
    _Drawing(rules, attributes, lines).draw(placed, arrows, PADDING, PADDING)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _rules(graph: FlowGraph, lineage: Mapping[int, list[int]]) -> dict[tuple[int, int], str]:
    """The rules beside the arrows, also those between the boxes around their ends."""
    found: dict[tuple[int, int], dict[str, None]] = {}
    for (source, target), rules in graph.kept.items():
        for ends in product(lineage[source], lineage[target]):
            found.setdefault(ends, {}).update(dict.fromkeys(rules))
    return {ends: ", ".join(rules) for ends, rules in found.items()}


def _lineage(boxes: Sequence[Box], around: list[int], found: dict[int, list[int]]) -> None:
    """For each box the ids of the boxes around it, outermost first, and its own."""
    for box in boxes:
        found[box.id] = [*around, box.id]
        _lineage(box.inner, found[box.id], found)


def _level(
    boxes: Sequence[Box],
    arrows: Sequence[tuple[int, int]],
    lineage: Mapping[int, list[int]],
    depth: int = 0,
) -> tuple[list[_Placed], list[_Arrow], float, float]:
    """Boxes of one level laid out, the arrows between them, and the size of it all."""
    placed = {box.id: _placed(box, arrows, lineage, depth) for box in boxes}
    lifted: dict[tuple[int, int], None] = {}
    for source, target in arrows:
        ends = [lineage[end][depth] if len(lineage[end]) > depth else 0 for end in (source, target)]
        if ends[0] != ends[1] and all(end in placed for end in ends):
            lifted[ends[0], ends[1]] = None
    links = [(placed[source], placed[target]) for source, target in lifted]
    layers = _layers(list(placed.values()), links)
    routes = [_route(source, target, layers) for source, target in links]
    _order(layers)
    width, height = _coordinates(layers)
    return list(placed.values()), routes, width, height


def _placed(
    box: Box, arrows: Sequence[tuple[int, int]], lineage: Mapping[int, list[int]], depth: int
) -> _Placed:
    text = max(map(len, (box.label, *(text for text, _ in box.notes)))) * CHARACTER + 2 * PADDING
    if not box.inner:
        return _Placed(box, [], [], text, _head(box))
    inner, links, width, height = _level(box.inner, arrows, lineage, depth + 1)
    return _Placed(box, inner, links, max(text, width + 2 * PADDING), _head(box) + height + PADDING)


def _head(box: Box) -> float:
    """The height of a box's text."""
    return LINE + NOTE * len(box.notes)


def _layers(boxes: list[_Placed], links: list[tuple[_Placed, _Placed]]) -> list[list[_Placed]]:
    """The boxes by layers; arrows lead down, save those that close a cycle."""
    for _ in boxes:
        moved = False
        for source, target in links:
            if target.layer <= source.layer and source.layer + 1 < len(boxes):
                target.layer = source.layer + 1
                moved = True
        if not moved:
            break
    used = {number: k for k, number in enumerate(sorted({box.layer for box in boxes}))}
    layers: list[list[_Placed]] = [[] for _ in used]
    for box in boxes:
        box.layer = used[box.layer]
        layers[box.layer].append(box)
    return layers


def _route(source: _Placed, target: _Placed, layers: list[list[_Placed]]) -> _Arrow:
    """An arrow, with a waypoint in each layer that it passes, to go by the boxes there."""
    route = [source]
    for number in range(source.layer + 1, target.layer):
        waypoint = _Placed(_WAYPOINT, [], [], 0, 0, layer=number)
        layers[number].append(waypoint)
        route.append(waypoint)
    route.append(target)
    for one, other in pairwise(route):
        one.neighbours.append(other)
        other.neighbours.append(one)
    return route


def _order(layers: list[list[_Placed]]) -> None:
    """Order the boxes in each layer so that few arrows cross."""
    position = {id(box): float(i) for layer in layers for i, box in enumerate(layer)}
    for _ in range(SWEEPS):
        for layer in layers:
            layer.sort(key=lambda box: _mean(box, position))
            for i, box in enumerate(layer):
                position[id(box)] = float(i)


def _mean(box: _Placed, position: Mapping[int, float]) -> float:
    found = [position[id(neighbour)] for neighbour in box.neighbours]
    return sum(found) / len(found) if found else position[id(box)]


def _coordinates(layers: list[list[_Placed]]) -> tuple[float, float]:
    widths = [sum(b.width for b in layer) + GAP_X * (len(layer) - 1) for layer in layers]
    whole = max(widths, default=0)
    y = 0.0
    for layer, width in zip(layers, widths, strict=True):
        x = (whole - width) / 2
        for box in layer:
            box.x, box.y = x, y
            x += box.width + GAP_X
        highest = max(box.height for box in layer)
        for box in layer:
            box.room = highest
        y += highest + GAP_Y
    return whole, max(y - GAP_Y, 0)


class _Drawing:
    """The lines of a picture while they are written."""

    def __init__(
        self, rules: Mapping[tuple[int, int], str], attributes: Attributes, lines: list[str]
    ) -> None:
        self.rules = rules
        self.attributes = attributes
        self.lines = lines

    def draw(self, boxes: list[_Placed], arrows: list[_Arrow], left: float, top: float) -> None:
        """Boxes of one level, and the arrows between them."""
        for arrow, (start, end) in zip(arrows, _ends(arrows), strict=True):
            self.arrow(arrow, left, top, start, end)
        for placed in boxes:
            self.box(placed, left + placed.x, top + placed.y)

    def arrow(self, arrow: _Arrow, left: float, top: float, start: float, end: float) -> None:
        """An arrow from `start` to `end`: curves between layers, straight down beside boxes."""
        source, *waypoints, target = arrow
        x, y = left + start, top + source.y + source.height
        path = [f"M{x:.1f} {y:.1f}"]
        if source.room > source.height:
            y = top + source.y + source.room
            path.append(f"V{y:.1f}")
        for point, middle in [*((w, w.middle) for w in waypoints), (target, end)]:
            next_x, next_y = left + middle, top + point.y
            path.append(
                f"C{x:.1f} {y + GAP_Y / 2:.1f} {next_x:.1f} {next_y - GAP_Y / 2:.1f} "
                f"{next_x:.1f} {next_y:.1f}"
            )
            between = (x + next_x) / 2, (y + next_y) / 2
            x, y = next_x, next_y
            if point is not target:
                y += point.room
                path.append(f"V{y:.1f}")
        rule = self.rules.get((source.box.id, target.box.id))
        name = "arrow" if rule is None else "arrow kept"
        self.lines.append(
            f'<path class="{name}" d="{" ".join(path)}" fill="none" '
            'stroke="#555" marker-end="url(#head)"/>'
        )
        if rule is not None:
            self.lines.append(
                f'<text class="rule" x="{between[0] + 6:.1f}" y="{between[1] + 4:.1f}" '
                f'font-size="11">{escape(rule)}</text>'
            )

    def box(self, placed: _Placed, x: float, y: float) -> None:
        box = placed.box
        corner = LINE / 2 if box.shape in ("input", "result") else 3
        dash = ' stroke-dasharray="4 3"' if box.shape == "view" else ""
        places = [place for _, place in box.notes]
        given = self.attributes([*([] if box.place is None else [box.place]), *places])
        self.lines.append(f'<g class="{box.shape}"{" " + given if given else ""}>')
        self.lines.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{placed.width:.1f}" '
            f'height="{placed.height:.1f}" rx="{corner:g}" fill="{_FILLS[box.shape]}" '
            f'stroke="#555"{dash}/>'
        )
        middle = x + placed.width / 2
        self.lines.append(
            f'<text x="{middle:.1f}" y="{y + 17:.1f}" text-anchor="middle">'
            f"{escape(box.label)}</text>"
        )
        for number, (text, place) in enumerate(box.notes):
            given, below = self.attributes([place]), y + 17 + NOTE * (number + 1)
            self.lines.append(
                f'<text class="note"{" " + given if given else ""} x="{middle:.1f}" '
                f'y="{below:.1f}" text-anchor="middle" font-size="11.5">{escape(text)}</text>'
            )
        self.lines.append("</g>")
        inside = x + (placed.width - _width(placed.inner)) / 2
        self.draw(placed.inner, placed.arrows, inside, y + _head(box))


def _ends(arrows: list[_Arrow]) -> list[tuple[float, float]]:
    """Where arrows start and end: spread over the box's edge in the order of their other ends."""
    leaving: dict[int, list[tuple[float, int]]] = {}
    coming: dict[int, list[tuple[float, int]]] = {}
    for number, arrow in enumerate(arrows):
        leaving.setdefault(id(arrow[0]), []).append((arrow[1].middle, number))
        coming.setdefault(id(arrow[-1]), []).append((arrow[-2].middle, number))
    return [
        (
            _spread(arrow[0], sorted(leaving[id(arrow[0])]), number),
            _spread(arrow[-1], sorted(coming[id(arrow[-1])]), number),
        )
        for number, arrow in enumerate(arrows)
    ]


def _spread(box: _Placed, ordered: list[tuple[float, int]], number: int) -> float:
    """Where on a box's edge the arrow of that number is, of several in order."""
    at = [other for _, other in ordered].index(number)
    return box.x + box.width * (at + 1) / (len(ordered) + 1)


def _width(boxes: list[_Placed]) -> float:
    return max([box.x + box.width for box in boxes], default=0)
