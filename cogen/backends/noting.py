"""How C notes what went wrong (`cogen.backends.failures`): trees of C, and the functions they call.

cogen_error *       where kernels note it, with the calls that led there
the memory's error  where a thread of an array program does; the first thread's is the call's
slots of an array   where an item of a kernel on a device does: number, iteration, details
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from cogen.backends.ctree.helpers import parts
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CAssign,
    CDo,
    CField,
    CIndex,
    CInvoke,
    CMember,
    CUnary,
    Expr,
    Statement,
)
from cogen.backends.ctree.types import BOOL, I64, VOID, CBasic, CPointer
from cogen.backends.failures import FAIL_DETAILS, KERNEL_ERROR, LIMITS

ERROR: Final = CBasic(KERNEL_ERROR.name)


@cache
def functions() -> Mapping[str, str]:
    """The functions of C that note failures, by name."""
    words = {name: limit.number for name, limit in LIMITS.items()}
    return parts(Path(__file__).with_name("noting.h"), words)


def noting(error: Expr, number: int, details: Sequence[Expr]) -> list[Statement]:
    """The statements that note a failure in the `cogen_error` at an address."""
    within = [*details[:FAIL_DETAILS], *[small(0)] * (FAIL_DETAILS - len(details))]
    noted = CInvoke("cogen_fail", (error, small(number), *within), VOID)
    slots: Expr = CField(error, "detail", CPointer(I64))
    if isinstance(error, CUnary) and error.operator == "&":
        slots = CMember(error.operand, "detail", CPointer(I64))
    rest = enumerate(details[FAIL_DETAILS:], FAIL_DETAILS)
    return [CDo(noted), *[CAssign(CIndex(slots, small(at)), detail) for at, detail in rest]]


def is_deep(stack_limit: Expr) -> Expr:
    """A test whether little is left of the stack."""
    return CInvoke("cogen_deep", (stack_limit,), BOOL)
