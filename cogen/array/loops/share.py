"""functions -> functions: loops are shared out among threads, each with a part of the iterations.

    for i from 0 to n, share(reduced(+ s))      team = how many threads are worth while
        s = s + a[i]                            parallel team, from start to stop:
                                                    s2 = 0
                                          ->        for i from start to stop
                                                        s2 = s2 + a[i]
                                                    parts[thread] = s2
                                                s = parts[0]
                                                for t from 1 to threads: s = s + parts[t]

What each join (`tree.Join`) needs around and in the threads is a `Part` of its own. An iteration
that fails ends its thread; the earliest error is the one reported. What is within a loop that is
shared out is not shared out again. What is known to do little is left as it is, and within loops
there is the loop for one thread, too.

Where elements are stored at computed places (`Placed`), each thread goes through all iterations,
and stores what lies in its part of the targets, so the last one wins as in one thread. That pays
where a target does not fit into a processor's own cache, and storing takes longer than reading.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import NewNames, UntakenNames, copied
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    at_most,
    both,
    bytes_of,
    choose,
    less,
    more,
    natural,
    over,
    plus,
    times,
)
from cogen.array.loops.rewriting import all_changes, rewritten
from cogen.array.loops.samples import in_bytes
from cogen.array.loops.shared_accumulators import ReducedPart, scanned
from cogen.array.loops.shared_arrays import GrownPart, KeptPart, TalliedPart
from cogen.array.loops.shared_hashes import HashedPart
from cogen.array.loops.shared_tables import KeyedPart
from cogen.array.loops.stream import work
from cogen.array.loops.team import Team, TeamPart
from cogen.array.loops.tree import I64, THREAD, Block, Const, Convert, Expr, Invoke, Statement, Var
from cogen.lang.errors import InternalError

LARGE: Final = 80
"""Threads share the work of storing at computed places into so many bytes for each addition that
they must be worth (`NativeProgram.grain`): 4 MB."""

LITTLE: Final = 10_000
"""Work, in additions, that is never worth a second thread: where it is known to be no more, not
even a team of one is made, which takes as long as a thousand additions."""

MOST_COPIED: Final = 40
"""A loop of more statements is not there once more for one thread."""

MOST_TWICE: Final = 30
"""What costs no more, in additions, may be computed by each thread."""


def share(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with their loops shared out."""
    names = UntakenNames(functions)
    return tuple([replace(f, body=_block(f.body, names)) for f in functions])


def _block(block: Block, names: UntakenNames, repeated: bool = False) -> Block:
    """Statements, which are `repeated` by loops around them or not."""
    found: list[Statement] = []
    rest = block
    while rest:
        statement, rest = rest[0], rest[1:]
        if isinstance(statement, tree.For) and (
            mixes_bytes(statement.body) or _is_little(statement.sharing)
        ):
            statement = replace(statement, sharing=None)
        if isinstance(statement, tree.For) and statement.sharing is not None:
            made = _shared(statement, statement.sharing, names)
            if made is not None:
                statements, after = made
                found += _or_alone(statements, statement, names) if repeated else statements
                rest = after(rest)
                continue
            statement = replace(statement, sharing=None)
        again = repeated or isinstance(statement, tree.For | tree.While)
        inner = [_block(own, names, again) for own in treewalk.blocks(statement)]
        found.append(treewalk.with_blocks(statement, inner))
    return tuple(found)


def _or_alone(
    shared: Sequence[Statement], loop: tree.For, names: UntakenNames
) -> Sequence[Statement]:
    """What stands for a loop where several threads are worth while, and else a copy of the loop: a
    team of one takes a third of a microsecond, which iterations around would add up."""
    team, *rest = shared
    joins = () if loop.sharing is None else loop.sharing.joins
    few = len([*treewalk.all_statements(loop.body)]) <= MOST_COPIED
    if not few or not all(isinstance(join, tree.Reduced) for join in joins):
        return shared
    assert isinstance(team, tree.Let)
    alone = copied((replace(loop, sharing=None),), {}, names)
    return [team, tree.IfStatement(more(team.variable, ONE), tuple(rest), alone)]


def _is_little(sharing: tree.Sharing | None) -> bool:
    """Whether all iterations are known to do little work."""
    work = None if sharing is None else _known(sharing.work)
    return work is not None and work <= LITTLE


def _known(e: Expr) -> float | None:
    """The value of a product of numbers that are known."""
    match e:
        case Const(value) if value is not None:
            return value
        case Convert(_, operand):
            return _known(operand)
        case tree.Binary("*", a, b):
            left, right = _known(a), _known(b)
            return None if left is None or right is None else left * right
    return None


def mixes_bytes(block: Block) -> bool:
    """Whether statements store parts of bytes, whose other parts iterations nearby may store."""
    return any(
        isinstance(s, tree.Put) and in_bytes(s.samples) is None
        for s in treewalk.all_statements(block)
    )


def _shared(
    loop: tree.For, sharing: tree.Sharing, names: UntakenNames
) -> tuple[list[Statement], Callable[[Block], Block]] | None:
    """What stands for a loop, and what becomes of the statements after it; None if it is not shared
    out."""
    match sharing.joins:
        case (tree.Placed(targets),):
            if not _is_placing(loop, targets):
                return None
            return _placed(Team.of(loop, names), targets), lambda rest: rest
    team = Team.of(loop, names)
    parts = [_part(team, join) for join in sharing.joins]

    def after(rest: Block) -> Block:
        for part in parts:
            rest = part.rest(rest)
        return rest

    return _loops(team, parts), after


def _part(team: Team, join: tree.Join) -> TeamPart[Team]:
    match join:
        case tree.Reduced():
            return ReducedPart(team, join)
        case tree.Scanned():
            return scanned(team, join)
        case tree.Keyed():
            return KeyedPart(team, join)
        case tree.Kept():
            return KeptPart(team, join)
        case tree.Grown():
            return GrownPart(team, join)
        case tree.Tallied():
            return TalliedPart(team, join)
        case tree.Hashed():
            return HashedPart(team, join)
    raise InternalError(f"a loop with {join!r} is not shared out")


def _loops(team: Team, parts: Sequence[TeamPart[Team]]) -> list[Statement]:
    loop = team.loop
    begin = [made for part in parts for made in part.begin()]
    within = replace(loop, start=team.start, stop=team.stop)
    (own,) = rewritten((within,), all_changes([part.change() for part in parts]))
    assert isinstance(own, tree.For)
    for part in parts:
        own = part.marked(own)
    made = tuple([statement for part in parts for statement in part.end()])
    end = rewritten(made, all_changes([part.change() for part in parts]))
    return [
        *_declared(team, _threads(team, parts)),
        *[made for part in parts for made in part.rooms()],
        *[made for part in parts for made in part.before()],
        team.region([*begin, own, *end]),
        *[made for part in parts for made in part.join()],
    ]


def _declared(team: Team, threads: Expr) -> list[Statement]:
    """How many threads there should be, and how many there are."""
    return [tree.Let(team.team, threads), tree.Variable(team.count, Const(1, THREAD))]


def _worth(team: Team) -> Expr:
    """The number of threads that are worth while."""
    return Invoke("team", (team.size, team.sharing.work), THREAD)


def _threads(team: Team, parts: Sequence[TeamPart[Team]]) -> Expr:
    """The same: one where joining parts would take longer than what is shared."""
    found = _worth(team)
    tests: list[Expr] = []
    for part in parts:
        few = part.few()
        if few is not None and few not in tests:
            tests.append(few)
            found = choose(few, found, Const(1, THREAD))
    return found


# Elements at computed places.

Targets = Sequence[tuple[Expr, Expr]]


def _is_placing(loop: tree.For, targets: Targets) -> bool:
    """Whether all that a loop does is to store what is soon computed in its targets."""
    bases = [base for base, _ in targets]
    plain = (tree.Let, tree.Variable, tree.Assign, tree.IfStatement, tree.Fail, tree.Store)
    return work(loop.body) <= MOST_TWICE and all(
        isinstance(s, plain) and (not isinstance(s, tree.Store) or s.base in bases)
        for s in treewalk.all_statements(loop.body)
    )


def _placed(team: Team, targets: Targets) -> list[Statement]:
    total: Expr = ZERO
    for base, size in targets:
        total = plus(total, bytes_of(size, tree.target(base)))
    large = times(natural(LARGE), Convert(tree.SIZE, Invoke("grain", (), I64)))
    threads = choose(more(total, large), _worth(team), Const(1, THREAD))
    parts: dict[Expr, tuple[Var, Var]] = {}
    begin: list[Statement] = []
    for _, size in targets:
        if size not in parts:
            least, most = parts[size] = _bounds(team.names)
            begin.append(tree.Let(least, over(times(size, team.thread), team.parts)))
            after = plus(team.thread, ONE)
            begin.append(tree.Let(most, over(times(size, after), team.parts)))
    own = {base: parts[size] for base, size in targets}
    loop = replace(team.loop, body=_within(team.loop.body, own), sharing=None)
    return [*_declared(team, threads), team.region([*begin, loop])]


def _bounds(names: NewNames) -> tuple[Var, Var]:
    """Where a thread's part of a target begins and ends."""
    return names.fresh("least", I64), names.fresh("most", I64)


def _within(block: Block, parts: dict[Expr, tuple[Var, Var]]) -> Block:
    """Statements that store in a part of each target only."""
    found: list[Statement] = []
    for statement in block:
        inner = [_within(own, parts) for own in treewalk.blocks(statement)]
        made = treewalk.with_blocks(statement, inner)
        if isinstance(made, tree.Store):
            least, most = parts[made.base]
            test = both(at_most(least, made.index), less(made.index, most))
            match found[-1:]:
                case [tree.IfStatement(before, stores, ())] if before == test:
                    found[-1] = tree.IfStatement(test, (*stores, made))
                    continue
            made = tree.IfStatement(test, (made,))
        found.append(made)
    return tuple(found)
