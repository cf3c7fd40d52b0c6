"""CAN frames: whole arrays decode as cantools decodes each frame."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import cantools
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen import signals
from cogen.lang.errors import CogenError

pytestmark = pytest.mark.quick

DBC = Path(__file__).parent / "data" / "car.dbc"

described: Any = cantools.database.load_file(str(DBC))
bus = signals.dbc(DBC)


def frames_of(count: int, seed: int = 1) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, 256, (count, 8), np.uint8)


def same(found: Any, expected: Any) -> bool:
    return bool(found == expected or (math.isnan(found) and math.isnan(expected)))


def check_frames(name: str, frames: np.ndarray[Any, Any]) -> None:
    values = bus[name].decode(frames)
    message = described.get_message_by_name(name)
    for frame, row in zip(frames, values, strict=True):
        data = bytes(frame)[: message.length]
        try:
            expected = message.decode(data, decode_choices=False)
        except cantools.database.DecodeError:  # a page that the message does not have
            continue
        for field in values.dtype.names or ():
            assert same(row[field], expected.get(field, math.nan)), field


@pytest.mark.slow
@pytest.mark.parametrize("name", ["EngineData", "Wheels", "Short"])
def test_signals_of_random_frames(name: str) -> None:
    check_frames(name, frames_of(200))


def test_multiplexed_signals() -> None:
    frames = frames_of(200)
    frames[:, 0] %= 2
    check_frames("Diagnosis", frames)
    values = bus["Diagnosis"].decode(frames)
    assert np.array_equal(np.isnan(values["Voltage"]), frames[:, 0] == 1)
    assert np.array_equal(np.isnan(values["Current"]), frames[:, 0] == 0)
    assert values["Counter"].dtype == np.uint8


def test_types_units_and_choices() -> None:
    engine = bus["EngineData"]
    assert engine.dtype["Speed"] == np.float64
    assert engine.dtype["Temperature"] == np.int64
    assert engine.dtype["Gear"] == np.uint8
    assert bus["Wheels"].dtype["Rear"] == np.float32
    assert engine.units["Torque"] == "Nm"
    assert engine.choices["Gear"][2] == "second"
    assert repr(bus[0x123]).startswith("<message EngineData 0x123: Speed")


def test_frames_as_a_buffer_and_in_wide_rows() -> None:
    frames = frames_of(50)
    expected = bus["EngineData"].decode(frames)
    assert np.array_equal(bus["EngineData"].decode(frames.tobytes()), expected)
    wide = np.zeros((50, 64), np.uint8)
    wide[:, :8] = frames
    assert np.array_equal(bus["EngineData"].decode(wide), expected)
    assert len(bus["EngineData"].decode(b"")) == 0


def test_many_messages_at_once() -> None:
    short = bus["Short"].frame_id  # an extended one, which loggers mark by a high bit
    ids = np.array([291, short, 291, 7, 292, 295, short | 1 << 31])
    frames = frames_of(len(ids))
    decoded = bus.decode(ids, frames)
    assert sorted(decoded) == ["EngineData", "Short", "Wheels"]
    assert decoded["EngineData"].rows.tolist() == [0, 2]
    assert decoded["Short"].rows.tolist() == [1, 6]
    for name, (rows, values) in decoded.items():
        assert values.tobytes() == bus[name].decode(frames[rows]).tobytes()


@settings(max_examples=max(10, settings().max_examples // 100))
@given(st.integers(0, 1 << 30))
def test_encode_is_the_reverse_of_decode(seed: int) -> None:
    frames = frames_of(20, seed)
    engine = bus["EngineData"]
    values = engine.decode(frames)
    again = engine.encode(values)
    assert np.array_equal(engine.decode(again), values)
    message = described.get_message_by_name("EngineData")
    expected = [message.encode(message.decode(bytes(f), False), strict=False) for f in frames]
    assert [bytes(row) for row in again] == expected


def test_encode_frames_that_end_without_a_signal() -> None:
    levels = [1, 100, 127]
    frames = bus["Short"].encode({"Level": levels})
    assert frames.shape == (3, 3)
    assert bus["Short"].decode(frames)["Level"].tolist() == levels
    assert bytes(frames[1]) == described.get_message_by_name("Short").encode({"Level": 100})


def test_encode_multiplexed_signals() -> None:
    frames = frames_of(40)
    frames[:, 0] %= 2
    values = bus["Diagnosis"].decode(frames)
    again = bus["Diagnosis"].encode(values)
    found = bus["Diagnosis"].decode(again)
    for name in found.dtype.names or ():
        assert np.array_equal(found[name], values[name], equal_nan=values[name].dtype.kind == "f")


def test_a_frame_from_numbers_and_names() -> None:
    engine = bus["EngineData"]
    one = engine.encode({"Gear": 2, "Temperature": -40})
    assert one.tolist() == [[0, 0, 0, 0, 0, 2, 0, 0]]
    many = engine.encode({"Gear": 2, "Temperature": [-40, 215]})
    assert many.tolist() == [[0, 0, 0, 0, 0, 2, 0, 0], [0, 0, 255, 0, 0, 2, 0, 0]]
    (name, number), *_ = ((text, n) for n, text in engine.choices["Gear"].items())
    assert engine.decode(engine.encode({"Gear": name}))["Gear"].tolist() == [number]


def test_frames_one_by_one() -> None:
    """As logs of one's own have them, of any lengths."""
    rows = frames_of(5, 3)
    engine = bus["EngineData"]
    given = [bytes(row[: 8 - i]) for i, row in enumerate(rows)]
    lengths = np.arange(8, 3, -1)
    wide = np.where(np.arange(8) < lengths[:, None], rows, 0).astype(np.uint8)
    found, expected = engine.decode(given), engine.decode(wide, lengths=lengths)
    assert found.dtype == expected.dtype
    for field in expected.dtype.names or ():
        assert np.array_equal(found[field], expected[field], equal_nan=True)
    whole = engine.decode([bytes(row) for row in rows])
    assert np.array_equal(whole, engine.decode(rows))
    assert len(engine.decode([])) == 0


def test_a_database_is_gone_through_by_name() -> None:
    assert list(bus) == list(bus.messages)
    assert len(bus) == len(bus.messages)
    engine = bus["EngineData"]
    assert "EngineData" in bus
    assert engine.frame_id in bus
    assert "Engine" not in bus
    assert 0x7FF not in bus
    with pytest.raises(CogenError, match="no message 'EngineDat'") as caught:
        bus["EngineDat"]
    assert "did you mean `EngineData`" in str(caught.value)


def test_a_log_is_decoded_by_its_own_lengths() -> None:
    frames = frames_of(4)
    ids = np.array([bus["EngineData"].frame_id] * 4)
    log = signals.CanLog(np.arange(4.0), ids, frames, np.array([8, 3, 8, 0]))
    found, expected = bus.decode(log), bus.decode(ids, frames, lengths=log.lengths)
    assert np.array_equal(found["EngineData"].rows, expected["EngineData"].rows)
    for field in found["EngineData"].values.dtype.names or ():
        ours, theirs = found["EngineData"].values[field], expected["EngineData"].values[field]
        assert np.array_equal(ours, theirs, equal_nan=True)
    with pytest.raises(CogenError, match="4 identifiers need an array"):
        bus.decode(ids)


def test_encode_some_signals() -> None:
    frames = bus["EngineData"].encode({"Gear": [1, 2], "Temperature": np.array([-40, 215])})
    assert frames.tolist() == [[0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 255, 0, 0, 2, 0, 0]]
    values = bus["EngineData"].decode(frames)
    assert values["Gear"].tolist() == [1, 2]
    assert values["Temperature"].tolist() == [-40, 215]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"Gear": [3, 16]}, "the value 16 of Gear at index 1 does not fit: it lies from 0 to 15"),
        ({"Temperature": [-41]}, "the value -41 of Temperature at index 0 does not fit"),
        ({"Speed": [math.nan]}, "the value nan of Speed at index 0 does not fit"),
        ({"Nothing": [1]}, "the message EngineData has no signal 'Nothing'"),
        ({"Gear": [1], "Speed": [1, 2]}, "arrays of one dimension and one length"),
        ([1, 2], "are a structured array, or arrays by name"),
    ],
)
def test_values_that_cannot_be_encoded(values: Any, message: str) -> None:
    with pytest.raises(CogenError, match=message):
        bus["EngineData"].encode(values)


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (b"1234567", "7 bytes are no whole frames of EngineData, which has 8"),
        (np.zeros((2, 7), np.uint8), "8 columns or more, not of uint8 with 7"),
        (np.zeros((2, 8), np.int16), "not of int16 with 8"),
        ("text", "buffer"),
    ],
)
def test_frames_that_cannot_be_decoded(frames: Any, message: str) -> None:
    with pytest.raises(CogenError, match=message):
        bus["EngineData"].decode(frames)


def test_databases_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CogenError, match=r"gone\.dbc"):
        signals.dbc(tmp_path / "gone.dbc")
    bad = tmp_path / "bad.dbc"
    bad.write_text("BO_ x")
    with pytest.raises(CogenError, match=r"bad\.dbc is no DBC file: .*line 1, column 5"):
        signals.dbc(bad)
    with pytest.raises(CogenError, match="has no message 'Nothing'"):
        bus["Nothing"]
    with pytest.raises(CogenError, match="the message Empty has no signals"):
        bus["Empty"].decode(np.zeros((1, 8), np.uint8))


def test_without_cantools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cantools", None)
    with pytest.raises(CogenError, match="needs the package cantools") as error:
        signals.dbc(DBC)
    assert "cogen-specializer[can]" in (error.value.hint or "")
