"""Names of layouts in other packages: NumPy's, ffmpeg's, ALSA's.

int16 uint12 float32be     elements of arrays; of any number of bits, in little order, or `be`
s24le u12be f32le pcm_s24le   ffmpeg's and SoX's: samples side by side, in that order
S16_LE S24_LE S24_3LE      ALSA's: samples in the low bits of elements of 8, 16 or 32 bits, or of
                           as many bytes as are named
"""

from __future__ import annotations

import re
from typing import Final

from cogen.signals.layout import Layout
from cogen.signals.pattern import Order

_NUMPY: Final = re.compile(r"(int|uint|float)([0-9]+)(le|be|)")
_FFMPEG: Final = re.compile(r"(?:pcm_)?([suf])([0-9]+)(le|be)|pcm_([su])(8)()")
_ALSA: Final = re.compile(r"([SU])([0-9]+)_(3?)([LB]E)")

_ELEMENTS: Final = (8, 16, 32, 64)


def named_otherwise(name: str) -> Layout | None:
    """The layout that has such a name elsewhere; None if there is none.  CogenError for more bits
    than a sample can have."""
    if found := _NUMPY.fullmatch(name) or _FFMPEG.fullmatch(name):
        kind, size, order = (part for part in found.groups() if part is not None)
        return Layout(
            int(size), order=_order(order), signed=kind in ("int", "s"), float=kind[0] == "f"
        )
    if found := _ALSA.fullmatch(name):
        size = int(found[2])
        room = 24 if found[3] else next((n for n in _ELEMENTS if n >= size), size)
        order = _order(found[4].lower())
        low = room - size if order == "big" and room > size else 0
        return Layout(size, max(room, size), low, order, signed=found[1] == "S")
    return None


def _order(text: str) -> Order:
    return "big" if text == "be" else "little"
