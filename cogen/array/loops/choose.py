"""functions -> functions: what either way gives is computed, and chosen, where that costs little.

    variable r                              let v = x + 1
    if c then                               let w = x * 2
        let v = x + 1                  ->   let r = c ? v : w
        r = v
    else
        let w = x * 2
        r = w

Where both branches are a few operations on scalars, nothing that is dear and nothing that may be
undefined: so a loop around them has no jumps, and vectors can do it. It comes first, as what loops
are to others depends on it; kernels are chosen in before they are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.tree import Block, Expr, Statement, Var

MOST: Final = 12
"""So many operations are done in vain at most, and those that are needed."""

DEAR: Final = ("int.div", "int.mod", "int.pow", "real.mod", "real.pow")
"""Operations that should be done where they are needed only, or may be undefined."""

_SCALARS: Final = (Var, tree.Const, tree.Convert, tree.Operate)


def choose(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with choices in the place of small conditionals."""
    return tuple([replace(f, body=chosen(f.body)) for f in functions])


def chosen(block: Block) -> Block:
    """Statements with choices in the place of small conditionals."""
    found: list[Statement] = []
    for statement in block:
        inner = [chosen(own) for own in treewalk.blocks(statement)]
        made = treewalk.with_blocks(statement, inner)
        if isinstance(made, tree.For) and made.sharing is not None:
            made = replace(made, sharing=treewalk.with_joined(made.sharing, chosen))
        choices = _choices(found, made) if isinstance(made, tree.IfStatement) else None
        if choices is None:
            found.append(made)
        else:
            found[len(found) - choices[0] :] = choices[1]
    return tuple(found)


def _choices(
    before: Sequence[Statement], conditional: tree.IfStatement
) -> tuple[int, list[Statement]] | None:
    """How many variables before a conditional it gives their values, and what stands for both; None
    if it does more, or should not be done either way."""
    branches = [_branch(own) for own in treewalk.blocks(conditional)]
    (then, otherwise) = branches
    if then is None or otherwise is None or then[1].keys() != otherwise[1].keys():
        return None
    count = len(then[1])
    declared = [s for s in before[len(before) - count :] if isinstance(s, tree.Variable)]
    if not count or {s.variable for s in declared if s.value is None} != then[1].keys():
        return None
    if len(then[0]) + len(otherwise[0]) > MOST:
        return None
    made: list[Statement] = [*then[0], *otherwise[0]]
    for variable in [s.variable for s in declared]:
        a, b = then[1][variable], otherwise[1][variable]
        value = a if a == b else tree.Choose(conditional.test, a, b)
        made.append(tree.Let(variable, value, place=conditional.place))
    return count, made


def _branch(block: Block) -> tuple[list[Statement], dict[Var, Expr]] | None:
    """The operations of a branch, and what it assigns to variables; None if it does more."""
    made: list[Statement] = []
    values: dict[Var, Expr] = {}
    for statement in block:
        match statement:
            case tree.Let(_, value) if not values and is_cheap(value):
                made.append(statement)
            case tree.Assign(variable, value, "") if variable not in values and is_cheap(value):
                values[variable] = value
            case _:
                return None
    if any(treewalk.names(e) & {v.name for v in values} for e in values.values()):
        return None
    return made, values


def is_cheap(e: Expr) -> bool:
    """Whether an expression is of scalars, and may be evaluated whatever a condition is."""
    return all(
        isinstance(x, _SCALARS)
        and isinstance(x.type, tree.Number)
        and not (isinstance(x, tree.Operate) and x.row in DEAR)
        for x in treewalk.within(e)
    )
