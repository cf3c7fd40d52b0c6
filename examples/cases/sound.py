"""A recording of 24 bits is filtered, made louder, dithered and clipped to 16 bits, in one pass.

    python examples/cases/sound.py [IN.wav OUT.wav]

The function takes the bytes of the samples and gives bytes: no array of numbers is in memory.
Without files it makes a second of noise over a tone.
"""

from __future__ import annotations

import sys
import wave

import numpy as np

import cogen

RATE = 48_000
BITS = 12
"""The bits behind the point of the filter's coefficients, and of the gain."""


def low_pass(cutoff: float, count: int = 31) -> list[int]:
    """The coefficients of a low-pass filter, in parts of 2 to the power of BITS."""
    k = np.arange(count) - (count - 1) / 2
    ideal = 2 * cutoff * np.sinc(2 * cutoff * k) * np.hamming(count)
    return [round(x) for x in ideal / ideal.sum() * 2**BITS]


TAPS = low_pass(0.2)


@cogen.stage
def master(
    samples: cogen.packed("pcm24le"), noise: cogen.packed("s8"), gain, taps: cogen.static = TAPS
):
    """Filtered samples times gain / 2**BITS, plus noise of half a bit of the result."""

    def at(i):
        total = sum(tap * samples[i + k] for k, tap in enumerate(taps))
        louder = (total >> BITS) * gain >> BITS
        return (louder + noise[i] + 128) >> 8

    count = len(samples) - len(taps) + 1
    return cogen.store("pcm16le", cogen.map(at, np.arange(count)), saturate=True)


def noise_for(count: int) -> bytes:
    """Triangular noise: the difference of two random numbers."""
    random = np.random.default_rng(1).integers(0, 128, (2, count))
    return (random[0] - random[1]).astype(np.int8).tobytes()


def read(path: str) -> tuple[bytes, int]:
    """The samples of a file of one channel and 24 bits, and its rate."""
    with wave.open(path, "rb") as file:
        if file.getsampwidth() != 3 or file.getnchannels() != 1:
            raise SystemExit(f"{path} must have one channel and 24 bits")
        return file.readframes(file.getnframes()), file.getframerate()


def write(path: str, samples: bytes, rate: int) -> None:
    """Write samples of 16 bits."""
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples)


def example(count: int = RATE) -> bytes:
    """A tone and noise, as samples of 24 bits."""
    random = np.random.default_rng(2)
    sound = 0.5 * np.sin(np.arange(count) * 2 * np.pi * 440 / RATE)
    sound = sound + 0.1 * random.standard_normal(count)
    whole = np.clip(sound * 2**23, -(2**23), 2**23 - 1).astype("<i4")
    return whole.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def main(source: str | None = None, target: str | None = None) -> None:
    """Master a file, or the example."""
    samples, rate = read(source) if source else (example(), RATE)
    found = master(samples, noise_for(len(samples) // 3), round(1.5 * 2**BITS))
    if target:
        write(target, found, rate)
    print(f"{len(samples):,} bytes of 24 bits, {len(found):,} bytes of 16 bits")


if __name__ == "__main__":
    main(*sys.argv[1:])
