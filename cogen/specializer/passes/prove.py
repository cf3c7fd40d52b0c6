"""Finds operations that cannot fail and tests whose answer is known.

Facts: types that follow from where values come from (`types.infer`); after an operation that
succeeded its arguments have the types it wants; in an arm of a conditional its test is known,
and what a type predicate said.  Each fact holds in what the place dominates.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.flow_graph import ResidualGraph
from cogen.specializer.passes.infer import infer
from cogen.specializer.passes.rewrite import substitute
from cogen.specializer.passes.scope import TestedScope, scoped_walk
from cogen.specializer.passes.types import (
    EQUALITIES,
    LASTING,
    PREDICATES,
    answer,
    cannot_fail,
    differ,
    is_of,
    more_exact,
    result_type,
    type_of_datum,
    wanted_types,
)

TYPE_FAILURE = frozenset(op for op, row in PRIMITIVES.items() if "type" in row.fails)

TRUE = LASTING - {"bool"}
"""Types without the value `#f`."""


def prove(graph: ResidualGraph) -> bool:
    """Marks operations `safe` and with their result's `type`; `(let t (pair? x))` after
    `(car x)` -> `'#t` for `t`; a conditional inside an arm of one with the same test -> its
    arm."""
    scope = _Proving(graph)
    scoped_walk(graph, scope)
    if scope.marked:
        graph.changed(flow.MARKS)
    if scope.folded:
        graph.changed(flow.EDGES)
    substitute(graph, scope.decided)
    return scope.marked or scope.folded or bool(scope.decided)


class _Proving(TestedScope):
    """`types` of variables here, `truth` of tests here, `decided` predicates anywhere; `marked`
    and `folded` tell whether operations were marked and conditionals removed."""

    def __init__(self, graph: ResidualGraph) -> None:
        super().__init__()
        self.types = dict(infer(graph))
        self.truth: dict[str, bool] = {}
        self.made_by: dict[str, flow.Operation] = {}
        self.decided: dict[str, il.Atom] = {}
        self.marked = False
        self.folded = False

    def type_of(self, atom: il.Atom) -> str:
        if type(atom) is il.Var:
            return self.types.get(atom.name, "any")
        return type_of_datum(atom.value) if type(atom) is il.Const else "procedure"

    def learn(self, test: str, holds: bool) -> None:
        """Enters what follows from a test's being true or false."""
        self.hold(self.truth, test, holds)
        operation = self.made_by.get(test)
        if operation is None:
            return
        subject = operation.arguments[0] if operation.arguments else None
        if type(subject) is not il.Var:
            return
        if operation.op == "not":
            self.learn(subject.name, not holds)
        elif holds and operation.op in PREDICATES:
            kinds = PREDICATES[operation.op]
            if kinds:
                self.refine(subject, "number" if len(kinds) > 1 else next(iter(kinds)))

    def refine(self, atom: il.Atom, kind: str) -> None:
        if kind == "integer":
            kind = "number"
        if type(atom) is il.Var and kind in LASTING:
            known = self.types.get(atom.name, "any")
            if not is_of(known, kind):
                self.hold(self.types, atom.name, kind)

    def operation(self, operation: flow.Operation) -> None:
        op, arguments = operation.op, operation.arguments
        self.made_by[operation.name] = operation
        known, var = self.types, il.Var
        types = [known.get(a.name, "any") if type(a) is var else self.type_of(a) for a in arguments]
        kind = more_exact(operation.type, result_type(op, types))
        if op == "record-ref":  # of a box, perhaps, whose fields are known
            kind = more_exact(kind, known.get(operation.name, "any"))
        if kind != operation.type:
            operation.type = kind
            self.marked = True
        self.types[operation.name] = kind
        if op in PREDICATES and operation.name not in self.decided:
            said = answer(op, types[0])
            if said is not None:
                self.decided[operation.name] = il.Const(said)
        elif op in EQUALITIES and operation.name not in self.decided and differ(types):
            self.decided[operation.name] = il.Const(False)
        if operation.safe:
            return
        if cannot_fail(operation, types) or self.is_within_new(operation):
            operation.safe = True
            self.marked = True
        elif op in TYPE_FAILURE:
            for atom, wanted in zip(arguments, wanted_types(op, len(types)), strict=True):
                self.refine(atom, wanted)

    def is_within_new(self, operation: flow.Operation) -> bool:
        """Whether an operation reads an element that its vector was made with."""
        if operation.op != "vector-ref":
            return False
        vector, index = operation.arguments
        made = self.made_by.get(vector.name) if type(vector) is il.Var else None
        if made is None or type(index) is not il.Const or type(index.value) is not int:
            return False
        size: object = len(made.arguments) if made.op == "vector" else None
        if made.op == "make-vector" and type(made.arguments[0]) is il.Const:
            size = made.arguments[0].value
        return type(size) is int and 0 <= index.value < size

    def tail(self, node: flow.Node) -> None:
        tail = node.tail
        if type(tail) is not flow.Branch or type(tail.test) is not il.Var:
            return
        known = self.truth.get(tail.test.name)
        if known is None and self.types.get(tail.test.name, "any") in TRUE:
            known = True
        if known is not None:
            node.tail = flow.Goto(tail.then if known else tail.otherwise, (), tail.span)
            self.folded = True
