"""functions -> functions: memory is given back after its last use, or goes to what uses it last.

    let s = a[i]                     let s = a[i]
    ...                              drop a
    variable b = keep c      ->      ...
    drop a                           variable b = c
    drop c

Loops are made with each region held to the end of the statements that it belongs to, and with a
reference of its own (`keep`) for whatever outlives one of them. That is right, and needs no look at
what comes later; which addresses are in a region is known here (`cogen.array.loops.regions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cogen.array.loops import tree, treewalk
from cogen.array.loops.regions import addresses, is_drop, users, uses
from cogen.array.loops.rewriting import Change, with_expressions
from cogen.array.loops.tree import (
    Assign,
    Block,
    CallStatement,
    Expr,
    Invoke,
    Let,
    Statement,
    Store,
    Var,
    Variable,
)


def release(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with memory given back as soon as nothing uses it."""
    return tuple([replace(f, body=_released(f.body, addresses(f))) for f in functions])


def _released(block: Block, known: Mapping[str, frozenset[str]]) -> Block:
    """Statements with what they hold given back early, and so those within them."""
    kept: list[Statement] = []
    dropped: list[tuple[int, Statement, Var]] = []
    for statement in block:
        region = is_drop(statement)
        if region is not None:
            dropped.append((len(kept), statement, region))
            continue
        inner = [_released(own, known) for own in treewalk.blocks(statement)]
        kept.append(treewalk.with_blocks(statement, inner))
    if not dropped:
        return tuple(kept)
    used = [uses(statement) for statement in kept]
    after: dict[int, list[Statement]] = {}
    for limit, statement, region in dropped:
        names = users(region.name, known)
        last = next((k for k in range(limit - 1, -1, -1) if used[k] & names), -1)
        moved = _moved(kept[last], region) if last >= 0 else None
        if moved is not None:
            kept[last] = moved
        else:
            after.setdefault(last, []).append(statement)
    found = after.get(-1, [])
    for k, statement in enumerate(kept):
        found += [statement, *after.get(k, ())]
    return tuple(found)


def _moved(statement: Statement, region: Var) -> Statement | None:
    """A statement that gets the reference itself, where it makes one more; None if it does not."""
    kept = Invoke("keep", (region,), region.type)
    if not isinstance(statement, (Variable, Let, Assign, Store, CallStatement)):
        return None
    if not any(kept in treewalk.within(e) for e in treewalk.expressions(statement)):
        return None
    return with_expressions(statement, _once(kept, region))


def _once(kept: Expr, region: Var) -> Change:
    """The first reference more is the region itself."""
    waiting = [region]

    def change(e: Expr) -> Expr | None:
        return waiting.pop() if waiting and e == kept else None

    return change
