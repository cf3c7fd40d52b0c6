"""Lists of any lengths as elements of others: each is a number, and stands in a pool.

    near = [[] for _ in range(n)]       handles 0 1 2 ...
    near[u].append(v)                   starts, sizes, rooms: where each lies in `data`, how many
                                        elements it has, and how many it has room for

A list without room moves behind the others, with twice the room.  Two names of one list are one
number, so what is done by one is seen by the other.  All that a pool is are lists of the staged
function, so loops and conditionals do with it what they do with those.

A list that a function makes is one of Python's.  Where one turns out to be an element of a list of
which only a run knows the length, with a length of its own, staging begins again (`PoolError`), and
what is made at that place is in a pool from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from cogen.staging.library import CALL
from cogen.staging.library import POOLED as RUNS
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedexpressions import require, text
from cogen.staging.stagedlists import OPERATIONS, StagedList
from cogen.staging.stagedscalars import apply, expression, scalar
from cogen.staging.tracer import current


class PoolError(BaseException):
    """The function must be staged again, with what is made at some places in one pool."""

    def __init__(self, places: tuple[Any, ...]) -> None:
        super().__init__("lists of any lengths are elements of a list")
        self.places = places


class ListPool:
    """Lists of any lengths: see the module."""

    __slots__ = ("data", "place", "rooms", "sizes", "starts")

    def __init__(self, place: Any) -> None:
        self.place = place
        self.starts, self.sizes, self.rooms, self.data = (_outermost() for _ in range(4))

    def new(self) -> PooledList:
        """One more list, which is empty."""
        handle = self.starts.staged_length()
        for column in (self.starts, self.sizes, self.rooms):
            column.append(0)
        return PooledList(self, handle)


def _outermost() -> StagedList:
    """A list that is there before all loops."""
    made = StagedList()
    current().births[id(made)] = made, 0
    return made


class PooledList:
    """A list in a pool."""

    __slots__ = ("handle", "length", "pool")

    def __init__(self, pool: ListPool, handle: Any) -> None:
        if isinstance(handle, Array):
            fail(
                "lists of any lengths are no elements of an array", "make a list: [f(x) for x in a]"
            )
        self.pool = pool
        self.handle = handle
        self.length: Any = None
        """How many elements there were when a loop began to go through it."""

    def __repr__(self) -> str:
        return "<staged list>"

    __hash__ = None  # type: ignore[assignment]  # as lists

    def staged_length(self) -> Any:
        """How many elements there are."""
        return self.pool.sizes[self.handle]

    def staged_list(self) -> StagedList:
        """The elements now, as another list."""
        data = self.pool.data
        if data.is_known and not data.elements():
            return StagedList()
        start = self.pool.starts[self.handle]
        found = data[start : start + self.staged_length()]
        assert isinstance(found, StagedList)
        return found

    @property
    def walked(self) -> int:
        """How many loops go through it: they find it as long as it was."""
        return 0

    @walked.setter
    def walked(self, count: int) -> None:
        if count > 0:
            self.length = self.staged_length()
            return
        same = apply("equal", self.length, self.staged_length())
        says = "a list grows or shrinks in a loop that goes through it"
        require(expression(scalar(same)), text(says))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.staged_list()[index]
        return CALL[0](RUNS["at"], self, index)

    def __setitem__(self, index: Any, x: Any) -> None:
        if isinstance(index, slice):
            fail("a slice of such a list is not assigned to", "assign the elements in a loop")
        CALL[0](RUNS["put"], self, index, x)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.staged_list())

    def __len__(self) -> int:
        return len(self.staged_list())

    def __add__(self, other: Any) -> Any:
        return self.staged_list() + _plain(other)

    def __radd__(self, other: Any) -> Any:
        return StagedList(other) + self.staged_list()

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> Any:
        return self.staged_list() * times

    def __eq__(self, other: Any) -> Any:
        return self.staged_list() == _plain(other)

    def __ne__(self, other: Any) -> Any:
        return apply("logical_not", self == other)

    def is_same(self, other: PooledList) -> Any:
        """Whether it is another one."""
        return self.pool is other.pool and apply("equal", self.handle, other.handle)

    def __copy__(self) -> StagedList:
        return self.staged_list()

    def __deepcopy__(self, memo: Any) -> NoReturn:
        fail("lists of any lengths are not copied with their elements", "[x.copy() for x in xs]")

    def append(self, x: Any) -> None:
        """`append`."""
        CALL[0](RUNS["push"], self, x)

    def extend(self, values: Any) -> None:
        """`extend`."""
        CALL[0](RUNS["extend"], self, values)

    def pop(self, index: Any = None) -> Any:
        """`pop`."""
        return CALL[0](RUNS["pop"], self) if index is None else CALL[0](RUNS["take"], self, index)

    def insert(self, index: Any, x: Any) -> None:
        """`insert`."""
        CALL[0](RUNS["insert"], self, index, x)

    def remove(self, x: Any) -> None:
        """`remove`."""
        CALL[0](RUNS["take"], self, self.index(x))

    def clear(self) -> None:
        """`clear`."""
        self.pool.sizes[self.handle] = 0

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        """`sort`."""
        found = self.staged_list()
        OPERATIONS["sort"](found, key=key, reverse=reverse)
        CALL[0](RUNS["refill"], self, found)

    def reverse(self) -> None:
        """`reverse`."""
        CALL[0](RUNS["refill"], self, self.staged_list()[::-1])

    def copy(self) -> StagedList:
        """`copy`."""
        return self.staged_list()

    def index(self, x: Any) -> Any:
        """`index`."""
        return self.staged_list().index(x)

    def count(self, x: Any) -> Any:
        """`count`."""
        return self.staged_list().count(x)


def _plain(x: Any) -> Any:
    return x.staged_list() if isinstance(x, PooledList) else x


def pool_of(place: Any) -> ListPool | None:
    """The pool of what is made at a place, if it is in one."""
    tracer = current()
    first = tracer.attempts.pools.get(place)
    if first is None:
        return None
    if first not in tracer.pools:
        tracer.pools[first] = ListPool(first)
    found = tracer.pools[first]
    assert isinstance(found, ListPool)
    return found


def place_key() -> Any:
    """Where the program is, as what tells attempts to stage it what is made there."""
    place = current().place
    return place.source.name if place.source else "", place.start, place.end


def born(elements: StagedList, place: Any = None) -> Any:
    """A list that is made here, or at another place: in the pool of that, if there is one."""
    place = place or place_key()
    pool = pool_of(place)
    if pool is None:
        current().made_lists[id(elements)] = elements, place
        return elements
    found = pool.new()
    for x in elements.elements():
        found.append(x)
    return found


def demand_pool(xs: StagedList, pool: Any = None) -> None:
    """Begin again, with a list in a pool, if it is known where it was made."""
    made_here = current().made_lists.get(id(xs))
    if made_here is not None:
        raise PoolError((made_here[1], *([] if pool is None else [pool.place])))


def one_pool(a: Any, b: Any) -> None:
    """Begin again, with lists that a variable may be in one pool."""
    pools = [x.pool for x in (a, b) if isinstance(x, PooledList)]
    if len(pools) == 2 and pools[0] is not pools[1]:
        raise PoolError((pools[0].place, pools[1].place))
    for x in (a, b):
        if pools and isinstance(x, StagedList):
            demand_pool(x, pools[0])


def join_places(pools: dict[Any, Any], places: tuple[Any, ...]) -> None:
    """Have what is made at some places in one pool: each place has the first one."""
    firsts = {pools.setdefault(place, place) for place in places}
    first = min(firsts, key=repr)
    for place, own in list(pools.items()):
        if own in firsts:
            pools[place] = first
