"""functions -> functions: small regions of a known size are a few elements on the stack.

    allocate r 3                   room a 3
    let a = data(r)       ->       ...
    ...
    drop r

Only where nothing refers to the region but the address of its first element: it is not given to
anybody, and its elements cannot be used when its scope is left. The C compiler keeps such elements
in registers where it can. It is separate from `reuse`, which also moves regions that are handed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.expressions import is_number, natural, value_of
from cogen.array.loops.regions import is_mentioned, start_of, without_drops
from cogen.array.loops.tree import Block, Number, Pointer, Statement, Var

MOST: Final = 1024
"""A region of more bytes stays one."""

_BYTES: Final = {"bool": 1, "u8": 1, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "f64": 8}


def stack(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with their small regions on the stack."""
    return tuple([replace(f, body=_block(f.body)) for f in functions])


def _block(block: Block) -> Block:
    found: tuple[Statement, ...] = tuple(
        [treewalk.with_blocks(s, [_block(own) for own in treewalk.blocks(s)]) for s in block]
    )
    for at, statement in enumerate(found):
        if isinstance(statement, tree.Allocate) and _is_small(statement):
            inside = _on_stack(statement, found[at + 1 :])
            if inside is not None:
                return (*found[:at], *_block(inside))
    return found


def _is_small(made: tree.Allocate) -> bool:
    """Whether a region has few elements, of a number that is known."""
    if made.over is not None or not is_number(made.size) or not isinstance(made.element, Number):
        return False
    return value_of(made.size) * _BYTES.get(made.element.name, MOST + 1) <= MOST


def _on_stack(made: tree.Allocate, after: Block) -> Block | None:
    """The statements after a region was made with its elements on the stack; None if they do more
    with the region than to ask for its first address, once, and to give it up."""
    region = made.variable
    rest: list[Statement] = []
    address: Var | None = None
    for statement in after:
        start = start_of(statement, region) if address is None else None
        if start is None:
            rest.append(statement)
        else:
            address, size = start, natural(max(1, value_of(made.size)))
            rest.append(tree.Room(start, size, place=statement.place))
    if address is None or address.type != Pointer(made.element):
        return None
    kept = without_drops(tuple(rest), region)
    return None if is_mentioned(kept, region) else kept
