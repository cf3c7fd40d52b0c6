"""Storage: how the elements of an array lie in a packed buffer, apart from their type.

    storage   ::= Storage(text, leaf ...)          of a parameter or a result: `[packed "u4u12"]`
    leaf      ::= Samples(step, offset, order, pieces ..., kind, scale?)

What a text means is what `cogen.signals` says of it, groups included; an element is then

    int                   samples that are integers
    real                  floats, and samples that have a scale
    {t, ...}              records, and channels: a leaf for each of their fields

A leaf's samples take the places that `pieces` list in turn: sample i has those of number i modulo
their count, in group i divided by it. Integers are modulo 2^64, so the highest half of unsigned
ones of 64 bits is negative.

Law: an array program on packed arguments is `signals.unpack`, the same program on what that gives,
and `signals.pack`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from math import gcd
from typing import Any, Final, Literal

import numpy as np

from cogen.array.l0.types import (
    INT,
    REAL,
    ArrayType,
    Basic,
    TupleType,
    Type,
    has_packed,
    packed_layout,
)
from cogen.lang.errors import CogenError

Array = np.ndarray[Any, Any]
Fit = Literal["check", "wrap", "saturate"]

FITS: Final = ("check", "wrap", "saturate")
"""What becomes of values out of range: an error, their low bits, the nearest value."""

MOST_FIELDS: Final = 64
"""The most parts of the tuples that the elements of a packed array are."""

Pieces = tuple[tuple[int, int], ...]
"""Addresses and sizes in bits, counted from the start of a group; the high bits come first."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Where the samples of one leaf are, and what their bits mean: kind is "unsigned", "signed" or
    "float", values are samples times `scale`, if there is one."""

    step: int
    offset: int
    order: str
    pieces: tuple[Pieces, ...]
    kind: str
    scale: float | None = None

    @property
    def is_real(self) -> bool:
        return self.kind == "float" or self.scale is not None

    def size(self, place: int = 0) -> int:
        """The bits of the samples that have a place of `pieces`."""
        return sum([size for _, size in self.pieces[place]])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The bits of the samples, place by place."""
        return tuple([self.size(place) for place in range(len(self.pieces))])

    def limits(self, place: int = 0) -> tuple[int, int]:
        """The least and the greatest integer that a sample holds."""
        size = self.size(place)
        if self.kind == "signed":
            return -1 << (size - 1), (1 << (size - 1)) - 1
        return 0, (1 << size) - 1


@dataclass(frozen=True)
class Storage:
    """How the elements of an array are stored: a layout of `cogen.signals`, and its leaves."""

    text: str
    layout: Any
    leaves: tuple[Samples, ...]
    is_tuple: bool

    @cached_property
    def element(self) -> Type:
        """The type of the elements in an array program."""
        types = [REAL if leaf.is_real else INT for leaf in self.leaves]
        return TupleType(tuple(types)) if self.is_tuple else types[0]

    @property
    def group(self) -> int:
        """How many elements are stored together: packed arrays have a multiple of it."""
        return 1 if self.is_tuple else len(self.leaves[0].pieces)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of a record's fields; f0, f1, ... of channels."""
        names = getattr(self.layout.dtype, "names", None)
        return names or tuple([f"f{i}" for i in range(len(self.leaves))])

    @cached_property
    def high(self) -> int:
        """The address after a group's last bit, from the group's start."""
        return max([a + n for leaf in self.leaves for pieces in leaf.pieces for a, n in pieces])

    @cached_property
    def low(self) -> int:
        """The address of a group's first bit, from the group's start."""
        return min([a for leaf in self.leaves for pieces in leaf.pieces for a, _ in pieces])

    @property
    def step(self) -> int:
        return self.leaves[0].step

    @property
    def offset(self) -> int:
        return self.leaves[0].offset

    @property
    def is_dense(self) -> bool:
        """Whether every bit of the groups belongs to a sample."""
        return sum([sum(leaf.sizes) for leaf in self.leaves]) == self.step

    @property
    def period(self) -> int:
        """The elements after which bytes are used in the same way again."""
        return self.group * (8 // gcd(self.step, 8))

    @property
    def overlaps(self) -> bool:
        return bool(_signals("layout").overlaps(self.layout))

    def count(self, length: int) -> int:
        """How many elements lie wholly inside so many bytes."""
        return int(_signals("layout").capacity(self.layout, length))

    def unpack(self, buffer: object) -> list[Array]:
        """The leaves of the elements in a buffer, as int64 and float64."""
        found = _signals("unpacking").unpack(buffer, self.layout)
        return [_wide(column) for column in self._columns(found)]

    def pack(self, leaves: list[Array], fit: Fit = "wrap") -> bytes:
        """The elements that leaves are, packed.  CogenError for values out of range where `fit` is
        "check", and for elements that make no whole group."""
        packing = _signals("packing")
        flags = {"wrap": fit == "wrap", "saturate": fit == "saturate"}
        return bytes(packing.pack(self._together(leaves), self.layout, **flags))

    def _columns(self, found: Array) -> list[Array]:
        if found.dtype.names is not None:
            return [found[name] for name in found.dtype.names]
        return [found] if found.ndim == 1 else [found[:, k] for k in range(found.shape[1])]

    def _together(self, leaves: list[Array]) -> Array:
        columns = [
            leaf.view(np.uint64) if _is_widest(samples) and leaf.dtype == np.int64 else leaf
            for leaf, samples in zip(leaves, self.leaves, strict=True)
        ]
        names = self.layout.dtype.names
        if names is not None:
            whole = np.empty(len(columns[0]), [(n, c.dtype) for n, c in zip(names, columns)])  # noqa: B905 -- as many
            for name, column in zip(names, columns, strict=True):
                whole[name] = column
            return whole
        return np.stack(columns, axis=-1) if self.is_tuple else columns[0]


def bytes_of(value: object, what: str) -> Array:
    """The bytes of what has the buffer protocol, in one piece.  CogenError for others."""
    return np.frombuffer(_signals("buffers").readable(value, what), np.uint8)


def _is_widest(samples: Samples) -> bool:
    """Whether samples are unsigned and have 64 bits: what is stored are the bits of an int."""
    return samples.kind == "unsigned" and samples.scale is None and 64 in samples.sizes


def _wide(column: Array) -> Array:
    if column.dtype.kind == "f":
        return column.astype(np.float64)
    if column.dtype == np.uint64:
        return np.ascontiguousarray(column).view(np.int64)
    return column.astype(np.int64)


def _signals(module: str) -> Any:
    """A module of `cogen.signals`, which stands above this one: layouts are its business."""
    return import_module(f"cogen.signals.{module}")


_groups: dict[str, Any] = {}
"""Groups that no text of `cogen.signals` writes, by the texts that they have here."""


@lru_cache(maxsize=1024)
def storage_of(text: str) -> Storage:
    """The storage that a text writes: a layout's name, or a layout.  CogenError for one that means
    nothing, and for what array programs do not have."""
    layout = _groups.get(text)
    return of_layout(_signals("formats").to_layout(text) if layout is None else layout, text)


def text_of(layout: Any) -> str:
    """The text that stands for a layout in declared types (`l0.types.packed_array`) and in `store`.

    A text stands for itself. What no text writes, a group of any pieces, has one in this process
    only. With `storage_of` and `convert.packed_value` this is what a front end needs: a parameter
    is declared `packed_array(text_of(layout))`, a result is `l0.storing.stored(e, text_of(layout),
    fit)`. CogenError for what is no layout.
    """
    if isinstance(layout, str):
        storage_of(layout)
        return layout
    found = _signals("formats").to_layout(layout)
    if not hasattr(found, "shape"):
        words = [f"size={found.size},stride={found.stride},offset={found.offset}"]
        words.append(f"order={found.order},channels={found.channels}")
        words += ["signed"] * found.signed + ["float"] * found.float
        words += [] if found.scale is None else [f"scale={found.scale!r}"]
        return ",".join(words)
    text = repr(found)
    _groups[text] = found
    return text


def unpacked(t: Type) -> Type:
    """A declared type as the program has it: what is stored packed are arrays of the elements that
    the layout says.  CogenError for a layout that means nothing."""
    layout = packed_layout(t)
    if layout is not None:
        return ArrayType(storage_of(layout).element)
    match t:
        case TupleType(parts) if has_packed(t):
            return TupleType(tuple(map(unpacked, parts)))
        case _:
            return t


def check_stored(t: Type) -> None:
    """CogenError unless what is packed in a declared type is an array of one dimension."""
    if packed_layout(t) is not None or not has_packed(t):
        return
    if isinstance(t, TupleType):
        for part in t.parts:
            check_stored(part)
        return
    written = t.name if isinstance(t, Basic) else "packed"
    raise CogenError(
        "only arrays of one dimension are stored packed",
        hint=f"write [{written}], or a tuple of such" if isinstance(t, Basic) else None,
    )


def of_layout(layout: Any, text: str) -> Storage:
    """The storage that a layout of `cogen.signals` is."""
    if hasattr(layout, "shape"):
        fields = [_samples(layout, [field]) for field in layout.fields]
        if layout.shape == "samples":
            return Storage(text, layout, (_samples(layout, layout.fields),), False)
        _check_count(text, len(fields))
        return Storage(text, layout, tuple(fields), True)
    if layout.channels == 1:
        return Storage(text, layout, (_samples(layout, layout.fields),), False)
    _check_count(text, layout.channels)
    leaves = []
    for channel in range(layout.channels):
        pieces = (((channel * layout.step, layout.size),),)
        step = layout.step * layout.channels
        kind = _kind(layout.fields[0])
        leaves.append(Samples(step, layout.offset, layout.order, pieces, kind, layout.scale))
    return Storage(text, layout, tuple(leaves), True)


def _samples(layout: Any, fields: Any) -> Samples:
    pieces = tuple([field.pieces for field in fields])
    kind = _kind(fields[0])
    return Samples(layout.step, layout.offset, layout.order, pieces, kind, layout.scale)


def _kind(field: Any) -> str:
    return "float" if field.float else "signed" if field.signed else "unsigned"


def _check_count(text: str, count: int) -> None:
    if count > MOST_FIELDS:
        raise CogenError(f"the layout {text!r} has {count} fields, but tuples of an array program "
                         f"have at most {MOST_FIELDS} here")  # fmt: skip
