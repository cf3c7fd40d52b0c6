"""24-bit sound through a low pass to 16 bits, and the spectra before and behind it.

    python muffled.py [FOLDER]

The filter's taps are known: the loop reads the packed bytes of the file, multiplies by constants
and stores packed bytes.  It writes muffled.wav and muffled.png, for which it needs matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import cogen
from cogen import signals

CHIME = Path(__file__).resolve().parents[1] / "data" / "chime.wav"
COUNT = 31

PROGRAM = cogen.loads("""
(import (signals))

(define (low-pass in out taps)
  (signal-fir! (signal-channel in 0 2) (signal-channel out 0 2) taps 20)
  (signal-fir! (signal-channel in 1 2) (signal-channel out 1 2) taps 20))
""")


def taps(cutoff: float) -> list[int]:
    """The taps of a low pass, in parts of 2 to the power of 12."""
    k = np.arange(COUNT) - COUNT // 2
    ideal = 2 * cutoff * np.sinc(2 * cutoff * k) * np.hamming(COUNT)
    return [round(x) for x in ideal / ideal.sum() * 2**12]


def plot(path: Path, rate: int, parts: dict[str, np.ndarray]) -> None:
    """The spectra of sounds, in decibels."""
    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    for name, samples in parts.items():
        spectrum = np.abs(np.fft.rfft(samples[:, 0] * np.hanning(len(samples)), 2**16))
        level = 20 * np.log10(spectrum.reshape(-1)[:-1].reshape(-1, 128).max(axis=1) + 1)
        axes.plot(np.linspace(0, rate / 2000, len(level)), level, label=name)
    axes.set(xlabel="kHz", ylabel="dB")
    axes.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main(folder: Path) -> list[Path]:
    """Make the sound and the plot; where they are."""
    chime = signals.read_sound(CHIME)
    fine, coarse = (signals.layout(name, channels=2) for name in ("pcm24le", "pcm16le"))
    known = cogen.static(taps(4000 / chime.rate))
    low_pass = signals.compile(PROGRAM, "low-pass", fine, signals.Out(coarse), known)
    found = low_pass(chime.data)
    sound, spectra = folder / "muffled.wav", folder / "muffled.png"
    signals.write_sound(sound, signals.Sound(found, coarse, chime.rate))
    before, behind = signals.unpack(chime.data, fine) / 256, signals.unpack(found, coarse)
    plot(spectra, chime.rate, {"chime.wav": before, "muffled.wav": behind})
    return [sound, spectra]


if __name__ == "__main__":
    print(*main(Path(sys.argv[1] if sys.argv[1:] else ".")), sep="\n")
