"""Kernels of parts of a program: what was built -> a function, and what is passed to it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from cogen.array.distributed.building import Import, KernelBuilder
from cogen.array.ir import node as ir
from cogen.array.ir.generators import (
    Generator,
    is_hashed,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT as INTEGER
from cogen.array.ir.graphtypes import GraphArray, element, rank
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.packedboundary import sources
from cogen.array.l0.types import BOOL, CERT, CHAR, INT, REAL, TupleType, array_of, packed_array
from cogen.array.l0.types import Type as Layout

_LAYOUTS: Final = {"int": INT, "real": REAL, "bool": BOOL, "char": CHAR, "cert": CERT}


@dataclass(frozen=True, slots=True, eq=False)
class PartKernel:
    """A function, what is passed for its parameters, and what its results are called."""

    module: ir.Module
    graph: Graph
    imports: tuple[Import, ...]
    exports: tuple[Hashable, ...]
    is_trivial: bool
    """Whether it computes scalars only, and no loop."""
    sources: dict[bool, object] = field(default_factory=dict)
    """Its texts (`cogen.array.distributed.shipping`)."""


def kept(generator: Generator, results: Sequence[ir.Node]) -> list[ir.Node]:
    """Of the results of a generator what pieces give: of tables the columns, without the count."""
    if is_hashed(generator):
        return list(results[1 : generator.inside + generator.values])
    return list(results)


def layout_of(node: ir.Node) -> Layout:
    """The type in L0 of what a node is."""
    return array_of(_LAYOUTS[element(node.type).kind], rank(node.type))


def finished(
    builder: KernelBuilder, results: Sequence[ir.Node], layouts: Sequence[Layout],
    exports: Sequence[Hashable], name: str,
) -> PartKernel:  # fmt: skip
    """The kernel of what was built."""
    graph, entry = builder.graph, builder.places.entry
    if not results:
        results, layouts = [graph.integer(0)], [INT]
    pairs = list(builder.imported.items())
    ints = [pair for pair in pairs if pair[1].type == INTEGER and pair[0].kind != "source"]
    others = [pair for pair in pairs if pair not in ints]
    given, names = _given(builder, others)
    opened = builder.open[0]
    parameters = tuple([p for _, p in (*ints, *others)])
    body = ir.Block(builder.token, parameters, tuple(opened.effects), tuple(results))
    function = ir.Function(
        name, body, len(ints), 0, tuple([n.type for n in results]), tuple(names), tuple(given),
        TupleType(tuple(layouts)), entry.span, bool(opened.effects),
    )  # fmt: skip
    spans = builder.places.graph.spans
    graph.spans |= spans
    module = ir.Module(function, dict(builder.places.module.functions))
    arrays = [n for n in (*results, *parameters) if isinstance(n.type, GraphArray)]
    loops = [n for n in all_nodes(body) if n.takes_time]
    return PartKernel(
        module,
        graph,
        tuple([i for i, _ in (*ints, *others)]),
        tuple(exports),
        not arrays and not loops,
    )


def _given(
    builder: KernelBuilder, others: Sequence[tuple[Import, ir.Parameter]]
) -> tuple[list[Layout], list[str]]:
    """The types of parameters as they are declared, and their names."""
    stored = sources(builder.places.entry)
    layouts: list[Layout] = []
    names: list[str] = []
    for wanted, parameter in others:
        own = stored[wanted.index] if wanted.kind == "source" else None
        if own is not None and own.number:
            continue
        layouts.append(layout_of(parameter) if own is None else packed_array(own.storage.text))
        names.append(parameter.name)
    return layouts, names
