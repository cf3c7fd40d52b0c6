"""How C tells what went wrong, whichever C it is: a number and some integers.

What can fail in a program is a *site*, which has a number from 1 on (`noted.Sites`).  Code that
fails notes that number and, as details, the integers that the message needs; what the site says,
its place, and whether it is a limitation of ours are known beside the code, never in it.
`noted.error_of` makes the error of what was noted.

    cogen_error *       where kernels note it, with the calls that led there (`cruntime.ERROR_TYPE`)
    the memory's error  where a thread of an array program does; the first thread's is the call's
    slots of an array   where an item of a kernel on a device does: number, iteration, details

Native programs can handle their errors, so these are objects with messages, made by their run time
(cogen/backends/native/runtime/control.c); what led there is told by numbers as well, of places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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

IN_CALL: Final = 3
"""The details that `cogen_fail` takes; others are assigned after it."""

FAIL: Final = """\
/* Note what went wrong, unless something else has before. */
__attribute__((cold, noinline))
static void cogen_fail(cogen_error *error, int64_t code, int64_t a, int64_t b, int64_t c)
{
    if (error->code == 0) {
        error->code = code;
        error->detail[0] = a;
        error->detail[1] = b;
        error->detail[2] = c;
    }
}
"""

DEEP: Final = """\
/* Whether less than a safe part of the stack is left. */
static inline bool cogen_deep(uintptr_t stack_limit)
{
    return (uintptr_t)__builtin_frame_address(0) < stack_limit;
}
"""

ERROR: Final = CBasic("cogen_error")


def error_type(title: str, details: int, more: str = "") -> str:
    """The type of what is noted: `more` are members besides number and details."""
    return f"""\
/* {title} */
typedef struct {{
    int64_t code;
    int64_t detail[{details}];
{more}}} cogen_error;
"""


def noting(error: Expr, number: int, details: Sequence[Expr]) -> list[Statement]:
    """The statements that note a failure in the `cogen_error` at an address."""
    within = [*details[:IN_CALL], *[small(0)] * (IN_CALL - len(details))]
    noted = CInvoke("cogen_fail", (error, small(number), *within), VOID)
    slots: Expr = CField(error, "detail", CPointer(I64))
    if isinstance(error, CUnary) and error.operator == "&":
        slots = CMember(error.operand, "detail", CPointer(I64))
    rest = enumerate(details[IN_CALL:], IN_CALL)
    return [CDo(noted), *[CAssign(CIndex(slots, small(at)), detail) for at, detail in rest]]


def is_deep(stack_limit: Expr) -> Expr:
    """A test whether little is left of the stack."""
    return CInvoke("cogen_deep", (stack_limit,), BOOL)
