"""Removes procedures that need not be procedures.

In this order, each on its own:

loops       a tail call of a procedure to itself -> a jump to its (new) first loop node
wrappers    a procedure that only calls another with its own parameters -> that other one
inlining    a procedure with one call -> its nodes, where the call was; also one that is only
            called in tail position, from one other procedure -> nodes of that procedure

Code is moved, never copied, so none of it can blow up or happen twice.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import Walk, all_nodes, known_callees, walk
from cogen.specializer.passes.flow_graph import ResidualGraph, nodes_of, tail_atoms
from cogen.specializer.passes.rewrite import private, rewrite_atoms, substitute
from cogen.specializer.passes.unreachable import drop_unreachable


def make_loops(graph: ResidualGraph) -> bool:
    """`(define f (lambda (x) k (... (call (global f) (a) k))))` ->
    `(define f (lambda (y) k ((conts (f-1 (x) (... (jump f-1 a)))) (jump f-1 y))))`."""
    changed = False
    for procedure, nodes in walk(graph):
        if procedure.rest is not None:
            continue
        calls = [
            (node, tail)
            for node in nodes
            if type(tail := node.tail) is flow.Invoke
            and tail.target is None
            and _calls(graph, tail, procedure)
            and len(tail.arguments) == len(procedure.parameters)
        ]
        if not calls:
            continue
        changed = True
        head = procedure.start
        head.parameters = procedure.parameters
        procedure.parameters = [graph.fresh(x) for x in head.parameters]
        first = flow.Goto(head, tuple([il.Var(x) for x in procedure.parameters]), procedure.span)
        procedure.start = flow.Node([], first, base=procedure.base, span=procedure.span)
        for node, call in calls:
            node.tail = flow.Goto(head, call.arguments, call.span)
    if changed:
        graph.changed(flow.EDGES)
    return changed


def _calls(graph: ResidualGraph, tail: flow.Invoke, procedure: flow.Procedure) -> bool:
    """Whether the call is certainly one of that procedure."""
    function = tail.function
    if type(function) is il.Global:
        return graph.procedures.get(function.name) is procedure
    return type(function) is il.Var and function.name == procedure.name


def drop_wrappers(graph: ResidualGraph) -> bool:
    """`(define f (lambda (x y) k ((call (global g) (x y) k))))` -> `g` for `f`; if `f` is the
    entry, `g` takes its name."""
    changed = _adopt(graph)
    wrapped: dict[str, str] = {}
    for procedure, _ in walk(graph):
        callee = _wrapped(graph, procedure)
        if callee is not None and procedure.name != graph.entry:
            wrapped[procedure.name] = callee
    final: dict[str, il.Atom] = {}
    for name in wrapped:
        seen = {name}
        callee = wrapped[name]
        while callee in wrapped and callee not in seen:
            seen.add(callee)
            callee = wrapped[callee]
        if callee not in seen:
            final[name] = il.Global(callee)
    if not final:
        return changed
    for name in final:
        graph.procedures.pop(name, None)
    for node in all_nodes(graph):
        for item in node.items:
            if type(item) is flow.Closures:
                item.procedures = [p for p in item.procedures if p.name not in final]
        node.items = [i for i in node.items if type(i) is not flow.Closures or i.procedures]

    def replace(atom: il.Atom) -> il.Atom:
        if type(atom) is il.Var or type(atom) is il.Global:
            return final.get(atom.name, atom)
        return atom

    graph.changed(flow.EDGES | flow.ITEMS)
    rewrite_atoms(graph, replace)
    return True


def _wrapped(graph: ResidualGraph, procedure: flow.Procedure) -> str | None:
    """The top-level procedure that this one only passes its parameters on to."""
    tail = procedure.start.tail
    if procedure.start.items or procedure.rest is not None or type(tail) is not flow.Invoke:
        return None
    function = tail.function
    if tail.target is not None or type(function) is not il.Global:
        return None
    callee = graph.procedures.get(function.name)
    if callee is None or callee is procedure or callee.rest is not None:
        return None
    passed = [a.name if type(a) is il.Var else None for a in tail.arguments]
    if passed != procedure.parameters or len(callee.parameters) != len(passed):
        return None
    return callee.name


def _adopt(graph: ResidualGraph) -> bool:
    """Lets the entry take the body of the procedure it only wraps."""
    entry = graph.procedures[graph.entry]
    name = _wrapped(graph, entry)
    if name is None:
        return False
    callee = graph.procedures.pop(name)
    renamed = dict(zip(callee.parameters, (il.Var(x) for x in entry.parameters), strict=True))
    entry.start = callee.start
    entry.cont = callee.cont
    graph.changed(flow.EDGES)

    def replace(atom: il.Atom) -> il.Atom:
        if type(atom) is il.Var:
            return renamed.get(atom.name, atom)
        return il.Global(entry.name) if type(atom) is il.Global and atom.name == name else atom

    rewrite_atoms(graph, replace)
    return True


def inline_procedures(graph: ResidualGraph) -> bool:
    """`(call (global f) (a) k)`, the only one -> the body of `f` with `a` for its parameter and
    `k` for its continuation.

    Precondition: all calls of `f` are known and none stands in its own body; there is one call,
    or all are tail calls of one procedure.
    """
    drop_unreachable(graph)
    if len(walk(graph)) == 1:
        return False
    work = _Inlining(graph)
    for procedure in list(work.calls):
        work.inline(procedure)
    if not work.owner_of:
        return False
    graph.changed(flow.EDGES | flow.ITEMS)
    substitute(graph, work.values)
    return True


class _Inlining:
    """`calls`: the places of each procedure whose calls are all known; `homes`: where a nested
    procedure is bound; `owner_of`: the procedure that an inlined one has become part of."""

    def __init__(self, graph: ResidualGraph) -> None:
        self.graph = graph
        self.calls: dict[flow.Procedure, list[tuple[flow.Node, flow.Procedure]]] = {}
        self.homes: dict[flow.Procedure, tuple[flow.Node, flow.Closures, flow.Procedure]] = {}
        self.owner_of: dict[flow.Procedure, flow.Procedure] = {}
        self.values: dict[str, il.Atom] = {}
        known = {name: graph.procedures[name] for name in known_callees(graph)}
        everything = walk(graph)
        for procedure, nodes in everything:
            for node in nodes:
                for item in node.items:
                    if type(item) is flow.Closures:
                        for inner in item.procedures:
                            self.homes[inner] = (node, item, procedure)
        nested = _called_only(everything, list(self.homes))
        for procedure, nodes in everything:
            for node in nodes:
                tail = node.tail
                if type(tail) is not flow.Invoke:
                    continue
                if type(tail.function) is il.Global:
                    callee = known.get(tail.function.name)
                elif type(tail.function) is il.Var:
                    callee = nested.get(tail.function.name)
                else:
                    continue
                if callee is not None:
                    self.calls.setdefault(callee, []).append((node, procedure))

    def inline(self, procedure: flow.Procedure) -> None:
        """Moves the procedure to where it is called, if it may."""
        places = self.calls[procedure]
        owners = [self.current(owner) for _, owner in places]
        if any(owner is not owners[0] for owner in owners):
            return
        if procedure in self.around(owners[0]):
            return
        if len(places) == 1:
            moved = self.splice(procedure, places[0][0])
        else:
            moved = self.share(procedure, [node for node, _ in places])
        if moved:
            self.owner_of[procedure] = owners[0]
            self.forget(procedure)

    def current(self, procedure: flow.Procedure) -> flow.Procedure:
        inlined = []
        while procedure in self.owner_of:
            inlined.append(procedure)
            procedure = self.owner_of[procedure]
        for one in inlined:
            self.owner_of[one] = procedure
        return procedure

    def around(self, procedure: flow.Procedure) -> list[flow.Procedure]:
        """The procedure and those it is nested in, from the inside."""
        found = [procedure]
        while procedure in self.homes:
            procedure = self.current(self.homes[procedure][2])
            found.append(procedure)
        return found

    def splice(self, procedure: flow.Procedure, node: flow.Node) -> bool:
        call = node.tail
        if type(call) is not flow.Invoke:
            return False
        rest = call.target
        if rest is not None:
            ends = [n.tail for n in nodes_of(procedure) if _returns(n)]
            for end in ends:
                if type(end) is flow.Goto and len(end.arguments) != len(rest.parameters):
                    return False
            for end in ends:
                if type(end) is flow.Goto:
                    end.target = rest
                elif type(end) is flow.Invoke:
                    end.target = private(self.graph, rest)
        self.values.update(zip(procedure.parameters, call.arguments, strict=True))
        node.tail = flow.Goto(procedure.start, (), call.span)
        return True

    def share(self, procedure: flow.Procedure, nodes: list[flow.Node]) -> bool:
        if any(not _returns(node) for node in nodes):
            return False
        procedure.start.parameters = procedure.parameters
        for node in nodes:
            if type(node.tail) is flow.Invoke:
                node.tail = flow.Goto(procedure.start, node.tail.arguments, node.tail.span)
        return True

    def forget(self, procedure: flow.Procedure) -> None:
        if procedure not in self.homes:
            del self.graph.procedures[procedure.name]
            return
        node, closures, _ = self.homes[procedure]
        closures.procedures.remove(procedure)
        if not closures.procedures:
            node.items.remove(closures)


def _returns(node: flow.Node) -> bool:
    """Whether control leaves the procedure at the end of the node."""
    return type(node.tail) is not flow.Branch and node.tail.target is None


def _called_only(everything: Walk, nested: list[flow.Procedure]) -> dict[str, flow.Procedure]:
    """The nested procedures that are only called, with as many arguments as they take."""
    found = {p.name: p for p in nested if p.rest is None}
    for _, nodes in everything:
        for node in nodes:
            for item in node.items:
                if type(item) is flow.Operation:
                    _discard(found, item.arguments)
            tail = node.tail
            if type(tail) is not flow.Invoke:
                _discard(found, tail_atoms(tail))
                continue
            _discard(found, tail.arguments)
            if type(tail.function) is il.Var:
                callee = found.get(tail.function.name)
                if callee is not None and len(callee.parameters) != len(tail.arguments):
                    del found[callee.name]
    return found


def _discard(found: dict[str, flow.Procedure], atoms: flow.Atoms) -> None:
    for atom in atoms:
        if type(atom) is il.Var:
            found.pop(atom.name, None)
