"""Finds operations that cannot fail and tests whose answer is known.

Facts: types that follow from where values come from (`types.infer`); after an operation that
succeeded its arguments have the types it wants; in an arm of a conditional its test is known,
and what a type predicate said.  Each fact holds in what the place dominates.
"""

from __future__ import annotations

from cogen.spec.passes.flow import Branch, Goto, Graph, Node, Operation, substitute
from cogen.spec.passes.scope import Scope, scoped_walk
from cogen.spec.passes.types import (
    LASTING,
    PREDICATES,
    answer,
    cannot_fail,
    infer,
    is_of,
    more_exact,
    result_type,
    type_of_datum,
    wanted_types,
)
from lang import il
from lang.prims import PRIMITIVES


def prove(graph: Graph) -> bool:
    """Marks operations `safe` and with their result's `type`; `(let t (pair? x))` after
    `(car x)` -> `'#t` for `t`; a conditional inside an arm of one with the same test -> its
    arm."""
    scope = _Proving(graph)
    scoped_walk(graph, scope)
    graph.restructured()
    substitute(graph, scope.decided)
    return scope.changed


class _Proving(Scope):
    """`types` of variables here, `truth` of tests here, `decided` predicates anywhere."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.types = infer(graph)
        self.truth: dict[str, bool] = {}
        self.made_by: dict[str, Operation] = {}
        self.decided: dict[str, il.Atom] = {}
        self.changed = False

    def type_of(self, atom: il.Atom) -> str:
        if isinstance(atom, il.Const):
            return type_of_datum(atom.value)
        return self.types.get(atom.name, "any") if isinstance(atom, il.Var) else "procedure"

    def enter(self, node: Node, above: Node | None) -> None:
        if above is None or not isinstance(above.tail, Branch):
            return
        branch = above.tail
        if isinstance(branch.test, il.Var) and node in (branch.then, branch.otherwise):
            self.learn(branch.test.name, node is branch.then)

    def learn(self, test: str, holds: bool) -> None:
        """Enters what follows from a test's being true or false."""
        self.hold(self.truth, test, holds)
        operation = self.made_by.get(test)
        if operation is None:
            return
        subject = operation.arguments[0] if operation.arguments else None
        if not isinstance(subject, il.Var):
            return
        if operation.op == "not":
            self.learn(subject.name, not holds)
        elif holds and operation.op in PREDICATES:
            kinds = PREDICATES[operation.op]
            if kinds:
                self.refine(subject, "number" if len(kinds) > 1 else next(iter(kinds)))

    def refine(self, atom: il.Atom, kind: str) -> None:
        if isinstance(atom, il.Var) and kind in LASTING:
            known = self.types.get(atom.name, "any")
            if not is_of(known, kind):
                self.hold(self.types, atom.name, kind)

    def operation(self, operation: Operation) -> None:
        self.made_by[operation.name] = operation
        types = [self.type_of(a) for a in operation.arguments]
        kind = more_exact(operation.type, result_type(operation.op, types))
        if kind != operation.type:
            operation.type = kind
            self.changed = True
        self.types[operation.name] = kind
        if not operation.safe and cannot_fail(operation, types):
            operation.safe = True
            self.changed = True
        if operation.op in PREDICATES and operation.name not in self.decided:
            said = answer(operation.op, types[0])
            if said is not None:
                self.decided[operation.name] = il.Const(said)
                self.changed = True
        if "type" in PRIMITIVES[operation.op].fails and not operation.safe:
            for atom, wanted in zip(
                operation.arguments, wanted_types(operation.op, len(types)), strict=True
            ):
                self.refine(atom, wanted)

    def tail(self, node: Node) -> None:
        tail = node.tail
        if not isinstance(tail, Branch) or not isinstance(tail.test, il.Var):
            return
        known = self.truth.get(tail.test.name)
        if known is None and self.types.get(tail.test.name, "any") in LASTING - {"bool"}:
            known = True  # whatever is no boolean is true
        if known is not None:
            node.tail = Goto(tail.then if known else tail.otherwise, (), tail.span)
            self.changed = True
