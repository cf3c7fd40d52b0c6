"""What each primitive is in each part of the system: said by its row, by a rule, or not there.

    cells("bit-count")["kernel C"]  ->  "its template"

The parts are those that `PARTS` names.  A primitive that a part does not have is `none, because
...`: the reason follows from its types and its effect, or its row says it (`without`).  What
neither is there nor has a reason is a mistake, which tests look for: `missing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from cogen.array.scheme.primitivecode import MAKERS
from cogen.backends.kernel import coperations
from cogen.backends.native import operations as native
from cogen.lang.inline import INLINE
from cogen.lang.prims import PRIMITIVES, PrimitiveRow
from cogen.lang.primtable.row import C_TYPES
from cogen.mix import operations as mix
from cogen.specializer.rules import WITH_RULES

MISSING: Final = "missing"
"""What a cell says that should be there."""

OF_ARRAYS: Final = C_TYPES | {"number", "integer"}
OF_KERNELS: Final = OF_ARRAYS | {"memory", "unspecified"}
"""The types of operands and results there."""


def cells(name: str) -> dict[str, str]:
    """What a primitive is in each part."""
    row = PRIMITIVES[name]
    return {part: cell(row) for part, cell in PARTS.items()}


def missing(name: str) -> list[str]:
    """The parts that neither have the primitive nor say why not."""
    return [part for part, text in cells(name).items() if text == MISSING]


def _because(row: PrimitiveRow, part: str, types: frozenset[str] = frozenset()) -> str:
    """Why a part does not have the primitive."""
    reason = row.without.get(part)
    if reason is None and row.effect in ("alloc", "output", "control"):
        reason = f"it has no operations of effect {row.effect}"
    if reason is None and types:
        lacking = [one for one in (*row.arguments, row.result) if one not in types]
        reason = f"it has no values of type {lacking[0]}" if lacking else None
    return MISSING if reason is None else f"none, because {reason}"


def _interpreter(row: PrimitiveRow) -> str:
    if row.inline is not None:
        return "its expression for integers, else its Python meaning, called"
    if row.name in INLINE:
        return "a Python expression in lang/inline.py"
    return "its Python meaning, called"


def _interval(row: PrimitiveRow) -> str:
    if row.interval is not None:
        return "its row"
    is_number = row.result in ("int", "number")
    return "any integer" if is_number else "none, because its result is no integer"


def _partly_known(row: PrimitiveRow) -> str:
    if row.name in WITH_RULES:
        return "a rule in cogen/specializer/rules/"
    return "carried out when all is known, else left"


def _kernels(row: PrimitiveRow) -> str:
    if row.name in coperations.RULES:
        return "a rule in cogen/backends/kernel/"
    if row.name in ("load-word", "store-word!"):
        return "cogen/backends/kernel/cfunction.py"
    if row.effect == "pure" and row.result == "unspecified":
        return "nothing, as nothing is computed"
    return "its template" if row.c is not None else _because(row, "kernel C", OF_KERNELS)


def _whole(row: PrimitiveRow) -> str:
    tables = (native.CONDITIONS, native.TESTS, native.VALUES, native.EFFECTS)
    called = "its template" if row.c is not None else "cogen/backends/native/runtime/"
    return f"in line, else {called}" if any(row.name in table for table in tables) else called


def _arrays(row: PrimitiveRow) -> str:
    if row.operator is not None:
        return f"the operator {row.operator}, of integers"
    if row.name in MAKERS:
        return "a rule in cogen/array/scheme/primitivecode.py"
    if row.array is not None:
        return f"the function {row.array}, by its template"
    return _because(row, "arrays", OF_ARRAYS)


def _mix(row: PrimitiveRow) -> str:
    if row.name in mix.SAME:
        return f"as {mix.SAME[row.name]}"
    if row.name in mix.OUTSIDE:
        return "none, because only `cogen specialize` has a use for it"
    done = row.name in mix.PRIMITIVES or row.name in mix.RECORDS
    return "an operation of the small language" if done else "left to the residual program"


PARTS: Final[Mapping[str, Callable[[PrimitiveRow], str]]] = {
    "interpreter": _interpreter,
    "interval": _interval,
    "partly known": _partly_known,
    "kernel C": _kernels,
    "whole C": _whole,
    "arrays": _arrays,
    "mix": _mix,
}
