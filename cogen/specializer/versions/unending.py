"""Rounds of calls that are carried out one after the other, and will go on so for ever.

Where a block has unfolded many calls without a dynamic conditional, the code that it comes to is
recorded for a while.  If that goes in rounds, the rounds before have shown what each operation
gives: the same each time; a list or a text that gets longer; a number that goes up or down.  If
then no test can turn out differently (`(= n 0)` after -1, -2, -3; `(null? l)` of a list that gets
longer; what is the same in each round), nothing ever ends it, and it is told at once, not when
--max-unfoldings calls have been unfolded.

What a round does with what changes is understood for few operations only; where there is another
(a remainder, an element of a vector at an index that changes), nothing is concluded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from cogen.lang import il
from cogen.lang.chain import in_library
from cogen.lang.datum import Symbol
from cogen.specializer.values.domain import (
    Activation,
    Cyclic,
    Dynamic,
    Environment,
    PartialPair,
    Static,
    Test,
)
from cogen.specializer.values.freeze import static_token

FIRST: Final = 4096
"""After so many calls unfolded in a block it is looked for rounds, in as many blocks of code, and
again after twice as many."""

LEAST: Final = 8
"""So many rounds are recorded at least."""

ROUNDS: Final = 6
"""So many rounds are compared."""

MOST_PARTS: Final = 1 << 16
"""Parts of a value that are counted."""

Row = Sequence[Any]
"""What a variable holds in round after round."""


class CodeRecord:
    """The code that a block has come to, recorded: so many blocks of code."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._codes: list[il.Block] = []
        self._environments: list[Environment] = []
        self.activations: list[Activation | None] = []

    def passed(
        self, code: il.Block, environment: Environment, activation: Activation | None
    ) -> bool:
        """Record a block of code that has been carried out; whether that is enough."""
        self._codes.append(code)
        self._environments.append(environment)
        self.activations.append(activation)
        return len(self._codes) == self._count

    def last(self) -> list[Activation] | None:
        """The calls with which the last rounds began, the oldest first, if they go on for ever."""
        period = _period([id(code) for code in self._codes])
        if period * LEAST > self._count:
            return None
        start = len(self._codes) - ROUNDS * period
        for place in range(start, start + period):
            rows = range(place, len(self._codes), period)
            environments = [self._environments[index] for index in rows]
            if not all(_goes_on(let, environments) for let in _lets(self._codes[place])):
                return None
        return self._calls(range(start, len(self._codes)), period)

    def _calls(self, places: range, period: int) -> list[Activation] | None:
        """A call of each round: of the procedure of the user's that is called least often in it,
        of these the one that waits for least others."""
        first: dict[il.Function, int] = {}
        times: Counter[il.Function] = Counter()
        before = self.activations[places.start - 1] if places.start else None
        for place in places[:period]:
            activation = self.activations[place]
            if activation is not None and activation is not before:
                first.setdefault(activation.function, place)
                times[activation.function] += 1
            before = activation
        own = [function for function in first if not in_library(function.span)] or list(first)
        if not own:
            return None

        def rank(function: il.Function) -> tuple[int, int]:
            activation = self.activations[first[function]]
            return times[function], 0 if activation is None else activation.depth

        start = first[min(own, key=rank)]
        calls = [self.activations[place] for place in range(start, places.stop, period)]
        return [call for call in calls if call is not None]


def _lets(code: il.Block) -> list[il.Let]:
    return [binding for binding in code.bindings if type(binding) is il.Let]


def _period(names: Sequence[int]) -> int:
    """After how many of them the last names come again and again (the shortest period of the
    second half of them)."""
    names = names[: len(names) // 2 - 1 : -1]
    border = [0] * len(names)  # of each beginning, how much of it is also its end
    length = 0
    for index in range(1, len(names)):
        while length and names[index] != names[length]:
            length = border[length - 1]
        if names[index] == names[length]:
            length += 1
        border[index] = length
    return len(names) - border[-1]


def _goes_on(let: il.Let, environments: Sequence[Environment]) -> bool:
    """Whether what an operation gave in some rounds tells what it gives in all further ones, or
    that no test depends on it."""
    results = [environment.get(let.name) for environment in environments]
    if all(map(_is_unknown, results)):
        return True
    rows = [_row(atom, environments) for atom in let.arguments]
    if all(map(_is_same, rows)):
        return True
    if all(type(r) is Static and type(r.datum) is bool for r in results if r is not None):
        decided = _DECIDED.get(let.op)
        return decided is not None and _is_same(results) and decided(*rows)
    if let.op in _ARITHMETIC and not _ARITHMETIC[let.op](*rows):
        return False
    return let.op in _BUILDING or (let.op in _UNDERSTOOD and _is_steady(results))


def _is_unknown(value: Any) -> bool:
    """Whether only a run knows a value."""
    return type(value) in (Dynamic, Test) or (type(value) is Cyclic and value.base == 1)


def _row(atom: il.Atom, environments: Sequence[Environment]) -> Row:
    if type(atom) is il.Var:
        return [environment.get(atom.name) for environment in environments]
    return [Static(atom.value)] * 2 if type(atom) is il.Const else [atom] * 2


def _is_same(row: Row) -> bool:
    """Whether the values are the same constant, or object."""
    first = row[0]
    if all(value is first for value in row):
        return True
    tokens = set(map(_token, row))
    return len(tokens) == 1 and None not in tokens


def _token(value: Any) -> Any:
    """What constants have in common that are the same; None of other values."""
    if type(value) is Static:
        return static_token(value.datum)
    if type(value) is PartialPair and value.ground is not None:
        return "ground", value.ground
    return None


def _is_steady(row: Row) -> bool:
    """Whether values stay what they are, get longer, or go on in one direction."""
    if _is_same(row):
        return True
    numbers = _numbers(row)
    if numbers is not None:
        return _is_moving(numbers)
    if all(map(_is_unknown, row)):
        return True
    lengths = [_length(value) for value in row]
    return None not in lengths and all(a <= b for a, b in pairwise(lengths))  # type: ignore[operator]


def _length(value: Any) -> int | None:
    """How long a text is, or a list, as far as it is known; None of other values."""
    if type(value) is Static:
        datum = value.datum
        return len(datum.name if type(datum) is Symbol else datum) if _is_text(datum) else None
    if type(value) is not PartialPair:
        return None
    length = 0
    while type(value) is PartialPair:
        length += 1
        if length > MOST_PARTS:
            return None
        value = value.cdr
    return length


def _is_text(datum: Any) -> bool:
    return type(datum) in (str, Symbol)


def _numbers(row: Row) -> list[int] | None:
    """The integers that the values are, if they all are."""
    data = [value.datum for value in row if type(value) is Static and type(value.datum) is int]
    return data if len(data) == len(row) else None


def _is_moving(numbers: Sequence[int]) -> bool:
    """Whether numbers go on in one direction, never slower."""
    steps = [new - old for old, new in pairwise(numbers)]
    if not all(step > 0 for step in steps) and not all(step < 0 for step in steps):
        return False
    return all(abs(old) <= abs(new) for old, new in pairwise(steps))


def _direction(numbers: Sequence[int]) -> int:
    """Which way numbers go that go on in one direction; 0 if they stay."""
    return (numbers[-1] > numbers[0]) - (numbers[-1] < numbers[0])


def _are_even(numbers: Sequence[int]) -> bool:
    """Whether numbers go on by the same step."""
    return len({new - old for old, new in pairwise(numbers)}) <= 1


def _pair(a: Row, b: Row) -> tuple[list[int], list[int]] | None:
    """Two operands in each round, if they are integers that go on in one direction."""
    length = max(len(a), len(b))
    first, second = _numbers(_all(a, length)), _numbers(_all(b, length))
    if first is None or second is None:
        return None
    if not all(_direction(n) == 0 or _is_moving(n) for n in (first, second)):
        return None
    return first, second


def _add_up(a: Row, b: Row) -> bool:
    """Whether a sum goes on as it did: of what goes by even steps, or in no two directions.  Else
    the slower one may turn out to be the faster in the end."""
    pair = _pair(a, b)
    if pair is None:
        return False
    return all(map(_are_even, pair)) or _direction(pair[0]) * _direction(pair[1]) >= 0


def _part(a: Row, b: Row) -> bool:
    """The same of a difference."""
    pair = _pair(a, b)
    if pair is None:
        return False
    return all(map(_are_even, pair)) or _direction(pair[0]) * _direction(pair[1]) <= 0


def _multiply(a: Row, b: Row) -> bool:
    """Whether a product goes on as it did: of what goes by even steps, or goes away from 0."""
    pair = _pair(a, b)
    if pair is None:
        return False
    return all(map(_are_even, pair)) or all(map(_is_away, pair))


_ARITHMETIC: Final[Mapping[str, Callable[[Row, Row], bool]]] = {
    "+": _add_up,
    "-": _part,
    "*": _multiply,
}
"""Whether the operands of some rounds tell what becomes of the results."""


def _distances(a: Row, b: Row) -> list[int] | None:
    """How far numbers are from each other in each round, if that goes on as it did."""
    pair = _pair(a, b) if _part(a, b) else None
    return None if pair is None else [x - y for x, y in zip(*pair, strict=True)]


def _all(row: Row, length: int) -> Row:
    return row if len(row) == length else [row[0]] * length


def _is_away(distances: Sequence[int]) -> bool:
    """Whether numbers never meet that are at these distances: they part, or stay as they are."""
    if len(set(distances)) == 1:
        return True
    same_side = all(d > 0 for d in distances) or all(d < 0 for d in distances)
    return same_side and all(abs(old) <= abs(new) for old, new in pairwise(distances))


def _never_meet(a: Row, b: Row) -> bool:
    """Whether two values that have not been equal never will be."""
    length = max(len(a), len(b))
    if None not in (_numbers(_all(a, length)), _numbers(_all(b, length))):
        return _order(a, b)
    a, b = _all(a, length), _all(b, length)
    if all(type(x) is Static and type(y) is Static for x, y in zip(a, b, strict=True)):
        kinds = {(type(x.datum), type(y.datum)) for x, y in zip(a, b, strict=True)}
        if len(kinds) != 1:
            return False
        if all(map(_is_text, (a[0].datum, b[0].datum))):
            lengths = [[Static(_length(value)) for value in row] for row in (a, b)]
            return _order(*lengths)
        (one,) = kinds
        return one[0] is not one[1]
    kinds = {(type(x), type(y)) for x, y in zip(a, b, strict=True)}
    return len(kinds) == 1 and all(x is not y for x, y in kinds)


def _away_from_zero(row: Row) -> bool:
    numbers = _numbers(row)
    return numbers is not None and _is_away(numbers)


def _order(a: Row, b: Row) -> bool:
    distances = _distances(a, b)
    return distances is not None and _is_away(distances)


_DECIDED: Final[Mapping[str, Callable[..., bool]]] = {
    **dict.fromkeys(("=", "eq?", "eqv?", "equal?", "string=?"), _never_meet),
    **dict.fromkeys(("<", ">", "<=", ">="), _order),
    **dict.fromkeys(("zero?", "positive?", "negative?"), _away_from_zero),
    **dict.fromkeys(
        ("null?", "pair?", "procedure?", "symbol?", "string?", "number?", "integer?", "vector?"),
        _is_steady,
    ),
    "not": lambda _: True,  # of what a test gave that is looked at itself, or of what is no test
}
"""Tests, and whether the operands of some rounds tell that they go on turning out as they do."""

_BUILDING: Final = frozenset({"cons", "make-record", "make-cell", "cell-set!", "lift", "values"})
"""Operations that look at nothing."""

_UNDERSTOOD: Final = frozenset(
    {"+", "-", "*", "car", "cdr", "cell-ref", "string-append", "string-length", "%finite",
     "string->symbol", "symbol->string"}
)  # fmt: skip
"""Operations whose results go on as their operands do."""
