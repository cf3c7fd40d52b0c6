"""Move samples from one buffer to another, by several threads if there are many.

Buffers are arrays of bytes whose first byte is that of the first row; what moves is the mover that
`cogen.signals.kernels` has for the task.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from cogen.lang.errors import InternalError
from cogen.signals.buffers import Array
from cogen.signals.kernels import NativeKernel, mover_for, period_of, rounds_are_apart
from cogen.signals.task import Extent, Task

SHARED: Final = 1 << 22
"""Bytes, packed or not, from which on the work is shared by threads if nothing else is said."""

LEAST: Final = 1 << 16
"""Samples below which a thread more is not worth its start."""


def move(
    source: Array,
    target: Array,
    task: Task,
    extent: Extent,
    scale: float = 1.0,
    threads: int | None = None,
    checked: bool = False,
) -> bool:
    """Move the samples of an extent as the task says; they lie wholly inside both buffers, which
    share no bytes.  CogenError if no kernel can be made.

    `threads` is the greatest number of threads; None for as many as there are processors, if
    there is much to do.  `checked`, of a task with a `fit` whose mover is machine code: False if
    elements are out of range; then nothing was stored if the task keeps what is in the target.
    """
    if extent.samples == 0 or extent.rows == 0:
        return True
    samples = extent.samples
    source_pattern, target_pattern = task.source.compact(samples), task.target.compact(samples)
    if source_pattern is not task.source or target_pattern is not task.target:
        task = replace(task, source=source_pattern, target=target_pattern)
    mover = mover_for(task)
    parts = [*_parts(task, extent, _wanted(source, target, threads))]

    def sides(row: int) -> tuple[Array, Array]:
        return _from(source, row * extent.in_pitch), _from(target, row * extent.out_pitch)

    def move_part(row: int, part: Extent) -> bool:
        mover(*sides(row), part, scale)
        return True

    if not checked:
        return _by_threads(move_part, parts)
    if not isinstance(mover, NativeKernel):
        raise InternalError("only machine code refuses elements on the way")
    kernel = mover
    if task.keep and len(parts) > 1:
        fitting = _by_threads(lambda row, part: not kernel.refuses(sides(row)[0], part), parts)
        return fitting and _by_threads(move_part, parts)
    return _by_threads(lambda row, part: kernel.packs(*sides(row), part), parts)


def _by_threads(work: Callable[[int, Extent], bool], parts: Sequence[tuple[int, Extent]]) -> bool:
    """Whether the work, which a thread does for each part, succeeds in all; its first error."""
    if len(parts) == 1:
        return work(*parts[0])
    failures: list[BaseException] = []
    refused: list[int] = []

    def do(row: int, part: Extent) -> None:
        try:
            if not work(row, part):
                refused.append(row)
        except BaseException as error:
            failures.append(error)

    others = [threading.Thread(target=do, args=part) for part in parts[1:]]
    for other in others:
        other.start()
    do(*parts[0])
    for other in others:
        other.join()
    if failures:
        raise failures[0]
    return not refused


def _from(array: Array, start: int) -> Array:
    """The array from a byte on; of one in rows, of which `start` is a multiple of the distance."""
    if array.ndim == 2:
        return array[start // array.strides[0] :] if start else array
    return array[start:]


def _wanted(source: Array, target: Array, threads: int | None) -> int:
    if threads is not None:
        return threads
    return processors() if max(source.size, target.size) >= SHARED else 1


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # systems without
        return os.cpu_count() or 1


def _parts(task: Task, extent: Extent, threads: int) -> Iterator[tuple[int, Extent]]:
    """The extent in parts, each with the number of its first row."""
    most = min(threads, extent.rows * extent.samples // LEAST)
    if most < 2 or (extent.rows == 1 and not rounds_are_apart(task)):
        yield 0, extent
        return
    if extent.rows > 1:
        for part in range(most):
            begin, end = extent.rows * part // most, extent.rows * (part + 1) // most
            if begin < end:
                yield begin, _rows(extent, begin, end)
        return
    period = period_of(task)
    rounds = extent.samples // period
    for part in range(most):
        begin, end = (rounds * n // most * period for n in (part, part + 1))
        end = extent.samples if part == most - 1 else end
        if begin < end:
            yield 0, _samples(task, extent, begin, end)


def _rows(extent: Extent, begin: int, end: int) -> Extent:
    return replace(
        extent,
        rows=end - begin,
        in_bytes=extent.in_bytes - begin * extent.in_less,
        out_bytes=extent.out_bytes - begin * extent.out_less,
    )


def _samples(task: Task, extent: Extent, begin: int, end: int) -> Extent:
    """Samples of the only row, from one that begins a round on."""
    into = begin // len(task.source.fields) * task.source.step
    onto = begin // len(task.target.fields) * task.target.step
    if task.stage is not None:  # the target has elements of another size
        onto = begin * 8 * int(task.stage.value[1:])
    return replace(
        extent,
        in_at=extent.in_at + into,
        out_at=extent.out_at + onto,
        samples=end - begin,
    )
