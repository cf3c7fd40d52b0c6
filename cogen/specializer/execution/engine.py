"""What carries out code (`execution.machine`) and calls (`execution.calls`), as those see it that
have something carried out.

Note [Turns]
    An arm of a conditional may be long: in the interpreted program it is where a loop ends, and
    everything comes after it.  The other one may come back to where the loop begins, and show that
    less is known there; then nothing of what the first has done is of use.  So arms take turns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from cogen.lang import il
from cogen.lang.errors import Span
from cogen.specializer.execution.parts import Parts
from cogen.specializer.paths.path import Path
from cogen.specializer.values.arguments import Arguments, RootCall
from cogen.specializer.values.domain import (
    Activation,
    Closure,
    Continuation,
    Environment,
    Return,
    Value,
)
from cogen.specializer.versions.unending import CodeRecord

Control = tuple[il.Block, int, Environment, Activation | None]
"""The code to run next: a block, from which of its bindings on, what it knows, and for whom."""


TURN: Final = 64
"""So many calls an arm may unfold before another one that waits takes its turn."""

NEVER: Final = 1 << 62


class Engine(ABC):
    """Executes paths; `work` are the arms still to be run."""

    calls: Calling

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.context = parts.context
        self.work: list[tuple[Path, Control]] = []
        self.result: Value | None = None
        self.record: CodeRecord | None = None
        """What records the code that is come to, where it may go in rounds for ever."""
        self.turn = NEVER
        """After so many calls unfolded in the block the arm that runs gives way to others."""

    def finish(self) -> None:
        """Run the arms that are left; see Note [Turns]."""
        limits, work = self.context.limits, self.work
        try:
            while work:
                arm = work.pop()
                self.turn = limits.unfoldings_in_block + TURN if work else NEVER
                self.run(*arm)
        finally:
            self.turn = NEVER

    def taken(self) -> Value | None:
        """The value that the last definition came to, if any; it is given once."""
        found, self.result = self.result, None
        return found

    @abstractmethod
    def run(self, path: Path, control: Control) -> None:
        """Execute code, and what it leads to, to the path's end."""

    @abstractmethod
    def apply(
        self, path: Path, k: Continuation, values: list[Value], span: Span | None, cut: bool = False
    ) -> Control | None:
        """Continue with values: the code to run next, or None if the path ended.  A memo point is
        put before what continues in the same block if `cut`; it is where the continuation stands,
        whoever comes there."""


class Calling(ABC):
    """Carries out calls for an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.parts = engine.parts
        self.context = engine.context
        self.caller: Activation | None = None
        """The activation that makes the call being carried out."""
        self.is_tail: bool | None = True
        """Whether that call ends what makes it, in the program; `TailCalls` may end it too.  None
        if a run keeps its place nevertheless (`lang.runtime.remember_call`)."""

    @abstractmethod
    def call(self, path: Path, function: Value, arguments: Arguments) -> Control | None:
        """Call a value: unfold what is known, else leave a residual call."""

    @abstractmethod
    def enter(
        self, path: Path, closure: Closure, arguments: Arguments, root: str | None = None
    ) -> Control:
        """Unfold a call whose arguments fit; a rest argument is a list already.  `root` is what
        people call it if it begins a residual procedure."""

    @abstractmethod
    def memo_call(self, path: Path, function: Value, arguments: Arguments) -> None:
        """A memo point at a call, with the function, its arguments and its continuation."""

    @abstractmethod
    def residual_call(self, path: Path, function: il.Atom, arguments: Arguments) -> Control | None:
        """Call something unknown with lifted arguments."""

    @abstractmethod
    def carry_out(
        self, path: Path, procedure: Closure, arguments: list[Value], span: Span | None
    ) -> bool:
        """Carry out a procedure in place; False if the path ended."""

    @abstractmethod
    def begin(
        self, path: Path, closure: Closure, arguments: list[Value], k: Return, origin: RootCall
    ) -> None:
        """Carry out a closure with arguments as the beginning of a residual procedure."""

    @abstractmethod
    def call_if_recursive(self, path: Path, closure: Closure, arguments: Arguments) -> bool:
        """End the path with a residual call, if that is what the call is to be."""

    @abstractmethod
    def hint_of(self, function: il.Function) -> str:
        """What people call a procedure: one without a name of its own after its caller."""
