"""functions -> functions: iterations whose condition holds are found first, block by block.

    for i from start to stop                    for each block of the iterations
        x = a[i]                                    for each i: held[kept] = a[i],
        if x < 0.5                                      kept += a[i] < 0.5
            s = s + x                     ->        for each k of those kept: x = held[k]
            y[count] = s                                s = s + x
            count += 1                                  y[count + k] = s
                                                    count += kept

The first inner loop has no jumps, of which a processor would foretell half wrong where half of the
iterations pass. The second does only what is to be done, and scans and stores in it go in vectors
(`cogen.array.loops.block_scans`), as those of an array without the others would.

A condition is a test without which an iteration does nothing: with False in its place, all that is
left computes what nothing uses, or combines accumulators with what changes none. What the test is
made of is computed in the first loop, with elements that are read at the index; it must not depend
on what iterations change. All else is done in the second, in the order in which it was, so the
failure that is told is the same.

Where nearly all iterations of a block pass, or hardly any, a processor foretells the jumps right,
and holding costs more than they do. So if the second loop is none of vectors, and the test is
cheap, those that pass are counted first among a quarter, in vectors, and such a block is done as it
was:

    for each block of the iterations
        for each i of its first quarter: passing += a[i] < 0.5
        if passing is about a half of that: as above
        else: for each i: as before
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied, copied_with
from cogen.array.loops.dividing import changed, has_effect, is_total, made_of
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    both,
    choose,
    convert,
    is_number,
    less,
    load,
    minus,
    natural,
    over,
    plus,
    value_of,
)
from cogen.array.loops.look_ahead import LOOKUPS
from cogen.array.loops.rewriting import Change, expression, rewritten, standing_for
from cogen.array.loops.stream import work
from cogen.array.loops.tree import (
    BOOL,
    I64,
    Binary,
    Block,
    Combination,
    Const,
    Expr,
    Number,
    Operate,
    Pointer,
    Statement,
    Var,
)

BLOCK: Final = natural(1024)
"""Iterations of a block: what is held of them stays in the first cache."""

LEAST: Final = 64
"""Loops of fewer iterations are left as they are."""

MOST_HELD: Final = 6
"""More values of an iteration are not held."""

ONE_IN: Final = 16
"""If no more iterations than one in so many do not pass, or do, a processor foretells which."""

MOST_TRIED: Final = 16
"""So many tests of an iteration are tried, from the first on: each asks all that it does."""

MOST_COUNTED: Final = 12
"""A test that costs more, in additions, is not computed for counting alone."""

COUNTED: Final = 4
"""One in so many iterations of a block is looked at for that."""

ADD: Final = "int.add"
"""The operation that counts."""

COUNTING: Final = Combination("+", 0, ADD)
"""How many iterations pass."""


def block_filters(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with their conditional iterations in blocks."""
    names = UntakenNames(functions)
    return tuple([replace(f, body=_block(f.body, names)) for f in functions])


def _block(block: Block, names: UntakenNames) -> Block:
    found: list[Statement] = []
    for statement in block:
        inner = [_block(own, names) for own in treewalk.blocks(statement)]
        made = treewalk.with_blocks(statement, inner)
        parts = divide(made) if isinstance(made, tree.For) else None
        if parts is None:
            found.append(made)
        else:
            assert isinstance(made, tree.For)
            found += _FilterBlocks(made, parts, names).statements()
    return tuple(found)


# Which loops, and where they are divided.


@dataclass(frozen=True, slots=True)
class FilterParts:
    """What is computed of all iterations, the test, and what is done where it holds; what of the
    first the last uses. `counters` grow by one in each iteration that passes."""

    early: Block
    test: Expr
    late: Block
    crossing: tuple[Var, ...]
    counters: Mapping[Var, int]
    """With where in `late` they grow."""


def divide(loop: tree.For) -> FilterParts | None:
    """The parts of a loop whose iterations do nothing unless a test holds; None if there is no such
    test, or nothing would be gained."""
    if not isinstance(loop.mark, (tree.Running, tree.Tables, type(None))) or loop.step != ONE:
        return None
    size = minus(loop.stop, loop.start)
    if is_number(size) and value_of(size) < LEAST:
        return None
    if not _can_be_divided(loop.body):
        return None
    known = _MarkFacts.of(loop.mark)
    lets = [(at, s.variable) for at, s in enumerate(loop.body) if isinstance(s, tree.Let)]
    tests = [(at, variable) for at, variable in lets if variable.type == BOOL]
    for at, test in tests[:MOST_TRIED]:
        if is_idle(decided(loop.body, test, False), known):
            return _parts(loop, at, test)
    return None


def _can_be_divided(body: Block) -> bool:
    """Whether all statements are such that others may stand for expressions in them, and none
    leaves the loop but by a failure."""
    for statement in treewalk.all_statements(body):
        match statement:
            case tree.Break() | tree.Parallel() | tree.Scan():
                return False
            case tree.For(mark=tree.Tables() | tree.Shared()):
                return False
    return True


@dataclass(frozen=True, slots=True)
class _MarkFacts:
    """What a mark says: how accumulators are combined, and what counts."""

    combined: Mapping[Var, Combination]
    counts: tuple[Var, ...] = ()

    @staticmethod
    def of(mark: tree.Mark | None) -> _MarkFacts:
        if not isinstance(mark, tree.Running):
            return _MarkFacts({})
        pairs = (*mark.scans, *mark.accumulators)
        return _MarkFacts({variable: how for how, variable in pairs}, mark.counts)


def _parts(loop: tree.For, at: int, test: Var) -> FilterParts | None:
    body = loop.body
    early = made_of(frozenset([test.name]), body[: at + 1], changed(body), loop.index)
    if early is None:
        return None
    rest = tuple([s for s in body if s not in early])
    late = decided(rest, test, True)
    used = treewalk.mentioned(tuple(late))
    crossing = [v for s in early for v in treewalk.declared(s) if v.name in used and v != test]
    if loop.index.name in used:
        crossing.append(loop.index)
    if len(crossing) > MOST_HELD or not all(isinstance(v.type, Number) for v in crossing):
        return None
    return FilterParts(early, test, tuple(late), tuple(crossing), _counters(late))


def _counters(late: Sequence[Statement]) -> dict[Var, int]:
    """The variables of outside that each iteration makes one more, and nothing else changes."""
    changes: dict[Var, int] = {}
    for s in treewalk.all_statements(tuple(late)):
        for variable in [s.variable] if isinstance(s, tree.Assign) else treewalk.declared(s):
            changes[variable] = changes.get(variable, 0) + 1
    return {
        s.variable: at
        for at, s in enumerate(late)
        if isinstance(s, tree.Assign) and changes[s.variable] == 1 and _is_one_more(s)
    }


def _is_one_more(s: tree.Assign) -> bool:
    if s.sign == "+" and s.variable.type == I64:
        return s.value == ONE
    return not s.sign and s.value == _one_more(s.variable, ONE)


def _one_more(variable: Var, much: Expr) -> Expr:
    """A number that may be any, and so much more."""
    t = variable.type
    assert isinstance(t, Number)
    more = Const(much.value, t) if isinstance(much, Const) else convert(t, much)
    return Operate(ADD, (variable, more), t)


# What a loop does where its test holds, and where it does not.


def decided(block: Block, test: Var, holds: bool) -> list[Statement]:
    """Statements, with a test that is decided."""
    return _decided(block, {test: Const(holds, BOOL)})


def _decided(block: Block, values: dict[Var, Expr]) -> list[Statement]:
    change = _folding(values)
    found: list[Statement] = []
    for statement in block:
        match statement:
            case tree.Let(variable, e):
                e = expression(e, change)
                if isinstance(e, Const):
                    values[variable] = e
                else:
                    found.append(tree.Let(variable, e))
            case tree.IfStatement(e, then, otherwise):
                e = expression(e, change)
                if isinstance(e, Const):
                    found += _decided(then if e.value else otherwise, values)
                else:
                    ways = [tuple(_decided(own, dict(values))) for own in (then, otherwise)]
                    found.append(tree.IfStatement(e, *ways))
            case _:
                found += rewritten((statement,), change)
    return found


def _folding(values: Mapping[Var, Expr]) -> Change:
    """Variables that are known, and what follows from them."""

    def change(e: Expr) -> Expr | None:
        match e:
            case Var():
                return values.get(e)
            case tree.Choose(Const(value), then, otherwise):
                return then if value else otherwise
            case tree.Not(Const(value)) | Operate("bool.not", (Const(value),)):
                return Const(not value, BOOL)
            case Operate("bool.to_int", (Const(value),), t):
                return Const(int(bool(value)), t)
            case tree.Convert(Number() as t, Const(bool() as value)) if t != BOOL:
                return Const(int(value), t)
            case Operate("bool.and", (a, b)) | tree.Binary("&&", a, b):
                return _conjoined(a, b)
        return None

    return change


def _conjoined(a: Expr, b: Expr) -> Expr | None:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const):
            return other if one.value else one
    return None


def is_idle(block: Sequence[Statement], known: _MarkFacts) -> bool:
    """Whether statements do nothing that anything outside of them could see. An element behind
    those that are counted is not seen."""
    own: set[Var] = set()
    for statement in block:
        if any(map(has_effect, treewalk.expressions(statement))):
            return False
        match statement:
            case tree.Let(variable) | tree.Variable(variable):
                own.add(variable)
            case tree.Assign(variable):
                if variable not in own and not _stays(statement, known.combined.get(variable)):
                    return False
            case tree.Store(_, Var() as place) if place in known.counts:
                pass
            case tree.IfStatement(_, then, otherwise):
                if not is_idle(then, known) or not is_idle(otherwise, known):
                    return False
            case _:
                return False
    return True


def _stays(s: tree.Assign, how: Combination | None) -> bool:
    """Whether a variable is assigned what it has."""
    if s.sign or s.value == s.variable:
        return not s.sign or (s.sign == "+" and s.value == ZERO)
    taken = None if how is None else how.taken(s.variable, s.value)
    if how is None or how.identity is None or not isinstance(taken, Const):
        return False
    return taken.value == how.identity


# The loops.


@dataclass(slots=True)
class _FilterBlocks:
    """A loop in blocks."""

    loop: tree.For
    parts: FilterParts
    names: UntakenNames

    def statements(self) -> list[Statement]:
        loop, fresh = self.loop, self.names.fresh
        begin, size, kept = fresh("begin", I64), fresh("size", I64), fresh("kept", I64)
        held = {v: fresh("held", Pointer(v.type)) for v in self.parts.crossing}
        left = minus(loop.stop, begin)
        apart: Block = (
            *[tree.Room(room, BLOCK) for room in held.values()],
            tree.Variable(kept, ZERO),
            self.keeping(begin, size, kept, held),
            self.doing(kept, held),
            *[self.grown(v, kept) for v in self.parts.counters],
        )
        if self.is_counted():
            apart = self.chosen(begin, size, apart)
        body = (tree.Let(size, choose(less(left, BLOCK), left, BLOCK)), *apart)
        return [tree.For(begin, loop.start, loop.stop, BLOCK, body)]

    def is_counted(self) -> bool:
        """Whether how many iterations pass is worth while to know before."""
        early, index = self.parts.early, self.loop.index
        return (
            isinstance(self.loop.mark, tree.Tables | None)
            and not self.parts.counters
            and work(early) <= MOST_COUNTED
            and all(is_total(e, index) for s in early for e in treewalk.expressions(s))
        )

    def chosen(self, begin: Var, size: Var, apart: Block) -> Block:
        """A block of iterations as it was, or apart if about a half passes."""
        index = self.names.fresh(self.loop.index.name, I64)
        passing = self.names.fresh("passing", I64)
        test, made = self.tested(index)
        more = Operate(ADD, (passing, convert(I64, test)), I64)
        how = tree.Lanes(((COUNTING, passing),), few=True)
        looked_at = self.names.fresh("looked_at", I64)
        few = over(looked_at, natural(ONE_IN))
        half = both(less(few, passing), less(passing, minus(looked_at, few)))
        for table in self.looked_up():
            half = Binary("||", half, tree.Invoke("numbers_large", (table,), BOOL))
        own = self.names.fresh(self.loop.index.name, I64)
        as_it_was = copied(self.loop.body, {self.loop.index: own}, self.names)
        counting = (*made, tree.Assign(passing, more))
        whole = tree.For(own, begin, plus(begin, size), ONE, as_it_was, self.loop.mark)
        return (
            tree.Variable(passing, ZERO),
            tree.Let(looked_at, over(size, natural(COUNTED))),
            tree.For(index, begin, plus(begin, looked_at), ONE, counting, how),
            tree.IfStatement(half, apart, (whole,)),
        )

    def looked_up(self) -> tuple[Var, ...]:
        """The tables of outside in which iterations that pass look keys up: large ones are asked
        for them before, where nothing else but those is done (`cogen.array.loops.look_ahead`)."""
        found = [
            s.value.arguments[0]
            for s in self.parts.late
            if isinstance(s, tree.Let)
            and isinstance(s.value, tree.Invoke)
            and s.value.function in LOOKUPS
        ]
        return tuple(dict.fromkeys([table for table in found if isinstance(table, Var)]))

    def tested(self, index: Var) -> tuple[Expr, Block]:
        """The test of the iteration with an index, and what it is made of."""
        early, values = copied_with(self.needed(), {self.loop.index: index}, self.names)
        return expression(self.parts.test, standing_for(values)), early

    def needed(self) -> Block:
        """Of what is computed of all iterations, what the test is made of."""
        wanted = treewalk.names(self.parts.test)
        found: list[Statement] = []
        for s in reversed(self.parts.early):
            if any(v.name in wanted for v in treewalk.declared(s)):
                found.insert(0, s)
                wanted |= treewalk.mentioned((s,))
        return tuple(found)

    def keeping(self, begin: Var, size: Var, kept: Var, held: Mapping[Var, Var]) -> Statement:
        """The loop that holds what iterations that pass go on with."""
        index = self.names.fresh(self.loop.index.name, I64)
        early, values = copied_with(self.parts.early, {self.loop.index: index}, self.names)
        test = expression(self.parts.test, standing_for(values))
        stores = [tree.Store(room, kept, values[v]) for v, room in held.items()]
        body = (*early, *stores, tree.Assign(kept, convert(I64, test), "+"))
        return tree.For(index, begin, plus(begin, size), ONE, body)

    def doing(self, kept: Var, held: Mapping[Var, Var]) -> Statement:
        """The loop over the iterations that pass."""
        number = self.names.fresh("k", I64)
        loads: list[Statement] = []
        values: dict[Var, Expr] = {}
        for variable, room in held.items():
            own = self.names.fresh(variable.name, variable.type)
            loads.append(tree.Let(own, load(room, number)))
            values[variable] = own
        late, _ = copied_with(self.counted(number), values, self.names)
        return tree.For(number, ZERO, kept, ONE, (*loads, *late), self.mark())

    def counted(self, number: Var) -> Block:
        """What is done where the test holds, with the number of the iteration in the place of
        variables that it would count."""
        counters = self.parts.counters
        found: list[Statement] = []
        for at, statement in enumerate(self.parts.late):
            if at in counters.values():
                continue
            now: dict[Var, Expr] = {}
            for variable, place in counters.items():
                much = number if at < place else plus(number, ONE)
                now[variable] = self.more(variable, much)
            found += rewritten((statement,), standing_for(now))
        return tuple(found)

    def more(self, variable: Var, much: Expr) -> Expr:
        """What a counter is after it has grown by so much."""
        place = self.parts.late[self.parts.counters[variable]]
        assert isinstance(place, tree.Assign)
        return plus(variable, much) if place.sign else _one_more(variable, much)

    def grown(self, variable: Var, kept: Var) -> Statement:
        return tree.Assign(variable, self.more(variable, kept))

    def mark(self) -> tree.Mark | None:
        """What the iterations that pass need of one another."""
        mark, counters = self.loop.mark, self.parts.counters
        if not isinstance(mark, tree.Running):
            return mark
        if any(variable not in counters for variable in mark.counts):
            return None
        scans = tuple([own for own in mark.scans if own[1] not in counters])
        rest = tuple([own for own in mark.accumulators if own[1] not in counters])
        return tree.Running(scans, rest) if scans else tree.Apart(rest)
