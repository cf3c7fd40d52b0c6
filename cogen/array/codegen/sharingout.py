"""How what parts of a loop's iterations find is joined: what several threads need to share it out.

Rows as accumulators, and operators that may fail, are left to one thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from cogen.array.codegen.combining import operator
from cogen.array.codegen.generatorcode import LoopParts, Output
from cogen.array.codegen.reductionoperators import all_known
from cogen.array.codegen.representations import MemoryRep
from cogen.array.codegen.survey import can_share
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Reduce,
    Scan,
    combines,
)
from cogen.array.ir.graphtypes import element, rank
from cogen.array.loops import tree
from cogen.array.loops.tree import Address, Var

_ALLOCATING: Final = (tree.Keyed, tree.Grown, tree.Tallied, tree.Hashed)
"""The joins for which each thread needs memory of its own."""


class Shareable(LoopParts, Protocol):
    """What is asked of the code of a loop."""

    def accumulating(self, output: Output) -> tree.For:
        """A loop that does nothing but accumulate what a running scan takes."""


def of(code: Shareable, amount: tree.Expr) -> tree.Sharing | None:
    """What a loop that does so much work needs to be shared out; None if it cannot be."""
    outputs = code.outputs
    if can_share(code.statement):
        found = [*joins(code)]
    elif outputs and all(map(_is_placing, outputs)):
        found = [tree.Placed(tuple([
            (array.data, array.shape[0]) for output in outputs for array in output.arrays
        ]))]  # fmt: skip
    else:
        return None
    allocates = any(isinstance(join, _ALLOCATING) for join in found)
    return tree.Sharing(amount, code.emitter.no_memory() if allocates else 0, tuple(found))


def _is_placing(output: Output) -> bool:
    scalars = not any(rank(value.type) for value in output.yielded.values)
    return output.yielded.generator.overwrites and scalars


def joins(code: Shareable) -> Iterator[tree.Join]:
    """How what the generators find is joined; tables by keys come last. Nothing is joined of what
    is finished later."""
    for output in code.outputs:
        match output.yielded.generator:
            case Reduce():
                accumulators, neutral = _accumulators(output), _neutral(code, output)
                yield tree.Reduced(accumulators, neutral, operator(code, output))
            case Scan():
                outs = tuple([array.data for array in output.arrays])
                first = code.accumulating(output) if output.running else None
                accumulators, neutral = _accumulators(output), _neutral(code, output)
                yield tree.Scanned(accumulators, neutral, operator(code, output), outs, first)
            case _ if output.counted:
                places = [(array.data, array.strides[0]) for array in output.arrays]
                yield tree.Kept(_variable(output.count), tuple(places))
            case _ if output.finished_later:
                pass
            case Collect() if output.yielded.spread:
                yield _grown(code, output.arrays, output.count)
            case Bucket(hashed=True):
                if output.tables is not None:
                    yield _hashed(code, output)
                if output.gathered:
                    yield _rows(code, output)
            case Bucket(collects=True) if not output.yielded.one_each:
                yield _rows(code, output)
            case Bucket(collects=True):
                (offsets, *_) = output.arrays
                yield tallied(offsets)
    for outputs in same_keys(code.outputs):
        size = outputs[0].arrays[0].shape[0]
        yield tree.Keyed(size, tuple([_table(code, output) for output in outputs]))


def same_keys(outputs: Sequence[Output]) -> Iterator[list[Output]]:
    """The Buckets that take the same keys, whose accumulators lie side by side."""
    alike: dict[tuple[object, ...], list[Output]] = {}
    for output in outputs:
        if combines(output.yielded.generator):
            y = output.yielded
            of = [node for node in (y.bound, y.key, y.condition) if node is not None]
            alike.setdefault((*of, all_known(output.known)), []).append(output)
    yield from alike.values()


def tallied(offsets: MemoryRep) -> tree.Tallied:
    """How counts of keys are joined."""
    return tree.Tallied(_variable(offsets.data), offsets.shape[0])


def _accumulators(output: Output) -> tuple[Var, ...]:
    assert output.variables is not None
    return tuple(map(_variable, output.variables.names))


def _neutral(code: Shareable, output: Output) -> tuple[tree.Expr, ...]:
    """What accumulators are before the loop."""
    e = code.emitter
    neutral = output.yielded.neutral
    return tuple([e.narrowed(e.scalar_of(node), element(node.type)) for node in neutral])


def _table(code: Shareable, output: Output) -> tree.Table:
    bases = tuple([_variable(array.data) for array in output.arrays])
    return tree.Table(bases, _neutral(code, output), operator(code, output))


def _hashed(code: Shareable, output: Output) -> tree.Hashed:
    assert output.tables is not None
    table = output.tables.last
    assert isinstance(table, Address)
    return tree.Hashed(
        _variable(table.operand), output.tables.widths[-1], _variable(output.count),
        output.rows, _neutral(code, output), operator(code, output), *_numbers(code, output),
    )  # fmt: skip


def _numbers(code: Shareable, table: Output) -> tuple[tree.Expr | None, tree.Expr | None]:
    """Where the numbers of keys are stored, and how many, if that is not one in each iteration."""
    for output in code.outputs:
        if output.gathered and output.numbered is table:
            array = output.gathered[0]
            grows = output.yielded.spread
            return _region(array) if grows else array.data, output.taken
    return None if table.numbers is None else table.numbers.data, None


def _region(array: MemoryRep) -> tree.Data:
    """Where an array in a region that grows is now."""
    assert array.handle is not None
    return tree.Data(array.handle.owner, array.data.type)


def _rows(code: Shareable, output: Output) -> tree.Kept | tree.Grown:
    """How the rows that a Bucket collects are joined."""
    if output.yielded.spread:
        return _grown(code, output.gathered, output.taken)
    places = [(array.data, array.strides[0]) for array in output.gathered]
    return tree.Kept(_variable(output.taken), tuple(places))


def _grown(code: Shareable, arrays: Sequence[MemoryRep], count: tree.Expr) -> tree.Grown:
    regions: list[tuple[Var, tree.Number]] = []
    for array in arrays:
        assert array.handle is not None
        regions.append((_variable(array.handle.owner), code.emitter.element_type(array.element)))
    return tree.Grown(_variable(count), tuple(regions))


def _variable(e: tree.Expr) -> Var:
    assert isinstance(e, Var)
    return e
