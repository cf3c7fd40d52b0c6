"""Whether the tests are run with --long, for helpers that have no request to ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")


def is_long() -> bool:
    """With --long?"""
    return settings().max_examples > 100


def some(items: Sequence[T], step: int) -> Sequence[T]:
    """One in so many every day, from the first on; all with --long."""
    return items if is_long() else items[::step]
