"""What is compiled, and what code that is ready to run takes and gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

from cogen.array.ir.marshal import LeafValue
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.types import Type as Layout


class Checked(Protocol):
    """A checked program (`cogen.array.programs.arrayprogram`)."""

    facts: CheckedFacts
    digest: str


Tracer = Callable[[Layout, list[LeafValue]], None]


class Native(ABC):
    """Code that is ready to run: leaves and their sizes to leaves."""

    source: str
    """The text of the code."""

    @abstractmethod
    def __call__(
        self, leaves: Sequence[LeafValue], sizes: Sequence[int], trace: Tracer
    ) -> list[LeafValue]:
        """The leaves of the result; `trace` gets traced values, with their types."""
