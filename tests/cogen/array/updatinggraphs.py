"""Random graphs that update arrays: in conditionals, in loops, in bodies and operators of loops.

No program in L0 says most of this, since its types refuse to use what is overwritten; but passes
may bring it about. Vectors have SIZE elements, matrices as many rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.generators import (
    Collect,
    Emit,
    Reduce,
    Scan,
    Scatter,
    StreamValue,
    When,
    emits,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT, GraphArray, Type
from cogen.array.ir.node import (
    Function,
    Module,
    Node,
    Parameter,
)
from cogen.array.l0.types import INT as INT_LAYOUT
from cogen.lang.errors import Source, Span

SIZE: Final = 3


@dataclass
class Values:
    """What there is at some place: vectors, matrices, numbers, and numbers that are indices."""

    vectors: list[Node]
    matrices: list[Node]
    numbers: list[Node]
    indices: list[Node]

    def inside(self, *indices: Node) -> Values:
        """The same in a block, with further indices."""
        numbers, own = [*self.numbers, *indices], [*self.indices, *indices]
        return Values([*self.vectors], [*self.matrices], numbers, own)


@dataclass
class Drawing:
    """Functions in a graph of their own."""

    random: Random
    graph: Graph = field(default_factory=Graph)

    def __post_init__(self) -> None:
        self.size = self.graph.integer(SIZE)
        self.vector = GraphArray(INT, (self.size,))
        self.matrix = GraphArray(INT, (self.size, self.size))

    def module(self, steps: int) -> Module:
        """A function of two vectors, two matrices (the first of each may be overwritten; sometimes
        these are all that it uses) and an int."""
        graph, scope = self.graph, BlockScope(self.graph)
        parameters = self.parameters(
            unique="um", u=self.vector, v=self.vector, m=self.matrix, w=self.matrix, k=INT
        )
        u, v, m, w, k = parameters
        constants: list[Node] = [graph.integer(i) for i in range(SIZE)]
        alone = self.random.random() < 0.5
        values = Values([u, v][: 2 - alone], [m, w][: 2 - alone], [k, *constants], constants)
        self.steps(scope, values, steps, 2)
        drawn = [self.some(values.vectors) for _ in range(2)]
        results = [*drawn, self.some(values.matrices), self.some(values.numbers)]
        return self.function(scope, parameters, results)

    def function(
        self, scope: BlockScope, parameters: Sequence[Parameter], results: Sequence[Node]
    ) -> Module:
        names = tuple([parameter.name for parameter in parameters])
        span = Span(Source("<drawn>", " "), 0, 0)
        body = scope.block(parameters, results)
        types = tuple([result.type for result in results])
        layouts = (INT_LAYOUT,) * len(names)
        effectful = bool(scope.effects)
        made = Function("main", body, 0, 0, types, names, layouts, INT_LAYOUT, span, effectful)
        return Module(made, {})

    def parameters(self, unique: str = "", **types: Type) -> list[Parameter]:
        return [self.graph.parameter(name, t, name in unique) for name, t in types.items()]

    def some(self, nodes: Sequence[Node]) -> Node:
        """One of some nodes, more often one of the last."""
        return self.random.choice(nodes if self.random.random() < 0.4 else nodes[-3:])

    def steps(self, scope: BlockScope, values: Values, count: int, depth: int) -> None:
        simple = [self.update, self.update, self.update_row, self.read, self.read, self.row]
        simple += [self.make, self.sum]
        nested = [self.conditional, self.loop, self.loop, self.map, self.reduction, self.scatter]
        for _ in range(count):
            if depth and self.random.random() < 0.4:
                self.random.choice(nested)(scope, values, depth - 1)
            else:
                self.random.choice(simple)(values)

    # What has no blocks.

    def update(self, values: Values) -> None:
        made = self.graph.update(
            self.some(values.vectors), (self.some(values.indices),), self.some(values.numbers)
        )
        values.vectors.append(made)

    def update_row(self, values: Values) -> None:
        index, matrix = self.some(values.indices), self.some(values.matrices)
        if self.random.random() < 0.5:
            made = self.graph.update(matrix, (index,), self.some(values.vectors))
        else:
            indices = (index, self.some(values.indices))
            made = self.graph.update(matrix, indices, self.some(values.numbers))
        values.matrices.append(made)

    def read(self, values: Values) -> None:
        made = self.graph.index(self.some(values.vectors), self.some(values.indices))
        values.numbers.append(made)

    def row(self, values: Values) -> None:
        made = self.graph.index(self.some(values.matrices), self.some(values.indices))
        values.vectors.append(made)

    def make(self, values: Values) -> None:
        graph = self.graph
        which = self.random.randrange(3)
        if which == 0:
            values.vectors.append(graph.copy(self.some(values.vectors)))
        elif which == 1:
            values.vectors.append(graph.replicate(self.size, self.some(values.numbers)))
        else:
            values.matrices.append(graph.replicate(self.size, self.some(values.vectors)))

    def sum(self, values: Values) -> None:
        x, y = self.some(values.numbers), self.some(values.numbers)
        values.numbers.append(self.graph.operation("int.add", x, y))

    # What has.

    def conditional(self, scope: BlockScope, values: Values, depth: int) -> None:
        condition = self.condition(values)
        blocks = []
        for _ in range(2):
            inner, own = scope.inner(), values.inside()
            self.steps(inner, own, self.random.randrange(3), depth)
            blocks.append(inner.block((), self.pair(own)))
        made = scope.if_(condition, blocks[0], blocks[1], (self.vector, self.matrix))
        self.keep(values, self.graph.parts(made))

    def loop(self, scope: BlockScope, values: Values, depth: int) -> None:
        inner = scope.inner()
        index, *carried = self.parameters(i=INT, p=self.vector, q=self.vector, r=self.matrix)
        own = values.inside(index)
        self.keep(own, carried)
        self.steps(inner, own, self.random.randrange(1, 4), depth)
        results = [self.some(own.vectors), *self.pair(own)]
        body = inner.block([index, *carried], results)
        initial = [self.some(values.vectors), *self.pair(values)]
        self.keep(values, self.graph.parts(scope.loop(self.size, initial, body)))

    def map(self, scope: BlockScope, values: Values, depth: int) -> None:
        """Over the rows of a matrix; its rows, or some numbers."""
        conditional = self.random.random() < 0.5
        inner = scope.inner()
        index, row = self.parameters(i=INT, p=self.vector)
        own = values.inside(index)
        self.keep(own, [row])
        self.steps(inner, own, self.random.randrange(1, 4), depth)
        taken = [self.some(own.numbers), self.some(own.vectors)]
        streams: list[StreamValue] = [*emits(taken)]
        if conditional:
            condition = self.condition(own)
            streams.append(When(condition, Emit((self.reads(own),))))
        generators = [Collect(1)] * len(streams)
        body = inner.body([index, row], streams)
        matrix = self.some(values.matrices)
        made = scope.multiloop(self.size, [matrix], generators, [], [body])
        self.keep(values, self.graph.parts(made)[:2])

    def reduction(self, scope: BlockScope, values: Values, depth: int) -> None:
        """Of the rows of a matrix, and what the body makes of them; or what a scan makes."""
        inner, operator = scope.inner(), scope.inner()
        vector = self.vector
        index, row, x, y = self.parameters(i=INT, p=vector, x=vector, y=vector)
        own = values.inside(index)
        self.keep(own, [row])
        self.steps(inner, own, self.random.randrange(2), depth)
        body = inner.body([index, row], emits([self.some(own.vectors)]))
        own = values.inside()
        self.keep(own, [y, x])
        self.steps(operator, own, self.random.randrange(1, 4), depth)
        block = operator.block([x, y], [self.some(own.vectors)])
        kind = self.random.choice([Reduce(1), Reduce(1), Scan(1)])
        extras, inputs = [self.some(values.vectors)], [self.some(values.matrices)]
        made = scope.multiloop(self.size, inputs, [kind], extras, [body, block])
        self.keep(values, self.graph.parts(made))

    def scatter(self, scope: BlockScope, values: Values, depth: int) -> None:
        inner = scope.inner()
        index, x = self.parameters(i=INT, x=INT)
        own = values.inside(index)
        own.numbers.append(x)
        self.steps(inner, own, self.random.randrange(2), 0)
        taken = (self.some(own.indices), self.some(own.numbers))
        body = inner.body([index, x], [Emit(taken)])
        source, target = self.some(values.vectors), self.some(values.vectors)
        made = scope.multiloop(self.size, [source], [Scatter(1)], [target], [body])
        self.keep(values, self.graph.parts(made))

    def reads(self, values: Values) -> Node:
        """A number that needs an update, and what is overwritten or not."""
        self.update(values)
        read = [self.graph.index(a, self.some(values.indices)) for a in self.several(values)]
        return self.graph.operation("int.add", *read)

    def several(self, values: Values) -> list[Node]:
        return [values.vectors[-1], self.some(values.vectors)]

    def condition(self, values: Values) -> Node:
        x, y = self.some(values.numbers), self.some(values.numbers)
        return self.graph.operation("int.lt", x, y)

    def pair(self, values: Values) -> list[Node]:
        return [self.some(values.vectors), self.some(values.matrices)]

    def keep(self, values: Values, nodes: Sequence[Node]) -> None:
        """Add vectors and matrices to what there is."""
        for node in nodes:
            (values.vectors if node.type == self.vector else values.matrices).append(node)
