"""Which constants a value is one of, or none of, and between which bounds it lies.

    known ::= Known(one_of, none_of, range)     UNKNOWN if nothing is
    range ::= kind low high                     kind: number or char
    bound ::= (number, -1 | 0 | 1)              just below it, the number itself, just above it

Constants are truth values, characters, symbols, integers, texts and the empty list: what is the
same by value.  A number in a range is none that is not comparable (NaN).  Laws: a value of which
`learn` was told what is so is as the result says; `answer` says only what is so for all values of
which `known` is true and for which the test does not fail; what `join` says is so if either of two
is true.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cogen.interval import MIRRORED, NEGATED
from cogen.lang.datum import NIL, Char, Datum, Symbol
from cogen.lang.prims import PRIMITIVES, PrimitiveError

Key = tuple[type, Datum]
"""A constant, with its type, as #t is not 1."""
Bound = tuple[float, int]
Range = tuple[str, Bound, Bound]

MOST: Final = 64
"""Constants that are remembered of one value."""
NOWHERE: Final = float("inf")
_EXACT: Final = 1 << 53
"""Up to here comparing an integer with a float is exact everywhere."""
_TYPES: Final = frozenset({bool, int, Char, Symbol, str, type(NIL)})

EQUALITIES: Final = frozenset(
    {"eq?", "eqv?", "equal?", "=", "char=?", "string=?", "symbol=?", "boolean=?"}
)
"""Operations that are true of one constant only (of numbers: two, 1 and 1.0)."""
ORDERS: Final = {
    "=": ("number", "="),
    "<": ("number", "<"),
    ">": ("number", ">"),
    "<=": ("number", "<="),
    ">=": ("number", ">="),
    "char=?": ("char", "="),
    "char<?": ("char", "<"),
    "char>?": ("char", ">"),
    "char<=?": ("char", "<="),
    "char>=?": ("char", ">="),
}
"""Comparisons: of what, and which of numbers it is."""
PREDICATES: Final = frozenset(
    {"pair?", "vector?", "string?", "char?", "symbol?", "boolean?", "procedure?", "number?"}
)
"""Tests of the kind of a value; `null?` is one of what it is."""
_EVERYWHERE: Final = frozenset({(bool, False), (bool, True), (type(NIL), NIL)})
"""Constants that programs have among values of other kinds."""
COMPARISONS: Final = EQUALITIES | frozenset(ORDERS)


class Known(NamedTuple):
    """What is known of a value; None where any may be."""

    one_of: frozenset[Key] | None
    none_of: frozenset[Key]
    range: Range | None


UNKNOWN: Final = Known(None, frozenset(), None)


class Comparison(NamedTuple):
    """A test `(op x constant)`; `whole` if x is an integer.  Of a kind, `(op x)`, if it is one of
    the predicates `PREDICATES`: these have no constant."""

    op: str
    constant: Datum = None
    whole: bool = False

    def holds(self, datum: Datum) -> bool | None:
        """Whether it is true of a constant; None if it fails, or identity decides."""
        if type(datum) is str is type(self.constant) and self.op in ("eq?", "eqv?"):
            return None if datum == self.constant else False
        operands = (datum,) if self.op in PREDICATES else (datum, self.constant)
        try:
            return bool(PRIMITIVES[self.op].python(*operands))
        except PrimitiveError:
            return None


def is_constant(datum: Datum) -> bool:
    """Whether this is one of the constants that are the same by value."""
    return type(datum) in _TYPES


def mirrored(op: str) -> str:
    """The comparison `(op a b)` as one of b with a."""
    if op not in ORDERS:
        return op
    kind, order = ORDERS[op]
    other = MIRRORED[order]
    return other if kind == "number" else f"char{other}?"


def exactly(datum: Datum) -> Known:
    """What is known of a constant."""
    return Known(frozenset({_key(datum)}), frozenset(), None) if is_constant(datum) else UNKNOWN


def only(known: Known) -> Key | None:
    """The constant that the value is, if it can be only one, which is the same wherever made."""
    if known.one_of is None or len(known.one_of) != 1:
        return None
    (key,) = known.one_of
    return None if key[0] is str or key[0] is float else key


def answer(known: Known, test: Comparison) -> bool | None:
    """What a test says of the value, if that is known and it does not fail."""
    if known.one_of is not None:
        said = {test.holds(datum) for _, datum in known.one_of}
        if len(said) == 1:
            return said.pop()
    if test.op in EQUALITIES and known.none_of.issuperset(_same(test)):
        return False
    return None if test.op in PREDICATES else _answer_range(known.range, test)


def succeeds(known: Known, test: Comparison) -> bool:
    """Whether a test of the value surely does not fail."""
    if "type" not in PRIMITIVES[test.op].fails:
        return True
    if known.one_of is not None:
        return all(test.holds(datum) is not None for _, datum in known.one_of)
    return known.range is not None and ORDERS.get(test.op, ("",))[0] == known.range[0]


def learn(known: Known, test: Comparison, holds: bool) -> Known:
    """What is known of the value once the test has said this."""
    one_of, none_of, range = known
    if one_of is not None:
        left = frozenset(k for k in one_of if test.holds(k[1]) in (holds, None))
        return Known(left or one_of, none_of, range)
    if test.op in PREDICATES:
        if test.op == "boolean?" and holds:
            return Known(frozenset({(bool, False), (bool, True)}) - none_of, none_of, range)
        return Known(
            None, none_of | {k for k in _EVERYWHERE if test.holds(k[1]) is not holds}, range
        )
    if test.op in EQUALITIES and (test.op != "=" or test.whole or not holds):
        if holds:
            return Known(frozenset({_key(test.constant)}), none_of, range)
        if (type(test.constant) is not str or test.op not in ("eq?", "eqv?")) and (
            len(none_of) < MOST
        ):
            none_of = none_of.union(_same(test))
    range = _learn_range(range, test, holds)
    if range is not None and range[0] == "char" and range[1] == range[2]:
        one_of = frozenset({_key(Char(chr(int(range[1][0]))))})
    return Known(one_of, none_of, range)


def join(a: Known, b: Known) -> Known:
    """What is known of a value of which one or the other is."""
    one_of = None if a.one_of is None or b.one_of is None else a.one_of | b.one_of
    if one_of is not None and len(one_of) > MOST:
        one_of = None
    none_of = frozenset(
        [key for key in a.none_of if _excludes(b, key)]
        + [key for key in b.none_of if _excludes(a, key)]
    )
    first, second = _range(a), _range(b)
    range: Range | None = None
    if first is not None and second is not None and first[0] == second[0]:
        range = first[0], min(first[1], second[1]), max(first[2], second[2])
    return Known(one_of, none_of, range)


def _key(datum: Datum) -> Key:
    return type(datum), datum


def _same(test: Comparison) -> set[Key]:
    """What a test of equality is true of: `=` of floats too."""
    key = _key(test.constant)
    if test.op != "=" or test.whole or type(test.constant) is not int:
        return {key}
    return {key, (float, float(test.constant))}


def _excludes(known: Known, key: Key) -> bool:
    """Whether the value is surely not this constant."""
    if key in known.none_of or (known.one_of is not None and key not in known.one_of):
        return True
    return _answer_range(known.range, Comparison("eqv?", key[1])) is False


def _number(datum: Datum) -> tuple[str, int] | None:
    """A constant as one of those that are in ranges; integers that no float is have none."""
    if type(datum) is int:
        return ("number", datum) if abs(datum) <= _EXACT else None
    return ("char", ord(datum.value)) if type(datum) is Char else None


def _range(known: Known) -> Range | None:
    """The bounds of the value, if it has some."""
    if known.one_of is None:
        return known.range
    numbers = [_number(datum) for _, datum in known.one_of]
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers) or len({kind for kind, _ in found}) != 1:
        return None
    values = [value for _, value in found]
    return found[0][0], (min(values), 0), (max(values), 0)


def _answer_range(range: Range | None, test: Comparison) -> bool | None:
    number = _number(test.constant)
    if range is None or number is None or number[0] != range[0]:
        return None
    at, (_, low, high) = (number[1], 0), range
    kind, order = ORDERS.get(test.op, (range[0], "="))
    if kind != range[0]:
        return None
    if order in ("<", ">="):
        less = True if high < at else False if low >= at else None
        return less if order == "<" or less is None else not less
    if order in (">", "<="):
        more = True if low > at else False if high <= at else None
        return more if order == ">" or more is None else not more
    if at < low or high < at:
        return False
    return True if low == high == at and test.op in ORDERS else None


def _learn_range(range: Range | None, test: Comparison, holds: bool) -> Range | None:
    number = _number(test.constant)
    if number is None or test.op not in ORDERS or ORDERS[test.op][0] != number[0]:
        return range
    kind, order = ORDERS[test.op]
    whole = kind == "char" or test.whole
    if not holds:
        if not whole and range is None:
            return None  # it may be that nothing compares with it
        order = NEGATED[order]
    low: Bound = (0 if kind == "char" else -NOWHERE, 0)
    high: Bound = (0x10FFFF if kind == "char" else NOWHERE, 0)
    if range is not None and range[0] == kind:
        _, low, high = range
    k = number[1]
    if order in ("=", ">=", ">"):
        least = (k, 0) if order != ">" else (k + 1, 0) if whole else (k, 1)
        low = max(low, least)
    if order in ("=", "<=", "<"):
        most = (k, 0) if order != "<" else (k - 1, 0) if whole else (k, -1)
        high = min(high, most)
    return (kind, low, high) if low <= high else range
