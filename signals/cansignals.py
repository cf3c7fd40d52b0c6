"""A signal of a CAN message: the numbers in frames <-> physical values.

    value = number * factor + offset

Values are of the first of these types that is right for all numbers that the signal can hold:

    what the frame holds      nothing is changed: the smallest type that holds the number
    int64, else uint64        factor and offset are integers, and all values lie in its range
    float64                   all else; with integers, the float64 nearest to the exact value

So no integer ever wraps, and none is rounded but into a float64.  Where only the factor is an
integer, the product is exact and then rounded.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cogen.buffers import refuse_masked
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.layout import Field
from cogen.signals.values import below

if TYPE_CHECKING:
    from cantools.database.can.signal import Signal as Described

EXACT: Final = 1 << 52
"""Integers up to here are exact floats, and so are the decisions of rounding their quotients."""

LARGEST_INTEGER: Final = 1 << 128
"""Factors and offsets beyond are floats: exact values are of no use there."""

SHAPES: Final = "the values of signals are arrays of one dimension and one length"
HINT: Final = "values are numbers, or names that the database gives to numbers"

TYPES: Final = (np.dtype(np.int64), np.dtype(np.uint64))


@dataclass(frozen=True)
class Signal:
    """Where a signal is, and what its numbers mean.

    `choices` are the names of numbers.  `switch`: the signal that decides whether a frame has
    this one, and the numbers for which it has; None if all have it.
    """

    field: Field
    factor: int | float
    offset: int | float
    unit: str
    choices: Mapping[int, str]
    switch: tuple[str, tuple[int, ...]] | None

    @property
    def name(self) -> str:
        """What the database calls it."""
        return self.field.name

    @property
    def end_byte(self) -> int:
        """How many bytes a frame has that has all its bits."""
        return -(-self.field.end // 8)

    @property
    def identity(self) -> bool:
        """Whether values are the numbers themselves."""
        return self.factor == 1 and self.offset == 0

    @property
    def integer(self) -> bool:
        """Whether all values are integers."""
        parts = (self.factor, self.offset)
        return not self.field.float and all(type(part) is int for part in parts)

    @cached_property
    def range(self) -> tuple[int | float, int | float]:
        """The least and the greatest value."""
        low, high = (limit * self.factor + self.offset for limit in self.field.limits)
        return min(low, high), max(low, high)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values in frames that all have the signal."""
        if self.identity:
            return self.field.dtype
        return self._integers or np.dtype(np.float64)

    @cached_property
    def _integers(self) -> np.dtype[Any] | None:
        """The type of integers that holds all values."""
        if not self.integer:
            return None
        low, high = self.range
        fitting = (t for t in TYPES if np.iinfo(t).min <= low and high <= np.iinfo(t).max)
        return next(fitting, None)

    @property
    def _large(self) -> bool:
        """Whether floats are not exact for numbers times the factor."""
        return any(abs(limit * self.factor) > EXACT for limit in self.field.limits)

    def values(self, numbers: Array, dtype: np.dtype[Any]) -> Array:
        """The values that numbers stand for, as `dtype`: the signal's own, or float64."""
        if self.identity:
            return numbers.astype(dtype)
        if self._integers is not None:  # modulo 2^64, which changes nothing that is in range
            factor, offset = (
                np.uint64(int(part) % (1 << 64)) for part in (self.factor, self.offset)
            )
            wrapped = numbers.astype(np.uint64) * factor + offset
            return wrapped.view(self._integers).astype(dtype)
        if numbers.dtype.kind != "f" and type(self.factor) is int and self._large:
            exact = [float(n * self.factor + self.offset) for n in numbers.tolist()]
            return np.array(exact, dtype)
        return numbers.astype(np.float64) * float(self.factor) + float(self.offset)

    def named(self, numbers: Array, values: Array) -> Array:
        """The values as objects: a name where the number has one, else the value."""
        distinct, where = np.unique(numbers, return_inverse=True)
        found = distinct.tolist()
        names: Array = np.array([self.choices.get(number) for number in found], object)
        known = np.array([number in self.choices for number in found], bool)
        return np.where(known[where], names[where], values.astype(object))

    def numbers(self, column: Array) -> tuple[Array, Array]:
        """The numbers that stand for values, and which values say that there is no signal (NaN).

        Names stand for their numbers; other values for the nearest number, ties to even.
        CogenError for one that does not fit.
        """
        result: Array = np.zeros(len(column), self.field.dtype)
        named, missing = np.zeros((2, len(column)), bool)
        if column.dtype.kind in "OU":
            named[...] = [isinstance(item, str) for item in column]
            for row in np.flatnonzero(named):
                result[row] = self._number_of(str(column[row]), int(row))
        if self.switch is not None and column.dtype.kind in "Of":
            missing[...] = column != column
        rows = np.flatnonzero(~(named | missing))
        if len(rows):
            others = column[rows]
            if others.dtype.kind == "O":
                others = as_column(others.tolist(), self.name)
            result[rows] = self._checked(others, rows)
        return result, missing

    def _number_of(self, name: str, index: int) -> int:
        found = [number for number, text in self.choices.items() if text == name]
        low, high = self.field.limits
        if len(found) == 1 and low <= found[0] <= high:
            return found[0]
        where = f"the name {name!r} of {self.name} at index {index}"
        if found:
            numbers = " and ".join(map(str, found))
            doubt = "does not fit" if len(found) == 1 else "is not the name of one number"
            raise CogenError(f"{where} {doubt}: it stands for {numbers}")
        names = ", ".join(self.choices.values())
        hint = f"its names are {names}" if names else f"{self.name} has no names: give numbers"
        raise CogenError(f"{where} stands for no number", hint=hint)

    def _checked(self, column: Array, rows: Array) -> Array:
        """The numbers of values that are all there, at those indices."""
        if self.factor == 0:
            raise CogenError(f"{self.name} has the factor 0: no number stands for a value")
        if self.field.float:
            return self._floats(column, rows)
        numbers = self._nearest(column)
        low, high = self.field.limits
        highest = below(high + 1) if numbers.dtype.kind == "f" else high
        bad = ~((numbers >= low) & (numbers <= highest)).astype(bool)
        if bad.any():
            raise self._does_not_fit(column, bad, rows, "it lies from {:g} to {:g}")
        return numbers.astype(self.field.dtype)

    def _nearest(self, column: Array) -> Array:
        """The nearest integers, not yet checked to fit."""
        if self.identity and column.dtype.kind in "iu":
            return column
        scaled = (column.astype(np.float64) - self.offset) / self.factor
        if not self.integer or self._small(column):
            return np.rint(scaled)
        exact: Array = np.empty(len(column), object)
        exact[:] = [self._exactly(value) for value in column.tolist()]
        return exact

    def _small(self, column: Array) -> bool:
        """Whether floats are exact enough for the nearest numbers of these values."""
        if column.dtype.kind == "O":
            return False
        finite = column[np.isfinite(column)]
        sizes = [abs(limit) for limit in (*self.range, self.factor, self.offset)]
        if finite.size:
            sizes += [abs(finite.min().item()), abs(finite.max().item())]
        return max(sizes) <= EXACT

    def _exactly(self, value: int | float) -> int | float:
        try:
            return round((Fraction(value) - Fraction(self.offset)) / Fraction(self.factor))
        except (ValueError, OverflowError):  # NaN and infinities
            return float("nan")

    def _floats(self, column: Array, rows: Array) -> Array:
        exact = (column.astype(np.float64) - self.offset) / self.factor
        with np.errstate(over="ignore"):
            numbers = exact.astype(self.field.dtype)
        bad = np.isinf(numbers) & np.isfinite(column.astype(np.float64))
        if bad.any():
            raise self._does_not_fit(column, bad, rows, f"it is a float of {self.field.size} bits")
        return numbers

    def _does_not_fit(self, column: Array, bad: Array, rows: Array, why: str) -> CogenError:
        index = int(np.argmax(bad))
        return CogenError(
            f"the value {column[index]} of {self.name} at index {rows[index]} does not fit: "
            + why.format(*self.range)
        )


def described_signal(described: Described) -> Signal:
    """What cantools knows of a signal; CogenError for one that is no sample of ours."""
    switch = None
    if described.multiplexer_ids is not None and described.multiplexer_signal is not None:
        switch = (described.multiplexer_signal, tuple(described.multiplexer_ids))
    factor, offset = _numbers(described.scale, described.offset)
    choices: Mapping[Any, object] = described.choices or {}
    return Signal(
        Field(_pieces(described), bool(described.is_signed), bool(described.is_float),
              described.name),
        factor,
        offset,
        described.unit or "",
        {int(number): str(name) for number, name in choices.items()},
        switch,
    )  # fmt: skip


def _pieces(described: Described) -> tuple[tuple[int, int], ...]:
    """The pieces of a signal in little-endian bit order, the one with the high bits first.

    A big-endian signal begins at its high bit and goes down a byte, then to the next one's high
    bit.
    """
    if described.byte_order == "little_endian":
        return ((described.start, described.length),)
    pieces = []
    byte, bit = divmod(described.start, 8)
    left = described.length
    while left > 0:
        size = min(left, bit + 1)
        pieces.append((8 * byte + bit + 1 - size, size))
        left -= size
        byte, bit = byte + 1, 7
    return tuple(pieces)


def _numbers(*given: Any) -> tuple[int | float, ...]:
    """Factor and offset as integers where both are, else as they are."""
    numbers = tuple(part if type(part) is int else float(part) for part in given)
    if all(float(part).is_integer() and abs(part) < LARGEST_INTEGER for part in numbers):
        return tuple(map(int, numbers))
    return numbers


def overlapping(signals: Sequence[Signal]) -> list[tuple[str, str]]:
    """The pairs of signals that share bits in a frame that has both."""
    switches = {signal.name: signal.switch for signal in signals}
    pieces = sorted(
        (
            (start, start + size, signal.name)
            for signal in signals
            for start, size in signal.field.pieces
        ),
        key=itemgetter(0),
    )
    found: dict[tuple[str, str], None] = {}
    for i, (_, end, name) in enumerate(pieces):
        for start, _, other in pieces[i + 1 :]:
            if start >= end:
                break
            if name != other and not _exclude(name, other, switches):
                found[(name, other)] = None
    return list(found)


def _exclude(a: str, b: str, switches: Mapping[str, Any]) -> bool:
    """Whether no frame has both signals."""
    first, second = dict(_conditions(a, switches)), dict(_conditions(b, switches))
    return any(
        set(first[switch]).isdisjoint(second[switch]) for switch in first.keys() & second.keys()
    )


def _conditions(name: str, switches: Mapping[str, Any]) -> list[tuple[str, tuple[int, ...]]]:
    """The switches that decide whether a frame has a signal, with the numbers that it needs."""
    conditions: list[tuple[str, tuple[int, ...]]] = []
    switch = switches.get(name)
    while switch is not None and len(conditions) < len(switches):
        conditions.append(switch)
        switch = switches.get(switch[0])
    return conditions


def as_column(values: object, name: str) -> Array:
    """The values of a signal as an array of one dimension, of numbers or of names; objects only
    where floats would not do for its integers, or where there are both.

    CogenError for what makes no such array.
    """
    refuse_masked(values, f"the values of {name}")
    if isinstance(values, list | tuple):
        return _from_list(values, name)
    try:
        column = np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise CogenError(f"the values of {name} make no array: {error}") from None
    if column.ndim != 1:
        raise CogenError(SHAPES)
    if column.dtype.kind in "OST":
        return _from_list(column.tolist(), name)
    if column.dtype.kind not in "biufU":
        raise _no_values(name, column.dtype)
    return column.view(np.uint8) if column.dtype.kind == "b" else column


def _from_list(values: Sequence[Any], name: str) -> Array:
    items = [_plain(item, name) for item in values]
    kinds = {type(item) for item in items}
    integers = [item for item in items if type(item) is int]
    if kinds == {int}:
        for dtype in TYPES:
            info = np.iinfo(dtype)
            if info.min <= min(integers) and max(integers) <= info.max:
                return np.array(items, dtype)
    if str not in kinds and all(abs(item) <= EXACT for item in integers):
        return np.array(items, np.float64)
    mixed: Array = np.empty(len(items), object)
    mixed[:] = items
    return mixed


def _plain(item: Any, name: str) -> int | float | str:
    """A number of Python's, or a name, which may be the `name` of the item (as in cantools)."""
    if isinstance(item, np.generic):
        item = item.item()
    if isinstance(item, bytes):
        return item.decode("latin-1")
    if isinstance(item, str | float):
        return item
    if isinstance(item, int) and abs(item) < 1 << 1000:  # it could be a float
        return int(item)
    own = getattr(item, "name", None)
    if isinstance(own, str):
        return own
    raise CogenError(f"{reprlib.repr(item)} is no value of {name}", hint=HINT)


def _no_values(name: str, dtype: np.dtype[Any]) -> CogenError:
    return CogenError(f"an array of {dtype} holds no values of {name}", hint=HINT)
