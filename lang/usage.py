"""How a piece of IL uses its names: what its translation to Python decides by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cogen.lang import il
from cogen.lang.ilutil import blocks


class Usage:
    """Counts over a block and all blocks inside it.

    `jumps`      by continuation: the jumps to it, and two for each call that returns to it
    `uses`       by variable: how often it is mentioned as an operand or a test
    `tail_calls` names of a procedure and a continuation: the one is called with the other
    """

    def __init__(self, root: il.Block) -> None:
        self.jumps: Counter[str] = Counter()
        self.uses: Counter[str] = Counter()
        self.tail_calls: set[tuple[str, str]] = set()
        for block in blocks(root):
            for binding in block.bindings:
                if isinstance(binding, il.Let):
                    self._use(binding.arguments)
            self._tail(block.tail)

    def _tail(self, tail: il.Tail) -> None:
        match tail:
            case il.If(test):
                self._use((test,))
            case il.Jump(cont, arguments):
                self.jumps[cont] += 1
                self._use(arguments)
            case il.Call(function, arguments, cont):
                self.jumps[cont] += 2
                self._use((function, *arguments))
                if isinstance(function, il.Var | il.Global):
                    self.tail_calls.add((function.name, cont))

    def _use(self, atoms: Sequence[il.Atom]) -> None:
        for atom in atoms:
            if isinstance(atom, il.Var):
                self.uses[atom.name] += 1
