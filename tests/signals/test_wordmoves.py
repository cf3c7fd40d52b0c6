"""Samples moved with NumPy a word at a time: plans of shifts and masks, and what they move."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from cogen import signals
from cogen.signals.bitmoves import Move, MoveTerm, cost, shifted, terms
from cogen.signals.buffers import Array
from cogen.signals.formats import layout
from cogen.signals.forms import form_of
from cogen.signals.slices import Slices
from cogen.signals.task import Task
from cogen.signals.unpacking import task_for

pytestmark = pytest.mark.quick


def meaning(term: MoveTerm, x: int, width: int) -> int:
    """What a term computes, by the definitions of its parts."""
    for step in term.steps:
        if step.either:
            x = (x | shifted(x, step.by, width)) & step.stay
        else:
            x = (x & step.stay) | shifted(x & step.go, step.by, width)
    x = shifted(x, term.by, width)
    return x if term.mask is None else x & term.mask


def moved(moves: list[Move], x: int) -> int:
    """The bits in their places, one by one."""
    result = 0
    for place, to in moves:
        result |= (x >> place & 1) << to
    return result


@pytest.mark.parametrize("seed", range(40))
def test_terms_move_each_bit(seed: int) -> None:
    """Fields at regular distances, at random ones, and single bits anywhere."""
    draw = random.Random(seed)
    width = draw.choice([8, 16, 32, 64])
    live = draw.choice([(1 << width) - 1, draw.getrandbits(width)])
    size, count = draw.randint(1, 4), draw.randint(1, max(1, width // 8))
    step, other = draw.randint(size, width // count), draw.randint(size, width // count)
    groups = []
    if count * max(step, other) <= width:
        groups = [[(i * step + b, i * other + b) for i in range(count) for b in range(size)]]
    if not groups or seed % 3 == 0:
        targets = draw.sample(range(width), width // 2)
        groups = [[(draw.randrange(width), to) for to in targets]]
    groups = [[move for move in group if live >> move[0] & 1] for group in groups]
    groups = [group for group in groups if group]
    if not groups:
        return
    found = terms(groups, live, width)
    moves = [move for group in groups for move in group]
    for x in (live, 0, *(draw.getrandbits(width) & live for _ in range(20))):
        whole = 0
        for term in found:
            whole |= meaning(term, x, width)
        assert whole == moved(moves, x)
    assert cost(found) <= 3 * len({to - place for place, to in moves})


def test_fields_at_regular_distances_take_steps_of_halves() -> None:
    """Eight fields of 3 bits to bytes: three steps, not eight shifts and masks."""
    moves = [(3 * i + b, 8 * i + b) for i in range(8) for b in range(3)]
    (term,) = terms([moves], (1 << 24) - 1, 64)
    assert [step.by for step in term.steps] == [20, 10, 5]
    assert cost([term]) < 12


def raw10(data: Array) -> Array:
    """As people write it."""
    groups = data.reshape(-1, 5)
    result = np.empty((len(groups), 4), np.uint16)
    for i in range(4):
        result[:, i] = groups[:, i].astype(np.uint16) << 2 | groups[:, 4] >> 2 * i & 3
    return result.reshape(-1)


def raw12(data: Array) -> Array:
    """As people write it."""
    groups = data.reshape(-1, 3)
    result = np.empty((len(groups), 2), np.uint16)
    result[:, 0] = groups[:, 0].astype(np.uint16) << 4 | groups[:, 2] & 15
    result[:, 1] = groups[:, 1].astype(np.uint16) << 4 | groups[:, 2] >> 4
    return result.reshape(-1)


@pytest.mark.usefixtures("numpy_movers")
@pytest.mark.parametrize(("name", "by_hand"), [("raw10", raw10), ("raw12", raw12)])
def test_pixels_as_people_unpack_them(name: str, by_hand: Callable[[Array], Array]) -> None:
    data = np.random.default_rng(1).integers(0, 256, 30 * 40_000, np.uint8)
    found = signals.unpack(data, name)
    assert np.array_equal(found, by_hand(data))
    assert np.array_equal(signals.pack(found, name), data)


@pytest.mark.usefixtures("numpy_movers")
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("count", [1, 7, 8, 9, 300_001])
def test_bits_as_numpy_has_them(order: str, count: int) -> None:
    draw = np.random.default_rng(count)
    data = draw.integers(0, 256, (count + 7) // 8 + 3, np.uint8)
    bits = np.unpackbits(data, bitorder=order)  # type: ignore[call-overload]
    one = signals.Layout(1, order=order)  # type: ignore[arg-type]
    for dtype in ("u1", "?", "u2", "f4"):
        assert np.array_equal(signals.unpack(data, one, count, dtype=dtype), bits[:count])
    out = np.zeros(count, np.uint8)
    assert np.array_equal(signals.unpack(data, one, count, out=out), bits[:count])
    for kind in ("u1", "u2", "i8", "?"):
        values = draw.integers(0, 2, count).astype(kind)
        packed = np.packbits(values.astype(np.uint8), bitorder=order)  # type: ignore[call-overload]
        assert np.array_equal(signals.pack(values, one), packed)
    values = draw.integers(0, 256, count).astype(np.uint8)
    packed = np.packbits(values & 1, bitorder=order)  # type: ignore[call-overload]
    kept = np.full(len(packed) + 1, 0xFF, np.uint8)
    signals.pack(values, one, out=kept, wrap=True)
    assert np.array_equal(signals.unpack(kept, one, count), values & 1)
    assert kept[-1] == 0xFF
    rest = signals.unpack(kept, one)[count:]
    assert rest.all()
    saturated = signals.pack(values, one, saturate=True)
    assert np.array_equal(signals.unpack(saturated, one, count), values > 0)


@pytest.mark.parametrize(
    ("name", "most"),
    [("raw10", 17), ("raw12", 11), ("size=12", 4), ("size=3", 9), ("size=4", 4), ("pcm24le", 2)],
)
def test_how_much_is_done_for_a_period(name: str, most: int) -> None:
    found = layout(name)
    words = Slices(task_for(found, form_of(found, None))).words
    assert words is not None
    assert sum(len(word.operations) for word in words.words) <= most


@pytest.mark.parametrize(
    "name", ["raw10", "size=12,order=big", "pcm24be", "size=7,signed", "raw14"]
)
def test_nothing_beyond_the_buffers_is_touched(name: str, numpy_movers: list[Task]) -> None:
    """Words of the last period may end beyond it: the bytes there are neither read nor written."""
    found = layout(name)
    for groups in (1, 2, 3, 9):
        length = -(-groups * found.step // 8)
        whole = np.random.default_rng(groups).integers(0, 256, length, np.uint8)
        other = np.concatenate([whole, np.full(9, 0xFF, np.uint8)])
        values = signals.unpack(whole, found, groups * len(found.fields))
        assert np.array_equal(signals.unpack(other[:length], found, len(values)), values)
        packed = np.full(length + 16, 0x5A, np.uint8)
        signals.pack(values, found, out=packed[:length])
        assert (packed[length:] == 0x5A).all()
        assert np.array_equal(signals.unpack(packed, found, len(values)), values)
    assert numpy_movers


@pytest.mark.usefixtures("numpy_movers")
def test_periods_that_share_bytes_keep_each_others_bits() -> None:
    for size, offset in ((56, 1), (24, 3), (48, 7), (20, 2)):
        one = signals.Layout(size, offset=offset)
        values = np.random.default_rng(size).integers(0, 1 << size, 50, np.uint64)
        packed = np.full(8 * 50 + 8, 0xFF, np.uint8)
        signals.pack(values, one, out=packed)
        assert np.array_equal(signals.unpack(packed, one, 50), values)
        assert signals.unpack(packed, signals.Layout(1))[:offset].all()
        assert signals.unpack(packed, signals.Layout(1, offset=offset + size * 50)).all()
