"""The last element of a scan is a reduction.

    s = scan(f, e, a),  s[size(a) - 1]     ->     reduce(f, e, a)

where nothing else of the scan is needed. What else its loop makes stays, and both join again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cogen.array.fusion.mirror import Mirror, captured
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.generators import Reduce
from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Block,
    Index,
    Multiloop,
    Node,
    Yield,
)


class Last:
    """A reduction in place of a scan; a `Replacement` for what reads its last elements."""

    def __init__(self, loop: Multiloop, y: Yield, reads: Sequence[tuple[int, Index]]) -> None:
        self.loop = loop
        self.yielded = y
        self.reads = reads

    def needs(self) -> Iterable[Node]:
        """What the scan uses, and the further indices."""
        found = [*self.loop.operands, *self.loop.certs, *captured(self.loop)]
        for _, read in self.reads:
            found += [*read.operands[2:], *read.certs]
        return found

    def build(self, mirror: Mirror) -> None:
        """Lets the results of the reduction stand for the last elements."""
        graph, loop, y = mirror.graph, self.loop, self.yielded
        assert y.operator is not None
        saved = graph.at, graph.origin
        graph.at, graph.origin = graph.spans.get(loop), graph.origins.get(loop, frozenset())
        env = Mirror(graph, mirror)
        copied = env.block(loop.body)
        stream = copied.streams[loop.yields().index(y)]
        body = Block(copied.token, copied.parameters, (), streams=(stream,))
        made = graph.region(
            Multiloop,
            (len(loop.inputs), (Reduce(len(stream.taken)),)),
            mirror.nodes([loop.size, *loop.inputs, *y.extras]),
            mirror.certificates(loop.certs),
            (body, Mirror(graph, mirror).block(y.operator)),
        )
        graph.at, graph.origin = saved
        for number, read in self.reads:
            certs = mirror.certificates(read.certs)
            rest = mirror.nodes(read.operands[2:])
            mirror.bind(read, graph.index(graph.part(made, number), *rest, certs=certs))


def last(graph: Graph, places: Places, loop: Multiloop) -> Last | None:
    """A scan of a loop of which last elements are all that is needed."""
    if loop.effectful or loop.running:
        return None
    for y in loop.yields():
        if y.generator.gives_each and y.condition is None and y.gives:
            reads = _reads(graph, places, loop, y)
            if reads:
                return Last(loop, y, reads)
    return None


def _reads(
    graph: Graph, places: Places, loop: Multiloop, y: Yield
) -> list[tuple[int, Index]] | None:
    """What reads the last elements of a scan; None if something reads others."""
    found: list[tuple[int, Index]] = []
    for part in places.parts(loop):
        if not y.first <= part.index < y.first + y.gives:
            continue
        for user in places.uses[part]:
            if not isinstance(user, Index) or part in user.indices or part in places.type_uses:
                return None
            after = graph.operation("int.add", user.indices[0], graph.integer(1))
            if after is not loop.size:
                return None
            found.append((part.index - y.first, user))
    return found
