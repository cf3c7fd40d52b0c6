"""Movers that run the residual program of a kernel as Python.

For many layouts that is far quicker than a C compiler, and what the specializer made is tested.

Whole rounds go through the program at once, the rest through copies that are filled up with zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.signals import kernels, packing, unpacking
from cogen.signals.pattern import BitPattern, Window, choose_word_size
from cogen.signals.task import Extent, Task


def use(patch: pytest.MonkeyPatch, make: Any) -> None:
    """Make movers in another way, and forget those that there are."""
    patch.setattr(kernels, "_movers", {})
    patch.setattr(kernels, "_make", make)
    patch.setattr(unpacking, "quick_ways", {})
    patch.setattr(packing, "quick_ways", {})


@lru_cache(maxsize=1024)
def sample_mask(pattern: BitPattern, address: int, samples: int, length: int) -> int:
    """The bits of the first samples from a bit address on, in `length` bytes read as one integer
    in the pattern's byte order."""
    mask = 0
    for i in range(samples):
        group, field = divmod(i, len(pattern.fields))
        for place, size in pattern.fields[field][1]:
            first = address + group * pattern.step + place
            shift = first if pattern.order == "little" else 8 * length - first - size
            mask |= ((1 << size) - 1) << shift
    return mask


class ResidualMover:
    """A mover, as `cogen.signals.kernels` has them."""

    def __init__(self, task: Task, made: Callable[[cogen.Residual], None] | None = None) -> None:
        residual = kernels.residual_for(task)
        if made is not None:
            made(residual)
        self.run = residual.to_python()
        self.task = task
        self.word_size = choose_word_size(task.source, task.target)
        self.period = kernels.period_of(task)

    def __call__(self, source: Any, target: Any, extent: Extent, scale: float) -> None:
        for row in range(extent.rows):
            begin, put = row * extent.in_pitch, row * extent.out_pitch
            data = source[row] if source.ndim == 2 else source[begin:]
            inside = memoryview(data)[: extent.in_bytes - row * extent.in_less]
            outside = memoryview(target[put:])[: extent.out_bytes - row * extent.out_less]
            stage = self.task.stage
            if stage is None:
                self.row(inside, extent.in_at, outside, extent.out_at, extent.samples)
                continue
            samples = np.zeros(extent.samples, stage.sample)
            self.row(inside, extent.in_at, memoryview(samples.view("u1")), 0, extent.samples)
            values = samples.astype("f8") * scale if stage.scaled else samples
            np.frombuffer(outside, stage.value)[: extent.samples] = values

    def row(self, source: memoryview, in_at: int, target: memoryview, out_at: int, n: int) -> None:
        rounds = n // self.period
        while rounds:
            a, b = self.windows(in_at, out_at, rounds)
            if a.inside(len(source)) and b.inside(len(target)):
                words = source[a.start : a.stop], a.address
                self.run(*words, target[b.start : b.stop], b.address, rounds)
                break
            rounds -= 1
        for first in range(rounds * self.period, n, self.period):
            into = in_at + first // len(self.task.source.fields) * self.task.source.step
            onto = out_at + first // len(self.task.target.fields) * self.task.target.step
            self.few(source, into, target, onto, min(self.period, n - first))

    def windows(self, in_at: int, out_at: int, rounds: int) -> tuple[Window, Window]:
        def window(pattern: BitPattern, at: int) -> Window:
            return pattern.window(at, rounds * pattern.groups(self.period), self.word_size)

        return window(self.task.source, in_at), window(self.task.target, out_at)

    def few(self, source: memoryview, in_at: int, target: memoryview, out_at: int, n: int) -> None:
        """Move at most one round."""
        a, b = self.windows(in_at, out_at, 1)
        result = bytearray(b.stop - b.start)
        self.run(_filled_up(source, a), a.address, result, b.address, 1)
        order = self.task.target.order
        mask = sample_mask(self.task.target, b.address, n, len(result))
        before = int.from_bytes(_filled_up(target, b), order)
        after = (before & ~mask) | (int.from_bytes(result, order) & mask)
        whole = after.to_bytes(len(result), order)
        start, stop = max(b.start, 0), min(b.stop, len(target))
        target[start:stop] = whole[start - b.start : stop - b.start]


def _filled_up(buffer: memoryview, window: Window) -> bytes:
    """The bytes of the window, zeros where the buffer has none."""
    inside = bytes(buffer[max(window.start, 0) : max(window.stop, 0)])
    before = min(max(-window.start, 0), window.stop - window.start)
    return (bytes(before) + inside).ljust(window.stop - window.start, b"\0")
