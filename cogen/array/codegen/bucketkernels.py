"""The kernel for buckets in local memory: one table for each work group, which its items share.

    fill the table | barrier | each item's iterations, with atomic operations | barrier | store it

It is there where all that a loop does is put values into buckets by known operators that do not
depend on the order: so ints come out the same in every run; sums of reals may round differently.
The host takes it on devices that have 64-bit atomic operations and room for the table, where items
with tables of their own would fight for memory: on GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.outputs import Output
from cogen.array.codegen.reps import Rep, Scalar
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops.build import ZERO, choose, convert, load, plus, same, times
from cogen.array.loops.tree import F32, F64, I64, Combination, Expr, Invoke, Pointer, Var
from cogen.array.node import Bucket
from cogen.array.types import element, rank

GUARD: Final = "cl_khr_int64_base_atomics"
"""The extension that the kernel needs."""

TABLE: Final = Var("table", Pointer(I64, "local"))
"""The parameter that points to the group's table."""

_GROUP: Final = Invoke("group", (), I64)
"""The number of the group."""

_WORDS: Final = {
    "+": "add", "*": "mul", "&": "and", "|": "or", "^": "xor", "max": "max", "min": "min",
}  # fmt: skip

_INT: Final = ("add", "mul", "and", "or", "xor", "max", "min")
_REAL: Final = ("add", "mul")
"""The operators that there are functions for, by the kind of what they combine."""


def _function(kind: str, word: str, new: str, real_bits: int) -> str:
    """The text of a function that combines what is at a place with a value."""
    t, load, store = "int64_t", "seen", ""
    if kind == "real":
        t = "float" if real_bits == 32 else "double"
        load, store = real_from("seen", real_bits), f"as_{_PATTERNS[real_bits]}"
    return f"""\
void into_{kind}_{word}(__local int64_t *place, {t} value)
{{
    int64_t seen = *(volatile __local int64_t *)place;
    for (;;) {{
        const {t} old = {load};
        const int64_t found = atom_cmpxchg(place, seen, {store}({new}));
        if (found == seen) {{
            return;
        }}
        seen = found;
    }}
}}
"""


_PATTERNS: Final = {32: "int", 64: "long"}
"""The integers with the bits of a real, by its width."""


def real_from(slot: str, real_bits: int) -> str:
    """The real in a slot of 8 bytes."""
    return f"as_float((int){slot})" if real_bits == 32 else f"as_double({slot})"


def functions(a: Arithmetic) -> str:
    """The functions that the kernel calls; ints of 32 bits are right modulo 2^32."""
    texts = [
        _function("int", "mul", "(int64_t)((uint64_t)old * (uint64_t)value)", a.real_bits),
        _function("int", "and", "old & value", a.real_bits),
        _function("int", "or", "old | value", a.real_bits),
        _function("int", "xor", "old ^ value", a.real_bits),
        _function("int", "max", "max(old, value)", a.real_bits),
        _function("int", "min", "min(old, value)", a.real_bits),
        _function("real", "add", "old + value", a.real_bits),
        _function("real", "mul", "old * value", a.real_bits),
    ]
    return "\n".join([
        f"#ifdef {GUARD}",
        f"#pragma OPENCL EXTENSION {GUARD} : enable",
        "void into_int_add(__local int64_t *place, int64_t value) { atom_add(place, value); }",
        *texts,
        "#endif\n",
    ])  # fmt: skip


def can_group(outputs: Sequence[Output]) -> bool:
    """Whether all that a loop does is put scalars into buckets by operators of `functions`."""
    return all(
        isinstance(output.y.generator, Bucket)
        and all(
            not rank(node.type) and word(known, element(node.type).kind) is not None
            for node, known in zip(output.y.neutral, output.known, strict=True)
        )
        for output in outputs
    )


def word(known: Combination | None, kind: str) -> str | None:
    """What an operator is called in the names of `functions`."""
    found = None if known is None else _WORDS.get(known.sign)
    there = _INT if kind == "int" else _REAL if kind == "real" else ()
    return found if found in there else None


def into(e: Emitter, output: Output, at: Expr, values: Sequence[Rep]) -> None:
    """Combine what the group's table has for a key with values."""
    for table, node, known, rep in zip(
        output.tables, output.y.neutral, output.known, values, strict=True
    ):
        kind = element(node.type).kind
        assert isinstance(rep, Scalar)
        e.do(f"into_{kind}_{word(known, kind)}", plus(table, at), rep.value)


def fill(e: Emitter, outputs: Sequence[Output]) -> None:
    """Let the group's table, which the parameter `table` points to, start with identities (that of
    the first group with the initial values); note where each accumulator's part is."""
    offset: Expr = ZERO
    for output in outputs:
        output.tables = []
        for array, node, known in zip(output.arrays, output.y.neutral, output.known, strict=True):
            table = e.define(TABLE.type, "shared", plus(TABLE, offset))
            output.tables.append(table)
            start = e.scalar_of(node)
            if known is not None and known.identity is not None:
                start = choose(same(_GROUP, ZERO), start, known.start(start))
            if element(node.type).kind == "real":
                start = Invoke("slot", (start,), I64)
            with _each(e, array.shape[0]) as key:
                e.assign(load(table, key), convert(I64, start))
            offset = plus(offset, array.shape[0])
    barrier(e)


def store(e: Emitter, outputs: Sequence[Output]) -> None:
    """Store the group's table where the tables of all groups are merged from."""
    barrier(e)
    for output in outputs:
        for array, own, table in zip(output.arrays, output.parts, output.tables, strict=True):
            with _each(e, array.shape[0]) as key:
                value: Expr = load(table, key)
                t = e.element_type(array.element)
                value = Invoke("real", (value,), t) if t in (F32, F64) else convert(t, value)
                e.assign(load(own, plus(times(_GROUP, array.shape[0]), key)), value)


def barrier(e: Emitter) -> None:
    """All items of the group have come so far."""
    e.do("barrier")


@contextmanager
def _each(e: Emitter, size: Expr) -> Iterator[Expr]:
    """A loop over keys that the items of a group share out; gives the key."""
    index = e.index("k")
    with e.gathered() as made:
        yield index
    e.count(index, Invoke("local_item", (), I64), size, made, Invoke("local_items", (), I64))
