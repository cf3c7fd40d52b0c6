"""Records as people have them are packed as the structured array of the same numbers."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen import CogenError, signals
from cogen.signals.layout import AnyLayout, bytes_needed

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


@pytest.mark.one_in(6)
@pytest.mark.slow
@pytest.mark.parametrize("text", ["u12p4", "u8p24", "p3u7p5s9p70", "f32p1", "u3p2", "s12"])
def test_others_can_follow(text: str) -> None:
    """Records end with their padding, so what is packed in parts is as if it were packed at once,
    where records are whole bytes; streams write the same; NumPy reads types with gaps."""
    record: Any = signals.layout(text, names=[f"n{i}" for i in range(len(set("usf") & {*text}))])
    names = record.dtype.names or ()
    each = 8 // math.gcd(record.step, 8)
    given = {name: np.arange(3 * each) % 4 for name in names}
    for _ in range(2):
        whole = signals.pack(given, record)
        assert len(whole) == 3 * each * record.step // 8
        parts = [
            signals.pack({n: column[i : i + each] for n, column in given.items()}, record)
            for i in range(0, 3 * each, each)
        ]
        assert b"".join(map(bytes, parts)) == bytes(whole)
    assert len(signals.unpack(whole, record)) >= 3 * each
    values = signals.unpack(whole, record, count=3 * each)
    for block in (1, 2, 100):
        sink = io.BytesIO()
        signals.stream(values.tobytes(), values.dtype, block=block).write(sink, record)
        assert sink.getvalue() == bytes(whole)
    assert bytes(signals.convert(whole, record, record)) == bytes(whole)
    out = bytearray(bytes_needed(record, 3 * each))  # what is there need not have it
    signals.pack(values, record, out)
    assert out == bytes(whole)[: len(out)]
    sink = io.BytesIO()
    signals.stream(b"", values.dtype).write(sink, replace(record, offset=64))
    assert sink.getvalue() == b""


def test_types_with_gaps_are_read_by_numpy() -> None:
    dtype = np.dtype({"names": ["a"], "formats": ["u2"], "offsets": [2], "itemsize": 12})
    records = np.zeros(3, dtype)
    records["a"] = [1, 2, 3]
    assert np.array_equal(np.frombuffer(signals.pack(records, dtype), dtype)["a"], [1, 2, 3])


def test_large_integers_in_lists_stay_what_they_are() -> None:
    """Though NumPy makes floats of a list in which some have 64 bits and others fewer."""
    numbers = [(1 << 63) + 1, 5, (1 << 64) - 1]
    array = np.array(numbers, np.uint64)
    for form in (numbers, tuple(numbers)):
        assert np.array_equal(signals.unpack(signals.pack(form, "u64"), "u64"), array)
    rows = signals.pack([[number] for number in numbers], signals.Rows("u64", 1))
    assert np.array_equal(signals.unpack(rows, "u64"), array)
    record = signals.layout("u64u8", names=["a", "b"])
    packed = signals.pack([(n, 1) for n in numbers], record)
    assert signals.unpack(packed, record)["a"].tolist() == numbers
    with pytest.raises(CogenError, match="samples must be numbers"):
        signals.pack([(1 << 63) + 1, -1], "u64")


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
