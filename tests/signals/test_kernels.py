"""What is left of the conversion program for a layout: each word loaded once and stored once."""

from __future__ import annotations

from collections import Counter
from math import gcd
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.lang import il
from cogen.lang.ilutil import all_blocks
from cogen.signals import Layout
from cogen.signals.pattern import SPARSE


def operations(residual: cogen.Residual) -> Counter[str]:
    counts: Counter[str] = Counter()
    for block in all_blocks(residual.program.program):
        counts.update(binding.op for binding in block.bindings if isinstance(binding, il.Let))
        counts["if"] += isinstance(block.tail, il.If)
    return counts


@pytest.mark.one_in(6)
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("size", [1, 4, 8, 10, 12, 14, 16, 24, 33, 64])
def test_kernels_touch_each_word_once(
    residuals: list[cogen.Residual], size: int, order: Any
) -> None:
    layout = Layout(size, order=order)
    signals.pack(signals.unpack(bytes(300), layout), layout)
    unpack, pack = residuals[0], residuals[-1]  # one kernel if samples are elements
    element = 8 * layout.dtype.itemsize
    for residual, loaded, stored in ((unpack, size, element), (pack, element, size)):
        word = residual.program.word_size
        period = word // gcd(gcd(size, element), word)
        counts = operations(residual)
        assert counts["load-word"] == period * loaded // word
        assert counts["store-word!"] == period * stored // word
        assert counts["if"] == 1
        assert not {"floor-quotient", "floor-remainder", "*"} & set(counts)


def test_gaps_are_only_read_where_they_are_kept(residuals: list[cogen.Residual]) -> None:
    layout = Layout(12, 16)
    values = np.arange(40, dtype=np.uint16)
    signals.pack(values, layout)
    signals.pack(values, layout, out=bytearray(80))
    zeros, keeps = map(operations, residuals)
    assert keeps["load-word"] == zeros["load-word"] + keeps["store-word!"]


def test_a_kernel_is_made_once(residuals: list[cogen.Residual]) -> None:
    for start in range(4):
        signals.unpack(bytes(50)[start:], "u12")
        signals.unpack(bytes(50), Layout(12, offset=8 * start, order="big"))
    assert len(residuals) == 1


@pytest.mark.usefixtures("residuals")
def test_far_strides_take_little_memory() -> None:
    far = Layout(8, stride=1 << 45, offset=8)
    assert signals.unpack(b"abc", far).tolist() == [98]
    assert bytes(signals.pack([98], far)) == b"\0b"
    stride = SPARSE + 1
    data = bytearray(3 * stride // 8 + 2)
    signals.pack([1, 2, 3, 4], Layout(8, stride), out=data)
    assert signals.unpack(data, Layout(8, stride)).tolist() == [1, 2, 3, 4]
    with pytest.raises(cogen.CogenError, match="there is no memory for an array"):
        signals.pack([1, 2], Layout(8, stride=1 << 47))
