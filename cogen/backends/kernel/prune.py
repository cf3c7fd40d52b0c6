"""Structured code -> structured code: drops operations and assignments that nothing needs.

What can fail by more than overflow stays, as do calls, stores and tests; of the rest only what
they need, directly or not.  A failure by type counts as long as types are not inferred; then
they are known to be right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.types import BOOL, Types
from cogen.lang import il
from cogen.lang.prims import PRIMITIVES

CHECKED_CONVERSIONS = frozenset(["exact", "inexact->exact"])
"""Operations whose failure counts as one of type but depends on the value."""


def fold_branches(procedures: Sequence[st.KernelProcedure], types: Types) -> None:
    """Replace, in place, conditionals whose test is known or no boolean by their arm."""
    for procedure in procedures:
        work = [procedure.body]
        while work:
            body = work.pop()
            folded: st.Body = []
            waiting = list(reversed(body))
            while waiting:
                statement = waiting.pop()
                if isinstance(statement, st.KernelLoop) and statement.head:
                    head = next(s for s in statement.body if isinstance(s, st.Branch))
                    statement.head = _known_arm(head, types) is None
                arm = _known_arm(statement, types)
                if arm is None:
                    folded.append(statement)
                elif st.falls(arm) or any(isinstance(s, st.Mark) for s in waiting):
                    waiting.extend(reversed(arm))
                else:
                    waiting = list(reversed(arm))
            body[:] = folded
            work.extend(st.inner_bodies(body))


def _known_arm(statement: st.Statement, types: Types) -> st.Body | None:
    if not isinstance(statement, st.Branch):
        return None
    if types.of(statement.test) != BOOL:
        return statement.then
    if isinstance(statement.test, il.Const):
        return statement.then if statement.test.value is not False else statement.otherwise
    return None


def prune(procedures: Sequence[st.KernelProcedure], typed: bool = True) -> None:
    """Remove, in place, what the programs' results, effects and errors do not depend on.

    `typed` tells that the program's types are known to be right.
    """
    for procedure in procedures:
        live = _live(procedure, typed)
        _sweep(procedure.body, live, typed)


def is_essential(statement: st.Statement, typed: bool) -> bool:
    """Whether the statement itself does something, whoever uses its value."""
    if isinstance(statement, st.Op):
        row = PRIMITIVES.get(statement.op)
        return (
            row is None
            or row.effect not in ("pure", "alloc", "read")
            or bool(row.fails - ({"overflow", "type"} if typed else {"overflow"}))
            or statement.op in CHECKED_CONVERSIONS
        )
    return not isinstance(statement, st.Move)


def _live(procedure: st.KernelProcedure, typed: bool) -> set[str]:
    needs: dict[str, list[il.Atom]] = defaultdict(list)
    work: list[il.Atom] = []
    for statement in st.walk(procedure.body):
        if is_essential(statement, typed):
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


def _sweep(root: st.Body, live: set[str], typed: bool) -> None:
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
                if statement.name not in live and not is_essential(statement, typed):
                    continue
            elif isinstance(statement, st.KernelCall) and statement.name not in live:
                statement.name = None
            kept.append(statement)
        body[:] = kept
        work.extend(st.inner_bodies(body))
