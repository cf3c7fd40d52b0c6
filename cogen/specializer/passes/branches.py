"""Removes conditionals that decide nothing.

known       the test is a constant
same        both arms go to the same place with the same values: the test itself, where it is false,
            is #f
negated     the test is `(not x)` -> the arms are exchanged
threaded    a jump passes a constant to a node that does nothing but test it, or compare it
            with another -> a jump to where the test leads
"""

from __future__ import annotations

from typing import Final

from cogen.lang import il
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, operations, uses
from cogen.specializer.passes.flow_graph import ResidualGraph, atom_key


def fold_branches(graph: ResidualGraph) -> bool:
    """`(if '#f (A) (B))` -> `(B)`; `(if t ((jump k x)) ((jump k x)))` -> `(jump k x)`."""
    changed = _thread(graph)
    negations = {o.name: o for o in operations(graph) if o.op == "not"}
    for node in all_nodes(graph):
        if type(node.tail) is flow.Branch and _fold(node, node.tail, negations):
            changed = True
    if changed:
        graph.changed(flow.EDGES)
    return changed


def _fold(node: flow.Node, branch: flow.Branch, negations: dict[str, flow.Operation]) -> bool:
    """Does what can be done to one conditional; whether there was anything."""
    test = branch.test
    if type(test) is not il.Var:
        known = not (type(test) is il.Const and test.value is False)
        node.tail = flow.Goto(branch.then if known else branch.otherwise, (), branch.span)
        return True
    if go_on_alike(branch.then, branch.otherwise, test):
        node.tail = flow.Goto(branch.then, (), branch.span)
        return True
    if (negation := negations.get(test.name)) is not None:
        node.tail = flow.Branch(
            negation.arguments[0], branch.otherwise, branch.then, branch.span
        )  # fmt: skip
        return True
    return False


def go_on_alike(then: flow.Node, otherwise: flow.Node, test: il.Var | None = None) -> bool:
    """Whether two arms only jump, to the same place with the same values; a test itself is #f in
    the other arm."""
    a, b = then.tail, otherwise.tail
    if then.items or otherwise.items or type(a) is not flow.Goto or type(b) is not flow.Goto:
        return False
    return a.target is b.target and all(
        atom_key(x) == atom_key(y) or (x == test and type(y) is il.Const and y.value is False)
        for x, y in zip(a.arguments, b.arguments, strict=True)
    )


def _thread(graph: ResidualGraph) -> bool:
    """`(jump k '#t x)` with `(k (t x) ((if t ((jump a x)) ((jump b x)))))` -> `(jump a x)`.

    Precondition: nothing but the test and jumps that are all of an arm uses the parameters of
    `k`.
    """
    changed = False
    for node in all_nodes(graph):
        tail = node.tail
        if (
            type(tail) is not flow.Goto
            or tail.target is None
            or type(tail.target.tail) is not flow.Branch
        ):
            continue
        seen = {node}
        target: flow.Node | None = tail.target
        while target is not None and target not in seen:
            further = _decided(tail, target, uses(graph))
            if further is None:
                break
            seen.add(target)
            node.tail = tail = further
            target = further.target
            changed = True
    if changed:
        graph.changed(flow.EDGES)
    return changed


def _decided(jump: flow.Goto, node: flow.Node, counts: dict[str, int]) -> flow.Goto | None:
    """The jump that a jump to a node that only tests comes down to."""
    branch = node.tail
    if len(node.items) > 1 or type(branch) is not flow.Branch or type(branch.test) is not il.Var:
        return None
    test, here = _test(jump, node, branch.test.name)
    if test is None:
        return None
    values = dict(zip(node.parameters, jump.arguments, strict=True))
    taken = branch.otherwise if test.value is False else branch.then
    further = taken.tail
    if taken.items or type(further) is not flow.Goto:
        further = flow.Goto(taken, ())
    for arm in (branch.then, branch.otherwise):
        if type(arm.tail) is flow.Goto and not arm.items:
            for atom in arm.tail.arguments:
                if type(atom) is il.Var:
                    here[atom.name] = here.get(atom.name, 0) + 1
    if any(counts.get(x, 0) != here.get(x, 0) for x in (*node.parameters, branch.test.name)):
        return None
    if further.target is taken:
        _share(branch, taken)
    arguments = [values.get(a.name, a) if type(a) is il.Var else a for a in further.arguments]
    return flow.Goto(further.target, tuple(arguments), jump.span)


def decided_test(jump: flow.Goto, node: flow.Node, name: str) -> il.Const | None:
    """What a jump decides of the test of a node that does nothing else before, None if nothing."""
    return _test(jump, node, name)[0]


def _test(jump: flow.Goto, node: flow.Node, name: str) -> tuple[il.Const | None, dict[str, int]]:
    """What a jump decides of a node's test, None if nothing; and how often the variables that it is
    made of occur in the node."""
    if not node.items:
        if name not in node.parameters:
            return None, {}
        value = jump.arguments[node.parameters.index(name)]
        known = None if type(value) is il.Var else value
        if known is not None and type(known) is not il.Const:
            known = il.Const(True)  # a procedure
        return known, {name: 1}
    (operation,) = node.items
    if (
        type(operation) is not flow.Operation
        or operation.name != name
        or operation.op not in _TESTS
    ):
        return None, {}
    values = dict(zip(node.parameters, jump.arguments, strict=True))
    operands = [values.get(a.name, a) if type(a) is il.Var else a for a in operation.arguments]
    here: dict[str, int] = {name: 1}
    for atom in operation.arguments:
        if type(atom) is il.Var:
            here[atom.name] = here.get(atom.name, 0) + 1
    if not all(type(atom) is il.Const for atom in operands):
        return None, here
    try:
        result = PRIMITIVES[operation.op].python(*[atom.value for atom in operands])  # type: ignore[union-attr]
    except PrimitiveError:
        return None, here
    return il.Const(result is not False), here


_TESTS: Final = frozenset({"=", "<", ">", "<=", ">=", "eq?", "eqv?", "equal?", "null?", "not"})
"""Operations on constants that are carried out to see where a jump leads."""


def _share(branch: flow.Branch, arm: flow.Node) -> None:
    """Puts an arm of its own before what others will jump to as well."""
    private = flow.Node([], flow.Goto(arm, ()), base=arm.base, span=arm.span)
    if branch.then is arm:
        branch.then = private
    else:
        branch.otherwise = private
