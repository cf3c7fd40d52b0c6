"""A loop shared out among threads by OpenMP: each does one part of the iterations, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.codegen import buckets, reps
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import Frame
from cogen.array.codegen.multiloop import LoopCode, Output
from cogen.array.codegen.rearrangingteam import Team
from cogen.array.codegen.regions import Emit
from cogen.array.codegen.reps import Memory, Rep, Scalar
from cogen.array.codegen.survey import can_scatter, can_share, work
from cogen.array.node import REARRANGING, Collect, Reduce, Scan
from cogen.array.schedule import Statement
from cogen.array.types import element
from cogen.target import ctree as ct

THREADS = "COGEN_THREADS"

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

    def __init__(self, code: LoopCode, got: str, thread: str) -> None:
        self.code = code
        self.e: Emitter = code.e
        self.got = got
        self.thread = thread

    def initial(self, output: Output, running: bool) -> list[Rep]:
        """What a thread's accumulators start with."""
        e = self.e
        found: list[Rep] = []
        for node, known, parts in zip(output.y.neutral, output.known, output.parts, strict=True):
            text = e.text(node)
            if running:
                found.append(Scalar(f"{parts}[{self.thread}]"))
            elif known is not None and known.identity not in (None, text):
                found.append(Scalar(f"{self.thread} == 0 ? {reps.atom(text)} : {known.identity}"))
            else:
                found.append(Scalar(text))
        return found

    def before(self, output: Output) -> None:
        """Replace each thread's total by the total of those before it."""
        e = self.e
        types = [e.variable_type(element(node.type)) for node in output.y.neutral]
        neutral = [e.text(node) for node in output.y.neutral]
        totals = [e.variable(t, "total", text) for t, text in zip(types, neutral, strict=True)]
        index = e.fresh("t")
        with e.gathered() as made:
            own = [
                Scalar(e.define(t, "own", f"{parts}[{index}]"))
                for t, parts in zip(types, output.parts, strict=True)
            ]
            for parts, total in zip(output.parts, totals, strict=True):
                e.assign(f"{parts}[{index}]", total)
            e.add(ct.If(
                ct.Name(f"{index} == 0"),
                tuple(
                    ct.Assign(ct.Name(total), ct.Name(value.text))
                    for total, value in zip(totals, own, strict=True)
                ),
                tuple(self.combine(output, totals, own)),
            ))  # fmt: skip
        e.add(e.counting(index, "0", self.got, made))

    def combine(
        self, output: Output, totals: Sequence[str], values: Sequence[Rep]
    ) -> list[ct.Statement]:
        """The totals combined with values."""
        e = self.e

        def finish(new: Sequence[Rep]) -> None:
            kept = [
                e.scalar(rep.text, element(node.type))
                for rep, node in zip(new, output.y.neutral, strict=True)
                if isinstance(rep, Scalar)
            ]
            for total, rep in zip(totals, kept, strict=True):
                e.assign(total, rep.text)

        with e.gathered() as made:
            self.code.combined(output, [Scalar(total) for total in totals], values, finish)
        return made

    def part_of(self, output: Output, thread: str) -> list[Rep]:
        return [Scalar(f"{parts}[{thread}]") for parts in output.parts]

    def take_only(self, output: Output) -> None:
        """The part of an iteration that a running scan needs to take its values; the iteration is
        done once more later."""
        code, e = self.code, self.e
        body = code.body
        e.frames.append(Frame(body.statements, body.block.results, body.guarded))
        bound = e.values[code.node.index]
        assert isinstance(bound, Scalar)
        code.bind_elements(bound.text, again=True)
        for number, statement in enumerate(body.statements):
            if not statement.node.free.isdisjoint(output.y.running):
                break
            e.frames[-1].at = number
            code.emit(e, statement)
            e.drop_finished()
        code.accumulate(output)
        e.close()

    def add_before(self, output: Output, start: str, stop: str) -> None:
        """Combine a part of a scan with what stands before it."""
        code, e = self.code, self.e
        index = e.fresh("i")
        kept: list[Rep] = [
            e.scalar(rep.text, element(node.type), "before")
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
        e.add(e.counting(index, start, stop, made))


class _Shared(Joining):
    def __init__(self, code: LoopCode) -> None:
        self.code = code
        e = code.e
        amount = work(code.statement, code.size, e.known, e.text)
        team = f"cogen_team(memory, {code.size}, {amount})"
        self.team = e.define("int", "team", self._worth(team))
        self.tables: list[buckets.Tables] = []
        self.teams: dict[int, Team] = {}
        super().__init__(code, e.variable("int", "threads", "1"), e.fresh("thread"))
        self.whole = e.fresh("whole")
        e.add(ct.Declare("cogen_memory *const", self.whole, ct.Name("memory")))
        self.start, self.stop = e.fresh("start"), e.fresh("stop")

    def _worth(self, team: str) -> str:
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
        label = e.fresh("done")
        outer_exit, outer_parallel = e.exit, e.parallel
        e.exit, e.parallel = (ct.Goto(label),), False
        thread, size = self.thread, reps.atom(code.size)
        with e.gathered() as made:
            e.add(ct.Declare("const int", thread, ct.Name("omp_get_thread_num()")))
            e.add(ct.Declare("const int", "parts", ct.Name("omp_get_num_threads()")))
            worker = ct.Name(f"cogen_worker({self.whole}, {thread})")
            e.add(ct.Declare("cogen_memory *const", "memory", worker))
            e.add(
                ct.If(ct.Name(f"{thread} == 0"), (ct.Assign(ct.Name(self.got), ct.Name("parts")),))
            )
            e.add(ct.Declare("const int64_t", self.start, ct.Name(f"{size} * {thread} / parts")))
            stop = ct.Name(f"{size} * ({thread} + 1) / parts")
            e.add(ct.Declare("const int64_t", self.stop, stop))
            e.frames.append(Frame(()))
            body()
            e.close()
        e.exit, e.parallel = outer_exit, outer_parallel
        if _jumps(made, label):
            made.append(ct.Label(label))
        e.add(ct.Pragma(f"omp parallel num_threads({self.team})"), ct.Scope(tuple(made)))
        if _jumps(made, label):
            failed = ct.Name(f"cogen_joined({self.whole}, {self.got})")
            e.add(ct.If(failed, e.exit))

    def _parts(self, output: Output) -> None:
        """Arrays with a place for what each thread finds."""
        match output.y.generator:
            case Reduce() | Scan():
                for node in output.y.neutral:
                    own = self.e.variable_type(element(node.type))
                    output.parts.append(self._array(own, "parts"))
            case Collect() if output.counted:
                output.counts = self._array("int64_t", "counts")
            case generator if isinstance(generator, REARRANGING):
                part = (self.start, self.stop)
                team = Team(self.code, output, self.thread, self.got, THREADS, part)
                self.teams[id(output)] = team

    def _array(self, type_: str, name: str) -> str:
        made = self.e.fresh(name)
        self.e.add(ct.Declare(type_, f"{made}[{THREADS}]"))
        return made

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
                output.count = e.variable("int64_t", "count", self.start)
        code.loop(self.start, self.stop)
        at = f"[{self.thread}]"
        for team in self.teams.values():
            team.end()
        for output in code.outputs:
            if output.variables is not None and output not in running:
                for parts, name in zip(output.parts, output.variables.names, strict=True):
                    e.assign(parts + at, name)
            if output.counts:
                e.assign(output.counts + at, f"{output.count} - {self.start}")
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
            ct.Assign(ct.Name(f"{parts}[0]"), ct.Name(e.text(node)))
            for parts, node in zip(output.parts, output.y.neutral, strict=True)
        ]
        e.add(ct.If(ct.Name(f"{self.team} > 1"), tuple(made), tuple(neutral)))

    def _first_pass(self, output: Output) -> None:
        """Only what the running scan takes."""
        code, e = self.code, self.e
        code.accumulators(output, self.initial(output, False))

        def take() -> None:
            self.take_only(output)

        code.loop(self.start, self.stop, take)
        assert output.variables is not None
        for parts, name in zip(output.parts, output.variables.names, strict=True):
            e.assign(f"{parts}[{self.thread}]", name)

    # After the region.

    def _join(self, output: Output) -> None:
        e = self.e
        match output.y.generator:
            case Reduce():
                totals = [
                    e.variable(e.variable_type(element(node.type)), "total", f"{parts}[0]")
                    for node, parts in zip(output.y.neutral, output.parts, strict=True)
                ]
                self._over_others(lambda t: self.combine(output, totals, self.part_of(output, t)))
                assert output.variables is not None
                output.variables.names = totals
            case Scan() if not output.running:
                self._join_scan(output)
            case Collect() if output.counted:
                self._join_counted(output)
        if id(output) in self.teams:
            self.teams[id(output)].join(self._region)
        if isinstance(output.y.generator, Scan):
            output.variables = None

    def _over_others(self, body: Callable[[str], Sequence[ct.Statement]]) -> None:
        """A loop over all threads but the first."""
        e = self.e
        index = e.fresh("t")
        with e.gathered() as made:
            e.add(*body(index))
        e.add(e.counting(index, "1", self.got, made))

    def _join_scan(self, output: Output) -> None:
        """Combine each part of a scan with what stands before it."""
        e = self.e
        if not output.arrays:
            return
        self.before(output)

        def add() -> None:
            with e.gathered() as made:
                self.add_before(output, self.start, self.stop)
            e.add(ct.If(ct.Name(f"{self.thread} > 0"), tuple(made)))

        with e.gathered() as made:
            self._region(add)
        e.add(ct.If(ct.Name(f"{self.got} > 1"), tuple(made)))

    def _join_counted(self, output: Output) -> None:
        """Close the gaps between what the threads kept."""
        e, code = self.e, self.code
        e.assign(output.count, f"{output.counts}[0]")

        def move(thread: str) -> list[ct.Statement]:
            with e.gathered() as made:
                size = reps.atom(code.size)
                begin = e.define("int64_t", "begin", f"{size} * {thread} / {self.got}")
                for array in output.arrays:
                    e.add(ct.Do(_move(array, output.count, begin, f"{output.counts}[{thread}]")))
                e.assign(output.count, f"{output.counts}[{thread}]", "+=")
            return made

        self._over_others(move)


class _Scattered(_Shared):
    """Scatters: each thread goes through all iterations, and stores what lies in its part of the
    targets, so the last one wins as in one thread. That pays where a target does not fit into a
    processor's own cache, and storing takes longer than reading."""

    def _worth(self, team: str) -> str:
        e = self.code.e
        arrays = [array for output in self.code.outputs for array in output.arrays]
        sizes = [reps.bytes_of(a.shape[0], e.element_type(a.element)) for a in arrays]
        large = f"{' + '.join(sizes)} > {LARGE} * (uint64_t)memory->call->grain"
        return f"{large} ? {team} : 1"

    def emit(self) -> None:
        self._region(self._own_part)

    def _own_part(self) -> None:
        e = self.e
        for output in self.code.outputs:
            size = reps.atom(output.arrays[0].shape[0])
            least = e.define("int64_t", "least", f"{size} * {self.thread} / parts")
            most = e.define("int64_t", "most", f"{size} * ({self.thread} + 1) / parts")
            output.part = (least, most)
        self.code.loop("0", self.code.size)


def _move(array: Memory, to: str, source: str, count: str) -> ct.Expr:
    row = array.strides[0]
    target = reps.plus(array.data, reps.times(to, row))
    start = reps.plus(array.data, reps.times(source, row))
    size = reps.bytes_of(reps.times(count, row), f"*{array.data}")
    return ct.Invoke("memmove", (ct.Name(target), ct.Name(start), ct.Name(size)))


def _jumps(statements: Sequence[ct.Statement], label: str) -> bool:
    """Whether a jump to a label is among the statements."""
    work_list = list(statements)
    while work_list:
        match work_list.pop():
            case ct.Goto(name) if name == label:
                return True
            case ct.If(_, then, otherwise):
                work_list += [*then, *otherwise]
            case ct.For(body=body) | ct.While(_, body) | ct.Scope(body):
                work_list += body
            case _:
                pass
    return False
