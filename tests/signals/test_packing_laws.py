"""Laws of packing, for layouts of every kind, against a model that works on bits of integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cogen import CogenError, signals
from cogen.signals import Layout
from tests.signals import layouts as model

pytestmark = pytest.mark.usefixtures("portable_movers")


def layout_of(drawn: model.Layout) -> Layout:
    """The layout of the API that a layout of the model stands for."""
    kind = drawn.kind
    order: Any = drawn.order
    return Layout(
        drawn.size, drawn.stride, drawn.offset, order, kind == "signed", kind == "float"
    )  # fmt: skip


def expected_values(drawn: model.Layout, data: bytes) -> list[int | float]:
    values = [drawn.get(data, k) for k in range(drawn.count)]
    if drawn.kind == "unsigned" and drawn.size == 64:  # the language has no such integers
        return [value % 2**64 for value in values]
    return values


def bits_of(drawn: model.Layout, data: bytes, k: int) -> int:
    whole = int.from_bytes(data, "little" if drawn.order == "little" else "big")
    return whole >> drawn.position(k) & ((1 << drawn.size) - 1)


def same(found: np.ndarray[Any, Any], expected: list[int | float]) -> bool:
    return len(found) == len(expected) and all(
        a == b or (math.isnan(a) and math.isnan(b))
        for a, b in zip(found.tolist(), expected, strict=True)
    )


drawn_layouts = model.layouts()

few = settings(max_examples=max(3, settings.default.max_examples // 5))
"""For tests that make several kernels an example."""

some = settings(max_examples=settings().max_examples // 2)
"""For tests that make one."""


@some
@given(drawn_layouts.flatmap(lambda drawn: st.tuples(st.just(drawn), model.contents(drawn))))
def test_unpack_gives_the_samples(case: tuple[model.Layout, bytes]) -> None:
    drawn, data = case
    layout = layout_of(drawn)
    found = signals.unpack(data, layout, drawn.count)
    assert found.dtype == layout.dtype
    assert same(found, expected_values(drawn, data))


@few
@given(
    drawn_layouts.flatmap(
        lambda drawn: st.tuples(st.just(drawn), model.contents(drawn), model.contents(drawn))
    )
)
def test_pack_changes_the_samples_bits_and_no_others(
    case: tuple[model.Layout, bytes, bytes],
) -> None:
    drawn, data, before = case
    layout = layout_of(drawn)
    values = signals.unpack(data, layout, drawn.count)
    expected = bytearray(before)
    for k in range(drawn.count):
        drawn.put(expected, k, bits_of(drawn, data, k))
    out = bytearray(before)
    assert signals.pack(values, layout, out=out) is out
    assert out == expected


@some
@given(drawn_layouts.flatmap(lambda drawn: st.tuples(st.just(drawn), model.contents(drawn))))
def test_pack_without_out_is_short_and_zero_between(case: tuple[model.Layout, bytes]) -> None:
    drawn, data = case
    layout = layout_of(drawn)
    values = signals.unpack(data, layout, drawn.count)
    packed = signals.pack(values, layout)
    expected = bytearray(drawn.length)
    for k in range(drawn.count):
        drawn.put(expected, k, bits_of(drawn, data, k))
    last = max(drawn.offset, drawn.offset + (drawn.count - 1) * drawn.stride) + drawn.size
    needed = -(-last // 8) if drawn.count else 0
    assert bytes(packed) == bytes(expected[:needed])


@few
@given(
    drawn_layouts.flatmap(lambda drawn: st.tuples(st.just(drawn), model.contents(drawn))),
    st.integers(1, 64), st.sampled_from(["little", "big"]), st.booleans(), st.integers(0, 9),
    st.sampled_from(["check", "saturate", "wrap"]),
)  # fmt: skip
def test_convert_is_unpack_and_pack(
    case: tuple[model.Layout, bytes], size: int, order: Any, signed: bool, gap: int, fit: str
) -> None:
    drawn, data = case
    assume(drawn.kind != "float")
    source = layout_of(drawn)
    target = Layout(size, size + gap, gap, order, signed)
    array = signals.unpack(data, source)
    values = array.tolist()
    low, high = target.fields[0].limits
    if fit == "check" and not all(low <= value <= high for value in values):
        with pytest.raises(CogenError, match="does not fit in"):
            signals.convert(data, source, target)
        return
    expected = {
        "check": values,
        "saturate": [min(max(value, low), high) for value in values],
        "wrap": [(value - low) % (1 << size) + low for value in values],
    }[fit]
    changes = {} if fit == "check" else {fit: True}
    found = signals.convert(data, source, target, **changes)
    assert signals.unpack(found, target, len(values)).tolist() == expected
    assert bytes(signals.pack(array, target, **changes)) == bytes(found)


def reference_bits(value: int, size: int, mark: str, swapped: bool, at: int) -> str:
    """The bits of a value as the package bitstruct writes them, `at` bits after the start."""
    bits = format(value, f"0{size}b")
    if mark == "<":
        bits = bits[::-1]
    if not swapped:
        return bits
    result = ""
    while bits:
        room = 8 - (at + len(result)) % 8
        result += bits[-room:]
        bits = bits[:-room]
    return result


items = st.lists(
    st.tuples(
        st.sampled_from(["", "<", ">"]), st.sampled_from("up"), st.integers(1, 20), st.integers(0)
    ),
    min_size=1,
    max_size=4,
)


@few
@given(items, st.booleans())
def test_format_strings_mean_what_they_mean_in_bitstruct(
    items: list[tuple[str, str, int, int]], swapped: bool
) -> None:
    items = [*items, (">", "u", 3, 5)]
    text = "".join(f"{mark}{kind}{size}" for mark, kind, size, _ in items)
    text += "<" if swapped else ""
    bits, order = "", ">"
    values = []
    for mark, kind, size, number in items:
        order = mark or order
        value = number % (1 << size) if kind == "u" else 0
        if kind == "u":
            values.append(value)
            bits += reference_bits(value, size, order, swapped, len(bits))
        else:
            bits += "0" * size
    data = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    found = signals.unpack(data, text, 1).tolist()[0]
    assert (list(found) if isinstance(found, tuple) else [found]) == values
