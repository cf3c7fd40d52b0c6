"""What grows without end, and the place of the user's program that builds it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from cogen.lang.errors import Span


@dataclass(frozen=True)
class Cause:
    """What grows: the variable that holds it, its last values as text, what builds it (a site of
    `analyses.allocation_sites`), and the place of that in the user's program."""

    name: str
    values: tuple[str, ...]
    site: Hashable
    place: Span

    @property
    def text(self) -> str:
        """What stands at the place."""
        return self.place.source.text[self.place.start : self.place.end]
