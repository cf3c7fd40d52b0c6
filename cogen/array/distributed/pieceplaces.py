"""Where the values of a program are when some of its arrays lie in pieces: graph -> places.

Which places there are says `cogen.array.distributed.roundplaces`; loops over pieces are in
`loopsoverpieces`. A reduction over pieces may stand within loops over something else (the sum of
each column): its `path` has these loops, and what is combined is an array with an element for each
of their iterations. What cannot be done in rounds is a CogenError at its place in the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from cogen.array.distributed.loopsoverpieces import lift, over_pieces
from cogen.array.distributed.loopswithinrows import RowLoops
from cogen.array.distributed.roundplaces import (
    ADVICE,
    SEQUENTIAL,
    Count,
    KnownPlace,
    Pieces,
    Place,
    RoundLift,
    RowPlace,
)
from cogen.array.ir import node as ir
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import shape
from cogen.lang.errors import CogenError


class PiecePlaces:
    """The places of the nodes of a module, of whose entry the leaves `cut` come in pieces."""

    def __init__(self, graph: Graph, module: ir.Module, cut: Sequence[int]) -> None:
        self.graph = graph
        self.module = module
        self.entry: ir.Function = module.entry
        self.top = frozenset(self.entry.body.binds)
        self.sources = frozenset([self.entry.parameters[k] for k in cut])
        self.found: dict[ir.Node, Place] = {}
        self.several: dict[ir.Region, tuple[Place, ...]] = {}
        self.lifts: dict[tuple[ir.Multiloop, int, str], RoundLift] = {}
        """By loop, number of the generator, and what of it."""
        self.forced: list[tuple[ir.Multiloop, int, tuple[ir.Multiloop, ...]]] = []
        """Loops over pieces that check something, with the round of the last check, and paths."""
        self.checks: dict[ir.Node, int] = {}
        """The rounds of what is executed in its block."""
        self.used = frozenset([
            (n.node, n.index) for n in all_nodes(self.entry.body) if isinstance(n, ir.Part)
        ])  # fmt: skip
        self.paths: dict[ir.Node, tuple[ir.Multiloop, ...] | None] = {}
        self.same: dict[ir.Node, ir.Node] = {}
        self.taken: dict[tuple[ir.Multiloop, int], int] = {}
        """The rounds in which generators of loops over pieces have what they take."""
        self.counted: dict[ir.Node, Count] = {}
        """Sizes that are counts."""
        self.rows: dict[ir.Node, ir.Multiloop] = {}
        """The indices of loops over pieces."""
        self.row_loops = RowLoops(self)
        self.waiting: dict[ir.Node, ir.Multiloop] = {}
        """What scans over pieces have accumulated, while what they take is looked for."""
        for node in self.entry.body.binds:
            self.found[node] = KnownPlace(0)
        for source in self.sources:
            size = shape(source)[0]
            self.same[size] = size
            self.found[source] = Pieces(0, 0, size)
        self.plans: dict[bool, object] = {}
        """The plans that were made of them (`cogen.array.distributed.planning`)."""
        self.rounds = self._all()

    def _all(self) -> int:
        """Find all places; how many rounds there are."""
        body = self.entry.body
        for effect in body.effects:
            self.check(effect)
        found = [self.place(node) for node in body.results]
        last = [place.round for place in found]
        last += [n for _, n, _ in self.forced] + list(self.checks.values())
        return max(last, default=0)

    # What is asked.

    def root(self, size: ir.Node) -> ir.Node | None:
        """What stands for all sizes along which arrays are cut alike; None for other sizes."""
        if size not in self.same:
            return None
        while self.same[size] is not size:
            size = self.same[size]
        return size

    def lift_of(self, part: ir.Part) -> RoundLift | None:
        """The lift that a result is known by, if it is of a loop over pieces."""
        loop = part.node
        if not isinstance(loop, ir.Multiloop) or loop.index not in self.rows:
            return None
        if not isinstance(self.place(part), KnownPlace):
            return None
        for number, y in enumerate(loop.yields()):
            if y.first <= part.index < y.first + y.gives:
                found = self.lifts.get((loop, number, "value"))
                return found or self.lifts.get((loop, number, "count"))
        return None

    def chosen(self, loop: ir.Multiloop, is_here: Callable[[object, bool], bool]) -> list[int]:
        """The generators of a loop with a result that is used and stands at a place that is asked
        for; that is told whether the loop is copied once."""
        is_top = self.is_top(loop) and bool(loop.free)  # else it is copied wherever it is used
        parts = self.parts(loop)
        return [
            number
            for number, y in enumerate(loop.yields())
            if any(is_here(parts[k], is_top) for k in self.uses(loop, y))
        ]

    def uses(self, loop: ir.Multiloop, y: ir.Yield) -> list[int]:
        """Which results of a generator are used."""
        first = y.first
        return [k for k in range(first, first + y.gives) if (loop, k) in self.used]

    def origin(self, size: ir.Node) -> ir.Node:
        """The root of the arguments from whose pieces the pieces of such arrays come."""
        found = self.root(size)
        assert found is not None
        return self.counted[found].origin if found in self.counted else found

    def is_top(self, node: ir.Node) -> bool:
        """Whether a node depends on nothing that blocks within the entry's bind."""
        return node.free <= self.top

    def is_row(self, node: ir.Node) -> bool:
        """Whether a node depends on a row of pieces."""
        return any(
            isinstance(self.found.get(parameter), RowPlace) or parameter in self.waiting
            for parameter in node.free
        )

    def path(self, node: ir.Node) -> tuple[ir.Multiloop, ...] | None:
        """The loops that a node is in, outermost first; None where it is in another block."""
        best: tuple[ir.Multiloop, ...] = ()
        for parameter in node.free:
            found = self.paths.get(parameter, ())
            if found is None:
                return None
            if len(found) > len(best):
                best = found
        return best

    def refuse(self, node: ir.Node, what: str, hint: str = ADVICE) -> NoReturn:
        """What a node does cannot be done in pieces."""
        span = self.graph.spans.get(node)
        if span is None:
            span = next((self.graph.spans[n] for n in node.operands if n in self.graph.spans), None)
        raise CogenError(
            f"the program cannot be distributed: {what}", span or self.entry.span, hint
        )

    # Places.

    def place(self, node: ir.Node) -> Place:
        found = self.found.get(node)
        if found is None:
            found = self.found[node] = self._place(node)
        return found

    def check(self, effect: ir.Node) -> int:
        """The round in which something is executed."""
        if isinstance(effect, ir.Region):
            self.parts(effect)
        else:
            self.checks[effect] = self.place(effect).round
        return self.checks[effect]

    def _place(self, node: ir.Node) -> Place:
        match node:
            case ir.Constant():
                return KnownPlace(0)
            case ir.Part():
                return self._part(node.node, node.index)
            case ir.Parameter():
                return self._parameter(node)
            case ir.Region():
                return self.together(node, self.parts(node))
        deps = [self.place(n) for n in (*node.operands, *node.certs)]
        if isinstance(node, ir.Trace) and not all(isinstance(place, KnownPlace) for place in deps):
            self.refuse(node, "what lies in pieces is traced", "trace what comes out of it")
        if node.is_scalar or node.has_effect:
            return self.together(node, deps)
        if any(isinstance(place, Pieces) for place in deps) or self._is_made(node):
            return self._of_pieces(node, deps)
        return self.together(node, deps)

    def together(self, node: ir.Node, deps: Sequence[Place]) -> Place:
        """The place of what needs all of these, none of them in pieces."""
        if any(isinstance(place, RowPlace) for place in deps):
            return RowPlace(max([place.usable for place in deps]))
        return KnownPlace(max([place.round for place in deps], default=0))

    def _is_made(self, node: ir.Node) -> bool:
        """Whether an array is made as long as the arrays in pieces are."""
        return (
            node.rows_operand == 0
            and self.root(node.operands[0]) is not None
            and not self.is_row(node)
        )

    def _of_pieces(self, node: ir.Node, deps: Sequence[Place]) -> Place:
        """The place of an array operation on pieces."""
        if any(isinstance(place, RowPlace) for place in deps):
            return self._of_row(node, deps)
        start = max([place.usable for place in deps])
        places = deps[: len(node.operands)]
        cut = [place for place in places if isinstance(place, Pieces)]
        axis, size = (cut[0].axis, cut[0].size) if cut else (0, node.operands[0])
        match node:
            case ir.Iota():
                return Pieces(max(start, self.offset(size)), 0, size)
            case ir.Replicate() if not cut or self.root(node.size) is None:
                return Pieces(start, axis + 1 if cut else 0, size)
            case ir.Copy():
                return Pieces(start, axis, size)
            case ir.Rearrange(order=order):
                return Pieces(start, order.index(axis), size)
            case ir.Index(indices=indices) if axis >= len(indices) and len(cut) == 1:
                return Pieces(start, axis - len(indices), size)
            case ir.Slice() if axis:
                return Pieces(start, axis, size)
            case ir.Reshape(sizes=sizes) if not axis and self.root(sizes[0]) is self.root(size):
                return Pieces(start, 0, size)
            case ir.Literal() if len(cut) == len(places) and len({c.axis for c in cut}) == 1:
                return Pieces(start, axis + 1, size)
            case ir.Concat() if axis and len(cut) == 2 and cut[1].axis == axis:
                return Pieces(start, axis, size)
            case ir.Index():
                self.refuse(node, "a single element or row of an array in pieces is read")
            case ir.Slice():
                self.refuse(
                    node,
                    "a part of an array in pieces is taken by its place",
                    "choose rows by a condition on their index, or pass the argument whole",
                )
        self.refuse(node, "an array in pieces is put together in another way than row by row")

    def _of_row(self, node: ir.Node, deps: Sequence[Place]) -> Place:
        """Within a loop over pieces only the row itself may be read."""
        places = deps[: len(node.operands)]
        cut = [k for k, place in enumerate(places) if isinstance(place, Pieces)]
        if isinstance(node, ir.Index) and cut == [0] and self.is_own(node):
            return RowPlace(max([place.usable for place in deps]))
        self.refuse(node, "for each row, other rows of an array in pieces are read")

    def is_own(self, node: ir.Index) -> bool:
        """Whether a row is read at the index of the loop over the pieces that it is in."""
        loop, place = self.rows.get(node.indices[0]), self.place(node.array)
        if loop is None or not isinstance(place, Pieces) or place.axis:
            return False
        return self.root(place.size) is self.root(self.cut_size(loop))

    def offset(self, size: ir.Node) -> int:
        """The first round whose kernels know the index at which a piece begins."""
        root = self.root(size)
        if root is None or root not in self.counted:
            return 1
        return self.begins(root).round + 1

    # Nodes with several results.

    def parts(self, node: ir.Region) -> tuple[Place, ...]:
        found = self.several.get(node)
        if found is None:
            found = self.several[node] = self._parts(node)
        return found

    def _part(self, node: ir.Region, index: int) -> Place:
        """The place of one result: that of the others may depend on it."""
        if isinstance(node, ir.Multiloop) and self.is_row(node):
            for number, y in enumerate(node.yields()):
                if y.first <= index < y.first + y.gives:
                    return self.row_loops.of(node).generator(number)
        return self.parts(node)[index]

    def _parameter(self, node: ir.Parameter) -> Place:
        """The place of what is bound in a block that is being gone through."""
        if node in self.waiting:
            self.refuse(
                self.waiting[node],
                "what a scan over pieces takes is computed together with what needs its result",
            )
        found = self.row_loops.running(node)
        return KnownPlace(0) if found is None else found  # of an operator over what is known

    def _parts(self, node: ir.Region) -> tuple[Place, ...]:
        if self.is_row(node):
            if isinstance(node, ir.Multiloop):
                return self.row_loops.of(node).all()
            return self._row_region(node)
        match node:
            case ir.Multiloop():
                return self._multiloop(node)
            case ir.If():
                return self._if(node)
            case ir.Loop():
                return self._loop(node)
            case ir.Call():
                deps = [self.place(n) for n in (*node.operands, *node.certs)]
                if any(isinstance(place, Pieces) for place in deps):
                    self.refuse(node, f"`{node.function}`, which calls itself, takes pieces")
                return self._at_once(node, deps)
        raise AssertionError(node)

    def _row_region(self, node: ir.Region) -> tuple[Place, ...]:
        """A conditional or sequential loop within a loop over pieces: it belongs to the row."""
        deps = [self.place(n) for n in (*node.operands, *node.certs)]
        for place in deps:
            if isinstance(place, Pieces):
                self.refuse(node, "for each row, all rows of an array in pieces are read")
        start = max([1, *[place.usable for place in deps]])
        inside = [self.bound(block, RowPlace(start)) for block in node.blocks]
        found = max([start, *[place.usable for places in inside for place in places]])
        self.checks[node] = found
        if any(isinstance(place, Pieces) for places in inside for place in places):
            self.refuse(node, "for each row, all rows of an array in pieces are read")
        return (RowPlace(found),) * len(node.results)

    def bound(self, block: ir.Block, place: Place) -> list[Place]:
        """The places of what a block does, where that of its parameters is known."""
        for parameter in block.binds:
            self.found.setdefault(parameter, place)
        for effect in block.effects:
            self.check(effect)
        return [self.place(n) for n in (*block.effects, *block.results)]

    def _if(self, node: ir.If) -> tuple[Place, ...]:
        deps = [self.place(n) for n in (*node.operands, *node.certs)]
        for block in node.blocks:
            self.paths[block.token] = None
        inside = [self.bound(block, KnownPlace(0)) for block in node.blocks]
        effects = [[self.place(e) for e in block.effects] for block in node.blocks]
        results = [places[len(e) :] for places, e in zip(inside, effects, strict=True)]
        common = [*deps, *[place for places in effects for place in places]]
        whole = [*common, *[place for places in results for place in places]]
        if not any(isinstance(place, Pieces) for place in whole):
            return self._at_once(node, whole)
        self.checks[node] = max([place.round for place in whole])
        return tuple([
            self._either(node, common, one, other) for one, other in zip(*results, strict=True)
        ])  # fmt: skip

    def _either(self, node: ir.If, common: list[Place], one: Place, other: Place) -> Place:
        if isinstance(one, Pieces) and isinstance(other, Pieces):
            alike = self.root(one.size) is self.root(other.size) and one.axis == other.axis
            if alike:
                start = max([place.usable for place in (*common, one, other)])
                return Pieces(start, one.axis, one.size)
        self.refuse(node, "a condition chooses between arrays that lie in different pieces")

    def _loop(self, node: ir.Loop) -> tuple[Place, ...]:
        deps = [self.place(n) for n in (*node.operands, *node.certs)]
        for place in deps:
            if isinstance(place, Pieces):
                self.refuse(node, "a sequential loop carries an array in pieces", SEQUENTIAL)
        for parameter in node.body.binds:
            self.paths[parameter] = None
        inside = self.bound(node.body, self.together(node, deps))
        for place in inside:
            if isinstance(place, Pieces):
                self.refuse(node, "a sequential loop makes arrays in pieces", SEQUENTIAL)
        return self._at_once(node, [*deps, *inside])

    def _at_once(self, node: ir.Region, needs: Sequence[Place]) -> tuple[Place, ...]:
        """The places of the results of what is carried out when all that it needs is known, whether
        or not it has results."""
        place = self.together(node, needs)
        self.checks[node] = place.round
        return (place,) * len(node.results)

    # Loops over arrays.

    def _multiloop(self, node: ir.Multiloop) -> tuple[Place, ...]:
        inputs = [self.place(n) for n in node.inputs]
        over = [p for p in inputs if isinstance(p, Pieces) and not p.axis]
        if over or self.root(node.size) is not None:
            return over_pieces(self, node, inputs)
        return self._over_known(node, inputs)

    def _over_known(self, node: ir.Multiloop, inputs: Sequence[Place]) -> tuple[Place, ...]:
        """A loop over something else, in which there may be loops over pieces."""
        outer = self.path(node)
        inner = None if outer is None else (*outer, node)
        size = self.place(node.size)
        common = [size, *[self.place(n) for n in node.certs]]
        start = KnownPlace(max([place.round for place in common]))
        for parameter in node.body.binds:
            self.found[parameter] = start
            self.paths[parameter] = inner
        for parameter, place in zip(node.elements, inputs, strict=True):
            if isinstance(place, Pieces):
                place = Pieces(place.round, place.axis - 1, place.size)
            self.found[parameter] = place
        for parameter in node.running:
            self.paths[parameter] = None
        checks = [self.check(effect) for effect in node.body.effects]
        self.checks[node] = max([start.round, *checks])
        found: list[Place] = []
        for y in node.yields():
            found += self._of_known(node, y, start)
            for parameter in y.running:
                self.found[parameter] = self._running(node, y, start)
        return tuple(found)

    def _running(self, node: ir.Multiloop, y: ir.Yield, start: KnownPlace) -> Place:
        """The place of what a scan over something else has accumulated."""
        taken = [n for n in (y.condition, *y.values, *y.extras) if n is not None]
        return self.together(node, [start, *map(self.place, taken)])

    def _of_known(self, node: ir.Multiloop, y: ir.Yield, start: KnownPlace) -> list[Place]:
        """The results of one generator of a loop over something else."""
        taken = [n for n in (y.condition, *y.taken, *y.extras) if n is not None]
        places = [self.place(n) for n in taken]
        if y.operator is not None:
            for parameter in y.operator.binds:
                self.paths[parameter] = None
            places += self.bound(y.operator, KnownPlace(0))
        cut = [place for place in places if isinstance(place, Pieces)]
        if not cut:
            return [self.together(node, [start, *places])] * y.gives
        if not y.generator.gives_all or not y.one_each:
            self.refuse(node, "whole columns of an array in pieces are combined with each other")
        return [
            Pieces(max(start.usable, place.usable), place.axis + 1, place.size)
            if isinstance(place, Pieces)
            else self.together(node, [start, place])
            for place in places
        ]

    def cut_size(self, node: ir.Multiloop) -> ir.Node:
        """The size along which what a loop over pieces takes is cut."""
        if self.root(node.size) is not None:
            return node.size
        for array in node.inputs:
            place = self.found[array]
            if isinstance(place, Pieces):
                return place.size
        raise AssertionError(node)

    def begins(self, root: ir.Node) -> RoundLift:
        """With how many elements each piece begins, of arrays that are cut as a count says."""
        count = self.counted[root]
        lift(self, count.loop, count.generator, "count", count.round, is_prefix=True)
        return self.lifts[count.loop, count.generator, "count"]
