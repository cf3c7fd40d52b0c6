"""The run-time library of generated code, which is printed before the code itself: the files of C
in `runtime/`, with the types and numbers of programs with narrower ints and reals.

`operations` are plain enough for C and OpenCL C: the helpers that `cogen.array.ir.operations`
names.  `memory` is C's, and comes with every program; `tables` only with those that need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cogen.array.c.interface import CALL, MAX_THREADS
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops.functions import MOST_PARTS
from cogen.backends import noting
from cogen.backends.ctree import tree as ct
from cogen.backends.ctree.helpers import arithmetic, parts, with_bits
from cogen.backends.ctree.library import MATH
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.types import I64, VOID, CBasic, CConst, CPointer, Type
from cogen.backends.failures import ARRAY_ERROR

_RUNTIME: Final = Path(__file__).with_name("runtime")

_SHARED: Final = ("cogen_floor_quotient", "cogen_floor_remainder")
"""Operations that all C has."""

_SLOTS: Final = ("cogen_float64_to_bits", "cogen_bits_to_float64")
"""Functions for reals in slots of arguments and results."""

_NOTING: Final = ("cogen_deep", "cogen_fail")


def library(file: str) -> dict[str, ct.Item]:
    """The parts of a file that has no words."""
    return {name: ct.CLibrary(text) for name, text in parts(_RUNTIME / file).items()}


def memory() -> list[ct.Item]:
    """What every program in C begins with."""
    texts = parts(_RUNTIME / "memory.h", {"THREADS": MAX_THREADS})
    head = [ct.CLibrary(texts[name]) for name in ("system", "vector", "blocks", "limits")]
    after = [
        texts["memory"],
        *[arithmetic()[name] for name in _SLOTS],
        *[noting.functions()[name] for name in _NOTING],
    ]
    return [*head, ARRAY_ERROR, CALL, *map(ct.CLibrary, after)]


def operations(a: Arithmetic) -> dict[str, str]:
    """The functions that the table of operations names, by name."""
    f = "f" if a.real_bits == 32 else ""
    words = {
        **{f"{name}F": f"{name}{f}" for name in (*MATH, "frexp")},
        "INT": f"int{a.int_bits}_t",
        "UINT": f"uint{a.int_bits}_t",
        "REAL": "float" if f else "double",
        "ZERO": f"0.0{f}",
        "HALF_LIMIT": f"65520.0{f}",
        "LEAST": f"INT{a.int_bits}_MIN",
        "GREATEST": f"INT{a.int_bits}_MAX",
        "LIMIT": f"{float(a.greatest + 1)!r}{f}",
        "MASK": a.int_bits - 1,
        "BITS": a.int_bits,
        "MOST": f"INT{a.int_bits}_C({a.max_elements})",
        **_words_of_keys(a),
    }
    own = parts(_RUNTIME / "operations.h", words)
    return {name: with_bits(name, a.int_bits) for name in _SHARED} | own


def _words_of_keys(a: Arithmetic) -> dict[str, str]:
    """What the functions for keys are filled in with: the bits of nan; what an int has no room for;
    the bits of a real of those of ints."""
    bits = f"uint{a.real_bits}_t"
    low, nan = f"({bits})(uint{a.int_bits}_t)low", "0x7FF8000000000000"
    if a.real_bits == 32:
        nan = "0x7FC00000"
    if a.real_bits <= a.int_bits:
        return {"PATTERN": bits, "NAN_BITS": nan, "ABOVE": "* 0", "JOINED": low}
    joined = f"{low} | ({bits})high << {a.int_bits}"
    return {"PATTERN": bits, "NAN_BITS": nan, "ABOVE": f">> {a.int_bits}", "JOINED": joined}


_MEMORY: Final = ct.CVariable("memory", CPointer(CBasic("cogen_memory")))
_TABLE: Final = ct.CVariable("table", CPointer(CBasic("cogen_numbers")))
_LOOKED_AT: Final = ct.CVariable("table", CPointer(CConst(CBasic("cogen_numbers"))))
_KEY: Final = ct.CVariable("key", CPointer(CConst(I64)))


def tables(a: Arithmetic) -> dict[str, list[ct.Item]]:
    """Parts by name, in the order in which they are printed; each needs `memory` only."""
    texts = parts(_RUNTIME / "tables.h", {"INT": f"int{a.int_bits}_t"})
    found: dict[str, list[ct.Item]] = {name: [ct.CLibrary(text)] for name, text in texts.items()}
    for width in range(2, MOST_PARTS + 1):
        found["numbers"].append(_of_parts("number", "number_wide", width, (_MEMORY, _TABLE), I64))
    for width in range(1, MOST_PARTS + 1):
        for name, function in (("ahead", "fetch"), ("ahead_key", "fetch_key")):
            found["numbers"].append(_of_parts(name, function, width, (_LOOKED_AT,), VOID))
    return found


def _of_parts(
    name: str, function: str, width: int, first: Sequence[ct.CVariable], result: Type
) -> ct.CFunction:
    """A function of a key of several ints, each of them a parameter."""
    given = tuple([ct.CVariable(f"k{k}", I64) for k in range(width)])
    key = ct.CBraces(tuple([("", part) for part in given]))
    called = ct.CInvoke(f"cogen_{function}", (*first, _KEY, small(width)), result)
    body = (
        ct.CDeclare(CConst(I64), _KEY.name, key, small(width)),
        ct.CDo(called) if result == VOID else ct.CReturn(called),
    )
    return ct.CFunction(
        result, f"cogen_{name}_{width}", (*first, *given), body, qualifiers="static inline"
    )
