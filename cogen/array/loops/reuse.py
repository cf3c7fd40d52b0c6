"""functions -> functions: an array is made in the memory of one that it is the last to read.

    allocate b                              allocate b over a
    for i from 0 to n                       for i from 0 to n
        b[i] = f(a[i])             ->           b[i] = f(a[i])
    drop a                                  drop a

Each iteration reads a[i] before it stores b[i], at the same index, and nothing reads a afterwards;
iterations may be done in any order. Rows are like elements: b[i] may be made of a[i] by a loop of
this kind. That nothing else refers to a's memory, that it has room, and that a is its beginning, is
found out when the program runs (`tree.Allocate`): so parameters that were given up, accumulators
and what a loop carries are taken over where they can be, and nothing need be known of who shares
them. It is separate from `release`, which finds out when memory is not used any more, and comes
after `settle`, which asks what iterations store in memory of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cogen.array.loops import tree, treewalk
from cogen.array.loops.expressions import ONE, ZERO
from cogen.array.loops.regions import addresses, is_drop, start_of, users, uses
from cogen.array.loops.tree import Block, Expr, Pointer, Statement, Var


def reuse(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with arrays that take over the memory of others."""
    return tuple([replace(f, body=_block(f.body, addresses(f))) for f in functions])


def _block(block: Block, known: Mapping[str, frozenset[str]]) -> Block:
    found = [
        treewalk.with_blocks(s, [_block(own, known) for own in treewalk.blocks(s)]) for s in block
    ]
    taken: set[str] = set()
    if not any(isinstance(s, tree.Allocate) and s.over is None for s in found):
        return tuple(found)
    used = [uses(s) for s in found]
    for at, statement in enumerate(found):
        if isinstance(statement, tree.Allocate) and statement.over is None:
            after = [*zip(found[at + 1 :], used[at + 1 :], strict=True)]
            old = _taken_over(statement, after, known, taken)
            if old is not None:
                taken.add(old[0].name)
                found[at] = replace(statement, over=old)
    return tuple(found)


def _taken_over(
    made: tree.Allocate,
    after: Sequence[tuple[Statement, frozenset[str]]],
    known: Mapping[str, frozenset[str]],
    taken: set[str],
) -> tuple[Var, Var] | None:
    """A region that what is allocated may be in, and its first address; None if there is none.
    `after` it come statements, with what each uses."""
    new = users(made.variable.name, known)
    starts = [v for v in [start_of(s, made.variable) for s, _ in after] if v is not None]
    where = next((k for k, (s, own) in enumerate(after) if own & new and not _is_let(s)), None)
    if len(starts) != 1 or where is None:
        return None
    loop = after[where][0]
    if not isinstance(loop, tree.For):
        return None
    later = {v for s, _ in after for v in treewalk.declared(s)} | {made.variable}
    before = {name for _, own in after[:where] for name in own}  # may make references to regions
    used: frozenset[str] = frozenset()
    for statement, own in after[where + 1 :]:
        region = is_drop(statement)
        if region is not None and region.name not in taken | before and region not in later:
            old = users(region.name, known)
            sources = _addresses(loop, old) if old.isdisjoint(used) else []
            meeting = _RegionsMeeting(old, new)
            for source in [s for s in sources if s.type == starts[0].type and s not in later]:
                if meeting.each(loop, source, starts[0]):
                    return region, source
        used |= own
    return None


def _is_let(statement: Statement) -> bool:
    return isinstance(statement, tree.Let)


def _stores(statement: Statement, place: tree.Load) -> bool:
    """Whether a statement stores an element at a place."""
    match statement:
        case tree.Store(base, index, _, ""):
            return tree.Load(base, index) == place
    return False


def _addresses(loop: tree.For, names: frozenset[str]) -> list[Var]:
    """The variables with some names that a loop reads elements behind, or makes addresses of."""
    found: dict[Var, None] = {}
    for statement in treewalk.all_statements(loop.body):
        for e in treewalk.expressions(statement):
            found.update(
                (x, None)
                for x in treewalk.within(e)
                if isinstance(x, Var) and x.name in names and isinstance(x.type, Pointer)
            )
    return list(found)


@dataclass(slots=True)
class _RegionsMeeting:
    """Whether loops read elements of memory whose addresses have the names `old` only where they
    store those of other memory, `new`, afterwards."""

    old: frozenset[str]
    new: frozenset[str]

    def each(self, loop: tree.For, source: Var, target: Var) -> bool:
        """Whether iterations read behind `source` and store behind `target` at their index, as said
        above, and need nothing else of one another."""
        if not isinstance(loop.mark, tree.Lanes | tree.Apart) or loop.step != ONE:
            return False
        if loop.sharing is not None and not all(
            isinstance(join, tree.Reduced) for join in loop.sharing.joins
        ):
            return False
        heads = (loop.start, loop.stop, *treewalk.accumulators(loop.mark))
        if self._mentioned(*heads):
            return False
        if loop.sharing is not None and self._mentioned(*treewalk.shared_expressions(loop.sharing)):
            return False
        return self._elements(loop, source, target) or self._rows(loop, source, target)

    def _mentioned(self, *expressions: Expr) -> bool:
        return any(treewalk.names(e) & (self.old | self.new) for e in expressions)

    def _elements(self, loop: tree.For, source: Var, target: Var) -> bool:
        read, stored = tree.Load(source, loop.index), tree.Load(target, loop.index)
        return self._in_order(loop.body, read, stored, False) is not None

    def _in_order(
        self, block: Block, read: tree.Load, stored: tree.Load, done: bool, inner: bool = False
    ) -> bool | None:
        """Whether an element may be stored after some statements, if it may be before (`done`);
        None if they read another's, or read it when it is stored, or do so in an inner loop."""
        for statement in block:
            own = treewalk.expressions(statement)
            stores = not inner and _stores(statement, stored)
            if stores:
                own = own[2:]
            if not all(self._reads(e, read, stored, done) for e in own) or self._is_more(statement):
                return None
            loops = inner or isinstance(statement, tree.For | tree.While | tree.Parallel)
            after = [
                self._in_order(part, read, stored, done, loops)
                for part in treewalk.blocks(statement)
            ]
            if None in after:
                return None
            done = done or stores or any(after)
        return done

    def _is_more(self, statement: Statement) -> bool:
        """Whether a statement assigns an address, or joins with what parts have found."""
        match statement:
            case tree.Assign(variable):
                return self._mentioned(variable)
            case tree.For(sharing=tree.Sharing() as sharing):
                return self._mentioned(*treewalk.shared_expressions(sharing))
        return False

    def _reads(self, e: Expr, read: tree.Load, stored: tree.Load, done: bool) -> bool:
        """Whether an expression has to do with the memory in the one right way, if at all."""
        if e == read:
            return not done
        if e == stored:
            return done
        if isinstance(e, Var | tree.Address):
            return not self._mentioned(e)
        return all(self._reads(x, read, stored, done) for x in treewalk.operands(e))

    def _rows(self, loop: tree.For, source: Var, target: Var) -> bool:
        """Whether each iteration does the same to rows at its index that do not overlap."""
        rows: dict[bool, Var] = {}
        width: Expr | None = None
        inner: tree.For | None = None
        for statement in loop.body:
            if isinstance(statement, tree.Let):
                found = _row(statement.value, loop.index)
                if found is not None and found[0] in (source, target):
                    is_new = found[0] == target
                    if is_new in rows or width not in (None, found[1]):
                        return False
                    rows[is_new], width = statement.variable, found[1]
                    continue
            if uses(statement) & (self.old | self.new):
                if inner is not None or not isinstance(statement, tree.For):
                    return False
                inner = statement
        if inner is None or len(rows) < 2 or inner.start != ZERO or inner.stop != width:
            return False
        return self.each(inner, rows[False], rows[True])


def _row(e: Expr, index: Var) -> tuple[Expr, Expr] | None:
    """What an address is a row of at an index, and how many elements rows have."""
    match e:
        case tree.Binary("+", base, tree.Binary("*", a, width)) if a == index:
            return base, width
    return None
