"""How values of the graph stand in generated code.

    rep ::= Scalar text                 an expression that may be repeated: a name or a constant
        | Memory data, strides, shape   an array in memory: a pointer to its first element
        | Counter start, strides        element [i, j] is start + i*stride0 + j*stride1: iota
        | Fill value                    all elements are alike: replicate of a scalar

Shapes, strides (in elements) and offsets are texts of expressions. Views (rows, slices,
rearrangements, replicated rows with the stride 0) are other reps of the same memory, so they cost
nothing. A `Handle` is the block that memory lies in, with a reference count at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cogen.array.types import Scalar as ScalarType


@dataclass(eq=False, slots=True)
class Handle:
    """A block of memory: `owner` is the variable that refers to it, in the scope that counts it."""

    owner: str


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value without structure."""

    text: str


@dataclass(frozen=True, slots=True)
class Memory:
    """An array in memory; no handle for memory of the caller's, which is never freed here."""

    element: ScalarType
    data: str
    shape: tuple[str, ...]
    strides: tuple[str, ...]
    dense: bool
    handle: Handle | None


@dataclass(frozen=True, slots=True)
class Counter:
    """An array of ints that depend linearly on the indices."""

    element: ScalarType
    start: str
    shape: tuple[str, ...]
    strides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fill:
    """An array of equal elements."""

    element: ScalarType
    value: str
    shape: tuple[str, ...]


Array = Memory | Counter | Fill
Rep = Scalar | Array


def atom(text: str) -> str:
    """The text in parentheses where it is more than a name or a number."""
    plain = text.replace("_", "").replace(".", "").replace("[", "").replace("]", "")
    return text if plain.isalnum() or _is_call(text) else f"({text})"


def _is_call(text: str) -> bool:
    """Whether the text is one pair of parentheses, perhaps after a name."""
    start = text.find("(")
    if start < 0 or not text.endswith(")") or not text[:start].replace("_", "").isalnum():
        return start == 0 and text.endswith(")") and _matched(text)
    return _matched(text[start:])


def _matched(text: str) -> bool:
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def times(a: str, b: str) -> str:
    """The product of two texts."""
    if "0" in (a, b):
        return "0"
    if a == "1":
        return b
    if b == "1":
        return a
    return f"{atom(a)} * {atom(b)}"


def bytes_of(count: str, what: str) -> str:
    """The size of so many of a type or a place, as C's memcpy takes it."""
    return f"(size_t){atom(count)} * sizeof({what})"


def plus(a: str, b: str) -> str:
    """The sum of two texts."""
    if a == "0":
        return b
    if b == "0":
        return a
    return f"{a} + {b}"


def product(sizes: Sequence[str]) -> str:
    """The product of sizes."""
    found = "1"
    for size in sizes:
        found = times(found, size)
    return found


def row_major(shape: Sequence[str]) -> tuple[str, ...]:
    """The strides of an array without gaps."""
    return tuple([product(shape[k + 1 :]) for k in range(len(shape))])


def dense(
    element: ScalarType, data: str, shape: Sequence[str], handle: Handle | None = None
) -> Memory:
    """An array without gaps."""
    return Memory(element, data, tuple(shape), row_major(shape), True, handle)


def offset(strides: Sequence[str], indices: Sequence[str]) -> str:
    """The place of an element, in elements after the first."""
    found = "0"
    for index, stride in zip(indices, strides, strict=False):
        found = plus(found, times(index, stride))
    return found


def element(array: Array, indices: Sequence[str]) -> str:
    """The text of one element."""
    match array:
        case Memory():
            text = f"{array.data}[{offset(array.strides, indices)}]"
            return f"({text} != 0)" if array.element.kind in ("bool", "cert") else text
        case Counter():
            return plus(array.start, offset(array.strides, indices))
        case Fill():
            return array.value


def view(array: Array, indices: Sequence[str], data: str | None = None) -> Array:
    """The row at indices; `data` is the name of the pointer to its first element."""
    count = len(indices)
    match array:
        case Memory():
            assert data is not None
            rest = array.strides[count:]
            return replace(array, data=data, shape=array.shape[count:], strides=rest)
        case Counter():
            start = plus(array.start, offset(array.strides, indices))
            rest = array.strides[count:]
            return replace(array, start=start, shape=array.shape[count:], strides=rest)
        case Fill():
            return replace(array, shape=array.shape[count:])


def rearranged(array: Array, order: Sequence[int]) -> Array:
    """The dimensions in another order."""
    shape = tuple([array.shape[k] for k in order])
    if isinstance(array, Fill):
        return replace(array, shape=shape)
    strides = tuple([array.strides[k] for k in order])
    if isinstance(array, Counter):
        return replace(array, shape=shape, strides=strides)
    same = tuple(order) == tuple(range(len(order)))
    return replace(array, shape=shape, strides=strides, dense=array.dense and same)


def repeated(array: Array, size: str) -> Array:
    """So many times the same row."""
    shape = (size, *array.shape)
    if isinstance(array, Fill):
        return replace(array, shape=shape)
    strides = ("0", *array.strides)
    if isinstance(array, Counter):
        return replace(array, shape=shape, strides=strides)
    return replace(array, shape=shape, strides=strides, dense=False)
