"""A frame of 12-bit samples, as a camera gives it, becomes a picture.

    python develop.py [FOLDER]

The function is written for NumPy; staged, it is one loop of C from the packed bytes of the sensor
to the bytes of the picture, without an array between.  It writes develop.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import cogen
from cogen import signals

FRAME = Path(__file__).resolve().parents[1] / "data" / "cat.raw12"
WIDTH = 448
GAMMA = np.rint((np.arange(4096) / 4095) ** (1 / 2.2) * 255).astype(np.uint8)


@cogen.stage
def develop(raw: cogen.packed(signals.Layout(12)), width: cogen.static, table):
    """The colours of each square of four sensors: red, green, green, blue."""
    assert len(table) == 4096
    half, height = width // 2, len(raw) // (2 * width)

    def pixel(k):
        at = 2 * width * (k // half) + 2 * (k % half)
        green = (raw[at + 1] + raw[at + width]) >> 1
        return table[raw[at]], table[green], table[raw[at + width + 1]]

    return cogen.store("u8u8u8", cogen.map(pixel, np.arange(height * half)))


def main(folder: Path) -> list[Path]:
    """Make the picture; where it is."""
    colours = develop(FRAME.read_bytes(), WIDTH, GAMMA)
    picture = signals.Picture(colours, signals.layout("rgb24"), WIDTH // 2)
    path = folder / "develop.png"
    signals.write_picture(path, picture)
    return [path]


if __name__ == "__main__":
    print(*main(Path(sys.argv[1] if sys.argv[1:] else ".")), sep="\n")
