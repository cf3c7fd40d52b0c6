"""The kernels of a loop over arrays; which there are says `cogen.array.codegen.kernels`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.codegen import bucketkernels, reps
from cogen.array.codegen.emitter import NewVariables
from cogen.array.codegen.groupkernels import GROUP as TOGETHER
from cogen.array.codegen.groupkernels import Nest, can_be_grouped, put_together
from cogen.array.codegen.kernelemitter import Kernels, emit, size_text
from cogen.array.codegen.lanes import Lanes, NoLanes
from cogen.array.codegen.multiloop import LoopCode
from cogen.array.codegen.outputs import Output
from cogen.array.codegen.plan import Plan, Unsupported
from cogen.array.codegen.reps import Memory, Rep, Scalar
from cogen.array.codegen.survey import can_share
from cogen.array.loops import tree
from cogen.array.loops.build import (
    ONE,
    ZERO,
    choose,
    convert,
    less,
    load,
    minus,
    over,
    plus,
    same,
    times,
)
from cogen.array.loops.joining import at, combined, folded, kept, starts, summed_before, with_before
from cogen.array.loops.opencl import PART, PARTS
from cogen.array.loops.tree import I64, Expr, Var
from cogen.array.node import (
    Bucket,
    Collect,
    Distinct,
    Group,
    Multiloop,
    Reduce,
    Scan,
    Scatter,
)
from cogen.array.types import ArrayType, element, rank
from cogen.array.types import Scalar as ScalarType


class LoopKernels(Kernels):
    """The kernels of a Multiloop."""

    def plan(self) -> Plan:
        e, statement = self.e, self.statement
        node = statement.node
        assert isinstance(node, Multiloop)
        self.code = LoopCode(e, statement, emit)
        code = self.code
        self.made.shared = can_share(statement, (Group, Distinct))
        generators = [y.generator for y in node.yields()]
        collects = all(isinstance(g, Collect) for g in generators)
        self.made.plain = self.made.shared and all(
            isinstance(g, (Collect, Group, Distinct)) and not g.conditional for g in generators
        )
        for number, output in enumerate(code.outputs):
            self._buffers(number, output)
        self.names = NewVariables(e.names)
        self.operators: dict[int, tree.Operator] = {}
        running = [output for output in code.outputs if output.running]
        if running and self.made.shared:
            self.kernel("totals", lambda: self._totals(running[0]))
            self.kernel("before", lambda: self._alone(lambda: self._before(running[0])))
        self.kernel("main", lambda: self._main(running))
        if self.made.shared:
            self._lanes()
            self._grouped()
            if bucketkernels.can_group(code.outputs):
                self._shared_buckets()
        if self.made.plain and not self.made.turns and collects:
            self._nested()
        if self.made.shared and not self.made.plain:
            self._joins()
        return self.finish()

    def _buffers(self, number: int, output: Output) -> None:
        """Parameters for what a generator makes."""
        e, generator, node = self.e, output.y.generator, self.code.node
        stored = not isinstance(generator, Scan) or generator.stored
        if isinstance(generator, (Collect, Scan, Bucket)) and stored:
            for place, value in enumerate(output.y.values):
                t = node.results[output.places[place]]
                assert isinstance(t, ArrayType)
                name = self.buffer(t.element, "output", number, place, "y")
                rows = e.sizes(value.type)
                outer = self.code.size
                if isinstance(generator, Bucket):
                    outer, rows = (
                        e.extent(output.y.extras[0]),
                        e.sizes(output.y.neutral[place].type),
                    )
                output.arrays.append(reps.dense(t.element, name, (outer, *rows)))
        if isinstance(generator, (Group, Distinct)):
            key = output.y.key
            taken = output.y.values if key is None else (key, *output.y.values)
            for place, value in enumerate(taken):
                t = element(value.type)
                name = self.buffer(t, "taken", number, place, "taken")
                shape = (self.code.size, *e.sizes(value.type))
                output.arrays.append(reps.dense(t, name, shape))
            output.finished_later = True
        if isinstance(generator, Scatter):
            for place, target in enumerate(output.y.extras):
                name = self.buffer(element(target.type), "target", number, place, "y")
                shape = e.array(target).shape
                output.arrays.append(reps.dense(element(target.type), name, shape))
        if isinstance(generator, (Reduce, Scan)):
            for place, neutral in enumerate(output.y.neutral):
                t = element(neutral.type)
                role = "row" if rank(neutral.type) else "parts"
                output.parts.append(self.buffer(t, role, number, place, "parts"))
        if isinstance(generator, Bucket) and self.made.shared:
            for place, neutral in enumerate(output.y.neutral):
                name = self.buffer(element(neutral.type), "own", number, place, "own")
                output.parts.append(name)
        if output.counted:
            output.counts = self.buffer(_INT, "counts", number, 0, "counts")

    # Main.

    def _range(self) -> tuple[Var, Var]:
        size = self.code.size
        start = self.e.define(I64, "start", over(times(size, PART), PARTS))
        stop = over(times(size, plus(PART, ONE)), PARTS)
        return start, self.e.define(I64, "stop", stop)

    def _loop(self, start: Expr, stop: Expr, body: Callable[[Expr], None]) -> None:
        e = self.e
        index = e.index(self.code.node.index.name)
        outer, e.iteration = e.iteration, index
        with e.gathered() as made:
            body(index)
        e.iteration = outer
        e.count(index, start, stop, made)

    def _each(self) -> None:
        """One iteration for each item; items take turns where each has memory of its own."""
        code, e = self.code, self.e
        index = e.index(code.node.index.name)
        outer, e.iteration = e.iteration, index
        with e.gathered() as made:
            code.iteration(index)
        e.iteration = outer
        self.made.turns = bool(self.made.scratch) or self.made.fails
        if self.made.turns:
            e.count(index, PART, code.size, made, PARTS)
        else:
            e.add(tree.Let(index, PART), *made)

    def _main(self, running: Sequence[Output]) -> None:
        code, e = self.code, self.e
        if self.made.plain:
            self._each()
            return
        start, stop = self._range()
        everywhere = [list(output.arrays) for output in code.outputs]
        for output in code.outputs:
            generator = output.y.generator
            if isinstance(generator, Bucket):
                self._own_buckets(output)
            elif isinstance(generator, (Reduce, Scan)):
                initial = None
                if self.made.shared:
                    initial = self._part_of(output) if output in running else self._starts(output)
                code.accumulators(output, initial)
            if output.counted:
                output.count = e.variable(I64, "count", start)
        self._loop(start, stop, code.iteration)
        for output, arrays in zip(code.outputs, everywhere, strict=True):
            if output.variables is not None and not (self.made.shared and output.running):
                self._keep(output)
            if output.counts is not None:
                place = load(output.counts, PART)
                e.assign(place, convert(place.type, minus(output.count, start)))
            output.arrays = arrays

    def _shared_buckets(self) -> None:
        """The same with one table for each work group; no item leaves before the others."""
        code, e = self.code, self.e

        def body() -> None:
            bucketkernels.fill(e, code.outputs)
            start, stop = self._range()
            with e.gathered() as made:
                self._loop(start, stop, code.iteration)
            e.add(tree.Attempt(tuple(made)))
            bucketkernels.store(e, code.outputs)

        self.kernel("buckets", body, lambda: None)
        for output in code.outputs:
            output.tables = []

    def _lanes(self) -> None:
        """Another kernel for what `main` does, with several iterations at a time, if it can be."""
        code, e = self.code, self.e
        depth = len(e.frames)
        try:
            lanes = Lanes(code)
            if lanes.can():
                self.kernel("lanes", lambda: self._in_lanes(lanes))
        except NoLanes:
            del e.frames[depth:]

    def _grouped(self) -> None:
        """Another form of `main`: its items put their reductions together in groups."""
        code, e = self.code, self.e
        if not can_be_grouped(code) or self.made.fails:
            return

        def body() -> None:
            for output in code.outputs:
                if isinstance(output.y.generator, Reduce):
                    code.accumulators(output, self._starts(output))
            index = e.index(code.node.index.name)
            with e.gathered() as made:
                code.iteration(index)
            e.count(index, PART, code.size, made, PARTS)
            put_together(e, code.outputs)

        self.kernel("groups", body, lambda: None)
        self.made.attributes["groups"] = f"reqd_work_group_size({TOGETHER}, 1, 1)"

    def _nested(self) -> None:
        """Another form of `main`: an item for each element of the rows."""
        depth = len(self.e.frames)
        arrays = [list(output.arrays) for output in self.code.outputs]
        try:
            nest = Nest(self.code, emit)
            self.kernel("nest", lambda: nest.body(PART))
            self.made.columns = tuple(map(size_text, nest.inner))
        except Unsupported:
            del self.e.frames[depth:]
            self.bodies.pop("nest", None)
        for output, own in zip(self.code.outputs, arrays, strict=True):
            output.arrays = own

    def _in_lanes(self, lanes: Lanes) -> None:
        code, e = self.code, self.e
        start, stop = self._range()
        for output in code.outputs:
            if isinstance(output.y.generator, Reduce):
                code.accumulators(output, self._starts(output))
        index = e.variable(I64, code.node.index.name, start)
        lanes.loop(index, stop)
        with e.gathered() as made:
            code.iteration(index)
        made.append(tree.Assign(index, ONE, "+"))
        e.add(tree.While(less(index, stop), tuple(made)))
        for output in code.outputs:
            if output.variables is not None:
                self._keep(output)

    def _keep(self, output: Output) -> None:
        """Store the accumulators."""
        e = self.e
        assert output.variables is not None
        shapes = [e.sizes(node.type) for node in output.y.neutral]
        found = output.variables.reps(shapes, held=False)
        for parts, rep, node, shape in zip(
            output.parts, found, output.y.neutral, shapes, strict=True
        ):
            if isinstance(rep, Scalar):
                place = load(parts, PART)
                e.assign(place, convert(place.type, rep.value))
            else:
                e.copy(reps.dense(element(node.type), parts, shape), rep)

    def _own_buckets(self, output: Output) -> None:
        """Each part has its own buckets, with the neutral values at first; of known operators only
        the first part has the initial values."""
        e = self.e
        if not self.made.shared:
            for array, neutral in zip(output.arrays, output.y.neutral, strict=True):
                e.fill(array, e.rep(neutral))
            return
        own = []
        initial = self._starts(output)
        for array, name, start in zip(output.arrays, output.parts, initial, strict=True):
            data = e.point(array.element, "mine", plus(name, times(PART, array.shape[0])))
            mine = reps.dense(array.element, data, array.shape)
            e.fill(mine, start)
            own.append(mine)
        output.arrays = own

    # What is joined.

    def _operator(self, output: Output) -> tree.Operator:
        """The operator of a generator; it is made once."""
        found = self.operators.get(id(output))
        if found is None:
            found = self.operators[id(output)] = self.code.operator(output)
        return found

    def _starts(self, output: Output) -> list[Rep]:
        """What the accumulators of an item start with."""
        neutral = self.e.scalars_of(output.y.neutral)
        return [Scalar(e) for e in starts(output.known, neutral, same(PART, ZERO))]

    def _part_of(self, output: Output) -> list[Rep]:
        """What an item has."""
        return [Scalar(e) for e in at(output.parts, PART, self._operator(output))]

    def _before(self, output: Output) -> None:
        """Each item gets what stands before it."""
        neutral = self.e.scalars_of(output.y.neutral)
        operator = self._operator(output)
        self.e.add(*summed_before(operator, output.parts, neutral, PARTS, self.names))

    # Before and after.

    def _totals(self, output: Output) -> None:
        code, e = self.code, self.e
        start, stop = self._range()
        code.accumulators(output, self._starts(output))

        def take(index: Expr) -> None:
            e.bind(code.node.index, Scalar(index))
            code.take_only(output)

        self._loop(start, stop, take)
        self._keep(output)

    def _alone(self, body: Callable[[], None]) -> None:
        """In one item only."""
        with self.e.gathered() as made:
            body()
        self.e.when(same(PART, ZERO), made)

    def _joins(self) -> None:
        code = self.code
        joined = [
            o for o in code.outputs
            if o.counted or isinstance(o.y.generator, Reduce)
            or (isinstance(o.y.generator, Scan) and not o.running)
        ]  # fmt: skip
        if joined:
            self.kernel("join", lambda: self._alone(lambda: self._join(joined)))
        if any(
            o.counted or (isinstance(o.y.generator, Scan) and not o.running and o.arrays)
            for o in code.outputs
        ):
            self.kernel("finish", self._finish)
        if any(isinstance(o.y.generator, Bucket) for o in code.outputs):
            self.kernel("merge", self._merge, self._most_buckets)

    def _most_buckets(self) -> Expr:
        """The largest number of buckets."""
        found: Expr | None = None
        for output in self.code.outputs:
            if isinstance(output.y.generator, Bucket):
                size = output.arrays[0].shape[0]
                if found is None or found == size:
                    found = size
                else:
                    found = choose(less(found, size), size, found)
        return ZERO if found is None else found

    def _join(self, outputs: Sequence[Output]) -> None:
        e = self.e
        for output in outputs:
            if output.counts is not None:
                total = e.variable(I64, "total", ZERO)
                index = e.index("t")
                place = load(output.counts, index)
                with e.gathered() as made:
                    own = e.define(place.type, "own", place)
                    e.assign(place, convert(place.type, total))
                    e.assign(total, own, "+")
                e.count(index, ZERO, PARTS, made)
                e.assign(load(output.counts, PARTS), convert(place.type, total))
            elif isinstance(output.y.generator, Scan):
                self._before(output)
            else:
                self._fold(output)

    def _fold(self, output: Output) -> None:
        """The first part's accumulators become those of all."""
        e = self.e
        operator = self._operator(output)
        totals = [
            e.variable(v.type, "total", value)
            for v, value in zip(operator.left, at(output.parts, ZERO, operator), strict=True)
        ]
        e.add(folded(operator, totals, output.parts, PARTS, self.names))
        e.add(*kept(output.parts, ZERO, totals))

    def _finish(self) -> None:
        e = self.e
        start, stop = self._range()
        for number, output in enumerate(self.code.outputs):
            counts = output.counts
            if counts is not None:
                for place, array in enumerate(output.arrays):
                    name = self.buffer(array.element, "moved", number, place, "kept")
                    source = e.point(array.element, "source", _row(array, start))
                    target = e.point(array.element, "target", _row(array, load(counts, PART), name))
                    count = minus(load(counts, plus(PART, ONE)), load(counts, PART))
                    shape = (count, *array.shape[1:])
                    e.copy(
                        reps.dense(array.element, target, shape),
                        reps.dense(array.element, source, shape),
                    )
            elif isinstance(output.y.generator, Scan) and not output.running and output.arrays:
                before = at(output.parts, PART, self._operator(output))
                outs = [array.data for array in output.arrays]
                operator = self._operator(output)
                e.add(*with_before(operator, before, outs, (start, stop), self.names))

    def _merge(self) -> None:
        """The buckets of all parts, in order; `part` is the bucket."""
        e = self.e
        for output in self.code.outputs:
            if not isinstance(output.y.generator, Bucket):
                continue
            size = output.arrays[0].shape[0]
            types = [e.variable_type(array.element) for array in output.arrays]
            with e.gathered() as made:
                own = [
                    reps.dense(array.element, name, (PARTS, array.shape[0]))
                    for array, name in zip(output.arrays, output.parts, strict=True)
                ]
                totals = [
                    e.variable(t, "total", reps.element(mine, [ZERO, PART]))
                    for t, mine in zip(types, own, strict=True)
                ]
                index = e.index("t")
                values = [reps.element(mine, [index, PART]) for mine in own]
                inner = combined(self._operator(output), totals, values, self.names)
                e.count(index, ONE, PARTS, inner)
                for array, total in zip(output.arrays, totals, strict=True):
                    e.put(array, [PART], Scalar(total))
            e.when(less(PART, size), made)


_INT: Final = ScalarType("int", 64)


def _row(array: Memory, index: Expr, data: Expr | None = None) -> Expr:
    """The address of a row."""
    return plus(data or array.data, times(index, array.strides[0]))
