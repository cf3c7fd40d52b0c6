"""Move samples from one buffer to another: the kernel for the bulk, copies at the ends.

A kernel reads and writes whole words, a round of samples at a time.  What is not a whole round,
or whose words reach beyond an end of a buffer, goes through small copies that are filled up with
zeros.  Of the target only the samples' own bits change.
"""

from __future__ import annotations

from dataclasses import replace

from cogen.signals.kernels import Kernel, Task, kernel_for
from cogen.signals.pattern import Pattern, Window, sample_mask


def move(source: memoryview, target: memoryview, task: Task, samples: int) -> None:
    """Move that many samples as the task says; they lie wholly inside both buffers, which have
    format B.  CogenError if no kernel can be made, or the buffers overlap."""
    if samples == 0:
        return
    source_pattern, target_pattern = task.source.compact(samples), task.target.compact(samples)
    if source_pattern is not task.source or target_pattern is not task.target:
        task = replace(task, source=source_pattern, target=target_pattern)
    kernel = kernel_for(task)
    rounds = samples // kernel.period
    in_window = out_window = None
    while rounds:
        in_window = _window(task.source, task.offsets[0], rounds, kernel)
        out_window = _window(task.target, task.offsets[1], rounds, kernel)
        if in_window.inside(len(source)) and out_window.inside(len(target)):
            kernel.run(
                source[in_window.start : in_window.stop],
                in_window.address,
                target[out_window.start : out_window.stop],
                out_window.address,
                rounds,
            )
            break
        rounds -= 1
    for first in range(rounds * kernel.period, samples, kernel.period):
        _move_few(source, target, task, kernel, first, min(kernel.period, samples - first))


def _window(pattern: Pattern, offset: int, rounds: int, kernel: Kernel) -> Window:
    return pattern.window(offset, rounds * pattern.groups(kernel.period), kernel.word_size)


def _move_few(
    source: memoryview, target: memoryview, task: Task, kernel: Kernel, first: int, samples: int
) -> None:
    """Move at most one round, from sample `first` on, by copies."""
    in_at = _address(task.source, task.offsets[0], first)
    out_at = _address(task.target, task.offsets[1], first)
    in_window = _window(task.source, in_at, 1, kernel)
    out_window = _window(task.target, out_at, 1, kernel)
    words = _filled_up(source, in_window)
    result = bytearray(out_window.stop - out_window.start)
    kernel.run(words, in_window.address, result, out_window.address, 1)

    order = task.target.order
    mask = sample_mask(task.target, out_window.address, samples, len(result))
    before = int.from_bytes(_filled_up(target, out_window), order)
    after = (before & ~mask) | (int.from_bytes(result, order) & mask)
    whole = after.to_bytes(len(result), order)
    start, stop = max(out_window.start, 0), min(out_window.stop, len(target))
    target[start:stop] = whole[start - out_window.start : stop - out_window.start]


def _address(pattern: Pattern, offset: int, sample: int) -> int:
    """The address of a sample that begins a group."""
    return offset + sample // len(pattern.fields) * pattern.step


def _filled_up(buffer: memoryview, window: Window) -> bytes:
    """The bytes of the window, zeros where the buffer has none."""
    inside = bytes(buffer[max(window.start, 0) : max(window.stop, 0)])
    before = min(max(-window.start, 0), window.stop - window.start)
    return (bytes(before) + inside).ljust(window.stop - window.start, b"\0")
