"""Rows are made where a loop collects them, rather than made elsewhere and copied."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set

from cogen.array.codegen.frames import key
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.representations import MemoryRep
from cogen.array.ir.graphtypes import rank
from cogen.array.ir.node import (
    Collect,
    Concat,
    Copy,
    Literal,
    Multiloop,
    Node,
    Part,
    Update,
    grows,
)
from cogen.array.loops.tree import Expr
from cogen.array.schedule.schedule import Statement


def aim(
    code: LoopParts,
    statements: Sequence[Statement],
    outputs: Sequence[Output],
    index: Expr,
    copied: Set[Node] = frozenset(),
) -> None:
    """Let rows that the statements make, or that are `copied` before them, be in their places."""
    e = code.emitter
    made = {key(s.node): s for s in statements}
    for output in outputs:
        output.aimed = {}
        if not isinstance(output.yielded.generator, Collect) or grows(output.yielded.generator):
            continue
        for number, (array, value) in enumerate(
            zip(output.arrays, output.yielded.values, strict=True)
        ):
            source = _maker(value, made, copied)
            if source is None or source in e.destinations:
                continue
            row = e.row(array, [output.place(index)])
            assert isinstance(row, MemoryRep)
            e.destinations[source] = row
            output.aimed[number] = row.data


def _maker(value: Node, made: Mapping[Hashable, Statement], copied: Set[Node]) -> Hashable | None:
    """The key of the array that a statement makes and that `value` is, after updates in place;
    None if the value is not made by one of the statements, nor is `copied` before them."""
    if not rank(value.type):
        return None
    while True:
        node = value.node if isinstance(value, Part) else value
        statement = made.get(node)
        if statement is None:
            return key(node) if node in copied else None
        if isinstance(node, Update) and not statement.copies:
            value = node.array
            continue
        if isinstance(node, Multiloop) and isinstance(value, Part):
            return key(value) if _collects(node, value.index) else None
        return key(node) if isinstance(node, (Concat, Copy, Literal, Update)) else None


def _collects(node: Multiloop, index: int) -> bool:
    """Whether a result is an array of one element for each iteration."""
    for y in node.yields():
        if y.first <= index < y.first + y.generator.gives:
            return y.generator.by_iteration and y.generator.one_each
    return False
