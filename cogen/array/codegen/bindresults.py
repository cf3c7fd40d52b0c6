"""What the results of a loop are when it is done: accumulators, arrays, counts."""

from __future__ import annotations

from dataclasses import replace

from cogen.array.codegen import rearranging
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.representations import Handle, Rep, ScalarRep
from cogen.array.ir.generators import (
    groups,
    grows,
    is_hashed,
)
from cogen.array.loops.expressions import ZERO
from cogen.array.loops.tree import Var


def bind_results(code: LoopParts) -> None:
    """The results of the node."""
    e, node = code.emitter, code.node
    for output in code.outputs:
        first = output.yielded.first
        generator = output.yielded.generator
        if generator.gives_one:
            _bind_accumulators(code, output)
            continue
        if is_hashed(generator) or groups(generator) or grows(output.yielded):
            rearranging.bind(code, output)
            continue
        if generator.gives_each and not output.yielded.gives:
            continue
        if output.counted:
            e.bind_key((node, first), ScalarRep(output.count))
        for place, array in zip(output.places, output.arrays, strict=True):
            rep = array
            if output.counted:
                rep = replace(array, shape=(output.count, *array.shape[1:]))
            e.bind_key((node, place), rep)
    for output in code.outputs:
        if output.yielded.generator.gives_each and output.variables is not None:
            for owner in output.variables.owners:
                if owner is not None:
                    e.drop(Handle(owner))


def bind_scalars(code: LoopParts) -> None:
    """The results of a node whose arrays are not there."""
    for output in code.outputs:
        if output.yielded.generator.gives_one:
            _bind_accumulators(code, output)
        elif isinstance(output.count, Var):
            code.emitter.bind_key((code.node, output.yielded.first), ScalarRep(output.count))


def _bind_accumulators(code: LoopParts, output: Output) -> None:
    e, variables = code.emitter, output.variables
    assert variables is not None
    types = code.node.results[output.yielded.first : output.yielded.first + len(variables.names)]
    own: list[Rep] = [ScalarRep(ZERO)] * output.yielded.first
    own += [ScalarRep(name) for name in variables.names]
    found = variables.representations([e.sizes(t, own) for t in types])
    for number, rep in enumerate(found, output.yielded.first):
        e.bind_key((code.node, number), rep)
