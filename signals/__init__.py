"""The signal library: packed samples of any layout, in the source language and from Python.

    from cogen import signals
    pixels = signals.unpack(data, "raw12")                       # a NumPy array
    data   = signals.pack(pixels, signals.Layout(12, order="big"))
    other  = signals.convert(data, "pcm24be", "pcm16le", saturate=True)
    total  = signals.compile("sum.scm", "sum", signals.Layout(12))
    total(data)

Every error a user can cause is a `cogen.CogenError`.
"""

from cogen.signals.api import convert, pack, unpack
from cogen.signals.can import dbc
from cogen.signals.compiled import CompiledProcessor, compile
from cogen.signals.files import (
    Picture,
    Sound,
    read_picture,
    read_sound,
    write_picture,
    write_sound,
)
from cogen.signals.formats import layout, names
from cogen.signals.layout import Field, Group, Layout

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
