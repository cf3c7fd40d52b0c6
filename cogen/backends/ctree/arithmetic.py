"""Sums, products and bits in C: what an operation on two values is, in the fewest steps.

Everything is built by `cogen.backends.ctree.values`, which knows the types; here is which
operations it takes.  As there, a result that no integer of the language is may be anything.

Note [Regrouping sums]
    `((r + a) + b) + c` with a wide running sum r and narrow a, b, c becomes
    `r + (a + b + c)`, the bracket in 32 bits as long as its interval fits.  Integers are
    mathematical, so nothing changes; measured with gcc 12 on sums of 12-bit samples it is
    1.8 times as fast.  Floats are never regrouped.
"""

from __future__ import annotations

from dataclasses import replace

from cogen import interval
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.types import I32, I64, U32, Type
from cogen.backends.ctree.values import RANGES, CValue, combine, integer
from cogen.interval import Interval
from cogen.lang.datum import INT_MAX, INT_MIN

# Note [Sign masks]
#   x >> 63 & m, all of m or nothing by the sign of x, is `x < 0 ? m : 0` in C.  C compilers know
#   then that it is a choice: of `y - (127 - y >> 63 & 255)` gcc 12 makes a comparison of y and a
#   move on condition, two operations where the mask takes four, one after the other.

MAX_WEIGHT = 120
"""An expression with more nodes than this gets a variable of its own."""


HALF: tuple[int, int] = (-(1 << 15), (1 << 15) - 1)
"""The signed numbers of 16 bits."""


def apart(a: CValue) -> tuple[CValue, int]:
    """x and n such that `a` is x + n, x a sum of samples with a sign where `a` is one of samples
    that are made positive; see Note [Signed words]."""
    found = a.comes_from("offset")
    if found is not None:
        return found
    flipped = a.comes_from("flipped")
    word = flipped[0].comes_from("word") if flipped is not None else None
    if flipped is None or word is None or word[1] != flipped[1] or word[1] != 16:
        return a, 0
    return sign_extended(*flipped), 1 << 15


def with_offset(x: CValue, n: int) -> CValue:
    """x + n, which sums may take apart again."""
    if n == 0:
        return x
    total = combine("+" if n > 0 else "-", x, integer(abs(n)), x.low + n, x.high + n)
    return replace(total, origin=("offset", x, n))


# Note [Signed words]
#   (w ^ 0x8000) - 0x8000 is a word of 16 bits as a signed number.  The specializer gathers the
#   constants of a sum, so such a sum is (v ^ 0x8000) + (w ^ 0x8000) - 65536.  C compilers load a
#   signed word and widen it in one instruction, so the sum is taken apart: v + w, both signed.
#   Measured with gcc 12: a filter of five taps takes 0.57 of the time.


def _taken_apart(a: CValue, b: CValue, sign: int) -> CValue | None:
    """a + b or a - b, if one of them is a sample that was made positive, or a sum of them."""
    (x, n), (y, m) = apart(a), apart(b)
    if (n == 0 and m == 0) or I64 in (x.type, y.type):
        return None
    if isinstance(y.constant, int):
        return with_offset(x, n + sign * y.constant)
    if isinstance(x.constant, int):
        return with_offset(y, x.constant + m) if sign > 0 else None
    return with_offset(add(x, y) if sign > 0 else subtract(x, y), n + sign * m)


def _is_half(a: CValue) -> bool:
    return a.constant is None and a.low >= HALF[0] and a.high <= HALF[1]


def add(a: CValue, b: CValue) -> CValue:
    """a + b; see Note [Regrouping sums]."""
    if a.is_zero:
        return b
    if b.is_zero:
        return a
    found = _taken_apart(a, b, 1)
    if found is not None:
        return found
    if isinstance(b.constant, int) and b.constant < 0 and b.constant != INT_MIN:
        return subtract(a, integer(-b.constant))
    if isinstance(a.constant, int) and b.constant is None:
        a, b = b, a
    if a.wide is not None and a.narrow is not None and b.constant is None:
        inner = add(a.narrow, b)
        if inner.type != I64 or (I64 in (a.narrow.type, b.type) and _may_be_added(inner)):
            return _running_sum(a.wide, inner)
    if a.type == I64 and (b.type in (U32, I32) or _is_added(a, b)) and b.constant is None:
        return _running_sum(a, b)
    if b.type == I64 and (a.type in (U32, I32) or _is_added(b, a)) and a.constant is None:
        return _running_sum(b, a, swapped=True)
    total = combine("+", a, b, a.low + b.low, a.high + b.high)
    if isinstance(b.constant, int) and total.type in (U32, I32):
        return replace(total, origin=("sum", a, b.constant))
    return replace(total, terms=(a, b)) if _is_half(a) and _is_half(b) else total


def _is_added(total: CValue, b: CValue) -> bool:
    """Whether `total` may be as great as any integer, and b has 64 bits, too."""
    return b.type == I64 and (total.low == INT_MIN or total.high == INT_MAX)


def _may_be_added(b: CValue) -> bool:
    """Whether two of them fit into 64 bits."""
    return b.type in RANGES and 2 * b.low >= INT_MIN and 2 * b.high <= INT_MAX


def _running_sum(wide: CValue, narrow: CValue, swapped: bool = False) -> CValue:
    left, right = (narrow, wide) if swapped else (wide, narrow)
    total = combine("+", left, right, wide.low + narrow.low, wide.high + narrow.high)
    return total if total.constant is not None else replace(total, wide=wide, narrow=narrow)


def subtract(a: CValue, b: CValue) -> CValue:
    """a - b; (x ^ 2^(n-1)) - 2^(n-1) is the sign extension of an n-bit x."""
    if b.is_zero:
        return a
    flipped = a.comes_from("flipped")
    if flipped is not None and b.constant == 1 << (flipped[1] - 1):
        return sign_extended(*flipped)
    if a.is_zero:
        return negate(b)
    found = _taken_apart(a, b, -1)
    if found is not None:
        return found
    if a.wide is not None and a.narrow is not None and (b.type != I64 or b.fits(I32)):
        inner = subtract(a.narrow, b)
        if inner.type != I64:
            return _running_sum(a.wide, inner)
    return combine("-", a, b, a.low - b.high, a.high - b.low)


def negate(a: CValue) -> CValue:
    """-a"""
    if isinstance(a.constant, int):
        return integer(min(-a.constant, INT_MAX))
    scaled = a.comes_from("scaled")
    turned = (scaled[0] if scaled is not None else a).comes_from("negated")
    if turned is not None:
        return multiply(turned[0], integer(1 if scaled is None else scaled[1]))
    return replace(ct.opposite(a), origin=("negated", a, 1))


def multiply(a: CValue, b: CValue) -> CValue:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    if a.is_zero or b.is_zero:
        return integer(0)
    if a.constant == 1:
        return b
    if b.constant == 1:
        return a
    moved = a.comes_from("offset")
    if moved is not None and isinstance(b.constant, int):
        return with_offset(multiply(moved[0], b), moved[1] * b.constant)
    result = combine("*", a, b, min(corners), max(corners))
    for factor, x in ((a, b), (b, a)):
        if isinstance(factor.constant, int) and x.constant is None:
            return replace(result, origin=("scaled", x, factor.constant))
    return result


def product(made: CValue, a: CValue, b: CValue) -> CValue:
    """a * b modulo 2^64, made; of which 32 bits may be all that is wanted."""
    for x, factor in ((a, b), (b, a)):
        if made.type == I64 and x.type == U32 and isinstance(factor.constant, int):
            return replace(made, origin=("product", x, factor.constant))
    return made


# Bits


def bits_and(a: CValue, b: CValue) -> CValue:
    for mask, other in ((a, b), (b, a)):
        if isinstance(mask.constant, int):
            return _masked(other, mask.constant)
    low, high = interval.as_many_bits(_ends(a), _ends(b))
    if a.low >= 0 or b.low >= 0:
        low, high = 0, min(v.high for v in (a, b) if v.low >= 0)
    return combine("&", a, b, low, high)


def _masked(a: CValue, mask: int) -> CValue:
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
    sign = a.comes_from("floored")
    if sign is not None and (a.low, a.high) == (-1, 0) and mask > 1:  # see Note [Sign masks]
        all_bits = replace(shown, constant=None)  # in the width that it has
        return ct.choice(ct.compare("<", sign[0], integer(0)), all_bits, integer(0), 0, mask)
    if mask >= 0:
        result = combine("&", a, shown, 0, mask if a.low < 0 else min(mask, a.high))
        bits = mask.bit_length()
        return replace(result, origin=("masked", a, bits)) if mask == (1 << bits) - 1 else result
    low, high = interval.as_many_bits(_ends(a), _ends(shown))
    return combine("&", a, shown, low, high)


def _carry(total: CValue, bit: int) -> CValue | None:
    """The highest bit of a sum x + constant of small numbers, as 1 if x is great enough, else 0.

    A comparison is done in the width of x, where the sum needs one more bit: measured with gcc 12
    on thresholds of 8-bit samples, 1.8 times as fast.  None if it is not the highest bit.
    """
    made = total.comes_from("sum")
    if made is None or total.low < 0 or total.high >> bit > 1:
        return None
    x, constant = made
    return ct.true_number(ct.compare(">=", x, integer((1 << bit) - constant)))


def _low_product(a: CValue, mask: int) -> CValue | None:
    """What a mask leaves of a product, in 32 bits if it is among the low ones."""
    whole, count = a.comes_from("gathered") or (a, 0)
    made = whole.comes_from("product")
    if made is None or mask << count > RANGES[U32][1]:
        return None
    x, factor = made
    low = ct.made("*", U32, x, ct.unsigned(integer(factor), U32), *RANGES[U32])
    return shift_right(low, count)


def bits_or(operator: str, a: CValue, b: CValue) -> CValue:
    """a | b or a ^ b."""
    if a.is_zero:
        return b
    if b.is_zero:
        return a
    if isinstance(a.constant, int) and isinstance(b.constant, int):
        folded = a.constant | b.constant if operator == "|" else a.constant ^ b.constant
        return integer(folded)
    low, high = interval.as_many_bits(_ends(a), _ends(b))
    a, b = (
        integer(v.constant, hexadecimal=v.constant > 255) if isinstance(v.constant, int) else v
        for v in (a, b)
    )
    result = combine(operator, a, b, low, high)
    if operator == "^" and isinstance(b.constant, int) and _is_sign(b.constant, a):
        return replace(result, origin=("flipped", a, b.constant.bit_length()))
    return result


def _is_sign(bit: int, a: CValue) -> bool:
    """Whether the bit is the highest one that a number that is not negative can have."""
    return bit > 0 and bit & (bit - 1) == 0 and a.low >= 0 and a.high < 2 * bit


def _ends(a: CValue) -> Interval:
    return a.low, a.high


def bits_not(a: CValue) -> CValue:
    """~a"""
    return integer(~a.constant) if isinstance(a.constant, int) else ct.inverted(a)


def shift_left(a: CValue, count: int) -> CValue:
    """a * 2^count for a literal count; a shift where a is not negative."""
    if count == 0 or a.is_zero:
        return a
    if isinstance(a.constant, int):
        return integer(max(min(a.constant << min(count, 64), INT_MAX), INT_MIN))
    if count > 62:  # which only 0 and, for 63, -1 survive
        return integer(0) if count > 63 else multiply(a, integer(INT_MIN))
    if a.low < 0:
        return multiply(a, integer(1 << count))
    return shifted_up(a, integer(count))


def shifted_up(a: CValue, count: CValue) -> CValue:
    """a << count for an `a` that is not negative and a count from 0 to 62.

    In 32 bits where the result fits, if the count is a literal.
    """
    low, high = a.low << count.low, a.high << count.high
    narrow = count.constant is not None and a.type != I64 and count.high < 32
    wanted = (a.type, U32) if narrow else ()
    type_ = next((t for t in wanted if RANGES[t][0] <= low and high <= RANGES[t][1]), I64)
    return ct.made("<<", type_, a, count, min(low, INT_MAX), min(high, INT_MAX))


def shift_right(a: CValue, count: int) -> CValue:
    """floor(a / 2^count) for a literal count."""
    if count == 0:
        return a
    low, high = a.low >> count, a.high >> count
    if low == high:
        return integer(low)
    carry = _carry(a, count)
    if carry is not None:
        return carry
    moved = a.comes_from("offset")
    if moved is not None and count < 31 and moved[1] % (1 << count) == 0:
        return with_offset(shift_right(moved[0], count), moved[1] >> count)
    count = min(count, 31 if a.type == I32 else 63)
    origin = ("lowered" if a.type == U32 or a.low >= 0 else "floored", a, count)
    if a.comes_from("product") is not None:
        origin = ("gathered", a, count)
    return replace(ct.made(">>", a.type, a, integer(count), low, high), origin=origin)


def shifted_down(a: CValue, count: CValue) -> CValue | None:
    """a >> count for a count that is not negative, if C has an operator for such a count."""
    if count.high > 63:
        return None
    if count.high > 31:
        a = ct.converted(a, I64)
    low, high = min(a.low, a.low >> count.high), max(a.high, a.high >> count.high)
    return ct.made(">>", a.type, a, count, low, high)


def sign_extended(a: CValue, bits: int) -> CValue:
    """The low bits of a as a signed number, by shifts or a conversion."""
    half = 1 << (bits - 1)
    if a.low >= -half and a.high < half:
        return a
    masked = a.comes_from("masked")
    if masked is not None and masked[1] >= bits:
        a = masked[0]
    if a.type == I32 and bits in (8, 16):
        return ct.shrunk(a, bits)
    if a.type == I64 or bits > 32:
        return _extended(ct.unsigned(a), 64 - bits, 64 - bits, I64)
    up = 32 - bits
    lowered = a.comes_from("lowered")
    if lowered is not None and lowered[1] <= up:
        a, up = lowered[0], up - lowered[1]
    return _extended(ct.unsigned(a, U32), up, 32 - bits, I32)


def _extended(a: CValue, up: int, down: int, type_: Type) -> CValue:
    """The bits of an unsigned number moved up, and down again as those of a signed one."""
    if up:
        a = ct.made("<<", a.type, a, integer(up), *RANGES[a.type])
    low, high = RANGES[type_]
    moved = ct.signed(a, type_, low, high)
    if not down:
        return moved
    return ct.made(">>", type_, moved, integer(down), low >> down, high >> down)
