"""Loops of few iterations, of a known number, as the statements of these iterations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied
from cogen.array.loops.expressions import is_number, natural, value_of
from cogen.array.loops.rewriting import with_expressions
from cogen.array.loops.tree import I64, Block, Const, Expr, Statement, Var

MOST_COPIED: Final = 128
"""A loop stays one that would become more statements."""

LARGE: Final = 1 << 31
"""Larger numbers are computed by what is made of loops, which knows how."""

_OPERATIONS: Final = {"int.add": "+", "int.sub": "-", "int.mul": "*"}


def iterations(loop: tree.For, most: int) -> range | None:
    """The indices of a loop, if they are known, some, and not too many."""
    if not all(map(is_number, (loop.start, loop.stop, loop.step))) or value_of(loop.step) < 1:
        return None
    found = range(value_of(loop.start), value_of(loop.stop), value_of(loop.step))
    count = len([*treewalk.all_statements(loop.body)])
    return found if 0 < len(found) <= most and len(found) * count <= MOST_COPIED else None


def unrolled(loop: tree.For, indices: range, names: UntakenNames) -> Block:
    """The statements of all iterations, with what can be computed of the index computed."""
    found: list[Statement] = []
    for k in indices:
        found += _known(copied(loop.body, {loop.index: natural(k)}, names), {})
    return tuple(found)


def depending(block: Block, name: str) -> frozenset[str]:
    """The names of a variable, and of those that stay and are made of it in a block."""
    found = {name}
    for statement in treewalk.all_statements(block):
        if isinstance(statement, tree.Let) and treewalk.names(statement.value) & found:
            found.add(statement.variable.name)
    return frozenset(found)


def _known(block: Block, values: dict[Var, Expr]) -> Block:
    """Statements with the values of variables that are numbers in their places."""
    found: list[Statement] = []
    for statement in block:
        made = with_expressions(statement, lambda e: _computed(e, values))
        match made:
            case tree.Let(variable, Const(int())) if variable.type == I64:
                values[variable] = made.value
                continue
        inner = [_known(own, values) for own in treewalk.blocks(made)]
        found.append(treewalk.with_blocks(made, inner))
    return tuple(found)


def _computed(e: Expr, values: Mapping[Var, Expr]) -> Expr | None:
    sign = ""
    operands: tuple[Expr, ...] = ()
    match e:
        case Var():
            return values.get(e)
        case tree.Binary("+" | "-" | "*" as sign, a, b):
            operands = (a, b)
        case tree.Operate(row, (a, b), tree.Number("i64")) if row in _OPERATIONS:
            sign, operands = _OPERATIONS[row], (a, b)
        case tree.Convert(tree.Number("i64"), Const(int()) as inner):
            return Const(inner.value, I64)
    if not operands or not all(is_number(x) and x.type == I64 for x in operands):
        return None
    left, right = map(value_of, operands)
    made = {"+": left + right, "-": left - right, "*": left * right}[sign]
    return natural(made) if abs(made) < LARGE else None
