"""Work lists whose items are looked at once each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


def each_once(waiting: list[T], seen: set[T] | None = None) -> Iterator[T]:
    """What waits, the last first, each item once; more may be put there meanwhile.

    The items are taken from the list.  Those that are in `seen` are passed over, and those that
    are given are put there.

        waiting = [root]
        for node in each_once(waiting):
            waiting.extend(node.operands)
    """
    if seen is None:
        seen = set()
    while waiting:
        item = waiting.pop()
        if item not in seen:
            seen.add(item)
            yield item
