"""What an array program is told, however it is run, when it takes too much of the machine."""

from __future__ import annotations

from typing import Final

from cogen.lang.errors import CogenError, LimitationError, Span

OUT_OF_MEMORY: Final = "out of memory"
TOO_DEEP: Final = "calls are nested too deeply"


def out_of_memory(span: Span | None) -> CogenError:
    """There is no memory for what is made at a place."""
    return CogenError(OUT_OF_MEMORY, span)


def too_deep(span: Span | None) -> LimitationError:
    """The calls of a function are nested too deeply for the stack."""
    return LimitationError(TOO_DEEP, span, "use loop, which runs in constant space")
