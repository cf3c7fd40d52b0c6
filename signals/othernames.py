"""Names of layouts in other packages: NumPy's, ffmpeg's, ALSA's, SigMF's, UHD's.

int16 uint12 float32be     elements of arrays; of any number of bits, in little order, or `be`
s24le u12be f32le pcm_s24le   ffmpeg's and SoX's: samples side by side, in that order
S16_LE S24_LE S24_3LE      ALSA's: samples in the low bits of elements of 8, 16 or 32 bits, or of
                           as many bytes as are named
ci16_le cf32_be cu8 ri16_le   SigMF's: I and Q (`r`: samples alone) of any number of bits, in little
                           order if nothing is said; so, without the `_`, `cs14be`, `cu4`, `cf64`
sc16 fc32                  UHD's: I and Q of 8, 16, 32 or 64 bits
"""

from __future__ import annotations

import re
from typing import Final

from cogen.signals.layout import Layout
from cogen.signals.pattern import Order

_NUMPY: Final = re.compile(r"(int|uint|float)([0-9]+)(le|be|)")
_FFMPEG: Final = re.compile(r"(?:pcm_)?([suf])([0-9]+)(le|be)|pcm_([su])(8)()")
_ALSA: Final = re.compile(r"([SU])([0-9]+)_(3?)([LB]E)")
_SIGMF: Final = re.compile(r"([cr])([isuf])([0-9]+)(?:_?(le|be))?")
_UHD: Final = re.compile(r"([sf])c(8|16|32|64)")

_ELEMENTS: Final = (8, 16, 32, 64)


def named_otherwise(name: str) -> Layout | None:
    """The layout that has such a name elsewhere; None if there is none.  CogenError for more bits
    than a sample can have."""
    lower = name.lower()
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
    if found := _SIGMF.fullmatch(lower):
        return Layout(
            int(found[3]),
            order=_order(found[4]),
            signed=found[2] in "is",
            float=found[2] == "f",
            channels=2 if found[1] == "c" else 1,
        )
    if found := _UHD.fullmatch(lower):
        return Layout(int(found[2]), signed=found[1] == "s", float=found[1] == "f", channels=2)
    return None


def has_i_and_q(name: str) -> bool:
    """Whether it is such a name of complex numbers."""
    found = _SIGMF.fullmatch(name.lower())
    return _UHD.fullmatch(name.lower()) is not None or (found is not None and found[1] == "c")


def _order(text: str | None) -> Order:
    return "big" if text == "be" else "little"
