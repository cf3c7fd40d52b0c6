"""Calls like the one before: what they need, kept by layout and type, so that small buffers are
quick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from cogen.signals.kernels import NativeKernel, mover_for

if TYPE_CHECKING:
    from cogen.signals.layout import AnyLayout
    from cogen.signals.task import Task

MOST: Final = 256
"""Layouts and types that are remembered."""

Made = TypeVar("Made")


class Repeated:
    """The machine code for a layout, and how its samples lie."""

    __slots__ = ("call", "fields", "high", "memory", "native", "offset", "per_item", "step")

    def __init__(self, native: NativeKernel, layout: AnyLayout) -> None:
        from cogen.backends.objectcode.foreign import memory

        self.native = native  # which keeps the code loaded
        self.call = native.call
        self.memory = memory
        self.offset = layout.offset
        self.step = layout.step
        self.high = layout.pattern.high
        self.fields = len(layout.fields)
        self.per_item = layout.per_item


def is_bytes_view(buffer: Any) -> bool:
    """Whether something is a view of bytes in one piece, as streams hand on."""
    try:
        return type(buffer) is memoryview and buffer.format == "B" and buffer.c_contiguous
    except ValueError:  # released
        return False


def native_for(task: Task) -> NativeKernel | None:
    """The mover for a task, if it is machine code."""
    mover = mover_for(task)
    return mover if isinstance(mover, NativeKernel) else None


def keep(table: dict[Any, Made], key: Any, made: Made) -> None:
    """Remember what later calls need; everything is forgotten when there is too much."""
    if len(table) >= MOST:
        table.clear()
    table[key] = made
