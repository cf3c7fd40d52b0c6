"""Barrier cells: static state that a handler settles before anything could observe it.

A barrier cell (`make-barrier-cell content handler`, a definition of the top level) is a mutable
cell that always stays in the specializer's store: its content, however symbolic, is carried through
calls, returns, loops and continuations as part of every memo point's state, and never becomes an
object of the residual program.  Where control leaves what the specializer sees, the handler runs
first and brings the content back to what it was in the definition.  So the content is the same, and
known, on both sides: before and after a residual call, at the start and at the end of every
residual procedure.  (Seed 004 threads its cache through a modified implementation language.)

Barriers

* residual calls: of a procedure that stays, of an unknown one, of a control primitive;
* the return from the entry and from every residual procedure;
* operations that read, write or compare bytes and words of memory, or write output, unless they
  stand in the handler's own file: that file is trusted to keep the cell true;
* `init-cache`;
* a memo point that has many versions already which differ in nothing but what barrier cells hold:
  so these multiply no code without end.

Errors are none: what memory holds after an error that nothing handles is not specified.  A program
that handles errors has no cache (`cache-lines` is 0), so that its handlers see memory as it is.

A cell may have a second procedure, which runs before memo points, and is told whether one is where
arms of a conditional meet: what it does to the content (say, lift numbers that would make a version
each) holds from there on.

The handler is carried out at once and in place, so it must decide everything by what is known: a
dynamic conditional or a residual call in it is refused.  Laws: a handler that ends leaves the cell
as it was made; it runs only for cells that differ from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cogen.lang.errors import CogenError, LimitationError, Source, Span
from cogen.lang.prims import PRIMITIVES
from cogen.spec.domain import Cell, Closure, PartialPair, Ref, Static, Stop, Value
from cogen.spec.freeze import Frozen, Store, static_token
from cogen.spec.memo import Point

if TYPE_CHECKING:
    from cogen.spec.path import Path
    from cogen.spec.specializer import Specializer

OBSERVING: Final = frozenset(
    {
        name
        for name, row in PRIMITIVES.items()
        if row.effect == "output"
        or (row.effect != "pure" and {"memory", "bytevector"} & {*row.arguments})
    }
    | {"equal?", "equal-hash", "init-cache"}
)
"""The operations that are barriers."""

NONE: Final[frozenset[str]] = frozenset()

AUTOMATIC_LINES: Final = 8
"""Lines of the cache that --auto gives a program; its memo points have that many more versions."""

MOST_VERSIONS: Final = 4
"""Versions of a memo point for what barrier cells hold, at most, and one for each line of the
cache: a loop may begin with as many until the cache is full."""


@dataclass(frozen=True, slots=True)
class Barrier:
    """A cell's handler, what makes it fit to cross a memo point, what it holds when nothing is in
    it, and where it is defined."""

    ref: Ref
    content: Static
    handler: Closure
    passing: Closure | None
    span: Span | None

    @property
    def source(self) -> Source | None:
        """The file of the handler."""
        span = self.handler.function.span
        return span.source if span is not None else None


class Barriers:
    """The barrier cells of a program.

    `roots` belong to the roots of every state; `operations` are those that a path may carry out
    after `settle` only; `running` tells that a handler is being carried out.
    """

    def __init__(self, spec: Specializer) -> None:
        self.spec = spec
        self.roots: dict[str, Ref] = {}
        self.operations = NONE
        self.running = False
        self.setting: Ref | None = None
        self.automatic = False
        self._most_used = 0
        self._barriers: dict[int, Barrier] = {}

    def __contains__(self, number: int) -> bool:
        """Whether the store object of that number always stays in the store."""
        return number in self._barriers or (
            self.setting is not None and number == self.setting.number
        )

    def define(
        self,
        path: Path,
        content: Static,
        handler: Closure,
        passing: Closure | None,
        span: Span | None,
    ) -> Ref:
        """A new barrier cell."""
        ref = path.allocate("cell", (content,))
        self._barriers[ref.number] = Barrier(ref, content, handler, passing, span)
        self.roots[f"barrier.{ref.number}"] = ref
        self.operations = OBSERVING
        return ref

    def define_setting(self, path: Path, automatic: bool) -> None:
        """The cell of what `init-cache` has said last: lines, and whether words are carried.

        With --auto a program that says nothing has as many lines as make sense: those of the form
        that reloads words only hold what waits to be written, so too many cost nothing.
        """
        lines = AUTOMATIC_LINES if automatic else 0
        self.automatic = automatic
        self.setting = path.allocate("setting", (Static(lines), Static(False)))
        self.roots["init-cache"] = self.setting

    def settle(self, path: Path, span: Span | None, operation: bool = False) -> bool:
        """Run the handlers of cells that hold something, before an operation or anything else
        that stands at `span`; False if the path ended, because a handler certainly fails."""
        if self.running:
            return True
        for number, barrier in self._barriers.items():
            if self._is_clean(path.store, number, barrier):
                continue
            if operation and span is not None and span.source is barrier.source:
                continue
            if not self._run(path, barrier.handler, [], span):
                return False
            if not self._is_clean(path.store, number, barrier):
                raise CogenError("the barrier handler leaves something in its cell", barrier.span)
        return True

    def state(
        self,
        path: Path,
        point: Point,
        roots: Sequence[tuple[str, Any]],
        whole: bool,
        span: Span | None,
    ) -> Frozen | None:
        """The state at a memo point, None if the path ended.  Cells are settled if the point has
        many versions for what they hold."""
        spec = self.spec
        if not self._pass_on(path, point[0] == "cont", span):
            return None
        frozen = spec.freeze(spec.with_cells(roots), path.store, path.lifted)
        if self.are_clean(path.store):
            return frozen
        procedure = path.block.procedure
        versions = procedure.versions.get((point, frozen.key[: frozen.split], whole), 0)
        known = (point, frozen.key, whole) in procedure.blocks
        if known or versions < MOST_VERSIONS + self.distance(path.store):
            return frozen
        if not self.settle(path, span):
            return None
        return spec.freeze(spec.with_cells(roots), path.store, path.lifted)

    def _pass_on(self, path: Path, meeting: bool, span: Span | None) -> bool:
        """Make cells that hold something fit to cross a memo point, where arms of a conditional
        meet or another one; False if the path ended."""
        if self.automatic:
            self._note_use(path.store)
        return all(
            barrier.passing is None
            or self._is_clean(path.store, number, barrier)
            or self._run(path, barrier.passing, [Static(meeting)], span)
            for number, barrier in self._barriers.items()
        )

    def are_clean(self, store: Store) -> bool:
        """Whether no cell holds anything."""
        return all(self._is_clean(store, n, barrier) for n, barrier in self._barriers.items())

    def settled(self, store: Store) -> Store:
        """The store as handlers would leave it: what residual procedures start from."""
        return {**store, **{n: Cell("cell", [b.content], None) for n, b in self._barriers.items()}}

    def distance(self, store: Store) -> int:
        """How far from a leaf of a state an integer in a barrier cell counts as near it: as many
        words as the cache has lines."""
        if self.setting is None:
            return 0
        return store[self.setting.number].items[0].datum  # type: ignore[no-any-return]

    def statistics(self) -> dict[str, int]:
        """The cache that --auto has chosen, if anything uses it."""
        if not self._most_used:
            return {}
        return {"init-cache (words that wait to be written at a time)": self._most_used}

    def _note_use(self, store: Store) -> None:
        for number in self._barriers:
            used, content = 0, store[number].items[0]
            while type(content) is PartialPair:
                used, content = used + 1, content.cdr
            self._most_used = max(self._most_used, used)

    def refuse(self, span: Span | None) -> None:
        """Refuse what a handler must not do."""
        if self.running:
            raise LimitationError(
                "a barrier handler depends on something that only a run can know",
                span,
                hint="decide by early=, early-different? and known?",
            )

    def _is_clean(self, store: Store, number: int, barrier: Barrier) -> bool:
        content = store[number].items[0]
        return type(content) is Static and static_token(content.datum) == static_token(
            barrier.content.datum
        )

    def _run(
        self, path: Path, procedure: Closure, arguments: list[Value], span: Span | None
    ) -> bool:
        """Carry out a procedure of a cell; False if the path ended."""
        machine = self.spec.machine
        kept = machine.caller, machine.is_tail, machine.taken()
        own = path.calls, path.mark, path.through
        machine.is_tail, path.calls, path.mark = True, 0, None
        self.running = True
        try:
            state = machine.enter(path, procedure, arguments, Stop(), span)
            code, environment, activation = state
            machine.run(path, code, 0, environment, activation)
            return machine.taken() is not None
        finally:
            self.running = False
            machine.caller, machine.is_tail, machine.result = kept
            path.calls, path.mark, path.through = own
