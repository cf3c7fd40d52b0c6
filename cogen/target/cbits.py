"""C for bit and word operations: rules by operation."""

from __future__ import annotations

from collections.abc import Callable

from cogen.target import cvalue as cv
from cogen.target import structured as st
from cogen.target.carithmetic import overflows
from cogen.target.ccontext import Context, Rule
from cogen.target.cruntime import word_type
from cogen.target.ctree import Binary, Cast, Index, Invoke, Name, Unary
from cogen.target.cvalue import I64, Value
from lang.datum import INT_MAX, INT_MIN


def _bit_operation(combine: Callable[[Value, Value], Value]) -> Rule:
    return lambda c, o: combine(*(c.value(x) for x in o.arguments))


def _shift(c: Context, o: st.Op) -> Value:
    x, n = c.value(o.arguments[0]), c.value(o.arguments[1])
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
        fits = Invoke(c.helper("cogen_shift_fits"), (x.expr, n.expr))
        c.fail_if(Unary("!", fits), o, x, n)
    return cv.call(c.helper("cogen_shift"), I64, x, n)


def _near_shift(x: Value, n: Value) -> Value | None:
    """A shift by so few places, all to one side, that C's own operator does it."""
    if n.high <= 0 and n.low > (-32 if x.type in (cv.U32, cv.I32) else -64):
        down = cv.negate(n)
        lowest, highest = min(x.low, x.low >> down.high), max(x.high, x.high >> down.high)
        return Value(
            Binary(">>", x.expr, down.expr), x.type, lowest, highest,
            x.weight + down.weight + 1, x.reads or down.reads, origin=_piece(x, down),
        )  # fmt: skip
    if n.low >= 0 and n.high < 63 and x.low >= 0 and x.high << n.high <= INT_MAX:
        return Value(
            Binary("<<", cv.convert(x, I64), n.expr), I64, 0, x.high << n.high,
            x.weight + n.weight + 1, x.reads or n.reads,
        )  # fmt: skip
    return None


PIECES = {8: cv.I32, 16: cv.I32, 32: cv.U32}
"""The bits of a piece of a word that C can load by itself, and the type of its value."""


def _piece(word: Value, down: Value) -> tuple[str, Value, int] | None:
    """buf[x >> k] >> n*(x & (2^k - 1)), in words of n * 2^k bits: its low bits are item x of the
    buffer as an array of items of n bits."""
    load, places = word.comes_from("word"), down.comes_from("scaled")
    if load is None or places is None or not isinstance(word.expr, Index):
        return None
    (index, word_size), (rest, size) = load, places
    lowered = index.comes_from("lowered") or index.comes_from("floored")
    if lowered is None or size not in PIECES:
        return None
    x, count = lowered
    if size << count != word_size or rest.expr != Binary("&", x.expr, Name(str((1 << count) - 1))):
        return None
    items = Cast(f"const {word_type(size)} *", word.expr.base)
    weight = x.weight + 2
    piece = Value(Index(items, x.expr), PIECES[size], 0, (1 << size) - 1, weight, reads=True)
    return "piece", piece, size


def _shifted_down(x: Value, count: int) -> Value:
    """x >> count; down again what `word-shift-left` moved up is the sign of a field."""
    moved = x.comes_from("moved")
    if moved is None or moved[1] > count:
        return cv.shift_right(x, count)
    field, up = moved
    return cv.shift_right(cv.sign_extended(field, 64 - up), count - up)


def _word_operation(symbol: str, plain: Callable[[Value, Value], Value], corner: str) -> Rule:
    """Arithmetic modulo 2^64; the plain operation where the result cannot leave the range."""

    def rule(c: Context, o: st.Op) -> Value:
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
        wrapped = Binary(symbol, Cast("uint64_t", a.expr), Cast("uint64_t", b.expr))
        weight = a.weight + b.weight + 4
        value = Value(Cast("int64_t", wrapped), I64, weight=weight, reads=a.reads or b.reads)
        return cv.product(value, a, b) if symbol == "*" else value

    return rule


def _word_left(c: Context, o: st.Op) -> Value:
    x, n = c.value(o.arguments[0]), c.settled(o.arguments[1])
    if isinstance(n.constant, int) and 0 <= n.constant < 64:
        count = n.constant
        if x.low << count >= INT_MIN and x.high << count <= INT_MAX:
            return cv.shift_left(x, count)
        moved = Binary("<<", Cast("uint64_t", x.expr), Name(str(count)))
        return Value(
            Cast("int64_t", moved), I64,
            weight=x.weight + 4, reads=x.reads, origin=("moved", x, count),
        )  # fmt: skip
    if n.low < 0:
        c.fail_if(Binary("<", n.expr, Name("0")), o, cv.integer(1), n)
    return cv.call(c.helper("cogen_word_left"), I64, x, n)


def _word_right(c: Context, o: st.Op) -> Value:
    x, n = c.value(o.arguments[0]), c.settled(o.arguments[1])
    if isinstance(n.constant, int) and 0 <= n.constant < 64:
        if x.low >= 0 or n.constant == 0:
            return cv.shift_right(x, n.constant)
        high = (1 << (64 - n.constant)) - 1
        if x.type == cv.I32 and n.constant == 63:  # the sign
            sign = Binary(">>", Cast("uint32_t", x.expr), Name("31"))
            return Value(sign, cv.U32, 0, 1, x.weight + 2, x.reads)
        moved = Binary(">>", Cast("uint64_t", x.expr), Name(str(n.constant)))
        return Value(Cast("int64_t", moved), I64, 0, high, x.weight + 4, x.reads)
    if n.low < 0:
        c.fail_if(Binary("<", n.expr, Name("0")), o, cv.integer(1), n)
    return cv.call(c.helper("cogen_word_right"), I64, x, n)


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
