"""What several passes ask of a flow graph; each is found once and kept while it stays true.

See Note [What changes] in `flow`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.flow_graph import ResidualGraph, fact, nodes_of

Walk = list[tuple[flow.Procedure, list[flow.Node]]]


def walk_from(procedures: Iterable[flow.Procedure]) -> Walk:
    """These procedures and those nested in them, with their nodes."""
    pending = list(procedures)
    found = []
    for procedure in pending:
        nodes = nodes_of(procedure)
        found.append((procedure, nodes))
        for node in nodes:
            for item in node.items:
                if type(item) is flow.Closures:
                    pending.extend(item.procedures)
    return found


@fact(flow.EDGES)
def walk(graph: ResidualGraph) -> Walk:
    """Every procedure, nested ones after those they stand in, with its nodes."""
    return walk_from(graph.procedures.values())


@fact(flow.EDGES)
def all_nodes(graph: ResidualGraph) -> list[flow.Node]:
    """The nodes of all procedures, in the order of `walk`."""
    return [node for _, nodes in walk(graph) for node in nodes]


@fact(flow.EDGES | flow.ITEMS | flow.LESS)
def operations(graph: ResidualGraph) -> list[flow.Operation]:
    """All operations, in the order of `walk`."""
    return [
        item for node in all_nodes(graph) for item in node.items if type(item) is flow.Operation
    ]


@fact(flow.EDGES)
def entering(graph: ResidualGraph) -> dict[flow.Node, int]:
    """How many edges lead to each node to which one does."""
    found: dict[flow.Node, int] = {}
    for node in all_nodes(graph):
        tail = node.tail
        if type(tail) is flow.Branch:
            found[tail.then] = found[tail.otherwise] = 1  # arms are private
        elif (target := tail.target) is not None:
            found[target] = found.get(target, 0) + 1
    return found


@fact(flow.EDGES | flow.ITEMS | flow.ATOMS | flow.LESS)
def uses(graph: ResidualGraph) -> dict[str, int]:
    """How often each variable is used."""
    var = il.Var
    names = [
        atom.name
        for operation in operations(graph)
        for atom in operation.arguments
        if type(atom) is var
    ]
    for node in all_nodes(graph):
        tail = node.tail
        if type(tail) is flow.Branch:
            if type(tail.test) is var:
                names.append(tail.test.name)
            continue
        if type(tail) is flow.Invoke and type(tail.function) is var:
            names.append(tail.function.name)
        if tail.arguments:
            names += [atom.name for atom in tail.arguments if type(atom) is var]
    return Counter(names)


@fact(flow.EDGES | flow.ITEMS | flow.ATOMS | flow.LESS)
def known_callees(graph: ResidualGraph) -> set[str]:
    """The top-level procedures, without the entry, of which every call is known: they are never
    used as a value and always called with as many arguments as they have parameters."""
    known = {name for name in graph.procedures if name != graph.entry}
    if not known:
        return known
    for operation in operations(graph):
        for atom in operation.arguments:
            if type(atom) is il.Global:
                known.discard(atom.name)
    for node in all_nodes(graph):
        tail = node.tail
        if type(tail) is flow.Branch:
            if type(tail.test) is il.Global:
                known.discard(tail.test.name)
            continue
        if type(tail) is flow.Invoke:
            function = tail.function
            if type(function) is il.Global and function.name in known:
                callee = graph.procedures[function.name]
                if callee.rest is not None or len(callee.parameters) != len(tail.arguments):
                    known.discard(function.name)
        for atom in tail.arguments:
            if type(atom) is il.Global:
                known.discard(atom.name)
    return known


@fact(flow.EDGES | flow.ATOMS | flow.LESS)
def received(graph: ResidualGraph) -> dict[str, list[il.Atom]]:
    """What is passed for each parameter of a node that is jumped to, and of a known callee."""
    known = known_callees(graph)
    found: dict[str, list[il.Atom]] = {}
    for node in all_nodes(graph):
        tail = node.tail
        if type(tail) is flow.Goto:
            if tail.target is None:
                continue
            parameters = tail.target.parameters
        elif type(tail) is flow.Invoke and type(tail.function) is il.Global:
            if tail.function.name not in known:
                continue
            parameters = graph.procedures[tail.function.name].parameters
        else:
            continue
        for x, atom in zip(parameters, tail.arguments, strict=True):
            if x in found:
                found[x].append(atom)
            else:
                found[x] = [atom]
    return found


def bound_names(graph: ResidualGraph) -> Iterator[str]:
    """Every variable and continuation bound in the graph."""
    for procedure, nodes in walk(graph):
        yield procedure.name
        yield from procedure.parameters
        yield procedure.cont
        if procedure.rest is not None:
            yield procedure.rest
        for node in nodes:
            yield from node.parameters
            yield from (item.name for item in node.items if type(item) is flow.Operation)
