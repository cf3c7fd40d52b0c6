"""Buffers of the caller's -> views of their bytes, for native and for Python code alike."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from cogen.lang.errors import CogenError

Refuse = Callable[[str, str | None], CogenError]
"""Makes the error of an argument of what is wrong with it and a hint."""


def is_buffer(value: object) -> bool:
    """Whether a value has the buffer protocol, though its buffer may be of no use."""
    try:
        memoryview(value)  # type: ignore[arg-type]  # whether it has the protocol is the question
    except TypeError:
        return False
    except (BufferError, ValueError):
        return True
    return True


def bytes_view(argument: object, refuse: Refuse) -> memoryview:
    """The bytes of a buffer that lies in one piece and holds plain data; CogenError for others."""
    if is_masked(argument):
        raise refuse("must not be masked", MASKED_HINT)
    try:
        view = memoryview(argument)  # type: ignore[arg-type]  # what has no buffer is refused
    except TypeError:
        raise refuse(
            f"must be a buffer, not {type_name(argument)}",
            "pass bytes, a bytearray, a NumPy array, or anything else with the buffer protocol",
        ) from None
    except (BufferError, ValueError) as error:
        raise refuse(f"gives no buffer: {error}", None) from None
    if not view.c_contiguous:
        raise refuse("does not lie in one piece", "pass a contiguous copy of it")
    if "O" in view.format:
        raise refuse("holds Python objects, no plain data", None)
    if view.nbytes == 0:
        return memoryview(b"" if view.readonly else bytearray())
    return view.cast("B")


def is_masked(value: object) -> bool:
    """Whether a value is a masked array of NumPy's, or its masked element."""
    masked = sys.modules.get("numpy.ma")  # whoever has made such a value has imported it
    return masked is not None and isinstance(value, masked.MaskedArray)


def refuse_masked(value: object, what: str) -> None:
    """CogenError for a masked array, alone or in lists: what is not there would be read."""
    work, seen = [value], set[int]()
    while work:
        one = work.pop()
        if is_masked(one):
            raise CogenError(f"{what} must not be masked", hint=MASKED_HINT)
        if isinstance(one, list | tuple) and id(one) not in seen and "numpy.ma" in sys.modules:
            seen.add(id(one))
            work += [part for part in one if not isinstance(part, int | float | str)]


MASKED_HINT: Final = "x.filled(value) gives an array without a mask, x.compressed() leaves out"


def type_name(value: object) -> str:
    """The type of a value as messages name it: `an int`."""
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"
