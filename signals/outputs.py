"""Outputs of a compiled processor: buffers that a call makes, as long as the program says.

    halve = signals.compile(program, "halve", "raw12", signals.Out(np.uint16))
    pixels = halve(data)

How many samples an output has follows from the program: `NAME-length`, if it defines this procedure
for the entry `NAME`, says it.  It takes what the entry takes, but for the outputs, with the numbers
of samples in place of the signals (of images, the numbers of rows), and its value is a number, or a
list of one for each output:

    (define (halve-length in) (quotient in 2))
    (define (halve in out) ...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from cogen.boundary import public_methods
from cogen.expected import flag, integer, shown
from cogen.lang.errors import CogenError, Note
from cogen.lang.ilutil import base_name
from cogen.signals.buffers import Array
from cogen.signals.layout import AnyLayout, Group, Layout, bytes_needed, smallest_dtype
from cogen.signals.rows import AnyShape, Rows, to_shape
from cogen.signals.unpacking import unpack

_as_items: ContextVar[bool] = ContextVar("as_items", default=False)


@contextmanager
def as_items(wanted: bool = True) -> Iterator[None]:
    """Let outputs come as arrays of their samples meanwhile, also those that are packed."""
    token = _as_items.set(wanted)
    try:
        yield
    finally:
        _as_items.reset(token)


MOST: Final = 1 << 46
"""Samples that an output may be asked to have."""

Length = int | str | Callable[..., Any] | None


@public_methods
@dataclass(frozen=True)
class Out:
    """An output that calls make and give back.

    layout   of its samples: one of `Layout`, `Group` and `Rows`, a text, or a type of NumPy's
    length   how many samples (of `Rows`, rows): a number, a function of the numbers of the inputs,
             or the name of a procedure of the program; by default `NAME-length` (see the module),
             or, without such a procedure, as many as the smallest input has
    used     whether the entry's value says how many samples were put (a list, of several such
             outputs); the others are left out

    Where samples are elements of an array (8, 16, 32 or 64 bits, low byte first, without gaps), it
    comes back as that array, else as packed bytes.
    """

    layout: AnyShape
    length: Length = None
    used: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", to_shape(self.layout))
        flag(self.used, "used")
        length = self.length
        if not (length is None or isinstance(length, str) or callable(length)):
            object.__setattr__(self, "length", integer(length, "the length of an output", 0, MOST))

    @property
    def shape(self) -> AnyShape:
        """Where the samples are."""
        return self.layout

    def bytes(self, count: int) -> int:
        """How many bytes so many samples, or rows, need."""
        shape = self.layout
        return shape.bytes_made(count) if isinstance(shape, Rows) else bytes_needed(shape, count)

    def result(self, buffer: Array, count: int) -> Array:
        """What is given back of a buffer in which so many samples were put."""
        shape = self.layout
        layout = shape.layout if isinstance(shape, Rows) else shape
        dtype = element_type(layout)
        data = buffer[: self.bytes(count)]
        inner = () if layout.width is None else (layout.width,)
        if isinstance(shape, Rows):
            inner = (shape.width, *inner)
            if dtype is not None and shape.distance != shape.samples * dtype.itemsize:
                dtype = None
        if dtype is None:
            return self._items(data, count) if _as_items.get() else data
        return data.view(dtype).reshape(count, *inner)

    def _items(self, data: Array, count: int) -> Array:
        """What so many packed samples, or rows, are."""
        shape = self.layout
        if isinstance(shape, Rows):
            return unpack(data, replace(shape, height=count))
        return unpack(data, shape, count)

    def checked(self, count: object, room: int | None = None) -> int:
        """A number of samples that the program has said; CogenError if it is none."""
        whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
        if not whole or not 0 <= count <= (MOST if room is None else room):  # type: ignore[operator]  # it is a number
            beyond = "" if room is None else f" of {room} at most"
            raise CogenError(
                f"the length of an output must be a number{beyond}, not {shown(count)}"
            )
        return int(count)  # type: ignore[call-overload, no-any-return]  # the same


def element_type(layout: AnyLayout) -> np.dtype[Any] | None:
    """The type of the array of which samples of the layout are the elements; None if there is no
    such array."""
    size = layout.fields[0].size
    if isinstance(layout, Layout):
        together = layout.step == size and layout.scale is None
    else:
        places = tuple(((i * size, size),) for i in range(len(layout.fields)))
        together = layout.step == size * len(layout.fields) and layout.shape != "record"
        together = together and places == tuple(field.pieces for field in layout.fields)
    if not together or layout.offset or size not in (8, 16, 32, 64):
        return None
    if size > 8 and layout.order == "big":
        return None
    return smallest_dtype(size, layout.fields[0].signed, layout.fields[0].float)


def each(value: object, many: int, what: str) -> Sequence[object]:
    """One number for each of so many outputs: those of a list, or the number for all."""
    values = list(value) if isinstance(value, list | tuple) else [value] * many
    if len(values) != many:
        raise CogenError(f"{what} has {len(values)} numbers for {many} outputs")
    return values


def notes_on_lengths(
    message: str, names: Sequence[str], parameters: Sequence[object], counts: Sequence[int]
) -> tuple[Note, ...]:
    """How long the signals of a call are, where an error is about that; `counts` are those of the
    parameters that are signals."""
    if not any(text in message for text in _ABOUT_LENGTHS):
        return ()
    named = zip(names, parameters, strict=False)
    shapes = [(name, p.layout if isinstance(p, Out) else p) for name, p in named]
    laid = [(name, shape) for name, shape in shapes if isinstance(shape, Layout | Group | Rows)]
    told = [
        f"{base_name(name)} has {count} {_items(shape, count)}"
        for (name, shape), count in zip(laid, counts, strict=False)
    ]
    return (Note("in this call " + ", ".join(told)),) if told else ()


_ABOUT_LENGTHS: Final = ("different numbers of samples", "too short", "word index")


def _items(shape: object, count: int) -> str:
    """What so many items of a shape are."""
    ending = "" if count == 1 else "s"
    if isinstance(shape, Rows):
        return f"row{ending}"
    many = shape.channels if isinstance(shape, Layout) else 1
    return f"item{ending} of {many} samples" if many > 1 else f"item{ending}"
