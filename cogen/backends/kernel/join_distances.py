"""Structured code -> structured code: loop variables that keep their distance become one.

    p = x; q = x + 96                            p = x
    while (p != to) {                            while (p != to) {
        … p … q …                        ->          q = p + 96
        p = p + 768; q = q + 768                     … p … q …
    }                                                p = p + 768
                                                 }

The first and the last address of a row, or the words of two signals that lie at a known distance,
are such variables.  With one of them left, comparisons of the two and numbers of rounds between
them are constants to the C compiler, and words that both name are the same words (measured with
gcc 12 on rows of 768 bytes dithered to bits: 1.1 times as fast).

It is done before bounds are found.  What the test at the head or code behind the loop needs stays
as it is: it would have to be made before the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.bounds import LinearSum, linear
from cogen.backends.kernel.types import INT, Types
from cogen.lang import il


def join_distances(procedure: st.KernelProcedure, types: Types) -> None:
    """Replace, in place, loop variables by others plus a constant; the loops outside first."""
    definitions = {s.name: s for s in st.walk(procedure.body) if isinstance(s, st.Op)}
    work = [procedure.body]
    while work:
        body = work.pop()
        for before, statement in zip([None, *body], body, strict=False):
            if (
                isinstance(statement, st.KernelLoop)
                and isinstance(before, st.Move)
                and statement.label not in procedure.jumped
            ):
                _join(statement, before, definitions, types, _outside(procedure, statement))
        work.extend(st.inner_bodies(body))


@dataclass(frozen=True, slots=True)
class _WalkingVariable:
    """A loop variable: where it starts, and how far each round moves it."""

    name: str
    start: LinearSum
    steps: tuple[int, ...]


def _outside(procedure: st.KernelProcedure, loop: st.KernelLoop) -> set[str]:
    """The variables that are read outside of the loop."""
    inside = {id(statement) for statement in st.walk(loop.body)}
    return {
        atom.name
        for statement in st.walk(procedure.body)
        if id(statement) not in inside
        for atom in st.used(statement)
        if isinstance(atom, il.Var)
    }


def _join(
    loop: st.KernelLoop,
    entry: st.Move,
    definitions: dict[str, st.Op],
    types: Types,
    outside: set[str],
) -> None:
    walks = _walks(loop, entry, definitions, types)
    tested = _tested(loop, definitions)
    walks.sort(key=lambda walk: walk.name not in tested)
    kept: list[_WalkingVariable] = []
    found: list[st.Op] = []
    needed = outside | _read(_head(loop))
    for walk in walks:
        leader = next((k for k in kept if _distance(k, walk) is not None), None)
        if leader is None or walk.name in needed:
            kept.append(walk)
            continue
        distance = _distance(leader, walk) or 0
        operands = (il.Var(leader.name), il.Const(distance))
        found.append(st.Op(walk.name, "+", operands, loop.span))
    if not found:
        return
    gone = {operation.name for operation in found}
    loop.parameters = tuple(name for name in loop.parameters if name not in gone)
    for move in (entry, *_moves(loop)):
        move.pairs = tuple(pair for pair in move.pairs if pair[0] not in gone)
    place = len(_head(loop))
    loop.body[place:place] = found
    definitions.update((operation.name, operation) for operation in found)


def _head(loop: st.KernelLoop) -> st.Body:
    """What comes before the variables are made: the test at the head, if the loop has one."""
    if not loop.head:
        return []
    return loop.body[: 1 + next(i for i, s in enumerate(loop.body) if isinstance(s, st.Branch))]


def _read(body: st.Body) -> set[str]:
    atoms = (atom for statement in st.walk(body) for atom in st.used(statement))
    return {atom.name for atom in atoms if isinstance(atom, il.Var)}


def _walks(
    loop: st.KernelLoop, entry: st.Move, definitions: Mapping[str, st.Op], types: Types
) -> list[_WalkingVariable]:
    """The integer variables of the loop that each round moves by a constant other than 0."""
    starts = dict(entry.pairs)
    rounds = [dict(move.pairs) for move in _moves(loop)]
    walks = []
    for name in loop.parameters:
        if name not in starts or types.variables.get(name, INT) != INT:
            continue
        steps = tuple(_step(name, pairs, definitions) for pairs in rounds)
        known = tuple(step for step in steps if step is not None)
        if any(known) and len(known) == len(steps):
            walks.append(_WalkingVariable(name, linear(starts[name], definitions), known))
    return walks


def _moves(loop: st.KernelLoop) -> list[st.Move]:
    """The assignments with which rounds end."""
    return [
        statement
        for statement in st.walk(loop.body)
        if isinstance(statement, st.Move)
        and any(name in loop.parameters for name, _ in statement.pairs)
    ]


def _step(name: str, pairs: Mapping[str, il.Atom], definitions: Mapping[str, st.Op]) -> int | None:
    if name not in pairs:
        return 0
    moved = linear(pairs[name], definitions).plus(LinearSum(0, ((name, 1),)), -1)
    return None if moved.terms else moved.constant


def _distance(a: _WalkingVariable, b: _WalkingVariable) -> int | None:
    """How far the second is always behind the first; None if that is not known."""
    return b.start.minus(a.start) if a.steps == b.steps else None


def _tested(loop: st.KernelLoop, definitions: Mapping[str, st.Op]) -> Sequence[str]:
    """The variables that the test at the head compares."""
    branch = next((s for s in loop.body if isinstance(s, st.Branch)), None)
    if not loop.head or branch is None or not isinstance(branch.test, il.Var):
        return ()
    operation = definitions.get(branch.test.name)
    atoms = operation.arguments if operation is not None else ()
    return [atom.name for atom in atoms if isinstance(atom, il.Var)]
