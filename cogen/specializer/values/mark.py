"""Calls that later ones are compared with, to find an endless loop without a conditional."""

from __future__ import annotations

from typing import Any

from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.domain import Closure, Frame, Static
from cogen.specializer.values.freeze import Lifted, Store


class CallMark:
    """A call that was unfolded: later ones are compared with it (Brent's cycle finding: the mark
    moves at powers of two).

    The state it was made in is kept, and its key found when another call's is compared with it: of
    a recursion a call waits for all before, and a key says what each of them knows."""

    __slots__ = ("arguments", "closure", "key", "lifted", "size", "store")

    def __init__(
        self, closure: Closure, arguments: Arguments, size: int, store: Store, lifted: Lifted
    ) -> None:
        self.closure = closure
        self.arguments = arguments
        self.size = size
        self.store = store
        self.lifted = lifted
        self.key: tuple[Any, ...] | None = None

    def resembles(self, closure: Closure, arguments: Arguments) -> bool:
        """Whether the states could be equal: a quick look before keys are compared."""
        k, mine = arguments.continuation, self.arguments.continuation
        if closure.function is not self.closure.function or type(k) is not type(mine):
            return False
        both = type(k) is Frame and type(mine) is Frame
        if both and (k.cont is not mine.cont or _depth(k) != _depth(mine)):  # type: ignore[union-attr,arg-type]
            return False
        for value, old in zip(arguments.values, self.arguments.values, strict=True):
            if type(value) is Static and type(old) is Static and value.datum is not old.datum:
                return type(value.datum) is int and value.datum == old.datum
        return True


def _depth(k: Frame) -> int:
    """How many calls wait for each other there."""
    return -1 if k.activation is None else k.activation.depth
