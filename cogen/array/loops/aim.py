"""functions -> functions: a row is made where it is collected, not made elsewhere and copied.

    for i from 0 to n                         for i from 0 to n
        allocate r m                              let a = y + i * m
        let a = data(r)                           for j from 0 to m: a[j] = f(i, j)
        for j from 0 to m: a[j] = f(i, j)
        let row = y + i * m            ->
        copy(row, a, m)
        drop r

Loops are made with memory of its own for whatever they make, and copy it to where it belongs. Here
the memory goes where all of it is copied, nothing has to do with the place between, nothing changes
it afterwards, and nobody else can know of the place: it is in a region that was allocated in the
same function, or is an array that a kernel gives (`own`). What is copied there has room there, so
there is no need to look whether it is too large, either. It is separate from `reuse`, which knows
of no copies, and comes before all that divides loops, since it takes statements out of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cogen.array.loops import tree, treewalk
from cogen.array.loops.dividing import changed
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    is_number,
    natural,
    plus,
    product,
    times,
    value_of,
)
from cogen.array.loops.regions import (
    addresses,
    elements_copied,
    is_drop,
    is_mentioned,
    regions_of,
    users,
    uses,
    without_drops,
)
from cogen.array.loops.rewriting import Change, standing_for, with_expressions
from cogen.array.loops.tree import BLOCK, Block, Expr, Statement, Var

Names = frozenset[str]

PLACES = (tree.Var, tree.Const, tree.Binary, tree.Convert)
"""What addresses are made of that can be computed earlier."""


def aim(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with rows made in their places."""
    return tuple([replace(f, body=aimed(f, frozenset(), {})) for f in functions])


def aimed(part: tree.Function | tree.Kernel, own: Names, scratch: Mapping[str, Expr]) -> Block:
    """The statements of a function or kernel with rows made in their places. Nothing but parameters
    of the names `own` leads to what these point to; those of `scratch` point to memory for so many
    elements for each item."""
    given, used = _Once(_given_away), _Once(lambda statement, _: uses(statement))
    while any(_copy(s) is not None for s in treewalk.all_statements(part.body)):
        known = addresses(part, (*own, *scratch))
        body = _Aiming(known, scratch, given, used).block(part.body, own | scratch.keys())
        if body is None:
            break
        part = replace(part, body=body)
    return part.body


@dataclass(frozen=True, slots=True)
class _RowMemory:
    """New memory for so many elements, whose first address is declared `at` a place; the name of
    the region, or of the parameter, that it is in."""

    at: int
    first: Var
    size: Expr
    name: str


@dataclass(frozen=True, slots=True)
class _RowPlace:
    """Where elements are copied: the number of the statement that copies them, and an address,
    with the number of the statement that declares it, if that comes after they were made."""

    copied: int
    address: Var
    declared: int | None
    value: Expr


@dataclass(slots=True)
class _Aiming:
    """One search; `known` are the regions that addresses are in."""

    known: Mapping[str, Names]
    scratch: Mapping[str, Expr]
    given: _Once
    uses: _Once

    def block(self, block: Block, own: Names) -> Block | None:
        """Statements with one row that is made in its place, if there is one; `own` are the regions
        that nothing else leads to."""
        given: set[str] = set()
        for at, statement in enumerate(block):
            given |= self.given(statement)
            mine = own - given - self.placed(statement)
            for number, other in enumerate(inner := treewalk.blocks(statement)):
                found = self.block(other, mine)
                if found is not None:
                    parts = (*inner[:number], found, *inner[number + 1 :])
                    return (*block[:at], treewalk.with_blocks(statement, parts), *block[at + 1 :])
            if isinstance(statement, tree.Allocate):
                own |= {statement.variable.name}
        return self.first(block, own)

    def placed(self, statement: Statement) -> Names:
        """The regions that each thread stores some elements in, as `tree.Placed` says."""
        if not isinstance(statement, tree.For) or statement.sharing is None:
            return frozenset()
        joins = [join for join in statement.sharing.joins if isinstance(join, tree.Placed)]
        found = [regions_of(target, self.known) for join in joins for target, _ in join.targets]
        return frozenset().union(*found)

    def first(self, block: Block, own: Names) -> Block | None:
        """The same for what statements directly in a block make."""
        given: set[str] = set()
        for at, statement in enumerate(block):
            made = self.memory(block, at)
            if made is not None:
                found = self.row(block, made, own - given)
                if found is not None:
                    return found
            given |= self.given(statement)
        return None

    def memory(self, block: Block, at: int) -> _RowMemory | None:
        """The memory whose first address a statement declares."""
        match block[at]:
            case tree.Let(first, tree.Data(Var(region))) if at:
                match block[at - 1]:
                    case tree.Allocate(Var(name), _, size, _, None) if name == region:
                        return _RowMemory(at, first, size, region)
            case tree.Let(first, tree.Binary("+", Var(name), _)) if name in self.scratch:
                return _RowMemory(at, first, self.scratch[name], name)
        return None

    def row(self, block: Block, made: _RowMemory, own: Names) -> Block | None:
        """The block without memory of its own; None if that must be there."""
        before, region = block[: made.at], Var(made.name, BLOCK)
        after = without_drops(block[made.at + 1 :], region)
        holders = _holders(after, made.name)
        if holders is None:
            return None
        here = frozenset().union(*[users(name, self.known) for name in holders])
        for place in _copied_to(before, after, made):
            gone = {place.copied, place.declared}
            kept = tuple([s for k, s in enumerate(after) if k not in gone])
            is_used = place.declared is not None and any(
                place.address.name in self.uses(s) for s in kept
            )
            there = self.free(after, here, place, own)
            if not is_used and there is not None:
                break
        else:
            return None
        begins = tree.Let(made.first, place.value, place=block[made.at].place)
        if made.name in self.scratch:
            return (*before, begins, *kept)
        kept = _with_references(kept, standing_for({region: Var(there, BLOCK)}))
        return (*_without_check(before[:-1], made, kept), begins, *kept)

    def free(self, after: Block, here: Names, place: _RowPlace, own: Names) -> str | None:
        """The region in which elements are copied, if they may lie there before they are, and stay
        there; `here` are the names that have to do with where they are made."""
        between = [s for k, s in enumerate(after[: place.copied]) if k != place.declared]
        later = after[place.copied + 1 :]
        regions = regions_of(place.address, self.known)
        if len(regions) != 1 or not regions <= own or not _is_early(place.value, between):
            return None
        (region,) = regions
        there = users(region, self.known)
        if _leaves(between) or any(self.uses(s) & there for s in between):
            return None
        if _is_moved(after, here) or _written(later) & here:
            return None
        is_used = any(self.uses(s) & here for s in later) and any(
            self.uses(s) & there for s in later
        )
        return None if is_used else region


def _is_early(place: Expr, between: Sequence[Statement]) -> bool:
    """Whether an address can be computed before some statements."""
    if not all(isinstance(x, PLACES) for x in treewalk.within(place)):
        return False
    return treewalk.names(place).isdisjoint(_declared(between) | _assigned(between))


class _Once:
    """What is found of statements, which are the same ones until a row among them is made in its
    place: once for each."""

    def __init__(self, find: Callable[[Statement, _Once], Names]) -> None:
        self._find = find
        self._found: dict[int, tuple[Statement, Names]] = {}
        """By the identity of a statement, which is kept so that no other one has it."""

    def __call__(self, statement: Statement) -> Names:
        known = self._found.get(id(statement))
        if known is None:
            known = self._found[id(statement)] = statement, self._find(statement, self)
        return known[1]


def _given_away(statement: Statement, of_inner: _Once) -> Names:
    """What a statement mentions but to ask for addresses in it, or to give it up."""
    if is_drop(statement) is not None:
        return frozenset()
    found: set[str] = set()
    if isinstance(statement, tree.Variable) and statement.region is not None:
        found.add(statement.region.name)
    if isinstance(statement, tree.Assign):
        found.add(statement.variable.name)
    for e in treewalk.expressions(statement):
        found |= _references(e)
    for inner in treewalk.blocks(statement):
        found = found.union(*map(of_inner, inner))
    return frozenset(found)


def _holders(block: Block, region: str) -> Names | None:
    """The names of a region, and of variables declared in a block that have references to it; None
    if anything else gets one."""
    own = {v.name for s in treewalk.all_statements(block) for v in treewalk.declared(s)}
    mentions: list[tuple[Statement, set[str]]] = []
    for statement in treewalk.all_statements(block):
        mentioned = set().union(*map(_references, treewalk.expressions(statement)))
        if mentioned and is_drop(statement) is None:
            mentions.append((statement, mentioned))
    found = {region}
    while True:
        more = set(found)
        for statement, mentioned in mentions:
            if mentioned.isdisjoint(found):
                continue
            match statement:
                case tree.Let(variable) | tree.Variable(variable) | tree.Assign(variable):
                    more.add(variable.name)
                case _:
                    return None
        if more == found:
            return frozenset(found) if found <= own | {region} else None
        found = more


def _with_references(block: Block, change: Change) -> Block:
    """Statements with other regions where references are made."""
    found: list[Statement] = []
    for statement in block:
        inner = [_with_references(own, change) for own in treewalk.blocks(statement)]
        made = treewalk.with_blocks(statement, inner)
        if isinstance(made, tree.Let | tree.Variable | tree.Assign) and any(
            e.type == BLOCK for e in treewalk.expressions(made)
        ):
            made = with_expressions(made, change)
        found.append(made)
    return tuple(found)


def _references(e: Expr) -> set[str]:
    """The names of regions in an expression that are not those of addresses in them."""
    found: set[str] = set()
    waiting = [e]
    while waiting:
        match waiting.pop():
            case Var(name, t):
                if t == BLOCK:
                    found.add(name)
            case tree.Const() | tree.Data(Var()):
                pass
            case other:
                waiting += treewalk.operands(other)
    return found


# Copies.


def _copied_to(before: Block, after: Block, made: _RowMemory) -> Iterator[_RowPlace]:
    """Where all elements of new memory are copied, by statements beside it."""
    counts = {s.variable: s.value for s in before if isinstance(s, tree.Let)}
    size = _factors(made.size, counts)
    fixed = {x.name for x in size if isinstance(x, Var)}
    for at, statement in enumerate(after):
        found = _copy(statement)
        if found is None:
            continue
        to, source, count = found
        if source != made.first or to.type != source.type or _factors(count, counts) != size:
            continue
        if fixed & _assigned((*before, *after[:at])):
            return
        lets = [(k, s) for k, s in enumerate(after[:at]) if to in treewalk.declared(s)]
        match lets:
            case []:
                yield _RowPlace(at, to, None, to)
            case [(declared, tree.Let(_, value))]:
                yield _RowPlace(at, to, declared, value)


def _copy(statement: Statement) -> tuple[Var, Var, Expr] | None:
    """From where to where a statement copies how many elements, if it does that."""
    return _nest(statement) if isinstance(statement, tree.For) else elements_copied(statement)


def _nest(loop: tree.For) -> tuple[Var, Var, Expr] | None:
    """The same of loops within loops that copy elements that lie side by side."""
    loops: list[tree.For] = [loop]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], tree.For):
        loops.append(loops[-1].body[0])
    if not all(x.start == ZERO and x.step == ONE for x in loops):
        return None
    sizes = [x.stop for x in loops]
    index: Expr = ZERO
    for k, inner in enumerate(loops):
        index = plus(index, times(inner.index, product(sizes[k + 1 :])))
    match loops[-1].body:
        case (tree.Store(Var() as to, place, value, ""),) if place == index:
            read = value
            if isinstance(value, tree.Binary) and value.sign == "!=" and _is_zero(value.right):
                read = value.left  # of a bool
            if isinstance(read, tree.Load) and read.index == index and isinstance(read.base, Var):
                return to, read.base, product(sizes)
    return None


def _is_zero(e: Expr) -> bool:
    return is_number(e) and value_of(e) == 0


def _factors(size: Expr, counts: Mapping[Var, Expr]) -> Counter[Expr]:
    """What a number of elements is a product of."""
    found: Counter[Expr] = Counter()
    known = 1
    waiting = [size]
    while waiting:
        e = waiting.pop()
        known_as = counts.get(e) if isinstance(e, Var) else e
        match known_as:
            case tree.Binary("*", a, b) | tree.Invoke("count", (a, b)):
                waiting += [a, b]
            case tree.Const(int(value)):
                known *= value
            case _:
                found[e] += 1
    found[natural(known)] += 1
    return found


# What is between, and afterwards.


def _declared(block: Sequence[Statement]) -> Names:
    return frozenset([v.name for s in block for v in treewalk.declared(s)])


def _assigned(block: Sequence[Statement]) -> Names:
    """The names of variables that statements assign, or let others assign."""
    found: set[str] = set()
    for statement in treewalk.all_statements(tuple(block)):
        match statement:
            case tree.Assign(variable) | tree.Scan(variable):
                found.add(variable.name)
        for e in treewalk.expressions(statement):
            places = [x.operand for x in treewalk.within(e) if isinstance(x, tree.Address)]
            found.update([x.name for x in places if isinstance(x, Var)])
    return frozenset(found)


def _leaves(block: Iterable[Statement]) -> bool:
    """Whether a loop around statements may be left by one of them."""
    for statement in block:
        if isinstance(statement, tree.Break):
            return True
        inner = () if isinstance(statement, tree.For | tree.While) else treewalk.blocks(statement)
        if any(map(_leaves, inner)):
            return True
    return False


def _written(block: Block) -> Names:
    """The names of addresses behind which statements may change what is there."""
    found = set(changed(block))
    for statement in treewalk.all_statements(block):
        match statement:
            case tree.Do(tree.Invoke("copy" | "move", (to, _, size))):
                found |= treewalk.names(to) | treewalk.names(size)
            case tree.Do(tree.Invoke("drop" | "trace")):
                continue
            case tree.Do() | tree.CallStatement() | tree.Scan():
                found.update(*map(treewalk.names, treewalk.expressions(statement)))
    return frozenset(found)


def _is_moved(block: Block, names: Names) -> bool:
    """Whether an address goes to a variable that is there after a block, or to memory."""
    own = {v.name for s in treewalk.all_statements(block) for v in treewalk.declared(s)}
    for statement in treewalk.all_statements(block):
        match statement:
            case tree.Assign(variable, e) if variable.name in own:
                continue
            case tree.Assign(_, e) | tree.Store(_, _, e):
                if isinstance(e.type, tree.Pointer) and treewalk.names(e) & names:
                    return True
    return False


def _without_check(before: Block, made: _RowMemory, after: Block) -> Block:
    """Statements without those that find out whether there can be so many elements."""
    match before[-2:]:
        case (
            tree.Let(size, tree.Invoke("count")),
            tree.IfStatement(_, (tree.Fail(),), ()) as test,
        ):
            mentioned = is_mentioned(after, size) or treewalk.names(test.test) != {size.name}
            if size == made.size and not mentioned:
                return before[:-2]
    return before
