"""What is asked of a scheduled loop: whether it can be shared out, and how much it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cogen.array.codegen.keytables import packed
from cogen.array.ir.generators import is_hashed
from cogen.array.ir.graphtypes import element, rank
from cogen.array.ir.node import (
    Call,
    If,
    Multiloop,
    Node,
)
from cogen.array.loops.expressions import ZERO, convert, natural, plus, times
from cogen.array.loops.functions import MOST_PARTS
from cogen.array.loops.tree import F64, Convert, Expr
from cogen.array.schedule.schedule import Scheduled, Statement

UNKNOWN_SIZE: Final = natural(16)
"""How many iterations an inner loop is thought to have where its size is not yet known."""


def statements_of(block: Scheduled) -> Iterator[Statement]:
    """The statements of a block, guarded ones too, not those within them."""
    yield from block.statements
    for guarded in block.guarded:
        yield from guarded.statements


def all_statements(block: Scheduled) -> Iterator[Statement]:
    """The statements of a block and of those within it."""
    for statement in statements_of(block):
        yield statement
        for inner in statement.blocks:
            yield from all_statements(inner)


def can_share(statement: Statement) -> bool:
    """Whether a loop's iterations can be done by several threads, each a part in order.

    What is traced is traced in order; scattered values are stored in order; accumulators are
    scalars; operators do not fail, since they would meet other values.
    """
    node = statement.node
    assert isinstance(node, Multiloop)
    body, *operators = statement.blocks
    for inner in all_statements(body):
        if inner.node.may_write and inner.node.effectful:
            return False
    if any(block.block.effects for block in operators):
        return False
    running = 0
    for y in node.yields():
        generator = y.generator
        if is_hashed(generator) and not in_one_table(y.keys):
            return False
        if generator.overwrites:
            return False
        if generator.has_operator and any(rank(neutral.type) for neutral in y.neutral):
            return False
        if generator.gives_each:
            running += generator.runs
            if y.conditional or generator.goes_before:
                return False
            if generator.runs and body.block.effects:
                return False
    return running <= 1


def in_one_table(keys: Sequence[Node]) -> bool:
    """Whether one table numbers keys, and none is numbered by way of others."""
    return len(packed([element(key.type) for key in keys])) <= MOST_PARTS


def work(
    statement: Statement, size: Expr, known: Callable[[Node], bool], value: Callable[[Node], Expr]
) -> Expr:
    """How much a loop does, in additions."""
    return times(convert(F64, size), _block_work(statement.blocks[0], known, value))


def _block_work(
    block: Scheduled, known: Callable[[Node], bool], value: Callable[[Node], Expr]
) -> Expr:
    plain = 2
    found: Expr = ZERO
    for statement in statements_of(block):
        node = statement.node
        if node.operation:
            plain += int(node.cost)
        elif node.is_loop:
            inner = _block_work(statement.blocks[0], known, value)
            bound = node.operands[0]
            count = value(bound) if known(bound) else UNKNOWN_SIZE
            found = plus(found, times(Convert(F64, count), inner))
        elif isinstance(node, If):
            for branch in statement.blocks:
                found = plus(found, _block_work(branch, known, value))
        else:
            plain += 20 if isinstance(node, Call) else 2
    return plus(natural(plain), found)
