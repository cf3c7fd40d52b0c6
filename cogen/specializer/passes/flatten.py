"""Raw residual program -> flow graph: takes bodies apart into nodes.

Each arm of a conditional, each continuation and each labelled block becomes a node.  Any
well-formed `il.Block` is accepted, also one whose continuations are shared: a call to a shared
one goes through a private node.  Blocks that nothing reaches are left behind.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.errors import InternalError
from cogen.specializer.passes.facts import all_nodes, entering
from cogen.specializer.passes.flow_graph import (
    EDGES,
    Closures,
    FlowBranch,
    FlowGoto,
    FlowInvoke,
    FlowNode,
    FlowOperation,
    FlowProcedure,
    ResidualGraph,
    Tail,
    stem,
)
from cogen.specializer.passes.rewrite import private
from cogen.specializer.versions.graph import RawFunction, RawProgram, body_of

UNFILLED = FlowGoto(None, ())


def flatten(raw: RawProgram) -> ResidualGraph:
    """The flow graph of a raw program; an `InternalError` if it breaks the laws of `graph.py`."""
    if raw.entry not in raw.functions:
        raise InternalError(f"residual entry {raw.entry} is missing")
    work = _Flattening(raw)
    graph = ResidualGraph(
        {},
        raw.entry,
        raw.records,
        raw.boxes,
        raw.source,
        dict(raw.types),
        raw.word_size,
        raw.assigned,
    )
    for function in raw.functions.values():
        graph.procedures[function.name] = work.function(function)
    work.run()
    _make_private(graph)
    return graph


class _Flattening:
    """Bodies still to be taken apart, and the node each continuation name stands for."""

    def __init__(self, raw: RawProgram) -> None:
        self.boxes = {id(box) for box in raw.boxes}
        self.pending: list[tuple[FlowNode, il.Block, str]] = []
        self.targets: dict[str, FlowNode | None] = {}

    def function(self, function: RawFunction) -> FlowProcedure:
        base = stem(function.hint or function.name)
        if function.entry not in function.blocks:
            raise InternalError(f"residual procedure {function.name} has no root", function.span)
        self.targets[function.cont] = None
        for block in function.blocks.values():
            name = stem(block.hint) or base
            node = FlowNode(list(block.parameters), UNFILLED, base=name, span=block.span)
            self.targets[block.label] = node
            self.pending.append((node, body_of(block), name))
        arguments = tuple([il.Var(x) for x in function.parameters])
        root = FlowGoto(self.targets[function.entry], arguments, function.span)
        start = FlowNode([], root, base=base, span=function.span)
        parameters = list(function.parameters)
        return FlowProcedure(
            function.name, parameters, None, function.cont, start, base, function.span
        )

    def nested(self, function: il.Function) -> FlowProcedure:
        base = stem(function.label or function.name)
        self.targets[function.cont] = None
        start = FlowNode([], UNFILLED, base=base, span=function.span)
        self.pending.append((start, function.body, base))
        parameters = list(function.parameters)
        return FlowProcedure(
            function.name, parameters, function.rest, function.cont, start, base, function.span
        )

    def run(self) -> None:
        while self.pending:
            node, block, base = self.pending.pop()
            for binding in block.bindings:
                if type(binding) is il.Let:
                    node.items.append(self.operation(binding))
                elif type(binding) is il.Fix:
                    inner = [self.nested(f) for f in binding.functions]
                    node.items.append(Closures(inner, binding.span))
                else:
                    for cont in binding.conts:
                        self.continuation(cont, base)
            node.tail = self.tail(block.tail, base)

    def operation(self, let: il.Let) -> FlowOperation:
        arguments = let.arguments
        safe = let.op == "record-ref" and id(getattr(arguments[0], "value", None)) in self.boxes
        return FlowOperation(let.name, let.op, arguments, let.span, safe)

    def continuation(self, cont: il.Cont, base: str) -> None:
        node = FlowNode(list(cont.parameters), UNFILLED, base=base, span=cont.span)
        self.targets[cont.name] = node
        self.pending.append((node, cont.body, base))

    def tail(self, tail: il.Tail, base: str) -> Tail:
        if type(tail) is il.If:
            then = FlowNode([], UNFILLED, base=base)
            otherwise = FlowNode([], UNFILLED, base=base)
            self.pending.append((otherwise, tail.otherwise, base))
            self.pending.append((then, tail.then, base))
            return FlowBranch(tail.test, then, otherwise, tail.span)
        if tail.cont not in self.targets:
            raise InternalError(f"residual code jumps to the unknown label {tail.cont}", tail.span)
        target = self.targets[tail.cont]
        if type(tail) is il.Jump:
            return FlowGoto(target, tail.arguments, tail.span)
        return FlowInvoke(tail.function, tail.arguments, target, tail.span)


def _make_private(graph: ResidualGraph) -> None:
    """Puts a node of its own between a call and a continuation that others jump to as well."""
    edges = entering(graph)
    for node in all_nodes(graph):
        tail = node.tail
        if type(tail) is FlowInvoke and tail.target is not None and edges[tail.target] > 1:
            tail.target = private(graph, tail.target)
            graph.changed(EDGES)
