"""The kernels of a loop over arrays; which there are says `cogen.array.opencl.loopsaskernels`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from cogen.array.codegen import representations
from cogen.array.codegen import sharingout as sharing
from cogen.array.codegen.frames import MemoryFrame
from cogen.array.codegen.generatorcode import Output
from cogen.array.codegen.multiloop import LoopCode
from cogen.array.codegen.representations import ScalarRep
from cogen.array.codegen.survey import can_share
from cogen.array.ir.generators import (
    Collect,
    Reduce,
    Scan,
    combines,
)
from cogen.array.ir.graphtypes import GraphArray, ScalarType, element, rank
from cogen.array.ir.node import Multiloop
from cogen.array.loops import tree
from cogen.array.loops.copying import NewVariables
from cogen.array.loops.cut import Buffers, Cut
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
from cogen.array.loops.kernel_forms import ItemLoop, forms
from cogen.array.loops.printopencl import PART, PARTS
from cogen.array.loops.tree import I64, Expr, Var
from cogen.array.opencl.kernelemitter import Kernels, emit, size_text
from cogen.array.opencl.kernelplan import KernelPlan, is_finished_later


class LoopKernels(Kernels):
    """The kernels of a Multiloop."""

    def plan(self) -> KernelPlan:
        e, statement = self.emitter, self.statement
        node = statement.node
        assert isinstance(node, Multiloop)
        self.code = LoopCode(e, statement, emit)
        code = self.code
        self.made.shared = can_share(statement) and "cut" not in self.unit.off
        self.made.plain = self.made.shared and all(
            (y.generator.gives_all or is_finished_later(y.generator)) and not y.conditional
            for y in node.yields()
        )
        for number, output in enumerate(code.outputs):
            self._buffers(number, output)
        if self.made.shared:
            self._cut()
        else:
            self.kernel("main", self._main)
        return self.finish()

    def _cut(self) -> None:
        """The kernels of a loop that its items share out."""
        made = self.made
        generators = [output.yielded.generator for output in self.code.outputs]
        cut = Cut(self._whole(), self._join_buffers(), NewVariables(self.emitter.names))
        made.turns = made.plain and (bool(made.scratch) or made.fails)
        loop = ItemLoop(
            cut,
            self.emitter.program.arithmetic,
            self.emitter.is_known_size,
            made.plain,
            made.turns,
            all(isinstance(g, (Reduce, Collect)) for g in generators),
            all(map(combines, generators)),
        )
        self.bodies = forms(loop, self.unit.off, self.done)
        if "nest" in self.bodies:
            made.columns = tuple(map(size_text, self.bodies["nest"].columns))

    def _whole(self) -> tree.For:
        """The loop over all iterations, with what must be known to share it out."""
        code, e = self.code, self.emitter
        index = e.index(code.node.index.name)
        outer, e.iteration = e.iteration, index
        e.frames.append(MemoryFrame(()))
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
        whole = tree.For(index, ZERO, code.size, ONE, tuple(made), None, shared)
        (loop,) = self.without_jumps((whole,))
        assert isinstance(loop, tree.For)
        return replace(loop, body=self.in_place(loop.body, joins))

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
        stored = not generator.gives_each or output.yielded.gives > 0
        by_key = combines(generator)
        if (isinstance(generator, (Collect, Scan)) or by_key) and stored:
            y = output.yielded
            for place, value in enumerate(y.neutral if generator.has_operator else y.values):
                t = node.results[output.places[place]]
                assert isinstance(t, GraphArray)
                name = self.buffer(t.element, "output", number, place, "y")
                rows = e.sizes(value.type)
                outer = e.extent(y.bound) if by_key else self.code.size
                output.arrays.append(representations.dense(t.element, name, (outer, *rows)))
        if is_finished_later(generator):
            for place, value in enumerate(output.yielded.taken):
                t = element(value.type)
                name = self.buffer(t, "taken", number, place, "taken")
                shape = (self.code.size, *e.sizes(value.type))
                output.arrays.append(representations.dense(t, name, shape))
            output.finished_later = True
        if generator.overwrites:
            for place, target in enumerate(output.yielded.extras):
                name = self.buffer(element(target.type), "target", number, place, "y")
                shape = e.array(target).shape
                output.arrays.append(representations.dense(element(target.type), name, shape))
        if generator.accumulates:
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

    def _main(self) -> None:
        """All iterations, by the only item."""
        code, e = self.code, self.emitter
        start, stop = self._range()
        for output in code.outputs:
            if combines(output.yielded.generator):
                for array, neutral in zip(output.arrays, output.yielded.neutral, strict=True):
                    e.fill(array, e.rep(neutral))
            elif output.yielded.generator.accumulates:
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

    def _keep(self, output: Output) -> None:
        """Store the accumulators."""
        e = self.emitter
        assert output.variables is not None
        shapes = [e.sizes(node.type) for node in output.yielded.neutral]
        found = output.variables.representations(shapes, held=False)
        for parts, rep, node, shape in zip(
            output.parts, found, output.yielded.neutral, shapes, strict=True
        ):
            if isinstance(rep, ScalarRep):
                place = load(parts, PART)
                e.assign(place, convert(place.type, rep.value))
            else:
                e.copy(representations.dense(element(node.type), parts, shape), rep)


_INT: Final = ScalarType("int", 64)
