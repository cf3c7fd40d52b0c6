"""Layouts: what is refused, what fits where, what arrays look like."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen import CogenError
from cogen.signals import Field, Group, Layout, Rows
from cogen.signals.layout import bytes_needed, capacity, overlaps
from cogen.signals.pattern import MOST_MADE

pytestmark = pytest.mark.quick


def test_a_layout_is_a_value() -> None:
    assert Layout(12) == Layout(12, 12, 0, "little")
    assert hash(Layout(12)) == hash(Layout(12, stride=12))
    assert Layout(12) != Layout(12, order="big")
    with pytest.raises(AttributeError):
        Layout(12).size = 13  # type: ignore[misc]


def test_what_is_made_again_is_the_same() -> None:
    """And what only compares equal to what made it is refused as ever."""
    for made in (lambda: Layout(12, order="big", scale=0.5), lambda: Rows("u12", 4, pitch=9)):
        assert made() is made()
        assert pickle.loads(pickle.dumps(made())) == made() == replace(made())
    assert Layout(1, 1, 1).stride == 1
    for wrong in ((1.0,), (True,), (1, True), (1, 1, 1.0)):
        with pytest.raises(CogenError, match="must be an integer"):
            Layout(*wrong)
    given = list(inspect.signature(Layout).parameters)
    assert given == [field.name for field in fields(Layout)]
    for number in range(MOST_MADE + 2):
        assert Layout(1, offset=number).offset == number


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Layout(0), "size must lie between 1 and 64, not be 0"),
        (lambda: Layout(65), "size must lie between 1 and 64, not be 65"),
        (lambda: Layout(8.0), "size must be an integer, not 8.0"),
        (lambda: Layout(True), "size must be an integer, not True"),
        (lambda: Layout(8, stride=0), "the stride of a layout must not be 0"),
        (lambda: Layout(8, stride="8"), "stride must be an integer, not '8'"),
        (lambda: Layout(8, offset=-1), f"offset must lie between 0 and {1 << 48}, not be -1"),
        (lambda: Layout(8, order="middle"), 'order must be "little" or "big", not \'middle\''),
        (lambda: Layout(8, signed=1), "signed must be True or False, not 1"),
        (lambda: Layout(24, float=True), "a float has 16, 32, 64 bits, not 24"),
        (lambda: Layout(8, channels=0), f"channels must lie between 1 and {1 << 32}, not be 0"),
        (lambda: Layout(8, scale=0), "scale must be finite and not 0, not 0"),
        (lambda: Layout(8, scale=float("nan")), "scale must be finite and not 0, not nan"),
        (lambda: Layout(8, scale="2"), "scale must be a number, not '2'"),
        (lambda: Field(()), "the pieces of a field are pairs (address, size), not a tuple"),
        (lambda: Field(((0, 40), (40, 40))), "the size of a field must lie between 1 and 64, "
                                             "not be 80"),
        (lambda: Group(8, ()), "a group needs fields: instances of signals.Field, one at least"),
        (lambda: Group(8, (Field(((4, 5),)),)), "a field ends after the group's 8 bits"),
        (lambda: Group(16, (Field(((0, 8),)), Field(((8, 8),), signed=True))),
         "the fields of a group have different kinds of values"),
        (lambda: Group(8, (Field(((0, 4),), name="a"), Field(((4, 4),), name="a")),
                       shape="record"), "two fields of the record are called 'a'"),
        (lambda: Group(8, (Field(((0, 4),)),), shape="list"),  # type: ignore[arg-type]
         'the shape of a group is "samples", "channels" or "record", not \'list\''),
    ],
)  # fmt: skip
def test_what_makes_no_layout_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(CogenError) as caught:
        make()
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("layout", "dtype"),
    [
        (Layout(1), "u1"),
        (Layout(8, signed=True), "i1"),
        (Layout(9), "u2"),
        (Layout(17, signed=True), "i4"),
        (Layout(33), "u8"),
        (Layout(64, signed=True), "i8"),
        (Layout(16, float=True), "f2"),
        (Layout(64, float=True), "f8"),
        (Layout(3, scale=0.5), "f8"),
    ],
)
def test_the_type_is_the_smallest_that_holds_the_values(layout: Layout, dtype: str) -> None:
    assert layout.dtype == np.dtype(dtype)


@pytest.mark.parametrize(
    ("layout", "length", "items"),
    [
        (Layout(12), 0, 0),
        (Layout(12), 1, 0),
        (Layout(12), 5, 3),
        (Layout(12, 16), 5, 2),
        (Layout(8, 16), 5, 3),
        (Layout(8, offset=40), 5, 0),
        (Layout(8, -8, 32), 5, 5),
        (Layout(8, -16, 32), 5, 3),
        (Layout(8, -8, 40), 5, 0),
        (Layout(8, channels=2), 5, 2),
    ],
)
def test_the_capacity_of_a_buffer(layout: Layout, length: int, items: int) -> None:
    assert capacity(layout, length) == items


layouts = st.builds(
    Layout,
    st.integers(1, 64),
    st.integers(-100, 100).filter(bool),
    st.integers(0, 2000),
    st.sampled_from(["little", "big"]),
    channels=st.integers(1, 4),
)


@given(layouts, st.integers(0, 40))
def test_what_is_needed_fits_and_a_byte_less_does_not(layout: Layout, items: int) -> None:
    if items and layout.offset + (items * layout.channels - 1) * layout.step < 0:
        with pytest.raises(CogenError, match=f"^error: {items} samples do not fit: a stride of"):
            bytes_needed(layout, items)
        return
    needed = bytes_needed(layout, items)
    assert items == 0 or capacity(layout, needed) >= items
    assert needed == 0 or capacity(layout, needed - 1) < items


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (Layout(8), False),
        (Layout(8, 7), True),
        (Layout(8, -8), False),
        (Layout(8, -5), True),
        (Group(8, (Field(((0, 5),)), Field(((4, 4),)))), True),
        (Group(8, (Field(((4, 4),)), Field(((0, 4),)))), False),
    ],
)
def test_overlaps(layout: Layout | Group, expected: bool) -> None:
    assert overlaps(layout) is expected
