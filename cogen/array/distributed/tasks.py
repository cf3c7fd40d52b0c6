"""What machines are asked to do: tasks, as functions of what can be sent.

    piece(job, values, own, given ...)        one kernel on one piece of each array
    both(job, values, positions, part ...)    what several pieces found -> what they found together

`Taker` says what becomes of an argument, or a piece of one: its leaves and its sizes, as
`Program.arguments` has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cogen.array.distributed.shipping import ShippedSource
from cogen.array.ir.marshal import LeafValue, PackedLeaf, from_leaves, to_leaves
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.pythonvalues import from_python
from cogen.array.l0.types import ArrayType, Type, packed_array
from cogen.array.l0.values import PackedValue
from cogen.lang.errors import CogenError

EachPiece = Sequence[Sequence[Any]]
"""Something for each piece."""

Binding = tuple[str, int, int]
"""Where the value of a kernel's parameter is: ("value", k, 0) of what is known, ("own", k, 0) of
what this piece alone has, ("leaf", argument, k) of a piece, ("made", k, position) of what a kernel
before made, ("size", parameter, axis) a size of another parameter."""


@dataclass(frozen=True, slots=True)
class Taker:
    """Takes an argument apart: the declared types of the parameters that it is, and their names."""

    types: tuple[Type, ...]
    names: tuple[str, ...]
    ints: int
    reals: int

    def values(self, argument: Any) -> Sequence[Any]:
        """The values of the parameters."""
        return [argument]

    def take(self, argument: Any) -> tuple[list[LeafValue], list[int]]:
        """The leaves of an argument, and its sizes."""
        if hasattr(argument, "load"):
            argument = argument.load()
        arithmetic = Arithmetic(self.ints, self.reals)
        leaves: list[LeafValue] = []
        sizes: list[int] = []
        triples = zip(self.values(argument), self.types, self.names, strict=True)
        for value, t, name in triples:
            own, dimensions = to_leaves(from_python(value, t, f"`{name}`", arithmetic), t)
            leaves += own
            sizes += dimensions
        return leaves, sizes

    @property
    def is_array(self) -> bool:
        """Whether all parameters are arrays, which can be cut."""
        return bool(self.types) and all(isinstance(t, ArrayType) for t in self.types)


@dataclass(frozen=True, slots=True)
class Job:
    """A kernel, where the values of its parameters are, and which results are packed together."""

    source: ShippedSource
    bindings: tuple[Binding, ...]
    takers: tuple[Taker, ...] = ()
    stored: tuple[tuple[str, int, int], ...] = ()
    """Layouts of results that are stored packed, their first leaves, and how many."""


def piece(job: Job, values: Sequence[Any], own: Sequence[Any], *given: Any) -> list[LeafValue]:
    """The results of a kernel on one piece of each argument, which are `given` first, then what
    kernels before have made of them."""
    pieces, made = given[: len(job.takers)], given[len(job.takers) :]
    taken = [taker.take(one)[0] for taker, one in zip(job.takers, pieces, strict=True)]
    lengths = {length_of(leaf) for leaves in taken for leaf in leaves}
    if len(lengths) > 1:
        found = sorted(lengths)
        raise CogenError(
            f"the arguments are cut into pieces of different sizes: {found[0]} and {found[1]}",
            hint="arrays that are used together must be cut alike: x.rechunk(y.chunks[0])",
        )
    arguments: list[Any] = []
    for kind, k, at in job.bindings:
        match kind:
            case "value":
                arguments.append(values[k])
            case "own":
                arguments.append(own[k])
            case "leaf":
                arguments.append(taken[k][at])
            case "made":
                arguments.append(made[k][at])
            case _:
                arguments.append((kind, k, at))
    for at, argument in enumerate(arguments):
        if isinstance(argument, tuple):
            _, k, axis = argument
            arguments[at] = length_of(arguments[k], axis)
    return packed_results(job, job.source.code()(arguments))


def length_of(leaf: LeafValue, axis: int = 0) -> int:
    """A size of an array."""
    return leaf.count if isinstance(leaf, PackedLeaf) else int(leaf.shape[axis])


def packed_results(job: Job, found: list[LeafValue]) -> list[LeafValue]:
    """Results with what is stored packed as bytes, in the place of the first leaf."""
    for layout, first, count in job.stored:
        if not isinstance(found[first], PackedValue):
            whole = from_leaves(found[first : first + count], packed_array(layout))
            found[first : first + count] = [whole] + [None] * (count - 1)
    return found


def both(
    job: Job, values: Sequence[Any], positions: Sequence[int], *parts: Sequence[LeafValue]
) -> list[LeafValue]:
    """What pieces found, combined from left to right; at these positions, if any are given."""
    found, *others = [pick(part, positions) if positions else list(part) for part in parts]
    code = job.source.code()
    for other in others:
        sides = [found, other]
        arguments: list[Any] = []
        for kind, k, at in job.bindings:
            if kind == "value":
                arguments.append(values[k])
            elif kind == "size":
                arguments.append(len(sides[k][at]))
            else:
                arguments.append(sides[0 if kind == "left" else 1][k])
        found = code(arguments)
    return found


def prefixes(
    job: Job, values: Sequence[Any], start: Sequence[LeafValue],
    parts: Sequence[Sequence[LeafValue]],
) -> list[list[LeafValue]]:  # fmt: skip
    """What all pieces before each one found, beginning with `start`; at the end what all did."""
    found = [list(start)]
    for part in parts:
        found.append(both(job, values, (), found[-1], part))
    return found


def pick(found: Sequence[Any], positions: Sequence[int]) -> list[Any]:
    """Some of the results of a kernel."""
    return [found[k] for k in positions]


def sizes(taker: Taker, argument: Any) -> list[int]:
    """The sizes of a piece."""
    return taker.take(argument)[1]


def together(parts: Sequence[LeafValue], axis: int) -> np.ndarray[Any, Any]:
    """An array of its pieces."""
    return np.concatenate([np.asarray(part) for part in parts], axis)
