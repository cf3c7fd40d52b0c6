"""Questions about the control flow of residual code: where paths meet, what certainly fails.

A *region* is code all of whose paths end in a jump to one continuation, its end, or fail.  What
lies behind the end does not belong to it: from the body of a loop, which ends where the next round
begins, control does not come back to anything in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lang import il
from lang.ilutil import Free, blocks

ENDING = frozenset({"error", "raise"})
"""Operations that never return."""


class Regions:
    """The continuations of a program by name, and where they lead."""

    def __init__(self, conts: Mapping[str, il.Cont]) -> None:
        self.conts = conts
        self.free = Free()
        self._reach: dict[tuple[str, str], frozenset[str]] = {}
        self._exits: dict[il.Block, frozenset[str]] = {}
        self._fails: dict[il.Block, bool] = {}

    def fails(self, block: il.Block) -> bool:
        """Whether the block certainly fails."""
        found = self._fails.get(block)
        if found is None:
            self._fails[block] = False  # for a path that comes back here
            found = self._fails[block] = self._certainly_fails(block)
        return found

    def _certainly_fails(self, block: il.Block) -> bool:
        seen: set[str] = set()
        while True:
            if any(isinstance(b, il.Let) and b.op in ENDING for b in block.bindings):
                return True
            match block.tail:
                case il.If(_, then, otherwise):
                    return self.fails(then) and self.fails(otherwise)
                case il.Jump(cont) if cont in self.conts and cont not in seen:
                    seen.add(cont)
                    block = self.conts[cont].body
                case _:
                    return False

    def exits(self, block: il.Block) -> frozenset[str]:
        """The continuations that a block jumps to and does not bind, on paths that do not fail."""
        known = self._exits.get(block)
        if known is None:
            known = self._exits[block] = self._find_exits(block)
        return known

    def _find_exits(self, block: il.Block) -> frozenset[str]:
        if self.fails(block):
            return frozenset()
        match block.tail:
            case il.If(_, then, otherwise):
                found = self.exits(then) | self.exits(otherwise)
            case il.Jump(cont) | il.Call(cont=cont):
                found = frozenset({cont})
        own = {c.name for b in block.bindings if isinstance(b, il.Conts) for c in b.conts}
        return self._outside(found, own)

    def _outside(self, found: frozenset[str], own: set[str]) -> frozenset[str]:
        """The continuations, those of the block itself replaced by where they lead."""
        result: set[str] = set()
        seen: set[str] = set()
        work = list(found)
        while work:
            name = work.pop()
            if name not in own:
                result.add(name)
            elif name not in seen:
                seen.add(name)
                work += self.exits(self.conts[name].body)
        return frozenset(result)

    def reach(self, name: str, end: str) -> frozenset[str]:
        """The continuations that control may come to from one, in any number of steps, in a region
        that ends in `end`."""
        found = self._reach.get((name, end))
        if found is None:
            seen: set[str] = set()
            work = [name]
            while work:
                name_there = work.pop()
                cont = self.conts.get(name_there)
                if cont is not None and name_there != end:
                    new = self.exits(cont.body) - seen
                    seen |= new
                    work += new
            found = self._reach[name, end] = frozenset(seen)
        return found

    def is_loop(self, name: str, end: str) -> bool:
        """Whether control may come back to a continuation within a region."""
        return name in self.reach(name, end)

    def leads_to(self, block: il.Block, name: str, end: str) -> bool:
        """Whether control may come from a block to a continuation within a region."""
        exits = self.exits(block)
        return name in exits or any(name in self.reach(other, end) for other in exits)

    def meeting(self, tail: il.If, end: str) -> str:
        """The first continuation that both arms of a conditional come to, within a region that
        ends in `end`."""
        found = set(self.exits(tail.then) | self.exits(tail.otherwise))
        while len(found) > 1:
            inner = [
                n for n in found if n != end and any(m in self.reach(n, end) for m in found - {n})
            ]
            name = sorted(inner or found - {end})[0]
            found.discard(name)
            found |= self.exits(self.conts[name].body) - {name}
        return found.pop() if found else end

    def code_between(self, start: il.Block, name: str, end: str) -> Iterator[il.Block]:
        """All blocks from `start` on from which control may come to a continuation, in a region."""
        seen: set[str] = {name}
        work = [start]
        while work:
            for block in blocks(work.pop()):
                yield block
                if isinstance(block.tail, il.If):
                    continue
                other = block.tail.cont
                if other in self.conts and other not in seen and name in self.reach(other, end):
                    seen.add(other)
                    work.append(self.conts[other].body)
