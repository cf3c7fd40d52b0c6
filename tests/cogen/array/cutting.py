"""Programs whose arguments come in pieces, without other machines: kernels are interpreted."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cogen.array import Program
from cogen.array.distributed.pieceplaces import PiecePlaces
from cogen.array.distributed.planning import plan
from cogen.array.distributed.rounds import Here
from cogen.array.ir.checkgraph import check
from cogen.array.optimise.optimise import optimise
from cogen.array.programs.distribute import Distributed, InPieces, takers_of


def here(program: Program, entry: str = "main", compiles: bool = False) -> Distributed:
    """A program whose pieces are done one after the other in this process."""
    a = program.arithmetic("float64", "int64", entry)
    made = Distributed(program, Here(), entry, a, takers_of(program, entry, a))
    made.compiles = compiles
    return made


def cut(value: Any, bounds: Sequence[int]) -> InPieces:
    """An array, or a tuple of arrays, cut at some places."""
    size = len(value[0]) if isinstance(value, tuple) else len(value)
    ends = [0, *sorted(min(b, size) for b in bounds), size]
    pairs = list(itertools.pairwise(ends))
    if isinstance(value, tuple):
        return InPieces([tuple([part[i:j] for part in value]) for i, j in pairs])
    return InPieces([value[i:j] for i, j in pairs])


def randomly(seed: int, arguments: Sequence[Any], numbers: Iterable[int]) -> list[Any]:
    """Arguments of which some are cut, those of one size alike."""
    choose = random.Random(seed)
    bounds: dict[int, list[int]] = {}
    found = list(arguments)
    for k in numbers:
        value = arguments[k]
        size = len(value[0]) if isinstance(value, tuple) else len(value)
        if size not in bounds:
            bounds[size] = [choose.randint(0, size) for _ in range(choose.randint(0, 4))]
        found[k] = cut(value, bounds[size])
    return found


def plain(value: Any) -> Any:
    """A result as Python's own values."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def checked(program: Program, leaves: Sequence[int], entry: str = "main") -> int:
    """Check the kernels of a program of which some leaves of the arguments are cut; its rounds."""
    places = PiecePlaces(*optimise(program.facts, entry), leaves)
    for packs in (False, True):
        for kernel in plan(places, packs).kernels:
            check(kernel.module, "distribute")
    return places.rounds
