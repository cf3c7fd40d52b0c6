"""Kernels of OpenCL C for loops: which they are, their text, and what they take.

    loop                                   kernels, each run by `parts` work items
    ---------------------------------------------------------------------------------------------
    unconditional Collects only            main: an item for each iteration, or in turns
    can be shared out                      main: an item does one part of the iterations, in order;
      with Reduce, Scan                    join: one item combines what the parts found
      with a running Scan                  totals, before: what stands before each part, first
      with Scan, conditional Collect       finish: each part is combined, or moved to its place
      with Bucket, that combines           merge: one item for each bucket combines the parts' own
      that collects, numbers of keys       main stores the keys, which `grouping` sorts or numbers
    cannot (Scatter, rows as               main with one part
    accumulators), and sequential loops
    without loops over arrays

Loops within a kernel are sequential. Arrays made within lie in scratch memory, a piece for each
item, so their sizes must be known outside. What a kernel cannot do (tracing, recursive functions,
arrays of sizes found inside) is `Unsupported`: such a loop is interpreted on the host.
"""

from __future__ import annotations

from cogen.array.codegen import representations
from cogen.array.codegen.controlloops import loop
from cogen.array.codegen.representations import MemoryRep, ScalarRep
from cogen.array.codegen.survey import all_statements
from cogen.array.ir.generators import (
    Generator,
    groups,
    is_hashed,
    only_numbers,
)
from cogen.array.ir.graphtypes import CERT, GraphArray, element
from cogen.array.ir.node import (
    Loop,
    Multiloop,
    Node,
)
from cogen.array.loops.expressions import ZERO, convert, load
from cogen.array.opencl.kernelemitter import Kernels, KernelUnit, emit
from cogen.array.opencl.kernelplan import KernelPlan, Unsupported
from cogen.array.opencl.loopkernels import LoopKernels
from cogen.array.schedule.schedule import Statement


def plan(unit: KernelUnit, statement: Statement, outside: set[object]) -> KernelPlan | None:
    """The kernels of a loop, added to the unit; None if it is interpreted.

    `outside` are the keys of the values that are there before.
    """
    node = statement.node
    within = [s for block in statement.blocks for s in all_statements(block)]
    if any(s.node.for_host for s in within):
        return None
    if _appends(node) or any(_rearranges(s.node) for s in within):
        return None
    count = len(unit.program.sites)
    try:
        if isinstance(node, Multiloop):
            return LoopKernels(unit, statement, outside).plan()
        if isinstance(node, Loop) and not any(isinstance(s.node, Multiloop) for s in within):
            return _TaskKernel(unit, statement, outside).plan()
    except Unsupported:
        unit.program.sites.forget(count)
    return None


def _appends(node: Node) -> bool:
    """Whether a loop has a generator that the host cannot finish, either."""
    return isinstance(node, Multiloop) and any(
        y.spread or y.before or _is_table(y.generator) for y in node.yields()
    )


def _is_table(generator: Generator) -> bool:
    """Whether a generator finds out more of keys than their numbers."""
    return is_hashed(generator) and not only_numbers(generator)


def _rearranges(node: Node) -> bool:
    """Whether a loop finds out itself what sizes its results have."""
    return isinstance(node, Multiloop) and any(
        y.spread or is_hashed(y.generator) or groups(y.generator) for y in node.yields()
    )


class _TaskKernel(Kernels):
    """A sequential loop without loops over arrays: one item."""

    def plan(self) -> KernelPlan:
        node = self.statement.node
        assert isinstance(node, Loop)
        e = self.emitter
        values = {
            number: self.buffer(element(t), "value", 0, number)
            for number, t in enumerate(node.results)
            if not isinstance(t, GraphArray) and t != CERT
        }

        def body() -> None:
            loop(e, self.statement, node, emit)
            for number, name in values.items():
                found = e.values[node, number]
                assert isinstance(found, ScalarRep)
                place = load(name, ZERO)
                e.assign(place, convert(place.type, found.value))
            for number, t in enumerate(node.results):
                if isinstance(t, GraphArray):
                    self._result(number, t)

        self.kernel("main", body)
        return self.finish()

    def _result(self, number: int, t: GraphArray) -> None:
        """Copy a carried array to where it is a result."""
        e, node = self.emitter, self.statement.node
        found = e.values[node, number]
        assert isinstance(found, MemoryRep)
        e.need_known(found.shape)
        name = self.buffer(t.element, "output", 0, number, "y")
        e.copy(representations.dense(t.element, name, found.shape), found)
