"""Makes the demo inputs from freely licensed originals; README.md says where those come from.

    python make.py wav24 SOUND OUT.wav      any sound file → PCM WAV, 24 bits a sample
    python make.py raw12 PICTURE OUT.raw12  photograph → Bayer mosaic (RGGB), linear light, 12 bits
                                            a sample, packed without gaps, low bits first
    python make.py ppm PICTURE OUT.ppm      photograph → binary PPM, 8-bit RGB

Needs NumPy, Pillow, and for sounds the package `soundfile`.  Pictures are cropped to a width
that is a multiple of 16.
"""

from __future__ import annotations

import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image


def write_wav24(source: Path, target: Path) -> None:
    """Decode a sound to 24-bit samples in [-2^23, 2^23)."""
    import soundfile

    samples, rate = soundfile.read(source, dtype="float64", always_2d=True)
    integers = np.clip(np.round(samples * 2**23), -(2**23), 2**23 - 1).astype("<i4")
    with wave.open(str(target), "wb") as out:
        out.setnchannels(integers.shape[1])
        out.setsampwidth(3)
        out.setframerate(rate)
        out.writeframes(integers.reshape(-1, 1).view(np.uint8)[:, :3].tobytes())


def read_picture(source: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The picture as (height, width, 3), the width cropped to a multiple of 16."""
    picture = np.asarray(Image.open(source).convert("RGB"))
    return picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 16 * 16]


def write_raw12(source: Path, target: Path) -> None:
    """Undo the sRGB curve, keep one colour a pixel as a sensor does, quantize to 12 bits, pack."""
    picture = read_picture(source) / 255.0
    linear = np.where(picture <= 0.04045, picture / 12.92, ((picture + 0.055) / 1.055) ** 2.4)
    mosaic = np.empty(picture.shape[:2])
    for row, column, colour in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)):
        mosaic[row::2, column::2] = linear[row::2, column::2, colour]
    samples = np.round(mosaic * 4095).astype(np.uint16).reshape(-1, 2)
    packed = np.empty((len(samples), 3), np.uint8)
    packed[:, 0] = samples[:, 0] & 255
    packed[:, 1] = samples[:, 0] >> 8 | (samples[:, 1] & 15) << 4
    packed[:, 2] = samples[:, 1] >> 4
    target.write_bytes(packed.tobytes())
    print(f"{mosaic.shape[1]} x {mosaic.shape[0]} samples")


def write_ppm(source: Path, target: Path) -> None:
    Image.fromarray(read_picture(source)).save(target)


WRITERS = {"wav24": write_wav24, "raw12": write_raw12, "ppm": write_ppm}


def main(arguments: list[str]) -> int:
    if len(arguments) != 3 or arguments[0] not in WRITERS:
        print(__doc__, file=sys.stderr)
        return 2
    kind, source, target = arguments
    WRITERS[kind](Path(source), Path(target))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
