"""The data-flow of a function, as it is drawn: function -> boxes and arrows between them.

A box is a loop, a conditional, a call, an operation on arrays, an array parameter or the result;
boxes stand in the box in whose blocks they are computed. Scalar computations are not drawn: an
arrow leads through them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from cogen.array.fusion.mirror import contents
from cogen.array.fusion.nodeplaces import Places
from cogen.array.fusion.rulenames import kind
from cogen.array.ir import node as ir
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import GraphArray
from cogen.lang.eachonce import each_once
from cogen.lang.errors import Span

Note = tuple[str, Span]


@dataclass(slots=True)
class Box:
    """Something drawn: `shape` is loop, view, array, input or result; `inner` are boxes within.
    `notes` are further lines, each with its place; `place` is where it stands in the source."""

    id: int
    label: str
    shape: str
    inner: list[Box] = field(default_factory=list)
    notes: Sequence[Note] = ()
    place: Span | None = None


@dataclass(slots=True)
class FlowGraph:
    """Boxes, and arrows from producers to consumers by their ids.  `kept` are the arrows that are
    arrays in memory, with the rules that said so."""

    title: str
    boxes: list[Box]
    arrows: list[tuple[int, int]]
    kept: dict[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)


def flow_graph(
    graph: Graph,
    function: ir.Function,
    notes: Mapping[ir.Node, Sequence[Note]] | None = None,
    kept: Mapping[ir.Node, str] | None = None,
) -> FlowGraph:
    """The data-flow of a function, with further lines for loops, and the rules by which arrays are
    put into memory."""
    return _Drawer(graph, function, notes or {}, kept or {}).draw()


class _Drawer:
    def __init__(
        self,
        graph: Graph,
        function: ir.Function,
        notes: Mapping[ir.Node, Sequence[Note]],
        kept: Mapping[ir.Node, str],
    ) -> None:
        self.graph = graph
        self.function = function
        self.notes = notes
        self.kept = kept
        self.places = Places(function)
        self.boxes: dict[ir.Node, Box] = {}
        self.arrows: dict[tuple[int, int], dict[str, None]] = {}
        """The arrows, and the rules that put what they are into memory."""

    def draw(self) -> FlowGraph:
        top: list[Box] = []
        for node in self.places.nodes:
            label = self._label(node)
            if label is not None:
                self.boxes[node] = Box(
                    len(self.boxes) + 1, label, _shape(node), notes=self.notes.get(node, ()),
                    place=self.graph.spans.get(node),
                )  # fmt: skip
        for node, box in self.boxes.items():
            around = self._around(node)
            (top if around is None else self.boxes[around].inner).append(box)
        result = Box(len(self.boxes) + 1, "result", "result")
        for node, box in self.boxes.items():
            self._lead(self._sources(node), box)
        self._lead(self._visible([*self.function.body.results]), result)
        kept = {arrow: tuple(rules) for arrow, rules in self.arrows.items() if rules}
        return FlowGraph(self.function.name, [*top, result], list(self.arrows), kept)

    def _lead(self, sources: Mapping[ir.Node, Collection[str]], box: Box) -> None:
        """Arrows from what a box depends on."""
        for source, rules in sources.items():
            found = self.arrows.setdefault((self.boxes[source].id, box.id), {})
            found.update(dict.fromkeys(rules))

    def _label(self, node: ir.Node) -> str | None:
        """What a node's box says; None if it is not drawn."""
        span = self.graph.spans.get(node)
        place = f" {span.line}:{span.column}" if span is not None else ""
        if isinstance(node, ir.Parameter):
            outside = self.places.place[node] is self.places.body
            return node.name if outside and isinstance(node.type, GraphArray) else None
        if isinstance(node, ir.Multiloop):
            return kind(node) + place
        return node.word + place if self._is_drawn(node) else None

    def _is_drawn(self, node: ir.Node) -> bool:
        if isinstance(node, ir.Region):
            return node.may_write or self._has_arrays(node)
        if isinstance(node, ir.Literal) and not node.free:
            return False
        is_array = isinstance(node.type, GraphArray)
        return is_array and node.has_code and not isinstance(node, ir.Index)

    def _has_arrays(self, region: ir.Region) -> bool:
        """Whether something in the blocks of a node is drawn."""
        if any(isinstance(t, GraphArray) for t in region.results):
            return True
        stack = [node for block in region.blocks for node in (*block.results, *block.effects)]
        seen: set[ir.Node] = set()
        while stack:
            node = stack.pop()
            if node in seen or node.free.isdisjoint(_bound(region)):
                continue
            seen.add(node)
            if node.takes_time and not isinstance(node, ir.Loop):
                return True
            stack += contents(node)
        return False

    def _around(self, node: ir.Node) -> ir.Node | None:
        """The innermost drawn node in whose blocks a node stands."""
        path = self.places.path(self.places.place[node])
        return next((owner for owner, _ in reversed(path) if owner in self.boxes), None)

    def _sources(self, node: ir.Node) -> dict[ir.Node, list[str]]:
        """The drawn nodes on which a node depends, through what is not drawn, with the rules that
        put what it takes of them into memory."""
        inside: list[ir.Node] = []
        for block in node.blocks:
            inside += [n for n in self._in(block) if n not in self.boxes]
        direct = [*node.operands, *node.certs]
        found = self._visible([*direct, *inside])
        return {n: rules for n, rules in found.items() if not self._is_within(n, node)}

    def _in(self, block: ir.Block) -> list[ir.Node]:
        return [*block.results, *block.effects]

    def _is_within(self, node: ir.Node, owner: ir.Node) -> bool:
        path = self.places.path(self.places.place[node])
        return any(around is owner for around, _ in path)

    def _visible(self, nodes: list[ir.Node]) -> dict[ir.Node, list[str]]:
        """The drawn nodes that some nodes are, or depend on through others, with the rules of the
        arrays through which they do."""
        found: dict[ir.Node, list[str]] = {}
        stack = list(reversed(nodes))
        for node in each_once(stack):
            made = node.node if isinstance(node, ir.Part) else node
            if made in self.boxes and (node in self.kept or made is node):
                found.setdefault(made, [])
                found[made] += [self.kept[node]] if node in self.kept else []
            if node not in self.boxes:
                stack += contents(node)
        return found


def _bound(region: ir.Region) -> set[ir.Parameter]:
    return {parameter for block in region.blocks for parameter in block.binds}


def _shape(node: ir.Node) -> str:
    if isinstance(node, ir.Parameter):
        return "input"
    if isinstance(node, ir.Region):
        return "loop"
    return "view" if isinstance(node, ir.Rearrange) else "array"
