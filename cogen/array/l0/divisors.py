"""Greatest common divisors in L0, which has none: Euclid's loop, for the Scheme-like language and
for staged Python.

    gcd(a, b)    loop ({more, x, y} = {True, abs(a), abs(b)}) = for i < WHILE do
                   if more then if y = 0 then {False, x, y} else {True, y, x % y}
                   else {more, x, y} in x
"""

from __future__ import annotations

from collections.abc import Callable

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT
from cogen.array.l0.while_loops import WHILE
from cogen.lang.errors import Span


def common_divisor(
    span: Span, a: tree.Expression, b: tree.Expression, fresh: Callable[[str], str]
) -> tree.Expression:
    """The greatest common divisor of two ints, not negative; `fresh` gives names."""
    more, x, y, index = (tree.Name(span, fresh(hint)) for hint in ("more", "x", "y", "i"))

    def used(name: tree.Name) -> tree.Expression:
        return tree.VariableExpression(span, tree.Name(span, name.text))

    def carried(*parts: tree.Expression) -> tree.Tuple:
        return tree.Tuple(span, parts)

    def truth(value: bool) -> tree.Expression:
        return tree.LiteralExpression(span, value, BOOL)

    def size(e: tree.Expression) -> tree.Expression:
        return tree.CallExpression(span, tree.Name(span, "abs"), (e,))

    ends = tree.BinaryExpression(span, "=", used(y), tree.LiteralExpression(span, 0, INT))
    rest = tree.BinaryExpression(span, "%", used(x), used(y))
    last, following = carried(truth(False), used(x), used(y)), carried(truth(True), used(y), rest)
    body = tree.IfExpression(
        span,
        used(more),
        tree.IfExpression(span, ends, last, following),
        carried(used(more), used(x), used(y)),
    )
    return tree.LoopExpression(
        span,
        tree.TuplePattern(span, (more, x, y)),
        carried(truth(True), size(a), size(b)),
        index,
        tree.LiteralExpression(span, WHILE, INT),
        body,
        used(x),
    )
