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
from cogen.array.loops.tree import (
    BLOCK,
    BOOL,
    I64,
    THREAD,
    Block,
    Expr,
    Invoke,
    Pointer,
    Statement,
    Type,
    Var,
)

THREADS: Final = Invoke("threads", (), I64)
"""So many threads there may be."""


@dataclass(frozen=True, slots=True)
class Workers:
    """What shares a loop out: the number of one, how many there are, where its part of so many
    iterations starts and stops."""

    names: NewNames
    size: Expr
    thread: Expr
    got: Expr
    start: Var
    stop: Var

    @property
    def is_first(self) -> Expr:
        return same(self.thread, ZERO)

    @property
    def is_other(self) -> Expr:
        return more(self.thread, ZERO)

    def room(self, t: Type, name: str) -> Var:
        """A few elements, one for each."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Team(Workers):
    """Threads, and the loop that they share out; how many there should be, and how many parts
    there are in a region."""

    loop: tree.For
    sharing: tree.Sharing
    team: Var
    count: Var
    parts: Var

    @staticmethod
    def of(loop: tree.For, names: UntakenNames) -> Team:
        assert loop.sharing is not None
        types: dict[str, Type] = {
            "team": THREAD, "threads": THREAD, "thread": THREAD, "parts": THREAD, "start": I64,
            "stop": I64,
        }  # fmt: skip
        team, got, thread, parts, start, stop = (names.fresh(n, t) for n, t in types.items())
        return Team(
            names, loop.stop, thread, got, start, stop, loop, loop.sharing, team, got, parts
        )

    @property
    def number(self) -> Var:
        """The number of a thread."""
        assert isinstance(self.thread, Var)
        return self.thread

    def region(self, body: Sequence[Statement]) -> tree.Parallel:
        """Something that is done by each thread."""
        return tree.Parallel(
            self.team, self.count, self.number, self.parts, self.size, self.start, self.stop,
            tuple(body),
        )  # fmt: skip

    def each(self, body: Callable[[Expr], Sequence[Statement]], first: Expr = ONE) -> Statement:
        """A loop over threads, all but the first if nothing else is said."""
        index = self.names.fresh("t", I64)
        return tree.For(index, first, self.got, ONE, tuple(body(index)))

    def room(self, t: Type, name: str) -> Var:
        """A few elements, one for each thread; `rooms` must declare it."""
        return self.names.fresh(name, Pointer(t))

    def fail_unless(self, function: str, *arguments: Expr) -> Statement:
        """Invoke a function that is false where there is no memory."""
        found = Invoke(function, arguments, BOOL)
        return tree.IfStatement(tree.Not(found), (tree.Fail(self.sharing.site, ()),))

    def allocate(self, name: str, element: Type, size: Expr) -> tuple[Var, Statement]:
        made = self.names.fresh(name, BLOCK)
        return made, tree.Allocate(made, element, size, self.sharing.site)

    def drop_others(self, blocks: Var, first: Expr = ONE) -> Statement:
        """Give up the regions of threads, of all but the first if nothing else is said."""
        return self.each(lambda t: [do("drop", load(blocks, t))], first)


def do(function: str, *arguments: Expr) -> Statement:
    """Invoke a function for its effect."""
    return tree.Do(Invoke(function, arguments, BOOL))


def declare_rooms(*rooms: Var) -> list[Statement]:
    return [tree.Room(room, THREADS) for room in rooms]


W = TypeVar("W", bound=Workers)


class TeamPart(Generic[W]):
    """The code for one join; a subclass for each kind."""

    def __init__(self, team: W) -> None:
        self.team = team
        self.names = team.names

    def rooms(self) -> list[Statement]:
        """What there is before the threads start."""
        return []

    def before(self) -> list[Statement]:
        """What is done before the main region."""
        return []

    def begin(self) -> list[Statement]:
        """What a thread does before its iterations."""
        return []

    def change(self) -> Change:
        """What stands for what in the iterations of a thread."""
        return standing_for({})

    def mark(self, mark: tree.Mark | None) -> tree.Mark | None:
        """What is said of the loop over the iterations of a thread."""
        return mark

    def end(self) -> list[Statement]:
        """What a thread does after its iterations."""
        return []

    def join(self) -> list[Statement]:
        """What is done after the region."""
        return []

    def rest(self, rest: Block) -> Block:
        """What comes after the loop among its neighbours."""
        return rest

    def few(self) -> Expr | None:
        """A test whether what is joined is little, compared with the iterations."""
        return None
