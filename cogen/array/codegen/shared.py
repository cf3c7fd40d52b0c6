"""A loop shared out among threads by OpenMP: each does one part of the iterations, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.codegen import buckets, reps
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import Frame
from cogen.array.codegen.multiloop import LoopCode
from cogen.array.codegen.outputs import Output
from cogen.array.codegen.rearrangingteam import Team
from cogen.array.codegen.regions import Emit
from cogen.array.codegen.reps import Memory, Rep, Scalar
from cogen.array.codegen.survey import can_scatter, can_share, work
from cogen.array.loops import tree
from cogen.array.loops.build import (
    ONE,
    ZERO,
    bytes_of,
    choose,
    convert,
    load,
    minus,
    more,
    natural,
    over,
    plus,
    same,
    times,
)
from cogen.array.loops.tree import I64, THREAD, Const, Convert, Expr, Invoke, Var
from cogen.array.node import REARRANGING, Collect, Reduce, Scan
from cogen.array.schedule import Statement
from cogen.array.types import element

THREADS: Final = Invoke("threads", (), I64)

LARGE: Final = 80
"""Threads share the work of scattering into so many bytes for each addition that they must be worth
(`NativeProgram.grain`): 4 MB."""


def multiloop(e: Emitter, statement: Statement, emit: Emit) -> None:
    """The code of a loop, for several threads where it can be shared out; it also serves one."""
    code = LoopCode(e, statement, emit)
    code.prepare()
    if e.parallel and can_share(statement):
        _Shared(code).emit()
    elif e.parallel and can_scatter(statement):
        _Scattered(code).emit()
    else:
        code.in_one_thread()
    code.bind()


class Joining:
    """How what the parts of a loop found is combined; `got` is the number of parts, `thread` the
    number of the present one."""

    def __init__(self, code: LoopCode, got: Expr, thread: Expr) -> None:
        self.code = code
        self.e: Emitter = code.e
        self.got = got
        self.thread = thread

    def initial(self, output: Output, running: bool) -> list[Rep]:
        """What a thread's accumulators start with."""
        e = self.e
        found: list[Rep] = []
        for node, known, parts in zip(output.y.neutral, output.known, output.parts, strict=True):
            value = e.scalar_of(node)
            if running:
                found.append(Scalar(e.kept(parts, self.thread, element(node.type))))
            elif known is not None and known.start(value) != value:
                is_first = same(self.thread, ZERO)
                found.append(Scalar(choose(is_first, value, known.start(value))))
            else:
                found.append(Scalar(value))
        return found

    def before(self, output: Output) -> None:
        """Replace each thread's total by the total of those before it."""
        e = self.e
        types = [e.variable_type(element(node.type)) for node in output.y.neutral]
        neutral = e.scalars_of(output.y.neutral)
        totals = [
            e.variable(t, "total", convert(t, v)) for t, v in zip(types, neutral, strict=True)
        ]
        index = e.index("t")
        with e.gathered() as made:
            own = [
                Scalar(e.define(t, "own", value.value))
                for t, value in zip(types, self.part_of(output, index), strict=True)
                if isinstance(value, Scalar)
            ]
            for parts, total in zip(output.parts, totals, strict=True):
                place = load(parts, index)
                e.assign(place, convert(place.type, total))
            taken = [
                tree.Assign(total, value.value) for total, value in zip(totals, own, strict=True)
            ]
            e.when(same(index, ZERO), taken, self.combine(output, totals, own))
        e.count(index, ZERO, self.got, made)

    def combine(
        self, output: Output, totals: Sequence[Var], values: Sequence[Rep]
    ) -> list[tree.Statement]:
        """The totals combined with values."""
        e = self.e

        def finish(new: Sequence[Rep]) -> None:
            kept = [
                e.scalar(rep.value, element(node.type))
                for rep, node in zip(new, output.y.neutral, strict=True)
                if isinstance(rep, Scalar)
            ]
            for total, rep in zip(totals, kept, strict=True):
                e.assign(total, rep.value)

        with e.gathered() as made:
            self.code.combined(output, [Scalar(total) for total in totals], values, finish)
        return made

    def part_of(self, output: Output, thread: Expr) -> list[Rep]:
        return [
            Scalar(self.e.kept(parts, thread, element(node.type)))
            for parts, node in zip(output.parts, output.y.neutral, strict=True)
        ]

    def take_only(self, output: Output) -> None:
        """The part of an iteration that a running scan needs to take its values; the iteration is
        done once more later."""
        code, e = self.code, self.e
        body = code.body
        e.frames.append(Frame(body.statements, body.block.results, body.guarded))
        bound = e.values[code.node.index]
        assert isinstance(bound, Scalar)
        code.bind_elements(bound.value, again=True)
        for number, statement in enumerate(body.statements):
            if not statement.node.free.isdisjoint(output.y.running):
                break
            e.frames[-1].at = number
            code.emit(e, statement)
            e.drop_finished()
        code.accumulate(output)
        e.close()

    def add_before(self, output: Output, start: Expr, stop: Expr) -> None:
        """Combine a part of a scan with what stands before it."""
        code, e = self.code, self.e
        index = e.index("i")
        kept: list[Rep] = [
            e.scalar(rep.value, element(node.type), "before")
            for rep, node in zip(self.part_of(output, self.thread), output.y.neutral, strict=True)
            if isinstance(rep, Scalar)
        ]
        with e.gathered() as made:
            old: list[Rep] = [
                e.scalar(reps.element(array, [index]), array.element, "x")
                for array in output.arrays
            ]

            def finish(new: Sequence[Rep]) -> None:
                for array, rep in zip(output.arrays, new, strict=True):
                    e.put(array, [index], rep)

            code.combined(output, kept, old, finish)
        e.count(index, start, stop, made)


class _Shared(Joining):
    def __init__(self, code: LoopCode) -> None:
        self.code = code
        e = code.e
        amount = work(code.statement, code.size, e.known, e.scalar_of)
        team = Invoke("team", (code.size, amount), THREAD)
        self.team = e.define(THREAD, "team", self._worth(team))
        self.tables: list[buckets.Tables] = []
        self.teams: dict[int, Team] = {}
        self.threads = e.variable(THREAD, "threads", Const(1, THREAD))
        self.own = Var(e.fresh("thread"), THREAD)
        super().__init__(code, self.threads, self.own)
        self.parts = Var(e.fresh("parts"), THREAD)
        self.start, self.stop = e.index("start"), e.index("stop")

    def _worth(self, team: Expr) -> Expr:
        """The number of threads, given what the loop's other work is worth."""
        return buckets.team(self.code, team)

    def emit(self) -> None:
        code = self.code
        running = [o for o in code.outputs if o.running]
        for output in code.outputs:
            self._parts(output)
        self.tables = buckets.tables(code, THREADS)
        if running:
            self._totals(running[0])
        self._region(lambda: self._main_pass(running))
        for output in code.outputs:
            self._join(output)
        for tables in self.tables:
            buckets.merge(code, tables, self.got)

    # One region.

    def _region(self, body: Callable[[], None]) -> None:
        """Do something in each thread, with its memory, and its part from start to stop."""
        e, code = self.e, self.code
        outer, e.parallel = e.parallel, False
        with e.gathered() as made:
            e.frames.append(Frame(()))
            body()
            e.close()
        e.parallel = outer
        e.add(tree.Parallel(
            self.team, self.threads, self.own, self.parts, code.size, self.start, self.stop,
            tuple(made),
        ))  # fmt: skip

    def _parts(self, output: Output) -> None:
        """Arrays with a place for what each thread finds."""
        match output.y.generator:
            case Reduce() | Scan():
                for node in output.y.neutral:
                    own = self.e.variable_type(element(node.type))
                    output.parts.append(self.e.room(own, "parts", THREADS))
            case Collect() if output.counted:
                output.counts = self.e.room(I64, "counts", THREADS)
            case generator if isinstance(generator, REARRANGING):
                part = (self.start, self.stop)
                team = Team(self.code, output, self.thread, self.got, THREADS, part)
                self.teams[id(output)] = team

    def _main_pass(self, running: Sequence[Output]) -> None:
        code, e = self.code, self.e
        everywhere = {id(o): (o.arrays, o.count) for o in code.outputs}
        for tables in self.tables:
            buckets.own(code, tables, self.thread)
        for team in self.teams.values():
            team.begin()
        for output in code.outputs:
            if isinstance(output.y.generator, (Reduce, Scan)):
                code.accumulators(output, self.initial(output, output in running))
            elif output.counted:
                output.count = e.variable(I64, "count", self.start)
        code.loop(self.start, self.stop)
        for team in self.teams.values():
            team.end()
        for output in code.outputs:
            if output.variables is not None and output not in running:
                for parts, name in zip(output.parts, output.variables.names, strict=True):
                    e.assign(load(parts, self.thread), name)
            if output.counts is not None:
                e.assign(load(output.counts, self.thread), minus(output.count, self.start))
            output.arrays, output.count = everywhere[id(output)]
            output.apart = []

    # A running scan: what stands before each part.

    def _totals(self, output: Output) -> None:
        """What stands before each thread's part; one thread starts with the neutral values."""
        e = self.e
        with e.gathered() as made:
            self._region(lambda: self._first_pass(output))
            self.before(output)
        neutral = [
            tree.Store(parts, ZERO, e.scalar_of(node))
            for parts, node in zip(output.parts, output.y.neutral, strict=True)
        ]
        e.when(more(self.team, ONE), made, neutral)

    def _first_pass(self, output: Output) -> None:
        """Only what the running scan takes."""
        code, e = self.code, self.e
        code.accumulators(output, self.initial(output, False))

        def take() -> None:
            self.take_only(output)

        code.loop(self.start, self.stop, take)
        assert output.variables is not None
        for parts, name in zip(output.parts, output.variables.names, strict=True):
            e.assign(load(parts, self.thread), name)

    # After the region.

    def _join(self, output: Output) -> None:
        e = self.e
        match output.y.generator:
            case Reduce():
                totals = [
                    e.variable(e.variable_type(element(node.type)), "total", load(parts, ZERO))
                    for node, parts in zip(output.y.neutral, output.parts, strict=True)
                ]
                self._over_others(lambda t: self.combine(output, totals, self.part_of(output, t)))
                assert output.variables is not None
                output.variables.names = [*totals]
            case Scan() if not output.running:
                self._join_scan(output)
            case Collect() if output.counted:
                self._join_counted(output)
        if id(output) in self.teams:
            self.teams[id(output)].join(self._region)
        if isinstance(output.y.generator, Scan):
            output.variables = None

    def _over_others(self, body: Callable[[Expr], Sequence[tree.Statement]]) -> None:
        """A loop over all threads but the first."""
        e = self.e
        index = e.index("t")
        with e.gathered() as made:
            e.add(*body(index))
        e.count(index, ONE, self.got, made)

    def _join_scan(self, output: Output) -> None:
        """Combine each part of a scan with what stands before it."""
        e = self.e
        if not output.arrays:
            return
        self.before(output)

        def add() -> None:
            with e.gathered() as made:
                self.add_before(output, self.start, self.stop)
            e.when(more(self.thread, ZERO), made)

        with e.gathered() as made:
            self._region(add)
        e.when(more(self.got, ONE), made)

    def _join_counted(self, output: Output) -> None:
        """Close the gaps between what the threads kept."""
        e, code = self.e, self.code
        counts = output.counts
        assert counts is not None
        e.assign(output.count, load(counts, ZERO))

        def move(thread: Expr) -> list[tree.Statement]:
            with e.gathered() as made:
                begin = e.define(I64, "begin", over(times(code.size, thread), self.got))
                for array in output.arrays:
                    _move(e, array, output.count, begin, load(counts, thread))
                e.assign(output.count, load(counts, thread), "+")
            return made

        self._over_others(move)


class _Scattered(_Shared):
    """Scatters: each thread goes through all iterations, and stores what lies in its part of the
    targets, so the last one wins as in one thread. That pays where a target does not fit into a
    processor's own cache, and storing takes longer than reading."""

    def _worth(self, team: Expr) -> Expr:
        e = self.code.e
        arrays = [array for output in self.code.outputs for array in output.arrays]
        total: Expr = ZERO
        for array in arrays:
            total = plus(total, bytes_of(array.shape[0], e.element_type(array.element)))
        worth = times(natural(LARGE), Convert(tree.SIZE, Invoke("grain", (), I64)))
        return choose(more(total, worth), team, Const(1, THREAD))

    def emit(self) -> None:
        self._region(self._own_part)

    def _own_part(self) -> None:
        e = self.e
        for output in self.code.outputs:
            size = output.arrays[0].shape[0]
            least = over(times(size, self.thread), self.parts)
            most = over(times(size, plus(self.thread, ONE)), self.parts)
            least, most = e.define(I64, "least", least), e.define(I64, "most", most)
            output.part = (least, most)
        self.code.loop(ZERO, self.code.size)


def _move(e: Emitter, array: Memory, to: Expr, source: Expr, count: Expr) -> None:
    """Move rows up."""
    row = array.strides[0]
    target = plus(array.data, times(to, row))
    start = plus(array.data, times(source, row))
    e.do("move", target, start, bytes_of(times(count, row), e.element_type(array.element)))
