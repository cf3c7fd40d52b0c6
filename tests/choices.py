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


class Stream(random.Random):
    """Numbers in [0, 1) that are written down, or read again: the first are `given`, then come
    those of the seed, or zeros if there is none.

    Everything that `random.Random` offers is made of `random()` here, so what is chosen depends on
    the numbers alone, and shorter or smaller numbers are a smaller program.
    """

    def __new__(cls, seed: int | None, given: Sequence[float] = ()) -> Stream:
        return super().__new__(cls, 0)

    def __init__(self, seed: int | None, given: Sequence[float] = ()) -> None:
        super().__init__(0)
        self.taken: list[float] = []
        self._given = iter(given)
        self._more = None if seed is None else random.Random(seed)

    def random(self) -> float:
        number = next(self._given, None)
        if number is None:
            number = 0.0 if self._more is None else self._more.random()
        self.taken.append(number)
        return number


class Seeded:
    """The choices of a seed, or of a stream."""

    def __init__(self, source: int | Stream) -> None:
        self._random = (Stream(source) if isinstance(source, int) else source).random

    def integer(self, least: int, most: int) -> int:
        return least + int(self._random() * (most - least + 1))

    def boolean(self) -> bool:
        return self._random() < 0.5

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]
