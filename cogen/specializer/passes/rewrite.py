"""Changes of a whole flow graph: replacing variables, dropping parameters."""

from __future__ import annotations

from collections.abc import Callable

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, operations
from cogen.specializer.passes.flow_graph import ResidualGraph


def substitute(graph: ResidualGraph, mapping: dict[str, il.Atom]) -> None:
    """Replaces variables throughout; a replacement may itself be replaced (no cycles)."""
    if not mapping:
        return
    replace, var = replacer(mapping), il.Var
    users: list[flow.Operation | flow.Goto | flow.Invoke] = [*operations(graph)]
    for node in all_nodes(graph):
        tail = node.tail
        if type(tail) is not flow.Branch:
            users.append(tail)
            if type(tail) is flow.Invoke:
                tail.function = replace(tail.function)
        elif type(tail.test) is var and tail.test.name in mapping:
            tail.test = replace(tail.test)
    for user in users:
        for atom in user.arguments:
            if type(atom) is var and atom.name in mapping:
                user.arguments = tuple([replace(a) for a in user.arguments])
                break
    graph.changed(flow.ATOMS)


def replacer(mapping: dict[str, il.Atom]) -> Callable[[il.Atom], il.Atom]:
    """The function that follows the mapping from an atom to its last replacement."""

    def replace(atom: il.Atom) -> il.Atom:
        if type(atom) is not il.Var or atom.name not in mapping:
            return atom
        chain = []
        while type(atom) is il.Var and atom.name in mapping:
            chain.append(atom.name)
            atom = mapping[atom.name]
        for name in chain[:-1]:
            mapping[name] = atom
        return atom

    return replace


def rewrite_atoms(graph: ResidualGraph, replace: Callable[[il.Atom], il.Atom]) -> None:
    """Applies `replace` to every atom of the program."""
    for operation in operations(graph):
        operation.arguments = tuple([replace(a) for a in operation.arguments])
    for node in all_nodes(graph):
        rewrite_tail(node.tail, replace)
    graph.changed(flow.ATOMS)


def rewrite_tail(tail: flow.Tail, replace: Callable[[il.Atom], il.Atom]) -> None:
    """Applies `replace` to every atom of the end of a node."""
    if type(tail) is flow.Branch:
        tail.test = replace(tail.test)
        return
    tail.arguments = tuple([replace(a) for a in tail.arguments])
    if type(tail) is flow.Invoke:
        tail.function = replace(tail.function)


def drop_parameters(graph: ResidualGraph, dropped: set[str]) -> None:
    """Removes parameters of nodes and of top-level procedures, and what is passed for them.

    The procedures' calls must all be known.
    """
    if not dropped:
        return
    keep_of: dict[flow.Node | flow.Procedure, list[int]] = {}
    nodes = all_nodes(graph)
    owners: list[flow.Node | flow.Procedure] = [*graph.procedures.values(), *nodes]
    for owner in owners:
        if not dropped.isdisjoint(owner.parameters):
            keep_of[owner] = [i for i, x in enumerate(owner.parameters) if x not in dropped]
    for node in nodes:
        tail = node.tail
        receiver: flow.Node | flow.Procedure | None = None
        if type(tail) is flow.Goto:
            receiver = tail.target
        elif type(tail) is flow.Invoke and type(tail.function) is il.Global:
            receiver = graph.procedures.get(tail.function.name)
        if receiver in keep_of and type(tail) is not flow.Branch:
            tail.arguments = tuple([tail.arguments[i] for i in keep_of[receiver]])
    for owner, kept in keep_of.items():
        owner.parameters = [owner.parameters[i] for i in kept]
    graph.changed(flow.LESS)


def private(graph: ResidualGraph, target: flow.Node) -> flow.Node:
    """A new node that takes what `target` takes and goes there."""
    names = [graph.fresh(x) for x in target.parameters]
    arguments = tuple([il.Var(x) for x in names])
    return flow.Node(names, flow.Goto(target, arguments), base=target.base, span=target.span)
