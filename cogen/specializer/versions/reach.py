"""Which residual blocks the entry's code leads to, kept up to date while blocks come and go.

Every reached block but a root is held by one that leads to it, so the reached blocks are a forest.
A jump that is added reaches what was not reached before; when a block is started again, what it
held alone (with all that these held) is looked at again.  So the work is that of what changes, not
of all blocks.
"""

from __future__ import annotations

from cogen.specializer.versions.memo import ResidualBlock


class Reach:
    """The reached blocks: those with `reached` set."""

    def __init__(self) -> None:
        self._roots: list[ResidualBlock] = []

    def root(self, block: ResidualBlock) -> None:
        """Code outside leads to the block."""
        self._roots.append(block)
        self._take(block, None)

    def lead(self, block: ResidualBlock, successor: ResidualBlock) -> None:
        """A block's code leads to another one."""
        block.successors.append(successor)
        successor.predecessors[block] = None
        if block.reached and not successor.reached:
            self._take(successor, block)

    def forget(self, block: ResidualBlock) -> None:
        """A block's code is given up."""
        held = [successor for successor in block.successors if successor.holder is block]
        for successor in block.successors:
            successor.predecessors.pop(block, None)
        block.successors.clear()
        lost: dict[ResidualBlock, None] = {}
        while held:
            other = held.pop()
            if other in lost:
                continue
            lost[other] = None
            held += [successor for successor in other.successors if successor.holder is other]
        for other in lost:
            other.reached, other.holder = False, None
        for other in lost:
            if not other.reached:
                holder = next((p for p in other.predecessors if p.reached), None)
                if holder is not None:
                    self._take(other, holder)

    def blocks(self) -> dict[ResidualBlock, None]:
        """The reached blocks, in order of discovery."""
        found = dict.fromkeys(self._roots)
        work = list(found)
        while work:
            for successor in work.pop().successors:
                if successor not in found:
                    found[successor] = None
                    work.append(successor)
        return found

    def _take(self, block: ResidualBlock, holder: ResidualBlock | None) -> None:
        """Reach a block, and what its code leads to."""
        block.reached, block.holder = True, holder
        work = [block]
        while work:
            block = work.pop()
            for successor in block.successors:
                if not successor.reached:
                    successor.reached, successor.holder = True, block
                    work.append(successor)
