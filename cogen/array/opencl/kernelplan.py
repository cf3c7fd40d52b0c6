"""What the host needs to know of the kernels of a loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from cogen.array.ir.generators import (
    Generator,
    groups,
    only_numbers,
)
from cogen.array.ir.graphtypes import ScalarType, rank
from cogen.array.ir.node import (
    Index,
    Iota,
    Node,
    Rearrange,
    Replicate,
    Reshape,
    Slice,
)
from cogen.array.schedule.schedule import Statement

Kind = Literal["scalar", "dense", "strided", "counter", "fill"]


class Unsupported(Exception):
    """What a kernel cannot do."""


@dataclass(frozen=True, slots=True)
class FreeVariables:
    """A value from outside a kernel: its node, and the kind that its parameters are made for."""

    node: Node
    kind: Kind


@dataclass(frozen=True, slots=True)
class KernelBuffer:
    """An array that the loop makes, or works with: elements of a type, its parameter's name.

    `role`: output (a result), parts (one element for each part), own (buckets of each part),
    moved (the place of what is kept), carried, scratch (for each item), or value (one scalar).
    `output` is the number of the generator, `number` that of its array.
    """

    name: str
    element: ScalarType
    role: str
    output: int = 0
    number: int = 0


@dataclass(slots=True)
class KernelPlan:
    """The kernels of a statement: names by what they do, and the parameters of all of them."""

    statement: Statement
    kernels: dict[str, str] = field(default_factory=dict)
    free: list[FreeVariables] = field(default_factory=list)
    buffers: list[KernelBuffer] = field(default_factory=list)
    scratch: list[tuple[str, ScalarType, tuple[str, ...]]] = field(default_factory=list)
    """Names, elements, and for each item the sizes, which are numbers or int parameters."""
    parameters: list[str] = field(default_factory=list)
    """The names of all parameters after the first two, in order."""
    shared: bool = False
    plain: bool = False
    """Whether each item does single iterations."""
    turns: bool = False
    """Of a plain one, whether there are fewer items than iterations."""
    fails: bool = False
    columns: tuple[str, ...] = ()
    """Of a map of maps, the sizes of its rows, which are numbers or int parameters."""
    names: dict[str, tuple[int, str]] = field(default_factory=dict)
    """The int parameters of free values: number of the value and what of it (`value`, `shape0`,
    `stride0`, `start`, `offset`)."""


def is_finished_later(generator: Generator) -> bool:
    """Whether kernels leave the keys that they store to those of `cogen.array.opencl.groupkeys`."""
    return groups(generator) or only_numbers(generator)


def kind_of(node: Node, overwrites: bool) -> Kind:
    """How an array that is there on the host is passed to kernels."""
    match node:
        case _ if not rank(node.type):
            return "scalar"
        case Iota():
            return "counter"
        case Replicate():
            if not rank(node.value.type):
                return "fill"
            row = kind_of(node.value, overwrites)
            return row if row in ("counter", "fill") else "dense" if overwrites else "strided"
        case Rearrange():
            source = kind_of(node.array, overwrites)
            return "strided" if source == "dense" else source
        case Slice() | Index():
            return kind_of(node.array, overwrites)
        case Reshape():
            return "fill" if kind_of(node.array, overwrites) == "fill" else "dense"
        case _:
            return "dense"
