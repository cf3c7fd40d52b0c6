"""Structured code -> structured code: drops operations and assignments that nothing needs.

What can fail by more than overflow (or a type, which typed programs have right) stays, as
do calls, stores and tests; of the rest only what they need, directly or not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cogen.target import structured as st
from lang import il
from lang.prims import PRIMITIVES

CHECKED_CONVERSIONS = frozenset(["exact", "inexact->exact"])
"""Operations whose failure counts as one of type but depends on the value."""


def prune(procedures: Sequence[st.Procedure]) -> None:
    """Remove, in place, what the programs' results, effects and errors do not depend on."""
    for procedure in procedures:
        live = _live(procedure)
        _sweep(procedure.body, live)


def is_essential(statement: st.Statement) -> bool:
    """Whether the statement itself does something, whoever uses its value."""
    if isinstance(statement, st.Op):
        row = PRIMITIVES.get(statement.op)
        return (
            row is None
            or row.effect not in ("pure", "alloc", "read")
            or bool(row.fails - {"overflow", "type"})
            or statement.op in CHECKED_CONVERSIONS
        )
    return not isinstance(statement, st.Move)


def _live(procedure: st.Procedure) -> set[str]:
    needs: dict[str, list[il.Atom]] = defaultdict(list)
    work: list[il.Atom] = []
    for statement in st.walk(procedure.body):
        if is_essential(statement):
            work.extend(st.used(statement))
        elif isinstance(statement, st.Op):
            needs[statement.name].extend(statement.arguments)
        elif isinstance(statement, st.Move):
            for name, atom in statement.pairs:
                needs[name].append(atom)
    live: set[str] = set()
    while work:
        atom = work.pop()
        if isinstance(atom, il.Var) and atom.name not in live:
            live.add(atom.name)
            work.extend(needs.get(atom.name, ()))
    return live


def _sweep(root: st.Body, live: set[str]) -> None:
    work = [root]
    while work:
        body = work.pop()
        kept: st.Body = []
        for statement in body:
            if isinstance(statement, st.Move):
                statement.pairs = tuple(p for p in statement.pairs if p[0] in live)
                if not statement.pairs:
                    continue
            elif isinstance(statement, st.Op):
                if statement.name not in live and not is_essential(statement):
                    continue
            elif isinstance(statement, st.Invoke):
                if statement.name not in live:
                    statement.name = None
            elif isinstance(statement, st.Branch):
                work += [statement.then, statement.otherwise]
            elif isinstance(statement, st.Loop):
                work.append(statement.body)
            kept.append(statement)
        body[:] = kept
