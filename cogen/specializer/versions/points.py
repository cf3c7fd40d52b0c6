"""Points of an interpreted program that a run goes back to: known numbers among data of the run.

A machine puts the address to return to on its stack, a vector with numbers of the run beside it.
Advice (`advice.returns`) marks what is such a number where it is kept (`%point`), and where one
that comes from there says how to go on (`%one-of`): there is an arm for each point that has been
kept, and one that fails for what is none.  That nothing gets to the last is shown afterwards
(`passes.comeback`), or the specialization comes to nothing.

Points are found on the way: where one is new, the blocks that have asked are made again.
"""

from __future__ import annotations

from typing import Final

from cogen.specializer.versions.effort import TooMuch
from cogen.specializer.versions.memo import ResidualBlock, Restart
from cogen.specializer.versions.worklist import Worklist

MOST_POINTS: Final = 400


class Points:
    """The points of one specialization; `tests` are the variables that tell in residual code which
    of them something is, `failing` the operations where it is none."""

    def __init__(self, worklist: Worklist) -> None:
        self._worklist = worklist
        self._kept: dict[int, None] = {}
        self._asking: dict[ResidualBlock, None] = {}
        self.tests: set[str] = set()
        self.failing: set[str] = set()

    def keep(self, block: ResidualBlock, number: int) -> None:
        """A block's code keeps a number, to go on there later."""
        if number in self._kept:
            return
        if len(self._kept) >= MOST_POINTS:
            raise TooMuch
        self._kept[number] = None
        self._worklist.make_again(self._asking, block)
        if block in self._asking:
            raise Restart(block)

    def kept(self, block: ResidualBlock) -> list[int]:
        """The numbers that have been kept, for a block that asks which of them something is."""
        self._asking[block] = None
        return list(self._kept)
