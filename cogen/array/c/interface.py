"""C of an array program with what is needed to call it, and no more: it is pickled, and needs no
compiler of ours to be run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from cogen.array.codegen.errorsites import ErrorMeaning, TracePoint
from cogen.array.ir.graphtypes import Type, element, rank
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.backends.failures import ARRAY_ERROR
from cogen.backends.structures import (
    INT64,
    NUMBERS,
    READ_NUMBERS,
    TRACE,
    WORKERS,
    SharedMember,
    SharedStructure,
)

MAX_THREADS: Final = 128
"""The most threads of a call."""

CALL: Final = SharedStructure(
    "cogen_call",
    (
        SharedMember(READ_NUMBERS, "arguments"),
        SharedMember(NUMBERS, "results"),
        SharedMember(INT64, "threads"),
        SharedMember(INT64, "grain"),
        SharedMember(INT64, "stack"),
        SharedMember(TRACE, "trace"),
        SharedMember(WORKERS, "workers"),
        SharedMember(ARRAY_ERROR.name, "error"),
    ),
    "A call of the entry: what all of its threads know.",
)


@dataclass(frozen=True, slots=True)
class LeafType:
    """The kind of a leaf's elements, and its number of dimensions: none for a scalar."""

    kind: str
    rank: int

    @staticmethod
    def of(t: Type) -> LeafType:
        """That of a type of the graph."""
        return LeafType(element(t).kind, rank(t))


@dataclass(frozen=True, slots=True, eq=False)
class CProgram:
    """The text, and what is needed to call it: the types of the parameters behind the sizes, and of
    the results, of which the first `result_sizes` are sizes.  `recursive`: it may need a deep
    stack."""

    text: str
    parameters: tuple[LeafType, ...]
    results: tuple[LeafType, ...]
    result_sizes: int
    sites: tuple[ErrorMeaning, ...]
    traces: tuple[TracePoint, ...]
    recursive: bool
    arithmetic: Arithmetic = WIDE
    packed: Mapping[int, bool] = field(default_factory=dict)
    """Results that come packed, and whether they have the memory: of several leaves the first."""
