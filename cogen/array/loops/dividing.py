"""What passes ask of statements that they divide: what is plain, and what depends on what."""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.loops import tree, treewalk
from cogen.array.loops.functions import FUNCTIONS
from cogen.array.loops.samples import in_bytes
from cogen.array.loops.tree import Expr, Statement


def has_effect(e: Expr) -> bool:
    """Whether an expression does anything but give its value."""
    return any(
        isinstance(x, tree.Invoke) and FUNCTIONS[x.function].effect for x in treewalk.within(e)
    )


def is_plain(statement: Statement) -> bool:
    """Whether a statement does nothing but compute values and store them."""
    if isinstance(statement, tree.Put):
        return in_bytes(statement.samples) is not None
    kinds = (tree.Let, tree.Variable, tree.Assign, tree.Store, tree.If)
    if not isinstance(statement, kinds) or any(map(has_effect, treewalk.expressions(statement))):
        return False
    return all(is_plain(inner) for block in treewalk.blocks(statement) for inner in block)


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
