"""The types of variables as far as they follow from where their values come from."""

from __future__ import annotations

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import known_callees, walk
from cogen.specializer.passes.flow_graph import ResidualGraph, fact
from cogen.specializer.passes.types import (
    RESULTS,
    is_of,
    join,
    more_exact,
    result_type,
    type_of_datum,
)


@fact(flow.EDGES | flow.ITEMS | flow.ATOMS | flow.MARKS)
def infer(graph: ResidualGraph) -> dict[str, str]:
    """The types of variables as far as they follow from where their values come from.

    Parameters of nodes and of procedures all of whose calls are known have the join of what
    they receive; the least such assignment is found, so a loop's counter is an int if it
    starts as one and stays one.  So have fields of boxes (`versions.families`), which are made by
    the program alone and never assigned.  A variable that is missing has type `any`.
    """
    return _Inference(graph).run()


class _Inference:
    """`feeds`: what each parameter receives; `joined`: the join of what is known of that;
    `numeric`: the operations whose type depends on their arguments'; `users`: which variables
    depend on each, as often as they receive it.  A procedure's result is a pseudo-variable
    `(result f)`, the field of a box `(field 0 1)`."""

    def __init__(self, graph: ResidualGraph) -> None:
        self.graph = graph
        self.known = known_callees(graph)
        self.types: dict[str, str] = {}
        self.feeds: dict[str, list[il.Atom]] = {}
        self.joined: dict[str, str] = {}
        self.numeric: dict[str, flow.Operation] = {}
        self.users: dict[str, list[str]] = {}
        self.boxes = {id(box): number for number, box in enumerate(graph.boxes)}
        for procedure, nodes in walk(graph):
            nested = graph.procedures.get(procedure.name) is not procedure
            if nested:
                self.types[procedure.name] = "procedure"
            if nested or procedure.name not in self.known:
                for x in procedure.parameters:
                    self.types[x] = graph.types.get(x, "any")
            for node in nodes:
                self.items(node)
                self.edges(node, procedure)

    def items(self, node: flow.Node) -> None:
        for item in node.items:
            if type(item) is not flow.Operation or self.is_of_box(item):
                continue
            result = RESULTS.get(item.op)
            if result is not None:
                self.types[item.name] = more_exact(item.type, result)
                continue
            self.numeric[item.name] = item
            for atom in item.arguments:
                if type(atom) is il.Var:
                    self.users.setdefault(atom.name, []).append(item.name)

    def is_of_box(self, item: flow.Operation) -> bool:
        """Whether an operation reads a field of a box, which is what it gives, or makes one."""
        if item.op not in ("record-ref", "make-record"):
            return False
        box, *fields = item.arguments
        number = self.boxes.get(id(box.value)) if type(box) is il.Const else None
        if number is None:
            return False
        if item.op == "record-ref":
            assert type(fields[0]) is il.Const
            self.feed(item.name, il.Var(f"(field {number} {fields[0].value})"))
            return True
        for index, atom in enumerate(fields):
            self.feed(f"(field {number} {index})", atom)
        return False

    def edges(self, node: flow.Node, procedure: flow.Procedure) -> None:
        tail = node.tail
        if type(tail) is flow.Branch:
            return
        if type(tail) is flow.Goto:
            if tail.target is not None:
                for x, atom in zip(tail.target.parameters, tail.arguments, strict=False):
                    self.feed(x, atom)
            else:
                for atom in tail.arguments[:1]:
                    self.feed(_result(procedure), atom)
            return
        callee = None
        if type(tail.function) is il.Global:
            callee = self.graph.procedures.get(tail.function.name)
        if callee is not None and callee.name in self.known:
            for x, atom in zip(callee.parameters, tail.arguments, strict=True):
                self.feed(x, atom)
        receivers = [_result(procedure)] if tail.target is None else tail.target.parameters
        for x in receivers:
            if callee is None or len(receivers) != 1:
                self.types[x] = "any"
            else:
                self.feed(x, il.Var(_result(callee)))

    def feed(self, x: str, atom: il.Atom) -> None:
        if x in self.feeds:
            self.feeds[x].append(atom)
        else:
            self.feeds[x] = [atom]
        if type(atom) is il.Var:
            self.users.setdefault(atom.name, []).append(x)

    def run(self) -> dict[str, str]:
        types = self.types
        open_ones = [x for x in (*self.feeds, *self.numeric) if x not in types]
        unsettled = set(open_ones)
        for x in open_ones:
            if x in self.feeds:
                self.join_all(x)
        pending = list(reversed(open_ones))
        while pending:
            x = pending.pop()
            found = self.of_operation(x) if x in self.numeric else self.joined.get(x)
            old = types.get(x)
            if found is None or found == old:
                continue
            types[x] = found
            for y in self.users.get(x, ()):
                if y in unsettled:
                    if y in self.feeds:
                        self.join_one(y, old, found)
                    pending.append(y)
        for x, vouched in self.graph.types.items():
            known = types.get(x, "any")
            types[x] = vouched if known == vouched else more_exact(vouched, known)
        return types

    def join_all(self, x: str) -> None:
        """Joins what is known of everything that a parameter receives."""
        self.joined.pop(x, None)
        for atom in self.feeds[x]:
            found = self.of(atom)
            if found is not None:
                self.join_one(x, None, found)

    def join_one(self, x: str, old: str | None, new: str) -> None:
        """Joins the new type of something that a parameter receives, and that had an old one."""
        if old is not None and not is_of(old, new):
            self.join_all(x)  # not in what has been joined so far
        else:
            self.joined[x] = join(self.joined[x], new) if x in self.joined else new

    def of_operation(self, x: str) -> str | None:
        """The type that follows from what is known so far; None if nothing is."""
        operation = self.numeric[x]
        types: list[str] = []
        for atom in operation.arguments:
            found = self.of(atom)
            if found is None:
                return None
            types.append(found)
        return more_exact(operation.type, result_type(operation.op, types))

    def of(self, atom: il.Atom) -> str | None:
        if type(atom) is il.Var:
            return self.types.get(atom.name)
        return type_of_datum(atom.value) if type(atom) is il.Const else "procedure"


def _result(procedure: flow.Procedure) -> str:
    return f"(result {procedure.name})"
