"""Operators of generators: accumulators and buckets combined with values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cogen.array.codegen.controlloops import bind_parameters
from cogen.array.codegen.frames import MemoryFrame
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.representations import Rep, ScalarRep
from cogen.array.ir.graphtypes import element
from cogen.array.loops import tree
from cogen.array.loops.tree import Expr, Var


def accumulate(code: LoopParts, output: Output, values: Sequence[Rep] | None = None) -> None:
    """Combine the accumulators with values, those of the yield if no others are given."""
    e, variables = code.emitter, output.variables
    assert variables is not None
    assert output.operator is not None
    if values is None:
        values = [e.rep(value) for value in output.yielded.values]
    operator = output.operator
    direct = _directly(code, output, [ScalarRep(name) for name in variables.names], values)
    if direct is not None:
        for name, made in zip(variables.names, direct, strict=True):
            e.assign(name, made)
        return
    count = output.yielded.generator.values
    e.frames.append(MemoryFrame(operator.statements, operator.block.results))
    bind_parameters(e, operator.block.parameters[:count], variables)
    for parameter, value in zip(operator.block.parameters[count:], values, strict=True):
        e.bind(parameter, value)
    e.statements(operator.statements, code.emit)
    variables.assign([e.rep(r) for r in operator.block.results], operator.copies)
    e.close()


def _directly(
    code: LoopParts, output: Output, left: Sequence[Rep], right: Sequence[Rep]
) -> list[Expr] | None:
    """What a known operator gives."""
    found: list[Expr] = []
    for known, a, b in zip(output.known, left, right, strict=True):
        if known is None or not isinstance(a, ScalarRep) or not isinstance(b, ScalarRep):
            return None
        found.append(known.combine(a.value, b.value))
    return found


def combined(
    code: LoopParts,
    output: Output,
    left: Sequence[Rep],
    right: Sequence[Rep],
    finish: Callable[[Sequence[Rep]], None],
) -> None:
    """Give what the operator makes of two sets of values to `finish`."""
    e, operator = code.emitter, output.operator
    assert operator is not None
    direct = _directly(code, output, left, right)
    if direct is not None:
        finish([ScalarRep(value) for value in direct])
        return
    e.frames.append(MemoryFrame(operator.statements, operator.block.results))
    for parameter, rep in zip(operator.block.parameters, [*left, *right], strict=True):
        e.bind(parameter, rep)
    e.statements(operator.statements, code.emit)
    finish([e.rep(result) for result in operator.block.results])
    e.close()


def operator(code: LoopParts, output: Output) -> tree.Operator:
    """The operator of accumulators that are scalars; of what has none, one that does nothing."""
    if output.operator is None:
        return tree.Operator((), (), (), (), ())
    e = code.emitter
    types = [e.variable_type(element(node.type)) for node in output.yielded.neutral]
    left = [Var(e.fresh("left"), t) for t in types]
    right = [Var(e.fresh("right"), t) for t in types]
    results: list[Expr] = []

    def finish(new: Sequence[Rep]) -> None:
        for rep, node in zip(new, output.yielded.neutral, strict=True):
            assert isinstance(rep, ScalarRep)
            results.append(e.narrowed(rep.value, element(node.type)))

    with e.gathered() as made:
        combined(code, output, [ScalarRep(v) for v in left], [ScalarRep(v) for v in right], finish)
    known = tuple(output.known)
    return tree.Operator(tuple(left), tuple(right), tuple(made), tuple(results), known)
