"""C for bit and word operations: rules by operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cogen.backends.ctree import arithmetic as cv
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.tree import CCast, CIndex
from cogen.backends.ctree.types import BOOL, I32, I64, U32, U64, CConst, CPointer, Type
from cogen.backends.ctree.values import CValue
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.carithmetic import overflows
from cogen.backends.kernel.ccontext import Rule, RuleContext
from cogen.backends.kernel.cwords import word_type
from cogen.lang.datum import INT_MAX, INT_MIN


def _bit_operation(combine: Callable[[CValue, CValue], CValue]) -> Rule:
    return lambda c, o: combine(*(c.value(x) for x in o.arguments))


def _shift(c: RuleContext, o: st.Op) -> CValue:
    x, n = c.value(o.arguments[0]), c.value(o.arguments[1])
    if n.constant == -1 and x.terms is not None and c.word_size == 16:
        return ct.call(c.helper("cogen_mean16"), I32, *x.terms, low=x.low >> 1, high=x.high >> 1)
    if isinstance(n.constant, int) and n.constant <= 0:
        return _shifted_down(x, -n.constant)
    if isinstance(n.constant, int) and n.constant < 64:
        count = n.constant
        if not overflows(c, x.low << count, x.high << count):
            return cv.shift_left(x, count)
    near = _near_shift(x, n)
    if near is not None:
        return near
    if c.checked:
        x, n = c.settle(x), c.settle(n)
        fits = ct.call(c.helper("cogen_shift_fits"), BOOL, x, n, low=0, high=1)
        c.fail_if(ct.negated(fits), o, x, n)
    return ct.call(c.helper("cogen_shift"), I64, x, n)


def _near_shift(x: CValue, n: CValue) -> CValue | None:
    """A shift by so few places, all to one side, that C's own operator does it."""
    if n.high <= 0:
        down = cv.negate(n)
        moved = cv.shifted_down(x, down)
        return None if moved is None else replace(moved, origin=_piece(x, down))
    if n.low >= 0 and n.high < 63 and x.low >= 0 and x.high << n.high <= INT_MAX:
        return cv.shifted_up(x, n)
    return None


PIECES: dict[int, Type] = {8: I32, 16: I32, 32: U32}
"""The bits of a piece of a word that C can load by itself, and the type of its value."""


def _piece(word: CValue, down: CValue) -> tuple[str, CValue, int] | None:
    """buf[x >> k] >> n*(x & (2^k - 1)), in words of n * 2^k bits: its low bits are item x of the
    buffer as an array of items of n bits."""
    load, places = word.comes_from("word"), down.comes_from("scaled")
    if load is None or places is None or not isinstance(word.expr, CIndex):
        return None
    (index, word_size), (rest, size) = load, places
    lowered = index.comes_from("lowered") or index.comes_from("floored")
    if lowered is None or size not in PIECES:
        return None
    x, count = lowered
    masked = rest.comes_from("masked")
    if size << count != word_size or masked is None:
        return None
    if masked[0].expr != x.expr or masked[1] != count:
        return None
    items = CCast(CPointer(CConst(word_type(size))), word.expr.base)
    weight = x.weight + 2
    piece = CValue(CIndex(items, x.expr), PIECES[size], 0, (1 << size) - 1, weight, reads=True)
    return "piece", piece, size


def _shifted_down(x: CValue, count: int) -> CValue:
    """x >> count; down again what `word-shift-left` moved up is the sign of a field."""
    moved = x.comes_from("moved")
    if moved is None or moved[1] > count:
        return cv.shift_right(x, count)
    field, up = moved
    return cv.shift_right(cv.sign_extended(field, 64 - up), count - up)


def _word_operation(symbol: str, plain: Callable[[CValue, CValue], CValue], corner: str) -> Rule:
    """Arithmetic modulo 2^64; the plain operation where the result cannot leave the range."""

    def rule(c: RuleContext, o: st.Op) -> CValue:
        a, b = (c.value(x) for x in o.arguments)
        if corner == "*":
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            low, high = min(corners), max(corners)
        elif corner == "+":
            low, high = a.low + b.low, a.high + b.high
        else:
            low, high = a.low - b.high, a.high - b.low
        if low >= INT_MIN and high <= INT_MAX:
            return cv.product(plain(a, b), a, b) if symbol == "*" else plain(a, b)
        value = ct.wrapped(symbol, a, b)
        return cv.product(value, a, b) if symbol == "*" else value

    return rule


def _word_left(c: RuleContext, o: st.Op) -> CValue:
    x, n = c.value(o.arguments[0]), c.settled(o.arguments[1])
    if isinstance(n.constant, int) and 0 <= n.constant < 64:
        count = n.constant
        if x.low << count >= INT_MIN and x.high << count <= INT_MAX:
            return cv.shift_left(x, count)
        moved = ct.made("<<", U64, ct.unsigned(x), n, *ct.RANGES[U64])
        return replace(ct.signed(moved), origin=("moved", x, count))
    c.fail_if(ct.compare("<", n, ct.integer(0)), o, ct.integer(1), n)
    return ct.call(c.helper("cogen_word_left"), I64, x, n)


def _word_right(c: RuleContext, o: st.Op) -> CValue:
    x, n = c.value(o.arguments[0]), c.settled(o.arguments[1])
    if isinstance(n.constant, int) and 0 <= n.constant < 64:
        if x.low >= 0 or n.constant == 0:
            return cv.shift_right(x, n.constant)
        high = (1 << (64 - n.constant)) - 1
        if x.type == I32 and n.constant == 63:  # the sign
            return ct.made(">>", U32, ct.unsigned(x, U32), ct.integer(31), 0, 1)
        moved = ct.made(">>", U64, ct.unsigned(x), n, 0, high)
        return ct.signed(moved, low=0, high=high)
    c.fail_if(ct.compare("<", n, ct.integer(0)), o, ct.integer(1), n)
    return ct.call(c.helper("cogen_word_right"), I64, x, n)


RULES: dict[str, Rule] = {
    "bitwise-and": _bit_operation(cv.bits_and),
    "bitwise-ior": _bit_operation(lambda a, b: cv.bits_or("|", a, b)),
    "bitwise-xor": _bit_operation(lambda a, b: cv.bits_or("^", a, b)),
    "bitwise-not": lambda c, o: cv.bits_not(c.value(o.arguments[0])),
    "arithmetic-shift": _shift,
    "word-add": _word_operation("+", cv.add, "+"),
    "word-sub": _word_operation("-", cv.subtract, "-"),
    "word-mul": _word_operation("*", cv.multiply, "*"),
    "word-shift-left": _word_left,
    "word-shift-right": _word_right,
}
