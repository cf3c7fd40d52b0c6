"""How values of the graph stand in generated code.

    rep ::= Scalar value                an expression that may be repeated: a variable or a constant
        | Memory data, strides, shape   an array in memory: a pointer to its first element
        | Counter start, strides        element [i, j] is start + i*stride0 + j*stride1: iota
        | Packed samples, start, strides   samples of packed memory, as linearly: read where used
        | Fill value                    all elements are alike: replicate of a scalar

Shapes, strides (in elements) and offsets are expressions of the loop IR. Views (rows, slices,
rearrangements, replicated rows with the stride 0) are other reps of the same memory, so they cost
nothing. A `Handle` is the block that memory lies in, with a reference count at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cogen.array.ir.graphtypes import ScalarType
from cogen.array.l0.storage import Samples
from cogen.array.loops.expressions import ZERO, load, plus, product, times
from cogen.array.loops.tree import Binary, Const, Expr, Get, Number


@dataclass(eq=False, slots=True)
class Handle:
    """A block of memory: `owner` refers to it, in the scope that counts it."""

    owner: Expr


@dataclass(frozen=True, slots=True)
class ScalarRep:
    """A value without structure."""

    value: Expr


@dataclass(frozen=True, slots=True)
class MemoryRep:
    """An array in memory; no handle for memory of the caller's, which is never freed here.

    `packed`: elements are stored as samples, and never read; the shape is that of the bytes.
    """

    element: ScalarType
    data: Expr
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    dense: bool
    handle: Handle | None
    packed: Samples | None = None


@dataclass(frozen=True, slots=True)
class CounterRep:
    """An array of ints that depend linearly on the indices."""

    element: ScalarType
    start: Expr
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class FillRep:
    """An array of equal elements."""

    element: ScalarType
    value: Expr
    shape: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class PackedRep:
    """An array whose elements are samples of packed memory, which depend linearly on the indices;
    they are read where they are used. `last` is as in `loops.tree.Get`."""

    element: ScalarType
    number: Number
    samples: Samples
    data: Expr
    last: Expr
    start: Expr
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]


Array = MemoryRep | CounterRep | PackedRep | FillRep
Rep = ScalarRep | Array


def row_major(shape: Sequence[Expr]) -> tuple[Expr, ...]:
    """The strides of an array without gaps."""
    return tuple([product(shape[k + 1 :]) for k in range(len(shape))])


def dense(
    element: ScalarType, data: Expr, shape: Sequence[Expr], handle: Handle | None = None
) -> MemoryRep:
    """An array without gaps."""
    return MemoryRep(element, data, tuple(shape), row_major(shape), True, handle)


def offset(strides: Sequence[Expr], indices: Sequence[Expr]) -> Expr:
    """The place of an element, in elements after the first."""
    found: Expr = ZERO
    for index, stride in zip(indices, strides, strict=False):
        found = plus(found, times(index, stride))
    return found


def element(array: Array, indices: Sequence[Expr]) -> Expr:
    """One element."""
    match array:
        case MemoryRep():
            found = load(array.data, offset(array.strides, indices))
            is_truth = array.element.kind in ("bool", "cert")
            return Binary("!=", found, Const(0, found.type)) if is_truth else found
        case CounterRep():
            return plus(array.start, offset(array.strides, indices))
        case PackedRep():
            place = plus(array.start, offset(array.strides, indices))
            return Get(array.samples, array.data, array.last, place, array.number)
        case FillRep():
            return array.value


def view(array: Array, indices: Sequence[Expr], data: Expr | None = None) -> Array:
    """The row at indices; `data` is the name of the pointer to its first element."""
    count = len(indices)
    match array:
        case MemoryRep():
            assert data is not None
            rest = array.strides[count:]
            return replace(array, data=data, shape=array.shape[count:], strides=rest)
        case CounterRep() | PackedRep():
            start = plus(array.start, offset(array.strides, indices))
            rest = array.strides[count:]
            return replace(array, start=start, shape=array.shape[count:], strides=rest)
        case FillRep():
            return replace(array, shape=array.shape[count:])


def rearranged(array: Array, order: Sequence[int]) -> Array:
    """The dimensions in another order."""
    shape = tuple([array.shape[k] for k in order])
    if isinstance(array, FillRep):
        return replace(array, shape=shape)
    strides = tuple([array.strides[k] for k in order])
    if isinstance(array, (CounterRep, PackedRep)):
        return replace(array, shape=shape, strides=strides)
    same = tuple(order) == tuple(range(len(order)))
    return replace(array, shape=shape, strides=strides, dense=array.dense and same)


def repeated(array: Array, size: Expr) -> Array:
    """So many times the same row."""
    shape = (size, *array.shape)
    if isinstance(array, FillRep):
        return replace(array, shape=shape)
    strides = (ZERO, *array.strides)
    if isinstance(array, (CounterRep, PackedRep)):
        return replace(array, shape=shape, strides=strides)
    return replace(array, shape=shape, strides=strides, dense=False)
