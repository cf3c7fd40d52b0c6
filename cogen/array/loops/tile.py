"""functions -> functions: loops that read packed memory, also around their index, do so in tiles.

    for i from 0 to n, apart               for t from 0 to n / 256
        x = get(u12, p, i)                     for j from 0 to 257: a[j] = get(u12, p + 384 * t, j)
        y = get(u12, p, i + 1)     ->          for j from 0 to 256, apart
        put(u8, q, i, f(x, y))                     x = a[j], y = a[j + 1]
                                                   put(u8, q, 256 * t + j, f(x, y))
                                           for i from 256 * (n / 256) to n: as before

What a tile reads is taken out of its words once, however often it is read, into a few elements that
stay in the processor's cache; the loop that does so is one that `strips` makes of words. What is
computed with small samples has 32 bits. Indices are a constant times the loop's index, plus a
constant, plus what does not change in the loop, if each sample begins with a byte; so filters, also
those that leave out samples, and rows of pictures are read so. Samples that are stored are so as
well: into a few elements, and from there. Loops that only add up samples of one memory, and those
that read at their index and store samples or read several fields of records, are left to `strips`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd, lcm
from typing import Final

from cogen.array.l0.storage import Samples
from cogen.array.loops import expressions as ex
from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied
from cogen.array.loops.narrow import Narrowing
from cogen.array.loops.replacing import of_loops
from cogen.array.loops.rewriting import rewritten
from cogen.array.loops.samples import in_bytes
from cogen.array.loops.strip_mine import sorts
from cogen.array.loops.strip_plans import (
    in_groups,
    is_read_in_words,
    period_of,
    plain_statements,
)
from cogen.array.loops.tree import (
    I32,
    I64,
    Binary,
    Expr,
    Get,
    Load,
    Number,
    Operate,
    Pointer,
    Put,
    Statement,
    Var,
)
from cogen.array.loops.versions import outside_of, versions

LENGTH: Final = 256
"""So many iterations are a tile, at least."""

MOST_ELEMENTS: Final = 1 << 13
"""So many elements of one memory it reads at most."""

MOST_ROOMS: Final = 8

MOST_APART: Final = 64
"""Samples that are farther apart are not taken out together."""


@of_loops
def tile(names: UntakenNames, loop: tree.For, before: list[Statement]) -> list[Statement] | None:
    """The functions with their loops around packed memory in tiles."""
    plan = None if sorts(before) else _plan(loop)
    return None if plan is None else _Tiles(plan, names).statements()


@dataclass(frozen=True, slots=True)
class _LinearIndex:
    """An int that depends on a loop's index: factor * index + distance + `fixed`, which does not
    change in the loop."""

    factor: int
    distance: int
    fixed: Expr = ex.ZERO


@dataclass(slots=True)
class _Room:
    """Samples that a tile reads: where they are, the factor of their indices, what is fixed in
    those, and the least and the greatest distance."""

    samples: Samples
    base: Expr
    last: Expr
    factor: int
    fixed: Expr
    distances: list[int] = field(default_factory=list)

    @property
    def first(self) -> int:
        """The distance of the first sample that is read: one with which a byte begins."""
        step = period_of(self.samples, 8)
        return min(self.distances) // step * step

    def count(self, length: int) -> int:
        """How many samples tiles of a length read."""
        return self.factor * (length - 1) + max(self.distances) - self.first + 1


@dataclass(frozen=True, slots=True)
class _Plan:
    """A loop that reads around its index."""

    loop: tree.For
    rooms: tuple[_Room, ...]
    places: dict[Get, tuple[_Room, _LinearIndex]]
    puts: tuple[Put, ...]
    length: int


def _plan(loop: tree.For) -> _Plan | None:
    """How a loop goes through packed memory; None if it does not, or only at its index."""
    statements = plain_statements(loop)
    if statements is None:
        return None
    packed = tuple([s for s in statements if isinstance(s, Put) and in_bytes(s.samples) is None])
    if not all(put in loop.body and put.index == loop.index for put in packed):
        return None
    places = _places(loop)
    if not places:
        return None
    rooms = tuple({id(room): room for room, _ in places.values()}.values())
    if all(line == _LinearIndex(1, 0) for _, line in places.values()):
        stores = any(isinstance(s, tree.Store | Put | tree.IfStatement) for s in statements)
        shared = len({room.base for room in rooms}) < len(rooms)  # by the fields of records
        if packed or shared or not (stores or len(rooms) > 1):
            return None  # strips do as well, or better
    stored = [put.samples for put in packed]
    step = lcm(*[period_of(own, 8) for own in (*[room.samples for room in rooms], *stored)])
    length = -(-LENGTH // step) * step
    if len(rooms) > MOST_ROOMS or any(room.count(length) > MOST_ELEMENTS for room in rooms):
        return None
    return _Plan(loop, rooms, places, packed, length)


def _places(loop: tree.For) -> dict[Get, tuple[_Room, _LinearIndex]]:
    """The samples that are read in each iteration, and where they are."""
    lines: dict[Var, _LinearIndex | None] = {loop.index: _LinearIndex(1, 0)}
    for s in treewalk.all_statements(loop.body):
        for variable in treewalk.declared(s):
            lines[variable] = None
        if isinstance(s, tree.Assign):
            lines[s.variable] = None
    found: dict[Get, _LinearIndex] = {}
    for statement in loop.body:
        if not isinstance(statement, tree.Let):
            continue
        lines[statement.variable] = _line(statement.value, lines)
        for get in _always(statement.value):
            line = _line(get.index, lines)
            if line is None or not _may_be_read(get, line):
                continue
            found[get] = line
    return _together(found)


def _together(lines: dict[Get, _LinearIndex]) -> dict[Get, tuple[_Room, _LinearIndex]]:
    """The rooms for samples: those that lie near each other share one."""
    rooms: dict[tuple[Samples, Expr, int, Expr], _Room] = {}
    places: dict[Get, tuple[_Room, _LinearIndex]] = {}
    for get, line in sorted(lines.items(), key=lambda entry: entry[1].distance):
        key = get.samples, get.base, line.factor, line.fixed
        room = rooms.get(key)
        if room is None or line.distance > max(room.distances) + MOST_APART:
            room = rooms[key] = _Room(get.samples, get.base, get.last, line.factor, line.fixed)
        room.distances.append(line.distance)
        places[get] = room, line
    return places


def _always(e: Expr) -> list[Get]:
    """The samples that are read whenever an expression is evaluated."""
    if isinstance(e, tree.Choose):
        return _always(e.test)
    own = [e] if isinstance(e, Get) else []
    return own + [get for operand in treewalk.operands(e) for get in _always(operand)]


def _may_be_read(get: Get, line: _LinearIndex) -> bool:
    samples = get.samples
    if not is_read_in_words(get) or samples.scale is not None or line.factor < 1:
        return False
    if line.fixed == ex.ZERO:
        return line.distance >= 0
    return _divisor(line.fixed) % period_of(samples, 8) == 0


def _divisor(e: Expr) -> int:
    """A number that divides an int."""
    match e:
        case _ if ex.is_number(e):
            return abs(ex.value_of(e))
        case Binary("+" | "-", a, b) | Operate("int.add" | "int.sub", (a, b)):
            return gcd(_divisor(a), _divisor(b))
        case Binary("*", a, b) | Operate("int.mul", (a, b)):
            return _divisor(a) * _divisor(b)
    return 1


def _line(e: Expr, lines: dict[Var, _LinearIndex | None]) -> _LinearIndex | None:
    """How an int depends on the index; None where that is not as we want it."""
    match e:
        case Var():
            return lines[e] if e in lines else _LinearIndex(0, 0, e)
        case _ if ex.is_number(e):
            return _LinearIndex(0, ex.value_of(e))
        case Binary("+", a, b) | Operate("int.add", (a, b)):
            return _added(_line(a, lines), _line(b, lines))
        case Binary("-", a, b) | Operate("int.sub", (a, b)) if ex.is_number(b):
            return _added(_line(a, lines), _LinearIndex(0, -ex.value_of(b)))
        case Binary("*", a, b) | Operate("int.mul", (a, b)):
            for one, other in ((a, b), (b, a)):
                line = _line(one, lines)
                if ex.is_number(other) and line is not None:
                    by = ex.value_of(other)
                    fixed = ex.times(line.fixed, other)
                    return _LinearIndex(line.factor * by, line.distance * by, fixed)
    return None


def _added(a: _LinearIndex | None, b: _LinearIndex | None) -> _LinearIndex | None:
    if a is None or b is None:
        return None
    return _LinearIndex(a.factor + b.factor, a.distance + b.distance, ex.plus(a.fixed, b.fixed))


class _Tiles:
    """Makes the loop over tiles, and that over what is left."""

    def __init__(self, plan: _Plan, names: UntakenNames) -> None:
        self.plan = plan
        self.names = names
        self.tile = names.fresh("tile", I64)
        self.inner = names.fresh("j", I64)
        self.narrowing = Narrowing()
        self.elements: dict[int, Var] = {}

    def statements(self) -> list[Statement]:
        loop, length = self.plan.loop, ex.natural(self.plan.length)
        count = self.names.fresh("tiles", I64)
        body: list[Statement] = []
        for room in self.plan.rooms:
            body += self.read(room)
        body += self.compute()
        last = self.names.fresh(loop.index.name, I64)
        rest = copied(loop.body, {loop.index: last}, self.names)
        sharing = in_groups(loop.sharing, self.plan.length)
        return [
            tree.Let(count, ex.over(loop.stop, length)),
            tree.For(self.tile, ex.ZERO, count, ex.ONE, tuple(body), loop.mark, sharing),
            tree.For(last, ex.times(count, length), loop.stop, ex.ONE, rest),
        ]

    def shifted(self, samples: Samples, factor: int, fixed: Expr, first: int) -> Expr:
        """How many bytes behind the first sample the first one of a tile is, if samples begin with
        bytes there."""
        group = len(samples.pieces)
        a_tile = ex.natural(self.plan.length * factor // group * samples.step // 8)
        own = ex.natural(first // group * samples.step // 8)
        if fixed == ex.ZERO:
            by_fixed: Expr = ex.ZERO
        elif samples.step % 8 == 0 and group == 1:
            by_fixed = ex.times(fixed, ex.natural(samples.step // 8))
        else:
            own_period = period_of(samples, 8)
            by_fixed = ex.times(
                ex.over(fixed, ex.natural(own_period)),
                ex.natural(own_period // group * samples.step // 8),
            )
        return ex.plus(ex.plus(ex.times(self.tile, a_tile), by_fixed), own)

    def read(self, room: _Room) -> list[Statement]:
        """Take what a tile reads out of its words."""
        size = max(room.samples.sizes)
        t: Number = I32 if size < 32 or (size == 32 and room.samples.kind == "signed") else I64
        elements = self.names.fresh("samples", Pointer(t))
        self.elements[id(room)] = elements
        at = self.names.fresh("at", I64)
        count = ex.natural(room.count(self.plan.length))
        index = self.names.fresh("j", I64)
        base, last = ex.plus(room.base, at), ex.minus(room.last, at)
        value = ex.convert(t, Get(room.samples, base, last, index, I64))
        taking = tree.Store(elements, index, value)
        return [
            tree.Let(at, self.shifted(room.samples, room.factor, room.fixed, room.first)),
            tree.Room(elements, count),
            tree.For(index, ex.ZERO, count, ex.ONE, (taking,), tree.Apart(())),
        ]

    def compute(self) -> list[Statement]:
        """The iterations of a tile, and the samples that they store."""
        loop, length = self.plan.loop, ex.natural(self.plan.length)
        found: list[Statement] = []
        stored: dict[Put, Var] = {}
        for put in self.plan.puts:
            t = I32 if max(put.samples.sizes) <= 32 else I64
            stored[put] = self.names.fresh("made", Pointer(t))
            found.append(tree.Room(stored[put], length))

        def make(narrowing: Narrowing) -> tree.For:
            return self.iterations(narrowing, stored)

        found.append(versions(outside_of(loop), make, self.names))
        return found + [s for put, made in stored.items() for s in self.store(put, made)]

    def iterations(self, narrowing: Narrowing, stored: dict[Put, Var]) -> tree.For:
        """The loop over the iterations of a tile, with what is known of numbers from outside."""
        self.narrowing = narrowing
        loop, length = self.plan.loop, ex.natural(self.plan.length)
        place = self.names.fresh("i", I64)
        body: list[Statement] = [tree.Let(place, ex.plus(ex.times(self.tile, length), self.inner))]
        for statement in loop.body:
            body += self.statement(statement, stored, place)
        made = tree.For(self.inner, ex.ZERO, length, ex.ONE, tuple(body), loop.mark)
        (own,) = copied((made,), {}, self.names)
        assert isinstance(own, tree.For)
        return own

    def statement(self, s: Statement, stored: dict[Put, Var], place: Var) -> list[Statement]:
        """A statement of an iteration, with ints as narrow as they can be."""
        found: list[Statement] = []
        made = stored.get(s) if isinstance(s, Put) else None
        if isinstance(s, tree.Let):
            s = tree.Let(s.variable, self.taken(s.value, found))
        (s,) = rewritten((s,), lambda e: place if e == self.plan.loop.index else None)
        if isinstance(s, tree.Let) and s.variable.type == I64:
            small = self.narrowing.small(s.value)
            if small is None:
                return [*found, tree.Let(s.variable, self.narrowing.narrowed(s.value))]
            own = self.names.fresh(s.variable.name, I32)
            self.narrowing.learn(own, small.least, small.greatest)
            self.narrowing.known[s.variable] = self.narrowing.known[own]
            return [*found, tree.Let(own, small.value)]
        (s,) = rewritten((s,), self.whole)
        if made is not None:
            assert isinstance(s, Put)
            assert isinstance(made.type, Pointer)
            s = tree.Store(made, self.inner, tree.Convert(made.type.target, s.value))
        return [*found, s]

    def taken(self, e: Expr, found: list[Statement]) -> Expr:
        """An expression with elements in place of samples, which come before it."""
        place = self.plan.places.get(e) if isinstance(e, Get) else None
        if place is None:
            return treewalk.with_operands(e, [self.taken(a, found) for a in treewalk.operands(e)])
        room, line = place
        elements = self.elements[id(room)]
        assert isinstance(elements.type, Pointer)
        at = ex.plus(
            ex.times(ex.natural(line.factor), self.inner), ex.natural(line.distance - room.first)
        )
        own = self.names.fresh("x", elements.type.target)
        found.append(tree.Let(own, Load(elements, at)))
        if own.type == I32:
            limits = [room.samples.limits(k) for k in range(len(room.samples.pieces))]
            least, greatest = min([a for a, _ in limits]), max([b for _, b in limits])
            self.narrowing.learn(own, least, greatest)
        return ex.convert(e.type, own)

    def whole(self, e: Expr) -> Expr | None:
        """A variable that has 32 bits now, with 64."""
        small = self.narrowing.known.get(e) if isinstance(e, Var) else None
        return None if small is None or e.type != I64 else ex.convert(I64, small.value)

    def store(self, put: Put, made: Var) -> list[Statement]:
        """Store the samples of a tile."""
        at, index = self.names.fresh("at", I64), self.names.fresh("j", I64)
        value = ex.convert(put.value.type, Load(made, index))
        own = Put(put.samples, ex.plus(put.base, at), index, value)
        return [
            tree.Let(at, self.shifted(put.samples, 1, ex.ZERO, 0)),
            tree.For(index, ex.ZERO, ex.natural(self.plan.length), ex.ONE, (own,), tree.Apart(())),
        ]
