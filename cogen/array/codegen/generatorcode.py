"""The generators of a loop as its code has them, and what is asked of the code of a loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from cogen.array.codegen.controlloops import Emit, LoopVariables
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.keytables import KeyTables
from cogen.array.codegen.representations import Array, Handle, MemoryRep
from cogen.array.ir.node import (
    Multiloop,
    Node,
    Yield,
)
from cogen.array.loops.expressions import ZERO
from cogen.array.loops.tree import AccumulatorRows, Combination, Expr, Statement, Var
from cogen.array.schedule.schedule import Scheduled
from cogen.array.schedule.schedule import Statement as NodeStatement


@dataclass(slots=True)
class Output:
    """One generator: its yield, its operator, and what its code uses."""

    yielded: Yield
    operator: Scheduled | None
    known: list[Combination | None]
    arrays: list[MemoryRep] = field(default_factory=list)
    """What is collected, scanned, bucketed or scattered into."""
    count: Expr = ZERO
    """The variable that counts, of a conditional Collect or Scan."""
    variables: LoopVariables | None = None
    """The accumulators of Reduce and Scan."""
    parts: list[Var] = field(default_factory=list)
    """Of kernels: arrays with what each part of the iterations has."""
    counts: Var | None = None
    """Of kernels: the array with how many each part has kept."""
    tables: KeyTables | None = None
    """The tables of the keys of a hashed Bucket, if it has no other's."""
    numbered: Output | None = None
    """Of a hashed Bucket that collects: what numbers its keys, which may be another Bucket."""
    numbers: MemoryRep | None = None
    """Of a hashed Bucket: the numbers of the iterations' keys."""
    keys: list[MemoryRep] = field(default_factory=list)
    """Of a hashed Bucket: the parts of all keys, when the loop is done."""
    rows: AccumulatorRows | None = None
    """Of a hashed Bucket that combines: its accumulators."""
    held: Handle | None = None
    """The reference to the region with these."""
    sorted: list[MemoryRep] = field(default_factory=list)
    """Of a Bucket that collects: what it gives, by key."""
    stored: dict[Node, MemoryRep] = field(default_factory=dict)
    """What a Bucket that collects takes and is no element of an input."""
    gathered: list[MemoryRep] = field(default_factory=list)
    """Of a Bucket that does not collect one row in each iteration: keys, of a hashed one their
    numbers, and values, in the order in which they come."""
    taken: Expr = ZERO
    """How many of these there are."""
    number: tuple[list[Statement], list[Expr], Expr] | None = None
    """Of a hashed Bucket: where a key was last looked up, which one, and its number."""
    finished_later: bool = False
    """Whether only what a Bucket takes that collects, or numbers, is stored here."""

    @property
    def counted(self) -> bool:
        counts = self.yielded.counts or self.finished_later
        return counts and self.yielded.conditional

    def place(self, index: Expr) -> Expr:
        """Where an array gets the value of an iteration."""
        return self.count if self.counted else index

    @property
    def running(self) -> bool:
        """Whether it is a scan whose accumulators the body uses, with this iteration's values."""
        return bool(self.yielded.running) and not self.yielded.before

    @property
    def places(self) -> range:
        """The numbers of the results that are arrays, of a generator that gives arrays."""
        return range(
            self.yielded.first + self.yielded.leads,
            self.yielded.first + self.yielded.gives,
        )


class LoopParts(Protocol):
    """What the modules for single generators ask of the code of their loop."""

    emitter: Emitter
    node: Multiloop
    statement: NodeStatement
    body: Scheduled
    size: Expr
    inputs: list[Array]
    outputs: list[Output]
    emit: Emit
    """What makes the code of statements."""
