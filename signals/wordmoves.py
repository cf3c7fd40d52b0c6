"""Moves samples with NumPy a word at a time: a period's bytes are read as one number, whose bits
get to their places by shifts and masks of whole arrays (`cogen.signals.bitmoves`).

Reading and writing every third byte, say, is what takes NumPy's time; arrays without gaps are four
times as fast.  So each period is read once, as a word that may hold bytes of the next period too,
and written once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cogen.signals.bitmoves import Move, MoveTerm, terms
from cogen.signals.buffers import Array
from cogen.signals.pattern import BitPattern
from cogen.signals.task import Task

SIZES: Final = (8, 4, 2, 1)
"""Bytes of words."""

Shape = tuple[int, int]
"""Rows, and periods of each."""


X, INTO, PART, SPARE = range(4)
"""The arrays that a word is computed with: its bytes in the source, the result, a part of it, and
one between."""

Operation = tuple[Any, int, Array | int, int]
"""A function of NumPy's, its first array, the second or a number, and the array for its result."""


@dataclass(frozen=True, slots=True)
class MovedWord:
    """A word of the target's period, and what it is made of.

    `start` and `stop` are its bytes there, `kind` is NumPy's type that it is computed with.  Its
    bits come from `read` bytes from byte `source` on of the source's period.  `covered` has the
    bits that samples are in.
    """

    start: int
    stop: int
    source: int
    read: int
    kind: str
    operations: tuple[Operation, ...]
    covered: int

    @property
    def between(self) -> tuple[str, ...]:
        """The arrays that are needed besides the first two, in their order."""
        most = max((to for *_, to in self.operations), default=INTO)
        return ("part", "spare")[: most - INTO]


@dataclass(frozen=True, slots=True)
class MovedWords:
    """The words of a period, each of which is moved with the same operations.

    The orders of bytes are `<` and `>`.  So many `periods` are worked on at a time.  Samples that
    are signed stand at the upper ends of their elements, and are to be shifted down by
    `unextended` bits.
    """

    words: tuple[MovedWord, ...]
    source_order: str
    target_order: str
    periods: int
    unextended: int

    def compute(
        self,
        word: MovedWord,
        source: Array,
        start: int,
        strides: Shape,
        into: Array,
        room: WorkRoom,
    ) -> None:
        """Compute a word of all periods; the source's first period begins at byte `start`."""
        shape = (into.shape[0], into.shape[1])
        x = self._read(word, source, start + word.source, strides, shape, room)
        arrays = [x, into]
        for name in word.between:
            arrays.append(room.array(name, word.kind, shape))
        for function, first, second, to in word.operations:
            other = arrays[second] if type(second) is int else second
            function(arrays[first], other, arrays[to])
        if not word.operations:
            np.copyto(into, x)

    def _read(
        self,
        word: MovedWord,
        source: Array,
        start: int,
        strides: Shape,
        shape: Shape,
        room: WorkRoom,
    ) -> Array:
        """The bytes of a word of all periods; some may end beyond the source, with anything."""
        kind = f"{self.source_order}u{word.read}"
        rows, periods = shape
        last = start + (rows - 1) * strides[0]
        inside = min(periods, (source.size - last - word.read) // strides[1] + 1)
        if inside == periods:
            view: Array = np.ndarray(shape, kind, source, start, strides)
            if strides[1] == word.read and view.dtype == np.dtype(word.kind):
                return view
            x = room.array("x", word.kind, shape)
            np.copyto(x, view)
            return x
        x = room.array("x", word.kind, shape)
        if rows > 1:
            np.copyto(x[:-1], np.ndarray((rows - 1, periods), kind, source, start, strides))
        inside = max(0, inside)
        if inside:
            np.copyto(x[-1, :inside], np.ndarray(inside, kind, source, last, strides[1:]))
        begin = last + inside * strides[1]
        rest = np.zeros((periods - inside) * strides[1] + word.read, np.uint8)
        rest[: source.size - begin] = source[begin : begin + rest.size]
        np.copyto(x[-1, inside:], np.ndarray(periods - inside, kind, rest, 0, strides[1:]))
        return x

    def store(
        self, word: MovedWord, value: Array, target: Array, start: int, strides: Shape, shape: Shape
    ) -> None:
        """Put the bits of a word of all periods into their places; other bits keep theirs."""
        length = word.stop - word.start
        done = 0
        for size in SIZES:
            while length - done >= size:
                shift = 8 * (length - done - size if self.target_order == ">" else done)
                kind = np.dtype(f"{self.target_order}u{size}")
                view: Array = np.ndarray(shape, kind, target, start + word.start + done, strides)
                part = value
                if shift:
                    part = np.right_shift(value, np.array(shift, value.dtype))
                ones = (1 << 8 * size) - 1
                covered = word.covered >> shift & ones
                if covered != ones:
                    part = part & np.array(covered, value.dtype)
                    part = part | (view & np.array(ones ^ covered, view.dtype))
                np.copyto(view, part, casting="unsafe")
                done += size


class WorkRoom(threading.local):
    """Arrays to work in, of each thread its own.  They are kept: new memory costs more than the
    work."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Array] = {}

    def array(self, name: str, kind: str, shape: Shape) -> Array:
        """An array of the shape, with anything in it."""
        size = shape[0] * shape[1]
        found = self.kept.get((name, kind))
        if found is None or found.size < size:
            found = self.kept[name, kind] = np.empty(size, kind)
        return found[:size].reshape(shape)


ROOM: Final = WorkRoom()


def operations(found: Sequence[MoveTerm], kind: str) -> tuple[Operation, ...]:
    """What computes the or of terms of X in INTO; nothing if that is X itself."""
    made: list[Operation] = []
    for number, term in enumerate(found):
        to = PART if number else INTO
        made += _term(term, to, kind)
        if number:
            made.append((np.bitwise_or, INTO, PART if made[-1][3] == PART else X, INTO))
    return tuple(made)


def _term(term: MoveTerm, to: int, kind: str) -> Iterator[Operation]:
    at = X
    for step in term.steps:
        if step.either:
            yield _shift(at, step.by, SPARE, kind)
            yield np.bitwise_or, at, SPARE, to
            yield np.bitwise_and, to, np.array(step.stay, kind), to
        else:
            yield np.bitwise_and, at, np.array(step.go, kind), SPARE
            yield _shift(SPARE, step.by, SPARE, kind)
            yield np.bitwise_and, at, np.array(step.stay, kind), to
            yield np.bitwise_or, to, SPARE, to
        at = to
    if term.by:
        yield _shift(at, term.by, to, kind)
        at = to
    if term.mask is not None:
        yield np.bitwise_and, at, np.array(term.mask, kind), to


def _shift(at: int, by: int, to: int, kind: str) -> Operation:
    shift = np.left_shift if by > 0 else np.right_shift
    return shift, at, np.array(abs(by), kind), to


# Plans

AT_ONCE: Final = 1 << 17
"""Bytes of an array that is worked on."""


def words_of(task: Task, period: int, element: int) -> MovedWords | None:
    """The plan for whole periods of a task; None where it is no good.

    `element` is the bytes of the elements if the target is an array, else 0.
    """
    source, target = task.source, task.target
    if task.saturate or source.step <= 0 or target.step <= 0 or _is_plain(task):
        return None
    up = 0
    if any(signed for signed, _ in source.fields):
        sizes = {(signed, _size(pieces)) for signed, pieces in source.fields}
        if not element:
            wider = max(_size(pieces) for _, pieces in target.fields)
            if wider > min(size for _, size in sizes):
                return None
        elif len(sizes) > 1:
            return None
        else:
            up = max(0, 8 * element - next(iter(sizes))[1])
    moves = [*_moves(task, period, element, up)]
    length = element * period or period // len(target.fields) * target.step // 8
    words = [*_words(moves, source, target, element, length)]
    if None in words:
        return None
    found = tuple(word for word in words if word is not None)
    widest = max(int(word.kind[1:]) for word in found)
    return MovedWords(
        found,
        ">" if source.order == "big" else "<",
        ">" if not element and target.order == "big" else "<",
        AT_ONCE // widest,
        up,
    )


def _is_plain(task: Task) -> bool:
    """Whether samples are whole elements, which NumPy reads and writes as they are."""
    fields = (*task.source.fields, *task.target.fields)
    whole = all(
        len(pieces) == 1 and pieces[0][1] in (8, 16, 32, 64) and pieces[0][0] % 8 == 0
        for _, pieces in fields
    )
    return whole and task.source.step % 8 == 0 and task.places == (0, 0)


def _size(pieces: tuple[tuple[int, int], ...]) -> int:
    return sum(size for _, size in pieces)


Placed = tuple[int, int, int]
"""A bit of a period: its address in the source (-1 for one that is 0), that in the target, the
piece it is in."""


def _moves(task: Task, period: int, element: int, up: int) -> Iterator[Placed]:
    """The bits of a period, by their addresses from the first byte on, in each side's own order."""
    for i in range(period):
        places = [*_places(task.source, i, task.places[0])]
        if element:
            base = 8 * element * i + up
            targets = [(base + bit, 0) for bit in range(8 * element - up)]
        else:
            targets = [*_places(task.target, i, task.places[1])]
        zeros = [(-1, 0)] * (len(targets) - len(places))
        for (place, piece), (to, other) in zip([*places, *zeros], targets, strict=False):
            yield place, to, piece * 64 + other


def _places(pattern: BitPattern, i: int, at: int) -> Iterator[tuple[int, int]]:
    """The addresses of a sample's bits, the lowest bit's first, and their pieces' numbers."""
    group, field = divmod(i, len(pattern.fields))
    pieces = pattern.fields[field][1]
    for number, (start, size) in reversed([*enumerate(pieces)]):
        first = at + group * pattern.step + start
        places = range(first, first + size)
        for place in reversed(places) if pattern.order == "big" else places:
            yield place, number


def _words(
    moves: list[Placed], source: BitPattern, target: BitPattern, element: int, length: int
) -> Iterator[MovedWord | None]:
    """The words of the target's bytes, as wide as can be; None for what needs bits from too far."""
    order = "little" if element else target.order
    last = length if element else max(to for _, to, _ in moves) // 8 + 1
    start = 0 if element else min(to for _, to, _ in moves) // 8
    next_period = start + length
    while start < last:
        if not element:
            start = min(to // 8 for _, to, _ in moves if to // 8 >= start)
        size = min(8, last - start)
        if start < next_period:  # no word is in two periods
            size = min(size, next_period - start)
        if element:  # whose words are stored as one number
            size = 1 << size.bit_length() - 1
        found = None
        while size and found is None:
            inside = [move for move in moves if start <= move[1] // 8 < start + size]
            found = _word(inside, start, start + size, source.order, order)
            if found is None:
                size = 1 << (size - 1).bit_length() - 1 if size > 1 else 0
        yield found
        if found is None:
            return
        start += size


def _word(
    moves: list[Placed], start: int, stop: int, source_order: str, order: str
) -> MovedWord | None:
    used = [place for place, _, _ in moves if place >= 0]
    if not used:
        return None
    first = min(used) // 8
    count = max(used) // 8 + 1 - first
    if count > 8:
        return None
    read = next(size for size in reversed(SIZES) if size >= count)
    size = stop - start
    wide = max(read, next(n for n in reversed(SIZES) if n >= size))
    groups: dict[int, list[Move]] = {}
    covered = 0
    for place, to, piece in moves:
        here, there = place - 8 * first, to - 8 * start
        here = 8 * read - 1 - here if source_order == "big" else here
        there = 8 * size - 1 - there if order == "big" else there
        covered |= 1 << there
        if place < 0:
            continue
        groups.setdefault(piece, []).append((here, there))
    found = terms([*groups.values()], (1 << 8 * read) - 1, 8 * wide)
    kind = f"u{wide}"
    return MovedWord(start, stop, first, read, kind, operations(found, kind), covered)
