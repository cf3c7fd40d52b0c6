"""Staged functions on the workers of a Dask client (see `cogen.array.distributed`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cogen.array.distributed.dasking import OnDask
from cogen.array.distributed.piecefiles import is_files
from cogen.array.distributed.rounds import DistributionEngine
from cogen.array.distributed.tasks import Taker
from cogen.array.l0.arithmetic import WIDE
from cogen.array.programs.distribute import Distributed, InPieces
from cogen.boundary import public_methods
from cogen.staging.arguments import STATIC, leaf_kinds, surroundings
from cogen.staging.stagedprogram import PackedKind, StagedProgram, Taken, leaves_as

if TYPE_CHECKING:
    from cogen.staging.stage import Stage


@dataclass(frozen=True, slots=True)
class StagedTaker(Taker):
    """Takes an argument of a staged function apart, of the kind that the program is for."""

    kind: Any = None
    name: str = ""

    def values(self, argument: Any) -> Sequence[Any]:
        """The leaves of the argument."""
        return leaves_as(argument, self.name, self.kind)


def distributed_program(program: StagedProgram, client: Any, piece_bytes: int) -> Distributed:
    """A staged program on the workers of a client."""
    return with_engine(program, OnDask(client), piece_bytes)


def with_engine(
    program: StagedProgram, engine: DistributionEngine, piece_bytes: int
) -> Distributed:
    """The same with an engine of any kind."""
    parameters = zip(program.function(program.entry).parameters, program.parameters(), strict=True)
    takers = []
    for name, kind in program.taken.kinds.items():
        if isinstance(kind, tuple) and kind[0] == "known":
            continue
        count = 1 if isinstance(kind, PackedKind) else len(list(leaf_kinds(kind)))
        own = [next(parameters) for _ in range(count)]
        types, names = tuple([t for _, t in own]), tuple([p.name.text for p, _ in own])
        takers.append(StagedTaker(types, names, WIDE.int_bits, WIDE.real_bits, kind, name))
    return Distributed(program, engine, program.entry, WIDE, takers, piece_bytes, program.put)


@public_methods
class DistributedStage:
    """A staged function, to be called with arguments in pieces."""

    def __init__(self, stage: Stage[..., Any], client: Any, piece_bytes: int) -> None:
        self.stage = stage
        self.engine = OnDask(client)
        self.piece_bytes = piece_bytes
        self._made: dict[Any, tuple[StagedProgram, Distributed, Any]] = {}

    def __repr__(self) -> str:
        return f"<distributed {self.stage!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives, as on one machine; see `cogen.array.distributed`."""
        return self.program(*args, **kwargs)(*self._given(args, kwargs))

    def program(self, *args: Any, **kwargs: Any) -> Distributed:
        """What runs for such arguments."""
        like = [prototype(value) for value in args]
        named = {name: prototype(value) for name, value in kwargs.items()}
        taken: Taken = self.stage._take(like, named)
        found = self._made.get(taken.key)
        if found is None or found[2] != surroundings(found[0].used):
            program = self.stage._staged(taken)
            made = with_engine(program, self.engine, self.piece_bytes)
            found = self._made[taken.key] = program, made, surroundings(program.used)
        return found[1]

    def _given(self, args: Any, kwargs: Any) -> list[Any]:
        """The arguments that are not static, in order."""
        signature, meanings = self.stage._declared
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return [v for name, v in bound.arguments.items() if meanings.get(name) is not STATIC]


def prototype(value: Any) -> Any:
    """A value of the kind of what stands for it: of pieces an array of few elements."""
    if isinstance(value, InPieces):
        return value.pieces[0]
    if is_files(value):
        if value[0].suffix != ".npy":
            return b""
        array = np.load(value[0], mmap_mode="r")
        return _few(array.dtype, array.shape)
    if not hasattr(value, "__dask_graph__"):
        return value
    meta = value._meta
    return _few(value.dtype, value.shape) if isinstance(meta, np.ndarray) else meta


def _few(dtype: Any, shape: Sequence[Any]) -> np.ndarray[Any, Any]:
    """An array of a type; sizes of 1, which NumPy stretches, stay."""
    return np.zeros([1 if n == 1 else 2 for n in shape], dtype)


__all__ = ["DistributedStage", "StagedTaker", "distributed_program", "with_engine"]
