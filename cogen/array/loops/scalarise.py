"""functions -> functions: small regions of a known size are scalars, where nothing else sees them.

    allocate r 2, let a = data(r)                variable a0, a1
    for j from 0 to 2: a[j] = 0                  a0 = 0, a1 = 0
    variable s in q = a, variable q = r          variable s0 = a0, s1 = a1
    for i from 0 to n                            for i from 0 to n
        allocate t 2, let b = data(t)                variable b0, b1
        for j from 0 to 2: b[j] = s[j] + x     ->    b0 = s0 + x, b1 = s1 + x
        drop q, s = b, q = t                         s0 = b0, s1 = b1
    store result = s                             allocate t, let d = data(t), d[0] = s0, d[1] = s1
                                                 variable s in q = d, variable q = t
                                                 store result = s

Regions belong together whose addresses come to one variable. They are scalars where all of them
have one size, where elements are read and stored at known places only once loops of few iterations
are unrolled, and where an address is not used any more when it has come to another variable, or
elements are not changed then: so copies of scalars do for references. What a loop has carried is in
memory from the first statement after it that needs it there. It is separate from `stack`, whose
arrays may be indexed by anything, comes after `release`, which shows what is used last, and before
`reuse`, which saves memory that is not needed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames
from cogen.array.loops.expressions import convert, is_number, load, natural, value_of
from cogen.array.loops.regions import elements_copied, is_drop, uses
from cogen.array.loops.rewriting import expression, with_expressions
from cogen.array.loops.small_regions import (
    MOST,
    SmallRegions,
    are_copies,
    changes_inside,
    small_regions,
)
from cogen.array.loops.tree import BLOCK, Block, Expr, Pointer, Statement, Var
from cogen.array.loops.unrolling import depending, iterations, unrolled

Names = frozenset[str]


def scalarise(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with scalars in the place of their small regions."""
    names = UntakenNames(functions)
    return tuple([replace(f, body=_in_scalars(f.body, names)) for f in functions])


def _in_scalars(body: Block, names: UntakenNames) -> Block:
    tried: set[str] = set()
    while True:
        group = next((g for g in small_regions(body) if not g.names & tried), None)
        if group is None:
            return body
        tried |= group.names
        made, alike = _without_loops(body, group, names)
        if not changes_inside(made, alike) or not are_copies(made, alike):
            continue
        maker = _Scalars(alike, names)
        found = maker.block(made, frozenset())
        if found is not None:
            body = found
            tried |= maker.made


def _without_loops(
    body: Block, group: SmallRegions, names: UntakenNames
) -> tuple[Block, SmallRegions]:
    """Statements without loops through the elements of a group, and what that is then, as rows of
    it have other names."""
    while True:
        made = _Unrolling(group, names).block(body)
        if made == body:
            return made, group
        body = made
        group = next(g for g in small_regions(body) if g.names & group.names)


# Unrolling.


@dataclass(frozen=True, slots=True)
class _Unrolling:
    """Takes loops apart whose indices are places in the regions of a group."""

    group: SmallRegions
    names: UntakenNames

    def block(self, block: Block) -> Block:
        found: list[Statement] = []
        for statement in block:
            indices = None
            if isinstance(statement, tree.For) and self._is_needed(statement):
                indices = iterations(statement, MOST)
            if isinstance(statement, tree.For) and indices is not None:
                found += self.block(unrolled(statement, indices, self.names))
                continue
            inner = [self.block(own) for own in treewalk.blocks(statement)]
            found.append(treewalk.with_blocks(statement, inner))
        return tuple(found)

    def _is_needed(self, loop: tree.For) -> bool:
        """Whether a loop goes through elements, by its index, and can be taken apart."""
        inner = [*treewalk.all_statements(loop.body)]
        if any(isinstance(s, tree.Break) for s in inner):
            return False
        made = [v.name for s in inner for v in treewalk.declared(s) if not isinstance(s, tree.Let)]
        if self.group.names.intersection(made):
            return False
        places = [(s.base, s.index) for s in inner if isinstance(s, tree.Store)]
        for statement in inner:
            for e in treewalk.expressions(statement):
                places += [
                    (x.base, x.index) for x in treewalk.within(e) if isinstance(x, tree.Load)
                ]
        known = depending(loop.body, loop.index.name)
        return any(
            treewalk.names(base) & self.group.names
            and (treewalk.names(base) | treewalk.names(index)) & known
            for base, index in places
        )


# Scalars.


def _declared_once(block: Sequence[Statement]) -> Block:
    """Statements with variables that stay in the place of those that are assigned only once, by
    one of the statements."""
    counts = Counter(
        s.variable.name for s in treewalk.all_statements(tuple(block)) if isinstance(s, tree.Assign)
    )
    declared = {
        s.variable for s in block if isinstance(s, tree.Variable) and s.value is s.region is None
    }
    once = {
        s.variable
        for s in block
        if isinstance(s, tree.Assign)
        and not s.sign
        and s.variable in declared
        and counts[s.variable.name] == 1
    }
    found: list[Statement] = []
    for statement in block:
        match statement:
            case tree.Variable(variable) if variable in once:
                continue
            case tree.Assign(variable, value) if variable in once:
                found.append(tree.Let(variable, value, place=statement.place))
            case _:
                found.append(statement)
    return tuple(found)


@dataclass(slots=True)
class _Scalars:
    """Makes scalars of a group; a region that is `made` for what a loop has carried stays one."""

    group: SmallRegions
    names: UntakenNames
    values: dict[str, tuple[Var, ...]] = field(default_factory=dict)
    """The scalars of each address."""
    made: set[str] = field(default_factory=set)
    site: int = 0
    """The number of the error that there is no memory."""

    def block(self, block: Block, memory: Names) -> Block | None:
        """Statements with scalars, but for the names of what is in `memory`; None if something must
        be there that no loop of this block carries."""
        found: list[Statement] = []
        own: list[str] = []
        for statement in block:
            wrong = self.wrong(statement) - memory
            if wrong:
                for name in own:
                    region = self.group.pairs[name]
                    if {name, region} & wrong and name not in memory:
                        found += self.stored(name, region)
                        memory |= {name, region}
                if wrong - memory:
                    return None
            made = self.statement(statement, memory)
            if made is None:
                return None
            found += made
            if isinstance(statement, tree.Variable) and statement.variable.name in self.group.pairs:
                own.append(statement.variable.name)
        return _declared_once(found)

    def wrong(self, statement: Statement) -> Names:
        """The names of the group that a statement, or one within it, mentions otherwise than is
        right for scalars."""
        found: set[str] = set()
        for inner in treewalk.all_statements((statement,)):
            found |= self._wrong_itself(inner)
            if isinstance(inner, tree.For) and inner.sharing is not None:
                bare = replace(inner, sharing=None)
                found |= (uses(inner) - uses(bare)) & self.group.names
        return frozenset(found)

    def _wrong_itself(self, statement: Statement) -> set[str]:
        names = self.group.names
        match statement:
            case tree.Allocate() | tree.Let() | tree.Variable() if statement.variable.name in names:
                return set()
            case tree.Assign(Var(name), Var() | tree.Invoke("keep")) if name in names:
                return set()
            case tree.Store(base, index, value) if self.group.place(base, index) is not None:
                return set(self._wrong_in(value))
        if is_drop(statement) is not None or self._copied(statement) is not None:
            return set()
        found = {x for e in treewalk.expressions(statement) for x in self._wrong_in(e)}
        if isinstance(statement, tree.Assign) and statement.variable.name in names:
            found.add(statement.variable.name)
        return found

    def _is_part(self, value: Expr | None) -> bool:
        """Whether what comes to an address is no address of a whole region."""
        is_address = value is not None and isinstance(value.type, Pointer)
        return is_address and not (isinstance(value, Var) and value.name in self.group.roots)

    def _wrong_in(self, e: Expr) -> Iterator[str]:
        match e:
            case tree.Load(base, index) if self.group.place(base, index) is not None:
                return
            case Var(name) if name in self.group.names:
                yield name
        for inner in treewalk.operands(e):
            yield from self._wrong_in(inner)

    def _copied(self, statement: Statement) -> tuple[Var, Var, int] | None:
        """From where to where a statement copies how many elements, of which some are scalars."""
        found = elements_copied(statement)
        if found is None or not is_number(found[2]) or value_of(found[2]) > self.group.size:
            return None
        to, source, count = found[0], found[1], value_of(found[2])
        last = natural(max(count - 1, 0))
        for address in (to, source):
            if address.name in self.group.names and self.group.place(address, last) is None:
                return None
        return (to, source, count) if {to.name, source.name} & self.group.names else None

    # Statements.

    def statement(self, statement: Statement, memory: Names) -> Sequence[Statement] | None:
        """What stands for a statement; None if it has to do with scalars and with memory."""
        names = self.group.names - memory
        mentioned = uses(statement) | {v.name for v in treewalk.declared(statement)}
        if isinstance(statement, tree.Variable) and statement.region is not None:
            mentioned |= {statement.region.name}
        if not mentioned & names:
            return [statement]
        if mentioned & memory and not treewalk.blocks(statement):
            return None
        region = is_drop(statement)
        if region is not None:
            return []
        copy = self._copied(statement)
        if copy is not None:
            return self._moved(*copy, statement)
        match statement:
            case tree.Allocate(site=site):
                self.site = site
                return []
            case tree.Let(variable) if variable.name in names:
                return self._declared(statement, None) if self._is_first(statement) else []
            case tree.Variable(variable, value) if variable.name in names:
                return self._declared(statement, value)
            case tree.Assign(variable, value) if variable.name in names:
                if variable.type == BLOCK:
                    return []
                pairs = zip(self.values[variable.name], self._all(value), strict=True)
                return [replace(statement, variable=to, value=e) for to, e in pairs]
            case tree.Store(base, index, value, sign) if self.group.place(base, index) is not None:
                to = self._scalar(base, index)
                new = convert(to.type, expression(value, self._change))
                return [tree.Assign(to, new, sign, place=statement.place)]
        inner = [self.block(own, memory) for own in treewalk.blocks(statement)]
        if any(own is None for own in inner):
            return None
        made = self._with_scalars(statement)
        return [treewalk.with_blocks(made, [own for own in inner if own is not None])]

    def _with_scalars(self, statement: Statement) -> Statement:
        if not isinstance(statement, tree.For):
            return with_expressions(statement, self._change)
        start, stop, step = (
            expression(e, self._change) for e in (statement.start, statement.stop, statement.step)
        )
        return replace(statement, start=start, stop=stop, step=step)

    def _is_first(self, statement: tree.Let) -> bool:
        return isinstance(statement.value, tree.Data)

    def _declared(
        self, statement: tree.Let | tree.Variable, value: Expr | None
    ) -> Sequence[Statement]:
        """The variables of an address, with the values of another."""
        variable = statement.variable
        if variable.type == BLOCK:
            return []
        values = [None] * self.group.size if value is None else self._all(value)
        made = [self.names.fresh(variable.name, self.group.element) for _ in values]
        self.values[variable.name] = tuple(made)
        return [
            tree.Variable(v, e, place=statement.place) for v, e in zip(made, values, strict=True)
        ]

    def _all(self, address: Expr) -> tuple[Var, ...]:
        assert isinstance(address, Var)
        return self.values[address.name]

    def _scalar(self, base: Expr, index: Expr) -> Var:
        found = self.group.place(base, index)
        assert found is not None
        return self.values[found[0]][found[1]]

    def _change(self, e: Expr) -> Expr | None:
        if isinstance(e, tree.Load) and self.group.place(e.base, e.index) is not None:
            return self._scalar(e.base, e.index)
        return None

    def _moved(self, to: Var, source: Var, count: int, statement: Statement) -> list[Statement]:
        """Elements copied one by one."""
        found: list[Statement] = []
        for k in map(natural, range(count)):
            value: Expr = load(source, k)
            if source.name in self.group.names:
                value = self._scalar(source, k)
            if to.name in self.group.names:
                found.append(tree.Assign(self._scalar(to, k), value, place=statement.place))
            else:
                found.append(tree.Store(to, k, value, place=statement.place))
        return found

    def stored(self, name: str, region: str) -> Iterator[Statement]:
        """A region with what a loop has carried."""
        element = self.group.element
        made = self.names.fresh(region, BLOCK)
        first = self.names.fresh(name, Pointer(element))
        self.made |= {made.name, first.name}
        yield tree.Allocate(made, element, natural(self.group.size), self.site)
        yield tree.Let(first, tree.Data(made, first.type))
        for k, value in enumerate(self.values[name]):
            yield tree.Store(first, natural(k), value)
        yield tree.Variable(Var(name, first.type), first, Var(region, BLOCK))
        yield tree.Variable(Var(region, BLOCK), made)
