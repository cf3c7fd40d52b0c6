"""Where random programs get their choices from: Hypothesis, or a generator with a seed.

Hypothesis shrinks what it draws; a `Seeded` source is some fifty times faster, and its programs are
those of the seed on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices(Protocol):
    """A source of choices."""

    def integer(self, least: int, most: int) -> int:
        """An integer in [least, most]."""
        ...

    def boolean(self) -> bool:
        """Yes or no."""
        ...

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        ...


class Drawn:
    """Choices that Hypothesis draws."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def integer(self, least: int, most: int) -> int:
        return self._draw(st.integers(least, most))

    def boolean(self) -> bool:
        return self._draw(st.booleans())

    def pick(self, items: Sequence[T]) -> T:
        return self._draw(st.sampled_from(items))


class Seeded:
    """The choices of a seed: the same on every machine and in every version of Python, as they are
    made of `random.random` alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def integer(self, least: int, most: int) -> int:
        return least + int(self._random() * (most - least + 1))

    def boolean(self) -> bool:
        return self._random() < 0.5

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]
