"""What is done with one piece of each array in a round, as a kernel: places -> graph."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from cogen.array.distributed.building import Import, KernelBuilder
from cogen.array.distributed.partkernels import PartKernel, finished, kept, layout_of
from cogen.array.distributed.pieceplaces import PiecePlaces
from cogen.array.distributed.roundplaces import KnownPlace, Pieces, RoundLift, RowPlace
from cogen.array.ir import node as ir
from cogen.array.ir.generators import (
    Collect,
    Generator,
    Reduce,
    emits,
)
from cogen.array.ir.graphtypes import CERT as CERTIFICATE
from cogen.array.ir.graphtypes import INT as INTEGER
from cogen.array.ir.graphtypes import array_of as rows_of
from cogen.array.ir.node import shape
from cogen.array.l0.types import Type as Layout
from cogen.array.l0.types import packed_array

VIEWS: Final = (
    ir.Rearrange,
    ir.Reshape,
    ir.Index,
    ir.Slice,
    ir.Copy,
    ir.Iota,
    ir.Replicate,
    ir.Literal,
)
"""What is made again of pieces, rather than kept."""


class ChunkKernel(KernelBuilder):
    """What is done with one piece of each array: in a round, for pieces of one origin."""

    def __init__(self, places: PiecePlaces, round: int, origin: ir.Node) -> None:
        super().__init__(places, round)
        self.origin = origin

    def given(self, node: ir.Node) -> ir.Node | None:
        places = self.places
        if isinstance(node, ir.Parameter):
            if node in self.raw:
                return self.graph.operation(
                    "int.add", self.raw[node], self.offset(places.rows[node])
                )
            if node in places.sources:
                return self.known(node)
            return self.known(node) if node in places.top else self.bound(node)
        if node.is_known:
            return None
        if isinstance(node, ir.Part):
            lift = places.lift_of(node)
            if lift is not None:
                return self.lifted(lift, node)
        if not places.is_top(node):
            return None
        place = places.place(node)
        if isinstance(place, KnownPlace) and (node.free or node.effectful):
            return self.known(node)
        if isinstance(place, Pieces) and place.round < self.round and not isinstance(node, VIEWS):
            return self.imports(Import("pieces", node), node.type, "pieces")
        return None

    def offset(self, loop: ir.Multiloop) -> ir.Node:
        """How many rows come before those of the piece that a loop goes over."""
        root = self.places.root(self.places.cut_size(loop))
        return self.imports(Import("offset", root), INTEGER, "offset")

    def size(self, node: ir.Node) -> ir.Node:
        root = self.places.root(node)
        if root is None:
            return self.node(node)
        count = self.places.counted.get(root)
        if count is not None and count.round == self.round:
            self.region(count.loop)
            return self.several[count.loop][count.loop.yields()[count.generator].first]
        return self.imports(Import("length", root), INTEGER, "length")

    def is_cut(self, node: ir.Node) -> bool:
        if isinstance(node, ir.Index):
            return node.indices[0] in self.raw and self._is_own(node)
        return node.rows_operand is not None and isinstance(self.places.place(node), Pieces)

    def _is_own(self, node: ir.Index) -> bool:
        array = self.places.place(node.array)
        return isinstance(array, Pieces) and self.places.is_own(node)

    def operands(self, node: ir.Node) -> list[ir.Node]:
        if not self.is_cut(node):
            return self.all(node.operands)
        if isinstance(node, ir.Index):
            own = self.raw[node.indices[0]]
            return [self.node(node.array), own, *self.all(node.indices[1:])]
        return [
            self.size(operand) if position == node.rows_operand else self.node(operand)
            for position, operand in enumerate(node.operands)
        ]

    def copied(self, node: ir.Node) -> ir.Node:
        made = super().copied(node)
        if isinstance(node, ir.Iota) and self.is_cut(node):
            return self._moved(made, node)
        return made

    def _moved(self, iota: ir.Node, old: ir.Iota) -> ir.Node:
        """The indices of a piece's rows."""
        graph, root = self.graph, self.places.root(old.size)
        offset = self.imports(Import("offset", root), INTEGER, "offset")
        index = graph.parameter("i", INTEGER)
        own = (graph.operation("int.add", index, offset),)
        here = graph.parameter("here", CERTIFICATE)
        body = ir.Block(here, (index,), (), streams=emits(own))
        loop = graph.make(ir.Multiloop, (0, (Collect(1),)), [shape(iota)[0]], (), (body,))
        assert isinstance(loop, ir.Region)
        return graph.part(loop, 0)

    def executes(self, effect: ir.Node) -> bool:
        place = self.places.checks.get(effect, 0)
        if effect.only_checks:
            return isinstance(self.places.place(effect), RowPlace) and place <= self.round
        return self.places.is_row(effect) and place <= self.round

    # Loops.

    def chosen(self, loop: ir.Multiloop) -> list[int]:
        if loop.index in self.places.rows:
            return [n for n in range(len(loop.generators)) if self._makes(loop, n)]
        return self.places.chosen(loop, self._is_here)

    def _is_here(self, place: object, is_top: bool) -> bool:
        match place:
            case RowPlace(at):
                return at <= self.round
            case KnownPlace(at):
                return not is_top and at < self.round
            case Pieces(at):
                return at == self.round if is_top else at <= self.round
        return False

    def _makes(self, loop: ir.Multiloop, number: int) -> bool:
        """Whether a generator of a loop over pieces is this round's."""
        places = self.places
        y, last = loop.yields()[number], places.taken[loop, number]
        is_top = places.is_top(loop)
        if y.generator.gives_each:
            if last == self.round:
                return True  # what the piece comes to
            here = last + 1 == self.round if is_top else last + 1 <= self.round
            return here and y.gives > 0
        if y.generator.gives_all:
            return last == self.round if is_top else last <= self.round
        return last == self.round and (loop, number, "value") in places.lifts

    def generator(self, old: ir.Multiloop, number: int) -> Generator:
        found = old.generators[number]
        is_carry = found.gives_each and self.places.taken.get((old, number)) == self.round
        if is_carry and old.index in self.places.rows:
            return Reduce(found.values)
        return found

    def input(self, loop: ir.Multiloop, array: ir.Node, size: ir.Node) -> ir.Node:
        made = self.node(array)
        if loop.index not in self.places.rows or isinstance(self.places.place(array), Pieces):
            return made
        return self.graph.slice(made, self.offset(loop), size, [self.token])

    def extras(self, loop: ir.Multiloop, number: int) -> list[ir.Node]:
        y = loop.yields()[number]
        lift = self.places.lifts.get((loop, number, "carry"))
        if lift is None or lift.round >= self.round:
            return self.all(y.extras)
        found: list[ir.Node] = []
        for k, neutral in enumerate(y.extras):
            sizes = [self.size(outer.size) for outer in lift.path]
            t = rows_of(self.typed(neutral.type), *sizes)
            wanted = Import("carry", None, k, lift)
            made = self.imported.get(wanted)
            if made is None:
                made = self.imported[wanted] = self.graph.parameter("carry", t)
            found.append(self.graph.index(made, *[self.node(outer.index) for outer in lift.path]))
        return found

    # What comes out.

    def found(self, lift: RoundLift) -> list[ir.Node]:
        """What the piece finds for a lift, within the loops around it."""
        y, loop = lift.taken, lift.loop
        self.region(loop)
        if (loop, lift.generator) in self.combined:
            return self.combined[loop, lift.generator]
        own = [self.several[loop][y.first + k] for k in range(y.gives)]
        if lift.what == "count":
            return own[:1]
        return kept(y.generator, own)

    def chain(
        self, loops: Sequence[tuple[RoundLift | ir.Multiloop, tuple[ir.Multiloop, ...]]], depth: int
    ) -> dict[RoundLift, list[ir.Node]]:
        """What the piece finds for lifts, or checks in loops, that stand in the same loops up to
        some depth; in arrays of the loops below."""
        given: dict[RoundLift, list[ir.Node]] = {}
        below: dict[
            ir.Multiloop, list[tuple[RoundLift | ir.Multiloop, tuple[ir.Multiloop, ...]]]
        ] = {}
        for wanted, path in loops:
            if len(path) > depth:
                below.setdefault(path[depth], []).append((wanted, path))
            elif isinstance(wanted, RoundLift):
                given[wanted] = self.found(wanted)
            else:
                self.region(wanted)
        for outer, inner in below.items():
            given |= self.around(outer, inner, depth)
        return given

    def around(
        self,
        outer: ir.Multiloop,
        inner: Sequence[tuple[RoundLift | ir.Multiloop, tuple[ir.Multiloop, ...]]],
        depth: int,
    ) -> dict[RoundLift, list[ir.Node]]:
        """The same of lifts that stand in a loop: the arrays that it collects."""
        index = self.graph.parameter(outer.index.name, INTEGER)
        opened = self.enter(outer.body, outer)
        self.copies[outer.index] = index
        found = self.chain(inner, depth + 1)
        values = [n for lift in found for n in found[lift]]
        parameters = (index, *[p for _, p in opened.elements])
        effects = tuple(opened.effects)
        body = ir.Block(opened.token, parameters, effects, streams=emits(values))
        self.leave(outer.body)
        inputs = [self.node(array) for array, _ in opened.elements]
        attributes = (len(inputs), tuple([Collect(1)] * len(values)))
        made = self.made(
            ir.Multiloop,
            attributes,
            [self.size(outer.size), *inputs],
            self.certs(outer.certs),
            (body,),
        )
        parts = iter([self.graph.part(made, k) for k in range(len(values))])
        return {lift: [next(parts) for _ in own] for lift, own in found.items()}

    def kernel(
        self, lifts: Sequence[RoundLift],
        forced: Sequence[tuple[ir.Multiloop, tuple[ir.Multiloop, ...]]],
        pieces: Sequence[ir.Node], stored: Sequence[tuple[str, Sequence[ir.Node]]], name: str,
    ) -> PartKernel:  # fmt: skip
        """The kernel that finds what lifts ask for, and makes pieces; those of `stored` are the
        leaves of results that are stored packed in a layout."""
        wanted = [(lift, lift.path) for lift in lifts]
        found = self.chain([*wanted, *forced], 0)
        exports: list[Hashable] = []
        results: list[ir.Node] = []
        layouts: list[Layout] = []
        for lift in lifts:
            for k, node in enumerate(found[lift]):
                exports.append((lift, k))
                results.append(node)
                layouts.append(layout_of(node))
        for node in pieces:
            exports.append(node)
            results.append(self.node(node))
            layouts.append(layout_of(results[-1]))
        for layout, leaves in stored:
            exports += leaves
            results += self.all(leaves)
            layouts.append(packed_array(layout))
        return finished(self, results, layouts, exports, name)
