"""CAN signals of all sizes, factors and offsets: the values and bytes of cantools, exactly."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import cantools
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen import signals
from cogen.lang.errors import CogenError
from cogen.signals.can import EXTENDED, CanWarning, Database
from cogen.signals.cansignals import as_column, described_signal

pytestmark = pytest.mark.quick

DATA = Path(__file__).parent / "data"


def database(directory: Path, *messages: str) -> tuple[Database, Any]:
    """A database of messages, and what cantools makes of it."""
    file = directory / "made.dbc"
    text = 'VERSION ""\n\nBU_: ECU\n\n' + "\n\n".join(messages) + "\n"
    file.write_text(text)
    return signals.dbc(file), cantools.database.load_string(text, "dbc", strict=False)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("can")


@pytest.fixture(scope="module")
def odd() -> Database:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CanWarning)
        return signals.dbc(DATA / "odd.dbc")


numbers = st.one_of(
    st.integers(-20, 20),
    st.integers(-(1 << 63), 1 << 64),
    st.sampled_from([0.5, 0.1, -0.25, 1e-3, 1e30, 2.0]),
)
factors = numbers.filter(bool)


@st.composite
def a_signal(draw: st.DrawFn) -> Any:
    """A signal as cantools describes it."""
    size = draw(st.one_of(st.integers(1, 64), st.sampled_from([8, 16, 32, 53, 63, 64])))
    kind = f"0|{size}@1{draw(st.sampled_from('+-'))} ({draw(factors)!r},{draw(numbers)!r})"
    text = f'BO_ 1 M: 8 ECU\n SG_ S : {kind} [0|0] "" ECU\n'
    return cantools.database.load_string(text, "dbc").get_message_by_name("M").signals[0]  # type: ignore[union-attr]


@given(a_signal(), st.lists(st.integers(0, (1 << 64) - 1), max_size=8))
def test_values_and_numbers_are_those_of_cantools(theirs: Any, bits: list[int]) -> None:
    ours = described_signal(theirs)
    low, high = ours.field.limits
    raw = [low, low + 1, high - 1, high, *(low + b % (high - low + 1) for b in bits)]
    found = ours.values(np.array(raw, ours.field.dtype), ours.dtype)
    expected = [theirs.raw_to_scaled(number) for number in raw]
    if found.dtype.kind == "f":
        assert found.tolist() == [float(value) for value in expected]
        if theirs.length > 40 or abs(theirs.offset) > 20:  # floats may not tell numbers apart
            return
    else:
        assert found.tolist() == expected
    back, missing = ours.numbers(as_column(expected, "S"))
    assert back.tolist() == [theirs.scaled_to_raw(value) for value in expected]
    assert not missing.any()


EDGES = [b"\0" * 8, b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\xff" * 7 + b"\x7f",
         b"\x80" + b"\0" * 7, b"\0" * 7 + b"\x80"]  # fmt: skip


@pytest.mark.parametrize(
    ("signal", "dtype"),
    [
        ("0|64@1+ (1,0)", np.uint64),
        ("0|64@1+ (2,0)", np.float64),
        ("0|64@1+ (1,1)", np.float64),
        ("0|63@1+ (2,0)", np.uint64),
        ("0|63@1+ (1,0)", np.uint64),
        ("0|63@1+ (1,-1)", np.int64),
        ("0|64@1+ (1,-9223372036854775808)", np.int64),
        ("0|64@1- (1,9223372036854775808)", np.uint64),
        ("0|64@1- (-1,0)", np.float64),
        ("0|64@1- (10,0)", np.float64),
        ("0|32@1- (-3,7)", np.int64),
        ("0|8@1+ (1.0,0.0)", np.uint8),
    ],
)
def test_types_hold_every_value(directory: Path, signal: str, dtype: Any) -> None:
    bus, described = database(directory, f'BO_ 1 M: 8 ECU\n SG_ S : {signal} [0|0] "" ECU')
    found = bus["M"].decode(b"".join(EDGES))["S"]
    assert found.dtype == dtype
    message = described.get_message_by_name("M")
    exact = [message.decode(frame)["S"] for frame in EDGES]
    assert found.tolist() == [np.dtype(dtype).type(value).item() for value in exact]
    if found.dtype.kind != "f":
        encoded = [message.encode({"S": value}) for value in exact]
        assert [bytes(row) for row in bus["M"].encode({"S": found})] == encoded


@given(
    st.integers(-50, 50).filter(bool),
    st.integers(-(1 << 64), 1 << 64),
    st.lists(st.one_of(st.integers(-(1 << 66), 1 << 66), st.floats(-1e20, 1e20)), min_size=1),
)
def test_numbers_are_the_nearest_ones(
    directory: Path, factor: int, offset: int, values: list[int | float]
) -> None:
    text = f'BO_ 1 M: 8 ECU\n SG_ S : 0|64@1- ({factor},{offset}) [0|0] "" ECU'
    message = database(directory, text)[0]["M"]
    nearest = [round((Fraction(value) - offset) / factor) for value in values]
    if all(-(1 << 63) <= number < 1 << 63 for number in nearest):
        frames = message.encode({"S": values})
        assert [int.from_bytes(row, "little", signed=True) for row in frames] == nearest
    else:
        with pytest.raises(CogenError, match="does not fit: it lies from"):
            message.encode({"S": values})


def test_numbers_at_the_edges_of_floats(directory: Path) -> None:
    plain, half, short = (
        f'BO_ {i} {name}: 8 ECU\n SG_ S : 0|{size}@1+ ({factor},0) [0|0] "" ECU'
        for i, (name, size, factor) in enumerate([("A", 64, 1), ("B", 64, 0.5), ("C", 32, 1)])
    )
    valued = short + "\nSIG_VALTYPE_ 2 S : 1;"
    bus, _ = database(directory, plain, half, valued)
    with pytest.raises(CogenError, match="does not fit"):
        bus["A"].encode({"S": [2.0**64]})
    with pytest.raises(CogenError, match="does not fit"):
        bus["B"].encode({"S": [2.0**63]})
    with pytest.raises(CogenError, match=r"1e\+39 of S at index 1 does not fit: it is a float"):
        bus["C"].encode({"S": [1.0, 1e39]})
    top = 2**64 - 1
    assert bus["A"].encode({"S": [top, 0, 2**53 + 1]}).view(np.uint64).tolist() == [
        [top], [0], [2**53 + 1],
    ]  # fmt: skip
    with pytest.raises(CogenError, match="the value -1 of S at index 1 does not fit"):
        bus["A"].encode({"S": [top, -1]})


def test_standard_and_extended_frames_are_different(odd: Database) -> None:
    assert (odd["Status"].frame_id, odd["Status"].extended) == (256, False)
    assert (odd["Command"].frame_id, odd["Command"].extended) == (256, True)
    assert odd[256].name == "Status"
    assert odd[256 | EXTENDED].name == "Command"
    frames = np.arange(32, dtype=np.uint8).reshape(4, 8)
    decoded = odd.decode([256, 256 | EXTENDED, 256, 257], frames)
    assert decoded["Status"].rows.tolist() == [0, 2]
    assert decoded["Command"].rows.tolist() == [1]
    flagged = odd.decode([256, 256, 256, 256], frames, extended=[True, False, False, True])
    assert flagged["Command"].rows.tolist() == [0, 3]
    assert list(odd.decode([256] * 4, frames, extended=True)) == ["Command"]


def test_frames_without_data_are_left_out(odd: Database) -> None:
    frames = np.zeros((3, 8), np.uint8)
    remote, error = 256 | 1 << 30, 256 | 1 << 29
    assert odd.decode([remote, error, 256], frames)["Status"].rows.tolist() == [2]


@pytest.mark.parametrize(
    ("key", "message", "hint"),
    [
        (255, "has no message 0xff", "it has Status, Command"),
        ("Gone", "has no message 'Gone'", "it has Status"),
        (None, "has no message None", "it has Status"),
    ],
)
def test_messages_that_are_not_there(odd: Database, key: Any, message: str, hint: str) -> None:
    with pytest.raises(CogenError, match=message) as caught:
        odd[key]
    assert hint in (caught.value.hint or "")


def test_the_other_kind_of_identifier_is_named(directory: Path) -> None:
    bus, _ = database(directory, 'BO_ 2147483649 M: 8 ECU\n SG_ S : 0|8@1+ (1,0) [0|0] "" ECU')
    with pytest.raises(CogenError) as caught:
        bus[1]
    assert caught.value.hint == "the extended identifier of M is 0x80000001"


@pytest.mark.parametrize(
    ("ids", "extended", "message"),
    [
        ([-1], None, "have 32 bits"),
        ([1 << 32], None, "have 32 bits"),
        ([1 << 70], None, "an array of integers"),
        (["a"], None, "an array of integers"),
        ([[1], [2, 3]], None, "an array of integers"),
        ([1], [1], "`extended` is a bool"),
        ([1], [True, False], "`extended` is a bool"),
        (np.ma.array([1], mask=[1]), None, "must not be masked"),
    ],
)
def test_identifiers_that_are_none(odd: Database, ids: Any, extended: Any, message: str) -> None:
    with pytest.raises(CogenError, match=message):
        odd.decode(ids, np.zeros((1, 8), np.uint8), extended)


def test_what_a_database_cannot_have_is_left_out_with_warnings() -> None:
    with pytest.warns(CanWarning) as caught:
        bus = signals.dbc(DATA / "odd.dbc")
    said = [str(warning.message).split("odd.dbc: ")[1] for warning in caught]
    assert said == [
        "the signals Word and Low of Overlapping overlap",
        "the signal Beyond of Broken is left out: it ends after the message's 2 bytes",
        "the signal Wide of Huge is left out: the size of a piece must lie between 1 and 64, "
        "not be 65",
        "several messages have the identifier 0x205: First, Second",
    ]
    assert list(bus["Broken"].units) == ["Fits"]
    assert list(bus["Huge"].units) == ["Plain"]
    assert bus[517].name == "First"
    assert len(bus.all) == 8


def test_overlapping_signals(odd: Database) -> None:
    message = odd["Overlapping"]
    assert message.decode(b"\1\2\0\0\xff\0\0\0").tolist() == [(0x201, 1, -1)]
    assert message.encode({"Word": [0x201], "Other": [-1]}).tolist() == [[1, 2, 0, 0, 255, 0, 0, 0]]
    assert message.encode({"Low": [1], "Word": [0x201]}).tolist()[0][:2] == [1, 2]
    with pytest.raises(CogenError, match=r"Word of .* different bits at index 1"):
        message.encode({"Word": [0x201, 0x202], "Low": [1, 1]})


def test_names_of_numbers_in_both_directions(odd: Database) -> None:
    gears = odd["Gears"]
    modes = ["on", 2, "off", 1.5]
    frames = gears.encode({"Gear": ["P", "N", 3, "R"], "Page": [1] * 4, "Mode": modes})
    values = gears.decode(frames, choices=True)
    assert values["Gear"].tolist() == ["P", "N", "D", "R"]
    assert values["Mode"].tolist() == modes
    assert values["Page"].tolist() == [1, 1, 1, 1]
    assert gears.decode(frames)["Mode"].tolist() == [2.5, 2.0, 0.5, 1.5]
    numbers = gears.decode(frames)
    assert numbers["Gear"].tolist() == [0, 2, 3, 1]
    again = np.array(["P", "N"])
    assert gears.encode({"Gear": again})[:, 0].tolist() == [0, 2]
    assert np.array_equal(
        gears.encode({name: numbers[name] for name in numbers.dtype.names or ()}), frames
    )
    names = {name: values[name] for name in ("Page", "Mode")}
    assert np.array_equal(gears.encode(names)[:, 1], frames[:, 1])


def test_names_where_a_signal_is_absent(odd: Database) -> None:
    frames = np.array([[0x10, 3], [0x00, 3]], np.uint8)
    values = odd["Gears"].decode(frames, choices=True)
    assert values["Mode"][0] == "on"
    assert math.isnan(values["Mode"][1])
    assert np.array_equal(odd["Gears"].encode(values)[0], frames[0])
    assert odd["Gears"].encode(values)[1].tolist() == [0, 0]


def test_names_as_cantools_gives_them(odd: Database) -> None:
    described = cantools.database.load_file(DATA / "odd.dbc", strict=False)
    value = described.get_message_by_name("Gears").decode(b"\x12\0")["Gear"]  # type: ignore[union-attr]
    assert odd["Gears"].encode({"Gear": [value]})[0, 0] == 2


@pytest.mark.parametrize(
    ("values", "message", "hint"),
    [
        ({"Gear": ["P", "X"]}, "the name 'X' of Gear at index 1 stands for no number",
         "its names are P, R, N, D, D"),
        ({"Gear": ["D"]}, "is not the name of one number: it stands for 3 and 4", None),
        ({"Page": ["P"]}, "the name 'P' of Page", "Page has no names: give numbers"),
        ({"Gear": [None]}, "None is no value of Gear", "values are numbers, or names"),
        ({"Gear": [{}]}, "{} is no value of Gear", "values are numbers"),
        ({"Gear": [1 << 2000]}, "is no value of Gear", "values are numbers"),
        ({"Gear": [[1], [2, 3]]}, "is no value of Gear", "values are numbers"),
        ({"Gear": [[1], [2]]}, "is no value of Gear", "values are numbers"),
        ({"Gear": np.array(3)}, "arrays of one dimension", None),
        ({"Gear": np.zeros((2, 2))}, "arrays of one dimension", None),
        ({"Gear": np.zeros(2, complex)}, "complex128 holds no values of Gear", "values are"),
        ({"Gear": np.zeros(2, "M8[s]")}, "holds no values of Gear", "values are"),
        ({"Gear": np.ma.array([1, 2], mask=[0, 1])}, "the values of Gear must not be masked",
         "x.filled"),
        ({"Gear": [np.ma.masked]}, "the values of Gear must not be masked", "x.filled"),
        ({}, "arrays of one dimension", None),
        ({"Gear": [99, "P"]}, "the value 99 of Gear at index 0 does not fit", None),
        ({1: [1]}, "has no signal 1", "it has Gear"),
    ],
)  # fmt: skip
def test_values_that_are_none(odd: Database, values: Any, message: str, hint: str | None) -> None:
    with pytest.raises(CogenError) as caught:
        odd["Gears"].encode(values)
    assert message in caught.value.message
    assert (hint or "") in (caught.value.hint or "")


def test_masked_frames_are_refused(odd: Database) -> None:
    frames = np.ma.array(np.zeros((1, 8), np.uint8), mask=np.ones((1, 8), bool))
    for refused in (frames, frames.reshape(-1)):
        with pytest.raises(CogenError, match="must not be masked"):
            odd["Status"].decode(refused)
    with pytest.raises(CogenError, match="must not be masked"):
        odd.decode([256], frames)


def test_a_message_of_no_bytes(tmp_path: Path) -> None:
    with pytest.warns(CanWarning, match="S of M is left out: it ends after the message's 0 bytes"):
        bus, _ = database(tmp_path, 'BO_ 1 M: 0 ECU\n SG_ S : 0|8@1+ (1,0) [0|0] "" ECU')
    with pytest.raises(CogenError, match="the message M has no signals"):
        bus["M"].decode(b"")


def test_a_file_of_an_older_code_page(tmp_path: Path) -> None:
    file = tmp_path / "old.dbc"
    file.write_bytes(
        'VERSION ""\n\nBO_ 1 M: 1 ECU\n SG_ T : 0|8@1+ (1,0) [0|0] "°C" ECU\n'.encode("cp1252")
    )
    assert signals.dbc(file)["M"].units["T"] == "°C"


def test_a_factor_of_zero(directory: Path) -> None:
    bus, _ = database(directory, 'BO_ 1 M: 1 ECU\n SG_ S : 0|8@1+ (0,3) [0|0] "" ECU')
    assert bus["M"].decode(b"\7")["S"].tolist() == [3]
    with pytest.raises(CogenError, match="S has the factor 0"):
        bus["M"].encode({"S": [3]})


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ('BO_ 1 M: 99999999999 ECU\n SG_ S : 0|8@1+ (1,0) [0|0] "" ECU', "1:10"),
        ('BO_ 1 M: 8 ECU\n SG_ S : 0|1099511627776@1+ (1,0) [0|0] "" ECU', "2:12"),
        ('BO_ 1 M: 8 ECU\n SG_ S M : 1099511627776|8@1+ (1,0) [0|0] "" ECU', "2:12"),
        ("SG_MUL_VAL_ 1 S P 0-0, 2-4294967295;", "1:24"),
    ],
)
def test_sizes_that_would_take_all_memory(tmp_path: Path, line: str, column: str) -> None:
    file = tmp_path / "huge.dbc"
    file.write_text(line)
    with pytest.raises(CogenError, match="too large for CAN frames") as caught:
        signals.dbc(file)
    assert str(caught.value).startswith(f"{file}:{column}: ")
