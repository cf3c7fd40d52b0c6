"""What two pieces found -> what both found, as a kernel: places -> graph."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from cogen.array.distributed.building import Import, KernelBuilder, Open
from cogen.array.distributed.partkernels import PartKernel, finished, kept, layout_of
from cogen.array.distributed.pieceplaces import PiecePlaces
from cogen.array.distributed.roundplaces import RoundLift
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Emit,
    emits,
    is_hashed,
)
from cogen.array.ir.graphtypes import CERT as CERTIFICATE
from cogen.array.ir.graphtypes import INT as INTEGER
from cogen.array.ir.graphtypes import Type, element
from cogen.array.ir.graphtypes import array_of as rows_of
from cogen.array.ir.node import (
    Attribute,
    Block,
    Multiloop,
    Node,
    Parameter,
    Part,
    Yield,
    shape,
)


class Combiner(KernelBuilder):
    """What two pieces found -> what both found."""

    def __init__(self, places: PiecePlaces, round: int) -> None:
        super().__init__(places, round)
        self.index: dict[Node, Node] = {}

    def given(self, node: Node) -> Node | None:
        if isinstance(node, Parameter):
            if node in self.places.top:
                return self.known(node)
            for loop in self.index:
                assert isinstance(loop, Multiloop)
                if node in loop.elements:
                    array = self.node(loop.inputs[loop.elements.index(node)])
                    return self.graph.index(array, self.index[loop], certs=[self.token])
            return self.bound(node)
        if isinstance(node, Part):
            lift = self.places.lift_of(node)
            if lift is not None:
                return self.lifted(lift, node)
        if self.places.is_top(node) and node.free:
            return self.known(node)
        return None

    def executes(self, effect: Node) -> bool:
        return True

    def chosen(self, loop: Multiloop) -> list[int]:
        return list(range(len(loop.generators)))

    def side(self, kind: str, lift: RoundLift, k: int, t: Type) -> Parameter:
        """What one piece found."""
        return self.imports(Import(kind, None, k, lift), t, kind)

    def kernel(self, lifts: Sequence[RoundLift], name: str) -> PartKernel:
        exports: list[Hashable] = []
        results: list[Node] = []
        for lift in lifts:
            made = self.both(lift)
            exports += [(lift, k) for k in range(len(made))]
            results += made
        return finished(self, results, [layout_of(n) for n in results], exports, name)

    def beginning(self, lifts: Sequence[RoundLift], name: str) -> PartKernel:
        """The kernel that gives what the first piece begins with."""
        exports: list[Hashable] = []
        results: list[Node] = []
        for lift in lifts:
            neutral = [self.graph.integer(0)] if lift.what == "count" else self.neutral(lift)
            exports += [(lift, k) for k in range(len(neutral))]
            results += neutral
        return finished(self, results, [layout_of(n) for n in results], exports, name)

    def neutral(self, lift: RoundLift) -> list[Node]:
        found = self.all(lift.taken.extras)
        for loop in reversed(lift.path):
            size = self.node(loop.size)
            found = [self.graph.replicate(size, node) for node in found]
        return found

    def both(self, lift: RoundLift) -> list[Node]:
        y = lift.taken
        if lift.what == "count":
            sides = [self.side(kind, lift, 0, INTEGER) for kind in ("left", "right")]
            return [self.graph.operation("int.add", *sides)]
        if is_hashed(y.generator):
            return self.tables(lift, y)
        assert y.operator is not None
        sizes = [self.node(loop.size) for loop in lift.path]
        if y.generator.by_key:
            sizes.append(self.node(y.bound))
        types = [rows_of(self.typed(neutral.type), *sizes) for neutral in y.neutral]
        left = [self.sided("left", lift, k, t) for k, t in enumerate(types)]
        right = [self.sided("right", lift, k, t) for k, t in enumerate(types)]
        return self.over(lift.path, sizes, left, right, y.operator)

    def sided(self, kind: str, lift: RoundLift, k: int, t: Type) -> Parameter:
        """The same, of a type of this graph."""
        wanted = Import(kind, None, k, lift)
        self.imported[wanted] = made = self.graph.parameter(kind, t)
        return made

    def over(
        self, path: Sequence[Multiloop], sizes: Sequence[Node], left: Sequence[Node],
        right: Sequence[Node], operator: Block,
    ) -> list[Node]:  # fmt: skip
        """An operator on elements of arrays with these first sizes."""
        graph = self.graph
        if not sizes:
            return self.operate(operator, [*left, *right])
        index = graph.parameter("i", INTEGER)
        opened = Open(graph.parameter("here", CERTIFICATE))
        self.open.append(opened)
        bound: list[Parameter] = []
        if path:
            self.copies[path[0].index] = index
            self.copies[path[0].body.token] = opened.token
            self.index[path[0]] = index
            bound = list(path[0].body.binds)
        elements = [
            graph.parameter("x", rows_of(element(n.type), *shape(n)[1:])) for n in (*left, *right)
        ]
        inner = self.over(
            path[1:], sizes[1:], elements[: len(left)], elements[len(left) :], operator
        )
        self.open.pop()
        for node in opened.made:
            if node.free.isdisjoint(bound):
                self.open[-1].made.append(node)
            else:
                self.copies.pop(node, None)
        effects = tuple(opened.effects)
        body = Block(opened.token, (index, *elements), effects, streams=emits(inner))
        attributes = (len(elements), tuple([Collect(1)] * len(inner)))
        made = self.made(Multiloop, attributes, [sizes[0], *left, *right], [], (body,))
        return [graph.part(made, k) for k in range(len(inner))]

    def operate(self, operator: Block, arguments: Sequence[Node]) -> list[Node]:
        """The results of an operator, here."""
        outer = self.open[-1]
        opened = Open(outer.token, outer.effects)
        self.open.append(opened)
        self.copies[operator.token] = outer.token
        for parameter, argument in zip(operator.parameters, arguments, strict=True):
            self.copies[parameter] = argument
        self.effects(operator)
        results = self.all(operator.results)
        self.leave(operator)
        return results

    def tables(self, lift: RoundLift, y: Yield) -> list[Node]:
        """Tables by key: the keys side by side, and what has one key combined."""
        graph = self.graph
        assert y.operator is not None
        types: list[Type] = [element(key.type) for key in y.keys]
        types += [self.typed(n.type) for n in y.extras]
        sides = []
        for kind in ("left", "right"):
            length = self.imports(Import("dim", None, 0, lift) if kind == "left" else
                                  Import("dim", None, 1, lift), INTEGER, "length")  # fmt: skip
            sides.append([
                self.sided(kind, lift, k, rows_of(t, length)) for k, t in enumerate(types)
            ])  # fmt: skip
        whole = [graph.concat(left, right) for left, right in zip(*sides, strict=True)]
        index = graph.parameter("i", INTEGER)
        elements = [graph.parameter("x", t) for t in types]
        here = graph.parameter("here", CERTIFICATE)
        body = Block(here, (index, *elements), (), streams=(Emit(tuple(elements)),))
        generator = Bucket(len(y.values), keys=len(y.keys), hashed=True)
        blocks, extras = (body, self.block(y.operator)), self.all(y.extras)
        attributes: tuple[Attribute, ...] = (len(types), (generator,))
        made = self.made(Multiloop, attributes, [shape(whole[0])[0], *whole, *extras], [], blocks)
        return kept(generator, [graph.part(made, k) for k in range(len(made.results))])
