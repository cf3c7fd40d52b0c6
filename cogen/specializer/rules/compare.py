"""Rules of comparisons of integers: remainders and intervals decide, else quotients are compared.

What is left for later is a `Test` (Note [Delayed tests] in `values.domain`).  Laws, with
x = b*q + r and y = c*p + s:

    x = y  is false if gcd(b, c) does not divide r - s
    x = y  is  q + (r - s)/b = p  if b = c
    x < y  is  q <= p  if b = c and r < s, else  q < p  (r and s in normal form)
"""

from __future__ import annotations

from math import gcd

from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.arith import constant, make, view
from cogen.specializer.rules.interval import decide
from cogen.specializer.rules.rule import Rule, delayed, fold, known
from cogen.specializer.values.domain import Cyclic, Static, Value


def equal(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
    """`=`: remainders that differ modulo the common base decide; else one test on quotients."""
    if known(values):
        return fold("=", values)
    a, b = values
    if view(a) is None:
        a, b = b, a
    x, y, k = view(a), view(b), constant(b)
    if x is None or (y is None and k is None):
        path.context.auto.compare(path, a, b, site.span)
        return delayed(path, "=", values, site)
    if not site.delay and (said := decide(path, "=", a, b)) is not None:
        return Static(said)
    base, r, q = x
    if y is None:
        assert k is not None
        if (k - r) % base:
            return Static(False)
        if site.delay:
            return delayed(path, "=", values, site)
        return path.emit("=", (q, Static((k - r) // base)), site)
    other, s, p = y
    if q.name == p.name and base == other:
        return Static(r == s)
    if (r - s) % gcd(base, other):
        return Static(False)
    path.context.auto.compare(path, a, b, site.span)
    if site.delay or base != other:
        return delayed(path, "=", values, site)
    if base == 1:
        return path.emit("=", values, site)
    return path.emit("=", (make(1, (r - s) // base, q), p), site)


def _order(op: str, mirrored: str) -> Rule:
    """`<` and its like; of cyclic values with one base a test on quotients is left."""

    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if known(values):
            return fold(op, values)
        a, b = values
        if constant(a) is not None and type(b) is Cyclic and b.base > 1:
            return COMPARE[mirrored](path, (b, a), site)
        x, y, k = view(a), view(b), constant(b)
        if x is None or (y is None and k is None):
            return delayed(path, op, values, site)
        base, r, q = x
        if y is not None and base == y[0] and q.name == y[2].name:
            return Static(_compare(op, r, y[1]))
        if not site.delay and (said := decide(path, op, a, b)) is not None:
            return Static(said)
        if site.delay or base == 1:
            return delayed(path, op, values, site)
        if k is not None:
            strict = op in ("<", ">=")  # x < k  and its negation; x <= k is x < k + 1
            bound = -((r - k - (0 if strict else 1)) // base)
            return path.emit("<" if op in ("<", "<=") else ">=", (q, Static(bound)), site)
        assert y is not None
        if y[0] != base:
            return path.emit(op, values, site)
        (d, r), (e, s) = divmod(r, base), divmod(y[1], base)
        least = {"<": "<=" if r < s else "<", "<=": "<=" if r <= s else "<"}
        most = {">": ">=" if r > s else ">", ">=": ">=" if r >= s else ">"}
        return path.emit({**least, **most}[op], (make(1, d, q), make(1, e, y[2])), site)

    return rule


def _compare(op: str, a: int, b: int) -> bool:
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def _against_zero(op: str, name: str) -> Rule:
    """`zero?`, `positive?`, `negative?` as comparisons."""

    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if known(values):
            return fold(name, values)
        if view(values[0]) is None:
            return delayed(path, name, values, site)
        return COMPARE[op](path, (values[0], Static(0)), site)

    return rule


def _parity(name: str, odd: bool) -> Rule:
    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if known(values):
            return fold(name, values)
        x = view(values[0])
        if x is not None and x[0] % 2 == 0:
            return Static((x[1] % 2 == 1) is odd)
        return delayed(path, name, values, site)

    return rule


COMPARE: dict[str, Rule] = {
    "=": equal,
    "<": _order("<", ">"),
    ">": _order(">", "<"),
    "<=": _order("<=", ">="),
    ">=": _order(">=", "<="),
}

RULES: dict[str, Rule] = {
    **COMPARE,
    "zero?": _against_zero("=", "zero?"),
    "positive?": _against_zero(">", "positive?"),
    "negative?": _against_zero("<", "negative?"),
    "even?": _parity("even?", odd=False),
    "odd?": _parity("odd?", odd=True),
}
