"""Raw residual program -> flow graph: takes bodies apart into nodes.

Each arm of a conditional, each continuation and each labelled block becomes a node.  Any
well-formed `il.Block` is accepted, also one whose continuations are shared: a call to a shared
one goes through a private node.  Blocks that nothing reaches are left behind.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.errors import InternalError
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, entering
from cogen.specializer.passes.flow_graph import ResidualGraph, stem
from cogen.specializer.passes.rewrite import private
from cogen.specializer.versions.graph import RawFunction, RawProgram, body_of

UNFILLED = flow.Goto(None, ())


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
        self.pending: list[tuple[flow.Node, il.Block, str]] = []
        self.targets: dict[str, flow.Node | None] = {}

    def function(self, function: RawFunction) -> flow.Procedure:
        base = stem(function.hint or function.name)
        if function.entry not in function.blocks:
            raise InternalError(f"residual procedure {function.name} has no root", function.span)
        self.targets[function.cont] = None
        for block in function.blocks.values():
            name = stem(block.hint) or base
            node = flow.Node(list(block.parameters), UNFILLED, base=name, span=block.span)
            self.targets[block.label] = node
            self.pending.append((node, body_of(block), name))
        arguments = tuple([il.Var(x) for x in function.parameters])
        root = flow.Goto(self.targets[function.entry], arguments, function.span)
        start = flow.Node([], root, base=base, span=function.span)
        parameters = list(function.parameters)
        return flow.Procedure(
            function.name, parameters, None, function.cont, start, base, function.span
        )

    def nested(self, function: il.Function) -> flow.Procedure:
        base = stem(function.label or function.name)
        self.targets[function.cont] = None
        start = flow.Node([], UNFILLED, base=base, span=function.span)
        self.pending.append((start, function.body, base))
        parameters = list(function.parameters)
        return flow.Procedure(
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
                    node.items.append(flow.Closures(inner, binding.span))
                else:
                    for cont in binding.conts:
                        self.continuation(cont, base)
            node.tail = self.tail(block.tail, base)

    def operation(self, let: il.Let) -> flow.Operation:
        arguments = let.arguments
        safe = let.op == "record-ref" and id(getattr(arguments[0], "value", None)) in self.boxes
        return flow.Operation(let.name, let.op, arguments, let.span, safe)

    def continuation(self, cont: il.Cont, base: str) -> None:
        node = flow.Node(list(cont.parameters), UNFILLED, base=base, span=cont.span)
        self.targets[cont.name] = node
        self.pending.append((node, cont.body, base))

    def tail(self, tail: il.Tail, base: str) -> flow.Tail:
        if type(tail) is il.If:
            then = flow.Node([], UNFILLED, base=base)
            otherwise = flow.Node([], UNFILLED, base=base)
            self.pending.append((otherwise, tail.otherwise, base))
            self.pending.append((then, tail.then, base))
            return flow.Branch(tail.test, then, otherwise, tail.span)
        if tail.cont not in self.targets:
            raise InternalError(f"residual code jumps to the unknown label {tail.cont}", tail.span)
        target = self.targets[tail.cont]
        if type(tail) is il.Jump:
            return flow.Goto(target, tail.arguments, tail.span)
        return flow.Invoke(tail.function, tail.arguments, target, tail.span)


def _make_private(graph: ResidualGraph) -> None:
    """Puts a node of its own between a call and a continuation that others jump to as well."""
    edges = entering(graph)
    for node in all_nodes(graph):
        tail = node.tail
        if type(tail) is flow.Invoke and tail.target is not None and edges[tail.target] > 1:
            tail.target = private(graph, tail.target)
            graph.changed(flow.EDGES)
