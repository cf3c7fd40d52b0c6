"""What the expander asks of the libraries that can be imported (`lang.libraries`)."""

from __future__ import annotations

from typing import Protocol

from cogen.lang.syntax import Syntax


class Offered(Protocol):
    """The libraries there are."""

    def has(self, name: Syntax) -> bool:
        """Whether there is a library of that name; CogenError if it is none."""

    def offering(self, name: str) -> str | None:
        """A library that offers a name, as one writes it."""
