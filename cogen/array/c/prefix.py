"""The C function that scans some values in a row: prefixes within a vector, vector after vector.

    [a b c d] -> [a ab bc cd] -> [a ab abc abcd] -> each combined with what came before

In a vector of n elements this takes log2 n operations, which do not wait for the vector before;
only one operation for each vector does, where a plain loop waits for one for each element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.loops import tree
from cogen.array.loops.printtree import Text
from cogen.array.loops.tree import Choose, Number
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.types import I32, I64, CBasic, CConst, CPointer
from cogen.backends.ctree.types import Type as CType

BYTES: Final = (64, 32, 16)
"""Sizes of vectors, the largest first."""

_TESTS: Final = {64: "defined(__AVX512F__)", 32: "defined(__AVX__)", 16: "1"}

_SIZES: Final = {"i64": (8, I64), "f64": (8, I64), "i32": (4, I32), "f32": (4, I32)}
"""The types of elements: their size in bytes, and a signed integer type as large, of masks."""


_I: Final = ct.CVariable("i", I64)
_COUNT: Final = ct.CVariable("count", I64)
_VECTOR: Final = CBasic("vector")
_UNALIGNED: Final = CBasic("unaligned")
_MASK: Final = CBasic("mask")
_ALL, _X, _Y, _NEUTRAL = (ct.CVariable(name, _VECTOR) for name in ("all", "x", "y", "neutral"))


def prefix_function(scan: tree.Scan, text: Text) -> ct.CFunction:
    """The function `c_type name(count, values, out, before)`: `out` are the values scanned after
    `before` (it may be `values`); the result is the last of them, `before` if there are none."""
    t = scan.left.type
    assert isinstance(t, Number)
    c_type, (size, mask) = text.type(t), _SIZES[t.name]
    values = ct.CVariable("values", CPointer(CConst(c_type)))
    out, before = ct.CVariable("out", CPointer(c_type)), ct.CVariable("before", c_type)
    names = _ScanParameters(scan, text, values, out, before)
    forms = [
        (f"COGEN_SHUFFLES && {_TESTS[total]}", _vectors(names, total, total // size, mask))
        for total in BYTES
    ]
    one = (
        ct.CAssign(before, names.combined(before, ct.CIndex(values, _I))),
        ct.CAssign(ct.CIndex(out, _I), before),
    )
    body = (
        ct.CDeclare(I64, _I.name, small(0)),
        ct.CAlternatives(tuple(forms)),
        ct.CFor(None, ct.CBinary("<", _I, _COUNT), ct.CAssign(_I, small(1), "+="), one),
        ct.CReturn(before),
    )
    return ct.CFunction(
        c_type, scan.function, (_COUNT, values, out, before), body,
        "The values scanned, after what came before; what comes last.",
        qualifiers="static inline", places=() if scan.place is None else (scan.place,),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _ScanParameters:
    """A scan, with the parameters of its function."""

    scan: tree.Scan
    text: Text
    values: ct.CVariable
    out: ct.CVariable
    before: ct.CVariable

    def combined(self, left: ct.Expr, right: ct.Expr) -> ct.Expr:
        """The operator of two expressions."""
        scan = self.scan
        return _replaced(
            self.text.expr(scan.operator), {scan.left.name: left, scan.right.name: right}
        )


def _replaced(e: ct.Expr, names: Mapping[str, ct.Expr]) -> ct.Expr:
    """An expression with others in the place of variables."""
    if isinstance(e, ct.CVariable):
        return names[e.name]
    return ct.with_parts(e, [_replaced(part, names) for part in ct.parts(e)])


def _vectors(
    names: _ScanParameters, total: int, lanes: int, mask: CType
) -> tuple[ct.Statement, ...]:
    """The loop over whole vectors."""
    c_type, scan = names.before.type, names.scan
    wide = f"vector_size({total})"
    signs = (ct.CTypedef(mask, _MASK.name, wide),) if isinstance(scan.operator, Choose) else ()
    identity = small(0) if scan.neutral is None else names.text.expr(scan.neutral)
    step = small(lanes)
    last = [small(lanes - 1)] * lanes
    loop = ct.CFor(
        None, ct.CBinary("<=", ct.CBinary("+", _I, step), _COUNT), ct.CAssign(_I, step, "+="),
        (
            ct.CDeclare(_VECTOR, _X.name, _at(CConst(_UNALIGNED), names.values)),
            ct.CDeclare(_VECTOR, _Y.name),
            *_steps(names, lanes),
            ct.CAssign(_Y, _shuffled(_X, _X, last)),
            ct.CAssign(_at(_UNALIGNED, names.out), _combined(names, _ALL, _X)),
            ct.CAssign(_ALL, _combined(names, _ALL, _Y)),
        ),
    )  # fmt: skip
    return (
        ct.CTypedef(c_type, _VECTOR.name, wide),
        ct.CTypedef(c_type, _UNALIGNED.name, f"{wide}, aligned(1), may_alias"),
        *signs,
        ct.CDeclare(CConst(_VECTOR), _NEUTRAL.name, _repeated(identity, lanes)),
        ct.CDeclare(_VECTOR, _ALL.name, _repeated(names.before, lanes)),
        loop,
        ct.CAssign(names.before, ct.CIndex(_ALL, small(0))),
    )


def _at(t: CType, array: ct.Expr) -> ct.Expr:
    """The vector at the index."""
    return ct.CUnary("*", ct.CCast(CPointer(t), ct.CBinary("+", array, _I)))


def _repeated(value: ct.Expr, lanes: int) -> ct.CBraces:
    return ct.CBraces((("", value),) * lanes)


def _shuffled(a: ct.Expr, b: ct.Expr, lanes: Sequence[ct.Expr]) -> ct.Expr:
    return ct.CInvoke("__builtin_shufflevector", (a, b, *lanes), _VECTOR)


def _steps(names: _ScanParameters, lanes: int) -> list[ct.Statement]:
    """The steps within a vector: each lane takes in the one 1, 2, 4, ... before it.

    Lanes with none before take in the identity or, of a minimum, which has none, themselves.
    """
    steps: list[ct.Statement] = []
    width = 1
    while width < lanes:
        first = [lane if names.scan.neutral is None else lanes + lane for lane in range(width)]
        moved = [small(lane) for lane in (*first, *range(lanes - width))]
        steps.append(ct.CAssign(_Y, _shuffled(_X, _NEUTRAL, moved)))
        steps.append(ct.CAssign(_X, _combined(names, _Y, _X)))
        width *= 2
    return steps


def _combined(names: _ScanParameters, left: ct.Expr, right: ct.Expr) -> ct.Expr:
    """The operation on vectors; C has no conditional expression for them."""
    made = names.combined(left, right)
    if not isinstance(made, ct.CChoose):
        return made
    test, then, otherwise = (ct.CCast(_MASK, e) for e in (made.test, made.then, made.otherwise))
    chosen = ct.CBinary("&", then, test)
    rest = ct.CBinary("&", otherwise, ct.CUnary("~", test))
    return ct.CCast(_VECTOR, ct.CBinary("|", chosen, rest))
