"""Leaves out arms for boxes that never come there (`versions.families`).

The specializer looks into a dynamic box in an arm for each variant that there is.  Some of these
are made only where such an arm leads, or in versions that others have taken the place of; and where
a stack is looked into, what has been put on it often tells which may be on top.  So what is looked
for is which nodes are reached from the entry, and which variants are made there and get where: the
least solution, as in conditional constant propagation (Wegman and Zadeck, 1991).  Boxes in other
structures, or in closures, are not followed: they may be all that are made.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, NamedTuple

from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import known_callees, operations
from cogen.specializer.passes.flow_graph import ResidualGraph, node_atoms
from cogen.specializer.passes.scope import TestedScope, scoped_walk

_ANYTHING: Final = None
"""Stands for values that are not followed."""

_MADE: Final = "(made)"
"""Stands for a variable that holds all boxes that are made."""


def drop_variants(graph: ResidualGraph) -> bool:
    """`(if (T? x) (A) (B))` -> `(B)` where no `(make-record T …)` gets to `x`."""
    boxes = {id(box) for box in graph.boxes}
    if not boxes or not any(_box_test(o, boxes) for o in operations(graph)):
        return False
    scope = _Telling(boxes)
    scoped_walk(graph, scope)
    reach = _Reach(graph, boxes, scope)
    changed = False
    for node in reach.run():
        arms = reach.arms(node) if type(node.tail) is flow.Branch else ()
        if len(arms) == 1:
            node.tail = flow.Goto(arms[0], (), node.tail.span)
            changed = True
    if changed:
        graph.changed(flow.EDGES)
    return changed


def _box(operation: flow.Operation, boxes: set[int]) -> RecordType | None:
    """The type of boxes that an operation is about."""
    first = operation.arguments[0] if operation.arguments else None
    if type(first) is not il.Const or id(first.value) not in boxes:
        return None
    assert type(first.value) is RecordType
    return first.value


def _box_test(operation: flow.Operation, boxes: set[int]) -> tuple[RecordType, str] | None:
    """The type and the variable, if an operation asks whether that holds such a box."""
    box = _box(operation, boxes) if operation.op == "record-is?" else None
    asked = operation.arguments[1] if box is not None else None
    return (box, asked.name) if box is not None and type(asked) is il.Var else None


class _Told(NamedTuple):
    """What tests have told of a variable: the only type it may be of, if it is known; and those
    of which it is not."""

    only: RecordType | None = None
    none_of: frozenset[RecordType] = frozenset()


class _Telling(TestedScope):
    """`tests` by variable, and what is `told` of the variables that nodes use, by node."""

    def __init__(self, boxes: set[int]) -> None:
        super().__init__()
        self.tests: dict[str, tuple[RecordType, str]] = {}
        self.told: dict[flow.Node, dict[str, _Told]] = {}
        self._boxes = boxes
        self._here: dict[str, _Told] = {}

    def operation(self, operation: flow.Operation) -> None:
        test = _box_test(operation, self._boxes)
        if test is not None:
            self.tests[operation.name] = test

    def learn(self, test: str, holds: bool) -> None:
        if test in self.tests:
            box, asked = self.tests[test]
            only, none_of = self._here.get(asked, _Told())
            told = _Told(box, none_of) if holds else _Told(only, none_of | {box})
            self.hold(self._here, asked, told)

    def tail(self, node: flow.Node) -> None:
        if self._here:
            used = {atom.name for atom in node_atoms(node) if type(atom) is il.Var}
            tail = node.tail
            if type(tail) is flow.Branch and type(tail.test) is il.Var:
                used.update(self.tests.get(tail.test.name, ())[1:])
            self.told[node] = {x: told for x, told in self._here.items() if x in used}


_Types = set[RecordType | None]


class _Reach:
    """`held`: which types of boxes variables, fields of boxes and results of procedures hold;
    `users`: the nodes that are gone through again when there are more."""

    def __init__(self, graph: ResidualGraph, boxes: set[int], scope: _Telling) -> None:
        self._graph = graph
        self._boxes = boxes
        self._scope = scope
        self._known = known_callees(graph)
        self._held: dict[Hashable, _Types] = {}
        self._users: dict[Hashable, dict[flow.Node, None]] = {}
        self._reached: dict[flow.Node, flow.Procedure] = {}
        self._work: dict[flow.Node, None] = {}

    def run(self) -> list[flow.Node]:
        """The nodes that are reached."""
        for procedure in self._graph.procedures.values():
            if procedure.name not in self._known:
                self._enter_with_anything(procedure)
        while self._work:
            node, _ = self._work.popitem()
            self._visit(node, self._reached[node])
        return list(self._reached)

    def arms(self, node: flow.Node) -> tuple[flow.Node, ...]:
        """The arms that the conditional at the end of a node may lead to."""
        branch = node.tail
        assert type(branch) is flow.Branch
        name = branch.test.name if type(branch.test) is il.Var else ""
        if name not in self._scope.tests:
            return branch.then, branch.otherwise
        box, asked = self._scope.tests[name]
        held = self._of(il.Var(asked), node)
        told = self._scope.told.get(node, {}).get(asked, _Told())
        if _ANYTHING in held:
            holds = told.only is box or (
                told.only is None and box not in told.none_of and box in self._read(_MADE, node)
            )
            fails = told.only is not box
        else:
            holds, fails = box in held, bool(held - {box})
        return (*([branch.then] if holds else ()), *([branch.otherwise] if fails else ()))

    # -- what gets where ---------------------------------------------------------------------------

    def _read(self, key: Hashable, node: flow.Node) -> _Types:
        self._users.setdefault(key, {})[node] = None
        return self._held.get(key, set())

    def _of(self, atom: il.Atom, node: flow.Node) -> _Types:
        """What an atom holds at a node, as far as it is known."""
        if type(atom) is not il.Var:
            return {_ANYTHING}
        held = self._read(atom.name, node)
        only, none_of = self._scope.told.get(node, {}).get(atom.name, _Told())
        if only is not None:
            return {only} if only in held or _ANYTHING in held else set()
        return held - none_of if none_of else held

    def _add(self, key: Hashable, types: Iterable[RecordType | None]) -> None:
        held = self._held.setdefault(key, set())
        before = len(held)
        held.update(types)
        if len(held) > before:
            self._work.update(self._users.get(key, {}))

    def _reach(self, node: flow.Node, procedure: flow.Procedure) -> None:
        if node not in self._reached:
            self._reached[node] = procedure
            self._work[node] = None

    def _enter_with_anything(self, procedure: flow.Procedure) -> None:
        rest = () if procedure.rest is None else (procedure.rest,)
        for name in (*procedure.parameters, *rest):
            self._add(name, (_ANYTHING,))
        self._reach(procedure.start, procedure)

    # -- nodes -------------------------------------------------------------------------------------

    def _visit(self, node: flow.Node, procedure: flow.Procedure) -> None:
        for item in node.items:
            if type(item) is flow.Operation:
                self._operation(item, node)
            else:
                for nested in item.procedures:
                    self._add(nested.name, (_ANYTHING,))
                    self._enter_with_anything(nested)
        tail = node.tail
        if type(tail) is flow.Branch:
            for arm in self.arms(node):
                self._reach(arm, procedure)
        elif type(tail) is flow.Goto:
            receivers = [_result(procedure)] if tail.target is None else tail.target.parameters
            self._pass(receivers, tail.arguments, node)
        else:
            self._invoke(tail, node, procedure)
        if type(tail) is not flow.Branch and tail.target is not None:
            self._reach(tail.target, procedure)

    def _operation(self, operation: flow.Operation, node: flow.Node) -> None:
        box = _box(operation, self._boxes)
        held: Iterable[RecordType | None] = (_ANYTHING,)
        if box is not None and operation.op == "make-record":
            for number, atom in enumerate(operation.arguments[1:]):
                self._add((box, number), self._of(atom, node))
            self._add(_MADE, (box,))
            held = (box,)
        elif box is not None and operation.op == "record-ref":
            field = operation.arguments[1]
            assert type(field) is il.Const
            held = self._read((box, field.value), node)
        self._add(operation.name, held)

    def _pass(self, names: Iterable[Hashable], atoms: Iterable[il.Atom], node: flow.Node) -> None:
        for name, atom in zip(names, atoms, strict=False):
            self._add(name, self._of(atom, node))

    def _invoke(self, call: flow.Invoke, node: flow.Node, procedure: flow.Procedure) -> None:
        function = call.function
        callee = None
        if type(function) is il.Global and function.name in self._known:
            callee = self._graph.procedures[function.name]
            self._pass(callee.parameters, call.arguments, node)
            self._reach(callee.start, callee)
        receivers: list[Hashable] = [_result(procedure)]
        if call.target is not None:
            receivers = [*call.target.parameters]
        is_one = callee is not None and len(receivers) == 1
        held = self._read(_result(callee), node) if is_one and callee else {_ANYTHING}
        for name in receivers:
            self._add(name, held)


def _result(procedure: flow.Procedure) -> Hashable:
    """Stands for a variable that holds what a procedure gives."""
    return "(result)", procedure.name
