"""The passes on structured code, in their order: kernel -> kernel.

`CHANGES` change the code, which its text shows; `MARKS` note beside it what the printing of C may
rely on.  Each can be switched off by its name, and the program means the same.  `after` is called
with the name of each that is done, as `verify` is, which checks the code.  What has to be done is
no pass: to find loops (`structure`), types (`infer`) and who calls whom (`facts`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.cbody import MOST_BYTES
from cogen.backends.kernel.cfacts import ProcedureFacts, facts, reached
from cogen.backends.kernel.cloops import count_loops
from cogen.backends.kernel.join_distances import join_distances
from cogen.backends.kernel.lanes import ByteLanes, byte_lanes
from cogen.backends.kernel.loop_versions import loop_versions
from cogen.backends.kernel.prune import fold_branches, prune
from cogen.backends.kernel.ranges import intervals, of_assigned
from cogen.backends.kernel.structure import structure
from cogen.backends.kernel.structuredcheck import check
from cogen.backends.kernel.types import Types, infer
from cogen.backends.kernel.within import proven
from cogen.interval import Interval
from cogen.lang import il
from cogen.lang.errors import InternalError
from cogen.residual import ResidualProgram


@dataclass(slots=True)
class StructuredKernel:
    """The procedures of a residual program as structured code, with their types."""

    residual: ResidualProgram
    procedures: list[st.KernelProcedure]
    types: Types


@dataclass(slots=True)
class MarkedKernel:
    """A kernel with what is known of it, by the names of procedures.  Without the passes that find
    it nothing is known."""

    residual: ResidualProgram
    types: Types
    facts: ProcedureFacts
    bounds: dict[str, dict[str, Interval]] = field(default_factory=dict)
    """The intervals of variables that are assigned again."""
    intervals: dict[str, dict[str, Interval]] = field(default_factory=dict)
    """Those of all variables."""
    inside: dict[str, set[st.Op]] = field(default_factory=dict)
    """The loads and stores that tests before them prove to be in bounds."""
    lanes: dict[str, ByteLanes] = field(default_factory=dict)
    """The loops over bytes."""

    def __post_init__(self) -> None:
        for procedure in self.procedures:
            self.bounds.setdefault(procedure.name, {})
            self.inside.setdefault(procedure.name, set())
            self.lanes.setdefault(procedure.name, ByteLanes(set(), set()))

    @property
    def procedures(self) -> list[st.KernelProcedure]:
        """Callees before callers."""
        return self.facts.order


@dataclass(frozen=True, slots=True)
class ChangePass:
    """A pass by the name that switches it off; the code is changed where it stands."""

    name: str
    run: Callable[[StructuredKernel], None]


@dataclass(frozen=True, slots=True)
class MarkPass:
    """A pass that finds something out, and notes it."""

    name: str
    run: Callable[[MarkedKernel], None]


def _branches(kernel: StructuredKernel) -> None:
    """(if (integer? x) a b) -> a, where x is an integer by its type."""
    fold_branches(kernel.procedures, kernel.types)


def _distances(kernel: StructuredKernel) -> None:
    """Variables of loops that stay a known distance apart become one; not in checked code, where
    an address that is computed twice would be checked twice."""
    if not kernel.residual.checked:
        for procedure in kernel.procedures:
            join_distances(procedure, kernel.types)


def _prune(kernel: StructuredKernel) -> None:
    """What nothing needs goes."""
    prune(kernel.procedures)


def _ranges(kernel: MarkedKernel) -> None:
    """The intervals of what is assigned again."""
    for one in kernel.procedures:
        found = intervals(one, kernel.types, kernel.residual.word_size)
        kernel.intervals[one.name] = found
        kernel.bounds[one.name] = of_assigned(one, found)


def _within(kernel: MarkedKernel) -> None:
    """What tests prove to be in bounds."""
    most = MOST_BYTES // (kernel.residual.word_size // 8)
    for one in kernel.procedures:
        known = kernel.intervals.get(one.name, {})
        kernel.inside[one.name] = proven(one, kernel.types, known, most)


def _count(kernel: MarkedKernel) -> None:
    """Loops that count become counted ones, which check bounds once; a counter is as wide as the
    language's integers."""
    for one in kernel.procedures:
        count_loops(one, kernel.types, kernel.residual.checked)
        for statement in st.walk(one.body):
            if isinstance(statement, st.KernelLoop) and statement.counted is not None:
                kernel.bounds[one.name].pop(statement.counted.counter, None)


def _sweep(kernel: MarkedKernel) -> None:
    """What nothing needs, since loops count by themselves."""
    prune(kernel.procedures)


def _lanes(kernel: MarkedKernel) -> None:
    """Loops over bytes."""
    for one in kernel.procedures:
        found = byte_lanes(one, kernel.bounds[one.name], kernel.residual.word_size)
        kernel.lanes[one.name] = found


def _versions(kernel: StructuredKernel) -> None:
    """Loops that look up in a part of a buffer have a version for buffers that have all of it."""
    if not kernel.residual.checked:
        for procedure in kernel.procedures:
            loop_versions(procedure, kernel.types, kernel.residual.word_size)


CHANGES: Final[tuple[ChangePass, ...]] = (
    ChangePass("branches", _branches),
    ChangePass("distances", _distances),  # of code without the arms that are not taken
    ChangePass("prune", _prune),  # of all that those before have made, and need not
    ChangePass("versions", _versions),  # of what is left
)
MARKS: Final[tuple[MarkPass, ...]] = (
    MarkPass("ranges", _ranges),  # while counters are still assigned
    MarkPass("within", _within),
    MarkPass("count", _count),
    MarkPass("sweep", _sweep),  # of the steps of counters
    MarkPass("lanes", _lanes),  # of loops that count
)
NAMES: Final = (*[change.name for change in CHANGES], *[mark.name for mark in MARKS])
"""What can be switched off, in order."""


After = Callable[[str, Sequence[st.KernelProcedure]], None]
"""Called after each pass with its name (`structure` before the first) and the code."""


def verify(name: str, procedures: Sequence[st.KernelProcedure]) -> None:
    """InternalError, with the pass, for code that is not well-formed."""
    try:
        check(procedures)
    except InternalError as error:
        raise InternalError(f"after {name}: {error.message}") from None


def structured_kernel(
    residual: ResidualProgram, off: frozenset[str] = frozenset(), after: After | None = None
) -> StructuredKernel:
    """A residual program as structured code, changed by all passes but those that are `off` (on a
    deep stack).

    LimitationError for what C cannot express."""
    procedures = reached([structure(f) for f in _functions(residual)], residual.entry)
    prune(procedures, typed=False)  # what is not needed may have no type
    types = infer(procedures, residual.entry, residual.parameters)
    if types.vectors:
        residual = replace(residual, checked=True)
    kernel = StructuredKernel(residual, procedures, types)
    if after is not None:
        after("structure", procedures)
    for step in CHANGES:
        if step.name not in off:
            step.run(kernel)
            if after is not None:
                after(step.name, procedures)
    return kernel


def marked_kernel(
    residual: ResidualProgram,
    procedures: Sequence[st.KernelProcedure],
    types: Types,
    off: frozenset[str] = frozenset(),
    after: After | None = None,
) -> MarkedKernel:
    """What is known of structured code, by all passes but those that are `off`."""
    kernel = MarkedKernel(residual, types, facts(procedures, residual.entry, types))
    for step in MARKS:
        if step.name not in off:
            step.run(kernel)
            if after is not None:
                after(step.name, kernel.procedures)
    return kernel


def _functions(residual: ResidualProgram) -> list[il.Function]:
    definitions: list[il.Define] = []
    for item in residual.program.items:
        if not isinstance(item, il.Define):
            raise InternalError("a residual program has only procedures")
        definitions.append(item)
    if not any(item.name == residual.entry for item in definitions):
        raise InternalError(f"the residual program has no procedure {residual.entry}")
    return [item.function for item in definitions]
