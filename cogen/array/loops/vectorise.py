"""functions -> functions: loops of plain operations on numbers are vectors'.

    for i from start to stop, apart(+ s)        for i from start to stop, lanes(+ s)
        x = a[i]                          ->        x = a[i]
        s = s + x                                   s = s + x

Nothing within fails, has an effect or is a loop, and what iterations need of one another are
accumulators that C's compiler knows. Loops that compute addresses are left: elements that lie apart
would have to be gathered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogen.array.loops import tree, treewalk
from cogen.array.loops.dividing import is_plain
from cogen.array.loops.tree import Block, Number, Statement


def vectorise(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with their loops for vectors."""
    return tuple([replace(f, body=_block(f.body)) for f in functions])


def _block(block: Block) -> Block:
    return tuple([_statement(statement) for statement in block])


def _statement(statement: Statement) -> Statement:
    match statement:
        case tree.For(mark=tree.Apart(accumulators), body=body) if all(map(is_numbers, body)):
            return replace(statement, mark=tree.Lanes(accumulators))
    return treewalk.with_blocks(statement, [_block(own) for own in treewalk.blocks(statement)])


def is_numbers(statement: Statement) -> bool:
    """Whether a statement is plain, and all that it declares are numbers."""
    return is_plain(statement) and all(
        isinstance(variable.type, Number)
        for inner in treewalk.all_statements((statement,))
        for variable in treewalk.declared(inner)
    )
