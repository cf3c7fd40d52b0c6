"""The functions that kernels with tables for each group call (`cogen.array.loops.group_tables`)."""

from __future__ import annotations

from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.template import template
from cogen.backends.ctree.types import DOUBLE, FLOAT, I64, VOID, CBasic, CConst, CPointer, CSpace
from cogen.lang.prims import PRIMITIVES

GUARD: Final = "cl_khr_int64_base_atomics"
"""The extension that the kernel needs."""

_INTS: Final = {
    "mul": PRIMITIVES["word-mul"].c or "",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "max": "max({0}, {1})",
    "min": "min({0}, {1})",
}
"""What ints are combined to; those of 32 bits are right modulo 2^32."""

_REALS: Final = {"add": "{0} + {1}", "mul": "{0} * {1}"}

_PLACE: Final = ct.CVariable("place", CPointer(CSpace("local", I64)))
_SEEN: Final = ct.CVariable("seen", I64)
_FOUND: Final = ct.CVariable("found", I64)
_WHATEVER_OTHERS_DO: Final = CPointer(CBasic("volatile __local int64_t"))


def _integers(name: str, combination: str) -> ct.CFunction:
    """The function that combines the integer at a place with a value."""
    old, value = ct.CVariable("old", I64), ct.CVariable("value", I64)
    return _function(f"int_{name}", old, value, _SEEN, template(combination)((old, value)))


def _reals(name: str, combination: str, real_bits: int) -> ct.CFunction:
    """The same of a real, in a slot of 8 bytes."""
    narrow = real_bits == 32
    t = FLOAT if narrow else DOUBLE
    old, value = ct.CVariable("old", t), ct.CVariable("value", t)
    slot = ct.CCast(CBasic("int"), _SEEN) if narrow else _SEEN
    load = ct.CInvoke("as_float" if narrow else "as_double", (slot,), t)
    made = template(combination)((old, value))
    new = ct.CInvoke("as_int" if narrow else "as_long", (made,), I64)
    return _function(f"real_{name}", old, value, load, new)


def _function(
    name: str, old: ct.CVariable, value: ct.CVariable, load: ct.Expr, new: ct.Expr
) -> ct.CFunction:
    """Try until nobody else has changed what is at the place meanwhile."""
    first = ct.CUnary("*", ct.CCast(_WHATEVER_OTHERS_DO, _PLACE))
    exchanged = ct.CInvoke("atom_cmpxchg", (_PLACE, _SEEN, new), I64)
    again = ct.CFor(None, None, None, (
        ct.CDeclare(CConst(old.type), old.name, load),
        ct.CDeclare(CConst(I64), _FOUND.name, exchanged),
        ct.CIf(ct.CBinary("==", _FOUND, _SEEN), (ct.CReturn(),)),
        ct.CAssign(_SEEN, _FOUND),
    ))  # fmt: skip
    body = (ct.CDeclare(I64, _SEEN.name, first), again)
    return ct.CFunction(VOID, f"into_{name}", (_PLACE, value), body)


def functions(a: Arithmetic) -> str:
    """The functions that the kernel calls."""
    value = ct.CVariable("value", I64)
    added = ct.CDo(ct.CInvoke("atom_add", (_PLACE, value), VOID))
    items: tuple[ct.Item, ...] = (
        ct.CPragma((f"OPENCL EXTENSION {GUARD} : enable",)),
        ct.CFunction(VOID, "into_int_add", (_PLACE, value), (added,)),
        *[_integers(name, combination) for name, combination in _INTS.items()],
        *[_reals(name, combination, a.real_bits) for name, combination in _REALS.items()],
    )
    return print_unit(ct.CUnit((ct.CGuarded(f"ifdef {GUARD}", items),)))
