"""Removes conditionals that decide nothing.

known       the test is a constant
same        both arms go to the same place with the same values
negated     the test is `(not x)` -> the arms are exchanged
threaded    a jump passes a constant to a node that does nothing but test it -> a jump to
            where the test leads
"""

from __future__ import annotations

from cogen.spec.passes.flow import (
    Atoms,
    Branch,
    Goto,
    Graph,
    Node,
    Operation,
    atom_key,
    count_uses,
    walk,
)
from lang import il


def fold_branches(graph: Graph) -> bool:
    """`(if '#f (A) (B))` -> `(B)`; `(if t ((jump k x)) ((jump k x)))` -> `(jump k x)`."""
    changed = _thread(graph)
    made_by = {
        item.name: item
        for _, nodes in walk(graph)
        for node in nodes
        for item in node.items
        if isinstance(item, Operation) and item.op == "not"
    }
    for _, nodes in walk(graph):
        for node in nodes:
            if isinstance(node.tail, Branch) and _fold(node, node.tail, made_by):
                changed = True
    graph.restructured()
    return changed


def _fold(node: Node, branch: Branch, negations: dict[str, Operation]) -> bool:
    """Does what can be done to one conditional; whether there was anything."""
    test = branch.test
    if not isinstance(test, il.Var):
        known = not (isinstance(test, il.Const) and test.value is False)
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
    if a.items or b.items or not (isinstance(a.tail, Goto) and isinstance(b.tail, Goto)):
        return False
    return a.tail.target is b.tail.target and _keys(a.tail.arguments) == _keys(b.tail.arguments)


def _keys(atoms: Atoms) -> list[object]:
    return [atom_key(a) for a in atoms]


def _thread(graph: Graph) -> bool:
    """`(jump k '#t x)` with `(k (t x) ((if t ((jump a x)) ((jump b x)))))` -> `(jump a x)`.

    Precondition: nothing but the test and jumps that are all of an arm uses the parameters of
    `k`.
    """
    uses = count_uses(graph)
    nodes = [node for _, found in walk(graph) for node in found]
    changed = False
    for node in nodes:
        tail = node.tail
        seen = {node}
        while isinstance(tail, Goto) and tail.target is not None and tail.target not in seen:
            further = _decided(tail, tail.target, uses)
            if further is None:
                break
            seen.add(tail.target)
            node.tail = tail = further
            changed = True
    graph.restructured()
    return changed


def _decided(jump: Goto, node: Node, uses: dict[str, int]) -> Goto | None:
    """The jump that a jump to a node that only tests comes down to."""
    branch = node.tail
    if node.items or not isinstance(branch, Branch) or not isinstance(branch.test, il.Var):
        return None
    values = dict(zip(node.parameters, jump.arguments, strict=True))
    test = values.get(branch.test.name)
    if test is None or isinstance(test, il.Var):
        return None
    taken = branch.otherwise if isinstance(test, il.Const) and test.value is False else branch.then
    further = taken.tail
    if taken.items or not isinstance(further, Goto):
        further = Goto(taken, ())
    here = {branch.test.name: 1}
    for arm in (branch.then, branch.otherwise):
        if isinstance(arm.tail, Goto) and not arm.items:
            for atom in arm.tail.arguments:
                if isinstance(atom, il.Var):
                    here[atom.name] = here.get(atom.name, 0) + 1
    if any(uses.get(x, 0) != here.get(x, 0) for x in node.parameters):
        return None
    if further.target is taken:
        _share(branch, taken)
    arguments = [values.get(a.name, a) if isinstance(a, il.Var) else a for a in further.arguments]
    return Goto(further.target, tuple(arguments), jump.span)


def _share(branch: Branch, arm: Node) -> None:
    """Puts an arm of its own before what others will jump to as well."""
    private = Node([], Goto(arm, ()), base=arm.base, span=arm.span)
    if branch.then is arm:
        branch.then = private
    else:
        branch.otherwise = private
