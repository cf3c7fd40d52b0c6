"""What passes ask of statements that they divide: what is plain, and what depends on what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.ir.operations import TABLE
from cogen.array.loops import tree, treewalk
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.samples import in_bytes
from cogen.array.loops.tree import Block, Const, Expr, Statement, Var


def has_effect(e: Expr) -> bool:
    """Whether an expression does anything but give its value."""
    return any(
        isinstance(x, tree.Invoke) and FUNCTIONS[x.function].effect for x in treewalk.within(e)
    )


def is_plain(statement: Statement) -> bool:
    """Whether a statement does nothing but compute values and store them."""
    if isinstance(statement, tree.Put):
        return in_bytes(statement.samples) is not None
    kinds = (tree.Let, tree.Variable, tree.Assign, tree.Store, tree.IfStatement)
    if not isinstance(statement, kinds) or any(map(has_effect, treewalk.expressions(statement))):
        return False
    return all(is_plain(inner) for block in treewalk.blocks(statement) for inner in block)


DIVISIONS: Final = ("int.div", "int.mod")
"""Operations that have a result where the divisor is not 0."""


def is_total(e: Expr, index: Var) -> bool:
    """Whether an expression in a loop has a value whatever checks say; elements are read at the
    index of the loop only."""
    for x in treewalk.within(e):
        match x:
            case tree.Operate(row, operands) if TABLE[row].partial:
                if row not in DIVISIONS or not _is_no_zero(operands[1]):
                    return False
            case tree.Load(_, place) if place != index:
                return False
    return not has_effect(e)


def _is_no_zero(e: Expr) -> bool:
    return isinstance(e, Const) and e.value != 0


def changed(block: Block) -> frozenset[str]:
    """The names of variables that statements assign, and of addresses that they store behind."""
    found: set[str] = set()
    for s in treewalk.all_statements(block):
        match s:
            case tree.Assign(variable):
                found.add(variable.name)
            case tree.Store(base) | tree.Put(_, base):
                found |= treewalk.names(base)
    return frozenset(found)


def made_of(
    names: frozenset[str], block: Block, outside: frozenset[str], index: Var | None = None
) -> Block | None:
    """Of the statements of a block, those that make variables, with all elements at an index; None
    if they are more than values, or depend on what changes (`outside`)."""
    wanted = names
    found: list[Statement] = []
    for statement in reversed(block):
        own = treewalk.mentioned((statement,))
        made = {v.name for v in treewalk.declared(statement)}
        if made & wanted or (_is_element(statement, index) and not own & outside):
            found.insert(0, statement)
            wanted |= own
    if wanted & outside or any(_is_more_than_a_value(s) for s in found):
        return None
    return tuple(found)


def _is_element(statement: Statement, index: Var | None) -> bool:
    """Whether a statement takes the element of an iteration."""
    return (
        isinstance(statement, tree.Let)
        and isinstance(statement.value, tree.Load)
        and statement.value.index == index
    )


def _is_more_than_a_value(statement: Statement) -> bool:
    return not isinstance(statement, tree.Let) or has_effect(statement.value)


def names_of(statement: Statement) -> frozenset[str]:
    """What a statement mentions or declares, and those within it."""
    own = {v.name for s in treewalk.all_statements((statement,)) for v in treewalk.declared(s)}
    return treewalk.mentioned((statement,)) | own


def dependents(statements: Sequence[Statement], names: frozenset[str]) -> frozenset[str]:
    """The names of what depends on variables: these, and what is made with them."""
    found = names
    while True:
        more = set(found)
        for statement in statements:
            if names_of(statement) & found:
                for own in treewalk.all_statements((statement,)):
                    more.update([v.name for v in treewalk.declared(own)])
                    if isinstance(own, tree.Assign):
                        more.add(own.variable.name)
        if more == found:
            return found
        found = frozenset(more)
