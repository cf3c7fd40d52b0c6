"""Literals of C: numbers by their types, strings, and numbers that have no literals."""

from __future__ import annotations

import math
import re
from typing import Final

from cogen.backends.ctree.tree import CCast, CConstant, CNumber, CString, CUnary, Expr
from cogen.backends.ctree.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    I32,
    I64,
    INT,
    LONG,
    LONG_LONG,
    SIZE,
    U32,
    U64,
    VOID,
    CPointer,
    Type,
    text,
)
from cogen.lang.errors import InternalError

TRUE: Final = CConstant("true", BOOL)
FALSE: Final = CConstant("false", BOOL)
NULL: Final = CConstant("NULL", CPointer(VOID))

_LEAST: Final[dict[tuple[int, Type], str]] = {
    **dict.fromkeys([(-(1 << 63), I64), (-(1 << 63), LONG)], "INT64_MIN"),
    **dict.fromkeys([(-(1 << 31), I32), (-(1 << 31), INT)], "INT32_MIN"),
}  # fmt: skip
"""A literal with a minus is C's negation of one without, so the least number has a name."""

_FORMS: Final[dict[Type, str]] = {
    INT: "{}", I32: "{}", U32: "{}u", I64: "INT64_C({})", U64: "UINT64_C({})", LONG_LONG: "{}LL",
    SIZE: "{}", LONG: "{}",
}  # fmt: skip


def number(n: CNumber) -> str:
    """The text of a number.  InternalError if there is none of its type."""
    value, t = n.value, n.type
    if isinstance(value, float):
        return _float(value, t, n.hexadecimal)
    if t is INT and value >= 0 and not n.hexadecimal:  # most are
        return str(value)
    least, form = _LEAST.get((value, t)), _FORMS.get(t)
    if least is not None:
        return least
    if form is None:
        raise InternalError(f"C has no literal of type {text(t)}")
    return form.format(f"{'-' if value < 0 else ''}0x{abs(value):x}" if n.hexadecimal else value)


def _float(value: float, t: Type, hexadecimal: bool) -> str:
    if not math.isfinite(value) or t not in (DOUBLE, FLOAT):
        raise InternalError(f"C has no literal of {value} of type {text(t)}")
    if hexadecimal:
        return re.sub(r"\.?0*p\+?", "p", value.hex(), count=1)
    return repr(value) if t == DOUBLE else f"{value!r}f"


def real(value: float, t: Type = DOUBLE) -> Expr:
    """A number that reads back exactly; NaN and infinities by their macros."""
    if math.isnan(value):
        return CCast(t, CConstant("NAN", FLOAT))
    if math.isinf(value):
        found = CCast(t, CConstant("INFINITY", FLOAT))
        return CUnary("-", found) if value < 0 else found
    return CNumber(value, t)


def small(value: int) -> CNumber:
    """A number as C reads it without a suffix."""
    return CNumber(value, INT)


def truth(value: bool) -> CConstant:
    return TRUE if value else FALSE


def string(text: str) -> CString:
    """The literal of a text."""
    return CString(text.encode("utf-8", "replace"))


def quoted(data: bytes) -> str:
    """The text of a string."""
    return '"' + "".join([_ESCAPES[byte] for byte in data]) + '"'


def _escape(byte: int) -> str:
    if byte in (0x22, 0x5C):
        return "\\" + chr(byte)
    if 0x20 <= byte < 0x7F and byte != 0x3F:
        return chr(byte)
    return f"\\{byte:03o}"


_ESCAPES: Final = [_escape(byte) for byte in range(256)]
