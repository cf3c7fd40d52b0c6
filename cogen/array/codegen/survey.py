"""What the code of a loop depends on: whether it can be shared out, is flat, how much it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cogen.array.codegen.operators import all_known
from cogen.array.loops.build import ZERO, convert, natural, plus, times
from cogen.array.loops.tree import F64, Combination, Convert, Expr
from cogen.array.node import (
    REARRANGING,
    Call,
    Collect,
    Generator,
    If,
    Index,
    Loop,
    Multiloop,
    Node,
    Operation,
    Part,
    Reduce,
    Scan,
    Scatter,
    Trace,
)
from cogen.array.operations import TABLE
from cogen.array.schedule import Scheduled, Statement
from cogen.array.types import rank

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


def can_share(statement: Statement, rearranging: tuple[type[Generator], ...] = REARRANGING) -> bool:
    """Whether a loop's iterations can be done by several threads, each a part in order.

    `rearranging` are those of REARRANGING whose parts can be joined. What is traced is traced
    in order; scattered values are stored in order; accumulators are
    scalars; operators do not fail, since they would meet other values.
    """
    node = statement.node
    assert isinstance(node, Multiloop)
    body, *operators = statement.blocks
    for inner in all_statements(body):
        if isinstance(inner.node, Trace) or (isinstance(inner.node, Call) and inner.node.effectful):
            return False
    if any(block.block.effects for block in operators):
        return False
    running = 0
    for y in node.yields():
        generator = y.generator
        if isinstance(generator, (Scatter, *REARRANGING)):
            if isinstance(generator, rearranging):
                continue
            return False
        if generator.has_operator and any(rank(neutral.type) for neutral in y.neutral):
            return False
        if isinstance(generator, Scan):
            running += generator.running
            if generator.conditional or (generator.running and body.block.effects):
                return False
    return running <= 1


def is_flat(statement: Statement, known: Sequence[Sequence[Combination | None]]) -> bool:
    """Whether the body of a loop is plain operations on elements, so that iterations can be done
    together: nothing fails, and what is carried is a reduction that C's compiler knows."""
    node = statement.node
    assert isinstance(node, Multiloop)
    for y, operators in zip(node.yields(), known, strict=True):
        if any(rank(value.type) for value in y.values):
            return False
        if isinstance(y.generator, Collect) and not y.generator.conditional:
            continue
        if not isinstance(y.generator, Reduce) or any(k is None for k in operators):
            return False
    return is_flat_body(statement)


def is_apart(statement: Statement, known: Sequence[Sequence[Combination | None]]) -> bool:
    """Whether iterations of a loop need nothing of one another but for accumulators that the
    compiler knows: each stores its own values."""
    node = statement.node
    assert isinstance(node, Multiloop)
    return not node.body.effects and all(
        (isinstance(g, Collect) and not g.conditional)
        or (isinstance(g, Reduce) and all(k is not None for k in operators))
        for g, operators in zip(node.generators, known, strict=True)
    )


def is_scanned(statement: Statement, known: Sequence[Sequence[Combination | None]]) -> bool:
    """Whether iterations of a loop need nothing of one another but for accumulators, and at least
    one scan, that the compiler knows; no scan depends on another."""
    node = statement.node
    assert isinstance(node, Multiloop)
    scans = 0
    running = frozenset(node.running)
    for y, operators in zip(node.yields(), known, strict=True):
        if y.generator.conditional or any(rank(value.type) for value in y.values):
            return False
        match y.generator:
            case Collect():
                pass
            case Reduce() if all_known(operators):
                pass
            case Scan() if all_known(operators):
                scans += 1
                if any(_depends(value, running) for value in y.values):
                    return False
            case _:
                return False
    return scans > 0 and not statement.blocks[0].guarded and is_flat_body(statement)


def _depends(node: Node, parameters: frozenset[Node]) -> bool:
    return node in parameters or not node.free.isdisjoint(parameters)


def is_flat_body(statement: Statement) -> bool:
    """Whether the body of a loop is plain operations on elements, none of which fails."""
    return all(is_flat_statement(inner) for inner in statements_of(statement.blocks[0]))


def in_depth(block: Scheduled) -> tuple[Statement, ...]:
    """The statements of a flat body such that few values wait for each other: what a statement
    needs comes just before it, what costs most first."""
    made = {statement.node: statement for statement in block.statements}
    costs: dict[Node, int] = {}
    for node, statement in made.items():
        own = TABLE[node.name].cost if isinstance(node, Operation) else 2
        costs[node] = own + sum([costs.get(o, 0) for o in _needed(statement)])
    placed: dict[Node, None] = {}
    waiting = [(node, False) for node in reversed(_makers(block.block.results))]
    while waiting:
        node, ready = waiting.pop()
        if node not in made or node in placed:
            continue
        if ready:
            placed[node] = None
            continue
        waiting.append((node, True))
        needed = sorted(_needed(made[node]), key=lambda n: (costs.get(n, 0), n.number))
        waiting.extend([(other, False) for other in needed])
    rest = [statement for node, statement in made.items() if node not in placed]
    return (*[made[node] for node in placed], *rest)


def _needed(statement: Statement) -> list[Node]:
    """The nodes that a flat statement depends on."""
    found = _makers(statement.node.operands)
    for block in statement.blocks:
        found += _makers(block.block.results)
        for inner in statements_of(block):
            found += _needed(inner)
    return found


def _makers(nodes: Sequence[Node]) -> list[Node]:
    """The nodes that make these: of a part, that with the results."""
    return [node.node if isinstance(node, Part) else node for node in nodes]


def is_flat_statement(statement: Statement) -> bool:
    """Whether a statement is a plain operation on scalars, or reads an element."""
    node = statement.node
    if isinstance(node, If):
        return all(
            is_flat_statement(inner) for block in statement.blocks for inner in statements_of(block)
        ) and not any(rank(t) for t in node.results)
    return isinstance(node, (Operation, Index)) and not rank(node.type)


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
        if isinstance(node, Operation):
            plain += TABLE[node.name].cost
        elif isinstance(node, (Multiloop, Loop)):
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
