"""`packed`: the Python face of the signal library against the packages people use instead.

Each row is one job on the same data: unpacking 12-bit samples into an array, packing them, decoding
CAN frames.  Opponents that work sample by sample are run on fewer of them, and their time is
taken in proportion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

import numpy as np

from cogen import signals
from cogen.measure.report import Column, Report
from cogen.measure.turns import interleaved
from cogen.signals.kernels import by_numpy

COUNT: Final = 1 << 20
"""Samples, or frames, of a job."""

FEW: Final = 1 << 12
"""Samples, or frames, for an opponent that works on them one by one."""

COLUMNS: Final = (
    Column("job", ""),
    Column("opponent", "opponent"),
    Column("ours_ns", "ours, ns an item", ".2f"),
    Column("opponent_ns", "opponent, ns an item", ".1f"),
    Column("ratio", "opponent / ours", ".1fx"),
)

DBC: Final = """\
VERSION ""
BU_: ECU
BO_ 291 EngineData: 8 ECU
 SG_ Speed : 0|16@1+ (0.25,0) [0|16383] "rpm" ECU
 SG_ Temperature : 16|8@1+ (1,-40) [-40|215] "C" ECU
 SG_ Torque : 39|12@0- (0.5,-100) [0|0] "Nm" ECU
 SG_ Gear : 40|4@1+ (1,0) [0|8] "" ECU
 SG_ Running : 63|1@0+ (1,0) [0|1] "" ECU
"""

Way = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Opponent:
    """Another way to do a job, on so many items."""

    name: str
    items: int
    run: Way


def bench() -> Report:
    """Processor times of one run; an opponent that is not installed is named in a note."""
    report = Report("packed", "packed samples from Python", COLUMNS)
    missing: list[str] = []
    jobs = (_unpack(missing), _pack(missing), *_into_memory(missing), *_sliced(), _can(missing))
    for job, ours, opponents in jobs:
        for opponent in opponents:
            times = interleaved({"ours": ours, "other": opponent.run}, 31, clock=process_time)
            mine, other = times.seconds("ours") / COUNT, times.seconds("other") / opponent.items
            report.rows.append(
                {
                    "job": job,
                    "opponent": opponent.name,
                    "ours_ns": 1e9 * mine,
                    "opponent_ns": 1e9 * other,
                    "ratio": other / mine,
                }
            )
    if missing:
        report.notes.append(f"not installed: {', '.join(missing)}")
    return report


def _package(name: str, missing: list[str]) -> Any:
    try:
        return import_module(name)
    except ImportError:
        missing.append(name)
        return None


Job = tuple[str, Way, list[Opponent]]


def _samples() -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(0, 1 << 12, COUNT, np.uint16)


def _bitstruct(missing: list[str], way: Callable[[Any], object]) -> list[Opponent]:
    """bitstruct with 64 samples at a time, if it is installed: `way` has what it compiled."""
    bitstruct = _package("bitstruct.c", missing)
    if bitstruct is None:
        return []
    compiled = bitstruct.compile("u12" * 64)
    return [Opponent("bitstruct.c", FEW, lambda: way(compiled))]


def _unpack(missing: list[str]) -> Job:
    """Samples of 12 bits, the high bits first, as the bit libraries have them."""
    data = signals.pack(_samples(), "u12").tobytes()
    few = data[: FEW * 3 // 2]
    expected = signals.unpack(data, "u12")
    opponents = [Opponent("NumPy", COUNT, lambda: _numpy_unpack(data))]
    assert np.array_equal(_numpy_unpack(data), expected)
    opponents += _bitstruct(
        missing, lambda c: [c.unpack_from(few, 8 * i) for i in range(0, len(few), 96)]
    )
    bitstring = _package("bitstring", missing)
    if bitstring is not None:
        opponents.append(
            Opponent("bitstring", FEW, lambda: [x.uint for x in bitstring.Bits(few).cut(12)])
        )
    construct = _package("construct", missing)
    if construct is not None:
        parser = construct.Bitwise(construct.GreedyRange(construct.BitsInteger(12)))
        opponents.append(Opponent("construct", FEW, lambda: parser.parse(few)))
    return "unpack 12 bits", lambda: signals.unpack(data, "u12"), opponents


def _numpy_unpack(data: bytes) -> np.ndarray[Any, Any]:
    triples = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.uint16)
    samples = np.empty((len(triples), 2), np.uint16)
    samples[:, 0] = triples[:, 0] << 4 | triples[:, 1] >> 4
    samples[:, 1] = (triples[:, 1] & 15) << 8 | triples[:, 2]
    return samples.reshape(-1)


def _pack(missing: list[str]) -> Job:
    samples = _samples()
    few = samples[:FEW].tolist()
    opponents = [Opponent("NumPy", COUNT, lambda: _numpy_pack(samples))]
    assert np.array_equal(_numpy_pack(samples), signals.pack(samples, "u12"))
    opponents += _bitstruct(
        missing, lambda c: [c.pack(*few[i : i + 64]) for i in range(0, FEW, 64)]
    )
    return "pack 12 bits", lambda: signals.pack(samples, "u12"), opponents


def _numpy_pack(samples: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    pairs = samples.reshape(-1, 2)
    data = np.empty((len(pairs), 3), np.uint8)
    data[:, 0] = pairs[:, 0] >> 4
    data[:, 1] = (pairs[:, 0] & 15) << 4 | pairs[:, 1] >> 8
    data[:, 2] = pairs[:, 1]
    return data.reshape(-1)


def _into_memory(missing: list[str]) -> list[Job]:
    """Unpacking into an array that is there, on one thread; scaled too."""
    numba = _package("numba", missing)
    data = np.random.default_rng(3).integers(0, 256, COUNT * 3 // 2, np.uint8)
    out, scaled = np.zeros(COUNT, np.uint16), np.zeros(COUNT)
    layout = signals.Layout(12)
    tenth = signals.Layout(12, scale=0.1)
    signals.unpack(data, layout, out=out, threads=1)
    jobs: list[Job] = [
        ("12 bits, out=", lambda: signals.unpack(data, layout, out=out, threads=1), []),
        ("12 bits, scale=, out=", lambda: signals.unpack(data, tenth, out=scaled, threads=1), []),
    ]
    if numba is not None:
        loops = ((numba.njit(_loop), out), (numba.njit(_scaled_loop), scaled))
        for (_, _, opponents), (loop, result) in zip(jobs, loops, strict=True):
            loop(data, result)
            opponents.append(Opponent("Numba, out=", COUNT, partial(loop, data, result)))
    return jobs


def _loop(packed: Any, samples: Any) -> None:
    for i in range(len(samples) // 2):
        a, b, c = packed[3 * i], packed[3 * i + 1], packed[3 * i + 2]
        samples[2 * i] = a | (b & 15) << 8
        samples[2 * i + 1] = b >> 4 | c << 4


def _scaled_loop(packed: Any, numbers: Any) -> None:
    for i in range(len(numbers) // 2):
        a, b, c = packed[3 * i], packed[3 * i + 1], packed[3 * i + 2]
        numbers[2 * i] = (a | (b & 15) << 8) * 0.1
        numbers[2 * i + 1] = (b >> 4 | c << 4) * 0.1


def _sliced() -> list[Job]:
    """What is done where there is no C compiler, against slices as people write them."""
    draw = np.random.default_rng(4)
    jobs: list[Job] = []
    for name, ways in SLICES.items():
        layout = signals.layout(name)
        data = draw.integers(0, 256, COUNT * layout.step // len(layout.fields) // 8, np.uint8)
        samples = ways[0](data)
        for job, given, way in (
            (f"unpack {name}, NumPy alone", data, ways[0]),
            (f"pack {name}, NumPy alone", samples, ways[1]),
        ):
            ours = partial(_by_numpy, given, name, way is ways[0])
            assert np.array_equal(ours(), way(given))
            jobs.append((job, ours, [Opponent("slices", COUNT, partial(way, given))]))
    return jobs


def _by_numpy(given: Any, name: str, unpacking: bool) -> Any:
    """Unpacking or packing as it is done without a compiler."""
    with by_numpy():
        work = signals.unpack if unpacking else signals.pack
        return work(given, name, threads=1)


def _unpack_raw10(data: Any) -> Any:
    groups = data.reshape(-1, 5)
    result = np.empty((len(groups), 4), np.uint16)
    for i in range(4):
        result[:, i] = groups[:, i].astype(np.uint16) << 2 | groups[:, 4] >> 2 * i & 3
    return result.reshape(-1)


def _pack_raw10(samples: Any) -> Any:
    groups = samples.reshape(-1, 4)
    result = np.empty((len(groups), 5), np.uint8)
    for i in range(4):
        result[:, i] = groups[:, i] >> 2
    low = groups & 3
    result[:, 4] = low[:, 0] | low[:, 1] << 2 | low[:, 2] << 4 | low[:, 3] << 6
    return result.reshape(-1)


def _unpack_raw12(data: Any) -> Any:
    groups = data.reshape(-1, 3)
    result = np.empty((len(groups), 2), np.uint16)
    result[:, 0] = groups[:, 0].astype(np.uint16) << 4 | groups[:, 2] & 15
    result[:, 1] = groups[:, 1].astype(np.uint16) << 4 | groups[:, 2] >> 4
    return result.reshape(-1)


def _pack_raw12(samples: Any) -> Any:
    pairs = samples.reshape(-1, 2)
    result = np.empty((len(pairs), 3), np.uint8)
    result[:, 0] = pairs[:, 0] >> 4
    result[:, 1] = pairs[:, 1] >> 4
    result[:, 2] = pairs[:, 0] & 15 | (pairs[:, 1] & 15) << 4
    return result.reshape(-1)


SLICES: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "raw10": (_unpack_raw10, _pack_raw10),
    "raw12": (_unpack_raw12, _pack_raw12),
    "u12": (lambda data: _numpy_unpack(data), lambda samples: _numpy_pack(samples)),
    "u1": (np.unpackbits, np.packbits),
}
"""Unpacking and packing by slices, by the layout's name."""


def _can(missing: list[str]) -> Job:
    frames = np.random.default_rng(2).integers(0, 256, (COUNT, 8), np.uint8)
    cantools = _package("cantools", missing)
    if cantools is None:
        return "decode CAN frames", lambda: None, []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "engine.dbc"
        path.write_text(DBC)
        engine = signals.dbc(path)["EngineData"]
    message = cantools.database.load_string(DBC, "dbc").get_message_by_name("EngineData")
    few = [bytes(frame) for frame in frames[:FEW]]
    values = engine.decode(frames[:FEW])
    for frame, row in zip(few, values, strict=True):
        assert message.decode(frame, decode_choices=False) == dict(
            zip(engine.units, row.tolist(), strict=True)
        )
    opponent = Opponent(
        "cantools", FEW, lambda: [message.decode(frame, decode_choices=False) for frame in few]
    )
    return "decode CAN frames", lambda: engine.decode(frames), [opponent]
