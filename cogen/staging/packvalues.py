"""Packed samples in staged functions: parameters and results whose bytes are in a layout."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

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
    """A layout as a text.  CogenError for one that no text writes."""
    if isinstance(layout, str):
        return layout
    words = [f"size={layout.size}"]
    for name in ("stride", "offset", "order", "channels", "scale"):
        value = getattr(layout, name, None)
        if value is not None:
            words.append(f"{name}={value}")
    for name in ("signed", "float"):
        if getattr(layout, name, False):
            words.append(name)
    return ",".join(words)
