"""Functions of Python's library, in Python: they are staged like people's own, in the place of
those that are written in C and would not see what only a run knows.

heapq.heappush(h, x)    the same elements in the same order as Python's: CPython's Lib/heapq.py
bisect.bisect_left      binary search
collections.deque       a list, and where it begins
"""

from __future__ import annotations

import bisect
import heapq
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from cogen.staging.sourceplaces import cannot

CALL: Final[list[Callable[..., Any]]] = []
"""What calls a function in staged code; set where it is."""

# Heaps.


def _down(heap: Any, start: Any, at: Any) -> None:
    """Move an element towards the root, as far as it belongs."""
    new = heap[at]
    while at > start and new < heap[(at - 1) // 2]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = new


def _up(heap: Any, at: Any) -> None:
    """Move the lesser children up until a leaf is free, and put the element there."""
    end, start, new = len(heap), at, heap[at]
    child = 2 * at + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child += 1
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = new
    _down(heap, start, at)


def heappush(heap: Any, x: Any) -> None:
    """`heapq.heappush`."""
    heap.append(x)
    _down(heap, 0, len(heap) - 1)


def heappop(heap: Any) -> Any:
    """`heapq.heappop`."""
    last = heap.pop()
    if len(heap) > 0:
        found = heap[0]
        heap[0] = last
        _up(heap, 0)
        return found
    return last


def heapreplace(heap: Any, x: Any) -> Any:
    """`heapq.heapreplace`."""
    found = heap[0]
    heap[0] = x
    _up(heap, 0)
    return found


def heappushpop(heap: Any, x: Any) -> Any:
    """`heapq.heappushpop`."""
    if len(heap) > 0 and heap[0] < x:
        found = heap[0]
        heap[0] = x
        _up(heap, 0)
        return found
    return x


def heapify(heap: Any) -> None:
    """`heapq.heapify`."""
    for at in range(len(heap) // 2 - 1, -1, -1):
        _up(heap, at)


def nsmallest(n: Any, values: Any, key: Any = None) -> Any:
    """`heapq.nsmallest`."""
    return sorted(values, key=key)[: max(n, 0)]


def nlargest(n: Any, values: Any, key: Any = None) -> Any:
    """`heapq.nlargest`."""
    return sorted(values, key=key, reverse=True)[: max(n, 0)]


# Searching.


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_left`."""
    low, high = lo, len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            low = middle + 1
        else:
            high = middle
    return low


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_right`."""
    low, high = lo, len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            high = middle
        else:
            low = middle + 1
    return low


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """`bisect.insort_left`."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """`bisect.insort_right`."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


# Queues.


@dataclass(eq=False)
class StagedDeque:
    """A `deque`: a list, and how many of its elements were taken from the left."""

    items: Any
    taken: Any

    def append(self, x: Any) -> None:
        """`deque.append`."""
        self.items.append(x)

    def appendleft(self, x: Any) -> None:
        """`deque.appendleft`."""
        if self.taken > 0:
            self.taken -= 1
            self.items[self.taken] = x
        else:
            self.items.insert(0, x)

    def extend(self, values: Any) -> None:
        """`deque.extend`."""
        for x in values:
            self.items.append(x)

    def extendleft(self, values: Any) -> None:
        """`deque.extendleft`."""
        for x in values:
            self.appendleft(x)

    def pop(self) -> Any:
        """`deque.pop`."""
        if self.staged_length() == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop()

    def popleft(self) -> Any:
        """`deque.popleft`."""
        if self.staged_length() == 0:
            raise IndexError("pop from an empty deque")
        found = self.items[self.taken]
        self.taken += 1
        return found

    def clear(self) -> None:
        """`deque.clear`."""
        self.items.clear()
        self.taken = 0

    def at(self, index: Any) -> Any:
        """The element of an index, which may count from the end."""
        if index >= 0:
            return self.items[self.taken + index]
        if index + self.staged_length() < 0:
            raise IndexError("deque index out of range")
        return self.items[index]

    def put(self, index: Any, x: Any) -> None:
        """Assign an element."""
        if index >= 0:
            self.items[self.taken + index] = x
        else:
            self.items[index] = x

    def staged_length(self) -> Any:
        """How many elements there are."""
        return self.items.staged_length() - self.taken

    def rest(self) -> Any:
        """The elements, as a list."""
        return self.items[self.taken :]

    def __getitem__(self, index: Any) -> Any:
        return CALL[0](StagedDeque.at, self, index)

    def __setitem__(self, index: Any, x: Any) -> None:
        CALL[0](StagedDeque.put, self, index, x)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rest())


def made_deque(values: Any = (), maxlen: Any = None) -> Any:
    """`collections.deque`."""
    if maxlen is not None:
        cannot("a deque with `maxlen` is not staged", "popleft() where it is too long")
    items = []
    for x in values:
        items.append(x)
    return StagedDeque(items, 0)


# Results that are kept.


def cached(f: Any) -> Any:
    """`functools.cache(f)`: with a dictionary of what it gave."""
    kept: dict[Any, Any] = {}

    def remembered(*args: Any) -> Any:
        if args in kept:
            return kept[args]
        found = f(*args)
        kept[args] = found
        return found

    return remembered


# Lists of any lengths as elements of others (`cogen.staging.pooledlists`).


def _place(xs: Any, index: Any) -> Any:
    """Where an element lies, of an index that may count from the end."""
    size = xs.pool.sizes[xs.handle]
    if index < 0:
        index += size
    if index < 0 or index >= size:
        raise IndexError("list index out of range")
    return xs.pool.starts[xs.handle] + index


def pool_at(xs: Any, index: Any) -> Any:
    """`xs[index]`."""
    return xs.pool.data[_place(xs, index)]


def pool_put(xs: Any, index: Any, x: Any) -> None:
    """`xs[index] = x`."""
    xs.pool.data[_place(xs, index)] = x


def pool_push(xs: Any, x: Any) -> None:
    """`xs.append(x)`."""
    pool, handle = xs.pool, xs.handle
    size, start = pool.sizes[handle], pool.starts[handle]
    if size == pool.rooms[handle]:
        end = len(pool.data)
        room = 4 if size < 2 else 2 * size
        for k in range(room):
            pool.data.append(pool.data[start + k] if k < size else x)
        pool.starts[handle] = end
        pool.rooms[handle] = room
    else:
        pool.data[start + size] = x
    pool.sizes[handle] = size + 1


def pool_extend(xs: Any, values: Any) -> None:
    """`xs.extend(values)`."""
    for x in list(values):
        pool_push(xs, x)


def pool_pop(xs: Any) -> Any:
    """`xs.pop()`."""
    pool, handle = xs.pool, xs.handle
    size = pool.sizes[handle]
    if size == 0:
        raise IndexError("pop from empty list")
    pool.sizes[handle] = size - 1
    return pool.data[pool.starts[handle] + size - 1]


def pool_take(xs: Any, index: Any) -> Any:
    """`xs.pop(index)`."""
    pool, handle = xs.pool, xs.handle
    at = _place(xs, index)
    found = pool.data[at]
    size = pool.sizes[handle]
    for k in range(at, pool.starts[handle] + size - 1):
        pool.data[k] = pool.data[k + 1]
    pool.sizes[handle] = size - 1
    return found


def pool_insert(xs: Any, index: Any, x: Any) -> None:
    """`xs.insert(index, x)`."""
    pool, handle = xs.pool, xs.handle
    size = pool.sizes[handle]
    if index < 0:
        index = max(index + size, 0)
    index = min(index, size)
    pool_push(xs, x)
    start = pool.starts[handle]
    for k in range(size - index):
        pool.data[start + size - k] = pool.data[start + size - k - 1]
    pool.data[start + index] = x


def pool_refill(xs: Any, values: Any) -> None:
    """Other elements, as many."""
    start = xs.pool.starts[xs.handle]
    for k in range(len(values)):
        xs.pool.data[start + k] = values[k]


POOLED: Final[dict[str, Callable[..., Any]]] = {
    "at": pool_at, "put": pool_put, "push": pool_push, "extend": pool_extend, "pop": pool_pop,
    "take": pool_take, "insert": pool_insert, "refill": pool_refill,
}  # fmt: skip
"""What lists do that stand in a pool."""


LIBRARY: Final[dict[Any, Callable[..., Any]]] = {
    heapq.heappush: heappush, heapq.heappop: heappop, heapq.heapreplace: heapreplace,
    heapq.heappushpop: heappushpop, heapq.heapify: heapify, heapq.nsmallest: nsmallest,
    heapq.nlargest: nlargest, bisect.bisect_left: bisect_left, bisect.bisect_right: bisect_right,
    bisect.insort_left: insort_left,
    bisect.insort_right: insort_right, deque: made_deque,
}  # fmt: skip
"""Python's functions, and those that are staged in their place."""
