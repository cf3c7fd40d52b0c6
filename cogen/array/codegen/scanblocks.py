"""Scans block by block: the values of a block, its prefixes, then what uses them.

    for each block of the iterations
        for each iteration      what does not need accumulated values; those to scan into a buffer
        scan the buffer         `cogen.array.codegen.prefix`
        for each iteration      what needs accumulated values

so that all loops are vectors'. It takes a loop without conditions whose body is plain operations
and whose scans have operators that the compiler knows. Values that the second loop needs of the
first are kept in buffers, so nothing is computed twice. The additions of a scan are grouped in
another way than in the source, as those of a reduction are: L0 demands operators that are
associative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import Frame, inner, key
from cogen.array.codegen.operators import all_known
from cogen.array.codegen.reps import Scalar
from cogen.array.codegen.survey import is_flat_body
from cogen.array.loops import tree
from cogen.array.loops.build import ONE, ZERO, less, load, minus, natural, over, plus, times
from cogen.array.loops.tree import I64, Combination, Const, Expr, Invoke, Var
from cogen.array.node import Collect, Multiloop, Node, Reduce, Region, Scan
from cogen.array.schedule import Statement
from cogen.array.types import Scalar as ScalarType
from cogen.array.types import element, rank

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode, Output

BLOCK: Final = natural(16)
"""Iterations of a block: so few that the processor begins the next one while it waits for memory,
and a number that C's compiler knows, so that it keeps the buffer in registers."""

LONG_BLOCK: Final = Invoke("block", (), I64)
"""Iterations of a block whose accumulated values a second loop reads."""

VECTORS: Final = (tree.I64, tree.F64, tree.I32, tree.F32)
"""The types of elements that are scanned in vectors."""


def scans_in_blocks(
    e: Emitter, statement: Statement, known: Sequence[Sequence[Combination | None]]
) -> bool:
    """Whether a loop has a scan and is of the form that this module takes."""
    node = statement.node
    assert isinstance(node, Multiloop)
    scans = 0
    running = frozenset(node.running)
    for y, operators in zip(node.yields(), known, strict=True):
        if y.generator.conditional or any(rank(value.type) for value in y.values):
            return False
        match y.generator:
            case Collect():
                pass
            case Reduce() if all_known(operators):
                pass
            case Scan() if all_known(operators):
                scans += 1
                if any(_depends(value, running) for value in y.values):
                    return False
                if any(e.element_type(element(value.type)) not in VECTORS for value in y.values):
                    return False
            case _:
                return False
    return scans > 0 and not statement.blocks[0].guarded and is_flat_body(statement)


def _depends(node: Node, parameters: frozenset[Node]) -> bool:
    return node in parameters or not node.free.isdisjoint(parameters)


class ScanBlocks:
    """The code of one such loop."""

    def __init__(self, code: LoopCode) -> None:
        self.code = code
        self.e: Emitter = code.e
        running = frozenset(code.node.running)
        statements = code.body.statements
        self.first = [s for s in statements if not _depends(s.node, running)]
        self.second = [s for s in statements if _depends(s.node, running)]
        self.scans = [o for o in code.outputs if isinstance(o.y.generator, Scan)]
        rest = [o for o in code.outputs if o not in self.scans]
        self.late = [o for o in rest if any(_depends(v, running) for v in o.y.values)]
        self.early = [o for o in rest if o not in self.late]

    def loop(self, start: Expr, stop: Expr) -> None:
        """The loop from one index up to before another."""
        e = self.e
        block = LONG_BLOCK if self.late else BLOCK
        blocks = times(over(minus(stop, start), block), block)
        whole = e.define(I64, "whole", plus(start, blocks))
        begin = e.index("begin")
        with e.gathered() as made:
            self._block(begin, block, block)
        e.count(begin, start, whole, made, block)
        with e.gathered() as made:
            count = e.define(I64, "count", minus(stop, whole))
            self._block(whole, count, block)
        e.when(less(whole, stop), made)

    def _block(self, begin: Expr, count: Expr, room: Expr) -> None:
        """A block of at most `room` iterations."""
        buffers = [
            [self._buffer(element(value.type), room) for value in output.y.values]
            for output in self.scans
        ]
        kept = {value: self._buffer(t, room) for value, t in self._crossing().items()}
        self._before(begin, count, buffers, kept)
        scanned = [
            self._scan(output, names, begin, count)
            for output, names in zip(self.scans, buffers, strict=True)
        ]
        if self.late:
            self._after(begin, count, scanned, kept)

    def _buffer(self, t: ScalarType, room: Expr) -> Var:
        return self.e.room(self.e.element_type(t), "held", room)

    def _crossing(self) -> dict[tuple[Node, int], ScalarType]:
        """What the first loop computes and the second needs: a node, the number of its result."""
        needed: set[object] = set()
        for statement in self.second:
            needed.update(map(key, statement.node.operands))
            needed |= inner(statement)
        for output in self.late:
            needed.update(map(key, output.y.values))
        found: dict[tuple[Node, int], ScalarType] = {}
        for statement in self.first:
            node = statement.node
            if isinstance(node, Region):
                for number, t in enumerate(node.results):
                    if (node, number) in needed:
                        found[node, number] = element(t)
            elif node in needed:
                found[node, 0] = element(node.type)
        return found

    def _iterations(
        self, begin: Expr, count: Expr, outputs: Iterable[Output],
        body: Sequence[tree.Statement], offset: Var, index: Var,
    ) -> None:  # fmt: skip
        """A loop of vectors over the iterations of a block."""
        at = tree.Let(index, plus(begin, offset))
        mark = replace(self.code.lanes(outputs), few=True)
        self.e.count(offset, ZERO, count, [at, *body], mark=mark)

    def _before(
        self,
        begin: Expr,
        count: Expr,
        buffers: Sequence[Sequence[Var]],
        kept: dict[tuple[Node, int], Var],
    ) -> None:
        """The loop that makes the values to scan, and all that needs no accumulated values."""
        e, code = self.e, self.code
        offset, index = e.index("k"), e.index(code.node.index.name)
        with e.gathered() as made:
            e.frames.append(Frame(self.first))
            code.bind_elements(index)
            e.statements(self.first, code.emit)
            for output, names in zip(self.scans, buffers, strict=True):
                for name, value in zip(names, output.y.values, strict=True):
                    e.assign(load(name, offset), e.scalar_of(value))
            for (node, number), name in kept.items():
                rep = e.values[(node, number) if isinstance(node, Region) else node]
                assert isinstance(rep, Scalar)
                e.assign(load(name, offset), rep.value)
            for output in self.early:
                code.take(output, index)
            e.close()
        self._iterations(begin, count, self.early, made, offset, index)

    def _scan(self, output: Output, names: Sequence[Var], begin: Expr, count: Expr) -> list[Expr]:
        """Scan the buffers of a generator, into its arrays if it has some; the pointers to what
        has been accumulated."""
        e = self.e
        assert output.variables is not None
        found: list[Expr] = []
        for number, (held, sum_, value, known) in enumerate(
            zip(names, output.variables.names, output.y.values, output.known, strict=True)
        ):
            assert known is not None
            assert isinstance(sum_, Var)
            target: Expr = held
            array = output.arrays[number] if output.arrays else None
            if array is not None and array.strides == (ONE,):
                target = e.point(array.element, "part", plus(array.data, begin))
            t = e.element_type(element(value.type))
            left, right = Var("left", t), Var("right", t)
            combined = known.combine(left, right)
            name = _function(e, combined)
            neutral = None if known.identity is None else Const(known.identity, t)
            e.add(tree.Scan(sum_, name, count, held, target, left, right, combined, neutral))
            found.append(target)
            if array is not None and target == held:
                with e.gathered() as made:
                    offset = e.index("k")
                    e.put(array, [plus(begin, offset)], Scalar(load(held, offset)))
                e.count(offset, ZERO, count, made)
        return found

    def _after(
        self,
        begin: Expr,
        count: Expr,
        scanned: Sequence[Sequence[Expr]],
        kept: dict[tuple[Node, int], Var],
    ) -> None:
        """The loop that uses accumulated values."""
        e, code = self.e, self.code
        offset, index = e.index("k"), e.index(code.node.index.name)
        with e.gathered() as made:
            e.frames.append(Frame(self.second))
            code.bind_elements(index)
            for output, names in zip(self.scans, scanned, strict=True):
                for parameter, name in zip(output.y.running, names, strict=False):
                    t = element(parameter.type)
                    e.bind(parameter, e.scalar(load(name, offset), t, "sum"))
            for (node, number), name in kept.items():
                t = element(node.results[number] if isinstance(node, Region) else node.type)
                place = (node, number) if isinstance(node, Region) else node
                e.bind_key(place, e.scalar(load(name, offset), t, "kept"))
            e.statements(self.second, code.emit)
            for output in self.late:
                code.take(output, index)
            e.close()
        self._iterations(begin, count, self.late, made, offset, index)


def _function(e: Emitter, combined: Expr) -> str:
    """The name of the function that scans with an operator."""
    found = e.program.prefixes.get(combined)
    if found is None:
        found = e.program.prefixes[combined] = e.fresh("scan")
    return found
