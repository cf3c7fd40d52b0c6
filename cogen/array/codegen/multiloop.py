"""Loops for the one loop form.

    Collect                     stores; a condition counts; a spread one see `rearranging`
    Reduce                      an accumulator
    Scan                        an accumulator, which is stored
    Bucket                      an array of accumulators; one that collects, or is hashed, see
                                `cogen.array.codegen.rearranging`
    Scatter                     stores

Rows that the body makes are copied to where they are stored: `cogen.array.loops.aim` makes them
there. Loops of plain operations are marked as vectorisable. What several threads find of a part of
the iterations each is joined as the loop's `Sharing` says; whether they do is decided on loops
(`cogen.array.loops.share`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

from cogen.array.codegen import rearranging, representations
from cogen.array.codegen import sharingout as sharing
from cogen.array.codegen.bindresults import bind_results, bind_scalars
from cogen.array.codegen.combining import accumulate, combined
from cogen.array.codegen.controlloops import Emit, LoopVariables, if_, loop
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import MemoryFrame
from cogen.array.codegen.generatorcode import Output
from cogen.array.codegen.growing import GrowingArrays, combine
from cogen.array.codegen.loopmarks import combinations, mark_of
from cogen.array.codegen.prepareresults import first_extra, prepare
from cogen.array.codegen.reductionoperators import known_operators
from cogen.array.codegen.representations import Rep, ScalarRep
from cogen.array.codegen.streamcode import Streams, Taker, Target, begin, by_index
from cogen.array.codegen.streamplans import planned, root_of
from cogen.array.codegen.survey import work
from cogen.array.ir import node as ir
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Reduce,
    Scan,
    Scatter,
    combines,
    groups,
    grows,
    is_hashed,
)
from cogen.array.ir.graphtypes import CERT, element, rank
from cogen.array.loops import tree
from cogen.array.loops.expressions import ONE, ZERO, convert
from cogen.array.loops.tree import I64, Expr
from cogen.array.schedule.schedule import Guarded, Statement


def controlled(e: Emitter, statement: Statement, emit: Emit) -> bool:
    """Make the code of a conditional or a loop, if a statement is one, with that of its blocks by
    `emit`; whether it is."""
    match statement.node:
        case ir.If() as node:
            if_(e, statement, node, emit)
        case ir.Loop() as node:
            loop(e, statement, node, emit)
        case ir.Multiloop():
            multiloop(e, statement, emit)
        case _:
            return False
    return True


def multiloop(e: Emitter, statement: Statement, emit: Emit) -> None:
    """The code of a loop."""
    code = LoopCode(e, statement, emit)
    code.prepare()
    code.loop()
    bind_results(code)


class LoopCode:
    """The parts that the code of a loop is put together from."""

    def __init__(self, e: Emitter, statement: Statement, emit: Emit) -> None:
        node = statement.node
        assert isinstance(node, ir.Multiloop)
        self.emitter = e
        self.node = node
        self.statement = statement
        self.body = statement.blocks[0]
        self.streams = Streams(emit, go_through)
        self.emit: Emit = self.streams.emit
        self.size = e.extent(node.size)
        self.inputs = [e.array(operand) for operand in node.inputs]
        self.outputs: list[Output] = []
        operators = iter(statement.blocks[1:])
        for y in node.yields():
            operator = next(operators) if y.generator.has_operator else None
            parts = known_operators(y.operator) if y.operator is not None else []
            self.outputs.append(Output(y, operator, parts))
        for targets in self.spread_out():
            arrays = tuple([(k, tuple(taken)) for k, (taken, _) in enumerate(targets)])
            found = planned(node, self.body, arrays)
            if found is not None:
                self.streams.add(*found, targets)

    def spread_out(self) -> list[list[Target]]:
        """The generators that take the elements of arrays one after the other, those together that
        take what is made together."""
        groups: dict[Hashable, list[Target]] = {}
        for output in self.outputs:
            if output.yielded.spread:
                taken = self.taken_by(output)
                groups.setdefault(root_of(taken), []).append((taken, self.taker_of(output)))
        return list(groups.values())

    def taken_by(self, output: Output) -> list[ir.Node]:
        """What such a generator takes: its key, if it has one, and values."""
        return [*output.yielded.taken]

    def taker_of(self, output: Output) -> Taker:
        """What takes the elements that such a generator takes."""
        if grows(output.yielded) or groups(output.yielded.generator):
            return GrowingArrays(self, output)
        return partial(self.take_row, output)

    # Before the loop.

    def prepare(self) -> None:
        """Make the arrays and counters."""
        for output in self.outputs:
            prepare(self, output)

    def accumulators(self, output: Output, initial: Sequence[Rep] | None = None) -> None:
        """Declare the accumulators of Reduce or Scan, with the neutral values if no others."""
        if not output.yielded.generator.accumulates:
            return
        if initial is None:
            initial = [self.emitter.rep(node) for node in output.yielded.neutral]
        types = [node.type for node in output.yielded.neutral]
        first = first_extra(self, output)
        copies = [position - first for position in self.statement.copies]
        output.variables = LoopVariables.declare(self.emitter, types, "sum", initial, copies)

    # The loop.

    def loop(self) -> None:
        """The loop over all iterations, and what comes right before it."""
        e = self.emitter
        for output in self.outputs:
            self.accumulators(output)
            if combines(output.yielded.generator):
                for array, neutral in zip(output.arrays, output.yielded.neutral, strict=True):
                    e.fill(array, e.rep(neutral))
        amount = work(self.statement, self.size, e.known, e.scalar_of)
        index = e.index(self.node.index.name)
        goes_on = any(output.yielded.before for output in self.outputs)
        with e.gathered() as made, e.alone(goes_on):
            self.iteration(index)
        shared = sharing.of(self, amount) if e.shares else None
        e.add(tree.For(index, ZERO, self.size, ONE, tuple(made), mark_of(self), shared))

    def accumulating(self, output: Output) -> tree.For:
        """A loop that does nothing but accumulate what a running scan takes."""
        e = self.emitter
        index = e.index(self.node.index.name)
        with e.gathered() as made:
            e.bind(self.node.index, ScalarRep(index))
            self.take_only(output)
        running = isinstance(mark_of(self), tree.Running)
        mark = tree.Apart(combinations(self, [output])) if running else None
        return tree.For(index, ZERO, self.size, ONE, tuple(made), mark)

    def take_only(self, output: Output) -> None:
        """The part of an iteration that a running scan needs to take its values; the iteration is
        done once more later."""
        e, body = self.emitter, self.body
        e.frames.append(MemoryFrame(body.statements, body.block.results, body.guarded))
        bound = e.values[self.node.index]
        assert isinstance(bound, ScalarRep)
        self.bind_elements(bound.value, again=True)
        for statement in body.statements:
            if not statement.node.free.isdisjoint(output.yielded.running):
                break
            self.emit(e, statement)
        accumulate(self, output)
        e.close()

    def bind_elements(self, index: Expr, again: bool = False) -> None:
        """The parameters of the body: the index, and the elements of the inputs.

        Of an input that must be copied each row is when its iteration comes, since nothing else of
        the copy is seen; if the body is done `again`, so is what it overwrites in place.
        """
        e = self.emitter
        e.bind(self.node.index, ScalarRep(index))
        copied = self.copied_rows(again)
        for parameter, array in zip(self.node.elements, self.inputs, strict=True):
            if parameter in copied:
                row = e.row(array, [index])
                made = e.allocate(row.element, e.shape(parameter, row), "row")
                e.copy(made, row)
                e.bind(parameter, made)
            elif rank(parameter.type):
                e.bind(parameter, e.row(array, [index]))
            elif parameter.type != CERT:
                value = representations.element(array, [index])
                e.bind(parameter, e.scalar(value, element(parameter.type), "x"))

    def copied_rows(self, again: bool = False) -> frozenset[ir.Node]:
        """The elements that are copied for the body, which overwrites them."""
        positions = self.statement.overwritten if again else self.statement.copies
        return frozenset([p for at, p in enumerate(self.node.elements, 1) if at in positions])

    def iteration(self, index: Expr) -> None:
        """The body, with what the generators do."""
        e, body = self.emitter, self.body
        statements = self.streams.ordered(body.statements)
        e.frames.append(MemoryFrame(statements, body.block.results, body.guarded))
        self.bind_elements(index)
        for output in self.outputs:
            if output.yielded.before:
                self.bind_accumulated(output)
        waiting = [output for output in self.outputs if output.running]
        for statement in statements:
            waiting = self.step_before(statement, waiting)
            self.emit(e, statement)
        for output in waiting:
            self.step(output)
        self.takes(index)
        for output in self.outputs:
            if output.yielded.before:
                accumulate(self, output)
        e.close()

    def step_before(self, statement: Statement, waiting: list[Output]) -> list[Output]:
        """Let running scans take their values before a statement that depends on what they give;
        those that still wait."""
        last = 0
        for number, output in enumerate(waiting, 1):
            if not statement.node.free.isdisjoint(output.yielded.running):
                last = number
        for output in waiting[:last]:
            self.step(output)
        return waiting[last:]

    def step(self, output: Output) -> None:
        """A running scan takes its values; its running parameters have theirs from here on."""
        accumulate(self, output)
        self.bind_accumulated(output)

    def bind_accumulated(self, output: Output) -> None:
        """The running parameters of a scan are what it has accumulated so far."""
        assert output.variables is not None
        parameters = output.yielded.running
        found = output.variables.representations(
            [self.emitter.sizes(p.type) for p in parameters], held=False
        )
        for parameter, rep in zip(parameters, found, strict=True):
            self.emitter.bind(parameter, rep)

    def takes(self, index: Expr) -> None:
        """What the generators do when the statements of the body are done."""
        e = self.emitter
        groups: dict[ir.Node, list[Output]] = {}
        for output in self.outputs:
            generator = output.yielded.generator
            if output.yielded.condition is not None:
                groups.setdefault(output.yielded.condition, []).append(output)
            elif not output.yielded.running:
                self.take(output, index)
            elif generator.gives_each and output.yielded.gives:
                self._store_accumulators(output, index)
        guards = {guarded.condition: guarded for guarded in self.body.guarded}
        for condition, outputs in groups.items():
            guarded = guards.get(condition, Guarded(condition, ()))
            test = e.scalar_of(condition)
            with e.gathered() as made:
                self.guarded(guarded, outputs, index)
            e.when(test, made)

    def guarded(self, guarded: Guarded, outputs: Sequence[Output], index: Expr) -> None:
        e = self.emitter
        results = [value for output in outputs for value in output.yielded.taken]
        statements = self.streams.ordered(guarded.statements)
        e.frames.append(MemoryFrame(statements, results))
        e.statements(statements, self.emit)
        for output in outputs:
            self.take(output, index)
        e.close()

    def take(self, output: Output, index: Expr) -> None:
        """What one generator does with its values."""
        e, y = self.emitter, output.yielded
        match y.generator:
            case Collect() if not y.spread:
                for array, value in zip(output.arrays, y.values, strict=True):
                    e.put(array, [output.place(index)], e.rep(value))
            case Reduce():
                accumulate(self, output)
            case Scan():
                accumulate(self, output)
                if y.generator.stored:
                    self._store_accumulators(output, output.place(index))
            case Bucket() | Scatter() if y.spread:
                self.spread([(self.taken_by(output), self.taker_of(output))])
            case Bucket(hashed=False, collects=False):
                assert y.key is not None
                self._bucket(output, e.extent(y.key), [e.rep(value) for value in y.values])
            case Scatter():
                assert y.key is not None
                place = e.extent(y.key)
                for array, value in zip(output.arrays, y.values, strict=True):
                    e.put(array, [place], e.rep(value))
            case Collect() if self.streams.takes(y.values[0]):
                pass
            case Collect() | Bucket():
                rearranging.take(self, output, index)
        if output.counted:
            e.assign(output.count, ONE, "+")

    def _store_accumulators(self, output: Output, index: Expr) -> None:
        assert output.variables is not None
        shapes = [self.emitter.sizes(value.type) for value in output.yielded.values]
        for array, rep in zip(
            output.arrays, output.variables.representations(shapes, held=False), strict=True
        ):
            self.emitter.put(array, [index], rep)

    # Operators.

    def spread(self, targets: Sequence[Target]) -> None:
        """Let the elements of the arrays of this iteration be taken one after the other, if that
        was not done by the loop that makes them."""
        if not self.streams.takes(targets[0][0][0]):
            by_index(self.emitter, targets)

    def take_row(self, output: Output, row: Sequence[Rep]) -> None:
        """What a generator by key does with a key and values."""
        e, generator = self.emitter, output.yielded.generator
        if is_hashed(generator):
            combine(self, output, row)
            return
        place, *values = row
        assert isinstance(place, ScalarRep)
        at = convert(I64, place.value)
        if generator.by_key:
            self._bucket(output, at, values)
            return
        for array, value in zip(output.arrays, values, strict=True):
            e.put(array, [at], value)

    def _bucket(self, output: Output, place: Expr, values: Sequence[Rep]) -> None:
        e = self.emitter
        old: list[Rep] = []
        for array in output.arrays:
            if len(array.shape) == 1:
                old.append(e.scalar(representations.element(array, [place]), array.element, "old"))
            else:
                old.append(e.row(array, [place]))

        def finish(new: Sequence[Rep]) -> None:
            for array, rep in zip(output.arrays, new, strict=True):
                e.put(array, [place], rep)

        combined(self, output, old, values, finish)

    # After the loop.


def go_through(e: Emitter, statement: Statement, emit: Emit, targets: Sequence[Target]) -> None:
    """Let what a loop collects be taken at once."""
    FedLoop(e, statement, emit, targets).loop()


class FedLoop(LoopCode):
    """A loop whose values are taken at once, and not stored; what else it combines is."""

    def __init__(
        self, e: Emitter, statement: Statement, emit: Emit, targets: Sequence[Target]
    ) -> None:
        self.targets = list(targets)
        super().__init__(e, statement, emit)
        self.collected = [o for o in self.outputs if o.yielded.generator.gives_all]

    @property
    def grows(self) -> bool:
        """Whether it collects streams."""
        return any(map(grows, self.node.yields()))

    def spread_out(self) -> list[list[Target]]:
        return [self.targets] if self.grows else []

    def loop(self) -> None:
        e = self.emitter
        index = e.index(self.node.index.name)
        if not self.grows:
            begin([taker for _, taker in self.targets], self.size)
        for output in self.outputs:
            self.accumulators(output)
            if output.counted and e.frames[-1].uses((self.node, output.yielded.first)):
                output.count = e.variable(I64, "count", ZERO)
        with e.gathered() as made:
            self.iteration(index)
        e.add(tree.For(index, ZERO, self.size, ONE, tuple(made)))
        bind_scalars(self)

    def take(self, output: Output, index: Expr) -> None:
        if output not in self.collected:
            super().take(output, index)
            return
        if output.count is not ZERO:
            self.emitter.assign(output.count, ONE, "+")
        if output is not self.collected[-1]:
            return
        if self.grows:
            self.spread(self.targets)
            return
        for row, taker in self.targets:
            taker([self.emitter.rep(value) for value in row])
