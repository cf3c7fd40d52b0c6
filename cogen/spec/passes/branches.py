"""Removes conditionals that decide nothing.

known       the test is a constant
same        both arms go to the same place with the same values
negated     the test is `(not x)` -> the arms are exchanged
threaded    a jump passes a constant to a node that does nothing but test it -> a jump to
            where the test leads
"""

from __future__ import annotations

from cogen.spec.passes.facts import all_nodes, operations, uses
from cogen.spec.passes.flow import (
    EDGES,
    Atoms,
    Branch,
    Goto,
    Graph,
    Node,
    Operation,
    atom_key,
)
from lang import il


def fold_branches(graph: Graph) -> bool:
    """`(if '#f (A) (B))` -> `(B)`; `(if t ((jump k x)) ((jump k x)))` -> `(jump k x)`."""
    changed = _thread(graph)
    negations = {o.name: o for o in operations(graph) if o.op == "not"}
    for node in all_nodes(graph):
        if type(node.tail) is Branch and _fold(node, node.tail, negations):
            changed = True
    if changed:
        graph.changed(EDGES)
    return changed


def _fold(node: Node, branch: Branch, negations: dict[str, Operation]) -> bool:
    """Does what can be done to one conditional; whether there was anything."""
    test = branch.test
    if type(test) is not il.Var:
        known = not (type(test) is il.Const and test.value is False)
        node.tail = Goto(branch.then if known else branch.otherwise, (), branch.span)
        return True
    if _same(branch.then, branch.otherwise):
        node.tail = Goto(branch.then, (), branch.span)
        return True
    if (negation := negations.get(test.name)) is not None:
        node.tail = Branch(
            negation.arguments[0], branch.otherwise, branch.then, branch.span
        )  # fmt: skip
        return True
    return False


def _same(a: Node, b: Node) -> bool:
    """Whether two arms only jump, to the same place with the same values."""
    if a.items or b.items or type(a.tail) is not Goto or type(b.tail) is not Goto:
        return False
    return a.tail.target is b.tail.target and _keys(a.tail.arguments) == _keys(b.tail.arguments)


def _keys(atoms: Atoms) -> list[object]:
    return [atom_key(a) for a in atoms]


def _thread(graph: Graph) -> bool:
    """`(jump k '#t x)` with `(k (t x) ((if t ((jump a x)) ((jump b x)))))` -> `(jump a x)`.

    Precondition: nothing but the test and jumps that are all of an arm uses the parameters of
    `k`.
    """
    changed = False
    for node in all_nodes(graph):
        tail = node.tail
        if type(tail) is not Goto or tail.target is None or type(tail.target.tail) is not Branch:
            continue
        seen = {node}
        while type(tail) is Goto and tail.target is not None and tail.target not in seen:
            further = _decided(tail, tail.target, uses(graph))
            if further is None:
                break
            seen.add(tail.target)
            node.tail = tail = further
            changed = True
    if changed:
        graph.changed(EDGES)
    return changed


def _decided(jump: Goto, node: Node, counts: dict[str, int]) -> Goto | None:
    """The jump that a jump to a node that only tests comes down to."""
    branch = node.tail
    if node.items or type(branch) is not Branch or type(branch.test) is not il.Var:
        return None
    if branch.test.name not in node.parameters:
        return None
    test = jump.arguments[node.parameters.index(branch.test.name)]
    if type(test) is il.Var:
        return None
    values = dict(zip(node.parameters, jump.arguments, strict=True))
    taken = branch.otherwise if type(test) is il.Const and test.value is False else branch.then
    further = taken.tail
    if taken.items or type(further) is not Goto:
        further = Goto(taken, ())
    here = {branch.test.name: 1}
    for arm in (branch.then, branch.otherwise):
        if type(arm.tail) is Goto and not arm.items:
            for atom in arm.tail.arguments:
                if type(atom) is il.Var:
                    here[atom.name] = here.get(atom.name, 0) + 1
    if any(counts.get(x, 0) != here.get(x, 0) for x in node.parameters):
        return None
    if further.target is taken:
        _share(branch, taken)
    arguments = [values.get(a.name, a) if type(a) is il.Var else a for a in further.arguments]
    return Goto(further.target, tuple(arguments), jump.span)


def _share(branch: Branch, arm: Node) -> None:
    """Puts an arm of its own before what others will jump to as well."""
    private = Node([], Goto(arm, ()), base=arm.base, span=arm.span)
    if branch.then is arm:
        branch.then = private
    else:
        branch.otherwise = private
