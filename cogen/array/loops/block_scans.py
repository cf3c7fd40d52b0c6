"""functions -> functions: scans go block by block, in vectors.

    for i from start to stop, running(+ s)      for each block of the iterations
        x = f(a[i])                                 for each k: held[k] = f(a[begin + k])
        s = s + x                         ->        scan held after s, into y + begin
        y[i] = s                                    for each k: z[begin + k] = g(y[begin + k])
        z[i] = g(s)                             for the iterations that are left: the same

so that all loops are vectors', the scan itself too (`cogen.array.c.prefix`). Values that the
second loop needs of the first are kept, so nothing is computed twice. The operations of a scan are
grouped in another way than in the source, as those of a reduction are: L0 demands operators that
are associative. It takes loops of plain operations on numbers, of which none that is scanned
depends on what a scan gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from cogen.array.loops import expressions as ex
from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied_with, replaced
from cogen.array.loops.dividing import dependents, is_plain, names_of
from cogen.array.loops.replacing import other_loops, other_loops_in
from cogen.array.loops.split_short import plain_if_short
from cogen.array.loops.tree import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    U8,
    Block,
    Combination,
    Const,
    Expr,
    Invoke,
    Number,
    Pointer,
    Statement,
    Var,
)

SHORT_BLOCK: Final = ex.natural(16)
"""Iterations of a block: so few that the processor begins the next one while it waits for memory,
and a number that C's compiler knows, so that it keeps the buffer in registers."""

MIXED_BLOCK: Final = ex.natural(64)
"""Iterations of a block that reads elements of another width than it scans: of so few as above C's
compiler fills the buffer with narrow vectors, and wide ones that read it at once wait for these."""

LONG_BLOCK: Final = Invoke("block", (), I64)
"""Iterations of a block whose accumulated values a second loop reads."""

FEW: Final = 32
"""So few iterations of a loop within another one are quicker without blocks."""

FEW_READ: Final = 128
"""Likewise if a second loop reads the accumulated values."""

_WIDTHS: Final[dict[tree.Type, int]] = {I64: 8, F64: 8, I32: 4, F32: 4, U8: 1, BOOL: 1}
"""The bytes of elements."""

VECTORS: Final = (I64, F64, I32, F32)
"""The types of elements that are scanned in vectors."""


def block_scans(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with their scans in blocks."""
    return other_loops(functions, partial(_in_blocks, {}))


def _in_blocks(
    scans: dict[Expr, str], names: UntakenNames, loop: tree.For, before: list[Statement]
) -> list[Statement]:
    parts = _parts(loop)
    if parts is not None:
        return _ScanBlocks(loop, parts, names, scans).loops()
    return [replace(loop, body=other_loops_in(loop.body, partial(_within, scans, names)))]


def _within(
    scans: dict[Expr, str], names: UntakenNames, loop: tree.For, before: list[Statement]
) -> list[Statement] | None:
    """What stands for a loop in another one, which may have few iterations."""
    parts = _parts(loop)
    if parts is None:
        return None
    few = FEW_READ if parts.late else FEW
    return [plain_if_short(loop, few, names, _ScanBlocks(loop, parts, names, scans).loops())]


def _parts(loop: tree.For) -> ScanParts | None:
    return divide(loop, loop.mark) if isinstance(loop.mark, tree.Running) else None


# Which loops, and where they are divided.


@dataclass(frozen=True, slots=True)
class BlockScan:
    """One scan: how values are combined, its accumulator, the value of an iteration, and the array
    that is to have all that was accumulated, if there is one."""

    how: Combination
    variable: Var
    value: Expr
    target: Expr | None


@dataclass(frozen=True, slots=True)
class ScanParts:
    """What comes before the scans in an iteration, the scans, and what comes after them; the
    accumulators of each part, and the variables that cross from one to the other."""

    early: Block
    scans: tuple[BlockScan, ...]
    late: Block
    early_accumulators: tuple[tuple[Combination, Var], ...]
    late_accumulators: tuple[tuple[Combination, Var], ...]
    crossing: tuple[Var, ...]


def divide(loop: tree.For, mark: tree.Running) -> ScanParts | None:
    """The parts of a loop that can be taken in blocks; None if it cannot be."""
    if loop.step != ex.ONE or mark.counts or not all(map(is_plain, loop.body)):
        return None
    scans = {variable: how for how, variable in mark.scans}
    if not scans or any(variable.type not in VECTORS for variable in scans):
        return None
    values: dict[Var, Expr] = {}
    rest: list[Statement] = []
    for statement in loop.body:
        if isinstance(statement, tree.Assign) and statement.variable in scans:
            variable = statement.variable
            taken = None
            if not statement.sign:
                taken = scans[variable].taken(variable, statement.value)
            if taken is None or variable in values:
                return None
            values[variable] = taken
        else:
            rest.append(statement)
    late_names = dependents(rest, frozenset([variable.name for variable in scans]))
    if len(values) < len(scans) or any(treewalk.names(e) & late_names for e in values.values()):
        return None
    early = tuple([s for s in rest if not names_of(s) & late_names])
    later = [s for s in rest if names_of(s) & late_names]
    found, late = _targets(loop, scans, values, later)
    used = treewalk.mentioned(tuple(late))
    declared = [v for statement in early for v in treewalk.declared(statement)]
    crossing = [variable for variable in declared if variable.name in used]
    if not all(isinstance(variable.type, Number) for variable in crossing):
        return None
    own = [a for a in mark.accumulators if a[1].name not in late_names]
    after = [a for a in mark.accumulators if a[1].name in late_names]
    return ScanParts(early, found, tuple(late), tuple(own), tuple(after), tuple(crossing))


def _targets(
    loop: tree.For,
    scans: dict[Var, Combination],
    values: dict[Var, Expr],
    statements: Sequence[Statement],
) -> tuple[tuple[BlockScan, ...], list[Statement]]:
    """The scans, with the arrays that only have what each accumulated; the other statements."""
    targets: dict[Var, Expr] = {}
    rest: list[Statement] = []
    for statement in statements:
        match statement:
            case tree.Store(base, index, Var() as value, "") if (
                value in scans
                and value not in targets
                and index == loop.index
                and tree.target(base) == value.type
            ):
                targets[value] = base
            case _:
                rest.append(statement)
    found = [BlockScan(how, v, values[v], targets.get(v)) for v, how in scans.items()]
    return tuple(found), rest


def _is_mixed(parts: ScanParts) -> bool:
    """Whether elements are read of another width than those that are scanned."""
    types: set[tree.Type] = {scan.variable.type for scan in parts.scans}
    for statement in (*parts.early, *parts.late):
        for e in treewalk.expressions(statement):
            types |= {x.type for x in treewalk.within(e) if isinstance(x, tree.Load)}
    return len({_WIDTHS[t] for t in types if t in _WIDTHS}) > 1


# The loops.


@dataclass(slots=True)
class _ScanBlocks:
    """A loop in blocks."""

    loop: tree.For
    parts: ScanParts
    names: UntakenNames
    functions: dict[Expr, str]
    """The names of functions that scan, by what they combine two values to."""
    room: Expr = field(init=False)

    def loops(self) -> list[Statement]:
        loop = self.loop
        self.room = LONG_BLOCK if self.parts.late else SHORT_BLOCK
        if _is_mixed(self.parts):
            self.room = MIXED_BLOCK
        blocks = ex.times(ex.over(ex.minus(loop.stop, loop.start), self.room), self.room)
        whole = self.names.fresh("end", I64)
        begin = self.names.fresh("begin", I64)
        count = self.names.fresh("count", I64)
        left = (tree.Let(count, ex.minus(loop.stop, whole)), *self.block(whole, count))
        return [
            tree.Let(whole, ex.plus(loop.start, blocks)),
            tree.For(begin, loop.start, whole, self.room, self.block(begin, self.room)),
            tree.IfStatement(ex.less(whole, loop.stop), left),
        ]

    def block(self, begin: Var, count: Expr) -> Block:
        """A block of iterations."""
        held = [self.held(scan.variable) for scan in self.parts.scans]
        kept = {variable: self.held(variable) for variable in self.parts.crossing}
        rooms = [tree.Room(room, self.room) for room in (*held, *kept.values())]
        made: list[Statement] = [*rooms, self.before(begin, count, held, kept)]
        found: dict[Var, Expr] = {}
        for scan, room in zip(self.parts.scans, held, strict=True):
            target: Expr = room
            if scan.target is not None:
                part = self.names.fresh("part", room.type)
                made.append(tree.Let(part, ex.plus(scan.target, begin)))
                target = part
            made.append(self.scan(scan, count, room, target))
            found[scan.variable] = target
        if self.parts.late:
            made.append(self.after(begin, count, found, kept))
        return tuple(made)

    def held(self, variable: Var) -> Var:
        return self.names.fresh("held", Pointer(variable.type))

    def before(
        self, begin: Var, count: Expr, held: Sequence[Var], kept: dict[Var, Var]
    ) -> Statement:
        """The loop that makes the values to scan, and all that needs no accumulated values."""
        offset, index = self.names.fresh("k", I64), self.names.fresh(self.loop.index.name, I64)
        made, values = copied_with(self.parts.early, {self.loop.index: index}, self.names)
        stores = [
            tree.Store(room, offset, replaced(scan.value, values))
            for room, scan in zip(held, self.parts.scans, strict=True)
        ]
        stores += [tree.Store(room, offset, values[variable]) for variable, room in kept.items()]
        body = (tree.Let(index, ex.plus(begin, offset)), *made, *stores)
        mark = tree.Lanes(self.parts.early_accumulators, few=True)
        return tree.For(offset, ex.ZERO, count, ex.ONE, body, mark)

    def scan(self, scan: BlockScan, count: Expr, values: Var, out: Expr) -> Statement:
        t = scan.variable.type
        left, right = Var("left", t), Var("right", t)
        combined = scan.how.combine(left, right)
        name = self.functions.get(combined)
        if name is None:
            name = self.functions[combined] = self.names.fresh("scan", t).name
        neutral = None if scan.how.identity is None else Const(scan.how.identity, t)
        return tree.Scan(
            scan.variable, name, count, values, out, left, right, combined, neutral,
            place=self.loop.place,
        )  # fmt: skip

    def after(
        self, begin: Var, count: Expr, found: dict[Var, Expr], kept: dict[Var, Var]
    ) -> Statement:
        """The loop that uses accumulated values."""
        offset, index = self.names.fresh("k", I64), self.names.fresh(self.loop.index.name, I64)
        values: dict[Var, Expr] = {self.loop.index: index}
        body: list[Statement] = [tree.Let(index, ex.plus(begin, offset))]
        for variable, base in (*found.items(), *kept.items()):
            own = self.names.fresh(variable.name, variable.type)
            body.append(tree.Let(own, ex.load(base, offset)))
            values[variable] = own
        made, _ = copied_with(self.parts.late, values, self.names)
        mark = tree.Lanes(self.parts.late_accumulators, few=True)
        return tree.For(offset, ex.ZERO, count, ex.ONE, (*body, *made), mark)
