"""What overtakes an attempt that is under way.

    plain:   48 blocks … 400 blocks                         ->   plain:   48 blocks
    code:                            20 blocks, taken             code:             20 blocks, taken

A residual program that is not small is looked at in the end for whether a smaller one is to be had
(`cogen.specializer.specialize`).  That it will not be small is known long before the end.  So the
question is asked then, between two blocks, while the attempt waits; it is given up as soon as it
has come to much more than its rival.  So is what is tried because it may be smaller than what was
found, as soon as it has come to as much.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import blocks
from cogen.residual import ResidualProgram
from cogen.specializer.specialization import Specializer
from cogen.specializer.versions.effort import MUCH, TooMuch, size_of_program

SHRINKS: Final = 2.0
"""So many times as large as in the end a residual program may be before it is cleaned."""

MORE: Final = 1.25
"""After so many times as many versions it is looked again how far an attempt has come."""


class Overtaken(TooMuch):
    """A much smaller residual program is there: the one that the attempt has asked for."""


class Rivals:
    """Watches attempts that may have a rival: `ask` looks for it, once, with the specializer of the
    attempt, when that has so `many` blocks."""

    def __init__(self, many: float, ask: Callable[[Specializer], ResidualProgram | None]) -> None:
        self._many = many
        self._ask: Callable[[Specializer], ResidualProgram | None] | None = ask
        self._size = 0.0
        """Of so many operations, an attempt is given up."""

    def watch(self, specializer: Specializer) -> int:
        """Look how far an attempt has come; after so many versions it is to be looked again.
        Raises `Overtaken`."""
        versions = specializer.context.limits.versions
        made = made_by(specializer)
        if len(made) < self._many:
            return versions + int(self._many) - len(made)
        if self._ask is not None:
            ask, self._ask = self._ask, None
            found = ask(specializer)
            self._size = (
                sys.maxsize if found is None else SHRINKS * MUCH * size_of_program(found.program)
            )
        if self._size == sys.maxsize:
            return sys.maxsize
        if size_of_raw(made) >= self._size:
            raise Overtaken
        return int(MORE * versions)


class Outgrown(TooMuch):
    """What an attempt leads to will not be as much smaller as it is to be."""


class Challenge:
    """Watches attempts that are to lead to a residual program that is so `much` smaller than what
    a specializer has made: as large before cleaning, it will not be.  Where it need only be a
    little smaller, what is cleaned away may be more than that."""

    def __init__(self, found: Specializer, much: float) -> None:
        self._most = size_of_raw(made_by(found))
        if much < MUCH:
            self._most = int(SHRINKS * self._most)

    def watch(self, specializer: Specializer) -> int:
        """Look how far an attempt has come; after so many versions it is to be looked again.
        Raises `Outgrown`."""
        self.judge(specializer)
        return int(MORE * specializer.context.limits.versions)

    def judge(self, specializer: Specializer) -> None:
        """Look at what an attempt has come to. Raises `Outgrown`."""
        if size_of_raw(made_by(specializer)) >= self._most:
            raise Outgrown


def made_by(specializer: Specializer) -> list[il.Block]:
    """The residual blocks that a specializer has made so far, before they are cleaned."""
    return [block.raw.body for block in specializer.residual_blocks if block.raw.body]


def size_of_raw(made: Iterable[il.Block]) -> int:
    """The operations, calls and jumps of residual blocks."""
    return sum(len(b.bindings) + 1 for body in made for b in blocks(body))
