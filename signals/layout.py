"""Layouts: how samples lie in a buffer, in bits.

    Layout   equal samples a fixed distance apart, one after the other or interleaved channels
    Group    samples of any sizes in any pieces that repeat every so many bits

Both say what an array of the samples looks like (`dtype`, `channels`) and are, to the rest of
the package, a pattern of fields (`stride`, `offset`, `order`, `fields`).

Bit addresses count from the start of a buffer.  In "little" order, address 0 is the least
significant bit of byte 0 and a sample's low bit comes first; in "big" order, address 0 is the
most significant bit of byte 0 and a sample's high bit comes first.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, Literal

from cogen.boundary import public_methods
from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.signals.pattern import BitPattern, HashedPattern, KeptInstances, Order

if TYPE_CHECKING:
    import numpy as np

Shape = Literal["samples", "channels", "record"]

MAX_SIZE: Final = 64
"""Bits of the largest sample."""

MAX_BITS: Final = 1 << 48
"""Strides, offsets and groups are less than this, so that addresses stay small integers."""

MOST_SHOWN: Final = 4
"""Fields of a group that are shown."""

FLOAT_SIZES: Final = (16, 32, 64)
"""Bits of the IEEE floats that NumPy has."""


def without_defaults(made: Any, **usual: object) -> str:
    """How an instance of a dataclass is made, in few words: what is as usual is left out."""
    given = []
    for number, each in enumerate(fields(made)):
        value = getattr(made, each.name)
        if value == usual.get(each.name, each.default):
            continue
        if isinstance(value, tuple) and len(value) > MOST_SHOWN:
            told = f"({', '.join(map(repr, value[:MOST_SHOWN]))}, ... {len(value)} in all)"
        else:
            told = repr(value)
        given.append(f"{each.name}={told}" if number else told)
    return ", ".join(given)


@public_methods
@dataclass(frozen=True)
class Field:
    """One sample of a group: pieces (address, size), the one with the high bits first.

    Addresses count from the start of the group.  `name` is the sample's in a record.
    """

    pieces: tuple[tuple[int, int], ...]
    signed: bool = False
    float: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        try:
            pieces = tuple(tuple(piece) for piece in self.pieces)
        except TypeError:
            pieces = ()
        if not pieces or not all(len(piece) == 2 for piece in pieces):
            told = shown(self.pieces)
            raise CogenError(f"the pieces of a field are pairs (address, size), not {told}")
        for address, size in pieces:
            _check_integer("the address of a piece", address, 0, MAX_BITS)
            _check_integer("the size of a piece", size, 1, MAX_SIZE)
        object.__setattr__(self, "pieces", pieces)
        _check_integer("the size of a field", self.size, 1, MAX_SIZE)
        _check_flag("signed", self.signed)
        _check_flag("float", self.float)
        _check_float_size(self.size, self.float)
        if not isinstance(self.name, str):
            raise CogenError(f"the name of a field must be a string, not {shown(self.name)}")

    def __repr__(self) -> str:
        return f"Field({without_defaults(self)})"

    @cached_property
    def size(self) -> int:
        """The bits of the sample."""
        return sum(size for _, size in self.pieces)

    @property
    def end(self) -> int:
        """The address after the field's last bit."""
        return max(address + size for address, size in self.pieces)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest NumPy type that holds every value."""
        return smallest_dtype(self.size, self.signed, self.float)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest integer that the field holds."""
        if self.signed:
            return -1 << (self.size - 1), (1 << (self.size - 1)) - 1
        return 0, (1 << self.size) - 1


@public_methods
@dataclass(frozen=True)
class Layout(HashedPattern, metaclass=KeptInstances):
    """Samples of `size` bits, the first at bit `offset`, the next `stride` bits further on.

    stride    bits from a sample to the next, `size` by default; negative to walk down from
              `offset`
    order     "little" or "big": see the module
    signed    two's complement instead of unsigned integers
    float     IEEE floats of 16, 32 or 64 bits
    channels  that many samples in turn belong to one item: arrays have shape (count, channels)
    scale     values are samples times this, as float64; packing divides and rounds to nearest

    CogenError for anything that makes no layout.
    """

    size: int
    stride: int | None = None
    offset: int = 0
    order: Order = "little"
    signed: bool = False
    float: bool = False
    channels: int = 1
    scale: builtins.float | None = None

    def __post_init__(self) -> None:
        for name in ("size", "stride", "offset", "channels"):
            value = getattr(self, name)
            if type(value) is int:
                continue
            if isinstance(value, Integral) and not isinstance(value, int):  # of NumPy
                object.__setattr__(self, name, int(value))
        _check_integer("size", self.size, 1, MAX_SIZE)
        if self.stride is None:
            object.__setattr__(self, "stride", self.size)
        _check_integer("stride", self.stride, 1 - MAX_BITS, MAX_BITS - 1)
        if self.stride == 0:
            raise CogenError("the stride of a layout must not be 0")
        _check_integer("offset", self.offset, 0, MAX_BITS)
        _check_order(self.order)
        _check_flag("signed", self.signed)
        _check_flag("float", self.float)
        _check_integer("channels", self.channels, 1, 1 << 32)
        _check_float_size(self.size, self.float)
        if self.scale is not None:
            object.__setattr__(self, "scale", _scale(self.scale))

    def __repr__(self) -> str:
        return f"Layout({without_defaults(self, stride=self.size)})"

    def __hash__(self) -> int:
        known: int | None = vars(self).get("_hash")
        if known is None:  # which a cached_property takes twice as long for: calls make layouts
            known = vars(self)["_hash"] = hash(
                (self.size, self.stride, self.offset, self.order, self.signed, self.float,
                 self.channels, self.scale)
            )  # fmt: skip
        return known

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The one field of the pattern."""
        return (Field(((0, self.size),), self.signed, self.float),)

    @cached_property
    def pattern(self) -> BitPattern:
        """What a kernel must know of it."""
        return _pattern(self.step, self.order, self.fields)

    @property
    def step(self) -> int:
        """The stride, which is never None."""
        assert self.stride is not None
        return self.stride

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values: the smallest that holds them, float64 if they are scaled."""
        return smallest_dtype(64, True, True) if self.scale is not None else self.fields[0].dtype

    @property
    def per_item(self) -> int:
        """How many samples make one item of an array."""
        return self.channels

    @property
    def width(self) -> int | None:
        """The length of the second dimension of arrays, if they have one."""
        return self.channels if self.channels > 1 else None


@public_methods
@dataclass(frozen=True)
class Group(HashedPattern):
    """Fields that repeat every `size` bits, for what no single stride expresses.

    shape     "samples": the fields are samples of one sequence, arrays have shape (count,) and
              packed arrays a multiple of the number of fields; "channels": a group is one item
              and arrays have shape (count, fields); "record": arrays are structured, with the
              fields' names (f0, f1, ... where they have none) and types

    CogenError for anything that makes no layout.
    """

    size: int
    fields: tuple[Field, ...]
    offset: int = 0
    order: Order = "little"
    shape: Shape = "samples"

    def __post_init__(self) -> None:
        _check_integer("the size of a group", self.size, 1, MAX_BITS)
        _check_integer("offset", self.offset, 0, MAX_BITS)
        _check_order(self.order)
        if not isinstance(self.shape, str) or self.shape not in ("samples", "channels", "record"):
            raise CogenError(
                'the shape of a group is "samples", "channels" or "record", '
                f"not {shown(self.shape)}"
            )
        fields = tuple(self.fields) if isinstance(self.fields, Sequence) else ()
        if not fields or not all(isinstance(field, Field) for field in fields):
            raise CogenError("a group needs fields: instances of signals.Field, one at least")
        object.__setattr__(self, "fields", _named(fields) if self.shape == "record" else fields)
        if max(field.end for field in fields) > self.size:
            raise CogenError(f"a field ends after the group's {self.size} bits")
        if self.shape != "record" and len({(f.signed, f.float) for f in fields}) > 1:
            raise CogenError(
                "the fields of a group have different kinds of values",
                hint='give the group the shape "record"',
            )
        if self.shape != "record" and fields[0].float and len({f.size for f in fields}) > 1:
            raise CogenError("the floats of a group have different sizes")

    def __repr__(self) -> str:
        return f"Group({without_defaults(self)})"

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.size, self.fields, self.offset, self.order, self.shape))

    @cached_property
    def pattern(self) -> BitPattern:
        """What a kernel must know of it."""
        return _pattern(self.step, self.order, self.fields)

    @property
    def step(self) -> int:
        """Bits from a group to the next."""
        return self.size

    @property
    def scale(self) -> None:
        """Groups are not scaled."""

    @property
    def channels(self) -> int:
        """How many samples make one item of an array with channels."""
        return len(self.fields) if self.shape == "channels" else 1

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of the items of an array, but for channels."""
        import numpy as np

        if self.shape == "record":
            return np.dtype([(field.name, field.dtype) for field in self.fields])
        first = self.fields[0]
        return smallest_dtype(max(f.size for f in self.fields), first.signed, first.float)

    @property
    def per_item(self) -> int:
        """How many samples make one item of an array."""
        return 1 if self.shape == "samples" else len(self.fields)

    @property
    def width(self) -> int | None:
        """The length of the second dimension of arrays, if they have one."""
        return len(self.fields) if self.shape == "channels" else None


AnyLayout = Layout | Group


def smallest_dtype(size: int, signed: bool, float: bool) -> np.dtype[Any]:
    """The smallest NumPy type, in the machine's byte order, that holds samples of `size` bits."""
    import numpy as np

    width = next(n for n in (8, 16, 32, 64) if n >= size)
    return np.dtype(f"{'f' if float else 'i' if signed else 'u'}{width // 8}")


def _pattern(step: int, order: Order, fields: tuple[Field, ...]) -> BitPattern:
    """Floats are moved as they are, like unsigned integers."""
    return BitPattern(step, order, tuple((f.signed and not f.float, f.pieces) for f in fields))


def capacity(layout: AnyLayout, length: int) -> int:
    """How many items of the layout lie wholly inside `length` bytes."""
    low, high = layout.pattern.low, layout.pattern.high
    bits = 8 * length
    if layout.offset + high > bits or layout.offset + low < 0:
        return 0
    if layout.step > 0:
        groups = (bits - layout.offset - high) // layout.step + 1
    else:
        groups = (layout.offset + low) // -layout.step + 1
    return groups * len(layout.fields) // layout.per_item


def groups_of(layout: AnyLayout, items: int) -> int:
    """How many groups hold so many items."""
    return -(-items * layout.per_item // len(layout.fields))


def bytes_needed(layout: AnyLayout, items: int) -> int:
    """The least length in bytes of a buffer that holds so many items.

    CogenError if the layout walks down below the buffer's start.
    """
    if items == 0:
        return 0
    groups = groups_of(layout, items)
    low, high = layout.pattern.low, layout.pattern.high
    last = layout.offset + (groups - 1) * layout.step
    if last + low < 0:
        fit = (layout.offset + low) // -layout.step + 1
        raise CogenError(
            f"{items} samples do not fit: a stride of {layout.step} from bit {layout.offset} "
            f"has room for {fit * len(layout.fields) // layout.per_item}",
            hint="give the layout the offset of the first sample",
        )
    return -(-(max(layout.offset, last) + high) // 8)


def bytes_made(layout: AnyLayout, items: int) -> int:
    """The length in bytes of new memory for so many items: those needed, and of records the padding
    behind the last one, too, so that more can follow.  CogenError as of `bytes_needed`."""
    needed = bytes_needed(layout, items)
    if items == 0 or not isinstance(layout, Group) or layout.shape != "record":
        return needed
    return max(needed, -(-(layout.offset + groups_of(layout, items) * layout.step) // 8))


def overlaps(layout: AnyLayout) -> bool:
    """Whether samples share bits, so that they cannot all be stored."""
    low, high = layout.pattern.low, layout.pattern.high
    pieces = sorted(piece for field in layout.fields for piece in field.pieces)
    inside = any(a + size > b for (a, size), (b, _) in pairwise(pieces))
    return inside or high - low > abs(layout.step)


def _named(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields of a record, those without a name called f0, f1, ..."""
    named = tuple(
        field if field.name else Field(field.pieces, field.signed, field.float, f"f{i}")
        for i, field in enumerate(fields)
    )
    names = [field.name for field in named]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise CogenError(f"two fields of the record are called {twice!r}")
    return named


def _check_integer(what: str, value: object, low: int, high: int) -> None:
    if type(value) is not int:
        raise CogenError(f"{what} must be an integer, not {shown(value)}")
    if not low <= value <= high:
        raise CogenError(f"{what} must lie between {low} and {high}, not be {shown(value)}")


def _check_flag(what: str, value: object) -> None:
    if type(value) is not bool:
        raise CogenError(f"{what} must be True or False, not {shown(value)}")


def _check_order(order: object) -> None:
    if not isinstance(order, str) or order not in ("little", "big"):
        raise CogenError(
            f'order must be "little" or "big", not {shown(order)}',
            hint='"little": bit 0 is the least significant one of byte 0; "big": the most',
        )


def _check_float_size(size: int, is_float: bool) -> None:
    if is_float and size not in FLOAT_SIZES:
        sizes = ", ".join(map(str, FLOAT_SIZES))
        raise CogenError(f"a float has {sizes} bits, not {size}")


def _scale(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise CogenError(f"scale must be a number, not {shown(value)}")
    try:
        scale = float(value)
    except OverflowError:
        scale = math.inf
    if not math.isfinite(scale) or scale == 0:
        raise CogenError(f"scale must be finite and not 0, not {shown(value)}")
    return scale
