"""What a team of threads has that shares out a loop, and what is done for each way to join parts.

A `Part` is the code around and in the threads for one join of a loop (`tree.Join`):

    rooms                   what there is before the threads start
    before                  what is done before the main region
    begin, change, end      in a thread: before its iterations, what stands for what in them, after
    join, rest              after the region; what stands for what comes after the loop

The first thread has what one thread alone would have, so that nothing more is done where it is
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from cogen.array.loops import tree
from cogen.array.loops.copying import NewNames, UntakenNames
from cogen.array.loops.expressions import ONE, ZERO, load, more, same
from cogen.array.loops.rewriting import Change, standing_for

THREADS: Final = tree.Invoke("threads", (), tree.I64)
"""So many threads there may be."""


@dataclass(frozen=True, slots=True)
class Workers:
    """What shares a loop out: the number of one, how many there are, where its part of so many
    iterations starts and stops."""

    names: NewNames
    size: tree.Expr
    thread: tree.Expr
    got: tree.Expr
    start: tree.Var
    stop: tree.Var

    @property
    def each(self) -> int:
        """How many iterations, as joins speak of them, an iteration of the loop does."""
        return 1

    @property
    def is_first(self) -> tree.Expr:
        return same(self.thread, ZERO)

    @property
    def is_other(self) -> tree.Expr:
        return more(self.thread, ZERO)

    def room(self, t: tree.Type, name: str) -> tree.Var:
        """A few elements, one for each."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Team(Workers):
    """Threads, and the loop that they share out; how many there should be, and how many parts
    there are in a region."""

    loop: tree.For
    sharing: tree.Sharing
    team: tree.Var
    count: tree.Var
    parts: tree.Var

    @staticmethod
    def of(loop: tree.For, names: UntakenNames) -> Team:
        assert loop.sharing is not None
        types: dict[str, tree.Type] = {
            **dict.fromkeys(("team", "threads", "thread", "parts"), tree.THREAD),
            **dict.fromkeys(("start", "stop"), tree.I64),
        }
        team, got, thread, parts, start, stop = (names.fresh(n, t) for n, t in types.items())
        return Team(
            names, loop.stop, thread, got, start, stop, loop, loop.sharing, team, got, parts
        )

    @property
    def each(self) -> int:
        return self.sharing.each

    @property
    def number(self) -> tree.Var:
        """The number of a thread."""
        assert isinstance(self.thread, tree.Var)
        return self.thread

    def region(self, body: Sequence[tree.Statement]) -> tree.Parallel:
        """Something that is done by each thread."""
        return tree.Parallel(
            self.team, self.count, self.number, self.parts, self.size, self.start, self.stop,
            tuple(body),
        )  # fmt: skip

    def for_each(
        self, body: Callable[[tree.Expr], Sequence[tree.Statement]], first: tree.Expr = ONE
    ) -> tree.Statement:
        """A loop over threads, all but the first if nothing else is said."""
        index = self.names.fresh("t", tree.I64)
        return tree.For(index, first, self.got, ONE, tuple(body(index)))

    def room(self, t: tree.Type, name: str) -> tree.Var:
        """A few elements, one for each thread; `rooms` must declare it."""
        return self.names.fresh(name, tree.Pointer(t))

    def fail_unless(self, function: str, *arguments: tree.Expr) -> tree.Statement:
        """Invoke a function that is false where there is no memory."""
        found = tree.Invoke(function, arguments, tree.BOOL)
        return tree.IfStatement(tree.Not(found), (tree.Fail(self.sharing.site, ()),))

    def allocate(
        self, name: str, element: tree.Type, size: tree.Expr
    ) -> tuple[tree.Var, tree.Statement]:
        made = self.names.fresh(name, tree.BLOCK)
        return made, tree.Allocate(made, element, size, self.sharing.site)

    def drop_others(self, blocks: tree.Var, first: tree.Expr = ONE) -> tree.Statement:
        """Give up the regions of threads, of all but the first if nothing else is said."""
        return self.for_each(lambda t: [do("drop", load(blocks, t))], first)


def do(function: str, *arguments: tree.Expr) -> tree.Statement:
    """Invoke a function for its effect."""
    return tree.Do(tree.Invoke(function, arguments, tree.BOOL))


def declare_rooms(*rooms: tree.Var) -> list[tree.Statement]:
    return [tree.Room(room, THREADS) for room in rooms]


W = TypeVar("W", bound=Workers)


class TeamPart(Generic[W]):
    """The code for one join; a subclass for each kind."""

    def __init__(self, team: W) -> None:
        self.team = team
        self.names = team.names

    def rooms(self) -> list[tree.Statement]:
        """What there is before the threads start."""
        return []

    def before(self) -> list[tree.Statement]:
        """What is done before the main region."""
        return []

    def begin(self) -> list[tree.Statement]:
        """What a thread does before its iterations."""
        return []

    def change(self) -> Change:
        """What stands for what in the iterations of a thread."""
        return standing_for({})

    def marked(self, loop: tree.For) -> tree.For:
        """The loop over the iterations of a thread, with what is said of it and of loops in it."""
        return loop

    def end(self) -> list[tree.Statement]:
        """What a thread does after its iterations."""
        return []

    def join(self) -> list[tree.Statement]:
        """What is done after the region."""
        return []

    def rest(self, rest: tree.Block) -> tree.Block:
        """What comes after the loop among its neighbours."""
        return rest

    def few(self) -> tree.Expr | None:
        """A test whether what is joined is little, compared with the iterations."""
        return None
