"""How a parameter that is stored packed stands in the code: its samples are read where they are
used, by loops that go through them in order word by word (`cogen.array.loops.strip_mine`)."""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.representations import PackedRep, row_major
from cogen.array.ir.graphtypes import INT, REAL
from cogen.array.ir.packedboundary import Stored
from cogen.array.l0.storage import Storage
from cogen.array.loops.expressions import ONE, ZERO, choose, less, minus, natural, over, plus, times
from cogen.array.loops.tree import I64, Expr, Var

WORD = 8
"""The bytes of the words that single samples are read from."""


def packed(e: Emitter, stored: Stored, data: Var, shape: Sequence[Expr]) -> PackedRep:
    """The array that one leaf of packed memory is."""
    t = REAL if stored.samples.is_real else INT
    (size,) = shape
    end = minus(bytes_needed(stored.storage, size), natural(WORD))
    last = e.define(I64, "last", choose(less(end, ZERO), ZERO, end))
    return PackedRep(
        t, e.element_type(t), stored.samples, data, last, ZERO, tuple(shape), row_major(shape)
    )


def bytes_needed(storage: Storage, size: Expr) -> Expr:
    """How many bytes so many elements need, if there are any."""
    first = storage.offset + storage.high + 7
    if storage.step < 0:
        return natural(first // 8)
    groups = over(size, natural(storage.group)) if storage.group > 1 else size
    if first < storage.step:
        groups = choose(less(groups, ONE), ONE, groups)  # else there were less than no bytes
    last = times(minus(groups, natural(1)), natural(storage.step))
    return over(plus(last, natural(first)), natural(8))
