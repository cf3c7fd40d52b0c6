"""The signal library: packed samples of any layout, in the source language and from Python.

    from cogen import signals
    pixels = signals.unpack(data, "raw12")                       # a NumPy array
    frame  = signals.unpack(data, signals.Rows("raw12", 1920, pitch=2944))     # (height, 1920)
    data   = signals.pack(pixels, signals.Layout(12, order="big"))
    other  = signals.convert(data, "pcm24be", "pcm16le", saturate=True)
    total  = signals.compile("sum.scm", "sum", signals.Layout(12))
    total(data)

Every error a user can cause is a `cogen.CogenError`.  Only layouts are imported at once, which
need no NumPy; everything else when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cogen.signals.formats import layout, names
from cogen.signals.layout import Field, Group, Layout

if TYPE_CHECKING:
    from cogen.signals.canfiles import can_database, dbc
    from cogen.signals.canids import j1939, j1939_id
    from cogen.signals.canlog import CanLog, read_can_log
    from cogen.signals.cantransport import j1939_transport
    from cogen.signals.columnar import Columns, columns
    from cogen.signals.compiled import CompiledProcessor, compile
    from cogen.signals.converting import convert
    from cogen.signals.files import (
        Picture,
        Sound,
        read_picture,
        read_sound,
        write_picture,
        write_sound,
    )
    from cogen.signals.outputs import Out
    from cogen.signals.packing import pack
    from cogen.signals.pipeline import Stream, stream
    from cogen.signals.rows import Rows, planes
    from cogen.signals.unpacking import unpack

_LATER = {
    "CanLog": "canlog",
    "Columns": "columnar",
    "CompiledProcessor": "compiled",
    "Out": "outputs",
    "Picture": "files",
    "Rows": "rows",
    "Sound": "files",
    "Stream": "pipeline",
    "can_database": "canfiles",
    "columns": "columnar",
    "compile": "compiled",
    "convert": "converting",
    "dbc": "canfiles",
    "j1939": "canids",
    "j1939_id": "canids",
    "j1939_transport": "cantransport",
    "pack": "packing",
    "planes": "rows",
    "read_can_log": "canlog",
    "read_picture": "files",
    "read_sound": "files",
    "stream": "pipeline",
    "unpack": "unpacking",
    "write_picture": "files",
    "write_sound": "files",
}
"""Names, and the modules that have them."""

__all__ = [
    "CanLog",
    "Columns",
    "CompiledProcessor",
    "Field",
    "Group",
    "Layout",
    "Out",
    "Picture",
    "Rows",
    "Sound",
    "Stream",
    "can_database",
    "columns",
    "compile",
    "convert",
    "dbc",
    "j1939",
    "j1939_id",
    "j1939_transport",
    "layout",
    "names",
    "pack",
    "planes",
    "read_can_log",
    "read_picture",
    "read_sound",
    "stream",
    "unpack",
    "write_picture",
    "write_sound",
]


def __getattr__(name: str) -> Any:
    """What is imported when it is first used."""
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"cogen.signals.{module}"), name)
    return found


def __dir__() -> list[str]:
    """What is meant for people."""
    return sorted(__all__)
