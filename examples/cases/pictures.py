"""A camera's frame of 12 bits is developed to a PNG of half the size, in one pass: black level,
white balance, colours of each square of four sensors, gamma curve, and a histogram.

    python examples/cases/pictures.py [FRAME.raw WIDTH OUT.png]

The frame is RAW12: two sensors in three bytes; rows alternate red, green and green, blue.  Without
a frame it makes one.
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

import numpy as np

import cogen
from cogen import signals

BITS = 8
"""The bits behind the point of gains."""

BLACK = 64
GAINS = round(1.9 * 2**BITS), 2**BITS, round(1.5 * 2**BITS)
"""Of red, green and blue."""

GAMMA = np.rint((np.arange(4096) / 4095) ** (1 / 2.2) * 255).astype(np.uint8)


@cogen.stage
def develop(
    raw: cogen.packed("raw12"), width: cogen.static, table, black, gains: cogen.static = GAINS
):
    """The colours of half as many rows and columns, as bytes, and how often each green occurs."""
    assert len(table) == 4096
    half, height = width // 2, len(raw) // (2 * width)

    def look(value, gain):
        return table[np.clip((value - black) * gain >> BITS, 0, 4095)]

    def pixel(k):
        row, column = k // half, k % half
        at = 2 * width * row + 2 * column
        green = (raw[at + 1] + raw[at + width]) >> 1
        return look(raw[at], gains[0]), look(green, gains[1]), look(raw[at + width + 1], gains[2])

    colours = cogen.map(pixel, np.arange(height * half))
    green = colours[1]
    histogram = cogen.bucket_reduce(lambda a, b: a + b, 0, 256, green, np.ones_like(green))
    return cogen.store("u8u8u8", colours), histogram


def png(colours: bytes, width: int) -> bytes:
    """Red, green and blue of 8 bits as a file."""
    rows = np.frombuffer(colours, np.uint8).reshape(-1, 3 * width)
    filtered = np.pad(rows, ((0, 0), (1, 0)))

    def chunk(name: bytes, data: bytes) -> bytes:
        end = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + end

    head = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def example(width: int = 512, height: int = 256) -> bytes:
    """A frame: colours that change along both directions, and noise."""
    y, x = np.mgrid[:height, :width]
    red, green = x / width, y / height
    colour = np.where(y % 2 == 0, np.where(x % 2 == 0, red / 1.9, green), green)
    colour = np.where((y % 2 == 1) & (x % 2 == 1), (1 - red) / 1.5, colour)
    noise = np.random.default_rng(4).normal(0, 12, (height, width))
    values = np.clip(BLACK + colour**2.2 * 3900 + noise, 0, 4095).astype(int)
    return bytes(signals.pack(values.ravel(), "raw12"))


def main(path: str | None = None, width: str = "512", target: str | None = None) -> None:
    """Develop a frame, or the example."""
    frame = Path(path).read_bytes() if path else example()
    colours, histogram = develop(frame, int(width), GAMMA, BLACK)
    file = png(colours, int(width) // 2)
    if target:
        Path(target).write_bytes(file)
    print(f"{len(frame):,} bytes of RAW12, {len(file):,} bytes of PNG")
    levels = histogram.reshape(64, 4).sum(axis=1)
    print("".join(" .:-=+*#%@"[int(9 * n / levels.max())] for n in levels))


if __name__ == "__main__":
    main(*sys.argv[1:])
