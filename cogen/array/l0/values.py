"""Values of L0 while a program runs.

An int, real, bool or char is a Python int, float, bool or one-character str, a certificate is
True, a tuple a tuple. An array is an `ArrayValue`, laid out as in seed 003, section 4.1: one of
basic elements is a NumPy array, one of tuples a tuple of arrays, so it is regular also inside its
tuples. Array values are never changed; they may share memory.

An array knows its shape even where it is empty. Sizes below a dimension of size 0 are what is
known without elements (see `cogen.array.l0.rowsizes`), else 0; they are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, Union

import numpy as np

from cogen.array.l0 import types
from cogen.array.l0.operators import Fault

Value = Union[int, float, bool, str, tuple["Value", ...], "ArrayValue"]

DTYPES: Final[dict[types.Type, np.dtype[Any]]] = {
    types.INT: np.dtype(np.int64),
    types.REAL: np.dtype(np.float64),
    types.BOOL: np.dtype(np.bool_),
    types.CERT: np.dtype(np.bool_),
    types.CHAR: np.dtype(np.uint32),
}

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayValue:
    """An array of basic values, or of tuples as a tuple of arrays.

    `shape` has the array's own dimensions; the arrays of a tuple have these first, and then those
    of what they hold.
    """

    shape: Shape
    content: np.ndarray[Any, np.dtype[Any]] | tuple[ArrayValue, ...]

    def __len__(self) -> int:
        return self.shape[0]


@dataclass(frozen=True, slots=True, eq=False)
class PackedValue(ArrayValue):
    """An array that is stored packed, as it is outside of a program: its content are bytes, its
    shape says how many elements they hold."""

    layout: str


def scalar(part: Any) -> Value:
    """A Python value from an element of a NumPy array."""
    return chr(part) if part.dtype == np.uint32 else part.item()


def element(array: ArrayValue, index: Shape) -> Value:
    """The element or row at an index that is within bounds."""
    content = array.content
    if isinstance(content, tuple):
        parts = tuple([element(part, index) for part in content])
        left = array.shape[len(index) :]
        return ArrayValue(left, parts) if left else parts  # type: ignore[arg-type]  # rows of arrays
    if len(index) == content.ndim:
        return scalar(content[index])
    return ArrayValue(array.shape[len(index) :], content[index])


def rows(array: ArrayValue) -> Iterator[Value]:
    """The elements of the outermost dimension."""
    content = array.content
    if isinstance(content, np.ndarray) and content.ndim == 1:
        values = content.tolist()
        return iter([chr(v) for v in values] if content.dtype == np.uint32 else values)
    return (element(array, (i,)) for i in range(len(array)))


def _row_shapes(array: ArrayValue, dimensions: int) -> list[Shape]:
    """The sizes below the first dimensions, of every part of an array."""
    found = [array.shape[dimensions:]]
    if isinstance(array.content, tuple):
        for part in array.content:
            found.extend(_row_shapes(part, dimensions))
    return found


def _differ(a: Shape, b: Shape) -> bool:
    for m, n in zip(a, b, strict=True):
        if m != n:
            return True
        if m == 0:
            return False
    return False


def show_shape(shape: Shape) -> str:
    return "x".join([str(size) for size in shape])


def same_rows(a: ArrayValue, b: ArrayValue, a_from: int = 0, b_from: int = 0) -> None:
    """Fault unless the arrays agree in size below the given numbers of dimensions."""
    pairs = zip(_row_shapes(a, a_from), _row_shapes(b, b_from), strict=True)
    for first, second in pairs:
        if _differ(first, second):
            raise Fault(
                f"the array would not be regular: it has rows of size {show_shape(first)} and "
                f"{show_shape(second)}"
            )


def build(elements: Sequence[Value], t: types.Type) -> ArrayValue:
    """The array of elements of a type.  Fault if it is not regular."""
    match t:
        case types.Basic():
            if t == types.CHAR:
                elements = [ord(c) for c in elements]  # type: ignore[arg-type]  # chars are str
            return ArrayValue((len(elements),), np.array(elements, dtype=DTYPES[t]))
        case types.TupleType():
            parts = tuple(
                [
                    build([row[i] for row in elements], part)  # type: ignore[index]  # rows are tuples
                    for i, part in enumerate(t.parts)
                ]
            )
            return ArrayValue((len(elements),), parts)
        case types.ArrayType():
            if not elements:
                return zeros((0,), t)
            return _stack(elements)  # type: ignore[arg-type]  # rows are arrays


def zeros(shape: Shape, t: types.Type) -> ArrayValue:
    """The array of a shape that holds no elements, of a type; sizes within these are 0."""
    while isinstance(t, types.ArrayType):
        shape, t = (*shape, 0), t.element
    if isinstance(t, types.TupleType):
        return ArrayValue(shape, tuple([zeros(shape, part) for part in t.parts]))
    return ArrayValue(shape, np.zeros(shape, DTYPES[t]))


def _stack(arrays: Sequence[ArrayValue]) -> ArrayValue:
    first = arrays[0]
    for other in arrays[1:]:
        same_rows(first, other)
    return _stack_alike(arrays)


def _stack_alike(arrays: Sequence[ArrayValue]) -> ArrayValue:
    first = arrays[0]
    shape = first.shape  # others may differ below an empty dimension
    whole = (len(arrays), *shape)
    if isinstance(first.content, tuple):
        parts = [
            _stack_alike([array.content[i] for array in arrays]) for i in range(len(first.content))
        ]
        return ArrayValue(whole, tuple(parts))
    if 0 in shape:
        return ArrayValue(whole, np.zeros(whole, first.content.dtype))
    contents: list[Any] = [array.content for array in arrays]
    return ArrayValue(whole, np.stack(contents))


def check_size(shape: Shape, most: int) -> None:
    """Fault unless there can be an array of a shape."""
    for size in shape:
        if size < 0:
            raise Fault(f"the size {size} is negative")
    if prod([max(size, 1) for size in shape]) > most:
        raise Fault(f"an array of size {show_shape(shape)} is too large")


def replicate(count: int, value: Value, t: types.Type, most: int) -> ArrayValue:
    """An array of so many copies of a value of a type, `most` elements at most."""
    one = build([value], t)
    check_size((count, *one.shape[1:]), most)
    return _each(one, lambda part: np.repeat(part, count, axis=0))


def iota(count: int, most: int) -> ArrayValue:
    """The integers below a number, which is `most` at most."""
    check_size((count,), most)
    return ArrayValue((count,), np.arange(count, dtype=np.int64))


def _each(array: ArrayValue, function: Any) -> ArrayValue:
    """Apply a function to the NumPy arrays, which changes the outermost dimension of all alike."""
    if isinstance(array.content, tuple):
        parts = tuple([_each(part, function) for part in array.content])
        size = len(function(np.zeros(array.shape[:1])))
        return ArrayValue((size, *array.shape[1:]), parts)
    content = function(array.content)
    return ArrayValue(content.shape, content)


def sizes(value: Value) -> list[int]:
    """The sizes of a value's dimensions, left to right as in its type, outermost first."""
    if isinstance(value, tuple):
        return [size for part in value for size in sizes(part)]
    if not isinstance(value, ArrayValue):
        return []
    found = list(value.shape)
    for part in value.content if isinstance(value.content, tuple) else ():
        found += sizes(part)[len(value.shape) :]
    return found


def lacks_elements(array: ArrayValue) -> bool:
    """Whether an array, or one in its tuples, has no elements."""
    if isinstance(array.content, tuple):
        return any(lacks_elements(part) for part in array.content)
    return array.content.size == 0


def with_row_sizes(array: ArrayValue, known: Sequence[int | None], most: int) -> ArrayValue:
    """The array with rows of other sizes, by dimension, where there are no elements.

    Fault if there can be no such row, of `most` elements at most.
    """
    return _with_sizes(array, array.shape[:1], list(known), most)


def _with_sizes(array: ArrayValue, outer: Shape, known: list[int | None], most: int) -> ArrayValue:
    """The same for an array of which the outer sizes are given; takes its sizes from `known`."""
    own = array.shape[len(outer) :]
    given = [known.pop(0) for _ in own]
    shape = (*outer, *[n if m is None else m for m, n in zip(given, own, strict=True)])
    if isinstance(array.content, tuple):
        parts = [_with_sizes(part, shape, known, most) for part in array.content]
        return ArrayValue(shape, tuple(parts))
    if array.content.size:
        return array
    check_size(shape[1:], most)
    return ArrayValue(shape, np.zeros(shape, array.content.dtype))


def select(array: ArrayValue, keep: Sequence[bool]) -> ArrayValue:
    """The rows that are to be kept."""
    mask = np.array(keep, dtype=np.bool_)
    return _each(array, lambda part: part[mask])


def gather(array: ArrayValue, order: Sequence[int]) -> ArrayValue:
    """The rows of some numbers, in that order."""
    places = np.array(order, dtype=np.int64)
    return _each(array, lambda part: part[places])


def split(count: int, array: ArrayValue) -> tuple[ArrayValue, ArrayValue]:
    """The first rows and the others."""
    if not 0 <= count <= len(array):
        raise Fault(f"an array of size {len(array)} cannot be split at {count}")
    return _each(array, lambda part: part[:count]), _each(array, lambda part: part[count:])


def concat(a: ArrayValue, b: ArrayValue) -> ArrayValue:
    """The rows of one array and of another."""
    if len(b) == 0:
        return a
    if len(a) == 0:
        return b
    same_rows(a, b, 1, 1)
    return _concat(a, b)


def _concat(a: ArrayValue, b: ArrayValue) -> ArrayValue:
    shape = (len(a) + len(b), *a.shape[1:])
    if isinstance(a.content, tuple):
        assert isinstance(b.content, tuple)
        parts = [_concat(x, y) for x, y in zip(a.content, b.content, strict=True)]
        return ArrayValue(shape, tuple(parts))
    assert isinstance(b.content, np.ndarray)
    if 0 in shape[1:]:
        return ArrayValue(shape, np.zeros(shape, a.content.dtype))
    return ArrayValue(shape, np.concatenate([a.content, b.content]))


def zip_arrays(arrays: Sequence[ArrayValue]) -> ArrayValue:
    """The array of tuples of elements."""
    for array in arrays:
        if len(array) != len(arrays[0]):
            raise Fault(f"the arrays have different sizes: {len(arrays[0])} and {len(array)}")
    return ArrayValue(arrays[0].shape[:1], tuple(arrays))


def unzip(array: ArrayValue) -> tuple[ArrayValue, ...]:
    """The arrays of the parts of an array of tuples."""
    assert isinstance(array.content, tuple)
    return array.content


def reshape(shape: Shape, array: ArrayValue, most: int) -> ArrayValue:
    """The elements in another shape, of `most` elements at most, sizes of 0 counted as 1."""
    check_size(shape, most)
    if prod(shape) != prod(array.shape):
        raise Fault(
            f"{prod(array.shape)} elements cannot be put into the shape {show_shape(shape)}"
        )
    return _reshape(shape, array, len(array.shape))


def _reshape(shape: Shape, array: ArrayValue, outer: int) -> ArrayValue:
    if isinstance(array.content, tuple):
        parts = tuple([_reshape(shape, part, outer) for part in array.content])
        return ArrayValue(shape + array.shape[outer:], parts)
    whole = shape + array.shape[outer:]
    return ArrayValue(whole, array.content.reshape(whole))


def rearrange(order: Shape, array: ArrayValue) -> ArrayValue:
    """The dimensions in another order: dimension i of the result is `order[i]` of the array."""
    shape = tuple([array.shape[k] for k in order]) + array.shape[len(order) :]
    if isinstance(array.content, tuple):
        return ArrayValue(shape, tuple([rearrange(order, part) for part in array.content]))
    axes = (*order, *range(len(order), array.content.ndim))
    return ArrayValue(shape, array.content.transpose(axes))


def transposed_order(dimensions: int, k: int, n: int) -> Shape:
    """The order of dimensions that a (k, n)-transposition gives."""
    order = list(range(dimensions))
    order.insert(k + n, order.pop(k))
    return tuple(order)


def check_index(array: ArrayValue, index: Shape) -> None:
    """Fault unless an index is within bounds."""
    for i, size in zip(index, array.shape, strict=False):
        if not 0 <= i < size:
            shown = ", ".join([str(k) for k in index])
            raise Fault(
                f"the index [{shown}] is out of bounds of an array of size "
                f"{show_shape(array.shape)}"
            )


def updated(array: ArrayValue, index: Shape, value: Value) -> ArrayValue:
    """A copy of the array with another element or row at an index within bounds."""
    if isinstance(value, ArrayValue):
        target = element(array, index)
        assert isinstance(target, ArrayValue)
        mine, new = _row_shapes(target, 0), _row_shapes(value, 0)
        for old_shape, new_shape in zip(mine, new, strict=True):
            if _differ(old_shape, new_shape):
                raise Fault(
                    f"a row of size {show_shape(new_shape)} cannot replace one of size "
                    f"{show_shape(old_shape)}"
                )
    return _updated(array, index, value)


def _updated(array: ArrayValue, index: Shape, value: Value) -> ArrayValue:
    content = array.content
    if isinstance(content, tuple):
        values = value.content if isinstance(value, ArrayValue) else value
        assert isinstance(values, tuple)
        parts = [updated(part, index, v) for part, v in zip(content, values, strict=True)]
        return ArrayValue(array.shape, tuple(parts))
    changed = content.copy()
    if isinstance(value, ArrayValue):
        if value.content.size:  # type: ignore[union-attr]  # of basic elements, as this one is
            changed[index] = value.content
    else:
        changed[index] = ord(value) if isinstance(value, str) else value
    return ArrayValue(array.shape, changed)
