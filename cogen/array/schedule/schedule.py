"""Orders a graph: block -> statements in the order of execution, nested like the blocks.

    Scheduled ::= block, statement ..., guarded ..., results to copy
    Statement ::= node, scheduled block ..., operands to copy
    Guarded   ::= condition, statement ...

The steps are those of the modules `placement` (which block), `memoryroots` and `overwriting` (what
is overwritten), `orderstatements`, and `copies` (what must be copied for that); then `turn`. What
they find stands in the statements, and code does as these say. The graph stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cogen.array.ir.memoryroots import MemorySharing, results_of_calls
from cogen.array.ir.node import (
    Block,
    Function,
    Node,
)
from cogen.array.ir.placement import NodePlace, place
from cogen.array.schedule.copies import Copies
from cogen.array.schedule.orderstatements import Order
from cogen.array.schedule.overwriting import Overwriting
from cogen.lang.deep import on_deep_stack


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A node where it is computed, its blocks scheduled in the order of `node.blocks`.

    Constants, parameters, parts and `Conjoin` are no statements. Updates happen in place: Update
    and Scatter overwrite their array, and a loop the initial values that its body overwrites.
    `copies` are the positions of the operands that must be copied for that first, because they
    are used later, or are not the program's to overwrite; `overwritten` those of all operands that
    are overwritten, or their copies are. `turned` says that a view pays to be in memory.
    """

    node: Node
    blocks: tuple[Scheduled, ...]
    copies: tuple[int, ...] = ()
    overwritten: tuple[int, ...] = ()
    turned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Scheduled:
    """A block with its statements in order.

    For the body of a Multiloop, `guarded` has, for each condition of conditional generators, what
    is only needed where it holds: it runs after the statements, before the generators take their
    values. What uses the accumulated values of a running scan comes after what the scan takes: it
    steps before the first statement that depends on them. `copies` are the positions of the
    results that must be copied, because the next iteration overwrites what another result, or
    something outside, shares.
    """

    block: Block
    statements: tuple[Statement, ...]
    guarded: tuple[Guarded, ...] = ()
    copies: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Guarded:
    """Statements that are only needed where a condition holds."""

    condition: Node
    statements: tuple[Statement, ...]


def schedule(
    function: Function, functions: Mapping[str, Function], in_place: bool = True
) -> Scheduled:
    """The body of a function of a module with functions, in order. Nothing is overwritten but
    copies if not `in_place`."""
    return on_deep_stack(_schedule, function, functions, in_place)


def _schedule(function: Function, functions: Mapping[str, Function], in_place: bool) -> Scheduled:
    top = place(function.body)
    sharing = MemorySharing(results_of_calls(functions))
    consuming = Overwriting(top, sharing, functions)
    order = Order(top, sharing, consuming)
    copies = Copies(top, order, sharing, consuming, in_place)

    def scheduled(found: NodePlace) -> Scheduled:
        guards = [
            Guarded(guard.condition, statements(guard))
            for guard in found.guards()
            if guard.condition is not None
        ]
        copied = copies.results.get(found.block, ())
        return Scheduled(found.block, statements(found), tuple(guards), copied)

    def statements(found: NodePlace) -> tuple[Statement, ...]:
        made: list[Statement] = []
        for node in order.nodes[found]:
            if node.has_code:
                blocks = tuple([scheduled(inner) for inner in found.inner.get(node, [])])
                copied = copies.operands.get(node, ())
                overwritten = consuming.positions.get(node, ())
                made.append(Statement(node, blocks, copied, overwritten))
        return tuple(made)

    return scheduled(top)
