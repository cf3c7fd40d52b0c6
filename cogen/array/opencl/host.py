"""Walks the schedule of a program on the host, for an OpenCL device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cogen.array.codegen.errorsites import ErrorMeaning
from cogen.array.codegen.runnable import Tracer
from cogen.array.ir.evaluate import Counts, EvaluationFrame, Evaluator
from cogen.array.ir.graphtypes import CERT, INT, GraphArray, Own, Type, element, rank
from cogen.array.ir.marshal import to_leaves
from cogen.array.ir.node import (
    Assert,
    Call,
    Concat,
    Conjoin,
    Constant,
    Copy,
    Function,
    If,
    Index,
    Iota,
    Literal,
    Loop,
    Multiloop,
    Node,
    Operation,
    Rearrange,
    Region,
    Replicate,
    Reshape,
    Slice,
    Trace,
    Update,
    sizes_in,
)
from cogen.array.ir.operations import table
from cogen.array.l0.runerrors import out_of_memory, too_deep
from cogen.array.l0.types import Type as Layout
from cogen.array.l0.while_loops import WHILE, is_settled
from cogen.array.opencl.hostvalues import (
    DeviceArray,
    Env,
    HostArray,
    HostCounter,
    HostFill,
    number,
    rearranged,
    repeated,
    row,
    row_major,
    slice_rows,
)
from cogen.array.opencl.launch import Launch
from cogen.array.schedule.schedule import Scheduled, Statement
from cogen.array.schedule.usage import key
from cogen.lang.errors import CogenError, InternalError

if TYPE_CHECKING:
    from cogen.array.opencl.deviceprogram import DeviceProgram


class Host:
    """One call: walks the schedule."""

    def __init__(self, owner: DeviceProgram, trace: Tracer) -> None:
        self.owner = owner
        self.code = owner.code
        self.trace = trace
        self.operations = table(owner.code.program.arithmetic)
        self.memory = owner.memory
        self.cl = owner.device.cl
        self.queue = owner.device.queue

    # Values.

    def value(self, node: Node, env: Env) -> Any:
        if node.is_known:
            return node.known
        if node.type == CERT:
            return True
        try:
            return env[key(node)]
        except KeyError:
            raise InternalError(f"a value is used before it is there: {node!r}") from None

    def values(self, nodes: Sequence[Node], env: Env) -> list[Any]:
        return [self.value(node, env) for node in nodes]

    def sizes(self, t: Type, env: Env, own: Sequence[Any] = ()) -> tuple[int, ...]:
        """The sizes that a type names."""
        found: list[int] = []
        for size in t.shape if isinstance(t, GraphArray) else ():
            if isinstance(size, Own):
                found.append(own[size.index] + size.more)
            else:
                assert isinstance(size, Node)
                found.append(self.value(size, env))
        return tuple(found)

    def bind_results(self, node: Node, results: Sequence[Any], env: Env) -> None:
        for place, value in enumerate(results):
            env[node, place] = value

    # Blocks.

    def function(self, function: Function, body: Scheduled, arguments: Sequence[Any]) -> list[Any]:
        env: Env = {key(p): v for p, v in zip(function.body.parameters, arguments, strict=True)}
        return self.block(body, env)

    def block(self, block: Scheduled, env: Env) -> list[Any]:
        """Run a block; its results."""
        for statement in block.statements:
            self.statement(statement, env)
        found = self.values(block.block.results, env)
        for place in block.copies:
            if isinstance(found[place], HostArray):
                found[place] = self.memory.copy(found[place])
        return found

    def statement(self, statement: Statement, env: Env) -> None:
        node = statement.node
        plan = self.code.plans.get(statement)
        try:
            if plan is not None:
                Launch(self, plan, env).run()
            elif isinstance(node, Region):
                self.bind_results(node, self._region(statement, env), env)
            else:
                found = _SIMPLE[type(node)](self, statement, env)
                env[key(node)] = found
        except CogenError as error:
            if error.span is None:
                error.span = self.code.program.spans.get(node)
            raise
        except MemoryError:
            raise out_of_memory(self.code.program.spans.get(node)) from None

    def operand(self, statement: Statement, position: int, env: Env) -> Any:
        """An operand, copied if it has to be."""
        value = self.value(statement.node.operands[position], env)
        if position in statement.copies and isinstance(value, HostArray):
            return self.memory.copy(value)
        return value

    def _region(self, statement: Statement, env: Env) -> list[Any]:
        node = statement.node
        match node:
            case If():
                return self.block(statement.blocks[not self.value(node.condition, env)], env)
            case Loop():
                return self._loop(statement, node, env)
            case Call():
                arguments = [
                    self.operand(statement, position, env) for position in range(len(node.operands))
                ]
                function = self.code.prepared.module.functions[node.function]
                body = self.code.prepared.functions[node.function]
                try:
                    return self.function(function, body, arguments)
                except RecursionError:
                    raise too_deep(self.code.program.spans.get(node)) from None
            case Multiloop():
                return self._interpreted(statement, env)
        raise InternalError(f"the host cannot run {node!r}")

    def _loop(self, statement: Statement, node: Loop, env: Env) -> list[Any]:
        carried = [
            self.operand(statement, position, env) for position in range(1, len(node.operands))
        ]
        rounds = self.value(node.bound, env)
        for i in range(rounds):
            env[key(node.index)] = i
            for parameter, value in zip(node.carried, carried, strict=True):
                env[key(parameter)] = value
            before, carried = carried, self.block(statement.blocks[0], env)
            if rounds == WHILE and is_settled(tuple(before), tuple(carried)):
                break
        return carried

    def _interpreted(self, statement: Statement, env: Env) -> list[Any]:
        """The results of a loop that no kernel can do."""
        module = self.code.prepared.module

        def traced(layout: Layout, value: Any) -> None:
            self.trace(layout, to_leaves(value, layout)[0])

        evaluator = Evaluator(module, traced, Counts(), self.code.program.arithmetic)
        frame = EvaluationFrame(module.entry.body, [None] * len(module.entry.body.parameters), None)
        frame.values.clear()
        for node in _mentioned(statement):
            if key(node) in env:
                value = env[key(node)]
                is_array = isinstance(value, HostArray)
                frame.values[node] = self.memory.download(value) if is_array else value
            elif node.type == CERT:
                frame.values[node] = True
        results = evaluator.value(statement.node, frame)
        assert isinstance(statement.node, Region)
        return [
            self.memory.upload(value, t.element) if isinstance(t, GraphArray) else value
            for value, t in zip(results, statement.node.results, strict=True)
        ]

    # Nodes without blocks.

    def operation(self, statement: Statement, env: Env) -> Any:
        node = statement.node
        assert isinstance(node, Operation)
        return self.operations[node.name].meaning(*self.values(node.operands, env))

    def assertion(self, statement: Statement, env: Env) -> Any:
        node = statement.node
        assert isinstance(node, Assert)
        if not self.value(node.condition, env):
            raise ErrorMeaning(node.message, node.span).of(*self.values(node.arguments, env))
        return True

    def trace_value(self, statement: Statement, env: Env) -> Any:
        node = statement.node
        assert isinstance(node, Trace)
        leaves = [
            self.memory.download(value) if isinstance(value, HostArray) else value
            for value in self.values(node.operands, env)
        ]
        self.trace(node.layout, leaves)
        return True

    def index(self, statement: Statement, env: Env) -> Any:
        array, *indices = self.values(statement.node.operands, env)
        if rank(statement.node.type):
            return row(array, indices)
        return self.memory.element(array, indices)

    def slice(self, statement: Statement, env: Env) -> Any:
        return slice_rows(*self.values(statement.node.operands, env))

    def rearrange(self, statement: Statement, env: Env) -> Any:
        node = statement.node
        assert isinstance(node, Rearrange)
        return rearranged(self.value(node.array, env), node.order)

    def reshape(self, statement: Statement, env: Env) -> Any:
        array, *sizes = self.values(statement.node.operands, env)
        if isinstance(array, HostFill):
            return HostFill(array.element, array.value, tuple(sizes))
        whole = self.memory.dense(array)
        strides = row_major(sizes)
        return DeviceArray(whole.element, whole.buffer, whole.offset, tuple(sizes), strides)

    def concat(self, statement: Statement, env: Env) -> Any:
        left, right = self.values(statement.node.operands, env)
        size = left.shape[0] + right.shape[0]
        rows = left.shape[1:] if left.shape[0] else right.shape[1:]
        made = self.memory.new(left.element, (size, *rows))
        for start, array in ((0, left), (left.shape[0], right)):
            target = slice_rows(made, start, array.shape[0])
            assert isinstance(target, DeviceArray)
            if array.shape[0]:
                self.memory.assign(target, array)
        return made

    def iota(self, statement: Statement, env: Env) -> Any:
        (size,) = self.values(statement.node.operands, env)
        return HostCounter(INT, 0, (size,), (1,))

    def replicate(self, statement: Statement, env: Env) -> Any:
        size, value = self.values(statement.node.operands, env)
        if not isinstance(value, HostArray):
            return HostFill(element(statement.node.type), value, (size,))
        found = repeated(value, size)
        if self.code.overwrites and isinstance(found, DeviceArray):
            return self.memory.copy(found)
        return found

    def literal(self, statement: Statement, env: Env) -> Any:
        node = statement.node
        t = element(node.type)
        values = self.values(node.operands, env)
        rows = self.sizes(node.type, env)[1:]
        if not rows:
            return self.memory.upload(
                np.array([number(v) for v in values], self.memory.dtype(t)), t
            )
        made = self.memory.new(t, (len(values), *rows))
        for place, value in enumerate(values):
            target = row(made, [place])
            assert isinstance(target, DeviceArray)
            self.memory.assign(target, value)
        return made

    def copy(self, statement: Statement, env: Env) -> Any:
        return self.memory.copy(self.value(statement.node.operands[0], env))

    def update(self, statement: Statement, env: Env) -> Any:
        target = self.to_overwrite(self.operand(statement, 0, env))
        *indices, value = self.values(statement.node.operands[1:], env)
        if isinstance(value, HostArray):
            place = row(target, indices)
            assert isinstance(place, DeviceArray)
            self.memory.assign(place, value)
        else:
            self.memory.set_element(target, indices, value)
        return target

    def to_overwrite(self, array: HostArray) -> DeviceArray:
        """An array whose elements have places of their own."""
        if isinstance(array, DeviceArray) and (array.dense or 0 not in array.strides):
            return array
        return self.memory.copy(array)


_SIMPLE: Final[dict[type[Node], Callable[[Host, Statement, Env], Any]]] = {
    Operation: Host.operation,
    Assert: Host.assertion,
    Trace: Host.trace_value,
    Index: Host.index,
    Slice: Host.slice,
    Rearrange: Host.rearrange,
    Reshape: Host.reshape,
    Concat: Host.concat,
    Iota: Host.iota,
    Replicate: Host.replicate,
    Literal: Host.literal,
    Copy: Host.copy,
    Update: Host.update,
}


def _mentioned(statement: Statement) -> list[Node]:
    """The nodes that a statement or what is within it depends on directly, sizes and all."""
    found: dict[Node, None] = {}
    waiting: list[Node] = [statement.node]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found[node] = None
        waiting.extend((*node.operands, *node.certs))
        waiting.extend(sizes_in(node.type, *node.results))
        for block in node.blocks:
            waiting.extend((*block.effects, *block.results, *block.parameters))
    return [node for node in found if not isinstance(node, (Constant, Conjoin))]
