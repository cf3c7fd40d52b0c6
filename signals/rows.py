"""Rows: samples in rows that are a fixed number of bytes apart, as pictures and planes have them.

    Rows(layout, width, height=None, pitch=None)

The layout says how the samples of the first row lie, its offset where in the buffer that begins.
Every row holds `width` items; what the last group of a row has beyond them belongs to nobody.

    planes("nv12", width, height)     {"y": Rows(...), "uv": Rows(...)}
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from cogen.boundary import public, public_methods
from cogen.expected import integer, shown
from cogen.lang.errors import CogenError
from cogen.signals.formats import FRAMES, to_layout
from cogen.signals.layout import (
    MAX_BITS,
    AnyLayout,
    Group,
    Layout,
    groups_of,
    without_defaults,
)
from cogen.signals.pattern import HashedPattern, KeptInstances

if TYPE_CHECKING:
    import numpy as np


@public_methods
@dataclass(frozen=True)
class Rows(HashedPattern, metaclass=KeptInstances):
    """`height` rows of `width` items of a layout, `pitch` bytes from one to the next.

    layout    how a row is packed: a layout, or what `signals.layout` takes; its offset is that of
              the first row's first sample
    width     items (samples, or with channels, items of so many samples) of a row; it need not
              be a multiple of what a group holds
    height    rows; by default those that a buffer has room for, of which the last needs no padding
              behind it
    pitch     bytes from the beginning of a row to that of the next; by default those that a row
              of whole groups, or strides, needs

    Arrays have the shape (height, width), or (height, width, channels).  CogenError for what makes
    no rows.
    """

    layout: AnyLayout
    width: int
    height: int | None = None
    pitch: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", to_layout(self.layout))
        object.__setattr__(self, "width", integer(self.width, "width", 1, MAX_BITS))
        if self.height is not None:
            height = integer(self.height, "height", 0, MAX_BITS)
            object.__setattr__(self, "height", height)
        if self._low < 0:
            raise CogenError(
                f"{self.width} samples of a row do not fit: a stride of {self.layout.step} from "
                f"bit {self.layout.offset} leads below the start of the buffer",
                hint="give the layout the offset of the first sample",
            )
        if self.pitch is None:
            spread = -(-self._groups * abs(self.layout.step) // 8)
            object.__setattr__(self, "pitch", max(self.row_bytes, spread))
        else:
            pitch = integer(self.pitch, "pitch", 1, MAX_BITS)
            object.__setattr__(self, "pitch", pitch)
            if pitch < self.row_bytes:
                raise CogenError(
                    f"rows of {self.width} items need {self.row_bytes} bytes, more than the pitch "
                    f"of {pitch}"
                )

    def __repr__(self) -> str:
        return f"Rows({without_defaults(self)})"

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.layout, self.width, self.height, self.pitch))

    @property
    def samples(self) -> int:
        """The samples of a row."""
        return self.width * self.layout.per_item

    @property
    def distance(self) -> int:
        """The pitch, which is never None."""
        assert self.pitch is not None
        return self.pitch

    @cached_property
    def _groups(self) -> int:
        return groups_of(self.layout, self.width)

    @property
    def _low(self) -> int:
        """The bit address of the first row's lowest bit."""
        pattern, step = self.layout.pattern, self.layout.step
        return self.layout.offset + pattern.low + min(0, (self._groups - 1) * step)

    @cached_property
    def start(self) -> int:
        """The byte at which the first row begins."""
        return min(self._low, self.layout.offset) // 8

    @property
    def address(self) -> int:
        """The bit address of a row's first sample, from the row's beginning."""
        return self.layout.offset - 8 * self.start

    @cached_property
    def row_bytes(self) -> int:
        """The bytes that a row needs."""
        pattern, step = self.layout.pattern, self.layout.step
        last = max(0, (self._groups - 1) * step)
        return -(-(self.layout.offset + last + pattern.high) // 8) - self.start

    @property
    def whole(self) -> bool:
        """Whether all samples are as far apart as those of a row, so that rows play no part."""
        filled = self.samples % len(self.layout.fields) == 0 and self.layout.step > 0
        return filled and self._groups * self.layout.step == 8 * self.distance

    def fitting(self, length: int) -> int:
        """How many rows so many bytes have room for."""
        room = length - self.start - self.row_bytes
        return room // self.distance + 1 if room >= 0 else 0

    def bytes_needed(self, height: int) -> int:
        """The least length in bytes of a buffer that holds so many rows."""
        return self.start + (height - 1) * self.distance + self.row_bytes if height else 0

    def bytes_made(self, height: int) -> int:
        """The length in bytes of new memory for so many rows: with the padding of the last one, so
        that pictures can follow one another."""
        return self.start + height * self.distance if height else 0

    def shape(self, height: int) -> tuple[int, ...]:
        """The shape of an array of so many rows."""
        inner = () if self.layout.width is None else (self.layout.width,)
        return (height, self.width, *inner)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values, as the layout's."""
        return self.layout.dtype


_PLANES: Final[dict[str, tuple[str, int, int, int, tuple[str, ...]]]] = {
    # name: kind of sample, bits of an element, how much less wide and high, the other planes
    "nv12": ("u", 8, 2, 2, ("uv",)),
    "nv21": ("u", 8, 2, 2, ("vu",)),
    "nv16": ("u", 8, 2, 1, ("uv",)),
    "p010": ("p", 10, 2, 2, ("uv",)),
    "p012": ("p", 12, 2, 2, ("uv",)),
    "p016": ("p", 16, 2, 2, ("uv",)),
    "p210": ("p", 10, 2, 1, ("uv",)),
    "i420": ("u", 8, 2, 2, ("u", "v")),
    "yv12": ("u", 8, 2, 2, ("v", "u")),
    "i422": ("u", 8, 2, 1, ("u", "v")),
    "i444": ("u", 8, 1, 1, ("u", "v")),
}


@public
def planes(
    name: str, width: int, height: int, pitch: int | None = None, rows: int | None = None
) -> dict[str, Rows]:
    """The planes of a video frame: for each its name and where it is in the frame's bytes.

    `planes("nv12", 1920, 1080)` has "y" of shape (1080, 1920) and "uv" of shape (540, 960, 2);
    `names` are those of V4L2: nv12, nv21, nv16, p010, p012, p016, p210, i420, yv12, i422, i444.
    `pitch` bytes from a row of "y" to the next (by default what a row needs), and `rows`, how many
    rows of "y" there is room for.  CogenError for another name, and for sizes that make no frame.
    """
    if not isinstance(name, str) or name.lower() not in _PLANES:
        raise CogenError(
            f"there is no arrangement of planes {shown(name)}",
            hint="there are " + ", ".join(FRAMES),
        )
    kind, bits, across, down, others = _PLANES[name.lower()]
    width, height = integer(width, "width", 1, 1 << 24), integer(height, "height", 1, 1 << 24)
    room = height if rows is None else integer(rows, "rows", height, 1 << 24)
    element = 16 if kind == "p" else 8
    low = element - bits if kind == "p" else 0
    found = {"y": Rows(Layout(bits, element, low), width, height, pitch)}
    pitch = found["y"].distance
    start = pitch * room
    narrow, short = -(-width // across), -(-height // down)
    for other in others:
        channels = len(other)
        between = pitch * channels // across
        layout = Layout(bits, element, 8 * start + low, channels=channels)
        found[other] = Rows(layout, narrow, short, max(between, narrow * channels * element // 8))
        start += found[other].distance * -(-room // down)
    return found


AnyShape: TypeAlias = Layout | Group | Rows
"""What says where the samples of a buffer are."""

_NUMBERS: Final = ("width", "height", "pitch")


def to_shape(value: Any) -> AnyShape:
    """Rows as they are, a layout, a NumPy type, or what a text means: that of a layout, for rows
    with `width=...` and perhaps `height=...` and `pitch=...`."""
    if isinstance(value, Rows):
        return value
    if not isinstance(value, str) or "width" not in value:
        return to_layout(value)
    numbers: dict[str, int] = {}
    rest = []
    for part in value.split(","):
        key, equals, number = (text.strip() for text in part.partition("="))
        if not equals or key not in _NUMBERS:
            rest.append(part)
            continue
        try:
            numbers[key] = int(number, 0)
        except ValueError:
            raise CogenError(f"the layout's `{key}` cannot be {shown(number)}") from None
    if "width" not in numbers:
        return to_layout(value)
    return Rows(to_layout(",".join(rest)), **numbers)
