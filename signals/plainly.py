"""Packed bytes -> the bytes of numbers, without NumPy, whose import takes longer than a small file
does.

Where machine code moves the samples of a layout, and arrays of them would have elements that Python
knows (no records, no scale, no floats of 16 bits), plain memory does for an array.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from cogen.signals.kernels import NativeKernel, mover_for
from cogen.signals.layout import AnyLayout, Group
from cogen.signals.pattern import SPARSE, BitPattern
from cogen.signals.reading import ReadChunk, Report, Told, counted_chunks
from cogen.signals.task import Task

SIZES: Final = (8, 16, 32, 64)

KINDS: Final = {
    "u": dict(zip(SIZES, "BHIQ", strict=True)),
    "i": dict(zip(SIZES, "bhiq", strict=True)),
    "f": {32: "f", 64: "d"},
}
"""How `memoryview` calls elements, by their kind and bits."""


@dataclass(frozen=True, slots=True)
class Plain:
    """What unpacks samples of a layout to elements of `size` bits, called `kind` by memoryview."""

    native: NativeKernel
    layout: AnyLayout
    size: int
    kind: str

    def blocks(
        self, source: BinaryIO, count: int | None, report: Report, left_over: Told
    ) -> Iterator[memoryview[Any]]:
        """The elements of a stream's samples, as `unpack_stream` gives them."""
        for chunk, items in counted_chunks(source, self.layout, count, report, left_over):
            yield self._block(chunk, items).cast(self.kind)  # type: ignore[call-overload]  # it is one of KINDS

    def _block(self, chunk: ReadChunk, items: int) -> memoryview:
        from cogen.backends.objectcode.foreign import memory

        samples = items * self.layout.per_item
        made = bytearray(samples * self.size // 8)
        data, at = chunk.data, chunk.layout.offset
        if samples and self.native.call(
            memory(data), len(data), at, memory(made), len(made), 0, samples, 1.0
        ):
            from cogen.lang.errors import InternalError

            raise InternalError("the C code of a kernel reports an error")
        return memoryview(made)

    def lines(self, block: memoryview[Any]) -> bytes:
        """The items as text, each in a line."""
        numbers, width = block.tolist(), self.layout.width
        if width is None:
            return lines_of((number,) for number in numbers)
        return lines_of(numbers[i : i + width] for i in range(0, len(numbers), width))


def lines_of(rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows of numbers as text, each in a line."""
    return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()


def plain(layout: AnyLayout) -> Plain | None:
    """What unpacks samples of a layout without NumPy; None if nothing does."""
    found = task_of(layout)
    if found is None:
        return None
    task, size, kind = found
    native = mover_for(task)
    return Plain(native, layout, size, kind) if isinstance(native, NativeKernel) else None


def task_of(layout: AnyLayout) -> tuple[Task, int, str] | None:
    """What a kernel does, and the bits and the name of elements; None if NumPy is needed."""
    first = layout.fields[0]
    record = isinstance(layout, Group) and layout.shape == "record"
    if record or layout.scale is not None or not 0 < layout.step <= SPARSE:
        return None
    most = max(field.size for field in layout.fields)
    size = next(bits for bits in SIZES if bits >= most)
    kind = KINDS["f" if first.float else "i" if first.signed else "u"].get(size)
    if kind is None or sys.byteorder != "little":
        return None
    signed = first.signed and not first.float
    elements = BitPattern(size, "little", ((signed, ((0, size),)),))
    return Task(layout.pattern, elements, (layout.offset % 8, 0)), size, kind
