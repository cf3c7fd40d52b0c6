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

from collections.abc import Callable
from typing import Final

from cogen.lang.errors import CogenError, LimitationError, Span
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Closure, PartialPair, Static, Value
from cogen.specializer.values.freeze import Frozen, Store
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.memo import Point, Roots

AUTOMATIC_LINES: Final = 8
"""Lines of the cache that --auto gives a program; its memo points have that many more versions."""

MOST_VERSIONS: Final = 4
"""Versions of a memo point for what barrier cells hold, at most, and one for each line of the
cache: a loop may begin with as many until the cache is full."""


class Barriers:
    """Settles the barrier cells of a program (`versions.cells`).

    `carry_out` carries out a procedure of a cell in place, and tells whether the path goes on;
    `running` tells that it does."""

    carry_out: Callable[[Path, Closure, list[Value], Span | None], bool]

    def __init__(self, context: Context, freezing: Freezing) -> None:
        self._cells = context.barriers
        self._freezing = freezing
        self.running = False
        self.automatic = False
        self._most_used = 0

    def define_setting(self, path: Path, automatic: bool) -> None:
        """Make the cell of what `init-cache` says.

        With --auto a program that says nothing has as many lines as make sense: those of the form
        that reloads words only hold what waits to be written, so too many cost nothing.
        """
        lines = AUTOMATIC_LINES if automatic else 0
        self.automatic = automatic
        self._cells.set_by(path.allocate("setting", (Static(lines), Static(False))))

    def settle(self, path: Path, span: Span | None, operation: bool = False) -> bool:
        """Run the handlers of cells that hold something, before an operation or anything else
        that stands at `span`; False if the path ended, because a handler certainly fails."""
        if self.running:
            return True
        for barrier in self._cells:
            if barrier.is_clean(path.store):
                continue
            if operation and span is not None and span.source is barrier.source:
                continue
            if not self._run(path, barrier.handler, [], span):
                return False
            if not barrier.is_clean(path.store):
                raise CogenError("the barrier handler leaves something in its cell", barrier.span)
        return True

    def state(
        self, path: Path, point: Point, roots: Roots, whole: bool, span: Span | None
    ) -> Frozen | None:
        """The state at a memo point, None if the path ended.  Cells are settled if the point has
        many versions for what they hold."""
        freezing = self._freezing
        if not self._pass_on(path, point[0] == "cont", span):
            return None
        frozen = freezing.freeze(freezing.with_cells(roots), path.store, path.lifted)
        if self._cells.are_clean(path.store):
            return frozen
        procedure = path.block.procedure
        versions = procedure.versions.get((point, frozen.key[: frozen.split], whole), 0)
        known = (point, frozen.key, whole) in procedure.blocks
        if known or versions < MOST_VERSIONS + self._cells.distance(path.store):
            return frozen
        if not self.settle(path, span):
            return None
        return freezing.freeze(freezing.with_cells(roots), path.store, path.lifted)

    def _pass_on(self, path: Path, meeting: bool, span: Span | None) -> bool:
        """Make cells that hold something fit to cross a memo point, where arms of a conditional
        meet or another one; False if the path ended."""
        if self.automatic:
            self._note_use(path.store)
        return all(
            barrier.passing is None
            or barrier.is_clean(path.store)
            or self._run(path, barrier.passing, [Static(meeting)], span)
            for barrier in self._cells
        )

    def statistics(self) -> dict[str, int]:
        """The cache that --auto has chosen, if anything uses it."""
        if not self._most_used:
            return {}
        return {"init-cache (words that wait to be written at a time)": self._most_used}

    def _note_use(self, store: Store) -> None:
        for barrier in self._cells:
            used, content = 0, store[barrier.ref.number].items[0]
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

    def _run(
        self, path: Path, procedure: Closure, arguments: list[Value], span: Span | None
    ) -> bool:
        """Carry out a procedure of a cell; False if the path ended."""
        self.running = True
        try:
            return self.carry_out(path, procedure, arguments, span)
        finally:
            self.running = False
