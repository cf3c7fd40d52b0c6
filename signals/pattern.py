"""Patterns: what a kernel must know of a layout, and the windows of buffers that it works on.

A pattern is a layout without its offset and what its values mean: fields of one group, and the
step to the next.  It becomes the PATTERN of signals/convert.scm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final, Literal

from cogen.boundary import leave
from cogen.lang.errors import CogenError

if TYPE_CHECKING:
    import numpy as np

Order = Literal["little", "big"]
MAX_PERIOD: Final = 64
"""Samples that a kernel moves in one round, at most, where a smaller word allows it."""


SPARSE: Final = 1 << 14
"""A step of more bits is a sparse one, for which a round shall have few samples."""


class HashedPattern:
    """Remembers its hash, `_hash`; another process has another one, so it is not pickled."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_hash"}


class KeptInstances(type):
    """The type of classes whose instances never change: one that is made again, of numbers, texts
    or other such instances, is the one that was made before, as calls make layouts."""

    if not TYPE_CHECKING:  # for which a class of this type is like any other

        def __call__(cls, *args: Any, **given: Any) -> Any:
            """An instance."""
            kinds = *map(type, args), *map(type, given.values())  # as True is not 1
            key = cls, args, *given.items(), kinds
            try:
                made = _made.get(key)
            except TypeError:  # something without a hash
                key = made = None
            if made is None:
                try:
                    made = super().__call__(*args, **given)
                except CogenError as error:
                    leave(error)
                    raise
                if key is not None:
                    if len(_made) >= MOST_MADE:
                        _made.clear()
                    _made[key] = made
            return made

        @property
        def __signature__(cls) -> Any:
            """What an instance is made of, as `inspect.signature` tells of other classes."""
            from inspect import signature

            whole = signature(cls.__init__)
            return whole.replace(parameters=[*whole.parameters.values()][1:])


MOST_MADE: Final = 1024
"""Instances that are remembered."""

_made: dict[Any, Any] = {}


@dataclass(frozen=True)
class BitPattern(HashedPattern):
    """Fields of one group and the step, in bits, from a group to the next."""

    step: int
    order: Order
    fields: tuple[tuple[bool, tuple[tuple[int, int], ...]], ...]
    """For each sample of a group: is it signed, and its pieces (address, size), high one first."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.step, self.order, self.fields))

    @cached_property
    def low(self) -> int:
        """The first bit of a group's samples, from the group's address."""
        return min(address for _, pieces in self.fields for address, _ in pieces)

    @cached_property
    def high(self) -> int:
        """The address after the last bit of a group's samples."""
        return max(address + size for _, pieces in self.fields for address, size in pieces)

    @property
    def is_bits(self) -> bool:
        """Whether samples are single bits one after the other."""
        return self.step == 1 and self.fields == ((False, ((0, 1),)),)

    @cached_property
    def is_full(self) -> bool:
        """Whether samples that do not overlap leave no bit between them."""
        bits = sum(size for _, pieces in self.fields for _, size in pieces)
        return self.low == 0 and bits == self.high == self.step

    def period(self, word_size: int) -> int:
        """The samples after which words are used in the same way again."""
        return len(self.fields) * (word_size // gcd(self.step, word_size))

    def datum(self) -> Any:
        """The PATTERN as a Python value for `cogen.static`."""
        import cogen

        fields = tuple(
            [cogen.symbol("signed" if signed else "unsigned"), *map(list, pieces)]
            for signed, pieces in self.fields
        )
        return [self.step, cogen.symbol(self.order), fields]

    def groups(self, samples: int) -> int:
        """How many groups so many samples take."""
        return -(-samples // len(self.fields))

    def compact(self, samples: int) -> BitPattern:
        """A pattern that has so many samples in the same places; the step is a small one if there
        is but one group."""
        if abs(self.step) <= SPARSE or self.groups(samples) > 1:
            return self
        return BitPattern(-(-self.high // 64) * 64, self.order, self.fields)

    def remainder(self, offset: int, word_size: int) -> int:
        """The place in its word of the first group's address, in the windows of `window`."""
        if self.step > 0:
            return offset % 8
        top = -(-(offset + self.high) // 8)
        return (offset - 8 * top) % word_size

    def window(self, offset: int, groups: int, word_size: int) -> Window:
        """The whole words that hold so many groups from bit `offset` on.

        They begin with the first byte of the first group, or, with a negative step, end with
        its last byte; so the place of the first group in its word is always the same.
        """
        last = offset + (groups - 1) * self.step
        size = word_size // 8
        if self.step > 0:
            start = offset // 8
            words = -(-(last + self.high - 8 * start) // word_size)
        else:
            top = -(-(offset + self.high) // 8)
            words = -(-(8 * top - last - self.low) // word_size)
            start = top - words * size
        return Window(start, start + words * size, offset - 8 * start)


@dataclass(frozen=True, slots=True)
class Window:
    """Bytes [start, stop) of a buffer, perhaps beyond its ends, and the address in them of the
    first group."""

    start: int
    stop: int
    address: int

    def inside(self, length: int) -> bool:
        """Whether a buffer of that many bytes has all of them."""
        return self.start >= 0 and self.stop <= length


@lru_cache(maxsize=256)
def pattern_of_array(dtype: np.dtype[Any]) -> BitPattern:
    """The pattern of the items of a contiguous array, structured or not."""
    if dtype.names is None:
        return BitPattern(8 * dtype.itemsize, "little", (_element(dtype, 0),))
    assert dtype.fields is not None
    places = [dtype.fields[name] for name in dtype.names]
    fields = tuple(_element(place[0], 8 * int(place[1])) for place in places)
    return BitPattern(8 * dtype.itemsize, "little", fields)


def _element(dtype: np.dtype[Any], address: int) -> tuple[bool, tuple[tuple[int, int], ...]]:
    return dtype.kind == "i", ((address, 8 * dtype.itemsize),)


def common_period(source: BitPattern, target: BitPattern, word_size: int) -> int:
    """The samples of one round of a kernel: whole words in both."""
    return lcm(source.period(word_size), target.period(word_size))


@lru_cache(maxsize=1024)
def choose_word_size(source: BitPattern, target: BitPattern) -> int:
    """The word size that gives the fastest loop.  See Note [Word sizes]."""
    largest = max(
        sum(size for _, size in pieces) for p in (source, target) for _, pieces in p.fields
    )
    element = next(n for n in (8, 16, 32, 64) if n >= largest)
    words = max(abs(p.step) // gcd(p.step, element) for p in (source, target))
    scattered = target.order == "big" or any(len(pieces) > 1 for _, pieces in target.fields)
    small = any(bits < 8 for p in (source, target) for _, pieces in p.fields for _, bits in pieces)
    if words > 4:
        size = max(element, 16) if scattered else 64
    elif target.order == "big" or (element == 8 and small):
        size = max(element, 32)
    else:
        size = element
    if max(abs(source.step), abs(target.step)) > SPARSE:
        size = 8
    while size > 8 and common_period(source, target, size) > MAX_PERIOD:
        size //= 2
    return size


# Note [Word sizes]
#   Words of the size of the elements of an array make each element one load or store.  If the
#   packed side then has few words in a period (12-bit samples and 16-bit words: three words for
#   four samples), gcc makes vector code of the loop with permutations: 2 to 5 times as fast as
#   anything else.  It does so for 1, 2, 3 and 4 words.  With more of them (10 bits: five words)
#   there is no vector code, and words of 64 bits give the fewest loads and stores, up to twice as
#   fast as 16 bits; but where fields are stored in pieces, smaller words have fewer pieces to put
#   together.  Bytes are too small for samples of a few bits.  Measured with gcc 12 on x86-64.


def is_disjoint(pattern: BitPattern, remainder: int, groups: int, word_size: int) -> bool:
    """Whether no word holds samples of two rounds of that many groups, so that a round may
    store whole words."""
    first = remainder + min(0, (groups - 1) * pattern.step)
    last = remainder + max(0, (groups - 1) * pattern.step)
    words = (last + pattern.high - 1) // word_size - (first + pattern.low) // word_size + 1
    return words * word_size <= groups * abs(pattern.step)
