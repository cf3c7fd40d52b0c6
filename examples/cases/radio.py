"""The strength of one channel of a radio: I and Q of 12 bits are mixed down, filtered, reduced to
every eighth sample, and their magnitude is stored with 16 bits, in one pass.

    python examples/cases/radio.py [RECORDING.cs12]

Two samples of 12 bits take three bytes.  Mixing multiplies by a turning complex number, which the
magnitude does not show: so the filter is turned instead, while staging, and nothing of it is left
but its numbers.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import cogen
from cogen import signals

DECIMATION = 8
BITS = 11
"""The bits behind the point of the filter's coefficients."""


def channel(frequency: float, count: int = 32) -> list[complex]:
    """A low-pass filter for every eighth sample, turned to a frequency (of the rate)."""
    k = np.arange(count) - (count - 1) / 2
    ideal = np.sinc(k / DECIMATION) * np.hamming(count)
    turned = ideal / ideal.sum() * np.exp(-2j * np.pi * frequency * np.arange(count))
    return [complex(round(x.real), round(x.imag)) for x in turned * 2**BITS]


TAPS = channel(0.125)


@cogen.stage
def strength(samples: cogen.packed("cs12"), taps: cogen.static = TAPS):
    """The magnitudes of a channel."""

    def at(m):
        real, imaginary = 0, 0
        for k, tap in enumerate(taps):
            s = samples[m * DECIMATION + k]
            real += int(tap.real) * s.f0 - int(tap.imag) * s.f1
            imaginary += int(tap.real) * s.f1 + int(tap.imag) * s.f0
        i, q = real >> BITS, imaginary >> BITS
        return np.rint(np.sqrt(1.0 * (i * i + q * q))).astype(int)

    count = (samples.shape[0] - len(taps)) // DECIMATION + 1
    return cogen.store("u16<", cogen.map(at, np.arange(count)), saturate=True)


def example(count: int = 1 << 16) -> bytes:
    """Noise, and in the middle a signal at an eighth of the rate."""
    random = np.random.default_rng(3)
    whole = 80 * random.standard_normal((count, 2))
    there = (np.arange(count) > count // 3) & (np.arange(count) < count // 2)
    turning = np.exp(2j * np.pi * 0.125 * np.arange(count)) * 600 * there
    whole += np.stack([turning.real, turning.imag], axis=1)
    return bytes(signals.pack(np.clip(whole, -2048, 2047).astype(int), "cs12"))


def main(path: str | None = None) -> None:
    """Show the strength over time, in 64 steps."""
    data = Path(path).read_bytes() if path else example()
    found = np.frombuffer(strength(data), "<u2")
    steps = np.array_split(found, 64)
    marks = " .:-=+*#%@"
    most = max(1, max(step.mean() for step in steps))
    print("".join(marks[int(step.mean() / most * (len(marks) - 1))] for step in steps))


if __name__ == "__main__":
    main(*sys.argv[1:])
