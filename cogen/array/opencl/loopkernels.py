"""The kernels of a loop over arrays; which there are says `cogen.array.opencl.loopsaskernels`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cogen.array.codegen import representations as reps
from cogen.array.codegen import sharingout as sharing
from cogen.array.codegen.emitter import NewVariables
from cogen.array.codegen.frames import Frame
from cogen.array.codegen.generatorcode import Output
from cogen.array.codegen.multiloop import LoopCode
from cogen.array.codegen.representations import Scalar
from cogen.array.codegen.survey import can_share
from cogen.array.ir.graphtypes import ArrayType, element, rank
from cogen.array.ir.graphtypes import Scalar as ScalarType
from cogen.array.ir.node import (
    Collect,
    Multiloop,
    Reduce,
    Scan,
    Scatter,
    combines,
)
from cogen.array.loops import tree
from cogen.array.loops.cut import Buffers, Cut, in_lanes
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    convert,
    load,
    minus,
    over,
    plus,
    times,
)
from cogen.array.loops.flatten import flattened
from cogen.array.loops.group_reductions import GROUP as TOGETHER
from cogen.array.loops.group_reductions import grouped
from cogen.array.loops.group_tables import in_groups
from cogen.array.loops.printopencl import PART, PARTS
from cogen.array.loops.tree import I64, Block, Expr, Var
from cogen.array.opencl.kernelemitter import Kernels, emit, size_text
from cogen.array.opencl.kernelplan import KernelPlan, is_finished_later

ORDER: Final = (
    "totals", "before", "main", "lanes", "groups", "buckets", "nest", "join", "finish", "merge",
)  # fmt: skip
"""In which order kernels stand in the text; lanes, groups, buckets and nest are forms of main."""


class LoopKernels(Kernels):
    """The kernels of a Multiloop."""

    def plan(self) -> KernelPlan:
        e, statement = self.emitter, self.statement
        node = statement.node
        assert isinstance(node, Multiloop)
        self.code = LoopCode(e, statement, emit)
        code = self.code
        self.made.shared = can_share(statement)
        generators = [y.generator for y in node.yields()]
        self.made.plain = self.made.shared and all(
            (isinstance(g, Collect) or is_finished_later(g)) and not g.conditional
            for g in generators
        )
        for number, output in enumerate(code.outputs):
            self._buffers(number, output)
        if self.made.shared:
            self._cut()
        else:
            self.kernel("main", self._main)
        self.bodies = {what: self.bodies[what] for what in ORDER if what in self.bodies}
        return self.finish()

    def _cut(self) -> None:
        """The kernels of a loop that its items share out."""
        code = self.code
        generators = [output.yielded.generator for output in code.outputs]
        cut = Cut(self._whole(), self._join_buffers(), NewVariables(self.emitter.names))
        forms: dict[str, tuple[Block | None, Expr | None]] = {
            "totals": (cut.totals(), PARTS),
            "before": (cut.before(), PARTS),
            "main": (self._each(cut) if self.made.plain else cut.main(), PARTS),
            "join": (cut.join(), PARTS),
            "finish": (cut.finish(), PARTS),
            "merge": (cut.merge(), cut.most_keys()),
        }
        off = self.unit.off
        if all(isinstance(g, (Reduce, Collect)) for g in generators):
            if "item-lanes" not in off:
                forms["lanes"] = (in_lanes(cut, self.emitter.program.arithmetic), PARTS)
            if "item-groups" not in off:
                forms["groups"] = (grouped(cut), None)
        if all(map(combines, generators)) and "group-tables" not in off:
            forms["buckets"] = (in_groups(cut), None)
        if self.made.plain and "item-nests" not in off:
            forms["nest"] = (self._nested(cut), PARTS)
        for what, (body, items) in forms.items():
            if body:
                self.bodies[what] = (items, body)
        if "groups" in self.bodies:
            self.made.attributes["groups"] = f"reqd_work_group_size({TOGETHER}, 1, 1)"

    def _whole(self) -> tree.For:
        """The loop over all iterations, with what must be known to share it out."""
        code, e = self.code, self.emitter
        index = e.index(code.node.index.name)
        outer, e.iteration = e.iteration, index
        e.frames.append(Frame(()))
        with e.gathered():  # what each item has of its own
            for output in code.outputs:
                code.accumulators(output)
                if output.counted:
                    output.count = e.variable(I64, "count", ZERO)
            with e.gathered() as made:
                code.iteration(index)
            joins = tuple(sharing.joins(code))
        e.close()
        e.iteration = outer
        shared = tree.Sharing(ZERO, 0, joins)
        return tree.For(index, ZERO, code.size, ONE, tuple(made), None, shared)

    def _join_buffers(self) -> list[Buffers]:
        """What each join has in buffers: as `sharing.joins` orders them, tables by keys last."""
        found: list[Buffers] = []
        for number, output in enumerate(self.code.outputs):
            if output.counts is not None:
                moved = [
                    self.buffer(array.element, "moved", number, place, "kept")
                    for place, array in enumerate(output.arrays)
                ]
                found.append(Buffers((output.counts,), tuple(moved)))
            elif output.parts and not combines(output.yielded.generator):
                found.append(Buffers(tuple(output.parts)))
        for outputs in sharing.same_keys(self.code.outputs):
            found.append(Buffers(tuple([name for output in outputs for name in output.parts])))
        return found

    def _buffers(self, number: int, output: Output) -> None:
        """Parameters for what a generator makes."""
        e, generator, node = self.emitter, output.yielded.generator, self.code.node
        stored = not isinstance(generator, Scan) or generator.stored
        by_key = combines(generator)
        if (isinstance(generator, (Collect, Scan)) or by_key) and stored:
            for place, value in enumerate(output.yielded.values):
                t = node.results[output.places[place]]
                assert isinstance(t, ArrayType)
                name = self.buffer(t.element, "output", number, place, "y")
                rows = e.sizes(value.type)
                outer = self.code.size
                if by_key:
                    outer, rows = (
                        e.extent(output.yielded.bound),
                        e.sizes(output.yielded.neutral[place].type),
                    )
                output.arrays.append(reps.dense(t.element, name, (outer, *rows)))
        if is_finished_later(generator):
            for place, value in enumerate(output.yielded.taken):
                t = element(value.type)
                name = self.buffer(t, "taken", number, place, "taken")
                shape = (self.code.size, *e.sizes(value.type))
                output.arrays.append(reps.dense(t, name, shape))
            output.finished_later = True
        if isinstance(generator, Scatter):
            for place, target in enumerate(output.yielded.extras):
                name = self.buffer(element(target.type), "target", number, place, "y")
                shape = e.array(target).shape
                output.arrays.append(reps.dense(element(target.type), name, shape))
        if isinstance(generator, (Reduce, Scan)):
            for place, neutral in enumerate(output.yielded.neutral):
                t = element(neutral.type)
                role = "row" if rank(neutral.type) else "parts"
                output.parts.append(self.buffer(t, role, number, place, "parts"))
        if by_key and self.made.shared:
            for place, neutral in enumerate(output.yielded.neutral):
                name = self.buffer(element(neutral.type), "own", number, place, "own")
                output.parts.append(name)
        if output.counted:
            output.counts = self.buffer(_INT, "counts", number, 0, "counts")

    # Main.

    def _range(self) -> tuple[Var, Var]:
        size = self.code.size
        start = self.emitter.define(I64, "start", over(times(size, PART), PARTS))
        stop = over(times(size, plus(PART, ONE)), PARTS)
        return start, self.emitter.define(I64, "stop", stop)

    def _loop(self, start: Expr, stop: Expr, body: Callable[[Expr], None]) -> None:
        e = self.emitter
        index = e.index(self.code.node.index.name)
        outer, e.iteration = e.iteration, index
        with e.gathered() as made:
            body(index)
        e.iteration = outer
        e.count(index, start, stop, made)

    def _each(self, cut: Cut) -> Block:
        """One iteration for each item; items take turns where each has memory of its own."""
        self.made.turns = bool(self.made.scratch) or self.made.fails
        if self.made.turns:
            return (cut.own(PART, self.code.size, PARTS),)
        return (tree.Let(cut.loop.index, PART), *cut.loop.body)

    def _main(self) -> None:
        """All iterations, by the only item."""
        code, e = self.code, self.emitter
        start, stop = self._range()
        for output in code.outputs:
            if combines(output.yielded.generator):
                for array, neutral in zip(output.arrays, output.yielded.neutral, strict=True):
                    e.fill(array, e.rep(neutral))
            elif isinstance(output.yielded.generator, (Reduce, Scan)):
                code.accumulators(output)
            if output.counted:
                output.count = e.variable(I64, "count", start)
        self._loop(start, stop, code.iteration)
        for output in code.outputs:
            if output.variables is not None:
                self._keep(output)
            if output.counts is not None:
                place = load(output.counts, PART)
                e.assign(place, convert(place.type, minus(output.count, start)))

    def _nested(self, cut: Cut) -> Block | None:
        """Another form of `main`: an item for each element of the rows."""
        if self.made.turns:
            return None
        found = flattened(cut.loop, PART, self.emitter.is_known_size, cut.items.names)
        if found is None:
            return None
        self.made.columns = tuple(map(size_text, found.columns))
        return found.body

    def _keep(self, output: Output) -> None:
        """Store the accumulators."""
        e = self.emitter
        assert output.variables is not None
        shapes = [e.sizes(node.type) for node in output.yielded.neutral]
        found = output.variables.reps(shapes, held=False)
        for parts, rep, node, shape in zip(
            output.parts, found, output.yielded.neutral, shapes, strict=True
        ):
            if isinstance(rep, Scalar):
                place = load(parts, PART)
                e.assign(place, convert(place.type, rep.value))
            else:
                e.copy(reps.dense(element(node.type), parts, shape), rep)


_INT: Final = ScalarType("int", 64)
