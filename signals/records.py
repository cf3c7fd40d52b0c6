"""Records as people have them -> structured arrays: columns by name, tuples, dictionaries.

    {"level": [1, 2], "gain": [0.5, 1.0]}        [(1, 0.5), (2, 1.0)]
    [{"level": 1, "gain": 0.5}, ...]             {"level": 1, "gain": 0.5}       one record

Tables of packages are columns by name.  Numbers keep their types, which whoever packs them checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cogen.buffers import refuse_masked
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array, array_of
from cogen.signals.layout import AnyLayout


def as_records(given: Any, layout: AnyLayout) -> Any:
    """The structured array of what is given for a layout of records; as it is what is no mapping
    and no sequence of records.  CogenError for fields that are missing, or that nobody knows, and
    for columns of several lengths."""
    names = layout.dtype.names or ()
    if isinstance(given, np.ndarray) or not names:
        return given
    if isinstance(given, list | tuple) and given:
        given = _columns_of(given, names)
    if not isinstance(given, Mapping) and not (
        hasattr(given, "columns") and hasattr(given, "__getitem__")  # a table of some package
    ):
        return given
    have = [*(given if isinstance(given, Mapping) else given.columns)]
    _check_names(have, names)
    columns = {name: _column(given[name], name) for name in names}
    lengths = {len(column) for column in columns.values() if column.ndim}
    if len(lengths) > 1:
        told = ", ".join(f"{name} {len(c)}" for name, c in columns.items() if c.ndim)
        raise CogenError(f"the columns of records have several lengths: {told}")
    kinds = [(name, column.dtype) for name, column in columns.items()]
    made: Array = np.empty(lengths.pop() if lengths else 1, np.dtype(kinds))
    for name, column in columns.items():
        made[name] = column
    return made


def _columns_of(given: Sequence[Any], names: tuple[str, ...]) -> Any:
    """Records one after the other as columns; what is none as it is."""
    if all(isinstance(one, Mapping) for one in given):
        for one in given:
            _check_names([*one], names)
        return {name: [one[name] for one in given] for name in names}
    if not all(isinstance(one, tuple) for one in given):
        return given
    wrong = next((i for i, one in enumerate(given) if len(one) != len(names)), None)
    if wrong is not None:
        raise CogenError(
            f"a record has the fields {', '.join(names)}, but that at index {wrong} has "
            f"{len(given[wrong])} values"
        )
    return dict(zip(names, map(list, zip(*given, strict=True)), strict=True))


def _check_names(have: Sequence[Any], names: tuple[str, ...]) -> None:
    missing = [name for name in names if name not in have]
    unknown = [name for name in have if name not in names]
    if missing or unknown:
        told = f"lacks {missing[0]!r}" if missing else f"has {unknown[0]!r}"
        raise CogenError(
            f"the fields of a record are {', '.join(names)}, but what is packed {told}"
        )


def _column(given: Any, name: str) -> Array:
    refuse_masked(given, f"the column {name}")
    try:
        made = array_of(given)
    except (ValueError, TypeError, OverflowError) as error:
        raise CogenError(f"the column {name} makes no array: {error}") from None
    if made.ndim > 1:
        raise CogenError(f"the column {name} must have one dimension, not {made.ndim}")
    return made
