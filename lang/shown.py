"""What `repr` shows of large things: a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST: Final = 5
"""Names that are listed."""

WIDTH: Final = 60
"""Characters of a text that are shown."""


def listed(names: Sequence[str], nothing: str = "nothing") -> str:
    """The first names, and how many more there are."""
    if not names:
        return nothing
    shown = ", ".join(brief(name) for name in names[:MOST])
    more = len(names) - MOST
    return f"{shown} and {more:,} more" if more > 0 else shown


def brief(text: str, width: int = WIDTH) -> str:
    """A text, cut if it is long."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def counted(count: int, noun: str) -> str:
    """So many of something."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
