"""Kernels for devices that are no processors: neighbouring items touch neighbouring elements.

    reductions    item k of n does the iterations k, k + n, k + 2n ...; the items of a work group
                  put together what they found in local memory, as a tree, and one more kernel (or
                  the host's `join`) what the groups found
    maps of maps  an item for each element of the innermost map: item k of m columns is in row k / m

Both are further forms of the `main` kernel of a loop, which the host takes on such devices. The
first is for reductions in any order (`cogen.array.codegen.operators`) that cannot fail: an item
that leaves would never come to the barrier. The second is for maps whose sizes are known outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import Frame, key
from cogen.array.codegen.multiloop import LoopCode
from cogen.array.codegen.outputs import Output
from cogen.array.codegen.plan import Unsupported
from cogen.array.codegen.regions import Emit
from cogen.array.codegen.reps import Memory
from cogen.array.codegen.survey import all_statements
from cogen.array.loops import tree
from cogen.array.loops.build import ZERO, convert, less, load, more, natural, over, plus, same
from cogen.array.loops.tree import I64, THREAD, Binary, Combination, Const, Expr, Invoke, Var
from cogen.array.node import Assert, Collect, Index, Multiloop, Operation, Part, Reduce
from cogen.array.schedule import Statement
from cogen.array.types import element, rank

GROUP: Final = 256
"""The items of a work group that put together what they found."""

MOST_SHARED: Final = 8
"""The most accumulators: each takes local memory."""


def can_be_grouped(code: LoopCode) -> bool:
    """Whether a loop is reductions in any order, and collections, and cannot fail."""
    if any(isinstance(s.node, Assert) for s in all_statements(code.body)):
        return False
    count = 0
    for output in code.outputs:
        generator = output.y.generator
        if isinstance(generator, Reduce) and all(k is not None for k in output.known):
            count += generator.values
        elif not isinstance(generator, Collect) or generator.conditional:
            return False
    return 0 < count <= MOST_SHARED


def put_together(e: Emitter, outputs: Sequence[Output]) -> None:
    """Combine the accumulators of a group's items; the first item stores them."""
    item = e.define(THREAD, "item", Invoke("local_item", (), THREAD))
    shared: list[tuple[Var, Combination, Expr]] = []
    for output in outputs:
        if output.variables is None:
            continue
        for name, known, node, parts in zip(
            output.variables.names, output.known, output.y.neutral, output.parts, strict=True
        ):
            assert known is not None
            own = e.room(e.variable_type(element(node.type)), "shared", natural(GROUP), "local")
            e.assign(load(own, item), name)
            shared.append((own, known, parts))
    e.do("barrier")
    step = e.variable(THREAD, "step", Const(GROUP // 2, THREAD))
    with e.gathered() as made:
        combined = [
            tree.Store(own, item, known.combine(load(own, item), load(own, plus(item, step))))
            for own, known, _ in shared
        ]
        e.when(less(item, step), combined)
        e.do("barrier")
        e.assign(step, Const(2, THREAD), "/")
    e.add(tree.While(more(step, ZERO), tuple(made)))
    group = Invoke("group", (), I64)
    stored = [
        tree.Store(parts, group, convert(load(parts, group).type, load(own, ZERO)))
        for own, _, parts in shared
    ]
    e.when(same(item, ZERO), stored)


class Nest:
    """A map whose rows are made by a map, and so on inwards.

    Unsupported if a loop is none, or its sizes are not known outside.
    """

    def __init__(self, code: LoopCode, emit: Emit) -> None:
        self.code = code
        self.e = code.e
        self.emit = emit
        self.levels = list(_levels(code.statement))
        if len(self.levels) < 2:
            raise Unsupported("no map of maps")
        self.sizes = [self.e.sizes(output.y.values[0].type) for output in code.outputs]
        if any(sizes != self.sizes[0] for sizes in self.sizes):
            raise Unsupported("rows of different sizes")
        self.inner = self.sizes[0][: len(self.levels) - 1]
        if not all(isinstance(size, (Const, Var)) for size in self.inner):
            raise Unsupported("a size that is found inside")

    def body(self, part: Expr) -> None:
        """What one item does."""
        e = self.e
        rest = part
        indices: list[Expr] = []
        for size in reversed(self.inner):
            indices.append(e.define(I64, "j", Binary("%", rest, size)))
            rest = e.define(I64, "k", over(rest, size))
        indices.append(rest)
        self._level(0, list(reversed(indices)), [o.arrays for o in self.code.outputs])

    def _level(
        self, depth: int, indices: Sequence[Expr], arrays: Sequence[Sequence[Memory]]
    ) -> None:
        e = self.e
        statement = self.levels[depth]
        code = self.code if depth == 0 else LoopCode(e, statement, self.emit)
        if depth + 1 == len(self.levels):
            for output, found in zip(code.outputs, arrays, strict=True):
                output.arrays = list(found)
            code.iteration(indices[depth])
            return
        body = statement.blocks[0]
        e.frames.append(Frame(body.statements, body.block.results))
        code.bind_elements(indices[depth])
        for within in body.statements:
            if within.node is not self.levels[depth + 1].node:
                self.emit(e, within)
        rows: list[list[Memory]] = []
        for found in arrays:
            row = e.row(found[0], [indices[depth]])
            assert isinstance(row, Memory)
            rows.append([row])
        self._level(depth + 1, indices, rows)
        e.close()


def _levels(statement: Statement) -> Iterator[Statement]:
    """A map, the map that makes its rows, and so on."""
    while True:
        yield statement
        inner = _rows_of(statement)
        if inner is None:
            return
        statement = inner


def _rows_of(statement: Statement) -> Statement | None:
    """The map that makes the rows of a map, in order, where the rest is a few operations."""
    node = statement.node
    if not isinstance(node, Multiloop):
        return None
    values = [value for y in node.yields() for value in y.values]
    found: Statement | None = None
    for within in statement.blocks[0].statements:
        if isinstance(within.node, Multiloop) and found is None:
            found = within
        elif not isinstance(within.node, (Operation, Index)):
            return None
    if found is None or not _is_map(found.node) or statement.blocks[0].guarded:
        return None
    wanted = [
        isinstance(value, Part) and key(value) == (found.node, number) and rank(value.type) > 0
        for number, value in enumerate(values)
    ]
    assert isinstance(found.node, Multiloop)
    return found if all(wanted) and len(wanted) == len(found.node.results) else None


def _is_map(node: object) -> bool:
    return isinstance(node, Multiloop) and all(
        isinstance(g, Collect) and not g.conditional and g.values == 1 for g in node.generators
    )
