"""Loops for buckets: each thread has tables of its own, which are merged in order.

A table holds the accumulators of a key side by side, in slots of 8 bytes, so that one line of the
cache serves them all; a single accumulator needs no slots. Where the operators are known, which
means that they commute, and there are few buckets, a thread has `COPIES` tables, which iterations
use in turn: else additions to one key, one after the other, would wait for each other's store.
Tables of known operators start with the identity, so the initial value is there once; others start
with the initial value, which is neutral.

Rows as accumulators, and operators that may fail, have no tables: one thread works on the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.codegen import reps
from cogen.array.codegen.emitter import Emitter, counting
from cogen.array.codegen.operators import all_known
from cogen.array.codegen.outputs import LoopParts, Output
from cogen.array.codegen.reps import Memory, Rep, Scalar
from cogen.array.codegen.survey import all_statements
from cogen.array.loops import tree
from cogen.array.loops.build import (
    NULL,
    ONE,
    ZERO,
    at_most,
    both,
    choose,
    convert,
    is_null,
    load,
    more,
    natural,
    over,
    plus,
    times,
)
from cogen.array.loops.take_turns import COPIES
from cogen.array.loops.tree import (
    BLOCK,
    I64,
    THREAD,
    Binary,
    Choose,
    Const,
    Data,
    Expr,
    Pointer,
    Var,
)
from cogen.array.node import Bucket, Call, Group, Loop, Multiloop
from cogen.array.schedule import Scheduled
from cogen.array.types import Scalar as ScalarType

MOST_BYTES: Final = 1 << 17
"""The most bytes that the tables of a thread have if there are several."""

MOST_SHARED: Final = 4
"""Threads share the work if there are so many times more iterations than buckets."""

PARALLEL_MERGE: Final = 1 << 16
"""So many buckets are worth while to be merged by all threads."""


@dataclass(slots=True)
class Tables:
    """The tables of Buckets that take the same keys: variables of the code around the threads."""

    count: Expr
    """The number of buckets."""
    copies: Expr
    """How many tables each thread has."""
    blocks: Var
    """The array of the threads' blocks; NULL where the result itself is the table."""
    outputs: list[Output]

    @property
    def known(self) -> bool:
        """Whether all the operators are."""
        return all(all_known(output.known) for output in self.outputs)

    @property
    def direct(self) -> bool:
        """Whether the result may be the first thread's table: it looks the same."""
        (array, *others) = [array for output in self.outputs for array in output.arrays]
        return not others and array.element.kind in ("int", "real")

    @property
    def slots(self) -> int:
        """How many slots a key has."""
        return sum([len(output.arrays) for output in self.outputs])


def team(code: LoopParts, threads: Expr) -> Expr:
    """The number of threads, given what the loop's other work is worth: one where joining tables,
    or the tallies of groups, would take longer than what is shared."""
    for output in code.outputs:
        if isinstance(output.y.generator, (Bucket, Group)):
            few = at_most(code.e.extent(output.y.extras[0]), over(code.size, natural(MOST_SHARED)))
            if isinstance(threads, Choose) and threads.test == few:
                continue
            threads = choose(few, threads, Const(1, THREAD))
    return threads


def tables(code: LoopParts, threads: Expr) -> list[Tables]:
    """What there is before the threads start."""
    e = code.e
    groups: dict[tuple[object, ...], list[Output]] = {}
    for output in code.outputs:
        if isinstance(output.y.generator, Bucket):
            y = output.y
            of = [node for node in (y.extras[0], y.key, y.condition) if node is not None]
            groups.setdefault((*of, all_known(output.known)), []).append(output)
    found = []
    for outputs in groups.values():
        count = e.define(I64, "keys", e.extent(outputs[0].y.extras[0]))
        made = Tables(count, ONE, Var(e.fresh("tables"), Pointer(BLOCK)), outputs)
        if made.known and is_cheap(code.body) and e.optimises("turns"):
            most = natural(MOST_BYTES // (COPIES * made.slots * 8))
            test = both(at_most(count, most), at_most(count, over(code.size, natural(8))))
            made.copies = e.define(I64, "copies", choose(test, natural(COPIES), ONE))
        e.add(tree.Room(made.blocks, threads))
        found.append(made)
    return found


def is_cheap(body: Scheduled) -> bool:
    """Whether an iteration is done so fast that it may wait for the one before."""
    return not any(
        isinstance(statement.node, (Loop, Multiloop, Call)) for statement in all_statements(body)
    )


def _initial(e: Emitter, output: Output, known: bool) -> list[Rep]:
    """What the accumulators of a table start with; `known`: all the operators of the table are."""
    found: list[Rep] = []
    for node, operator in zip(output.y.neutral, output.known, strict=True):
        rep = e.rep(node)
        if known and operator is not None:
            assert isinstance(rep, Scalar)
            rep = Scalar(operator.start(rep.value))
        found.append(rep)
    return found


def own(code: LoopParts, made: Tables, thread: Expr) -> None:
    """In a thread: make its tables; from here on they are the generators' arrays."""
    e = code.e
    size = times(made.copies, made.count)
    place = load(made.blocks, thread)
    with e.gathered() as allocating:
        e.assign(place, e.region("table", I64, times(size, natural(made.slots))))
    if made.direct:
        e.assign(place, NULL)
        alone = Binary("||", more(thread, ZERO), more(made.copies, ONE))
        e.when(alone, allocating)
    else:
        e.add(*allocating)
    slot = 0
    values: list[tuple[Memory, Rep]] = []
    for output in made.outputs:
        found: list[Memory] = []
        for array, value in zip(output.arrays, _initial(e, output, made.known), strict=True):
            data = _slot(e, array.element, place, slot)
            if made.direct:
                data = choose(is_null(place), array.data, data)
            pointer = e.point(array.element, "own", data)
            found.append(_table(e, array.element, pointer, made.slots, made.count))
            values.append((found[-1], value))
            slot += 1
        output.arrays = found
        output.apart = [] if made.copies == ONE else [
            choose(more(made.copies, ONE), times(made.count, memory.strides[0]), ZERO)
            for memory in found
        ]  # fmt: skip
    index = e.index("k")
    with e.gathered() as filling:
        for memory, value in values:
            e.put(memory, [index], value)
    e.count(index, ZERO, size, filling)


def _slot(e: Emitter, t: ScalarType, block: Expr, slot: int) -> Expr:
    """The address of the first accumulator in a region with tables."""
    start = plus(Data(block, Pointer(I64)), natural(slot))
    return convert(e.pointer_type(t), start)


def _table(e: Emitter, t: ScalarType, pointer: Expr, slots: int, size: Expr) -> Memory:
    """One accumulator in the slots of all keys; side by side where there is no other."""
    scale = 8 // e.program.arithmetic.dtype(t.kind).itemsize
    stride = 1 if slots == 1 else slots * scale
    return Memory(t, pointer, (size,), (natural(stride),), False, None)


def in_turn(code: LoopParts) -> tree.Mark | None:
    """The mark of a loop whose bucket generators have tables that may be used in turn."""
    found: list[tuple[Var, Var]] = []
    for output in code.outputs:
        for array, distance in zip(output.arrays, output.apart, strict=False):
            assert isinstance(array.data, Var)
            found.append((array.data, code.e.define(I64, "apart", distance)))
    return tree.Tables(tuple(found)) if found else None


def merge(code: LoopParts, made: Tables, got: Expr) -> None:
    """After the threads: the results are what all tables have, combined in order."""
    e = code.e
    key, thread, copy = e.index("k"), e.index("t"), e.index("copy")
    with e.gathered() as body:
        totals = [_totals(code, output, made, key) for output in made.outputs]
        with e.gathered() as over_copies:
            for output, total in zip(made.outputs, totals, strict=True):
                place = plus(times(copy, made.count), key)
                _combine(code, output, total, _entries(e, output, made, thread, place))
        inner = counting(copy, ZERO, made.copies, over_copies)
        start: Expr = ZERO
        if made.direct:
            start = choose(is_null(load(made.blocks, ZERO)), ONE, ZERO)
        if not made.known:  # totals start with the first table
            start = ONE
        e.count(thread, start, got, (inner,))
        for output, total in zip(made.outputs, totals, strict=True):
            for array, name in zip(output.arrays, total, strict=True):
                e.put(array, [key], Scalar(name))
    mark = None
    if made.known:
        many = Binary(">=", made.count, natural(PARALLEL_MERGE))
        mark = tree.Shared(got, both(many, more(got, ONE)))
    e.count(key, ZERO, made.count, body, mark=mark)
    index = e.index("t")
    with e.gathered() as dropping:
        e.do("drop", load(made.blocks, index))
    e.count(index, ZERO, got, dropping)


def _entries(e: Emitter, output: Output, made: Tables, thread: Expr, place: Expr) -> list[Rep]:
    """What a thread's table has at a place."""
    found: list[Rep] = []
    slot = 0
    for other in made.outputs:
        if other is output:
            break
        slot += len(other.arrays)
    for array in output.arrays:
        data = _slot(e, array.element, load(made.blocks, thread), slot)
        memory = _table(e, array.element, data, made.slots, made.count)
        found.append(e.scalar(reps.element(memory, [place]), array.element, "x"))
        slot += 1
    return found


def _totals(code: LoopParts, output: Output, made: Tables, key: Expr) -> list[Var]:
    """Variables with what the combination for a key starts with."""
    e = code.e
    if made.direct:
        (array,), (node,), (operator,) = output.arrays, output.y.neutral, output.known
        there = reps.element(array, [key])
        initial = e.scalar_of(node)
        first = load(made.blocks, ZERO)
        if operator is not None and operator.identity is not None:
            there = operator.combine(initial, there)
        if operator is None:
            data = _slot(e, array.element, first, 0)
            initial = reps.element(_table(e, array.element, data, 1, made.count), [key])
        start = choose(is_null(first), there, initial)
        return [e.variable(e.variable_type(array.element), "total", start)]
    if made.known:
        initials: Sequence[Rep] = [e.rep(node) for node in output.y.neutral]
    else:
        initials = _entries(e, output, made, ZERO, key)
    return [
        e.variable(e.variable_type(array.element), "total", rep.value)
        for array, rep in zip(output.arrays, initials, strict=True)
        if isinstance(rep, Scalar)
    ]


def _combine(
    code: LoopParts, output: Output, totals: Sequence[Expr], values: Sequence[Rep]
) -> None:
    e = code.e

    def finish(new: Sequence[Rep]) -> None:
        kept = [
            e.scalar(rep.value, array.element)
            for rep, array in zip(new, output.arrays, strict=True)
            if isinstance(rep, Scalar)
        ]
        for total, rep in zip(totals, kept, strict=True):
            e.assign(total, rep.value)

    code.combined(output, [Scalar(total) for total in totals], values, finish)
