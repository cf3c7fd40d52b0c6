"""Arrays of records as results: structured arrays of NumPy that Arrow's consumers take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from cogen.lang.errors import CogenError

CASE: Final = "case"
"""The column, or the key of a mapping, that says which case a value of a union is."""


class RecordArray(np.recarray[Any, Any]):
    """A structured array whose fields are columns for `pyarrow.table` and what else takes Arrow's
    streams.  It is a copy there, as fields of records lie between each other.

    `_cases` says of an array of a union's values which cases have a field; in others it is null
    there, where it is 0 here.
    """

    _cases: Mapping[str, Sequence[str]] | None = None

    def __array_finalize__(self, obj: Any) -> None:
        super().__array_finalize__(obj)
        self._cases = getattr(obj, "_cases", None)

    def _table(self) -> Any:
        """The `pyarrow.Table` of the fields.  CogenError without pyarrow, or with other than one
        dimension."""
        try:
            import pyarrow
        except ImportError:
            raise CogenError(
                "tables of Arrow need pyarrow", hint="pip install pyarrow; or a[name] of a field"
            ) from None
        if self.ndim != 1:
            raise CogenError(f"a table has one dimension, this array has {self.ndim}")
        names = self.dtype.names or ()
        columns = {n: _column(pyarrow, self[n], self._absent(n)) for n in names}
        return pyarrow.table(columns)

    def _absent(self, name: str) -> np.ndarray[Any, Any] | None:
        """Where a field is none of the value's."""
        if self._cases is None or name not in self._cases:
            return None
        return np.isin(np.asarray(self[CASE]), list(self._cases[name]), invert=True)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table().__arrow_c_stream__(requested_schema)


def as_records(
    array: np.ndarray[Any, Any], cases: Mapping[str, Sequence[str]] | None = None
) -> RecordArray:
    """A structured array as one of records; of a union's values, with the cases by field."""
    found = array.view(RecordArray)
    found._cases = cases
    return found


def _column(
    pyarrow: Any, field: np.ndarray[Any, Any], absent: np.ndarray[Any, Any] | None = None
) -> Any:
    """An array of Arrow: of records one of structures, of rows one of lists of their size."""
    if field.dtype.names:
        parts = [_column(pyarrow, field[name]) for name in field.dtype.names]
        return pyarrow.StructArray.from_arrays(parts, list(field.dtype.names))
    if field.ndim == 1:
        return pyarrow.array(np.ascontiguousarray(field), mask=absent)
    flat = _column(pyarrow, np.ascontiguousarray(field).reshape(-1, *field.shape[2:]))
    if not len(flat):
        return pyarrow.array([[]] * len(field), pyarrow.list_(flat.type, field.shape[1]))
    return pyarrow.FixedSizeListArray.from_arrays(flat, field.shape[1])
