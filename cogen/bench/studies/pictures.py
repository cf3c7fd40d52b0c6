"""Pictures: examples/cases/pictures.py against C by hand, Numba and NumPy; all take the bytes of a
frame and give bytes of colours and a histogram."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import numpy as np

from cogen.bench.studies.study import HAND, OURS, Study, Way, by_hand, example

WIDTH: Final = 4096
HEIGHT: Final = 1024

_PROTOTYPES: Final = """
void develop(int64_t width, int64_t height, const uint8_t *raw, const uint8_t *table, int black,
             int red, int green, int blue, uint8_t *out, int64_t *histogram);
"""


def develop_ways(width: int = WIDTH, height: int = HEIGHT) -> Mapping[str, Way]:
    """A frame to colours of half the size."""
    own = example("pictures")
    frame, table = own.example(width, height), own.GAMMA
    staged = own.develop.program(frame, width, table, own.BLACK).compile(threads=1)
    ffi, c = by_hand("pictures_hand", _PROTOTYPES)

    def by_c() -> Any:
        out, histogram = np.empty(width * height * 3 // 4, np.uint8), np.empty(256, np.int64)
        given = width, height // 2, ffi.from_buffer(frame), ffi.from_buffer("uint8_t[]", table)
        found = ffi.from_buffer("uint8_t[]", out), ffi.from_buffer("int64_t[]", histogram)
        c.develop(*given, own.BLACK, *own.GAINS, *found)
        return out.tobytes(), histogram

    def by_numpy() -> Any:
        raw = np.frombuffer(frame, np.uint8).reshape(height, width // 2, 3).astype(np.int32)
        first, second = raw[:, :, 0] << 4 | raw[:, :, 2] & 15, raw[:, :, 1] << 4 | raw[:, :, 2] >> 4
        green = (second[::2] + first[1::2]) >> 1
        colours = [
            table[np.clip((value - own.BLACK) * gain >> own.BITS, 0, 4095)]
            for value, gain in zip((first[::2], green, second[1::2]), own.GAINS, strict=True)
        ]
        return np.stack(colours, axis=-1).tobytes(), np.bincount(colours[1].ravel(), minlength=256)

    ways: dict[str, Way] = {
        OURS: lambda: staged(frame, table, own.BLACK),
        HAND: by_c,
        "NumPy": by_numpy,
    }
    compiled = _numba()
    if compiled is not None:
        raw = np.frombuffer(frame, np.uint8)

        def by_numba() -> Any:
            out, histogram = compiled(raw, width, table, own.BLACK, *own.GAINS)
            return out.tobytes(), histogram

        ways["Numba"] = by_numba
    return ways


@cache
def _numba() -> Callable[..., Any] | None:
    """The plain loop over packed bytes, compiled by Numba; None if it is not there."""
    try:
        from numba import njit
    except ImportError:
        return None

    @njit  # type: ignore[untyped-decorator]  # it has no types
    def look(table: Any, value: Any, black: int, gain: int) -> Any:
        return table[min(max((value - black) * gain >> 8, 0), 4095)]

    @njit  # type: ignore[untyped-decorator]  # it has no types
    def develop(
        raw: Any, width: int, table: Any, black: int, red: int, green: int, blue: int
    ) -> Any:
        half, height = width // 2, len(raw) // (3 * width)
        out = np.empty(3 * half * height, np.uint8)
        histogram = np.zeros(256, np.int64)
        for y in range(height):
            for x in range(half):
                p = 3 * width * y + 3 * x
                q = p + 3 * half
                a, b = raw[p] << 4 | raw[p + 2] & 15, raw[p + 1] << 4 | raw[p + 2] >> 4
                c, d = raw[q] << 4 | raw[q + 2] & 15, raw[q + 1] << 4 | raw[q + 2] >> 4
                k = 3 * (half * y + x)
                middle = look(table, (b + c) >> 1, black, green)
                out[k] = look(table, a, black, red)
                out[k + 1] = middle
                out[k + 2] = look(table, d, black, blue)
                histogram[middle] += 1
        return out, histogram

    found: Callable[..., Any] = develop
    return found


CASES: Final = (
    Study("RAW12 frame, colours", develop_ways, {HAND: 1 / 1.1, "NumPy": 5.0, "Numba": 1.0}),
)
