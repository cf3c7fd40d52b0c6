"""Records as people have them are packed as the structured array of the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen import CogenError, signals
from cogen.signals.layout import AnyLayout

pytestmark = pytest.mark.quick

RECORD = signals.layout("u12s4f32", names=["level", "offset", "gain"])

values = st.lists(
    st.tuples(st.integers(0, 4095), st.integers(-8, 7), st.floats(width=32, allow_nan=False)),
    min_size=1,
    max_size=9,
)


def structured(rows: list[tuple[Any, ...]], layout: AnyLayout) -> Any:
    return np.array(rows, layout.dtype)


@given(values)
def test_every_form_gives_the_same_bytes(rows: list[tuple[int, int, float]]) -> None:
    expected = bytes(signals.pack(structured(rows, RECORD), RECORD))
    names = RECORD.dtype.names or ()
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    forms: list[Any] = [
        rows, columns,
        {name: np.array(column) for name, column in columns.items()},
        [dict(zip(names, row, strict=True)) for row in rows],
        pd.DataFrame(columns), signals.columns(expected, RECORD, count=len(rows)),
    ]  # fmt: skip
    for form in forms:
        assert bytes(signals.pack(form, RECORD)) == expected
    assert bytes(signals.pack(dict(zip(names, rows[0], strict=True)), RECORD)) == expected[:6]


def test_a_number_is_that_of_all_records() -> None:
    found = signals.pack({"level": [1, 2, 3], "offset": -1, "gain": 0.5}, RECORD)
    assert signals.unpack(found, RECORD).tolist() == [(1, -1, 0.5), (2, -1, 0.5), (3, -1, 0.5)]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ([(5000, 0, 0.0)], "the value 5000 of level at index 0 does not fit in 12 bits"),
        ([(1, 2.5, 0.0)], "the value 2.5 of offset at index 0 is no integer"),
        ([(1 << 63, 0, 0.0)], "the value 9223372036854775808 of level at index 0"),
        ([(1 << 80, 0, 0.0)], "samples must be numbers"),
        ([(1, 2)], "has the fields level, offset, gain, but that at index 0 has 2 values"),
        ({"level": [1]}, "but what is packed lacks 'offset'"),
        ([{"level": 1, "offset": 1, "gain": 1, "more": 1}], "but what is packed has 'more'"),
        ({"level": [1, 2], "offset": [1], "gain": 0}, "several lengths: level 2, offset 1"),
        ({"level": [[1]], "offset": [1], "gain": 0}, "level must have one dimension, not 2"),
        ({"level": [1, [2]], "offset": [1], "gain": 0}, "the column level makes no array"),
        ([1, 2, 3], "are a structured array with the fields level, offset, gain"),
        ("abc", "samples are numbers, not str"),
        (b"abc", "samples are numbers, not bytes"),
    ],
)
def test_what_makes_no_records(form: Any, message: str) -> None:
    with pytest.raises(CogenError, match=message):
        signals.pack(form, RECORD)
