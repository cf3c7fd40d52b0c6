"""Loops into buckets whose keys are computed, block by block.

    for i < n: check k(a[i]), add v(a[i]) to bucket k(a[i])
    ->
    for each block of the iterations
        for each iteration      keys and values into buffers; whether a check fails
        leave if one does
        for each iteration      add the value to the bucket

The first inner loop is vectors'. What is left after the last block, or from the block in which a
check fails, is done one by one by the usual code, which tells of the failure. Where keys are merely
loaded the buffers would cost more than they save.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from cogen.array.codegen.frames import Frame
from cogen.array.codegen.survey import is_flat_statement
from cogen.array.loops import tree
from cogen.array.loops.build import (
    ONE,
    ZERO,
    at_most,
    choose,
    load,
    minus,
    natural,
    plus,
    times,
)
from cogen.array.loops.tree import I64, Binary, Expr, Var
from cogen.array.node import Assert, Bucket, Constant, If, Index, Node
from cogen.array.schedule import Statement
from cogen.array.types import element, rank

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode

BLOCK: Final = natural(64)


def has_key_blocks(code: LoopCode) -> bool:
    """Whether a loop is nothing but numbers into buckets, with keys that are computed by plain
    operations; it looks nothing up, since the checks come after all operations."""
    body = code.body
    if body.guarded or any(rank(p.type) for p in code.node.elements):
        return False
    if not all(isinstance(s.node, Assert) or _is_plain(s) for s in body.statements):
        return False
    computed = False
    for output in code.outputs:
        y = output.y
        if not isinstance(y.generator, Bucket) or y.condition is not None or not output.apart:
            return False
        if any(rank(v.type) or element(v.type).kind not in ("int", "real") for v in y.values):
            return False
        computed |= y.key not in code.node.elements
    return computed


def _is_plain(statement: Statement) -> bool:
    if isinstance(statement.node, If):
        return all(_is_plain(inner) for block in statement.blocks for inner in block.statements)
    return is_flat_statement(statement) and not isinstance(statement.node, Index)


def key_blocks(
    code: LoopCode, first: Var, stop: Expr, apart: Sequence[Sequence[Expr]], copies: int
) -> None:
    """The loop over whole blocks; moves the variable `first` on to where the rest starts. `apart`
    is how far the tables of each output's arrays are apart, of which there are `copies`."""
    e = code.e
    with e.gathered() as made:
        held, fails = _compute(code, first)
        e.when(Binary("!=", fails, ZERO), [tree.Break()])
        _add(code, first, held, apart, copies)
        e.assign(first, BLOCK, "+")
    e.add(tree.While(at_most(first, minus(stop, BLOCK)), tuple(made)))


def _compute(code: LoopCode, first: Expr) -> tuple[dict[Node, Var], Var]:
    """Keys and values of a block in buffers, and the variable that says whether a check fails."""
    e, body = code.e, code.body
    inside = frozenset(body.block.binds)
    needed: dict[Node, None] = {}
    for output in code.outputs:
        assert output.y.key is not None
        needed.update(dict.fromkeys([output.y.key, *output.y.values]))
    held: dict[Node, Var] = {}
    for node in needed:
        if isinstance(node, Constant) or node.free.isdisjoint(inside):
            continue
        held[node] = e.room(e.element_type(element(node.type)), "held", BLOCK)
    fails = e.variable(I64, "fails", ZERO)
    place = e.index("k")
    with e.gathered() as made:
        e.frames.append(Frame(body.statements, body.block.results))
        code.bind_elements(e.define(I64, code.node.index.name, plus(first, place)))
        for number, statement in enumerate(body.statements):
            e.frames[-1].at = number
            if isinstance(statement.node, Assert):
                condition = e.scalar_of(statement.node.condition)
                e.assign(fails, choose(condition, ZERO, ONE), "|")
            else:
                code.emit(e, statement)
        for node, name in held.items():
            e.assign(load(name, place), e.scalar_of(node))
        e.close()
    e.count(place, ZERO, BLOCK, made, mark=tree.Lanes(((tree.ANY, fails),)))
    return held, fails


def _add(
    code: LoopCode,
    first: Expr,
    held: dict[Node, Var],
    apart: Sequence[Sequence[Expr]],
    copies: int,
) -> None:
    """Add what the buffers hold, with the tables in turn."""
    e = code.e
    place = e.index("k")
    with e.gathered() as made:
        for node, name in held.items():
            e.bind(node, e.scalar(load(name, place), element(node.type), "kept"))
        index = e.define(I64, code.node.index.name, plus(first, place))
        turn = Binary("&", place, natural(copies - 1))
        for output, distances in zip(code.outputs, apart, strict=True):
            whole = output.arrays
            output.arrays = [
                replace(
                    array,
                    data=e.point(
                        array.element,
                        "mine",
                        plus(array.data, times(turn, distance)),
                    ),
                )
                for array, distance in zip(whole, distances, strict=True)
            ]
            code.take(output, index)
            output.arrays = whole
    e.count(place, ZERO, BLOCK, made)
