"""Flow graph -> IL: names everything and nests nodes as the layout says.

Names: the entry and its parameters keep theirs; other procedures are called after their source
procedure, with a number from the second on; loops and joins after the source procedure, always
with a number; variables by their stem (`from.12` -> `from`), with the smallest free number from
the second on.  Procedures stand in the order in which the text first mentions them.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, bound_names, operations
from cogen.specializer.passes.flow_graph import ResidualGraph, node_atoms, stem
from cogen.specializer.passes.layout import NodeLayout, layout
from cogen.specializer.passes.unreachable import in_call_order

SYNTAX = frozenset(
    (
        "and", "begin", "case", "cond", "define", "delay", "delay-force", "do", "else",
        "guard", "if", "include", "lambda", "let", "let*", "letrec", "letrec*",
        "let-values", "let*-values", "or", "parameterize", "quasiquote", "quote", "set!",
        "unless", "unquote", "unquote-splicing", "when", "=>", "...", "_",
    )
)  # fmt: skip
"""Words that would not read as variables in a program's text."""


def nest(graph: ResidualGraph, rename: bool = True) -> il.Program:
    """The graph as IL; without `rename` everything keeps the name it has."""
    order = in_call_order(graph)
    arranged = layout(graph, order)
    names = _Names(graph, order, arranged, rename)
    bound = {n for groups in arranged.groups.values() for group in groups for n in group}
    for part in arranged.text:
        if isinstance(part, flow.Procedure):
            names.procedure(part)
        else:
            names.node(part, part in bound)
    builder = _Builder(arranged, names)
    for part in reversed(arranged.text):
        if type(part) is flow.Node:
            builder.build(part)
    items = tuple(il.Define(names.of(p.name), builder.function(p)) for p in order)
    return il.Program(items, source=graph.source, records=graph.records)


class _Names:
    """New names by old ones; top-level procedures are named first, then what the text binds."""

    def __init__(
        self, graph: ResidualGraph, order: list[flow.Procedure], arranged: NodeLayout, rename: bool
    ) -> None:
        self.arranged = arranged
        self.rename = rename
        self.new: dict[str, str] = {}
        self.label: dict[flow.Node, str] = {}
        self.counters: dict[str, int] = {}
        self.used = set(SYNTAX)
        self.used.update([operation.op for operation in operations(graph)])
        for node in all_nodes(graph):
            for atom in node_atoms(node):
                if type(atom) is il.Prim or (
                    type(atom) is il.Global and atom.name not in graph.procedures
                ):
                    self.used.add(atom.name)
        self.new[graph.entry] = graph.entry
        self.used.add(graph.entry)
        if not rename:
            self.used.update(bound_names(graph))
        for procedure in order[1:]:
            self.bind(procedure.name, procedure.base)

    def of(self, old: str) -> str:
        return self.new.get(old, old)

    def bind(self, old: str, base: str, numbered: bool = False) -> None:
        self.new[old] = self.unused(base, numbered) if self.rename else old

    def unused(self, base: str, numbered: bool) -> str:
        """The base with the smallest number that is free; itself, unless `numbered`, if free."""
        name = base
        if numbered or name in self.used:
            count = self.counters.get(base, 1)
            while (name := f"{base}-{count}") in self.used:
                count += 1
            self.counters[base] = count + 1
        self.used.add(name)
        return name

    def procedure(self, procedure: flow.Procedure) -> None:
        """Names what the head of a procedure binds."""
        if procedure.name not in self.new:
            self.bind(procedure.name, procedure.base)
        for x in procedure.parameters:
            self.bind(x, stem(x))
        if procedure.rest is not None:
            self.bind(procedure.rest, stem(procedure.rest))
        self.bind(procedure.cont, "k")

    def node(self, node: flow.Node, bound: bool) -> None:
        """Names what a node binds; `bound` if it is a loop or join."""
        if bound:
            self.label[node] = self.unused(node.base, numbered=True)
        for x in node.parameters:
            self.bind(x, stem(x))
        for item in node.items:
            if type(item) is flow.Operation:
                self.bind(item.name, stem(item.name))
        tail = node.tail
        rest = tail.target if type(tail) is flow.Invoke else None
        if rest is not None and self.arranged.forwards(rest) is None:
            self.label[rest] = self.unused("k", numbered=False)


class _Builder:
    """Builds the blocks of nodes, inner ones first."""

    def __init__(self, arranged: NodeLayout, names: _Names) -> None:
        self.arranged = arranged
        self.names = names
        self.blocks: dict[flow.Node, il.Block] = {}
        self.variables: dict[str, il.Atom] = {}

    def build(self, node: flow.Node) -> None:
        """The block of a node whose inner nodes have theirs."""
        names = self.names
        bindings: list[il.Binding] = []
        for item in node.items:
            if type(item) is flow.Operation:
                arguments = self.atoms(item.arguments)
                bindings.append(il.Let(names.of(item.name), item.op, arguments, item.span))
            else:
                functions = tuple([self.function(p) for p in item.procedures])
                bindings.append(il.Fix(functions, item.span))
        for group in self.arranged.groups.get(node, ()):
            bindings.append(il.Conts(tuple([self.cont(n) for n in group])))
        tail = self.tail(node, bindings)
        self.blocks[node] = il.Block(tuple(bindings), tail)

    def tail(self, node: flow.Node, bindings: list[il.Binding]) -> il.Tail:
        tail = node.tail
        if type(tail) is flow.Branch:
            arms = self.blocks[tail.then], self.blocks[tail.otherwise]
            return il.If(self.atom(tail.test), *arms, tail.span)
        arguments = self.atoms(tail.arguments)
        if type(tail) is flow.Goto:
            return il.Jump(self.label(node, tail.target), arguments, tail.span)
        target = tail.target
        if target is not None:
            if (further := self.arranged.forwards(target)) is not None:
                target = further
            else:
                bindings.append(il.Conts((self.cont(target),)))
        return il.Call(self.atom(tail.function), arguments, self.label(node, target), tail.span)

    def label(self, node: flow.Node, target: flow.Node | None) -> str:
        if target is None:
            return self.names.of(self.arranged.owner[node].cont)
        return self.names.label[target]

    def cont(self, node: flow.Node) -> il.Cont:
        parameters = tuple([self.names.of(x) for x in node.parameters])
        return il.Cont(self.names.label[node], parameters, self.blocks[node], node.span, node.base)

    def function(self, procedure: flow.Procedure) -> il.Function:
        of = self.names.of
        return il.Function(
            of(procedure.name),
            tuple([of(x) for x in procedure.parameters]),
            None if procedure.rest is None else of(procedure.rest),
            of(procedure.cont),
            self.blocks[procedure.start],
            procedure.span,
            procedure.base,
        )

    def atoms(self, atoms: flow.Atoms) -> flow.Atoms:
        return tuple([self.atom(a) for a in atoms])

    def atom(self, atom: il.Atom) -> il.Atom:
        if type(atom) is il.Var:
            found = self.variables.get(atom.name)
            if found is None:
                found = self.variables[atom.name] = il.Var(self.names.of(atom.name))
            return found
        if type(atom) is il.Global:
            return il.Global(self.names.of(atom.name))
        return atom
