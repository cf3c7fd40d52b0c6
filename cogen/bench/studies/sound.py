"""Sound and radio: examples/cases/sound.py and radio.py against C by hand, Numba and NumPy.

All take packed bytes and give packed bytes.  The coefficients of the filters are known to ours when
it is compiled, and data for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import numpy as np

from cogen.bench.studies.study import HAND, OURS, Study, Way, by_hand, example

SAMPLES: Final = 1 << 20

_PROTOTYPES: Final = """
void master(int64_t n, const uint8_t *in, const int8_t *noise, int64_t gain, int count,
            const int32_t *taps, int16_t *out);
void strength(int64_t n, const uint8_t *in, int count, const int32_t *real,
              const int32_t *imaginary, uint16_t *out);
"""

GAIN: Final = 6000


def master_ways(samples: int = SAMPLES) -> Mapping[str, Way]:
    """24 bits, filter, gain, dither, 16 bits."""
    sound = example("sound")
    data, noise = sound.example(samples), sound.noise_for(samples)
    taps = np.array(sound.TAPS, np.int32)
    staged = sound.master.program(data, noise, GAIN).compile(threads=1)
    count = samples - len(taps) + 1
    ffi, c = by_hand("sound_hand", _PROTOTYPES)

    def by_c() -> bytes:
        out = np.empty(count, np.int16)
        given = ffi.from_buffer(data), ffi.from_buffer("int8_t[]", noise), GAIN, len(taps)
        c.master(count, *given, ffi.from_buffer("int32_t[]", taps), _address(ffi, out))
        return bytes(out)

    def by_numpy() -> bytes:
        x = _of_24_bits(data)
        louder = (np.convolve(x, taps[::-1], "valid") >> sound.BITS) * GAIN >> sound.BITS
        whole = (louder + np.frombuffer(noise, np.int8)[:count] + 128) >> 8
        return bytes(np.clip(whole, -(1 << 15), (1 << 15) - 1).astype("<i2"))

    ways: dict[str, Way] = {
        OURS: lambda: staged(data, noise, GAIN),
        HAND: by_c,
        "NumPy": by_numpy,
    }
    compiled = _numba("master")
    if compiled is not None:
        raw, own = np.frombuffer(data, np.uint8), np.frombuffer(noise, np.int8)
        ways["Numba"] = lambda: compiled(raw, own, GAIN, taps).tobytes()
    return ways


def strength_ways(samples: int = SAMPLES) -> Mapping[str, Way]:
    """I and Q of 12 bits, mixed, filtered, every eighth, magnitude of 16 bits."""
    radio = example("radio")
    data = radio.example(samples)
    taps = np.array(radio.TAPS)
    real, imaginary = (np.ascontiguousarray(part, np.int32) for part in (taps.real, taps.imag))
    staged = radio.strength.program(data).compile(threads=1)
    count = (samples - len(taps)) // radio.DECIMATION + 1
    ffi, c = by_hand("sound_hand", _PROTOTYPES)

    def by_c() -> bytes:
        out = np.empty(count, np.uint16)
        both = [ffi.from_buffer("int32_t[]", part) for part in (real, imaginary)]
        c.strength(count, ffi.from_buffer(data), len(taps), *both, _address(ffi, out))
        return bytes(out)

    def by_numpy() -> bytes:
        i, q = _of_12_bits(data)
        windows = [np.lib.stride_tricks.sliding_window_view(x, len(taps))[:: radio.DECIMATION]
                   for x in (i, q)]  # fmt: skip
        a = (windows[0] @ real - windows[1] @ imaginary) >> radio.BITS
        b = (windows[1] @ real + windows[0] @ imaginary) >> radio.BITS
        return bytes(np.rint(np.sqrt(a * a + b * b)).astype("<u2"))

    ways: dict[str, Way] = {OURS: lambda: staged(data), HAND: by_c, "NumPy": by_numpy}
    compiled = _numba("strength")
    if compiled is not None:
        raw = np.frombuffer(data, np.uint8)
        ways["Numba"] = lambda: compiled(raw, real, imaginary).tobytes()
    return ways


def _address(ffi: Any, out: Any) -> Any:
    return ffi.cast(f"{out.dtype.name}_t *", out.ctypes.data)


def _of_24_bits(data: bytes) -> Any:
    raw = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.int64)
    return ((raw[:, 0] | raw[:, 1] << 8 | raw[:, 2] << 16) ^ (1 << 23)) - (1 << 23)


def _of_12_bits(data: bytes) -> Any:
    raw = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.int64)
    first, second = raw[:, 0] | (raw[:, 1] & 15) << 8, raw[:, 1] >> 4 | raw[:, 2] << 4
    return (first ^ 2048) - 2048, (second ^ 2048) - 2048


@cache
def _numba(name: str) -> Callable[..., Any] | None:
    """The plain loops over packed bytes, compiled by Numba; None if it is not there."""
    try:
        from numba import njit
    except ImportError:
        return None

    @njit  # type: ignore[untyped-decorator]  # it has no types
    def master(raw: Any, noise: Any, gain: int, taps: Any) -> Any:
        samples = len(raw) // 3
        x = np.empty(samples, np.int32)
        for j in range(samples):
            value = raw[3 * j] | raw[3 * j + 1] << 8 | raw[3 * j + 2] << 16
            x[j] = (value ^ (1 << 23)) - (1 << 23)
        count = samples - len(taps) + 1
        out = np.empty(count, np.int16)
        for i in range(count):
            total = np.int64(0)
            for k in range(len(taps)):
                total += taps[k] * x[i + k]
            whole = (((total >> 12) * gain >> 12) + noise[i] + 128) >> 8
            out[i] = min(max(whole, -32768), 32767)
        return out

    @njit  # type: ignore[untyped-decorator]  # it has no types
    def strength(raw: Any, real: Any, imaginary: Any) -> Any:
        samples = len(raw) // 3
        x, y = np.empty(samples, np.int32), np.empty(samples, np.int32)
        for j in range(samples):
            first = raw[3 * j] | (raw[3 * j + 1] & 15) << 8
            second = raw[3 * j + 1] >> 4 | raw[3 * j + 2] << 4
            x[j], y[j] = (first ^ 2048) - 2048, (second ^ 2048) - 2048
        count = (samples - len(real)) // 8 + 1
        out = np.empty(count, np.uint16)
        for m in range(count):
            a, b = 0, 0
            for k in range(len(real)):
                i, q = x[8 * m + k], y[8 * m + k]
                a += real[k] * i - imaginary[k] * q
                b += real[k] * q + imaginary[k] * i
            a, b = a >> 11, b >> 11
            out[m] = min(round(np.sqrt(a * a + b * b)), 65535)
        return out

    found: dict[str, Callable[..., Any]] = {"master": master, "strength": strength}
    return found[name]


CASES: Final = (
    Study("24-bit sound, FIR, 16 bits", master_ways, {HAND: 1 / 1.1, "NumPy": 5.0, "Numba": 1.0}),
    Study("radio, CS12, FIR, u16", strength_ways, {HAND: 1 / 1.1, "NumPy": 5.0, "Numba": 1.0}),
)
