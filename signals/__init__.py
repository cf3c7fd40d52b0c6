"""The signal library: packed samples of any layout, in the source language and from Python.

    import signals
    pixels = signals.unpack(data, "raw12")                       # a NumPy array
    data   = signals.pack(pixels, signals.Layout(12, order="big"))
    other  = signals.convert(data, "pcm24be", "pcm16le", saturate=True)
    total  = signals.compile("sum.scm", "sum", signals.Layout(12))
    total(data)

Every error a user can cause is a `cogen.CogenError`.
"""

from signals.api import convert, pack, unpack
from signals.can import dbc
from signals.compiled import CompiledProcessor, compile
from signals.files import (
    Picture,
    Sound,
    read_picture,
    read_sound,
    write_picture,
    write_sound,
)
from signals.formats import layout, names
from signals.layout import Field, Group, Layout

DISTRIBUTION = "cogen-specializer"
"""What `cogen.foreign` looks for: a package of this name that lacks the line is not ours."""

__all__ = [
    "CompiledProcessor",
    "Field",
    "Group",
    "Layout",
    "Picture",
    "Sound",
    "compile",
    "convert",
    "dbc",
    "layout",
    "names",
    "pack",
    "read_picture",
    "read_sound",
    "unpack",
    "write_picture",
    "write_sound",
]
