"""Columns: records and channels, one array for each field, for NumPy, Arrow, polars and pandas.

    table = signals.columns(data, "u12s4p4f32<", names=["level", "offset", "gain"])
    table["gain"]                          # an array of one dimension
    table.polars(), table.pandas(), table.arrow()
    polars.DataFrame(table)                # or whatever else takes Arrow's data

Numbers are handed to Arrow without a copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from cogen.boundary import public, public_methods
from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array, empty_array, readable
from cogen.signals.formats import channel_names
from cogen.signals.layout import AnyLayout
from cogen.signals.packing import parts_of
from cogen.signals.rows import AnyShape, Rows, to_shape
from cogen.signals.unpacking import items_in, unpack

ONE: Final = "value"
"""The name of a column that stands alone."""


@public_methods
class Columns(dict[str, Array]):
    """Arrays of one length by name, in order; a dict, so that whatever takes one takes it.

    Packages that take Arrow's data take it as it is (`__arrow_c_array__`, `__arrow_c_stream__`).
    CogenError for columns of different lengths or of several dimensions.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        super().__init__()
        for name, column in columns.items():
            self[name] = column

    def __setitem__(self, name: str, column: Any) -> None:
        if not isinstance(name, str):
            raise CogenError(f"the name of a column must be a string, not {shown(name)}")
        array = np.asarray(column)
        if array.ndim != 1:
            raise CogenError(f"the column {name!r} has {array.ndim} dimensions, not 1")
        lengths = {one: len(found) for one, found in self.items()} | {name: len(array)}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{one} {length}" for one, length in lengths.items())
            raise CogenError(f"columns have different lengths: {told}")
        super().__setitem__(name, array)

    def __missing__(self, name: object) -> Array:
        hint = "there are " + ", ".join(self)
        raise MissingColumn(f"there is no column {shown(name)}", hint=hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return Columns, (dict(self),)

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(next(iter(self.values()), ()))

    def structured(self) -> Array:
        """A structured array with a field for each column."""
        made: Array = empty_array((self.count,), [(n, c.dtype) for n, c in self.items()])
        for name, column in self.items():
            made[name] = column
        return made

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        made = self.structured()
        return made if dtype is None else made.astype(dtype)

    def arrow(self) -> Any:
        """A table of pyarrow's; CogenError if that package is not there."""
        return _package("pyarrow").table(self)

    def polars(self) -> Any:
        """A frame of polars'; CogenError if that package is not there."""
        return _package("polars").DataFrame(self)

    def pandas(self, index: str | None = None) -> Any:
        """A frame of pandas', perhaps with one of the columns as its index; CogenError if that
        package is not there."""
        made = _package("pandas").DataFrame(dict(self))
        if index is None:
            return made
        self[index]
        return made.set_index(index)

    def __arrow_c_schema__(self) -> Any:
        from cogen.signals.arrow import schema_capsule

        return schema_capsule(self)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        from cogen.signals.arrow import array_capsules

        return array_capsules(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        from cogen.signals.arrow import stream_capsule

        return stream_capsule(self, iter([self]))

    def __repr__(self) -> str:
        told = ", ".join(f"{name}: {column.dtype}" for name, column in self.items())
        return f"<{self.count} rows of {told}>"


class MissingColumn(CogenError, KeyError):
    """A name that no column has; also a KeyError, as for other mappings."""

    def __str__(self) -> str:
        return CogenError.__str__(self)


@public
def columns(
    data: Any,
    layout: AnyShape | str | None = None,
    count: int | None = None,
    names: Sequence[str] | None = None,
) -> Columns:
    """The columns of packed data in a layout, or without one those of an array or a mapping.

    A record gives a column for each field, channels one for each (`i` and `q` for radio samples,
    `red`, `green`, `blue` for colours, else `c0`, `c1` ...), plain samples one called `value`;
    complex numbers `i` and `q`.  `names` are names instead.  Rows become one after the other.
    CogenError for what `unpack` refuses, and for names that are not as many as the columns.
    """
    if layout is None:
        return Columns(_renamed(_of_array(data), names))
    shape = to_shape(layout)
    usual = channel_names(layout if isinstance(layout, str) else "", shape)
    if isinstance(shape, Rows) or shape.dtype.names is None:
        return Columns(_renamed(_of_array(unpack(data, shape, count), shape, usual), names))
    return Columns(_renamed(_of_records(data, shape, count), names))


def _of_records(data: object, layout: AnyLayout, count: int | None) -> dict[str, Array]:
    """The columns of records, a part after the other, so that no array of all records exists."""
    view = readable(data)
    items = items_in(layout, len(view), count)
    found = {field.name: empty_array((items,), field.dtype) for field in layout.fields}
    for first, part, some in parts_of(layout, items):
        records = unpack(view, part, some)
        for name, column in found.items():
            column[first : first + some] = records[name]
    return found


def _of_array(
    data: Any, shape: AnyShape | None = None, usual: Sequence[str] = ()
) -> dict[str, Array]:
    if isinstance(data, Mapping):
        return dict(data)
    if not isinstance(data, np.ndarray):
        raise CogenError(
            f"columns are made of an array, a mapping, or a buffer with a layout, not {shown(data)}"
        )
    if data.dtype.names is not None:
        flat = data.reshape(-1)
        return {name: flat[name] for name in data.dtype.names}
    if data.dtype.kind == "c":
        return {"i": data.real.reshape(-1), "q": data.imag.reshape(-1)}
    inner = data.shape[1:]
    if shape is not None:
        layout = shape.layout if isinstance(shape, Rows) else shape
        inner = () if layout.width is None else (layout.width,)
    if len(inner) > 1:
        raise CogenError(f"an array of {data.ndim} dimensions has no columns")
    if not inner:
        return {ONE: data.reshape(-1)}
    flat = data.reshape(-1, *inner)
    names = usual if len(usual) == inner[0] else [f"c{i}" for i in range(inner[0])]
    return {name: flat[:, i] for i, name in enumerate(names)}


def _renamed(columns: Mapping[str, Array], names: Sequence[str] | None) -> Mapping[str, Array]:
    if names is None:
        return columns
    if isinstance(names, str) or len(names) != len(columns):
        raise CogenError(f"there are {len(columns)} columns: {', '.join(columns)}",
                         hint="give a list of as many names")  # fmt: skip
    if len(set(names)) < len(names):
        raise CogenError("two columns have the same name")
    return dict(zip(names, columns.values(), strict=True))


def _package(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise CogenError(
            f"this needs the package {name}", hint=f"install it: pip install {name}"
        ) from None
