"""The C function that scans some values in a row: prefixes within a vector, vector after vector.

    [a b c d] -> [a ab bc cd] -> [a ab abc abcd] -> each combined with what came before

In a vector of n elements this takes log2 n operations, which do not wait for the vector before;
only one operation for each vector does, where a plain loop waits for one for each element.
"""

from __future__ import annotations

from typing import Final

from cogen.array.codegen.operators import Known

BYTES: Final = (64, 32, 16)
"""Sizes of vectors, the largest first."""

_TESTS: Final = {64: "defined(__AVX512F__)", 32: "defined(__AVX__)", 16: "1"}

LONG_BLOCK: Final = "COGEN_BLOCK"
"""Iterations of a block whose accumulated values a second loop reads."""

HEAD: Final = """\
/* Of a block that two loops go through: one vector, where gcc keeps it in a register. */
#ifdef __AVX512F__
enum { COGEN_BLOCK = 8 };
#else
enum { COGEN_BLOCK = 64 };
#endif
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define COGEN_SHUFFLES 1
#else
#define COGEN_SHUFFLES 0
#endif
"""


def prefix_function(name: str, known: Known, c_type: str, size: int, mask: str) -> str:
    """The text of `c_type name(count, values, out, before)`: `out` are the values scanned after
    `before` (it may be `values`); the result is the last of them, `before` if there are none.

    `size` is that of an element in bytes; `mask` is a signed integer type as large.
    """
    choices = ""
    for number, total in enumerate(BYTES):
        word = "if" if number == 0 else "elif"
        choices += f"#{word} COGEN_SHUFFLES && {_TESTS[total]}\n"
        choices += _vectors(known, c_type, total, total // size, mask)
    one = known.form.format("before", "values[i]")
    return f"""\
/* The values scanned, after what came before; what comes last. */
static inline {c_type} {name}(int64_t count, const {c_type} *values, {c_type} *out, {c_type} before)
{{
    int64_t i = 0;
{choices}#endif
    for (; i < count; i++) {{
        before = {one};
        out[i] = before;
    }}
    return before;
}}
"""


def _vectors(known: Known, c_type: str, total: int, lanes: int, mask: str) -> str:
    """The loop over whole vectors."""
    steps = _steps(known, lanes)
    last = ", ".join([str(lanes - 1)] * lanes)
    neutral = ", ".join([known.identity or "0"] * lanes)
    signs = ""
    if "?" in known.form:
        signs = f"    typedef {mask} mask __attribute__((vector_size({total})));\n"
    return f"""\
    typedef {c_type} vector __attribute__((vector_size({total})));
    typedef {c_type} unaligned __attribute__((vector_size({total}), aligned(1), may_alias));
{signs}    const vector neutral = {{{neutral}}};
    vector all = {{{", ".join(["before"] * lanes)}}};
    for (; i + {lanes} <= count; i += {lanes}) {{
        vector x = *(const unaligned *)(values + i);
        vector y;
{steps}        y = __builtin_shufflevector(x, x, {last});
        *(unaligned *)(out + i) = {_combined(known, "all", "x")};
        all = {_combined(known, "all", "y")};
    }}
    before = all[0];
"""


def _steps(known: Known, lanes: int) -> str:
    """The steps within a vector: each lane takes in the one 1, 2, 4, ... before it.

    Lanes with none before take in the identity or, of a minimum, which has none, themselves.
    """
    steps = ""
    width = 1
    while width < lanes:
        first = [lane if known.identity is None else lanes + lane for lane in range(width)]
        moved = ", ".join(map(str, [*first, *range(lanes - width)]))
        steps += f"        y = __builtin_shufflevector(x, neutral, {moved});\n"
        steps += f"        x = {_combined(known, 'y', 'x')};\n"
        width *= 2
    return steps


def _combined(known: Known, left: str, right: str) -> str:
    """The operation on vectors; C has no conditional expression for them."""
    test, choice, rest = known.form.partition(" ? ")
    if not choice:
        return known.form.format(left, right)
    chosen, _, otherwise = rest.partition(" : ")
    texts = [text.format(left, right) for text in (test, chosen, otherwise)]
    return "(vector)(((mask){1} & (mask)({0})) | ((mask){2} & ~(mask)({0})))".format(*texts)
