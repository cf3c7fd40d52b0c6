"""What a Multiloop does in its iterations: generators, and the streams of rows that they take.

Their table and the grammar of streams are in the head of `cogen.array.ir.node`. A generator does
not know its stream: how many results it has depends on both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final, Self, TypeGuard

from cogen.lang.node import leaf

if TYPE_CHECKING:
    from cogen.array.ir.node import Node


@leaf
class PlainRows:
    """Rows without a condition, and the nodes that they are made of."""

    taken: tuple[Node, ...]

    condition: ClassVar[None] = None

    @property
    def leaves(self) -> tuple[Node, ...]:
        """All nodes that it is made of, in order."""
        return self.taken

    def of(self, taken: Iterable[Node]) -> Self:
        """The same with other rows."""
        return type(self)(tuple(taken))


@leaf
class Emit(PlainRows):
    """One row of keys and values."""

    spread: ClassVar[bool] = False
    one_each: ClassVar[bool] = True


@leaf
class Elements(PlainRows):
    """A row for each element of arrays, side by side."""

    spread: ClassVar[bool] = True
    one_each: ClassVar[bool] = False


@leaf
class When:
    """A stream where a condition holds, and else nothing."""

    condition: Node
    stream: Emit | Elements

    one_each: ClassVar[bool] = False

    @property
    def taken(self) -> tuple[Node, ...]:
        """What rows are of: keys and values, or arrays of these."""
        return self.stream.taken

    @property
    def spread(self) -> bool:
        """Whether there are rows for the elements of arrays."""
        return self.stream.spread

    @property
    def leaves(self) -> tuple[Node, ...]:
        """All nodes that it is made of, in order."""
        return (self.condition, *self.stream.taken)

    def of(self, taken: Iterable[Node]) -> When:
        """The same with other rows."""
        return When(self.condition, self.stream.of(taken))


StreamValue = Emit | Elements | When
"""What a generator takes in an iteration; see the head of this module."""

NO_ROW: Final = Emit(())
"""A stream of which it is yet to be said what its row is of."""


def emits(values: Iterable[Node]) -> tuple[Emit, ...]:
    """For each value a stream of its own, which it is the one row of."""
    return tuple([Emit((value,)) for value in values])


def filled(streams: Iterable[StreamValue], leaves: Iterable[Node]) -> tuple[StreamValue, ...]:
    """Streams of the same forms, that are made of other nodes."""
    given = iter(leaves)
    found: list[StreamValue] = []
    for stream in streams:
        if isinstance(stream, When):
            condition = next(given)
            found.append(When(condition, stream.stream.of([next(given) for _ in stream.taken])))
        else:
            found.append(stream.of([next(given) for _ in stream.taken]))
    return tuple(found)


@leaf
class Generator:
    """What a Multiloop does with some of the values of each iteration; see the table above."""

    values: int
    """How many values it takes, beside keys."""

    accumulates: ClassVar[bool] = False
    """Whether values are combined with those of iterations before, whatever these are."""
    by_iteration: ClassVar[bool] = False
    """Whether what it gives has an element for each iteration that counts, in their order."""
    may_spread: ClassVar[bool] = False
    """Whether it can take the elements of arrays."""
    is_fresh: ClassVar[bool] = True
    """Whether the arrays that it gives lie in new memory."""
    gives_all: ClassVar[bool] = False
    """Whether it gives all values, as they are."""
    gives_one: ClassVar[bool] = False
    """Whether it gives what all values come to."""
    gives_each: ClassVar[bool] = False
    """Whether it gives what the values come to in each iteration."""
    overwrites: ClassVar[bool] = False
    """Whether it gives arrays that were there before, overwritten."""
    by_key: ClassVar[bool] = False
    """Whether it gives something for each key."""
    in_any_order: ClassVar[bool] = False
    """Whether what it does in an iteration depends on no other, but for combining."""

    @property
    def has_operator(self) -> bool:
        """Whether a block says how values are combined."""
        return False

    @property
    def runs(self) -> bool:
        """Whether the accumulated values are parameters of the body."""
        return False

    @property
    def goes_before(self) -> bool:
        """Whether these are what was accumulated before the iteration."""
        return False

    @property
    def keys(self) -> int:
        """How many parts the key that it takes has: of a Scatter an index."""
        return 0

    @property
    def extras(self) -> int:
        """How many further operands of the loop are the generator's."""
        return 0

    def counts(self, stream: StreamValue) -> bool:
        """Whether the number of iterations that count is a result where there is a condition."""
        return False

    def leads(self, stream: StreamValue) -> bool:
        """Whether its first result is a number: how many elements or rows the others have."""
        return False

    def totals(self, stream: StreamValue) -> bool:
        """Whether how many values are collected by key is a result, the last one."""
        return False

    def arrays(self, stream: StreamValue) -> int:
        """How many results there are beside the first where that is a number."""
        return self.values

    def gives(self, stream: StreamValue) -> int:
        """How many results of the loop are the generator's."""
        return self.arrays(stream) + self.leads(stream)


@leaf
class Collect(Generator):
    """The values, as arrays."""

    gives_all = by_iteration = may_spread = in_any_order = True

    def counts(self, stream: StreamValue) -> bool:
        return not stream.spread

    def leads(self, stream: StreamValue) -> bool:
        return not stream.one_each


@leaf
class Reduce(Generator):
    """The values, combined."""

    gives_one = accumulates = in_any_order = True
    is_fresh = False

    @property
    def has_operator(self) -> bool:
        return True

    @property
    def extras(self) -> int:
        return self.values


@leaf
class Scan(Generator):
    """All the values combined up to here, as arrays."""

    running: bool = False
    """Whether the accumulated values are parameters of the body."""
    stored: bool = True
    """Whether the arrays are results."""
    exclusive: bool = False
    """Whether the running values are those before the iteration."""

    gives_each = accumulates = by_iteration = True

    @property
    def has_operator(self) -> bool:
        return True

    @property
    def runs(self) -> bool:
        return self.running

    @property
    def goes_before(self) -> bool:
        return self.exclusive

    @property
    def extras(self) -> int:
        return self.values

    def counts(self, stream: StreamValue) -> bool:
        return True

    def leads(self, stream: StreamValue) -> bool:
        return self.stored and stream.condition is not None

    def arrays(self, stream: StreamValue) -> int:
        return self.values if self.stored else 0


@leaf
class Scatter(Generator):
    """The values, stored at indices of targets."""

    overwrites = may_spread = True
    is_fresh = False

    @property
    def keys(self) -> int:
        return 1

    @property
    def extras(self) -> int:
        return self.values


@leaf
class Bucket(Generator):
    """The values by key, combined or collected."""

    keys: int = 1
    hashed: bool = False
    """Whether there is a bucket for each key that there is, rather than for all ints below one."""
    collects: bool = False
    """Whether the values of a key are collected, rather than combined."""
    numbered: bool = False
    """Whether the number of each iteration's key is a result."""

    by_key = may_spread = True

    @property
    def has_operator(self) -> bool:
        return not self.collects

    @property
    def extras(self) -> int:
        return (not self.hashed) + (0 if self.collects else self.values)

    def leads(self, stream: StreamValue) -> bool:
        return self.hashed

    def totals(self, stream: StreamValue) -> bool:
        return self.collects and not stream.one_each

    def arrays(self, stream: StreamValue) -> int:
        own = self.collects + self.values + self.totals(stream)
        return self.keys * self.hashed + own + self.numbered

    @property
    def inside(self) -> int:
        """Where the results of what is by key begin, among the generator's."""
        return 1 + self.keys if self.hashed else 0


def is_hashed(generator: Generator) -> TypeGuard[Bucket]:
    """Whether a generator has a bucket for each key that there is."""
    return isinstance(generator, Bucket) and generator.hashed


def groups(generator: Generator) -> TypeGuard[Bucket]:
    """Whether a generator collects by key."""
    return isinstance(generator, Bucket) and generator.collects


def combines(generator: Generator) -> TypeGuard[Bucket]:
    """Whether a generator combines by key, in buckets whose number is known."""
    return isinstance(generator, Bucket) and not generator.hashed and not generator.collects


def is_numbered(generator: Generator) -> TypeGuard[Bucket]:
    """Whether a generator numbers the keys of iterations."""
    return isinstance(generator, Bucket) and generator.numbered


def only_numbers(generator: Generator) -> bool:
    """Whether a generator does nothing but find out which keys there are, and number them."""
    return is_numbered(generator) and not generator.values


class TakesStream:
    """A generator with the stream that it takes."""

    __slots__ = ()

    generator: Generator
    stream: StreamValue

    @property
    def conditional(self) -> bool:
        """Whether it takes nothing in an iteration where a condition fails."""
        return self.stream.condition is not None

    @property
    def spread(self) -> bool:
        """Whether it takes the elements of arrays, one after the other."""
        return self.stream.spread

    @property
    def one_each(self) -> bool:
        """Whether it takes exactly one row in each iteration."""
        return self.stream.one_each

    @property
    def counts(self) -> bool:
        """Whether the number of iterations that count is a result where there is a condition."""
        return self.generator.counts(self.stream)

    @property
    def leads(self) -> bool:
        """Whether its first result is a number: how many elements or rows the others have."""
        return self.generator.leads(self.stream)

    @property
    def totals(self) -> bool:
        """Whether how many values are collected by key is a result, the last one."""
        return self.generator.totals(self.stream)

    @property
    def arrays(self) -> int:
        """How many results there are beside the first where that is a number."""
        return self.generator.arrays(self.stream)

    @property
    def gives(self) -> int:
        """How many results of the loop are the generator's."""
        return self.generator.gives(self.stream)


def grows(own: TakesStream) -> bool:
    """Whether streams are collected: how much is known only when the loop has ended."""
    return own.generator.gives_all and own.stream.spread
