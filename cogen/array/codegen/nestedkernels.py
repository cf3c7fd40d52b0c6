"""Kernels for maps of maps: an item for each element of the innermost one.

Item k of m columns is in row k / m, so neighbouring items touch neighbouring elements. It is a
further form of the `main` kernel of a loop, which the host takes on devices that are no processors,
for maps whose sizes are known outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cogen.array.codegen.frames import Frame, key
from cogen.array.codegen.multiloop import LoopCode
from cogen.array.codegen.plan import Unsupported
from cogen.array.codegen.regions import Emit
from cogen.array.codegen.reps import Memory
from cogen.array.loops.build import over
from cogen.array.loops.tree import I64, Binary, Const, Expr, Var
from cogen.array.node import Collect, Index, Multiloop, Operation, Part
from cogen.array.schedule import Statement
from cogen.array.types import rank


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
