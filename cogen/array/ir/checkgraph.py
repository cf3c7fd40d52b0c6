"""Checks that a module is well formed; what a pass broke is an `InternalError` that names the pass.

Every node is used where the parameters it depends on are bound, by one block each. Operands and
results have the types that the node asks for, up to sizes (which certificates may equate, see
`cogen.array.ir.node`); sizes are ints. Effects stand in the block whose token they have, and each
node that has an effect and is used stands in one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.ir import node as ir
from cogen.array.ir.generators import (
    is_hashed,
    is_numbered,
)
from cogen.array.ir.graphtypes import BOOL, CERT, INT, Own, Type, element, rank, row
from cogen.array.ir.graphtypes import shape as type_shape
from cogen.array.ir.graphwalk import all_blocks, all_nodes, used_by
from cogen.array.ir.node import shape
from cogen.array.ir.operations import TABLE
from cogen.array.l0.messages import fields
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import InternalError


def check(module: ir.Module, name: str) -> None:
    """Check a module after the pass `name`."""
    for function in (module.entry, *module.functions.values()):
        on_deep_stack(_GraphChecker(module, function, name).check)


class _GraphChecker:
    def __init__(self, module: ir.Module, function: ir.Function, name: str) -> None:
        self.module = module
        self.function = function
        self.name = name

    def fail(self, node: ir.Node | None, what: str) -> InternalError:
        shown = "" if node is None else f"{type(node).__name__} {node.number}: "
        return InternalError(f"after {self.name}, in `{self.function.name}`: {shown}{what}")

    def require(self, condition: bool, node: ir.Node | None, what: str) -> None:
        if not condition:
            raise self.fail(node, what)

    def check(self) -> None:
        body = self.function.body
        self.require(not body.free, None, f"the body depends on {sorted(map(repr, body.free))}")
        bound: dict[ir.Parameter, ir.Block] = {}
        standing: dict[ir.Node, ir.Block] = {}
        for block in all_blocks(body):
            for parameter in block.binds:
                self.require(parameter not in bound, parameter, "is bound twice")
                bound[parameter] = block
            for effect in block.effects:
                self.require(effect.effectful, effect, "stands as effect, but has none")
                self.require(block.token in effect.certs, effect, "stands in another's block")
                standing[effect] = block
        for node in all_nodes(body):
            self.node(node)
            if node.effectful:
                self.require(node in standing, node, "has an effect, but stands in no block")
            for parameter in node.free:
                self.require(parameter in bound, node, f"depends on unbound {parameter.name}")

    def node(self, node: ir.Node) -> None:
        for used in used_by(node):
            self.require(used.number < node.number, node, "is older than what it uses")
        for size in shape(node):
            self.require(isinstance(size, ir.Node), node, "has a size that is no node")
            self.require(size.type == INT, node, "has a size that is no int")
        for cert in node.certs:
            self.require(cert.type == CERT, node, "has a certificate that is none")
        rule = _RULES.get(type(node))
        if rule is not None:
            rule(self, node)

    def is_like(self, node: ir.Node, found: Type, expected: Type, what: str) -> None:
        alike = element(found) == element(expected) and rank(found) == rank(expected)
        self.require(alike, node, f"{what} is {found}, not {expected}")

    def ints(self, node: ir.Node, operands: Sequence[ir.Node]) -> None:
        for operand in operands:
            self.is_like(node, operand.type, INT, "an operand")

    # The classes of nodes.

    def operation(self, node: ir.Operation) -> None:
        row = TABLE[node.name]
        self.require(len(row.operands) == len(node.operands), node, "has too many operands")
        for operand, t in zip(node.operands, row.operands, strict=True):
            self.is_like(node, operand.type, t, f"an operand of {node.name}")

    def assert_(self, node: ir.Assert) -> None:
        self.is_like(node, node.condition.type, BOOL, "the condition")
        self.require(fields(node.message) == len(node.arguments), node, "shows other arguments")

    def index(self, node: ir.Index) -> None:
        self.require(len(node.indices) <= rank(node.array.type), node, "has too many indices")
        self.ints(node, node.indices)

    def ranked(self, node: ir.Slice | ir.Iota | ir.Reshape | ir.Replicate) -> None:
        self.ints(node, node.operands[:1] if node.rows_operand == 0 else node.operands[1:])

    def concat(self, node: ir.Concat) -> None:
        self.is_like(node, node.right.type, node.left.type, "the second array")

    def literal(self, node: ir.Literal) -> None:
        for operand in node.operands:
            self.is_like(node, operand.type, node.operands[0].type, "an element")

    def update(self, node: ir.Update) -> None:
        self.ints(node, node.indices)
        left = rank(node.array.type) - len(node.indices)
        self.require(left == rank(node.value.type), node, "stores a value of another rank")

    def if_(self, node: ir.If) -> None:
        self.is_like(node, node.condition.type, BOOL, "the condition")
        for block in node.blocks:
            self.require(not block.parameters, node, "has a branch with parameters")
            self.results(node, block.results, node.results)

    def loop(self, node: ir.Loop) -> None:
        self.is_like(node, node.bound.type, INT, "the bound")
        self.is_like(node, node.index.type, INT, "the index")
        types = [parameter.type for parameter in node.carried]
        self.results(node, node.initial, types)
        self.results(node, node.body.results, types)

    def call(self, node: ir.Call) -> None:
        function = self.module.functions.get(node.function)
        self.require(function is not None, node, f"calls `{node.function}`, which is not there")
        if function is not None:
            types = [parameter.type for parameter in function.body.parameters]
            self.results(node, node.operands, types)
            self.results(node, function.body.results, node.results)

    def multiloop(self, node: ir.Multiloop) -> None:
        self.is_like(node, node.size.type, INT, "the size")
        streams = node.body.streams
        self.require(len(streams) == len(node.generators), node, "takes not what the body gives")
        for y in node.yields():
            own = y.generator
            self.require(len(y.taken) == own.keys + own.values, node, "takes rows of other parts")
            spread = y.spread
            if spread:
                may_be = y.generator.may_spread
                self.require(may_be, node, "takes streams where it cannot")
                self.require(not y.conditional, node, "takes streams under a condition")
                for value in y.taken:
                    self.require(rank(value.type) == 1, node, "takes a stream that is no vector")
            if y.generator.goes_before:
                used = bool(y.running) and not y.gives
                self.require(used, node, "scans exclusively for nobody")
            if is_numbered(y.generator):
                self.require(y.one_each, node, "numbers under a condition")
            for key in y.keys:
                self.require(rank(key.type) == spread, node, "has keys that are no scalars")
                if not is_hashed(y.generator):
                    self.is_like(node, row(key.type) if spread else key.type, INT, "a key")
            self.require(is_hashed(y.generator) or len(y.keys) < 2, node, "has keys of parts")
            if y.condition is not None:
                self.is_like(node, y.condition.type, BOOL, "a condition")
            if y.operator is not None:
                accumulators = [n.type for n in y.neutral]
                self.results(node, y.operator.results, accumulators)
                passed = [p.type for p in y.operator.parameters]
                if not spread:
                    self.results(node, [*y.neutral, *y.values], passed)
                for value, t in zip(y.values if spread else (), passed, strict=False):
                    self.is_like(node, row(value.type), t, "a value")
        for parameter, array in zip(node.elements, node.inputs, strict=True):
            wanted = rank(array.type) - 1
            self.require(rank(parameter.type) == wanted, node, "has elements of another rank")
        bound = set(node.body.binds)
        for t in node.results:
            for size in type_shape(t):
                inside = isinstance(size, ir.Node) and not size.free.isdisjoint(bound)
                self.require(not inside, node, "gives rows of sizes known only inside")

    def part(self, node: ir.Part) -> None:
        self.require(isinstance(node.operands[0], ir.Region), node, "is part of a single result")
        self.require(0 <= node.index < len(node.node.results), node, "is no result")

    def results(self, node: ir.Node, found: Sequence[ir.Node], types: Sequence[Type]) -> None:
        self.require(len(found) == len(types), node, f"has {len(found)} values, not {len(types)}")
        for value, t in zip(found, types, strict=True):
            self.is_like(node, value.type, t, "a value")
            for size in type_shape(t):
                if isinstance(size, Own):
                    own = node.results[size.index] if isinstance(node, ir.Region) else INT
                    self.require(own == INT, node, "has a size that is no int")


_RULES: Final[dict[type[ir.Node], Callable[..., None]]] = {
    ir.Operation: _GraphChecker.operation,
    ir.Assert: _GraphChecker.assert_,
    ir.Index: _GraphChecker.index,
    ir.Slice: _GraphChecker.ranked,
    ir.Iota: _GraphChecker.ranked,
    ir.Reshape: _GraphChecker.ranked,
    ir.Replicate: _GraphChecker.ranked,
    ir.Concat: _GraphChecker.concat,
    ir.Literal: _GraphChecker.literal,
    ir.Update: _GraphChecker.update,
    ir.If: _GraphChecker.if_,
    ir.Loop: _GraphChecker.loop,
    ir.Call: _GraphChecker.call,
    ir.Multiloop: _GraphChecker.multiloop,
    ir.Part: _GraphChecker.part,
}
