"""Arrays of Arrow (pyarrow) as arguments: NumPy arrays, on their memory where that is possible.

Nulls are refused: there is no value of an array program that they are. Nothing of pyarrow is
imported: what an array is, it says itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cogen.array.l0.types import CaseType, UnionType
from cogen.lang.errors import CogenError


def is_arrow(value: Any) -> bool:
    """Whether a value is an array of Arrow."""
    return (
        hasattr(value, "__arrow_c_array__")
        or hasattr(value, "__arrow_array__")
        or (type(value).__module__.partition(".")[0] == "pyarrow" and hasattr(value, "chunks"))
    )


_TEXTS: Final = ("string", "large_string", "string_view")

Absent = Callable[[], np.ndarray[Any, Any]]
"""Where the values of a field are none of a union's case: they may be null, which is 0."""


def in_one_piece(value: Any, what: str, absent: Absent | None = None) -> Any:
    """An array of Arrow without chunks.  CogenError for one with nulls, but where they may be."""
    if hasattr(value, "chunks"):
        value = value.chunk(0) if value.num_chunks == 1 else value.combine_chunks()
        if hasattr(value, "chunks"):
            value = value.chunk(0)
    if not getattr(value, "null_count", 0):
        return value
    if absent is None or value.type.num_fields or np.any(np.asarray(value.is_null()) & ~absent()):
        raise CogenError(f"{what} has elements that are null", hint="fill them: a.fill_null(0)")
    kind = str(value.type)
    return value.fill_null("" if kind in _TEXTS else False if kind == "bool" else 0)


def of_arrow(value: Any, what: str, absent: Absent | None = None) -> np.ndarray[Any, Any]:
    """The elements of an array of Arrow; of lists of one fixed length, rows."""
    value = in_one_piece(value, what, absent)
    width = getattr(getattr(value, "type", None), "list_size", None)
    if width is not None:
        rows = of_arrow(value.flatten(), what)
        return rows.reshape((len(value), width, *rows.shape[1:]))
    found = np.asarray(value.to_numpy(zero_copy_only=False))
    return found.astype(np.str_) if str(getattr(value, "type", "")) in _TEXTS else found


def union_columns(value: Any, t: UnionType, what: str) -> Callable[[str], Any] | None:
    """The columns of an array of Arrow's unions, sparse or dense; None if it is none.

    A case whose child is no structure has one field. What a case does not have is 0.
    """
    if not (is_arrow(value) and hasattr(value, "type_codes")):
        return None
    codes = np.asarray(value.type_codes)
    names = [value.type.field(k).name for k in range(value.type.num_fields)]
    own = dict(zip(value.type.type_codes, range(len(names)), strict=True))
    children = np.array([own[code] for code in codes.tolist()], np.int64)
    cases = {case.name: case for case in t.cases}

    def column(name: str) -> Any:
        if name == t.names[0]:
            return np.array(names)[children] if names else children
        found = None
        for number, child in enumerate(names):
            rows = np.flatnonzero(children == number)
            case = cases.get(child)
            if case is None or not rows.size or name not in case.fields:
                continue
            part = _field(value, number, case, name, what)
            at = np.asarray(value.offsets)[rows] if value.type.mode == "dense" else rows
            given = of_arrow(part.take(at.astype(np.int64)), f"the field `{name}` of {what}")
            if found is None:
                found = np.zeros(len(children), given.dtype)
            found[rows] = given
        return found

    return column


def _field(value: Any, number: int, case: CaseType, name: str, what: str) -> Any:
    """The values of one field of a case."""
    child = value.field(number)
    if child.type.num_fields:
        known = [child.type.field(k).name for k in range(child.type.num_fields)]
        if name not in known:
            raise CogenError(f"{what} has no field `{name}`, which `{case.name}` has")
        return child.field(name)
    if len(case.fields) != 1:
        fields = ", ".join(case.fields)
        raise CogenError(f"{what} has no structure for `{case.name}`, whose fields are {fields}")
    return child
