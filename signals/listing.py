"""The code of a kernel, to be read: what unpacking or converting a layout runs."""

from __future__ import annotations

from cogen import kept
from cogen.lang.errors import CogenError, LimitationError
from cogen.signals.converting import check_same_items, direct_task
from cogen.signals.forms import form_of, to_dtype
from cogen.signals.kernels import c_text, residual_for
from cogen.signals.layout import AnyLayout, Group, Layout, overlaps
from cogen.signals.rows import AnyShape, Rows
from cogen.signals.task import Task
from cogen.signals.unpacking import task_for


def listing(
    layout: AnyShape, target: AnyShape | None, dtype: str | None, saturate: bool, emit: str
) -> str:
    """The text of the kernel that unpacks a layout (to a type), or converts it to another.

    `emit` is c or scheme.  CogenError if there is no such kernel.
    """
    one = _inner(layout)
    if target is None:
        form = form_of(one, None if dtype is None else to_dtype(dtype))
        if form.stage is not None and not form.stage.known:
            raise LimitationError(f"C has no type for {form.sample}, which NumPy converts")
        task = task_for(one, form)
        title = f"Unpacks {_described(one)} into an array of {form.dtype}."
    else:
        task = _conversion(one, _inner(target), saturate)
        title = f"Converts {_described(one)} to {_described(_inner(target))}."

    def text() -> str:
        if emit == "scheme":
            return residual_for(task).scheme
        return c_text(task, f"Made by cogen. {title}")

    return kept.made("text", "kernel", repr(task), emit, title, make=text)


def _conversion(source: AnyLayout, target: AnyLayout, saturate: bool) -> Task:
    check_same_items(source, target)
    if overlaps(target):
        raise CogenError("samples that overlap can be unpacked, but not packed")
    task = direct_task(source, target, "saturate" if saturate else "check")
    if task is None:
        task = direct_task(source, target, "wrap")
        if task is None:
            raise LimitationError("there is no single kernel: values are scaled or checked between")
    return task


def _inner(shape: AnyShape) -> AnyLayout:
    return shape.layout if isinstance(shape, Rows) else shape


def _described(layout: AnyLayout) -> str:
    if isinstance(layout, Group):
        return f"groups of {len(layout.fields)} fields in {layout.size} bits ({layout.order})"
    return _plain(layout)


def _plain(layout: Layout) -> str:
    kind = "floats" if layout.float else "signed samples" if layout.signed else "samples"
    return f"{kind} of {layout.size} bits, {layout.stride} apart ({layout.order})"
