"""Counts the steps of optimisations, so that the one that is wrong can be found by bisection."""

from __future__ import annotations


class Steps:
    """Counts the steps of all optimisations; after `limit` of them nothing is done any more."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.count = 0

    @property
    def left(self) -> int | None:
        """How many steps may still be made; None where there is no limit."""
        return None if self.limit is None else max(0, self.limit - self.count)

    def take(self) -> bool:
        """Count a step, if it may be made."""
        if self.limit is not None and self.count >= self.limit:
            return False
        self.count += 1
        return True
