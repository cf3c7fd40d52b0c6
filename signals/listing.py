"""The code of a kernel, to be read: what unpacking or converting a layout runs."""

from __future__ import annotations

from cogen import kept_programs
from cogen.lang.errors import CogenError, LimitationError
from cogen.signals.kernels import c_text, residual_for
from cogen.signals.layout import AnyLayout, Group, Layout, overlaps
from cogen.signals.plainly import task_of
from cogen.signals.rows import AnyShape, Rows
from cogen.signals.task import Task


def listing(
    layout: AnyShape, target: AnyShape | None, dtype: str | None, saturate: bool, emit: str
) -> str:
    """The text of the kernel that unpacks a layout (to a type), or converts it to another.

    `emit` is c or scheme.  CogenError if there is no such kernel.
    """
    one = _inner(layout)
    if target is None:
        task, elements = _unpacking(one, dtype)
        title = f"Unpacks {_described(one)} into an array of {elements}."
    else:
        task = _conversion(one, _inner(target), saturate)
        title = f"Converts {_described(one)} to {_described(_inner(target))}."

    def text() -> str:
        if emit == "scheme":
            return residual_for(task).scheme
        return c_text(task, f"Made by cogen. {title}")

    return kept_programs.made("text", "kernel", repr(task), emit, title, make=text)


def _unpacking(layout: AnyLayout, dtype: str | None) -> tuple[Task, str]:
    """What unpacks a layout (to a type), and the type of the elements; without NumPy, whose import
    takes longer than all else, where it does not matter."""
    plain = task_of(layout) if dtype is None else None
    if plain is not None:
        task, size, kind = plain
        return task, f"{'float' if kind in 'fd' else 'int' if kind.islower() else 'uint'}{size}"
    from cogen.signals.forms import form_of, to_dtype
    from cogen.signals.unpacking import task_for

    form = form_of(layout, None if dtype is None else to_dtype(dtype))
    if form.stage is not None and not form.stage.known:
        raise LimitationError(f"C has no type for {form.sample}, which NumPy converts")
    return task_for(layout, form), str(form.dtype)


def _conversion(source: AnyLayout, target: AnyLayout, saturate: bool) -> Task:
    from cogen.signals.converting import check_same_items, direct_task

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
