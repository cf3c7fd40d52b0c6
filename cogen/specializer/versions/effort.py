"""Effort: what a specialization may cost before something else is tried, and how small what it
gives is to be.

A residual program is mostly some times as large as the program and what is static of its input, as
long as nothing is told apart that nobody asks for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from cogen import binding_times
from cogen.binding_times import contents
from cogen.lang import il
from cogen.lang.datum import Pair, Record
from cogen.lang.ilutil import all_blocks, atoms, blocks, item_block
from cogen.lang.prelude import in_prelude

VERSIONS: Final = 3
UNFOLDINGS: Final = 20
"""So many versions of program points, and unfolded calls, for each block of code and each part of
static data are usual,"""
VALUES: Final = 64
"""So many values that it starts from, or that are compared for it, are usual for a version."""
LEAST_VERSIONS: Final = 60
LEAST_UNFOLDINGS: Final = 2000
"""and so many in any case."""
MOST_ROUNDS: Final = 1000
"""A static number may be that of rounds; of a larger one that is not to be expected."""


MANY_BLOCKS: Final = 48
"""With so many residual blocks it is asked whether there is a smaller residual program;"""

MANY_FOR_EACH: Final = 1.0
"""with so many for each part of what is static: a larger interpreted program has a larger one;"""

LEFT_FOR_EACH: Final = 0.5
"""with so many for each part, whether a piece of the interpreter is left in it;"""

TEXT_LEFT: Final = 0.25
"""or with so many of the parts among its constants: the interpreter goes through them in a run."""

SHARED_FOR_EACH: Final = 2.0
"""with fewer for each part, where calls are shared, nothing else is asked for;"""

JOINED_BLOCKS: Final = 24
"""With so many, whether there are fewer where tests of data of the run need not know what arms of
conditionals give;"""

PARTED: Final = 0.125
"""if so many of the versions are for nothing but other data that arms of conditionals gave, names
and lists among it, whether that need be known;"""

SOME_BLOCKS: Final = 8
"""with so many, where the program as it is has none."""

MUCH: Final = 1.5
"""So many times as small it is to be."""

SMALLER: Final = 1.05
"""So many times as small where nothing but tests of data of the run has less to know."""

FIRST_NOTED: Final = 512
"""After so many unfolded calls it is looked for rounds, where it is known that there is no end."""


class TooMuch(Exception):
    """More effort than is usual was spent, and there is something else to try."""


class CallsUnfolded(TooMuch):
    """More calls than is usual were unfolded."""


class VersionsGrown(TooMuch):
    """It is no use to spend more: versions grow one from another (`growth.growth`)."""


class RoundsCounted(TooMuch):
    """Numbers in a structure have counted from version to version, and may go on so."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Versions of program points, unfolded calls, and values that the versions start from or that
    are compared."""

    versions: int
    unfoldings: int
    values: int

    def within(self, other: Effort) -> bool:
        """Whether it is no more than another one."""
        return (
            self.versions <= other.versions
            and self.unfoldings <= other.unfoldings
            and self.values <= other.values
        )


ANY_EFFORT: Final = Effort(sys.maxsize, sys.maxsize, sys.maxsize)
"""As much as one likes, as long as there is something else to try."""


def usual_size(program: il.Program, bts: Iterable[binding_times.BT]) -> int:
    """The blocks of a program's own code, and the parts of what is static."""
    code, constants = _own_code(program)
    return code + size_of_data([*bts, *constants])


def usual_effort(size: int, times: int = 1) -> Effort:
    """What is usual for a program and what is static, of such a size, so many times."""
    versions = times * (VERSIONS * size + LEAST_VERSIONS)
    unfoldings = times * (UNFOLDINGS * size + LEAST_UNFOLDINGS)
    return Effort(versions, unfoldings, VALUES * versions)


def many_left(found: il.Program | None, parts: int, some: int) -> float:
    """With so many blocks it is asked whether a piece of the interpreter is left for each procedure
    of the interpreted program, of which there are so many parts; or if there is no residual program
    to be looked at for that, whether objects leave some."""
    if found is not None and size_of_data(_constants(found)) >= TEXT_LEFT * parts:
        return MANY_BLOCKS
    return max(some if found is None else MANY_BLOCKS, LEFT_FOR_EACH * parts)


@lru_cache(maxsize=8)
def _own_code(program: il.Program) -> tuple[int, tuple[Any, ...]]:
    """The blocks of the procedures that are none of the library's, and the constants of a program;
    remembered for its next specialization."""
    code = sum(
        1
        for item in program.items
        if isinstance(item, il.Define) and not in_prelude(item.function.span)
        for _ in blocks(item.function.body)
    )
    return code, tuple(_constants(program))


def size_of_program(program: il.Program) -> int:
    """The operations, calls and jumps of a program."""
    return sum(len(block.bindings) + 1 for block in all_blocks(program))


def is_of_memory(bt: binding_times.BT) -> bool:
    """Whether a binding time is that of a buffer or of an address in one."""
    match bt:
        case binding_times.Dynamic(kind):
            return kind == "memory"
        case binding_times.Cons(car, cdr):
            return is_of_memory(car) or is_of_memory(cdr)
        case binding_times.Vector(parts) | binding_times.Record(_, parts):
            return any(map(is_of_memory, parts))
    return isinstance(bt, binding_times.Cyclic)


def _constants(program: il.Program) -> Iterator[Any]:
    """The lists, vectors and strings that the program says itself."""
    for item in program.items:
        if not in_prelude(item.function.span if isinstance(item, il.Define) else item.span):
            for block in blocks(item_block(item)):
                for atom in atoms(block):
                    if type(atom) is il.Const and type(atom.value) in (Pair, list, str):
                        yield atom.value


def numbers_of_data(bts: Iterable[binding_times.BT]) -> frozenset[object]:
    """The numbers in what is static."""
    return frozenset(value for value in contents(bts) if type(value) in (int, float))


def size_of_data(bts: Iterable[binding_times.BT]) -> int:
    """The pairs, elements and characters in what is static; shared parts count once, and so do
    equal strings, which compilers from `generate` share."""
    size = 0
    texts = set[str]()
    for value in contents(bts):
        match value:
            case binding_times.Static(int(number)):
                size += min(abs(number), MOST_ROUNDS)
            case binding_times.Cons() | Pair():
                size += 1
            case binding_times.Vector(parts) | binding_times.Record(_, parts):
                size += len(parts)
            case Record():
                size += len(value.values)
            case str():
                texts.add(value)
            case list() | bytearray():
                size += len(value)
    return size + sum(map(len, texts))
