"""A photograph in black and white, one bit for each pixel.

    python dither.py [FOLDER]

The processors are written once, for any samples; they are specialized to bytes in and bits out,
and to the matrix of thresholds.  It writes dither.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cogen
from cogen import signals

PHOTOGRAPH = Path(__file__).resolve().parents[1] / "data" / "coffee.ppm"

PROGRAM = cogen.loads("""
(import (signals))

(define (grey colours greys)
  (signal-grey! (signal-channel colours 0 3)
                (signal-channel colours 1 3)
                (signal-channel colours 2 3)
                greys))

(define (dither greys bits)
  (image-dither! greys bits (bayer-matrix 3)))
""")


def main(folder: Path) -> list[Path]:
    """Make the picture; where it is."""
    photograph = signals.read_picture(PHOTOGRAPH)
    grey = signals.compile(PROGRAM, "grey", "rgb24", signals.Out("u8"))
    greys, bits = (signals.Rows(layout, photograph.width) for layout in ("u8", "mask-msb"))
    dither = signals.compile(PROGRAM, "dither", greys, signals.Out(bits))
    mask = dither(grey(photograph.data))
    picture = signals.Picture(mask, signals.layout("mask-msb"), photograph.width)
    path = folder / "dither.png"
    signals.write_picture(path, picture)
    return [path]


if __name__ == "__main__":
    print(*main(Path(sys.argv[1] if sys.argv[1:] else ".")), sep="\n")
