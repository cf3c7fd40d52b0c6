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

from cogen.array.codegen import reps
from cogen.array.codegen.frames import Frame
from cogen.array.codegen.survey import is_flat_statement
from cogen.array.node import Assert, Bucket, Constant, If, Index, Node
from cogen.array.schedule import Statement
from cogen.array.types import element, rank
from cogen.target import ctree as ct

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode

BLOCK: Final = "64"


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
    code: LoopCode, first: str, stop: str, apart: Sequence[Sequence[str]], copies: int
) -> None:
    """The loop over whole blocks; moves the variable `first` on to where the rest starts. `apart`
    is how far the tables of each output's arrays are apart, of which there are `copies`."""
    e = code.e
    with e.gathered() as made:
        held, fails = _compute(code, first)
        e.add(ct.If(ct.Name(fails), (ct.Break(),)))
        _add(code, first, held, apart, copies)
    step = ct.Assign(ct.Name(first), ct.Name(BLOCK), "+=")
    test = ct.Binary("<=", ct.Name(first), ct.Name(f"{reps.atom(stop)} - {BLOCK}"))
    e.add(ct.For(None, test, step, tuple(made)))


def _compute(code: LoopCode, first: str) -> tuple[dict[Node, str], str]:
    """Keys and values of a block in buffers, and the variable that says whether a check fails."""
    e, body = code.e, code.body
    inside = frozenset(body.block.binds)
    needed: dict[Node, None] = {}
    for output in code.outputs:
        assert output.y.key is not None
        needed.update(dict.fromkeys([output.y.key, *output.y.values]))
    held: dict[Node, str] = {}
    for node in needed:
        if isinstance(node, Constant) or node.free.isdisjoint(inside):
            continue
        held[node] = e.fresh("held")
        e.add(ct.Declare(e.element_type(element(node.type)), f"{held[node]}[{BLOCK}]"))
    fails = e.variable("int64_t", "fails", "0")
    place = e.fresh("k")
    with e.gathered() as made:
        e.frames.append(Frame(body.statements, body.block.results))
        code.bind_elements(e.define("int64_t", code.node.index.name, f"{first} + {place}"))
        for number, statement in enumerate(body.statements):
            e.frames[-1].at = number
            if isinstance(statement.node, Assert):
                condition = reps.atom(e.text(statement.node.condition))
                e.assign(fails, f"{condition} ? 0 : 1", "|=")
            else:
                code.emit(e, statement)
        for node, name in held.items():
            e.assign(f"{name}[{place}]", e.text(node))
        e.close()
    e.add(ct.Pragma(f"omp simd reduction(|:{fails})"), e.counting(place, "0", BLOCK, made))
    return held, fails


def _add(
    code: LoopCode,
    first: str,
    held: dict[Node, str],
    apart: Sequence[Sequence[str]],
    copies: int,
) -> None:
    """Add what the buffers hold, with the tables in turn."""
    e = code.e
    place = e.fresh("k")
    with e.gathered() as made:
        for node, name in held.items():
            e.bind(node, e.scalar(f"{name}[{place}]", element(node.type), "kept"))
        index = e.define("int64_t", code.node.index.name, f"{first} + {place}")
        for output, distances in zip(code.outputs, apart, strict=True):
            whole = output.arrays
            output.arrays = [
                replace(
                    array,
                    data=e.point(
                        array.element,
                        "mine",
                        f"{array.data} + ({place} & {copies - 1}) * {distance}",
                    ),
                )
                for array, distance in zip(whole, distances, strict=True)
            ]
            code.take(output, index)
            output.arrays = whole
    e.add(e.counting(place, "0", BLOCK, made))
