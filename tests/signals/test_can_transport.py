"""J1939's transport protocol: messages of several frames in logs."""

from pathlib import Path

import numpy as np
import pytest

from cogen import CogenError, signals
from cogen.signals.can import CanWarning

LONG = bytes(range(1, 40))
DBC = """VERSION ""
BS_:
BU_: Vector__XXX
BO_ 2566840830 LONG: 39 Vector__XXX
 SG_ First : 0|8@1+ (1,0) [0|255] "" Vector__XXX
 SG_ Last : 304|8@1+ (0.5,0) [0|127] "" Vector__XXX
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_DEF_ "VFrameFormat" "J1939PG";
BA_ "VFrameFormat" BO_ 2566840830 3;
"""
PGN = 0xFEE1
"""A group for all."""


class Bus:
    """Frames as they are sent, 10 ms apart."""

    def __init__(self) -> None:
        self.sent: list[tuple[float, int, bytes, object]] = []
        self.time = 0.0

    def send(self, pgn: int, source: int, to: int, data: bytes, channel: object = None) -> None:
        frame_id = 7 << 26 | (pgn | to if pgn >> 8 & 255 < 240 else pgn) << 8 | source
        self.sent.append((self.time, frame_id | 1 << 31, data.ljust(8, b"\xff"), channel))
        self.time += 0.01

    def begin(self, control: int, source: int, to: int, data: bytes, pgn: int = PGN) -> None:
        packets = -(-len(data) // 7)
        size = len(data).to_bytes(2, "little")
        said = bytes([control]) + size + bytes([packets, 255]) + pgn.to_bytes(3, "little")
        self.send(0xEC00, source, to, said)

    def packet(self, number: int, source: int, to: int, data: bytes) -> None:
        part = data[7 * number - 7 : 7 * number]
        self.send(0xEB00, source, to, bytes([number]) + part)

    def to_all(self, source: int, data: bytes) -> None:
        self.begin(32, source, 255, data)
        for number in range(1, -(-len(data) // 7) + 1):
            self.packet(number, source, 255, data)

    def control(self, source: int, to: int, data: bytes, pgn: int) -> None:
        """A frame of the extended protocol that says something of a message."""
        self.send(0xC800, source, to, data + pgn.to_bytes(3, "little"))

    def large(self, source: int, to: int, data: bytes, pgn: int = 0xEF00) -> None:
        """Begin a message of the extended protocol."""
        self.control(source, to, b"\x14" + len(data).to_bytes(4, "little"), pgn)

    def offset(self, count: int, before: int, source: int, to: int) -> None:
        self.control(source, to, bytes([22, count]) + before.to_bytes(3, "little"), 0xEF00)

    def part(self, number: int, before: int, source: int, to: int, data: bytes) -> None:
        place = 7 * (before + number - 1)
        self.send(0xC700, source, to, bytes([number]) + data[place : place + 7])

    def log(self) -> signals.CanLog:
        times, ids, data, channels = zip(*self.sent, strict=True)
        frames = np.frombuffer(b"".join(data), np.uint8).reshape(-1, 8)
        return signals.CanLog(np.array(times), np.array(ids), frames, None, list(channels))


def contents(log: signals.CanLog) -> list[bytes]:
    return [log.frames[i, :n].tobytes() for i, n in enumerate(log.lengths.tolist())]


def test_messages_to_all_are_put_together() -> None:
    bus = Bus()
    for data in (LONG, bytes(9), bytes(1785), LONG[:14]):
        bus.to_all(3, data)
    found = signals.j1939_transport(bus.log())
    assert contents(found) == [LONG, bytes(9), bytes(1785), LONG[:14]]
    parts = signals.j1939(found.ids)
    assert parts["pgn"].tolist() == [PGN] * 4
    assert parts["source"].tolist() == [3] * 4
    assert found.times[0] == pytest.approx(0.06)


def test_messages_are_sent_at_the_same_time() -> None:
    bus, other = Bus(), bytes(reversed(LONG))
    bus.begin(32, 1, 255, LONG)
    bus.begin(32, 2, 255, other)
    for number in range(1, 7):
        bus.packet(number, 1, 255, LONG)
        bus.packet(number, 2, 255, other)
    found = signals.j1939_transport(bus.log())
    assert contents(found) == [LONG, other]


def test_messages_to_one_may_be_asked_for_again() -> None:
    bus = Bus()
    bus.begin(16, 5, 9, LONG, 0xEF00)
    bus.send(0xEC00, 9, 5, bytes([17, 2, 1, 255, 255, 0, 0xEF, 0]))
    for number in (1, 2, 2, 3, 4, 3, 5, 6):
        bus.packet(number, 5, 9, LONG)
    bus.send(0xEC00, 9, 5, bytes([19, 39, 0, 6, 255, 0, 0xEF, 0]))
    found = signals.j1939_transport(bus.log())
    assert contents(found) == [LONG]
    parts = signals.j1939(found.ids)
    assert [int(parts[name][0]) for name in ("pgn", "source", "destination")] == [0xEF00, 5, 9]


def test_the_addressee_may_let_wait() -> None:
    bus = Bus()
    bus.begin(16, 5, 9, LONG, 0xEF00)
    bus.packet(1, 5, 9, LONG)
    for asked in (0, 0, 5):
        bus.time += 1
        bus.send(0xEC00, 9, 5, bytes([17, asked, 2, 255, 255, 0, 0xEF, 0]))
    for number in range(2, 7):
        bus.packet(number, 5, 9, LONG)
    assert contents(signals.j1939_transport(bus.log())) == [LONG]


def extended(bus: Bus, data: bytes, source: int = 5, to: int = 9, each: int = 255) -> None:
    """A whole session of the extended protocol, `each` frames asked for at a time."""
    bus.large(source, to, data)
    packets = -(-len(data) // 7)
    for before in range(0, packets, each):
        count = min(each, packets - before)
        asked = bytes([21, count]) + (before + 1).to_bytes(3, "little")
        bus.control(to, source, asked, 0xEF00)
        bus.offset(count, before, source, to)
        for number in range(1, count + 1):
            bus.part(number, before, source, to, data)
    bus.control(to, source, b"\x17" + len(data).to_bytes(4, "little"), 0xEF00)


@pytest.mark.parametrize(("size", "each"), [(1786, 255), (1787, 16), (3570, 255), (20_000, 100)])
def test_very_long_messages_are_put_together(size: int, each: int) -> None:
    bus = Bus()
    data = np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()
    extended(bus, data, each=each)
    found = signals.j1939_transport(bus.log())
    assert contents(found) == [data]
    parts = signals.j1939(found.ids)
    assert [int(parts[name][0]) for name in ("pgn", "source", "destination")] == [0xEF00, 5, 9]
    assert found.times[0] == bus.sent[-2][0]


def test_frames_of_a_very_long_message_may_be_asked_for_again() -> None:
    bus, data = Bus(), bytes(range(250)) * 8
    bus.large(5, 9, data)
    bus.offset(200, 0, 5, 9)
    for number in (1, 2, 3, 5):  # 4 is lost
        bus.part(number, 0, 5, 9, data)
    bus.offset(2, 3, 5, 9)
    for number in (1, 2):
        bus.part(number, 3, 5, 9, data)
    bus.offset(255, 5, 5, 9)
    for number in range(1, 256):
        bus.part(number, 5, 5, 9, data)
    bus.offset(26, 260, 5, 9)
    for number in range(1, 27):
        bus.part(number, 260, 5, 9, data)
    assert contents(signals.j1939_transport(bus.log())) == [data]


def test_both_protocols_between_the_same_two_are_apart() -> None:
    bus, data = Bus(), bytes(range(200)) * 10
    bus.begin(16, 5, 9, LONG, 0xEF00)
    bus.large(5, 9, data)
    bus.packet(1, 5, 9, LONG)
    bus.offset(255, 0, 5, 9)
    for number in range(1, 256):
        bus.part(number, 0, 5, 9, data)
        if 20 <= number < 25:
            bus.packet(number - 18, 5, 9, LONG)
    bus.send(0xEC00, 9, 5, bytes([255, 1]))  # of the plain protocol, and too late
    bus.offset(31, 255, 5, 9)
    for number in range(1, 32):
        bus.part(number, 255, 5, 9, data)
    assert contents(signals.j1939_transport(bus.log())) == [LONG, data]


def missing(bus: Bus) -> None:
    bus.begin(32, 1, 255, LONG)
    for number in (1, 2, 4, 5, 6):
        bus.packet(number, 1, 255, LONG)


def aborted(bus: Bus) -> None:
    bus.begin(16, 1, 2, LONG)
    bus.packet(1, 1, 2, LONG)
    bus.send(0xEC00, 2, 1, bytes([255, 1]))
    bus.packet(2, 1, 2, LONG)


def late(bus: Bus) -> None:
    bus.begin(32, 1, 255, LONG)
    bus.time += 2
    for number in range(1, 7):
        bus.packet(number, 1, 255, LONG)


def begun_again(bus: Bus) -> None:
    bus.begin(32, 1, 255, LONG)
    bus.packet(1, 1, 255, LONG)


def impossible(bus: Bus) -> None:
    bus.send(0xEC00, 1, 255, bytes([32, 39, 0, 7, 255, 0xE1, 0xFE, 0]))


VERY_LONG = bytes(1800)


def without_offset(bus: Bus) -> None:
    bus.large(1, 2, VERY_LONG)
    bus.part(1, 0, 1, 2, VERY_LONG)


def beyond_its_end(bus: Bus) -> None:
    bus.large(1, 2, VERY_LONG)
    bus.offset(255, 10, 1, 2)


def more_than_were_told(bus: Bus) -> None:
    bus.large(1, 2, VERY_LONG)
    bus.offset(3, 0, 1, 2)
    for number in (1, 2, 3, 4):
        bus.part(number, 0, 1, 2, VERY_LONG)


def large_aborted(bus: Bus) -> None:
    bus.large(1, 2, VERY_LONG)
    bus.control(2, 1, bytes([255, 1, 255, 255, 255]), 0xEF00)
    bus.offset(3, 0, 1, 2)


def large_late(bus: Bus) -> None:
    bus.large(1, 2, VERY_LONG)
    bus.time += 2
    bus.offset(255, 0, 1, 2)
    bus.part(1, 0, 1, 2, VERY_LONG)


def too_large(bus: Bus) -> None:
    bus.control(1, 2, b"\x14" + (117_440_506).to_bytes(4, "little"), 0xEF00)


WRONG = [missing, aborted, late, begun_again, impossible, without_offset, beyond_its_end]
WRONG += [more_than_were_told, large_aborted, large_late, too_large]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_not_whole_is_left_out(wrong: object) -> None:
    bus = Bus()
    bus.packet(4, 1, 255, LONG)  # of what began before
    wrong(bus)  # type: ignore[operator]  # a function
    bus.to_all(1, LONG)
    with pytest.warns(CanWarning, match="1 messages in several frames are not whole"):
        assert contents(signals.j1939_transport(bus.log())) == [LONG]
    with pytest.raises(CogenError, match="1 messages in several frames"):
        signals.j1939_transport(bus.log(), strict=True)


def test_databases_have_long_messages(tmp_path: Path) -> None:
    path = tmp_path / "long.dbc"
    path.write_text(DBC, encoding="utf-8")
    bus = Bus()
    bus.to_all(3, LONG)
    bus.to_all(4, bytes(reversed(LONG)))
    table = signals.dbc(path).columns(bus.log())["LONG"]
    assert table["source"].tolist() == [3, 4]
    assert table["First"].tolist() == [1, 39]
    assert table["Last"].tolist() == [19.5, 0.5]


def test_a_very_long_message_beside_many_short_ones_is_not_copied_for_each(tmp_path: Path) -> None:
    path = tmp_path / "long.dbc"
    path.write_text(DBC, encoding="utf-8")
    bus, data = Bus(), bytes(range(256)) * 20
    bus.to_all(3, LONG)
    extended(bus, data)
    bus.to_all(4, LONG)
    log = bus.log()
    assert signals.dbc(path).columns(log)["LONG"]["source"].tolist() == [3, 4]
    texts = signals.j1939_transport(log).columns()["data"].tolist()
    assert texts == [LONG.hex(), data.hex(), LONG.hex()]
