"""Values in C: an expression with its C type and the interval its value lies in.

    type ::= i64 | i32 | u32 | f64 | bool

Integers of the language are mathematical; whoever builds an expression here may assume that
none leaves [-2^63, 2^63).  Where operands and result provably fit, an operation is done in 32
bits: that is what lets a C compiler put twice as many samples into a vector register.

Note [Regrouping sums]
    `((r + a) + b) + c` with a wide running sum r and narrow a, b, c becomes
    `r + (a + b + c)`, the bracket in 32 bits as long as its interval fits.  Integers are
    mathematical, so nothing changes; measured with gcc 12 on sums of 12-bit samples it is
    1.8 times as fast.  Floats are never regrouped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cogen.target.ctree import Binary, Cast, Expr, Invoke, Name, Unary
from lang.datum import INT_MAX, INT_MIN

I64, I32, U32, F64, BOOL = "i64", "i32", "u32", "f64", "bool"
C_TYPES = {I64: "int64_t", I32: "int32_t", U32: "uint32_t", F64: "double", BOOL: "bool"}
RANGES = {
    I32: (-(1 << 31), (1 << 31) - 1),
    U32: (0, (1 << 32) - 1),
    I64: (INT_MIN, INT_MAX),
}
MAX_WEIGHT = 120
"""An expression with more nodes than this gets a variable of its own."""


@dataclass(frozen=True, slots=True)
class Value:
    """An expression; `low` and `high` bound an integer, `weight` counts its nodes.

    `constant` is its value if it is a literal (an int or float).  `reads` tells that it
    reads memory.  `wide` and `narrow` are the parts of a sum that can still be regrouped.
    `opposite` is the negation of a comparison that has a simple one.  `origin` tells how the
    value was made where that matters to what is made of it: ("moved", x, n) for the 64 bits of
    x moved up n places, ("sum", x, n) for x + n in 32 bits, ("flipped", x, n) for an n-bit x with
    its highest bit changed, ("masked", x, n) for the low n bits of x, ("lowered", x, n) for x >> n
    of an x that is not negative, ("product", x, n) for a 32-bit x times n modulo 2^64,
    ("gathered", p, n) for such a product p shifted down n places, ("floored", x, n) for x >> n of
    any x, ("negated", x, 1) for -x, ("scaled", x, n) for x * n, ("word", q, n) for the word of n
    bits at index q, ("piece", x, n) for a word moved down so that x are its low n bits.
    """

    expr: Expr
    type: str
    low: int = INT_MIN
    high: int = INT_MAX
    weight: int = 1
    reads: bool = False
    constant: int | float | None = None
    wide: Value | None = None
    narrow: Value | None = None
    opposite: Expr | None = None
    origin: tuple[str, Value, int] | None = None

    def comes_from(self, kind: str) -> tuple[Value, int] | None:
        """What the value was made of in that way, and its number."""
        if self.origin is None or self.origin[0] != kind:
            return None
        return self.origin[1:]

    @property
    def c_type(self) -> str:
        return C_TYPES[self.type]

    @property
    def is_zero(self) -> bool:
        return self.constant == 0 and self.type != F64

    def fits(self, type_: str) -> bool:
        low, high = RANGES[type_]
        return low <= self.low and self.high <= high


def integer(value: int, hexadecimal: bool = False) -> Value:
    """A literal."""
    type_ = next(t for t in (I32, U32, I64) if RANGES[t][0] <= value <= RANGES[t][1])
    return Value(Name(literal(value, hexadecimal)), type_, value, value, constant=value)


def literal(value: int, hexadecimal: bool = False) -> str:
    """The text of an integer literal that has a type wide enough."""
    if value == INT_MIN:
        return "INT64_MIN"
    text = f"{'-' if value < 0 else ''}0x{abs(value):x}" if hexadecimal else str(value)
    if -(1 << 31) <= value < (1 << 31):
        return text
    return f"{text}u" if 0 <= value < (1 << 32) else f"INT64_C({text})"


def floating(value: float) -> Value:
    """A literal of type double that reads back exactly; NaN and infinities by their macros."""
    if value != value:
        text = "(double)NAN"
    elif value in (float("inf"), float("-inf")):
        text = "(double)INFINITY" if value > 0 else "-(double)INFINITY"
    else:
        text = repr(value)
    return Value(Name(text), F64, constant=value)


def boolean(value: bool) -> Value:
    return Value(Name("true" if value else "false"), BOOL, 0, 1, constant=int(value))


def variable(name: str, type_: str, low: int = INT_MIN, high: int = INT_MAX) -> Value:
    return Value(Name(name), type_, low, high)


def convert(value: Value, type_: str) -> Expr:
    """The expression as an operand of an operation in the type; the value must fit."""
    if value.type == type_:
        return value.expr
    if type_ == F64:
        if value.constant is not None:
            return floating(float(value.constant)).expr
        return Cast("double", value.expr)
    if value.constant is not None and isinstance(value.constant, int):
        return _literal_of(value.constant, type_)
    return Cast(C_TYPES[type_], value.expr)


def _literal_of(value: int, type_: str) -> Expr:
    if type_ == U32 and value > RANGES[I32][1]:
        return Name(literal(value, hexadecimal=True))
    if type_ == I64 and RANGES[U32][0] <= value <= RANGES[U32][1] and value > RANGES[I32][1]:
        return Name(f"INT64_C({value})")
    return Name(literal(value))


def narrow_type(operands: tuple[Value, ...], low: int, high: int) -> str:
    """The type in which operands and result fit: 32 bits if no operand is 64 bits wide."""
    if any(o.type == I64 for o in operands):
        return I64
    if all(o.constant is not None for o in operands):
        return I64
    lowest = min(low, *(o.low for o in operands))
    highest = max(high, *(o.high for o in operands))
    unsigned = any(o.type == U32 and o.constant is None for o in operands)
    for type_ in (U32, I32) if unsigned else (I32, U32):
        if RANGES[type_][0] <= lowest and highest <= RANGES[type_][1]:
            return type_
    return I64


def combine(operator: str, a: Value, b: Value, low: int, high: int) -> Value:
    """`a operator b` on integers, in the narrowest type, with the interval of the result.

    A result that no integer of the language is may be anything.
    """
    if low == high and isinstance(a.constant, int) and isinstance(b.constant, int):
        return integer(min(max(low, INT_MIN), INT_MAX))
    low, high = max(low, INT_MIN), min(high, INT_MAX)
    type_ = narrow_type((a, b), low, high)
    return Value(
        Binary(operator, *operands_in(type_, a, b)),
        type_, low, high, a.weight + b.weight + 1, a.reads or b.reads,
    )  # fmt: skip


def operands_in(type_: str, a: Value, b: Value) -> tuple[Expr, Expr]:
    """Both operands so that C computes in the type: one operand at least has it."""
    if type_ != I64:
        return convert(a, type_), convert(b, type_)
    if a.type == I64 and a.constant is None:
        return a.expr, _plain(b)
    if b.type == I64 and b.constant is None:
        return _plain(a), b.expr
    return Cast("int64_t", a.expr), _plain(b)


def _plain(value: Value) -> Expr:
    if isinstance(value.constant, int):
        return _literal_of(value.constant, I64)
    return value.expr


# Arithmetic


def add(a: Value, b: Value) -> Value:
    """a + b; see Note [Regrouping sums]."""
    if a.is_zero:
        return b
    if b.is_zero:
        return a
    if isinstance(b.constant, int) and b.constant < 0 and b.constant != INT_MIN:
        return subtract(a, integer(-b.constant))
    if isinstance(a.constant, int) and b.constant is None:
        a, b = b, a
    if a.wide is not None and a.narrow is not None and b.type != I64 and b.constant is None:
        inner = add(a.narrow, b)
        if inner.type != I64:
            return _running_sum(a.wide, inner)
    if a.type == I64 and b.type in (U32, I32) and b.constant is None:
        return _running_sum(a, b)
    if b.type == I64 and a.type in (U32, I32) and a.constant is None:
        return _running_sum(b, a, swapped=True)
    total = combine("+", a, b, a.low + b.low, a.high + b.high)
    if isinstance(b.constant, int) and total.type in (U32, I32):
        return replace(total, origin=("sum", a, b.constant))
    return total


def _running_sum(wide: Value, narrow: Value, swapped: bool = False) -> Value:
    left, right = (narrow, wide) if swapped else (wide, narrow)
    return Value(
        Binary("+", left.expr, right.expr),
        I64,
        max(wide.low + narrow.low, INT_MIN),
        min(wide.high + narrow.high, INT_MAX),
        wide.weight + narrow.weight + 1,
        wide.reads or narrow.reads,
        wide=wide,
        narrow=narrow,
    )


def subtract(a: Value, b: Value) -> Value:
    """a - b; (x ^ 2^(n-1)) - 2^(n-1) is the sign extension of an n-bit x."""
    if b.is_zero:
        return a
    flipped = a.comes_from("flipped")
    if flipped is not None and b.constant == 1 << (flipped[1] - 1):
        return sign_extended(*flipped)
    if a.is_zero:
        return negate(b)
    if a.wide is not None and a.narrow is not None and (b.type != I64 or b.fits(I32)):
        inner = subtract(a.narrow, b)
        if inner.type != I64:
            return _running_sum(a.wide, inner)
    return combine("-", a, b, a.low - b.high, a.high - b.low)


def negate(a: Value) -> Value:
    """-a"""
    if isinstance(a.constant, int) and a.constant > INT_MIN:
        return integer(-a.constant)
    scaled = a.comes_from("scaled")
    opposite = (scaled[0] if scaled is not None else a).comes_from("negated")
    if opposite is not None:
        return multiply(opposite[0], integer(1 if scaled is None else scaled[1]))
    low, high = -a.high, min(-a.low, INT_MAX)
    origin = ("negated", a, 1)
    if a.type != I64 and low >= RANGES[I32][0] and high <= RANGES[I32][1] and a.fits(I32):
        negative = Value(Unary("-", convert(a, I32)), I32, low, high, a.weight + 1, a.reads)
        return replace(negative, origin=origin)
    operand = a.expr if a.type == I64 else Cast("int64_t", a.expr)
    return Value(Unary("-", operand), I64, low, high, a.weight + 1, a.reads, origin=origin)


def multiply(a: Value, b: Value) -> Value:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    if a.is_zero or b.is_zero:
        return integer(0)
    if a.constant == 1:
        return b
    if b.constant == 1:
        return a
    made = combine("*", a, b, min(corners), max(corners))
    for factor, x in ((a, b), (b, a)):
        if isinstance(factor.constant, int) and x.constant is None:
            return replace(made, origin=("scaled", x, factor.constant))
    return made


def product(made: Value, a: Value, b: Value) -> Value:
    """a * b modulo 2^64, made; of which 32 bits may be all that is wanted."""
    for x, factor in ((a, b), (b, a)):
        if made.type == I64 and x.type == U32 and isinstance(factor.constant, int):
            return replace(made, origin=("product", x, factor.constant))
    return made


# Bits


def bits_and(a: Value, b: Value) -> Value:
    for mask, other in ((a, b), (b, a)):
        if isinstance(mask.constant, int):
            return _masked(other, mask.constant)
    low, high = bit_range(a, b)
    if a.low >= 0 or b.low >= 0:
        low, high = 0, min(v.high for v in (a, b) if v.low >= 0)
    return combine("&", a, b, low, high)


def _masked(a: Value, mask: int) -> Value:
    """a & mask, the mask a literal; a negative mask becomes a positive one where a is."""
    if mask == -1 or (a.low >= 0 and mask >= 0 and mask & (mask + 1) == 0 and a.high <= mask):
        return a
    if mask == 0:
        return integer(0)
    piece = a.comes_from("piece")
    if piece is not None and mask == (1 << piece[1]) - 1:
        return piece[0]
    if mask > 0:
        a = _low_product(a, mask) or a
    if mask < 0 and a.type != I64 and a.low >= 0:
        mask &= (1 << a.high.bit_length()) - 1
        if mask == 0:
            return integer(0)
    shown = integer(mask, hexadecimal=abs(mask) > 255)
    if isinstance(a.constant, int):
        return integer(a.constant & mask)
    if mask >= 0 and mask & (mask - 1) == 0:
        bit = mask.bit_length() - 1
        whole, down = a.comes_from("lowered") or (a, 0)
        carry = _carry(whole, bit + down)
        if carry is not None:
            return shift_left(carry, bit)
    if mask >= 0:
        made = combine("&", a, shown, 0, mask if a.low < 0 else min(mask, a.high))
        bits = mask.bit_length()
        return replace(made, origin=("masked", a, bits)) if mask == (1 << bits) - 1 else made
    low, high = bit_range(a, shown)
    return combine("&", a, shown, low, high)


def _carry(total: Value, bit: int) -> Value | None:
    """The highest bit of a sum x + constant of small numbers, as 1 if x is great enough, else 0.

    A comparison is done in the width of x, where the sum needs one more bit: measured with gcc 12
    on thresholds of 8-bit samples, 1.8 times as fast.  None if it is not the highest bit.
    """
    made = total.comes_from("sum")
    if made is None or total.low < 0 or total.high >> bit > 1:
        return None
    x, constant = made
    test = compare(">=", x, integer((1 << bit) - constant))
    if test.constant is not None:
        return integer(int(test.constant))
    return Value(test.expr, I32, 0, 1, test.weight, test.reads)


def _low_product(a: Value, mask: int) -> Value | None:
    """What a mask leaves of a product, in 32 bits if it is among the low ones."""
    whole, count = a.comes_from("gathered") or (a, 0)
    made = whole.comes_from("product")
    if made is None or mask << count > RANGES[U32][1]:
        return None
    x, factor = made
    times = integer(factor % (1 << 32), hexadecimal=True)
    low = Value(
        Binary("*", x.expr, convert(times, U32)), U32, 0, RANGES[U32][1], x.weight + 2, x.reads
    )
    return shift_right(low, count)


def bits_or(operator: str, a: Value, b: Value) -> Value:
    """a | b or a ^ b."""
    if a.is_zero:
        return b
    if b.is_zero:
        return a
    if isinstance(a.constant, int) and isinstance(b.constant, int):
        folded = a.constant | b.constant if operator == "|" else a.constant ^ b.constant
        return integer(folded)
    low, high = bit_range(a, b)
    a, b = (
        integer(v.constant, hexadecimal=v.constant > 255) if isinstance(v.constant, int) else v
        for v in (a, b)
    )
    made = combine(operator, a, b, low, high)
    if operator == "^" and isinstance(b.constant, int) and _is_sign(b.constant, a):
        return replace(made, origin=("flipped", a, b.constant.bit_length()))
    return made


def _is_sign(bit: int, a: Value) -> bool:
    """Whether the bit is the highest one that a number that is not negative can have."""
    return bit > 0 and bit & (bit - 1) == 0 and a.low >= 0 and a.high < 2 * bit


def bit_range(a: Value, b: Value) -> tuple[int, int]:
    """The interval of a bit operation: as many bits as the wider operand."""
    bits = max((v if v >= 0 else ~v).bit_length() for x in (a, b) for v in (x.low, x.high))
    low = 0 if a.low >= 0 and b.low >= 0 else -(1 << bits)
    return low, (1 << bits) - 1


def bits_not(a: Value) -> Value:
    """~a"""
    if isinstance(a.constant, int):
        return integer(~a.constant)
    if a.type == U32:
        a = Value(Cast("int64_t", a.expr), I64, a.low, a.high, a.weight + 1, a.reads)
    return Value(Unary("~", a.expr), a.type, ~a.high, ~a.low, a.weight + 1, a.reads)


def shift_left(a: Value, count: int) -> Value:
    """a * 2^count for a literal count; a shift where a is not negative.

    As elsewhere, the caller knows that the result fits, or lets anything happen if not.
    """
    if count == 0 or a.is_zero:
        return a
    if isinstance(a.constant, int) and a.high << count <= INT_MAX:
        return integer(a.constant << count)
    if count > 62 or a.low < 0:
        return multiply(a, integer(1 << count)) if count < 63 else _shifted_out(a, count)
    low, high = a.low << count, a.high << count
    type_ = I64
    if a.type != I64 and a.constant is None:
        type_ = next(
            (t for t in (a.type, U32) if RANGES[t][0] <= low and high <= RANGES[t][1]), I64
        )
    shown = convert(a, type_) if type_ != I64 or a.type != I64 else a.expr
    return Value(
        Binary("<<", shown, Name(str(count))),
        type_, max(low, INT_MIN), min(high, INT_MAX), a.weight + 2, a.reads,
    )  # fmt: skip


def _shifted_out(a: Value, count: int) -> Value:
    """A shift by 63 or more, which only 0 and, for 63, -1 survive."""
    if count > 63:
        return integer(0)
    return multiply(a, Value(Name("INT64_MIN"), I64, INT_MIN, INT_MIN, constant=INT_MIN))


def shift_right(a: Value, count: int) -> Value:
    """floor(a / 2^count) for a literal count."""
    if count == 0:
        return a
    low, high = a.low >> count, a.high >> count
    if low == high:
        return integer(low)
    carry = _carry(a, count)
    if carry is not None:
        return carry
    count = min(count, 31 if a.type == I32 else 63)
    origin = ("lowered" if a.type == U32 or a.low >= 0 else "floored", a, count)
    if a.comes_from("product") is not None:
        origin = ("gathered", a, count)
    return Value(
        Binary(">>", a.expr, Name(str(count))),
        a.type, low, high, a.weight + 2, a.reads, origin=origin,
    )  # fmt: skip


def sign_extended(a: Value, bits: int) -> Value:
    """The low bits of a as a signed number, by shifts or a conversion."""
    half = 1 << (bits - 1)
    if a.low >= -half and a.high < half:
        return a
    masked = a.comes_from("masked")
    if masked is not None and masked[1] >= bits:
        a = masked[0]
    if a.type == I32 and bits in (8, 16):
        return Value(Cast(f"int{bits}_t", a.expr), I32, -half, half - 1, a.weight + 1, a.reads)
    if a.type == I64 or bits > 32:
        moved = Cast("int64_t", Binary("<<", Cast("uint64_t", a.expr), Name(str(64 - bits))))
        expr: Expr = Binary(">>", moved, Name(str(64 - bits)))
        return Value(expr, I64, -half, half - 1, a.weight + 6, a.reads)
    up = 32 - bits
    lowered = a.comes_from("lowered")
    if lowered is not None and lowered[1] <= up:
        a, up = lowered[0], up - lowered[1]
    expr = convert(a, U32) if a.low >= 0 else Cast("uint32_t", a.expr)
    expr = Cast("int32_t", Binary("<<", expr, Name(str(up))) if up else expr)
    if bits < 32:
        expr = Binary(">>", expr, Name(str(32 - bits)))
    return Value(expr, I32, -half, half - 1, a.weight + 5, a.reads)


# Comparison

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def compare(operator: str, a: Value, b: Value) -> Value:
    """A comparison of two numbers or two booleans; known where their intervals tell."""
    if F64 not in (a.type, b.type):
        known = _decided(operator, a, b)
        if known is not None:
            return boolean(known)
    if F64 in (a.type, b.type):
        left, right = convert(a, F64), convert(b, F64)
    elif a.type == b.type and a.constant is None:
        left, right = a.expr, b.expr
    else:
        left, right = operands_in(narrow_type((a, b), a.low, a.high), a, b)
    ordered = F64 not in (a.type, b.type) or operator in ("==", "!=")
    return Value(
        Binary(operator, left, right), BOOL, 0, 1, a.weight + b.weight + 1, a.reads or b.reads,
        opposite=Binary(OPPOSITE[operator], left, right) if ordered else None,
    )  # fmt: skip


def _decided(operator: str, a: Value, b: Value) -> bool | None:
    """What a comparison of integers must give, None if it depends."""
    if a.expr == b.expr:
        return operator in ("==", "<=", ">=")
    if operator in ("==", "!="):
        if a.low == a.high == b.low == b.high:
            return operator == "=="
        return operator == "!=" if a.high < b.low or b.high < a.low else None
    if operator in (">", ">="):
        a, b, operator = b, a, {">": "<", ">=": "<="}[operator]
    if operator == "<":
        return True if a.high < b.low else False if a.low >= b.high else None
    return True if a.high <= b.low else False if a.low > b.high else None


def negated(a: Value) -> Value:
    """The opposite of a boolean; a comparison is turned round where that is exact."""
    if a.constant is not None:
        return boolean(not a.constant)
    opposite = a.opposite or Unary("!", a.expr)
    return Value(opposite, BOOL, 0, 1, a.weight, a.reads, opposite=a.expr)


def call(
    function: str, type_: str, *arguments: Value, low: int = INT_MIN, high: int = INT_MAX
) -> Value:
    """A call of a total C function; C converts integer arguments to int64_t itself."""
    return Value(
        Invoke(function, tuple(a.expr for a in arguments)),
        type_, low, high,
        1 + sum(a.weight for a in arguments), any(a.reads for a in arguments),
    )  # fmt: skip
