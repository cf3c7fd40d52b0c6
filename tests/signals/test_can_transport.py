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


@pytest.mark.parametrize("wrong", [missing, aborted, late, begun_again, impossible])
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
