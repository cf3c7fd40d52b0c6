"""functions -> functions: what keys are looked up for comes from memory before it is needed.

    for i from start to stop                for each block of the iterations
        k = f(a[i])                             if the table is large
        n = number(table, k)        ->              for i: k = f(a[i]), ahead(table, k)
        ...                                         for i: k = f(a[i]), ahead_key(table, k)
                                                for i: as before

A lookup in a table that no cache holds waits for memory twice: for the slot, and for the key that
it has. A processor waits for many at once if they are asked for before. Keys are computed twice
more; so it takes loops that compute them in few operations, of elements that are read at the index
of the loop, and from nothing that iterations change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied
from cogen.array.loops.dividing import changed, is_total, made_of
from cogen.array.loops.expressions import ONE, choose, less, natural, plus
from cogen.array.loops.functions import MOST_PARTS
from cogen.array.loops.stream import work
from cogen.array.loops.tree import BOOL, I64, Block, Expr, Invoke, Statement, Var

BLOCK: Final = natural(64)
"""Iterations of a block: a processor waits for fewer places than that."""

LOOKUPS: Final = ("number", *[f"number_{k}" for k in range(2, MOST_PARTS + 1)])
"""The functions that look keys up."""

MOST_WORK: Final = 24
"""What costs more, in additions, is not computed once more."""


def look_ahead(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with lookups ahead."""
    names = UntakenNames(functions)
    return tuple([replace(f, body=_block(f.body, names)) for f in functions])


def _block(block: Block, names: UntakenNames) -> Block:
    found: list[Statement] = []
    for statement in block:
        found_here = lookups(statement) if isinstance(statement, tree.For) else []
        if not found_here:
            inner = [_block(own, names) for own in treewalk.blocks(statement)]
            found.append(treewalk.with_blocks(statement, inner))
        else:
            assert isinstance(statement, tree.For)
            found.append(_blocks(statement, found_here, names))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Lookup:
    """What makes a key, and the number that is asked for."""

    early: Block
    number: Invoke


def lookups(loop: tree.For) -> list[Lookup]:
    """The lookups of a loop in tables that stand outside of it, whose keys can be had ahead."""
    if loop.mark is not None or loop.step != ONE:
        return []
    outside = changed(loop.body)
    found: list[Lookup] = []
    for at, statement in enumerate(loop.body):
        match statement:
            case tree.Let(_, Invoke(function) as number) if function in LOOKUPS:
                key = frozenset().union(*map(treewalk.names, number.arguments))
                early = made_of(key, loop.body[:at], outside)
                if early is not None and _is_ahead(early, number, loop.index):
                    found.append(Lookup(early, number))
    return found


def _is_ahead(early: Block, number: Invoke, index: Var) -> bool:
    """Whether a key can be computed, in few operations, whatever the iterations before do."""
    made = [e for s in early for e in treewalk.expressions(s)]
    return work(early) <= MOST_WORK and all(is_total(e, index) for e in (*made, *number.arguments))


def _blocks(loop: tree.For, found: Sequence[Lookup], names: UntakenNames) -> Statement:
    begin, end = names.fresh("begin", I64), names.fresh("end", I64)
    last = plus(begin, BLOCK)
    body: list[Statement] = [tree.Let(end, choose(less(last, loop.stop), last, loop.stop))]
    for lookup in found:
        large = Invoke("numbers_large", (lookup.number.arguments[0],), BOOL)
        ahead = [_ahead(loop, lookup, (begin, end), names, word) for word in ("ahead", "ahead_key")]
        body.append(tree.IfStatement(large, tuple(ahead)))
    body.append(replace(loop, start=begin, stop=end, sharing=None))
    return tree.For(begin, loop.start, loop.stop, BLOCK, tuple(body))


def _ahead(
    loop: tree.For, lookup: Lookup, bounds: tuple[Expr, Expr], names: UntakenNames, word: str
) -> Statement:
    """A loop that does nothing but ask for what lookups will read."""
    index = names.fresh(loop.index.name, I64)
    function = lookup.number.function.replace("number", word)
    asked = tree.Do(Invoke(function, lookup.number.arguments, BOOL))
    body = copied((*lookup.early, asked), {loop.index: index}, names)
    return tree.For(index, *bounds, ONE, body)
