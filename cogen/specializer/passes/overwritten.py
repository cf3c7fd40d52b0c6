"""Leaves out what is put into a record's field that is assigned again before anything sees it.

    (record-set! T 2 m a) (let t (+ a b)) (record-set! T 2 m t)
      -> (let t (+ a b)) (record-set! T 2 m t)

An interpreter counts its stack's pointer up and down with each value that it pushes and pops.  In
between there may be what reads no such field; if it fails, nobody sees the record afterwards unless
the program handles errors, and then nothing is left out.
"""

from __future__ import annotations

from typing import Final

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes
from cogen.specializer.passes.flow_graph import AtomKey, ResidualGraph, atom_key, tail_atoms
from cogen.specializer.passes.number import NUMBERED

_BLIND: Final = NUMBERED | {
    *("cons", "car", "cdr", "vector", "make-vector", "vector-ref", "vector-set!", "vector-length"),
    *("make-record", "record-is?", "record-set!", "make-cell", "cell-ref", "cell-set!"),
}
"""Operations that read no field of a record; but for `equal?`, which does."""


def drop_overwritten(graph: ResidualGraph) -> bool:
    """`(record-set! T 0 m a) (record-set! T 0 m b)` -> `(record-set! T 0 m b)`."""
    if _handles_errors(graph):
        return False
    changed = False
    for node in all_nodes(graph):
        kept = _kept(node.items)
        if len(kept) < len(node.items):
            node.items = kept
            changed = True
    if changed:
        graph.changed(flow.LESS)
    return changed


def _handles_errors(graph: ResidualGraph) -> bool:
    handler = "with-exception-handler"
    return any(
        type(atom) is il.Prim and atom.name == handler
        for node in all_nodes(graph)
        for atom in tail_atoms(node.tail)
    )


def _kept(items: list[flow.Operation | flow.Closures]) -> list[flow.Operation | flow.Closures]:
    """The items without assignments that others behind them make good for."""
    covered: set[tuple[AtomKey, ...]] = set()
    kept: list[flow.Operation | flow.Closures] = []
    for item in reversed(items):
        if type(item) is not flow.Operation:
            covered.clear()
        elif item.op == "record-set!":
            place = tuple(map(atom_key, item.arguments[:3]))
            if place in covered:
                continue
            covered.add(place)
        elif item.op == "record-ref":
            field = tuple(map(atom_key, item.arguments[:2]))
            covered = {place for place in covered if place[:2] != field}
        elif item.op == "equal?" or item.op not in _BLIND:
            covered.clear()
        kept.append(item)
    return kept[::-1]
