"""Rules of integer arithmetic on static, dynamic and cyclic values (seed 004, cyclic integers).

Every known-int value is seen as base * quotient + remainder: a dynamic one has base 1 and
remainder 0.  Laws, with x = b*q + r, y = c*p + s, and g = gcd(b, c):

    x + y = g*((b/g)*q + (c/g)*p) + (r + s)
    k * x = (k*b)*q + k*r                      for k > 0, b > 1
    x floor-quotient d = (b/d)*q + floor(r/d)  if d divides b
    x floor-remainder d = r mod d              if d divides b
    x floor-quotient d = (q + m) floor-quotient e              if b divides d, where d = b*e
    x floor-remainder d = b*((q + m) floor-remainder e) + s    and r = b*m + s, 0 <= s < b

The thesis only had equal bases and an error where the base condition failed; here the general
case goes through the gcd, and what is left is dynamic.
"""

from __future__ import annotations

from math import gcd

from cogen.lang.errors import Span
from cogen.lang.prims import CHOOSING
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.bits import note_bits
from cogen.specializer.rules.interval import decide
from cogen.specializer.rules.masked import bits_of, note_clash, rearranged
from cogen.specializer.rules.rule import Rule, fold, known
from cogen.specializer.values.domain import Cyclic, Dynamic, Static, Value
from cogen.specializer.values.value_facts import type_of

LARGE = 1 << 61
"""Known offsets and bases stay below this, so that they are constants of the language."""

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


def fits(base: int, remainder: int) -> bool:
    """Whether a base and a remainder are so small that terms with them may be computed."""
    return base < LARGE and abs(remainder) < LARGE


def constant(value: Value) -> int | None:
    """The integer that a static value is."""
    if type(value) is Static and type(value.datum) is int:
        return value.datum
    return None


def scaled(path: Path, factor: int, term: Dynamic, site: OperationSite) -> Dynamic:
    """factor * term, emitted."""
    if factor == 1:
        return term
    if factor == -1:
        return path.emit("-", (Static(0), term), site)
    return path.emit("*", (Static(factor), term), site)


def _sum(op: str) -> Rule:
    sign = 1 if op == "+" else -1

    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if known(values):
            return fold(op, values)
        a, b = values

        def emit() -> Value:
            k = constant(b)
            if type(a) is not Dynamic or k is None:
                return path.emit(op, values, site)
            found = path.words.sums.same(a, sign * k)
            if found is None:
                found = path.emit(op, values, site)
                path.words.sums.note(found, a, sign * k)
            return found

        left, right = view(a), view(b)
        if left is not None and (k := constant(b)) is not None:
            offset = left[1] + sign * k
            return make(left[0], offset, left[2]) if abs(offset) < LARGE else emit()
        if right is not None and (k := constant(a)) is not None:
            if abs(k) + abs(right[1]) >= LARGE:
                return emit()
            if op == "+":
                return make(right[0], k + right[1], right[2])
            if right[0] == 1:
                return emit()
            return make(right[0], k - right[1], scaled(path, -1, right[2], site))
        if left is None or right is None:
            return emit()
        (base, r, q), (other, s, p) = left, right
        if op == "-" and q.name == p.name and base == other:
            return Static(r - s)  # x - x -> 0
        if op == "+" and (found := rearranged(path, op, values, site)) is not None:
            return found
        g = gcd(base, other)
        if g == 1 and not (base == other == 1 and _is_small(path, q) and _is_small(path, p)):
            return emit()  # offsets apart, the sum of the names might overflow
        if not fits(g, r + sign * s):
            return emit()
        terms = (
            scaled(path, base // g, q, site),
            scaled(path, other // g, p, site),
        )
        return make(g, r + sign * s, path.emit(op, terms, site))

    return rule


def _is_small(path: Path, term: Dynamic) -> bool:
    """Whether a value is known to be so small that sums of two cannot overflow."""
    low, high = path.interval(term)
    return low > -LARGE and high < LARGE


def multiply(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
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
            times = _times(path, k, x, site)
            if times is not None:
                return times
        product = rearranged(path, "*", values, site)
        if product is None:
            product = path.emit("*", values, site)
        if type(product) is Dynamic:
            path.facts.definitions.setdefault(product.name, ("*", (a, Static(k))))
        return product
    y = view(b)
    if x is None or y is None:
        return path.emit("*", values, site)
    (base, r, _), (other, s, _) = x, y
    g = gcd(base * other, base * s, other * r)
    product = path.emit("*", (a, b), site)
    if g == 1 or base == 1 or other == 1 or g >= LARGE:
        return product
    # x*y = r*s modulo g, so its quotient by g is what is dynamic
    quotient = path.emit("floor-quotient", (product, Static(g)), site)
    return make(g, r * s % g, quotient)


def as_multiple(path: Path, x: Value, base: int, span: Span | None) -> Value | None:
    """A dynamic value known to be a multiple of the base, as base * quotient: a product k*q of
    which the base divides k, or one whose low bits are all known to be 0.

    So an address that is counted from a number of samples is cyclic without a case analysis.
    """
    if type(x) is not Dynamic:
        return None
    op, values = path.facts.definitions.get(x.name, ("", ()))
    factor = constant(values[1]) if op == "*" else None
    if factor is None or factor % base != 0:
        bits = bits_of(path, x)
        if _low_bits(base) != base or bits is None or bits.total() & (base - 1):
            return None
        count = Static(1 - base.bit_length())
        site = OperationSite(span, x.name)
        quotient = path.context.rule("arithmetic-shift")(path, (x, count), site)
        return make(base, 0, quotient) if type(quotient) is Dynamic else None
    product = view(values[0])
    if product is None:
        return None
    _, r, q = product
    if not fits(base, factor * r):
        return None
    term = scaled(path, factor // base, q, OperationSite(span, q.name))
    return make(base, factor * r, term)


def _times(path: Path, k: int, x: View, site: OperationSite) -> Value | None:
    """k * x; None where what comes out is too large for a base."""
    base, r, q = x
    if k == 0:
        return Static(0)  # x * 0 -> 0
    if not fits(base * abs(k), r * k):
        return None
    if k > 0:
        return make(base * k, r * k, q)
    return make(base * -k, r * k, scaled(path, -1, q, site))


def _floor_quotient(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    if known(values):
        return fold("floor-quotient", values)
    x, d = view(values[0]), constant(values[1])
    if x is not None and d is not None:
        base, r, q = x
        if d > 0 and base % d == 0:
            return make(base // d, r // d, q)
        path.context.auto.divide(path, values[0], d, "floor-quotient", site.span)
        found = _of_quotient(path, "floor-quotient", x, d, site)
        if found is not None:
            return found
    elif x is None and d is not None:
        path.context.auto.divide_unknown(path, values[0], d, "floor-quotient", site.span)
    found = rearranged(path, "floor-quotient", values, site)
    return path.emit("floor-quotient", values, site) if found is None else found


def _of_quotient(path: Path, op: str, x: View, d: int, site: OperationSite) -> Value | None:
    """A division by a multiple of the base, as one of the quotient; None if it is none."""
    base, r, q = x
    if base == 1 or d <= base or d % base != 0:
        return None
    moved = make(1, r // base, q)
    at_once = OperationSite(site.span, site.hint)
    return path.context.rule(op)(path, (moved, Static(d // base)), at_once)


def _floor_remainder(op: str) -> Rule:
    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if known(values):
            return fold(op, values)
        x, d = view(values[0]), constant(values[1])
        if x is not None and d is not None:
            if d != 0 and x[0] % d == 0:
                return Static(x[1] % d)
            path.context.auto.divide(path, values[0], d, op, site.span)
            rest = _of_quotient(path, op, x, d, site)
            if type(rest) is Dynamic:
                return make(x[0], x[1] % x[0], rest)
        elif x is None and d is not None:
            path.context.auto.divide_unknown(path, values[0], d, op, site.span)
        found = rearranged(path, op, values, site)
        return path.emit(op, values, site) if found is None else found

    return rule


def _truncating(op: str, floor_rule: Rule) -> Rule:
    """`quotient` and `remainder` agree with the floor kind where the division is exact."""

    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if known(values):
            return fold(op, values)
        x, d = view(values[0]), constant(values[1])
        if x is None or d is None or d <= 0:
            return path.emit(op, values, site)
        if (x[0] % d == 0 and x[1] % d == 0) or path.interval(values[0])[0] >= 0:
            return floor_rule(path, values, site)
        return path.emit(op, values, site)

    return rule


def _low_bits(base: int) -> int:
    """2^t for the largest t with 2^t dividing base: the low t bits of a cyclic value are known."""
    return base & -base


def bitwise_and(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    if known(values):
        return fold("bitwise-and", values)
    a, b = values
    if constant(a) is not None:
        a, b = b, a
    x, mask = view(a), constant(b)
    if x is None or mask is None:
        return path.emit("bitwise-and", values, site)
    base, r, q = x
    known_bits = _low_bits(base)
    if mask >= 0:
        if mask < known_bits:
            return Static(r & mask)
    elif known_bits % mask == 0:
        return make(base, r - r % -mask, q)  # x & -2^k clears k known bits
    found = rearranged(path, "bitwise-and", (a, b), site)
    if found is not None:
        return found
    return note_bits(path, "bitwise-and", (a, b), path.emit("bitwise-and", values, site))


def _or_like(op: str) -> Rule:
    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if known(values):
            return fold(op, values)
        a, b = values
        if constant(a) is not None:
            a, b = b, a
        x, bits = view(a), constant(b)
        if (found := rearranged(path, op, values, site)) is not None:
            return found
        if x is None or bits is None:
            return note_clash(path, op, values, path.emit(op, values, site))
        base, r, q = x
        known_bits = _low_bits(base)
        if not 0 <= bits < known_bits:
            return note_clash(path, op, values, path.emit(op, values, site))
        low = r % known_bits
        changed = low | bits if op == "bitwise-ior" else low ^ bits
        return make(base, r - low + changed, q)

    return rule


def bitwise_not(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    if known(values):
        return fold("bitwise-not", values)
    x = view(values[0])
    if x is None or x[0] == 1:
        return path.emit("bitwise-not", values, site)
    return make(x[0], -x[1] - 1, scaled(path, -1, x[2], site))  # ~x = -x - 1


def arithmetic_shift(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    if known(values):
        return fold("arithmetic-shift", values)
    x, count = view(values[0]), constant(values[1])
    if x is not None and count is not None:
        moved = _moved_up(path, x, count, site) if count > 0 else _moved_down(x, -count)
        if moved is not None:
            return moved
    found = rearranged(path, "arithmetic-shift", values, site)
    if found is not None:
        return found
    result = path.emit("arithmetic-shift", values, site)
    return note_bits(path, "arithmetic-shift", values, result)


def _moved_up(path: Path, x: View, count: int, site: OperationSite) -> Value | None:
    """A cyclic value times 2^count; None where that is too large for a base."""
    return _times(path, 1 << count, x, site) if 1 < x[0] < LARGE >> count else None


def _moved_down(x: View, count: int) -> Value | None:
    """A value divided by 2^count, if only known bits are lost; all other cases are `rearranged`."""
    base, r, q = x
    return make(base >> count, r >> count, q) if _low_bits(base) >> count else None


def _choosing(op: str, order: str) -> Rule:
    """An operation that gives the first of two values where they are so ordered, else the second:
    of a value with itself, and where intervals tell which it is."""

    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if known(values):
            return fold(op, values)
        x, y = view(values[0]), view(values[1])
        if x is not None and y is not None and x[0] == y[0] and x[2].name == y[2].name:
            first = x[1] <= y[1] if order == "<=" else x[1] >= y[1]
            return values[0] if first else values[1]
        if all(type_of(value) == "int" for value in values):
            for value, other in (values, values[::-1]):
                if decide(path, order, value, other):
                    return value
        return path.emit(op, values, site)

    return rule


def absolute(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    if known(values):
        return fold("abs", values)
    if path.interval(values[0])[0] >= 0:
        return values[0]  # |x| -> x for x >= 0; the interval of a float has no bounds
    return path.emit("abs", values, site)


RULES: dict[str, Rule] = {
    "+": _sum("+"),
    "-": _sum("-"),
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
    **{op: _choosing(op, order) for op, order in CHOOSING.items()},
    "abs": absolute,
}
