"""Finds tests whose outcome earlier tests of the same value tell.

Facts: which constants a variable is one of, or none of, and between which bounds it lies
(`cogen.among`).  What a test tells holds in the arm and what that dominates.  Where ways meet,
what is so on all of them holds: of variables that were known before, and of parameters.  Nodes that
loops come back to know only what was known before the loop.

A variable that can be one constant only is passed on as that constant, and a test is left out whose
answer matters only where a later one, that fails for no value, gives the same.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cogen import among
from cogen.among import UNKNOWN, Comparison, Known
from cogen.interval import AGAINST_ZERO
from cogen.lang import il
from cogen.lang.datum import NIL
from cogen.lang.mutablestrings import CHANGING
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.branches import go_on_alike
from cogen.specializer.passes.dominators import Dominators, dominator_trees
from cogen.specializer.passes.facts import entering, operations
from cogen.specializer.passes.flow_graph import ResidualGraph, successors
from cogen.specializer.passes.infer import infer
from cogen.specializer.passes.rewrite import substitute
from cogen.specializer.passes.scope import WalkScope

MEETING: Final = 64
"""How many facts are looked at that hold on a way to where ways meet."""


def decide(graph: ResidualGraph) -> bool:
    """`(if (eqv? x 1) (if (> x 2) (A) (B)) (C))` -> `(if (eqv? x 1) (B) (C))`."""
    if not any(map(_may_tell, operations(graph))):
        return False
    scope = _Deciding(graph)
    scope.walk()
    if scope.marked:
        graph.changed(flow.MARKS)
    if scope.folded:
        graph.changed(flow.EDGES)
    if scope.passed:
        graph.changed(flow.ATOMS)
    substitute(graph, scope.decided)
    return scope.marked or scope.folded or scope.passed or bool(scope.decided)


def _may_tell(operation: flow.Operation) -> bool:
    op = operation.op
    return op in among.COMPARISONS or op in AGAINST_ZERO or op in among.PREDICATES or op == "null?"


class _Meeting:
    """What is known on all ways to a node that were gone: of variables, as `facts`; `ways` of
    them."""

    __slots__ = ("facts", "ways")

    def __init__(self, facts: dict[str, Known]) -> None:
        self.facts = facts
        self.ways = 1


class _Place(NamedTuple):
    """Where the walk goes on: a node, its depth, and how many of its items are done."""

    tree: Dominators
    order: list[int]
    node: flow.Node
    depth: int
    done: int


class _Deciding(WalkScope):
    """`facts` are those that hold where the walk is, `decided` what tests give, `depth_of` how
    deep nodes stand that dominate others."""

    def __init__(self, graph: ResidualGraph) -> None:
        super().__init__()
        self.graph = graph
        self.types = infer(graph)
        self.entering = entering(graph)
        self.facts: dict[str, Known] = {}
        self.made_by: dict[str, flow.Operation] = {}
        self.meetings: dict[flow.Node, _Meeting] = {}
        self.decided: dict[str, il.Atom] = {}
        self.changing = any(o.op in _CHANGING for o in operations(graph))
        self.marked = self.folded = self.passed = False

    def walk(self) -> None:
        """Visits every node, those that dominate it and ways that lead to it first."""
        trees = dominator_trees(self.graph)
        orders: dict[flow.Procedure, list[int]] = {}

        def start(procedure: flow.Procedure, depth: int) -> _Place:
            order = orders[procedure] = _order(trees[procedure])
            return _Place(trees[procedure], order, procedure.start, depth, 0)

        marks: list[int] = []
        for top in self.graph.procedures.values():
            stack = [start(top, 0)]
            while stack:
                place = stack.pop()
                tree, order, node, depth, done = place
                left = depth if done == 0 else depth + 1
                if len(marks) > left:
                    self.undo(marks[left])
                    del marks[left:]
                if done == 0:
                    marks.append(len(self.log))
                    self.enter(node, tree.nodes[tree.parent[node.index]] if node.index else None)
                nested = self.items(node, done)
                if nested is not None:
                    position, closures = nested
                    stack.append(place._replace(done=position + 1))
                    stack += [start(p, depth + 1) for p in reversed(closures.procedures)]
                    continue
                self.leave(node, tree, depth, marks)
                children = sorted(tree.children[node.index], key=order.__getitem__, reverse=True)
                stack += [_Place(tree, order, tree.nodes[c], depth + 1, 0) for c in children]
            self.undo(0)
            marks.clear()

    def items(self, node: flow.Node, done: int) -> tuple[int, flow.Closures] | None:
        """The operations of a node from one on; where nested procedures stand that come first."""
        for position in range(done, len(node.items)):
            item = node.items[position]
            if type(item) is flow.Closures:
                return position, item
            if type(item) is flow.Operation:
                self.operation(item)
        return None

    # -- what happens at each step ---------------------------------------------------------------

    def enter(self, node: flow.Node, above: flow.Node | None) -> None:
        """What is known at the head of a node."""
        if above is None:
            return
        branch = above.tail
        if type(branch) is flow.Branch and (node is branch.then or node is branch.otherwise):
            if type(branch.test) is il.Var:
                self.learn(branch.test.name, node is branch.then)
            return
        meeting = self.meetings.get(node)
        if meeting is not None and meeting.ways == self.entering[node]:
            for name, known in meeting.facts.items():
                self.hold(self.facts, name, known)

    def operation(self, operation: flow.Operation) -> None:
        self.made_by[operation.name] = operation
        said = self.answer(operation)
        if said is None or operation.name in self.decided:
            return
        self.decided[operation.name] = il.Const(said)
        comparison = self.comparison(operation)
        if not operation.safe and comparison is not None:
            name, test = comparison
            operation.safe = among.succeeds(self.facts[name], test)
            self.marked = self.marked or operation.safe

    def leave(self, node: flow.Node, tree: Dominators, depth: int, marks: list[int]) -> None:
        """What the end of a node tells and is told."""
        tail = node.tail
        if type(tail) is flow.Branch and type(tail.test) is il.Var:
            said = self.truth(tail.test.name)
            if said is not None and tail.test.name not in self.decided:
                node.tail = flow.Goto(tail.then if said else tail.otherwise, (), tail.span)
                self.folded = True
            elif said is None and (inner := self.implied(tail, tail.test.name)) is not None:
                node.tail = flow.Goto(inner, (), tail.span)
                self.folded = True
        elif type(tail) is flow.Goto and tail.target is not None:
            self.pass_constants(tail)
            self.meet(node, tail, tail.target, tree, depth, marks)
        elif type(tail) is flow.Invoke:
            self.pass_constants(tail)

    def pass_constants(self, tail: flow.Goto | flow.Invoke) -> None:
        """`(if (eq? x 'a) (jump k x) ...)` -> `(if (eq? x 'a) (jump k 'a) ...)`: what is passed
        everywhere is a parameter no longer."""
        arguments = tuple(map(self.exact, tail.arguments))
        if arguments != tail.arguments:
            tail.arguments = arguments
            self.passed = True

    def exact(self, atom: il.Atom) -> il.Atom:
        """The only constant that a variable can be here, or the atom itself."""
        known = self.of(atom) if type(atom) is il.Var else UNKNOWN
        constant = among.only(known)
        return atom if constant is None else il.Const(constant[1])

    def meet(
        self,
        node: flow.Node,
        jump: flow.Goto,
        target: flow.Node,
        tree: Dominators,
        depth: int,
        marks: list[int],
    ) -> None:
        """Note what is known on this way to a node; nothing if it was come to before."""
        above = tree.parent[target.index]
        meeting = self.meetings.get(target)
        if meeting is None:
            at, level = node.index, depth
            while at != above and at:
                at, level = tree.parent[at], level - 1
            mark = marks[level + 1] if level + 1 < len(marks) else len(self.log)
            names = {str(key) for _, key, *_ in self.log[max(mark, len(self.log) - MEETING) :]}
            facts = {name: self.facts[name] for name in sorted(names)}
            for name, atom in zip(target.parameters, jump.arguments, strict=True):
                facts[name] = self.of(atom)
        else:
            meeting.ways += 1
            passed = dict(zip(target.parameters, jump.arguments, strict=True))
            facts = {}
            for name, known in meeting.facts.items():
                here = self.of(passed[name] if name in passed else il.Var(name))
                facts[name] = among.join(known, here)
        facts = {name: known for name, known in facts.items() if known != UNKNOWN}
        if meeting is None:
            self.meetings[target] = _Meeting(facts)
        else:
            meeting.facts = facts

    def implied(self, branch: flow.Branch, test: str) -> flow.Node | None:
        """`(if (symbol? x) (if (eq? x 'a) (A) (B)) (B))` -> `(if (eq? x 'a) (A) (B))`: the arm of
        a conditional that is right in the other case, too, as all that it does is a test."""
        for inner, outer in ((branch.then, branch.otherwise), (branch.otherwise, branch.then)):
            asked = _only_test(inner)
            if asked is None:
                continue
            said = self.said(asked, test, outer is branch.then)
            tail = inner.tail
            assert type(tail) is flow.Branch
            if said is not None and go_on_alike(tail.then if said else tail.otherwise, outer):
                return inner
        return None

    def said(self, asked: flow.Operation, test: str, holds: bool) -> bool | None:
        """What a test gives where an earlier one is true or false: what the earlier tells, or the
        one answer with which it can have been so."""
        mark = len(self.log)
        self.learn(test, holds)
        said = self.answer(asked)
        self.undo(mark)
        self.made_by[asked.name] = asked
        for answer in (True, False):
            if said is None:
                self.learn(asked.name, answer)
                if self.truth(test) is not holds and self.truth(test) is not None:
                    said = not answer
                self.undo(mark)
        return said

    # -- facts -------------------------------------------------------------------------------------

    def of(self, atom: il.Atom) -> Known:
        """What is known of an atom here."""
        if type(atom) is il.Const:
            return among.exactly(atom.value)
        return self.facts.get(atom.name, UNKNOWN) if type(atom) is il.Var else UNKNOWN

    def comparison(self, operation: flow.Operation) -> tuple[str, Comparison] | None:
        """An operation as a variable's comparison with a constant, or a test of its kind."""
        op, arguments = operation.op, operation.arguments
        if op in among.PREDICATES and type(arguments[0]) is il.Var:
            return arguments[0].name, Comparison(op)
        if op in AGAINST_ZERO:
            op, arguments = AGAINST_ZERO[op], (*arguments, il.Const(0))
        elif op == "null?":
            op, arguments = "eqv?", (*arguments, il.Const(NIL))
        if op not in among.COMPARISONS or len(arguments) != 2:
            return None
        a, b = arguments
        if type(a) is il.Const:
            a, b, op = b, a, among.mirrored(op)
        if type(a) is not il.Var or type(b) is not il.Const or not among.is_constant(b.value):
            return None
        if type(b.value) is str and op == "equal?" and self.changing:
            return None
        return a.name, Comparison(op, b.value, self.types.get(a.name) == "int")

    def answer(self, operation: flow.Operation) -> bool | None:
        """What an operation gives here, if it is a test and that is known."""
        if operation.op == "not" and type(operation.arguments[0]) is il.Var:
            said = _truth(self.of(operation.arguments[0]))
            return None if said is None else not said
        comparison = self.comparison(operation)
        if comparison is None or comparison[0] not in self.facts:
            return None
        return among.answer(self.facts[comparison[0]], comparison[1])

    def truth(self, test: str) -> bool | None:
        """What a conditional does on a variable here."""
        said = _truth(self.facts.get(test, UNKNOWN))
        operation = self.made_by.get(test)
        return self.answer(operation) if said is None and operation is not None else said

    def learn(self, test: str, holds: bool) -> None:
        """Enters what follows from a test's being true or false."""
        self.tell(test, Comparison("eq?", False), not holds)
        operation = self.made_by.get(test)
        if operation is None:
            return
        if operation.op == "not" and type(operation.arguments[0]) is il.Var:
            self.learn(operation.arguments[0].name, not holds)
        elif (comparison := self.comparison(operation)) is not None:
            self.tell(*comparison, holds)
            if comparison[1].constant is False and comparison[1].op in ("eq?", "eqv?", "equal?"):
                self.learn(comparison[0], not holds)

    def tell(self, name: str, test: Comparison, holds: bool) -> None:
        known = self.facts.get(name, UNKNOWN)
        found = among.learn(known, test, holds)
        if found != known:
            self.hold(self.facts, name, found)


_CHANGING: Final = frozenset(CHANGING) | {"%fresh-string"}
"""Operations of programs in which strings that are `equal?` may come to differ."""


def _only_test(node: flow.Node) -> flow.Operation | None:
    """The test that is all that a node does, if it fails for no value: that it does not where it
    stands may be due to the tests before it."""
    if len(node.items) != 1 or type(node.tail) is not flow.Branch:
        return None
    (item,) = node.items
    if type(item) is not flow.Operation or node.tail.test != il.Var(item.name):
        return None
    return None if PRIMITIVES[item.op].fails else item


def _truth(known: Known) -> bool | None:
    said = among.answer(known, Comparison("eq?", False))
    return None if said is None else not said


def _order(tree: Dominators) -> list[int]:
    """By node, its place in reverse postorder: after all from which it is entered, but for loops'
    ways back."""
    places = [-1] * len(tree.nodes)
    seen = {tree.nodes[0]}
    stack = [(tree.nodes[0], iter(successors(tree.nodes[0])))]
    place = len(tree.nodes)
    while stack:
        node, rest = stack[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(successors(target))))
                break
        else:
            stack.pop()
            place -= 1
            places[node.index] = place
    return places
