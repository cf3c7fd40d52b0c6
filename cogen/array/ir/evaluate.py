"""The reference interpreter of graphs: a module, and leaves, to leaves.

What a node means is defined here, with no thought of speed. A pure node is computed when it is
first needed, once for each time that the innermost block which binds something it depends on is
entered; a block's effects are executed in order before its results are needed. So a schedule and
every pass can be compared with it. Reductions are left folds.

`Counts` says how much was computed: what must not grow where a pass promises to duplicate nothing.
An array whose shape is not what its type says, an index out of bounds and the like are errors of
ours (`InternalError`): certificates exclude them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from cogen.array.ir import node as ir
from cogen.array.ir.arrayelements import check_bounds, plain, scalar
from cogen.array.ir.generators import (
    Bucket,
    combines,
    groups,
    is_hashed,
)
from cogen.array.ir.graphtypes import GraphArray, Type, element
from cogen.array.ir.graphtypes import shape as type_shape
from cogen.array.ir.marshal import LeafValue, extents, from_leaves
from cogen.array.ir.node import shape
from cogen.array.ir.operations import table
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.messages import say
from cogen.array.l0.runerrors import too_deep
from cogen.array.l0.types import Type as Layout
from cogen.array.l0.while_loops import WHILE, is_settled
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, InternalError


@dataclass(slots=True)
class Counts:
    """How much was computed."""

    operations: Counter[str] = field(default_factory=Counter)
    """Scalar operations, by name."""
    iterations: int = 0
    """Bodies of loops over arrays."""
    elements: int = 0
    """Elements of arrays that were made, views not counted."""


class EvaluationFrame:
    """One time that a block was entered: the values of its parameters, and what was computed."""

    __slots__ = ("bound", "outer", "values")

    def __init__(
        self, block: ir.Block, arguments: Sequence[LeafValue], outer: EvaluationFrame | None
    ) -> None:
        self.values: dict[ir.Node, Any] = {block.token: True}
        self.values.update(zip(block.parameters, arguments, strict=True))
        self.bound: set[ir.Parameter] = {block.token, *block.parameters}
        self.outer = outer


def evaluate(
    module: ir.Module,
    arguments: Sequence[LeafValue],
    sizes: Sequence[int],
    trace: Callable[[Layout, object], None],
    counts: Counts | None = None,
    arithmetic: Arithmetic = WIDE,
) -> list[LeafValue]:
    """The leaves of the entry's result.

    `arguments` are the leaves of all parameters, `sizes` their dimensions; `trace` gets what is
    traced, with its type.  CogenError where the program fails.
    """
    evaluator = Evaluator(module, trace, counts or Counts(), arithmetic)
    return on_deep_stack(evaluator.function, module.entry, [*sizes, *arguments])


class Evaluator:
    """Evaluates the functions of a module."""

    def __init__(
        self,
        module: ir.Module,
        trace: Callable[[Layout, object], None],
        counts: Counts,
        arithmetic: Arithmetic = WIDE,
    ) -> None:
        self.module = module
        self.arithmetic = arithmetic
        self.operations = table(arithmetic)
        self.trace = trace
        self.counts = counts

    def function(self, function: ir.Function, arguments: Sequence[LeafValue]) -> list[LeafValue]:
        try:
            return self.block(EvaluationFrame(function.body, arguments, None), function.body)
        except RecursionError:
            raise too_deep(function.span) from None

    def block(self, frame: EvaluationFrame, block: ir.Block) -> list[LeafValue]:
        """Execute a block that was entered."""
        self.effects(frame, block)
        return [self.value(node, frame) for node in block.results]

    def effects(self, frame: EvaluationFrame, block: ir.Block) -> None:
        for effect in block.effects:
            self.value(effect, frame)

    def enter(
        self, block: ir.Block, arguments: Sequence[LeafValue], frame: EvaluationFrame
    ) -> list[LeafValue]:
        return self.block(EvaluationFrame(block, arguments, frame), block)

    def value(self, node: ir.Node, frame: EvaluationFrame) -> Any:
        """What a node is, seen from a block that was entered."""
        if node.is_known:
            return node.known
        home = frame
        while home.outer is not None and node.free.isdisjoint(home.bound):
            home = home.outer
        values = home.values
        if node in values:
            return values[node]
        for cert in node.certs:
            self.value(cert, home)
        found = EVALUATE[type(node)](self, node, home)
        if isinstance(node.type, GraphArray):
            self.check_shape(node, found, home)
        values[node] = found
        return found

    def values(self, nodes: Sequence[ir.Node], frame: EvaluationFrame) -> list[Any]:
        return [self.value(node, frame) for node in nodes]

    def check_shape(self, node: ir.Node, array: Any, frame: EvaluationFrame) -> None:
        """Refuse an array whose shape is not that of its type; below a size 0 any is right."""
        expected = extents(self.values(shape(node), frame))
        for size, own in zip(expected, array.shape, strict=True):
            if size != own:
                raise InternalError(
                    f"{type(node).__name__} {node.number} has the shape {array.shape}, "
                    f"its type {list(expected)}"
                )
            if size == 0:
                return

    # Scalars, certificates, effects.

    def operation(self, node: ir.Operation, frame: EvaluationFrame) -> Any:
        self.counts.operations[node.name] += 1
        return self.operations[node.name].meaning(*self.values(node.operands, frame))

    def assert_(self, node: ir.Assert, frame: EvaluationFrame) -> Any:
        if not self.value(node.condition, frame):
            raise CogenError(say(node.message, self.values(node.arguments, frame)), node.span)
        return True

    def conjoin(self, node: ir.Conjoin, frame: EvaluationFrame) -> Any:
        return True

    def trace_(self, node: ir.Trace, frame: EvaluationFrame) -> Any:
        self.trace(node.layout, from_leaves(self.values(node.operands, frame), node.layout))
        return True

    # Arrays.

    def index(self, node: ir.Index, frame: EvaluationFrame) -> Any:
        array, *indices = self.values(node.operands, frame)
        check_bounds(node, array, indices)
        return scalar(array[tuple(indices)])

    def slice(self, node: ir.Slice, frame: EvaluationFrame) -> Any:
        array, start, length = self.values(node.operands, frame)
        if not 0 <= start <= start + length <= len(array):
            raise InternalError(f"slice {node.number}: {start}, {length} of {len(array)}")
        return array[start : start + length]

    def rearrange(self, node: ir.Rearrange, frame: EvaluationFrame) -> Any:
        return self.value(node.array, frame).transpose(node.order)

    def reshape(self, node: ir.Reshape, frame: EvaluationFrame) -> Any:
        array, *sizes = self.values(node.operands, frame)
        if 0 in sizes:  # of a row of no rows, which is computed before it is not looked at
            return self.made(np.empty(extents(sizes), array.dtype))
        return array.reshape(sizes)

    def concat(self, node: ir.Concat, frame: EvaluationFrame) -> Any:
        return self.made(np.concatenate(self.values(node.operands, frame)))

    def iota(self, node: ir.Iota, frame: EvaluationFrame) -> Any:
        return self.made(
            np.arange(self.value(node.size, frame), dtype=self.arithmetic.dtype("int"))
        )

    def replicate(self, node: ir.Replicate, frame: EvaluationFrame) -> Any:
        size = self.value(node.size, frame)
        rows = [self.value(node.value, frame)] * size if size > 0 else []
        return self.stacked(rows, node.type, frame)

    def literal(self, node: ir.Literal, frame: EvaluationFrame) -> Any:
        return self.stacked(self.values(node.operands, frame), node.type, frame)

    def copy(self, node: ir.Copy, frame: EvaluationFrame) -> Any:
        return self.made(self.value(node.array, frame).copy())

    def update(self, node: ir.Update, frame: EvaluationFrame) -> Any:
        array, *indices, value = self.values(node.operands, frame)
        check_bounds(node, array, indices)
        found = array.copy()
        found[tuple(indices)] = plain(value)
        return found

    def made(self, array: Any) -> Any:
        self.counts.elements += array.size
        return array

    def stacked(self, rows: Sequence[Any], t: Type, frame: EvaluationFrame) -> Any:
        """The array of a type that some rows or elements are.

        The sizes of rows that are not there may be checked later, and fail.
        """
        sizes = [self.value(n, frame) for n in type_shape(t)[1:] if isinstance(n, ir.Node)]
        if not rows:
            sizes = [max(n, 0) for n in sizes]
        array = np.empty((len(rows), *extents(sizes)), self.arithmetic.dtype(element(t).kind))
        for i, found in enumerate(rows):
            if array[i].size or np.size(found):  # sizes below one that is 0 are nobody's business
                array[i] = plain(found)
        return self.made(array)

    # Nodes with several results: lists.

    def part(self, node: ir.Part, frame: EvaluationFrame) -> Any:
        return self.value(node.node, frame)[node.index]

    def if_(self, node: ir.If, frame: EvaluationFrame) -> Any:
        chosen = node.then if self.value(node.condition, frame) else node.otherwise
        return self.enter(chosen, (), frame)

    def loop(self, node: ir.Loop, frame: EvaluationFrame) -> Any:
        bound, *carried = self.values(node.operands, frame)
        for i in range(bound):
            before, carried = carried, self.enter(node.body, [i, *carried], frame)
            if bound == WHILE and is_settled(tuple(before), tuple(carried)):
                break
        return carried

    def call(self, node: ir.Call, frame: EvaluationFrame) -> Any:
        function = self.module.functions[node.function]
        return self.function(function, self.values(node.operands, frame))

    def multiloop(self, node: ir.Multiloop, frame: EvaluationFrame) -> Any:
        size = self.value(node.size, frame)
        inputs = self.values(node.inputs, frame)
        for array in inputs:
            if len(array) != size:
                raise InternalError(f"loop {node.number}: {len(array)} elements, not {size}")
        yields = node.yields()
        runs = [EvaluationRun(self, y, frame, node) for y in yields]
        for run in runs:
            run.begin(self.values(run.yielded.extras, frame))
        for i in range(size):
            self.counts.iterations += 1
            elements = [scalar(array[i]) for array in inputs]
            body = EvaluationFrame(node.body, [i, *elements, *[None] * len(node.running)], frame)
            for run in runs:
                body.values.update(zip(run.yielded.before, run.state, strict=False))
            steps_first = [run.yielded.running != run.yielded.before for run in runs]
            for run, first in zip(runs, steps_first, strict=True):
                if first:
                    run.step(body)
            self.effects(body, node.body)
            for run, first in zip(runs, steps_first, strict=True):
                if not first:
                    run.step(body)
        return [result for run in runs for result in run.results()]


class EvaluationRun:
    """One generator while its loop runs."""

    def __init__(
        self, evaluator: Evaluator, y: ir.Yield, frame: EvaluationFrame, node: ir.Multiloop
    ) -> None:
        self.evaluator = evaluator
        self.yielded = y
        self.frame = frame
        self.node = node
        self.count = 0
        self.state: list[Any] = []
        self.rows: list[list[Any]] = [[] for _ in y.values]
        self.table: dict[tuple[Any, ...], list[Any]] = {}
        self.order: dict[tuple[Any, ...], int] = {}
        self.numbers: list[int] = []

    def begin(self, extras: Sequence[Any]) -> None:
        """Start with the values of the generator's operands."""
        evaluator, y = self.evaluator, self.yielded
        self.state = list(extras)
        if combines(y.generator):
            self.state = [
                evaluator.stacked([neutral] * extras[0], self.node.results[y.first + i], self.frame)
                for i, neutral in enumerate(extras[1:])
            ]
        if y.generator.overwrites:
            self.state = self.targets(extras)

    def targets(self, extras: Sequence[Any]) -> list[Any]:
        """The arrays that are scattered into."""
        return [target.copy() for target in extras]

    def step(self, body: EvaluationFrame) -> None:
        evaluator, y = self.evaluator, self.yielded
        if y.condition is not None and not evaluator.value(y.condition, body):
            return
        self.count += 1
        values = evaluator.values(y.values, body)
        keys = evaluator.values(y.keys, body)
        if y.spread:
            self.spread(keys, values)
            return
        if y.generator.accumulates:
            assert y.operator is not None
            self.state = evaluator.enter(y.operator, [*self.state, *values], self.frame)
            values = self.state
            if not y.before:
                body.values.update(zip(y.running, values, strict=False))
        if y.generator.by_iteration:
            self.collect(values)
        if keys:
            self.by_key(keys, values)

    def spread(self, keys: list[Any], values: list[Any]) -> None:
        """Take the elements of arrays one after the other."""
        arrays = [*keys, *values]
        if len({len(array) for array in arrays}) > 1:
            raise InternalError(f"loop {self.node.number}: takes arrays that differ in size")
        for i in range(len(arrays[0])):
            row = [scalar(array[i]) for array in arrays]
            if keys:
                self.by_key(row[: len(keys)], row[len(keys) :])
            else:
                self.collect(row)

    def by_key(self, keys: list[Any], values: list[Any]) -> None:
        """Take values for a key."""
        generator = self.yielded.generator
        if is_hashed(generator) or groups(generator):
            key = tuple(keys)
            self.numbers.append(self.order.setdefault(key, len(self.order)))
            if groups(generator):
                self.gather(key, values)
            else:
                self.combine(key, values)
        else:
            self.store(keys[0], values)

    def collect(self, values: Sequence[Any]) -> None:
        """Put values behind those before."""
        for found, value in zip(self.rows, values, strict=True):
            found.append(value)

    def gather(self, key: tuple[Any, ...], values: list[Any]) -> None:
        """Put values behind what there is for a key so far."""
        self.table.setdefault(key, []).append(values)

    def combine(self, key: tuple[Any, ...], values: list[Any]) -> None:
        """Combine values with what there is for a key so far."""
        assert self.yielded.operator is not None
        present = self.table.get(key, self.state)
        self.table[key] = self.evaluator.enter(
            self.yielded.operator, [*present, *values], self.frame
        )

    def store(self, key: int, values: list[Any]) -> None:
        """Combine values with what is there at a key, or put them there."""
        for array in self.state:
            check_bounds(self.node, array, [key])
        if self.yielded.operator is not None:
            present = [scalar(array[key]) for array in self.state]
            values = self.evaluator.enter(self.yielded.operator, [*present, *values], self.frame)
        for array, value in zip(self.state, values, strict=True):
            array[key] = plain(value)

    def results(self) -> list[Any]:
        generator = self.yielded.generator
        if is_hashed(generator) or groups(generator):
            return self.buckets(generator)
        if not generator.by_iteration:
            return self.state
        if not self.yielded.gives:
            return []
        count = len(self.rows[0]) if self.yielded.spread else self.count
        found: list[Any] = [count] if self.yielded.leads else []
        for rows, t in zip(
            self.rows, self.node.results[self.yielded.first + len(found) :], strict=False
        ):
            found.append(self.evaluator.stacked(rows, t, self.frame))
        return found

    def buckets(self, generator: Bucket) -> list[Any]:
        """The keys, and what there is for each."""
        evaluator, found = self.evaluator, list[Any]()
        if generator.hashed:
            found = [len(self.order)]
            for part in range(generator.keys):
                found.append(self.stacked([key[part] for key in self.order], len(found)))
            entries = list(self.table.values())
        else:
            count = self.state[0] - 1
            for (key,) in self.order:
                if not 0 <= key < count:
                    raise InternalError(f"loop {self.node.number}: {key} is none of {count} keys")
            entries = [self.table.get((key,), []) for key in range(count)]
        dtype = evaluator.arithmetic.dtype("int")
        if generator.collects:
            offsets = np.cumsum([0, *map(len, entries)], dtype=dtype)
            found.append(evaluator.made(offsets))
            entries = [row for rows in entries for row in rows]
        for number in range(generator.values):
            found.append(self.stacked([row[number] for row in entries], len(found)))
        if self.yielded.totals:
            found.append(len(entries))
        if generator.numbered:
            found.append(evaluator.made(np.array(self.numbers, dtype)))
        return found

    def stacked(self, rows: Sequence[Any], place: int) -> Any:
        """An array that is a result of the generator."""
        t = self.node.results[self.yielded.first + place]
        return self.evaluator.stacked(rows, t, self.frame)


EVALUATE: Final[dict[type[ir.Node], Callable[..., Any]]] = {
    ir.Operation: Evaluator.operation,
    ir.Assert: Evaluator.assert_,
    ir.Conjoin: Evaluator.conjoin,
    ir.Trace: Evaluator.trace_,
    ir.Index: Evaluator.index,
    ir.Slice: Evaluator.slice,
    ir.Rearrange: Evaluator.rearrange,
    ir.Reshape: Evaluator.reshape,
    ir.Concat: Evaluator.concat,
    ir.Iota: Evaluator.iota,
    ir.Replicate: Evaluator.replicate,
    ir.Literal: Evaluator.literal,
    ir.Copy: Evaluator.copy,
    ir.Update: Evaluator.update,
    ir.Part: Evaluator.part,
    ir.If: Evaluator.if_,
    ir.Loop: Evaluator.loop,
    ir.Call: Evaluator.call,
    ir.Multiloop: Evaluator.multiloop,
}
"""What the classes of nodes mean, as methods of an Evaluator."""
