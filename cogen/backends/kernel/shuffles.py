"""Where bits come from -> permutations of bytes, shifts of lanes and masks that bring them there.

A vector of lanes is the union of a few *terms*; each takes bytes of the source in any order, moves
each lane by less than a byte, and keeps the bits that belong there:

    12 bits to 16:   lane k  =  (bytes 3k/2 and 3k/2 + 1)  >>  4 (k odd), 0 (k even)   &  0xfff

Which bytes, how far and what is kept follows from the bits alone.  Samples with a sign are put to
the top of their lane and moved down again, so that it spreads; where they are shorter than a lane,
or of several lengths, the sign spreads by a sum: (x ^ 0x800) - 0x800.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

from cogen.backends.kernel.provenance import Bit, Bits

MOST_TERMS: Final = 4
"""With more terms there are quicker ways."""

ELEMENTS: Final = (8, 16, 32, 64)
"""The bits of items in which a sign may spread by a sum."""

LEFT, RIGHT = 1, -1


@dataclass(frozen=True, slots=True)
class ShuffleRun:
    """Bits that stay together: `length` of them from address `source` go to bit `place` of a
    lane."""

    place: int
    source: int
    length: int


@dataclass(slots=True)
class Share:
    """What one lane has of a term: bytes by their place in the lane, and how far they are moved up
    (down if it is negative)."""

    shift: int | None = None
    bytes: dict[int, int] = field(default_factory=dict)
    runs: list[ShuffleRun] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShuffleTerm:
    """For each lane the bytes it takes (None for any), how far they are moved, and what is kept."""

    bytes: tuple[tuple[int | None, ...], ...]
    shifts: tuple[int, ...]
    masks: tuple[int, ...] | None
    """None if nothing need be cleared."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Lanes of `size` bits: the union of terms, then moved down by `spread` with the sign, then
    with the bits of `flipped` inverted; then, in items of `item` bits, less `signs`."""

    size: int
    terms: tuple[ShuffleTerm, ...]
    spread: int
    flipped: tuple[int, ...]
    item: int = 0
    signs: tuple[int, ...] = ()

    @property
    def is_uniform(self) -> bool:
        """Whether each term moves all lanes alike."""
        return all(len(set(term.shifts)) == 1 for term in self.terms)

    @property
    def cost(self) -> int:
        """About how many operations it takes."""
        each = sum(1 + any(t.shifts) + (t.masks is not None) for t in self.terms)
        last = (self.spread > 0) + any(self.flipped) + any(self.signs)
        return each + len(self.terms) - 1 + last


def shuffle(lanes: Sequence[Bits], size: int) -> Shuffle | None:
    """How to make lanes of `size` bits, if few terms do it."""
    spreads = {_spread(lane) for lane in lanes}
    if len(spreads) != 1:
        return None
    (spread,) = spreads
    wanted = [_runs((*(False,) * spread, *lane[: size - spread])) for lane in lanes]
    flipped = tuple(_flipped(lane) for lane in lanes)
    least = max(len({(r.place - r.source) % 8 for r in runs}) for runs in wanted)
    for count in range(max(1, least), MOST_TERMS + 1):
        for directions in combinations_with_replacement((RIGHT, LEFT), count):
            shares = _all_placed(wanted, directions, size)
            if shares is not None:
                terms = tuple(_term(shares, i, size, spread) for i in range(count))
                return Shuffle(size, terms, spread, flipped)
    return None


def _all_placed(
    lanes: Sequence[tuple[ShuffleRun, ...]], directions: tuple[int, ...], size: int
) -> list[tuple[Share, ...]] | None:
    """What each lane has of the terms; None as soon as one lane has a run for which there is no
    room."""
    found = []
    for runs in lanes:
        shares = _placed(runs, directions, size)
        if shares is None:
            return None
        found.append(shares)
    return found


def _spread(lane: Bits) -> int:
    """How many bits at the top are copies of the one below them."""
    top, count = lane[-1], 0
    if isinstance(top, bool):
        return 0
    while count + 1 < len(lane) and lane[-2 - count] == top:
        count += 1
    return count


def _flipped(lane: Bits) -> int:
    return sum(1 << i for i, bit in enumerate(lane) if bit is True or _is_inverted(bit))


def _is_inverted(bit: Bit) -> bool:
    return isinstance(bit, tuple) and bit[1]


def _runs(lane: Bits) -> tuple[ShuffleRun, ...]:
    runs: list[ShuffleRun] = []
    for place, bit in enumerate(lane):
        if not isinstance(bit, tuple):
            continue
        last = runs[-1] if runs else None
        if last and place == last.place + last.length and bit[0] == last.source + last.length:
            runs[-1] = ShuffleRun(last.place, last.source, last.length + 1)
        else:
            runs.append(ShuffleRun(place, bit[0], 1))
    return tuple(runs)


def _placed(
    runs: Sequence[ShuffleRun], directions: tuple[int, ...], size: int
) -> tuple[Share, ...] | None:
    """The runs of a lane in terms of these directions, if they fit in.  See Note [Dead ends]."""
    shares = tuple(Share() for _ in directions)
    return shares if _place(runs, 0, shares, directions, size, set()) else None


# Note [Dead ends]
#   Runs are placed from the lowest on, with steps back.  What those before leave to the others is
#   how far each term moves, and the bytes it takes from where the next run begins, at most 7 bits
#   lower.  Where that was a dead end once, it is one whatever was done below; terms of one
#   direction may change places.  Without this some layouts (6 of every 11 bits to 5) were searched
#   for years.


def _place(
    runs: Sequence[ShuffleRun],
    number: int,
    shares: Sequence[Share],
    directions: Sequence[int],
    size: int,
    dead: set[tuple[object, ...]],
) -> bool:
    if number == len(runs):
        return True
    run = runs[number]
    left = _left(number, run, shares, directions)
    if left in dead:
        return False
    for share, direction in zip(shares, directions, strict=True):
        shift = (run.place - run.source) % 8
        if direction == RIGHT:
            shift = -(-shift % 8)
        taken = _taken(run, shift, size)
        if taken is None or share.shift not in (None, shift):
            continue
        if any(share.bytes.get(place, byte) != byte for place, byte in taken):
            continue
        before = share.shift, dict(share.bytes)
        share.shift = shift
        share.bytes.update(taken)
        share.runs.append(run)
        if _place(runs, number + 1, shares, directions, size, dead):
            return True
        share.shift, share.bytes = before
        share.runs.pop()
    dead.add(left)
    return False


def _left(
    number: int, run: ShuffleRun, shares: Sequence[Share], directions: Sequence[int]
) -> tuple[object, ...]:
    """What the runs before one have left to it and to those behind it."""
    low = (run.place - 7) // 8
    taken = [
        (direction, share.shift is not None, share.shift or 0, *_from(share.bytes, low))
        for share, direction in zip(shares, directions, strict=True)
    ]
    return number, *sorted(taken)


def _from(taken: Mapping[int, int], low: int) -> list[tuple[int, int]]:
    """The bytes that are taken by a term, from a place on."""
    return sorted((place, byte) for place, byte in taken.items() if place >= low)


def _taken(run: ShuffleRun, shift: int, size: int) -> list[tuple[int, int]] | None:
    """Which bytes of a lane must be which bytes of the source; None if the run would leave the lane
    before it is moved."""
    first = run.place - shift
    if first < 0 or first + run.length > size:
        return None
    apart = (run.source - first) // 8
    return [(j, j + apart) for j in range(first // 8, (first + run.length - 1) // 8 + 1)]


def _term(lanes: Sequence[Sequence[Share]], number: int, size: int, spread: int) -> ShuffleTerm:
    shares = [lane[number] for lane in lanes]
    shifts = tuple(share.shift or 0 for share in shares)
    kept = [sum(((1 << r.length) - 1) << r.place for r in share.runs) for share in shares]
    ones = (1 << size) - 1
    whole = all(
        mask | _empty(shift, size) | ((1 << spread) - 1) == ones
        for mask, shift in zip(kept, shifts, strict=True)
    )
    places = tuple(tuple(share.bytes.get(place) for place in range(size // 8)) for share in shares)
    return ShuffleTerm(places, shifts, None if whole else tuple(kept))


def _empty(shift: int, size: int) -> int:
    """The bits that a shift has cleared."""
    if shift >= 0:
        return (1 << shift) - 1
    return ((1 << -shift) - 1) << (size + shift)


@lru_cache(maxsize=1024)
def best_shuffle(bits: Bits, sizes: tuple[int, ...], shifting: tuple[int, ...]) -> Shuffle | None:
    """The cheapest way to make those bits, in lanes of one of these sizes; only those of the sizes
    `shifting` can be moved by different distances."""
    found = [shuffle([*_cut(bits, size)], size) for size in sizes]
    if found.count(None) == len(found):
        found = [_summed(bits, size) for size in sizes]
    fit = [s for s in found if s is not None and (s.is_uniform or s.size in shifting)]
    return min(fit, key=lambda s: s.cost, default=None)


@dataclass(frozen=True, slots=True)
class ShuffleMerge:
    """Lanes of the source of `size` bits, all alike: the union of what `moves` (how far up, and
    what is kept) make of each; then `places` are the bytes of that which are stored."""

    size: int
    moves: tuple[tuple[int, int], ...]
    places: tuple[int, ...]


def best_merge(bits: Bits, sizes: Sequence[int]) -> ShuffleMerge | None:
    """How bits of few lanes are put together, for less than there is in the source: samples are
    shifted side by side in their lanes, and then the bytes."""
    found = [merge(bits, size) for size in sizes]
    fit = [m for m in found if m is not None and len(m.moves) <= MOST_TERMS]
    return min(fit, key=lambda m: len(m.moves), default=None)


def merge(bits: Bits, size: int) -> ShuffleMerge | None:
    """The same in lanes of that size; None if bytes come from several lanes, or lanes differ."""
    filled: dict[int, int] = {}
    moves: dict[int, dict[int, int]] = {}
    places: list[int] = []
    for byte in _cut(bits, 8):
        known = [(i, bit[0]) for i, bit in enumerate(byte) if isinstance(bit, tuple) and not bit[1]]
        lanes = {address // size for _, address in known}
        if len(lanes) != 1 or any(_is_one(bit) for bit in byte):
            return None
        (lane,) = lanes
        start = filled.get(lane, 0)
        filled[lane] = start + 8
        if start >= size:
            return None
        here = moves.setdefault(lane, {})
        for i, address in known:
            shift = start + i - address % size
            here[shift] = here.get(shift, 0) | 1 << (start + i)
        places.append((lane * size + start) // 8)
    first = next(iter(moves.values()))
    if any(other != first for other in moves.values()):
        return None
    return ShuffleMerge(size, tuple(sorted(first.items())), tuple(places))


@dataclass(frozen=True, slots=True)
class ShuffleWindows:
    """Words of 64 bits of the source: each of their bytes is made of *windows*, eight bits of its
    word from any bit on, of which each term keeps some; then `places` are the bytes of that which
    are stored.

    A byte of many windows is a *sum*: they are the bytes of another word, `summed`, which are added
    up.  There is one in a word at most; its place is that of the word, behind all bytes."""

    terms: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    """For each byte the first bit of its window, and what is kept of it."""
    places: tuple[int, ...]
    summed: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def cost(self) -> int:
        """About how many windows it takes."""
        return len(self.terms) + (0 if self.summed is None else 2)


WINDOWED: Final = 64
"""The bits of the words that windows are taken from."""

MANY: Final = 2
"""A byte of more windows is better a sum."""


@dataclass(slots=True)
class _Table:
    """Windows of bytes: the first bit of each, and what is kept."""

    starts: list[int]
    masks: list[int]

    @property
    def done(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(self.starts), tuple(self.masks)


def windows(bits: Bits, count: int) -> ShuffleWindows | None:
    """How bits of `count` bytes of the source are put together to fewer; None if a byte would have
    bits of two words, or a word more bytes than it had."""
    made = [_windows_of(byte) for byte in _cut(bits, 8)]
    if None in made:
        return None
    found = [byte for byte in made if byte is not None]
    crowded = [word for word, wanted in found if len(wanted) > MANY]
    sums = len(crowded) == len(set(crowded))
    terms: list[_Table] = []
    summed = _Table([0] * count, [0] * count)
    filled: dict[int, int] = {}
    places: list[int] = []
    for word, wanted in found:
        first = word * WINDOWED // 8
        if sums and len(wanted) > MANY:
            places.append(count + first)
            for number, (start, mask) in enumerate(wanted.items()):
                summed.starts[first + number], summed.masks[first + number] = start, mask
            continue
        slot = filled.get(word, 0)
        filled[word] = slot + 1
        if slot == WINDOWED // 8:
            return None
        places.append(first + slot)
        for number, (start, mask) in enumerate(wanted.items()):
            if number == len(terms):
                terms.append(_Table([0] * count, [0] * count))
            terms[number].starts[first + slot] = start
            terms[number].masks[first + slot] = mask
    if not terms:
        return None
    others = summed.done if sums and crowded else None
    return ShuffleWindows(tuple(term.done for term in terms), tuple(places), others)


def _windows_of(byte: Bits) -> tuple[int, dict[int, int]] | None:
    """The word that a byte has bits of, and for the first bit of each window what is kept of it;
    None for bits of several words, or none."""
    runs = _runs(byte)
    words = {(run.source + i) // WINDOWED for run in runs for i in (0, run.length - 1)}
    if len(words) != 1 or any(_is_one(bit) for bit in byte):
        return None
    starts: dict[int, int] = {}
    for run in runs:
        start = (run.source - run.place) % WINDOWED
        starts[start] = starts.get(start, 0) | ((1 << run.length) - 1) << run.place
    return words.pop(), starts


def _is_one(bit: Bit) -> bool:
    return bit is True or _is_inverted(bit)


def _summed(bits: Bits, size: int) -> Shuffle | None:
    """The same with signs that spread by a sum, in the smallest items that have each a sign."""
    for item in ELEMENTS:
        if item > size:
            return None
        items = [*_cut(bits, item)]
        spreads = [_spread(bit) for bit in items]
        plain = [
            bit
            for lane, spread in zip(items, spreads, strict=True)
            for bit in (*lane[: item - spread], *(False,) * spread)
        ]
        lanes = [*_cut(tuple(plain), size)]
        if not any(map(_spread, lanes)):
            found = shuffle(lanes, size)
            if found is None:
                return None
            signs = tuple(1 << (item - 1 - spread) if spread else 0 for spread in spreads)
            joined = _joined(signs, item, size)
            flipped = tuple(a ^ b for a, b in zip(found.flipped, joined, strict=True))
            return Shuffle(size, found.terms, 0, flipped, item, signs)
    return None


def _joined(numbers: Sequence[int], item: int, size: int) -> tuple[int, ...]:
    """Items put together to lanes."""
    each = size // item
    lanes = (numbers[i : i + each] for i in range(0, len(numbers), each))
    return tuple(sum(n << (item * i) for i, n in enumerate(lane)) for lane in lanes)


def _cut(bits: Bits, size: int) -> Iterator[Bits]:
    for start in range(0, len(bits), size):
        yield bits[start : start + size]


def starts_of(terms: Sequence[ShuffleTerm], size: int, granule: int) -> list[int | None]:
    """For each granule of a vector the first byte of the source that serves all terms; None if
    none does."""
    lanes = 8 * granule // size
    starts: list[int | None] = []
    for first in range(0, len(terms[0].bytes), lanes):
        taken = [b for t in terms for lane in t.bytes[first : first + lanes] for b in lane]
        known = [byte for byte in taken if byte is not None]
        low, high = min(known, default=0), max(known, default=0)
        starts.append(low if high - low < granule else None)
    return starts
