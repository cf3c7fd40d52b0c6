"""The worklist of residual blocks: which are to be run, and in what order.

The deepest in calls come first, so that loops are settled before what comes after them; of these
those that came last.  A block whose code has become obsolete is given up and put in again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Final

from cogen.specializer.versions.memo import ResidualBlock
from cogen.specializer.versions.reach import Reach

FIRST: Final = 1 << 30
"""What is added to the depth of blocks that are to run before all others."""


class Worklist:
    """The blocks of one specialization; `reach` tells which of them the entry's code leads to."""

    def __init__(self) -> None:
        self.reach = Reach()
        self._queue: list[tuple[int, int, ResidualBlock]] = []
        """A heap: the deepest blocks first, of these those that came last."""
        self._turn = 0
        self._running: ResidualBlock | None = None

    def begin(self, block: ResidualBlock) -> None:
        """Begin with the block of the entry."""
        self.reach.root(block)
        self.enqueue(block)

    @property
    def waiting(self) -> int:
        """How many blocks wait for their turn, about: those that were put in again count twice."""
        return len(self._queue)

    def enqueue(self, block: ResidualBlock) -> None:
        """Have a block run, but for the one that is running and leads to itself: it does not wait,
        and what it has relied on counts."""
        if block is self._running:
            return
        self._turn += 1
        block.queued = self._turn
        depth = 0 if block.activation is None else block.activation.depth
        if block.first:
            depth += FIRST
        heappush(self._queue, (-depth, -self._turn, block))

    def give_up(self, block: ResidualBlock) -> None:
        """Forget a block's code; it is made again if it is still needed."""
        if block is self._running:
            self._running = None
        block.raw.body = None
        self.reach.forget(block)

    def make_again(
        self, blocks: Iterable[ResidualBlock], current: ResidualBlock | None = None
    ) -> None:
        """Have blocks started again that have been run; the one that is running is not."""
        for block in blocks:
            if block is not current and block.raw.body is not None:
                self.give_up(block)
                self.enqueue(block)

    def drain(self, run: Callable[[ResidualBlock], None]) -> None:
        """Run blocks until none is left.  One that nothing leads to when its turn comes is passed
        over; a block started again may lead to it later."""
        while True:
            while self._queue:
                _, number, block = heappop(self._queue)
                if block.queued != -number:
                    continue  # it was put in again
                block.queued = 0
                if block.raw.body is None and block.reached:
                    self._running = block
                    run(block)
                    self._running = None
            missing = [block for block in self.reach.blocks() if block.raw.body is None]
            if not missing:
                return
            for block in missing:
                self.enqueue(block)
