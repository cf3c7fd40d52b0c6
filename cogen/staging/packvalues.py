"""Packed samples in staged functions: parameters and results whose bytes are in a layout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedscalars import Staged
from cogen.staging.tracer import tracing


@dataclass(frozen=True, slots=True)
class PackedResult:
    """A result that is stored packed: samples, their layout, and what becomes of values out of
    range."""

    layout: Any
    values: Any
    fit: str

    def arrays(self, storage: Any) -> list[Any]:
        """The samples, field by field."""
        if isinstance(self.values, Records):
            return [self.values[name] for name in storage.names]
        return list(self.values) if isinstance(self.values, tuple) else [self.values]


def store(layout: Any, array: Any, wrap: bool = False, saturate: bool = False) -> Any:
    """The bytes that samples are in a layout of `cogen.signals`.

    In a staged function, for results: the loop that computes the samples stores them.  Values out
    of range are a CogenError, keep their low bits with `wrap`, or become the nearest that there is
    with `saturate`.  Reals are stored by layouts of floats, or with a scale.
    """
    if wrap and saturate:
        raise CogenError("values out of range are wrapped or saturated, not both")
    fit = "wrap" if wrap else "saturate" if saturate else "check"
    if tracing() is not None or isinstance(array, Staged):
        return PackedResult(layout, array, fit)
    signals = import_module("cogen.signals")
    return bytes(signals.pack(np.asarray(array), layout, wrap=wrap, saturate=saturate))


def layout_text(layout: Any) -> str:
    """A text that means a layout.  CogenError for one that no text writes, and for what is none."""
    if isinstance(layout, str):
        return layout
    signals = import_module("cogen.signals")
    if isinstance(layout, np.dtype) or (
        isinstance(layout, type) and issubclass(layout, np.generic)
    ):
        layout = import_module("cogen.signals.formats").to_layout(layout)
    if isinstance(layout, signals.Group | signals.Layout):
        text = _written(layout)
        if text is not None:
            return text
    if isinstance(layout, signals.Rows):
        hint = (
            f"take the layout of a row, and write a.reshape(-1, {layout.width}) in the function; "
            "of rows with padding, pass what signals.unpack gives"
        )
    else:
        hint = "such as u12 or raw10; `cogen signal formats` lists those with names"
    raise CogenError(f"a layout is written as a string, not {shown(layout)}", hint=hint)


@cache
def _written(layout: Any) -> str | None:
    """The text of a layout or a group; None if there is none."""
    signals = import_module("cogen.signals")
    writings = _of_group if isinstance(layout, signals.Group) else _of_layout
    for text in writings(layout, signals):
        with suppress(CogenError):
            if signals.layout(text) == layout:
                return text
    return None


def _of_layout(layout: Any, _: Any) -> Iterator[str]:
    words = [f"size={layout.size}"]
    for name in ("stride", "offset", "order", "channels", "scale"):
        value = getattr(layout, name, None)
        if value is not None:
            words.append(f"{name}={value}")
    for name in ("signed", "float"):
        if getattr(layout, name, False):
            words.append(name)
    yield ",".join(words)


def _of_group(group: Any, signals: Any) -> Iterator[str]:
    """A name that the group may have, and what its fields are if they follow each other."""
    yield from signals.names()
    kinds = ["f" if one.float else "s" if one.signed else "u" for one in group.fields]
    sizes = [sum(size for _, size in one.pieces) for one in group.fields]
    yield "".join(f"{kind}{size}" for kind, size in zip(kinds, sizes, strict=True))
