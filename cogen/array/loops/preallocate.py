"""functions -> functions: memory that each iteration needs is asked for before the loop.

    for i from 0 to n                   allocate r (0 < n ? m : 0)
        allocate r m                    for i from 0 to n
        ...                    ->           ...
        drop r                          drop r

The region has one size in all iterations, and none hands it on. Iterations that had memory of their
own share it afterwards, so this comes when loops have been shared out (each thread has a loop, and
a region) and put side by side, and they are not marked any more. Without iterations there is
nothing to allocate, and nothing to fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import replaced
from cogen.array.loops.expressions import ZERO, choose, less
from cogen.array.loops.regions import is_drop, is_mentioned, start_of, without, without_drops
from cogen.array.loops.tree import I64, SIZE, Block, Expr, Statement, Var

NUMBERS: Final = (tree.Var, tree.Const, tree.Binary, tree.Choose, tree.Convert)
"""What sizes are made of that can be computed anywhere."""


def preallocate(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with memory for iterations allocated before loops."""
    return tuple([replace(f, body=_block(f.body)) for f in functions])


def _block(block: Block) -> Block:
    found: list[Statement] = []
    for statement in block:
        inner = [_block(own) for own in treewalk.blocks(statement)]
        made = treewalk.with_blocks(statement, inner)
        if isinstance(made, tree.For) and isinstance(made.mark, tree.Apart | None):
            found += _loop(made)
        else:
            found.append(made)
    return tuple(found)


def _loop(loop: tree.For) -> list[Statement]:
    """A loop, with what is allocated before it and given up after it."""
    before: list[Statement] = []
    after: list[Statement] = []
    for statement in loop.body:
        if isinstance(statement, tree.Allocate) and statement.over is None:
            size = _size(statement.size, loop)
            rest = without_drops(loop.body, statement.variable)
            given_up = [s for s in loop.body if is_drop(s) == statement.variable]
            if size is None or len(given_up) != 1 or not _is_own(rest, statement):
                continue
            any_ = less(loop.start, loop.stop)
            before.append(replace(statement, size=choose(any_, size, ZERO)))
            after.append(given_up[0])
            body = tuple([s for s in rest if s is not statement])
            loop = replace(loop, body=body, mark=None, sharing=None)
    return [*before, loop, *after]


def _is_own(body: Block, made: tree.Allocate) -> bool:
    """Whether statements ask only for the address of the elements of a region."""
    rest = without(body, lambda s: s is made or start_of(s, made.variable) is not None)
    return not is_mentioned(rest, made.variable)


def _size(size: Expr, loop: tree.For) -> Expr | None:
    """A size as it is before the loop, of numbers alone; None if it may be another in each
    iteration, or must be looked at there first."""
    changed = {loop.index}
    for statement in treewalk.all_statements(loop.body):
        changed.update(
            treewalk.declared(statement), treewalk.bound(statement), _assigned(statement)
        )
    values = {s.variable: s.value for s in loop.body if isinstance(s, tree.Let)}
    while True:
        inner = [*treewalk.within(size)]
        if not all(isinstance(x, NUMBERS) for x in inner):
            return None
        own = {x for x in inner if isinstance(x, Var) and x in changed}
        if not own:
            return size if size.type in (I64, SIZE) else None
        if not own <= values.keys():
            return None
        size = replaced(size, {x: values[x] for x in own})


def _assigned(statement: Statement) -> set[Var]:
    """The variables that a statement assigns, or lets others assign."""
    found = {
        x.operand
        for e in treewalk.expressions(statement)
        for x in treewalk.within(e)
        if isinstance(x, tree.Address) and isinstance(x.operand, Var)
    }
    match statement:
        case tree.Assign(variable) | tree.Scan(variable):
            found.add(variable)
        case tree.Parallel(got=Var() as variable):
            found.add(variable)
    return found
