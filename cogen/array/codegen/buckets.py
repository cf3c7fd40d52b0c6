"""Code for buckets in C: each thread has tables of its own, which are merged in order.

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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from cogen.array.codegen import reps
from cogen.array.codegen.emitter import OUT_OF_MEMORY, Emitter
from cogen.array.codegen.keyblocks import has_key_blocks, key_blocks
from cogen.array.codegen.operators import all_known
from cogen.array.codegen.reps import Memory, Rep, Scalar
from cogen.array.codegen.survey import all_statements
from cogen.array.node import Bucket, Call, Group, Loop, Multiloop
from cogen.array.schedule import Scheduled
from cogen.array.types import Scalar as ScalarType
from cogen.target import ctree as ct

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode, Output

COPIES: Final = 4
"""How many tables of one thread iterations use in turn."""

MOST_BYTES: Final = 1 << 17
"""The most bytes that the tables of a thread have if there are several."""

MOST_SHARED: Final = 4
"""Threads share the work if there are so many times more iterations than buckets."""

PARALLEL_MERGE: Final = 1 << 16
"""So many buckets are worth while to be merged by all threads."""


@dataclass(slots=True)
class Tables:
    """The tables of Buckets that take the same keys: variables of the code around the threads."""

    count: str
    """The number of buckets."""
    copies: str
    """How many tables each thread has."""
    blocks: str
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


def team(code: LoopCode, text: str) -> str:
    """The number of threads, given what the loop's other work is worth: one where joining tables,
    or the tallies of groups, would take longer than what is shared."""
    for output in code.outputs:
        if isinstance(output.y.generator, (Bucket, Group)):
            count = reps.atom(code.e.extent(output.y.extras[0]))
            few = f"{count} <= {reps.atom(code.size)} / {MOST_SHARED}"
            text = f"{few} ? {reps.atom(text)} : 1"
    return text


def tables(code: LoopCode, threads: str) -> list[Tables]:
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
        count = e.define("int64_t", "keys", e.extent(outputs[0].y.extras[0]))
        made = Tables(count, "1", e.fresh("tables"), outputs)
        if made.known and is_cheap(code.body) and e.optimises("turns"):
            most = MOST_BYTES // (COPIES * made.slots * 8)
            test = f"{count} <= {most} && {count} <= {reps.atom(code.size)} / 8"
            made.copies = e.define("int64_t", "copies", f"{test} ? {COPIES} : 1")
        e.add(ct.Declare("cogen_block *", f"{made.blocks}[{threads}]"))
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
        identity = operator.identity if known and operator is not None else None
        found.append(e.rep(node) if identity is None else Scalar(identity))
    return found


def own(code: LoopCode, made: Tables, thread: str) -> None:
    """In a thread: make its tables; from here on they are the generators' arrays."""
    e = code.e
    size = f"{made.copies} * {made.count}"
    place = f"{made.blocks}[{thread}]"
    allocated = f"cogen_alloc(memory, {reps.times(size, str(made.slots))}, sizeof(int64_t))"
    with e.gathered() as allocating:
        e.assign(place, allocated)
        e.fail_if(f"{place} == NULL", OUT_OF_MEMORY, e.span)
    if made.direct:
        e.assign(place, "NULL")
        e.add(ct.If(ct.Name(f"{thread} > 0 || {made.copies} > 1"), tuple(allocating)))
    else:
        e.add(*allocating)
    slot = 0
    values: list[tuple[Memory, Rep]] = []
    for output in made.outputs:
        found: list[Memory] = []
        for array, value in zip(output.arrays, _initial(e, output, made.known), strict=True):
            data = _slot(e, array.element, place, slot)
            if made.direct:
                data = f"{place} == NULL ? {array.data} : {data}"
            pointer = e.point(array.element, "own", data)
            found.append(_table(e, array.element, pointer, made.slots, made.count))
            values.append((found[-1], value))
            slot += 1
        output.arrays = found
        output.apart = [] if made.copies == "1" else [
            f"{made.copies} > 1 ? {reps.times(made.count, memory.strides[0])} : 0"
            for memory in found
        ]  # fmt: skip
    index = e.fresh("k")
    with e.gathered() as filling:
        for memory, value in values:
            e.put(memory, [index], value)
    e.add(e.counting(index, "0", size, filling))


def _slot(e: Emitter, t: ScalarType, block: str, slot: int) -> str:
    """The pointer to the first accumulator in a block of tables."""
    start = reps.plus(f"(int64_t *)cogen_data({block})", str(slot))
    return f"({e.pointer_type(t)}){reps.atom(start)}"


def _table(e: Emitter, t: ScalarType, pointer: str, slots: int, size: str) -> Memory:
    """One accumulator in the slots of all keys; side by side where there is no other."""
    scale = 8 // e.program.arithmetic.dtype(t.kind).itemsize
    stride = 1 if slots == 1 else slots * scale
    return Memory(t, pointer, (size,), (str(stride),), False, None)


def in_turn(code: LoopCode, start: str, stop: str) -> None:
    """The loop, with the tables of the bucket generators in turn; the rest uses the first."""
    e = code.e
    outputs = [output for output in code.outputs if output.apart]
    whole = {id(output): output.arrays for output in outputs}
    apart = {
        id(output): [e.define("int64_t", "apart", text) for text in output.apart]
        for output in outputs
    }
    first = e.variable("int64_t", "first", start)
    if e.optimises("keys") and has_key_blocks(code):
        key_blocks(code, first, stop, [apart[id(output)] for output in code.outputs], COPIES)
    with e.gathered() as block:
        turn = e.fresh("turn")
        with e.gathered() as made:
            index = e.define("int64_t", code.node.index.name, f"{first} + {turn}")
            for output in outputs:
                output.arrays = [
                    replace(a, data=e.point(a.element, "mine", f"{a.data} + {turn} * {distance}"))
                    for a, distance in zip(output.arrays, apart[id(output)], strict=True)
                ]
            code.iteration(index)
        e.add(e.counting(turn, "0", str(COPIES), made))
    for output in outputs:
        output.arrays = whole[id(output)]
    e.add(ct.For(
        None,
        ct.Binary("<=", ct.Name(first), ct.Name(f"{reps.atom(stop)} - {COPIES}")),
        ct.Assign(ct.Name(first), ct.Name(str(COPIES)), "+="),
        tuple(block),
    ))  # fmt: skip
    rest = e.fresh(code.node.index.name)
    with e.gathered() as made:
        code.iteration(rest)
    e.add(e.counting(rest, first, stop, made))


def merge(code: LoopCode, made: Tables, got: str) -> None:
    """After the threads: the results are what all tables have, combined in order."""
    e = code.e
    key, thread, copy = e.fresh("k"), e.fresh("t"), e.fresh("copy")
    with e.gathered() as body:
        totals = [_totals(code, output, made, key) for output in made.outputs]
        with e.gathered() as over_copies:
            for output, total in zip(made.outputs, totals, strict=True):
                place = f"{copy} * {made.count} + {key}"
                _combine(code, output, total, _entries(e, output, made, thread, place))
        inner = e.counting(copy, "0", made.copies, over_copies)
        start = f"{made.blocks}[0] == NULL ? 1 : 0" if made.direct else "0"
        if not made.known:  # totals start with the first table
            start = "1"
        e.add(e.counting(thread, start, got, (inner,)))
        for output, total in zip(made.outputs, totals, strict=True):
            for array, name in zip(output.arrays, total, strict=True):
                e.put(array, [key], Scalar(name))
    if made.known:
        test = f"{made.count} >= {PARALLEL_MERGE} && {got} > 1"
        e.add(ct.Pragma(f"omp parallel for num_threads({got}) if ({test})"))
    e.add(e.counting(key, "0", made.count, body))
    index = e.fresh("t")
    drop = ct.Do(ct.Invoke("cogen_drop", (ct.Name(f"{made.blocks}[{index}]"),)))
    e.add(e.counting(index, "0", got, (drop,)))


def _entries(e: Emitter, output: Output, made: Tables, thread: str, place: str) -> list[Rep]:
    """What a thread's table has at a place."""
    found: list[Rep] = []
    slot = 0
    for other in made.outputs:
        if other is output:
            break
        slot += len(other.arrays)
    for array in output.arrays:
        data = _slot(e, array.element, f"{made.blocks}[{thread}]", slot)
        memory = _table(e, array.element, f"({data})", made.slots, made.count)
        found.append(e.scalar(reps.element(memory, [place]), array.element, "x"))
        slot += 1
    return found


def _totals(code: LoopCode, output: Output, made: Tables, key: str) -> list[str]:
    """Variables with what the combination for a key starts with."""
    e = code.e
    if made.direct:
        (array,), (node,), (operator,) = output.arrays, output.y.neutral, output.known
        there = reps.element(array, [key])
        initial = e.text(node)
        if operator is not None and operator.identity is not None:
            there = operator.form.format(reps.atom(initial), there)
        if operator is None:
            table = _table(e, array.element, f"({_slot(e, array.element, f'{made.blocks}[0]', 0)})",
                           1, made.count)  # fmt: skip
            initial = reps.element(table, [key])
        text = f"{made.blocks}[0] == NULL ? {reps.atom(there)} : {reps.atom(initial)}"
        return [e.variable(e.variable_type(array.element), "total", text)]
    if made.known:
        initials: Sequence[Rep] = [e.rep(node) for node in output.y.neutral]
    else:
        initials = _entries(e, output, made, "0", key)
    return [
        e.variable(e.variable_type(array.element), "total", rep.text)
        for array, rep in zip(output.arrays, initials, strict=True)
        if isinstance(rep, Scalar)
    ]


def _combine(code: LoopCode, output: Output, totals: Sequence[str], values: Sequence[Rep]) -> None:
    e = code.e

    def finish(new: Sequence[Rep]) -> None:
        kept = [
            e.scalar(rep.text, array.element)
            for rep, array in zip(new, output.arrays, strict=True)
            if isinstance(rep, Scalar)
        ]
        for total, rep in zip(totals, kept, strict=True):
            e.assign(total, rep.text)

    code.combined(output, [Scalar(total) for total in totals], values, finish)
