"""Runs the scheduled form of a graph, with updates in place: what compiled code has to do.

Statements are executed in order; a node that is needed before it was computed is an error. An
Update changes its array, a loop passes on its values without copying them, rows are views. So a
wrong schedule, or a copy that is missing, shows in the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cogen.array.ir.arrayelements import check_bounds, plain, scalar
from cogen.array.ir.evaluate import EVALUATE, Counts, EvaluationFrame, EvaluationRun, Evaluator
from cogen.array.ir.generators import (
    Reduce,
    Scan,
)
from cogen.array.ir.node import (
    Block,
    Call,
    Conjoin,
    Constant,
    Function,
    Loop,
    Module,
    Multiloop,
    Node,
    Part,
    Update,
)
from cogen.array.schedule.schedule import Scheduled, Statement, schedule


class Executor(Evaluator):
    """Executes the functions of a module as they are scheduled."""

    def __init__(self, module: Module, counts: Counts | None = None, in_place: bool = True) -> None:
        super().__init__(module, lambda layout, value: None, counts or Counts())
        self.in_place = in_place
        self.copies: tuple[int, ...] = ()
        self.scheduled: dict[Block, Scheduled] = {}

    def function(self, function: Function, arguments: Sequence[Any]) -> list[Any]:
        if function.body not in self.scheduled:
            self.note(schedule(function, self.module.functions, self.in_place))
        return super().function(function, arguments)

    def note(self, found: Scheduled) -> None:
        self.scheduled[found.block] = found
        statements = [*found.statements, *[s for g in found.guarded for s in g.statements]]
        for statement in statements:
            for inner in statement.blocks:
                self.note(inner)

    def effects(self, frame: EvaluationFrame, block: Block) -> None:
        for statement in self.scheduled[block].statements:
            self.execute(statement, frame)

    def execute(self, statement: Statement, frame: EvaluationFrame) -> None:
        node = statement.node
        for operand in (*node.operands, *node.certs):
            self.value(operand, frame)
        self.copies = statement.copies
        frame.values[node] = self.compute(node, frame)

    def taken(self, node: Node, frame: EvaluationFrame) -> list[Any]:
        """The operands of a node that may overwrite them, copied where the schedule says so."""
        values = self.values(node.operands, frame)
        for position in self.copies:
            values[position] = values[position].copy()
        self.copies = ()
        return values

    def compute(self, node: Node, frame: EvaluationFrame) -> Any:
        if isinstance(node, Update):
            array, *indices, value = self.taken(node, frame)
            check_bounds(node, array, indices)
            array[tuple(indices)] = plain(value)
            return array
        return getattr(self, EVALUATE[type(node)].__name__)(node, frame)

    def call(self, node: Call, frame: EvaluationFrame) -> Any:
        return self.function(self.module.functions[node.function], self.taken(node, frame))

    def home(self, node: Node, frame: EvaluationFrame) -> EvaluationFrame:
        """The frame in which a node was computed."""
        if isinstance(node, Part):
            return self.home(node.operands[0], frame)
        home: EvaluationFrame | None = frame
        while home is not None:
            if node in home.values:
                return home
            home = home.outer
        raise AssertionError(f"{type(node).__name__} {node.number} is used before it is computed")

    def value(self, node: Node, frame: EvaluationFrame) -> Any:
        if isinstance(node, Constant):
            return node.value
        home = frame
        if isinstance(node, Conjoin):
            return True
        if isinstance(node, Part):
            home = self.home(node, frame)
            if node in home.values:
                return home.values[node]
            return home.values[node.operands[0]][node.index]
        return self.home(node, frame).values[node]

    def loop(self, node: Loop, frame: EvaluationFrame) -> Any:
        bound, *carried = self.taken(node, frame)
        copies = self.scheduled[node.body].copies
        for i in range(bound):
            carried = self.enter(node.body, [i, *carried], frame)
            for position in copies:
                carried[position] = carried[position].copy()
        return carried

    def multiloop(self, node: Multiloop, frame: EvaluationFrame) -> Any:
        size, *taken = self.taken(node, frame)
        inputs = taken[: len(node.inputs)]
        runs = [_Run(self, y, frame, node) for y in node.yields()]
        extras = taken[len(node.inputs) :]
        for run in runs:
            count = len(run.yielded.extras)
            run.begin(extras[:count])
            extras = extras[count:]
        scheduled = self.scheduled[node.body]
        for i in range(size):
            self.counts.iterations += 1
            elements = [scalar(array[i]) for array in inputs]
            body = EvaluationFrame(node.body, [i, *elements, *[None] * len(node.running)], frame)
            for parameter in node.running:
                del body.values[parameter]
            waiting = [run for run in runs if run.yielded.running and not run.yielded.before]
            later = [run for run in runs if run not in waiting]
            for run in runs:
                body.values.update(zip(run.yielded.before, run.state, strict=False))
            for statement in scheduled.statements:
                free = statement.node.free
                while any(not free.isdisjoint(run.yielded.running) for run in waiting):
                    waiting.pop(0).step(body)
                self.execute(statement, body)
            for run in waiting:
                run.step(body)
            for guarded in scheduled.guarded:
                if self.value(guarded.condition, body):
                    for statement in guarded.statements:
                        self.execute(statement, body)
            for run in later:
                run.step(body)
        return [result for run in runs for result in run.results()]


class _Run(EvaluationRun):
    """One generator while its loop runs; what it takes it stores at once, scattered values too."""

    def targets(self, extras: Sequence[Any]) -> list[Any]:
        return list(extras)

    def step(self, body: EvaluationFrame) -> None:
        count = self.count
        super().step(body)
        executor, y = self.evaluator, self.yielded
        assert isinstance(executor, Executor)
        if self.count > count and isinstance(y.generator, (Reduce, Scan)):
            assert y.operator is not None
            for position in executor.scheduled[y.operator].copies:
                self.state[position] = self.state[position].copy()
            if not y.before:
                body.values.update(zip(y.running, self.state, strict=False))
        for rows in self.rows:
            if rows and hasattr(rows[-1], "copy"):
                rows[-1] = rows[-1].copy()

    def gather(self, key: tuple[Any, ...], values: list[Any]) -> None:
        super().gather(key, [v.copy() if hasattr(v, "copy") else v for v in values])
