"""The garbage collector, paused while a pass builds what it will keep."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection inside: passes mostly allocate what stays, and walking it again
    and again takes several times as long as the pass itself."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
