"""functions -> functions: loops over packed memory go through it word by word.

    for i from 0 to n, apart                 strips = n / 2
        x = get(u12, p, i)                   for s from 0 to strips, apart
        put(u12, q, i, f(x))       ->            a = p[3 * s], b = p[3 * s + 1], c = p[3 * s + 2]
                                                 x = a | (b & 15) << 8, y = f(x)
                                                 x2 = b >> 4 | c << 4, y2 = f(x2)
                                                 q[3 * s] = y, ...
                                             for i from 2 * strips to n: as before

An iteration does as many samples as it takes until bytes are used in the same way again, in all the
memory that is gone through, so places in bytes are constants, each byte is loaded and stored once,
and iterations store bytes of their own: threads may share them out (`cogen.array.loops.share`). C's
compiler makes vectors of them. Where a loop only reduces, words have 32 bits, and what a strip adds
up is added in 32 bits if that is enough.

Only what is read and stored at the index itself is done so; samples that are whole numbers in
memory (`in_bytes`) are vectors' as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogen.array.l0.storage import Samples
from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied, copied_with
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    convert,
    minus,
    natural,
    over,
    plus,
    times,
)
from cogen.array.loops.narrow import Narrowing
from cogen.array.loops.replacing import of_loops
from cogen.array.loops.rewriting import rewritten
from cogen.array.loops.samples import in_bytes
from cogen.array.loops.strip_plans import (
    StripPlan,
    bytes_of,
    in_groups,
    pieces_of,
    strip_plan,
    word_parts,
)
from cogen.array.loops.tree import (
    F64,
    I32,
    I64,
    U8,
    U32,
    Binary,
    Const,
    Convert,
    Expr,
    Get,
    Invoke,
    Load,
    Number,
    Operate,
    Put,
    Statement,
    Var,
)
from cogen.array.loops.versions import outside_of, versions


@of_loops
def strip_mine(
    names: UntakenNames, loop: tree.For, before: list[Statement]
) -> list[Statement] | None:
    """The functions with their loops over packed memory in strips."""
    plan = None if sorts(before) else strip_plan(loop)
    if plan is None:
        return None
    clears = _take_clears(before, plan) if plan.fills else []
    return _Strips(plan, names).statements(clears)


def sorts(before: Sequence[Statement]) -> bool:
    """Whether the loop after some statements is the one that puts elements in their places: threads
    share it out as they did the one that counted."""
    match before:
        case [*_, tree.Do(Invoke("starts"))]:
            return True
    return False


def _take_clears(block: list[Statement], plan: StripPlan) -> list[tuple[Expr, Expr]]:
    """The addresses and sizes of memory that was cleared for the loop, which it need not be."""
    bases = {put.base for put in plan.puts}
    found: list[tuple[Expr, Expr]] = []
    for statement in list(block):
        match statement:
            case tree.Do(Invoke("clear", (base, size))) if base in bases:
                found.append((base, size))
                block.remove(statement)
    return found


class _Strips:
    """Makes the loop over strips, and that over what is left."""

    def __init__(self, plan: StripPlan, names: UntakenNames, strips: Var | None = None) -> None:
        self.plan = plan
        self.names = names
        self.period = plan.period
        self.strip = names.fresh("strip", I64)
        self.strips = strips or names.fresh("strips", I64)
        self.out: list[Statement] = []
        self.starts: dict[tuple[Expr, int, int], Var] = {}
        self.words: dict[tuple[Expr, int, int, int, str], Var] = {}
        self.outside = outside_of(plan.loop)
        self.narrowing = Narrowing()
        self.stored: list[tuple[Put, int, Expr]] = []
        self.added: dict[Var, list[Expr]] = {}

    def statements(self, clears: Sequence[tuple[Expr, Expr]]) -> list[Statement]:
        loop = self.plan.loop
        found: list[Statement] = [
            tree.Let(self.strips, over(loop.stop, natural(self.period))),
            *[self.cleared(base, size) for base, size in clears],
        ]
        found.append(self.main())
        last = self.names.fresh(loop.index.name, I64)
        rest = copied(loop.body, {loop.index: last}, self.names)
        done = times(self.strips, natural(self.period))
        return [*found, tree.For(last, done, loop.stop, ONE, rest)]

    def main(self) -> Statement:
        """The loop over strips, in two versions if what threads find is joined by combining
        accumulators."""
        loop = self.plan.loop
        joins = () if loop.sharing is None else loop.sharing.joins
        if not all(isinstance(join, tree.Reduced) for join in joins):
            return self.over_strips(Narrowing(self.outside))

        def make(narrowing: Narrowing) -> tree.For:
            return _Strips(self.plan, self.names, self.strips).over_strips(narrowing)

        return versions(self.outside, make, self.names)

    def over_strips(self, narrowing: Narrowing) -> tree.For:
        self.narrowing = narrowing
        loop = self.plan.loop
        sums = self.sums()
        for number in range(self.period):
            self.iteration(number, sums)
        for base in dict.fromkeys([put.base for put in self.plan.puts]):
            self.store(base)
        self.add_up()
        body = tuple(self.out)
        sharing = in_groups(loop.sharing, self.period)
        return tree.For(self.strip, ZERO, self.strips, ONE, body, loop.mark, sharing)

    def cleared(self, base: Expr, size: Expr) -> Statement:
        """Clear what the strips do not store."""
        (put, *_) = [put for put in self.plan.puts if put.base == base]
        done = times(self.strips, natural(bytes_of(put.samples, self.period)))
        left = minus(convert(I64, size), done)
        arguments = (plus(base, done), Convert(tree.SIZE, left))
        return tree.Do(Invoke("clear", arguments, tree.BOOL))

    # Iterations.

    def iteration(self, number: int, sums: dict[Var, tree.Combination]) -> None:
        """The statements for one sample of the strip."""
        loop = self.plan.loop
        index = plus(times(self.strip, natural(self.period)), natural(number))
        body, _ = copied_with(loop.body, {loop.index: index}, self.names)
        values = {replace(get, index=index): self.sample(get, number) for get in self.plan.gets}

        def change(e: Expr) -> Expr | None:
            return values.get(e) if isinstance(e, Get) else None

        for statement in rewritten(body, change):
            self.statement(statement, index, number, sums)

    def statement(
        self, statement: Statement, index: Expr, number: int, sums: dict[Var, tree.Combination]
    ) -> None:
        match statement:
            case tree.Let(variable, e) if variable.type == I64:
                small = self.narrowing.small(e)
                if small is None:
                    self.out.append(tree.Let(variable, self.narrowing.narrowed(e)))
                    return
                own = self.names.fresh(variable.name, I32)
                self.out.append(tree.Let(own, small.value))
                self.narrowing.learn(own, small.least, small.greatest)
                self.narrowing.known[variable] = self.narrowing.known[own]
                return
            case Put(samples, _, at, e) if at == index and in_bytes(samples) is None:
                self.stored.append(
                    (statement, number, self.bits(samples, self.narrowing.narrowed(e)))
                )
                return
            case tree.Assign(variable, e, "") if variable in sums:
                taken = sums[variable].taken(variable, e)
                assert taken is not None
                self.added.setdefault(variable, []).append(self.narrowing.narrowed(taken))
                return
        (made,) = rewritten((statement,), self.whole)
        self.out.append(made)

    def whole(self, e: Expr) -> Expr | None:
        """A variable that has 32 bits now, with 64."""
        small = self.narrowing.known.get(e) if isinstance(e, Var) else None
        if small is None or e.type != I64:
            return None
        return convert(I64, small.value)

    # Samples.

    def start(self, base: Expr, samples: Samples) -> Var:
        """The byte with which a strip begins."""
        step, first = bytes_of(samples, self.period), samples.offset // 8
        found = self.starts.get((base, step, first))
        if found is None:
            found = self.starts[base, step, first] = self.names.fresh("at", I64)
            self.out.append(tree.Let(found, plus(times(self.strip, natural(step)), natural(first))))
        return found

    def word(self, base: Expr, samples: Samples, number: int) -> Var:
        """A word of the strip."""
        at = self.start(base, samples)
        order = samples.order if self.plan.bits > 8 else ""
        key = (base, number, bytes_of(samples, self.period), samples.offset // 8, order)
        found = self.words.get(key)
        if found is None:
            t = I32 if self.plan.bits == 8 else U32
            found = self.words[key] = self.names.fresh("w", t)
            place = plus(at, natural(number * self.plan.bits // 8))
            if self.plan.bits == 8:
                value: Expr = Convert(I32, Load(base, place))
            else:
                name = "word32" if order == "little" else "word32_big"
                value = Invoke(name, (plus(base, place),), U32)
            self.out.append(tree.Let(found, value))
        return found

    def sample(self, get: Get, number: int) -> Expr:
        """The value of a sample of the strip."""
        samples = get.samples
        size = sum([n for _, n in pieces_of(samples, number)])
        signed = samples.kind == "signed"
        wide = self.plan.bits > 8
        t: Number = U32 if wide else I32 if size < 32 or (signed and size == 32) else I64
        found: Expr | None = None
        for part in sorted(word_parts(samples, number, self.plan.bits), key=lambda p: p.place):
            word: Expr = self.word(get.base, samples, part.word)
            bits = _shifted(">>", word, part.low)
            if part.low + part.size < self.plan.bits:
                bits = Binary("&", bits, Const((1 << part.size) - 1, word.type))
            bits = _shifted("<<", convert(t, bits), part.place)
            found = bits if found is None else Binary("|", found, bits)
        assert found is not None
        if wide:
            t = I32 if size < 32 or signed else I64
            found = convert(t, found)
        if signed:
            left = (32 if t == I32 else 64) - size
            found = _shifted(">>", _shifted("<<", found, left), left)
        own = self.names.fresh("x", t)
        self.out.append(tree.Let(own, found))
        if t == I32:
            self.narrowing.learn(own, *samples.limits(number % len(samples.pieces)))
        if samples.scale is not None:
            return Operate("real.mul", (convert(F64, own), Const(samples.scale, F64)), F64)
        return convert(get.type, own)

    # Stores.

    def bits(self, samples: Samples, value: Expr) -> Expr:
        """A value in a variable, as an int whose low bits are stored."""
        t = I32 if max(samples.sizes) <= 32 else I64
        if samples.scale is not None:
            scaled = Operate("real.div", (value, Const(samples.scale, F64)), F64)
            value = convert(I64, Operate("real.round", (scaled,), F64))
        own = self.names.fresh("v", t)
        inner = value.operand if isinstance(value, Convert) and value.type == I64 else value
        source = inner if inner.type == t else value
        self.out.append(tree.Let(own, convert(t, source)))
        return own

    def store(self, base: Expr) -> None:
        """Store the bytes of a strip."""
        bytes_: dict[int, Expr] = {}
        own = [entry for entry in self.stored if entry[0].base == base]
        for put, number, value in own:
            for part in word_parts(put.samples, number, 8):
                bits = _shifted(">>", value, part.place)
                if part.low + part.size < 8:
                    bits = Binary("&", bits, Const((1 << part.size) - 1, bits.type))
                bits = _shifted("<<", convert(I32, bits), part.low)
                before = bytes_.get(part.word)
                bytes_[part.word] = bits if before is None else Binary("|", before, bits)
        at = self.start(base, own[0][0].samples)
        for number, e in sorted(bytes_.items()):
            self.out.append(tree.Store(base, plus(at, natural(number)), Convert(U8, e)))

    # Sums.

    def sums(self) -> dict[Var, tree.Combination]:
        """The accumulators that are sums of ints, added to once in each iteration."""
        loop = self.plan.loop
        if self.plan.bits == 8 or not isinstance(loop.mark, tree.Apart):
            return {}
        found: dict[Var, tree.Combination] = {}
        for how, variable in loop.mark.accumulators:
            assigned = [s for s in treewalk.all_statements(loop.body)
                        if isinstance(s, tree.Assign) and s.variable == variable]  # fmt: skip
            reads = [
                e for s in treewalk.all_statements(loop.body) for whole in treewalk.expressions(s)
                for e in treewalk.within(whole) if e == variable
            ]  # fmt: skip
            if how.row != "int.add" or variable.type != I64 or len(assigned) != 1:
                continue
            (only,) = assigned
            is_once = only in loop.body and only.sign == "" and len(reads) == 1
            if is_once and how.taken(variable, only.value) is not None:
                found[variable] = how
        return found

    def add_up(self) -> None:
        """Add what a strip adds up to the accumulators, in 32 bits as far as that goes."""
        for variable, values in self.added.items():
            total: Expr | None = None
            part: Expr | None = None
            for value in values:
                longer = value if part is None else Operate("int.add", (part, value), I64)
                if self.narrowing.small(longer) is not None:
                    part = longer
                    continue
                total = _sum(total, part)
                part = value
            total = _sum(total, part)
            assert total is not None
            total = self.narrowing.narrowed(total)
            self.out.append(tree.Assign(variable, Operate("int.add", (variable, total), I64)))


def _sum(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return b if a is None else a
    return Operate("int.add", (a, b), I64)


def _shifted(sign: str, e: Expr, count: int) -> Expr:
    return Binary(sign, e, Const(count, I32)) if count else e
