"""Logs and databases of all kinds: what cantools says of each frame, as columns."""

from __future__ import annotations

import gzip
import math
import sys
import warnings
from pathlib import Path
from typing import Any

import can
import cantools
import numpy as np
import pytest
from cantools.database.can import Database, Message, Signal
from cantools.database.conversion import BaseConversion

from cogen import CogenError, signals
from cogen.signals import candump, canlog
from cogen.signals.can import CanWarning
from cogen.signals.canids import LENGTHS
from cogen.signals.slices import Slices
from tests.signals import residualmover

DATA = Path(__file__).parent / "data"
Seed = np.random.Generator


@pytest.fixture(autouse=True)
def python_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are NumPy, which are made sooner than C."""
    residualmover.use(monkeypatch, Slices)


def described_signal(random: Seed, name: str, start: int, size: int, **more: Any) -> Signal:
    """A signal of little-endian order at a place, of any kind."""
    floats = size in (32, 64) and random.random() < 0.3
    named = size > 1 and not floats and random.random() < 0.3  # cantools names 0.5 as it does 0
    choices = {0: "off", 1: "on", 3: "fault"} if named else None
    scale, offset = [(1, 0), (2, -5), (0.25, 10.5)][int(random.integers(3))]
    conversion = BaseConversion.factory(scale, offset, choices, floats)
    signed = floats or bool(random.random() < 0.4)
    return Signal(name, start, size, "little_endian", signed, conversion=conversion, **more)


def big_endian(one: Signal) -> Signal:
    """The same number of bits, the high one first, in bytes of its own."""
    start = one.start // 8 * 8 + 7
    return Signal(one.name, start, one.length, "big_endian", one.is_signed,
                  conversion=one.conversion)  # fmt: skip


def message(random: Seed, name: str, frame_id: int, length: int, mux: bool) -> Message:
    """A message with signals of all sizes in all bits, perhaps multiplexed."""
    made, at = [], 0
    if mux:
        made.append(Signal("Page", 0, 8, "little_endian", is_multiplexer=True))
        at = 8
    while at < 8 * length:
        size = int(min(random.integers(1, 12 if mux else 40), 8 * length - at))
        more: dict[str, Any] = {}
        if mux and (len(made) <= 3 or random.random() < 0.7):  # each page has one
            page = len(made) - 1 if len(made) <= 3 else int(random.integers(3))
            more = {"multiplexer_ids": [page], "multiplexer_signal": "Page"}
        one = described_signal(random, f"S{at}", at, size, **more)
        if not more and at % 8 == 0 and random.random() < 0.5:
            one = big_endian(one)
            size = -(-size // 8) * 8
        made.append(one)
        at += size
    return Message(frame_id, name, length, made, is_extended_frame=frame_id > 2047,
                   is_fd=length > 8, strict=True)  # fmt: skip


def random_database(seed: int) -> Database:
    random = np.random.default_rng(seed)
    shapes = [(0x100, 8, False), (0x200, 8, True), (0x18FF1122, 64, False), (0x300, 3, False),
              (0x301, 20, True)]  # fmt: skip
    return Database([message(random, f"M{i}", *shape) for i, shape in enumerate(shapes)])


def frames_of(database: Database, seed: int, count: int = 120) -> list[can.Message]:
    """Frames of the database and of others, of whole and of short length."""
    random = np.random.default_rng(seed)
    made = []
    for i in range(count):
        if i % 10 == 9:
            frame_id, length, extended = 0x555, 8, False
        else:
            one = database.messages[int(random.integers(len(database.messages)))]
            frame_id, length, extended = one.frame_id, one.length, one.is_extended_frame
        if random.random() < 0.3:
            length = int(
                LENGTHS[length >= LENGTHS][int(random.integers((length >= LENGTHS).sum()))]
            )
        data = bytearray(random.bytes(length))
        if data:
            data[0] %= 3
        made.append(
            can.Message(1000 + i / 8, frame_id, extended, channel=i % 2, data=data,
                        is_fd=length > 8)
        )  # fmt: skip
    return made


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float) and math.isnan(expected):
        return isinstance(found, float) and math.isnan(found)
    return bool(found == expected)


def check_tables(tables: Any, database: Database, frames: Any, choices: bool) -> None:
    """The tables are what cantools says of the frames, one after the other."""
    places = dict.fromkeys(tables, 0)
    for frame in frames:
        try:
            one = database.get_message_by_frame_id(frame.arbitration_id)
        except KeyError:
            continue
        expected = one.decode(bytes(frame.data), decode_choices=choices, allow_truncated=True)
        table, row = tables[one.name], places[one.name]
        places[one.name] += 1
        assert table["time"][row] == pytest.approx(frame.timestamp, abs=1e-4)
        for name in list(table)[1:]:
            wanted = expected.get(name, math.nan)
            wanted = getattr(wanted, "name", wanted)
            assert same(table[name][row : row + 1].tolist()[0], wanted), (one.name, name)
    assert [table.count for table in tables.values()] == list(places.values())


@pytest.mark.parametrize("suffix", ["dbc", "kcd"])
@pytest.mark.parametrize("seed", range(4))
def test_generated_messages(suffix: str, seed: int, tmp_path: Path) -> None:
    database = random_database(seed)
    path = tmp_path / f"bus.{suffix}"
    path.write_text(getattr(database, f"as_{suffix}_string")(), encoding="utf-8")
    again: Any = cantools.database.load_file(path)
    frames = frames_of(again, seed)
    log = log_of(frames)
    bus = signals.can_database(path)
    for choices in (False, True):
        check_tables(bus.columns(log, choices), again, frames, choices)
    for one in again.messages:
        rows = [f for f in frames if f.arbitration_id == one.frame_id and len(f.data) == one.length]
        data = np.array([list(f.data) for f in rows], np.uint8).reshape(-1, one.length)
        values = bus[one.name].decode(data, choices=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error", CanWarning)
            encoded = bus[one.name].encode(values)
        wanted = [one.encode(one.decode(bytes(f.data)), strict=False) for f in rows]
        assert [bytes(row) for row in encoded] == wanted


def log_of(frames: list[can.Message]) -> signals.CanLog:
    """The log of frames, without a file."""
    width = max(8, *(len(f.data) for f in frames))
    data = b"".join(bytes(f.data).ljust(width, b"\0") for f in frames)
    return signals.CanLog(
        [f.timestamp for f in frames],  # type: ignore[arg-type]  # a list will do
        np.array([f.arbitration_id | f.is_extended_id << 31 for f in frames]),
        np.frombuffer(data, np.uint8).reshape(-1, width),
        np.array([len(f.data) for f in frames]),
        [f.channel for f in frames],  # type: ignore[arg-type]  # the same
    )


@pytest.mark.parametrize("suffix", ["blf", "asc", "log", "log.gz", "trc", "csv"])
def test_logs_of_all_kinds(suffix: str, tmp_path: Path) -> None:
    database = random_database(9)
    bus_path = tmp_path / "bus.dbc"
    bus_path.write_text(database.as_dbc_string(), encoding="utf-8")
    frames = frames_of(database, 9)
    if suffix == "trc":  # the writer knows no CAN FD
        frames = [f for f in frames if not f.is_fd]
    path = tmp_path / f"drive.{suffix}"
    with can.Logger(path) as writer:
        for frame in frames:
            writer.on_message_received(frame)
    log = signals.read_can_log(path)
    assert len(log) == len(frames)
    assert log.lengths.tolist() == [len(f.data) for f in frames]
    assert (log.ids & 0x1FFFFFFF).tolist() == [f.arbitration_id for f in frames]
    assert [bytes(d[:n]) for d, n in zip(log.frames, log.lengths, strict=True)] == [
        bytes(f.data) for f in frames
    ]  # fmt: skip
    shift = log.times - [f.timestamp for f in frames]  # some begin at 0
    assert np.ptp(shift) < 1e-3
    tables = signals.dbc(bus_path).columns(log)
    for frame, time in zip(frames, log.times, strict=True):
        frame.timestamp = time
    check_tables(tables, database, frames, False)


def test_parts_of_a_log_and_its_columns() -> None:
    database = random_database(3)
    frames = frames_of(database, 3, 40)
    frames[5].is_remote_frame = True
    log = log_of(frames)
    assert repr(log) == "<log of 40 frames>"
    again = signals.CanLog.of(frames)
    assert again.columns()["data"].tolist() == log.columns()["data"].tolist()
    assert again.columns()["remote"].sum() == 1
    early = log[log.times < 1002]
    assert len(early) == 16
    assert early.channels.tolist() == [0, 1] * 8
    table = log.columns()
    assert table["data"].tolist() == [bytes(f.data).hex() for f in frames]
    assert table["extended"].tolist() == [f.is_extended_id for f in frames]
    assert table["id"].tolist() == [f.arbitration_id for f in frames]
    assert len(log[3:5]) == len(log[[3, 4]]) == 2
    with pytest.raises(CogenError, match="chosen by a slice or an array"):
        log[3]
    with pytest.raises(CogenError, match="times are not an array of 2, one for each frame"):
        signals.CanLog(np.zeros(3), np.zeros(2, int), np.zeros((2, 8), np.uint8))
    with pytest.raises(CogenError, match="frames are an array of uint8"):
        signals.CanLog(np.zeros(2), np.zeros(2, int), np.zeros((2, 8), int))


def test_channels_and_frames_of_nothing_known(tmp_path: Path) -> None:
    database = random_database(4)
    path = tmp_path / "bus.dbc"
    path.write_text(database.as_dbc_string(), encoding="utf-8")
    bus, frames = signals.dbc(path), frames_of(database, 4)
    log = log_of(frames)
    check_tables(bus.columns(log, channel=1), database, frames[1::2], False)
    others = log[log.ids == 0x555]
    with pytest.warns(CanWarning, match="none of 12 frames is of a message of the database"):
        assert bus.columns(others) == {}
    assert bus.columns(log[:0]) == {}
    with pytest.raises(CogenError, match=r"the log must be a signals\.CanLog"):
        bus.columns("drive.blf")  # type: ignore[arg-type]  # what is tested


def test_lengths_of_frames() -> None:
    bus = signals.dbc(DATA / "car.dbc")
    engine = bus["EngineData"]
    frames = np.random.default_rng(1).integers(0, 256, (4, 8), np.uint8)
    whole = engine.decode(frames)
    assert engine.decode(frames, lengths=[8] * 4).dtype == whole.dtype
    short = engine.decode(frames, lengths=[8, 6, 0, 8])
    described: Any = cantools.database.load_file(DATA / "car.dbc")
    for frame, length, row in zip(frames, [8, 6, 0, 8], short, strict=True):
        expected = described.get_message_by_name("EngineData").decode(
            bytes(frame[:length]), decode_choices=False, allow_truncated=True)  # fmt: skip
        assert all(same(row[n].item(), expected.get(n, math.nan)) for n in short.dtype.names)
    assert engine.decode(frames[:, :6], lengths=[6] * 4)["Gear"].tolist() == whole["Gear"].tolist()
    for lengths in ([8] * 3, [8.0] * 4, [9] * 4, [-1] * 4):
        with pytest.raises(CogenError, match="lengths"):
            engine.decode(frames, lengths=lengths)
    with pytest.raises(CogenError, match="lengths are integers"):
        engine.decode(frames.tobytes(), lengths=[8] * 4)


J1939 = """\
VERSION ""
NS_ :
BS_:
BU_: A
BO_ 2364540158 EEC1: 8 A
 SG_ EngineSpeed : 24|16@1+ (0.125,0) [0|8031.875] "rpm" A
BO_ 2565537790 Request: 3 A
 SG_ Group : 0|24@1+ (1,0) [0|16777215] "" A
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_DEF_ "VFrameFormat" "J1939PG";
BA_ "VFrameFormat" BO_ 2364540158 3;
"""


def test_messages_of_j1939(tmp_path: Path) -> None:
    path = tmp_path / "truck.dbc"
    path.write_text(J1939, encoding="utf-8")
    bus = signals.can_database(path)
    assert bus["EEC1"].j1939
    ids = np.array([signals.j1939_id(0xF004, source, priority) for source, priority in
                    [(0, 3), (0x17, 6), (0xFE, 3)]] + [0x0CF00500, 0x123])  # fmt: skip
    frames = np.zeros((5, 8), np.uint8)
    frames[:, 4] = range(5)
    log = signals.CanLog(np.arange(5.0), ids, frames)
    (table,) = bus.columns(log).values()
    assert list(table) == ["time", "source", "EngineSpeed"]
    assert table["source"].tolist() == [0, 0x17, 0xFE]
    assert table["EngineSpeed"].tolist() == [0, 32, 64]
    assert bus[0x8CF00433] is bus["EEC1"]
    remote = signals.CanLog(np.zeros(1), ids[:1] | 3 << 30, frames[:1])
    with pytest.warns(CanWarning, match="none of 1 frames"):
        assert bus.columns(remote) == {}
    parts = signals.j1939(np.array([0x18EAFF17, 0x8CF00400]))
    assert [parts[name].tolist() for name in parts] == [
        [6, 3], [0xEA00, 0xF004], [0x17, 0], [255, 255]]  # fmt: skip
    assert signals.j1939(np.array([0x18EA2117]))["destination"].tolist() == [0x21]
    assert signals.j1939_id(0xEA00, 0x17, destination=0x21) == 0x18EA2117
    asked = signals.can_database(path, j1939=True)
    assert asked[0x98EA0011] is asked["Request"]
    plain = signals.dbc(path, j1939=False)
    assert plain.columns(log)["EEC1"]["EngineSpeed"].tolist() == [64]  # that of the file's sender
    for wrong in ((0xEA01, 0), (0xF004, 256), (1 << 18, 0)):
        with pytest.raises(CogenError):
            signals.j1939_id(*wrong)
    with pytest.raises(CogenError, match="are for all"):
        signals.j1939_id(0xF004, 0, destination=3)


SYM = """\
FormatVersion=6.0 // Do not edit this line!
Title="bus"

{SEND}

[Symbol1]
ID=100h
Len=8
Sig="Speed" 0
Sig="Level" 16

{SIGNALS}
Sig="Speed" unsigned 16 /u:km/h /f:0.01
Sig="Level" signed 8 /o:-40
"""


def test_files_of_other_kinds(tmp_path: Path) -> None:
    path = tmp_path / "bus.sym"
    path.write_text(SYM, encoding="utf-8")
    again: Any = cantools.database.load_file(path)
    (one,) = again.messages
    frames = np.random.default_rng(1).integers(0, 256, (5, 8), np.uint8)
    found = signals.can_database(path)["Symbol1"].decode(frames)
    for frame, row in zip(frames, found, strict=True):
        expected = one.decode(bytes(frame))
        assert {name: row[name].item() for name in found.dtype.names} == expected
    with pytest.raises(CogenError, match="is no database of messages by its name"):
        signals.can_database(tmp_path / "bus.txt")
    bad = tmp_path / "bad.arxml"
    bad.write_text("<x/>", encoding="utf-8")
    with pytest.raises(CogenError, match="is no ARXML file"):
        signals.can_database(bad)


def test_logs_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CogenError, match="No such file"):
        signals.read_can_log(tmp_path / "gone.blf")
    other = tmp_path / "drive.txt"
    other.write_bytes(b"")
    with pytest.raises(CogenError, match="is no log that can be read"):
        signals.read_can_log(other)
    broken = tmp_path / "drive.log"
    broken.write_text("(1.0) can0 123#0102\n(2.0) can0 12", encoding="utf-8")
    with pytest.warns(CanWarning, match=r"drive\.log:2: this is no line of candump.*\) can0 12$"):
        log = signals.read_can_log(broken)
    assert (log.channels.tolist(), log.lengths.tolist()) == (["can0"], [2])
    with pytest.raises(CogenError, match=r"drive\.log:2: this is no line of candump"):
        signals.read_can_log(broken, strict=True)
    packed = tmp_path / "drive.log.gz"
    packed.write_bytes(gzip.compress(broken.read_bytes()))
    with pytest.raises(CogenError, match="what follows on 1 frames cannot be read"):
        signals.read_can_log(packed, strict=True)
    empty = tmp_path / "empty.log"
    empty.write_text("", encoding="utf-8")
    assert len(signals.read_can_log(empty)) == 0
    monkeypatch.setitem(sys.modules, "can", None)
    with pytest.raises(CogenError, match="needs the package python-can"):
        signals.read_can_log(broken)


def test_logs_of_candump_are_read_as_by_python_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(8)
    lines = []
    for i in range(300):
        long = i > 200
        name = f"{random.integers(1 << 29):08X}" if i % 3 else f"{random.integers(1 << 11):03x}"
        data = random.bytes(int(random.integers(65 if long else 9))).hex()
        channel = ["can0", "1", "vcan12"][i % 3]
        end = ["", " R", " T"][i % 3]
        lines.append(f"({i * 1.25:.6f}) {channel} {name}#{'#5' * long}{data}{end}\n")
    path = tmp_path / "drive.log"
    monkeypatch.setattr(candump, "SOME", 2000)

    def both() -> tuple[bool, list[Any]]:
        """Whether it was read the quick way, and what both ways give."""
        quickly = candump.read_candump(path)
        logs = [signals.read_can_log(path)]
        monkeypatch.setattr(canlog, "SUFFIX", ".none")
        logs.append(signals.read_can_log(path))
        monkeypatch.setattr(canlog, "SUFFIX", ".log")
        return quickly is not None, logs

    others = ["(1.0) can0 123#R4\n", "(1.0) can0 20000080#00\n", "\n", "(2.0) can0 123#001\n", ""]
    for other, ending in zip(others, ["\n", "\n", "\n", "\n", "\r\n"], strict=True):
        text = "".join([*lines, other, lines[0]]).replace("\n", ending)
        path.write_bytes(text.encode())
        quickly, (found, expected) = both()
        assert quickly == (other == "")
        assert len(found) == 301 + (other.strip() != "")
        for name in ("times", "ids", "frames", "lengths", "channels"):
            ours, theirs = getattr(found, name), getattr(expected, name)
            assert ours.dtype == theirs.dtype, name
            assert np.array_equal(ours, theirs), name
    path.write_bytes("".join(lines[:5]).encode())
    assert signals.read_can_log(path).frames.shape == (5, 8)
