"""Where the results of a loop are put: arrays and counters, before the loop."""

from __future__ import annotations

from cogen.array.codegen import rearranging
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.representations import MemoryRep
from cogen.array.codegen.simple import to_overwrite
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Scan,
    Scatter,
)
from cogen.array.ir.graphtypes import element
from cogen.array.ir.node import Node
from cogen.array.loops.expressions import ZERO
from cogen.array.loops.tree import I64


def prepare(code: LoopParts, output: Output) -> None:
    """Make the arrays and counters of a generator."""
    match output.yielded.generator:
        case Collect() if output.yielded.spread:
            rearranging.prepare(code, output)
        case Collect() | Scan():
            _arrays(code, output)
        case Bucket(hashed=False, collects=False):
            for place, neutral in zip(output.places, output.yielded.neutral, strict=True):
                output.arrays.append(_buckets(code, output, neutral, place))
        case Scatter():
            first = first_extra(code, output)
            for at in range(first, first + len(output.yielded.extras)):
                output.arrays.append(to_overwrite(code.emitter, code.statement, at))
        case Bucket():
            rearranging.prepare(code, output)


def _arrays(code: LoopParts, output: Output) -> None:
    e, y = code.emitter, output.yielded
    if y.generator.gives_each and not y.gives:
        return
    if output.counted:
        output.count = e.variable(I64, "count", ZERO)
    rows = y.neutral if y.generator.gives_each else y.values
    for place, value in zip(output.places, rows, strict=True):
        shape = (code.size, *e.sizes(value.type))
        packed = e.sinks.get((code.node, place))
        if packed is not None:
            output.arrays.append(packed(value, code.size))
            continue
        wanted = e.destinations.pop((code.node, place), None)
        output.arrays.append(wanted or e.allocate(element(value.type), shape, "y"))


def _buckets(code: LoopParts, output: Output, neutral: Node, place: int) -> MemoryRep:
    """An array of buckets, for one accumulator."""
    e = code.emitter
    shape = (e.extent(output.yielded.bound), *e.sizes(neutral.type))
    wanted = e.destinations.pop((code.node, place), None)
    return wanted or e.allocate(element(neutral.type), shape, "buckets")


def first_extra(code: LoopParts, output: Output) -> int:
    """The position among the node's operands of the first that the generator has."""
    before = code.outputs[: code.outputs.index(output)]
    return 1 + len(code.inputs) + sum([len(other.yielded.extras) for other in before])
