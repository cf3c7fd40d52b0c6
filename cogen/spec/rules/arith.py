"""Rules of integer arithmetic on static, dynamic and cyclic values (seed 004, cyclic integers).

Every known-int value is seen as base * quotient + remainder: a dynamic one has base 1 and
remainder 0.  Laws, with x = b*q + r, y = c*p + s, and g = gcd(b, c):

    x + y = g*((b/g)*q + (c/g)*p) + (r + s)
    k * x = (k*b)*q + k*r                      for k > 0, b > 1
    x floor-quotient d = (b/d)*q + floor(r/d)  if d divides b
    x floor-remainder d = r mod d              if d divides b
    x = y  is false if g does not divide r - s
    x = y  is  q + (r - s)/b = p  if b = c

The thesis only had equal bases and an error where the base condition failed; here the general
case goes through the gcd, and what is left is dynamic.
"""

from __future__ import annotations

from math import gcd

from cogen.spec.domain import Cyclic, Dynamic, Static, Value
from cogen.spec.known import type_of
from cogen.spec.path import Path
from cogen.spec.rules.bits import masked, note_bits, possible_bits
from cogen.spec.rules.rule import Rule, delayed, fold, known
from lang.errors import Span

LARGE = 1 << 61
"""Known offsets stay below this, so that they are constants of the language."""

View = tuple[int, int, Dynamic]
"""base, remainder, quotient."""


def view(value: Value) -> View | None:
    """A dynamic or cyclic integer as (base, remainder, quotient); None for anything else."""
    if type(value) is Cyclic:
        return value.base, value.remainder, value.quotient
    if type(value) is Dynamic and value.type == "int":
        return 1, 0, value
    return None


def make(base: int, remainder: int, quotient: Dynamic) -> Value:
    """The value base * quotient + remainder."""
    if base == 1 and remainder == 0:
        return quotient
    return Cyclic(base, remainder, quotient)


def constant(value: Value) -> int | None:
    """The integer that a static value is."""
    if type(value) is Static and type(value.datum) is int:
        return value.datum
    return None


def scaled(path: Path, factor: int, term: Dynamic, span: Span | None, hint: str) -> Dynamic:
    """factor * term, emitted."""
    if factor == 1:
        return term
    if factor == -1:
        return path.emit("-", (Static(0), term), span, hint)
    return path.emit("*", (Static(factor), term), span, hint)


def _sum(op: str, sign: int) -> Rule:
    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if known(values):
            return fold(op, values)
        a, b = values

        def emit() -> Value:
            return path.emit(op, values, span, hint)

        left, right = view(a), view(b)
        if left is not None and (k := constant(b)) is not None:
            offset = left[1] + sign * k
            return make(left[0], offset, left[2]) if abs(offset) < LARGE else emit()
        if right is not None and (k := constant(a)) is not None:
            if abs(k) + abs(right[1]) >= LARGE:
                return emit()
            if sign > 0:
                return make(right[0], k + right[1], right[2])
            if right[0] == 1:
                return emit()
            return make(right[0], k - right[1], scaled(path, -1, right[2], span, hint))
        if left is None or right is None:
            return emit()
        (base, r, q), (other, s, p) = left, right
        if sign < 0 and q.name == p.name and base == other:
            return Static(r - s)  # x - x -> 0
        g = gcd(base, other)
        if g == 1 and not (base == other == 1 and _is_small(path, q) and _is_small(path, p)):
            return emit()  # offsets apart, the sum of the names might overflow
        terms = (
            scaled(path, base // g, q, span, hint),
            scaled(path, other // g, p, span, hint),
        )
        return make(g, r + sign * s, path.emit(op, terms, span, hint))

    return rule


def _is_small(path: Path, term: Dynamic) -> bool:
    """Whether a value is known to be so small that sums of two cannot overflow."""
    return 0 <= possible_bits(path, term) < LARGE


def multiply(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if known(values):
        return fold("*", values)
    a, b = values
    k = constant(a)
    if k is not None:
        a, b = b, a
    else:
        k = constant(b)
    x = view(a)
    if k is not None:
        if k == 1 and type_of(a) in ("int", "float"):
            return a  # x * 1 -> x
        if x is not None and (k == 0 or x[0] > 1):
            return _times(path, k, x, span, hint)
        return path.emit("*", values, span, hint)
    y = view(b)
    if x is None or y is None:
        return path.emit("*", values, span, hint)
    (base, r, _), (other, s, _) = x, y
    g = gcd(base * other, base * s, other * r)
    product = path.emit("*", (a, b), span, hint)
    if g == 1 or base == 1 or other == 1:
        return product
    # x*y = r*s modulo g, so its quotient by g is what is dynamic
    quotient = path.emit("floor-quotient", (product, Static(g)), span, hint)
    return make(g, r * s % g, quotient)


def _times(path: Path, k: int, x: View, span: Span | None, hint: str) -> Value:
    base, r, q = x
    if k == 0:
        return Static(0)  # x * 0 -> 0
    if k > 0:
        return make(base * k, r * k, q)
    return make(base * -k, r * k, scaled(path, -1, q, span, hint))


def _floor_quotient(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if known(values):
        return fold("floor-quotient", values)
    x, d = view(values[0]), constant(values[1])
    if x is not None and d is not None and d > 0:
        base, r, q = x
        if d == 1:
            return values[0]  # x / 1 -> x
        if base % d == 0:
            return make(base // d, r // d, q)
    return path.emit("floor-quotient", values, span, hint)


def _floor_remainder(op: str) -> Rule:
    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if known(values):
            return fold(op, values)
        x, d = view(values[0]), constant(values[1])
        if x is not None and d is not None and d != 0 and x[0] % d == 0:
            return Static(x[1] % d)
        return path.emit(op, values, span, hint)

    return rule


def _truncating(op: str, floor_rule: Rule) -> Rule:
    """`quotient` and `remainder` agree with the floor kind where the division is exact."""

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if known(values):
            return fold(op, values)
        x, d = view(values[0]), constant(values[1])
        if x is not None and d is not None and d > 0 and x[0] % d == 0 and x[1] % d == 0:
            return floor_rule(path, values, span, hint, delay)
        return path.emit(op, values, span, hint)

    return rule


def _low_bits(base: int) -> int:
    """2^t for the largest t with 2^t dividing base: the low t bits of a cyclic value are known."""
    return base & -base


def bitwise_and(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if known(values):
        return fold("bitwise-and", values)
    a, b = values
    if constant(a) is not None:
        a, b = b, a
    x, mask = view(a), constant(b)
    if x is None or mask is None:
        return path.emit("bitwise-and", values, span, hint)
    base, r, q = x
    if mask == 0:
        return Static(0)  # x & 0 -> 0
    if mask == -1:
        return a  # x & -1 -> x
    known_bits = _low_bits(base)
    if 0 < mask < known_bits:
        return Static(r & mask)
    if mask < 0 and known_bits % -mask == 0 and mask & (-mask - 1) == 0:
        return make(base, r - r % -mask, q)  # x & -2^k clears k known bits
    simpler = masked(path, a, mask, span, hint)
    if simpler is not None:
        return simpler
    return note_bits(path, "bitwise-and", (a, b), path.emit("bitwise-and", values, span, hint))


def _or_like(op: str) -> Rule:
    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if known(values):
            return fold(op, values)
        a, b = values
        if constant(a) is not None:
            a, b = b, a
        x, bits = view(a), constant(b)
        if x is None or bits is None:
            return note_bits(path, op, values, path.emit(op, values, span, hint))
        if bits == 0:
            return a  # x | 0 -> x
        base, r, q = x
        known_bits = _low_bits(base)
        if not 0 < bits < known_bits:
            return note_bits(path, op, values, path.emit(op, values, span, hint))
        low = r % known_bits
        changed = low | bits if op == "bitwise-ior" else low ^ bits
        return make(base, r - low + changed, q)

    return rule


def bitwise_not(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if known(values):
        return fold("bitwise-not", values)
    x = view(values[0])
    if x is None or x[0] == 1:
        return path.emit("bitwise-not", values, span, hint)
    return make(x[0], -x[1] - 1, scaled(path, -1, x[2], span, hint))  # ~x = -x - 1


def arithmetic_shift(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if known(values):
        return fold("arithmetic-shift", values)
    x, count = view(values[0]), constant(values[1])
    if x is not None and count is not None:
        if count == 0:
            return values[0]  # x << 0 -> x
        if x[0] > 1 and 0 < count < 63:
            return _times(path, 1 << count, x, span, hint)
        if x[0] > 1 and -63 < count < 0 and x[0] % (1 << -count) == 0:
            return make(x[0] >> -count, x[1] >> -count, x[2])
        bits = possible_bits(path, values[0])
        if count < 0 <= bits and bits >> min(-count, 63) == 0:
            return Static(0)  # all its bits are shifted out
    moved = path.emit("arithmetic-shift", values, span, hint)
    return note_bits(path, "arithmetic-shift", values, moved)


def _same(op: str) -> Rule:
    """min and max of a value with itself."""

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if known(values):
            return fold(op, values)
        x, y = view(values[0]), view(values[1])
        if x is not None and y is not None and x[0] == y[0] and x[2].name == y[2].name:
            first = x[1] <= y[1] if op == "min" else x[1] >= y[1]
            return values[0] if first else values[1]
        return path.emit(op, values, span, hint)

    return rule


# -- comparisons -------------------------------------------------------------------------------


def equal(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """`=`: remainders that differ modulo the common base decide; else one test on quotients."""
    if known(values):
        return fold("=", values)
    a, b = values
    if view(a) is None:
        a, b = b, a
    x, y, k = view(a), view(b), constant(b)
    if x is None or (y is None and k is None):
        return delayed(path, "=", values, span, hint, delay)
    base, r, q = x
    if y is None:
        assert k is not None
        if (k - r) % base:
            return Static(False)
        if delay:
            return delayed(path, "=", values, span, hint, delay)
        return path.emit("=", (q, Static((k - r) // base)), span, hint)
    other, s, p = y
    if q.name == p.name and base == other:
        return Static(r == s)
    if (r - s) % gcd(base, other):
        return Static(False)
    if delay or base != other:
        return delayed(path, "=", values, span, hint, delay)
    if base == 1:
        return path.emit("=", values, span, hint)
    return path.emit("=", (make(1, (r - s) // base, q), p), span, hint)


def _order(op: str, mirrored: str) -> Rule:
    """`<` and its like; of cyclic values with one base a test on quotients is left."""

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if known(values):
            return fold(op, values)
        a, b = values
        if not delay and constant(a) is not None and type(b) is Cyclic and b.base > 1:
            return COMPARE[mirrored](path, (b, a), span, hint, delay)
        x, y, k = view(a), view(b), constant(b)
        if x is None or (y is None and k is None):
            return delayed(path, op, values, span, hint, delay)
        base, r, q = x
        if y is not None and base == y[0] and q.name == y[2].name:
            return Static(_compare(op, r, y[1]))
        if delay or base == 1:
            return delayed(path, op, values, span, hint, delay)
        if k is not None:
            strict = op in ("<", ">=")  # x < k  and its negation; x <= k is x < k + 1
            bound = -((r - k - (0 if strict else 1)) // base)
            return path.emit("<" if op in ("<", "<=") else ">=", (q, Static(bound)), span, hint)
        assert y is not None
        if y[0] != base:
            return path.emit(op, values, span, hint)
        (d, r), (e, s) = divmod(r, base), divmod(y[1], base)
        least = {"<": "<=" if r < s else "<", "<=": "<=" if r <= s else "<"}
        most = {">": ">=" if r > s else ">", ">=": ">=" if r >= s else ">"}
        return path.emit({**least, **most}[op], (make(1, d, q), make(1, e, y[2])), span, hint)

    return rule


def _compare(op: str, a: int, b: int) -> bool:
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def _against_zero(op: str, name: str) -> Rule:
    """`zero?`, `positive?`, `negative?` as comparisons."""

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if known(values):
            return fold(name, values)
        if view(values[0]) is None:
            return delayed(path, name, values, span, hint, delay)
        return COMPARE[op](path, (values[0], Static(0)), span, hint, delay)

    return rule


def _parity(name: str, odd: bool) -> Rule:
    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if known(values):
            return fold(name, values)
        x = view(values[0])
        if x is not None and x[0] % 2 == 0:
            return Static((x[1] % 2 == 1) is odd)
        return delayed(path, name, values, span, hint, delay)

    return rule


COMPARE: dict[str, Rule] = {
    "=": equal,
    "<": _order("<", ">"),
    ">": _order(">", "<"),
    "<=": _order("<=", ">="),
    ">=": _order(">=", "<="),
}

RULES: dict[str, Rule] = {
    "+": _sum("+", 1),
    "-": _sum("-", -1),
    "*": multiply,
    "floor-quotient": _floor_quotient,
    "floor-remainder": _floor_remainder("floor-remainder"),
    "modulo": _floor_remainder("modulo"),
    "quotient": _truncating("quotient", _floor_quotient),
    "remainder": _truncating("remainder", _floor_remainder("floor-remainder")),
    "bitwise-and": bitwise_and,
    "bitwise-ior": _or_like("bitwise-ior"),
    "bitwise-xor": _or_like("bitwise-xor"),
    "bitwise-not": bitwise_not,
    "arithmetic-shift": arithmetic_shift,
    "min": _same("min"),
    "max": _same("max"),
    **COMPARE,
    "zero?": _against_zero("=", "zero?"),
    "positive?": _against_zero(">", "positive?"),
    "negative?": _against_zero("<", "negative?"),
    "even?": _parity("even?", odd=False),
    "odd?": _parity("odd?", odd=True),
}
