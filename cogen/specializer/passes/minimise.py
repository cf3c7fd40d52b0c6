"""Removes parameters that always receive one and the same value, or the same as another one.

A parameter is a phi function of the values that jumps and calls pass for it.  A strongly
connected component of parameters that receive only each other and one value from outside is
that value (Braun et al., "Simple and efficient construction of static single assignment form",
CC 2013, section 3.2); this is what takes loop invariants out of loops of any shape and leaves
the least number of parameters that a reducible graph needs.

A parameter of a top-level procedure all of whose calls are known takes part; it can be
replaced by a constant only, for the callers' variables are not in its scope.

Two parameters of one node or procedure are one if they receive the same wherever it is reached,
supposed that all that were not told apart yet are one (Alpern, Wegman and Zadeck, "Detecting
equality of variables in programs", POPL 1988).
"""

from __future__ import annotations

from collections.abc import Iterator

from cogen.lang import il
from cogen.lang.components import components
from cogen.specializer.passes.facts import all_nodes, known_callees, received
from cogen.specializer.passes.flow_graph import AtomKey, ResidualGraph, atom_key
from cogen.specializer.passes.rewrite import drop_parameters, substitute


def minimise_parameters(graph: ResidualGraph) -> bool:
    """`(conts (k (x y) ... (jump k x z)))`, entered by `(jump k a b)` -> `(k (y) ...)` with `a`
    for `x`; `(k (x y) ... (jump k z z))`, entered by `(jump k a a)` -> `(k (x) ...)` with `x` for
    `y`."""
    outer = {x for name in known_callees(graph) for x in graph.procedures[name].parameters}
    phis = received(graph)
    found = Minimising(phis if outer else undecided(phis), outer).run()
    if not found:
        found = dict(_equal_ones(graph, phis))
    drop_parameters(graph, set(found))
    substitute(graph, found)
    return bool(found)


def _equal_ones(
    graph: ResidualGraph, phis: dict[str, list[il.Atom]]
) -> Iterator[tuple[str, il.Atom]]:
    """The parameters that receive the same as one before them in their node or procedure, each
    with that one."""
    owners: list[list[str]] = [node.parameters for node in all_nodes(graph)]
    owners += [graph.procedures[name].parameters for name in known_callees(graph)]
    several = [owner for owner in owners if len(owner) > 1 and owner[0] in phis]
    classes = {x: number for number, owner in enumerate(several) for x in owner}
    is_split = True
    while is_split and several:
        numbers: dict[AtomKey, int] = {}
        finer = {}
        for owner in several:
            for x in owner:
                key = classes[x], tuple([_class_of(atom, classes) for atom in phis[x]])
                finer[x] = numbers.setdefault(key, len(numbers))
        is_split = len(numbers) > len({classes[x] for x in finer})
        several = [owner for owner in several if len({finer[x] for x in owner}) < len(owner)]
        classes = finer
    for owner in several:
        first: dict[int, str] = {}
        for x in owner:
            if (kept := first.setdefault(classes[x], x)) is not x:
                yield x, il.Var(kept)


def _class_of(atom: il.Atom, classes: dict[str, int]) -> AtomKey:
    if type(atom) is il.Var and atom.name in classes:
        return (classes[atom.name],)
    return atom_key(atom)


def undecided(phis: dict[str, list[il.Atom]]) -> dict[str, list[il.Atom]]:
    """The parameters without such as certainly stay: those that receive two values that stay."""
    left = dict(phis)
    for x, atoms in phis.items():
        first: object = None
        for atom in atoms:
            if type(atom) is il.Var:
                if atom.name in left:
                    continue
                value: object = atom.name
            else:
                value = atom_key(atom)
            if first is None:
                first = value
            elif value != first:
                del left[x]
                break
    return left


class Minimising:
    """The search for components with one value; `found` are the parameters it replaces."""

    def __init__(self, phis: dict[str, list[il.Atom]], outer: set[str]) -> None:
        self.phis = phis
        self.outer = outer
        self.found: dict[str, il.Atom] = {}

    def run(self) -> dict[str, il.Atom]:
        stack = [self.components(list(self.phis))]
        while stack:
            component = next(stack[-1], None)
            if component is None:
                stack.pop()
                continue
            rest = self.process(component)
            if rest:
                stack.append(self.components(rest))
        return self.found

    def components(self, members: list[str]) -> Iterator[list[str]]:
        """The components of these parameters alone, those that others receive from first."""
        inside = set(members)

        def received(x: str) -> list[str]:
            return [a.name for a in self.phis[x] if type(a) is il.Var and a.name in inside]

        return iter(components(members, received))

    def process(self, component: list[str]) -> list[str]:
        """Replaces the component if it is one value; else gives the members to look at again
        without the others."""
        inside = set(component)
        values: dict[AtomKey, il.Atom] = {}
        inner = []
        for x in component:
            only_inside = True
            for atom in self.phis[x]:
                value = self.resolve(atom)
                if not (type(value) is il.Var and value.name in inside):
                    values[atom_key(value)] = value
                    only_inside = False
            if only_inside:
                inner.append(x)
        if len(values) != 1:
            return inner if values else []
        (value,) = values.values()
        if type(value) is il.Var and not self.outer.isdisjoint(inside):
            return [x for x in component if x not in self.outer] if len(component) > 1 else []
        for x in component:
            self.found[x] = value
        return []

    def resolve(self, atom: il.Atom) -> il.Atom:
        while type(atom) is il.Var and atom.name in self.found:
            atom = self.found[atom.name]
        return atom
