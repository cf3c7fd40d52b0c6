"""`packed-arrays`: array programs over packed data against hand-written C on packed words, against
the same program between `signals.unpack` and `signals.pack`, and against NumPy.

All take bytes and give bytes (the sum an int), with one thread; C has the same compiler and flags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any, Final

import cffi
import numpy as np

import cogen
from cogen.array.c.flags import OPTIONS, for_this_processor
from cogen.array.l0.storage import storage_of
from cogen.backends.objectcode.cache import shared_object
from cogen.measure.report import Column, Figure, Report
from cogen.measure.turns import interleaved

COLUMNS: Final = (
    Column("case", ""),
    Column("milliseconds", "C ms", ".3f"),
    Column("samples", "Gsamples/s", ".2f"),
    Column("c_over_hand", "C / hand", ".2fx"),
    Column("unpacked_over_c", "unpack, pack / C", ".1fx"),
    Column("numpy_over_c", "NumPy / C", ".1fx"),
)

PROGRAM: Final = Path(__file__).with_name("packed.l0")
SAMPLES: Final = 1 << 22

_PROTOTYPES: Final = """
void level(int64_t n, const uint8_t *raw, int64_t black, uint8_t *out);
void level10(int64_t n, const uint8_t *raw, int64_t black, uint8_t *out);
int64_t sum(int64_t n, const uint8_t *a);
void gain(int64_t n, const uint8_t *a, int64_t by, uint8_t *out);
void repacked(int64_t n, const uint8_t *raw, int64_t black, uint8_t *out);
"""

_ffi = cffi.FFI()
_ffi.cdef(_PROTOTYPES)

Way = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A program of packed.l0: the layouts of its argument and result, what else it takes, and what
    it computes, in NumPy."""

    name: str
    title: str
    source: str
    target: str | None
    numbers: tuple[int, ...]
    numpy: Callable[..., Any]

    def ways(self, data: bytes) -> Mapping[str, Way]:
        """All ways; "hand" is first."""
        program = cogen.array.load(PROGRAM)
        packed = program.compile(entry=self.name, threads=1)
        plain = program.compile(entry=f"{self.name}Plain", threads=1)
        source = storage_of(self.source)
        target = None if self.target is None else storage_of(self.target)

        def unpacked() -> Any:
            (samples,) = source.unpack(data)
            found = plain(samples, *self.numbers)
            return found if target is None else target.pack([found], "saturate")

        def numpy() -> Any:
            (samples,) = source.unpack(data)
            found = self.numpy(samples, *self.numbers)
            return int(found) if target is None else target.pack([found], "saturate")

        return {
            "hand": lambda: self.hand(data),
            "c": lambda: packed(data, *self.numbers),
            "unpacked": unpacked,
            "numpy": numpy,
        }

    def hand(self, data: bytes) -> Any:
        """What hand-written C gives."""
        count = storage_of(self.source).count(len(data))
        call = getattr(_hand(), self.name)
        given = _ffi.from_buffer("uint8_t[]", data)
        if self.target is None:
            return call(count, given, *self.numbers)
        out = np.empty(count * storage_of(self.target).step // 8, np.uint8)
        call(count, given, *self.numbers, _ffi.from_buffer("uint8_t[]", out))
        return out.tobytes()


@cache
def _hand() -> Any:
    text = (Path(__file__).parent / "c" / "packed_hand.c").read_text(encoding="utf-8")
    return _ffi.dlopen(str(shared_object(text, (*OPTIONS, *for_this_processor()))))


CASES: Final = (
    Case("level", "RAW12, level, 8 bits", "raw12", "u8", (64,), lambda x, b: (x - b) * 17 >> 8),
    Case("level10", "RAW10, level, 8 bits", "raw10", "u8", (64,), lambda x, b: (x - b) * 17 >> 6),
    Case("sum", "sum of 12 bits", "size=12", None, (), np.sum),
    Case("gain", "24 bits, gain, 16 bits", "pcm24le", "pcm16le", (300,), lambda x, g: x * g >> 16),
    Case("repacked", "RAW12, black, 12 bits", "raw12", "size=12", (64,), lambda x, b: x - b),
)


def bench() -> Report:
    """Ratios of times: below 1 in the first, above 1 in the others, our C is faster."""
    report = Report("packed-arrays", "packed-arrays: ratios of times in one run", COLUMNS)
    report.notes.append(
        "hand: hand-written C on packed words; unpack, pack: the same program on an array between."
    )
    for case in CASES:
        storage = storage_of(case.source)
        length = SAMPLES // storage.group * storage.step // 8
        data = np.random.default_rng(1).integers(0, 256, length, np.uint8).tobytes()
        ways = case.ways(data)
        wanted = ways["hand"]()
        wrong = [name for name, way in ways.items() if way() != wanted]
        report.failures += [f"{case.title}: {name} differs from hand-written C" for name in wrong]
        times = interleaved({n: w for n, w in ways.items() if n not in wrong}, clock=process_time)
        row: dict[str, Figure] = {"case": case.title}
        if "c" in times.rounds:
            row["milliseconds"] = times.seconds("c") * 1e3
            row["samples"] = SAMPLES / times.seconds("c") / 1e9
            row["c_over_hand"] = times.ratio("c", "hand")
            for name in ("unpacked", "numpy"):
                row[f"{name}_over_c"] = times.ratio(name, "c")
        report.rows.append(row)
    return report
