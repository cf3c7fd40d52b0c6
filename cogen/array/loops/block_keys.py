"""functions -> functions: keys of buckets are computed in vectors, block by block.

    for i from start to stop, tables(t d)       for each block of the iterations
        k = f(a[i])                                 for each k: held[k] = f(a[begin + k]),
        fail unless k is in bounds        ->            failing |= whether a check fails
        t[k] = t[k] + g(a[i])                       leave if a check fails
                                                    for each k: t[held[k]] = ...
                                                for the iterations that are left: as before

The first inner loop is vectors'. What is left after the last block, or from the block in which a
check fails, is done one by one, and tells of the failure. Where keys are merely loaded the buffers
would cost more than they save. Checks are looked at after all is computed: so elements are read at
the index of the loop only, and no operation has operands for which it has no result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied, copied_with, replaced
from cogen.array.loops.dividing import dependents, is_plain, is_total, names_of
from cogen.array.loops.expressions import ONE, ZERO, at_most, choose, load, minus, natural, plus
from cogen.array.loops.replacing import of_loops
from cogen.array.loops.take_turns import COPIES, use_tables
from cogen.array.loops.tree import F32, F64, I32, I64, Binary, Block, Expr, Pointer, Statement, Var

BLOCK: Final = natural(64)
"""Iterations of a block."""

HELD: Final = (I64, F64, I32, F32)
"""The types of what is kept between the loops of a block."""


@of_loops
def block_keys(
    names: UntakenNames, loop: tree.For, before: list[Statement]
) -> list[Statement] | None:
    """The functions with keys in blocks."""
    match loop:
        case tree.For(mark=tree.Tables(tables)):
            parts = divide(loop, tables)
            return None if parts is None else _blocks(loop, parts, names)
    return None


@dataclass(frozen=True, slots=True)
class KeyParts:
    """What computes keys and values and checks them, what puts them into tables, and the
    variables that cross from one to the other."""

    early: Block
    late: Block
    crossing: tuple[Var, ...]
    tables: tuple[tuple[Var, Var], ...]


def divide(loop: tree.For, tables: tuple[tuple[Var, Var], ...]) -> KeyParts | None:
    """The parts of a loop whose keys can be computed ahead; None if there are none."""
    late_names = dependents(loop.body, frozenset([base.name for base, _ in tables]))
    early = tuple([s for s in loop.body if not names_of(s) & late_names])
    late = tuple([s for s in loop.body if names_of(s) & late_names])
    if loop.step != ONE or not all(_can_be_early(s, loop.index) for s in early):
        return None
    if not all(isinstance(s, (tree.Let, tree.Store)) for s in late):
        return None
    used = treewalk.mentioned(late)
    made = [s for s in early if isinstance(s, (tree.Let, tree.Variable))]
    crossing = tuple([s.variable for s in made if s.variable.name in used])
    if loop.index.name in used or any(variable.type not in HELD for variable in crossing):
        return None
    keys = _keys(late)
    loaded = {s.variable.name for s in made if isinstance(s.value, tree.Load)}
    computed = any(key.name not in loaded for key in crossing if key.name in keys)
    return KeyParts(early, late, crossing, tables) if computed else None


def _can_be_early(statement: Statement, index: Var) -> bool:
    """Whether a statement computes scalars, or checks them, and can do so before other checks are
    looked at."""
    match statement:
        case tree.IfStatement(test, (tree.Fail(),), ()):
            return is_total(test, index)
    return is_plain(statement) and all(
        not isinstance(inner, tree.Store)
        and all(is_total(e, index) for e in treewalk.expressions(inner))
        for inner in treewalk.all_statements((statement,))
    )


def _keys(late: Block) -> frozenset[str]:
    """The names in indices."""
    found: frozenset[str] = frozenset()
    for statement in late:
        for e in treewalk.expressions(statement):
            for x in treewalk.within(e):
                if isinstance(x, tree.Load):
                    found |= treewalk.names(x.index)
    return found


def _blocks(loop: tree.For, parts: KeyParts, names: UntakenNames) -> list[Statement]:
    first = names.fresh("first", I64)
    rooms = {v: names.fresh("held", Pointer(v.type)) for v in parts.crossing}
    fails = names.fresh("fails", I64)
    body = (
        *[tree.Room(room, BLOCK) for room in rooms.values()],
        tree.Variable(fails, ZERO),
        _compute(loop, parts, first, rooms, fails, names),
        tree.IfStatement(Binary("!=", fails, ZERO), (tree.Break(),)),
        _add(loop, parts, first, rooms, names),
        tree.Assign(first, BLOCK, "+"),
    )
    return [
        tree.Variable(first, loop.start),
        tree.While(at_most(first, minus(loop.stop, BLOCK)), body),
        replace(loop, start=first),
    ]


def _compute(
    loop: tree.For,
    parts: KeyParts,
    first: Var,
    rooms: dict[Var, Var],
    fails: Var,
    names: UntakenNames,
) -> Statement:
    """Keys and values of a block, and whether a check fails."""
    offset, index = names.fresh("k", I64), names.fresh(loop.index.name, I64)
    values: dict[Var, Expr] = {loop.index: index}
    body: list[Statement] = [tree.Let(index, plus(first, offset))]
    for statement in parts.early:
        match statement:
            case tree.IfStatement(test, (tree.Fail(),), ()):
                body.append(tree.Assign(fails, _as_int(replaced(test, values)), "|"))
            case _:
                made, values = copied_with((statement,), values, names)
                body += made
    body += [tree.Store(room, offset, values[variable]) for variable, room in rooms.items()]
    mark = tree.Lanes(((tree.ANY, fails),), few=True)
    return tree.For(offset, ZERO, BLOCK, ONE, tuple(body), mark)


def _as_int(test: Expr) -> Expr:
    """1 where a test holds, else 0; gcc makes no vectors of a test that is negated first."""
    if isinstance(test, tree.Not):
        return choose(test.operand, ZERO, ONE)
    return choose(test, ONE, ZERO)


def _add(
    loop: tree.For, parts: KeyParts, first: Var, rooms: dict[Var, Var], names: UntakenNames
) -> Statement:
    """Put what is kept into the tables, which are used in turn."""
    offset = names.fresh("k", I64)
    values: dict[Var, Expr] = {}
    body: list[Statement] = []
    for variable, room in rooms.items():
        own = names.fresh(variable.name, variable.type)
        body.append(tree.Let(own, load(room, offset)))
        values[variable] = own
    turn = Binary("&", offset, natural(COPIES - 1))
    tables, mine = use_tables(parts.tables, turn, names)
    made = copied(parts.late, {**values, **mine}, names)
    return tree.For(offset, ZERO, BLOCK, ONE, (*body, *tables, *made))
