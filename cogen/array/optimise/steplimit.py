"""Counts the steps of optimisations, so that the one that is wrong can be found by bisection
(`cogen dev bisect`)."""

from __future__ import annotations


class Steps:
    """Counts the steps of all optimisations; after `limit` of them nothing is done any more."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.names: list[str] = []
        """What was done, in order."""

    @property
    def count(self) -> int:
        """How many steps were made."""
        return len(self.names)

    @property
    def left(self) -> int | None:
        """How many steps may still be made; None where there is no limit."""
        return None if self.limit is None else max(0, self.limit - self.count)

    def take(self, name: str) -> bool:
        """Count a step of that name, if it may be made."""
        if self.limit is not None and self.count >= self.limit:
            return False
        self.names.append(name)
        return True
