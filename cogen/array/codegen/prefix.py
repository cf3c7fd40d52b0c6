"""The C function that scans some values in a row: prefixes within a vector, vector after vector.

    [a b c d] -> [a ab bc cd] -> [a ab abc abcd] -> each combined with what came before

In a vector of n elements this takes log2 n operations, which do not wait for the vector before;
only one operation for each vector does, where a plain loop waits for one for each element.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cogen.array.loops.text import Text
from cogen.array.loops.tree import Choose, Expr, Number, Operate, Scan, Var
from cogen.lang.errors import InternalError
from cogen.target.cprint import print_expr

BYTES: Final = (64, 32, 16)
"""Sizes of vectors, the largest first."""

_TESTS: Final = {64: "defined(__AVX512F__)", 32: "defined(__AVX__)", 16: "1"}

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


_SIZES: Final = {
    "i64": (8, "int64_t"), "f64": (8, "int64_t"), "i32": (4, "int32_t"), "f32": (4, "int32_t"),
}  # fmt: skip
"""The types of elements: their size in bytes, and a signed integer type as large, of masks."""


def prefix_function(scan: Scan, text: Text) -> str:
    """The text of `c_type name(count, values, out, before)`: `out` are the values scanned after
    `before` (it may be `values`); the result is the last of them, `before` if there are none."""
    t = scan.left.type
    assert isinstance(t, Number)
    name, c_type, (size, mask) = scan.function, text.type(t), _SIZES[t.name]
    choices = ""
    for number, total in enumerate(BYTES):
        word = "if" if number == 0 else "elif"
        choices += f"#{word} COGEN_SHUFFLES && {_TESTS[total]}\n"
        choices += _vectors(scan, text, total, total // size, mask)
    one = _print(text, _with(scan, "before", "values[i]"))
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


def _with(scan: Scan, left: str, right: str) -> Expr:
    """The operator of variables of these names."""
    t = scan.left.type
    found = {scan.left: Var(left, t), scan.right: Var(right, t)}
    return _renamed(scan.operator, found)


def _renamed(e: Expr, names: Mapping[Var, Var]) -> Expr:
    match e:
        case Var():
            return names[e]
        case Operate(row, (a, b), t):
            return Operate(row, (_renamed(a, names), _renamed(b, names)), t)
        case Choose(a, b, c):
            return Choose(_renamed(a, names), _renamed(b, names), _renamed(c, names))
    raise InternalError(f"no operator of a scan: {e!r}")


def _print(text: Text, e: Expr) -> str:
    return print_expr(text.expr(e))


def _vectors(scan: Scan, text: Text, total: int, lanes: int, mask: str) -> str:
    """The loop over whole vectors."""
    c_type = text.type(scan.left.type)
    steps = _steps(scan, text, lanes)
    last = ", ".join([str(lanes - 1)] * lanes)
    identity = "0" if scan.neutral is None else _print(text, scan.neutral)
    neutral = ", ".join([identity] * lanes)
    signs = ""
    if isinstance(scan.operator, Choose):
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
        *(unaligned *)(out + i) = {_combined(scan, text, "all", "x")};
        all = {_combined(scan, text, "all", "y")};
    }}
    before = all[0];
"""


def _steps(scan: Scan, text: Text, lanes: int) -> str:
    """The steps within a vector: each lane takes in the one 1, 2, 4, ... before it.

    Lanes with none before take in the identity or, of a minimum, which has none, themselves.
    """
    steps = ""
    width = 1
    while width < lanes:
        first = [lane if scan.neutral is None else lanes + lane for lane in range(width)]
        moved = ", ".join(map(str, [*first, *range(lanes - width)]))
        steps += f"        y = __builtin_shufflevector(x, neutral, {moved});\n"
        steps += f"        x = {_combined(scan, text, 'y', 'x')};\n"
        width *= 2
    return steps


def _combined(scan: Scan, text: Text, left: str, right: str) -> str:
    """The operation on vectors; C has no conditional expression for them."""
    made = _with(scan, left, right)
    if not isinstance(made, Choose):
        return _print(text, made)
    test, chosen, otherwise = (_print(text, e) for e in (made.test, made.then, made.otherwise))
    return f"(vector)(((mask){chosen} & (mask)({test})) | ((mask){otherwise} & ~(mask)({test})))"
