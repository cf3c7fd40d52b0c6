"""Kernels as text that another process takes, and compiles once: Kernel -> Source -> Code.

A source is the text of the residual code (C; of what computes scalars only the graph's own text),
with what is needed to call it. It holds no graph, so it is small, and pickled fast. A process
keeps the code of the sources that it has seen; what is compiled is in the build cache besides, so
processes of one machine compile once together.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

from cogen.array.c.cprogram import c_program
from cogen.array.c.interface import CProgram, LeafType
from cogen.array.c.nativeprogram import NativeProgram
from cogen.array.codegen.errorsites import ErrorMeaning
from cogen.array.distributed.partkernels import PartKernel
from cogen.array.ir import graphtext
from cogen.array.ir.evaluate import evaluate
from cogen.array.ir.graphtypes import Type, element, rank
from cogen.array.ir.marshal import LeafValue, PackedLeaf
from cogen.array.ir.node import Module
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.types import Type as Layout
from cogen.array.optimise.preparing import scheduled
from cogen.lang.errors import Source as Text

Shape = tuple[str, int, int]
"""A type: the kind and the bits of its elements, and its number of dimensions."""


@dataclass(frozen=True, slots=True)
class ShippedSource:
    """The text of a kernel, and what is needed to call it."""

    digest: str
    text: str
    is_c: bool
    name: str
    file: tuple[str, str]
    span: tuple[int, int]
    sizes: int
    parameters: tuple[Shape, ...]
    layouts: tuple[Layout, ...]
    results: tuple[Shape, ...]
    sites: tuple[ErrorMeaning, ...]
    packed: tuple[tuple[int, bool], ...]
    ints: int
    reals: int

    def code(self) -> ShippedCode:
        """The code of it in this process."""
        with _lock:
            found = _codes.get(self.digest)
            if found is None:
                found = _codes[self.digest] = ShippedCode(self)
                while len(_codes) > KEPT:
                    del _codes[next(iter(_codes))]
        return found


KEPT: Final = 256
_codes: Final[dict[str, ShippedCode]] = {}
_lock = threading.Lock()
compiled: Final[list[str]] = []
"""The digests of the kernels that this process has made code of, in order."""


def source_of(kernel: PartKernel, compiles: bool = True) -> ShippedSource:
    """The text of a kernel; of its graph, which is interpreted, unless it `compiles`."""
    found = kernel.sources.get(compiles)
    if not isinstance(found, ShippedSource):
        found = kernel.sources[compiles] = _source(kernel, compiles)
    return found


def _source(kernel: PartKernel, compiles: bool) -> ShippedSource:
    function = kernel.module.entry
    arithmetic = kernel.graph.arithmetic
    sites: tuple[ErrorMeaning, ...] = ()
    packed: tuple[tuple[int, bool], ...] = ()
    is_c = compiles and not kernel.is_trivial
    if not is_c:
        text = graphtext.write(kernel.module, kernel.graph)
    else:
        made = c_program(scheduled(kernel.module, kernel.graph))
        text, sites, packed = made.text, made.sites, tuple(made.packed.items())
    widths = arithmetic.int_bits, arithmetic.real_bits
    digest = blake2b(repr((text, widths)).encode(), digest_size=16).hexdigest()
    span = function.span
    return ShippedSource(
        digest, text, is_c, function.name,
        (span.source.name, span.source.text), (span.start, span.end), function.sizes,
        tuple([_shape(p.type) for p in function.body.parameters]), function.parameter_layouts,
        tuple([_shape(t) for t in function.results]), sites, packed, *widths,
    )  # fmt: skip


def _shape(t: Type) -> Shape:
    return element(t).kind, element(t).bits, rank(t)


class ShippedCode:
    """A kernel that is ready to run in this process: leaves to leaves."""

    def __init__(self, source: ShippedSource) -> None:
        compiled.append(source.digest)
        self.arithmetic = Arithmetic(source.ints, source.reals)
        self.sizes = source.sizes
        self.module: Module | None = None
        self.native: NativeProgram | None = None
        if not source.is_c:
            _, self.module = graphtext.read(source.text, Text(*source.file), self.arithmetic)
            return
        self.native = NativeProgram(
            CProgram(
                source.text, _leaves(source.parameters[source.sizes :]), _leaves(source.results), 0,
                source.sites, (), False, self.arithmetic, dict(source.packed),
            )
        )  # fmt: skip

    def __call__(self, values: Sequence[LeafValue], threads: int = 1) -> list[LeafValue]:
        """The results for the values of all parameters, sizes first."""
        sizes, leaves = list(values[: self.sizes]), list(values[self.sizes :])
        if self.native is not None:
            return self.native(leaves, sizes, threads, _no_trace)
        assert self.module is not None
        leaves = [x.array() if isinstance(x, PackedLeaf) else x for x in leaves]
        return evaluate(self.module, leaves, sizes, _no_trace, arithmetic=self.arithmetic)


def _no_trace(layout: Layout, values: Any) -> None:
    raise AssertionError("kernels trace nothing")


def _leaves(shapes: Sequence[Shape]) -> tuple[LeafType, ...]:
    return tuple([LeafType(kind, dimensions) for kind, _, dimensions in shapes])
