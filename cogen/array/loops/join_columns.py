"""functions -> functions: iterations that go down columns go through many of them side by side.

    for j from start to stop, apart             for each block of columns j
        s = 0                                       for each lane k: sums[k] = 0
        for i from 0 to n, apart(+ s)               for i from 0 to n
            s = s + a[j + i * m]          ->            for each lane k: sums[k] += a[j + k + i * m]
        y[j] = s                                    for each lane k: y[j + k] = sums[k]

What the inner loop reads lies apart, what the outer one reads lies side by side: so memory is read
as it lies, and in vectors. Likewise where both do, as around a sum of `a[j + i] * b[i]`, which has
no vectors to add up at its end. It is `cogen.array.loops.interchange`, for loops whose order does
not matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, replaced
from cogen.array.loops.expressions import choose, is_number, less, minus, natural, plus, value_of
from cogen.array.loops.interchange import LaneBlocks, has_lanes
from cogen.array.loops.replacing import of_loops
from cogen.array.loops.rewriting import rewritten
from cogen.array.loops.tree import I64, Block, Expr, Pointer, Statement, Var

COLUMNS: Final = 1024
"""So many columns side by side: their sums are in the first cache, and what a row has for them is
read in one go."""

MOST_CARRIED: Final = 4
"""More that is carried down a column would not be in the first cache."""

MOST_NAMES: Final = 8
"""Through so many names a place is looked at."""

FEWEST: Final = 8
"""Fewer columns are gone down one by one."""


@of_loops
def join_columns(
    names: UntakenNames, loop: tree.For, before: list[Statement]
) -> list[Statement] | None:
    """The functions with iterations that go down columns side by side."""
    if not isinstance(loop.mark, tree.Apart):
        return None
    size = minus(loop.stop, loop.start)
    if not _is_simple(loop.body):
        return None
    flat = replace(loop, body=_in_order(_without_addresses(loop.body)))
    if not has_lanes(flat, stores=True) or not _goes_down(flat):
        return None
    if is_number(size) and value_of(size) < FEWEST:
        return None
    made = _blocks(flat, names)
    if is_number(size):
        return made
    return [tree.IfStatement(less(size, natural(FEWEST)), (loop,), tuple(made))]


def _is_simple(block: Block) -> bool:
    """Whether statements are loops around values that are stored at most, and carry little."""
    plain = (tree.Let, tree.Variable, tree.Assign, tree.Store, tree.For)
    carried = [s for s in block if isinstance(s, tree.Variable)]
    simple = all(isinstance(s, plain) for s in treewalk.all_statements(block))
    return simple and len(carried) <= MOST_CARRIED


def _without_addresses(block: Block) -> Block:
    """Statements that read elements behind addresses from outside."""
    rows = {
        s.variable: s.value
        for s in block
        if isinstance(s, tree.Let) and isinstance(s.variable.type, Pointer)
    }

    def change(e: Expr) -> Expr | None:
        match e:
            case tree.Load(Var() as row, index):
                match rows.get(row):
                    case tree.Binary("+", base, offset):
                        return tree.Load(base, plus(offset, index))
        return None

    made = _stored(rewritten(block, change), rows)
    used = treewalk.mentioned(tuple([s for s in made if s not in _lets(made, rows)]))
    unused = [s for s in _lets(made, rows) if s.variable.name not in used]
    return tuple([s for s in made if s not in unused])


def _stored(block: Block, rows: Mapping[Var, Expr]) -> Block:
    """Statements that store elements behind addresses from outside."""
    found: list[Statement] = []
    for statement in block:
        match statement:
            case tree.Store(Var() as row, index):
                match rows.get(row):
                    case tree.Binary("+", base, offset):
                        statement = replace(statement, base=base, index=plus(offset, index))
        inner = [_stored(own, rows) for own in treewalk.blocks(statement)]
        found.append(treewalk.with_blocks(statement, inner))
    return tuple(found)


def _lets(block: Block, variables: Collection[Var]) -> list[tree.Let]:
    return [s for s in block if isinstance(s, tree.Let) and s.variable in variables]


def _in_order(block: Block) -> Block:
    """Statements whose loops are gone through in order."""
    return tuple([
        replace(s, mark=None)
        if isinstance(s, tree.For) and isinstance(s.mark, (tree.Apart, tree.Running))
        else s
        for s in block
    ])  # fmt: skip


def _goes_down(loop: tree.For) -> bool:
    """Whether all that the loops within read for an iteration lies beside what they read for the
    next, something at least."""
    found = False
    for inner in [s for s in loop.body if isinstance(s, tree.For)]:
        values = {s.variable: s.value for s in inner.body if isinstance(s, tree.Let)}
        for place in _places(inner.body):
            at = _said(place, values)
            if loop.index.name not in treewalk.names(at):
                continue
            if not _is_beside(at, loop.index):
                return False
            found = True
    return found


def _said(e: Expr, values: Mapping[Var, Expr]) -> Expr:
    """An expression with what variables are in their place."""
    for _ in range(MOST_NAMES):
        made = replaced(e, values)
        if made == e:
            break
        e = made
    return e


def _places(block: Block) -> Iterator[Expr]:
    """The places that statements read, and store at."""
    for statement in treewalk.all_statements(block):
        if isinstance(statement, tree.Store):
            yield statement.index
        for e in treewalk.expressions(statement):
            yield from (x.index for x in treewalk.within(e) if isinstance(x, tree.Load))


def _is_beside(e: Expr, index: Var) -> bool:
    """Whether a place is an index and what does not depend on it."""
    match e:
        case Var():
            return e == index
        case tree.Binary("+", a, b) | tree.Operate("int.add", (a, b)):
            for one, other in ((a, b), (b, a)):
                if index.name not in treewalk.names(other):
                    return _is_beside(one, index)
    return False


def _blocks(loop: tree.For, names: UntakenNames) -> list[Statement]:
    """A loop in blocks of columns, of which the last one has fewer."""
    lanes = LaneBlocks(loop, names)
    number = names.fresh("columns", I64)
    body = lanes.body(COLUMNS, number)
    left = minus(loop.stop, lanes.begin)
    room = natural(COLUMNS)
    here = tree.Let(number, choose(less(left, room), left, room))
    return [tree.For(lanes.begin, loop.start, loop.stop, room, (here, *body))]
