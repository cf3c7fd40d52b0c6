"""The functions that kernels with tables for each group call (`cogen.array.loops.group_tables`)."""

from __future__ import annotations

from typing import Final

from cogen.array.l0.arithmetic import Arithmetic

GUARD: Final = "cl_khr_int64_base_atomics"
"""The extension that the kernel needs."""


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
