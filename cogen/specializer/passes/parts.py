"""Parts of new pairs: what has just been put into a pair need not be taken out of it.

What is made dynamic where it is built (`advice`) is a pair of the residual program, and
what reads it at once would read it from memory.  Pairs may be changed, so only straight code
without effects between the two counts, that of a branch's arms included.
"""

from __future__ import annotations

from typing import Final

from cogen.lang import il
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import walk
from cogen.specializer.passes.flow_graph import ResidualGraph
from cogen.specializer.passes.rewrite import substitute

PART: Final = {"car": 0, "cdr": 1}
"""Which operand of `cons` is what an operation reads."""


def take_parts(graph: ResidualGraph) -> bool:
    """`(let p (cons a b)) (let x (car p)) … x …` -> `(let p (cons a b)) … a …`."""
    same: dict[str, il.Atom] = {}
    for _, nodes in walk(graph):
        arms = {
            id(arm)
            for node in nodes
            if type(node.tail) is flow.Branch
            for arm in (node.tail.then, node.tail.otherwise)
        }
        for node in nodes:
            if id(node) not in arms:
                _follow(node, same)
    if not same:
        return False
    for _, nodes in walk(graph):
        for node in nodes:
            node.items = [
                i for i in node.items if type(i) is not flow.Operation or i.name not in same
            ]
    graph.changed(flow.LESS)
    substitute(graph, same)
    return True


def _follow(first: flow.Node, same: dict[str, il.Atom]) -> None:
    """Look at a node and the arms that it leads to; note what is the same as what."""
    work: list[tuple[flow.Node, dict[str, flow.Atoms]]] = [(first, {})]
    while work:
        node, known = work.pop()
        pairs = dict(known)
        for item in node.items:
            if type(item) is not flow.Operation:
                continue
            if item.op == "cons":
                pairs[item.name] = item.arguments
            elif item.op in PART:
                pair = item.arguments[0]
                if type(pair) is il.Var and pair.name in pairs:
                    same[item.name] = pairs[pair.name][PART[item.op]]
            elif PRIMITIVES[item.op].effect not in ("pure", "read", "alloc"):
                pairs.clear()
        if type(node.tail) is flow.Branch:
            work += [(node.tail.then, pairs), (node.tail.otherwise, pairs)]
